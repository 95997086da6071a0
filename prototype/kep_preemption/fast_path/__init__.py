"""The fast path that KEP-4389 proposes."""

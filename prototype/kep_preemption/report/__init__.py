"""The answer about one preemptor, as text and as JSON."""

"""Rules that check a KEP; each is one class with a frozen meta."""

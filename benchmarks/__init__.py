"""Synthetic repositories and what a user waits for in them."""

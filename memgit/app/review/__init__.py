"""Use cases around a review of a range of commits, and proposals."""

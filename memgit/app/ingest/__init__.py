"""Use cases that turn sources into proposals and proposals into records."""

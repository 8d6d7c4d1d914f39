"""Use cases that answer and write nothing."""

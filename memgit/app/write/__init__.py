"""Use cases that change records, one operation a file."""

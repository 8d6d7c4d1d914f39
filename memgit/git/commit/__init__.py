"""Making a commit: journal, locks, refs, identity, recovery."""

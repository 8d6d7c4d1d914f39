"""Use cases that check records: lint, its settings and its sources."""

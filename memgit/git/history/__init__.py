"""Reading commits: the raw log, activity, blame, usage refs."""

"""Links between records: made, followed when a record moves, reported where they resolve to nothing."""

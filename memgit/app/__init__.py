"""Use cases: what each command does, without a terminal."""

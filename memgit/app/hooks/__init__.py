"""What git's hooks do, how they are installed, and commits of hand edits."""

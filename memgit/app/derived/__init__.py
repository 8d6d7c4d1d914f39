"""Use cases about derived files: rebuild, what a change affects, what is known to be valid."""

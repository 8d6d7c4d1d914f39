"""Pure functions from records to derived files."""

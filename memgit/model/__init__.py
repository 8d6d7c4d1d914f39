"""Pure values: what a record, an address, a link and an operation are."""

"""The working tree and the index: status, checkout, filters."""

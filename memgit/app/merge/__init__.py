"""Use cases that merge: the driver, resolve, sync."""

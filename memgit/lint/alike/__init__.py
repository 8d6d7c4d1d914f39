"""Which records say the same, or the opposite."""

"""Generators of the documentation that must not drift."""

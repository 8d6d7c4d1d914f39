"""memgit: a knowledge repository that is nothing but git."""

__version__ = "0.1.0"

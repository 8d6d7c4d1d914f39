"""memgit: a knowledge repository that is nothing but git."""

__version__ = "0.1.0"

TYPE_CHECKING = False
"""As in `typing`, whose import takes longer than many an answer: type checkers know it by its name, and take
it for true.
"""

"""SQLite as Python's C module has it: the package around it loads `datetime`, for types of columns that no table here has, and that takes
longer than most queries."""

from __future__ import annotations

from memgit import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite3 import *  # noqa: F403
else:
    try:
        from _sqlite3 import *  # noqa: F403
    except ImportError:
        from sqlite3 import *  # noqa: F403

FAILURES = (Error, UnicodeDecodeError)  # noqa: F405
"""What a broken file leads to: where its own bytes are part of a message, Python cannot even make an `Error` of it."""

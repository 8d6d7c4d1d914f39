"""SQLite as Python's C module has it: the package around it loads `datetime`, for types of columns that no table here has, and that takes
longer than most queries."""

from __future__ import annotations

from memgit import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite3 import *  # noqa: F403
else:
    import sys

    from memgit.model import light

    # The one thing that the C module takes from `functools` is `lru_cache`; its own import takes longer than opening a file. Another thread
    # might ask for the real one meanwhile.
    if len(sys._current_frames()) == 1 and sys.modules.setdefault("functools", light) is light:
        try:
            import _sqlite3  # noqa: F401
        except (ImportError, AttributeError):
            sys.modules.pop("_sqlite3", None)
        finally:
            del sys.modules["functools"]
    try:
        from _sqlite3 import *  # noqa: F403
    except ImportError:
        from sqlite3 import *  # noqa: F403

FAILURES = (Error, UnicodeDecodeError)  # noqa: F405
"""What a broken file leads to: where its own bytes are part of a message, Python cannot even make an `Error` of it."""
MOST_ROWS = 1 << 40
"""Rows that are asked for at most: SQLite counts no further than to 2**63."""

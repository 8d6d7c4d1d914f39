"""Pure functions from records to derived files: no clock, same tree, same bytes."""

from __future__ import annotations

from memgit import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from memgit.derive.tables import (
        affected_paths,
        affected_rows,
        derive_affected,
        derive_all,
        is_derived,
        render_all,
        starters,
        table,
    )
    from memgit.derive.view import DerivedFile, Rendered, View, view_of

__all__ = (
    "DerivedFile",
    "Rendered",
    "View",
    "affected_paths",
    "affected_rows",
    "derive_affected",
    "derive_all",
    "is_derived",
    "render_all",
    "starters",
    "table",
    "view_of",
)

CATEGORY_INDEX = "_index.json"
"""The file name of Mem Skill's indexes."""


def __getattr__(name: str) -> Any:
    """What stands above, from its module: whoever wants one small part of this package loads no more."""
    if name not in __all__:
        raise AttributeError(name)
    found = getattr(
        __import__("memgit.derive.view" if name[0].isupper() else "memgit.derive.tables", fromlist=[name]),
        name,
    )
    globals()[name] = found
    return found

"""Pure functions from records to derived files: no clock, same tree, same bytes."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memgit.derive.tables import derive_all, derive_owed, is_derived, owed_paths, render_all, starters, table
    from memgit.derive.view import DerivedFile, MappingView, Rendered, View

__all__ = (
    "DerivedFile", "MappingView", "Rendered", "View", "derive_all", "derive_owed", "is_derived", "owed_paths", "render_all",
    "starters", "table",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    """What stands above, from its module: whoever wants one small part of this package loads no more."""
    if name not in __all__:
        raise AttributeError(name)
    from importlib import import_module

    found = getattr(import_module("memgit.derive.view" if name[0].isupper() else "memgit.derive.tables"), name)
    globals()[name] = found
    return found

"""Pure functions from records to derived files: no clock, same tree, same bytes."""

from memgit.derive.table import derive_all, derive_owed, is_derived, owed_paths, render_all, starters, table
from memgit.derive.view import DerivedFile, MappingView, Rendered, View

__all__ = (
    "DerivedFile", "MappingView", "Rendered", "View", "derive_all", "derive_owed", "is_derived", "owed_paths", "render_all",
    "starters", "table",
)  # fmt: skip

"""Pure functions from records to derived files: no clock, same tree, same bytes."""

from memgit.derive.table import TABLE, derive_all, derive_owed, is_derived, owed_paths, render_all, starters
from memgit.derive.view import DerivedFile, MappingView, Rendered, View

__all__ = (
    "TABLE", "DerivedFile", "MappingView", "Rendered", "View", "derive_all", "derive_owed", "is_derived", "owed_paths", "render_all",
    "starters",
)  # fmt: skip

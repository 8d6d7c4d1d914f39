"""The default engine: `cache.search`."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.cache.search import Hit, Query, search

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgit.cache.records import Snapshot
    from memgit.engines import Settings
    from memgit.model.record import Record


class Default:
    """Full text."""

    any_revision = True

    def search(
        self, source: Snapshot, query: Query, accept: Callable[[Record], bool] | None = None
    ) -> list[Hit]:
        return search(source, query, accept)

    def prepare(self, source: Snapshot) -> str:
        return f"{source.total():,} records"

    def ahead(self, source: Snapshot, seconds: float) -> bool:
        return False


def make(settings: Settings) -> Default:
    return Default()

"""Search engines: all of them answer the same question, and whichever is chosen, every record is found.

An engine is one file here and one row of `ENGINES`. One that is missing, fails or takes too long raises
`EngineFailed`; the caller then asks `default`.
"""

from __future__ import annotations

from importlib import import_module

from memgit import TYPE_CHECKING
from memgit.errors import MemgitError
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol

    from memgit.cache.records import Snapshot
    from memgit.cache.search import Hit, Query
    from memgit.model.record import Record
else:
    Protocol = object

ENGINES = {
    "default": "SQLite's full text: BM25 on stems, with feedback",
    "semantic": "the same, mixed with word vectors from an installed package; needs memgit-kb[semantic]",
    "qmd": "the qmd program over the knowledge and experience files; needs @tobilu/qmd from npm",
}
"""What there is, each in the module of its name."""
DEFAULT = "default"


class EngineFailed(MemgitError):
    """The engine is not installed, failed, or took too long."""


class Settings(NamedTuple):
    """What an engine may need to know.

    Attributes:
        root: the folder of the records; None in a bare repository.
        env: the environment for programs that are started.
        options: what the configuration says for this engine.
    """

    root: str | None
    env: Mapping[str, str]
    options: Mapping[str, str]


class Engine(Protocol):
    """What answers a query; `any_revision` says whether it knows more than the working tree."""

    any_revision: bool

    def search(
        self, source: Snapshot, query: Query, accept: Callable[[Record], bool] | None = None
    ) -> list[Hit]:
        """The best records, the best first; see `cache.search.search`.

        Raises:
            EngineFailed: the engine cannot answer.
        """

    def prepare(self, source: Snapshot) -> str:
        """Brings up to date what the engine keeps of the records; what it has then, in words.

        Raises:
            EngineFailed: the engine cannot answer.
        """

    def ahead(self, source: Snapshot, seconds: float) -> bool:
        """Does a part of what `prepare` does, for at most so long; whether more is left to do.

        Raises:
            EngineFailed: the engine cannot answer.
        """


def make(name: str, settings: Settings) -> Engine:
    """The engine of a name out of `ENGINES`. Whether it works is seen when it is asked.

    Raises:
        BadInput: the configuration has a value for it that cannot be used.
    """
    made: Engine = import_module(f"memgit.engines.{name}").make(settings)
    return made

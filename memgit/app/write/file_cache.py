"""Record files of a commit as the cache knows them: what derived files ask of a file that nobody edits,
without opening it.

A derived file says of records what their fields and titles say, so rows that are kept by content are as good
as the file.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.model.record import ParsedFile, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    from memgit.app.workspace import Workspace
    from memgit.cache.light import LightFiles
    from memgit.model.layout import Place

    T = TypeVar("T")

FORMS = frozenset(["entries", "memgit"])
"""Forms whose derived files never ask for a text, only whether there is one."""
FEW = 8
"""So many files are read sooner than the cache is opened."""


class KnownFiles:
    """What the cache knows of files by path and blob, each of whose records comes with an empty `body`; None
    of one that has to be read.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._asked = 0
        self._light: LightFiles | None = None
        self._files: dict[tuple[str, str], ParsedFile | None] = {}

    def file(self, path: str, oid: str) -> ParsedFile | None:
        """What a file holds."""
        key = (path, oid)
        if key not in self._files:
            self._files[key] = self._ask(path, lambda light, place: light.file(path, place, oid))
        return self._files[key]

    def meta(self, path: str, oid: str) -> Mapping[str, Value] | None:
        """What a file says about itself."""
        return self._ask(path, lambda light, place: light.meta(path, place, oid))

    def _ask(self, path: str, ask: Callable[[LightFiles, Place], T | None]) -> T | None:
        self._asked += 1
        if self._asked <= FEW:
            return None
        workspace = self._workspace
        found = workspace.layout.find(path)
        if found is None or found[0].form not in FORMS or workspace.cache is None:
            return None
        if self._light is None:
            from memgit.cache.light import LightFiles

            self._light = LightFiles(workspace.cache, workspace.layout)
        return ask(self._light, found[0])

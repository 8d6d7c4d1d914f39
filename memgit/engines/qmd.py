"""The qmd engine: Mem Skill's other way to search, the program qmd (@tobilu/qmd on npm) over two collections.

qmd finds files and lines; the record at that line is the result. It knows the files of the working tree
alone, and those of knowledge and experience alone: what it leaves of the limit, the default engine fills.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time

from memgit import TYPE_CHECKING
from memgit.cache.search import Hit, Query, fits, place, search
from memgit.engines import EngineFailed
from memgit.errors import BadInput, MemgitError
from memgit.git.process import spawn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from memgit.cache.records import Snapshot
    from memgit.engines import Settings
    from memgit.model.layout import Layout
    from memgit.model.record import Record

KINDS = ("knowledge", "experience")
TIMEOUT = 10.0
"""Seconds for one search, unless the configuration says otherwise."""
MODES = ("search", "query")
"""By words, or qmd's mix of words, vectors and a language model, which it downloads first."""
MIN_SCORE = "0.3"
"""Score from which on Mem Skill takes a result of `query`."""


class Qmd:
    """Runs qmd."""

    any_revision = False

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        options = settings.options
        self._mode = options.get("mode", MODES[0])
        try:
            self._timeout = float(options.get("timeout", TIMEOUT))
        except ValueError:
            raise BadInput("search.timeout is not a number of seconds") from None
        if self._mode not in MODES:
            raise BadInput(f"search.mode is not one of {', '.join(MODES)}")

    def search(
        self, source: Snapshot, query: Query, accept: Callable[[Record], bool] | None = None
    ) -> list[Hit]:
        until = time.monotonic() + self._timeout
        folders = self._folders(source.layout)
        self._run(["update"], until)
        found: dict[Any, Hit] = {}
        for kind in KINDS:
            if kind in folders and (not query.kinds or kind in query.kinds):
                for record, score in self._results(source, kind, folders[kind], query, until):
                    if fits(record, query) and (accept is None or accept(record)):
                        found.setdefault(place(record), Hit(record, score))
        ranked = sorted(found.values(), key=lambda hit: (-hit.score, *place(hit.record)))
        lowest = ranked[-1].score if ranked else 1.0
        for hit in search(source, query, accept):
            if place(hit.record) not in found:
                ranked.append(hit._replace(score=min(hit.score, lowest)))
        return ranked[: query.limit]

    def prepare(self, source: Snapshot) -> str:
        until = time.monotonic() + self._timeout
        version = self._run(["--version"], until).strip()
        self._run(["update"], until)
        names = [self._collection(kind) for kind in KINDS if kind in self._folders(source.layout)]
        known = self._run(["collection", "list"], until)
        for kind, name in zip(KINDS, names, strict=False):
            if not re.search(rf"^{re.escape(name)} \(", known, re.MULTILINE):
                raise self._no_collection(kind, source.layout)
        return f"{version}, collections {' and '.join(names)}"

    def ahead(self, source: Snapshot, seconds: float) -> bool:
        return False  # each search brings qmd's index up to date

    def _results(
        self, source: Snapshot, kind: str, folder: str, query: Query, until: float
    ) -> Iterator[tuple[Record, float]]:
        """Records with qmd's scores."""
        name = self._collection(kind)
        asked = [self._mode, "-c", name, "--json", "-n", str(query.limit)]
        if self._mode == "query":
            asked += ["--min-score", MIN_SCORE]
        said = self._run([*asked, "--", query.text], until, kind, source.layout)
        try:
            rows = [
                (str(row["file"]), int(row.get("line") or 1), float(row["score"])) for row in json.loads(said)
            ]
        except (ValueError, TypeError, KeyError, AttributeError):
            raise EngineFailed("qmd did not answer with a list in JSON") from None
        paths = {
            _bare(path.removeprefix(folder)): path for path in source.paths(kind) if path.startswith(folder)
        }
        for file, line, score in rows:
            path = paths.get(_bare(file.removeprefix(f"qmd://{name}/")))
            records = source.file(path) if path is not None else []
            for record in records:
                if record.line <= line <= record.end_line or record is records[-1]:
                    yield record, score
                    break

    def _run(self, args: list[str], until: float, kind: str = "", layout: Layout | None = None) -> str:
        program = shutil.which("qmd", path=self._settings.env.get("PATH"))
        if program is None:
            raise EngineFailed("qmd is not installed", hint="install it with: npm install -g @tobilu/qmd")
        try:
            done = spawn(
                [os.fsencode(one) for one in (program, *args)],
                self._settings.env,
                timeout=max(0.1, until - time.monotonic()),
            )
        except MemgitError as error:
            raise EngineFailed(f"qmd {args[0]}: {error.message}") from None
        if done.code:
            if layout is not None and b"ollection not found" in done.err + done.out:
                raise self._no_collection(kind, layout)
            words = (done.err or done.out).decode("utf-8", "replace").strip().splitlines()
            raise EngineFailed(f"qmd {args[0]} failed: {words[-1][:200] if words else done.code}")
        return done.out.decode("utf-8", "replace")

    def _folders(self, layout: Layout) -> dict[str, str]:
        """The folder of each kind, relative to the root."""
        if self._settings.root is None:
            raise EngineFailed("qmd searches files, and a bare repository has none checked out")
        return {one.kind: one.folder for one in reversed(layout.places) if one.kind in KINDS}

    def _collection(self, kind: str) -> str:
        """As Mem Skill names it: configured, else after the folder of the workspace, or `mem` where the scope
        is global.
        """
        options = self._settings.options
        prefix = "mem"
        if options.get("scope") != "global":
            prefix = re.sub(r"[^A-Za-z0-9_-]+", "-", os.path.basename(self._settings.root or "")).strip("-")
        return options.get(kind) or f"{prefix or 'mem'}-{kind}"

    def _no_collection(self, kind: str, layout: Layout) -> EngineFailed:
        folder = os.path.join(self._settings.root or "", self._folders(layout)[kind])
        mask = self._settings.options.get("mask", "**/*.md")
        return EngineFailed(
            f"qmd has no collection {self._collection(kind)}",
            hint=f"make it with: qmd collection add {folder} --name {self._collection(kind)} --mask '{mask}'",
        )


def _bare(path: str) -> str:
    """What is left of a path where qmd shows it: signs and blanks may have changed."""
    return "".join(char for char in path.casefold() if char.isalnum() or char == "/")


def make(settings: Settings) -> Qmd:
    return Qmd(settings)

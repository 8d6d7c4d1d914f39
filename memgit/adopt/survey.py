"""A workspace read file by file, and the report on it.

Nothing of a file is kept but what the report and the indexes need.
"""

from __future__ import annotations

from collections import Counter

from memgit.adopt import old_log, shapes
from memgit.adopt import skipped as left
from memgit.adopt.disagree import disagreements
from memgit.adopt.report import Count, Doubled, Field, Left, Located, OldLog, Report
from memgit.adopt.systems import SYSTEMS
from memgit.adopt.systems.system import TEMPLATE, Candidate
from memgit.derive import is_derived, render_all
from memgit.derive.mem_skill import counted
from memgit.derive.view import View
from memgit.errors import UnreadableFile
from memgit.formats.codecs import parse_file
from memgit.formats.text import decode
from memgit.model.filetree import NO_FILES, EditedTree
from memgit.model.layout import Layout, Place
from memgit.model.record import ParsedFile, Record

MAX_NAMED = 100
"""Paths that one reason of `Report.left` names; the rest is counted."""


class Survey:
    """Takes the files of a knowledge root one by one, in any order, and gives the report.

    A file whose bytes nobody needs (`wants` is false) is passed by its name alone (`skip`).
    """

    def __init__(self, layout: Layout, found: Candidate) -> None:
        self.layout = layout
        self.found = found
        self._counts: dict[tuple[str, str], list[int]] = {}
        self._variants: Counter[str] = Counter()
        self._fields: Counter[tuple[str, str, str | None]] = Counter()
        self._left: dict[str, list[str]] = {}
        self._unreadable: list[Located] = []
        self._remarks: list[Located] = []
        self._bare: list[Located] = []
        self._tombstoned: list[str] = []
        self._keys: dict[str, list[tuple[str, str]]] = {}
        self._logs: list[OldLog] = []
        self._parsed: dict[str, ParsedFile] = {}
        self._data: dict[str, bytes] = {}
        self._indexed = layout.name != "notes"

    def wants(self, path: str) -> bool:
        """Whether the bytes of a file are needed."""
        if left.private(path, self.found.system, self.found.base):
            return False
        if self.layout.holds(path):
            return True
        if self._is_log(path):
            return True
        return self._indexed and (is_derived(self.layout, path) or self._listed(path))

    def _is_log(self, path: str) -> bool:
        log = SYSTEMS[self.found.system].log
        return log is not None and log.is_log(path, self.layout.base)

    def _listed(self, path: str) -> bool:
        """Whether the index of a mirror may list a page that is no record."""
        return (
            self.layout.name == "mnema"
            and path.startswith(f"{self.layout.base}memory/")
            and path.endswith(".md")
        )

    def skip(self, path: str, *, link: bool = False) -> None:
        """Notes a file that is not read."""
        if link and (self._leads(path) or self.layout.holds(path)):
            self._leave(left.LINK, path)
        elif path.endswith(".md") or left.private(path, self.found.system, self.found.base):
            self._leave(left.why(path, self.layout, self.found), path)

    def _leads(self, path: str) -> bool:
        """Whether records would lie behind a path, were it a folder."""
        return any(place.folder.startswith(f"{path}/") for place in self.layout.places)

    def fail(self, path: str, message: str) -> None:
        """Notes a file that could not be opened."""
        self._unreadable.append(Located(path, 0, message))

    def take(self, path: str, data: bytes) -> None:
        """Reads one file."""
        place = self.layout.find(path) if path.endswith(".md") else None
        if self._indexed and (place is None or place[0].form in ("entries", "vault")):
            self._data[path] = data
        if place is None:
            self._take_other(path, data)
            return
        parsed = parse_file(self.layout, path, data)
        if self._indexed:
            self._parsed[path] = ParsedFile(
                tuple(record._replace(body="…") if record.body else record for record in parsed.records),
                parsed.problems,
                parsed.meta,
            )
        for problem in parsed.problems:
            where = Located(path, problem.line, problem.message)
            if problem.fatal:
                self._unreadable.append(where)
            elif parsed.records and not problem.message.startswith("a heading without any field"):
                self._remarks.append(where)
        if not parsed.records:
            if not parsed.fatal:
                empty = bool(parsed.problems) or not data.strip()
                self._leave(
                    left.EMPTY if empty else left.NO_RECORD if place[0].form == "entries" else TEMPLATE,
                    path,
                )
            return
        self._count(path, place[0], parsed, data)

    def _count(self, path: str, place: Place, parsed: ParsedFile, data: bytes) -> None:
        records = [record for record in parsed.records if place.form != "entries" or counted(record)]
        for record in parsed.records:
            if place.form == "entries" and not counted(record):
                self._bare.append(Located(path, record.line, record.title))
        held = self._counts.setdefault((place.kind, place.folder), [0, 0])
        held[0] += len(records)
        held[1] += 1
        if not records:
            self._leave(left.NO_RECORD, path)
            held[1] -= 1
        try:
            text = decode(data)
        except UnreadableFile:
            return
        if place.form == "entries":
            made = [shape for shape in shapes.of_entries(text) if shape.keys]
        else:
            made = [shapes.of_document(text, place)] if not parsed.fatal else []
        for shape in made:
            self._variants[shape.variant] += 1
            for key, field in shape.keys:
                self._fields[place.kind, key, field] += 1
        for record in records:
            if record.archived is not None:
                self._tombstoned.append(path if place.form != "entries" else record.address)
            self._remember_key(record, place)

    def _remember_key(self, record: Record, place: Place) -> None:
        if place.form == "mnema-block" and record.id is not None:
            self._keys.setdefault(record.id, []).append(
                (record.text("updated") or record.text("at") or "", record.path)
            )

    def _take_other(self, path: str, data: bytes) -> None:
        if self._is_log(path):
            told = [event.date[:10] for event in old_log.events(path, data, self.layout)]
            if told:
                self._logs.append(OldLog(path, len(told), min(told), max(told)))
        if path.endswith(".md"):
            self._leave(left.why(path, self.layout, self.found), path)

    def _leave(self, why: str, path: str) -> None:
        self._left.setdefault(why, []).append(path)

    def view(self) -> View:
        """The files that indexes depend on."""
        return _Held(self.layout, self._data, self._parsed)

    def drifted(self) -> tuple[str, ...]:
        """The derived files that are not what the records give: `memgit rebuild` would write them."""
        if not self._indexed:
            return ()
        view = self.view()
        return tuple(
            sorted(path for path, rendered in render_all(view).items() if rendered.data != view.data(path))
        )

    def report(self) -> Report:
        doubled = []
        for key, places in sorted(self._keys.items()):
            if len(places) > 1:
                (updated, path), *others = sorted(
                    places, key=lambda place: (place[0], place[1]), reverse=True
                )
                doubled.append(
                    Doubled(key, path, updated or None, tuple((other, at or None) for at, other in others))
                )
        return Report(
            tuple(
                Count(kind, folder, records, files)
                for (kind, folder), (records, files) in sorted(self._counts.items())
                if files
            ),
            tuple(self._variants.most_common()),
            tuple(
                Field(kind, key, field, number)
                for (kind, key, field), number in sorted(
                    self._fields.items(), key=lambda row: (row[0][0], row[0][2] is None, -row[1], row[0][1])
                )
            ),
            tuple(
                Left(why, len(paths), tuple(sorted(paths)[:MAX_NAMED]))
                for why, paths in sorted(self._left.items())
            ),
            tuple(sorted(self._unreadable)),
            tuple(sorted(self._remarks)),
            tuple(sorted(self._bare)),
            tuple(sorted(self._tombstoned)),
            tuple(doubled),
            tuple(disagreements(self.view())) if self._indexed else (),
            tuple(sorted(self._logs)),
        )


class _Held(View):
    """The files of a survey, as they were parsed."""

    def __init__(self, layout: Layout, data: dict[str, bytes], parsed: dict[str, ParsedFile]) -> None:
        super().__init__(layout, EditedTree(NO_FILES, {**dict.fromkeys(parsed, b""), **data}))
        self._parsed = dict(parsed)

"""Giving a workspace back: a plain Mem Skill, vault, Mnema or memgit workspace in a folder of its own.

A file whose records have the same form there is copied, to the byte where memgit never wrote to it; every
other record is converted. What is exported is a commit; uncommitted edits stay out. Nothing is ever written
over.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from memgit.adopt import convert
from memgit.adopt import skipped as left
from memgit.adopt.export_plain import plain_document, plain_entries
from memgit.adopt.settings import text_of
from memgit.adopt.systems import EXPORTS
from memgit.app import config as configuration
from memgit.app.adopt.export_folder import check_folder, write_files
from memgit.app.adopt.export_links import follow_links
from memgit.app.read.log import as_markdown, log
from memgit.app.read.reader import REGULAR
from memgit.app.workspace import Workspace
from memgit.derive import CATEGORY_INDEX, is_derived, render_all, starters, view_of
from memgit.errors import BadInput, MemgitError
from memgit.formats.codecs import form_named, parse_file
from memgit.formats.text import MAX_BYTES
from memgit.git.repository import Repository
from memgit.git.worktree.status import dirty
from memgit.model.layout import Layout, Place
from memgit.model.operation import Event
from memgit.model.record import Record

FULL = MAX_BYTES // 8
"""Bytes from which on converted entries go into a further file."""
OWN = frozenset([configuration.NAME, ".gitattributes", ".gitignore"])


class Lost(NamedTuple):
    """A record or file that could not be exported, and why."""

    path: str
    message: str


class Exported(NamedTuple):
    """What was written.

    Attributes:
        copied: files of records taken as they are; `stripped` counts the records among them that lost
            memgit's own id, `relinked` the files in which links follow records that went elsewhere.
        converted: records by kind that were written anew.
        without_place: fields of converted records that the system does not have, with the number of records
            that had them.
        others: files of the workspace that hold no records, taken along.
        derived: derived files made.
        lost: what could not be exported.
    """

    folder: str
    system: str
    revision: str
    records: int
    copied: int
    stripped: int
    relinked: int
    converted: dict[str, int]
    without_place: dict[str, int]
    others: int
    derived: tuple[str, ...]
    lost: tuple[Lost, ...]
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            **self._asdict(),
            "derived": list(self.derived),
            "lost": [one._asdict() for one in self.lost],
            "notes": list(self.notes),
        }


def export(workspace: Workspace, dest: str, system: str | None = None, at: str | None = None) -> Exported:
    """Writes the records of a commit (by default the newest) as a workspace of a system into a new or empty
    folder.

    Args:
        system: one of `EXPORTS`; by default that of the layout.

    Raises:
        BadInput: the folder is not empty or is inside the knowledge root, or there is no default system.
        NotFound: no such revision.
        Refused: the folder cannot be written; what had been written is taken away again.
    """
    repo = workspace.require_repository()
    system = system or (workspace.layout.name if workspace.layout.name in EXPORTS else None)
    if system is None:
        raise BadInput(
            f"the layout {workspace.layout.name} is not a system to export to by itself",
            hint=f"--as {'|'.join(EXPORTS)}",
        )
    check_folder(dest, workspace.root)
    commit = repo.resolve(at or "HEAD")
    made = _Export(workspace, repo, commit, system)
    made.gather()
    write_files(dest, made.files)
    notes = _uncommitted(workspace, repo) if at is None else ()
    return made.answer(os.path.abspath(dest), notes)


def _uncommitted(workspace: Workspace, repo: Repository) -> tuple[str, ...]:
    if workspace.root is None:
        return ()
    count = sum(workspace.layout.holds(path) for path, _ in dirty(repo))
    return (
        (f"uncommitted edits of {count} file{'' if count == 1 else 's'} are not part of the export",)
        if count
        else ()
    )


class _Export:
    """One export being put together."""

    def __init__(self, workspace: Workspace, repo: Repository, commit: str, system: str) -> None:
        self.workspace = workspace
        self.source: Layout = workspace.layout
        self.system = system
        self.commit = commit
        same = system == self.source.name
        self.layout = self.source if same else configuration.make_layout(system)
        self.repo = repo
        self.tree = repo.tree(commit)
        self.files: dict[str, bytes] = {}
        self.same = same
        self.records = self.copied = self.stripped = self.relinked = self.others = 0
        self.converted: Counter[str] = Counter()
        self.without: Counter[str] = Counter()
        self.lost: list[Lost] = []
        self.derived: list[str] = []
        self._waiting: list[tuple[Record, Place, str]] = []
        self._named: dict[str, bytes] = {}
        self._sources: dict[str, list[Record]] = {}
        self._unfollowed: tuple[str, ...] = ()

    def gather(self) -> None:
        """Puts every file together, in memory."""
        for path, data in self._blobs():
            found = self.source.find(path) if path.endswith(".md") else None
            if found is None:
                self.files[path if self.same else self._index_of(path) or path] = data
                self.others += 1
                continue
            self._take(path, data, *found)
        copied = set(self._sources)
        self._convert()
        self._follow(copied)
        self._derive()

    def _blobs(self) -> Iterator[tuple[str, bytes]]:
        """The files that matter, as the commit has them."""
        wanted: list[tuple[str, str]] = []
        for path, mode, oid in self.tree.walk():
            record = self.source.holds(path)
            if left.private(path, self.source.name, self.source.base) or not (record or self._belongs(path)):
                continue
            if mode not in REGULAR:
                self.lost.append(Lost(path, left.LINK if mode == 0o120000 else "no plain file"))
            else:
                wanted.append((path, oid))
        waiting = iter(wanted)
        for oid, data in self.repo.blobs(oid for _, oid in wanted):
            path, expected = next(waiting)
            while expected != oid:
                self.lost.append(Lost(path, "this clone does not hold the file"))
                path, expected = next(waiting)
            yield path, data
        self.lost += [Lost(path, "this clone does not hold the file") for path, _ in waiting]

    def _belongs(self, path: str) -> bool:
        """Whether a file that holds no records goes along: a part of the workspace in its own system, an
        index with names in another.
        """
        if path in OWN:
            return self.same and path == configuration.NAME and self.system == "memgit"
        if not self.same:
            return self._index_of(path) is not None
        if self.system == "memgit":
            return is_derived(self.source, path)
        if self.system == "mem-skill":
            inner = path.removeprefix(self.source.base) if path.startswith(self.source.base) else ""
            return (
                path == ".mem-skill.config.json"
                or inner == "log.md"
                or inner.startswith(("knowledge-base/", "experience/"))
            )
        return path.startswith(self.source.base)

    def _index_of(self, path: str) -> str | None:
        """Where an index of entries goes in another layout that has entries."""
        folder, slash, name = path.rpartition("/")
        if name != CATEGORY_INDEX:
            return None
        for place in self.source.places:
            if place.form == "entries" and place.folder == folder + slash:
                target = convert.copies(place, self.system, self.layout)
                return None if target is None else target.folder + name
        return None

    def _take(self, path: str, data: bytes, place: Place, key: str) -> None:
        """One file of records: copied where it can be, else its records wait to be converted."""
        parsed = parse_file(self.source, path, data)
        kept = self.same and convert.stays(place, self.system)
        target = place if kept else convert.copies(place, self.system, self.layout)
        if target is not None:
            self.records += len(parsed.records)
            self.copied += 1
            to = path if self.same else self._moved(path, place, target, key)
            self.files[to] = data if self.system == "memgit" else self._plain(data, place, parsed.records)
            self._sources[to] = list(parsed.records)
            if place.form == "entries" and self.files[to] != data:
                self._named[to] = data
            return
        for record in parsed.records:
            if record.problem is not None and record.problem.fatal:
                self.lost.append(Lost(path, record.problem.message))
            else:
                self._waiting.append((record, place, key))
        if not parsed.records and parsed.fatal:
            self.lost.append(Lost(path, parsed.problems[0].message))

    def _plain(self, data: bytes, place: Place, records: tuple[Record, ...]) -> bytes:
        if place.form == "entries":
            plain, count = plain_entries(data)
            self.stripped += count
            return plain
        plain = plain_document(data, records[0], place.form) if records else data
        self.stripped += plain != data
        return plain

    def _moved(self, path: str, place: Place, target: Place, key: str) -> str:
        """The path of a copied file in another layout: the same below the folder of its kind."""
        inner = path.removeprefix(place.folder)
        if place.kind == "note":
            inner = path.removeprefix(self.source.base)
            return inner if self.layout.find(inner) is not None else f"notes/{inner}"
        moved = target.folder + inner
        found = self.layout.find(moved)
        return moved if found is not None and found[0].kind == place.kind else target.path(key)

    def _convert(self) -> None:
        """Writes the records anew that have another form here."""
        destinations = convert.Destinations(self.system, self.layout)
        for path in self.files:
            destinations.take(path)
        placed = [
            (record, place, destinations.place(record, place, key)) for record, place, key in self._waiting
        ]
        parts: dict[str, list[bytes]] = {}
        sizes: Counter[str] = Counter()
        for record, place, to in placed:
            made = convert.convert(record, place, to, self.system)
            try:
                data = form_named(to.place.form).create(made.draft, None)
            except MemgitError as error:
                self.lost.append(Lost(record.path, f"{record.title}: {error.message}"))
                continue
            self.records += 1
            self.converted[record.kind] += 1
            self.without.update(made.left)
            if to.place.form != "entries":
                self.files[to.path] = data
                self._sources[to.path] = [record]
                continue
            number = 1 + sizes[to.path] // FULL
            sizes[to.path] += len(data)
            file = to.path if number == 1 else f"{to.path.removesuffix('.md')}-{number}.md"
            parts.setdefault(file, []).append(data)
            self._sources.setdefault(file, []).append(record)
        for path, pieces in parts.items():
            held = self.files.get(path)
            whole = [held.rstrip(b"\r\n") + b"\n"] if held else []
            self.files[path] = b"\n".join([*whole, *pieces])

    def _follow(self, copied: set[str]) -> None:
        """Has links lead to where their records went; a file without such a link keeps its bytes."""
        if not self.converted and not self.stripped and self.same:
            return
        changed, self._unfollowed = follow_links(
            self.files, self._sources, self.layout, plain=not self.same and self.system != "memgit"
        )
        self.relinked = len(changed & copied)

    def _derive(self) -> None:
        """Makes the derived files of the system, and memgit's configuration where it is memgit's own."""
        if self.system == "memgit":
            text = text_of("memgit")
            self.files.setdefault(configuration.NAME, text)
        if not self.same:
            for path, data in starters(self.layout).items():
                self.files.setdefault(path, data)
        # The index takes the names of categories from frontmatter that the files do not have there.
        view = view_of(self.layout, {**self.files, **self._named})
        for path, rendered in render_all(view).items():
            if rendered.data is None:
                self.files.pop(path, None)
                continue
            if rendered.data != self.files.get(path):
                self.derived.append(path)
            self.files[path] = rendered.data
        path = self.layout.base + "log.md"
        if self.system == "mem-skill" and (path in self.files or not self.same):
            self.files[path] = self._log(self.files.get(path))

    def _log(self, present: bytes | None) -> bytes:
        """`log.md`: what is there, and the operations since the workspace was adopted; from the beginning
        where there is none.
        """
        events: list[Event] = []
        known = False
        for event in log(self.workspace, self.commit, cache=self.workspace.cache):
            if not event.commit:
                continue  # a line of the file itself, whatever date and verb it has
            known = present is not None and event.op in ("adopt", "init")
            if known:
                break
            events.append(event)
        lines = list(as_markdown(reversed(events), self.source)) if known or present is None else []
        if present is not None:
            text = present.decode("utf-8", "surrogateescape")
            added = "".join(f"{line}\n" for line in lines)
            gap = "\n" if added and text and not text.endswith("\n") else ""
            return (text + gap + added).encode("utf-8", "surrogateescape")
        head = [
            "# mem-skill Activity Log",
            "",
            'One line an operation; `grep "^## \\[" log.md` lists them.',
            "",
            *lines,
            "",
        ]
        return "\n".join(head).encode("utf-8", "surrogateescape")

    def answer(self, folder: str, notes: tuple[str, ...]) -> Exported:
        return Exported(
            folder,
            self.system,
            self.commit,
            self.records,
            self.copied,
            self.stripped,
            self.relinked,
            dict(sorted(self.converted.items())),
            dict(sorted(self.without.items())),
            self.others,
            tuple(sorted(self.derived)),
            tuple(sorted(self.lost)),
            (*notes, *self._unfollowed),
        )

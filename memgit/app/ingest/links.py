"""Links of what was ingested: to a file taken in the same run, a link to its record; out of the knowledge root, the
words alone.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Sequence

from memgit.app.write.linking.follow import After
from memgit.app.write.session import Session
from memgit.errors import MemgitError
from memgit.formats import links, markdown
from memgit.formats.follow import Following, Key, holder, key_of, reached, relative
from memgit.formats.markdown import has_tags
from memgit.formats.text import decode, encode, has_bom
from memgit.ingest.proposal import UNCHANGED, Item
from memgit.model import link as model
from memgit.model.record import Record

Placed = tuple[str, int, Item]
"""A record that was written, by path and number, and the item that it was written for."""
MAX_TOLD = 5


def follow_links(session: Session, written: Sequence[Placed], items: Sequence[Item]) -> None:
    """Has links of what was written lead to records where they led to files that were taken, and takes links out of the
    knowledge root off their words; notes on the overlay what it took off.
    """
    some = [one for one in written if "[" in one[2].body or has_tags(one[2].body)]
    if not some:
        return
    sources = _Sources(session, written, items)
    overlay = session.overlay
    following = Following(
        sources, After(session), sources.moved, {}, lambda _: None, lambda _: True, only=True
    )
    taken_off: list[str] = []
    for path in dict.fromkeys(path for path, _, _ in some):
        group = {ordinal: item for where, ordinal, item in some if where == path}
        try:
            data = following.rewritten(
                overlay.data(path) or b"", path, overlay.parsed(path).records, among=group.keys()
            )
            data, told = _without_outside(session, data, path, group)
        except MemgitError:
            continue
        taken_off += told
        if data != overlay.data(path):
            overlay.put(path, data)
    if taken_off:
        more = len(taken_off) - MAX_TOLD
        overlay.notes += tuple(taken_off[:MAX_TOLD])
        overlay.notes += (f"and {more} more links lead outside",) if more > 0 else ()


def _without_outside(
    session: Session, data: bytes, path: str, group: dict[int, Item]
) -> tuple[bytes, list[str]]:
    """A file without the links of some records that lead out of the knowledge root, and words about each; links that
    were in a record before it was extended stay.
    """
    text, records = decode(data), session.overlay.parsed(path).records
    ours = {ordinal: _targets(item.body) for ordinal, item in group.items()}
    inside: dict[links.Link, tuple[str, str | None]] = {}
    outside = []
    names = After(session)
    for link in links.find(text):
        within = holder(records, link)
        if within is None or link.target not in ours.get(within.ordinal, ()):
            continue
        if link.kind != "file":
            if _is_lost(session, names, link, path, group[within.ordinal]):
                outside.append((link, group[within.ordinal], link.target))
            continue
        whole = reached(path, link.target)
        if whole is not None and whole.startswith("../"):
            again = _from_root(session.workspace.root, whole)
            if again is not None:
                inside[link] = relative(path, again), link.heading
            else:
                outside.append((link, group[within.ordinal], whole))
    new, left = links.changed(text, inside, [link for link, _, _ in outside])
    told = [
        f"{item.path}: the link to {whole} "
        + ("leaves" if link.kind == "file" else "is unresolved in")
        + " the knowledge root, "
        + ("and stays as it is" if link in left else "so its words alone are kept")
        for link, item, whole in outside
    ]
    return (encode(new, has_bom(data)) if new != text else data), told


def _from_root(root: str | None, path: str) -> str | None:
    """A path that leaves the knowledge root and comes back into it, from there; None for one that stays outside."""
    if root is None:
        return None
    found = os.path.relpath(os.path.normpath(os.path.join(root, path)), root)
    return None if found == ".." or found.startswith("../") else found


def _targets(body: str) -> set[str]:
    return {link.target for link in links.find(body) if not link.field}


def _is_lost(session: Session, names: After, link: links.Link, path: str, item: Item) -> bool:
    """Whether a wikilink of a text from outside the knowledge root leads to nothing; in a vault, and in notes, it may
    wait for a page that is not written yet.
    """
    if (
        not item.path.startswith("../")
        or session.workspace.layout.name in ("vault", "notes")
        or not link.target
    ):
        return False
    wanted = model.Wikilink(link.target, link.heading)
    return not model.resolved(names, wanted, path)


class _Sources:
    """The names that files which were taken answer to, where no record does.

    A file is a note, and each heading in it an entry, so that a link to a heading leads to the record that has it.

    Attributes:
        moved: the record that each became.
    """

    def __init__(self, session: Session, written: Sequence[Placed], items: Sequence[Item]) -> None:
        self._before = After(session)
        self._files: dict[str, Record] = {}
        self._headings: dict[str, dict[str, Record]] = {}
        self.moved: dict[Key, Record] = {}
        for path, ordinal, item in written:
            self._add(item, session.again(path, ordinal))
        for item in items:
            if item.action == UNCHANGED and item.into:
                try:
                    self._add(item, session.reader.find(item.into))
                except MemgitError:
                    continue

    def _add(self, item: Item, record: Record) -> None:
        path = posixpath.normpath(item.path)
        if "://" in item.path or path == "-":
            return
        file = self._files.setdefault(path, Record("note", f"note/{path}", path, path, 1, 1, 0, {}, ""))
        self.moved.setdefault(key_of(file), record)
        known = self._headings.setdefault(path, {})
        inner = (heading.title for heading in markdown.headings(item.body))
        for title in (item.title, item.title.rpartition(": ")[2], *inner):
            entry = Record("knowledge", f"knowledge/{path}#{title}", path, title, 1, 1, 0, {}, "")
            if known.setdefault(model.normal(title).casefold(), entry) is entry:
                self.moved[key_of(entry)] = record

    def full(self, name: str) -> Sequence[Record]:
        return self._before.full(name)

    def called(self, name: str) -> Sequence[Record]:
        return self._before.called(name)

    def in_files(self, name: str, heading: str | None) -> Sequence[Record]:
        found = self._before.in_files(name, heading)
        if found or self._before.in_files(name, None):
            return found
        whole = self._files.get(f"{name}.md") or self._files.get(name)
        if (
            whole is not None and heading is None
        ):  # a Markdown link: by its fragment one of the headings is meant
            return [whole, *self._headings[whole.path].values()]
        return [
            file if heading is None else self._headings[path].get(model.normal(heading).casefold(), file)
            for path, file in self._files.items()
            if f"/{path.removesuffix('.md')}".endswith(f"/{name}")
        ]

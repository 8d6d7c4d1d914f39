"""Links follow their records: after records got other names or places, every link to one of them leads to it still.

A link that still resolves to its record is left as it is. Any other gets the shortest target that a Markdown
editor follows; heading, block, label and the kind of link stay.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence

from memgit.app.write.write import Session
from memgit.cache.lookup import NamesOf
from memgit.errors import UnreadableFile
from memgit.formats import links
from memgit.formats.links import Link
from memgit.formats.text import decode, encode, has_bom
from memgit.model import link as model
from memgit.model.kinds import FIELDS, KINDS, NAMING
from memgit.model.link import Lookup, Names, Wikilink, resolved
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Record, Value


class Key(NamedTuple):
    """What a link leads to: the path of a file, and the title of an entry in it."""

    path: str
    title: str | None = None


def key_of(record: Record) -> Key:
    """The key of a record."""
    entry = KINDS[record.kind].stored == "entry"
    return Key(record.path, model.normal(record.title) if entry else None)


class After:
    """The names of all records as the edits leave them."""

    def __init__(self, session: Session) -> None:
        self._before = NamesOf(session.reader.snapshot)
        self._edits = frozenset(session.board.edits)  # those of links change no name
        self._written = Names(session.board.written())

    def full(self, name: str) -> list[Record]:
        return [*self._kept(self._before.full(name)), *self._written.full(name)]

    def in_files(self, name: str, heading: str | None) -> list[Record]:
        return [*self._kept(self._before.in_files(name, heading)), *self._written.in_files(name, heading)]

    def called(self, name: str) -> list[Record]:
        return [*self._kept(self._before.called(name)), *self._written.called(name)]

    def _kept(self, found: Sequence[Record]) -> Iterator[Record]:
        return (record for record in found if record.path not in self._edits)


def follow(session: Session, moved: Mapping[Key, Record], old: Sequence[Record]) -> list[Record]:
    """Rewrites the links that no longer lead where they led; the records whose links changed, as they are then.

    Args:
        moved: what each record that got another name or place, or was merged into another, is now.
        old: these records as they were.
    """
    return Follower(session, moved).run(names_of([*old, *moved.values()]))


def linking_records(session: Session, record: Record) -> list[Record]:
    """The records that hold a link which leads to a record, in the order of paths and lines; not the record itself."""
    lookup, wanted = NamesOf(session.reader.snapshot), key_of(record)
    out: list[Record] = []
    for path in session.reader.paths_holding(names_of([record])):
        data = session.board.data(path)
        records = session.board.parsed(path).records
        found = links.find(decode(data)) if data is not None and records else ()
        holders = {
            holder.ordinal
            for one in found
            if (holder := _holder(records, one)) is not None and _target(lookup, one, path) == wanted
        }
        for other in records:
            fields = (Wikilink(*model.parse(item)[:2]) for name in NAMING for item in other.items(name))
            if other.ordinal in holders or any(_key(resolved(lookup, one, path)) == wanted for one in fields):
                out.append(other)
    return [other for other in out if key_of(other) != wanted]


def names_of(records: Sequence[Record]) -> list[str]:
    """Texts of which one is in every link to one of some records."""
    names: set[str] = set()
    for record in records:
        stem = record.path.rpartition("/")[2].removesuffix(".md")
        names |= {record.address, *links.spelled(stem), *model.own_names(record)}
        if KINDS[record.kind].stored == "entry":
            names |= {record.title, links.anchor(record.title)}
        if record.id:
            names.add(record.id)
    return sorted(names - {""})


def _holder(records: Sequence[Record], link: Link) -> Record | None:
    """The record that a link is in."""
    if len(records) == 1 and KINDS[records[0].kind].stored == "document":
        return records[0]
    return next((record for record in records if record.line <= link.line <= record.end_line), None)


def _key(found: Sequence[Record]) -> Key | None:
    return key_of(found[0]) if len(found) == 1 else None


def _target(lookup: Lookup, link: Link, path: str) -> Key | None:
    """What a link in a file leads to; None where it is unresolved or ambiguous, or leads to its own document."""
    if link.kind != "file":
        found = resolved(lookup, Wikilink(link.target, link.heading), path)
        return _key(found) if link.target or (found and key_of(found[0]).title is not None) else None
    whole = reached(path, link.target) if link.target else path
    if whole is None:
        return None
    for record in lookup.in_files(whole.removesuffix(".md"), None) if whole.endswith(".md") else ():
        key = key_of(record)
        if key.path == whole and key.title and (link.heading or "").lower() == links.anchor(record.title):
            return key
    return Key(whole) if link.target else None


class Follower:
    """What rewrites links once the edits are made; see `follow`.

    Args:
        only: leave links to records that did not move alone, even where these can no longer be named so.
    """

    def __init__(self, session: Session, moved: Mapping[Key, Record], *, only: bool = False) -> None:
        self._session = session
        self._only = only
        self._names: set[str] | None = None
        self._moved = moved
        self._before: Lookup = NamesOf(session.reader.snapshot)
        self._after: Lookup = After(session)
        # Where a record came from; one that was merged into another is there still.
        self._came = {key_of(new): key.path for key, new in moved.items() if self._record(key) is None}

    def run(self, names: Sequence[str], among: Collection[str] | None = None) -> list[Record]:
        """Rewrites links in the files (`among` some, where given) that hold one of some names or were edited."""
        board = self._session.board
        self._names = set(map(model.normal, names))
        paths = {path for path in self._session.reader.paths_holding(names) if board.data(path) is not None}
        paths |= {path for path, data in board.edits.items() if data is not None}
        changed: list[Record] = []
        for path in sorted(paths if among is None else paths.intersection(among)):
            if board.layout.find(path) is None:
                continue
            before = board.parsed(path).records
            try:
                self._fields(path, before)
                self._text(path, before)
            except UnreadableFile:
                continue
            after = board.parsed(path).records
            changed += [
                now
                for was, now in zip(before, after, strict=False)
                if (was.body, was.fields) != (now.body, now.fields)
            ]
        return changed

    def _text(self, path: str, records: Sequence[Record]) -> None:
        """The links of one file that are in its text or its frontmatter."""
        data = self._session.board.data(path) or b""
        new = self.rewritten(data, path, records)
        if new != data:
            self._session.board.put(path, new)

    def rewritten(self, data: bytes, path: str, records: Sequence[Record], came: str | None = None) -> bytes:
        """A file with its links as they must be at a path.

        Args:
            came: where the file was before, where `records` do not tell.
        """
        text = decode(data)
        edits: dict[Link, tuple[str, str | None]] = {}
        for link in links.find(text):
            holder = _holder(records, link)
            origin = came or (self._came.get(key_of(holder), path) if holder is not None else path)
            new = self._retargeted(link, origin, path)
            if new is not None and new != (link.target, link.heading):
                edits[link] = new
        return encode(links.retarget(text, edits), has_bom(data)) if edits else data

    def _concerns(self, link: Link) -> bool:
        """Whether a link has a name that a record got or gave up: any other leads where it led."""
        if self._names is None:
            return True
        target = model.normal(link.target)
        heading = model.normal(link.heading or "")
        return bool(
            {target, target.removesuffix(".md").rpartition("/")[2], heading, heading.lower()} & self._names
        )

    def _retargeted(self, link: Link, origin: str, path: str) -> tuple[str, str | None] | None:
        """What a link of a file that was at `origin` has to say now; None where it stays as it is."""
        was = _target(self._before, link, origin) if origin != path or self._concerns(link) else None
        if was is None:
            return None
        new = self._moved.get(was)
        if new is None and self._only:
            return None
        want = was if new is None else key_of(new)
        if link.kind == "file":
            return self._as_file(link, origin, path, was, want)
        if _target(self._after, link, path) == want and not self._lost_file(link):
            return None
        record = new or self._record(want)
        spelled = None if record is None else self._as_wikilink(link, path, record)
        if spelled is None:
            self._unfollowed(path, link, want)
        return spelled

    def _lost_file(self, link: Link) -> bool:
        """Whether a link named a file and now leads there by a title alone, which an editor does not follow."""
        name, heading = model.normal(link.target).removesuffix(".md"), link.heading
        if not self._before.in_files(name, heading) or self._after.in_files(name, heading):
            return False
        return bool(self._after.called(name))

    def _as_file(
        self, link: Link, origin: str, path: str, was: Key, want: Key
    ) -> tuple[str, str | None] | None:
        if want == was and link.target:
            there = want.path.startswith("../") or self._is_there(want.path)
            if not there or posixpath.dirname(origin) == posixpath.dirname(path):
                return None
        heading = link.heading if want.title is None or want == was else links.anchor(self._moved[was].title)
        if not link.target and want.path == path:
            return "", heading
        return relative(path, want.path) + "/" * link.target.endswith("/"), heading

    def _is_there(self, path: str) -> bool:
        """Whether a link led to anything: a file or a folder of the commit."""
        return self._session.board.tree.get(path) is not None

    def _record(self, key: Key) -> Record | None:
        found = [one for one in self._session.board.parsed(key.path).records if key_of(one) == key]
        return found[0] if len(found) == 1 else None

    def _as_wikilink(self, link: Link, path: str, record: Record) -> tuple[str, str | None] | None:
        """The shortest target that leads from a file to a record."""
        entry = KINDS[record.kind].stored == "entry"
        ending = ".md" if link.target.endswith(".md") and not entry else ""
        if entry and not link.target and record.path == path:
            return "", record.title
        for text in _spellings(record, is_address=link.kind == "name" and "/" in link.target):
            target, hash_, title = text.partition("#") if entry else (text + ending, "", "")
            heading = title if hash_ else None if entry else link.heading
            found = resolved(self._after, Wikilink(target, heading), path)
            crowd = (
                self._after.in_files(model.normal(target), None) if not entry and "/" not in target else ()
            )
            if _key(found) == key_of(record) and len({one.path for one in crowd}) < 2:
                return target, heading
        return None

    def _unfollowed(self, path: str, link: Link, want: Key) -> None:
        name = want.path if want.title is None else f"{want.path}#{want.title}"
        self._session.board.notes += (f"{path}:{link.line}: no link can name {name}: write it by hand",)

    def _fields(self, path: str, records: Sequence[Record]) -> None:
        """Names of records in fields whose form has no links: those that are not found in the text."""
        seen = {
            (link.target, link.heading) for link in links.find(decode(self._session.board.data(path) or b""))
        }
        for record in records:
            origin = self._came.get(key_of(record), path)
            changes: dict[str, Value] = {}
            for name in NAMING:
                items = tuple(
                    item if tuple(model.parse(item)[:2]) in seen else self._item(item, origin, path)
                    for item in record.items(name)
                )
                if items != record.items(name):
                    changes[name] = items if FIELDS[name].many else items[0]
            if changes:
                form = self._session.form_of(record)
                data = form.edit(self._session.bytes_of(record), record.ordinal, changes)
                self._session.board.put(path, data)

    def _item(self, item: str, origin: str, path: str) -> str:
        named = model.parse(item)
        one = Link("name", 0, named.target, named.heading, 0, 0, 0)
        new = self._retargeted(one, origin, path) if named.target else None
        if new is None:
            return item
        return str(Wikilink(*new, named.label))[2:-2]


def _spellings(record: Record, *, is_address: bool) -> Iterator[str]:
    if is_address:
        yield record.address
    yield from model.spellings(record)


def relocated(text: str, origin: str, path: str) -> str:
    """Markdown that came from one file, with its relative links as they must be in another."""
    if posixpath.dirname(origin) == posixpath.dirname(path):
        return text
    edits = {}
    for link in links.find(text):
        whole = reached(origin, link.target) if link.kind == "file" and link.target else None
        if whole is not None:
            edits[link] = relative(path, whole) + "/" * link.target.endswith("/"), link.heading
    return links.retarget(text, edits)


def reached(path: str, target: str) -> str | None:
    """The path that a relative link in a file leads to, from the knowledge root; it begins with `../` where it
    leaves that.
    """
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if target else None


def relative(path: str, target: str) -> str:
    """The relative link from one file to another path; both are relative to the knowledge root."""
    deep = "/-" * (target.count("../") + 1) + "/"  # folders above the root, whatever their names are
    return posixpath.relpath(deep + target, posixpath.dirname(deep + path))

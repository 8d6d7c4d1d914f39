"""Links that follow what they lead to, when records get other names or places.

A link that still resolves to its record is left as it is. Any other gets the shortest target that a Markdown
editor follows; heading, block, label and the kind of link stay.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from memgit.formats import links
from memgit.formats.codecs import form_named
from memgit.formats.links import Link
from memgit.formats.text import decode, encode, has_bom
from memgit.model import link as model
from memgit.model.kinds import FIELDS, KINDS, NAMING
from memgit.model.link import Lookup, Wikilink, resolved
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


def key(found: Sequence[Record]) -> Key | None:
    """The key of the record that was found; None where it is not exactly one."""
    return key_of(found[0]) if len(found) == 1 else None


def holder(records: Sequence[Record], link: Link) -> Record | None:
    """The record of a file that a link is in."""
    if len(records) == 1 and KINDS[records[0].kind].stored == "document":
        return records[0]
    return next((record for record in records if record.line <= link.line <= record.end_line), None)


def target(lookup: Lookup, link: Link, path: str) -> Key | None:
    """What a link in a file leads to; None where it is unresolved or ambiguous, or leads to its own document."""
    if link.kind != "file":
        found = resolved(lookup, Wikilink(link.target, link.heading), path)
        return key(found) if link.target or (found and key_of(found[0]).title is not None) else None
    whole = reached(path, link.target) if link.target else path
    if whole is None:
        return None
    for record in lookup.in_files(whole.removesuffix(".md"), None) if whole.endswith(".md") else ():
        own = key_of(record)
        if own.path == whole and own.title and (link.heading or "").lower() == links.anchor(record.title):
            return own
    return Key(whole) if link.target else None


class Following:
    """What says where links lead once records have moved.

    Attributes:
        unfollowed: the links that nothing can name what they led to: path, line, and what that is.

    Args:
        before: the names that records answered to.
        after: those that they answer to now.
        moved: what each record that got another name or place, or was merged into another, is now.
        came: where the records that came from another file were, by what they are now.
        record: the one record of a key as it is now, None where there is none.
        is_there: whether a file or folder, by its path of before, still lies there.
        only: leave links to records that did not move alone, even where these can no longer be named so.
    """

    def __init__(
        self,
        before: Lookup,
        after: Lookup,
        moved: Mapping[Key, Record],
        came: Mapping[Key, str],
        record: Callable[[Key], Record | None],
        is_there: Callable[[str], bool],
        *,
        only: bool = False,
    ) -> None:
        self._before, self._after, self._moved, self._came = before, after, moved, came
        self._record, self._is_there, self._only = record, is_there, only
        self._names: set[str] | None = None
        self.unfollowed: list[tuple[str, int, Key]] = []

    def concern(self, names: Sequence[str]) -> None:
        """Looks only at links with one of some names; all others lead where they led."""
        self._names = set(map(model.normal, names))

    def rewritten(
        self,
        data: bytes,
        path: str,
        records: Sequence[Record],
        came: str | None = None,
        among: Collection[int] | None = None,
    ) -> bytes:
        """A file with its links as they must be at a path.

        Args:
            records: those of the file as it is now.
            came: where the file was before, where `records` do not tell.
            among: the numbers of the records whose links are looked at; all where None.

        Raises:
            UnreadableFile: it is not text.
        """
        text = decode(data)
        edits: dict[Link, tuple[str, str | None]] = {}
        for link in links.find(text):
            within = holder(records, link)
            if among is not None and (within is None or within.ordinal not in among):
                continue
            origin = came or (self._came.get(key_of(within), path) if within is not None else path)
            new = self._retargeted(link, origin, path)
            if new is not None and new != (link.target, link.heading):
                edits[link] = new
        return encode(links.retarget(text, edits), has_bom(data)) if edits else data

    def with_fields(self, data: bytes, path: str, form: str, records: Sequence[Record]) -> bytes:
        """A file with the names of records in fields whose form has no links, those that `rewritten` does not see.

        Raises:
            UnreadableFile: it is not text.
        """
        seen = {(link.target, link.heading) for link in links.find(decode(data))}
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
                data = form_named(form).edit(data, record.ordinal, changes)
        return data

    def _item(self, item: str, origin: str, path: str) -> str:
        named = model.parse(item)
        one = Link("name", 0, named.target, named.heading, 0, 0, 0)
        new = self._retargeted(one, origin, path) if named.target else None
        if new is None:
            return item
        return str(Wikilink(*new, named.label))[2:-2]

    def _concerns(self, link: Link) -> bool:
        """Whether a link has a name that a record got or gave up: any other leads where it led."""
        if self._names is None:
            return True
        name = model.normal(link.target)
        heading = model.normal(link.heading or "")
        return bool(
            {name, name.removesuffix(".md").rpartition("/")[2], heading, heading.lower()} & self._names
        )

    def _retargeted(self, link: Link, origin: str, path: str) -> tuple[str, str | None] | None:
        """What a link of a file that was at `origin` has to say now; None where it stays as it is."""
        was = target(self._before, link, origin) if origin != path or self._concerns(link) else None
        if was is None:
            return None
        new = self._moved.get(was)
        if new is None and self._only:
            return None
        want = was if new is None else key_of(new)
        if link.kind == "file":
            return self._as_file(link, origin, path, was, want)
        if target(self._after, link, path) == want and not self._lost_file(link):
            return None
        record = new or self._record(want)
        spelled = None if record is None else self._as_wikilink(link, path, was, record)
        if spelled is None:
            self.unfollowed.append((path, link.line, want))
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
        heading = link.heading
        if want != was and (was.title is not None or want.title is not None):
            heading = None if want.title is None else links.anchor(self._moved[was].title)
        if not link.target and want.path == path:
            return "", heading
        return relative(path, want.path) + "/" * link.target.endswith("/"), heading

    def _as_wikilink(self, link: Link, path: str, was: Key, record: Record) -> tuple[str, str | None] | None:
        """The shortest target that leads from a file to a record."""
        entry = KINDS[record.kind].stored == "entry"
        ending = ".md" if link.target.endswith(".md") and not entry else ""
        if entry and not link.target and record.path == path:
            return "", record.title
        kept = None if entry or was.title is not None else link.heading
        for text in _spellings(record, is_address=link.kind == "name" and "/" in link.target):
            name, hash_, title = text.partition("#") if entry else (text + ending, "", "")
            heading = title if hash_ else kept
            found = resolved(self._after, Wikilink(name, heading), path)
            crowd = self._after.in_files(model.normal(name), None) if not entry and "/" not in name else ()
            if key(found) == key_of(record) and len({one.path for one in crowd}) < 2:
                return name, heading
        return None


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


def reached(path: str, name: str) -> str | None:
    """The path that a relative link in a file leads to, from the knowledge root; it begins with `../` where it
    leaves that.
    """
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), name)) if name else None


def relative(path: str, name: str) -> str:
    """The relative link from one file to another path; both are relative to the knowledge root."""
    deep = "/-" * (name.count("../") + 1) + "/"  # folders above the root, whatever their names are
    return posixpath.relpath(deep + name, posixpath.dirname(deep + path))

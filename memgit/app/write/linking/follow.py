"""Links follow their records in one operation: `formats.follow` over the files of a session."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from memgit.app.write.session import Session
from memgit.cache.lookup import NamesOf
from memgit.errors import UnreadableFile
from memgit.formats import links
from memgit.formats.follow import Following, Key, holder, key, key_of, target
from memgit.formats.text import decode
from memgit.model import link as model
from memgit.model.kinds import KINDS, NAMING
from memgit.model.link import Names, Wikilink, resolved
from memgit.model.record import Record


class After:
    """The names of all records as the edits leave them."""

    def __init__(self, session: Session) -> None:
        self._before = NamesOf(session.reader.snapshot)
        self._edits = frozenset(session.overlay.edits)  # those of links change no name
        self._written = Names(session.overlay.written())

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
        data = session.overlay.data(path)
        records = session.overlay.parsed(path).records
        found = links.find(decode(data)) if data is not None and records else ()
        holders = {
            within.ordinal
            for one in found
            if (within := holder(records, one)) is not None and target(lookup, one, path) == wanted
        }
        for other in records:
            fields = (Wikilink(*model.parse(item)[:2]) for name in NAMING for item in other.items(name))
            if other.ordinal in holders or any(key(resolved(lookup, one, path)) == wanted for one in fields):
                out.append(other)
    return [other for other in out if key_of(other) != wanted]


def names_of(records: Sequence[Record]) -> list[str]:
    """Texts of which one is in every link to one of some records."""
    names: set[str] = set()
    for record in records:
        stem = record.stem
        names |= {record.address, *links.spelled(stem), *model.own_names(record)}
        if KINDS[record.kind].stored == "entry":
            names |= {record.title, links.anchor(record.title)}
        if record.id:
            names.add(record.id)
    return sorted(names - {""})


class Follower:
    """What rewrites links once the edits are made; see `follow`.

    Args:
        only: leave links to records that did not move alone, even where these can no longer be named so.
    """

    def __init__(self, session: Session, moved: Mapping[Key, Record], *, only: bool = False) -> None:
        self._session = session
        # Where a record came from; one that was merged into another is there still.
        came = {key_of(new): old.path for old, new in moved.items() if self._record(old) is None}
        self._following = Following(
            NamesOf(session.reader.snapshot),
            After(session),
            moved,
            came,
            self._record,
            lambda path: session.overlay.tree.get(path) is not None,
            only=only,
        )
        self.rewritten = self._following.rewritten

    def run(self, names: Sequence[str], among: Collection[str] | None = None) -> list[Record]:
        """Rewrites links in the files (`among` some, where given) that hold one of some names or were edited."""
        overlay = self._session.overlay
        self._following.concern(names)
        paths = {path for path in self._session.reader.paths_holding(names) if overlay.data(path) is not None}
        paths |= {path for path, data in overlay.edits.items() if data is not None}
        changed: list[Record] = []
        for path in sorted(paths if among is None else paths.intersection(among)):
            found = overlay.layout.find(path)
            if found is None:
                continue
            before = overlay.parsed(path).records
            try:
                self._put(
                    path, self._following.with_fields(overlay.data(path) or b"", path, found[0].form, before)
                )
                self._put(path, self.rewritten(overlay.data(path) or b"", path, before))
            except UnreadableFile:
                continue
            after = overlay.parsed(path).records
            changed += [
                now
                for was, now in zip(before, after, strict=False)
                if (was.body, was.fields) != (now.body, now.fields)
            ]
        for path, line, want in self._following.unfollowed:
            name = want.path if want.title is None else f"{want.path}#{want.title}"
            overlay.notes += (f"{path}:{line}: no link can name {name}: write it by hand",)
        return changed

    def _put(self, path: str, data: bytes) -> None:
        if data != self._session.overlay.data(path):
            self._session.overlay.put(path, data)

    def _record(self, wanted: Key) -> Record | None:
        found = [one for one in self._session.overlay.parsed(wanted.path).records if key_of(one) == wanted]
        return found[0] if len(found) == 1 else None

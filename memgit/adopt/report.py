"""What a reader finds in a workspace: the values of the report, and its JSON."""

from __future__ import annotations

from typing import Any, NamedTuple


class Count(NamedTuple):
    """So many records of a kind in a folder of the knowledge root."""

    kind: str
    folder: str
    records: int
    files: int


class Field(NamedTuple):
    """What a key or label became: its canonical field, None where it is kept under its own name; how many
    records have it.
    """

    kind: str
    key: str
    field: str | None
    records: int


class Located(NamedTuple):
    """Something about one file: what, in words, and its line, 0 where none is meant."""

    path: str
    line: int
    message: str


class Left(NamedTuple):
    """Files that are no records, and why; `paths` names the first of them."""

    why: str
    files: int
    paths: tuple[str, ...]


class Disagreement(NamedTuple):
    """An index says one thing, the files another.

    `what` is the key concerned, `about` the category or record, `listed` what the index has, `said` what the
    files have, `believed` one of `files`, `index`, `larger`, `newest`.
    """

    path: str
    what: str
    about: str
    listed: str | None
    said: str | None
    believed: str

    def __str__(self) -> str:
        about = f" of {self.about}" if self.about else ""
        return (
            f"{self.path}: {self.what}{about}: {_shown(self.listed)} there, {_shown(self.said)} in the "
            f"files; {_BELIEVED[self.believed]}"
        )


_BELIEVED = {
    "files": "the files count",
    "index": "the index keeps it",
    "larger": "the larger counts",
    "newest": "the newest counts",
}


def _shown(text: str | None) -> str:
    return "nothing" if text is None else text if len(text) <= 60 else text[:59] + "…"


class Doubled(NamedTuple):
    """One key that lies in several files: the one with the newest date counts, the others are named, none is
    deleted.
    """

    key: str
    path: str
    updated: str | None
    others: tuple[tuple[str, str | None], ...]


class OldLog(NamedTuple):
    """A log of the time before memgit: so many operations in it, and lines that are none."""

    path: str
    events: int
    first: str | None
    last: str | None


class Report(NamedTuple):
    """The whole report.

    Attributes:
        counts: records by kind and folder; notes by the first folder of their path.
        variants: how records are written, such as the order of labels, with how many do.
        bare: headings without field and text, which no index counts.
        tombstoned: paths of records that were taken out of use by a tombstone; they are archived.
        unreadable: what cannot be read; the files keep their bytes and every other file still works.
        remarks: what is odd about records that can be read.
    """

    counts: tuple[Count, ...]
    variants: tuple[tuple[str, int], ...]
    fields: tuple[Field, ...]
    left: tuple[Left, ...]
    unreadable: tuple[Located, ...]
    remarks: tuple[Located, ...]
    bare: tuple[Located, ...]
    tombstoned: tuple[str, ...]
    doubled: tuple[Doubled, ...]
    disagreements: tuple[Disagreement, ...]
    old_logs: tuple[OldLog, ...]

    @property
    def records(self) -> int:
        return sum(count.records for count in self.counts)

    @property
    def by_kind(self) -> dict[str, int]:
        out: dict[str, int] = {}
        for count in self.counts:
            out[count.kind] = out.get(count.kind, 0) + count.records
        return {kind: number for kind, number in out.items() if number}

    def as_json(self) -> dict[str, Any]:
        return {
            "records": self.records,
            "kinds": self.by_kind,
            "counts": [count._asdict() for count in self.counts],
            "variants": [{"variant": name, "records": number} for name, number in self.variants],
            "fields": [field._asdict() for field in self.fields],
            "left": [{**left._asdict(), "paths": list(left.paths)} for left in self.left],
            "unreadable": [place._asdict() for place in self.unreadable],
            "remarks": [place._asdict() for place in self.remarks],
            "bare": [place._asdict() for place in self.bare],
            "tombstoned": list(self.tombstoned),
            "doubled": [
                {
                    **one._asdict(),
                    "others": [{"path": path, "updated": updated} for path, updated in one.others],
                }
                for one in self.doubled
            ],
            "disagreements": [one._asdict() for one in self.disagreements],
            "old_logs": [log._asdict() for log in self.old_logs],
        }

"""Reading how often records were used, over all clones that this one knows of, and as the index of a vault
counts it.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.workspace import Workspace
from memgit.derive.view import view_of
from memgit.errors import UnreadableFile
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgit.app.read.reader import Reader

USAGE_REFS = "refs/memgit/usage/"


class Tally(NamedTuple):
    """Uses of one record (of a skill: of one version), and the day (YYYY-MM-DD) of the last one."""

    uses: int = 0
    last_used: str | None = None


def uses(reader: Reader, record: Record) -> int:
    """How often a record was used beside what its file counts, those that were merged into it included; of a
    skill, its present version.
    """
    return counter(reader)(record)


def counter(reader: Reader, known: Mapping[str, Tally] | None = None) -> Callable[[Record], int]:
    """`uses` for many records: the counts are read once. Where nothing was ever counted, the cache is not
    even opened.

    `known` is what `listed` gives, where that was asked already.
    """
    count, known = tally(reader.workspace), listed(reader) if known is None else known
    return lambda record: (
        max(0, count(record).uses - record.mirrored_count)
        + max(0, known.get(record.path, Tally()).uses - record.usage_count)
    )


def with_uses(reader: Reader, record: Record) -> Record:
    """A record for a person to read: of a skill, and where its file or the index of a vault has a counter, a
    field is all of its uses.

    For others nothing is counted: that would take longer than all the rest.
    """
    known = listed(reader)
    if record.kind != "skill" and "usage_count" not in record.fields and record.path not in known:
        return record
    total = record.usage_count + counter(reader, known)(record)
    return record._replace(fields={**record.fields, "usage_count": str(total)}) if total else record


def listed(reader: Reader) -> Mapping[str, Tally]:
    """What the index of a vault says of uses, by path: counters that its files need not have.

    The larger of both counters is believed.
    """
    layout = reader.workspace.layout
    if not any(place.form == "vault" for place in layout.places):
        return {}
    from memgit.derive import vault

    path = vault.index_path(layout)
    try:
        data = reader.files.data(path)
    except UnreadableFile:
        return {}  # what it counts is beside the point of whoever reads a record; `rebuild` tells of it
    return (
        {}
        if data is None
        else {place: Tally(*found) for place, found in vault.counted(view_of(layout, {path: data})).items()}
    )


def tally(workspace: Workspace) -> Callable[[Record], Tally]:
    """As `counter`, with the day of the last use."""
    if workspace.repo is None or not workspace.repo.refs(USAGE_REFS):
        return lambda _: Tally()
    from memgit.app.write.tombstones import Merged
    from memgit.cache.usage import load

    usage = load(workspace.repo, workspace.cache)
    merged = Merged(workspace)

    def count(record: Record) -> Tally:
        found = [
            usage.of(one.id, one.address, one.version if one.kind == "skill" else None)
            for one in (record, *merged.into(record))
        ]
        return Tally(
            sum(one.uses for one in found),
            max((one.last_used for one in found if one.last_used), default=None),
        )

    return count

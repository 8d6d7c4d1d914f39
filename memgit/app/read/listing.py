"""Listing records by kind, group, topic, task, status and date."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.read.reader import Reader
from memgit.cache.rows import under
from memgit.derive.dates import day
from memgit.errors import BadInput
from memgit.model.record import Record
from memgit.model.when import DAY, moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

SORTS = ("address", "title", "kind", "status", "created", "updated", "uses")
"""What a list may be sorted by: days and uses from the newest and the most, texts from A to Z."""


def list_records(
    reader: Reader,
    *,
    kind: str | None = None,
    group: str | None = None,
    topic: str | None = None,
    keyword: str | None = None,
    status: str | None = None,
    related_task: str | None = None,
    since: str | int | None = None,
    archived: bool = False,
    only_archived: bool = False,
) -> Iterator[Record]:
    """Records that fit every filter, in the order of their paths and lines; observations by time.

    Records may lack their text; `Reader.load` gives it. `group` is a category, skill id, scope or folder:
    what stands between the kind and the record's own name in its address. `since` is a day or an instant, as
    `when.moment` gives it, of the last change. `archived` counts archived records
    in, `only_archived` leaves all others out.
    """
    found: list[Record] = []
    for record in reader.heads(kind, group, archived=archived or only_archived, topic=topic):
        if (record.archived and not archived and not only_archived) or (
            only_archived and not record.archived
        ):
            continue
        if group is not None and not in_group(record, group):
            continue
        if topic is not None and not any(under(found, topic) for found in record.topics):
            continue
        if keyword is not None and keyword.casefold() not in {word.casefold() for word in record.keywords}:
            continue
        if related_task is not None and record.text("related_task") != related_task:
            continue
        if since is not None and not _is_since(record, since):
            continue
        if status is not None and (record.text("status") or "").casefold() != status.casefold():
            continue
        if kind == "observation":
            found.append(record)
        else:
            yield record
    yield from sorted(found, key=lambda record: (record.text("at") or "", record.path))


def stamp_of(record: Record) -> str:
    """When a record was last changed, or observed, as it says itself; empty where it does not."""
    return record.text("at") or record.updated or ""


def date_of(record: Record) -> str:
    """The day of that; empty where it names no real one."""
    return day(stamp_of(record)) or ""


def _is_since(record: Record, bound: str | int) -> bool:
    """Whether a record was changed at a time or later; one that names a day alone, on its day or later."""
    date = date_of(record)
    if isinstance(bound, str) or not date:
        return bool(date) and date >= str(bound)
    stamp = stamp_of(record).strip()
    if len(stamp) == len(date):
        return int(moment(f"{date}T00:00", 0, first=True)) + DAY > bound
    try:
        return int(moment(stamp, 0, first=True)) >= bound
    except BadInput:
        return int(moment(f"{date}T00:00", 0, first=True)) + DAY > bound


def sorted_records(
    found: Iterable[Record], key: str, uses: Callable[[Record], int], *, reverse: bool = False
) -> list[Record]:
    """Records in the order of one of `SORTS`; those without such a value last, unless `reverse` turns all."""
    if key == "uses":
        return sorted(found, key=lambda one: (-uses(one) - one.usage_count, one.address), reverse=reverse)
    if key in ("created", "updated"):
        of = date_of if key == "updated" else lambda one: day(one.created or one.text("at")) or ""
        newest = sorted(sorted(found, key=lambda one: one.address), key=of, reverse=True)
        return newest[::-1] if reverse else newest

    def text(one: Record) -> tuple[bool, str, str]:
        value = one.kind if key == "kind" else one.title if key == "title" else one.text("status")
        value = "" if key == "address" else (value or "").casefold()
        return key == "status" and not value, value, one.address

    return sorted(found, key=text, reverse=reverse)


def group_of(record: Record) -> str:
    """The group in a record's address:

    `frontend-dev` of `knowledge/frontend-dev#Title`, `team/api` of `memory/team/api/slug`.
    """
    rest = record.address.partition("/")[2]
    return rest.partition("#")[0] if record.kind in ("knowledge", "experience") else rest.rpartition("/")[0]


def in_group(record: Record, group: str) -> bool:
    """Whether a record belongs to a group or to one under it."""
    return under(group_of(record), group.strip("/"))

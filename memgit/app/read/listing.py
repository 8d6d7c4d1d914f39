"""Listing records by kind, category, scope, skill or topic."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.read.reader import Reader
from memgit.model.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator


def list_records(
    reader: Reader,
    *,
    kind: str | None = None,
    group: str | None = None,
    topic: str | None = None,
    keyword: str | None = None,
    status: str | None = None,
    archived: bool = False,
    only_archived: bool = False,
) -> Iterator[Record]:
    """Records that fit every filter, in the order of their paths and lines; observations by time.

    Records may lack their text; `Reader.load` gives it. `group` is a category, skill id, scope or folder:
    what stands between the kind and the record's own name in its address. `archived` counts archived records
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
        if topic is not None and not any(_under(found, topic) for found in record.topics):
            continue
        if keyword is not None and keyword.casefold() not in {word.casefold() for word in record.keywords}:
            continue
        if status is not None and (record.text("status") or "").casefold() != status.casefold():
            continue
        if kind == "observation":
            found.append(record)
        else:
            yield record
    yield from sorted(found, key=lambda record: (record.text("at") or "", record.path))


def group_of(record: Record) -> str:
    """The group in a record's address:

    `frontend-dev` of `knowledge/frontend-dev#Title`, `team/api` of `memory/team/api/slug`.
    """
    rest = record.address.partition("/")[2]
    return rest.partition("#")[0] if record.kind in ("knowledge", "experience") else rest.rpartition("/")[0]


def in_group(record: Record, group: str) -> bool:
    """Whether a record belongs to a group or to one under it."""
    return _under(group_of(record), group.strip("/"))


def _under(name: str, group: str) -> bool:
    name, group = name.casefold(), group.casefold()
    return name == group or name.startswith(group + "/")

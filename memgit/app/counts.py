"""Reading how often records were used, over all clones that this one knows of."""

from __future__ import annotations

from collections.abc import Callable

from memgit.app.workspace import Workspace
from memgit.model.record import Record
from memgit.model.tuples import NamedTuple

USAGE_REFS = "refs/memgit/usage/"


class Tally(NamedTuple):
    """Uses of one record (of a skill: of one version), and the day (YYYY-MM-DD) of the last one."""

    uses: int = 0
    last_used: str | None = None


def uses(workspace: Workspace, record: Record) -> int:
    """How often a record was used, those that were merged into it included; of a skill, its present version."""
    return counter(workspace)(record)


def counter(workspace: Workspace) -> Callable[[Record], int]:
    """`uses` for many records: the counts are read once. Where nothing was ever counted, the cache is not even opened."""
    count = tally(workspace)
    return lambda record: count(record).uses


def tally(workspace: Workspace) -> Callable[[Record], Tally]:
    """As `counter`, with the day of the last use."""
    if workspace.repo is None or not workspace.repo.refs(USAGE_REFS):
        return lambda _: Tally()
    from memgit.app.merged import Merged
    from memgit.cache.usage import load

    usage = load(workspace.repo, workspace.cache)
    merged = Merged(workspace)

    def count(record: Record) -> Tally:
        found = [usage.of(one.id, one.address, one.version if one.kind == "skill" else None) for one in (record, *merged.into(record))]
        return Tally(sum(one.uses for one in found), max((one.last_used for one in found if one.last_used), default=None))

    return count

"""Reading how often records were used, over all clones that this one knows of."""

from __future__ import annotations

from collections.abc import Callable

from memgit.app.workspace import Workspace
from memgit.model.record import Record

USAGE_REFS = "refs/memgit/usage/"


def uses(workspace: Workspace, record: Record) -> int:
    """How often a record was used; of a skill, its present version."""
    return counter(workspace)(record)


def counter(workspace: Workspace) -> Callable[[Record], int]:
    """`uses` for many records: the counts are read once. Where nothing was ever counted, the cache is not even opened."""
    if workspace.repo is None or not workspace.repo.refs(USAGE_REFS):
        return lambda _: 0
    from memgit.cache.usage import load

    usage = load(workspace.repo, workspace.cache)
    return lambda record: usage.of(record.id, record.address, record.version if record.kind == "skill" else None).uses

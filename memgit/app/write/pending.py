"""What `--stage` did and no commit has taken yet: who did it, in which run, why, and from what.

A file in the git directory of the working tree names it by the blobs that were staged; what is no longer staged
so, or is committed, is forgotten. The commit that takes these blobs, whoever makes it, carries what is noted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress

from memgit.errors import Refused
from memgit.git.commit import lock
from memgit.git.objects.tree import Tree
from memgit.git.repository import Repository
from memgit.model.namedtuple import NamedTuple
from memgit.model.operation import RecordChange

NAME = "memgit/staged.json"


class Pending(NamedTuple):
    """One staged operation. `blobs` are its record files by path from the knowledge root: the blob staged, None
    for a file that it removes.
    """

    blobs: Mapping[str, str | None]
    op: str
    changes: tuple[RecordChange, ...]
    actor: str | None = None
    run: str | None = None
    reason: str | None = None
    source: str | None = None
    derived_from: tuple[str, ...] = ()


def note(repo: Repository, new: Pending, head: Tree, before: Tree, staged: Mapping[str, str | None]) -> None:
    """Adds a staged operation to those that no commit has taken.

    Args:
        head: the tree of the newest commit; what it holds is committed, and forgotten.
        before: the tree of what was staged before this operation; what neither it nor the index holds is
            forgotten too.
        staged: what is staged now; an earlier operation on a file of the new one goes on with its new blob.
    """
    kept = []
    for one in load(repo):
        blobs = {
            path: new.blobs.get(path, blob)
            for path, blob in one.blobs.items()
            if path in staged and blob != head.file(path) and blob in (before.file(path), staged[path])
        }
        if blobs:
            kept.append(one._replace(blobs=blobs))
    _save(repo, [*kept, new])


def _save(repo: Repository, known: list[Pending]) -> None:
    path = os.path.join(repo.git_dir, NAME)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(f"{path}.{os.getpid()}", "w", encoding="utf-8", errors="surrogateescape") as file:
        json.dump(known, file)
    os.replace(f"{path}.{os.getpid()}", path)


def load(repo: Repository) -> list[Pending]:
    """The staged operations, the oldest first; none where the file cannot be read."""
    found: list[Pending] = []
    with suppress(OSError, ValueError, TypeError, AttributeError, RecursionError):
        path = os.path.join(repo.git_dir, NAME)
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            for blobs, op, changes, actor, run, reason, source, origins in json.load(file):
                named = tuple(RecordChange(*change) for change in changes)
                found.append(Pending(dict(blobs), str(op), named, actor, run, reason, source, tuple(origins)))
    return found


def _is_open(one: Pending, head: Tree) -> bool:
    """Whether a staged operation has a file that the newest commit does not hold so."""
    return any(head.file(path) != blob for path, blob in one.blobs.items())


def taken(repo: Repository, head: Tree, staged: Mapping[str, str | None]) -> Pending | None:
    """What a commit of some staged blobs carries: the operations of which a file is among them, as one; None
    where there is none. What the tree of the newest commit holds already is forgotten.
    """
    known = load(repo)
    left = [one for one in known if _is_open(one, head)]
    if len(left) < len(known):
        with suppress(OSError, Refused), lock.hold(repo, 0):  # a writer forgets the same
            _save(repo, [one for one in load(repo) if _is_open(one, head)])
    some = [
        one
        for one in left
        if any(path in staged and staged[path] == blob for path, blob in one.blobs.items())
    ]
    if not some:
        return None

    def joined(name: str, by: str) -> str | None:
        return by.join(dict.fromkeys(value for one in some if (value := getattr(one, name)))) or None

    changes = {change.address: change for one in some for change in one.changes}
    ops = {one.op for one in some}
    return Pending(
        {path: blob for one in some for path, blob in one.blobs.items()},
        ops.pop() if len(ops) == 1 else "",
        tuple(changes.values()),
        joined("actor", ", "),
        joined("run", ", "),
        joined("reason", "\n\n"),
        joined("source", ", "),
        tuple(dict.fromkeys(origin for one in some for origin in one.derived_from)),
    )

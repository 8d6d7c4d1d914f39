"""Objects that a partial clone left out, fetched all in one go: git itself would ask its server for each one
by one.
"""

from __future__ import annotations

from collections.abc import Iterable

from memgit.errors import Refused
from memgit.git import process
from memgit.git.repository import Repository


def obtain(repo: Repository, oids: Iterable[str]) -> None:
    """Fetches those of some objects that are missing here, as git does for its own commands.

    Args:
        oids: full hashes; those that are here cost a look.

    Raises:
        Refused: the server cannot be reached, or does not have them.
    """
    if not repo.partial():
        return
    held = repo.raw.odb
    missing = [oid for oid in dict.fromkeys(oids) if not held.exists(oid)]
    if not missing:
        return
    # What the server has beyond these objects is not asked for: no negotiation, no tags, no FETCH_HEAD,
    # nothing that they lead to.
    args = [
        "-c",
        "fetch.negotiationAlgorithm=noop",
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-write-fetch-head",
        "--no-auto-maintenance",
        "--recurse-submodules=no",
        "--filter=blob:none",
        "--stdin",
        (remote := _remote(repo)),
    ]
    done = process.attempt(
        args, repo=repo, data="".join(f"{oid}\n" for oid in missing).encode(), timeout=None, write=True
    )
    if done.code:
        raise Refused(
            f"this partial clone left out {len(missing):,} of the files that are asked for, and "
            f"{remote} did not give them:"
            f" {process.words(done.err)[0]}",
            hint=f"see that git fetch {remote} works here, or clone without --filter",
        )


def _remote(repo: Repository) -> str:
    """The remote that promised the objects."""
    named = repo.config.get("extensions.partialclone")
    if named:
        return named
    promisors = (
        key.split(".", 1)[1].rpartition(".")[0]
        for key in repo.config
        if key.startswith("remote.") and key.endswith(".promisor")
    )
    return next(promisors, "origin")

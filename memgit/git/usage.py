"""The usage refs: one ref a clone, a chain of empty commits whose trailers say what was used or read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git import process
from memgit.model.ids import is_id, new_id

if TYPE_CHECKING:
    from memgit.git.repository import Repository

PREFIX = "refs/memgit/usage/"
"""Where the refs lie. One is written by one clone alone: another takes it over as it is, but never its own."""
CLONE_ID = "clone-id"


def clone_id(repo: Repository) -> str:
    """The id of this clone, made at the first use; linked worktrees share it.

    Raises:
        Refused: the git directory cannot be written.
    """
    path = os.path.join(repo.common_dir, "memgit", CLONE_ID)
    for _ in range(2):
        try:
            with open(path, encoding="ascii", errors="replace") as file:
                found = file.read().strip()
            if is_id(found):
                return found
        except FileNotFoundError:
            pass
        _make(path, new_id(os.urandom))
    raise Refused(f"{path} is no clone id", hint="remove the file; the next use makes a new one")


def own_ref(repo: Repository) -> str | None:
    """The ref that this clone appends to; None before its first use."""
    try:
        with open(os.path.join(repo.common_dir, "memgit", CLONE_ID), encoding="ascii", errors="replace") as file:
            found = file.read().strip()
    except OSError:
        return None
    return PREFIX + found if is_id(found) else None


def _make(path: str, text: str) -> None:
    """Writes the file unless another process was first."""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        spare = f"{path}.{os.getpid()}"
        with open(spare, "w", encoding="ascii") as file:
            file.write(text + "\n")
        try:
            os.link(spare, path)
        except FileExistsError:
            pass
        finally:
            os.unlink(spare)
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from error


def append(repo: Repository, message: str) -> str:
    """Appends an empty commit to this clone's ref; its hash. `message` ends in its trailer block.

    The clone's id joins the block: without it, two clones that count the same use in the same second would make one and the same commit.

    Raises:
        Refused: the ref cannot be written.
    """
    from memgit.git import refs

    clone = clone_id(repo)
    text = f"{message.rstrip()}\nMemgit-Clone: {clone}\n"
    made = refs.commit_on(repo, PREFIX + clone, lambda _, __: ({}, text))
    if made is None:
        raise Refused("nothing was counted")
    return made


def tips(repo: Repository) -> dict[str, str]:
    """The usage refs that this clone has, with their commits."""
    return repo.refs(PREFIX)


def commits(repo: Repository, wanted: Sequence[str], known: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Author date and message of every commit that `wanted` has and `known` has not; one git process."""
    lines = [*wanted, *(f"^{commit}" for commit in known)]
    out = process.run(
        ["log", "--stdin", "--format=tformat:%aI%n%B%x00", "--encoding=UTF-8"],
        repo=repo,
        data="".join(f"{line}\n" for line in lines).encode(),
    )
    for part in out.split(b"\0"):
        date, _, text = part.lstrip(b"\n").partition(b"\n")
        if date:
            yield date.decode("ascii", "replace"), text.decode("utf-8", "replace")

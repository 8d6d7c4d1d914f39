"""Putting another tree into the commit that was just made, while nobody else can have it yet."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.git.commit import identity, refs, sign
from memgit.git.commit.identity import Identity
from memgit.git.objects import libgit

if TYPE_CHECKING:
    from memgit.git.repository import Head, Repository


def with_tree(repo: Repository, head: Head, tree: str) -> bool:
    """Replaces the newest commit by the same one with another tree: its parents, author, committer and message
    stay, and it is signed where commits are.

    Args:
        head: where HEAD is at; it has a commit.

    Returns:
        Whether it was replaced; false where HEAD has moved on.

    Raises:
        Refused: the commit cannot be signed, or the branch is held by another program.
    """
    assert head.commit is not None
    fields, _, message = repo.read(head.commit)[1].partition(b"\n\n")
    lines = fields.decode("utf-8", "surrogateescape").split("\n")
    if sign.wanted(repo):
        said = {key: value for key, _, value in (line.partition(" ") for line in lines)}
        who = _identity(said["author"]), _identity(said["committer"])
        new = sign.commit_tree(repo, tree, repo.parents_of(head.commit), *who, message)
    else:
        kept = [line for line in _unsigned(lines) if not line.startswith("tree ")]
        text = "\n".join([f"tree {tree}", *kept, "", ""])
        new = repo.write(libgit.COMMIT, text.encode("utf-8", "surrogateescape") + message)
    try:
        refs.move(repo, head, new, "memgit: derived files of the merge", identity.committer(repo))
    except refs.Moved:
        return False
    return True


def _identity(text: str) -> Identity:
    who, seconds, zone = text.rsplit(" ", 2)
    name, _, email = who.rpartition(" <")
    return Identity(name, email.rstrip(">"), int(seconds), zone)


def _unsigned(lines: list[str]) -> list[str]:
    """The header of a commit without its signature, which another tree makes untrue."""
    out: list[str] = []
    signature = False
    for line in lines:
        signature = line.startswith("gpgsig") or (signature and line.startswith(" "))
        if not signature:
            out.append(line)
    return out

"""What is staged: the index in use against a commit, from one `git diff-index`.

A temporary index (`GIT_INDEX_FILE`) counts.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.git.objects.tree import EMPTY_TREE, Entry
from memgit.git.process import Running

if TYPE_CHECKING:
    from memgit.git.process import Running
    from memgit.git.repository import Repository

_GONE = "0" * 6


def begin(repo: Repository, commit: str | None) -> Running:
    """Has git look at the index beside us."""
    return Running(_arguments(repo, commit), repo)


def _arguments(repo: Repository, commit: str | None) -> list[str]:
    args = [
        "diff-index",
        "--cached",
        "--ita-invisible-in-index",
        "--raw",
        "-z",
        "--no-renames",
        "--no-abbrev",
        commit or EMPTY_TREE,
    ]
    return [*args, "--", repo.prefix] if repo.prefix else args


def staged(repo: Repository, commit: str | None, begun: Running | None = None) -> dict[str, Entry | None]:
    """The paths of the knowledge root that are staged differently from a commit: what the index holds, None
    where the path is gone.

    Paths that are in conflict are left out: they cannot be committed as they are; and those of `git add
    --intent-to-add`: git commits none of them.

    Args:
        begun: what `begin` gave for the same commit and knowledge root.
    """
    fields = iter((repo.git(*_arguments(repo, commit)) if begun is None else begun.output()).split(b"\0"))
    out: dict[str, Entry | None] = {}
    skip = len(repo.prefix)
    for head in fields:
        if not head.startswith(b":"):
            break
        path = next(fields).decode("utf-8", "surrogateescape")[skip:]
        _, mode, _, oid, status = head.decode("ascii").split(" ")
        if status[0] != "U":
            out[path] = None if mode == _GONE else Entry(int(mode, 8), oid)
    return out

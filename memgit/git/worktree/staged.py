"""What is staged: the index in use against a commit, from one `git diff-index`.

A temporary index (`GIT_INDEX_FILE`) counts.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.git.objects.tree import EMPTY_TREE, Entry

if TYPE_CHECKING:
    from memgit.git.repository import Repository

_GONE = "0" * 6


def staged(repo: Repository, commit: str | None) -> dict[str, Entry | None]:
    """The paths of the knowledge root that are staged differently from a commit: what the index holds, None
    where the path is gone.

    Paths that are in conflict are left out: they cannot be committed as they are; and those of `git add
    --intent-to-add`: git commits none of them.
    """
    args = [
        "diff-index",
        "--cached",
        "--ita-invisible-in-index",
        "--raw",
        "-z",
        "--no-renames",
        "--no-abbrev",
    ]
    args += [commit or EMPTY_TREE, *(["--", repo.prefix] if repo.prefix else [])]
    fields = iter(repo.git(*args).split(b"\0"))
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

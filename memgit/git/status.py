"""What differs between HEAD and the working tree, from one `git status`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memgit.git import process

if TYPE_CHECKING:
    from memgit.git.repository import Repository


class Dirty(NamedTuple):
    """A path from the knowledge root, and how it differs.

    `kind` is modified, added (in the index, not in HEAD), deleted, typechange (a symlink or submodule on one side), untracked or unmerged.
    """

    path: str
    kind: str


def dirty(repo: Repository) -> list[Dirty]:
    """Paths of the knowledge root that differ between HEAD and the working tree, staged or not, sorted; ignored files are left out.

    A path that was staged and then put back in the working tree counts, by how it is staged. Renames count as deleted and added.
    Nothing in a bare repository.
    """
    if repo.worktree is None:
        return []
    args = ["status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all"]
    if repo.prefix:
        args += ["--", repo.prefix]
    skip = len(repo.prefix)
    found = [
        Dirty(row.path[skip:], row.kind)
        for row in parse(process.run(args, repo=repo))
        if row.path.startswith(repo.prefix) and len(row.path) > skip
    ]
    return sorted(found)


def parse(listing: bytes) -> list[Dirty]:
    """The rows of `git status --porcelain=v2 -z` (`git-status(1)`, "Porcelain Format Version 2")."""
    out: list[Dirty] = []
    rows = iter(listing.split(b"\0"))
    for row in rows:
        tag = row[:2]
        if tag == b"1 ":
            out.append(Dirty(_text(row.split(b" ", 8)[8]), _kind(row[2:3], row[3:4])))
        elif tag == b"2 ":
            fields = row.split(b" ", 9)
            out.append(Dirty(_text(fields[9]), "added"))
            out.append(Dirty(_text(next(rows)), "deleted"))
        elif tag == b"u ":
            out.append(Dirty(_text(row.split(b" ", 10)[10]), "unmerged"))
        elif tag == b"? ":
            path = _text(row[2:])
            if not path.endswith("/"):  # a repository inside this one
                out.append(Dirty(path, "untracked"))
    return _once(out)


def _once(rows: list[Dirty]) -> list[Dirty]:
    """One row a path: after `git rm --cached`, git lists a file as deleted and as untracked, and it is there."""
    by_path: dict[str, Dirty] = {}
    for row in rows:
        held = by_path.get(row.path)
        by_path[row.path] = row if held is None else Dirty(row.path, "modified")
    return list(by_path.values())


def _kind(index: bytes, files: bytes) -> str:
    if files == b"D":
        return "deleted"
    if b"T" in (index, files):
        return "typechange"
    if index == b"A" or files == b"A":
        return "added"
    return "deleted" if index == b"D" else "modified"


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")

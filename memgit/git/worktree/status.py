"""What differs between HEAD and the working tree, from one `git status`."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.git import process
from memgit.git.objects.tree import EMPTY_TREE
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memgit.git.repository import Repository


class Dirty(NamedTuple):
    """A path from the knowledge root, and how it differs.

    `kind` is modified, added (in the index, not in HEAD), deleted, typechange (a symlink or submodule on one
    side), untracked or unmerged.
    """

    path: str
    kind: str


def dirty(repo: Repository, folders: Sequence[str] = ("",)) -> list[Dirty]:
    """Paths of the knowledge root that differ between HEAD and the working tree, staged or not, sorted;
    ignored files are left out.

    A path that was staged and then put back in the working tree counts, by how it is staged. Renames count as
    deleted and added. Nothing in a bare repository.

    Args:
        folders: only what is below these; each is empty or ends in a slash.
    """
    if repo.worktree is None:
        return []
    args = ["status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames"]
    args += ["--ignore-submodules=all", *_pathspecs(repo, folders)]
    return _below(repo, parse(process.run(args, repo=repo)))


def edited(repo: Repository, commit: str | None, folders: Sequence[str]) -> list[Dirty]:
    """As `dirty`, of the Markdown files below some folders, against a commit that HEAD may have moved on
    from.

    Some that do not differ may be among them, where HEAD has moved.
    """
    found = dirty(repo, folders)
    if repo.worktree is not None and repo.head().commit != commit:
        found = sorted(_once([*found, *_below(repo, _against(repo, commit, folders))]))
    return [row for row in found if row.path.endswith(".md") and row.path.startswith(tuple(folders))]


def _pathspecs(repo: Repository, folders: Sequence[str]) -> list[str]:
    paths = [repo.prefix + folder for folder in folders]
    return [] if "" in paths else ["--", *paths]


def _below(repo: Repository, rows: Iterable[Dirty]) -> list[Dirty]:
    """The rows below the knowledge root, sorted, with paths from there."""
    skip = len(repo.prefix)
    return sorted(
        row._replace(path=row.path[skip:])
        for row in rows
        if row.path.startswith(repo.prefix) and len(row.path) > skip
    )


_LETTERS = {b"A": "added", b"D": "deleted", b"T": "typechange", b"U": "unmerged"}


def _against(repo: Repository, commit: str | None, folders: Sequence[str]) -> list[Dirty]:
    """The tracked files that differ between a commit (None: the empty tree) and the working tree."""
    args = ["diff-index", "--name-status", "-z", "--no-renames", "--ignore-submodules=all"]
    args += [commit or EMPTY_TREE, *_pathspecs(repo, folders)]
    words = iter(process.run(args, repo=repo).split(b"\0"))
    return [
        Dirty(_text(path), _LETTERS.get(letter, "modified"))
        for letter, path in zip(words, words, strict=False)
    ]


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

"""What differs between HEAD and the working tree, from one `git status`, or from a smaller one and a look at the folders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memgit.git import early, process
from memgit.git.untracked import Unsure, Walk
from memgit.model.tuples import NamedTuple

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


MOST_ASKED = 200
"""Untracked names up to which git is asked for each."""
LOOKS = 3
"""How often to look again where the index was written meanwhile."""


def dirty_records(repo: Repository, commit: str | None, roots: Sequence[str], suffix: str = ".md") -> list[Dirty]:
    """As `dirty`, of files with a suffix below some folders, in far less time: files are looked at by git, folders as `git.untracked` does.

    A path that git does not have and that is staged as removed counts as deleted, although a file may lie there.

    Args:
        commit: of HEAD, as the caller knows it; what differs from it is told, also where HEAD moved meanwhile.
        roots: paths from the knowledge root, each empty or ending in a slash, none inside another.
    """
    if repo.worktree is None:
        return []
    if commit is None:
        return _listed(repo, roots, suffix)
    prefixes = tuple(repo.prefix + root for root in roots)
    begun = early.taken((repo.git_dir, repo.worktree, repo.prefix))
    rows: list[Dirty] | None = None
    for _ in range(LOOKS):
        before = early.stamp(repo.index_file) if begun is None else begun.index
        try:
            rows = _rows(repo, commit, roots, suffix, prefixes, begun)
        finally:
            if begun is not None:
                begun.stop()
        if rows is None:
            return _listed(repo, roots, suffix)
        # Files of the index and files beside it are asked for one after the other: one that was staged in between would be in neither.
        if early.stamp(repo.index_file) == before:
            break
        begun = None
    skip = len(repo.prefix)
    found = [row for row in _once(rows or []) if row.path.endswith(suffix) and row.path.startswith(prefixes)]
    return sorted(Dirty(row.path[skip:], row.kind) for row in found)


def _listed(repo: Repository, roots: Sequence[str], suffix: str) -> list[Dirty]:
    """As `dirty_records`, by one `git status` of everything."""
    return [row for row in dirty(repo) if row.path.endswith(suffix) and row.path.startswith(tuple(roots))]


def _rows(
    repo: Repository, commit: str, roots: Sequence[str], suffix: str, prefixes: tuple[str, ...], begun: early.Early | None
) -> list[Dirty] | None:
    """One look: paths from the top of the working tree, each perhaps twice. None where git must list everything."""
    wanted = () if "" in prefixes else prefixes
    running = None if begun is not None else process.Running(early.tracked(wanted), repo)
    try:
        names = Walk(repo, commit, roots, suffix).extra()
    except Unsure:
        return None
    if len(names) > MOST_ASKED:
        return None
    asked = None
    if names:
        listing = ["ls-files", "--others", "--exclude-standard", "-z", "--full-name", "--", *(repo.prefix + name for name in names)]
        asked = process.Running(listing, repo)
    told = begun.output() if begun is not None else None
    if told is None:
        told = (running or process.Running(early.tracked(wanted), repo)).output()
    rows = parse(told) if _compared_with(told) == commit else _against(repo, commit, wanted)
    if asked is not None:
        rows += [Dirty(path, "untracked") for path in map(_text, asked.output().split(b"\0")) if path and not path.endswith("/")]
    return rows


_LETTERS = {b"A": "added", b"D": "deleted", b"T": "typechange", b"U": "unmerged"}


def _against(repo: Repository, commit: str, prefixes: tuple[str, ...]) -> list[Dirty]:
    """The tracked files that differ from a commit which is not the newest any more; some that do not differ may be among them."""
    args = ["diff-index", "--name-status", "-z", "--no-renames", "--ignore-submodules=all", commit, "--", *prefixes]
    words = iter(process.run(args, repo=repo).split(b"\0"))
    return _once([Dirty(_text(path), _LETTERS.get(letter, "modified")) for letter, path in zip(words, words, strict=False)])


def _compared_with(listing: bytes) -> str:
    """The commit that a `git status --branch` names."""
    row = next((row for row in listing.split(b"\0", 4) if row.startswith(b"# branch.oid ")), b"")
    return row[13:].decode("ascii", "replace")


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

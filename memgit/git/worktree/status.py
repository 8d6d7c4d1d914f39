"""What differs between HEAD and the working tree, from one `git status`, or from a smaller one and a look at
the folders.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.git import process
from memgit.git.objects.tree import EMPTY_TREE
from memgit.git.worktree.index import Signature, signature_at
from memgit.git.worktree.untracked import Unsure, Walk
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgit.git.repository import Repository


class Dirty(NamedTuple):
    """A path from the knowledge root, and how it differs.

    `kind` is modified, added (in the index, not in HEAD), deleted, typechange (a symlink or submodule on one
    side), untracked or unmerged.
    """

    path: str
    kind: str


def dirty(repo: Repository) -> list[Dirty]:
    """Paths of the knowledge root that differ between HEAD and the working tree, staged or not, sorted;
    ignored files are left out.

    A path that was staged and then put back in the working tree counts, by how it is staged. Renames count as
    deleted and added. Nothing in a bare repository.
    """
    if repo.worktree is None:
        return []
    args = [
        "status",
        "--porcelain=v2",
        "-z",
        "--untracked-files=all",
        "--no-renames",
        "--ignore-submodules=all",
    ]
    if repo.prefix:
        args += ["--", repo.prefix]
    skip = len(repo.prefix)
    found = [
        Dirty(row.path[skip:], row.kind)
        for row in parse(process.run(args, repo=repo))
        if row.path.startswith(repo.prefix) and len(row.path) > skip
    ]
    return sorted(found)


MAX_ASKED_NAMES = 200
"""Untracked names up to which git is asked for each."""
MAX_LOOKS = 3
"""How often to look again where the index was written meanwhile."""


class Look:
    """A look at the files with a suffix below some folders. It is begun when it is made, so git works beside
    us until `rows` is asked for.

    Args:
        repo: at its knowledge root.
        commit: of HEAD, as the caller knows it; what differs from it is told, also where HEAD moved
            meanwhile.
        roots: paths from the knowledge root, each empty or ending in a slash, none inside another.
    """

    def __init__(
        self, repo: Repository, commit: str | None, roots: Sequence[str], suffix: str = ".md"
    ) -> None:
        self._repo, self._commit, self._roots, self._suffix = repo, commit, roots, suffix
        self._prefixes = tuple(repo.prefix + root for root in roots)
        self._wanted = () if "" in self._prefixes else self._prefixes
        self._running: process.Running | None = None
        self._asked: process.Running | None = None
        self._before: Signature | None = None
        self._sure = False
        if repo.worktree is not None and commit is not None:
            self._begin(commit)

    def rows(self) -> list[Dirty]:
        """As `dirty`, in far less time: files are looked at by git, folders as `git.untracked` does. To be
        asked for once.

        A path that git does not have and that is staged as removed counts as deleted, although a file may lie
        there.
        """
        if self._repo.worktree is None:
            return []
        if self._commit is None:
            return self._listed()
        rows: list[Dirty] = []
        for looks in range(1, MAX_LOOKS + 1):
            if not self._sure:
                return self._listed()
            rows = self._told(self._commit)
            # Files of the index and files beside it are asked for one after the other: one that was staged in
            # between would be in neither.
            if looks == MAX_LOOKS or signature_at(self._repo.index_file) == self._before:
                break
            self._begin(self._commit)
        skip = len(self._repo.prefix)
        found = [
            row
            for row in _once(rows)
            if row.path.endswith(self._suffix) and row.path.startswith(self._prefixes)
        ]
        return sorted(Dirty(row.path[skip:], row.kind) for row in found)

    def _listed(self) -> list[Dirty]:
        """The same by one `git status` of everything."""
        repo = self._repo
        found = dirty(repo)
        if repo.head().commit != self._commit:
            skip = len(repo.prefix)
            differing = _against(repo, self._commit, (repo.prefix,) if repo.prefix else ())
            found = sorted(
                _once(
                    [
                        *found,
                        *(
                            row._replace(path=row.path[skip:])
                            for row in differing
                            if row.path.startswith(repo.prefix)
                        ),
                    ]
                )
            )
        return [
            row
            for row in found
            if row.path.endswith(self._suffix) and row.path.startswith(tuple(self._roots))
        ]

    def _begin(self, commit: str) -> None:
        """Starts git, looks at the folders, and asks git for the names that no commit has."""
        repo = self._repo
        self._before = signature_at(repo.index_file)
        self._running = process.Running(_tracked(self._wanted), repo)
        self._asked = None
        try:
            names = Walk(repo, commit, self._roots, self._suffix).extra()
        except Unsure:
            self._sure = False
            return
        self._sure = len(names) <= MAX_ASKED_NAMES
        if names and self._sure:
            listing = [
                "ls-files",
                "--others",
                "--exclude-standard",
                "-z",
                "--full-name",
                "--",
                *(repo.prefix + name for name in names),
            ]
            self._asked = process.Running(listing, repo)

    def _told(self, commit: str) -> list[Dirty]:
        """What git says: paths from the top of the working tree, each perhaps twice."""
        told = (self._running or process.Running(_tracked(self._wanted), self._repo)).output()
        # git looks up HEAD before and after it looks at the files: the commit that it names need not be the
        # one that it compared with.
        stayed = _compared_with(told) == commit == self._repo.head().commit
        rows = parse(told) if stayed else _against(self._repo, commit, self._wanted)
        if self._asked is not None:
            rows += [
                Dirty(path, "untracked")
                for path in map(_text, self._asked.output().split(b"\0"))
                if path and not path.endswith("/")
            ]
        return rows


def _tracked(prefixes: tuple[str, ...]) -> list[str]:
    """The arguments of a `git status` of tracked files, which names the commit that it compares with.

    Args:
        prefixes: paths in the working tree, none for all of it.
    """
    args = ["status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--untracked-files=no"]
    args += ["--no-renames", "--ignore-submodules=all"]
    return [*args, "--", *prefixes] if prefixes else args


_LETTERS = {b"A": "added", b"D": "deleted", b"T": "typechange", b"U": "unmerged"}


def _against(repo: Repository, commit: str | None, prefixes: tuple[str, ...]) -> list[Dirty]:
    """The tracked files that differ from a commit which is not the newest any more (None: from the empty
    tree).

    Some that do not differ may be among them.
    """
    args = [
        "diff-index",
        "--name-status",
        "-z",
        "--no-renames",
        "--ignore-submodules=all",
        commit or EMPTY_TREE,
        "--",
        *prefixes,
    ]
    words = iter(process.run(args, repo=repo).split(b"\0"))
    return _once(
        [
            Dirty(_text(path), _LETTERS.get(letter, "modified"))
            for letter, path in zip(words, words, strict=False)
        ]
    )


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

"""The usage refs: one ref a clone, a chain of empty commits whose trailers say what was used or read."""

from __future__ import annotations

import os

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git import process
from memgit.git.commit import refs
from memgit.git.objects import libgit
from memgit.git.permissions import shared
from memgit.git.write_all import replace_file
from memgit.model.ids import is_id, new_id
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgit.git.repository import Repository

PREFIX = "refs/memgit/usage/"
"""Where the refs lie.

One is written by one clone alone; where two did all the same, `join` makes one of both.
"""
CLONE_ID = "clone-id"
"""The file under the git directory that says which clone this is: an id and the git directory that it belongs
to on each line.

A copy of the whole folder brings the file along, but is another directory: it takes an id of its own and
leaves the ref that came with it as it is. So does a clone that was moved to another file system; its former
uses stay counted where they are.
"""
MAX_CLONE_IDS = 32
"""Ids of one clone. A file system that tells another inode at every look would have it count on a new ref
each time; from here on, the last id stays."""
JOINED = "merge: uses counted apart under one id\n\nMemgit-Op: merge\n"
"""The message of a commit that joins what two clones counted on one ref; it counts nothing itself."""


def clone_id(repo: Repository) -> str:
    """The id of this clone, made at the first use; linked worktrees share it.

    Raises:
        Refused: the git directory cannot be written.
    """
    lines = _lines(repo)
    known = _own(repo, lines)
    if known is None:
        # A file of an earlier version names no directory: its id becomes that of this one.
        known = lines[-1][0] if lines and not any(directory for _, directory in lines) else None
        known = _noted(repo, known or new_id(os.urandom))
    return known


def own_ref(repo: Repository) -> str | None:
    """The ref that this clone appends to; None before its first use."""
    known = _own(repo, _lines(repo))
    return None if known is None else PREFIX + known


def renew(repo: Repository) -> None:
    """Gives this clone another id, since somebody else counts by the present one too; not where it has had
    very many.

    Raises:
        Refused: the git directory cannot be written.
    """
    here, lines = _directory(repo), _lines(repo)
    if len(lines) >= MAX_CLONE_IDS:
        return
    others = [line for line in lines if here not in ("", line[1])]
    text = "".join(f"{' '.join(line).rstrip()}\n" for line in [*others, (new_id(os.urandom), here)])
    path = _path(repo)
    try:
        with shared(repo.settings):
            replace_file(path, text.encode("ascii"))
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from error


def _path(repo: Repository) -> str:
    return os.path.join(repo.common_dir, "memgit", CLONE_ID)


def _directory(repo: Repository) -> str:
    """What tells the git directory from any copy of it: device and inode.

    Empty where the file system knows no inodes.
    """
    try:
        found = os.stat(repo.common_dir)
    except OSError:
        return ""
    return f"{found.st_dev}:{found.st_ino}" if found.st_ino else ""


def _lines(repo: Repository) -> list[tuple[str, str]]:
    """Ids with the directories they were given to, as noted; a line that is neither whole nor ours is passed
    over.
    """
    try:
        with open(_path(repo), encoding="ascii", errors="replace") as file:
            found = [line.split() for line in file]
    except OSError:
        return []
    return [
        (parts[0], parts[1] if len(parts) == 2 else "")
        for parts in found
        if 0 < len(parts) < 3 and is_id(parts[0])
    ]


def _own(repo: Repository, lines: Sequence[tuple[str, str]]) -> str | None:
    """The id of this very directory: the first that was noted for it, which all processes agree on."""
    here = _directory(repo)
    mine = [known for known, directory in lines if here in ("", directory)]
    if not mine and len(lines) >= MAX_CLONE_IDS:
        mine = [lines[-1][0]]
    return mine[0] if mine else None


def _noted(repo: Repository, clone: str) -> str:
    """Notes an id for this directory and returns it, or that of another process which was first."""
    path = _path(repo)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with shared(repo.settings), open(path, "a+b") as file:
            file.seek(0)
            whole = (file.read() or b"\n").endswith(b"\n")
            file.write(
                (b"" if whole else b"\n") + f"{clone} {_directory(repo)}".rstrip().encode("ascii") + b"\n"
            )
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from error
    return _own(repo, _lines(repo)) or clone


def append(repo: Repository, message: str) -> str:
    """Appends an empty commit to this clone's ref; its hash. `message` ends in its trailer block.

    The clone's id joins the block: without it, two clones that count the same use in the same second would
    make one and the same commit.

    Raises:
        Refused: the ref cannot be written.
    """
    clone = clone_id(repo)
    text = f"{message.rstrip()}\nMemgit-Clone: {clone}\n"
    return refs.commit_on(repo, PREFIX + clone, text)


def take(repo: Repository, ref: str, old: str | None, commit: str) -> bool:
    """Makes a usage ref that was at `old` hold what a remote has in it; false where another process moved it.

    Where each side has uses that the other has not, two clones count on one ref: one is a copy that was made as
    a whole, or a backup was put back. Both are kept, and this clone counts by an id of its own from now on.

    Raises:
        Refused: the ref holds both, but this clone could not be given another id.
    """
    moved = (
        repo.ref(ref) == commit
    )  # by git itself, where a refspec of the user's own fetches the usage refs too
    if old is None or repo.is_ancestor(old, commit):
        args = ["update-ref", ref, commit, old or "0" * 40]
        return moved or not process.attempt(args, repo=repo, write=True).code
    if not join(repo, ref, *((commit, old) if moved else (old, commit))):
        return False
    if ref == own_ref(repo):
        renew(repo)
    return True


def join(repo: Repository, ref: str, ours: str, theirs: str) -> bool:
    """Makes a usage ref that two clones appended to hold what both counted; whether it was still at `ours`.

    The commit that joins them depends on the two alone, so that whoever joins them gets the same one.
    """
    newest = max(ours, theirs, key=lambda commit: (_time(repo, commit), commit))
    tree, who = _heading(repo, newest)
    head = b"".join(
        [
            b"tree " + tree + b"\n",
            *(b"parent " + parent.encode() + b"\n" for parent in sorted((ours, theirs))),
            who,
            b"\n",
        ]
    )
    new = repo.write(libgit.COMMIT, head + JOINED.encode())
    repo.restore_written()
    return not process.attempt(["update-ref", ref, new, ours], repo=repo, write=True).code


def _heading(repo: Repository, commit: str) -> tuple[bytes, bytes]:
    """The tree of a commit, and its lines that say who made it and when."""
    lines = repo.read(commit)[1].partition(b"\n\n")[0].split(b"\n")
    tree = next(line.removeprefix(b"tree ") for line in lines if line.startswith(b"tree "))
    return tree, b"".join(line + b"\n" for line in lines if line.startswith((b"author ", b"committer ")))


def _time(repo: Repository, commit: str) -> int:
    """When a commit was made, in seconds since 1970."""
    found = _heading(repo, commit)[1].rstrip(b"\n").rpartition(b"\n")[2].split()[-2:-1]
    return int(found[0]) if found and found[0].isdigit() else 0


def tips(repo: Repository) -> dict[str, str]:
    """The usage refs that this clone has, with their commits."""
    return repo.refs(PREFIX)


class Counted(NamedTuple):
    """One commit of a usage ref: its hash, author date and author (`Name <mail>`), and message."""

    commit: str
    date: str
    author: str
    text: str


def commits(repo: Repository, wanted: Sequence[str], known: Sequence[str]) -> Iterator[Counted]:
    """Every commit that `wanted` has and `known` has not, newest first; one git process."""
    lines = [*wanted, *(f"^{commit}" for commit in known)]
    out = process.run(
        ["log", "--stdin", "--format=tformat:%H%n%aI%n%an <%ae>%n%B%x00", "--encoding=UTF-8"],
        repo=repo,
        data="".join(f"{line}\n" for line in lines).encode(),
    )
    for part in out.split(b"\0"):
        lines = part.lstrip(b"\n").decode("utf-8", "replace").split("\n", 3)
        if len(lines) == 4:
            yield Counted(*lines)

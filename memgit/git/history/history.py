"""One stream of commits with the files that each changed, from one `git log` process.

The output form is pinned: no setting of the user (`diff.orderFile`, `diff.renames`, `log.showSignature`,
`i18n.logOutputEncoding` …) changes what is read. Order and renames are those of a plain `git log
--name-status -M`.
Format: https://git-scm.com/docs/git-diff#_raw_output_format and the combined form beside it.
"""

from __future__ import annotations

import os
from itertools import chain

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git import process
from memgit.git.repository import Repository
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

RENAME_LIMIT = 1000
"""How many new times removed files git compares in one commit (its own default since 2.34); beyond it only
equal ones are paired.
"""
MAX_MENDS = 20
"""How many commits with missing files are read one by one before renames are told by equal content alone."""

_FORMAT = "--format=tformat:%H%x00%P%x00%an <%ae>%x00%aI%x00%B"
_PINNED = (
    "--raw",
    "-z",
    "-c",
    "--combined-all-paths",
    "--root",
    "--no-abbrev",
    "--encoding=UTF-8",
    "--no-color",
    "--no-show-signature",
    "--no-relative",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=none",
    "--no-notes",
    "--no-mailmap",
    "-O/dev/null",
    "--no-decorate",
    "--no-follow",
    "--full-history",
)

_BUFFERED = {"GIT_FLUSH": "0"}
"""Makes git fill its buffer before it writes; else it writes each commit by itself, and both sides wake up
for it (see `git help git`).
"""


class Side(NamedTuple):
    """A file in one tree: path under the knowledge root, blob id, mode as git writes it in octal (`100644`)."""

    path: str
    oid: str
    mode: str


class RawChange(NamedTuple):
    """One file that a commit changed. `status` is one letter of A, D, M, R, T; in a merge one letter a
    parent.

    `old` is None for an added file, `new` for a removed one. In a merge `old` is the file in the first parent
    and `others` holds the same for each further parent.
    """

    status: str
    old: Side | None
    new: Side | None
    others: tuple[Side | None, ...] = ()


class RawCommit(NamedTuple):
    """One commit as git tells it: `author` is `Name <mail>`, `date` the author's in ISO 8601 with zone,
    `message` the whole text.

    `changes` are those against the only parent, the empty tree for a root, or against all parents at once for
    a merge.
    """

    commit: str
    parents: tuple[str, ...]
    author: str
    date: str
    message: str
    changes: tuple[RawChange, ...]


def commits(repo: Repository, revisions: Sequence[str]) -> Iterator[RawCommit]:
    """The commits that a revision range names, newest first, in the order of `git log`; only those that touch
    the knowledge root where that is a folder inside the repository.

    Args:
        revisions: commit hashes, each perhaps with `^` in front.

    Raises:
        Refused: git failed, for a corrupt or missing commit or tree; raised where the stream breaks off.
    """
    similarity = "-M100%" if repo.partial() else "-M"
    done = mends = 0
    while True:
        try:
            for commit in _log(repo, revisions, similarity, [f"--skip={done}"] if done else []):
                done += 1
                yield commit
            return
        except Refused:
            # A blob that renames would have been told by is not there: this one commit is read again by equal
            # content alone.
            if similarity == "-M100%":
                raise
            mended = list(_log(repo, revisions, "-M100%", [f"--skip={done}", "--max-count=1"]))
            if not mended:
                raise
            yield from mended
            done += 1
            mends += 1
            if mends >= MAX_MENDS:
                similarity = "-M100%"


def listed(repo: Repository, ids: Iterable[str]) -> Iterator[RawCommit]:
    """The given commits, in the given order.

    Raises:
        Refused: git failed; a commit is not there.
    """
    wanted = list(ids)
    start = 0
    similarity = "-M100%" if repo.partial() else "-M"
    while start < len(wanted):
        try:
            for commit in _log(repo, wanted[start:], similarity, ["--no-walk=unsorted"]):
                start += 1
                yield commit
            return
        except Refused:
            if similarity == "-M100%":
                raise
            yield from _log(repo, wanted[start : start + 1], "-M100%", ["--no-walk=unsorted"])
            start += 1


def order(repo: Repository, revisions: Sequence[str]) -> Iterator[str]:
    """The ids of the commits that `commits` would give, in the same order."""
    tail = b""
    args = ["rev-list", "--full-history", "--stdin", *_folder(repo)]
    for chunk in process.stream(args, repo=repo, data=_input(revisions), extra=_BUFFERED):
        lines = (tail + chunk).split(b"\n")
        tail = lines.pop()
        for line in lines:
            yield line.decode("ascii")


def touching(repo: Repository, commit: str, paths: Sequence[str], limit: int | None = None) -> Iterator[str]:
    """The commits that changed one of some paths (from the knowledge root), newest first, looking back from a
    commit.

    Lines of history that a merge brought nothing from are left out, as `git log -- path` does.
    """
    args = ["log", "--format=%H", *([f"--max-count={limit}"] if limit is not None else []), commit, "--"]
    tail = b""
    for chunk in process.stream([*args, *(repo.prefix + path for path in paths)], repo=repo):
        lines = (tail + chunk).split(b"\n")
        tail = lines.pop()
        for line in lines:
            yield line.decode("ascii")


def boundary(repo: Repository) -> frozenset[str]:
    """The commits at which a shallow clone was cut off: git holds their trees, but not their parents."""
    return frozenset(_content(repo, "shallow").decode("ascii", "replace").split())


def state(repo: Repository) -> str:
    """A fingerprint of what makes git tell history otherwise than the commits themselves do: shallow borders
    and grafts.

    Empty in an ordinary repository.
    """
    found = [_content(repo, "shallow"), *bent(repo)]
    if not any(found):
        return ""
    from hashlib import sha1

    return sha1(b"\0".join(found), usedforsecurity=False).hexdigest()


def bent(repo: Repository) -> list[bytes]:
    """Grafts, by which git gives a commit other parents than it names; empty in nearly every repository.

    Replacements (`git replace`) count nowhere: libgit2 knows none, so git is told not to follow them either
    (see `git.command`).
    """
    return [found for found in (_content(repo, "info/grafts"),) if found]


def _content(repo: Repository, name: str) -> bytes:
    try:
        with open(os.path.join(repo.common_dir, name), "rb") as file:
            return file.read()
    except OSError:
        return b""


def _input(revisions: Iterable[str]) -> list[bytes]:
    return ["".join([f"{revision}\n" for revision in revisions]).encode("ascii")]


def _folder(repo: Repository) -> list[str]:
    """The folder to look at, as the end of a command line."""
    return ["--", repo.prefix.rstrip("/")] if repo.prefix else ["--"]


def _log(
    repo: Repository, revisions: Sequence[str], similarity: str, options: Sequence[str]
) -> Iterator[RawCommit]:
    args = [
        *process.FRUGAL,
        "log",
        "--stdin",
        _FORMAT,
        *_PINNED,
        similarity,
        f"-l{RENAME_LIMIT}",
        *options,
        *_folder(repo),
    ]
    yield from read(process.stream(args, repo=repo, data=_input(revisions), extra=_BUFFERED), repo.prefix)


def read(chunks: Iterable[bytes], prefix: str = "") -> Iterator[RawCommit]:
    """Commits from the bytes of `git log -z --raw` in the format of this module; paths lose the prefix.

    No part of a commit holds a NUL, so nothing that a user wrote can be taken for structure. Where the bytes
    end in an error, every commit before it is given first.
    """
    tokens = chain.from_iterable(_tokens(chunks))
    cut = len(prefix)
    failure: Refused | None = None
    token = next(tokens, None)
    while token is not None:
        if not token or token == b"\n":
            token = next(tokens, None)
            continue
        commit = token.decode("ascii")
        parents, author, date, message = (
            next(tokens, b""),
            next(tokens, b""),
            next(tokens, b""),
            next(tokens, None),
        )
        if message is None:
            return
        changes: list[RawChange] = []
        try:
            for token in tokens:
                if token.startswith((b"\n:", b":")):
                    changes.append(_change(token, tokens, cut))
                elif token and token != b"\n":
                    break
            else:
                token = None
        except Refused as error:
            failure = error
        if date.endswith(b"Z"):
            # Newer gits write Z for UTC where older ones write +00:00.
            date = date[:-1] + b"+00:00"
        yield RawCommit(
            commit,
            tuple(parents.decode("ascii").split()),
            author.decode("utf-8", "replace"),
            date.decode("ascii", "replace"),
            message.decode("utf-8", "replace"),
            tuple(changes),
        )
        if failure is not None:
            raise failure


def _tokens(chunks: Iterable[bytes]) -> Iterator[list[bytes]]:
    tail = b""
    for chunk in chunks:
        parts = (tail + chunk).split(b"\0") if tail else chunk.split(b"\0")
        tail = parts.pop()
        yield parts


def _change(token: bytes, tokens: Iterator[bytes], cut: int) -> RawChange:
    token = token.lstrip(b"\n")
    words = token.decode("ascii").split(" ")
    if token[1:2] != b":":
        old_mode, new_mode, old_oid, new_oid, status = words
        letter = status[0]
        path = _path(tokens, cut)
        target = _path(tokens, cut) if letter in "RC" else path
        return RawChange(
            letter,
            None if old_mode == ":000000" else Side(path, old_oid, old_mode[1:]),
            None if new_mode == "000000" else Side(target, new_oid, new_mode),
        )
    words[0] = words[0].lstrip(":")
    parents = len(token) - len(token.lstrip(b":"))
    modes, oids, status = words[: parents + 1], words[parents + 1 : -1], words[-1]
    paths = [_path(tokens, cut) for _ in range(parents + 1)]
    sides = [
        None if mode == "000000" else Side(path, oid, mode)
        for path, oid, mode in zip(paths, oids, modes, strict=True)
    ]
    return RawChange(status, sides[0], sides[-1], tuple(sides[1:-1]))


def _path(tokens: Iterator[bytes], cut: int) -> str:
    return next(tokens, b"").decode("utf-8", "surrogateescape")[cut:]

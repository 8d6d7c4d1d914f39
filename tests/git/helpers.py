"""What the tests of the git edge share: a plain line merge, one write, and a look at everything that must be
in order afterwards.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import merge3

from memgit.git.commit.commit import Change, Committed, commit
from memgit.git.objects.tree import Tree
from memgit.git.repository import Head, Repository
from tests.support import run_git, unprivileged

ROOT = Path(__file__).resolve().parents[2]
MESSAGE = "record(knowledge): A title\n\nMemgit-Op: record\n"


class Clash(NamedTuple):
    line: int
    message: str


class Merged(NamedTuple):
    data: bytes | None
    conflicts: tuple[Clash, ...]


def line_merge(path: str, base: bytes | None, ours: bytes | None, theirs: bytes | None) -> Merged:
    """Three ways by lines; a clash keeps ours."""
    sides = [(side or b"").splitlines(keepends=True) for side in (base, ours, theirs)]
    out: list[bytes] = []
    clashes: list[Clash] = []
    for group in merge3.Merge3(sides[0], sides[1], sides[2]).merge_groups():
        if group[0] == "conflict":
            clashes.append(Clash(len(out) + 1, "both changed it"))
            out += group[2]
        else:
            out += group[1]
    return Merged(b"".join(out), tuple(clashes))


def opened(folder: Path, env: Mapping[str, str] | None = None) -> Repository:
    """The repository of a folder, with the test's environment."""
    return Repository.open(str(folder), os.environ if env is None else env)


def put(
    folder: Path,
    edits: Mapping[str, bytes | None],
    *,
    message: str = MESSAGE,
    soft: frozenset[str] = frozenset(),
    stage: bool = False,
    prefix: str = "",
    lock_timeout: float = 30.0,
    build: Callable[[Tree, Head], Change | None] | None = None,
) -> Committed:
    """One commit of fixed edits, made as a process would make it."""
    return commit(
        opened(folder).at_prefix(prefix),
        build or (lambda tree, head: Change(edits, message, soft)),
        merge=line_merge,
        stage=stage,
        lock_timeout=lock_timeout,
    )


UNPRIVILEGED = """
import sys
from ast import literal_eval
from pathlib import Path
from memgit.errors import Refused
from tests.git.helpers import put
try:
    put(Path(sys.argv[1]), literal_eval(sys.argv[2]))
except Refused as error:
    print(error)
    sys.exit(3)
"""


def put_unprivileged(folder: Path, edits: Mapping[str, bytes | None]) -> subprocess.CompletedProcess[str]:
    """As `put`, by somebody for whom permissions count; exit 3, and why on standard output, where it is
    refused.
    """
    args = [*unprivileged(), sys.executable, "-c", UNPRIVILEGED, str(folder), repr(dict(edits))]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(args, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def commit_files(folder: Path, files: Mapping[str, bytes], message: str = "before") -> str:
    """Writes files and commits them with plain git; returns the commit."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    run_git(folder, "add", "-A", "-f", "--", *files)
    run_git(folder, "commit", "-q", "-m", message)
    return run_git(folder, "rev-parse", "HEAD")


def porcelain(folder: Path) -> list[str]:
    """The rows of `git status --porcelain`."""
    return [row for row in run_git(folder, "status", "--porcelain", "-uall", "-z").split("\0") if row]


def committed(folder: Path, path: str, rev: str = "HEAD") -> str:
    """A file as a commit holds it."""
    return run_git(folder, "cat-file", "blob", f"{rev}:{path}") + "\n"


def staged(folder: Path, path: str) -> str:
    """A file as the index holds it."""
    return run_git(folder, "cat-file", "blob", f":{path}") + "\n"


def leftovers(folder: Path) -> Iterator[str]:
    """Files of memgit's own and of git's locks that no finished or refused write may leave."""
    git_dir = Path(run_git(folder, "rev-parse", "--absolute-git-dir"))
    common = Path(os.path.normpath(git_dir / run_git(folder, "rev-parse", "--git-common-dir")))
    for top in {git_dir, common}:
        for path in top.rglob("*"):
            if path.suffix == ".lock" or path.name.startswith(("work.", "journal.json", "scratch.")):
                yield str(path)
    for path in folder.rglob(".memgit-*"):
        yield str(path)


def assert_in_order(folder: Path, *, clean: bool = True) -> None:
    """No lock, no leftover, no damage, and (unless said otherwise) nothing that `git status` would name."""
    assert list(leftovers(folder)) == []
    run_git(folder, "fsck", "--strict", "--no-progress", "--no-dangling")
    if clean:
        assert porcelain(folder) == []
        run_git(folder, "diff-index", "--quiet", "--cached", "HEAD")


def reflogs(folder: Path) -> dict[str, list[tuple[str, str]]]:
    """Old and new of every line of the reflogs; each line begins where the one before it ended."""
    out: dict[str, list[tuple[str, str]]] = {}
    for name in ("HEAD", "refs/heads/main"):
        rows = (folder / ".git/logs" / name).read_bytes().split(b"\n")
        assert rows.pop() == b""
        moves = out[name] = [(row[:40].decode(), row[41:81].decode()) for row in rows]
        assert [old for old, _ in moves[1:]] == [new for _, new in moves[:-1]]
        assert moves[-1][1] == run_git(folder, "rev-parse", name)
    return out

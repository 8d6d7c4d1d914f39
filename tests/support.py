"""What several tests need: git as a user runs it, and memgit's command line inside this process."""

from __future__ import annotations

import gc
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar


def run_git(folder: Path, *args: str, data: bytes | None = None, check: bool = True) -> str:
    """Standard output of the user's own git in a folder, trailing newline dropped."""
    done = subprocess.run(["git", *args], cwd=folder, input=data, capture_output=True, check=False)
    if check and done.returncode:
        raise AssertionError(
            f"git {' '.join(args)}: {done.returncode}\n{done.stderr.decode(errors='replace')}"
        )
    return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")


class Closeable(Protocol):
    """A cache, a workspace, a file."""

    def close(self) -> object: ...


Closed = TypeVar("Closed", bound=Closeable)
OPEN = ExitStack()
"""What the running test has yet to close; the fixture `caches_are_closed` does so at its end."""


def closed_later(thing: Closed) -> Closed:
    """A thing that a test has opened, and that is closed when the test ends."""
    return OPEN.enter_context(closing(thing))


EXAMPLES = 100
"""How many examples a property gets in the suite; the profile `long` has many more."""


def examples(few: int) -> int:
    """How many examples a property gets of which each costs much: few, and more in the profile `long`, as any
    other does.
    """
    # the processes that tests start import this module as well, and have no use for what takes so long
    from hypothesis import settings

    return max(1, few * settings().max_examples // EXAMPLES)


class Prepared(Protocol):
    """What the fixture `prepared` gives."""

    def __call__(self, name: str, make: Callable[[Path], object] | None = None) -> Path: ...


def copy_folder(source: Path, target: Path) -> Path:
    """A new copy of a folder, with the rights and times of its files: as `shutil.copytree`, which takes twice
    as long for small files.
    """
    _copy(str(source), str(target))
    return target


def _copy(source: str, target: str) -> None:
    os.mkdir(target)
    with os.scandir(source) as found:
        for one in found:
            to = f"{target}/{one.name}"
            if one.is_symlink():
                os.symlink(os.readlink(one.path), to)
            elif one.is_dir():
                _copy(one.path, to)
            else:
                was = one.stat()
                with open(one.path, "rb", 0) as file:
                    data = file.read()
                with open(to, "xb", 0) as file:
                    file.write(data)
                    os.fchmod(file.fileno(), was.st_mode & 0o777)
                    os.utime(file.fileno(), ns=(was.st_atime_ns, was.st_mtime_ns))


def childless() -> bool:
    """Whether no process that was started here is left, once what nobody holds any more is gone (such as
    another test's repository).
    """
    gc.collect()
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return True
    return False


def unprivileged() -> list[str]:
    """What stands before a command so that permissions count for it; they do not for root, unless it gives
    that up.
    """
    if os.geteuid() != 0:
        return []
    import shutil

    import pytest  # as above

    if shutil.which("setpriv") is None:
        pytest.skip("root, and no setpriv to give up its rights")
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


def write(folder: Path, path: str, text: str | bytes) -> None:
    """Puts one file into a folder."""
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape"))


def commit(folder: Path, message: str = "by hand", *args: str) -> str:
    """Commits all that is there with the user's own git, under exactly that message; the commit."""
    run_git(folder, "add", "-A")
    said = message.encode("utf-8", "surrogateescape")
    run_git(folder, "commit", "-q", "--allow-empty", "--cleanup=verbatim", "-F", "-", *args, data=said)
    return run_git(folder, "rev-parse", "HEAD")


class Answer(NamedTuple):
    """What one run of the command line gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def memgit(folder: Path, *args: str, stdin: bytes = b"", code: int | None = 0) -> Answer:
    """Runs `memgit -C folder args` in this process; the exit code is checked unless it is None.

    Standard input is read by `-F -` alone.
    """
    from memgit.cli.start import run

    streams = sys.stdin, sys.stdout, sys.stderr
    out, err = io.BytesIO(), io.BytesIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
    sys.stdout = io.TextIOWrapper(out, encoding="utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(err, encoding="utf-8", write_through=True)
    try:
        got = run(["-C", str(folder), *args])
        answer = Answer(got, out.getvalue().decode(), err.getvalue().decode())
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
    if code is not None and got != code:
        raise AssertionError(f"memgit {' '.join(args)}: exit {got}, not {code}\n{answer.out}{answer.err}")
    return answer


def status(folder: Path) -> str:
    """`git status` as a program reads it: empty where nothing differs from the newest commit."""
    return run_git(folder, "status", "--porcelain", "-uall")


def count_commits(folder: Path) -> int:
    return int(run_git(folder, "rev-list", "--count", "HEAD"))


def fsck(folder: Path) -> None:
    """Raises where `git fsck` finds the repository damaged."""
    run_git(folder, "fsck", "--strict", "--no-progress", "--no-dangling")

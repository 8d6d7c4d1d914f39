"""What several tests need: git as a user runs it, and memgit's command line inside this process."""

from __future__ import annotations

import gc
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import settings

from memgit.cli.main import run


def run_git(folder: Path, *args: str, data: bytes | None = None, check: bool = True) -> str:
    """Standard output of the user's own git in a folder, trailing newline dropped."""
    done = subprocess.run(["git", *args], cwd=folder, input=data, capture_output=True, check=False)
    if check and done.returncode:
        raise AssertionError(f"git {' '.join(args)}: {done.returncode}\n{done.stderr.decode(errors='replace')}")
    return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")


EXAMPLES = 40
"""How many examples a property gets in the suite; the profile `long` has many more."""


def examples(few: int) -> int:
    """How many examples a property gets of which each costs much: few, and more in the profile `long`, as any other does."""
    return max(1, few * settings().max_examples // EXAMPLES)


def childless() -> bool:
    """Whether no process that was started here is left, once what nobody holds any more is gone (such as another test's repository)."""
    gc.collect()
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return True
    return False


class Answer(NamedTuple):
    """What one run of the command line gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def memgit(folder: Path, *args: str, stdin: bytes = b"", code: int | None = 0) -> Answer:
    """Runs `memgit -C folder args` in this process; the exit code is checked unless it is None. Standard input is read by `-F -` alone."""
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

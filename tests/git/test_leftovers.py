"""What killed processes left goes; what is anybody's stays."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memgit.git.leftovers import AGE, sweep
from tests.git.helpers import commit_files, put
from tests.support import memgit


@pytest.fixture
def gone() -> int:
    """The number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        pass
    return child.pid


def leave(path: Path, age: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{")
    then = time.time() - age
    os.utime(path, (then, then))
    return path


def test_only_old_files_of_processes_that_are_gone(tmp_path: Path, gone: int) -> None:
    goes = [leave(tmp_path / f"{name}.{gone}", AGE + 60) for name in ("folders-1a.json", "derived.json", "hook.memo", "clone-id")]
    stays = [
        leave(tmp_path / f"young.json.{gone}", AGE - 60),
        leave(tmp_path / f"mine.json.{os.getpid()}", AGE + 60),
        leave(tmp_path / "derived.json", AGE + 60),
        leave(tmp_path / "cache.db", AGE + 60),
        leave(tmp_path / f".{gone}", AGE + 60),
        leave(tmp_path / "odd.²", AGE + 60),
        leave(tmp_path / "large.99999999999999999999", AGE + 60),
        leave(tmp_path / f"work.{gone}" / "index", AGE + 60),
    ]
    sweep(str(tmp_path))
    assert not any(path.exists() for path in goes)
    assert all(path.exists() for path in stays)
    sweep(str(tmp_path / "nowhere"))


def test_commands_sweep_after_others(repo: Path, gone: int) -> None:
    commit_files(repo, {".memgit.yaml": b"version: 1\nlayout: notes\n", "a.md": b"# A\n\nWords.\n"})
    kept = repo / ".git/memgit"
    memgit(repo, "search", "words")
    left = leave(kept / f"folders-12345678.json.{gone}", AGE + 60)
    memgit(repo, "search", "words")
    (repo / "b.md").write_text("# B\n")
    memgit(repo, "search", "words")
    assert not left.exists()
    left = leave(kept / f"journal.json.{gone}", AGE + 60)
    other = leave(kept / f"derived.json.{gone}", AGE + 60)
    put(repo, {"a.md": b"# A\n"})
    assert not left.exists() and not other.exists()
    left = leave(kept / f"sessions/default.json.{gone}", AGE + 60)
    memgit(repo, "recall", "words", "--no-count")
    assert not left.exists()

"""What killed processes left goes; what is anybody's stays."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memgit.git.commit import journal
from memgit.git.leftovers import AGE, scratch, sweep
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
    goes = [
        leave(tmp_path / f"{name}.{gone}", AGE + 60)
        for name in ("folders-1a.json", "derived.json", "hook.memo", "clone-id")
    ]
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
    left = sweep(str(tmp_path))
    assert not any(path.exists() for path in goes)
    assert all(path.exists() for path in stays)
    assert sorted(left) == sorted(os.listdir(tmp_path))
    assert sweep(str(tmp_path / "nowhere")) == []


def test_the_folder_of_a_writer_is_swept_with_one_look(
    tmp_path: Path, gone: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "memgit"
    goes = [
        leave(folder / f"work.{gone}" / "0.new", 0),
        leave(folder / f"work.{gone}.early" / "index", 0),
        leave(folder / f"journal.json.{gone}", 0),
        leave(Path(scratch(str(folder))) / "file", 0).parent,
        leave(Path(scratch(str(folder))), AGE + 60),
        leave(folder / f"derived.json.{gone}", AGE + 60),
    ]
    os.utime(goes[3], (1, 1))
    stays = [
        leave(folder / "journal.json", AGE + 60),
        leave(Path(scratch(str(folder))), AGE - 60),
        leave(folder / "cache.db", AGE + 60),
        leave(folder / "sessions" / "default.json", AGE + 60),
    ]
    real, looks = os.listdir, []

    def listdir(path: str) -> list[str]:
        looks.append(str(path))
        return real(path)

    monkeypatch.setattr(os, "listdir", listdir)
    journal.sweep(str(tmp_path))
    assert looks.count(str(folder)) == 1
    assert [path.name for path in goes if path.exists()] == []
    assert all(path.exists() for path in stays)


def test_commands_sweep_after_others(repo: Path, gone: int) -> None:
    commit_files(repo, {".memgit.yaml": b"version: 1\nlayout: notes\n", "a.md": b"# A\n\nWords.\n"})
    kept = repo / ".git/memgit"
    memgit(repo, "search", "words")
    left = leave(kept / f"journal.json.{gone}", AGE + 60)
    other = leave(kept / f"derived.json.{gone}", AGE + 60)
    put(repo, {"a.md": b"# A\n"})
    assert not left.exists() and not other.exists()
    left = leave(kept / f"sessions/default.json.{gone}", AGE + 60)
    memgit(repo, "recall", "words", "--no-count")
    assert not left.exists()

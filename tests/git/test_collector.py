"""What `git gc --prune=now` would take of a commit under way."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from memgit.errors import Refused
from memgit.git import collector, process, refs
from memgit.git.repository import Repository
from tests.git.helpers import assert_in_order, commit_files, opened, put
from tests.git.test_concurrent import start
from tests.support import run_git


@pytest.fixture
def kb(repo: Path) -> Path:
    commit_files(repo, {"kb/shared.md": b"shared\n"})
    return repo


@contextmanager
def at_work(kb: Path, *args: str) -> Iterator[None]:
    """As if `git gc` with these arguments were at work."""
    with subprocess.Popen([sys.executable, "-c", "input()", *args], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        path = kb / ".git/gc.pid"
        path.write_text(f"{child.pid} {os.uname().nodename}")
        yield
        path.unlink()
        child.communicate()


def test_whether_it_runs(kb: Path) -> None:
    path = kb / ".git/gc.pid"
    assert not collector.runs(opened(kb))
    with at_work(kb, "gc", "--prune=now"):
        assert collector.runs(opened(kb))
        os.utime(path, (1, 1))
        assert not collector.runs(opened(kb))
    dead = subprocess.Popen(["true"])
    dead.wait()
    for text, expected in ((f"{dead.pid} {os.uname().nodename}", False), (f"{dead.pid} elsewhere", True), ("", True)):
        path.write_text(text)
        assert collector.runs(opened(kb)) is expected


def test_one_that_leaves_new_objects_alone(kb: Path) -> None:
    with at_work(kb, "gc", "--auto"):
        assert collector.runs(opened(kb)) == (not Path("/proc/self/cmdline").exists())
        run_git(kb, "config", "gc.pruneExpire", "now")
        assert collector.runs(opened(kb))


def test_what_is_packed_is_what_was_given(kb: Path) -> None:
    repo = opened(kb)
    contents = [b"", b"x", b"y" * 15, b"z" * 16, b"more" * 1000, os.urandom(300_000)]
    collector.pack(repo, [(3, data) for data in contents])
    for data in contents:
        assert opened(kb).blob(repo.hash_blob(data)) == data
    assert run_git(kb, "count-objects", "-v").split("\n")[2] == f"in-pack: {len(contents)}"
    run_git(kb, "fsck", "--strict")


def sweep(kb: Path) -> None:
    """What a `git prune` that looked before a commit does to its objects."""
    for path in (kb / ".git/objects").glob("??/*"):
        if path.stat().st_mtime > 1000:
            path.unlink()


@pytest.mark.parametrize("when", ["before", "moved", "later"])
def test_objects_of_a_commit_that_are_swept_away(kb: Path, monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    """Before the branch moves, right after it, and by a `git gc` that is still at work when all is done."""
    for path in (kb / ".git/objects").glob("??/*"):
        os.utime(path, (1, 1))
    real = refs._swapped
    kept = Repository.keep_written

    def swapped(*args: object) -> str | None:
        said = real(*args)  # type: ignore[arg-type]
        if when == "moved":
            sweep(kb)
        return said

    def keep(self: Repository, *, led_to: bool) -> None:
        if when == "before" and not led_to:
            sweep(kb)
        kept(self, led_to=led_to)

    monkeypatch.setattr(refs, "_swapped", swapped)
    monkeypatch.setattr(Repository, "keep_written", keep)
    with at_work(kb, "gc", "--prune=now") if when == "later" else nullcontext():
        put(kb, {"kb/new.md": b"new\n", "kb/other.md": b"other\n"})
        if when == "later":
            sweep(kb)
    assert_in_order(kb)
    assert bool(list((kb / ".git/objects/pack").glob("*.pack"))) == (when == "later")


def test_a_pack_that_it_takes_half_written(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, turns = process.run, []

    def run(*args: Any, **options: Any) -> bytes:
        turns.append(args)
        if len(turns) < 3:
            raise Refused("unable to rename temporary file")
        return real(*args, **options)

    monkeypatch.setattr(process, "run", run)
    with at_work(kb, "gc", "--prune=now"):
        assert collector.keep(opened(kb), [(3, b"new\n")])
    assert len(turns) == 3 and len(list((kb / ".git/objects/pack").glob("*.pack"))) == 1
    turns.clear()
    assert not collector.keep(opened(kb), [(3, b"newer\n")]) and not turns


def test_beside_it_nothing_is_lost(kb: Path) -> None:
    child = start(kb, "w", 6)
    while child.poll() is None:
        run_git(kb, "gc", "-q", "--prune=now", check=False)
    assert child.returncode == 0, child.communicate()[0].decode()
    child.communicate()
    assert run_git(kb, "rev-list", "--count", "HEAD") == "7"
    assert_in_order(kb)

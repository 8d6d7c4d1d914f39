"""What `git gc --prune=now` would take of a commit under way."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from memgit.errors import Refused
from memgit.git import process
from memgit.git.commit import gc_guard, refs
from memgit.git.commit.commit import Change, commit_series
from memgit.git.commit.empty_commit import commit_empty
from memgit.git.history.branches import put_on
from memgit.git.objects import objects
from memgit.git.repository import Repository
from tests.git.helpers import MESSAGE, assert_in_order, commit_files, line_merge, opened, put
from tests.git.test_concurrent import start
from tests.support import run_git


@pytest.fixture
def kb(repo: Path) -> Path:
    commit_files(repo, {"kb/shared.md": b"shared\n"})
    return repo


@contextmanager
def at_work(kb: Path, *args: str) -> Iterator[None]:
    """As if `git gc` with these arguments were at work."""
    with subprocess.Popen(
        [sys.executable, "-c", "input()", *args], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as child:
        path = kb / ".git/gc.pid"
        path.write_text(f"{child.pid} {os.uname().nodename}")
        yield
        path.unlink()
        child.communicate()


def test_whether_it_runs(kb: Path) -> None:
    path = kb / ".git/gc.pid"
    assert not gc_guard.runs(opened(kb))
    with at_work(kb, "gc", "--prune=now"):
        assert gc_guard.runs(opened(kb))
        os.utime(path, (1, 1))
        assert not gc_guard.runs(opened(kb))
    dead = subprocess.Popen(["true"])
    dead.wait()
    for text, expected in (
        (f"{dead.pid} {os.uname().nodename}", False),
        (f"{dead.pid} elsewhere", True),
        ("", True),
    ):
        path.write_text(text)
        assert gc_guard.runs(opened(kb)) is expected


@pytest.mark.parametrize(
    "junk", [b"\xff HOST", b"\xff\xfe\0", b"HOST", b"\xb2 HOST", b"1" * 40 + b" HOST", b"../.. HOST"]
)
def test_a_note_of_it_that_no_git_wrote(kb: Path, monkeypatch: pytest.MonkeyPatch, junk: bytes) -> None:
    """It may be one that is at work: the commit is made all the same, and kept from it; a long write waits."""
    monkeypatch.setattr(gc_guard, "WAIT_SECONDS", 0.1)
    path = kb / ".git/gc.pid"
    path.write_bytes(junk.replace(b"HOST", os.uname().nodename.encode()))
    done = put(kb, {"kb/new.md": b"new\n"})
    assert run_git(kb, "rev-parse", "HEAD") == done.commit
    with gc_guard.held_off(opened(kb)):
        assert path.read_bytes() != b""
    path.unlink(missing_ok=True)
    assert_in_order(kb)


def test_one_that_leaves_new_objects_alone(kb: Path) -> None:
    with at_work(kb, "gc", "--auto"):
        assert gc_guard.runs(opened(kb)) == (not Path("/proc/self/cmdline").exists())
        run_git(kb, "config", "gc.pruneExpire", "now")
        assert gc_guard.runs(opened(kb))


def test_what_is_packed_is_what_was_given(kb: Path) -> None:
    repo = opened(kb)
    contents = [b"", b"x", b"y" * 15, b"z" * 16, b"more" * 1000, os.urandom(300_000)]
    gc_guard.pack(repo, [(3, data) for data in contents])
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
def test_objects_of_a_commit_that_are_swept_away(
    kb: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """Before the branch moves, right after it, and by a `git gc` that is still at work when all is done."""
    for path in (kb / ".git/objects").glob("??/*"):
        os.utime(path, (1, 1))
    real = refs._swapped
    restore = Repository.restore_written

    def swapped(*args: object) -> str | None:
        said = real(*args)  # type: ignore[arg-type]
        if when == "moved":
            sweep(kb)
        return said

    def restored(self: Repository) -> bool:
        if when == "before":
            sweep(kb)
        return restore(self)

    monkeypatch.setattr(refs, "_swapped", swapped)
    monkeypatch.setattr(Repository, "restore_written", restored)
    with at_work(kb, "gc", "--prune=now") if when == "later" else nullcontext():
        put(kb, {"kb/new.md": b"new\n", "kb/other.md": b"other\n"})
        if when == "later":
            sweep(kb)
    assert_in_order(kb)
    assert bool(list((kb / ".git/objects/pack").glob("*.pack"))) == (when == "later")


def test_objects_that_are_swept_away_while_the_branch_moves(
    kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git looks whether what a ref is to lead to is there."""
    for path in (kb / ".git/objects").glob("??/*"):
        os.utime(path, (1, 1))
    real = refs._swapped
    turns: list[object] = []

    def swapped(*args: object) -> str | None:
        turns.append(args)
        if len(turns) < 3:
            sweep(kb)
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(refs, "_swapped", swapped)
    put(kb, {"kb/new.md": b"new\n", "kb/other.md": b"other\n"})
    assert len(turns) == 3
    assert_in_order(kb)


def test_a_pack_that_it_takes_half_written(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, turns = process.run, []

    def run(*args: Any, **options: Any) -> bytes:
        if args[0][0] == "config":
            return real(*args, **options)
        turns.append(args)
        if len(turns) < 3:
            raise Refused("unable to rename temporary file")
        return real(*args, **options)

    monkeypatch.setattr(process, "run", run)
    with at_work(kb, "gc", "--prune=now"):
        assert gc_guard.keep(opened(kb), [(3, b"new\n")])
    assert len(turns) == 3 and len(list((kb / ".git/objects/pack").glob("*.pack"))) == 1
    turns.clear()
    assert not gc_guard.keep(opened(kb), [(3, b"newer\n")]) and not turns


def test_a_pack_that_cannot_be_made(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, turns = process.run, []

    def run(*args: Any, **options: Any) -> bytes:
        if args[0][0] == "config":
            return real(*args, **options)
        turns.append(args)
        raise Refused("unable to create temporary file")

    monkeypatch.setattr(process, "run", run)
    monkeypatch.setattr(gc_guard, "pause", lambda longest: None)
    with at_work(kb, "gc", "--prune=now"):
        assert not gc_guard.keep(opened(kb), [(3, b"new\n")])
    assert len(turns) == 10


def swept_once_moved(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has what a commit brings swept away as soon as the branch has moved."""
    for path in (kb / ".git/objects").glob("??/*"):
        os.utime(path, (1, 1))
    real = refs._swapped

    def swapped(*args: object) -> str | None:
        said = real(*args)  # type: ignore[arg-type]
        sweep(kb)
        return said

    monkeypatch.setattr(refs, "_swapped", swapped)


def test_what_is_swept_away_in_a_linked_worktree(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_git(kb, "worktree", "add", "-q", "../side", "-b", "side")
    swept_once_moved(kb, monkeypatch)
    done = put(kb.parent / "side", {"kb/new.md": b"new\n"})
    assert run_git(kb, "rev-parse", "side") == done.commit
    assert_in_order(kb.parent / "side")


def test_where_no_pack_can_be_made_the_objects_are_written_again(
    kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the user is told that they may go once more."""

    def fail(*args: object) -> None:
        raise Refused("unable to create temporary file")

    monkeypatch.setattr(gc_guard, "pack", fail)
    monkeypatch.setattr(gc_guard, "pause", lambda longest: None)
    swept_once_moved(kb, monkeypatch)
    with at_work(kb, "gc", "--prune=now"):
        done = put(kb, {"kb/new.md": b"new\n"})
    assert done.notes == (
        "git gc is at work, and may remove a part of the new commit: see git fsck when it has ended",
    )
    assert run_git(kb, "rev-parse", "HEAD") == done.commit
    assert_in_order(kb)


@pytest.mark.parametrize("way", ["commit", "series", "ref", "empty"])
def test_a_commit_that_is_lost_is_told(kb: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    """Its objects are gone once the branch has moved, and nothing can be written any more."""

    def full(path: str, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        real = refs._swapped

        def swapped(*args: object) -> str | None:
            said = real(*args)  # type: ignore[arg-type]
            for path in (kb / ".git/objects").glob("??/*"):
                path.unlink()
            patch.setattr(objects, "_put", full)
            return said

        patch.setattr(refs, "_swapped", swapped)
        words = "a part of the new commit, which cannot be written again: .*No space left"
        if way == "ref":
            with pytest.raises(Refused, match=f"refs/memgit/x is at .*, but git gc may have removed {words}"):
                refs.commit_on(opened(kb), "refs/memgit/x", "use: x\n")
            return
        if way == "empty":
            done = commit_empty(opened(kb), MESSAGE)
        elif way == "series":
            done = commit_series(
                opened(kb), lambda tree, head: [Change({"kb/new.md": b"new\n"}, MESSAGE)], merge=line_merge
            )
        else:
            done = put(kb, {"kb/new.md": b"new\n"})
    assert done.commit is not None and re.search(words, done.notes[0]) and "git fsck" in done.notes[0]


def test_beside_it_nothing_is_lost(kb: Path) -> None:
    child = start(kb, "w", 6)
    while child.poll() is None:
        run_git(kb, "gc", "-q", "--prune=now", check=False)
    assert child.returncode == 0, child.communicate()[0].decode()
    child.communicate()
    assert run_git(kb, "rev-list", "--count", "HEAD") == "7"
    assert_in_order(kb)


def test_while_it_is_held_off_none_begins(kb: Path) -> None:
    path = kb / ".git/gc.pid"
    repo = opened(kb)
    with gc_guard.held_off(repo):
        done = subprocess.run(["git", "gc", "--prune=now"], cwd=kb, capture_output=True, check=False)
        assert done.returncode and b"gc is already running" in done.stderr
        run_git(kb, "gc", "--auto")
        assert not gc_guard.runs(repo)
        with gc_guard.held_off(repo):  # once more
            pass
        assert path.exists()
    assert not path.exists()
    run_git(kb, "gc", "-q", "--prune=now")
    assert_in_order(kb)


def test_who_held_it_off_and_was_killed_is_in_nobodys_way(kb: Path) -> None:
    script = (
        "import os, sys\nfrom memgit.git.commit import gc_guard as collector\nfrom memgit.git.repository import Repository\n"
        "with collector.held_off(Repository.open(sys.argv[1], os.environ)): os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", script, str(kb)], check=False)
    assert (kb / ".git/gc.pid").exists()
    run_git(kb, "gc", "-q", "--prune=now")
    with gc_guard.held_off(opened(kb)):
        assert (kb / ".git/gc.pid").read_text().startswith(f"{os.getpid()} ")


def test_one_that_is_at_work_is_waited_for(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a while, if it may take what is new: whatever it is, its file stays its own."""
    path = kb / ".git/gc.pid"
    monkeypatch.setattr(gc_guard, "WAIT_SECONDS", 0.3)
    with at_work(kb, "gc", "--prune=now"):
        held, start = path.read_text(), time.monotonic()
        with gc_guard.held_off(opened(kb)):
            assert path.read_text() == held and time.monotonic() - start >= 0.3
        assert path.read_text() == held
    monkeypatch.setattr(gc_guard, "WAIT_SECONDS", 60.0)
    with at_work(kb, "gc", "--prune=now"):
        ending = threading.Timer(0.2, path.unlink)
        ending.start()
        with gc_guard.held_off(opened(kb)):
            assert path.read_text().startswith(f"{os.getpid()} ")
        path.touch()  # for `at_work` to remove
    if Path("/proc/self/cmdline").exists():
        with at_work(kb, "gc", "--auto"), gc_guard.held_off(opened(kb)):
            assert not path.read_text().startswith(f"{os.getpid()} ")


@pytest.mark.parametrize("age", [0, 60])
def test_a_lock_that_was_left(kb: Path, monkeypatch: pytest.MonkeyPatch, age: int) -> None:
    """Nothing is held off then, and the lock stays; one that is young may yet go."""
    monkeypatch.setattr(gc_guard, "WAIT_SECONDS", 0.2)
    lock = kb / ".git/gc.pid.lock"
    lock.touch()
    os.utime(lock, (time.time() - age,) * 2)
    start = time.monotonic()
    with gc_guard.held_off(opened(kb)):
        assert not (kb / ".git/gc.pid").exists()
    assert lock.exists() and (time.monotonic() - start >= 0.2 or age)


@pytest.mark.parametrize("way", ["many", "much", "series", "branch"])
def test_long_writes_hold_it_off(kb: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    """What goes into a pack before any ref leads to it: `git gc --prune=now` would remove the whole pack."""
    real, said = refs._swapped, []

    def swapped(*args: object) -> str | None:
        said.append(
            subprocess.run(["git", "gc", "--prune=now"], cwd=kb, capture_output=True, check=False).stderr
        )
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(refs, "_swapped", swapped)
    edits: dict[str, bytes | None] = {f"kb/{number}.md": b"%d\n" % number for number in range(250)}
    if way == "series":
        changes = [Change({path: data}, MESSAGE) for path, data in list(edits.items())[:5]]
        assert len(commit_series(opened(kb), lambda tree, head: changes, merge=line_merge).commits) == 5
    elif way == "branch":
        repo = opened(kb)
        assert put_on(
            repo, "refs/heads/side", None, repo.head().commit, [Change(edits, MESSAGE)]
        ).commit == run_git(kb, "rev-parse", "side")
    else:
        put(kb, edits if way == "many" else {"kb/large.md": os.urandom(9_000_000)})
    assert len(said) == 1 and b"gc is already running" in said[0]
    assert not (kb / ".git/gc.pid").exists()
    assert_in_order(kb)


def test_a_short_write_holds_off_nothing(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(repo: Repository) -> None:
        raise AssertionError("held off")

    monkeypatch.setattr(gc_guard, "held_off", fail)
    put(kb, {"kb/new.md": b"new\n"})

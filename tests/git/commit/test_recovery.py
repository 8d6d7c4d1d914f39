"""Killed at any instant: as before or as after, and the next command puts in order what is left."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from memgit.errors import Refused
from memgit.git.commit import journal, lock, recovery, refs
from memgit.git.repository import Repository
from memgit.git.worktree import index
from tests.git.helpers import (
    assert_in_order,
    commit_files,
    committed,
    leftovers,
    opened,
    porcelain,
    put,
    reflogs,
    staged,
)
from tests.support import run_git

ROOT = Path(__file__).resolve().parents[3]


def writer(folder: Path, *args: str) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.git.writer", str(folder), *args],
        cwd=ROOT,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def kill(child: subprocess.Popen[str], *, with_children: bool) -> None:
    """Kills a writer, and the git that it may have started: what the machine's own end, or a container's,
    does.
    """
    below: list[int] = []
    if with_children and sys.platform == "linux":
        child.send_signal(signal.SIGSTOP)
        with suppress(FileNotFoundError):
            below = [
                int(pid) for pid in Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()
            ]
    child.kill()
    for pid in below:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    child.communicate()


def started(kb: Path) -> subprocess.Popen[str]:
    """A writer that is about to make its commit."""
    child = writer(kb, "w", "1")
    assert child.stdout is not None
    assert child.stdout.readline() == "begin\n"
    return child


@pytest.fixture
def kb(repo: Path) -> Path:
    """A repository in which the file that is about to change has been edited and staged by the user as well."""
    commit_files(repo, {"kb/shared.md": b"top\n\n\n\nmiddle\n\n\n\n", "other": b"x\n"})
    return repo


def edited(kb: Path) -> None:
    (kb / "kb/shared.md").write_bytes(b"TOP\n\n\n\nmiddle\n\n\n\n")
    run_git(kb, "add", "kb/shared.md")
    (kb / "other").write_text("mine\n")


def check_after_kill(kb: Path, before: str) -> str:
    """After a kill: the branch is before or after, one more write works, and only the user's edits are left."""
    head = run_git(kb, "rev-parse", "HEAD")
    assert run_git(kb, "rev-list", "--count", f"{before}..HEAD") in ("0", "1")
    run_git(kb, "fsck", "--strict", "--no-progress", "--no-dangling")
    recovery.mend(opened(kb))
    reflogs(kb)
    assert list(leftovers(kb)) == [] or not journal.pending(str(kb / ".git"))
    moved = head != before
    lines = "w 0\n" if moved else ""
    assert (kb / "kb/shared.md").read_text() == f"TOP\n\n\n\nmiddle\n\n\n\n{lines}"
    assert staged(kb, "kb/shared.md") == f"TOP\n\n\n\nmiddle\n\n\n\n{lines}"
    assert committed(kb, "kb/shared.md") == f"top\n\n\n\nmiddle\n\n\n\n{lines}"
    assert porcelain(kb) == ["M  kb/shared.md", " M other"]
    put(kb, {"kb/next.md": b"next\n"})
    assert porcelain(kb) == ["M  kb/shared.md", " M other"]
    assert_in_order(kb, clean=False)
    return "after" if moved else "before"


@pytest.mark.parametrize("stride", [2, pytest.param(1, marks=pytest.mark.slow)])
def test_killed_at_every_step(kb: Path, monkeypatch: pytest.MonkeyPatch, stride: int) -> None:
    """Once for each file touched and each process started by a commit; all of them in the slow runs."""
    # the same commit each time: an object that is there already is not a step
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_DATE", "1767225600 +0000")
    before = run_git(kb, "rev-parse", "HEAD")
    seen = []
    for step in count(1, stride):
        edited(kb)
        child = writer(kb, "w", "1", str(step))
        _, err = child.communicate()
        if child.returncode == 0:
            break
        assert child.returncode == -signal.SIGKILL, err
        seen.append(check_after_kill(kb, before))
        run_git(kb, "reset", "-q", "--hard", before)
    assert len(seen) > 15 // stride
    assert seen == sorted(seen, reverse=True)
    assert seen[-1] == "after"


@pytest.mark.parametrize("kills", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_killed_at_random(kb: Path, kills: int) -> None:
    edited(kb)
    before = run_git(kb, "rev-parse", "HEAD")
    child = started(kb)
    start = time.monotonic()
    child.communicate()
    longest = min(time.monotonic() - start, 0.3)
    run_git(kb, "reset", "-q", "--hard", before)
    edited(kb)
    chance = random.Random(kills)
    for turn in range(kills):
        child = started(kb)
        time.sleep(longest * chance.uniform(0.0, 0.8))
        kill(child, with_children=bool(turn % 2))
        check_after_kill(kb, before)
        run_git(kb, "reset", "-q", "--hard", before)
        edited(kb)


def test_interrupted_by_the_user(kb: Path) -> None:
    """Ctrl-C reaches the process and git alike."""
    edited(kb)
    before = run_git(kb, "rev-parse", "HEAD")
    chance = random.Random(3)
    for _ in range(6):
        child = started(kb)
        time.sleep(chance.uniform(0.0, 0.02))
        child.send_signal(signal.SIGINT)
        child.communicate()
        check_after_kill(kb, before)
        run_git(kb, "reset", "-q", "--hard", before)
        edited(kb)


def kill_in_child(kb: Path, place: str, function: str, *, after: bool, stage: bool = False) -> None:
    """Makes one write in a process that dies where a function of memgit's begins or ends."""
    folder, module = place.split(".")
    script = f"""
import os, signal
from pathlib import Path
from memgit.git.{folder} import {module}
from tests.git.helpers import put
real = {module}.{function}
def dying(*args, **options):
    if {after}:
        real(*args, **options)
    os.kill(os.getpid(), signal.SIGKILL)
{module}.{function} = dying
put(Path({str(kb)!r}), {{"kb/shared.md": b"top\\n\\n\\n\\nmiddle\\n\\n\\n\\nnew\\n", "kb/new.md": b"new\\n", "gone": None}}, stage={stage})
"""
    child = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert child.returncode == -signal.SIGKILL, child.stderr.decode()


@pytest.fixture
def ready(kb: Path) -> Path:
    commit_files(kb, {"gone": b"x\n"})
    return kb


def test_taken_back_before_the_branch_moved(ready: Path) -> None:
    kill_in_child(ready, "commit.refs", "move", after=False)
    assert porcelain(ready) != []
    assert (ready / ".git/index.lock").exists()
    notes = recovery.mend(opened(ready))
    assert len(notes) == 1
    assert notes[0].startswith("took back a change to gone and 2 more that process ")
    assert (ready / "gone").read_text() == "x\n"
    assert_in_order(ready)
    assert recovery.mend(opened(ready)) == ()


def test_finished_after_the_branch_moved(ready: Path) -> None:
    kill_in_child(ready, "commit.refs", "move", after=True)
    assert (ready / ".git/index.lock").exists()
    done = put(ready, {"kb/next.md": b"next\n"})
    assert done.notes[0].startswith("finished the commit ")
    assert run_git(ready, "log", "--format=%s", "-3").split("\n") == ["record(knowledge): A title"] * 2 + [
        "before"
    ]
    assert_in_order(ready)


def test_finished_where_the_user_removed_the_lock(ready: Path) -> None:
    kill_in_child(ready, "commit.refs", "move", after=True)
    (ready / ".git/index.lock").unlink()
    (ready / "other").write_text("mine\n")
    run_git(ready, "add", "other")
    recovery.mend(opened(ready))
    assert porcelain(ready) == ["M  other"]
    assert_in_order(ready, clean=False)


def test_taken_back_where_the_user_removed_the_lock(ready: Path) -> None:
    kill_in_child(ready, "commit.refs", "move", after=False)
    (ready / ".git/index.lock").unlink()
    (ready / "other").write_text("mine\n")
    run_git(ready, "add", "other")
    recovery.mend(opened(ready))
    assert porcelain(ready) == ["M  other"]
    assert_in_order(ready, clean=False)


def test_edited_by_the_user_before_it_was_taken_back(ready: Path) -> None:
    kill_in_child(ready, "worktree.index", "build", after=False)
    (ready / "kb/shared.md").write_text("entirely mine\n")
    notes = recovery.mend(opened(ready))
    assert (ready / "kb/shared.md").read_text() == "entirely mine\n"
    kept = next(note for note in notes if "was edited meanwhile" in note).rpartition(" is in ")[2]
    assert Path(kept).read_bytes() == b"top\n\n\n\nmiddle\n\n\n\n"
    assert porcelain(ready) == [" M kb/shared.md"]
    assert_in_order(ready, clean=False)


def test_reset_by_the_user_before_it_was_finished(ready: Path) -> None:
    before = run_git(ready, "rev-parse", "HEAD")
    kill_in_child(ready, "commit.refs", "move", after=True)
    (ready / ".git/index.lock").unlink()
    run_git(ready, "reset", "-q", "--hard", before)
    notes = recovery.mend(opened(ready))  # the index did not know the new file, so the reset left it
    assert [note.partition(" that process")[0] for note in notes] == ["took back a change to kb/new.md"]
    assert_in_order(ready)


def test_branch_switched_by_the_user_meanwhile(ready: Path) -> None:
    run_git(ready, "branch", "side")
    kill_in_child(ready, "commit.refs", "move", after=True)
    (ready / ".git/index.lock").unlink()
    run_git(ready, "checkout", "-q", "-f", "side")
    recovery.mend(opened(ready))
    assert_in_order(ready)


def test_killed_before_the_lock_with_a_private_index_left(ready: Path) -> None:
    kill_in_child(ready, "worktree.index", "lock", after=False)
    put(ready, {"kb/next.md": b"next\n"})
    assert_in_order(ready)


def test_killed_after_everything_but_the_journal(ready: Path) -> None:
    kill_in_child(ready, "worktree.index", "publish", after=True)
    recovery.mend(opened(ready))
    assert_in_order(ready)
    assert run_git(ready, "log", "-1", "--format=%s") == "record(knowledge): A title"


@pytest.mark.parametrize(("function", "done"), [("build", False), ("publish", True)])
def test_killed_while_staging(ready: Path, function: str, done: bool) -> None:
    kill_in_child(ready, "worktree.index", function, after=False, stage=True)
    recovery.mend(opened(ready))
    assert porcelain(ready) == (["D  gone", "A  kb/new.md", "M  kb/shared.md"] if done else [])
    assert_in_order(ready, clean=False)


def test_lock_on_the_branch_left_by_a_dead_writer(ready: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "_ORPHAN", 0.2)
    kill_in_child(ready, "commit.refs", "move", after=False)
    held = json.loads((ready / ".git/memgit/journal.json").read_text())
    path = ready / ".git/refs/heads/main.lock"
    path.write_text(held["commit"] + "\n")
    put(ready, {"kb/next.md": b"next\n"})
    assert_in_order(ready)
    kill_in_child(ready, "commit.refs", "move", after=False)
    path.write_text("")
    put(ready, {"kb/next.md": b"again\n"})
    assert_in_order(ready)


def test_killed_when_a_reflog_told_of_the_move_already(ready: Path) -> None:
    """The move did not come: its line is taken off again, and the locks on branch and HEAD are given up."""
    before = reflogs(ready)
    kill_in_child(ready, "commit.refs", "move", after=False)
    held = json.loads((ready / ".git/memgit/journal.json").read_text())
    for name in ("refs/heads/main", "HEAD"):  # as a git leaves them that ends with the machine
        (ready / f".git/{name}.lock").write_text(held["commit"] + "\n")
    log = ready / ".git/logs/refs/heads/main"
    with log.open("a") as file:
        file.write(f"{before['HEAD'][-1][1]} {held['commit']} A <a@b> 1 +0000\tmemgit: x\n")
    assert recovery.mend(opened(ready))[0].startswith("took back")
    assert reflogs(ready) == before
    assert_in_order(ready)


def test_lock_on_head_left_by_a_dead_writer(ready: Path) -> None:
    """It was killed when the branch had moved: the reflogs are right."""
    kill_in_child(ready, "commit.refs", "_swapped", after=True)
    held = json.loads((ready / ".git/memgit/journal.json").read_text())
    (ready / ".git/HEAD.lock").write_text(held["commit"] + "\n")
    after = reflogs(ready)
    assert recovery.mend(opened(ready))[0].startswith("finished the commit")
    assert reflogs(ready) == after
    assert_in_order(ready)


@pytest.mark.parametrize("branch", ["", "written"])
def test_empty_lock_on_head_left_by_a_dead_writer(
    ready: Path, monkeypatch: pytest.MonkeyPatch, branch: str
) -> None:
    """It was killed when it had made HEAD's lock: the branch's was there before."""
    monkeypatch.setattr(recovery, "_ORPHAN", 0.1)
    kill_in_child(ready, "commit.refs", "move", after=False)
    held = json.loads((ready / ".git/memgit/journal.json").read_text())
    (ready / ".git/refs/heads/main.lock").write_text(held["commit"] + "\n" if branch else "")
    (ready / ".git/HEAD.lock").touch()
    assert recovery.mend(opened(ready))[0].startswith("took back")
    assert_in_order(ready)


@pytest.mark.parametrize("dead", [True, False])
def test_empty_lock_on_head_after_the_branch_moved(
    ready: Path, monkeypatch: pytest.MonkeyPatch, dead: bool
) -> None:
    """One that is younger than the branch is another program's."""
    monkeypatch.setattr(recovery, "_ORPHAN", 0.1)
    kill_in_child(ready, "commit.refs", "_swapped", after=True)
    head = ready / ".git/HEAD.lock"
    head.touch()
    moved = (ready / ".git/refs/heads/main").stat().st_mtime_ns
    os.utime(head, ns=(moved, moved + (0 if dead else 1_000_000)))
    assert recovery.mend(opened(ready))[0].startswith("finished the commit")
    assert head.exists() is not dead
    head.unlink(missing_ok=True)
    assert_in_order(ready)


@pytest.mark.parametrize("branch", [None, "0" * 40])
def test_empty_lock_on_head_of_another_program_is_left(
    ready: Path, monkeypatch: pytest.MonkeyPatch, branch: str | None
) -> None:
    monkeypatch.setattr(recovery, "_ORPHAN", 0.1)
    kill_in_child(ready, "commit.refs", "move", after=False)
    locks = [ready / ".git/HEAD.lock"]
    locks[0].touch()
    if branch is not None:
        locks.append(ready / ".git/refs/heads/main.lock")
        locks[1].write_text(branch + "\n")
    recovery.mend(opened(ready))
    assert all(path.exists() for path in locks)
    for path in locks:
        path.unlink()
    assert_in_order(ready)


def test_a_commit_of_git_that_waits_for_a_hook_keeps_its_locks(
    ready: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It holds an empty lock on HEAD for as long as the hook runs."""
    monkeypatch.setattr(recovery, "_ORPHAN", 0.1)
    kill_in_child(ready, "worktree.index", "lock", after=False)
    hook = ready / ".git/hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        "#!/bin/sh\n"
        '[ "$1" = prepared ] && grep -q refs/heads/main || exit 0\n'  # newer git prepares AUTO_MERGE too
        ": >.git/waits\nwhile [ -e .git/waits ]; do sleep 0.01; done\n"
    )
    hook.chmod(0o755)
    head = ready / ".git/HEAD.lock"
    with subprocess.Popen(["git", "commit", "-q", "--allow-empty", "-m", "by hand"], cwd=ready) as child:
        while not (ready / ".git/waits").exists():
            assert child.poll() is None
            time.sleep(0.01)
        held = head.exists()
        recovery.mend(opened(ready))
        kept = head.exists()
        (ready / ".git/waits").unlink()
    assert (held, kept, child.returncode) == (True, True, 0)
    assert run_git(ready, "log", "-1", "--format=%s") == "by hand"
    assert_in_order(ready)


def test_lock_on_the_branch_of_another_program_is_left(ready: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refs, "LOCK_WAIT", 0.2)
    path = ready / ".git/refs/heads/main.lock"
    path.write_text("0" * 40 + "\n")
    with pytest.raises(
        Refused, match=r"another program holds refs/heads/main: .*main\.lock is \d+ seconds old"
    ):
        put(ready, {"kb/next.md": b"next\n"})
    assert path.exists()
    path.unlink()
    assert_in_order(ready)


def test_mend_leaves_a_living_writer_alone(ready: Path) -> None:
    kill_in_child(ready, "commit.refs", "move", after=False)
    repo = opened(ready)
    with lock.hold(repo, 0):
        assert recovery.mend(opened(ready)) == ()
    assert journal.pending(str(ready / ".git"))
    recovery.mend(repo)
    assert_in_order(ready)


@pytest.mark.parametrize(
    "text", ['{"version": 99}', '"x"', "7", "null", "[" * 100_000, "", '{"version": 1, "steps": 5}']
)
def test_journal_of_a_newer_memgit_or_damaged(ready: Path, text: str) -> None:
    (ready / ".git/memgit").mkdir(exist_ok=True)
    (ready / ".git/memgit/journal.json").write_text(text)
    with pytest.raises(Refused, match="not in a form that this memgit reads"):
        put(ready, {"kb/next.md": b"next\n"})
    assert "could not be ended" in recovery.mend(opened(ready))[0]


def test_killed_while_a_hook_runs(ready: Path) -> None:
    hook = ready / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\necho formatted > kb/shared.md\nkill -9 $PPID\nexit 0\n")
    hook.chmod(0o755)
    write = f"put(Path({str(ready)!r}), {{'kb/shared.md': b'new\\n', 'kb/new.md': b'n\\n'}})"
    script = f"from tests.git.helpers import put; from pathlib import Path; {write}"
    child = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False
    )
    assert child.returncode == -signal.SIGKILL
    hook.unlink()
    notes = recovery.mend(opened(ready))
    assert any("what a hook had made of it" in note for note in notes)
    assert_in_order(ready)


def test_error_after_the_branch_moved_still_finishes(ready: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = refs.move

    def move(*args: object) -> None:
        real(*args)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(refs, "move", move)
    with pytest.raises(KeyboardInterrupt):
        put(ready, {"kb/next.md": b"next\n"})
    assert committed(ready, "kb/next.md") == "next\n"
    assert_in_order(ready)


@pytest.mark.parametrize("function", ["build", "lock"])
def test_error_before_the_branch_moved_takes_back(
    ready: Path, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    def fail(repo: Repository, *args: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(index, function, fail)
    with pytest.raises(KeyboardInterrupt):
        put(ready, {"kb/next.md": b"next\n", "gone": None, "other": b"new\n"})
    assert_in_order(ready)


def test_repository_moved_after_the_kill(ready: Path, tmp_path: Path) -> None:
    kill_in_child(ready, "commit.refs", "move", after=False)
    moved = tmp_path / "moved"
    ready.rename(moved)
    assert recovery.mend(opened(moved))[0].startswith("took back")
    assert_in_order(moved)


def test_git_that_still_moves_the_branch_holds_the_lock(ready: Path) -> None:
    """memgit is killed while `git update-ref` runs: the next one waits for it, and finds the commit made."""
    hook = ready / ".git/hooks/reference-transaction"
    hook.write_text('#!/bin/sh\n[ "$1" = prepared ] && { touch ../started; sleep 0.7; }\nexit 0\n')
    hook.chmod(0o755)
    write = f"put(Path({str(ready)!r}), {{'kb/new.md': b'n\\n'}})"
    script = f"from tests.git.helpers import put; from pathlib import Path; {write}"
    child = subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    while not (ready / "../started").exists():
        time.sleep(0.01)
    child.kill()
    child.wait()
    with pytest.raises(lock.Busy):
        put(ready, {"kb/next.md": b"x\n"}, lock_timeout=0.1)
    hook.unlink()
    done = put(ready, {"kb/next.md": b"next\n"})
    assert done.notes[0].startswith("finished the commit")
    assert run_git(ready, "rev-list", "--count", "HEAD") == "4"
    assert_in_order(ready)


def test_part_of_an_interrupted_change_was_committed_by_the_user(ready: Path) -> None:
    (ready / "kb/shared.md").write_bytes(b"top\n\n\n\nmiddle\n\n\nmine\n\n")
    kill_in_child(ready, "worktree.index", "build", after=False)
    (ready / "kb/shared.md").write_bytes(b"top\n\n\n\nmiddle\n\n\nmine\n\nnew\n")
    run_git(ready, "add", "kb/shared.md")
    run_git(ready, "commit", "-q", "-m", "mine", "--", "kb/shared.md")
    before = (ready / "kb/shared.md").read_bytes()
    notes = recovery.mend(opened(ready))
    assert (ready / "kb/shared.md").read_bytes() == before
    assert any("another commit came first" in note for note in notes)
    assert porcelain(ready) == []
    assert_in_order(ready)

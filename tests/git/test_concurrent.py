"""Many writers at once, in one clone and in linked worktrees: all succeed, none is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memgit.errors import Refused
from memgit.git.commit import lock
from tests.git.helpers import assert_in_order, commit_files, committed, opened, put
from tests.support import run_git

ROOT = Path(__file__).resolve().parents[2]


def start(folder: Path, name: str, count: int) -> subprocess.Popen[bytes]:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    args = [sys.executable, "-m", "tests.git.writer", str(folder), name, str(count)]
    return subprocess.Popen(args, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


@pytest.mark.parametrize(
    ("writers", "count"), [pytest.param(4, 4), pytest.param(12, 10, marks=pytest.mark.slow)]
)
def test_all_succeed_in_some_order(repo: Path, tmp_path: Path, writers: int, count: int) -> None:
    commit_files(repo, {"kb/shared.md": b"shared\n"})
    linked = tmp_path / "linked"
    run_git(repo, "worktree", "add", "-q", "-b", "side", str(linked))
    (repo / "mine").write_text("mine\n")
    run_git(repo, "add", "mine")
    running = [
        (folder, start(folder, f"w{number}", count)) for folder in (repo, linked) for number in range(writers)
    ]
    for _, child in running:
        out, _ = child.communicate()
        assert child.returncode == 0, out.decode()
    for folder in (repo, linked):
        assert run_git(folder, "rev-list", "--count", "HEAD") == str(1 + writers * count)
        assert run_git(folder, "rev-list", "--count", "--min-parents=2", "HEAD") == "0"
        lines = committed(folder, "kb/shared.md").splitlines()
        assert sorted(lines[1:]) == sorted(
            f"w{number} {turn}" for number in range(writers) for turn in range(count)
        )
        assert (folder / "kb/shared.md").read_text().splitlines() == lines
    assert run_git(repo, "status", "--porcelain") == "A  mine"
    assert_in_order(repo, clean=False)
    assert_in_order(linked)


def test_the_first_commits_of_a_repository(repo: Path) -> None:
    running = [start(repo, f"w{number}", 2) for number in range(4)]
    for child in running:
        out, _ = child.communicate()
        assert child.returncode == 0, out.decode()
    assert run_git(repo, "rev-list", "--count", "HEAD") == "8"
    assert len(committed(repo, "kb/shared.md").splitlines()) == 8
    assert_in_order(repo)


def test_beside_commits_of_plain_git(repo: Path) -> None:
    commit_files(repo, {"kb/shared.md": b"shared\n"})
    script = (
        "for i in 1 2 3 4 5 6 7 8; do echo $i > p-$i; until git add p-$i && git commit -q -m plain -- "
        "p-$i; do sleep 0.01; done; done"
    )
    plain = subprocess.Popen(["sh", "-c", script], cwd=repo, stderr=subprocess.DEVNULL)
    child = start(repo, "w", 8)
    out, _ = child.communicate()
    plain.wait()
    assert child.returncode == 0, out.decode()
    assert run_git(repo, "rev-list", "--count", "HEAD") == "17"
    assert committed(repo, "kb/shared.md").count("w ") == 8
    assert_in_order(repo)


def test_lock_is_waited_for_and_its_holder_named(repo: Path) -> None:
    commit_files(repo, {"a.md": b"a\n"})
    holder = opened(repo)
    with (
        lock.hold(holder, 0),
        pytest.raises(Refused, match=rf"another memgit \(process {os.getpid()}\) has been writing") as caught,
    ):
        put(repo, {"a.md": b"b\n"}, lock_timeout=0.1)
    assert isinstance(caught.value, lock.Busy)
    put(repo, {"a.md": b"b\n"})
    assert_in_order(repo)


def test_lock_dies_with_its_holder(repo: Path) -> None:
    commit_files(repo, {"a.md": b"a\n"})
    script = (
        "import os, sys, time\nfrom memgit.git.commit import lock\nfrom memgit.git.repository import Repository\n"
        f"with lock.hold(Repository.open({str(repo)!r}, os.environ), 0):\n    print('held', "
        "flush=True); time.sleep(60)"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"held\n"
    with pytest.raises(lock.Busy, match=f"process {child.pid}"):
        put(repo, {"a.md": b"b\n"}, lock_timeout=0)
    child.kill()
    child.communicate()
    put(repo, {"a.md": b"b\n"})
    assert_in_order(repo)


def test_child_processes_do_not_inherit_the_lock(repo: Path) -> None:
    """A hook may leave a process behind; that must not block the next write."""
    commit_files(repo, {"a.md": b"a\n"})
    hook = repo / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\nsleep 30 >/dev/null 2>&1 &\n")
    hook.chmod(0o755)
    put(repo, {"a.md": b"b\n"})
    hook.unlink()
    put(repo, {"a.md": b"c\n"}, lock_timeout=0.5)


def test_lock_file_that_only_another_user_may_write(repo: Path) -> None:
    commit_files(repo, {"a.md": b"a\n"})
    put(repo, {"a.md": b"b\n"})
    (repo / ".git/memgit/lock").chmod(0o444)
    put(repo, {"a.md": b"c\n"})
    assert_in_order(repo)

"""`git update-index` started first of all: used only where it has read the very index that is there, and
never missed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memgit.git import early_index
from memgit.git.worktree import index
from tests.git.helpers import assert_in_order, commit_files, leftovers, opened, porcelain, put, staged
from tests.git.worktree.test_index import exercise
from tests.support import run_git

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def kb(repo: Path) -> Iterator[Path]:
    commit_files(repo, {f"kb/{number:03}.md": f"{number}\n".encode() for number in range(50)})
    (repo / ".git/memgit").mkdir()
    yield repo
    early_index.forget()
    assert list((repo / ".git/memgit").glob("work.*")) == []


def begin(folder: Path) -> bool:
    """Whether it was begun."""
    early_index.begin(str(folder), os.environ)
    return bool(early_index._begun)


def test_it_makes_the_index(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert begin(kb)
    with monkeypatch.context() as patch:
        patch.setattr(index, "_update", None)
        put(kb, {"kb/001.md": b"new\n", "kb/new.md": b"new\n", "kb/000.md": None})
    assert_in_order(kb)
    put(kb, {"kb/001.md": b"newer\n"})  # it serves once
    assert_in_order(kb)


def test_edits_of_the_user_stay(kb: Path) -> None:
    assert begin(kb)
    exercise(kb)


@pytest.mark.parametrize("setting", ["split", "untracked", "version 4"])
def test_every_kind_of_index(kb: Path, setting: str) -> None:
    if setting == "split":
        run_git(kb, "config", "core.splitIndex", "true")
        run_git(kb, "update-index", "--split-index")
    elif setting == "untracked":
        run_git(kb, "update-index", "--force-untracked-cache")
        run_git(kb, "status")
    else:
        run_git(kb, "update-index", "--index-version", "4")
    assert begin(kb)
    exercise(kb)


def test_an_index_that_changed_meanwhile(kb: Path) -> None:
    assert begin(kb)
    (kb / "mine").write_text("mine\n")
    run_git(kb, "add", "mine")
    put(kb, {"kb/001.md": b"new\n"})
    early_index.forget()
    assert porcelain(kb) == ["A  mine"] and staged(kb, "mine") == "mine\n"
    assert_in_order(kb, clean=False)


def test_one_that_failed(kb: Path) -> None:
    assert begin(kb)
    [waiting] = early_index._begun
    assert waiting._child is not None
    waiting._child.kill()
    put(kb, {"kb/001.md": b"new\n"})
    assert_in_order(kb)


def test_where_nothing_is_begun(kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No index yet, a linked working tree, another index, no repository, one that memgit has never written
    to.
    """
    assert not begin(tmp_path)
    run_git(kb, "worktree", "add", "-q", str(tmp_path / "linked"))
    assert not begin(tmp_path / "linked")
    (kb / ".git/index").rename(kb / "away")
    assert not begin(kb)
    (kb / "away").rename(kb / ".git/index")
    with monkeypatch.context() as patch:
        patch.setenv("GIT_INDEX_FILE", str(kb / ".git/other"))
        assert not begin(kb)
    (kb / ".git/memgit").rmdir()
    assert not begin(kb)
    (kb / ".git/memgit").mkdir()


def test_another_repository(kb: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", str(kb), "second")
    assert begin(kb)
    put(tmp_path / "second", {"kb/001.md": b"new\n"})
    early_index.forget()
    assert_in_order(tmp_path / "second")
    assert_in_order(kb)


def test_it_ends_with_whoever_has_begun_it(kb: Path) -> None:
    """Its standard input ends then, and it has changed nothing."""
    before = (kb / ".git/index").read_bytes()
    program = "import os; from memgit.git import early_index as early; early.begin('.', os.environ); "
    program += "print(early._begun[0]._child.pid, flush=True); os.kill(os.getpid(), 9)"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], cwd=kb, env=env, capture_output=True, check=False)
    assert done.returncode == -9
    pid = int(done.stdout)
    subprocess.run(["timeout", "20", "tail", "-f", "--pid", str(pid), "/dev/null"], check=True)
    assert (kb / ".git/index").read_bytes() == before and not (kb / ".git/index.lock").exists()
    assert len(list((kb / ".git/memgit").glob("work.*"))) == 1
    put(kb, {"kb/001.md": b"new\n"})
    assert list(leftovers(kb)) == []
    assert_in_order(kb)


def test_a_living_one_of_another_process_is_left_alone(kb: Path) -> None:
    """Its git must not find the folder without the index, which it would take for an empty one."""
    child = subprocess.Popen(["sleep", "60"])
    folder = kb / f".git/memgit/work.{child.pid}.early"
    folder.mkdir()
    os.link(kb / ".git/index", folder / "index")
    put(kb, {"kb/001.md": b"new\n"})
    assert (folder / "index").exists()
    child.kill()
    child.wait()
    (kb / ".git/memgit/work.x.early").mkdir()
    put(kb, {"kb/001.md": b"newer\n"})
    assert list(leftovers(kb)) == []


@pytest.mark.parametrize(("body", "code"), [("Twice a day.", 0), ("", 2)])
def test_a_whole_process(repo: Path, body: str, code: int) -> None:
    argv = [sys.executable, "-m", "memgit", "-C", str(repo)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([*argv, "init", str(repo)], env=env, check=True, capture_output=True)
    argv += ["record", "memory", "Tides" if body else "", "-m", body]
    done = subprocess.run(argv, env=env, check=False, stdin=subprocess.DEVNULL, capture_output=True)
    assert done.returncode == code, done.stderr
    assert list((repo / ".git/memgit").glob("work.*")) == [] and porcelain(repo) == []
    assert opened(repo).head().commit == run_git(repo, "rev-parse", "HEAD")

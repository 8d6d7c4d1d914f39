"""What is uncommitted, as a process that stays knows it: always what git says."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from memgit.git.worktree import watch
from memgit.git.worktree.status import edited
from memgit.git.worktree.watch import Unwatchable, Watch, WatchedStatus
from tests.git.helpers import opened
from tests.support import run_git


@pytest.fixture
def tree(repo: Path) -> Path:
    for name in ("a.md", "notes/b.md", "notes/deep/c.md", "other.txt"):
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(f"# {name}\n", encoding="utf-8")
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-qm", "start")
    return repo


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows with every question to git."""
    count: list[int] = []

    def counting(*args: object) -> object:
        count.append(1)
        return edited(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(watch, "edited", counting)
    return count


def watchable(folder: Path) -> bool:
    try:
        Watch(str(folder)).close()
    except Unwatchable:
        return False
    return True


def new_folder(top: Path) -> None:
    (top / "new").mkdir(exist_ok=True)


def nested(top: Path) -> None:
    (top / "x/y/z").mkdir(parents=True, exist_ok=True)
    (top / "x/y/z/e.md").write_text("# e\n", encoding="utf-8")


CHANGES: tuple[Callable[[Path], object], ...] = (
    lambda top: (top / "a.md").write_text("# other\n", encoding="utf-8"),
    new_folder,
    lambda top: (top / "new/d.md").write_text("# d\n", encoding="utf-8") if (top / "new").is_dir() else None,
    nested,
    lambda top: (
        (top / "notes").rename(top / "moved")
        if (top / "notes").exists() and not (top / "moved").exists()
        else None
    ),
    lambda top: (top / "moved/b.md").write_text("# b2\n") if (top / "moved").exists() else None,
    lambda top: (
        (top / "moved").rename(top / "notes")
        if (top / "moved").exists() and not (top / "notes").exists()
        else None
    ),
    lambda top: (top / "a.md").unlink(missing_ok=True),
    lambda top: (top / ".gitignore").write_text("d.md\n", encoding="utf-8"),
    lambda top: (top / ".gitignore").unlink(missing_ok=True),
    lambda top: (top / ".git/info/exclude").write_text("e.md\n", encoding="utf-8"),
    lambda top: run_git(top, "add", "-A"),
    lambda top: run_git(top, "commit", "-q", "--allow-empty", "-m", "more"),
    lambda top: run_git(top, "stash", "-q", "-u"),
    lambda top: run_git(top, "checkout", "-q", "-f", "HEAD~0"),
    lambda top: (top / "link.md").symlink_to("a.md") if not os.path.lexists(top / "link.md") else None,
    lambda top: run_git(top, "rm", "-q", "--cached", "--ignore-unmatch", "a.md"),
    lambda top: os.utime(top / "other.txt") if (top / "other.txt").exists() else None,
    lambda top: run_git(top, "config", "core.excludesFile", str(top / ".git/mine")),
    lambda top: (top / ".git/mine").write_text("c.md\n", encoding="utf-8"),
)


@pytest.mark.parametrize("seed", range(3))
def test_it_says_what_git_says(tree: Path, seed: int) -> None:
    draw = random.Random(seed)
    repo = opened(tree)
    status = WatchedStatus(repo)
    for _ in range(15):
        draw.choice(CHANGES)(tree)
        now = opened(tree)  # settings as they are
        commit = now.head().commit
        if now.settings.get("core.excludesfile") != repo.settings.get("core.excludesfile"):
            status.close()  # as a server does where the configuration changed
            repo, status = now, WatchedStatus(now)
        for folders in (("",), ("notes/", "new/")):
            assert status.edited(commit, folders) == edited(now, commit, folders)
    status.close()


def test_git_is_asked_once_while_nothing_is_touched(tree: Path, asked: list[int]) -> None:
    if not watchable(tree):
        pytest.skip("no notes from this kernel")
    repo = opened(tree)
    status = WatchedStatus(repo)
    commit = repo.head().commit
    for _ in range(5):
        assert status.edited(commit, ("",)) == []
    assert len(asked) == 1
    (tree / "notes/deep/c.md").write_text("# other\n", encoding="utf-8")
    for _ in range(5):
        assert [row.path for row in status.edited(commit, ("",))] == ["notes/deep/c.md"]
    assert len(asked) == 2
    status.close()
    assert status.edited(commit, ("",)) and len(asked) == 3


@pytest.mark.parametrize("kind", ["nfs4", "fuse.sshfs", "9p", ""])
def test_git_is_asked_each_time_where_others_may_write(
    tree: Path, asked: list[int], monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(watch, "_file_system", lambda folder: kind)
    repo = opened(tree)
    status = WatchedStatus(repo)
    for _ in range(3):
        assert status.edited(repo.head().commit, ("",)) == []
    assert len(asked) == 3


def test_more_folders_than_can_be_watched(
    tree: Path, asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = opened(tree)
    status = WatchedStatus(repo)
    monkeypatch.setattr(watch, "MAX_FOLDERS", 4)
    for number in range(6):
        (tree / f"more{number}").mkdir()
        (tree / f"more{number}/n.md").write_text("# n\n", encoding="utf-8")
        assert len(status.edited(repo.head().commit, ("",))) == number + 1
    status.close()


def test_what_is_kept_goes_when_something_is_touched(tree: Path) -> None:
    if not watchable(tree):
        pytest.skip("no notes from this kernel")
    repo = opened(tree)
    status = WatchedStatus(repo)
    commit = repo.head().commit
    status.edited(commit, ("",))
    status.kept["a"] = 1
    status.edited(commit, ("notes/",))
    assert status.kept == {"a": 1}
    (tree / "other.txt").write_text("x\n", encoding="utf-8")
    status.edited(commit, ("",))
    assert status.kept == {}
    status.close()
    status.edited(commit, ("",))
    status.kept["a"] = 1
    status.edited(commit, ("",))
    assert status.kept == {}

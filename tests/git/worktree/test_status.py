"""What differs between HEAD and the working tree."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memgit.git.worktree.status import Dirty, dirty
from tests.git.helpers import commit_files, opened
from tests.support import run_git


@pytest.fixture
def kb(repo: Path) -> Path:
    commit_files(
        repo,
        {
            f"kb/{name}": f"{name}\n".encode()
            for name in ("edited", "staged", "both", "gone", "removed", "uncached", "renamed", "kind")
        },
    )
    commit_files(repo, {".gitignore": b"*.tmp\n", "outside": b"x\n"})
    return repo


def test_every_kind(kb: Path) -> None:
    (kb / "kb/edited").write_text("1\n")
    (kb / "kb/staged").write_text("1\n")
    run_git(kb, "add", "kb/staged")
    (kb / "kb/both").write_text("1\n")
    run_git(kb, "add", "kb/both")
    (kb / "kb/both").write_text("2\n")
    (kb / "kb/gone").unlink()
    run_git(kb, "rm", "-q", "kb/removed")
    run_git(kb, "rm", "-q", "--cached", "kb/uncached")
    run_git(kb, "mv", "kb/renamed", "kb/new name\n")
    (kb / "kb/kind").unlink()
    (kb / "kb/kind").symlink_to("edited")
    (kb / "kb/added").write_text("a\n")
    run_git(kb, "add", "kb/added")
    (kb / "kb/meant").write_text("m\n")
    run_git(kb, "add", "-N", "kb/meant")
    (kb / "kb/deep/er").mkdir(parents=True)
    (kb / "kb/deep/er/loose").write_text("l\n")
    (kb / "kb/ignored.tmp").write_text("i\n")
    (kb / "outside").write_text("o\n")
    with open(os.fsencode(kb) + b"/kb/caf\xe9", "wb") as file:
        file.write(b"x\n")
    assert dirty(opened(kb).at_prefix("kb")) == [
        Dirty("added", "added"),
        Dirty("both", "modified"),
        Dirty("caf\udce9", "untracked"),
        Dirty("deep/er/loose", "untracked"),
        Dirty("edited", "modified"),
        Dirty("gone", "deleted"),
        Dirty("kind", "typechange"),
        Dirty("meant", "added"),
        Dirty("new name\n", "added"),
        Dirty("removed", "deleted"),
        Dirty("renamed", "deleted"),
        Dirty("staged", "modified"),
        Dirty("uncached", "modified"),
    ]
    assert Dirty("outside", "modified") in dirty(opened(kb))


def test_unmerged(kb: Path) -> None:
    run_git(kb, "checkout", "-q", "-b", "side")
    commit_files(kb, {"kb/both": b"side\n"})
    run_git(kb, "checkout", "-q", "main")
    commit_files(kb, {"kb/both": b"main\n"})
    run_git(kb, "merge", "side", check=False)
    assert dirty(opened(kb)) == [Dirty("kb/both", "unmerged")]


def test_clean_bare_and_nested(kb: Path, tmp_path: Path) -> None:
    assert dirty(opened(kb)) == []
    run_git(kb, "init", "-q", "kb/nested")
    (kb / "kb/nested/file").write_text("x\n")
    assert dirty(opened(kb)) == []
    run_git(tmp_path, "clone", "-q", "--bare", str(kb), "bare.git")
    assert dirty(opened(tmp_path / "bare.git")) == []


def test_the_index_is_not_written(kb: Path) -> None:
    """A read takes no lock: a `git add` at the same moment must not fail because of it."""
    index = kb / ".git/index"
    os.utime(kb / "kb/edited", (1, 1))
    before = index.stat().st_mtime_ns, index.stat().st_ino
    dirty(opened(kb))
    assert (index.stat().st_mtime_ns, index.stat().st_ino) == before

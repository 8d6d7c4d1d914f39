"""Versions of the index: told apart by what git does to it, and not by the second name that a write of
memgit's gives it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memgit.git import early, early_index
from memgit.git.worktree import index
from memgit.git.worktree.stamp import stamp_at
from memgit.git.worktree.status import Look
from tests.git.helpers import commit_files, opened
from tests.support import run_git


@pytest.fixture
def kb(repo: Path) -> Path:
    commit_files(repo, {"a.md": b"a\n", "b.md": b"b\n"})
    (repo / ".git/memgit").mkdir()
    return repo


def test_a_write_of_git_makes_another_version(kb: Path) -> None:
    path = str(kb / ".git/index")
    before = stamp_at(path)
    (kb / "c.md").write_text("c\n")
    run_git(kb, "add", "c.md")
    assert before is not None and stamp_at(path) not in (None, before)


def test_where_there_is_none(kb: Path) -> None:
    assert stamp_at(str(kb / "none")) is None
    assert stamp_at(str(kb / "a.md/none")) is None


def test_a_second_name_makes_no_other_version(kb: Path) -> None:
    path = kb / ".git/index"
    before, changed = stamp_at(str(path)), path.stat().st_ctime_ns
    while path.stat().st_ctime_ns == changed:  # as far as the file system tells times apart
        os.link(path, kb / ".git/second")
        (kb / ".git/second").unlink()
    assert stamp_at(str(path)) == before
    assert index.pin(opened(kb), str(kb / ".git/memgit/pinned")).stamp == before


@pytest.mark.parametrize("begun", [True, False])
def test_a_look_does_not_begin_again_because_somebody_writes(
    kb: Path, begun: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    begins: list[str | None] = []
    begin = Look._begin

    def counted(look: Look, commit: str, found: early.Early | None) -> None:
        begins.append(commit)
        begin(look, commit, found)

    monkeypatch.setattr(Look, "_begin", counted)
    (kb / ".memgit.yaml").write_text("layout: memgit\n")
    if begun:
        early.begin(str(kb), os.environ)
        assert early._begun
    repo = opened(kb)
    (kb / "a.md").write_text("more\n")
    look = Look(repo, repo.head().commit, ("",))
    changed = (kb / ".git/index").stat().st_ctime_ns
    while (kb / ".git/index").stat().st_ctime_ns == changed:
        early_index.begin(str(kb), os.environ)
        assert early_index._begun
        early_index.forget()
    assert [row.path for row in look.rows()] == ["a.md"]
    assert len(begins) == 1

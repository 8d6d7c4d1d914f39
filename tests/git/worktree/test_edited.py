"""Which Markdown files below some folders differ from a commit, also where HEAD moves meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgit.git.repository import Repository
from memgit.git.worktree import status
from memgit.git.worktree.status import Dirty, dirty, edited
from tests.git.helpers import commit_files, opened
from tests.support import run_git
from tests.support import status as status_of

ROOTS = ("a/", "b/deep/", "n/")


@pytest.fixture
def kb(repo: Path) -> Path:
    commit_files(
        repo,
        {
            f"{folder}{name}.md": f"{name}\n".encode()
            for folder in ("a/", "a/x/", "b/", "b/deep/", "b/deep/er/", "c/")
            for name in "123"
        },
    )
    commit_files(repo, {".gitignore": b"*.tmp.md\nignored/\n", "a/other.txt": b"x\n"})
    return repo


def names(repo: Repository, roots: tuple[str, ...] = ROOTS) -> list[str]:
    return [row.path for row in edited(repo, repo.head().commit, roots)]


def test_every_kind(kb: Path) -> None:
    (kb / "a/1.md").write_text("changed\n")
    (kb / "a/2.md").unlink()
    (kb / "a/new.md").write_text("new\n")
    (kb / "a/new.txt").write_text("no record\n")
    (kb / "a/x.tmp.md").write_text("ignored\n")
    (kb / "a/ignored").mkdir()
    (kb / "a/ignored/y.md").write_text("ignored\n")
    (kb / "a/staged.md").write_text("staged\n")
    run_git(kb, "add", "a/staged.md")
    (kb / "a/meant.md").write_text("meant\n")
    run_git(kb, "add", "-N", "a/meant.md")
    run_git(kb, "rm", "-q", "--cached", "a/3.md")
    (kb / "b/deep/new/er").mkdir(parents=True)
    (kb / "b/deep/new/er/z.md").write_text("new\n")
    (kb / "b/outside.md").write_text("not below a root\n")
    (kb / "a/link.md").symlink_to("1.md")
    run_git(kb, "init", "-q", "a/inner")
    (kb / "a/inner/i.md").write_text("of a repository of its own\n")
    opened_ = opened(kb)
    want = [
        "a/1.md",
        "a/2.md",
        "a/3.md",
        "a/link.md",
        "a/meant.md",
        "a/new.md",
        "a/staged.md",
        "b/deep/new/er/z.md",
    ]
    assert names(opened_) == want
    assert Dirty("a/new.md", "untracked") in edited(opened_, opened_.head().commit, ROOTS)


def test_a_root_inside_the_working_tree_and_narrow_roots(kb: Path) -> None:
    (kb / "b/deep/er/new.md").write_text("x\n")
    (kb / "a/new.md").write_text("x\n")
    inside = opened(kb).at_prefix("b")
    assert names(inside, ("deep/",)) == ["deep/er/new.md"]
    assert names(inside, ("",)) == ["deep/er/new.md"]
    assert names(opened(kb), ("",)) == ["a/new.md", "b/deep/er/new.md"]
    assert names(opened(kb), ("none/",)) == []


def test_on_an_unborn_branch(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "fresh")
    (tmp_path / "fresh/a").mkdir()
    (tmp_path / "fresh/a/1.md").write_text("x\n")
    assert names(opened(tmp_path / "fresh")) == ["a/1.md"]


def test_a_commit_that_lets_go_of_a_file_that_stays(kb: Path) -> None:
    run_git(kb, "rm", "-q", "--cached", "b/deep/er/1.md")
    run_git(kb, "commit", "-q", "-m", "let go")
    assert edited(opened(kb), opened(kb).head().commit, ROOTS) == [Dirty("b/deep/er/1.md", "untracked")]
    run_git(kb, "checkout", "-q", "--orphan", "bare")
    run_git(kb, "rm", "-r", "-q", "--cached", "a")
    run_git(kb, "commit", "-q", "-m", "let go of a folder")
    assert "a/x/1.md" in names(opened(kb))


def test_an_edit_that_is_committed_meanwhile_still_differs_from_the_commit_that_was_asked_for(
    kb: Path,
) -> None:
    repo = opened(kb)
    before = repo.head().commit
    (kb / "a/1.md").write_text("changed\n")
    (kb / "a/2.md").unlink()
    (kb / "a/new.md").write_text("new\n")
    (kb / "a/other.md").write_text("never staged\n")
    run_git(kb, "add", "a/1.md", "a/2.md", "a/new.md")
    run_git(kb, "commit", "-q", "-m", "meanwhile")
    assert edited(repo, before, ROOTS) == [
        Dirty("a/1.md", "modified"),
        Dirty("a/2.md", "deleted"),
        Dirty("a/new.md", "added"),
        Dirty("a/other.md", "untracked"),
    ]
    assert names(opened(kb)) == ["a/other.md"]


@pytest.mark.parametrize("first", [True, False])
def test_what_was_staged_and_is_committed_while_git_looks(
    kb: Path, monkeypatch: pytest.MonkeyPatch, first: bool
) -> None:
    """HEAD alone moves, and git finds nothing that differs from it."""
    if first:
        run_git(kb, "switch", "-q", "--orphan", "empty")
        (kb / "a").mkdir()
    (kb / "a/new.md").write_text("new\n")
    run_git(kb, "add", "a/new.md")
    repo = opened(kb)
    before = repo.head().commit
    assert (before is None) == first

    def late(repo: Repository, folders: tuple[str, ...]) -> list[Dirty]:
        parent = ["-p", before] if before is not None else []
        made = run_git(kb, "commit-tree", run_git(kb, "write-tree"), *parent, "-m", "meanwhile")
        run_git(kb, "update-ref", "HEAD", made)
        return dirty(repo, folders)

    monkeypatch.setattr(status, "dirty", late)
    assert edited(repo, before, ("a/",)) == [Dirty("a/new.md", "added")]
    assert status_of(kb) == ""


@pytest.mark.parametrize("prefix", ["", "a"])
def test_paths_count_from_the_knowledge_root(kb: Path, prefix: str) -> None:
    repo = opened(kb).at_prefix(prefix)
    before = repo.head().commit
    (kb / "a/x/1.md").write_text("changed\n")
    (kb / "b/1.md").write_text("changed\n")
    run_git(kb, "commit", "-qam", "meanwhile")
    (kb / "a/x/2.md").write_text("changed\n")
    root = "x/" if prefix else "a/x/"
    assert edited(repo, before, (root,)) == [
        Dirty(f"{root}1.md", "modified"),
        Dirty(f"{root}2.md", "modified"),
    ]

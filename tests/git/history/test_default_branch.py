"""Which branch is the default one: what is configured, what remotes say, then what there is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memgit.git.history.default_branch import branch_of, current_branch, default_branch, default_tips
from memgit.git.repository import Repository
from tests.support import run_git


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with one commit on `work`, which nobody would take for the default branch."""
    run_git(tmp_path, "init", "-q", "-b", "work", "repo")
    run_git(tmp_path / "repo", "commit", "-q", "--allow-empty", "-m", "first")
    return tmp_path / "repo"


def opened(folder: Path) -> Repository:
    return Repository.open(str(folder), os.environ)


def ref(folder: Path, *names: str) -> None:
    for name in names:
        run_git(folder, "update-ref", name, "HEAD")


def answer(folder: Path, configured: str = "") -> str:
    return default_branch(opened(folder), configured)


def test_what_is_configured_counts_first(folder: Path) -> None:
    ref(folder, "refs/heads/main")
    assert answer(folder, "develop") == "develop"


def test_the_head_of_origin_before_that_of_another_remote(folder: Path) -> None:
    ref(folder, "refs/heads/main", "refs/remotes/a/dev", "refs/remotes/origin/x/y")
    run_git(folder, "symbolic-ref", "refs/remotes/a/HEAD", "refs/remotes/a/dev")
    assert answer(folder) == "dev"
    run_git(folder, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/x/y")
    assert answer(folder) == "x/y"


def test_a_head_that_names_what_was_never_fetched_still_names_it(folder: Path) -> None:
    run_git(folder, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    assert answer(folder) == "trunk"


@pytest.mark.parametrize(
    ("refs", "own", "expected"),
    [
        (["refs/heads/master", "refs/heads/main"], "", "main"),
        (["refs/heads/master"], "", "master"),
        (["refs/heads/main", "refs/heads/trunk"], "trunk", "trunk"),
        (["refs/heads/main"], "trunk", "main"),
        (["refs/remotes/fork/master"], "", "master"),
        ([], "trunk", "work"),
        (["refs/heads/other"], "trunk", "trunk"),
        (["refs/heads/other"], "", "main"),
    ],
)
def test_what_is_there_else(folder: Path, refs: list[str], own: str, expected: str) -> None:
    ref(folder, *refs)
    run_git(folder, "config", "--global", "--unset", "init.defaultBranch")
    if own:
        run_git(folder, "config", "init.defaultBranch", own)
    assert answer(folder) == expected


def test_before_the_first_commit_it_is_the_branch_to_come(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "-b", "trunk")
    assert answer(tmp_path) == "trunk"


def test_its_tips_here_and_on_remotes(folder: Path) -> None:
    old = run_git(folder, "rev-parse", "HEAD")
    ref(folder, "refs/heads/main", "refs/heads/not/main")
    run_git(folder, "commit", "-q", "--allow-empty", "-m", "second")
    ref(folder, "refs/remotes/origin/main")
    assert default_tips(opened(folder), "main") == {old, run_git(folder, "rev-parse", "HEAD")}
    assert default_tips(opened(folder), "none") == set()


def test_the_branch_of_a_rebase_is_the_one_that_it_moves(folder: Path) -> None:
    assert current_branch(opened(folder)) == "refs/heads/work"
    for name in ("a", "b"):
        (folder / "file").write_text(name)
        run_git(folder, "add", "file")
        run_git(folder, "commit", "-q", "-m", name)
    run_git(folder, "branch", "topic", "HEAD~1")
    run_git(folder, "switch", "-q", "topic")
    (folder / "file").write_text("c")
    run_git(folder, "commit", "-q", "-am", "c")
    run_git(folder, "rebase", "-q", "work", check=False)
    assert opened(folder).head().ref is None
    assert current_branch(opened(folder)) == "refs/heads/topic"
    run_git(folder, "rebase", "--abort")
    run_git(folder, "checkout", "-q", "--detach")
    assert current_branch(opened(folder)) is None


@pytest.mark.parametrize(
    ("rev", "expected"),
    [
        ("main", "main"),
        ("refs/heads/main", "main"),
        ("origin/x/y", "x/y"),
        ("refs/remotes/origin/x/y", "x/y"),
        ("HEAD", "work"),
        ("HEAD~0", None),
        ("nope", None),
    ],
)
def test_the_branch_that_a_revision_names(folder: Path, rev: str, expected: str | None) -> None:
    ref(folder, "refs/heads/main", "refs/remotes/origin/x/y")
    assert branch_of(opened(folder), rev) == (None if expected is None else f"refs/heads/{expected}")

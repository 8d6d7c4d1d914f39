"""Working trees whose `.git` is a file, read without libgit2: what is read is what libgit2 and git read."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memgit.git import dotgit
from memgit.git.repository import Repository
from tests.git.helpers import commit_files, opened
from tests.git.test_dotgit import by_libgit2, find, made
from tests.support import memgit, run_git

__all__ = ["made"]  # a fixture

KINDS = ("linked", "sub", "apart")


@pytest.fixture(params=KINDS)
def led(request: pytest.FixtureRequest, made: Path, tmp_path: Path) -> Path:
    """A linked working tree, a submodule, or a working tree with its git directory elsewhere."""
    if request.param == "linked":
        run_git(made, "worktree", "add", "-q", "-b", "side", str(tmp_path / "linked tree"))
        return tmp_path / "linked tree"
    if request.param == "sub":
        run_git(tmp_path, "clone", "-q", "--bare", str(made), "bare.git")
        run_git(
            made,
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "add",
            "-q",
            str(tmp_path / "bare.git"),
            "some/sub",
        )
        return made / "some/sub"
    run_git(
        tmp_path, "clone", "-q", "--separate-git-dir", str(tmp_path / "elsewhere.git"), str(made), "apart"
    )
    return tmp_path / "apart"


def test_found_as_git_and_libgit2_find_it(led: Path) -> None:
    place = find(led / "a")
    assert place is not None
    repo, other = opened(led), by_libgit2(led)
    assert repo._raw is None
    git_dir = os.path.realpath(run_git(led, "rev-parse", "--absolute-git-dir"))
    assert place == (git_dir, str(led)) == (repo.git_dir, repo.worktree)
    assert (os.path.realpath(str(repo.raw.path)), os.path.realpath(str(repo.raw.workdir))) == place
    assert (
        repo.common_dir
        == other.common_dir
        == os.path.realpath(os.path.join(led, run_git(led, "rev-parse", "--git-common-dir")))
    )
    assert repo.index_file == os.path.realpath(
        os.path.join(led, run_git(led, "rev-parse", "--git-path", "index"))
    )


def test_head_and_refs(led: Path) -> None:
    def agree() -> None:
        mine, theirs = opened(led), by_libgit2(led)
        assert mine.head() == theirs.head()
        assert mine.head().commit == (
            run_git(led, "rev-parse", "-q", "--verify", "HEAD", check=False) or None
        )
        for prefix in ("refs/", "refs/heads/", "refs/memgit/usage/", "refs/worktree/", "refs/bisect/"):
            assert mine.refs(prefix) == theirs.refs(prefix), prefix
        for name in (
            *theirs.refs("refs/"),
            "refs/heads/none",
            "refs/worktree/mine",
            "refs/bisect/bad",
            "refs/heads/linked",
        ):
            assert mine.ref(name) == theirs.ref(name), name

    agree()
    for name in ("heads/deep/er", "memgit/usage/aaaaaaaaaa", "worktree/mine", "bisect/bad"):
        run_git(led, "update-ref", f"refs/{name}", "HEAD")
    agree()
    run_git(led, "pack-refs", "--all", "--prune")
    agree()
    commit_files(led, {"2.md": b"y\n"})
    agree()
    run_git(led, "checkout", "-q", "--detach")
    agree()
    run_git(led, "checkout", "-q", "--orphan", "unborn")
    agree()


def test_objects_and_the_index(led: Path) -> None:
    commit_files(led, {"a/new.md": b"new\n"})
    repo = opened(led)
    tree = repo.tree(repo.head().commit)
    assert tree.data("a/new.md") == b"new\n" and tree.data("a/b/1.md") == b"x\n"
    assert repo.in_progress() is None


def test_what_is_unclear_is_left_to_libgit2(led: Path, made: Path, tmp_path: Path) -> None:
    git_dir, common = Path(opened(led).git_dir), Path(opened(led).common_dir)
    file = led / ".git"
    text, config = file.read_text(), (common / "config").read_text()

    def unclear() -> bool:
        found = find(led) is None
        file.write_text(text)
        (common / "config").write_text(config)
        return found

    assert not unclear()
    for odd in (
        "",
        "gitdir:",
        "gitdir: \n",
        f"{text}more\n",
        text.replace("gitdir: ", "gitdir:"),
        f"gitdir: {tmp_path}\n",
    ):
        file.write_text(odd)
        assert unclear(), odd
    for setting in (
        "[extensions]\n\tworktreeConfig = true\n",
        "[core]\n\tworktree = ../nowhere\n",
        "[core] worktree = x\n",
        "[include]\n",
    ):
        (common / "config").write_text(config + setting)
        assert unclear(), setting
    if git_dir != common:
        (git_dir / "gitdir").write_text(f"{made}/.git\n")
        assert unclear()


@pytest.mark.parametrize(
    "value", ["../nowhere", '"../../../some/sub"', "../../../../some/sub # x", "../../../some"]
)
def test_a_submodule_that_names_another_folder(made: Path, tmp_path: Path, value: str) -> None:
    run_git(tmp_path, "clone", "-q", "--bare", str(made), "bare.git")
    run_git(
        made,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        str(tmp_path / "bare.git"),
        "some/sub",
    )
    config = made / ".git/modules/some/sub/config"
    text = config.read_text()
    assert "\tworktree = ../../../../some/sub\n" in text and find(made / "some/sub") is not None
    config.write_text(text.replace("../../../../some/sub", value))
    assert find(made / "some/sub") is None
    config.write_text(text.replace("[core]", "[other]", 1))
    assert find(made / "some/sub") is None
    config.write_text(text.replace("\tworktree", "[other]\n\tworktree"))
    assert find(made / "some/sub") is None


def test_another_users_git_directory(led: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find(led) is not None
    monkeypatch.setattr(os, "geteuid", lambda: 54_321)
    assert find(led) is None


def test_in_a_hook_git_names_the_same(led: Path, made: Path, tmp_path: Path) -> None:
    """The variables that git gives a hook there lead to the same repository, and to the index of the commit."""
    commit_files(led, {"n.md": b"n\n"})
    hooks = Path(run_git(led, "rev-parse", "--path-format=absolute", "--git-path", "hooks"))
    hooks.mkdir(exist_ok=True)
    (hooks / "pre-commit").write_text(f'#!/bin/sh\nenv -0 >"{tmp_path}/env"\n')
    (hooks / "pre-commit").chmod(0o755)
    (led / "n.md").write_text("more\n")
    subprocess.run(["git", "commit", "-qm", "x", "--", "n.md"], cwd=led, check=True)
    env = dict(pair.split("=", 1) for pair in (tmp_path / "env").read_text().split("\0") if "=" in pair)
    assert env["GIT_INDEX_FILE"].endswith(".lock")
    here = os.getcwd()
    os.chdir(led)
    try:
        repo = Repository.open(".", env)
    finally:
        os.chdir(here)
    assert repo._raw is None
    assert (repo.worktree, repo.git_dir) == (str(led), opened(led).git_dir)
    assert repo.index_file == os.path.join(led, env["GIT_INDEX_FILE"])


def test_writes_in_a_linked_tree_move_the_right_refs(made: Path, tmp_path: Path) -> None:
    memgit(made, "init", ".", "--no-hooks")
    run_git(made, "worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    before = run_git(made, "rev-parse", "main")
    memgit(tmp_path / "linked", "record", "memory", "There", "-m", "Text.")
    assert run_git(made, "rev-parse", "main") == before
    assert run_git(made, "log", "-1", "--format=%s", "side") == "record(memory): There"
    assert (
        run_git(tmp_path / "linked", "status", "--porcelain") == "" == run_git(made, "status", "--porcelain")
    )
    assert run_git(tmp_path / "linked", "reflog", "-1", "--format=%gs").startswith(
        ("memgit", "record", "commit")
    )
    assert dotgit.common_dir(str(made / ".git/worktrees/linked")) == str(made / ".git")

"""Where a repository lies and what its refs are: what git itself says, in every kind of working tree."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memgit.errors import Refused
from memgit.git.command import LOCAL
from memgit.git.repository import Repository
from tests.git.helpers import commit_files, opened
from tests.support import memgit, run_git

KINDS = ("main", "linked", "sub", "apart")


@pytest.fixture
def made(repo: Path) -> Path:
    commit_files(repo, {"a/b/1.md": b"x\n"})
    return repo


@pytest.fixture(params=KINDS)
def led(request: pytest.FixtureRequest, made: Path, tmp_path: Path) -> Path:
    """A main or linked working tree, a submodule, or a working tree with its git directory elsewhere."""
    if request.param == "main":
        return made
    if request.param == "linked":
        run_git(made, "worktree", "add", "-q", "-b", "side", str(tmp_path / "linked tree"))
        return tmp_path / "linked tree"
    if request.param == "sub":
        run_git(tmp_path, "clone", "-q", "--bare", str(made), "bare.git")
        allow = ("-c", "protocol.file.allow=always")
        run_git(made, *allow, "submodule", "add", "-q", str(tmp_path / "bare.git"), "some/sub")
        return made / "some/sub"
    run_git(tmp_path, "clone", "-q", "--separate-git-dir", str(tmp_path / "apart.git"), str(made), "apart")
    return tmp_path / "apart"


def said(folder: Path, *args: str) -> str:
    """A path that `git rev-parse` names, without symlinks."""
    return os.path.realpath(os.path.join(folder, run_git(folder, "rev-parse", *args)))


def test_found_from_any_folder_as_git_finds_it(led: Path, tmp_path: Path) -> None:
    (tmp_path / "by-link").symlink_to(led / "a")
    for folder in (led, led / "a/b", tmp_path / "by-link/b"):
        repo = opened(folder)
        assert os.path.realpath(repo.git_dir) == said(led, "--absolute-git-dir")
        assert os.path.realpath(repo.common_dir) == said(led, "--git-common-dir")
        assert os.path.realpath(repo.index_file) == said(led, "--git-path", "index")
        assert repo.worktree is not None and os.path.realpath(repo.worktree) == str(led)


def test_head_and_refs_as_git_has_them(led: Path) -> None:
    def agree() -> None:
        repo = opened(led)
        assert repo.head().commit == (
            run_git(led, "rev-parse", "-q", "--verify", "HEAD", check=False) or None
        )
        assert repo.head().ref == (run_git(led, "symbolic-ref", "-q", "HEAD", check=False) or None)
        listed = run_git(led, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        want = dict(line.split(" ") for line in listed)
        for prefix in ("refs/", "refs/heads/", "refs/memgit/usage/", "refs/none/"):
            some = {name: oid for name, oid in want.items() if name.startswith(prefix)}
            assert repo.refs(prefix) == dict(sorted(some.items())), prefix
        for name in (*want, "refs/heads/none", "refs/heads/alias", "refs/worktree/mine", "refs/bisect/bad"):
            assert repo.ref(name) == (run_git(led, "rev-parse", "-q", "--verify", name, check=False) or None)

    agree()
    first = run_git(led, "rev-parse", "HEAD")
    for name in ("heads/deep/er", "memgit/usage/aaaaaaaaaa", "worktree/mine", "bisect/bad", "tags/v1"):
        run_git(led, "update-ref", f"refs/{name}", "HEAD")
    run_git(led, "tag", "-a", "-m", "a tag", "v2")
    agree()
    run_git(led, "pack-refs", "--all", "--prune")
    agree()
    commit_files(led, {"2.md": b"y\n"})
    agree()
    run_git(led, "symbolic-ref", "refs/heads/alias", "refs/heads/deep/er")
    run_git(led, "symbolic-ref", "HEAD", "refs/heads/alias")
    assert opened(led).head() == ("refs/heads/alias", first)
    run_git(led, "checkout", "-q", "--detach", first)
    agree()
    for name in ("unborn", "caf\u00e9"):
        run_git(led, "symbolic-ref", "HEAD", f"refs/heads/{name}")
        agree()
    run_git(led, "update-ref", "refs/heads/caf\u00e9", first)
    agree()


def test_a_broken_ref_is_reported(made: Path) -> None:
    branch = made / ".git" / run_git(made, "symbolic-ref", "HEAD")
    branch.write_text("rubbish\n")
    with pytest.raises(Refused, match="refs/heads/main cannot be read"):
        opened(made).head()


def test_objects(led: Path) -> None:
    commit_files(led, {"a/new.md": b"new\n"})
    repo = opened(led)
    tree = repo.tree(repo.head().commit)
    assert tree.data("a/new.md") == b"new\n" and tree.data("a/b/1.md") == b"x\n"
    assert repo.in_progress() is None


@pytest.mark.parametrize("data", [b"", b"x\n", bytes(range(256)) * 40])
def test_hash_of_a_blob(made: Path, data: bytes) -> None:
    assert Repository.hash_blob(data) == run_git(made, "hash-object", "--stdin", data=data)


def test_the_variables_of_a_hook_count_where_they_are_about_this_repository(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (made / "spare").write_bytes((made / ".git/index").read_bytes())
    (tmp_path / "by-name").symlink_to(made)
    run_git(tmp_path, "init", "-q", "other")
    own, lock, spare = f"{made}/.git/index", f"{made}/.git/index.lock", f"{made}/spare"
    rows: tuple[tuple[str, dict[str, str], str], ...] = (
        ("repo", {"GIT_INDEX_FILE": ".git/index", "GIT_PREFIX": ""}, own),
        ("repo", {"GIT_INDEX_FILE": lock, "GIT_PREFIX": "a/"}, lock),
        ("repo", {"GIT_INDEX_FILE": "spare"}, spare),
        ("repo/a", {"GIT_INDEX_FILE": "spare"}, spare),
        ("by-name", {"GIT_INDEX_FILE": "spare", "GIT_REFLOG_ACTION": "pull"}, spare),
        ("repo", {"GIT_DIR": ".git", "GIT_INDEX_FILE": "spare"}, spare),
        ("repo", {"GIT_DIR": f"{made}/.git"}, own),
        ("repo", {"GIT_DIR": f"{tmp_path}/other/.git", "GIT_INDEX_FILE": "spare"}, own),
        ("other", {"GIT_INDEX_FILE": "spare"}, own),
    )
    for cwd, variables, index in rows:
        monkeypatch.chdir(tmp_path / cwd)
        env = {**{name: value for name, value in os.environ.items() if name not in LOCAL}, **variables}
        repo = Repository.open(str(made), env)
        assert (repo.git_dir, repo.worktree) == (f"{made}/.git", str(made)), variables
        assert os.path.realpath(repo.index_file) == index, (cwd, variables)


def test_a_hook_works_on_the_index_of_its_commit(led: Path, tmp_path: Path) -> None:
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
    assert (repo.worktree, repo.git_dir) == (str(led), opened(led).git_dir)
    assert repo.index_file == os.path.join(led, env["GIT_INDEX_FILE"])


def test_writes_in_a_linked_tree_move_the_right_refs(made: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    memgit(made, "init", ".", "--no-hooks")
    run_git(made, "worktree", "add", "-q", "-b", "side", str(linked))
    before = run_git(made, "rev-parse", "main")
    memgit(linked, "record", "memory", "There", "-m", "Text.")
    assert run_git(made, "rev-parse", "main") == before
    assert run_git(made, "log", "-1", "--format=%s", "side") == "record(memory): There"
    assert run_git(linked, "status", "--porcelain") == "" == run_git(made, "status", "--porcelain")
    assert run_git(linked, "reflog", "-1", "--format=%gs").startswith(("memgit", "record", "commit"))

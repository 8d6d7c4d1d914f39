"""Ordinary repositories read without libgit2: what is read is what libgit2 reads, and whatever is not
ordinary is left to it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memgit.errors import Refused
from memgit.git import dotgit
from memgit.git.command import LOCAL
from memgit.git.repository import Repository
from tests.git.helpers import commit_files, opened
from tests.support import run_git


def find(folder: Path, **env: str) -> tuple[str, str] | None:
    return dotgit.find(
        str(folder),
        {**{name: value for name, value in os.environ.items() if name not in LOCAL}, **env},
        LOCAL,
    )


def by_libgit2(folder: Path) -> Repository:
    """The same repository with everything asked of libgit2."""
    repo = opened(folder)
    repo._plain = False
    return repo


@pytest.fixture
def made(repo: Path) -> Path:
    commit_files(repo, {"a/b/1.md": b"x\n"})
    return repo


def test_found_from_any_folder(made: Path, tmp_path: Path) -> None:
    want = (str(made / ".git"), str(made))
    assert find(made) == find(made / "a/b") == want
    (tmp_path / "link").symlink_to(made / "a")
    assert find(tmp_path / "link" / "b") == want
    repo = opened(made / "a")
    assert repo._raw is None and (repo.git_dir, repo.worktree) == want == (
        by_libgit2(made).git_dir,
        by_libgit2(made).worktree,
    )
    assert (os.path.abspath(str(repo.raw.path)), os.path.abspath(str(repo.raw.workdir))) == want


def test_what_is_not_ordinary_is_left_to_libgit2(made: Path, tmp_path: Path) -> None:
    run_git(made, "worktree", "add", "-q", str(tmp_path / "linked"))
    run_git(tmp_path, "clone", "-q", "--bare", str(made), "bare.git")
    run_git(tmp_path, "init", "-q", "--separate-git-dir", str(tmp_path / "apart.git"), "apart")
    run_git(
        made, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "bare.git"), "sub"
    )
    for folder in (
        "bare.git",
        "bare.git/refs",
        "repo/.git",
        "repo/.git/refs",
        "repo/.git/worktrees/linked",
        "repo/.git/modules/sub",
    ):
        assert find(tmp_path / folder) is None, folder
    for folder in ("linked", "bare.git", "apart", "repo/sub"):
        assert opened(tmp_path / folder).head() == by_libgit2(tmp_path / folder).head()
    assert find(tmp_path) is None
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_OBJECT_DIRECTORY"):
        assert find(made, **{name: str(tmp_path)}) is None
    assert find(made, GIT_CEILING_DIRECTORIES=str(made)) is not None
    assert find(made / "a", GIT_CEILING_DIRECTORIES=f"/nowhere:{made}") is None
    assert find(made / "a/b", GIT_CEILING_DIRECTORIES=str(made / "a")) is None
    (tmp_path / "by-link").mkdir()
    (tmp_path / "by-link/.git").symlink_to(made / ".git")
    assert find(tmp_path / "by-link") is None


@pytest.mark.parametrize(
    "setting",
    [
        "[core]\n\tworktree = ../..\n",
        "[core]\n\tbare = true\n",
        "[core] bare = true\n",
        "[core]\n\tbare\n",
        "[include]\n\tpath = other\n",
        "[extensions]\n\tworktreeConfig = true\n",
        "[core] bare ; ]\n",
        "[core]bare=true#]\n",
        "[core]\n\trepositoryformatversion = 1\n",
        "[CORE]\n\tBare = True\n",
    ],
)
def test_settings_that_move_a_repository(made: Path, setting: str) -> None:
    config = made / ".git/config"
    config.write_text(config.read_text() + setting)
    assert find(made) is None


def test_another_users_repository(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 54_321)
    assert find(made) is None


def test_head_and_refs_as_libgit2_has_them(made: Path) -> None:
    def agree() -> None:
        mine, theirs = opened(made), by_libgit2(made)
        assert mine.head() == theirs.head()
        for prefix in ("refs/", "refs/memgit/usage/", "refs/heads/", "refs/none/"):
            assert mine.refs(prefix) == theirs.refs(prefix)
        for name in (*theirs.refs("refs/"), "refs/heads/none", "refs/tags/v1"):
            assert mine.ref(name) == theirs.ref(name)

    agree()
    first = run_git(made, "rev-parse", "HEAD")
    for name in ("heads/one", "heads/deep/er", "memgit/usage/aaaaaaaaaa", "tags/v1"):
        run_git(made, "update-ref", f"refs/{name}", "HEAD")
    run_git(made, "tag", "-a", "-m", "a tag", "v2")
    agree()
    run_git(made, "pack-refs", "--all", "--prune")
    assert not (made / ".git/refs/heads/one").exists()
    agree()
    commit_files(made, {"2.md": b"y\n"})
    run_git(made, "update-ref", "refs/memgit/usage/bbbbbbbbbb", "HEAD")
    agree()
    run_git(made, "symbolic-ref", "refs/heads/alias", "refs/heads/one")
    run_git(made, "symbolic-ref", "HEAD", "refs/heads/alias")
    agree()
    run_git(made, "checkout", "-q", "--detach", first)
    agree()
    assert opened(made).head() == (None, first)
    run_git(made, "symbolic-ref", "HEAD", "refs/heads/unborn")
    agree()
    run_git(made, "symbolic-ref", "HEAD", "refs/heads/caf\u00e9")
    agree()
    run_git(made, "update-ref", "refs/heads/caf\u00e9", first)
    agree()


def test_a_broken_ref_is_told_as_ever(made: Path) -> None:
    branch = made / ".git" / run_git(made, "symbolic-ref", "HEAD")
    branch.write_text("rubbish\n")
    assert dotgit.head(str(made / ".git")) is None
    said = []
    for repo in (opened(made), by_libgit2(made)):
        with pytest.raises(Refused) as caught:
            repo.head()
        said.append((type(caught.value), str(caught.value)))
    assert said[0] == said[1]


def test_files_are_taken_from_the_working_tree_only_where_they_are_what_the_blob_is(made: Path) -> None:
    oid = run_git(made, "rev-parse", "HEAD:a/b/1.md")
    repo = opened(made)
    assert repo.blob_of("a/b/1.md", oid) == b"x\n"
    assert repo._raw is None and repo._objects is None
    for change in (b"y\n", b"x\r\n", None):
        repo = opened(made)
        path = made / "a/b/1.md"
        path.write_bytes(change) if change is not None else path.unlink()
        assert repo.blob_of("a/b/1.md", oid) == b"x\n"
        assert repo._objects is not None  # it was asked of git's own
    (made / "a/b/1.md").mkdir()
    assert opened(made).blob_of("a/b/1.md", oid) == b"x\n"
    (made / "a/b/1.md").rmdir()
    os.mkfifo(made / "a/b/1.md")
    assert opened(made).blob_of("a/b/1.md", oid) == b"x\n"


@pytest.mark.parametrize("data", [b"", b"x\n", bytes(range(256)) * 40])
def test_hash_of_a_blob(made: Path, data: bytes) -> None:
    assert Repository.hash_blob(data) == run_git(made, "hash-object", "--stdin", data=data)


@pytest.mark.parametrize("head", [None, b"", b"none\n", b"ref: elsewhere\n"])
def test_a_folder_that_is_no_repository_for_git(made: Path, head: bytes | None) -> None:
    inner = made / "a/b"
    run_git(inner, "init", "-q")
    assert find(inner) == (str(inner / ".git"), str(inner))
    (inner / ".git/HEAD").unlink()
    if head is not None:
        (inner / ".git/HEAD").write_bytes(head)
    assert run_git(inner, "rev-parse", "--show-toplevel") == str(made)
    assert find(inner) is None


def test_in_a_hook_the_variables_of_git_are_those_of_this_repository(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As libgit2 and the variables together say: the index that git names counts where it is about this
    repository.
    """
    (made / "spare").write_bytes((made / ".git/index").read_bytes())
    (tmp_path / "by-name").symlink_to(made)
    run_git(tmp_path, "init", "-q", "other")
    rows: tuple[tuple[str, dict[str, str], bool], ...] = (
        ("repo", {"GIT_INDEX_FILE": ".git/index", "GIT_PREFIX": ""}, True),
        ("repo", {"GIT_INDEX_FILE": f"{made}/.git/index.lock", "GIT_PREFIX": "a/"}, True),
        ("repo", {"GIT_INDEX_FILE": "spare"}, True),
        ("repo/a", {"GIT_INDEX_FILE": "spare"}, True),
        ("by-name", {"GIT_INDEX_FILE": "spare", "GIT_REFLOG_ACTION": "pull"}, True),
        ("repo", {"GIT_DIR": ".git", "GIT_INDEX_FILE": "spare"}, True),
        ("repo", {"GIT_DIR": str(made / ".git")}, True),
        ("repo", {"GIT_DIR": str(tmp_path / "other/.git"), "GIT_INDEX_FILE": "spare"}, False),
        ("repo", {"GIT_DIR": ".git", "GIT_WORK_TREE": str(tmp_path)}, False),
        ("repo", {"GIT_INDEX_FILE": ".git/index", "GIT_OBJECT_DIRECTORY": str(tmp_path)}, False),
        ("other", {"GIT_INDEX_FILE": "spare"}, False),
    )
    for cwd, variables, clear in rows:
        monkeypatch.chdir(tmp_path / cwd)
        env = {**{name: value for name, value in os.environ.items() if name not in LOCAL}, **variables}
        found = dotgit.find_in_hook(str(made), os.getcwd(), env, LOCAL)
        assert (found is not None) is clear, variables
        repo = Repository.open(str(made), env)
        with monkeypatch.context() as inner:
            inner.setattr(dotgit, "find", lambda *_: None)
            other = Repository.open(str(made), env)
        assert (repo._raw is None, other._raw is None) == (clear, False)
        same = [
            (
                os.path.realpath(one.git_dir),
                os.path.realpath(one.worktree or "/"),
                os.path.realpath(one.index_file),
            )
            for one in (repo, other)
        ]
        assert same[0] == same[1], (cwd, variables)
        assert repo.head() == other.head()

"""What lies untracked where a merge would write."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memgit.git.repository import Repository
from memgit.git.worktree.untracked_conflicts import in_the_way
from tests.support import run_git


def committed(repo: Path, files: dict[str, str], *, parent: str | None = None) -> str:
    """A commit that holds some files and is on no branch; neither the index nor the working tree is touched."""
    env = f"{repo}/.git/scratch"
    if os.path.exists(env):
        os.unlink(env)
    rows = "".join(
        f"100644 {run_git(repo, 'hash-object', '-w', '--stdin', data=text.encode())}\t{path}\0"
        for path, text in files.items()
    )
    os.environ["GIT_INDEX_FILE"] = env
    try:
        run_git(repo, "update-index", "-z", "--index-info", data=rows.encode("utf-8", "surrogateescape"))
        tree = run_git(repo, "write-tree")
    finally:
        del os.environ["GIT_INDEX_FILE"]
    return run_git(repo, "commit-tree", *(["-p", parent] if parent else []), "-m", "x", tree)


def write(repo: Path, *paths: str) -> None:
    for path in paths:
        (repo / path).parent.mkdir(parents=True, exist_ok=True)
        (repo / path).write_text("mine\n")


@pytest.fixture
def found(repo: Path) -> Repository:
    return Repository.open(str(repo), os.environ)


def test_files_folders_and_links_in_the_place_of_what_is_new(repo: Path, found: Repository) -> None:
    ours = committed(repo, {"there.md": "a\n"})
    run_git(repo, "reset", "-q", "--hard", ours)
    theirs = committed(
        repo,
        {
            "there.md": "b\n",
            "new.md": "x\n",
            "größe 🌊.md": "x\n",
            "file": "x\n",
            "folder/inside.md": "x\n",
            "link/inside.md": "x\n",
        },
        parent=ours,
    )
    assert in_the_way(found, ours, ours, theirs) == []
    write(repo, "größe 🌊.md", "file/deep/mine", "folder")
    (repo / "link").symlink_to(repo.parent)
    write(repo, "beside.md")
    assert in_the_way(found, ours, ours, theirs) == ["file/deep/mine", "folder", "größe 🌊.md", "link"]
    (repo / ".git/info/exclude").write_text("*\n")
    assert in_the_way(found, ours, ours, theirs) == ["file/deep/mine", "folder", "größe 🌊.md", "link"]


def test_the_same_content_and_what_the_index_has_is_not_in_the_way(repo: Path, found: Repository) -> None:
    ours = committed(repo, {"folder/a": "a\n"})
    run_git(repo, "reset", "-q", "--hard", ours)
    theirs = committed(repo, {"folder": "a file now\n", "same.md": "mine\n"}, parent=ours)
    write(repo, "same.md")
    assert in_the_way(found, ours, ours, theirs) == []
    write(repo, "folder/ignored")
    assert in_the_way(found, ours, ours, theirs) == ["folder/ignored"]


def test_what_we_deleted_comes_back_only_where_they_changed_it(repo: Path, found: Repository) -> None:
    base = committed(repo, {"kept.md": "a\n", "changed.md": "a\n", "stays.md": "a\n"})
    ours = committed(repo, {"stays.md": "a\n"}, parent=base)
    theirs = committed(repo, {"kept.md": "a\n", "changed.md": "b\n", "stays.md": "a\n"}, parent=base)
    run_git(repo, "reset", "-q", "--hard", ours)
    write(repo, "kept.md", "changed.md")
    assert in_the_way(found, base, ours, theirs) == ["changed.md"]


def test_before_the_first_commit(repo: Path, found: Repository) -> None:
    theirs = committed(repo, {"a.md": "x\n"})
    assert in_the_way(found, None, None, theirs) == []
    write(repo, "a.md")
    assert in_the_way(found, None, None, theirs) == ["a.md"]


def test_the_folder_of_a_submodule_is_left_to_git(repo: Path, found: Repository) -> None:
    ours = committed(repo, {"a.md": "x\n"})
    run_git(repo, "reset", "-q", "--hard", ours)
    run_git(repo, "update-index", "--add", "--cacheinfo", f"160000,{ours},sub")
    theirs = run_git(repo, "commit-tree", "-p", ours, "-m", "x", run_git(repo, "write-tree"))
    run_git(repo, "reset", "-q", "--hard", ours)
    write(repo, "sub/mine")
    assert in_the_way(found, ours, ours, theirs) == []

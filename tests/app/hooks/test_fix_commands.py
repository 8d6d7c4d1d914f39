"""What a refusal of a hook asks of the working tree."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memgit.app.hooks import fix_commands
from memgit.app.workspace import open_workspace
from memgit.git.repository import Repository
from tests.support import commit, memgit, run_git


@pytest.fixture
def with_modules(kb: Path, tmp_path: Path) -> Path:
    """A repository with a submodule beside the records and one where a record would lie, both at another
    commit than is staged.
    """
    run_git(tmp_path, "init", "-q", "other")
    run_git(tmp_path / "other", "commit", "-q", "--allow-empty", "-m", "x")
    for path in ("vendor/other", "memory/other.md"):
        run_git(
            kb, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "other"), path
        )
    memgit(kb, "record", "memory", "Tide", "-m", "text")
    commit(kb)
    for path in ("vendor/other", "memory/other.md"):
        run_git(kb / path, "commit", "-q", "--allow-empty", "-m", "y")
        (kb / path / "loose").write_text("not known to git\n")
    return kb


def asked(folder: Path) -> tuple[set[str], bool]:
    workspace = open_workspace(str(folder), os.environ)
    unstaged = fix_commands._Unstaged(workspace.require_repository())
    return set(unstaged.edited), unstaged.holds_records(workspace)


def test_a_submodule_is_edited_and_no_record(with_modules: Path) -> None:
    modules = {"vendor/other", "memory/other.md"}
    assert asked(with_modules) == (modules, False)
    tide = with_modules / "memory/tide.md"
    tide.write_text(tide.read_text() + "\nMore.\n")
    assert asked(with_modules) == ({*modules, "memory/tide.md"}, True)
    run_git(with_modules, "add", "memory/tide.md")
    assert asked(with_modules) == (modules, False)
    (with_modules / "memory/ebb.md").write_text("# Ebb\n")
    assert asked(with_modules) == (modules, True)


def test_what_conflicts_is_edited(kb: Path) -> None:
    memgit(kb, "record", "memory", "Tide", "-m", "text")
    tide = kb / "memory/tide.md"
    run_git(kb, "checkout", "-q", "-b", "side")
    for branch, text in (("side", "One."), ("main", "Two.")):
        run_git(kb, "checkout", "-q", branch)
        tide.write_text(tide.read_text().replace("text", text))
        commit(kb)
    run_git(kb, "config", "merge.memgit.driver", "false")
    run_git(kb, "merge", "-q", "side", check=False)
    assert asked(kb) == ({"memory/tide.md"}, True)


def test_git_is_asked_once_and_only_where_somebody_wants_to_know(
    kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, ran = Repository.git, []

    def counting(repo: Repository, *args: str) -> bytes:
        ran.append(args[0])
        return real(repo, *args)

    monkeypatch.setattr(Repository, "git", counting)
    workspace = open_workspace(str(kb), os.environ)
    unstaged = fix_commands._Unstaged(workspace.require_repository())
    ran.clear()
    assert not unstaged.edited and not unstaged.edited and not unstaged.holds_records(workspace)
    assert ran == ["status"]

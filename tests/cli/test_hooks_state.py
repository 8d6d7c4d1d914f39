"""Hooks see what git has: a configuration as it is staged, a message as the index gives it, derived files
after a merge or checkout.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.test_hooks import BAD, fact, git, message, on_path, rest_of
from tests.support import memgit, run_git, status
from tests.test_startup import READ, below, loaded

__all__ = ["on_path"]  # a fixture that every test here uses


def configure(kb: Path, more: str) -> None:
    path = kb / ".memgit.yaml"
    path.write_text(path.read_text() + more)


# The configuration that counts


def test_the_staged_configuration_counts_and_not_the_one_on_disk(kb: Path) -> None:
    fact(kb, body=BAD)
    rest_of(kb)
    configure(kb, "lint:\n  ignore: [MG501]\n")
    assert "MG501" in git(kb, "commit", "-m", "allowed on disk alone").err
    assert memgit(kb, "lint", "--staged", code=1).code == 1
    run_git(kb, "add", ".memgit.yaml")
    run_git(kb, "show", ":.memgit.yaml")
    (kb / ".memgit.yaml").write_text("version: 1\n")
    assert memgit(kb, "lint", "--staged").code == 0
    done = git(kb, "commit", "-m", "allowed where it counts")
    assert done.code == 0, done.err


def test_a_configuration_that_is_staged_away_is_away(repo: Path) -> None:
    memgit(repo, "init", "kb")
    fact(repo / "kb", body=BAD)
    run_git(repo, "add", "-A")
    run_git(repo, "rm", "-q", "--cached", "kb/.memgit.yaml")
    done = git(repo, "commit", "-m", "no root any more")
    assert (done.code, done.err) == (0, "")


def test_a_new_root_is_a_root_once_it_is_staged(repo: Path) -> None:
    run_git(repo, "commit", "-q", "--allow-empty", "-m", "start")
    memgit(repo, "hooks", "install")
    (repo / "docs").mkdir()
    (repo / "docs" / ".memgit.yaml").write_text("version: 1\n")
    fact(repo / "docs", body=BAD)
    run_git(repo, "add", "docs/memory")
    assert git(repo, "commit", "-m", "not a root yet").err == ""
    run_git(repo, "add", "-A")
    fact(repo / "docs", "two", "Two", BAD)
    run_git(repo, "add", "-A")
    done = git(repo, "commit", "-m", "a root")
    assert (done.code, "docs/memory/two.md:6: error MG501" in done.err) == (1, True)


@pytest.mark.parametrize("text", ["layout: nonsense\n", "lint: [a\n"])
def test_a_staged_configuration_that_cannot_be_read_stops_the_commit(kb: Path, text: str) -> None:
    fact(kb)
    rest_of(kb)
    good = (kb / ".memgit.yaml").read_text()
    (kb / ".memgit.yaml").write_text(text)
    run_git(kb, "add", "-A")
    (kb / ".memgit.yaml").write_text(good)
    done = git(kb, "commit", "-m", "x")
    assert done.code == 1 and done.err.startswith("memgit: .memgit.yaml:")


def test_a_link_in_the_place_of_the_configuration_is_refused(kb: Path) -> None:
    fact(kb)
    rest_of(kb)
    (kb / ".memgit.yaml").unlink()
    (kb / ".memgit.yaml").symlink_to("INDEX.md")
    run_git(kb, "add", "-A")
    assert "it must be a plain file" in git(kb, "commit", "-m", "x").err


def test_one_fault_is_told_once(kb: Path) -> None:
    """Bytes that are no text are one error, and not also a record that is gone; what is only old is left to a
    check of everything.
    """
    path = fact(kb)
    path.write_text(path.read_text().replace("2026-11-02", "2019-11-02"))
    rest_of(kb)
    done = git(kb, "commit", "-qm", "an old fact")
    assert (done.code, done.err) == (0, "")
    assert "MG302" in memgit(kb, "lint").out
    path.write_bytes(path.read_bytes() + b"\xff")
    run_git(kb, "add", "-A")
    found = [
        line
        for line in git(kb, "commit", "-qm", "x").err.splitlines()
        if "memory/fact.md" in line and "to fix" not in line
    ]
    assert len(found) == 1 and "MG001" in found[0]


# The message


def test_what_is_kept_is_of_that_index_and_commit_and_actor_alone(kb: Path) -> None:
    fact(kb, "one", "One")
    rest_of(kb)
    memgit(kb, "hook", "pre-commit")
    fact(kb, "two", "Two")
    rest_of(kb)
    assert git(kb, "commit", "-qnm", "both").code == 0
    assert message(kb).count("Memgit-Record: ") == 2
    fact(kb, "three", "Three")
    rest_of(kb)
    memgit(kb, "hook", "pre-commit")
    assert git(kb, "commit", "-qnm", "by an agent", env={"MEMGIT_ACTOR": "robot"}).code == 0
    assert message(kb).endswith("Memgit-Actor: robot")
    memgit(kb, "hook", "pre-commit")  # nothing is staged
    assert git(kb, "commit", "-qm", "nothing", "--allow-empty").code == 0
    assert message(kb) == "nothing"


def test_a_linked_worktree_keeps_its_own(kb: Path, tmp_path: Path) -> None:
    run_git(kb, "worktree", "add", "-q", str(tmp_path / "side tree"), "-b", "side")
    side = tmp_path / "side tree"
    fact(kb, "one", "One")
    rest_of(kb)
    memgit(kb, "hook", "pre-commit")
    fact(side, "two", "Two")
    rest_of(side)
    assert git(side, "commit", "-qm", "Words").code == 0
    assert message(side) == "Words\n\nMemgit-Op: record\nMemgit-Record: create - memory/two"
    assert git(kb, "commit", "-qm", "Words").code == 0
    assert message(kb) == "Words\n\nMemgit-Op: record\nMemgit-Record: create - memory/one"


def test_a_check_of_one_file_loads_little(kb: Path) -> None:
    path = fact(kb)
    rest_of(kb)
    assert git(kb, "commit", "-qm", "a fact").code == 0
    path.write_text(path.read_text() + "\nMore.\n")
    run_git(kb, "add", "-A")
    modules = loaded(("hook", "pre-commit"), kb)
    assert "memgit.app.hooks.check" in modules
    idle = (
        "click",
        "sqlite3",
        "memgit.cache.records",
        "memgit.lint.alike.claims",
        "memgit.lint.alike.likeness",
        "rapidfuzz",
    )
    assert sorted(module for module in modules if below(module, (*READ, *idle))) == []


# After a merge, checkout or rebase


def diverged(kb: Path) -> None:
    """Two branches that each add a record of their own and its lines to the indexes; the second was committed
    unchecked and drifts.
    """
    run_git(kb, "checkout", "-qb", "side")
    fact(kb)
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "unchecked")
    run_git(kb, "-c", "core.hooksPath=/dev/null", "checkout", "-q", "main")


def cached_commit(kb: Path) -> list[str]:
    """The commits that the cache's snapshots stand for."""
    with closing(sqlite3.connect(kb / ".git/memgit/cache.db")) as connection:
        return [row[0] for row in connection.execute("select commit_id from snapshot")]


def test_the_cache_follows_a_merge_and_a_checkout(kb: Path) -> None:
    memgit(kb, "list")
    diverged(kb)
    assert git(kb, "merge", "-q", "side").code == 0
    assert run_git(kb, "rev-parse", "HEAD") in cached_commit(kb)
    assert git(kb, "checkout", "-q", "-b", "old", "HEAD~").code == 0
    assert run_git(kb, "rev-parse", "HEAD") in cached_commit(kb)


def test_no_cache_is_made_where_there_is_none(kb: Path) -> None:
    diverged(kb)
    (kb / ".git/memgit/cache.db").unlink(missing_ok=True)
    assert git(kb, "merge", "-q", "side").code == 0
    assert not (kb / ".git/memgit/cache.db").exists()


def test_tracked_files_are_told_of_and_left_alone(kb: Path) -> None:
    diverged(kb)
    before = (kb / "INDEX.md").read_bytes()
    done = git(kb, "merge", "-q", "side")
    assert "is not what the records give; fix: memgit rebuild" in done.err
    assert (kb / "INDEX.md").read_bytes() == before and status(kb) == ""


def test_where_it_is_wished_they_are_written_and_never_staged(kb: Path) -> None:
    diverged(kb)
    run_git(kb, "config", "memgit.refresh", "true")
    done = git(kb, "merge", "-q", "side")
    assert (
        done.err
        == "memgit: after this merge, wrote INDEX.md and 1 more into the working tree; git add stages it\n"
    )
    assert status(kb) == " M INDEX.md\n?? memory/INDEX.md"
    assert memgit(kb, "rebuild", "--check").code == 0
    run_git(kb, "add", "-A")
    assert git(kb, "commit", "-qm", "Indexes").code == 0


def test_an_edit_of_the_users_is_never_written_over(kb: Path) -> None:
    diverged(kb)
    run_git(kb, "config", "memgit.refresh", "true")
    run_git(kb, "-c", "core.hooksPath=/dev/null", "merge", "-q", "side")
    mine = (kb / "INDEX.md").read_text().replace("# ", "# My own ", 1)
    (kb / "INDEX.md").write_text(mine)
    done = memgit(kb, "hook", "post-merge", "0")
    assert (
        "wrote memory/INDEX.md into the working tree" in done.err
        and "INDEX.md is not what the records give" in done.err
    )
    assert (kb / "INDEX.md").read_text() == mine


def test_derived_files_that_are_kept_out_of_commits_follow(tmp_path: Path) -> None:
    kb = tmp_path / "kb"
    memgit(tmp_path, "init", "kb", "--indexes", "local")
    memgit(kb, "record", "memory", "First", "-m", "x")
    memgit(kb, "rebuild")
    assert "First" in (kb / "memory/INDEX.md").read_text() and status(kb) == ""
    run_git(kb, "checkout", "-qb", "side")
    memgit(kb, "record", "memory", "Second", "-m", "x")
    run_git(kb, "checkout", "-q", "main")
    assert "Second" not in (kb / "memory/INDEX.md").read_text()
    done = git(kb, "merge", "-q", "side")
    assert done.code == 0 and "after this merge, wrote " in done.err
    assert "Second" in (kb / "memory/INDEX.md").read_text() and status(kb) == ""


def test_nothing_is_written_where_no_derived_file_was_asked_for(tmp_path: Path) -> None:
    kb = tmp_path / "kb"
    memgit(tmp_path, "init", "kb", "--indexes", "local")
    run_git(kb, "checkout", "-qb", "side")
    memgit(kb, "record", "memory", "Second", "-m", "x")
    run_git(kb, "checkout", "-q", "main")
    assert git(kb, "merge", "-q", "side").err == ""
    assert not (kb / "memory/INDEX.md").exists()


def test_a_hook_of_a_root_in_a_folder_names_its_own_command(repo: Path) -> None:
    memgit(repo, "init", "docs/kb")
    run_git(repo, "checkout", "-qb", "side")
    fact(repo / "docs/kb")
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-qnm", "unchecked")
    run_git(repo, "checkout", "-q", "main")
    assert "fix: memgit -C docs/kb rebuild" in git(repo, "merge", "-q", "side").err
    assert os.path.lexists(repo / "docs/kb/memory/fact.md")

"""`memgit lint --log`: the result of a check in the activity log, in a commit that changes nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import Prepared, count_commits, fsck, memgit, run_git, status


@pytest.fixture
def checked(prepared: Prepared) -> Path:
    """A root with one warning and no error."""
    return prepared("kb", make_checked)


def make_checked(kb: Path) -> None:
    memgit(kb, "record", "memory", "Old", "-m", "Words.", "--date", "2024-03-02")


def test_the_result_is_in_the_log(checked: Path) -> None:
    before = run_git(checked, "rev-parse", "HEAD^{tree}")
    answer = memgit(checked, "--actor", "robot", "lint", "--log", "--reason", "Weekly.")
    assert "kept in the log [" in answer.err and answer.out == memgit(checked, "lint").out
    event = memgit(checked, "log", "--json").json[0]
    assert (event["op"], event["subject"], event["records"], event["actor"]) == (
        "lint",
        "lint: 0 errors, 1 warning, 0 notes",
        [],
        "robot",
    )
    assert event["reason"] == "Checked 3 files (everything).\n- MG302 stale-record: 1\n\nWeekly."
    assert run_git(checked, "rev-parse", "HEAD^{tree}") == before and status(checked) == ""
    assert [one["op"] for one in memgit(checked, "log", "--op", "lint", "--json").json] == ["lint"]
    assert "lint | 0 errors, 1 warning, 0 notes" in memgit(checked, "log", "--format", "markdown").out
    fsck(checked)


def test_it_comes_back_from_a_clone_and_from_nothing(checked: Path, tmp_path: Path) -> None:
    memgit(checked, "lint", "--log")
    run_git(tmp_path, "clone", "-q", str(checked), "clone")
    assert memgit(tmp_path / "clone", "log", "--json").json == memgit(checked, "log", "--json").json
    assert memgit(tmp_path / "clone", "rebuild", "--check").code == 0


def test_the_exit_code_is_that_of_the_check(checked: Path) -> None:
    (checked / "memory" / "old.md").write_text("no title\n\n[[Nowhere]]\n")
    assert memgit(checked, "lint", "--log", code=1).code == 1
    assert memgit(checked, "log", "--json").json[0]["op"] == "lint"
    assert status(checked) == " M memory/old.md"


def test_without_the_option_nothing_is_committed_and_what_is_staged_stays_staged(checked: Path) -> None:
    memgit(checked, "lint")
    assert count_commits(checked) == 2
    (checked / "notes").mkdir(exist_ok=True)
    (checked / "notes" / "a.md").write_text("# A\n")
    run_git(checked, "add", "notes/a.md")
    memgit(checked, "lint", "--log", "--fail-on", "never")
    assert (count_commits(checked), status(checked)) == (3, "A  notes/a.md")
    assert run_git(checked, "show", "--name-only", "--format=", "HEAD") == ""


@pytest.mark.parametrize("more", [("--staged",), ("--changed",), ("--at", "HEAD")])
def test_it_goes_with_the_working_tree_alone(checked: Path, more: tuple[str, ...]) -> None:
    assert "--log" in memgit(checked, "lint", "--log", *more, code=2).err
    assert count_commits(checked) == 2


def test_where_the_log_could_not_show_it(repo: Path) -> None:
    memgit(repo, "init", "kb")
    assert memgit(repo / "kb", "lint", "--log", code=3).err.startswith(
        "memgit: the log of a knowledge root in a folder shows"
    )
    assert count_commits(repo) == 1


def test_hooks_of_other_tools_see_it(checked: Path) -> None:
    run_git(checked, "config", "core.hooksPath", "own")
    hook = checked / "own" / "commit-msg"
    hook.parent.mkdir()
    hook.write_text('#!/bin/sh\necho "Ticket: 7" >> "$1"\n')
    hook.chmod(0o755)
    memgit(checked, "lint", "--log")
    assert run_git(checked, "log", "-1", "--format=%B").endswith("Ticket: 7\n")
    hook.write_text("#!/bin/sh\necho no today\nexit 1\n")
    assert "no today" in memgit(checked, "lint", "--log", code=3).err
    assert count_commits(checked) == 3

"""What is staged can be changed again, and the commit that takes it says who did it, in which run, why, and from what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memgit.app.write import write as write_module
from tests.support import memgit, run_git, status, write

AGENT = ("--actor", "claude", "--run", "r7")


def staged(kb: Path, *args: str) -> None:
    answer = memgit(kb, *AGENT, *args, "--stage", "--json").json
    assert answer["staged"] and answer["commit"] is None


def newest(kb: Path) -> Any:
    return memgit(kb, "log", "-n", "1", "--json").json[0]


def by_hook(kb: Path) -> None:
    """The commit as the installed hook writes its message."""
    message = kb / "message"
    message.write_text("by hand\n")
    memgit(kb, "hook", "prepare-commit-msg", str(message), "message")
    memgit(kb, "hook", "commit-msg", str(message))
    run_git(kb, "commit", "-q", "-n", "--cleanup=verbatim", "-F", str(message))
    message.unlink()


def test_two_that_stage_at_once_are_both_named(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note = write_module._note_staged

    def late(*args: Any) -> None:
        monkeypatch.setattr(write_module, "_note_staged", note)
        memgit(
            kb, "--actor", "second", "record", "memory", "Two", "-m", "x", "--reason", "why two", "--stage"
        )
        note(*args)

    monkeypatch.setattr(write_module, "_note_staged", late)
    memgit(kb, "--actor", "first", "record", "memory", "One", "-m", "x", "--reason", "why one", "--stage")
    by_hook(kb)
    event = newest(kb)
    assert sorted(event["actor"].split(", ")) == ["first", "second"]
    assert "why one" in run_git(kb, "log", "-1", "--format=%B") and "why two" in run_git(
        kb, "log", "-1", "--format=%B"
    )


@pytest.mark.parametrize("how", ["git", "memgit"])
def test_the_commit_carries_who_and_why(kb: Path, how: str) -> None:
    memgit(kb, "record", "observation", "Seen", "-m", "It broke.")
    origin = memgit(kb, "list", "observation", "--json").json[0]["address"]
    staged(
        kb,
        "promote",
        origin,
        "It breaks",
        "--source",
        "url:https://example.org",
        "--reason",
        "Seen twice.",
    )
    if how == "git":
        by_hook(kb)
    else:
        memgit(kb, "commit")
    event = newest(kb)
    assert (event["actor"], event["run"], event["source"]) == ("claude", "r7", "url:https://example.org")
    assert "Seen twice." in str(event["reason"]) and event["derived_from"] == [origin]
    assert [
        one["address"] for one in memgit(kb, "log", "--actor", "claude", "--json").json[0]["records"]
    ] == ["memory/it-breaks"]
    assert status(kb) == ""


def test_a_staged_record_is_changed_extended_linked_and_renamed_again(kb: Path) -> None:
    memgit(kb, "record", "memory", "Other", "-m", "x")
    staged(kb, "record", "memory", "New one", "-m", "first")
    staged(kb, "update", "new-one", "-m", "second [[other]]")
    staged(kb, "extend", "memory/new-one", "-m", "third")
    staged(kb, "link", "new-one", "other")
    staged(kb, "rename", "New one", "Newer one")
    staged(kb, "record", "knowledge", "K", "--category", "c", "-m", "- x")
    staged(kb, "record", "knowledge", "L", "--category", "c", "-m", "- y")
    assert not (kb / "memory/new-one.md").exists()
    text = (kb / "memory/newer-one.md").read_text()
    assert "second [[other]]" in text and "third" in text and '- "[[other]]"' in text
    assert "newer-one" in (kb / "memory/other.md").read_text()
    assert run_git(kb, "status", "--porcelain").replace("A  ", "").replace("M  ", "").count("??") == 0
    by_hook(kb)
    assert status(kb) == "" and memgit(kb, "rebuild", "--check").code == 0
    assert {one["address"] for one in newest(kb)["records"]} >= {
        "memory/newer-one",
        "knowledge/c#K",
        "knowledge/c#L",
    }


def test_what_is_unstaged_or_staged_by_hand_is_not_said_to_be_the_agents(kb: Path) -> None:
    staged(kb, "record", "memory", "A", "-m", "x")
    run_git(kb, "reset", "-q")
    run_git(kb, "clean", "-fdq")
    write(kb, "memory/b.md", "---\ntitle: B\ncreated: 2026-01-01\n---\nText.\n")
    run_git(kb, "add", "-A")
    by_hook(kb)
    assert newest(kb)["actor"] is None


@pytest.mark.parametrize("how", ["git", "memgit"])
def test_what_a_commit_took_is_not_said_of_the_next(kb: Path, how: str) -> None:
    memgit(kb, "record", "knowledge", "A", "--category", "c", "-m", "x")
    staged(kb, "update", "A", "-m", "y", "--reason", "Asked for.")
    if how == "git":
        by_hook(kb)
    else:
        memgit(kb, "commit")
    assert newest(kb)["actor"] == "claude"
    memgit(kb, "record", "knowledge", "B", "--category", "c", "-m", "z", "--stage")
    by_hook(kb)
    event = newest(kb)
    assert (event["actor"], event["run"]) == (None, None) and "Asked for." not in str(event["reason"])
    assert [one["address"] for one in event["records"]] == ["knowledge/c#B"]


def test_what_a_commit_took_is_not_said_where_its_text_comes_back(kb: Path) -> None:
    memgit(kb, "record", "memory", "A", "-m", "x")
    staged(kb, "update", "a", "-m", "y", "--reason", "Asked for.")
    by_hook(kb)
    text = (kb / "memory/a.md").read_text()
    for content in (text.replace("y\n", "z\n"), text):
        (kb / "memory/a.md").write_text(content)
        run_git(kb, "add", "memory/a.md")
        by_hook(kb)
    event = newest(kb)
    assert event["actor"] is None and "Asked for." not in str(event["reason"])


def test_a_foreign_staged_file_stays_staged_and_takes_nothing_along(kb: Path) -> None:
    write(kb, "code.py", "x = 1\n")
    run_git(kb, "add", "code.py")
    staged(kb, "record", "memory", "A", "-m", "x")
    assert "A  code.py" in run_git(kb, "status", "--porcelain")
    memgit(kb, "record", "memory", "B", "-m", "y")
    assert run_git(kb, "show", "--name-only", "--format=", "HEAD").split() == [
        "INDEX.md",
        "memory/INDEX.md",
        "memory/b.md",
    ]
    assert "A  memory/a.md" in run_git(kb, "status", "--porcelain")
    memgit(kb, "commit")
    assert newest(kb)["actor"] == "claude" and memgit(kb, "rebuild", "--check").code == 0
    assert "A  code.py" in run_git(kb, "status", "--porcelain")

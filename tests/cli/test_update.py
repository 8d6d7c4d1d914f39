from __future__ import annotations

import shlex
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.support import count_commits, memgit, run_git, status


def test_a_new_body_replaces_the_old_one_which_stays_in_history(kb: Path) -> None:
    first = memgit(kb, "record", "memory", "Friday CI", "-m", "Old text.", "--json").json
    answer = memgit(kb, "update", "friday-ci", "-m", "New text.", "--reason", "it moved", "--json").json
    assert (answer["op"], answer["action"]) == ("update", "updated")
    assert answer["record"]["body"] == "New text."
    assert answer["record"]["id"] == first["record"]["id"]
    assert memgit(kb, "show", "friday-ci", "--at", first["commit"], "--json").json["body"] == "Old text."
    assert run_git(kb, "log", "-1", "--format=%s") == "update(memory): Friday CI"
    assert status(kb) == ""


def test_only_the_lines_of_the_change_change(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "A", "--category", "web", "-m", "- one\n- two", "--keywords", "x")
    memgit(kb, "record", "knowledge", "B", "--category", "web", "-m", "- three", "--keywords", "y")
    memgit(kb, "update", "knowledge/web#A", "--keywords", "x,z")
    changed = [
        line
        for line in run_git(kb, "diff", "-U0", "HEAD~1", "--", "knowledge-base/web.md").split("\n")
        if line[:1] in "+-"
    ][2:]
    assert changed[0].startswith("+**Updated:** ")
    assert changed[1:] == ["-**Keywords:** x", "+**Keywords:** x, z"]


def test_a_change_is_never_dated_before_the_record_was_made(kb: Path) -> None:
    """Somebody in a zone that is ahead made it, whose next day had begun already."""
    tomorrow = (date.today() + timedelta(days=1)).isoformat()
    memgit(kb, "record", "memory", "Ahead", "--date", tomorrow, "-m", "Text.")
    fields = memgit(kb, "update", "Ahead", "-m", "Other.", "--json").json["record"]["fields"]
    assert fields["created"] == fields["updated"] == tomorrow
    memgit(kb, "lint", "--select", "MG004")


def test_an_update_that_changes_nothing_makes_no_commit(kb: Path) -> None:
    memgit(kb, "record", "memory", "Friday CI", "-m", "Text.", "--topics", "ci")
    before = count_commits(kb)
    answer = memgit(kb, "update", "friday-ci", "-m", "Text.", "--topics", "ci", "--json").json
    assert (answer["action"], answer["commit"]) == ("no_op", None)
    assert count_commits(kb) == before


def test_an_empty_text_empties_a_field(kb: Path) -> None:
    memgit(kb, "record", "memory", "Friday CI", "-m", "Text.", "--summary", "short")
    answer = memgit(kb, "update", "friday-ci", "--summary", "", "--json").json
    assert "summary" not in answer["record"]["fields"]
    assert "summary" not in (kb / "memory/friday-ci.md").read_text()


def test_versions_of_a_skill(kb: Path) -> None:
    memgit(kb, "record", "skill", "Safe migration", "--description", "d", "-m", "1. backup")
    answer = memgit(
        kb, "update", "skill/safe-migration", "--new-version", "-m", "1. backup\n2. check", "--json"
    ).json
    assert answer["record"]["version"] == 2
    memgit(kb, "update", "skill/safe-migration", "-m", "1. backup\n2. check twice")
    assert memgit(kb, "show", "skill/safe-migration@1", "--json").json["body"] == "1. backup"
    assert memgit(kb, "show", "skill/safe-migration@2", "--json").json["body"] == "1. backup\n2. check twice"
    assert "never had version 3" in memgit(kb, "show", "skill/safe-migration@3", code=2).err
    changed = memgit(kb, "diff", "skill/safe-migration@1", "skill/safe-migration@2", "--json").json
    assert "+2. check twice" in changed[0]["diff"]
    memgit(kb, "record", "memory", "No versions", "-m", "x")
    assert "only skills have versions" in memgit(kb, "update", "no-versions", "--new-version", code=2).err


def test_what_rename_is_for_is_said(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "Old one", "--category", "web", "-m", "- x")
    for option, value, address in (
        ("--title", "It's new", "knowledge/web#It's new"),
        ("--category", "api", "knowledge/api#It's new"),
    ):
        answer = memgit(kb, "update", "Old one" if option == "--title" else "It's new", option, value, code=2)
        command = answer.err.partition("hint: ")[2].strip()
        assert f"update leaves the {option[2:]} of a record as it is" in answer.err
        assert memgit(kb, *shlex.split(command)[1:], "--json").json["record"]["address"] == address
    assert "memgit rename x --to a/b" in memgit(kb, "update", "x", "--scope", "a/b", code=2).err
    assert "--title" not in memgit(kb, "update", "--help").out


@pytest.mark.parametrize("name", ["skill/safe-migration", "safe-migration", "skills/safe-migration"])
def test_a_write_takes_the_present_version_alone(kb: Path, name: str) -> None:
    memgit(kb, "record", "skill", "Safe migration", "-m", "1. backup")
    memgit(kb, "record", "memory", "Friday CI", "-m", "x")
    memgit(kb, "update", name, "--new-version", "-m", "2. check")
    before = count_commits(kb)
    writes = (
        ("update", "{}", "-m", "lost"),
        ("extend", "{}", "-m", "lost"),
        ("archive", "{}"),
        ("restore", "{}"),
        ("rename", "{}", "Lost"),
        ("link", "{}", "friday-ci"),
        ("link", "friday-ci", "{}"),
        ("use", "{}"),
        ("merge-records", "friday-ci", "{}"),
        ("record", "memory", "Lost", "-m", "y", "--related", "{}"),
        ("propose", "archive", "{}"),
    )
    for version in ("1", "3"):
        for write in writes:
            answer = memgit(kb, *(word.format(f"{name}@{version}") for word in write), code=2)
            assert (
                f"skills/safe-migration.md:1: skill/safe-migration is at version 2, not {version}\n"
                in answer.err
            )
            assert "hint: skill/safe-migration names the present one" in answer.err
            assert (f"memgit show skill/safe-migration@{version} shows" in answer.err) == (version == "1")
    assert count_commits(kb) == before
    assert memgit(kb, "extend", f"{name}@2", "-m", "3. more", "--json").json["action"] == "extended"
    assert memgit(kb, "show", f"{name}@1", "--json").json["body"] == "1. backup"


def test_a_log_takes_the_present_version_alone(kb: Path) -> None:
    memgit(kb, "record", "skill", "Plan", "-m", "one")
    memgit(kb, "update", "plan", "--new-version", "-m", "two")
    whole = memgit(kb, "log", "--record", "skill/plan", "--json").json
    assert len(whole) == 2
    for name in ("skill/plan@2", "plan@2"):
        assert memgit(kb, "log", "--record", name, "--json").json == whole
    for name in ("skill/plan@1", "plan@1"):
        assert "skill/plan is at version 2, not 1\n" in memgit(kb, "log", "--record", name, code=2).err
    # and there was no version 0 to show
    assert "names the present one\n" in memgit(kb, "log", "--record", "plan@0", code=2).err
    assert memgit(kb, "log", "--record", "skill/gone@1", "--json").json == []


@pytest.mark.parametrize("command", [("show",), ("use",), ("history",), ("log", "--record")])
def test_a_number_of_any_length_is_no_version(kb: Path, command: tuple[str, ...]) -> None:
    memgit(kb, "record", "skill", "Plan", "-m", "one")
    assert "no record answers to 'plan@99" in memgit(kb, *command, f"plan@{'9' * 5000}", code=2).err


def test_a_name_that_ends_like_a_version(kb: Path) -> None:
    for folder in ("memory", "skills"):
        (kb / folder).mkdir(exist_ok=True)
    (kb / "memory/team@2.md").write_text("---\ntitle: Team\n---\n\nx\n")
    (kb / "skills/plan@2.md").write_text("---\nname: Plan\n---\n\ny\n")
    run_git(kb, "add", ".")
    run_git(kb, "commit", "-q", "-m", "By hand")
    for name, body in (
        ("memory/team@2", "x"),
        ("team@2", "x"),
        ("skill/plan@2", "y"),
        ("plan@2", "y"),
        ("skill/plan@2@1", "y"),
    ):
        assert memgit(kb, "show", name, "--json").json["body"] == body
        assert memgit(kb, "update", name, "-m", body, "--json").json["action"] == "no_op"
    assert "no record answers to 'team@2@1'" in memgit(kb, "update", "team@2@1", "-m", "z", code=2).err


def test_a_version_survives_a_rename(kb: Path) -> None:
    memgit(kb, "record", "skill", "Old name", "-m", "one")
    memgit(kb, "rename", "skill/old-name", "New name")
    memgit(kb, "update", "skill/new-name", "--new-version", "-m", "two")
    assert memgit(kb, "show", "skill/new-name@1", "--json").json["body"] == "one"


def test_a_lost_update_is_refused(kb: Path) -> None:
    memgit(kb, "record", "memory", "Friday CI", "-m", "One.")
    shown = memgit(kb, "show", "friday-ci", "--json").json
    memgit(kb, "update", "friday-ci", "-m", "Two.", "--if-version", shown["version_id"])
    refused = memgit(kb, "update", "friday-ci", "-m", "Three.", "--if-version", shown["version_id"], code=1)
    assert "was changed since" in refused.err
    head = run_git(kb, "rev-parse", "HEAD")
    memgit(kb, "record", "memory", "Other", "-m", "x")
    memgit(kb, "update", "friday-ci", "-m", "Three.", "--if-version", head)
    memgit(kb, "update", "friday-ci", "-m", "Four.", "--if-version", head, code=1)
    memgit(kb, "update", "friday-ci", "-m", "Four.", "--if-version", "no-such-thing", code=2)


def test_a_record_made_by_hand_gets_an_id_when_it_is_written(kb: Path) -> None:
    (kb / "knowledge-base").mkdir(exist_ok=True)
    (kb / "knowledge-base/web.md").write_text("## By hand\n**Date:** 2026-01-02\n**Keywords:** a\n")
    memgit(kb, "commit")
    assert memgit(kb, "show", "By hand", "--json").json["id"] is None
    answer = memgit(kb, "update", "web#By hand", "-m", "- now", "--json").json
    assert answer["record"]["id"]
    assert f"**Id:** {answer['record']['id']}" in (kb / "knowledge-base/web.md").read_text()
    assert answer["record"]["updated"] != "2026-01-02"


def test_extend_appends_a_dated_section(kb: Path) -> None:
    memgit(kb, "record", "memory", "Friday CI", "-m", "First.", "--topics", "ci", "--date", "2026-01-02")
    answer = memgit(kb, "extend", "friday-ci", "-m", "Second.", "--topics", "risk", "--json").json
    assert answer["action"] == "extended"
    assert answer["record"]["topics"] == ["ci", "risk"]
    assert answer["record"]["body"].startswith("First.")
    assert "Extension (" in answer["record"]["body"]
    assert answer["record"]["body"].endswith("Second.")
    assert run_git(kb, "log", "-1", "--format=%(trailers:key=Memgit-Record,valueonly)").startswith("extend ")
    assert "nothing to add" in memgit(kb, "extend", "friday-ci", code=2).err


def test_an_observation_is_never_edited(kb: Path) -> None:
    id_ = memgit(kb, "record", "observation", "Flaky", "-m", "On Fridays.", "--json").json["record"]["id"]
    for command in (("update", id_, "-m", "x"), ("extend", id_, "-m", "x"), ("rename", id_, "x")):
        assert "never edited" in memgit(kb, *command, code=3).err
    memgit(kb, "archive", id_)
    assert memgit(kb, "list", "--json").json == []
    assert "one way" in memgit(kb, "restore", id_, code=3).err
    assert "retired" in memgit(kb, "promote", id_, code=3).err


def test_a_mistyped_address_names_the_nearest(kb: Path) -> None:
    memgit(kb, "record", "memory", "Friday CI", "-m", "x")
    answer = memgit(kb, "update", "memory/fryday-ci", "-m", "y", code=2)
    assert "did you mean memory/friday-ci?" in answer.err

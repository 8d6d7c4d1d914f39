"""Archive, restore, rename, move, promote, link, undo and commit: the life of a record."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import count_commits, fsck, memgit, run_git, status


@pytest.mark.parametrize("kind", ["knowledge", "memory", "decision", "skill", "note"])
def test_archive_hides_and_restore_brings_back(kb: Path, kind: str) -> None:
    made = memgit(kb, "record", kind, "Old advice", "-m", "- x", "--json").json
    before = (kb / made["record"]["path"]).read_bytes()
    id_ = made["record"]["id"]
    assert memgit(kb, "archive", id_, "--json").json["action"] == "archived"
    assert memgit(kb, "archive", id_, "--json").json["action"] == "no_op"
    assert memgit(kb, "list", "--json").json == []
    assert [record["id"] for record in memgit(kb, "list", "--archived", "--json").json] == [id_]
    assert memgit(kb, "show", id_, "--json").json["archived"]
    assert memgit(kb, "restore", id_, "--json").json["action"] == "restored"
    assert (kb / made["record"]["path"]).read_bytes() == before
    assert memgit(kb, "restore", id_, "--json").json["action"] == "no_op"
    assert status(kb) == ""


def test_an_archived_id_is_not_handed_out_again(kb: Path) -> None:
    one = memgit(kb, "record", "memory", "One", "-m", "x", "--json").json["record"]["id"]
    memgit(kb, "archive", one)
    assert memgit(kb, "record", "memory", "Two", "-m", "x", "--json").json["record"]["id"] != one


def test_a_rename_takes_every_link_along(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "Old title", "--category", "web", "-m", "- x")
    body = "- see [[web#Old title|that]] and `[[web#Old title]]`"
    memgit(kb, "record", "knowledge", "Linker", "--category", "api", "-m", body, "--related", "web#Old title")
    memgit(kb, "record", "memory", "Fact", "-m", "As [[knowledge/web#Old title]] says.")
    before = count_commits(kb)
    answer = memgit(kb, "rename", "web#Old title", "New title", "--json").json
    assert count_commits(kb) == before + 1
    assert answer["record"]["address"] == "knowledge/web#New title"
    assert answer["changes"][0]["was"] == "knowledge/web#Old title"
    text = (kb / "knowledge-base/api.md").read_text()
    assert "[[web#New title|that]]" in text
    assert "`[[web#Old title]]`" in text
    assert "**Related:** [[web#New title]]" in text
    assert "[[web#New title]]" in (kb / "memory/fact.md").read_text()
    assert sorted(answer["related"]) == ["knowledge/api#Linker", "memory/fact"]
    assert status(kb) == ""


def test_a_document_moves_with_its_title_and_keeps_its_history(kb: Path) -> None:
    id_ = memgit(kb, "record", "memory", "Friday CI", "-m", "x", "--json").json["record"]["id"]
    answer = memgit(kb, "rename", "friday-ci", "Weekend CI", "--json").json
    assert (answer["action"], answer["record"]["path"]) == ("renamed", "memory/weekend-ci.md")
    assert not (kb / "memory/friday-ci.md").exists()
    moved = memgit(kb, "rename", "weekend-ci", "--to", "team/ci", "--json").json
    assert moved["record"]["address"] == "memory/team/ci/weekend-ci"
    kept = memgit(kb, "rename", id_, "Any CI", "--keep-path", "--json").json
    assert (kept["record"]["title"], kept["record"]["path"]) == ("Any CI", "memory/team/ci/weekend-ci.md")
    history = memgit(kb, "history", id_, "--json").json
    assert [event["op"] for event in history] == ["rename", "rename", "rename", "record"]
    assert history[1]["records"][0]["was"] == "memory/weekend-ci"
    assert status(kb) == ""


def test_an_entry_moves_to_another_category(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "Stays", "--category", "web", "-m", "- a")
    memgit(
        kb,
        "record",
        "knowledge",
        "Goes",
        "--category",
        "web",
        "-m",
        "- b",
        "--keywords",
        "k",
        "--context",
        "c",
        "--related",
        "web#Stays",
    )
    answer = memgit(kb, "rename", "web#Goes", "--to", "api", "--json").json
    record = answer["record"]
    assert (record["address"], record["keywords"], record["body"]) == ("knowledge/api#Goes", ["k"], "- b")
    assert "Goes" not in (kb / "knowledge-base/web.md").read_text().replace("[[api#Goes]]", "")
    assert "[[api#Goes]]" in (kb / "knowledge-base/web.md").read_text()
    assert memgit(kb, "history", "api#Goes", "--json").json[0]["records"][0]["was"] == "knowledge/web#Goes"


def test_an_entry_cannot_move_to_where_its_kind_does_not_lie(kb: Path) -> None:
    memgit(kb, "record", "experience", "Goes", "--skill", "web", "-m", "- x")
    before = count_commits(kb)
    assert (
        "experience/skill-a/b.md would not be" in memgit(kb, "rename", "web#Goes", "--to", "a/b", code=2).err
    )
    assert count_commits(kb) == before and status(kb) == ""


def test_a_taken_address_is_a_conflict(kb: Path) -> None:
    for title in ("One", "Two"):
        memgit(kb, "record", "knowledge", title, "--category", "web", "-m", "- x")
        memgit(kb, "record", "memory", title, "-m", "x")
    before = count_commits(kb)
    memgit(kb, "rename", "knowledge/web#One", "Two", code=1)
    memgit(kb, "rename", "memory/one", "Two", code=1)
    assert memgit(kb, "rename", "memory/one", "One", "--json").json["action"] == "no_op"
    assert count_commits(kb) == before


def test_promotion_keeps_its_provenance(kb: Path) -> None:
    seen = memgit(
        kb,
        "record",
        "observation",
        "Build is flaky on Fridays",
        "--topics",
        "ci,risk",
        "-m",
        "Three times now.",
        "--json",
    ).json["record"]
    memory = memgit(kb, "promote", seen["id"], "Friday CI is unreliable", "--json").json
    assert (memory["op"], memory["action"]) == ("promote", "promoted")
    assert memory["record"]["derived_from"] == [seen["address"]]
    assert memory["record"]["topics"] == ["ci", "risk"]
    assert memory["record"]["body"] == "Three times now."
    decision = memgit(
        kb, "promote", memory["record"]["id"], "No deploys on Fridays", "--status", "accepted", "--json"
    ).json["record"]
    assert decision["kind"] == "decision"
    assert decision["derived_from"] == [memory["record"]["address"]]
    assert decision["fields"]["status"] == "accepted"
    assert f"Memgit-Derived-From: {memory['record']['address']}" in run_git(kb, "log", "-1", "--format=%B")
    event = memgit(kb, "log", "-n", "1", "--json").json[0]
    assert event["op"] == "promote"
    assert event["records"][0]["action"] == "promote"
    assert "not promoted" in memgit(kb, "promote", decision["id"], code=2).err


def test_link_joins_both_ways_once(kb: Path) -> None:
    for title in ("A", "B"):
        memgit(kb, "record", "memory", title, "-m", "x")
    assert memgit(kb, "link", "memory/a", "memory/b", "--json").json["action"] == "linked"
    assert memgit(kb, "show", "memory/b", "--json").json["related"] == ["a"]
    assert memgit(kb, "link", "memory/b", "memory/a", "--json").json["action"] == "no_op"
    assert "itself" in memgit(kb, "link", "memory/a", "memory/a", code=2).err
    assert status(kb) == ""


def test_undo_takes_one_operation_back_and_leaves_later_ones(kb: Path) -> None:
    memgit(kb, "record", "memory", "One", "-m", "first")
    middle = memgit(kb, "update", "memory/one", "-m", "second", "--json").json["commit"]
    memgit(kb, "record", "memory", "Two", "-m", "x")
    answer = memgit(kb, "undo", middle, "--json").json
    assert answer["op"] == "revert"
    assert memgit(kb, "show", "memory/one", "--json").json["body"] == "first"
    assert memgit(kb, "show", "memory/two", "--json").json["body"] == "x"
    again = memgit(kb, "undo", "--redo")
    assert again.out.startswith("did again what was taken back from memory/one [")
    assert f"does again what was taken back by {answer['commit'][:12]}" in again.err
    assert memgit(kb, "show", "memory/one", "--json").json["body"] == "second"
    assert run_git(kb, "log", "-1", "--format=%s").startswith("revert: ")
    assert status(kb) == ""


def test_undo_of_a_new_record_removes_it_and_its_links(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "A", "--category", "web", "-m", "- a")
    before = (kb / "knowledge-base/web.md").read_bytes()
    memgit(kb, "record", "knowledge", "B", "--category", "web", "-m", "- b", "--related", "web#A")
    memgit(kb, "undo")
    assert (kb / "knowledge-base/web.md").read_bytes() == before
    assert status(kb) == ""


def test_undo_stops_where_a_later_change_stands_in_the_way(kb: Path) -> None:
    memgit(kb, "record", "memory", "One", "-m", "first")
    middle = memgit(kb, "update", "memory/one", "-m", "second", "--json").json["commit"]
    memgit(kb, "update", "memory/one", "-m", "third")
    before = run_git(kb, "rev-parse", "HEAD")
    assert "memory/one.md" in memgit(kb, "undo", middle, code=1).err
    assert run_git(kb, "rev-parse", "HEAD") == before
    assert status(kb) == ""


def test_undo_of_a_commit_without_records(kb: Path) -> None:
    assert "changed no record" in memgit(kb, "undo", "HEAD", code=2).err
    assert "no operation to undo" in memgit(kb, "undo", code=2).err


def test_hand_edits_become_operations(kb: Path) -> None:
    memgit(kb, "record", "memory", "Friday CI", "-m", "Old.")
    path = kb / "memory/friday-ci.md"
    path.write_text(path.read_text().replace("Old.", "New, by hand."))
    (kb / "scratch.txt").write_text("mine")
    answer = memgit(kb, "commit", "-m", "because", "--json").json
    assert (answer["op"], answer["action"]) == ("update", "updated")
    message = run_git(kb, "log", "-1", "--format=%B")
    assert message.startswith(
        "update(memory): Friday CI\n\nbecause\n\nMemgit-Op: update\nMemgit-Record: update "
    )
    assert status(kb) == "?? scratch.txt"
    assert memgit(kb, "commit", "--json").json["action"] == "no_op"


def test_a_hand_edit_of_many_kinds_is_one_edit(kb: Path) -> None:
    memgit(kb, "record", "memory", "One", "-m", "x")
    memgit(kb, "record", "memory", "Two", "-m", "y")
    (kb / "memory/one.md").unlink()
    (kb / "memory/two.md").write_text((kb / "memory/two.md").read_text() + "\nMore.\n")
    (kb / "memory/three.md").write_text("---\ntitle: Three\ncreated: 2026-01-02\n---\n\nText.\n")
    answer = memgit(kb, "commit", "--json").json
    assert answer["op"] == "edit"
    assert sorted(change["action"] for change in answer["changes"]) in (
        ["create", "extend", "remove"],
        ["create", "remove", "update"],
    )
    assert status(kb) == ""


def test_a_hand_edit_that_the_hook_would_stop_is_not_committed(kb: Path) -> None:
    """git runs no hooks for the commits that memgit makes: what they would find is looked for all the same."""
    (kb / "memory").mkdir(exist_ok=True)
    old, new = kb / "memory/old.md", kb / "memory/new.md"
    old.write_text("---\ntitle: Old\ncreated: 2026-02-30\n---\n\nText.\n")
    run_git(kb, "add", "memory")
    run_git(kb, "commit", "-qnm", "as it came")
    old.write_text(old.read_text() + "More.\n")
    new.write_text(
        "---\ntitle: New\ncreated: 2026-04-31\nupdated: 2026-13-01\n---\n\nSee [[Nowhere at all]].\n"
    )
    before, there = run_git(kb, "rev-parse", "HEAD"), status(kb)
    said = memgit(kb, "commit", code=3).err
    assert "memory/new.md:3: not committed: MG004" in said and "and 1 more" in said
    assert (run_git(kb, "rev-parse", "HEAD"), status(kb)) == (before, there)
    assert memgit(kb, "commit", "memory/old.md").code == 0, (
        "what the newest commit has as well is not a reason"
    )
    memgit(kb, "commit", "--no-verify")
    assert status(kb) == ""
    fsck(kb)


def test_what_history_forbids_is_refused_each_time(kb: Path) -> None:
    memgit(kb, "record", "observation", "Seen", "-m", "What was seen.")
    (path,) = (kb / "observations").rglob("*.md")
    for option in (("--no-verify",), ()):
        path.write_text(path.read_text() + f"Edited {option}.\n")
        assert "MG401" in memgit(kb, "commit", code=3).err
        memgit(kb, "commit", "--no-verify")


def test_an_old_error_is_known_on_other_lines_and_only_as_often_as_it_was(kb: Path) -> None:
    path = kb / "knowledge-base/c.md"
    path.parent.mkdir(exist_ok=True)
    entry = "## {}\n**Date:** 2026-01-01\n\n- x\n\n"
    path.write_text(entry.format("Twice") * 2)
    memgit(kb, "commit", "--no-verify")
    path.write_text(entry.format("Above") + path.read_text())
    memgit(kb, "commit")
    path.write_text(path.read_text() + entry.format("Twice"))
    assert "MG005" in memgit(kb, "commit", code=3).err


def test_commit_takes_only_the_paths_that_are_named(kb: Path) -> None:
    for name in ("one", "two"):
        (kb / "memory").mkdir(exist_ok=True)
        (kb / f"memory/{name}.md").write_text(f"---\ntitle: {name}\ncreated: 2026-01-02\n---\n\nText.\n")
    memgit(kb, "commit", "memory/one.md")
    assert status(kb) == "?? memory/two.md"
    assert "nothing to commit there" in memgit(kb, "commit", "memory/absent.md", code=2).err
    assert "outside" in memgit(kb, "commit", "../x.md", code=2).err


def test_a_hand_edit_that_cannot_be_read_is_refused_by_name(kb: Path) -> None:
    (kb / "memory").mkdir(exist_ok=True)
    (kb / "memory/bad.md").write_bytes(b"---\ntitle: caf\xe9\n---\n")
    before = count_commits(kb)
    assert "memory/bad.md:2" in memgit(kb, "commit", code=3).err
    assert count_commits(kb) == before


def test_uncommitted_edits_survive_an_operation_on_the_same_file(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "A", "--category", "web", "-m", "- a")
    memgit(kb, "record", "knowledge", "B", "--category", "web", "-m", "- b")
    path = kb / "knowledge-base/web.md"
    path.write_text(path.read_text().replace("- a\n", "- a, by hand\n"))
    memgit(kb, "record", "knowledge", "C", "--category", "web", "-m", "- c")
    assert "- a, by hand" in path.read_text()
    assert "## C" in path.read_text()
    assert "by hand" not in run_git(kb, "show", "HEAD:knowledge-base/web.md")
    assert status(kb) == " M knowledge-base/web.md"
    refused = memgit(kb, "update", "web#A", "-m", "- a, by memgit", code=3)
    assert "knowledge-base/web.md" in refused.err
    assert "- a, by hand" in path.read_text()


def test_a_new_entry_by_hand_and_one_by_memgit_both_stay(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "A", "--category", "web", "-m", "- a")
    path = kb / "knowledge-base/web.md"
    path.write_text(path.read_text() + "\n## By hand\n**Date:** 2026-01-02\n**Keywords:** h\n")
    memgit(kb, "record", "knowledge", "B", "--category", "web", "-m", "- b")
    text = path.read_text()
    assert "## By hand" in text
    assert "## B\n" in text
    assert "By hand" not in run_git(kb, "show", "HEAD:knowledge-base/web.md")
    titles = [record["title"] for record in memgit(kb, "list", "--json").json]
    assert sorted(titles) == ["A", "B", "By hand"]
    fsck(kb)


def test_foreign_files_are_never_swept_in(kb: Path) -> None:
    (kb / "staged.txt").write_text("staged\n")
    run_git(kb, "add", "staged.txt")
    (kb / "README.md").write_text("dirty\n")
    memgit(kb, "record", "memory", "One", "-m", "x")
    memgit(kb, "rename", "memory/one", "Two")
    memgit(kb, "archive", "memory/two")
    memgit(kb, "undo")
    assert status(kb) == "A  staged.txt\n?? README.md"
    assert "staged.txt" not in run_git(kb, "ls-tree", "-r", "--name-only", "HEAD").split("\n")

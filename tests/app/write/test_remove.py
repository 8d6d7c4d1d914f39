"""`memgit rm`: one commit with a reason, links that break are named, undo brings all of it back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import count_commits, fsck, memgit, run_git, status, write


@pytest.fixture
def linked(kb: Path) -> Path:
    """Two entries that are linked both ways, and a memory."""
    memgit(kb, "record", "knowledge", "Alpha", "--category", "c", "-m", "- one")
    memgit(kb, "record", "knowledge", "Beta", "--category", "c", "-m", "- two", "--related", "c#Alpha")
    memgit(kb, "record", "memory", "Mem", "-m", "three")
    return kb


def test_a_reason_is_required(linked: Path) -> None:
    said = memgit(linked, "rm", "mem", code=2)
    assert "say why it is deleted" in said.err and "memgit archive" in said.err
    memgit(linked, "rm", "mem", "--reason", "  ", code=2)
    assert (linked / "memory/mem.md").exists()


def test_related_fields_drop_the_link_in_the_same_commit(linked: Path) -> None:
    before, tree = count_commits(linked), run_git(linked, "rev-parse", "HEAD^{tree}")
    done = memgit(linked, "rm", "c#Alpha", "--reason", "not true", "--json").json
    assert (done["op"], done["action"]) == ("remove", "removed")
    assert [(one["action"], one["address"]) for one in done["changes"]] == [
        ("remove", "knowledge/c#Alpha"),
        ("link", "knowledge/c#Beta"),
    ]
    assert count_commits(linked) == before + 1 and status(linked) == ""
    text = (linked / "knowledge-base/c.md").read_text()
    assert "Alpha" not in text and "## Beta" in text
    message = run_git(linked, "log", "-1", "--format=%B")
    assert message.startswith("remove(knowledge): Alpha\n\nnot true\n\nMemgit-Op: remove\n")
    assert memgit(linked, "log", "--op", "remove", "--json").json[0]["reason"] == "not true"
    assert memgit(linked, "rebuild", "--check").code == 0
    memgit(linked, "undo")
    assert run_git(linked, "rev-parse", "HEAD^{tree}") == tree
    fsck(linked)


def test_links_in_texts_are_named_and_need_force(linked: Path) -> None:
    memgit(linked, "record", "note", "N", "-m", "See [[mem]].")
    said = memgit(linked, "rm", "mem", "--reason", "gone", code=3)
    assert "memory/mem is linked from note/notes/n (notes/n.md:1)" in said.err and "--force" in said.err
    assert (linked / "memory/mem.md").exists() and status(linked) == ""
    done = memgit(linked, "rm", "mem", "--reason", "gone", "--force")
    assert "removed memory/mem" in done.out and "notes/n.md:1: note/notes/n links to what is gone" in done.err
    assert not (linked / "memory/mem.md").exists() and status(linked) == ""


def test_a_decision_that_another_supersedes_is_not_deleted_unasked(kb: Path) -> None:
    memgit(kb, "record", "decision", "Old", "-m", "x", "--status", "accepted")
    old = memgit(kb, "list", "decision", "--json").json[0]["address"]
    memgit(kb, "record", "decision", "New", "-m", "y", "--supersedes", old)
    assert "is linked from decision/" in memgit(kb, "rm", old, "--reason", "r", code=3).err


def test_several_of_one_file_go_in_one_commit(linked: Path) -> None:
    before = count_commits(linked)
    done = memgit(linked, "rm", "c#Alpha", "c#Beta", "mem", "c#Beta", "--reason", "all wrong").out
    assert "removed 3 records" in done and count_commits(linked) == before + 1
    assert memgit(linked, "list", "--json").json == [] and status(linked) == ""
    assert "remove: records (3 removed)" in run_git(linked, "log", "-1", "--format=%s")


def test_uncommitted_edits_are_not_lost(linked: Path) -> None:
    with (linked / "memory/mem.md").open("a") as file:
        file.write("mine\n")
    said = memgit(linked, "rm", "mem", "--reason", "r", code=3)
    assert "uncommitted edits" in said.err
    assert (linked / "memory/mem.md").read_text().endswith("mine\n")


def test_staged_it_waits_for_the_commit(linked: Path) -> None:
    before = count_commits(linked)
    memgit(linked, "rm", "mem", "--reason", "obsolete", "--stage")
    assert count_commits(linked) == before and "D  memory/mem.md" in status(linked)


def test_where_vanished_records_are_an_error_it_is_refused(linked: Path) -> None:
    write(linked, ".memgit.yaml", "layout: memgit\nlint:\n  severity:\n    MG404: error\n")
    run_git(linked, "commit", "-qam", "strict")
    said = memgit(linked, "rm", "mem", "--reason", "r", code=3)
    assert "MG404" in said.err and (linked / "memory/mem.md").exists()


def test_a_delete_by_hand_has_the_same_name(linked: Path) -> None:
    (linked / "memory/mem.md").unlink()
    memgit(linked, "commit")
    assert run_git(linked, "log", "-1", "--format=%s") == "remove(memory): Mem"


def test_what_is_not_there_is_said(linked: Path) -> None:
    memgit(linked, "rm", "nosuch", "--reason", "r", code=2)
    memgit(linked, "rm", "mem", "nosuch", "--reason", "r", code=2)
    assert (linked / "memory/mem.md").exists()


def test_a_file_that_cannot_be_understood_can_be_deleted(kb: Path) -> None:
    write(kb, "memory/bad.md", "---\ntitle: [\n---\nx\n")
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qm", "bad")
    memgit(kb, "rm", "memory/bad", "--reason", "broken")
    assert not (kb / "memory/bad.md").exists() and status(kb) == ""
    write(
        kb,
        "knowledge-base/bad.md",
        "## A\n**Date:** 2026-03-02\n\n<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n",
    )
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qm", "conflict")
    memgit(kb, "rm", "bad#A", "--reason", "x", code=None)
    assert status(kb) == ""

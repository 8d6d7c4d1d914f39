"""Undo, undo again, redo; and the undo of a rename under later edits."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import commit, memgit, run_git, status, write


def titles(kb: Path) -> list[str]:
    return sorted(one["title"] for one in memgit(kb, "list", "--json").json)


def tree(kb: Path, revision: str = "HEAD") -> str:
    return run_git(kb, "rev-parse", f"{revision}^{{tree}}")


@pytest.fixture
def three(kb: Path) -> list[str]:
    """The trees after each of three records, the one before them first."""
    found = [tree(kb)]
    for name in ("One", "Two", "Three"):
        memgit(kb, "record", "memory", name, "-m", name)
        found.append(tree(kb))
    return found


def test_undo_again_takes_back_the_operation_before(kb: Path, three: list[str]) -> None:
    for want in (three[2], three[1], three[0]):
        memgit(kb, "undo")
        assert tree(kb) == want
    assert "no operation to undo" in memgit(kb, "undo", code=2).err or tree(kb) == three[0]


def test_redo_puts_back_in_turn_and_undo_goes_on_from_there(kb: Path, three: list[str]) -> None:
    for args, want in (
        ((), 2), ((), 1), (("--redo",), 2), (("--redo",), 3), ((), 2), ((), 1), ((), 0), (("--redo",), 1), ((), 0),
    ):  # fmt: skip
        memgit(kb, "undo", *args)
        assert tree(kb) == three[want], args


def test_there_is_nothing_to_redo_without_an_undo(kb: Path, three: list[str]) -> None:
    assert "there is no operation to redo" in memgit(kb, "undo", "--redo", code=2).err
    assert "--redo takes no commit" in memgit(kb, "undo", "--redo", "HEAD", code=2).err


def test_what_git_reverted_is_not_taken_back_again(kb: Path, three: list[str]) -> None:
    run_git(kb, "revert", "--no-edit", "HEAD")
    memgit(kb, "undo")
    assert titles(kb) == ["One"]


def test_an_undo_that_is_named_is_taken_back(kb: Path, three: list[str]) -> None:
    memgit(kb, "undo")
    memgit(kb, "undo", "HEAD")
    assert tree(kb) == three[3]


def test_a_rename_goes_back_and_later_edits_stay(kb: Path) -> None:
    memgit(kb, "record", "memory", "A", "-m", "first")
    memgit(kb, "record", "memory", "Old link", "-m", "[[a]] [x](a.md)")
    memgit(kb, "rename", "memory/a", "B")
    memgit(kb, "update", "memory/b", "-m", "second [[b]]")
    memgit(kb, "record", "memory", "New link", "-m", "[[b#part|l]] ![x](b.md)")
    answer = memgit(kb, "undo", "HEAD~2", "--json").json
    assert [one["address"] for one in answer["changes"] if one["action"] == "rename"] == ["memory/a"]
    text = (kb / "memory/a.md").read_text()
    assert "title: A" in text and "second [[a]]" in text and not (kb / "memory/b.md").exists()
    assert "[[a]] [x](a.md)" in (kb / "memory/old-link.md").read_text()
    assert "[[a#part|l]] ![x](a.md)" in (kb / "memory/new-link.md").read_text()
    found = memgit(kb, "lint", "--json").json["findings"]
    assert status(kb) == "" and [one for one in found if one["severity"] == "error"] == []


def test_a_link_edited_beside_another_change_follows_the_undone_rename(kb: Path) -> None:
    write(kb, "notes/target.md", "# target\n")
    write(kb, "notes/hub.md", "# Hub\n\nSee [[target]] today.\n")
    commit(kb)
    memgit(kb, "rename", "notes/target", "moved")
    write(kb, "notes/hub.md", "# Hub\n\nSee [[moved]] tomorrow.\n")
    commit(kb)
    memgit(kb, "undo", "HEAD~1")
    assert (kb / "notes/hub.md").read_text() == "# Hub\n\nSee [[target]] tomorrow.\n"


def test_what_stands_against_an_undo_is_named_as_a_record(kb: Path) -> None:
    memgit(kb, "record", "memory", "A", "-m", "first")
    memgit(kb, "update", "a", "-m", "second")
    memgit(kb, "update", "a", "-m", "third")
    error = memgit(kb, "undo", "HEAD~1", code=1).err
    assert "memory/a was changed after" in error and "theirs" not in error and "ours" not in error
    memgit(kb, "rename", "a", "B")
    memgit(kb, "rename", "b", "C")
    assert "memory/b was moved to memory/c.md after" in memgit(kb, "undo", "HEAD~1", code=1).err


def test_a_moved_entry_goes_back(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "Grid", "--category", "web", "-m", "- x")
    memgit(kb, "record", "memory", "M", "-m", "[[web#Grid]]")
    before = tree(kb)
    memgit(kb, "rename", "web#Grid", "Grids", "--to", "css")
    memgit(kb, "undo")
    assert tree(kb) == before

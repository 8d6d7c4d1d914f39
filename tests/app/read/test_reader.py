"""Answers count uncommitted edits in."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memgit.app.read.reader import CachedReader, open_searchable
from memgit.app.workspace import open_workspace
from memgit.git.worktree import status
from tests.support import closed_later, memgit, run_git

PATH = "memory/team/queue.md"


@pytest.fixture
def kb(repo: Path) -> Path:
    memgit(repo, "init", "--no-hooks")
    memgit(repo, "record", "memory", "Queue", "--scope", "team", "-m", "Drain it by hand.")
    memgit(repo, "record", "memory", "Canary", "--scope", "team", "-m", "Roll it out late.")
    memgit(repo, "search", "hand")
    return repo


def reader_of(folder: Path) -> CachedReader:
    return open_searchable(closed_later(open_workspace(str(folder), os.environ)))


def bodies(reader: CachedReader) -> dict[str, str]:
    return {record.title: record.body for record in reader.records("memory")}


def edit(folder: Path) -> None:
    path = folder / PATH
    path.write_text(path.read_text().replace("by hand", "by machine"))


def remove(folder: Path) -> None:
    (folder / PATH).unlink()


def add(folder: Path) -> None:
    (folder / "memory/team/new.md").write_text("---\ntitle: New\n---\n\nJust typed.\n")


def stage(folder: Path) -> None:
    add(folder)
    run_git(folder, "add", "-A")


EDITS: dict[str, tuple[Callable[[Path], None], dict[str, str]]] = {
    "edited": (edit, {"Queue": "Drain it by machine.", "Canary": "Roll it out late."}),
    "removed": (remove, {"Canary": "Roll it out late."}),
    "untracked": (add, {"Queue": "Drain it by hand.", "Canary": "Roll it out late.", "New": "Just typed."}),
    "staged": (stage, {"Queue": "Drain it by hand.", "Canary": "Roll it out late.", "New": "Just typed."}),
}
COMMITTED = {"Queue": "Drain it by hand.", "Canary": "Roll it out late."}


@pytest.mark.parametrize("what", EDITS)
def test_uncommitted_edits_count(kb: Path, what: str) -> None:
    act, wanted = EDITS[what]
    assert bodies(reader_of(kb)) == COMMITTED
    act(kb)
    assert bodies(reader_of(kb)) == wanted


def test_a_commit_meanwhile_counts_as_an_edit_of_the_commit_that_was_asked_for(kb: Path) -> None:
    reader = reader_of(kb)
    before = reader.revision
    edit(kb)
    run_git(kb, "commit", "-aqm", "Edited")
    assert bodies(reader)["Queue"] == "Drain it by machine."
    assert reader.revision == before
    later = reader_of(kb)
    assert later.revision != before
    assert bodies(later)["Queue"] == "Drain it by machine."


def test_full_addresses_are_answered_without_asking_git(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "edited", None)
    assert reader_of(kb).find("memory/team/queue").body == "Drain it by hand."


def test_commands_answer_for_what_lies_there(kb: Path) -> None:
    edit(kb)
    assert [hit["address"] for hit in memgit(kb, "search", "machine", "--json").json["results"]] == [
        "memory/team/queue"
    ]
    assert memgit(kb, "search", "hand", "--json").json["results"] == []
    assert memgit(kb, "show", "queue", "--json").json["body"] == "Drain it by machine."
    remove(kb)
    assert [item["title"] for item in memgit(kb, "context", "--json").json["memories_inventory"]] == [
        "Canary"
    ]
    assert memgit(kb, "show", "queue", code=2).err.startswith("memgit: no record answers to 'queue'")

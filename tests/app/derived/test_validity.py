"""Derived files after others committed: right where they say what the records say, however that came, and
never by trust.
"""

from __future__ import annotations

import os
import random
from collections.abc import Collection
from pathlib import Path

import pytest

from memgit.app.derived import state as derived_state
from memgit.app.derived.validity import still_right
from memgit.app.workspace import open_workspace
from memgit.app.write.overlay import Overlay
from memgit.derive import index_folder, index_root, mem_skill, render_all
from memgit.derive.view import View
from tests.support import closed_later, commit, copy_folder, memgit, run_git

ALL = ("INDEX.md", "memory/INDEX.md", "memory/sea/INDEX.md", "knowledge-base/_index.json")


@pytest.fixture
def filled(kb: Path) -> Path:
    """A repository in which everything is noted to be right."""
    for number in range(3):
        memgit(kb, "record", "memory", f"Tide {number}", "--scope", "sea", "--topics", "water", "-m", "text")
        memgit(
            kb,
            "record",
            "knowledge",
            f"Grid {number}",
            "--category",
            "web",
            "--keywords",
            "css",
            "-m",
            "text",
            "--date",
            "2026-01-01",
        )
    return kb


def overlay(folder: Path) -> Overlay:
    workspace = closed_later(open_workspace(str(folder), os.environ))
    repo = workspace.require_repository()
    head = repo.head().commit
    return Overlay(workspace, repo, repo.tree(head), head)


def right(folder: Path, doubtful: Collection[str] = ALL) -> set[str]:
    now = overlay(folder)
    known = derived_state.known(now.repo, now.layout, now.tree)
    return set(known & set(doubtful)) | still_right(now, doubtful)


def drift(folder: Path) -> set[str]:
    found = memgit(folder, "rebuild", "--check", "--json", code=None).json["differences"]
    return {row["path"] for row in found}


def append(folder: Path, path: str, text: str) -> None:
    with (folder / path).open("a") as file:
        file.write(text)


def test_what_another_memgit_committed_is_right(filled: Path, tmp_path: Path) -> None:
    other = copy_folder(filled, tmp_path / "other")
    memgit(other, "record", "memory", "Ebb", "--scope", "sea", "-m", "text")
    memgit(other, "record", "knowledge", "Flex", "--category", "web", "-m", "text", "--date", "2026-02-01")
    memgit(other, "archive", "memory/sea/tide-1")
    run_git(filled, "pull", "-q", str(other), "main")
    assert not {"memory/sea/INDEX.md", "knowledge-base/_index.json"} & derived_state.known(
        overlay(filled).repo, overlay(filled).layout, overlay(filled).tree
    )
    assert right(filled) == set(ALL)


def test_what_nothing_concerned_since_is_still_right(filled: Path) -> None:
    memgit(filled, "record", "memory", "Hill", "--scope", "land", "-m", "text")
    then = overlay(filled)
    sea, land = "memory/sea/INDEX.md", "memory/land/INDEX.md"
    assert derived_state.known(then.repo, then.layout, then.tree) >= {sea, land}
    (filled / "memory/land/hill.md").unlink()
    append(filled, "knowledge-base/web.md", "- more\n")
    commit(filled)
    assert sea in still_right(overlay(filled), [sea, land]) and land not in still_right(
        overlay(filled), [sea, land]
    )


@pytest.mark.parametrize("seed", range(6))
def test_what_is_claimed_is_what_all_records_give(filled: Path, seed: int) -> None:
    draw, claims = random.Random(seed), 0
    for number in range(8):
        scope = draw.choice(["sea", "land", "sea/deep"])
        match draw.randrange(5):
            case 0:
                memgit(filled, "record", "memory", f"Wave {number}", "--scope", scope, "-m", "text")
            case 1:
                memgit(
                    filled,
                    "record",
                    "knowledge",
                    f"Row {number}",
                    "--category",
                    draw.choice(["web", "data"]),
                    "-m",
                    "text",
                )
            case 2:
                append(
                    filled,
                    draw.choice(["memory/sea/tide-0.md", "knowledge-base/web.md"]),
                    f"\n- more {number}\n",
                )
            case 3:
                (filled / f"memory/{scope}").mkdir(exist_ok=True)
                (filled / f"memory/{scope}/hand-{number}.md").write_text(f"# By hand {number}\n\ntext\n")
            case 4:
                append(filled, draw.choice(ALL[:3]), f"\nWords {number}.\n")
        commit(filled)
        now = overlay(filled)
        full = render_all(now)
        claimed = still_right(now, full)
        assert {path: now.data(path) for path in claimed} == {path: full[path].data for path in claimed}
        claims += len(claimed)
    assert claims


def test_what_is_wrong_by_leave_is_not_right(filled: Path) -> None:
    index = filled / "INDEX.md"
    index.write_text(
        "<!-- memgit: allow MG101 -->\n\n" + index.read_text().replace("- [Web](knowledge-base/web.md)\n", "")
    )
    commit(filled)
    assert "MG101" not in memgit(filled, "lint", code=None).out and drift(filled) == {"INDEX.md"}
    assert "INDEX.md" not in right(filled)
    memgit(filled, "record", "knowledge", "Flow", "--category", "web", "-m", "text")
    assert drift(filled) == set()


def test_what_a_hook_made_of_a_commit_is_not_right(filled: Path) -> None:
    hook = filled / ".git/hooks/pre-commit"
    for line in ("exit 0", "sed -i /Web/d INDEX.md; git add INDEX.md"):
        hook.write_text(f"#!/bin/sh\n{line}\n")
        hook.chmod(0o755)
        memgit(filled, "record", "knowledge", line[:4], "--category", line[:4], "-m", "text")
        now = overlay(filled)
        known = derived_state.known(now.repo, now.layout, now.tree)
        assert ("INDEX.md" in known) is (line == "exit 0") and "memory/INDEX.md" in known
    assert drift(filled) == {"INDEX.md"}
    hook.unlink()
    memgit(filled, "record", "knowledge", "Flow", "--category", "web", "-m", "text")
    assert drift(filled) == set()


def test_an_edit_of_where_records_lie_that_is_taken_back(filled: Path) -> None:
    (filled / "docs").mkdir()
    (filled / "docs/tides.md").write_text("# Tides\n\ntext\n")
    commit(filled)
    run_git(filled, "rm", "-q", "INDEX.md")
    commit(filled)
    append(filled, ".memgit.yaml", "notes: docs/**/*.md\n")
    memgit(filled, "record", "memory", "Ebb", "--scope", "sea", "-m", "text")
    assert "--kind note" in (filled / "INDEX.md").read_text()
    run_git(filled, "checkout", "-q", ".memgit.yaml")
    memgit(filled, "record", "memory", "Flood", "--scope", "sea", "-m", "text")
    assert drift(filled) == set()


def test_where_records_lie_has_changed(filled: Path) -> None:
    """By hand, so that no derived file is made anew with it."""
    (filled / "docs").mkdir()
    (filled / "docs/tides.md").write_text("# Tides\n\ntext\n")
    commit(filled)
    memgit(filled, "record", "memory", "Ebb", "--scope", "sea", "-m", "text")
    append(filled, ".memgit.yaml", "notes: docs/**/*.md\n")
    commit(filled)
    assert right(filled) == set()
    memgit(filled, "record", "memory", "Flood", "--scope", "sea", "-m", "text")
    assert "--kind note" in (filled / "INDEX.md").read_text() and drift(filled) == set()


def test_after_commits_by_hand_only_what_they_left_behind_is_not(filled: Path) -> None:
    append(filled, "memory/sea/tide-0.md", "\nMore.\n")
    append(filled, "knowledge-base/web.md", "- more\n")
    commit(filled)
    assert right(filled) == set(ALL) and not drift(filled)
    (filled / "memory/sea/tide-2.md").rename(filled / "memory/sea/wave.md")
    append(filled, "knowledge-base/web.md", "\n## New\n**Date:** 2026-03-01\n\n- text\n")
    commit(filled)
    assert drift(filled) == {"memory/sea/INDEX.md", "knowledge-base/_index.json"}
    assert not right(filled) & drift(filled)


@pytest.mark.parametrize("path", ALL)
def test_an_index_that_was_edited_by_hand_is_not(filled: Path, path: str) -> None:
    file = filled / path
    text = file.read_text()
    old, new = ('"name": "Web"', '"name": "Chosen"') if path.endswith(".json") else ("- [", "- [x")
    assert old in text
    file.write_text(text.replace(old, new, 1))
    append(filled, "memory/sea/tide-0.md", "\nMore.\n")
    append(filled, "knowledge-base/web.md", "- more\n")
    commit(filled)
    assert path not in right(filled)


def test_words_of_a_person_beside_the_block_are_no_doubt_once_they_are_noted(filled: Path) -> None:
    text = (filled / "memory/sea/INDEX.md").read_text()
    (filled / "memory/sea/INDEX.md").write_text(f"Words.\n\n{text}")
    commit(filled)
    assert "memory/sea/INDEX.md" not in right(filled)
    memgit(filled, "record", "memory", "Ebb", "--scope", "sea", "-m", "text")
    append(filled, "memory/sea/tide-0.md", "\nMore.\n")
    commit(filled)
    assert "memory/sea/INDEX.md" in right(filled) and not drift(filled)


def test_a_name_chosen_in_an_index_meanwhile_is_still_taken_over(filled: Path) -> None:
    memgit(
        filled, "record", "knowledge", "Rows", "--category", "data", "--category-name", "Data", "-m", "text"
    )
    index = filled / "knowledge-base/_index.json"
    index.write_text(index.read_text().replace('"name": "Data"', '"name": "Chosen"'))
    append(filled, "memory/sea/tide-0.md", "\nMore.\n")
    commit(filled)
    memgit(filled, "record", "memory", "Ebb", "--scope", "sea", "-m", "text")
    memgit(filled, "record", "knowledge", "Flex", "--category", "web", "-m", "text")
    assert (
        '"name": "Chosen"' in index.read_text()
        and "name: Chosen" in (filled / "knowledge-base/data.md").read_text()
    )
    assert not drift(filled)


def test_a_change_of_the_configuration_puts_all_in_doubt(filled: Path) -> None:
    append(filled, ".memgit.yaml", "# a word\n")
    append(filled, "memory/sea/tide-0.md", "\nMore.\n")
    commit(filled)
    now = overlay(filled)
    assert still_right(now, ALL) == frozenset()


def test_what_a_write_did_not_owe_is_told_from_an_older_state(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(filled, "memory/sea/tide-0.md", "\nMore.\n")
    append(filled, "knowledge-base/web.md", "- more\n")
    commit(filled)
    memgit(filled, "record", "memory", "Elsewhere", "--scope", "land", "-m", "text")
    assert right(filled) == set(ALL)

    def never(view: View, path: str, *_: object) -> None:
        raise AssertionError(f"{path} was derived from all records")

    monkeypatch.setattr(mem_skill, "build", never)
    for module in (index_folder, index_root):
        monkeypatch.setattr(module, "_build", never)
    memgit(filled, "record", "knowledge", "Flex", "--category", "web", "-m", "text")
    memgit(filled, "update", "memory/sea/tide-1", "-m", "other text")
    monkeypatch.undo()
    assert not drift(filled)


def test_a_pruned_tree_is_no_trouble(filled: Path) -> None:
    state = filled / ".git/memgit/derived"
    tree = overlay(filled).tree.oid.encode()
    assert tree in state.read_bytes()
    state.write_bytes(state.read_bytes().replace(tree, b"1" * 40))
    assert right(filled) == set()
    memgit(filled, "record", "memory", "Ebb", "--scope", "sea", "-m", "text")
    assert not drift(filled)


@pytest.mark.parametrize("made_by", [derived_state.MADE_BY, "memgit 0.0.1 1", None])
def test_what_another_version_noted_is_not_trusted(
    filled: Path, made_by: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where it made an index in another form, or one that wrote no version at all did."""
    index, state = filled / "memory/sea/INDEX.md", filled / ".git/memgit/derived"
    index.write_text(index.read_text().replace("- [Tide 1]", "* [Tide 1]"))
    commit(filled)
    with monkeypatch.context() as other:
        other.setattr(derived_state, "MADE_BY", made_by or derived_state.MADE_BY)
        now = overlay(filled)
        derived_state.note(now.repo, now.tree, (), ALL)
    if made_by is None:
        state.write_bytes(state.read_bytes().partition(b"\0\0")[2])
    trusted = made_by == derived_state.MADE_BY
    assert (derived_state.known(now.repo, now.layout, now.tree) == set(ALL)) is trusted
    memgit(filled, "record", "memory", "Ebb", "--scope", "sea", "-m", "text")
    assert drift(filled) == ({"memory/sea/INDEX.md"} if trusted else set())


def test_states_that_were_noted_come_back_and_are_few(filled: Path) -> None:
    for number in range(2 * derived_state.OLDER):
        memgit(filled, "record", "memory", f"Scope {number}", "--scope", f"s{number}", "-m", "text")
        for folder in range(number + 1):
            (path,) = (filled / f"memory/s{folder}").glob("scope*.md")
            path.write_text(f"{path.read_text()}\nMore {number}.\n")
        commit(filled)
    states = derived_state.states(overlay(filled).repo)
    assert 1 <= len(states) <= derived_state.OLDER + 1
    paths = [path for state in states for path in state.right]
    assert len(paths) == len(set(paths)) and all(path.endswith(("INDEX.md", "_index.json")) for path in paths)

"""Records merge as records, with the driver and after the fact: real merges, rebases, cherry-picks and
stashes.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memgit.git.setup import DRIVER, MARKED
from tests.support import copy_folder, fsck, memgit, run_git, status, write

PROGRAM = f"{sys.executable} -m memgit"


@pytest.fixture(autouse=True)
def quiet_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_EDITOR", "true")


def with_driver(folder: Path) -> None:
    """The driver as `init` sets it, started from this very checkout."""
    calls(folder, PROGRAM)


def calls(folder: Path, program: str) -> None:
    """Has git start the driver by another program."""
    line = run_git(folder, "config", DRIVER)
    run_git(folder, "config", DRIVER, line.replace("memgit merge-driver", f"{program} merge-driver", 1))


def without_driver(folder: Path) -> None:
    run_git(folder, "config", "--remove-section", "merge.memgit")


def record(folder: Path, title: str, category: str = "web") -> None:
    memgit(
        folder,
        "record",
        "knowledge",
        title,
        "--category",
        category,
        "-m",
        f"- text of {title}",
        "--keyword",
        title.casefold(),
    )


def branches(folder: Path) -> None:
    """Two branches that each add to one category, one scope and the indexes."""
    model = folder.parents[1] / "resolve-branches"
    if not model.exists():
        copy_folder(folder, model)
        make_branches(model)
    shutil.rmtree(folder)
    copy_folder(model, folder)


def make_branches(folder: Path) -> None:
    record(folder, "Base")
    memgit(folder, "record", "memory", "Tides", "--scope", "team", "-m", "One.\n\nTwo.\n\nThree.")
    run_git(folder, "switch", "-qc", "topic")
    record(folder, "Theirs")
    record(folder, "Other", "api")
    memgit(folder, "record", "memory", "Moon", "--scope", "team", "-m", "x")
    run_git(folder, "switch", "-q", "main")
    record(folder, "Ours")
    record(folder, "Third", "api")
    memgit(folder, "record", "memory", "Sun", "--scope", "team", "-m", "x")


def whole(folder: Path) -> None:
    """Nothing is lost, nothing is in the way, and every derived file is what the records give."""
    assert sorted(row["title"] for row in memgit(folder, "list", "--json").json) == [
        "Base",
        "Moon",
        "Other",
        "Ours",
        "Sun",
        "Theirs",
        "Third",
        "Tides",
    ]
    assert memgit(folder, "rebuild", "--check").code == 0
    assert status(folder) == ""
    fsck(folder)


# With the driver.


def test_git_merge_alone(kb: Path) -> None:
    branches(kb)
    with_driver(kb)
    run_git(kb, "merge", "-q", "--no-edit", "topic")
    index = json.loads((kb / "knowledge-base/_index.json").read_text())
    assert [(item["id"], item["count"]) for item in index["categories"]] == [("web", 3), ("api", 2)]
    whole(kb)


@pytest.mark.slow
def test_git_rebase_alone(kb: Path) -> None:
    branches(kb)
    with_driver(kb)
    run_git(kb, "rebase", "-q", "topic")
    whole(kb)


def test_one_index_on_both_sides_is_told_and_mended(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "Base", "--category", "web", "-m", "- a")
    run_git(kb, "switch", "-qc", "topic")
    memgit(kb, "record", "knowledge", "Theirs", "--category", "web", "-m", "- b")
    run_git(kb, "switch", "-q", "main")
    memgit(kb, "record", "knowledge", "Ours", "--category", "web", "-m", "- c")
    with_driver(kb)
    run_git(kb, "merge", "-q", "--no-edit", "topic")
    # Both sides have one index, count 2: git takes it and asks no driver.
    assert "knowledge-base/_index.json:" in memgit(kb, "rebuild", "--check", code=1).out
    memgit(kb, "rebuild", "--commit")
    memgit(kb, "rebuild", "--check")


def test_a_driver_that_cannot_start_leaves_marks(kb: Path) -> None:
    branches(kb)
    calls(kb, "no-such-memgit")
    run_git(kb, "merge", "-q", "topic", check=False)
    text = (kb / "knowledge-base/web.md").read_text()
    assert "<<<<<<< ours" in text and "## Ours" in text and "## Theirs" in text
    assert memgit(kb, "resolve").code == 0
    run_git(kb, "commit", "-q", "--no-edit")
    whole(kb)


@pytest.mark.slow
def test_a_configuration_that_cannot_be_read_does_not_stop_the_driver(kb: Path) -> None:
    branches(kb)
    with_driver(kb)
    (kb / ".memgit.yaml").write_text("layout: [")
    run_git(kb, "merge", "-q", "topic", check=False)
    assert "<<<<<<< " in (kb / "knowledge-base/web.md").read_text()
    run_git(kb, "checkout", "-q", "HEAD", "--", ".memgit.yaml")
    memgit(kb, "resolve")


def test_a_record_that_git_took_for_a_renamed_one(kb: Path) -> None:
    memgit(kb, "record", "memory", "One", "-m", "x")
    run_git(kb, "switch", "-qc", "topic")
    memgit(kb, "update", "one", "-m", "changed by theirs")
    run_git(kb, "switch", "-q", "main")
    memgit(kb, "record", "memory", "Two", "-m", "x")
    memgit(kb, "rename", "one", "Nothing in common")
    with_driver(kb)
    run_git(kb, "merge", "-q", "--no-edit", "topic", check=False)
    memgit(kb, "resolve")
    run_git(kb, "commit", "-q", "--no-edit", "--allow-empty")
    assert memgit(kb, "show", "two", "--json").json["body"] == "x"
    assert memgit(kb, "show", "nothing-in-common", "--json").json["body"] == "changed by theirs"
    memgit(kb, "rebuild", "--check")


# After the fact.


def test_a_merge(kb: Path) -> None:
    branches(kb)
    without_driver(kb)
    run_git(kb, "merge", "-q", "topic", check=False)
    done = memgit(kb, "resolve")
    assert "merged knowledge-base/web.md\n" in done.out
    assert done.out.endswith("nothing is left in conflict; next: git commit --no-edit --cleanup=strip\n")
    run_git(kb, *done.out.rpartition("next: git ")[2].split())
    assert "#" not in run_git(kb, "log", "-1", "--format=%B")
    whole(kb)
    assert memgit(kb, "resolve").out == "nothing is in conflict\n"


@pytest.mark.parametrize("what", ["rebase", "cherry-pick"])
def test_commit_by_commit(kb: Path, what: str) -> None:
    branches(kb)
    without_driver(kb)
    run_git(
        kb,
        *(("rebase", "-q", "topic") if what == "rebase" else ("cherry-pick", "topic~3..topic")),
        check=False,
    )
    for _ in range(4):
        done = memgit(kb, "resolve", "--json").json
        if done["operation"] is None:
            break
        assert (done["operation"], done["left"], done["next"]) == (
            what,
            [],
            f"git -c core.editor=true {what} --continue",
        )
        run_git(kb, what, "--continue", check=False)
    whole(kb)


@pytest.mark.parametrize("what", ["merge", "rebase", "cherry-pick", "revert"])
def test_the_next_command_opens_no_editor(kb: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """Where nobody is, an editor waits for ever."""
    monkeypatch.delenv("GIT_EDITOR", raising=False)
    monkeypatch.setenv("EDITOR", "touch editor-was-opened; false")
    monkeypatch.setenv("VISUAL", "touch editor-was-opened; false")
    branches(kb)
    without_driver(kb)
    if what == "revert":
        record(kb, "One more")
        record(kb, "And another")
        run_git(kb, "revert", "--no-edit", "HEAD~1", check=False)
    else:
        run_git(kb, what, {"cherry-pick": "topic~3..topic"}.get(what, "topic"), check=False)
    stopped = 0
    while (done := memgit(kb, "resolve", "--json").json)["operation"] is not None:
        assert (done["operation"], done["left"], done["next"].split()[0]) == (what, [], "git")
        stopped += 1
        run_git(kb, *done["next"].split()[1:], check=False)
    assert 0 < stopped < 5 and not (kb / "editor-was-opened").exists()
    assert not any(line.startswith("#") for line in run_git(kb, "log", "--format=%B").splitlines())
    if what != "revert":
        whole(kb)
    assert memgit(kb, "rebuild", "--check").code == 0 and status(kb) == ""


def test_a_writer_is_told_how_to_go_on(kb: Path) -> None:
    branches(kb)
    without_driver(kb)
    run_git(kb, "rebase", "-q", "topic", check=False)
    refused = memgit(kb, "record", "note", "Now", "-m", "x", code=3)
    assert "memgit resolve, which says how to go on, or git rebase --abort" in refused.err


def test_a_revert_and_a_stash(kb: Path) -> None:
    record(kb, "One")
    record(kb, "Two")
    record(kb, "Three")
    without_driver(kb)
    run_git(kb, "revert", "--no-edit", "HEAD~1", check=False)
    assert memgit(kb, "resolve").out.endswith("next: git -c core.editor=true revert --continue\n")
    run_git(kb, "revert", "--continue")
    memgit(kb, "rebuild", "--check")
    path = kb / "knowledge-base/web.md"
    path.write_text(path.read_text() + "\n## Four\n**Date:** 2026-01-01\n- by hand\n")
    run_git(kb, "stash", "-q")
    record(kb, "Five")
    run_git(kb, "stash", "pop", "-q", check=False)
    assert memgit(kb, "resolve").out.endswith("nothing is left in conflict; the changes are staged\n")
    assert [line for line in path.read_text().split("\n") if line.startswith("## ")] == [
        "## One",
        "## Three",
        "## Five",
        "## Four",
    ]
    assert json.loads((kb / "knowledge-base/_index.json").read_text())["totalEntries"] == 4


def conflict(kb: Path) -> None:
    """A merge in which one document truly conflicts, besides what can be merged."""
    branches(kb)
    run_git(kb, "switch", "-q", "topic")
    memgit(kb, "update", "tides", "-m", "One.\n\n2 of theirs.\n\nThree.")
    run_git(kb, "switch", "-q", "main")
    memgit(kb, "update", "tides", "-m", "One.\n\n2 of ours.\n\nThree.")
    without_driver(kb)
    run_git(kb, "merge", "-q", "topic", check=False)


def test_what_truly_conflicts_is_named_and_left(kb: Path) -> None:
    conflict(kb)
    path = kb / "memory/team/tides.md"
    done = memgit(kb, "resolve", code=1)
    line = path.read_text().split("\n").index("<<<<<<< HEAD") + 1
    assert (
        f"conflict memory/team/tides.md:{line}: memory/team/tides: both sides changed this part of the text\n"
        in done.out
    )
    assert "waiting knowledge-base/_index.json" in done.out and "merged knowledge-base/web.md" in done.out
    assert memgit(kb, "resolve", code=1).out.count("conflict ") == 1  # again is the same
    path.write_text(
        path.read_text().replace(
            "<<<<<<< HEAD\n2 of ours.\n=======\n2 of theirs.\n>>>>>>> topic", "2 of both."
        )
    )
    assert "was settled by hand: git add it" in memgit(kb, "resolve", code=1).out
    assert "2 of both." in path.read_text()
    run_git(kb, "add", str(path))
    assert memgit(kb, "resolve", "--json").json["left"] == []
    run_git(kb, "merge", "--continue")
    whole(kb)


def test_what_somebody_is_settling_is_left_alone_unless_told(kb: Path) -> None:
    branches(kb)
    without_driver(kb)
    run_git(kb, "merge", "-q", "topic", check=False)
    path = kb / "knowledge-base/web.md"
    edited = path.read_text().replace("text of Ours", "text that I am writing")
    path.write_text(edited)
    assert "is being settled by hand" in memgit(kb, "resolve", code=1).out
    assert path.read_text() == edited
    assert memgit(kb, "resolve", "knowledge-base/web.md", "--force", code=0).out.startswith(
        "merged knowledge-base/web.md\n"
    )
    assert "text of Ours" in path.read_text() and "<<<<<<<" not in path.read_text()
    memgit(kb, "resolve")
    run_git(kb, "merge", "--continue")
    whole(kb)


def test_one_side_of_the_marks_chosen_by_hand_counts_as_edited(kb: Path) -> None:
    record(kb, "Base")
    run_git(kb, "switch", "-qc", "topic")
    record(kb, "Theirs")
    run_git(kb, "switch", "-q", "main")
    record(kb, "Ours")
    without_driver(kb)
    run_git(kb, "config", "merge.conflictStyle", "diff3")
    run_git(kb, "merge", "-q", "topic", check=False)
    path = kb / "knowledge-base/web.md"
    run_git(kb, "checkout", "-q", "--ours", "--", str(path))
    assert "was settled by hand" in memgit(kb, "resolve", code=1).out
    run_git(kb, "checkout", "-q", "--merge", "--", str(path))
    memgit(kb, "resolve")
    assert path.read_text().count("## ") == 3


def test_deleted_here_and_changed_there(kb: Path) -> None:
    memgit(kb, "record", "memory", "Tides", "-m", "One.")
    run_git(kb, "switch", "-qc", "topic")
    memgit(kb, "update", "tides", "-m", "Two.")
    run_git(kb, "switch", "-q", "main")
    run_git(kb, "rm", "-q", "memory/tides.md")
    memgit(kb, "commit")
    run_git(kb, "merge", "-q", "topic", check=False)
    done = memgit(kb, "resolve", code=1)
    assert "conflict memory/tides.md:1: memory/tides: deleted by ours, changed by theirs\n" in done.out
    run_git(kb, "add", "memory/tides.md")
    memgit(kb, "resolve")
    run_git(kb, "commit", "-q", "--no-edit")
    memgit(kb, "rebuild", "--check")
    assert status(kb) == ""


@pytest.mark.parametrize("here", [True, False])
def test_renamed_here_and_rewritten_there(kb: Path, here: bool) -> None:
    memgit(kb, "record", "memory", "Tides", "-m", "One.\n\nTwo.")
    run_git(kb, "switch", "-qc", "topic")
    run_git(kb, "switch", "-q", "main")
    for branch, change in (("main", here), ("topic", not here)):
        run_git(kb, "switch", "-q", branch)
        if change:
            memgit(kb, "rename", "tides", "Moon")
            # so git sees no rename
            memgit(kb, "update", "moon", "--keyword", ",".join(f"keyword{number}" for number in range(200)))
        else:
            memgit(kb, "update", "tides", "-m", "Quite another text.")
    run_git(kb, "switch", "-q", "main")
    without_driver(kb)
    run_git(kb, "merge", "-q", "topic", check=False)
    assert "UD " in status(kb) or "DU " in status(kb)
    memgit(kb, "resolve")
    run_git(kb, "commit", "-q", "--no-edit")
    (row,) = memgit(kb, "list", "--json").json
    assert row["title"] == "Moon"
    assert memgit(kb, "show", "moon", "--json").json["body"] == "Quite another text."
    memgit(kb, "rebuild", "--check")


def test_odd_names_a_folder_inside_and_a_linked_worktree(repo: Path) -> None:
    (repo / "code.txt").write_text("a\n")
    run_git(repo, "add", "code.txt")
    run_git(repo, "commit", "-qm", "code")
    inside = repo / "docs/kb — ü"
    memgit(repo, "init", str(inside))
    without_driver(repo)
    record(inside, "Base", "größe 🌊")
    run_git(repo, "switch", "-qc", "topic")
    record(inside, "Theirs", "größe 🌊")
    (repo / "code.txt").write_text("theirs\n")
    run_git(repo, "commit", "-qam", "code of theirs")
    linked = repo.parent / "linked"
    run_git(repo, "worktree", "add", "-q", str(linked), "main")
    there = linked / "docs/kb — ü"
    record(there, "Ours", "größe 🌊")
    (linked / "code.txt").write_text("ours\n")
    run_git(linked, "commit", "-qam", "code of ours")
    run_git(linked, "merge", "-q", "topic", check=False)
    done = memgit(there, "resolve", code=1)
    assert "conflict ../../code.txt: is in conflict and is outside the knowledge root\n" in done.out
    assert "derived knowledge-base/_index.json\n" in done.out
    run_git(linked, "add", "code.txt")
    assert (
        memgit(there, "resolve").out
        == "nothing is left in conflict; next: git commit --no-edit --cleanup=strip\n"
    )
    run_git(linked, "commit", "-q", "--no-edit")
    assert {row["title"] for row in memgit(there, "list", "--json").json} == {"Base", "Ours", "Theirs"}
    memgit(there, "rebuild", "--check")
    assert status(linked) == ""


def test_crlf_in_the_working_tree(kb: Path) -> None:
    branches(kb)
    without_driver(kb)
    run_git(kb, "config", "core.autocrlf", "true")
    run_git(kb, "rm", "-q", "--cached", "-r", ".")
    run_git(kb, "reset", "-q", "--hard")
    run_git(kb, "merge", "-q", "topic", check=False)
    memgit(kb, "resolve")
    data = (kb / "knowledge-base/web.md").read_bytes()
    assert data.count(b"\r\n") == data.count(b"\n")
    run_git(kb, "merge", "--continue")
    whole(kb)


def test_edits_of_other_files_are_neither_staged_nor_derived_from(kb: Path) -> None:
    branches(kb)
    memgit(kb, "record", "memory", "Later", "-m", "x")
    run_git(kb, "switch", "-q", "topic")
    run_git(kb, "switch", "-q", "main")
    without_driver(kb)
    path = kb / "memory/later.md"
    edited = path.read_text().replace("title: Later", "title: Much later")
    path.write_text(edited)
    run_git(kb, "merge", "-q", "topic", check=False)
    memgit(kb, "resolve")
    run_git(kb, "merge", "--continue")
    assert path.read_text() == edited
    assert status(kb) == " M memory/later.md"
    assert memgit(kb, "rebuild", "--check", "--at", "HEAD").code == 0


def test_what_is_no_record_is_left_to_a_person(kb: Path) -> None:
    (kb / "README.md").write_text("a\n")
    run_git(kb, "add", "README.md")
    run_git(kb, "commit", "-qm", "readme")
    for branch, text in (("topic", "theirs\n"), ("main", "ours\n")):
        run_git(kb, "switch", "-q", *(["-c"] if branch == "topic" else []), branch)
        (kb / "README.md").write_text(text)
        run_git(kb, "commit", "-qam", text)
    run_git(kb, "merge", "-q", "topic", check=False)
    assert memgit(kb, "resolve", code=1).out.startswith(
        "conflict README.md: is in conflict and holds no record"
    )
    answer = memgit(kb, "resolve", "memory", code=2)
    assert "nothing is in conflict there" in answer.err


def test_a_vault(workspace: object, corpora: Path, tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    shutil.copytree(corpora / "vault", folder)
    run_git(folder, "init", "-q")
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-qm", "import")
    memgit(folder, "rebuild", code=None)
    run_git(folder, "commit", "-qam", "indexes")
    for branch, title in (("topic", "Of theirs"), ("main", "Of ours")):
        run_git(folder, "switch", "-q", *(["-c"] if branch == "topic" else []), branch)
        memgit(folder, "record", "memory", title, "-m", f"Text of {title}", "--topic", "a/b")
    run_git(folder, "merge", "-q", "topic", check=False)
    memgit(folder, "resolve")
    run_git(folder, "commit", "-q", "--no-edit")
    assert {"Of ours", "Of theirs"} <= {row["title"] for row in memgit(folder, "list", "--json").json}
    assert memgit(folder, "rebuild", "--check", code=None).code == 0


def test_a_link_in_the_place_of_a_file_stops_no_other(kb: Path) -> None:
    conflict(kb)
    path = kb / "memory/team/tides.md"
    os.remove(path)
    os.symlink("/elsewhere", path)
    done = memgit(kb, "resolve", code=1)
    assert "conflict memory/team/tides.md: is a symlink in the working tree\n" in done.out
    assert "merged knowledge-base/web.md\n" in done.out
    assert os.readlink(path) == "/elsewhere"


def test_outside_of_a_working_tree(kb: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", "--bare", str(kb), "bare.git")
    assert "bare" in memgit(tmp_path / "bare.git", "resolve", code=3).err


# What one side moved, and the other changed.


def move(folder: Path, title: str, old: str, new: str) -> None:
    """Moves an entry to another category by hand, and commits that."""
    source, target = folder / f"knowledge-base/{old}.md", folder / f"knowledge-base/{new}.md"
    text = source.read_bytes().decode()
    start = text.index(f"## {title}")
    end = text.find("\n## ", start) + 1 or len(text)
    target.write_text(f"{target.read_text().rstrip()}\n\n{text[start:end].rstrip()}\n")
    source.write_text(f"{text[:start].rstrip()}\n\n{text[end:]}".strip() + "\n")
    memgit(folder, "commit", "--no-verify")


def on_branches(folder: Path, theirs: Callable[[], object], ours: Callable[[], object]) -> None:
    run_git(folder, "switch", "-qc", "topic")
    theirs()
    run_git(folder, "switch", "-q", "main")
    ours()


@pytest.mark.parametrize("here", [True, False])
def test_an_entry_moved_on_one_side_and_edited_on_the_other(kb: Path, here: bool) -> None:
    for title, category in (("Stays", "web"), ("Goes", "web"), ("There", "api")):
        record(kb, title, category)

    def edits() -> None:
        memgit(kb, "update", "web#Goes", "-m", "- edited")
        record(kb, "New")
        record(kb, "Beside", "api")  # so that both files are in conflict

    def moves() -> None:
        move(kb, "Goes", "web", "api")
        memgit(kb, "update", "api#Goes", "--keyword", "moved")

    on_branches(kb, *((edits, moves) if here else (moves, edits)))
    without_driver(kb)
    run_git(kb, "merge", "-q", "topic", check=False)
    assert status(kb).count("UU ") >= 2
    done = memgit(kb, "resolve")
    assert "merged knowledge-base/api.md\nmerged knowledge-base/web.md\n" in done.out
    run_git(kb, "merge", "--continue")
    found = memgit(kb, "show", "api#Goes", "--json").json
    assert (found["body"], found["fields"]["keywords"]) == ("- edited", ["moved"])
    addresses = {row["address"] for row in memgit(kb, "list", "--json").json}
    assert addresses == {
        f"knowledge/{name}" for name in ("web#Stays", "web#New", "api#There", "api#Beside", "api#Goes")
    }
    assert memgit(kb, "rebuild", "--check").code == 0
    assert status(kb) == ""


def test_the_last_entry_of_a_file_moved(kb: Path) -> None:
    record(kb, "Goes")
    for title in ("One", "Two", "Three"):
        record(kb, title, "api")

    def moves() -> None:
        move(kb, "Goes", "web", "api")
        run_git(kb, "rm", "-qf", "knowledge-base/web.md")
        memgit(kb, "commit", "--no-verify")

    on_branches(kb, lambda: memgit(kb, "update", "web#Goes", "-m", "- edited"), moves)
    run_git(kb, "merge", "-q", "topic", check=False)
    assert "DU knowledge-base/web.md" in status(kb)
    memgit(kb, "resolve")
    run_git(kb, "merge", "--continue")
    assert not (kb / "knowledge-base/web.md").exists()
    assert memgit(kb, "show", "api#Goes", "--json").json["body"] == "- edited"


def test_what_cannot_be_followed_stays_a_conflict_beside_what_can(kb: Path) -> None:
    for title, category in (("Stays", "web"), ("Goes", "web"), ("Torn", "web"), ("There", "api")):
        record(kb, title, category)

    def theirs() -> None:
        for title in ("Stays", "Goes", "Torn"):
            memgit(kb, "update", f"web#{title}", "-m", f"- {title} of theirs")

    def ours() -> None:
        memgit(kb, "update", "web#Stays", "-m", "- Stays of ours")
        memgit(kb, "update", "web#Torn", "-m", "- Torn of ours")
        move(kb, "Goes", "web", "api")
        move(kb, "Torn", "web", "api")

    on_branches(kb, theirs, ours)
    without_driver(kb)
    run_git(kb, "merge", "-q", "topic", check=False)
    first = memgit(kb, "resolve", code=1)
    assert "merged knowledge-base/api.md\n" in first.out
    assert first.out.count("conflict knowledge-base/web.md:") == 2
    text, there = (kb / "knowledge-base/web.md").read_text(), (kb / "knowledge-base/api.md").read_text()
    assert "- Torn of theirs" in text and "## Goes" not in text
    assert "- Goes of theirs" in there and "- Torn of ours" in there and "<<<<" not in there
    # again is the same
    assert memgit(kb, "resolve", code=1).out.count("conflict knowledge-base/web.md:") == 2
    assert ((kb / "knowledge-base/web.md").read_text(), (kb / "knowledge-base/api.md").read_text()) == (
        text,
        there,
    )


# What it takes to come to an end.


def settle_by_hand(folder: Path, path: str, text: str) -> None:
    """Takes the markers out, with a text in the place of what is between them, and stages the file."""
    file = folder / path
    file.write_text(re.sub(r"<{7} .*?>{7} [^\n]*\n", lambda _: text, file.read_text(), flags=re.DOTALL))
    run_git(folder, "add", path)


def torn(folder: Path) -> None:
    """Two branches that changed one entry, and each added one: the derived file is the same on both and wrong
    after a merge.
    """
    record(folder, "Base")

    def change(side: str) -> None:
        memgit(folder, "update", "web#Base", "-m", f"- of {side}")
        record(folder, f"Of {side}")

    on_branches(folder, lambda: change("theirs"), lambda: change("ours"))
    with_driver(folder)


def test_the_hook_derives_what_ends_a_merge(kb: Path) -> None:
    torn(kb)
    run_git(kb, "merge", "-q", "topic", check=False)
    settle_by_hand(kb, "knowledge-base/web.md", "- of both\n")
    assert memgit(kb, "hook", "pre-commit").err == ""
    ready = "nothing is left in conflict; next: git commit --no-edit --cleanup=strip\n"
    assert memgit(kb, "resolve").out == ready
    run_git(kb, "merge", "--continue")
    assert memgit(kb, "rebuild", "--check").code == 0


def test_a_squash_that_was_settled_by_hand_gets_its_derived_files(kb: Path) -> None:
    torn(kb)
    run_git(kb, "merge", "-q", "--squash", "topic", check=False)
    settle_by_hand(kb, "knowledge-base/web.md", "- of both\n")
    assert (
        memgit(kb, "resolve").out
        == "derived knowledge-base/_index.json\nnothing is left in conflict; the changes are staged\n"
    )
    assert memgit(kb, "resolve").out == "nothing is in conflict\n"
    run_git(kb, "commit", "-qm", "squashed")
    assert memgit(kb, "rebuild", "--check").code == 0
    assert status(kb) == ""


@pytest.mark.parametrize("here", [pytest.param(True, marks=pytest.mark.slow), False])
def test_a_change_of_mode_is_merged_too(kb: Path, here: bool) -> None:
    record(kb, "Base")

    def change() -> None:
        (kb / "knowledge-base/web.md").chmod(0o755)
        run_git(kb, "commit", "-qnam", "mode")

    def side(title: str, *, mode: bool) -> None:
        record(kb, title)
        if mode:
            change()

    on_branches(kb, lambda: side("Theirs", mode=not here), lambda: side("Ours", mode=here))
    without_driver(kb)
    run_git(kb, "merge", "-q", "topic", check=False)
    memgit(kb, "resolve")
    assert run_git(kb, "ls-files", "-s", "knowledge-base/web.md").startswith("100755 ")
    run_git(kb, "merge", "--continue")
    assert status(kb) == ""


def test_both_sides_began_one_document(kb: Path) -> None:
    ids = []

    def begin() -> None:
        ids.append(memgit(kb, "record", "memory", "Tides", "-m", "One text.", "--json").json["record"]["id"])

    on_branches(kb, begin, begin)
    without_driver(kb)
    run_git(kb, "merge", "-q", "topic", check=False)
    assert "AA memory/tides.md" in status(kb)
    memgit(kb, "resolve")
    run_git(kb, "merge", "--continue")
    assert memgit(kb, "show", "tides", "--json").json["id"] == min(ids)


def test_derived_files_that_are_kept_out_of_commits_follow(kb: Path) -> None:
    config = kb / ".memgit.yaml"
    config.write_text(config.read_text().replace("indexes: committed", "indexes: local"))
    run_git(kb, "rm", "-q", "--cached", "INDEX.md", "knowledge-base/_index.json", "experience/_index.json")
    run_git(kb, "commit", "-qnam", "indexes are local")
    memgit(kb, "rebuild")
    record(kb, "Base")
    on_branches(kb, lambda: record(kb, "Theirs"), lambda: record(kb, "Ours"))
    without_driver(kb)
    run_git(kb, "merge", "-q", "topic", check=False)
    memgit(kb, "resolve")
    assert json.loads((kb / "knowledge-base/_index.json").read_text())["totalEntries"] == 3
    run_git(kb, "merge", "--continue")
    assert memgit(kb, "rebuild", "--check").code == 0
    assert status(kb) == ""


def both_moved(kb: Path) -> None:
    """One record that either branch moved to a file of its own, merged by git without a word."""
    record(kb, "Alpha")
    record(kb, "Tools", "shell")
    record(kb, "Paths", "api")
    memgit(kb, "record", "note", "Linker", "-m", "See [[web#Alpha]].")
    run_git(kb, "switch", "-qc", "topic")
    memgit(kb, "rename", "web#Alpha", "--to", "shell")
    memgit(kb, "extend", "shell#Alpha", "-m", "From the topic.")
    run_git(kb, "switch", "-q", "main")
    text = (kb / "knowledge-base/web.md").read_text()
    start = text.index("## Alpha")
    (kb / "knowledge-base/web.md").write_text(text[:start])
    path = kb / "knowledge-base/api.md"
    path.write_text(path.read_text() + "\n" + text[start:].rstrip() + "\n- From the main branch.\n")
    memgit(kb, "rebuild")
    run_git(kb, "commit", "-qnam", "moved by hand")
    with_driver(kb)
    run_git(kb, "merge", "-q", "--no-verify", "--no-edit", "topic")


def test_a_record_that_both_sides_moved_is_told_of_with_what_mends_it(kb: Path) -> None:
    record(kb, "Base")
    both_moved(kb)
    told = memgit(kb, "hook", "post-merge", "0")
    command = "memgit merge-records 'knowledge/api#Alpha' 'knowledge/shell#Alpha'"
    line = next(line for line in told.err.splitlines() if "both sides gave it a place" in line)
    assert "after this merge, knowledge-base/shell.md:" in line and line.endswith(f"fix: {command}")
    (left,) = memgit(kb, "resolve", "--json", code=1).json["left"]
    assert (left["path"], left["address"]) == ("knowledge-base/shell.md", "knowledge/shell#Alpha")
    assert left["message"].endswith(f"; fix: {command}")
    assert "1 to settle: by the command that fixes each" in memgit(kb, "resolve", code=1).out
    (found,) = [
        one for one in memgit(kb, "doctor", "--json", code=1).json["troubles"] if one["check"] == "ids"
    ]
    assert found["command"] == command
    memgit(kb, "rebuild", "--commit")
    done = memgit(kb, *shlex.split(command)[1:])
    assert (
        "merged knowledge/api#Alpha [" in done.out
        and "took out knowledge/shell#Alpha, a copy of it" in done.out
    )
    (row,) = [row for row in memgit(kb, "list", "--archived", "--json").json if row["title"] == "Alpha"]
    assert row["path"] == "knowledge-base/api.md"
    assert "From the main branch." in row["body"] and "From the topic." in row["body"], (
        "what either side wrote is kept"
    )
    assert "[[api#Alpha]]" in (kb / "notes/linker.md").read_text()
    assert memgit(kb, "resolve").out == "nothing is in conflict\n"
    assert memgit(kb, "rebuild", "--check").code == 0 and status(kb) == ""
    assert memgit(kb, "lint", "--select", "MG0,MG104,MG201,MG4", "--json").json["findings"] == []
    assert "extend" in memgit(kb, "history", row["id"]).out
    fsck(kb)
    memgit(kb, "undo")
    assert len([row for row in memgit(kb, "list", "--json").json if row["title"] == "Alpha"]) == 2


def test_a_merge_that_doubles_nothing_says_nothing(kb: Path) -> None:
    branches(kb)
    run_git(kb, "merge", "-q", "--no-edit", "topic", check=False)
    memgit(kb, "resolve")
    run_git(kb, "commit", "-q", "--no-edit", "--no-verify", check=False)
    assert "both sides" not in memgit(kb, "hook", "post-merge", "0").err
    assert memgit(kb, "resolve").out == "nothing is in conflict\n"


def test_what_one_side_has_twice_is_no_matter_of_the_merge(kb: Path) -> None:
    record(kb, "Alpha")
    record(kb, "Paths", "api")
    path = kb / "knowledge-base/api.md"
    path.write_text(path.read_text() + "\n" + (kb / "knowledge-base/web.md").read_text())
    memgit(kb, "rebuild")
    run_git(kb, "commit", "-qnam", "copied by hand")
    run_git(kb, "switch", "-qc", "topic")
    record(kb, "Other", "shell")
    run_git(kb, "switch", "-q", "main")
    path.write_text(path.read_text() + "- one more line\n")
    run_git(kb, "commit", "-qnam", "by hand")
    run_git(kb, "merge", "-q", "--no-verify", "--no-edit", "topic")
    assert "both sides" not in memgit(kb, "hook", "post-merge", "0").err
    assert memgit(kb, "resolve").out == "nothing is in conflict\n"


def moved_and_edited(kb: Path) -> None:
    record(kb, "Alpha")
    record(kb, "Beta")
    record(kb, "Tools", "shell")
    run_git(kb, "switch", "-qc", "topic")
    memgit(kb, "rename", "web#Alpha", "--to", "shell")
    run_git(kb, "switch", "-q", "main")
    memgit(kb, "extend", "web#Alpha", "-m", "One more line.")


def test_the_driver_names_the_next_step_where_a_record_may_have_moved(
    kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved_and_edited(kb)
    monkeypatch.chdir(kb)  # where git starts a driver
    files = {}
    for name, rev in {"base": "main~1", "ours": "main", "theirs": "topic"}.items():
        files[name] = tmp_path / name
        files[name].write_text(run_git(kb, "show", f"{rev}:knowledge-base/web.md") + "\n")
    args = (
        "merge-driver",
        *(str(files[name]) for name in ("base", "ours", "theirs")),
        "knowledge-base/web.md",
    )
    err = memgit(kb, *args, code=MARKED).err
    assert "knowledge-base/web.md:1: deleted by theirs, changed by ours" in err
    assert "next: memgit resolve, which follows a record that was moved to another file" in err
    outer = tmp_path / "outer"  # a knowledge root in a folder of a repository
    run_git(tmp_path, "init", "-q", "outer")
    memgit(outer, "init", "docs/kb")
    monkeypatch.chdir(outer)
    files["ours"].write_text(run_git(kb, "show", "main:knowledge-base/web.md") + "\n")
    err = memgit(outer, *args[:-1], "docs/kb/knowledge-base/web.md", code=MARKED).err
    assert "next: memgit -C docs/kb resolve, which follows" in err
    monkeypatch.chdir(kb)
    files["theirs"].write_text(files["base"].read_text().replace("- text", "- words"))
    files["ours"].write_text(files["base"].read_text().replace("- text", "- lines"))
    assert "which follows" not in memgit(kb, *args, code=MARKED).err


@pytest.mark.parametrize("folder", ["sub", "my skills/deep"])
def test_the_driver_names_the_folder_of_a_workspace_without_a_configuration(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    """A Mem Skill workspace is known by its folders, as every other command knows it."""
    path = f"{folder}/knowledge-base/web.md"
    entry = "## Alpha\n**Date:** 2026-01-02\n**Best Practice:**\n- {}\n**Keywords:** web\n"
    write(repo, f"{folder}/knowledge-base/_index.json", "{}\n")
    write(repo, path, entry.format("text"))
    monkeypatch.chdir(repo)  # where git starts a driver
    for name, text in {
        "base": entry.format("text"),
        "ours": entry.format("more text"),
        "theirs": "# Web\n",
    }.items():
        write(tmp_path, name, text)
    names = [str(tmp_path / name) for name in ("base", "ours", "theirs")]
    err = memgit(repo, "merge-driver", *names, path, code=MARKED).err
    assert "deleted by theirs, changed by ours" in err
    assert f"next: memgit -C {shlex.quote(folder)} resolve, which follows" in err


def test_the_doctor_names_resolve_while_a_merge_waits(kb: Path) -> None:
    moved_and_edited(kb)
    without_driver(kb)
    assert not [
        one
        for one in memgit(kb, "doctor", "--json", code=None).json["troubles"]
        if one["check"] == "operation"
    ]
    run_git(kb, "merge", "-q", "topic", check=False)
    assert "UU knowledge-base/web.md" in run_git(kb, "status", "--porcelain")
    troubles = memgit(kb, "doctor", "--json", code=1).json["troubles"]
    (first,) = [one for one in troubles if one["check"] == "operation"]
    assert (first["command"], first["advice"]) == (
        "memgit resolve",
        False,
    ) and "in conflict in a merge" in first["message"]
    assert {one["command"] for one in troubles if one["path"] and "knowledge-base/" in one["path"]} == {
        "memgit resolve"
    }
    assert memgit(kb, "resolve").code == 0
    (waits,) = [
        one
        for one in memgit(kb, "doctor", "--json", code=None).json["troubles"]
        if one["check"] == "operation"
    ]
    assert (waits["command"], waits["advice"]) == ("git commit --no-edit --cleanup=strip", True)
    run_git(kb, *waits["command"].split()[1:], "--no-verify")
    assert not [
        one
        for one in memgit(kb, "doctor", "--json", code=None).json["troubles"]
        if one["check"] == "operation"
    ]
    assert "One more line." in memgit(kb, "show", "shell#Alpha").out

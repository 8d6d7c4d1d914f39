"""Faults that hands and scripts meet: labels of one's own, closed streams, half-committed states, names that
collide.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import count_commits, memgit, run_git, status

COMMAND = [sys.executable, "-m", "memgit"]


def test_a_new_body_leaves_labels_of_ones_own_where_they_are(kb: Path) -> None:
    (kb / "knowledge-base").mkdir(exist_ok=True)
    path = kb / "knowledge-base/u.md"
    path.write_text(
        "## Custom\n**Date:** 2026-01-01\n**Severity:** high\n**Source:** conversation\n**Best "
        "Practice:**\n- old\n**Owner:** ada\n"
        "**来源：** file:x.md\n**Keywords:** k\n**Id:** kb7m2q9x4d\n"
    )
    memgit(kb, "commit")
    memgit(kb, "update", "Custom", "-m", "- new\n- newer")
    changed = [
        line
        for line in run_git(kb, "diff", "-U0", "HEAD~1", "--", "knowledge-base/u.md").split("\n")
        if line[:1] in "+-"
    ][2:]
    assert "-- old" in changed
    assert {"+- new", "+- newer"} <= set(changed)
    text = path.read_text()
    for line in (
        "**Severity:** high",
        "**Owner:** ada",
        "**来源：** file:x.md",
        "**Keywords:** k",
        "**Best Practice:**",
    ):
        assert text.count(line) == 1
    assert memgit(kb, "update", "Custom", "-m", "- new\n- newer", "--json").json["action"] == "no_op"
    body = memgit(kb, "show", "Custom", "--json").json["body"]
    assert (
        memgit(kb, "update", "Custom", "-F", "-", "--json", stdin=body.replace("ada", "ben").encode()).json[
            "action"
        ]
        == "updated"
    )
    assert "**Owner:** ben" in path.read_text()
    assert "ada" not in path.read_text()


@pytest.mark.parametrize("kind", ["memory", "note", "decision", "observation"])
def test_conflict_markers_in_a_body_are_refused_with_their_line(kb: Path, kind: str) -> None:
    markers = b"see:\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"
    before = count_commits(kb)
    assert "line 3 of the body" in memgit(kb, "record", kind, "Marked", "-F", "-", stdin=markers, code=2).err
    assert count_commits(kb) == before
    fenced = b"```\n" + markers + b"```\n"
    memgit(kb, "record", kind, "Fenced", "-F", "-", stdin=fenced)
    if kind != "observation":
        assert "line 3 of the body" in memgit(kb, "update", "Fenced", "-F", "-", stdin=markers, code=2).err


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_traceback(kb: Path, closed: str) -> None:
    line = f'exec "$0" -m memgit -C "$1" record memory "Closed" -m x {closed}'
    done = subprocess.run(
        ["sh", "-c", line, sys.executable, str(kb)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert memgit(kb, "show", "memory/closed", "--json").json["body"] == "x"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_commit_whose_answer_cannot_be_written_is_no_failure(kb: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "-C", str(kb), "record", "memory", "Full", "-m", "x"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
        assert done.returncode == 0
        assert b"committed" in done.stderr
        read = subprocess.run(
            [*COMMAND, "-C", str(kb), "list"], stdout=full, stderr=subprocess.PIPE, check=False
        )
        assert read.returncode == 3
    assert memgit(kb, "show", "memory/full", "--json").json["body"] == "x"


def test_a_commit_is_never_called_a_no_op(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "One", "--category", "web", "-m", "- a")
    path = kb / "knowledge-base/_index.json"
    path.write_text(path.read_text().replace('"totalEntries": 1', '"totalEntries": 9'))
    run_git(kb, "commit", "-qam", "damage", "--no-verify")
    memgit(kb, "rebuild")
    answer = memgit(kb, "commit", "--json").json
    assert answer["commit"] == run_git(kb, "rev-parse", "HEAD")
    assert answer["action"] != "no_op"


def test_what_is_not_committed_is_named_with_the_next_step(kb: Path) -> None:
    memgit(kb, "record", "memory", "Gamma", "-m", "g")
    (kb / "memory/hand.md").write_text("---\ntitle: Hand\n---\nx\n")
    for command in (
        ("update", "Hand", "-m", "y"),
        ("link", "memory/gamma", "Hand"),
        ("record", "memory", "R", "-m", "x", "--related", "Hand"),
    ):
        answer = memgit(kb, *command, code=2)
        assert "memory/hand is not committed yet" in answer.err
        assert "memgit commit memory/hand.md" in answer.err
    (kb / "memory/gamma.md").unlink()
    assert "git restore" in memgit(kb, "record", "memory", "Gamma", "-m", "again", code=1).err


def test_names_that_differ_by_case_alone_are_not_made(kb: Path) -> None:
    memgit(kb, "record", "memory", "A", "--slug", "Foo", "-m", "x")
    memgit(kb, "record", "memory", "B", "--slug", "foo", "-m", "x", code=1)
    memgit(kb, "record", "memory", "D", "--scope", "Sc", "-m", "x")
    assert (
        memgit(kb, "record", "memory", "E", "--scope", "sc", "-m", "x", "--json").json["record"]["path"]
        == "memory/Sc/e.md"
    )
    memgit(kb, "record", "memory", "F", "-m", "x")
    assert memgit(kb, "rename", "memory/f", "--to", "SC", "--json").json["record"]["path"] == "memory/Sc/f.md"
    names = run_git(kb, "ls-files").split("\n")
    assert len({name.casefold() for name in names}) == len(names)


def test_undo_of_the_first_record_of_a_category_leaves_no_trace(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "One", "--category", "web", "-m", "- a")
    before = run_git(kb, "rev-parse", "HEAD^{tree}")
    memgit(kb, "record", "knowledge", "X", "--category", "fresh", "-m", "- n")
    memgit(kb, "undo")
    assert run_git(kb, "rev-parse", "HEAD^{tree}") == before
    assert memgit(kb, "rebuild", "--check").code == 0


def test_a_file_that_is_named_after_its_key_keeps_its_name(kb: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mirror"
    (folder / ".mnema/backlog/DONE").mkdir(parents=True)
    path = folder / ".mnema/backlog/DONE/SEA-7.md"
    path.write_text(
        "---\nmnema:\n  key: SEA-7\n  state: DONE\n  title: Old title\n  metadata: {}\n---\n# Old title\n"
    )
    run_git(folder, "init", "-q")
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-qm", "mirror")
    memgit(folder, "rename", "note/backlog/DONE/SEA-7", "New title")
    assert "title: New title" in path.read_text()
    assert status(folder) == ""


def test_a_title_that_stands_twice_is_named_once_each(kb: Path) -> None:
    (kb / "knowledge-base").mkdir(exist_ok=True)
    (kb / "knowledge-base/c.md").write_text(
        "## Twice\n**Date:** 2026-01-01\n\n## Twice\n**Date:** 2026-01-02\n"
    )
    memgit(kb, "commit", "--no-verify")
    for command in (("show", "Twice"), ("archive", "Twice"), ("update", "Twice", "-m", "x")):
        answer = memgit(kb, *command, code=2)
        assert "names 2 records" in answer.err
        assert "another title" in answer.err


def test_another_init_does_not_pretend_to_change_settings(kb: Path) -> None:
    for args in (("--indexes", "local"), ("--notes", "docs/*.md"), ("--layout", "vault")):
        assert "by hand" in memgit(kb, "init", *args, code=2).err
    memgit(kb, "init", "--indexes", "committed")


def test_files_that_cannot_be_read_are_named_by_programs_reads_too(kb: Path) -> None:
    memgit(kb, "record", "memory", "Good", "-m", "words")
    (kb / "memory/bin.md").write_bytes("---\ntitle: x\n---\n".encode("utf-16"))
    for command in (("list", "--json"), ("search", "words", "--json"), ("rebuild", "--check", "--json")):
        answer = memgit(kb, *command)
        assert "memory/bin.md" in answer.err
        assert json.loads(answer.out)


def test_a_mirror_takes_new_decisions_where_mnema_keeps_them(tmp_path: Path) -> None:
    folder = tmp_path / "mirror"
    (folder / ".mnema/roadmap").mkdir(parents=True)
    (folder / ".mnema/mnema.config.json").write_text('{"project": {"key": "WEB"}}\n')
    run_git(folder, "init", "-q")
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-qm", "mirror")
    made = memgit(folder, "record", "decision", "One lock", "--date", "2026-03-02", "-m", "x", "--json").json[
        "record"
    ]
    assert made["path"] == ".mnema/roadmap/WEB-ADR-20260302-one-lock.md"
    text = (folder / made["path"]).read_text()
    assert "  key: WEB-ADR-20260302-one-lock\n  kind: decision\n  status: proposed\n" in text
    newer = ("record", "decision", "Two locks", "--supersedes", made["address"], "-m", "## Context\n\ny")
    second = memgit(folder, *newer, "--json").json["record"]
    assert "superseded_by: " in (folder / made["path"]).read_text()
    assert memgit(folder, "update", second["address"], "--status", "accepted").code == 0
    assert memgit(folder, "rebuild", "--check").code == 0 and memgit(folder, "lint").code == 0
    assert memgit(folder, "show", made["address"], "--json").json["id"] == made["id"]
    assert "no place" in memgit(folder, "record", "note", "Anything", "-m", "x", code=2).err
    assert status(folder) == ""

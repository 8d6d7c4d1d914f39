"""The gate, door by door: the same new fault through every door, with real git, is what the table says."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from memgit.lint import gate
from tests.cli.test_hooks import BAD, NOTE, git, on_path
from tests.support import Prepared, copy_folder, memgit, run_git, write

__all__ = ["on_path"]  # a fixture that every test here uses

ROOT = Path(__file__).resolve().parents[2]
VERDICTS = (gate.GO, gate.HINT, gate.WARN, gate.REFUSE)


class Fault(NamedTuple):
    """A fault: the row of the table that it belongs to, the rule, what it does to the files of a root, and
    the arguments of a write that would do the same (None where memgit writes nothing of the kind).
    """

    row: str
    rule: str
    edits: dict[str, str | None]
    written: tuple[str, ...] | None = None
    layout: str = "memgit"


def note(text: str, more: str = "") -> str:
    return NOTE.format("New", text).replace("created:", f"{more}created:")


QUEUE = "---\ntitle: Queue\ncreated: 2026-11-02\nstatus: {}\n---\n\nOne queue.\n"
ENTRY = "## New\n**Date:** 2999-01-01\n**Best Practice:**\n- x\n**Keywords:** a, b\n"
OLD = NOTE.format("Old", "See [[target]].")
FAULTS = {
    "index line missing": Fault(
        "derived", "MG101", {"memory/new.md": note("Text.")}, ("record", "memory", "New", "-m", "Text.")
    ),
    "secret": Fault("unsound", "MG501", {"memory/new.md": note(BAD)}, ("record", "memory", "New", "-m", BAD)),
    "conflict marker": Fault(
        "unsound", "MG104", {"memory/new.md": note("<<<<<<< a\nx\n=======\ny\n>>>>>>> b")}
    ),
    "broken frontmatter": Fault("unsound", "MG002", {"memory/new.md": "---\ntitle: [a\n---\n\nText.\n"}),
    "not UTF-8": Fault("unsound", "MG001", {"memory/new.md": note("\udcff")}),
    "decision goes back": Fault(
        "unsound",
        "MG405",
        {"decisions/20260302-queue.md": QUEUE.format("proposed")},
        ("update", "decision/20260302-queue", "--status", "proposed"),
    ),
    "invalid date": Fault(
        "field",
        "MG004",
        {"memory/new.md": NOTE.format("New", "x").replace("2026-11-02", "2999-01-01")},
        ("record", "memory", "New", "--date", "2999-01-01", "-m", "x"),
    ),
    "invalid date in Mem Skill": Fault(
        "field-elsewhere", "MG004", {"knowledge-base/new.md": ENTRY}, layout="mem-skill"
    ),
    "link that resolved": Fault("broken-link", "MG201", {"memory/target.md": None}),
    "page not yet written": Fault(
        "new-link",
        "MG201",
        {"memory/new.md": note("See [[later]].")},
        ("record", "memory", "New", "-m", "See [[later]]."),
    ),
    "page not yet written in notes": Fault(
        "new-link-elsewhere", "MG201", {"memory/new.md": note("See [[later]].")}, layout="notes"
    ),
    "name that Windows refuses": Fault("other", "MG008", {"memory/a:b.md": note("x")}),
}


def with_remote(folder: Path, layout: str) -> None:
    """A repository with some records, and what it is pushed to."""
    run_git(folder, "init", "-q", "--bare", "there")
    kb = folder / "kb"
    memgit(folder, "init", "kb", "--layout", layout)
    write(kb, "memory/old.md", OLD)
    write(kb, "memory/target.md", NOTE.format("Target", "x"))
    write(kb, "decisions/20260302-queue.md", QUEUE.format("accepted"))
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qm", "start")
    assert memgit(kb, "rebuild", "--check", code=None).code == 0
    run_git(kb, "remote", "add", "origin", "../there")
    assert git(kb, "push", "-q", "-u", "origin", "main").code == 0


def brought(kb: Path, fault: Fault) -> list[str]:
    """Makes the change in the working tree; the paths."""
    for path, text in fault.edits.items():
        if text is None:
            (kb / path).unlink()
        else:
            write(kb, path, text)
    return list(fault.edits)


def shown(code: int, text: str, rule: str) -> str:
    """What a door did, by its exit code and what it printed of a rule."""
    if code:
        assert rule in text or "AWS access key" in text, text
        return gate.REFUSE
    lines = [line for line in text.splitlines() if rule in line]
    if not lines:
        return gate.GO
    return gate.HINT if any(": hint " in line or ": info" in line for line in lines) else gate.WARN


def derived(kb: Path, said: str) -> str:
    """The same, where the commit has what its records give."""
    at = memgit(kb, "rebuild", "--at", "HEAD", code=None)
    return gate.DERIVE if said == gate.GO and at.code == 0 else said


def by_write(kb: Path, fault: Fault) -> str | None:
    if fault.written is None:
        return None
    done = memgit(kb, *fault.written, code=None)
    return shown(done.code, done.err, fault.rule)


def committed(kb: Path, fault: Fault, *args: str) -> str:
    done = git(kb, "commit", "-qm", "x", *args)
    return shown(done.code, done.err, fault.rule)


def by_commit(kb: Path, fault: Fault) -> str:
    brought(kb, fault)
    run_git(kb, "add", "-A")
    return committed(kb, fault)


def by_commit_all(kb: Path, fault: Fault) -> str:
    run_git(kb, "add", "-N", *brought(kb, fault))
    return committed(kb, fault, "-a")


def by_commit_path(kb: Path, fault: Fault) -> str:
    paths = brought(kb, fault)
    run_git(kb, "add", "-N", *(path for path in paths if (kb / path).exists()))
    return committed(kb, fault, "--", *paths)


def by_memgit_commit(kb: Path, fault: Fault) -> str:
    brought(kb, fault)
    done = memgit(kb, "commit", code=None)
    return shown(done.code, done.err, fault.rule)


def by_merge(kb: Path, fault: Fault) -> str:
    """The merge itself brings it, as where a conflict is settled wrongly."""
    run_git(kb, "checkout", "-qb", "side")
    write(kb, "memory/beside.md", NOTE.format("Beside", "x"))
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qm", "beside")
    run_git(kb, "checkout", "-q", "main")
    run_git(kb, "merge", "-q", "--no-ff", "--no-commit", "side")
    brought(kb, fault)
    run_git(kb, "add", "-A")
    done = git(kb, "commit", "-q", "--no-edit")
    return shown(done.code, done.err, fault.rule)


def unchecked(kb: Path, fault: Fault) -> None:
    brought(kb, fault)
    if fault.row != "derived":
        memgit(kb, "rebuild", code=None)
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "unchecked")


def by_push(kb: Path, fault: Fault) -> str:
    unchecked(kb, fault)
    done = git(kb, "push", "-q", "origin", "main")
    return shown(done.code, done.err, fault.rule)


def by_sync(kb: Path, fault: Fault) -> str:
    unchecked(kb, fault)
    done = memgit(kb, "sync", code=None)
    if not done.code and "derived files were out of date: committed" in done.err:
        assert memgit(kb, "rebuild", "--at", "origin/main").code == 0
        return gate.WARN
    return shown(done.code, done.err, fault.rule)


def by_review(kb: Path, fault: Fault) -> str:
    run_git(kb, "checkout", "-qb", "topic")
    unchecked(kb, fault)
    found = memgit(kb, "review", "main", "--json", code=None)
    (severity,) = {one["severity"] for one in found.json["findings"] if one["rule"] == fault.rule} or {""}
    assert (found.code == 1) == (severity == "error"), found
    return {"error": gate.FAIL, "warning": gate.WARN, "info": gate.HINT, "": gate.GO}[severity]


DOORS: dict[str, tuple[str, Callable[[Path, Fault], str | None]]] = {
    "write": (gate.WRITE, by_write),
    "git commit": (gate.COMMIT, by_commit),
    "git commit -a": (gate.COMMIT, by_commit_all),
    "git commit -- path": (gate.COMMIT, by_commit_path),
    "memgit commit": (gate.COMMIT, by_memgit_commit),
    "merge": (gate.MERGE, by_merge),
    "git push": (gate.PUSH, by_push),
    "sync": (gate.SYNC, by_sync),
    "review": (gate.REVIEW, by_review),
}
"""Every way through the gate, with the door of the table that it is."""


@pytest.mark.parametrize("name", FAULTS)
def test_every_door_does_what_the_table_says(
    name: str, tmp_path: Path, prepared: Prepared, capsys: pytest.CaptureFixture[str]
) -> None:
    fault = FAULTS[name]
    change = gate.BROKE if fault.row == "broken-link" else gate.NEW
    own = gate.is_own(fault.layout)
    assert gate.row_of(fault.rule, change, own).name == fault.row
    severity = "warning" if fault.rule == "MG008" else "error"
    made = prepared(f"doors-{fault.layout}", lambda folder: with_remote(folder, fault.layout))
    found: dict[str, str | None] = {}
    wanted: dict[str, str | None] = {}
    for number, (way, (door, through)) in enumerate(DOORS.items()):
        folder = tmp_path / str(number)
        kb = copy_folder(made, folder) / "kb"
        said = through(kb, fault)
        if fault.row == "derived" and door in (gate.WRITE, gate.COMMIT, gate.MERGE):
            said = derived(kb, said or gate.GO)
        found[way] = said
        wanted[way] = None if said is None else gate.judge(door, fault.rule, severity, change, own=own)
    with capsys.disabled():
        sys.stdout.write(f"\n{name:30}" + "".join(f"{way}: {said or '-'}  " for way, said in found.items()))
    assert found == wanted


def test_the_table_in_the_docs_is_the_one_in_the_code() -> None:
    text = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    for row in gate.TABLE:
        cells = " | ".join(row.verdicts[door] for door in gate.DOORS)
        assert f"| {row.what} | {cells} |" in text, row.name


def test_what_was_there_before_stops_nothing_and_is_counted(kb: Path) -> None:
    write(kb, "memory/old.md", NOTE.format("Old", f"{BAD}\n\nSee [[later]].").replace("-11-02", "-02-30"))
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "as it came")
    with open(kb / "memory/old.md", "a", encoding="utf-8") as file:
        file.write("\nOne line more.\n")
    done = git(kb, "commit", "-qam", "x")
    assert (done.code, done.err) == (0, "")
    with open(kb / "memory/old.md", "a", encoding="utf-8") as file:
        file.write("\nSee [[another]].\n")
    done = git(kb, "commit", "-qam", "x")
    assert done.code == 0
    assert "[[another]]" in done.err and "[[later]]" not in done.err
    assert "3 more were there before this change and do not count" in done.err


def test_a_rule_that_the_configuration_calls_an_error_stops_a_commit(kb: Path) -> None:
    with open(kb / ".memgit.yaml", "a", encoding="utf-8") as file:
        file.write("lint:\n  severity: {MG201: error}\n")
    run_git(kb, "commit", "-qam", "strict")
    write(kb, "memory/new.md", note("See [[later]]."))
    run_git(kb, "add", "-A")
    done = git(kb, "commit", "-qm", "x")
    assert (done.code, "memory/new.md:6: error MG201" in done.err) == (1, True)


@pytest.mark.skipif(os.name != "posix", reason="paths of a shell")
def test_a_worse_fault_in_an_old_place_is_new(kb: Path) -> None:
    """The same rule on the same record counts as often as it did before."""
    write(kb, "memory/old.md", NOTE.format("Old", BAD))
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "as it came")
    write(kb, "memory/old.md", NOTE.format("Old", f"{BAD}\n\nkey AKIAZ7Q2M4N6P8R1T3V6"))
    done = git(kb, "commit", "-qam", "x")
    assert (done.code, "memory/old.md:8: error MG501" in done.err) == (1, True)

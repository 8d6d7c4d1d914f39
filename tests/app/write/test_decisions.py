"""Superseding a decision writes both ends in one commit, and refuses what does not exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import memgit, run_git, status

DAY = ("--date", "2026-03-01")


def decide(kb: Path, title: str, *args: str, code: int = 0) -> str:
    done = memgit(
        kb, "record", "decision", title, "--status", "accepted", *DAY, "-m", "x", *args, "--json", code=code
    )
    return str(done.json["record"]["address"]) if not code else done.err


def ends(kb: Path) -> dict[str, tuple[object, object, object]]:
    found = memgit(kb, "list", "decision", "--json").json
    names = ("status", "supersedes", "superseded_by")
    return {one["title"]: tuple(one["fields"].get(name) for name in names) for one in found}


@pytest.mark.parametrize("name", ["decision/20260301-old", "20260301-old", "[[20260301-old]]", "Old"])
def test_a_new_decision_writes_both_ends(kb: Path, name: str) -> None:
    decide(kb, "Old")
    new = decide(kb, "New", "--supersedes", name)
    assert ends(kb) == {
        "Old": ("superseded", None, new),
        "New": ("accepted", ["decision/20260301-old"], None),
    }
    assert "Memgit-Record: update" in run_git(kb, "log", "-1", "--format=%B") and status(kb) == ""
    assert memgit(kb, "lint", "--json").json["findings"] == []
    memgit(kb, "undo")
    assert ends(kb) == {"Old": ("accepted", None, None)}


@pytest.mark.parametrize("option", ["--supersedes", "--superseded-by"])
def test_an_update_writes_both_ends(kb: Path, option: str) -> None:
    old, new = decide(kb, "Old"), decide(kb, "New")
    which = (new, old) if option == "--supersedes" else (old, new)
    memgit(kb, "update", which[0], option, which[1])
    assert ends(kb) == {"Old": ("superseded", None, new), "New": ("accepted", [old], None)}
    memgit(kb, "update", which[0], option, which[1])
    assert status(kb) == ""


@pytest.mark.parametrize("option", ["--supersedes", "--superseded-by"])
def test_what_does_not_exist_or_is_no_decision_is_refused(kb: Path, option: str) -> None:
    old = decide(kb, "Old")
    memgit(kb, "record", "memory", "M", "-m", "x")
    head = run_git(kb, "rev-parse", "HEAD")
    assert "no record answers to 'nosuch'" in memgit(kb, "update", old, option, "nosuch", code=2).err
    assert "is not a decision" in memgit(kb, "update", old, option, "memory/m", code=2).err
    assert "cannot supersede itself" in memgit(kb, "update", old, option, old, code=2).err
    assert "no record answers to 'nosuch'" in decide(kb, "New", "--supersedes", "nosuch", code=2)
    assert run_git(kb, "rev-parse", "HEAD") == head and status(kb) == ""


def test_citing_a_superseded_decision_is_a_finding(kb: Path) -> None:
    decide(kb, "Old")
    memgit(kb, "record", "memory", "Citing", "-m", "As [[20260301-old]] says.")
    decide(kb, "New", "--supersedes", "Old")
    memgit(kb, "record", "memory", "Telling", "-m", "[[20260301-new]] came after [[20260301-old]].")
    (found,) = memgit(kb, "lint", "--select", "MG206", "--json", code=None).json["findings"]
    assert (found["path"], found["severity"]) == ("memory/citing.md", "warning")
    assert "decision/20260301-new" in found["message"]

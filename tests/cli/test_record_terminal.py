"""The question of `memgit record` where a close record exists, on a real pseudo-terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.test_ingest_terminal import Terminal
from tests.support import Prepared, count_commits, memgit, status

pytestmark = pytest.mark.usefixtures("pseudo_terminals")

TEXT = "Retry failed uploads only on timeouts, with a growing pause between the attempts."
OPTIONS = ("--category", "http", "--keywords", "retry, upload, timeout", "-m")


@pytest.fixture
def kb(prepared: Prepared) -> Path:
    return prepared("kb", with_record)


def with_record(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "Retry uploads on timeout", *OPTIONS, TEXT)


@pytest.fixture
def asked(kb: Path) -> Iterator[Terminal]:
    run = Terminal(kb, "record", "knowledge", "Retry uploads after timeouts", *OPTIONS, f"{TEXT} Log it.")
    yield run
    run.close()


def titles(kb: Path) -> list[str]:
    return [row["title"] for row in memgit(kb, "list", "--json").json]


@pytest.mark.parametrize("answer", ["update", "extend", "create"])
def test_a_close_record_is_asked_about(kb: Path, asked: Terminal, answer: str) -> None:
    before = count_commits(kb)
    asked.answer("update, extend or create", "perhaps")
    asked.answer("update, extend or create", answer)
    assert asked.end() == 0, asked.text
    assert (
        "close to 'Retry uploads after timeouts':" in asked.text
        and "1. knowledge/http#Retry uploads on timeout (" in asked.text
    )
    assert count_commits(kb) == before + 1 and status(kb) == ""
    first = memgit(kb, "show", "http#Retry uploads on timeout", "--json").json["body"]
    if answer == "create":
        assert (
            titles(kb) == ["Retry uploads on timeout", "Retry uploads after timeouts"]
            and "Log it." not in first
        )
    else:
        assert titles(kb) == ["Retry uploads on timeout"] and "Log it." in first
        assert first.count("Retry failed uploads") == (2 if answer == "extend" else 1)


def test_which_of_several_is_asked(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "Retry uploads on each timeout", *OPTIONS, TEXT)
    run = Terminal(kb, "record", "knowledge", "Retry uploads after timeouts", *OPTIONS, f"{TEXT} Log it.")
    try:
        run.answer("update, extend or create", "extend")
        run.answer("which", "9")
        run.answer("which", "2")
        assert run.end() == 0, run.text
    finally:
        run.close()
    assert [("Log it." in row["body"]) for row in memgit(kb, "list", "--json").json].count(True) == 1


def test_no_answer_writes_nothing(kb: Path, asked: Terminal) -> None:
    before = count_commits(kb)
    asked.answer("update, extend or create", "\x04")
    assert asked.end() == 130, asked.text
    assert "Traceback" not in asked.text
    assert count_commits(kb) == before and status(kb) == ""


@pytest.mark.parametrize(
    "args",
    [("record", "note", "Edited"), ("extend", "http#Retry uploads on timeout")],
    ids=["record", "extend"],
)
def test_an_editor_that_fails_is_told_and_writes_nothing(kb: Path, args: tuple[str, ...]) -> None:
    before = count_commits(kb)
    run = Terminal(kb, *args)  # its editor is `false`
    try:
        assert run.end() == 3, run.text
    finally:
        run.close()
    assert "memgit: the editor failed (false" in run.text and "Traceback" not in run.text
    assert count_commits(kb) == before and status(kb) == ""


def test_deleting_what_is_linked_asks(kb: Path) -> None:
    memgit(kb, "record", "note", "N", "-m", "See [[http#Retry uploads on timeout]].")
    for reply, code in (("n", 130), ("y", 0)):
        run = Terminal(kb, "rm", "Retry uploads on timeout", "--reason", "wrong")
        try:
            run.answer("break these links?", reply)
            assert run.end() == code and "is linked from note/notes/n (notes/n.md:1)" in run.text, run.text
        finally:
            run.close()
    assert memgit(kb, "list", "knowledge", "--json").json == [] and status(kb) == ""

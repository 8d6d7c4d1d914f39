"""The questions of `memgit ingest`, on a real pseudo-terminal."""

from __future__ import annotations

import os
import pty
import select
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.test_ingest import sections
from tests.support import count_commits, memgit, run_git, status

pytestmark = pytest.mark.usefixtures("pseudo_terminals")

PATIENCE = 40.0
"""Seconds to wait for a question: machines that run this are shared."""


class Terminal:
    """A memgit that runs on a terminal of its own."""

    def __init__(self, folder: Path, *args: str, **env: str) -> None:
        self.text = ""
        self.read = 0
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                os.chdir(folder)
                os.environ.update(TERM="dumb", EDITOR="false", PYTHONWARNINGS="ignore")
                os.environ.update(env)
                os.execv(sys.executable, [sys.executable, "-m", "memgit", *args])
            finally:
                os._exit(127)

    def _more(self, end: float) -> bool:
        ready, _, _ = select.select([self.fd], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            raise AssertionError(f"nothing came for {PATIENCE} seconds after:\n{self.text}")
        try:
            data = os.read(self.fd, 65_536)
        except OSError:  # Linux says so at the end
            data = b""
        self.text += data.decode("utf-8", "replace")
        return bool(data)

    def answer(self, question: str, reply: str) -> None:
        """Waits for a question that was not answered yet, then types a line."""
        end = time.monotonic() + PATIENCE
        while question not in self.text[self.read :]:
            if not self._more(end):
                raise AssertionError(f"it ended before {question!r}:\n{self.text}")
        self.read = self.text.index(question, self.read) + len(question)
        os.write(self.fd, reply.encode() if reply in ("\x03", "\x04") else f"{reply}\n".encode())

    def end(self, again: str = "") -> int:
        """Waits for the end; the exit code.

        `again` is typed once more where nothing comes: Python may miss a ^C as it begins to read.
        """
        end = time.monotonic() + PATIENCE
        while True:
            if again and not select.select([self.fd], [], [], 3.0)[0]:
                os.write(self.fd, again.encode())
            if not self._more(end):
                break
        _, how = os.waitpid(self.pid, 0)
        self.pid = 0
        return os.waitstatus_to_exitcode(how)

    def close(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    """Those that were started; they are ended with the test."""
    started: list[Terminal] = []
    yield started
    for one in started:
        one.close()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text(sections("Alpha", "Beta", "Gamma", "Delta", words=200))
    (folder / "b.md").write_text("# Turbines\n\n1. Use `spin --fast`.\n")
    return folder


def open_(kb: Path, terminals: list[Terminal], *args: str) -> Terminal:
    terminals.append(Terminal(kb, "ingest", *args))
    return terminals[-1]


ASK = "? for help"


def test_every_kind_of_answer(kb: Path, docs: Path, terminals: list[Terminal]) -> None:
    memgit(kb, "record", "knowledge", "Spinning", "-m", "Turbines spin with the command spin.")
    before = count_commits(kb)
    run = open_(kb, terminals, str(docs))
    run.answer(ASK, "?")
    run.answer(ASK, "v")
    run.answer(ASK, "t")
    run.answer("title [", "Alpha renamed")
    run.answer(ASK, "g")
    run.answer("category [", "../bad")
    run.answer(ASK, "g")
    run.answer("category [", "greek")
    run.answer("name of the new category", "Greek letters")
    run.answer("its keywords", "alpha, omega")
    run.answer(ASK, "c")
    run.answer(ASK, "m")  # Beta
    run.answer("into which", "seg-001")
    run.answer(ASK, "k")  # Gamma
    run.answer("kind (", "memory")
    run.answer(ASK, "c")
    run.answer(ASK, "s")  # Delta
    run.answer(ASK, "u")  # b.md
    run.answer("which record", "nothing-like-it")
    run.answer(ASK, "e")
    run.answer("which record", "Spinning")
    run.answer("Write them in one commit?", "y")
    assert run.end() == 0, run.text
    assert count_commits(kb) == before + 1
    subject = run_git(kb, "log", "-1", "--format=%s")
    assert subject == "ingest: docs (2 created, 1 extended)"
    assert "### Beta" in memgit(kb, "show", "knowledge/greek#Alpha renamed").out
    assert "name: Greek letters" in (kb / "knowledge-base/greek.md").read_text()
    assert memgit(kb, "show", "memory/gamma").code == 0
    assert "spin --fast" in memgit(kb, "show", "Spinning").out
    assert "Delta" not in memgit(kb, "list").out
    assert status(kb) == ""
    memgit(kb, "rebuild", "--check")


def test_a_title_that_cannot_be_is_asked_for_again(kb: Path, docs: Path, terminals: list[Terminal]) -> None:
    memgit(kb, "record", "knowledge", "Taken", "--category", "general", "-m", "x")
    run = open_(kb, terminals, str(docs / "a.md"))
    run.answer(ASK, "t")
    run.answer("title [", "T" * 1500)
    run.answer("at most 1,000 characters", "t")
    run.answer("title [", "Taken")
    run.answer(ASK, "c")
    run.answer("knowledge/general#Taken has that title", "t")
    run.answer("title [", "Gamma")
    run.answer(ASK, "c")
    run.answer(ASK, "c")
    run.answer(ASK, "c")
    run.answer("seg-001 has that title", "a")
    run.answer("it becomes Gamma (2)", "")
    assert run.end() == 0, run.text
    titles = [record["title"] for record in memgit(kb, "list", "--json").json]
    assert titles == ["Taken", "Gamma", "Beta", "Gamma (2)", "Delta"]


@pytest.mark.parametrize("reply", ["q", "\x03", "\x04"])
def test_cancelled_half_way_writes_nothing(
    kb: Path, docs: Path, terminals: list[Terminal], reply: str
) -> None:
    before = run_git(kb, "rev-parse", "HEAD")
    run = open_(kb, terminals, str(docs))
    run.answer(ASK, "c")
    run.answer(ASK, "c")
    run.answer(ASK, reply)
    assert run.end(again=reply if reply == "\x03" else "") == 130
    assert "nothing further was done" in run.text
    assert "nothing was written: 2 of " in run.text
    assert run_git(kb, "rev-parse", "HEAD") == before
    assert status(kb) == ""


def test_declined_at_the_end_writes_nothing(kb: Path, docs: Path, terminals: list[Terminal]) -> None:
    before = run_git(kb, "rev-parse", "HEAD")
    run = open_(kb, terminals, str(docs))
    run.answer(ASK, "a")
    run.answer("Write them in one commit?", "n")
    assert run.end() == 130
    assert run_git(kb, "rev-parse", "HEAD") == before


def test_many_files_come_in_pages(kb: Path, tmp_path: Path, terminals: list[Terminal]) -> None:
    many = tmp_path / "many"
    many.mkdir()
    for number in range(1, 21):
        (many / f"n{number:02}.md").write_text(
            f"# Note {number}\n\n1. Run `tool{number} --go`.\n2. See Thing{number}.\n"
        )
    run = open_(kb, terminals, str(many))
    run.answer("which (", "99")
    run.answer("which (", "2,4-5")
    run.answer("which (", "n")
    for _ in range(3):
        run.answer(ASK, "")
    run.answer("Write them in one commit?", "")
    assert run.end() == 0, run.text
    assert "files 1 to 15 of 20:" in run.text
    assert "give numbers from 1 to 15" in run.text
    assert run_git(kb, "log", "-1", "--format=%s") == "ingest: many (3 created)"
    assert {f"Note {number}" for number in (2, 4, 5)} == {
        record["title"] for record in memgit(kb, "list", "--json").json
    }


def test_taking_all_that_follow_overwrites_nothing_that_was_edited_by_hand(
    kb: Path, docs: Path, terminals: list[Terminal]
) -> None:
    page = docs / "a.md"
    memgit(kb, "ingest", str(page), "--yes")
    memgit(kb, "extend", "knowledge/general#Gamma", "-m", "By hand.")
    page.write_text(
        page.read_text()
        .replace("beta0", "betanew")
        .replace("gamma0", "gammanew")
        .replace("delta0", "deltanew")
    )
    run = open_(kb, terminals, str(page))
    run.answer(ASK, "a")  # Beta
    run.answer("2 to update. Write them in one commit?", "y")
    assert run.end() == 1, run.text
    shown = {
        title: memgit(kb, "show", f"knowledge/general#{title}").out for title in ("Beta", "Gamma", "Delta")
    }
    assert "betanew" in shown["Beta"] and "deltanew" in shown["Delta"]
    assert "By hand." in shown["Gamma"] and "gammanew" not in shown["Gamma"]
    assert "the record was edited since it was ingested" in run.text


def test_the_same_again_asks_nothing(kb: Path, docs: Path, terminals: list[Terminal]) -> None:
    memgit(kb, "ingest", str(docs), "--yes")
    run = open_(kb, terminals, str(docs))
    assert run.end() == 0
    assert "2 files say nothing new" in run.text
    assert "nothing to write" in run.text


def test_an_editor_that_fails_loses_nothing_that_was_decided(
    kb: Path, docs: Path, terminals: list[Terminal]
) -> None:
    run = open_(kb, terminals, str(docs / "b.md"))
    run.answer(ASK, "w")
    run.answer(ASK, "c")
    run.answer("Write them in one commit?", "y")
    assert run.end() == 0, run.text
    assert "the editor failed (false" in run.text
    assert [row["title"] for row in memgit(kb, "list", "--json").json] == ["Turbines"]

"""A squash with the message of `squash_message`: the log tells every operation that it told of the branch."""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memgit.app.read.log import log
from memgit.app.review.squash import squash_message
from memgit.app.workspace import open_workspace
from memgit.model.operation import Event, Operation
from tests.support import Prepared, closed_later, memgit, run_git, status


def told(folder: Path, revisions: str) -> list[Event]:
    workspace = closed_later(open_workspace(str(folder), os.environ))
    try:
        return list(log(workspace, revisions, cache=workspace.cache))[::-1]
    finally:
        workspace.close()


def message(folder: Path, base: str | None = "main", head: str | None = None) -> str:
    return squash_message(closed_later(open_workspace(str(folder), os.environ)), base, head).message


@pytest.fixture
def topic(prepared: Prepared) -> Path:
    """A branch `topic` with operations of several kinds, people and agents, by memgit and by hand."""
    return prepared("kb", make_topic)


def make_topic(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "There before", "--category", "shell", "-m", "x")
    run_git(kb, "switch", "-q", "-c", "topic")
    why = "It came up twice.\n\nMemgit-Op: archive\n\nAnd a long line " + "that goes on " * 12
    memgit(
        kb,
        "--actor",
        "claude-code",
        "--run",
        "5f2c",
        "record",
        "knowledge",
        "Grid: Memgit-Op: archive " + "and so on " * 9,
        "--category",
        "css",
        "-m",
        "body",
        "--source",
        "file:a b/c.md",
        "--reason",
        why,
    )
    memgit(kb, "--actor", "codex", "record", "observation", "Seen", "-m", "once", "--topic", "shell")
    memgit(kb, "--actor", "codex", "promote", "Seen", "Known", "--reason", "often enough")
    memgit(kb, "rename", "There before", "There ever after", "--reason", "a better name")
    memgit(kb, "extend", "There ever after", "-m", "more of it")
    memgit(kb, "archive", "Known")
    memgit(kb, "restore", "Known")
    path = kb / "knowledge-base/css.md"
    path.write_text(path.read_text().replace("body", "another body"))
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-q", "--no-verify", "-m", "by hand", "--author", "Bo <bo@example.org>")
    (kb / "code.py").write_text("print()\n")
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-q", "--no-verify", "-m", "code")


WAYS: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "GitHub": lambda text: (
        "Topic (#12)\n\n"
        + "\n".join(
            "\n".join(textwrap.wrap(line, 72, break_on_hyphens=False, break_long_words=False))
            for line in text.split("\n")
        )
        + "\n\nCo-authored-by: Bo <bo@example.org>\n"
    ),
    "GitLab": lambda text: (
        "Merge branch 'topic' into 'main'\n\n* "
        + "\n".join(line.strip() for line in text.split("\n"))
        + "\n\nSee !7\n"
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_log_tells_every_operation(topic: Path, way: str) -> None:
    before = [event for event in told(topic, "main..topic") if event.records]
    text = WAYS[way](message(topic))
    run_git(topic, "switch", "-q", "main")
    run_git(topic, "merge", "-q", "--squash", "topic")
    run_git(topic, "commit", "-q", "-F", "-", data=text.encode())
    (after,) = told(topic, "HEAD^..HEAD")
    assert after.operations == tuple(
        Operation(
            event.op,
            event.records,
            event.source,
            event.actor,
            event.run,
            event.derived_from,
            event.subject,
            event.reason,
            event.author,
        )
        for event in before
    )
    assert {change.address for change in after.records} == {
        "knowledge/css#" + before[0].records[0].address.partition("#")[2],
        "knowledge/shell#There ever after",
        before[1].records[0].address,
        before[2].records[0].address,
    }
    # The cache gives what git gave, and so does the command line.
    assert told(topic, "HEAD^..HEAD") == [after]
    (known,) = memgit(topic, "log", "HEAD^..HEAD", "--json").json
    assert [one["subject"] for one in known["operations"]] == [event.subject for event in before]
    lines = memgit(topic, "log", "-n", "1").out.split("\n")
    assert [line for line in lines if line.startswith("  * ")][
        1
    ] == "  * record(observation): Seen (with codex)"
    assert memgit(topic, "log", "--op", "restore").out and memgit(topic, "log", "--actor", "claude-code").out
    assert not status(topic)


def test_the_log_md_has_a_line_for_each(topic: Path) -> None:
    before = memgit(topic, "log", "main..topic", "--format", "markdown").out
    text = message(topic)
    run_git(topic, "switch", "-q", "main")
    run_git(topic, "merge", "-q", "--squash", "topic")
    run_git(topic, "commit", "-q", "-F", "-", data=text.encode())
    after = memgit(topic, "log", "HEAD^..HEAD", "--format", "markdown").out
    # The day may have changed in between.
    assert re.sub(r"\[[\d-]{10}\]", "[DAY]", after) == re.sub(r"\[[\d-]{10}\]", "[DAY]", before)


def test_a_record_keeps_its_own_operations(topic: Path) -> None:
    text = message(topic)
    run_git(topic, "switch", "-q", "main")
    run_git(topic, "merge", "-q", "--squash", "topic")
    run_git(topic, "commit", "-q", "-F", "-", data=text.encode())
    (first, second) = memgit(topic, "history", "There ever after", "--json").json
    assert [one["op"] for one in first["operations"]] == ["rename", "extend"] and second["operations"] == []
    assert [one["op"] for one in memgit(topic, "history", "Known", "--json").json[0]["operations"]] == [
        "promote",
        "archive",
        "restore",
    ]


def test_squashed_twice(topic: Path) -> None:
    """A branch that holds a squash already: its operations are told one by one again."""
    operations = [event.subject for event in told(topic, "main..topic") if event.records]
    text = message(topic)
    run_git(topic, "switch", "-q", "-c", "next", "main")
    run_git(topic, "merge", "-q", "--squash", "topic")
    run_git(topic, "commit", "-q", "-F", "-", data=text.encode())
    memgit(topic, "record", "memory", "One more", "-m", "x")
    text = message(topic)
    run_git(topic, "switch", "-q", "main")
    run_git(topic, "merge", "-q", "--squash", "next")
    run_git(topic, "commit", "-q", "-F", "-", data=text.encode())
    (after,) = told(topic, "HEAD^..HEAD")
    assert [one.subject for one in after.operations] == [*operations, "record(memory): One more"]


def test_a_branch_that_merged_its_base(topic: Path) -> None:
    """What came with the base is not told again."""
    run_git(topic, "switch", "-q", "main")
    memgit(topic, "record", "memory", "On the base", "-m", "x")
    run_git(topic, "switch", "-q", "topic")
    run_git(topic, "-c", "merge.memgit.driver=true", "merge", "-q", "--no-edit", "main")
    found: dict[str, Any] = squash_message(
        closed_later(open_workspace(str(topic), os.environ)), "main", "topic"
    ).as_json()
    assert found["operations"] == 8 and found["commits"] == 10
    assert "On the base" not in found["message"]
    assert found["subject"] == "edit: topic (8 records)"


def test_nothing_to_squash_and_a_shallow_clone(topic: Path, tmp_path: Path) -> None:
    assert message(topic, "topic", "topic") == "edit: topic\n"
    run_git(tmp_path, "clone", "-q", "--depth", "2", "-b", "topic", f"file://{topic}", "shallow")
    found = squash_message(
        closed_later(open_workspace(str(tmp_path / "shallow"), os.environ)), "HEAD^", "HEAD"
    )
    assert any("shallow" in note for note in found.notes)


def test_on_the_command_line(topic: Path, tmp_path: Path) -> None:
    text = memgit(topic, "review", "--squash-message").out
    assert text == memgit(topic, "review", "--squash-message", "main...topic").out == message(topic)
    memgit(topic, "review", "main..HEAD", "--squash-message", "-o", str(tmp_path / "message"))
    assert (tmp_path / "message").read_bytes() == text.encode()
    found = memgit(topic, "review", "main", "--squash-message", "--json").json
    assert found["message"] == text == f"{found['subject']}\n\n{found['body']}\n" and found["operations"] == 8
    memgit(topic, "review", "--squash-message", "--format", "markdown", code=2)
    memgit(topic, "review", "nowhere..HEAD", "--squash-message", code=2)


def test_one_operation_alone(kb: Path) -> None:
    """Its squash reads as the commit itself did."""
    run_git(kb, "switch", "-q", "-c", "topic")
    memgit(
        kb,
        "--actor",
        "codex",
        "record",
        "memory",
        "Alone " + "and long " * 12,
        "-m",
        "x",
        "--reason",
        "Why.\n\nAnd " + "why " * 40,
    )
    (before,) = told(kb, "main..topic")
    text = message(kb)
    run_git(kb, "switch", "-q", "main")
    for way in WAYS.values():
        run_git(kb, "merge", "-q", "--squash", "topic")
        run_git(kb, "commit", "-q", "-F", "-", data=way(text).encode())
        (after,) = told(kb, "HEAD^..HEAD")
        assert after.operations == () and (after.op, after.records, after.actor) == (
            before.op,
            before.records,
            before.actor,
        )
        assert after.reason == before.reason
        run_git(kb, "reset", "-q", "--hard", "HEAD^")


@pytest.mark.parametrize("count", [1, 2])
def test_who_squashes_is_not_who_did_it(kb: Path, count: int) -> None:
    run_git(kb, "switch", "-q", "-c", "topic")
    for number in range(count):
        memgit(kb, "record", "memory", f"Fact {number}", "-m", "x", "--reason", "seen")
    text = message(kb)
    run_git(kb, "switch", "-q", "main")
    run_git(kb, "merge", "-q", "--squash", "topic")
    run_git(
        kb, "commit", "-q", "--no-verify", "--author", "Bo <bo@example.org>", "-F", "-", data=text.encode()
    )
    (entry,) = memgit(kb, "log", "-n", "1", "--json").json
    assert entry["author"] == "Bo <bo@example.org>"
    ada = run_git(kb, "log", "-1", "--format=%an <%ae>", "topic")
    assert [(one["author"], one["reason"]) for one in entry["operations"]] == [(ada, "seen")] * count
    assert memgit(kb, "log", "-n", "1").out.count("(Ada Moss)") == count
    assert "Fact 0 (Ada Moss)" in memgit(kb, "history", "Fact 0").out

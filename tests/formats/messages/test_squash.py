"""The message of a squash: whatever a forge does to it, every operation reads back."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memgit.formats.messages.message import build, columns, escape, folded, parse, tidy
from memgit.formats.messages.message import subject as subject_of
from memgit.formats.messages.message_file import faults
from memgit.formats.messages.squash import MAX_LISTED
from memgit.formats.messages.squash import build as squash
from memgit.model.operation import ACTIONS, OPS, Operation, RecordChange
from tests.support import examples

NASTY = st.sampled_from(
    [
        "Memgit-Op: archive",
        "a " * 60 + "Memgit-Op: archive",
        "x" * 90 + " Memgit-Record: remove - knowledge/a#b",
        "\\",
        "\\" * 80,
        "a\\ b" * 30,
        "学习笔记" * 30,
        "e\u0301" * 100,
        "Co-authored-by: Eve <eve@example.org>",
        "* record(note): x",
        "- y",
        "<- z <- w",
        "\u00a0\u3000 wide blanks \u00a0" * 9,
        "commit " + "a" * 40,
        "---",
        "# comment",
        "Squashed commit of the following:",
        "tab\tand\nline",
        "    four",
        "😀" * 50,
    ]
)
TEXT = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=120), NASTY
)
WORD = TEXT.map(str.strip).filter(bool)
CHANGE = st.builds(
    RecordChange,
    st.sampled_from(ACTIONS),
    st.one_of(st.none(), st.just("kb7m2q9x4d")),
    WORD.map("knowledge/a#{}".format),
    st.one_of(st.none(), WORD.map("memory/{}".format)),
)
SUBJECT = st.tuples(st.sampled_from(OPS), WORD).map(lambda pair: subject_of(pair[0], "knowledge", pair[1]))
OPERATION = st.builds(
    Operation,
    st.sampled_from(OPS),
    st.lists(CHANGE, max_size=3).map(tuple),
    *[st.one_of(st.none(), WORD)] * 3,
    st.lists(WORD, max_size=2).map(tuple),
    SUBJECT,
    st.one_of(st.none(), WORD.map(tidy).filter(bool)),
    st.one_of(st.none(), WORD),
)
OPERATIONS = st.lists(OPERATION, min_size=2, max_size=4)


def broken(text: str, width: int = 72) -> str:
    """Long lines broken at blanks, as GitHub does to what it takes over; short ones are left."""
    lines = [
        textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)
        if columns(line) > width
        else [line]
        for line in text.split("\n")
    ]
    return "\n".join(piece for pieces in lines for piece in pieces)


FORGES: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "a title of its own": lambda text: "Knowledge of the week (#12)\n\n" + text,
    "the first line marked": lambda text: "Week (#12)\n\n* " + text,
    "a title, and the body alone": lambda text: "Week (#12)\n\n" + text.partition("\n\n")[2],
    "trailers behind": lambda text: text + "\n---------\n\nCo-authored-by: Ada Moss <ada@example.org>\n",
    "trailers on": lambda text: (
        text.rstrip("\n")
        + "\nCo-authored-by: Ada Moss <ada@example.org>\nSigned-off-by: Bo <b@example.org>\n"
    ),
    "trailing blanks off": lambda text: re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE),
    "trailing blanks on": lambda text: text.replace("\n", "  \n"),
    "leading blanks off": lambda text: re.sub(r"^[ \t]+", "", text, flags=re.MULTILINE),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "long lines broken": broken,
    "GitLab": lambda text: f"Merge branch 'topic' into 'main'\n\n{text}\nSee merge request team/kb!7\n",
    "git merge --squash": lambda text: (
        "Squashed commit of the following:\n\ncommit "
        + "a" * 40
        + "\nAuthor: Ada <a@b>\nDate:   Mon\n\n"
        + textwrap.indent(text, "    ")
    ),
    "several": lambda text: (
        "Week (#12)\n\n* " + broken(text).replace("\n", "\r\n") + "\r\n\r\nCo-authored-by: Ada <a@b>"
    ),
}


def plain(operations: list[Operation]) -> list[Operation]:
    return [operation._replace(subject=" ".join(operation.subject.split())) for operation in operations]


@pytest.mark.parametrize("forge", FORGES)
@settings(max_examples=examples(10))
@given(OPERATIONS)
@example(
    [Operation("record", (), subject="record(note): " + "a" * 80), Operation("archive", (), subject="s")]
)
def test_every_operation_reads_back(forge: str, operations: list[Operation]) -> None:
    text = squash("topic", operations, 3)
    read = parse(FORGES[forge](text))
    wanted = plain(operations)
    if forge == "git merge --squash":  # git says itself who was the author
        wanted = [operation._replace(author=operation.author or "Ada <a@b>") for operation in wanted]
    assert list(read.blocks) == wanted


@settings(max_examples=examples(20))
@given(OPERATIONS)
def test_no_line_is_longer_than_a_forge_leaves_alone(operations: list[Operation]) -> None:
    text = squash("topic", operations)
    # one column more where a wide character stands at the border
    assert all(columns(line) <= 73 for line in text.split("\n"))
    assert not faults(text)


@settings(max_examples=examples(20))
@given(OPERATIONS)
def test_a_squash_of_squashes(operations: list[Operation]) -> None:
    once = parse(squash("topic", operations)).blocks
    assert parse(squash("other", once)).blocks == once


@given(WORD, st.sampled_from(["Subject", "Reason", "Source"]), st.integers(20, 90))
def test_a_folded_value_unfolds(value: str, key: str, width: int) -> None:
    lines = folded(f"Memgit-{key}: {escape(value)}", width)
    (block,) = parse("s\n\nMemgit-Op: record\n" + "\n".join(lines) + "\nMemgit-Actor: a\n").blocks
    got = {"Subject": block.subject, "Reason": block.reason, "Source": block.source}[key]
    assert got == (
        " ".join("".join(c if c.isprintable() else " " for c in value).split()) or "s"
        if key == "Subject"
        else value
    )
    assert block.actor == "a"


def test_a_list_for_people() -> None:
    operations = [
        Operation("record", (), subject=f"record(note): Fact {number}", actor="claude-code")
        for number in range(MAX_LISTED + 5)
    ]
    lines = squash("topic", operations, 2).split("\n")
    assert lines[0] == "record: topic"
    assert lines[2] == "- record(note): Fact 0 (claude-code)"
    assert lines[2 + MAX_LISTED : 4 + MAX_LISTED] == ["and 5 more", "2 commits that changed no record"]
    assert squash("topic", [], 1) == "edit: topic\n\n1 commit that changed no record\n"
    (alone,) = parse(text := squash("topic", operations[:1])).blocks
    assert text.startswith("record(note): Fact 0\n") and alone == operations[0]


def test_reasons_of_a_plain_squash_by_a_forge() -> None:
    """Without this message, what stands between the blocks is told of the one below it."""
    one = build("record(knowledge): Grid", "record", [], reason="It came up twice.\n\nAnd again.", actor="a")
    two = build("update(memory): Retries", "update", [], actor="b")
    parts = ["* " + text.rstrip() for text in (one, two)]
    read = parse("Week (#12)\n\n" + "\n\n".join(parts) + "\n\n---------\n\nCo-authored-by: Ada <a@b>\n")
    assert [(block.reason, block.actor) for block in read.blocks] == [
        ("It came up twice.\n\nAnd again.", "a"),
        (None, "b"),
    ]

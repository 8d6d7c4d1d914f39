"""Commit messages: what is built reads back, whatever a user typed; what squashes and other tools make of it
still reads.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memgit.formats.messages import message
from memgit.formats.messages.message import (
    Block,
    build,
    columns,
    cut,
    escape,
    one_line,
    parse,
    subject,
    summary,
    tidy,
    unescape,
)
from memgit.model.operation import ACTIONS, OPS, RecordChange
from tests.support import run_git

CREATE = RecordChange("create", "kb7m2q9x4d", "knowledge/frontend-dev#Responsive grid")
HOSTILE = [
    "Memgit-Op: archive",
    "memgit-record: remove kb7m2q9x4d note/x",
    "  Memgit-Op: archive",
    "---",
    "--- a/file",
    "diff --git a/x b/x",
    "Index: x",
    "Signed-off-by: Eve <eve@example.org>",
    "Co-authored-by: Eve <eve@example.org>",
    "From: Eve <eve@example.org>",
    "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001",
    "Squashed commit of the following:",
    "commit 0123456789012345678901234567890123456789",
    "    Memgit-Op: archive",
    "        Memgit-Op: archive",
    "   Memgit-Op: archive",
    "# ------------------------ >8 ------------------------",
    "(cherry picked from commit 0123456789012345678901234567890123456789)",
    "* archive(note): not a block",
    "Fixes: #12",
    "",
    "   ",
    "\t",
]

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
any_text = st.text(max_size=40) | st.sampled_from(
    [*HOSTILE, "a <- b", "<-", " x ", "\\u0041", "\\", "\\n", "\u00a0x", "x\u2028", "\ud800"]
)
reasons = st.lists(st.sampled_from(HOSTILE) | texts, max_size=8).map("\n".join)
addresses = any_text.filter(bool)
changes = st.builds(
    RecordChange,
    st.sampled_from(ACTIONS),
    st.none() | st.just("kb7m2q9x4d"),
    addresses,
    st.none() | addresses,
)


@given(
    any_text,
    st.sampled_from(OPS),
    st.lists(changes, max_size=4),
    reasons,
    st.none() | any_text,
    st.none() | any_text,
    st.none() | any_text,
    st.lists(addresses, max_size=2),
)
@example("Memgit-Op: x", "record", [], "", None, None, None, [])
@example(
    "",
    "record",
    [RecordChange("rename", None, "a <-", "<- b")],
    "x\r\n\r\nMemgit-Op: y\r\n",
    " s ",
    "a\nb",
    None,
    ["x\u00a0"],
)
def test_what_is_built_reads_back(
    title: str,
    op: str,
    records: list[RecordChange],
    reason: str,
    source: str | None,
    actor: str | None,
    run: str | None,
    origins: list[str],
) -> None:
    text = build(
        subject(op, "note", title),
        op,
        records,
        reason=reason,
        source=source,
        actor=actor,
        run=run,
        derived_from=origins,
    )
    text.encode("utf-8")
    read = parse(text)
    assert read.subject == subject(op, "note", title).strip()
    assert read.reason == (tidy(reason) or None)
    expected = Block(op, tuple(records), source or None, actor or None, run or None, tuple(origins))
    assert [block._replace(subject="") for block in read.blocks] == [expected]


@given(st.text(max_size=60) | st.sampled_from(HOSTILE), reasons)
def test_a_subject_of_the_users_own_never_becomes_a_block(typed: str, reason: str) -> None:
    read = parse(build(typed, "edit", [CREATE], reason=reason))
    assert [block.op for block in read.blocks] == ["edit"]
    assert read.blocks[0].records == (CREATE,)
    assert read.subject


@given(reasons)
def test_a_message_read_by_git_keeps_its_block(reason: str) -> None:
    text = build("record(note): x", "record", [CREATE], reason=reason, source="conversation")
    assert parse("\r\n".join(text.split("\n"))) == parse(text)
    again = parse(text)
    assert (
        parse(
            build(
                again.subject, "record", again.blocks[0].records, reason=again.reason, source="conversation"
            )
        )
        == again
    )


@pytest.mark.parametrize("reason", [*HOSTILE, "\n".join(HOSTILE), "one\n\n\n\ntwo   \n\n"])
def test_git_reads_the_trailers_and_cleans_nothing_away(repo: Path, reason: str) -> None:
    text = build(
        "record(note): x", "record", [CREATE], reason=reason, source="conversation", actor="claude-code"
    )
    kept = "\n".join(line for line in text.split("\n") if not line.startswith("#"))
    assert run_git(repo, "stripspace", data=text.encode()) + "\n" == text
    trailers = run_git(repo, "interpret-trailers", "--parse", data=kept.encode())
    assert trailers.split("\n") == [
        "Memgit-Op: record",
        f"Memgit-Record: create kb7m2q9x4d {CREATE.address}",
        "Memgit-Source: conversation",
        "Memgit-Actor: claude-code",
    ]


@pytest.mark.parametrize("reason", ["\n".join(HOSTILE), *HOSTILE])
def test_a_message_survives_the_mail(repo: Path, reason: str) -> None:
    """`format-patch` and `am`, where dividers and headers inside the text would cut it."""
    (repo / "a.md").write_text("a\n")
    run_git(repo, "add", "a.md")
    run_git(repo, "commit", "-q", "-m", "start")
    (repo / "a.md").write_text("b\n")
    text = build("record(note): x", "record", [CREATE], reason=reason)
    run_git(repo, "commit", "-q", "-a", "-F", "-", "--cleanup=verbatim", data=text.encode())
    patch = run_git(repo, "format-patch", "--stdout", "-1", "HEAD").encode()
    run_git(repo, "reset", "-q", "--hard", "HEAD~1")
    run_git(repo, "am", "-q", "--keep-cr", data=patch)
    assert parse(run_git(repo, "log", "-1", "--format=%B")) == parse(text)


@given(st.text(max_size=200), st.integers(8, 80))
def test_a_cut_text_fits(text: str, width: int) -> None:
    line = one_line(text)
    assert columns(cut(line, width)) <= width
    assert cut(line, width) == line or cut(line, width).endswith("…")
    assert "\n" not in line and line.isprintable()


@given(st.sampled_from(OPS), st.none() | st.just("observation"), st.text(max_size=300))
def test_a_subject_fits(op: str, kind: str | None, title: str) -> None:
    line = subject(op, kind, title)
    assert columns(line) <= message.SUBJECT_COLUMNS
    assert line.startswith(f"{op}({kind}): " if kind else f"{op}: ")


@given(st.sampled_from(OPS), st.text(max_size=200), st.lists(st.sampled_from(ACTIONS), max_size=2000))
def test_a_summary_fits_and_counts(op: str, what: str, actions: list[str]) -> None:
    line = summary(op, what, [RecordChange(action, None, "note/x") for action in actions])
    assert columns(line) <= message.SUBJECT_COLUMNS
    assert line.startswith(f"{op}: ")


def test_a_summary_names_what_was_done() -> None:
    done = [CREATE, CREATE, CREATE, CREATE._replace(action="update")]
    assert summary("ingest", "notes.md", done) == "ingest: notes.md (3 created, 1 updated)"
    every = [CREATE._replace(action=action) for action in ACTIONS]
    assert summary("ingest", "notes.md", every) == f"ingest: notes.md ({len(ACTIONS)} records)"


@given(any_text)
def test_escaping_has_an_inverse_and_stays_on_one_line(value: str) -> None:
    text = escape(value)
    assert unescape(text) == value
    assert text == text.strip() and len(text.splitlines()) <= 1
    text.encode("utf-8")


def test_a_message_without_blocks_is_subject_and_reason() -> None:
    assert parse("Fix a typo\n\nIt was wrong.\n\nTwice.\n") == message.Message(
        "Fix a typo", "It was wrong.\n\nTwice.", ()
    )
    assert parse("") == message.Message("", None, ())
    assert parse("\n \n") == message.Message("", None, ())
    assert parse("  \nfirst\r\n\r\nsecond\r\n") == message.Message("first", "second", ())


ONE = build("record(knowledge): Grid", "record", [CREATE], reason="It came up twice.", actor="a", run="1")
TWO_CHANGE = RecordChange("update", "hm3zt60rv8", "memory/api/retries")
TWO = build("update(memory): Retries", "update", [TWO_CHANGE], reason="Three is enough.", actor="b", run="2")


def github_squash(*texts: str) -> str:
    parts = []
    for text in texts:
        first, _, rest = text.partition("\n\n")
        parts.append(f"* {first}\n\n{rest.rstrip()}")
    return (
        "Knowledge of the week (#12)\n\n"
        + "\n\n".join(parts)
        + "\n\n---------\n\nCo-authored-by: Ada Moss <ada@example.org>\n"
    )


def check_two(text: str) -> message.Message:
    read = parse(text)
    assert [(block.op, block.records, block.actor, block.run, block.subject) for block in read.blocks] == [
        ("record", (CREATE,), "a", "1", "record(knowledge): Grid"),
        ("update", (TWO_CHANGE,), "b", "2", "update(memory): Retries"),
    ]
    assert "It came up twice." in (read.reason or "") and "Three is enough." in (read.reason or "")
    assert "Memgit-" not in (read.reason or "")
    return read


def test_a_squash_on_github() -> None:
    read = check_two(github_squash(ONE, TWO))
    assert read.subject == "Knowledge of the week (#12)"
    check_two(github_squash(ONE, TWO).replace("\n", "\r\n"))


def test_a_squash_on_gitlab() -> None:
    read = check_two(
        f"Merge branch 'knowledge' into 'main'\n\nKnowledge of the week\n\n* {ONE}\n* {TWO}\nSee "
        "merge request team/kb!7\n"
    )
    assert read.subject == "Merge branch 'knowledge' into 'main'"


def test_messages_one_after_the_other() -> None:
    assert check_two(ONE + "\n" + TWO).subject == "record(knowledge): Grid"


def test_a_squash_by_rebase(repo: Path) -> None:
    """`rebase --autosquash` with `squash`: the messages under comments that git takes out, or leaves in with
    `verbatim`.
    """
    read = check_two(
        f"# This is a combination of 2 commits.\n# This is the 1st commit message:\n\n{ONE}\n# This "
        f"is the commit message #2:\n\n{TWO}"
    )
    assert read.subject.startswith("#")


@pytest.mark.parametrize("depth", [1, 2])
def test_a_squash_by_git_itself(repo: Path, depth: int) -> None:
    run_git(repo, "commit", "-q", "--allow-empty", "-m", "start")
    run_git(repo, "checkout", "-q", "-b", "side")
    (repo / "one.md").write_text("one\n")
    run_git(repo, "add", ".")
    run_git(repo, "commit", "-q", "-F", "-", data=ONE.encode())
    (repo / "two.md").write_text("two\n")
    run_git(repo, "add", ".")
    run_git(repo, "commit", "-q", "--author", "Bo Reed <bo@example.org>", "-F", "-", data=TWO.encode())
    branch = "side"
    for number in range(depth):
        run_git(repo, "checkout", "-q", "-b", f"squash{number}", "main")
        run_git(repo, "merge", "-q", "--squash", branch)
        run_git(repo, "commit", "-q", "--no-edit")
        branch = f"squash{number}"
    read = parse(run_git(repo, "log", "-1", "--format=%B"))
    found = {(block.op, block.records, block.actor, block.subject) for block in read.blocks}
    assert found == {
        ("record", (CREATE,), "a", "record(knowledge): Grid"),
        ("update", (TWO_CHANGE,), "b", "update(memory): Retries"),
    }
    assert "It came up twice." in (read.reason or "")
    assert {block.op: block.author for block in read.blocks} == {
        "record": "Ada Moss <ada@example.org>",
        "update": "Bo Reed <bo@example.org>",
    }


def test_a_user_cannot_act_a_squash() -> None:
    acted = (
        "Squashed commit of the following:\n\ncommit "
        + "a" * 40
        + "\nAuthor: Eve <eve@example.org>\n\n    x\n\n    Memgit-Op: archive\n"
    )
    read = parse(build("record(note): x", "record", [CREATE], reason=acted))
    assert [block.op for block in read.blocks] == ["record"]
    assert read.reason == tidy(acted)


def test_trailers_of_other_tools_stand_beside(repo: Path) -> None:
    text = run_git(
        repo,
        "interpret-trailers",
        "--trailer",
        "Change-Id: I0123",
        "--trailer",
        "Signed-off-by: Ada <a@example.org>",
        data=ONE.encode(),
    )
    assert parse(text).blocks == parse(ONE).blocks
    first = run_git(
        repo, "interpret-trailers", "--where", "start", "--trailer", "Issue: 12", data=ONE.encode()
    )
    assert first != ONE and parse(first).blocks == parse(ONE).blocks
    assert parse(first).reason == "It came up twice."


def test_a_cherry_pick_leaves_its_note(repo: Path) -> None:
    (repo / "a.md").write_text("a\n")
    run_git(repo, "add", "a.md")
    run_git(repo, "commit", "-q", "-m", "start")
    run_git(repo, "checkout", "-q", "-b", "side")
    (repo / "b.md").write_text("b\n")
    run_git(repo, "add", "b.md")
    run_git(repo, "commit", "-q", "-F", "-", data=ONE.encode())
    run_git(repo, "checkout", "-q", "main")
    run_git(repo, "cherry-pick", "-x", "side")
    text = run_git(repo, "log", "-1", "--format=%B")
    assert "(cherry picked from commit" in text
    assert parse(text).blocks == parse(ONE).blocks
    assert parse(text).reason == "It came up twice."


def test_two_blocks_that_a_script_glued_together() -> None:
    text = "all\n\nMemgit-Op: record\nMemgit-Actor: a\nSigned-off-by: x\nMemgit-Op: update\nMemgit-Actor: b\n"
    assert [(block.op, block.actor) for block in parse(text).blocks] == [("record", "a"), ("update", "b")]


def test_prose_glued_to_a_block_is_kept() -> None:
    read = parse("all\n\nrecord(note): x\nWe talked about it.\nMemgit-Op: record\nMemgit-Actor: a\n")
    assert [(block.op, block.actor, block.subject) for block in read.blocks] == [
        ("record", "a", "record(note): x")
    ]
    assert read.reason == "record(note): x\nWe talked about it."


def test_a_value_that_a_mailer_folded() -> None:
    read = parse(
        "x\n\nMemgit-Op: record\nMemgit-Record: create -\n note/a very\n long name\nMemgit-Actor: a\n"
    )
    assert read.blocks[0].records == (RecordChange("create", None, "note/a very long name"),)
    assert read.blocks[0].actor == "a"


@pytest.mark.parametrize("value", ["", "create", "create -", "explode - note/x", "create  note/x"])
def test_a_record_line_that_says_nothing_is_passed_over(value: str) -> None:
    read = parse(f"x\n\nMemgit-Op: record\nMemgit-Record: {value}\nMemgit-Run: 7\n")
    assert [(block.op, block.records, block.run) for block in read.blocks] == [("record", (), "7")]


def test_reading_takes_linear_time() -> None:
    """Deeply nested squashes and very many paragraphs end; a limit stands at `MAX_DEPTH`."""
    text = ONE
    for _ in range(12):
        inner = "\n".join("    " + line for line in text.split("\n"))
        text = (
            f"Squashed commit of the following:\n\ncommit {'a' * 40}\nAuthor: Ada "
            f"<a@example.org>\n\n{inner}\n"
        )
    assert parse(text).blocks == ()
    many = parse("x\n\n" + "\n\n".join(["Memgit-Op: record\nMemgit-Actor: a", "prose: with a colon"] * 5000))
    assert len(many.blocks) == 5000


@given(
    st.lists(
        st.sampled_from(
            [*HOSTILE, "Memgit-Op: record", "Memgit-Actor: a", "record(note): x", "plain words", " set in"]
        ),
        max_size=12,
    )
)
@example(["record(note): x", "", "Memgit-Op: record", " folded", "Memgit-Actor: a"])
@example(["record(note): x", "", "Memgit-Op: record", "Memgit-Op: update"])
def test_the_short_way_reads_what_the_long_one_does(lines: list[str]) -> None:
    text = "\n".join(lines)
    short = message._plain(text)
    assert short is None or short == message._parse(text, 0)


def test_what_memgit_writes_is_read_the_short_way() -> None:
    assert message._plain(ONE) is not None and message._plain(TWO) is not None
    assert message._plain(build("edit: x", "edit", [])) is not None

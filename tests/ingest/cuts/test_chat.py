"""Chats are cut where the topic turns, and told as statements with who said them."""

from __future__ import annotations

import pytest

from memgit.ingest.content import FileMap
from memgit.ingest.cuts.chat import Stretch, pieces, turns
from memgit.ingest.cuts.lines import Lines
from memgit.ingest.segments import Given, map_text

CHAT = """\
Ana: The build fails on Alpine since yesterday: `ld: cannot find -lssl`.
Ben: Install the headers: `apk add openssl-dev`. The old image had them.
Ana: thanks!

Ben: On another matter, the nightly backup. /srv/backup is full.
Ana: Keep 7 days: set `KEEP_DAYS=7` in backup.env
  and restart the timer.
Ben: ok

Ana: Did we decide on the message broker?
Ben: RabbitMQ, because we need priorities.
Ana: lol finally
"""


def mapped(text: str, path: str = "chat.md") -> FileMap:
    return map_text(text, Given(path))


def test_one_segment_a_topic() -> None:
    made = mapped(CHAT)
    assert [(one.first, one.last) for one in made.segments] == [(1, 3), (5, 8), (10, 12)]
    build, backup, broker = made.segments
    assert build.title.startswith("The build fails on Alpine") and backup.title.startswith(
        "The nightly backup"
    )
    assert broker.title == "Did we decide on the message broker?"
    assert build.text == (
        "- Ana: The build fails on Alpine since yesterday: `ld: cannot find -lssl`.\n"
        "- Ben: Install the headers: `apk add openssl-dev`. The old image had them."
    )
    assert "in backup.env and restart the timer." in backup.text and "ok" not in backup.text.split()
    assert "lol" not in broker.text and "because we need priorities" in broker.text


@pytest.mark.parametrize(
    "line",
    ["[10:02] Ana: {0}", "2026-03-02 10:02 Ana: {0}", "**Ana**: {0}", "**Ana:** {0}", "<ana> {0}", "10:02:11 <ana> {0}", "Ana Moss: {0}",
     "<ana_[m]> {0}",
     "2026-03-02T10:02:11 <[ana]> {0}", "10:02 < ana> {0}", "10:02 <@ana> {0}", "@ana:tide.org: {0}", "(10:02 AM) Ana: {0}",
     "Ana  10:02 AM\n{0}", "Ana \u2014 03/12/2026 10:02 AM\n{0}", "On Mon, Mar 2, 2026 at 10:02 AM, Ana Moss <a@tide.org> wrote:\n> {0}"],
)  # fmt: skip
def test_ways_to_name_a_speaker(line: str) -> None:
    text = "\n".join(
        (line if number % 2 else line.replace("Ana", "Ben").replace("ana", "ben")).format(
            f"word{number} is said"
        )
        for number in range(6)
    )
    assert len(turns(Lines(text))) == 6


@pytest.mark.parametrize(
    "text",
    [
        "Date: 2026\nSource: x\nContext: y\nNote: z\nDate: a\nSource: b\n",
        "Host: a\nUser: b\nPort: c\nKey: d\n",
        "# Guide\n\nExample: one\n\nMore text here.\n\nExample: two\n\nStill more.\n",
        "Ana: only one of them speaks\nAna: again\nAna: and again\nAna: still\n",
    ],
)
def test_what_only_looks_like_a_chat(text: str) -> None:
    assert turns(Lines(text)) == []


LOG = """\
[2026-03-02 10:00:00] <ana> so, should the lock gate open at high water?
[2026-03-02 10:00:10] <ben_[m]> yes
[2026-03-02 10:00:20] <cem> lol
[2026-03-02 10:00:30] --> dee joined (~dee@host)
[2026-03-02 10:00:40] <ben_[m]> The lock gate has to open before, because the pump needs the head of water.
[2026-03-02 10:00:50] <ana> How many pumps does the lock gate need?
[2026-03-02 10:00:55] <cem> 3
"""


def test_a_nick_with_brackets_speaks_and_a_short_answer_stays() -> None:
    (segment,) = mapped(LOG).segments
    assert segment.text.split("\n") == [
        "- ana: so, should the lock gate open at high water?",
        "- ben_[m]: yes",
        "- ben_[m]: The lock gate has to open before, because the pump needs the head of water.",
        "- ana: How many pumps does the lock gate need?",
        "- cem: 3",
    ]
    assert segment.date == "2026-03-02"


def spoken(about: str, count: int, start: int) -> str:
    who = ("ana", "ben", "cem")
    return "".join(
        f"[10:{(start + number) // 6 % 60:02}:{(start + number) % 6}0] <{who[number % 3]}> the {about} of number{number} is a {about} with"
        f" some detail{number} that we looked at in the {about} report of part{number}\n"
        for number in range(count)
    )


def test_a_long_chat_is_cut_where_its_topic_turns() -> None:
    text = spoken("turbine", 20, 0) + spoken("anchor", 20, 20) + spoken("ledger", 20, 40)
    lines = Lines(text)
    found = turns(lines)
    first, anchor, ledger = (piece.first for piece in pieces(lines, 1, found))
    assert first == 1 and abs(anchor - 21) < 4 and abs(ledger - 41) < 4
    assert "turbine" in Stretch(found, 1, 20).title.casefold()


def test_a_title_names_what_most_lines_share() -> None:
    asked = "[10:09:30] <ana> does the turbine report need a second signature?\n"
    found = turns(
        Lines(spoken("turbine report", 12, 0) + asked + "[10:10:00] <ben> see you all on monday then\n")
    )
    assert Stretch(found, 1, 14).title == "does the turbine report need a second signature?"


def test_a_list_is_named_by_what_introduces_it() -> None:
    who = ("ana", "ben", "cem")
    items = "".join(
        f"<{who[number % 3]}> {number}. paint the gate of lock{number}\n" for number in range(1, 7)
    )
    found = turns(
        Lines(
            f"<ana> ok, here's the list of repairs for this spring:\n{items}<ben> The oil comes on friday then.\n"
        )
    )
    assert Stretch(found, 1, 8).title == "the list of repairs for this spring"


def test_a_log_at_the_end_of_a_text_is_told_as_a_chat() -> None:
    notes = "# Locks\n\nNote: one\nNote: two\n\nQ: why?\n" + "".join(
        f"## Part {number}\n\n{'The gate is old. ' * 40}\n\n" for number in range(3)
    )
    segments = mapped(f"{notes}## Log\n\n```\n{spoken('anchor', 20, 0)}```\n", "locks.md").segments
    assert "Note: two" in segments[0].text and "The gate" in segments[0].text
    assert segments[-1].text.startswith("- ana: the anchor of number0") and "```" not in segments[-1].text


@pytest.mark.parametrize(
    "text",
    [
        "<a> b\n" * 4000,
        "A: " * 4000,
        "12:00 - " * 3000,
        "On " * 4000 + "wrote:\n",
        "so, " * 3000,
        "<ana> " + "so, " * 400,
    ],
)
def test_hostile_chats_take_no_time(text: str) -> None:
    mapped(text * 3)

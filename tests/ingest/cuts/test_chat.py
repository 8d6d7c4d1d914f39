"""Chats are cut where the topic turns, and told as statements with who said them."""

from __future__ import annotations

import pytest

from memgit.ingest.content import FileMap
from memgit.ingest.cuts.chat import turns
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
    ["[10:02] Ana: {0}", "2026-03-02 10:02 Ana: {0}", "**Ana**: {0}", "**Ana:** {0}", "<ana> {0}", "10:02:11 <ana> {0}", "Ana Moss: {0}"],
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

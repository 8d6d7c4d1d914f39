"""Exports of other tools are taken as the conversations and memories that they hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memgit.ingest.exports import texts
from tests.support import memgit


def message(role: str, said: str, when: float) -> dict[str, Any]:
    return {
        "author": {"role": role},
        "create_time": when,
        "content": {"content_type": "text", "parts": [said]},
    }


CHATGPT = [
    {
        "title": "Disk full",
        "create_time": 1767312000.0,
        "conversation_id": "c1",
        "mapping": {
            "b": {
                "message": message("assistant", "Run `journalctl --vacuum-size=1G`.\n\nIt keeps 1 GB.", 2.0)
            },
            "a": {"message": message("user", "How do I free /var/log?", 1.0)},
            "s": {"message": message("system", "You are helpful.", 0.0)},
            "r": {"message": None},
        },
    }
]
CLAUDE = [
    {
        "uuid": "u1",
        "name": "Broker",
        "created_at": "2026-01-02T03:04:05Z",
        "chat_messages": [
            {"sender": "human", "text": "Which broker?"},
            {"sender": "assistant", "text": "RabbitMQ."},
        ],
    }
]
MEM0 = {"results": [{"id": "m1", "memory": "Prefers tabs over spaces", "created_at": "2026-01-02T00:00:00"}]}
GRAPH = "\n".join(
    json.dumps(row)
    for row in (
        {"type": "entity", "name": "heron", "entityType": "server", "observations": ["runs Debian 12"]},
        {"type": "relation", "from": "heron", "to": "build farm", "relationType": "belongs to"},
    )
)


@pytest.mark.parametrize(
    ("data", "title", "date", "words"),
    [
        (
            json.dumps(CHATGPT),
            "Disk full",
            "2026-01-02",
            "User: How do I free /var/log?\n\nAssistant: Run `journalctl",
        ),
        (json.dumps(CLAUDE), "Broker", "2026-01-02", "User: Which broker?\n\nAssistant: RabbitMQ."),
        (json.dumps(MEM0), "Prefers tabs over spaces", "2026-01-02", "Prefers tabs over spaces"),
        (GRAPH, "heron", None, "heron is a server.\n\n- runs Debian 12\n- belongs to build farm"),
    ],
)
def test_forms(data: str, title: str, date: str | None, words: str) -> None:
    [one] = texts(data)
    assert (one.title, one.date) == (title, date) and words in one.text and "helpful" not in one.text


@pytest.mark.parametrize(
    "data",
    [
        "",
        "{}",
        "[]",
        "[1]",
        '{"a": 1}',
        "[[]]",
        "# Text",
        '{"results": 3}',
        "{" * 50,
        "[" * 100_000,
        '[{"mapping": []}]',
        "null",
    ],
)
def test_anything_else_is_none(data: str) -> None:
    assert texts(data) == []


def test_an_export_is_ingested_once_with_its_ids(kb: Path) -> None:
    path = kb.parent / "conversations.json"
    path.write_text(json.dumps(CHATGPT))
    memgit(kb, "ingest", str(path), "--yes")
    [row] = memgit(kb, "list", "--json").json
    shown = memgit(kb, "show", row["address"], "--json").json
    assert shown["source"].startswith("file:conversations.json#c1@") and "journalctl" in shown["body"]
    assert "nothing to write" in memgit(kb, "ingest", str(path), "--yes").out


def test_an_export_in_a_folder_is_taken_apart(kb: Path, tmp_path: Path) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    rows = [{"id": "m1", "memory": "The wharf opens at six and the crane at seven."}]
    (folder / "mem0.json").write_text(json.dumps(rows))
    answer = memgit(kb, "ingest", str(folder), "--yes", "--json").json
    assert [file["path"] for file in answer["files"]] == ["../exports/mem0.json#m1"]
    assert memgit(kb, "ingest", str(folder), "--yes", "--json").json["commit"] is None


def test_the_branch_that_is_shown_and_parts_of_messages() -> None:
    def node(parent: str | None, role: str, said: str) -> dict[str, Any]:
        return {"parent": parent, "message": message(role, said, 1.0)}

    mapping = {
        "a": node(None, "user", "How do tides turn?"),
        "b": node("a", "assistant", "By the wind."),
        "c": node("a", "assistant", "By the moon."),
    }
    (chat,) = texts(json.dumps([{"id": "t", "title": "Tides", "mapping": mapping, "current_node": "c"}]))
    assert "moon" in chat.text and "wind" not in chat.text
    parts = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "By the moon."}]
    rows = [
        {
            "uuid": "u",
            "name": "Tides",
            "chat_messages": [{"sender": "assistant", "text": "", "content": parts}],
        }
    ]
    (other,) = texts(json.dumps(rows))
    assert "By the moon." in other.text and "Hm" not in other.text


@pytest.mark.parametrize(
    "held",
    [
        [
            {
                "type": "message",
                "user": "U1",
                "user_profile": {"real_name": "Ana Moss"},
                "text": "Is it high?",
                "ts": "1772445600.0002",
            },
            {"type": "message", "user": "Ben", "text": "Yes,\nit is.", "ts": "1772445660.0"},
        ],
        {
            "channel": {"name": "tides"},
            "messages": [
                {
                    "timestamp": "2026-03-02T10:00:00.5+00:00",
                    "author": {"name": "Ana Moss"},
                    "content": "Is it high?",
                },
                {
                    "timestamp": "2026-03-02T10:01:00+00:00",
                    "author": {"name": "Ben"},
                    "content": "Yes,\nit is.",
                },
                {"timestamp": "x", "author": None, "content": None},
            ],
        },
        {
            "room_name": "tides",
            "messages": [
                {"sender": "Ana Moss", "origin_server_ts": 1772445600000, "content": {"body": "Is it high?"}},
                {"sender": "Ben", "origin_server_ts": 1772445660000, "content": {"body": "Yes, it is."}},
            ],
        },
    ],
)
def test_a_channel_is_a_log(held: object) -> None:
    (channel,) = texts(json.dumps(held))
    assert channel.text == "2026-03-02 10:00 <Ana Moss> Is it high?\n2026-03-02 10:01 <Ben> Yes, it is.\n"


@pytest.mark.parametrize("stamp", [None, "", "1e400", "-1e30", [], {"a": 1}, "9" * 400])
def test_a_message_without_a_time_is_none(stamp: object) -> None:
    assert texts(json.dumps([{"user": "Ana", "text": "Hm", "ts": stamp}] * 3)) == []

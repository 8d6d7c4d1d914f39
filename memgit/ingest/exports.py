"""Exports of other tools as texts: conversations of ChatGPT and Claude, memories of Mem0 and of the MCP memory
server.

Forms: ChatGPT's `conversations.json` is a list of `{title, create_time, mapping: {id: {message, parent}}}`;
Claude's is a list of `{uuid, name, created_at, chat_messages: [{sender, text}]}`; Mem0 gives a list (or
`{results: [...]}`) of `{id, memory, created_at}`; the MCP memory server keeps JSON lines of `{type: "entity",
name, entityType, observations}` and `{type: "relation", from, to, relationType}`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple


class Export(NamedTuple):
    """One text of an export: its id there, title, date (YYYY-MM-DD) and Markdown."""

    id: str
    title: str
    date: str | None
    text: str


def texts(data: str) -> list[Export]:
    """The texts of an export; empty where the text is none that is known."""
    head = data.lstrip("\ufeff \t\r\n")
    if not head.startswith(("[", "{")):
        return []
    try:
        held = json.loads(head)
    except (ValueError, RecursionError):
        return list(_graph(head))
    rows = held.get("results") if isinstance(held, dict) else held
    if not isinstance(rows, list):
        return list(_graph(head))
    rows = [row for row in rows if isinstance(row, dict)]
    for known, made in ((_is_chatgpt, _chatgpt), (_is_claude, _claude), (_is_mem0, _mem0)):
        if rows and all(known(row) for row in rows):
            return [one for number, row in enumerate(rows, 1) if (one := made(row, number)).text.strip()]
    return []


def _is_chatgpt(row: dict[str, Any]) -> bool:
    return isinstance(row.get("mapping"), dict)


def _chatgpt(row: dict[str, Any], number: int) -> Export:
    nodes = [node for node in row["mapping"].values() if isinstance(node, dict)]
    turns = []
    for node in nodes:
        message = node.get("message")
        if not isinstance(message, dict):
            continue
        role = (message.get("author") or {}).get("role") if isinstance(message.get("author"), dict) else None
        content = message.get("content")
        parts = content.get("parts") if isinstance(content, dict) else None
        said = "\n".join(part for part in parts if isinstance(part, str)) if isinstance(parts, list) else ""
        if role in ("user", "assistant") and said.strip():
            turns.append((message.get("create_time") or 0, role, said))
    turns.sort(key=lambda turn: turn[0] if isinstance(turn[0], int | float) else 0)
    return Export(
        str(row.get("conversation_id") or row.get("id") or number),
        str(row.get("title") or "Conversation"),
        _day(row.get("create_time")),
        _spoken((role, said) for _, role, said in turns),
    )


def _is_claude(row: dict[str, Any]) -> bool:
    return isinstance(row.get("chat_messages"), list)


def _claude(row: dict[str, Any], number: int) -> Export:
    turns = [
        ("user" if one.get("sender") == "human" else "assistant", str(one.get("text") or ""))
        for one in row["chat_messages"]
        if isinstance(one, dict)
    ]
    title = str(row.get("name") or "Conversation")
    return Export(str(row.get("uuid") or number), title, _day(row.get("created_at")), _spoken(turns))


def _is_mem0(row: dict[str, Any]) -> bool:
    return isinstance(row.get("memory"), str)


def _mem0(row: dict[str, Any], number: int) -> Export:
    said = " ".join(row["memory"].split())
    return Export(str(row.get("id") or number), said[:80], _day(row.get("created_at")), f"{said}\n")


def _graph(data: str) -> Iterator[Export]:
    """The entities of an MCP memory server, each with what it is related to."""
    rows: list[dict[str, Any]] = []
    for line in data.split("\n"):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            return
        if not isinstance(row, dict) or row.get("type") not in ("entity", "relation"):
            return
        rows.append(row)
    relations = [row for row in rows if row["type"] == "relation"]
    for row in rows:
        if row["type"] != "entity" or not isinstance(row.get("name"), str):
            continue
        facts = row.get("observations")
        lines = [f"- {' '.join(str(fact).split())}" for fact in facts] if isinstance(facts, list) else []
        lines += [
            f"- {one.get('relationType')} {one.get('to')}"
            for one in relations
            if one.get("from") == row["name"]
        ]
        if lines:
            kind = row.get("entityType")
            head = f"{row['name']} is a {kind}.\n\n" if kind else ""
            yield Export(row["name"], row["name"], None, head + "\n".join(lines) + "\n")


def _spoken(turns: Any) -> str:
    """Turns as a chat; the lines of one turn stay together."""
    names = {"user": "User", "assistant": "Assistant"}
    return (
        "\n\n".join(
            f"{names[role]}: " + "\n".join(line.rstrip() for line in said.strip().split("\n") if line.strip())
            for role, said in turns
            if said.strip()
        )
        + "\n"
    )


def _day(value: object) -> str | None:
    if isinstance(value, int | float) and 0 < value < 1e11:
        return datetime.fromtimestamp(value, UTC).strftime("%Y-%m-%d")
    if isinstance(value, str) and len(value) >= 10 and value[4] == value[7] == "-":
        return value[:10]
    return None

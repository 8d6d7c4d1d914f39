"""Exports of other tools as texts: conversations of ChatGPT and Claude, memories of Mem0 and of the MCP memory
server.

Forms: ChatGPT's `conversations.json` is a list of `{title, create_time, mapping: {id: {message, parent}}}`;
Claude's is a list of `{uuid, name, created_at, chat_messages: [{sender, text}]}`; Mem0 gives a list (or
`{results: [...]}`) of `{id, memory, created_at}`; the MCP memory server keeps JSON lines of `{type: "entity",
name, entityType, observations}` and `{type: "relation", from, to, relationType}`.

A channel of Slack (a list), Discord or Matrix (`{messages: [...]}`) is read as a log.

Of a note in Markdown, title, date and link are taken out of what each program puts beside the text. Notion: `Title <32
hexadecimal digits>.md`, with lines `Property: value` under the title. Joplin: frontmatter, or (RAW) a block of `id: …` to
`type_: 1` at the end. Obsidian and its web clipper: frontmatter. Apple Notes exports plain Markdown, with nothing beside it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from memgit.errors import UnreadableFile
from memgit.formats import frontmatter
from memgit.formats.yaml import read


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
    channel = _channel(held)
    if channel is not None:
        return [channel]
    rows = held.get("results") if isinstance(held, dict) else held
    if not isinstance(rows, list):
        return list(_graph(head))
    rows = [row for row in rows if isinstance(row, dict)]
    for known, made in ((_is_chatgpt, _chatgpt), (_is_claude, _claude), (_is_mem0, _mem0)):
        if rows and all(known(row) for row in rows):
            return [one for number, row in enumerate(rows, 1) if (one := made(row, number)).text.strip()]
    return []


def _channel(held: object) -> Export | None:
    """The messages of a channel of Slack, Discord or Matrix as a log; None where it is something else."""
    about = held if isinstance(held, dict) else {}
    rows = about.get("messages") if about else held
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        return None
    said = [one for row in rows if (one := _message(row)) is not None]
    if len(said) < len(rows) / 2:
        return None
    named = about.get("channel")
    title = named.get("name") if isinstance(named, dict) else about.get("room_name")
    lines = [f"{when:%Y-%m-%d %H:%M} <{who}> {text}" for when, who, text in sorted(said)]
    return Export(str(title or "channel"), str(title or "Channel"), None, "\n".join(lines) + "\n")


def _message(row: dict[str, Any]) -> tuple[datetime, str, str] | None:
    """When, who and what of a message: Slack's `{ts, user, text}`, Discord's `{timestamp, author: {name}, content}`,
    Matrix's `{origin_server_ts, sender, content: {body}}`.
    """
    author, content, profile = row.get("author"), row.get("content"), row.get("user_profile")
    who = (
        (author.get("nickname") or author.get("name"))
        if isinstance(author, dict)
        else (profile.get("display_name") or profile.get("real_name"))
        if isinstance(profile, dict)
        else row.get("sender") or row.get("user")
    )
    what = content.get("body") if isinstance(content, dict) else content or row.get("text")
    stamp = row.get("ts") or row.get("timestamp") or row.get("origin_server_ts")
    if not (isinstance(who, str) and isinstance(what, str) and what.strip()):
        return None
    try:
        seconds = float(stamp) / (1000 if "origin_server_ts" in row else 1)  # type: ignore[arg-type]
        when = datetime.fromtimestamp(seconds, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        try:
            when = datetime.fromisoformat(str(stamp)).replace(tzinfo=UTC)
        except ValueError:
            return None
    return when, re.sub(r"[<>=\"\s]+", " ", who).strip()[:40] or "?", " ".join(what.split())


def _is_chatgpt(row: dict[str, Any]) -> bool:
    return isinstance(row.get("mapping"), dict)


def _chatgpt(row: dict[str, Any], number: int) -> Export:
    nodes = _branch(row["mapping"], row.get("current_node"))
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


def _branch(mapping: dict[str, Any], last: object) -> list[dict[str, Any]]:
    """The messages from the first to the last of the branch that is shown; all where the last is not known."""
    found: list[dict[str, Any]] = []
    seen: set[str] = set()
    while isinstance(last, str) and last not in seen and isinstance(mapping.get(last), dict):
        seen.add(last)
        found.append(mapping[last])
        last = mapping[last].get("parent")
    return found[::-1] or [node for node in mapping.values() if isinstance(node, dict)]


def _is_claude(row: dict[str, Any]) -> bool:
    return isinstance(row.get("chat_messages"), list)


def _claude(row: dict[str, Any], number: int) -> Export:
    turns = [
        (
            "user" if one.get("sender") == "human" else "assistant",
            str(one.get("text") or _said(one.get("content"))),
        )
        for one in row["chat_messages"]
        if isinstance(one, dict)
    ]
    title = str(row.get("name") or "Conversation")
    return Export(str(row.get("uuid") or number), title, _day(row.get("created_at")), _spoken(turns))


def _said(content: object) -> str:
    """The text of the parts of a message, without what was thought and what tools were called with."""
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


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


_NOTION = re.compile(r"^(?P<title>.*?)[ _-]?(?P<id>[0-9a-f]{32})$")
_PROPERTY = re.compile(
    r"^(?P<name>[A-Z#][\w #/()-]{0,40}): (?P<value>\S.*)$|^(?P<bare>[A-Za-z][\w ]{0,30}): (?P<rest>\S.*)$"
)
_JOPLIN = re.compile(r"\n\n(?P<block>id: [0-9a-f]{32}\n(?:[a-z_]+:.*\n)*type_: 1)\s*$")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MONTHS = "january february march april may june july august september october november december".split()
_SPELLED = re.compile(r"(?P<month>[A-Za-z]{3,9})\.? (?P<day>\d{1,2}),? (?P<year>\d{4})")
DATES = ("created", "date", "created time", "created_time", "created_at", "published", "clipped")
LINKS = ("source", "url", "link", "source_url")


class Note(NamedTuple):
    """What an export says of a note; the text without it. `id` is the program's, empty where it has none."""

    text: str
    title: str | None = None
    date: str | None = None
    link: str = ""
    id: str = ""


def note_of(name: str, text: str) -> Note:
    """The note in a file of Markdown; any other text comes back as it is, with the day that the file's name begins
    with.
    """
    joplin = _JOPLIN.search(text)
    if joplin is not None:
        values = dict(line.partition(": ")[::2] for line in joplin["block"].split("\n"))
        title = text.partition("\n")[0].strip()
        body = text[: joplin.start()].partition("\n")[2].strip("\n") + "\n"
        return Note(
            body, title or None, _spelled_day(values.get("created_time", "")), _link(values), values["id"]
        )
    notion = _NOTION.match(name.rpartition(".")[0] or name)
    if notion is not None:
        return _notion(text, notion["title"].strip(), notion["id"])
    found = _with_frontmatter(text)
    dated = _DAY.match(name)
    return found if found.date or dated is None else found._replace(date=_real(dated[0]))


def _notion(text: str, title: str, identity: str) -> Note:
    lines = text.split("\n")
    start = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if start < len(lines) and lines[start].startswith("# "):
        start += 1
    while start < len(lines) and not lines[start].strip():
        start += 1
    stop = start
    values: dict[str, str] = {}
    while stop < len(lines) and (match := _PROPERTY.match(lines[stop])):
        values[(match["name"] or match["bare"]).casefold()] = match["value"] or match["rest"]
        stop += 1
    is_block = stop > start and (stop == len(lines) or not lines[stop].strip())
    kept = [*lines[:start], *lines[stop:]] if is_block else lines
    found = values if is_block else {}
    made = next((day for name in DATES if (day := _spelled_day(found.get(name, "")))), None)
    return Note("\n".join(kept), title or None, made, _link(found), identity)


def _with_frontmatter(text: str) -> Note:
    parts = frontmatter.split(text)
    if parts.block is None or parts.fault is not None:
        return Note(text)
    try:
        entries = read(parts.block)
    except UnreadableFile:
        return Note(text)
    values = {name: entry.value for name, entry in entries.items() if isinstance(entry.value, str)}
    made = next((day for name in DATES if (day := _spelled_day(values.get(name, "")))), None)
    return Note(text, None, made, _link(values), values.get("id", ""))


def _link(values: dict[str, str]) -> str:
    found = (values.get(name, "").strip() for name in LINKS)
    return next((one for one in found if re.fullmatch(r"https?://[^\s<>\"]{1,500}", one)), "")


def _spelled_day(value: str) -> str | None:
    """A date as YYYY-MM-DD, out of ISO or `June 18, 2025 12:29 PM`."""
    match = _DAY.search(value[:40])
    if match is not None:
        return _real(match[0])
    spelled = _SPELLED.search(value[:40])
    if spelled is None:
        return None
    name = spelled["month"].casefold()
    month = next((number for number, one in enumerate(_MONTHS, 1) if one.startswith(name[:3])), 0)
    return _real(f"{spelled['year']}-{month:02}-{int(spelled['day']):02}")


def _real(day: str) -> str | None:
    try:
        return date.fromisoformat(day).isoformat()
    except ValueError:
        return None

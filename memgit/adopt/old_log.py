"""Logs of the time before memgit: Mem Skill's `log.md`, and the audit files of a mirror.

They stay in the log of operations. The configuration names each as `path@blob`, by the content that it had
when the workspace was adopted: what another tool appends later is in the history of the repository already.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from memgit.derive import dates
from memgit.formats.messages.message import one_line
from memgit.model.layout import Layout
from memgit.model.operation import Event, RecordChange

_LINE = re.compile(r"##[ \t]+\[(\d{4}-\d\d-\d\d)\][ \t]+([A-Za-z]+)[ \t]*\|[ \t]*(.*)")
_VERBS = {
    "init": "init",
    "write": "record",
    "recordnow": "record",
    "update": "update",
    "lint": "lint",
    "ingest": "ingest",
    "upgrade": "upgrade",
}
"""Mem Skill's verbs as operations; any other verb is an operation of its own name."""
_RECORDED = re.compile(
    r'(?:Recorded to|Updated|Promoted to|Archived in|Restored in|Linked in) `?([^:"`]+?\.md)`?: '
    r'"(.*?)"(?: \(merged new info\))?'
)
_REF = re.compile(r"(.+)@([0-9a-f]{40,64})")


class Old(NamedTuple):
    """One reference of the configuration: the path of a log, and the blob that it was."""

    path: str
    blob: str


def references(texts: tuple[str, ...]) -> list[Old]:
    """The references that the configuration holds; what is none is left out."""
    return [Old(match[1], match[2]) for text in texts if (match := _REF.fullmatch(text)) is not None]


def is_old_log(path: str, base: str, system: str) -> bool:
    """Whether a file of a workspace is a log of the time before memgit."""
    if system == "mnema":
        folder = f"{base}audit/"
        return path.startswith(folder) and path.endswith(".jsonl") and "/" not in path[len(folder) :]
    return system in ("mem-skill", "auto-skill") and path == f"{base}log.md"


def events(path: str, data: bytes, layout: Layout) -> Iterator[Event]:
    """The operations that a log tells, in the order of its lines; each names its line as `source`, and has no
    commit.
    """
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    read = _audited if path.endswith(".jsonl") else _logged
    for number, line in enumerate(text.split("\n"), 1):
        event = read(line.rstrip("\r"), layout)
        if event is not None:
            yield event._replace(source=f"{path}:{number}")


def _logged(line: str, layout: Layout) -> Event | None:
    match = _LINE.match(line)
    if match is None or dates.day(match[1]) is None:
        return None
    verb = match[2].lower()
    told = _RECORDED.match(match[3])
    op, records = _VERBS.get(verb, verb), ()
    change = None if told is None else _change(told[1], told[2], op, match[3], layout)
    return Event(
        "", match[1], op, one_line(f"{verb} | {match[3]}"), "", (change,) if change is not None else records
    )


def _change(file: str, title: str, op: str, text: str, layout: Layout) -> RecordChange | None:
    """The record that a line of Mem Skill's log names by file and title."""
    path = layout.base + file.strip().removeprefix("./")
    found = layout.find(path)
    if found is None or not title:
        return None
    place, key = found
    action = "create" if op == "record" else "extend" if text.endswith("(merged new info)") else "update"
    return RecordChange(action, None, layout.address(place, path, key, title))


def _audited(line: str, layout: Layout) -> Event | None:
    """One line of an audit file; the chain of its hashes is not looked at."""
    if not line.startswith("{"):
        return None
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return None
    at, kind, actor = (said.get(name) for name in ("at", "kind", "actor"))
    if not isinstance(at, str) or not isinstance(kind, str) or dates.day(at) is None:
        return None
    held = said.get("data")
    data = held if isinstance(held, dict) else {}
    named = [
        str(data[name]) for name in ("key", "slug", "title", "goal") if isinstance(data.get(name), str | int)
    ]
    op = (
        "record"
        if kind.endswith(("_created", "_recorded"))
        else "archive"
        if kind.endswith("_archived")
        else "update"
    )
    author, run = (actor if isinstance(actor, str) else ""), said.get("run")
    return Event(
        "",
        at,
        op if named else kind,
        one_line(f"{kind} | {' '.join(named)}"),
        one_line(author),
        (),
        actor=one_line(said["via"]) if isinstance(said.get("via"), str) else None,
        run=one_line(run) if isinstance(run, str) else None,
    )

"""A conversation with an agent as Markdown: each request with what was answered to it is a section.

Known forms: JSON lines with a role and content in each line or in its `message` (the transcripts of Claude Code, Codex
and others), and plain text whose paragraphs begin with `User:` and `Assistant:` or such names. Anything else is a text
already.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple

USER, AGENT = "user", "agent"
ROLES = {
    "user": USER,
    "human": USER,
    "me": USER,
    "you": USER,
    "assistant": AGENT,
    "agent": AGENT,
    "model": AGENT,
    "claude": AGENT,
    "codex": AGENT,
    "gemini": AGENT,
    "copilot": AGENT,
    "ai": AGENT,
}
MAX_TITLE = 80
_SPEAKER = pattern(r"(?m)^[ \t>*#_]*(\w+)[ \t*_]*:[ \t*_]*(?=\S|\n)")
_HEADING = pattern(r"(?m)^(#{1,6})(?=\s)")
_FENCE = pattern(r"(?m)^\s*(```|~~~)")
_ASKED = pattern(
    r"^[\s>*#-]*(?:(?:please|hi|hello|hey|ok|okay|now|so|and|can you|could you|i want to|i need to)\b[\s,]*)*",
    2,
)


class Turn(NamedTuple):
    """What one side said."""

    role: str
    text: str


def as_markdown(text: str) -> str:
    """A conversation as sections; a text that is none comes back as it is."""
    turns = list(_json_lines(text)) or list(_spoken(text))
    if not any(turn.role == AGENT for turn in turns):
        return text
    out: list[str] = []
    asked = ""
    for turn in turns:
        if turn.role == USER:
            asked = turn.text
        elif out and not asked:
            out.append(_lowered(turn.text))
        else:
            out += [f"## {title_of(asked) or title_of(turn.text)}", _lowered(turn.text)]
            asked = ""
    return "\n\n".join(out) + "\n"


def title_of(request: str) -> str:
    """What a request is about, in one line: its first line without what is only said to begin with."""
    first = next((line for line in request.splitlines() if line.strip()), "")
    bare = _ASKED.sub("", first).strip(" \t:.!?-*_`#")
    if len(bare) > MAX_TITLE:
        bare = bare[:MAX_TITLE].rpartition(" ")[0] or bare[:MAX_TITLE]
    return bare[:1].upper() + bare[1:]


def _json_lines(text: str) -> Iterator[Turn]:
    for line in text.splitlines():
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            return
        if not isinstance(row, dict):
            return
        message = next((row[key] for key in ("message", "payload") if isinstance(row.get(key), dict)), row)
        role = ROLES.get(str(message.get("role") or row.get("role") or row.get("type")).casefold())
        said = _said(message.get("content"))
        if role is not None and said.strip() and not row.get("isMeta"):
            yield Turn(role, said.strip())


def _said(content: Any) -> str:
    """The words of a message; what tools were called with and gave is left out."""
    if isinstance(content, str):
        return "" if content.lstrip().startswith("<") else content
    parts = content if isinstance(content, list) else []
    texts = [
        part.get("text")
        for part in parts
        if isinstance(part, dict) and str(part.get("type")).endswith("text")
    ]
    return "\n\n".join(text for text in texts if isinstance(text, str))


def _spoken(text: str) -> Iterator[Turn]:
    found = [match for match in _SPEAKER.finditer(text) if match[1].casefold() in ROLES]
    ends = [match.start() for match in found[1:]]
    for match, end in zip(found, [*ends, len(text)], strict=False):
        said = text[match.end() : end].strip()
        if said:
            yield Turn(ROLES[match[1].casefold()], said)


def _lowered(text: str) -> str:
    """A text whose headings stand below those of the requests; lines in code fences are left alone."""
    out: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1] == fence):
            fence = "" if fence else mark[1]
        out.append(line if fence else _HEADING.sub(lambda found: ("##" + found[1])[:6], line))
    return "\n".join(out)

"""Commit messages: building the subject, the reason and the one trailer block, and reading them back from any message.

Form: https://git-scm.com/docs/git-interpret-trailers, keys `Memgit-*`. Values stand on one line, escaped as in `escape`. Nothing that a
user typed can become a trailer: in the reason, lines that git or memgit could take for structure are set in by one blank.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from memgit.model.operation import ACTIONS, RecordChange

SUBJECT_COLUMNS = 72
ARROW = " <- "
_STRUCTURE = re.compile(r"^( *)(?=memgit-|---|diff --git |index: |\S*-by: )", re.IGNORECASE | re.MULTILINE)
_SET_IN = re.compile(r"^ ( *)(?=memgit-|---|diff --git |index: |\S*-by: )", re.IGNORECASE | re.MULTILINE)
_TRAILER = re.compile(r"([A-Za-z0-9][A-Za-z0-9-]*): ?(.*)")
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNESCAPES = {"\\": "\\", "n": "\n", "r": "\r", "t": "\t"}
_SUBJECT = re.compile(r"(?:[*-] )?([a-z][a-z-]*)(?:\(([a-z]+)\))?: ")


class Block(NamedTuple):
    """One trailer block of a message: one operation as memgit wrote it, with the subject that stood above it."""

    op: str
    records: tuple[RecordChange, ...] = ()
    source: str | None = None
    actor: str | None = None
    run: str | None = None
    derived_from: tuple[str, ...] = ()
    subject: str = ""


class Message(NamedTuple):
    """A message as read: the first line, the prose between it and the blocks, and every block in order."""

    subject: str
    reason: str | None
    blocks: tuple[Block, ...]


def columns(text: str) -> int:
    """Width of a text on a terminal: wide characters count two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def cut(text: str, width: int) -> str:
    """The text in at most `width` columns, an ellipsis in place of what was cut."""
    if columns(text) <= width:
        return text
    while columns(text) > width - 1:
        text = text[: -max(1, (columns(text) - width) // 2)]
    return text.rstrip() + "…"


def one_line(text: str) -> str:
    """The text on one line: control characters and line ends become blanks, runs of blanks one."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def escape(value: str) -> str:
    """A value on one line: backslash, newline, return and tab by letter, other control characters and line ends as `\\uXXXX`."""
    if value.isascii() and value.isprintable() and "\\" not in value:
        return value
    return "".join(
        _ESCAPES.get(char) or (f"\\u{ord(char):04x}" if unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs") else char)
        for char in value
    )


def unescape(value: str) -> str:
    """The inverse of `escape`; a backslash that starts no escape stands for itself."""
    if "\\" not in value:
        return value
    return re.sub(
        r"\\(?:u([0-9a-f]{4})|([\\nrt]))", lambda match: chr(int(match[1], 16)) if match[1] else _UNESCAPES[match[2]], value
    )


def subject(op: str, kind: str | None, title: str) -> str:
    """`<op>(<kind>): <title>` in at most 72 columns."""
    head = f"{op}({kind}): " if kind else f"{op}: "
    return head + cut(one_line(title), SUBJECT_COLUMNS - len(head))


def summary(op: str, what: str, changes: Sequence[RecordChange]) -> str:
    """The subject of an operation on several records: `<op>: <what> (3 created, 1 updated)`."""
    from memgit.model.operation import PAST

    counts = [(sum(change.action == action for change in changes), PAST[action]) for action in ACTIONS]
    tail = f" ({', '.join(f'{count} {past}' for count, past in counts if count)})"
    head = f"{op}: "
    return head + cut(one_line(what), max(8, SUBJECT_COLUMNS - len(head) - len(tail))) + tail


def record_trailer(change: RecordChange) -> str:
    """The value of a `Memgit-Record` trailer: `<action> <id> <address>`, `-` for no id, ` <- <old address>` after a rename."""
    text = f"{change.action} {change.id or '-'} {_shield(escape(change.address))}"
    return text if change.was is None else f"{text}{ARROW}{_shield(escape(change.was))}"


def _shield(value: str) -> str:
    """An address in which the arrow between two addresses cannot occur."""
    return value.replace(ARROW, " \\u003c- ")


def build(
    subject_line: str,
    op: str,
    changes: Sequence[RecordChange],
    *,
    reason: str | None = None,
    source: str | None = None,
    actor: str | None = None,
    run: str | None = None,
    derived_from: Sequence[str] = (),
) -> str:
    """A whole commit message, ending in the trailer block and a newline. Lines end in `\\n` alone."""
    parts = [one_line(subject_line)]
    if reason and reason.strip():
        text = "\n".join(line.rstrip() for line in reason.replace("\r\n", "\n").replace("\r", "\n").strip("\n").split("\n"))
        parts.append(_STRUCTURE.sub(r" \1", text.replace("\0", "")))
    lines = [f"Memgit-Op: {op}"]
    lines += [f"Memgit-Record: {record_trailer(change)}" for change in changes]
    lines += [f"Memgit-Derived-From: {escape(address)}" for address in derived_from]
    lines += [f"Memgit-{key}: {escape(value)}" for key, value in (("Source", source), ("Actor", actor), ("Run", run)) if value]
    parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def parse(text: str) -> Message:
    """Subject, reason and every memgit block of a message, wherever it stands: a squash leaves several, with prose between."""
    lines = text.replace("\r\n", "\n").split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), None)
    if first is None:
        return Message("", None, ())
    if "Memgit-Op:" not in text:
        rest = "\n".join(lines[first + 1 :]).strip("\n")
        return Message(lines[first].strip(), _SET_IN.sub(r"\1", rest) or None, ())
    blocks: list[Block] = []
    prose: list[str] = []
    heading = lines[first].strip()
    paragraph: list[str] = []
    for line in [*lines[first + 1 :], ""]:
        if line.strip():
            paragraph.append(line)
            continue
        block = _block(paragraph)
        if block is not None:
            blocks.append(block._replace(subject=heading))
        elif paragraph:
            named = next((line for line in reversed(paragraph) if _SUBJECT.match(line.strip())), None)
            heading = named.strip().removeprefix("* ").removeprefix("- ") if named else heading
            prose.append("\n".join(paragraph))
        paragraph = []
    return Message(lines[first].strip(), _SET_IN.sub(r"\1", "\n\n".join(prose)) or None, tuple(blocks))


def _block(paragraph: Sequence[str]) -> Block | None:
    """The block that a paragraph is: trailers only, `Memgit-Op` among them (other tools' trailers may stand beside)."""
    if not any(line.startswith("Memgit-Op:") for line in paragraph):
        return None
    op = ""
    records: list[RecordChange] = []
    derived: list[str] = []
    single: dict[str, str] = {}
    for line in paragraph:
        match = _TRAILER.fullmatch(line.rstrip())
        if match is None:
            if line[:1] in " \t":
                continue
            return None
        key, value = match[1].lower(), match[2].strip()
        if key == "memgit-op":
            op = op or value
        elif key == "memgit-record":
            change = _record(value)
            if change is not None:
                records.append(change)
        elif key == "memgit-derived-from":
            derived.append(unescape(value))
        elif key.startswith("memgit-"):
            single.setdefault(key[7:], unescape(value))
    return Block(op, tuple(records), single.get("source"), single.get("actor"), single.get("run"), tuple(derived))


def _record(value: str) -> RecordChange | None:
    action, _, rest = value.partition(" ")
    id_, _, rest = rest.partition(" ")
    if action not in ACTIONS or not id_ or not rest:
        return None
    address, arrow, was = rest.partition(ARROW)
    return RecordChange(action, None if id_ == "-" else id_, unescape(address), unescape(was) if arrow else None)

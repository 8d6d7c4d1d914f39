"""Words that messages of several rules share: how a record is named, and lists of things."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from memgit.model.record import Record

MAX_TITLE = 80
MAX_LISTED = 4

_WORD = re.compile(r"[a-z]{3,}")
_NO_NAMES = frozenset(("index", "readme"))


def named(record: Record) -> str:
    """A record in a message: its title in quotes, cut at 80 characters, or where it stands if it has none."""
    return f'"{cut(record.title)}"' if record.title.strip() else f"the record on line {record.line}"


def is_titled_by_section(record: Record) -> bool:
    """Whether the title of a note is the heading of a part of it: the file has a name in words of its own, as in
    `Minimum.md` with the one heading "Number theory". Editors show such notes by the names of their files.
    """
    name, title = record.stem.lower(), record.title.lower()
    words = _WORD.findall(name)
    return (
        record.kind == "note"
        and bool(words)
        and name not in _NO_NAMES
        and name.isascii()
        and title.isascii()
        and not any(word in name for word in _WORD.findall(title))
        and not any(word in title for word in words)
    )


def cut(text: str, width: int = MAX_TITLE) -> str:
    """A text on one line of at most so many characters."""
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


def listed(things: Sequence[str], most: int = MAX_LISTED) -> str:
    """Things with commas, those beyond the first few counted."""
    more = f" and {len(things) - most} more" if len(things) > most else ""
    return ", ".join(things[:most]) + more


def plural(count: int, one: str, many: str | None = None) -> str:
    """A number with its noun: `1 entry`, `3 entries`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def located(prefix: str, path: str) -> str:
    """A path as seen from the top of the repository; `prefix` is the knowledge root in it, empty or ending in
    a slash.
    """
    while prefix and path.startswith("../"):
        prefix, path = prefix[: prefix[:-1].rfind("/") + 1], path[3:]
    return prefix + path


def relocated(text: str, paths: Collection[str], prefix: str) -> str:
    """A text in which each of some paths from the knowledge root is as seen from the top of the repository."""
    there = sorted((path for path in paths if path and path in text), key=len, reverse=True)
    if not prefix or not there:
        return text
    found = re.compile(rf"(?<![\w./-])(?:{'|'.join(map(re.escape, there))})(?![\w/-]|\.\w)")
    return found.sub(lambda match: located(prefix, match[0]), text)


def one_line(text: str) -> str:
    """A line of a report that stays one line, and in which no CI system finds a command.

    GitHub and Azure take `##[…]` and `##vso[…]` for one anywhere in a line of a log, and `::…::` at its
    beginning.
    """
    if "\n" in text or "\r" in text:
        text = text.replace("\n", "\\n").replace("\r", "\\r")
    if "##" in text:
        text = re.sub(r"##(?=\w*\[)", "# #", text)
    return f"./{text}" if text.lstrip().startswith("::") else text

"""Titles of entries: one line after `## `, in which nothing that a person typed is taken for Markdown or for
a line of a log.
"""

from __future__ import annotations

import unicodedata

from memgit.errors import BadInput
from memgit.model.lazy_re import pattern

MARK = "🔧"
"""What auto-skill puts before its titles; it and the blank after it are no part of them."""

_MARKS = pattern(f"(?:{MARK}\ufe0f?[ \t]+)+(?=\\S)")
_LOG = pattern(r"\[\d{4}-\d\d-\d\d\][ \t]+\S+[ \t]+\|")
_LOG_ESCAPED = pattern(r"\\+\[\d{4}-\d\d-\d\d\][ \t]+\S+[ \t]+\|")
_CLOSING = pattern(r"(?:(?<=[ \t])|^)\\*#+$")
_CLOSING_ESCAPED = pattern(r"(?:(?<=[ \t])|^)\\+#+$")


def one_line(text: str) -> str:
    """A text on one line: control characters and line ends become blanks, blanks at the ends are dropped, all
    else stays.

    Raises:
        BadInput: the text holds bytes that were never UTF-8.
    """
    if not text.isprintable():
        text = "".join(" " if unicodedata.category(char) in ("Cc", "Zl", "Zp") else char for char in text)
        if any("\ud800" <= char <= "\udfff" for char in text):
            raise BadInput("the text holds bytes that are not UTF-8")
    return text.strip()


def clean(text: str) -> str:
    """The title that an entry gets: on one line, without the mark of auto-skill. `clean(clean(x)) ==
    clean(x)`.

    Raises:
        BadInput: nothing is left of it.
    """
    title = one_line(text)
    match = _MARKS.match(title)
    title = title[match.end() :] if match else title
    if not title:
        raise BadInput("an entry needs a title")
    return title


def write(title: str) -> str:
    """A title as it stands after `## `: a closing run of `#` and the shape of a log line are escaped."""
    if title.endswith("#"):
        match = _CLOSING.search(title)
        title = f"{title[: match.start()]}\\{match[0]}" if match else title
    return f"\\{title}" if title[:1] in "[\\" and (_LOG.match(title) or _LOG_ESCAPED.match(title)) else title


def read(text: str) -> str:
    """The title behind the text of a heading; undoes `write`."""
    if text.startswith(MARK):
        text = bare(text)
    if "\\" in text:
        match = _CLOSING_ESCAPED.search(text) if text.endswith("#") else None
        text = text[: match.start()] + match[0][1:] if match else text
        if text.startswith("\\") and _LOG_ESCAPED.match(text):
            text = text[1:]
    return text.strip()


def bare(text: str) -> str:
    """The text of a heading without the mark of auto-skill."""
    match = _MARKS.match(text)
    return text[match.end() :] if match else text


def is_log(text: str) -> bool:
    """Whether the text of a heading is a line of Mem Skill's log, `[2026-03-02] write | …`."""
    return text.startswith("[") and _LOG.match(text) is not None

"""The lines of a comment that are not shown: whose review it is, and whether it has anything to say."""

from __future__ import annotations

from urllib.parse import quote

START = "<!-- memgit-review"
QUIET = "<!-- memgit: nothing to review -->"
"""The second line of a review that concerns nothing: it replaces a comment, and is none by itself."""


def marker(key: str = "") -> str:
    """The first line of a comment, by which it is found again; several reviews of one change are told apart
    by their keys.

    Form: an HTML comment, which forges keep and do not show; no two keys give the same.
    """
    safe = quote(key, safe="/", errors="surrogateescape").replace("--", "-%2D")
    return f"{START}{f': {safe}' if safe else ''} -->"


def marked(text: str, key: str = "") -> str:
    """The text with a marker as its first line: that of the key, else its own, else one without a key."""
    first, _, rest = text.partition("\n")
    if not first.startswith(START):
        return f"{marker(key)}\n{text}"
    return f"{marker(key)}\n{rest}" if key else text


def is_quiet(text: str) -> bool:
    """Whether a marked review concerns nothing."""
    return text.split("\n", 2)[1:2] == [QUIET]

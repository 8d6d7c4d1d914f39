"""Links in generated Markdown: a title that renders as it is typed, a file name that leads where it should.

Rules: CommonMark 0.31, sections 2.4 (backslash escapes), 6.1 (code spans), 6.3 (links).
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.formats.messages.message import cut
from memgit.model.lazy_re import pattern

if TYPE_CHECKING:
    from re import Match

MAX_COLUMNS = 160
_SPECIAL = pattern(r"[\\`*\[\]<>~]|(?<![^\W_])_|_(?![^\W_])|&(?=#|[a-zA-Z])|^[\^!]")
_STRUCTURE = pattern(r"[\[\]]|<(?=[a-zA-Z/!?])|\\$")
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~$'+,;=@/!")
_JOINERS = "\u200c\u200d"


def one_line(text: str) -> str:
    """The text on one line of at most 160 columns: what does not print becomes a blank (joiners inside words
    and emoji stay).
    """
    kept = (
        text
        if text.isprintable()
        else "".join(char if char.isprintable() or char in _JOINERS else " " for char in text)
    )
    return cut(" ".join(kept.split()).strip(_JOINERS), MAX_COLUMNS)


def escape(text: str) -> str:
    """A text on one line of Markdown that renders as that text: no emphasis, no link, no HTML, no comment can
    come out of it.
    """
    return _SPECIAL.sub(_escaped, one_line(text))


def escape_structure(text: str) -> str:
    """As `escape`, but only what could end the link or start HTML: for files in which another tool writes
    titles as they are.
    """
    return _STRUCTURE.sub(_escaped, one_line(text))


def _escaped(match: Match[str]) -> str:
    return f"\\{match[0]}"  # for a template, Python loads `re`


def target(path: str) -> str:
    """A relative path as a link destination; letters of every script stay readable, bytes that are not UTF-8
    keep their value.
    """
    if _PLAIN.issuperset(path):
        return path
    return "".join(
        char if char in _PLAIN or (char > "\x7f" and char.isprintable()) else _percent(char) for char in path
    )


def _percent(char: str) -> str:
    byte_of_name = "\udc80" <= char <= "\udcff"
    return "".join(
        f"%{byte:02X}"
        for byte in char.encode("utf-8", "surrogateescape" if byte_of_name else "surrogatepass")
    )

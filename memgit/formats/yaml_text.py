"""Text as YAML scalars and lists."""

from __future__ import annotations

import re

from memgit import TYPE_CHECKING
from memgit.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable


NULLS = frozenset(["null", "Null", "NULL", "~"])


_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@`")


_AMBIGUOUS = (
    r"(?i:~|null|true|false|yes|no|on|off|y|n|=|<<|[-+]?\.(?:inf|nan)"
    r"|[-+]?(?:0b[01_]+|0o[0-7_]+|0x[0-9a-f_]+|(?:[0-9][0-9_]*\.?|\.)[0-9_]*(?:e[-+]?[0-9]+)?|[0-9][0-9_]*(?::[0-9]{1,2})+(?:\.[0-9_]*)?)"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[t \t][0-9:. \tz+-]*)?)"
)
"""Text that some reader of YAML 1.1 or 1.2 takes for null, a truth value, a number, a date or a merge."""


_AMBIGUOUS_FIRST = frozenset("~nNtTfFyYoO=<-+.0123456789")


_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\", "\0": "\\0"}


def ambiguous(text: str) -> bool:
    """Whether a plain scalar of this text would be something else than text to a reader that gives types."""
    if text[:1].isascii() and text[:1] not in _AMBIGUOUS_FIRST:
        return False
    return re.fullmatch(_AMBIGUOUS, text) is not None


def printable(text: str) -> bool:
    """Whether a text needs no escapes: it holds nothing but line ends that YAML forbids or takes for
    something else.
    """
    if text.replace("\n", "").isprintable():
        return True
    return not any(_odd(char) for char in text if not char.isprintable() and char != "\n")


def _odd(char: str) -> bool:
    """Characters that YAML forbids or takes for a line end or a mark, and the tab, about which its rules are
    long.
    """
    return (
        char < " "
        or "\x7f" <= char <= "\x9f"
        or "\ud800" <= char <= "\udfff"
        or char in "\u2028\u2029\ufeff\ufffe\uffff"
    )


def plain_safe(text: str, flow: bool = False) -> bool:
    """Whether a text can stand without quotes; `flow` is for an item in brackets."""
    return (
        text != ""
        and text[0] not in _INDICATORS
        and text[0] != " "
        and text[-1] not in " :"
        and ": " not in text
        and " #" not in text
        and "\n" not in text
        and printable(text)
        and text not in ("---", "...")
        and not (flow and any(char in ",[]{}:\"'?" for char in text))
    )


def stays_plain(text: str, bare: bool = False, flow: bool = False) -> bool:
    """Whether a text is written without quotes; `bare` and `flow` as in `dump_scalar`."""
    return plain_safe(text, flow) and text not in NULLS and (bare or not ambiguous(text))


def dump_scalar(text: str, *, bare: bool = False, flow: bool = False) -> str:
    """A text as a YAML scalar on one line, in quotes where it needs them.

    Args:
        bare: leave what looks like a date or number without quotes; for fields that hold one.
        flow: the scalar will stand in brackets.

    Raises:
        BadInput: the text holds lone surrogates, which no file can.
    """
    return text if stays_plain(text, bare, flow) else quoted(text)


def quoted(text: str) -> str:
    """A text in quotes: double ones, single ones where that spares escapes."""
    if ('"' in text or "\\" in text) and "\n" not in text and printable(text):
        return single(text)
    return double(text)


def single(text: str) -> str:
    """A text in single quotes, in double ones where it holds a line end or what only an escape can write."""
    if "\n" in text or not printable(text):
        return double(text)
    return "'" + text.replace("'", "''") + "'"


def double(text: str) -> str:
    """A text in double quotes, with escapes for quotes, backslashes, line ends and what does not print."""

    if '"' not in text and "\\" not in text and "\n" not in text and printable(text):
        return f'"{text}"'
    return '"' + "".join(_escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    short = _SHORT.get(char)
    if short is not None:
        return short
    if char.isprintable() or not _odd(char):
        return char
    code = ord(char)
    if 0xD800 <= code < 0xE000:
        raise BadInput("the text holds bytes that are not UTF-8")
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def dump_list(items: Iterable[str]) -> str:
    """A list in brackets on one line: `[a, "b, c"]`."""
    return "[" + ", ".join(dump_scalar(item, flow=True) for item in items) + "]"


def fold(text: str, width: int) -> list[str] | None:
    """The lines of a text for a folded scalar, or None where folding would change it.

    A line breaks at a blank between two words; a line end of the text becomes an empty line more.
    """
    if not text or not printable(text):
        return None
    out: list[str] = []
    for number, paragraph in enumerate(text.split("\n")):
        if not paragraph:
            if number == 0:
                return None
            out.append("")
            continue
        if paragraph[0] == " " or paragraph[-1] == " ":
            return None
        if number:
            out.append("")
        out += _wrap(paragraph, width)
    return None if not out[-1] else out


def _wrap(text: str, width: int) -> list[str]:
    lines: list[str] = []
    start = last = 0
    for match in re.finditer(r"(?<! ) (?! )", text):
        here = match.start()
        if here - start > width and last > start:
            lines.append(text[start:last])
            start = last + 1
        last = here
    if len(text) - start > width and last > start:
        lines.append(text[start:last])
        start = last + 1
    lines.append(text[start:])
    return lines

"""Text from records and repositories on its way to a terminal or a log: nothing in it is a control sequence."""

from __future__ import annotations

_HARMLESS = {ord("\n"): " ", ord("\t"): " "}


def readable(text: str) -> str:
    """A text for what reads UTF-8: bytes of file names that are none become U+FFFD."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def safe(text: str) -> str:
    """The text with control characters and lone surrogates shown instead of sent, line feeds and tabs kept."""
    if text.isprintable() or text.translate(_HARMLESS).isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in "\n\t" or _joins(char) else _shown(char) for char in text
    )


def _joins(char: str) -> bool:
    """Zero-width joiner and variation selectors belong to emoji; blanks other than the plain one are
    harmless.
    """
    return char in "\u200d\ufe0e\ufe0f\u00a0\u3000\u202f\u2009"


def _shown(char: str) -> str:
    number = ord(char)
    return (
        f"\\x{number:02x}"
        if number < 0x100
        else f"\\u{number:04x}"
        if number < 0x10000
        else f"\\U{number:08x}"
    )

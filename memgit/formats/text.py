"""Bytes to text and back: UTF-8 alone, with or without a byte order mark, lines ended by `\\n` alone.

A byte order mark never reaches the text; `encode` puts it back. No other character than `\\n` ends a line: a
lone CR, form feed, vertical tab, U+0085, U+2028 and U+2029 are text.
"""

from __future__ import annotations

import re

from memgit.errors import BadInput, UnreadableFile
from memgit.model.lazy_re import pattern

MAX_BYTES = 4 * 1024 * 1024
_BOM = "\ufeff"
_BOM_BYTES = b"\xef\xbb\xbf"
_LINES = pattern(r"[^\n]*\n|[^\n]+")
_SAMPLE = 4096
_STORED_ELSEWHERE = (
    (b"version https://git-lfs.github.com/spec/", "a pointer of git-lfs"),
    (b"version https://hawser.github.com/spec/", "a pointer of git-lfs"),
    (b"/annex/objects/", "a pointer of git-annex"),
    (b"\0GITCRYPT\0", "encrypted by git-crypt"),
)
"""How files begin that a git filter stores in place of a text, and what they are."""


def decode(data: bytes) -> str:
    """The text of a file without its byte order mark.

    Raises:
        UnreadableFile: MG001 with line, byte offset and cause: not UTF-8, a NUL, larger than `MAX_BYTES`, or what a
            filter stores in place of the text.
    """
    if data[:1] in b"v/\0" and data:
        for start, what in _STORED_ELSEWHERE:
            if data.startswith(start):
                raise UnreadableFile(f"{what}, not the text itself", line=1, offset=0)
    if len(data) > MAX_BYTES:
        raise UnreadableFile(f"too large: {len(data):,} bytes, and at most {MAX_BYTES:,} are read", line=1)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise _not_utf8(data, error) from None
    if "\0" in text:
        raise _nul(data)
    return text[1:] if text[:1] == _BOM else text


def has_bom(data: bytes) -> bool:
    """Whether a file starts with the byte order mark of UTF-8."""
    return data.startswith(_BOM_BYTES)


def newline_of(text: str) -> str:
    """How most lines of a text end: `\\r\\n` or `\\n`, the latter where there is no telling."""
    crlf = text.count("\r\n")
    return "\r\n" if crlf and crlf * 2 > text.count("\n") else "\n"


def split_lines(text: str) -> list[str]:
    """The lines of a text with their ends; joined they are the text again."""
    return _LINES.findall(text)


def normal(text: str) -> str:
    """The text with every CRLF as `\\n`; several CRs before one LF count as one, so that a second time
    changes nothing.
    """
    if "\r" not in text:
        return text
    text = text.replace("\r\n", "\n")
    return re.sub(r"\r+\n", "\n", text) if "\r\n" in text else text


def encode(text: str, bom: bool = False) -> bytes:
    """The bytes of a text, with a byte order mark where `bom` says so.

    Raises:
        BadInput: the text cannot stand in a file: it holds a NUL, or bytes that were never UTF-8 (lone
            surrogates).
    """
    if "\0" in text:
        raise BadInput("the text holds a NUL", line=text.count("\n", 0, text.index("\0")) + 1)
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise BadInput(
            "the text holds bytes that are not UTF-8", line=text.count("\n", 0, error.start) + 1
        ) from None
    return _BOM_BYTES + data if bom else data


def whole(text: str) -> str:
    """The text with halves of surrogate pairs, which an escape can name and no file can hold, joined where
    two meet, else U+FFFD.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _not_utf8(data: bytes, error: UnicodeDecodeError) -> UnreadableFile:
    if data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return UnreadableFile("not UTF-8 but UTF-32", line=1, offset=0, hint="save the file as UTF-8")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return UnreadableFile("not UTF-8 but UTF-16", line=1, offset=0, hint="save the file as UTF-8")
    line = data.count(b"\n", 0, error.start) + 1
    message = f"not UTF-8: byte 0x{data[error.start]:02X} at offset {error.start}"
    return UnreadableFile(message, line=line, offset=error.start, hint="save the file as UTF-8")


def _nul(data: bytes) -> UnreadableFile:
    sample = data[:_SAMPLE]
    half = len(sample) // 2
    if half and max(sample[::2].count(0), sample[1::2].count(0)) * 2 > half:
        return UnreadableFile(
            "not UTF-8 but UTF-16 without a mark", line=1, offset=data.index(0), hint="save the file as UTF-8"
        )
    offset = data.index(0)
    return UnreadableFile(f"a NUL at byte {offset}", line=data.count(b"\n", 0, offset) + 1, offset=offset)

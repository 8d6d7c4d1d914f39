"""From the bytes of a page to text, whatever it says about its characters."""

from __future__ import annotations

import codecs
import re

MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
SCANNED_BYTES = 4096
"""Bytes at the beginning in which a page says how it is encoded."""
TAKEN = frozenset(
    [
        "ascii",
        "utf-8",
        "utf-16",
        "utf-16-le",
        "utf-16-be",
        "koi8-r",
        "koi8-u",
        "mac-roman",
        "mac-cyrillic",
        "cp866",
        "cp874",
        "tis-620",
        "gb2312",
        "gbk",
        "gb18030",
        "big5",
        "big5hkscs",
        "euc_jp",
        "iso2022_jp",
        "shift_jis",
        "cp932",
        "euc_kr",
        "cp949",
        "johab",
        *(f"cp125{number}" for number in range(9)),
        *(f"iso8859-{number}" for number in range(1, 17) if number != 12),
    ]
)
"""Python's names of the encodings that pages are written in.

It knows others (`zip`, `idna`, `undefined`) that no page may choose.
"""
READ_AS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "tis-620": "cp874",
}
"""Encodings that are read as the larger one that pages mean by that name, as browsers do."""

_PARAMETER = re.compile(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9._:-]{1,40})", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([A-Za-z0-9._:-]{1,40})", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._:-]{1,40})", re.IGNORECASE)


def decode(body: bytes, content_type: str) -> str:
    """The text of a body: by its byte order mark, by what its bytes prove, by what it says, and at last by
    guess; never an error.

    Args:
        content_type: the header, which may name a charset.
    """
    for mark, encoding in MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    said = _said(body, content_type)
    if not (said and said[0].startswith("utf-16")) and not body.isascii():
        try:
            # Text in another encoding than UTF-8 is hardly ever right UTF-8 by chance; servers that say the
            # wrong one are common.
            return body.decode("utf-8")
        except UnicodeDecodeError:
            pass
    for encoding in said:
        try:
            return body.decode(encoding)
        except UnicodeDecodeError:
            continue
    text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    whole = sum(char > "\x7f" for char in text) - broken
    return text if broken <= whole else body.decode("cp1252", "replace")


def _said(body: bytes, content_type: str) -> list[str]:
    """The encodings that header, `meta` and XML declaration name, in that order."""
    header = _PARAMETER.search(content_type)
    said = [_encoding(header[1])] if header else []
    for pattern in (_META, _XML):
        inside = pattern.search(body[:SCANNED_BYTES])
        name = _encoding(inside[1].decode("ascii")) if inside else None
        if name and not name.startswith("utf-16"):  # what could be read as ASCII so far is not in UTF-16
            said.append(name)
    return [name for name in said if name]


def _encoding(label: str) -> str | None:
    """Python's name for the label of an encoding that pages may choose, None for any other."""
    try:
        name = codecs.lookup(label).name
    except LookupError:
        return None
    return READ_AS.get(name, name) if name in TAKEN else None

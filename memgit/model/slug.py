"""File names from titles: letters of every script, no separator, nothing that Windows refuses."""

from __future__ import annotations

import unicodedata

MAX_LENGTH = 50
MAX_BYTES = 120
# https://learn.microsoft.com/windows/win32/fileio/naming-a-file: refused with and without a suffix.
RESERVED = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{name}{digit}" for name in ("com", "lpt") for digit in "0123456789¹²³"]
)


_BLANKS = {number: " " for number in range(128) if not chr(number).isalnum()}


def slug(title: str, *, ascii_only: bool = False) -> str:
    """The title as a file stem: lower case, words joined by `-`, at most 50 characters and 120 bytes.

    Never empty: a title without letters or digits gives `r-` and a short hash of itself, so that two such
    titles differ. `ascii_only` keeps `[a-z0-9-]` alone, as memory vaults do; accents are dropped, other
    scripts fall back to the hash.
    """
    if title.isascii():
        return _named("-".join(title.lower().translate(_BLANKS).split())[:MAX_LENGTH].strip("-"), title)
    text = (
        unicodedata.normalize("NFKD", title).lower()
        if ascii_only
        else unicodedata.normalize("NFC", title.lower())
    )
    out: list[str] = []
    gap = False
    lost = False
    for char in text:
        keep = (
            char.isascii() and char.isalnum()
            if ascii_only
            else char.isalnum() or unicodedata.category(char)[0] == "M"
        )
        if keep and (out or unicodedata.category(char)[0] != "M"):
            if gap and out:
                out.append("-")
            out.append(char)
            gap = False
        elif ascii_only and unicodedata.category(char)[0] == "M":
            continue
        else:
            lost = lost or char.isalnum()
            gap = True
    stem = "".join(out)[:MAX_LENGTH]
    while len(stem.encode()) > MAX_BYTES:
        stem = stem[:-1]
    stem = stem.strip("-")
    return _named("" if lost and len(stem) < 3 else stem, title)


def file_name(title: str) -> str:
    """The title as a file stem that reads as the title: what cannot be in a file name or a link becomes a blank."""
    text = unicodedata.normalize("NFC", title)
    text = "".join(char if char.isprintable() and char not in '<>:"/\\|?*#^[]' else " " for char in text)
    text = " ".join(text.split()).strip(". ")
    while len(text.encode()) > MAX_BYTES:
        text = text[:-1].rstrip(". ")
    return _named("" if text.split(".")[0].lower() in RESERVED else text, title)


def _named(stem: str, title: str) -> str:
    """A stem that can be a file name, by the title where it cannot."""
    if not stem:
        return f"r-{digest(title)}"
    return f"{stem}-{digest(title)}" if stem in RESERVED else stem


def digest(title: str) -> str:
    """Six hexadecimal digits that depend on the title alone; tells two titles of one slug apart."""
    from hashlib import sha1

    return sha1(title.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:6]

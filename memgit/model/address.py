"""Addresses: `kind/key`, `kind/key#title` for entries, `skill/slug@N` for one version of a skill."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.model.kinds import KINDS
from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeVar

    T = TypeVar("T")

MAX_VERSION_DIGITS = 9
"""Digits of the number of a version."""
MAX_NEAREST = 3
"""Addresses that are named for a mistyped one."""


class Address(NamedTuple):
    """A parsed address. `title` is set for entries, `version` where one was asked for."""

    kind: str
    key: str
    title: str | None = None
    version: int | None = None

    def __str__(self) -> str:
        text = f"{self.kind}/{self.key}"
        if self.title is not None:
            text += f"#{self.title}"
        return text if self.version is None else f"{text}@{self.version}"


def parse(text: str) -> Address | None:
    """The address that a text spells out in full, or None where it is a short form (an id, an ending, a
    wikilink).
    """
    kind, slash, rest = text.partition("/")
    if not slash or kind not in KINDS or not rest:
        return None
    if KINDS[kind].stored == "entry":
        key, hash_, title = rest.partition("#")
        return Address(kind, key, title) if key and hash_ and title else None
    key, at, version = rest.rpartition("@")
    if at and key and kind == "skill" and _numbers(version):
        return Address(kind, key, version=int(version))
    return Address(kind, rest)


def versioned(text: str) -> tuple[str, int | None]:
    """A name without the version at its end, and that version:

    `skill/slug@2`, in short `slug@2`; None where it names none.
    """
    name, at, version = text.rpartition("@")
    return (name, int(version)) if at and name and _numbers(version) else (text, None)


def _numbers(text: str) -> bool:
    """Whether a text is the number of a version; Python reads no number of any length."""
    return text.isascii() and text.isdigit() and len(text) <= MAX_VERSION_DIGITS


_DATE = pattern(r"(?<=/)(\d{8}|\d{4}-\d\d-\d\d)-(?=[^/]*$)")
"""The date that a slug begins with."""


def ends(address: str, wanted: str) -> bool:
    """Whether an address ends in a text, from a slash or a hash on."""
    return address.endswith(wanted) and address[: len(address) - len(wanted)][-1:] in ("", "/", "#")


def loosely(named: Iterable[tuple[str, str, T]], wanted: str) -> list[T]:
    """What belongs to the addresses that end in a text in another case, or to the titles that are it; else
    without the date before a slug; else from a hyphen on. Given are address, title and what belongs to them.
    """
    wanted = wanted.casefold()
    ranks: tuple[list[T], ...] = ([], [], [])
    for address, title, item in named:
        folded = address.casefold()
        undated = _DATE.sub("", folded)
        if ends(folded, wanted) or title.casefold() == wanted:
            ranks[0].append(item)
        elif ends(undated, wanted):
            ranks[1].append(item)
        elif folded.endswith(f"-{wanted}") and wanted:
            ranks[2].append(item)
    return next((found for found in ranks if found), [])


def nearest(text: str, addresses: Iterable[str]) -> list[str]:
    """Addresses that a mistyped one may have meant, the likeliest first."""
    from difflib import get_close_matches  # costs a start some milliseconds, and only a mistake needs it

    known = list(addresses)
    folded: dict[str, str] = {}
    for address in known:
        folded.setdefault(address.casefold(), address)
        folded.setdefault(address.rpartition("#")[2].rpartition("/")[2].casefold(), address)
    close = get_close_matches(text.casefold(), folded, n=2 * MAX_NEAREST, cutoff=0.5)
    out: list[str] = []
    for match in close:
        if folded[match] not in out:
            out.append(folded[match])
    return out[:MAX_NEAREST]

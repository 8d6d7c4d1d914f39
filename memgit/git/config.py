"""The user's git configuration, from the output of `git config --list -z`."""

from __future__ import annotations

from memgit import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_TRUE = frozenset(["true", "yes", "on"])
_FALSE = frozenset(["false", "no", "off", ""])


class Config:
    """Values by key. Section and variable are lower-cased as git does; a subsection (`remote.Origin.url`)
    keeps its case.

    A variable without `=` counts as true and reads as `true`.
    """

    def __init__(self, listing: bytes) -> None:
        last: dict[str, str] = {}
        for item in listing.split(b"\0"):
            if item:
                key, equals, value = item.decode("utf-8", "surrogateescape").partition("\n")
                last[key] = value if equals else "true"
        self.last: Mapping[str, str] = last

    def get(self, key: str) -> str | None:
        """The value that counts, or None."""
        return self.last.get(key)

    def truth(self, key: str, default: bool = False) -> bool:
        """A boolean as git reads it; what is no boolean counts as the default."""
        value = self.last.get(key)
        if value is None:
            return default
        value = value.strip().lower()
        if value in _TRUE:
            return True
        if value in _FALSE:
            return False
        number = _number(value)
        return default if number is None else number != 0

    def number(self, key: str, default: int) -> int:
        """An integer as git reads it, with k, m or g behind it; what is no number counts as the default."""
        value = self.last.get(key)
        number = None if value is None else _number(value.strip().lower())
        return default if number is None else number

    def partial(self) -> bool:
        """Whether a remote has promised objects that this clone lacks."""
        return "extensions.partialclone" in self.last or any(
            name.startswith("remote.") and name.endswith(".promisor") and value.lower() in _TRUE
            for name, value in self.last.items()
        )


def _number(text: str) -> int | None:
    factor = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}.get(text[-1:], 1)
    digits = text[:-1] if factor > 1 else text
    try:
        return int(digits, 10) * factor
    except ValueError:
        return None

"""Regular expressions that are compiled when they are first used: those of all modules together take as long as a whole answer."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.model import regex

if TYPE_CHECKING:
    import re
    from typing import Any, AnyStr

_METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split")


class _Pattern:
    """Stands for a `re.Pattern` until it is used; from then on its methods are those of the pattern."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._made: tuple[Any, int] = (text, flags)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = regex.compile(*self._made)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`; a mistake in the text shows when it is used."""
    return _Pattern(text, flags)  # type: ignore[return-value]

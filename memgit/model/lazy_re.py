"""Regular expressions that are compiled on first use: compiling those of every module costs more than most
commands.
"""

from __future__ import annotations

import re

from memgit import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, AnyStr

_METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split")


class _Pattern:
    """A `re.Pattern` that compiles itself when one of its attributes is first used."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._source: tuple[Any, int] = (text, flags)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = re.compile(*self._source)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, but a mistake in the text raises on first use."""
    return _Pattern(text, flags)  # type: ignore[return-value]

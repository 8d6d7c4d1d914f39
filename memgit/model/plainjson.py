"""JSON by the C code of `json` alone, whose Python compiles six patterns when it is loaded; where that does not fit, by `json` itself."""

from __future__ import annotations

from memgit import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

try:
    import _json
except ImportError:  # another Python than the one in C
    _c: Any = None
else:
    _c = _json

_BLANK = " \t\n\r"


class _Rules:
    """How values are read: as `json.loads` reads them."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int
    memo: Mapping[str, str] = {}

    def __init__(self, constant: Callable[[str], Any]) -> None:
        self.parse_constant = constant

    def __getattr__(self, name: str) -> None:
        """The hooks that later Pythons ask for (`array_hook`, from 3.15): none."""


_scan: Callable[[str, int], tuple[Any, int]] | None = None if _c is None else _c.make_scanner(_Rules(float))


def scan(text: str, position: int) -> tuple[Any, int]:
    """The value at a place in a text, which is not blank, and where it ends.

    Raises:
        json.JSONDecodeError: there is no value.
        RecursionError: it is nested too deeply.
    """
    if _scan is not None:
        try:
            return _scan(text, position)
        except StopIteration:
            pass
    from json import JSONDecoder

    return JSONDecoder().raw_decode(text, position)


def loads(text: str, constant: Callable[[str], Any] = float) -> Any:
    """As `json.loads`.

    Args:
        constant: gives the value of `NaN`, `Infinity` or `-Infinity`.

    Raises:
        json.JSONDecodeError: it is no JSON.
        RecursionError: it is nested too deeply.
    """
    start = len(text) - len(text.lstrip(_BLANK))
    if _scan is not None and start < len(text):
        try:
            value, end = (_scan if constant is float else _c.make_scanner(_Rules(constant)))(text, start)
        except StopIteration:
            end = -1
        if end >= 0 and not text[end:].strip(_BLANK):
            return value
    import json

    return json.loads(text, parse_constant=constant)


def _quoted(text: str) -> str:
    from json.encoder import encode_basestring

    return encode_basestring(text)


quoted: Callable[[str], str] = _quoted if _c is None else _c.encode_basestring
"""A text as JSON, in its own characters."""


def dumps(value: Any, *, ascii_only: bool = True, compact: bool = False) -> str:
    """As `json.dumps`; `ascii_only` is its `ensure_ascii`, and what is `compact` has no blanks between its parts."""
    comma, colon = (",", ":") if compact else (", ", ": ")
    if isinstance(value, str) and _c is not None:
        text: str = _c.encode_basestring_ascii(value) if ascii_only else _c.encode_basestring(value)
        return text
    if value is None or value is True or value is False:
        return "null" if value is None else "true" if value else "false"
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, dict) and all(isinstance(name, str) for name in value):
        names = [dumps(name, ascii_only=ascii_only) for name in value]
        items = [dumps(item, ascii_only=ascii_only, compact=compact) for item in value.values()]
        return "{" + comma.join([f"{name}{colon}{item}" for name, item in zip(names, items, strict=True)]) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + comma.join([dumps(item, ascii_only=ascii_only, compact=compact) for item in value]) + "]"
    from json import dumps as others

    return others(value, ensure_ascii=ascii_only, separators=(comma, colon))

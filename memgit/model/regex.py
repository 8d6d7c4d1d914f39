"""`re` where every start counts: its import, and compiling the patterns of one answer, take a fourth of the time of a whole write.

Python keeps compiled modules in `__pycache__`, but not the patterns in them. Here they are kept in one file beside this module's own, under
the same conditions; it counts for the very interpreter that wrote it, as long as its checksum is right: `_sre` may crash on damaged code.
With it the C module `_sre` is told what `re` would tell it, and `re` is not loaded. Without it, and for whatever is not defined here, this
is `re`.

A module takes this one in the place of `re`; a pattern that depends on somebody's data is for `once`, or the file would grow. (The globs of
a configuration are kept all the same: there are few, and they count at every start.)
"""

from __future__ import annotations

import os
import sys

from memgit import TYPE_CHECKING
from memgit.model.light import cache, suppress

__all__ = (
    "ASCII", "DOTALL", "IGNORECASE", "MULTILINE", "Match", "Pattern", "compile", "escape", "findall", "finditer", "fullmatch", "keep",
    "match", "once", "search", "split", "sub",
)  # fmt: skip

if TYPE_CHECKING:
    import re
    from re import Match, Pattern, compile, escape, findall, finditer, fullmatch, match, search, split, sub
    from typing import Any

    Key = tuple[bool, str | bytes, int]
    """Whether it is for bytes, the pattern, and its flags."""
    Kept = tuple[int, bytes, int, dict[str, int], tuple[str | None, ...]]
    """What `_sre.compile` gets beside the pattern: flags, code, number of groups, groups by name, names of the groups."""

IGNORECASE, MULTILINE, DOTALL, ASCII = 2, 8, 16, 256
"""The flags of `re`, as numbers."""

MOST = 1 << 18
"""Size of the file in bytes at most: about twice what the whole of memgit needs. All of it is read at each start."""

_SPECIAL = {ord(char): f"\\{char}" for char in "()[]{}?*+-|^$\\.&~# \t\n\r\v\f"}

_used: dict[Key, re.Pattern[Any]] = {}
_made: dict[Key, Kept] = {}  # compiled by this process


if not TYPE_CHECKING:

    def compile(pattern, flags=0):
        """As `re.compile`."""
        key = (isinstance(pattern, bytes), pattern, int(flags))
        found = _used.get(key)
        if found is None:
            found = _used[key] = _restored(key) or _compiled(key)
        return found

    def match(pattern, string, flags=0):
        """As `re.match`."""
        return compile(pattern, flags).match(string)

    def fullmatch(pattern, string, flags=0):
        """As `re.fullmatch`."""
        return compile(pattern, flags).fullmatch(string)

    def search(pattern, string, flags=0):
        """As `re.search`."""
        return compile(pattern, flags).search(string)

    def finditer(pattern, string, flags=0):
        """As `re.finditer`."""
        return compile(pattern, flags).finditer(string)

    def findall(pattern, string, flags=0):
        """As `re.findall`."""
        return compile(pattern, flags).findall(string)

    def split(pattern, string, maxsplit=0, flags=0):
        """As `re.split`."""
        return compile(pattern, flags).split(string, maxsplit)

    def sub(pattern, repl, string, count=0, flags=0):
        """As `re.sub`. A text in which there is a backslash is a template, for which Python loads `re`; a function is not."""
        return compile(pattern, flags).sub(repl, string, count)

    def escape(pattern):
        """As `re.escape`."""
        return pattern.translate(_SPECIAL) if isinstance(pattern, str) else __getattr__("escape")(pattern)


def once(pattern: str, flags: int = 0) -> Pattern[str]:
    """As `re.compile`, of a pattern that depends on somebody's data: it is not kept."""
    import re

    return re.compile(pattern, flags)


def keep() -> None:
    """Keeps what this process had to compile for the next one; to be called when all else is done."""
    place = _place()
    if not _made or place is None:
        return
    data = _packed(_read() | _made)
    if len(data) > MOST:  # with those of older versions, which nobody needs
        data = _packed(_made)
    if len(data) > MOST:
        return
    spare = f"{place}.{os.getpid()}"
    try:
        # As Python opens what it compiles: nobody else may write there, whatever the umask is.
        with open(os.open(spare, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o644), "wb") as file:
            file.write(data)
        os.replace(spare, place)
    except OSError:
        # Also what a process with the same number left behind when it was killed.
        with suppress(OSError):
            os.unlink(spare)


def _place() -> str | None:
    """The file of kept patterns, beside the compiled form of this module; None where Python keeps that nowhere."""
    spec = globals().get("__spec__")
    cached = spec.cached if spec is not None else None
    return f"{cached.removesuffix('.pyc')}.patterns" if cached and sys.implementation.name == "cpython" else None


def _interpreter() -> tuple[str, str, int, int]:
    """What the code of a pattern depends on."""
    import _sre  # type: ignore[import-not-found]

    return sys.version, sys.byteorder, _sre.MAGIC, _sre.CODESIZE


def _sum(data: bytes | memoryview) -> bytes:
    """A checksum of 8 bytes: by the function that Python has for the sources of compiled modules, which is always loaded."""
    import _imp

    return _imp.source_hash(0, data)


def _packed(kept: dict[Key, Kept]) -> bytes:
    """The content of the file."""
    import marshal

    data = marshal.dumps((_interpreter(), kept))
    return _sum(data) + data


def _read() -> dict[Key, Kept]:
    """What is kept; nothing where the file is not there, damaged, or another interpreter's."""
    import marshal

    place = _place()
    if place is None:
        return {}
    try:
        with open(place, "rb") as file:
            data = memoryview(file.read())
        if data[:8] != _sum(data[8:]):
            return {}
        interpreter, kept = marshal.loads(data[8:])  # noqa: S302  # as trustworthy as the compiled modules that lie beside it
    except (OSError, ValueError, EOFError, TypeError):
        return {}
    return kept if interpreter == _interpreter() and isinstance(kept, dict) else {}


_kept = cache(_read)


@cache
def _may_keep() -> bool:
    """Whether Python would keep a compiled module there: not where another user installed it, as a rule."""
    place = _place()
    return place is not None and not sys.dont_write_bytecode and os.access(os.path.dirname(place), os.W_OK)


def _restored(key: Key) -> Pattern[Any] | None:
    """A pattern from what is kept; None where it is not."""
    found = _kept().get(key)
    if found is None:
        return None
    import _sre

    try:
        flags, code, *groups = found
        made: Pattern[Any] = _sre.compile(key[1], flags, memoryview(code).cast("I").tolist(), *groups)
    except (RuntimeError, TypeError, ValueError, OverflowError):  # it checks some of the code
        return None
    return made


def _compiled(key: Key) -> Pattern[Any]:
    """A pattern as `re` compiles it; what it told `_sre` is noted for `keep`."""
    import re

    _, pattern, flags = key
    made: Pattern[Any] = re.compile(pattern, flags)
    if _may_keep():
        with suppress(AttributeError, TypeError, OverflowError):  # another version does it in another way
            _made[key] = _told(re, pattern, flags)
    return made


def _told(re: Any, pattern: str | bytes, flags: int) -> Kept:
    """What `re` tells `_sre` of a pattern; see `re._compiler.compile` in Python's source."""
    parsed = re._parser.parse(pattern, flags)
    state = parsed.state
    names: list[str | None] = [None] * state.groups
    for name, group in state.groupdict.items():
        names[group] = name
    code = b"".join([word.to_bytes(4, sys.byteorder) for word in re._compiler._code(parsed, flags)])
    return int(flags | state.flags), code, state.groups - 1, dict(state.groupdict), tuple(names)


def __getattr__(name: str) -> Any:
    """Whatever else `re` has."""
    if name.startswith("__"):  # an import asks for `__path__`
        raise AttributeError(name)
    import re

    return getattr(re, name)

"""Named tuples that are made in half the time: `typing.NamedTuple` reads every annotation as an expression, which nothing here needs.

The many small values of the modules that one answer loads took it a tenth of its time.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

__all__ = ("NamedTuple",)

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    _OWN = frozenset(["__module__", "__qualname__", "__annotations__", "__name__"])

    class _Maker(type):
        def __new__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, space)
            fields = tuple(space["__annotations__"])
            made = namedtuple(name, fields, defaults=[space[field] for field in fields if field in space], module=space["__module__"])
            made.__annotations__ = dict(space["__annotations__"])
            made.__qualname__ = space["__qualname__"]
            for key, value in space.items():
                if key not in _OWN and key not in made._fields:
                    setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_Maker):
        """As `typing.NamedTuple`, to be derived from; annotations stay texts."""

"""Named tuples that cost little to define: `typing.NamedTuple` reads every annotation as an expression and
compiles a constructor at once.

The modules that one answer loads define a hundred of these small values, and make one or two of most of them:
a constructor is compiled for a class once it has been called some times.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING

__all__ = ("NamedTuple",)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, NamedTuple, Self
else:
    from _collections import _tuplegetter

    _FEW = 16  # calls that together take as long as compiling
    _calls: dict[type, int] = {}

    class _Tuple(tuple):
        """What all of them share; `_fields` and `_field_defaults` are as `collections.namedtuple` makes them."""

        __slots__ = ()

        def __new__(cls, /, *values: Any, **named: Any) -> Self:
            """Fills in what is not given by position, and in the end, or where that does not fit, gives way
            to `_compiled`.
            """
            calls = _calls[cls] = _calls.get(cls, 0) + 1
            if calls <= _FEW:
                if len(values) == len(cls._fields) and not named:
                    return tuple.__new__(cls, values)
                rest = cls._fields[len(values) :]
                held = {**cls._field_defaults, **named}
                if rest and named.keys() <= set(rest) <= held.keys():
                    return tuple.__new__(cls, (*values, *[held[name] for name in rest]))
            return cls._compiled()(cls, *values, **named)

        @classmethod
        def _compiled(cls) -> Callable[..., Self]:
            """The constructor of the class, in place of the one above from now on."""
            names = ", ".join(cls._fields)
            made = eval(f"lambda _cls, {names}: _new(_cls, ({names},))", {"_new": tuple.__new__})  # noqa: S307
            made.__name__, made.__qualname__ = "__new__", f"{cls.__qualname__}.__new__"
            made.__defaults__ = tuple(cls._field_defaults.values())
            cls.__new__ = staticmethod(made)
            return made

        @classmethod
        def _make(cls, values: Iterable[Any]) -> Self:
            made = tuple.__new__(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"expected {len(cls._fields)} arguments, got {len(made)}")
            return made

        def _replace(self, /, **changes: Any) -> Self:
            made = tuple.__new__(type(self), map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"got unexpected field names: {list(changes)!r}")
            return made

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)

        def __repr__(self) -> str:
            held = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({held})"

    class _Maker(type):
        def __new__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, space)
            fields = tuple(space["__annotations__"])
            defaults = {field: space[field] for field in fields if field in space}
            if fields[len(fields) - len(defaults) :] != tuple(defaults):
                raise TypeError(f"{name}: a field without a default follows one that has one")
            space.update((field, _tuplegetter(at, "")) for at, field in enumerate(fields))
            space.update(__slots__=(), _fields=fields, _field_defaults=defaults, __match_args__=fields)
            return type.__new__(type, name, (_Tuple,), space)

    class NamedTuple(metaclass=_Maker):
        """As `typing.NamedTuple`, to be derived from; annotations stay texts."""

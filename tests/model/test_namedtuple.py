"""Named tuples as `typing` makes them, and patterns compiled when they are used."""

from __future__ import annotations

import pickle
import re
import typing
from typing import Any

import pytest

from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple


class Point(NamedTuple):
    """A point."""

    x: int
    y: int = 0
    name: str | None = None

    @property
    def size(self) -> int:
        return self.x + self.y

    def moved(self, by: int) -> Point:
        return self._replace(x=self.x + by)


class Same(typing.NamedTuple):
    x: int
    y: int = 0
    name: str | None = None


def test_a_named_tuple_is_what_typing_makes() -> None:
    assert tuple(Point(1)) == tuple(Same(1)) == (1, 0, None)
    assert Point._fields == Same._fields and Point._field_defaults == Same._field_defaults
    assert (Point.__doc__, Point.__module__, Point.__qualname__) == ("A point.", __name__, "Point")
    assert Point(1, 2).size == 3 and Point(1).moved(4) == Point(5)
    assert repr(Point(1, name="a")) == "Point(x=1, y=0, name='a')"
    assert Point(1)._asdict() == {"x": 1, "y": 0, "name": None}
    assert pickle.loads(pickle.dumps(Point(3))) == Point(3)
    assert isinstance(Point(1), tuple) and hash(Point(1)) == hash((1, 0, None))
    assert list(Point.__annotations__) == ["x", "y", "name"]


def test_a_constructor_is_the_same_before_it_is_compiled_and_after() -> None:
    class Fresh(NamedTuple):
        x: int
        y: int = 0
        name: str | None = None

    made: Any = Fresh
    for _ in range(40):
        for args, named in (
            ((1,), {}),
            ((1, 2), {"name": "a"}),
            ((), {"name": "b", "x": 5}),
            ((1, 2, "c"), {}),
            ((1,), {"y": 7}),
        ):
            assert (
                tuple(made(*args, **named)) == tuple(Same(*args, **named))
                and type(made(*args, **named)) is Fresh
            )
    wrong: tuple[tuple[tuple[Any, ...], dict[str, Any]], ...] = (
        ((), {}),
        ((1, 2, "a", 4), {}),
        ((1,), {"x": 2}),
        ((1,), {"z": 2}),
    )
    for args, named in wrong:

        class Other(NamedTuple):
            x: int
            y: int = 0
            name: str | None = None

        other: Any = Other
        for _ in range(2):
            with pytest.raises(TypeError):
                other(*args, **named)
        with pytest.raises(TypeError):
            made(*args, **named)
        assert tuple(other(1)) == (1, 0, None)


def test_a_pattern_is_compiled_when_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    real = re.compile

    def noted(text: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(text)
        return real(text, flags)

    monkeypatch.setattr(re, "compile", noted)
    found = pattern("(a)(?P<name>b*)", re.IGNORECASE)
    broken = pattern("(")
    assert compiled == []
    match = found.fullmatch("ABB")
    assert match is not None and match["name"] == "BB"
    assert found.sub("x", "ab cab") == "x cx" and found.split("1a2") == ["1", "a", "", "2"]
    assert [each[0] for each in found.finditer("abba")] == ["abb", "a"]
    assert (found.pattern, found.groups, found.flags & re.IGNORECASE) == ("(a)(?P<name>b*)", 2, re.IGNORECASE)
    assert found.search("xx") is None and found.match("ba") is None and found.findall("ab") == [("a", "b")]
    assert compiled.count("(a)(?P<name>b*)") >= 1
    with pytest.raises(re.error):
        broken.match("x")

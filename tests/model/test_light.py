"""The light stand-ins for `contextlib`, `functools`, `enum` and `json` do as those do."""

from __future__ import annotations

import contextlib
import enum
import functools
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.model import light, plainjson

ROOT = Path(__file__).resolve().parents[2]


def outcome(function: Callable[[], Any]) -> Any:
    """What a call gives, or what it raises, with its cause."""
    try:
        return function()
    except BaseException as error:
        return type(error), str(error), type(error.__cause__)


ERRORS: tuple[type[BaseException], ...] = (ValueError, UnicodeError, OSError, FileNotFoundError, StopIteration, KeyboardInterrupt)


@pytest.mark.parametrize("raised", [None, *ERRORS])
@pytest.mark.parametrize("named", [(), (ValueError,), (OSError, KeyError), (StopIteration,), (BaseException,)])
def test_suppress(named: tuple[type[BaseException], ...], raised: type[BaseException] | None) -> None:
    def through(module: Any) -> Callable[[], str]:
        def call() -> str:
            with module.suppress(*named):
                if raised is not None:
                    raise raised("words")
                return "returned"
            return "suppressed"

        return call

    assert outcome(through(light)) == outcome(through(contextlib))


def plain(log: list[str]) -> Iterator[str]:
    log.append("in")
    try:
        yield "value"
    finally:
        log.append("out")


def swallowing(log: list[str]) -> Iterator[str]:
    with contextlib.suppress(ValueError, StopIteration):
        yield "value"
    log.append("after")


def exchanging(log: list[str]) -> Iterator[str]:
    try:
        yield "value"
    except Exception as error:
        raise LookupError("other") from error


def empty(log: list[str]) -> Iterator[str]:
    yield from ()


def twice(log: list[str]) -> Iterator[str]:
    yield "value"
    log.append("between")
    yield "again"


def stubborn(log: list[str]) -> Iterator[str]:
    try:
        yield "value"
    except ValueError:
        yield "again"


def raising_again(log: list[str]) -> Iterator[str]:
    try:
        yield "value"
    except BaseException as error:
        log.append(type(error).__name__)
        raise


@pytest.mark.parametrize("raised", [None, *ERRORS, RuntimeError])
@pytest.mark.parametrize("steps", [plain, swallowing, exchanging, empty, twice, stubborn, raising_again])
def test_a_block_runs_inside_a_generator(steps: Callable[[list[str]], Iterator[str]], raised: type[BaseException] | None) -> None:
    def through(module: Any) -> tuple[Any, list[str]]:
        log: list[str] = []

        def call() -> str:
            with module.contextmanager(steps)(log) as value:
                log.append(value)
                if raised is not None:
                    raise raised("words")
            return "went on"

        return outcome(call), log

    assert through(light) == through(contextlib)


def test_an_error_keeps_the_place_where_it_was_raised() -> None:
    with pytest.raises(ValueError, match="words") as caught, light.contextmanager(plain)([]):
        raise ValueError("words")
    assert caught.traceback[-1].frame.code.name == "test_an_error_keeps_the_place_where_it_was_raised"
    assert light.contextmanager(plain).__name__ == "plain"


@pytest.mark.parametrize("raised", [ValueError, RuntimeError, StopIteration])
def test_a_traceback_does_not_tell_of_the_generator(raised: type[BaseException]) -> None:
    def places(module: Any) -> list[str]:
        with pytest.raises(raised) as caught, module.contextmanager(plain)([]):
            raise raised("words")
        return [entry.frame.code.name for entry in caught.traceback]

    assert places(light) == places(contextlib) == ["places"]


def test_answers_are_remembered() -> None:
    calls: list[int] = []

    @light.lru_cache(maxsize=2)
    def double(number: int, add: int = 0) -> int:
        """Twice."""
        calls.append(number)
        return 2 * number + add

    assert [double(1), double(1), double(2), double(3), double(1), double(1, add=1)] == [2, 2, 4, 6, 2, 3]
    assert calls == [1, 2, 3, 1, 1]
    assert (double.__name__, double.__doc__, double.__module__) == ("double", "Twice.", __name__)
    double.cache_clear()
    assert double(1) == 2 and calls[-1] == 1 and len(calls) == 6
    every = light.cache(calls.append)
    for number in (*range(500), *range(500)):
        every(number)
    assert len(calls) == 506
    with pytest.raises(TypeError):
        light.cache(len)([])  # type: ignore[arg-type]
    assert type(light.cache(len)) is type(functools.cache(len))

    class Held:
        @light.cache
        def own(self) -> int:
            return id(self)

    held = Held()
    assert held.own() == held.own() == id(held)


def test_members_are_as_those_of_enum() -> None:
    class Light(light.Enum):
        ONE = "one"
        TWO = 2

        def is_one(self) -> bool:
            return self is Light.ONE

        @property
        def doubled(self) -> Any:
            return self.value * 2

    class Real(enum.Enum):
        ONE = "one"
        TWO = 2

    for own, real in ((Light.ONE, Real.ONE), (Light.TWO, Real.TWO)):
        assert (own.name, own.value, repr(own).replace("Light", "Real")) == (real.name, real.value, repr(real))
    assert Light.ONE.is_one() and not Light.TWO.is_one() and Light.TWO.doubled == 4
    assert len({Light.ONE, Light.TWO, Light.ONE}) == 2
    assert isinstance(Light.ONE, Light)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.booleans())
def test_json_is_written_and_read_as_by_json(value: Any, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert plainjson.dumps(value, ascii_only=ascii_only) == text
    for spaced in (text, f" \n{text}\t\r", json.dumps(value, indent=2, ensure_ascii=ascii_only)):
        assert plainjson.loads(spaced) == json.loads(spaced) == value
        assert repr(plainjson.loads(spaced)) == repr(value)


@given(st.text(st.sampled_from('{}[]",:\\ \n\ufeff\u00a0aeu019.-+tN')) | st.binary().map(lambda data: data.decode("latin-1")))
def test_what_is_no_json_is_refused_as_by_json(text: str) -> None:
    assert repr(outcome(lambda: plainjson.loads(text))) == repr(outcome(lambda: json.loads(text)))


@pytest.mark.parametrize("value", [{1: 2}, {None: 1}, (1, [2]), [{"a": (1,)}], True, 10**30, float("inf"), "\ud800", "\u2028", {}, [], ()])
def test_odd_values_are_written_as_by_json(value: Any) -> None:
    assert plainjson.dumps(value) == json.dumps(value)
    assert plainjson.dumps(value, ascii_only=False) == json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize("value", [{1, 2}, object(), [b"x"]])
def test_what_json_cannot_write_is_refused_in_its_words(value: Any) -> None:
    assert outcome(lambda: plainjson.dumps(value)) == outcome(lambda: json.dumps(value))


@pytest.mark.parametrize("in_c", [True, False])
def test_one_value_is_read_after_the_other(monkeypatch: pytest.MonkeyPatch, in_c: bool) -> None:
    if not in_c:
        monkeypatch.setattr(plainjson, "_scan", None)
    scan = plainjson.scan
    text = '{"a": [1, 2.5, "x"]}, NaN, tail'
    assert scan(text, 0) == ({"a": [1, 2.5, "x"]}, 20)
    value, end = scan(text, 22)
    assert value != value and end == 25
    for place in (27, len(text)):
        assert outcome(lambda at=place: scan(text, at)) == outcome(lambda at=place: json.JSONDecoder().raw_decode(text, at))  # type: ignore[misc]


def test_constants_are_given_by_the_caller() -> None:
    def refuse(name: str) -> Any:
        raise ValueError(f"no {name}")

    with pytest.raises(ValueError, match="no -Infinity"):
        plainjson.loads("[1, -Infinity]", refuse)
    assert plainjson.loads("[NaN]", str) == ["NaN"]


def test_a_hook_that_a_later_python_asks_for_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    made = plainjson._c.make_scanner

    def later(rules: Any) -> Any:
        assert rules.array_hook is None  # Python 3.15
        return made(rules)

    monkeypatch.setattr(plainjson._c, "make_scanner", later)
    assert plainjson.loads("[NaN]", str) == ["NaN"]


def test_deep_nesting_is_a_recursion_error() -> None:
    with pytest.raises(RecursionError):
        plainjson.loads("[" * 100_000)


def test_sqlite_keeps_its_statements_without_functools() -> None:
    script = (
        "import sys; from memgit.cache import sqlite; assert not {'functools', 'collections', 'sqlite3'} & set(sys.modules); "
        "c = sqlite.connect(':memory:', cached_statements=2); "
        "print([c.execute(f'select {n % 3}').fetchone()[0] for n in range(9)]); import functools; print(functools.partial)"
    )
    done = subprocess.run([sys.executable, "-S", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[0, 1, 2, 0, 1, 2, 0, 1, 2]\n<class 'functools.partial'>\n"


def test_no_other_thread_meets_a_functools_without_its_parts() -> None:
    script = (
        "import sys, _thread\n"
        "ready, done = _thread.allocate_lock(), _thread.allocate_lock()\n"
        "def wait(): ready.release(); done.acquire()\n"
        "ready.acquire(); done.acquire(); _thread.start_new_thread(wait, ()); ready.acquire()\n"
        "from memgit.cache import sqlite\n"
        "print(sys.modules['functools'].partial, sqlite.connect(':memory:').execute('select 7').fetchone()[0]); done.release()"
    )
    done = subprocess.run([sys.executable, "-S", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "<class 'functools.partial'> 7\n"

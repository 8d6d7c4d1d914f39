"""The stand-in for `re`: kept patterns are those that `re` compiles, and where anything is wrong with what is kept, `re` does it."""

from __future__ import annotations

import marshal
import os
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest

import memgit
from memgit.model import regex
from memgit.model.pattern import _Pattern

KEY = (False, r"(?P<word>\w+)[ \t]*(x)?", re.IGNORECASE.value)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file of kept patterns that is not there yet, in a process that has compiled none."""
    place = tmp_path / "kept.patterns"
    monkeypatch.setattr(regex, "_place", lambda: str(place))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(regex, "_used", {})
    monkeypatch.setattr(regex, "_made", {})
    forget()
    yield place
    forget()


def forget() -> None:
    for kept in (regex._kept, regex._may_keep):
        kept.cache_clear()


def next_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was compiled is forgotten, what is kept is read again."""
    monkeypatch.setattr(regex, "_used", {})
    monkeypatch.setattr(regex, "_made", {})
    forget()


def all_patterns() -> dict[tuple[str | bytes, int], str]:
    """Every pattern that a module of the package holds, with the module."""
    found: dict[tuple[str | bytes, int], str] = {}
    for info in walk_packages(memgit.__path__, "memgit."):
        if info.name != "memgit.__main__":
            for value in vars(import_module(info.name)).values():
                if isinstance(value, _Pattern):
                    found[value._made] = info.name
                elif isinstance(value, re.Pattern):
                    found[value.pattern, value.flags] = info.name
    return found


def test_every_pattern_of_the_package_comes_back_as_it_was_compiled(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    patterns = all_patterns()
    assert len(patterns) > 150
    next_process(monkeypatch)  # some were compiled when their modules were loaded
    for text, flags in patterns:
        regex.compile(text, flags)
    assert len(regex._made) == len(patterns) <= regex.MOST
    regex.keep()
    next_process(monkeypatch)
    monkeypatch.setattr(regex, "_compiled", None)
    for text, flags in patterns:
        # Equal patterns have the same code, flags and text.
        assert regex.compile(text, flags) == re.compile(text, flags)
        assert regex.compile(text, flags).groupindex == re.compile(text, flags).groupindex


@pytest.mark.parametrize("key", [KEY, (True, rb"([a-f])\0(?:x|y){2,3}?(.{20})", re.DOTALL.value), (False, "(?s)(?P<key>.+)\\.md", 0)])
def test_a_kept_pattern_finds_what_it_found(key: Any, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = regex.compile(*key[1:])
    regex.keep()
    next_process(monkeypatch)
    kept = regex.compile(*key[1:])
    assert kept == made and regex._made == {} and regex.compile(*key[1:]) is kept
    for text in ("", "Word  X", "a\0xyx" + "z" * 20, "folder/note.md\n"):
        given: Any = text.encode() if key[0] else text
        found, expected = kept.search(given), re.compile(*key[1:]).search(given)
        assert (found and (found.span(), found.groups(), found.groupdict(), found.lastgroup)) == (
            expected and (expected.span(), expected.groups(), expected.groupdict(), expected.lastgroup)
        )


def test_processes_add_to_what_is_kept(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    regex.compile("one")
    next_process_made = {(False, "two", 0): regex._told(re, "two", 0)}
    regex.keep()
    next_process(monkeypatch)
    monkeypatch.setattr(regex, "_made", next_process_made)
    regex.keep()
    assert {text for _, text, _ in regex._read()} == {"one", "two"}
    assert os.listdir(place.parent) == [place.name]


def damaged() -> dict[str, bytes]:
    code = regex._told(re, KEY[1], KEY[2])
    flags, words, *rest = code
    ours = regex._interpreter()
    return {
        "empty": b"",
        "zeros": bytes(4096),
        "cut": marshal.dumps((ours, {KEY: code}))[:-20],
        "no pair": marshal.dumps([1, 2, 3]),
        "no table": marshal.dumps((ours, [KEY, code])),
        "another Python": marshal.dumps((("3.99", *ours[1:]), {KEY: (flags, words[:-4], *rest)})),
        "another code": marshal.dumps(((ours[0], ours[1] + 1, ours[2]), {KEY: (flags, words[:-4], *rest)})),
        "code that is none": marshal.dumps((ours, {KEY: (flags, b"\xff" * len(words), *rest)})),
        "code that is cut": marshal.dumps((ours, {KEY: (flags, words[:-4], *rest)})),
        "odd length": marshal.dumps((ours, {KEY: (flags, words[:-1], *rest)})),
        "too little": marshal.dumps((ours, {KEY: (flags,)})),
        "other types": marshal.dumps((ours, {KEY: (flags, "text", *rest)})),
        "no sequence": marshal.dumps((ours, {KEY: 7})),
    }


@pytest.mark.parametrize("what", damaged())
def test_what_is_damaged_or_foreign_is_compiled_anew_and_replaced(what: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write_bytes(damaged()[what])
    assert regex.compile(KEY[1], KEY[2]) == re.compile(KEY[1], KEY[2])
    assert KEY in regex._made
    regex.keep()
    next_process(monkeypatch)
    assert regex.compile(KEY[1], KEY[2]) == re.compile(KEY[1], KEY[2]) and regex._made == {}


def test_nothing_is_kept_where_python_keeps_no_compiled_module(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert regex.compile("one") == re.compile("one")
    regex.keep()
    next_process(monkeypatch)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(regex, "_place", lambda: None)
    assert regex.compile("one") == re.compile("one")
    regex.keep()
    next_process(monkeypatch)
    monkeypatch.setattr(regex, "_place", lambda: str(place.parent / "missing" / place.name))
    assert regex.compile("one") == re.compile("one")
    regex.keep()
    assert os.listdir(place.parent) == []


def test_a_full_disk_or_a_lost_folder_is_no_failure(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    regex.compile("one")
    monkeypatch.setattr(regex, "_place", lambda: str(place.parent / "gone" / place.name))
    regex.keep()
    monkeypatch.setattr(regex, "_place", lambda: str(place))
    monkeypatch.setattr(regex, "MOST", 0)
    regex.keep()
    assert os.listdir(place.parent) == []


def test_a_pattern_made_once_is_not_kept(place: Path) -> None:
    assert regex.once("a{3,7}", regex.MULTILINE) == re.compile("a{3,7}", re.MULTILINE)
    assert regex._made == {}


def test_a_python_that_compiles_in_another_way_keeps_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(re._compiler, "_code")  # type: ignore[attr-defined]
    assert regex._made == {}
    with pytest.raises(AttributeError):
        regex._told(re, "one", 0)


def test_functions_and_flags_are_those_of_re(place: Path) -> None:
    for name in ("ASCII", "DOTALL", "IGNORECASE", "MULTILINE"):
        assert getattr(regex, name) == getattr(re, name)
    text = "one, two\nOne"
    for name in ("match", "fullmatch", "search"):
        for pattern, flags in (("ONE", re.IGNORECASE.value), ("one.*", re.DOTALL.value), ("^One$", re.MULTILINE.value), ("none", 0)):
            found, expected = getattr(regex, name)(pattern, text, flags), getattr(re, name)(pattern, text, flags)
            assert (found and found.span()) == (expected and expected.span())
    assert [found.span() for found in regex.finditer("o(n)e", text)] == [found.span() for found in re.finditer("o(n)e", text)]
    assert regex.findall("o(n)e", text, regex.IGNORECASE) == re.findall("o(n)e", text, re.IGNORECASE)
    assert regex.split("[, \n]+", text, maxsplit=1) == re.split("[, \n]+", text, maxsplit=1)
    assert regex.sub("(o)(n)", r"\2\1", text, count=1) == re.sub("(o)(n)", r"\2\1", text, count=1)
    assert regex.sub("o", lambda match: match[0].upper(), text) == re.sub("o", lambda match: match[0].upper(), text)


def test_a_text_is_escaped_as_by_re() -> None:
    every = "".join(map(chr, range(0x3000)))
    assert regex.escape(every) == re.escape(every)
    assert regex.escape(b"a.b") == re.escape(b"a.b")


def test_whatever_else_is_asked_for_is_that_of_re() -> None:
    other: Any = regex
    assert other.error is re.error and other.purge is re.purge
    with pytest.raises(AttributeError):
        other.no_such_thing  # noqa: B018
    with pytest.raises(AttributeError):
        other.__path__  # noqa: B018
    with pytest.raises(re.error):
        regex.compile("(")

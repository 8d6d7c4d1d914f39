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
    assert len(regex._made) == len(patterns)
    assert len(regex._packed(regex._made)) < regex.MOST / 1.5
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
    good = regex._packed({KEY: code})
    return {
        "empty": b"",
        "short": good[:7],
        "zeros": bytes(4096),
        "cut": good[:-20],
        "longer": good + b"\0",
        "no checksum": good[8:],
        "no pair": summed([1, 2, 3]),
        "no table": summed((ours, [KEY, code])),
        "another Python": summed((("3.99", *ours[1:]), {KEY: (flags, words[:-4], *rest)})),
        "another code": summed(((*ours[:2], ours[2] + 1, ours[3]), {KEY: (flags, words[:-4], *rest)})),
        "code that is none": summed((ours, {KEY: (flags, b"\xff" * len(words), *rest)})),
        "code that is cut": summed((ours, {KEY: (flags, words[:-4], *rest)})),
        "odd length": summed((ours, {KEY: (flags, words[:-1], *rest)})),
        "too little": summed((ours, {KEY: (flags,)})),
        "too large": summed((ours, {KEY: (1 << 80, words, *rest)})),
        "other types": summed((ours, {KEY: (flags, "text", *rest)})),
        "no sequence": summed((ours, {KEY: 7})),
    }


def summed(value: Any) -> bytes:
    data = marshal.dumps(value)
    return regex._sum(data) + data


@pytest.mark.parametrize("what", damaged())
def test_what_is_damaged_or_foreign_is_compiled_anew_and_replaced(what: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write_bytes(damaged()[what])
    assert regex.compile(KEY[1], KEY[2]) == re.compile(KEY[1], KEY[2])
    assert KEY in regex._made
    regex.keep()
    next_process(monkeypatch)
    assert regex.compile(KEY[1], KEY[2]) == re.compile(KEY[1], KEY[2]) and regex._made == {}


def test_what_has_a_wrong_byte_anywhere_is_not_given_to_the_c_code(place: Path) -> None:
    # Such code makes `_sre` read and write wherever it points.
    good = regex._packed({KEY: regex._told(re, KEY[1], KEY[2])})
    place.write_bytes(good)
    assert regex._read()
    for at in range(len(good)):
        place.write_bytes(good[:at] + bytes([good[at] ^ 1 << at % 8]) + good[at + 1 :])
        assert regex._read() == {}


def test_patterns_of_older_versions_make_room(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    regex.compile("older")
    regex.keep()
    next_process(monkeypatch)
    regex.compile("newer")
    monkeypatch.setattr(regex, "MOST", len(regex._packed(regex._made)))
    regex.keep()
    assert {text for _, text, _ in regex._read()} == {"newer"}
    monkeypatch.setattr(regex, "MOST", 0)
    regex.keep()
    assert {text for _, text, _ in regex._read()} == {"newer"}


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_nobody_else_may_write_the_file(mask: int, place: Path) -> None:
    regex.compile("one")
    old = os.umask(mask)
    try:
        regex.keep()
    finally:
        os.umask(old)
    assert place.stat().st_mode & 0o777 == 0o644 & ~mask


def test_nothing_is_left_of_a_write_that_failed_or_was_killed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    regex.compile("one")
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        regex.keep()
    assert os.listdir(place.parent) == []
    Path(f"{place}.{os.getpid()}").write_bytes(b"half")  # of a process with the same number
    regex.keep()
    regex.keep()
    assert os.listdir(place.parent) == [place.name] and regex._read()


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


def test_a_lost_folder_is_no_failure(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    regex.compile("one")
    monkeypatch.setattr(regex, "_place", lambda: str(place.parent / "gone" / place.name))
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

"""Text is known by its name, then by its content; junk by its place."""

from __future__ import annotations

import pytest

from memgit.ingest.filetypes import junk, known_text, language, looks_text


@pytest.mark.parametrize(
    ("name", "text", "read_as"),
    [
        ("a.md", True, "markdown"),
        ("A.MD", True, "markdown"),
        ("notes.txt", True, "prose"),
        ("x.py", True, "python"),
        ("Makefile", True, "make"),
        ("logo.png", False, "prose"),
        ("README", None, "prose"),
        ("a.unknown", None, "prose"),
        (".md", None, "prose"),
    ],
)
def test_by_name(name: str, text: bool | None, read_as: str) -> None:
    assert known_text(name) is text
    assert language(f"folder/{name}") == read_as


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain\ttext\r\n", True),
        ("wörter".encode(), True),
        (b"", True),
        (b"\x89PNG\r\n\x1a\n\0", False),
        (b"\x01\x02\x03abc", False),
        ("é".encode("latin-1"), False),
    ],
)
def test_by_content(data: bytes, text: bool) -> None:
    assert looks_text(data) is text


def test_a_character_cut_off_by_the_sample_is_no_fault() -> None:
    assert looks_text((b"x" + "é".encode() * 4096)[:8192])
    assert not looks_text((b"x" + "é".encode() * 40)[:80])


@pytest.mark.parametrize(
    "path",
    [
        "node_modules/x.md",
        "a/Build/x.md",
        ".obsidian/app.json",
        "a/.git/config",
        ".env",
        "LICENSE",
        "x.min.js",
        "a/uv.lock",
        "kb/_index.json",
    ],
)
def test_junk(path: str) -> None:
    assert junk(path) is not None


@pytest.mark.parametrize("path", ["a.md", "docs/licensing.md", "src/main.py", "rebuild/x.md"])
def test_no_junk(path: str) -> None:
    assert junk(path) is None

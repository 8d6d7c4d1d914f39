"""Patterns of a configuration that lead out of the root, or that would take long to compare."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from memgit.app.config import KEYS, parse
from memgit.errors import BadInput


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('layout: notes\nnotes: ["../**/*.md"]\n', "stay under its folder"),
        ("layout: notes\nnotes: /etc/*.md\n", "stay under its folder"),
        ('layout: notes\nnotes: ["*.txt"]\n', "must end in .md"),
        ('notes: ["**/**/**/*.md"]\n', "asterisks"),
        ('notes: ["*a*a*a*b.md"]\n', "asterisks"),
        ('kinds:\n  note:\n    pattern: "{key}{key}.md"\n', "one key"),
        ('kinds:\n  note:\n    pattern: "{path}/{key}.md"\n', "one key"),
        ("kinds:\n  note:\n    form: adr\n", "does not store note"),
        ("kinds:\n  knowledge:\n    form: adr\n", "does not store knowledge"),
    ],
)
def test_what_is_refused(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        parse(text.encode())


def test_decisions_of_other_tools() -> None:
    layout = parse(b"layout: notes\nkinds:\n  decision:\n    folder: docs/adr\n    form: adr\n").layout
    found = layout.find("docs/adr/0001-a.md")
    assert found is not None and (found[0].form, found[1]) == ("adr", "0001-a")


@pytest.mark.parametrize(
    "pattern", ["*a*a*ab.md", "**/**/*a*a*b.md", "**/*a*{key}b.md", "*a*a*a/*a*a*a/*a*a*a/*.md"]
)
def test_the_worst_pattern_takes_no_time(pattern: str) -> None:
    layout = parse(f'layout: notes\nnotes: ["{pattern}"]\n'.encode()).layout
    began = time.process_time()
    assert layout.find("a/" * 100 + "a" * 250 + ".md") is None
    assert time.process_time() - began < 3


def test_names_of_several_asterisks_match_as_globs_do() -> None:
    layout = parse(b'layout: notes\nnotes: ["a*b*c/*x*.md"]\n').layout
    assert layout.find("a1b2c/_x_.md") is not None
    assert layout.find("abbcc/x.md") is not None
    assert layout.find("acb/x.md") is None
    assert layout.find("ab/c/x.md") is None
    assert layout.find("abc/y.md") is None


@pytest.mark.parametrize("text", ["version: 2\n", "# made by hand\nversion: two\nlayout: notes\n"])
def test_a_form_that_a_newer_memgit_wrote(text: str) -> None:
    with pytest.raises(BadInput, match="is not 1") as caught:
        parse(text.encode())
    assert caught.value.line == text.count("\n", 0, text.index("version")) + 1


def test_keys_that_mean_nothing_are_kept_with_their_lines() -> None:
    assert parse(b"version: 1\n# c\nnote: x\n").unknown == (("note", 3),)
    assert parse(b"version: 1\nlayout: memgit\n").unknown == ()


def test_the_page_has_every_key() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "configuration.md").read_text()
    assert set(re.findall(r"(?m)^\| `([a-z_]+)` \|", page.partition("\n\nWith ")[0])) == KEYS

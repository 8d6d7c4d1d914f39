"""Bodies and titles of entries: any text comes back as it was."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings

from memgit.errors import BadInput
from memgit.formats.blocks import outline
from memgit.formats.mem_skill import bodies, titles
from tests import strategies
from tests.support import examples


@settings(max_examples=examples(500))
@given(strategies.bodies() | strategies.plain_bodies)
def test_a_body_comes_back(text: str) -> None:
    body = bodies.of(text)
    assert bodies.of(body) == body
    try:
        written = bodies.escape(body)
    except BadInput:
        assume(False)
    assert bodies.unescape(written) == body
    found = outline(f"**Label:**\n\n{written}\n", setext=False)
    assert not [heading for heading in found.headings if heading.level < 3]
    assert found.unclosed is None
    assert not written.split("\n")[-1].startswith("---")


ESCAPES = {
    "## two": "\\## two",
    "# one": "\\# one",
    "##": "\\##",
    "   ## set in": "   \\## set in",
    "**Date:** x": "\\**Date:** x",
    "**日期：** x": "\\**日期：** x",
    "**keywords：** x": "\\**keywords：** x",
    "---": "\\---",
    "a\n---": "a\n\\---",
    "<div>\n---": "<div>\n\\---",
    "<!-- open": "\\<!-- open",
    "<script>": "\\<script>",
    "<<<<<<< ours": "\\<<<<<<< ours",
    "\\## two": "\\\\## two",
    "\\**Solution:**": "\\\\**Solution:**",
    "**Solution:**": "\\**Solution:**",
}
KEPT = [
    "### three",
    "#hash",
    "**Unknown:** x",
    "- **Date:** x",
    "a\n---\nb",
    "<!-- closed -->",
    "<!--\n## x\n-->",
    "<div>\n---\n</div>",
    "    ## code",
    "text",
    "```\n## x\n**Date:** x\n---\n```",
    "- a\n  ```\n  ## x\n  ```",
    "<b>",
    "\\*a*",
    "=======",
    "a\n**Solution:**\n- b",
    "***",
    "\\",
]


@pytest.mark.parametrize(("body", "written"), ESCAPES.items())
def test_lines_that_would_be_structure_are_escaped(body: str, written: str) -> None:
    assert bodies.escape(body) == written
    assert bodies.unescape(written) == body


@pytest.mark.parametrize("body", KEPT)
def test_other_lines_are_kept(body: str) -> None:
    assert bodies.escape(body) == body
    assert bodies.unescape(body) == body


def test_an_unclosed_fence_is_refused_with_its_line() -> None:
    with pytest.raises(BadInput) as caught:
        bodies.escape("a\n\n```sh\nb\n## c")
    assert caught.value.line == 3
    assert bodies.escape("- ```\n  a") == "- ```\n  a"  # ends with its list


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("", ""),
        (" \n\t\n", ""),
        ("One.", "- One."),
        ("One.\n\n\nTwo\nlines.", "- One.\n- Two\n  lines."),
        ("\n\n  One.  \r\n\r\n", "- One."),
        ("- a\n- b", "- a\n- b"),
        ("a\n\n- b", "a\n\n- b"),
        ("1. a", "1. a"),
        ("| a |\n|---|", "| a |\n|---|"),
        ("### a\n\nb", "### a\n\nb"),
        ("    code", "    code"),
        ("**Note:** a", "**Note:** a"),
        ("a\r\nb\r\r\nc\r", "- a\n  b\n  c"),
        ("- a  \n", "- a  "),
    ],
)
def test_plain_paragraphs_become_a_list(text: str, body: str) -> None:
    assert bodies.of(text) == body


@settings(max_examples=examples(500))
@given(strategies.titles)
def test_a_title_comes_back(text: str) -> None:
    try:
        title = titles.clean(text)
    except BadInput:
        assert not titles.one_line(text)
        return
    assert titles.clean(title) == title
    for mark in ("", f"{titles.MARK} "):
        (heading,) = outline(f"## {mark}{titles.write(title)}\n", setext=False).headings
        assert titles.read(heading.title) == title
        assert not titles.is_log(heading.title)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("  a\tb\n", "a b"),
        ("🔧 a", "a"),
        ("🔧 🔧 a", "a"),
        ("🔧\ufe0f a", "a"),
        ("🔧", "🔧"),
        ("🔧a", "🔧a"),
        ("a\x00b\x1b", "a b"),
        ("👩\u200d💻 pairs", "👩\u200d💻 pairs"),
        ("a  b", "a  b"),
    ],
)
def test_a_title_is_one_line(text: str, title: str) -> None:
    assert titles.clean(text) == title


def test_text_that_was_never_utf8_is_refused() -> None:
    with pytest.raises(BadInput):
        titles.clean("caf\udce9")


def test_lines_of_a_log() -> None:
    assert titles.is_log("[2026-03-02] write | Recorded")
    assert not titles.is_log("\\[2026-03-02] write | Recorded")
    assert not titles.is_log("[2026-03-02] a title")
    assert titles.write("[2026-03-02] write | x") == "\\[2026-03-02] write | x"

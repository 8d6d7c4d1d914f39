"""Blocks: what is a heading, code or HTML, against CommonMark and against another reader of it."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import mistune
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.formats import blocks
from memgit.formats.blocks import Heading, Scanner, atx, outline
from memgit.formats.markdown import headings
from tests.support import examples

CASES: dict[str, tuple[str, list[tuple[int, str]]]] = {
    "levels": ("# a\n## b\n###### f\n####### g\n", [(1, "a"), (2, "b"), (6, "f")]),
    "blank needed": ("#a\n##b\n", []),
    "tab after": ("##\tb\n", [(2, "b")]),
    "set in by three": ("   ## b\n", [(2, "b")]),
    "set in by four": ("    ## b\n", []),
    "goes on with a paragraph by four": ("text\n    ## b\n", []),
    "closing hashes": ("## b ##\n# a #   \n## c#\n## d \\#\n", [(2, "b"), (1, "a"), (2, "c#"), (2, "d \\#")]),
    "without a title": ("#\n## \n### ###\n", [(1, ""), (2, ""), (3, "")]),
    "interrupts a paragraph": ("text\n# a\ntext\n", [(1, "a")]),
    "underlined": ("one\n===\ntwo\nlines\n---\n", [(1, "one"), (2, "two lines")]),
    "rule after a blank line": ("text\n\n---\n", []),
    "rule after a list": ("- a\n---\n", []),
    "rule after a quote": ("> a\n---\n", []),
    "in a quote": ("> # a\n", []),
    "in a list": ("- # a\n  ## b\n", []),
    "after a list": ("- a\n## b\n", [(2, "b")]),
    "set in after a list of wider content": ("10. a\n  ## b\n", [(2, "b")]),
    "in a fence": ("```\n# a\n```\n# b\n", [(1, "b")]),
    "fence of the other sign": ("~~~\n```\n# a\n~~~\n# b\n", [(1, "b")]),
    "fence that closes shorter": ("````\n```\n# a\n````\n# b\n", [(1, "b")]),
    "fence with text after it does not close": ("```\n``` x\n# a\n```\n", []),
    "backtick in the info of backticks": ("``` a`b\n# a\n", [(1, "a")]),
    "backtick in the info of tildes": ("~~~ a`b\n# a\n", []),
    "fence in a list ends with it": ("- a\n  ```\n# b\n", [(1, "b")]),
    "fence in a list goes on": ("- a\n  ```\n  # b\n  ```\n# c\n", [(1, "c")]),
    "indented fence end": ("```\n# a\n    ```\n# b\n   ```\n# c\n", [(1, "c")]),
    "unclosed fence": ("# a\n```\n# b\n", [(1, "a")]),
    "comment": ("<!--\n# a\n-->\n# b\n", [(1, "b")]),
    "comment on one line": ("<!-- x -->\n# b\n", [(1, "b")]),
    "comment inside text": ("text <!--\n# b\n-->\n", [(1, "b")]),
    "block tag": ("<div>\n# a\n\n# b\n", [(1, "b")]),
    "bare tag": ("<b>\n# a\n\n# b\n", [(1, "b")]),
    "bare tag in a paragraph": ("text\n<b>\n# a\n", [(1, "a")]),
    "verbatim tag": ("<pre>\n\n# a\n</pre>\n# b\n", [(1, "b")]),
    "instruction, declaration, data": ("<?x\n# a\n?>\n<!X\n# a\n>\n<![CDATA[\n# a\n]]>\n# b\n", [(1, "b")]),
    "definition above an underline": ("[a]: /b\n===\n", []),
    "definition and text above an underline": ("[a]: /b\nc\n===\n", [(1, "c")]),
    "other blanks are text": ("#\u00a0a\n\x0c# b\n", []),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_headings_are_those_of_commonmark(text: str, expected: list[tuple[int, str]]) -> None:
    for newline in ("\n", "\r\n"):
        found = headings(text.replace("\n", newline))
        assert [(heading.level, heading.title) for heading in found] == expected


def test_a_heading_tells_its_place() -> None:
    text = "a\n\n## b ##\n\none\ntwo\n---\n"
    assert headings(text, line=10) == [Heading(2, "b", 12, 12, 3, 10), Heading(2, "one two", 14, 16, 12, 23)]


def test_entry_files_have_no_underlined_headings() -> None:
    assert outline("text\n---\n## a\n===\n", setext=False).headings == [Heading(2, "a", 3, 3, 9, 13)]


def test_what_is_open_to_the_end_is_named_with_its_line() -> None:
    assert outline("a\n```\nb\n").unclosed == (2, "fence")
    assert outline("a\n\n<!-- b\n").unclosed == (3, "comment")
    assert outline("<script>\n", line=7).unclosed == (7, "HTML block")
    assert outline("- a\n  ```\n").unclosed is None  # ends with its list
    assert outline("<div>\n").unclosed is None  # ends at a blank line
    assert outline("  - a\n\n```\nb\n").unclosed == (3, "fence")


def test_kinds_of_lines() -> None:
    scanner = Scanner()
    lines = [
        "a",
        "===",
        "",
        "    b",
        "- c",
        "  ```",
        "  d",
        "e",
        "<!--",
        "f",
        "-->",
        "# g",
        "***",
        "> h",
        "i",
    ]
    assert [scanner.feed(line) for line in lines] == [
        blocks.TEXT,
        blocks.UNDERLINE,
        blocks.BLANK,
        blocks.CODE,
        blocks.TEXT,
        blocks.FENCE,
        blocks.FENCE,
        blocks.TEXT,
        blocks.HTML,
        blocks.HTML,
        blocks.HTML,
        blocks.HEADING,
        blocks.RULE,
        blocks.TEXT,
        blocks.TEXT,
    ]
    assert scanner.depth == 1  # the last line goes on with the paragraph in the quote


def test_nesting_is_bounded() -> None:
    scanner = Scanner()
    scanner.feed("> " * (blocks.MAX_DEPTH * 3))
    assert scanner.depth == blocks.MAX_DEPTH


def test_a_line_by_itself() -> None:
    assert atx("## a ##") == (2, "a")
    assert atx("    ## a") is None
    assert atx("text") is None


# Two readers give one answer: a pass over the lines at column 0, and the full one.

LINES = [
    "# a",
    "## b",
    "  ## c",
    "- x",
    "  - y",
    "1. z",
    "2. w",
    "> q",
    ">",
    "```",
    "~~~",
    "````",
    "  ```",
    "    ind",
    "text",
    "",
    "",
    "---",
    "===",
    "<!-- c",
    "-->",
    "<div>",
    "<b>",
    "</b>",
    "- ```",
    "> ```",
    "-",
    "\tfoo",
    "\t## t",
    "   ",
    "<script>",
    "</script>",
    "[a]: b",
    "## ",
    "#no",
    "<?x",
    "?>",
    "``` a`b",
    "   ---",
    "<![CDATA[",
    "]]>",
    "<!D",
    "   - deep",
    "> - a",
]
documents = st.lists(st.sampled_from(LINES), max_size=10).map("\n".join) | st.text(
    "#`~<>-= \n\tab!", max_size=40
)


@settings(max_examples=examples(200))
@given(documents)
def test_places_are_true(text: str) -> None:
    found = outline(text)
    for heading in found.headings:
        assert text.count("\n", 0, heading.start) + 1 == heading.line
        assert text.count("\n", 0, heading.end) + 1 == heading.end_line
        assert heading.start == 0 or text[heading.start - 1] == "\n"
        assert heading.end == len(text) or text[heading.end] in "\r\n"
    for span in found.hidden:
        assert span.start < span.end
        assert span.start == 0 or text[span.start - 1] == "\n"
        assert span.end == len(text) or text[span.end - 1] == "\n"


# Another reader as a judge.

_MARKDOWN = mistune.create_markdown(renderer="ast")


def tokens(text: str) -> list[dict[str, Any]]:
    found = _MARKDOWN(text)
    assert isinstance(found, list)
    return found


def judged_levels(text: str) -> list[int]:
    return [token["attrs"]["level"] for token in tokens(text) if token["type"] == "heading"]


def judged_fences(text: str) -> int:
    return sum(token["type"] == "block_code" and token.get("style") == "fenced" for token in tokens(text))


# Left out are quotes and headings in lists, where the judge itself departs from CommonMark.
PLAIN = [
    "# a",
    "## b ##",
    "#\tc",
    "#no",
    "- x",
    "  - y",
    "1. z",
    "```",
    "~~~",
    "````",
    "```sh",
    "text",
    "",
    "",
    "---",
    "===",
    "    ind",
]


@settings(max_examples=examples(300))
@given(st.lists(st.sampled_from(PLAIN), min_size=1, max_size=8).map(lambda lines: "\n".join(lines) + "\n"))
def test_another_reader_finds_the_same(text: str) -> None:
    assert [heading.level for heading in headings(text)] == judged_levels(text)
    assert sum(not span.weak and text[span.start] != "<" for span in outline(text).hidden) == judged_fences(
        text
    )


def test_another_reader_finds_the_same_headings_in_real_files(corpora: Path) -> None:
    seen = 0
    for path in sorted(corpora.rglob("*.md")):
        try:
            text = path.read_bytes().decode().replace("\r\n", "\n")
        except UnicodeDecodeError:
            continue
        if "\r" in text or "\0" in text:
            continue
        block = re.match(r"---\n.*?^---\n", text, re.DOTALL | re.MULTILINE)
        body = text[block.end() :] if block else text
        assert [heading.level for heading in headings(body)] == judged_levels(body), path
        seen += 1
    assert seen > 900


HOSTILE = {
    "one line": "x" * 300_000,
    "hashes": "#" * 300_000,
    "hash lines": "##\n" * 100_000,
    "backticks": "`" * 300_000,
    "fences": "```x\n" * 60_000,
    "growing fences": "\n".join("`" * length for length in range(3, 700)),
    "quotes in quotes": "> " * 150_000,
    "lists in lists": "1. " * 100_000,
    "deep list": "\n".join("  " * depth + "- a" for depth in range(500)),
    "blank lines": "\n" * 300_000,
    "blanks": " " * 300_000,
    "tabs": "\t" * 300_000,
    "dashes": "- " * 150_000,
    "comments": "<!--\n" * 60_000,
    "tags": "<a b=" * 60_000,
    "quoted tags": '<a b="\n' * 40_000,
    "block tags": "<div>\n\n" * 40_000,
    "underlines": "a\n---\n" * 50_000,
    "definitions": "[a]: b\n" * 40_000,
    "half definition": "[" + "a" * 300_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_takes_linear_time(text: str) -> None:
    start = time.process_time()
    headings(text)
    assert time.process_time() - start < 5  # a second at most where it is linear, minutes where it is not

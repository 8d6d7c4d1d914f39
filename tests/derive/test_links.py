"""Titles and file names in generated Markdown."""

from __future__ import annotations

import html
import re

import mistune
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.derive.links import MAX_COLUMNS, escape, escape_structure, one_line, target
from memgit.formats.markdown import relative_links, wikilinks
from memgit.formats.messages.message import columns

HOSTILE = [
    "](x.md) [",
    "[[wiki|link]]",
    "`code` and `",
    "*a* _b_ __c__ ~~d~~",
    "<script>alert(1)</script>",
    "--> <!-- x -->",
    "two\nlines\r\n## heading\n- item",
    "&amp; &#65; & co",
    "ends with \\",
    "\\`",
    "![image](x.png)",
    "[^1]: note",
    "$1 \\1 %s {{x}}",
    "tab\there\x00\x1b[31m",
    "\u202eright to left\u2066",
    "under_score_in_words _and_ outside",
    "🗂️ filing 👩‍💻 box",
    "x" * 500,
    "a|b",
    "# no heading",
    "<!-- memgit: end of generated part -->",
    "1. list",
    "> quote",
    "---",
    "http://example.org/a_b*c",
    "~tilde~",
    "<a@b.c>",
]


def rendered(line: str) -> tuple[str, str]:
    """Text and destination of the one link in the one list item that a line renders as."""
    page = str(mistune.html(line + "\n"))
    match = re.fullmatch(r'<ul>\n<li><a href="([^"]*)">(.*)</a></li>\n</ul>\n', page, re.DOTALL)
    assert match is not None, page
    assert "<" not in match[2], page
    return html.unescape(match[2]), html.unescape(match[1])


@pytest.mark.parametrize("title", HOSTILE)
def test_a_hostile_title_renders_as_it_is_typed(title: str) -> None:
    text, where = rendered(f"- [{escape(title)}](file.md)")
    assert (text, where) == (one_line(title), "file.md")


@given(st.text(st.characters() | st.sampled_from("[]()<>`*_~\\&!#^\n |-"), min_size=1))
def test_any_title_renders_as_it_is_typed(title: str) -> None:
    line = f"- [{escape(title)}](file.md)"
    assert "\n" not in line and not wikilinks(line)
    if one_line(title):
        text, where = rendered(line)
        assert where == "file.md"
        assert text.split() == one_line(title).split()


@given(st.text(st.characters() | st.sampled_from("[]()<>`*_~\\&!#^\n |-"), min_size=1))
def test_escaping_the_structure_alone_keeps_the_list_whole(title: str) -> None:
    line = f"- [{escape_structure(title)}](file.md)"
    page = str(mistune.html(line + "\n"))
    assert page.startswith("<ul>\n<li>") and page.endswith("</li>\n</ul>\n") and page.count("<li>") == 1
    assert "<!--" not in page and "<script" not in page


def test_a_title_without_anything_special_stays_as_it_is() -> None:
    for title in (
        "Responsive grid, without media queries (2026)",
        "snake_case_name",
        "Größe: 5 → 6",
        "潮汐表",
        'it\'s "quoted" & done',
    ):
        assert escape(title) == title == escape_structure(title)


def test_long_titles_are_cut() -> None:
    assert columns(one_line("潮" * 1000)) <= MAX_COLUMNS
    assert one_line("a" * MAX_COLUMNS) == "a" * MAX_COLUMNS


NAMES = [
    "plain.md",
    "two  spaces.md",
    "100%25.md",
    "#hash.md",
    "a: b.md",
    "[brackets] (1).md",
    "back\\slash.md",
    "semi;colon & co.md",
    "$HOME.md",
    'it\'s "quoted".md',
    "名前と日付.md",
    "🗂️ filing box.md",
    "cafe\u0301.md",
    "-dash.md",
    "..md",
    "tab\there.md",
    "a?b.md",
    "*star*_.md",
    "`tick`.md",
    "<angle>.md",
    "new\nline.md",
    "nbsp\u00a0.md",
    "sub folder/x.md",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_link_leads_to_its_file(name: str) -> None:
    line = f"- [title]({target(name)})"
    assert [found.path for found in relative_links(line + "\n")] == [name]
    assert rendered(line)[0] == "title"


@given(st.text(min_size=1).filter(lambda name: name[0] not in "/\\" and "\x00" not in name))
def test_any_link_leads_to_its_file(name: str) -> None:
    name += ".md"
    if "/" in name and name.startswith("/"):
        return
    assert [found.path for found in relative_links(f"- [title]({target(name)})\n")] == [name]


def test_bytes_that_are_no_text_keep_their_value() -> None:
    name = b"caf\xe9 \xff.md".decode("utf-8", "surrogateescape")
    assert target(name) == "caf%E9%20%FF.md"

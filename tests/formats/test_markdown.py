"""Links and conflict markers in Markdown: what is one, and what only looks like one."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.formats.inline import MAX_LINK, MAX_PARENTHESES
from memgit.formats.markdown import (
    RelativeLink,
    conflict_markers,
    find_wikilinks,
    relative_links,
    wikilinks,
)
from memgit.model.link import Wikilink
from tests.support import examples

LINKS: dict[str, tuple[str, list[str]]] = {
    "plain": ("See [[tides]].", ["[[tides]]"]),
    "heading and label": ("[[tides#Spring tides|springs]]", ["[[tides#Spring tides|springs]]"]),
    "own file": ("[[#Neap]]", ["[[#Neap]]"]),
    "folder": ("[[north/notes]]", ["[[north/notes]]"]),
    "address": ("[[knowledge/shell#Quote it]]", ["[[knowledge/shell#Quote it]]"]),
    "embed": ("![[map]]", ["[[map]]"]),
    "two": ("[[a]][[b]], [[c]]", ["[[a]]", "[[b]]", "[[c]]"]),
    "commas": ("[[a, b]], [[f#Comma, in the title]]", ["[[a, b]]", "[[f#Comma, in the title]]"]),
    "a year, a day": ("[[2024]] [[2026-03-02]]", ["[[2024]]", "[[2026-03-02]]"]),
    "emoji": ("[[🌊⚓]]", ["[[🌊⚓]]"]),
    "between other scripts": ("見[[潮汐]]。", ["[[潮汐]]"]),
    "brackets in a heading": ("[[f#use arr[0]]] and more", ["[[f#use arr[0]]]"]),
    "backticks in a heading": ("[[f#sed `-i` here]]", ["[[f#sed `-i` here]]"]),
    "lone backtick": ("[[f#a ` b]]", ["[[f#a ` b]]"]),
    "in a list": ("- a\n  - [[b]]", ["[[b]]"]),
    "in a quote": ("> [[b]]", ["[[b]]"]),
    "in a heading": ("## [[b]]", ["[[b]]"]),
    "in a table": ("| a |\n|---|\n| [[b\\|c]] |", ["[[b|c]]"]),
    "in brackets": ("[see [[b]]]", ["[[b]]"]),
    "after escaped backtick": ("\\` [[b]] `", ["[[b]]"]),
    "at line start with a label": ("**Related:** [[b]]", ["[[b]]"]),
    "code": ("`[[a]]` ``[[b `c`]]``", []),
    "code over two lines": ("`a\n[[b]]` [[c]]", ["[[c]]"]),
    "unclosed code": ("`a [[b]]", ["[[b]]"]),
    "code that opens inside": ("[[a `b]] c`", []),
    "fence": ("```\n[[a]]\n```", []),
    "fence in a list": ("- a\n  ```\n  [[b]]\n  ```", []),
    "indented": ("    [[a]]", []),
    "comment block": ("<!--\n[[a]]\n-->", []),
    "comment in text": ("a <!-- [[b]] --> [[c]]", ["[[c]]"]),
    "comment that never closes": ("a <!-- [[b]]", ["[[b]]"]),
    "attribute": ('a <b title="[[x]]"> [[c]]', ["[[c]]"]),
    "angle brackets": ("<https://example.org/[[a]]> [[b]]", ["[[b]]"]),
    "escapes": ("\\[\\[a]] \\[[b]]", []),
    "escaped backslash": ("\\\\[[a]]", ["[[a]]"]),
    "shell tests": ('[[ -n "$x" ]] and [[ $a == b ]]', []),
    "empty": ("[[]] [[ ]] [[...]]", []),
    "arrays": ('[[1, 2]] [[2023, 2, 3]] [["a"]] [["a", "b"]] [[\'a\']] [[true, null]]', []),
    "nested arrays": ("[[1, 2], [3, 4]] [[a], [b]] [[{20 bytes}, [{32 bytes}...]]]", []),
    "templates": ("[[{{title}}]]", []),
    "regular expressions": ("[[:alpha:]]", []),
    "subscripts": ("x[[1]] list()[[2]]", []),
    "markdown link with brackets": ("[[1]](https://example.org)", []),
    "three brackets": ("[[[a]]]", []),
    "over a line end": ("[[a\nb]]", []),
    "unclosed": ("[[a", []),
    "too long": (f"[[{'a' * MAX_LINK}]]", []),
}


@pytest.mark.parametrize(("text", "expected"), LINKS.values(), ids=LINKS.keys())
def test_wikilinks(text: str, expected: list[str]) -> None:
    for newline in ("\n", "\r\n"):
        assert [str(link) for _, link in wikilinks(text.replace("\n", newline))] == expected


def test_a_link_tells_its_line_and_place() -> None:
    text = "a\n\n- b\n  [[c|d]] ![[e]]\n"
    first, second = find_wikilinks(text, line=10)
    assert (first.line, first.link, first.embed) == (13, Wikilink("c", None, "d"), False)
    assert (second.line, second.embed) == (13, True)
    assert [text[found.start : found.end] for found in (first, second)] == ["[[c|d]]", "[[e]]"]


@settings(max_examples=examples(300))
@given(st.text('[]`\\ab#|,<>! -\n1"', max_size=60))
def test_places_hold_links(text: str) -> None:
    for found in find_wikilinks(text):
        written = text[found.start : found.end]
        assert written.startswith("[[") and written.endswith("]]") and "\n" not in written
        assert text.count("\n", 0, found.start) + 1 == found.line


RELATIVE: dict[str, tuple[str, list[tuple[str, str | None]]]] = {
    "plain": ("[a](b.md)", [("b.md", None)]),
    "fragment": ("[a](b.md#c-d)", [("b.md", "c-d")]),
    "query": ("[a](b.md?x=1)", [("b.md", None)]),
    "image": ("![a](b.png)", [("b.png", None)]),
    "image in a link": ("[![a](b.png)](c.md)", [("b.png", None), ("c.md", None)]),
    "link in a link": ("[a [b](c.md)](d.md)", [("c.md", None)]),
    "title": (
        "[a](b.md \"t (u)\") [c](d.md 't') [e](f.md (t))",
        [("b.md", None), ("d.md", None), ("f.md", None)],
    ),
    "angle brackets": ("[a](<b c.md>)", [("b c.md", None)]),
    "parentheses": ("[a](b(c).md)", [("b(c).md", None)]),
    "escaped parenthesis": ("[a](b\\).md)", [("b).md", None)]),
    "encoded": ("[a](b%2Emd) [c](100%2525.md)", [("b.md", None), ("100%25.md", None)]),
    "bytes that are no text": ("[a](b%FF.md)", [("b\udcff.md", None)]),
    "up": ("[a](../b/)", [("../b/", None)]),
    "over two lines": ("[a\nb](c.md)", [("c.md", None)]),
    "reference": ("[a][b] [b] [b][]\n\n[b]: c.md", [("c.md", None)] * 3),
    "definition on two lines": ("[b]\n\n[b]:\n  c.md", [("c.md", None)]),
    "unused definition": ("[b]: c.md", []),
    "first definition counts": ("[b]\n\n[B]: c.md\n[b]: d.md", [("c.md", None)]),
    "footnote of one word": ("a[^1]\n\n[^1]: Yes.", []),
    "schemes": ("[a](https://b.c) [d](mailto:e@f.g) <x:y>", []),
    "from the root": ("[a](/b.md) [c](//d/e)", []),
    "fragment alone": ("[a](#b)", []),
    "empty": ("[a]()", []),
    "blank in the target": ("[a](b c)", []),
    "code": ("`[a](b.md)`", []),
    "fence": ("```\n[a](b.md)\n```", []),
    "comment": ("<!-- [a](b.md) -->", []),
    "escaped": ("\\[a](b.md) [a\\](b.md)", []),
    "no opening": ("a](b.md)", []),
    "tags": ("a <a class='x' href=\"b.md#c\">d</a> <IMG alt src=e.png />", [("b.md", "c"), ("e.png", None)]),
    "tags in HTML blocks": (
        "<p align=center>\n<a\n href=' b%20c.md '><img\nsrc='d&amp;e.png'></a>\n</p>\n",
        [("b c.md", None), ("d&e.png", None)],
    ),
    "tags beside Markdown": (
        "[a](b.md) <a href=c.md>\n\n- <img src=d.png>",
        [("b.md", None), ("c.md", None), ("d.png", None)],
    ),
    "tags in code and comments": (
        "`<a href=b.md>`\n\n```\n<a href=b.md>\n```\n\n<!-- <a href=b.md> -->\n\n<p>\n<!-- <a href=b.md> -->\n</p>\n\n\\<a href=b.md>",
        [],
    ),
    "code between HTML blocks": ("<p>\n\n    <a href=b.md>\n\n```\n<a href=b.md>\n```\n\n<p>", []),
    "other tags and attributes": (
        "<b href=b.md> <a id=b.md> <a data-href=b.md> <img href=b.md> <abbr href=b>",
        [],
    ),
    "attributes that are no paths": (
        "<a href=https://b.c> <a href=//b.c> <a href=/b> <a href='{{ b }}'> <a href=''> <a href> <a href=#b>",
        [],
    ),
    "no tag": ("<a href='b.md' <a title=\"x\" href=b.md\n\nx>", []),
    "the first of two": ("<a href=b.md href=c.md>", [("b.md", None)]),
    "too deep": (f"[a]({'(' * (MAX_PARENTHESES + 1)}{')' * (MAX_PARENTHESES + 1)})", []),
}


@pytest.mark.parametrize(("text", "expected"), RELATIVE.values(), ids=RELATIVE.keys())
def test_relative_links(text: str, expected: list[tuple[str, str | None]]) -> None:
    assert [(link.path, link.fragment) for link in relative_links(text)] == expected


def test_a_relative_link_tells_its_line_and_where_its_target_stands() -> None:
    text = "a\n\n[b](c%20d.md#e)\n"
    assert relative_links(text, line=3) == [RelativeLink(5, "c%20d.md#e", "c d.md", "e", 7, 17)]
    text = "[b]\n\n[b]: <c.md>\n"
    (link,) = relative_links(text)
    assert (link.line, text[link.start : link.end]) == (1, "c.md")


CONFLICT = "a\n<<<<<<< ours\nb\n||||||| base\nc\n=======\nd\n>>>>>>> theirs\ne\n"


def test_conflict_markers() -> None:
    assert conflict_markers(CONFLICT) == [2, 4, 6, 8]
    assert conflict_markers(CONFLICT.replace("\n", "\r\n"), line=10) == [11, 13, 15, 17]
    assert conflict_markers(f"```\n{CONFLICT}```\n") == []
    assert conflict_markers(f"```\nx\n```\n{CONFLICT}~~~\n{CONFLICT}") == [5, 7, 9, 11]
    assert conflict_markers(f"<!--\n{CONFLICT}-->\n") == [3, 5, 7, 9]
    assert conflict_markers("title\n=======\n\n|||||||\n") == []  # an underline
    assert conflict_markers("<<<<<<<x\n<<<<<<<< y\n <<<<<<< z\n") == []
    assert conflict_markers("<<<<<<<\n=======\n=======\n>>>>>>>") == [1, 2, 3, 4]
    assert conflict_markers("=======\n>>>>>>> theirs\n=======\n") == [2]


# Real files: numbers as in the README of the corpora.


def count(folder: Path) -> tuple[int, int, int]:
    """Wikilinks, relative links, and those whose file is not there."""
    wiki = relative = broken = 0
    for path in sorted(folder.rglob("*.md")):
        text = path.read_bytes().decode()
        block = re.match(r"---\r?\n.*?^---\r?\n", text, re.DOTALL | re.MULTILINE)
        text = text[block.end() :] if block else text
        wiki += len(wikilinks(text))
        links = relative_links(text)
        relative += len(links)
        broken += sum(not (path.parent / link.path).exists() for link in links)
    return wiki, relative, broken


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("til", (0, 4, 4)),
        ("eips", (0, 630, 279)),
        ("mem-skill-1.2", (27, 0, 0)),
        ("mnema", (3, 0, 0)),
        ("vault", (6, 16, 2)),
    ],
)
def test_links_in_real_files(corpora: Path, name: str, expected: tuple[int, int, int]) -> None:
    assert count(corpora / name) == expected


def test_lookalikes_in_the_corpora_are_no_links(corpora: Path) -> None:
    text = (corpora / "oddities" / "links" / "lookalikes.md").read_text()
    assert "[[" in text and wikilinks(text) == []


HOSTILE = {
    "brackets": "[" * 300_000,
    "double brackets": "[[" * 150_000,
    "closing brackets": "]]" * 150_000,
    "links": "[[a]]" * 60_000,
    "openings and one end": "[[a" * 100_000 + "]]",
    "backticks": "`a" * 150_000,
    "backticks of every length": " ".join("`" * length for length in range(1, 770)),
    "backticks in links": "[[a `" * 60_000,
    "targets": "[a](" * 30_000 + ")",
    "parentheses": "[a](" + "(" * 300_000 + ")",
    "titles": "[a](b '" * 40_000 + ")",
    "blanks in a target": "[a](" + " " * 300_000 + ")",
    "references": "[x]: y\n\n" + "[a][" * 75_000,
    "shortcuts": "[x]: y\n\n" + "[a" * 150_000 + "]" * 150_000,
    "angle brackets": "<" * 300_000,
    "comments": "a <!--" * 50_000,
    "data": "a <![CDATA[" * 27_000,
    "tags": "<a b=\"" * 40_000,
    "attributes": "<a" + " b" * 150_000,
    "backslashes": "\\" * 300_000,
    "markers": "<<<<<<< a\n" * 30_000,
}  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_takes_linear_time(text: str) -> None:
    text = f"[[a]] [b](c) {text}"
    start = time.process_time()
    find_wikilinks(text)
    relative_links(text)
    conflict_markers(text)
    assert time.process_time() - start < 6  # two seconds at most where it is linear, minutes where it is not

"""Which part of a Markdown file a link may name: what GitHub and others make of headings, and names given by
hand.
"""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.lint.anchors import Anchors, places, slug
from memgit.lint.settings import Settings
from tests.lint.support import at, check, corpus, entry, memory


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Getting started", "getting-started"),
        ("Why pin `gcc` 13?", "why-pin-gcc-13"),
        ("What's new, and what isn't", "whats-new-and-what-isnt"),
        ("A -- B", "a----b"),
        ("C & D", "c--d"),
        ("Tom &amp; Ada", "tom--ada"),
        ("snake_case and _emphasis_", "snake_case-and-emphasis"),
        ("**Bold** and *slanted*", "bold-and-slanted"),
        ("See [the docs](https://example.org/a_(b))", "see-the-docs"),
        ("![logo](logo.png) Tool", "-tool".removeprefix("-")),
        ("`dispatcher.close([callback])`", "dispatcherclosecallback"),
        ("Straße über Zürich", "strasse-über-zürich"),
        ("项目 结构", "项目-结构"),
        ("1.2.0 (2026-01-05)", "120-2026-01-05"),
        ("<b>HTML</b> in it", "html-in-it"),
        ("🎉 Party", "-party"),
        ("⚙\ufe0f Settings", "-settings"),
        (":rocket: Features", "rocket-features"),
        ("हिन्दी भाषा", "हिन्दी-भाषा"),
        ("ภาษาไทย ดี", "ภาษาไทย-ดี"),
        ("Привет, мир!", "привет-мир"),
        ("日本語：テスト（一）", "日本語テスト一"),
        ("`vector<int>` use", "vectorint-use"),
        ("A [`x<y>`](z) b", "a-xy-b"),
        ("`a[b](c)`", "abc"),
        ("Foo&nbsp;bar", "foobar"),
    ],
)
def test_slugs_as_github_makes_them(title: str, name: str) -> None:
    assert slug(title) == name
    assert Anchors(places(f"# {title}\n")).leads(name)
    assert not Anchors(places(f"# {title}\n")).leads(f"{name}-at-all")


def test_repeats_are_numbered_and_no_further() -> None:
    anchors = Anchors(places("# Usage\n## Usage\n## usage!\n## Usage 1\n"))
    assert all(anchors.leads(name) for name in ("usage", "usage-1", "usage-2", "usage-1-1"))
    assert not anchors.leads("usage-3")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Title\n=====\n", "title"),
        ("Sub title\n---\n", "sub-title"),
        ("> ## Quoted\n", "quoted"),
        ("- ### In a list\n", "in-a-list"),
        ("Line one\nline two\n===\n", "line-one-line-two"),
        ("Line one\nline two\n---\n", "line-two"),
        ("# One\nTwo\n---\n", "two"),
        ("## ⚙\ufe0f Settings\n", "\ufe0f-settings"),
        ("## ⚙ Settings\n", "\ufe0f-settings"),
        ("## Foo&nbsp;bar\n", "foo-bar"),
        ("## Tab\there\n", "tab-here"),
        ("## Heading ^blk\n", "heading"),
        ("## Heading ^blk\n", "^blk"),
        ("```{note}\n## In a directive\n```\n", "in-a-directive"),
        ("> ~~~\n> ~~~\n\n# After\n", "after"),
        ("- a\n  ```\n  code\n  ```\n\n## After a list\n", "after-a-list"),
        ("1. # Numbered\n", "numbered"),
        ("## Closed ##\n", "closed"),
        ("## C#\n", "c"),
        ("## Windows\r\nText\r\n", "windows"),
        ("<h2 align='center'>In HTML</h2>\n", "in-html"),
        ('<a id="numbers"></a>\n', "numbers"),
        ("<a name=Old></a>\n", "old"),
        ("<section class='x' id='part'>\n", "part"),
        ("## Own {#my-name .wide}\n", "my-name"),
        ("## Own {#my-name .wide}\n", "own"),
        ("Text\n{: #para}\n", "para"),
        ("(label)=\n# X\n", "label"),
        ("A paragraph. ^block-1\n", "^block-1"),
        ("# Getting  Started\n", "Getting Started"),
        ("# A\n## B c\n", "A#B c"),
        ("# 2. Install -- now\n", "install-now"),
        ("# 2. Install -- now\n", "2-install-now"),
        ("# Café au lait\n", "cafe-au-lait"),
        ("# İlgili kararlar\n", "ilgili-kararlar"),
        ("# Use\n# Use\n", "use_1"),
        ("# Read/write on crates.io\n", "read-write-on-crates-io"),
        ("# The council's part {.wide}\n", "the-council-s-part"),
        ("# 2. Install\n", "_2-install"),
        ("# X\n", "/route"),
        ("# X\n", "!app"),
        ("# X\n\n{% include parts.md %}\n", "of-the-part"),
        ('# X\n\n--8<-- "parts.md"\n', "of-the-part"),
        ("# X\n\n{{#include parts.md}}\n", "of-the-part"),
        ("# X\n\n```{include} parts.md\n```\n", "of-the-part"),
        ("# X\n", ""),
        ("# X\n", "top"),
        ("# X\n", "L10-L20"),
        ("# X\n", ":~:text=some%20words"),
        ("# X\n", "user-content-x"),
        ("Text[^1]\n", "fn1"),
        ("# X\n", "{{ page.anchor }}"),
    ],
)
def test_what_other_tools_and_people_name(text: str, name: str) -> None:
    assert Anchors(places(text)).leads(name)


@pytest.mark.parametrize("name", ["gone", "x-1", "x_1", "_x-1", "fnord", "line", "a#gone", "^x", "L"])
def test_what_nothing_makes(name: str) -> None:
    assert not Anchors(places("# X\n\n## A\n\nSome text #gone\n")).leads(name)


@pytest.mark.parametrize(
    "mark", ["```\n{}\n```\n", "~~~ python\n{}\n~~~\n", "<!--\n{}\n-->\n", "Text\n\n```\n{}", "<!-- {} -->\n"]
)
@pytest.mark.parametrize("text", ["# Not shown", "Not shown\n===", '<a id="not-shown"></a>', "(not-shown)="])
def test_what_is_code_or_comment_is_no_heading(mark: str, text: str) -> None:
    anchors = Anchors(places(f"# Before\n\n{mark.format(text)}"))
    assert anchors.leads("before") and not anchors.leads("not-shown")
    assert Anchors(places(f"{text}\n")).leads("not-shown")


def test_a_title_above_the_text_is_a_place_too() -> None:
    anchors = Anchors(places("# Other\n"), ["Pin the compiler"])
    assert (
        anchors.leads("pin-the-compiler")
        and anchors.leads("Pin the compiler")
        and not anchors.leads("pin-the-compiler-1")
    )
    files: dict[str, str | bytes] = {
        "memory/a.md": memory("A", "[1](b.md#pin-it) [2](b.md#title-pin-it)"),
        "memory/b.md": memory("Pin it"),
    }
    (found,) = check(corpus(files), "MG205")
    assert "#title-pin-it" in found.message


def test_the_nearest_is_told() -> None:
    anchors = Anchors(places("# Mailing Lists\n## Other\n"))
    assert anchors.near("mailing-list") == "mailing-lists"
    assert anchors.near("zoom") is None


@given(st.text(max_size=60), st.text(max_size=30))
def test_any_text_is_looked_at(text: str, name: str) -> None:
    anchors = Anchors(places(text))
    anchors.leads(name)
    assert all(anchors.leads(slug(title)) for title in anchors.headings)


@pytest.mark.parametrize(
    "piece",
    [
        "# ",
        "{#",
        "<a ",
        "<!--",
        "[](",
        "> - 1. ",
        "(a",
        "^a ",
        "![",
        "<h1 ",
        "#",
        " ",
        "_a",
        "{#a",
        "<h1>",
        "-\n",
    ],
)
def test_hostile_text_takes_no_longer(piece: str) -> None:
    def seconds(count: int) -> float:
        start = time.process_time()
        Anchors(places(f"x\n{piece * count}")).leads("gone")
        Anchors(places(f"## {piece * count}")).leads("gone")
        return time.process_time() - start

    assert seconds(100_000 // len(piece)) < 1.5


FILES: dict[str, str | bytes] = {
    "memory/a.md": memory("A", "See [pins](b.md#why-pin-gcc)."),
    "memory/b.md": memory("B", "## Why pin gcc?"),
}


def test_the_rule_warns_of_a_heading_that_is_not_there() -> None:
    assert check(corpus(FILES), "MG205") == []
    files: dict[str, str | bytes] = {**FILES, "memory/b.md": memory("B", "## Why to pin gcc")}
    (found,) = check(corpus(files), "MG205")
    assert (found.path, found.severity) == ("memory/a.md", "warning")
    assert found.message == (
        "the link to b.md#why-pin-gcc is unresolved: memory/b.md has no such heading; did you mean "
        "#why-to-pin-gcc?"
    )
    off = Settings(select=("MG205",), options={"MG205": {"headings": False}})
    assert check(corpus(files), settings=off) == []


def test_links_within_a_file() -> None:
    text = (
        "[1](#the-part) [2](#the-parts) [3](#) [4](<#The part>) [5][ref] [6](#the%20part) "
        "`[7](#code)` [8](#fn1) [9](#the-part-1)\n"
        "\n```\n[10](#code)\n```\n\n[ref]: #gone\n\n## The part\n\n## The part\n\n![11](#gone)\n"
    )
    found = check(corpus({"memory/a.md": memory("A", text), "notes/README.md": f"{text}\n"}), "MG205")
    assert at(found) == [
        "MG205 memory/a.md:17",
        *["MG205 memory/a.md:5"] * 2,
        "MG205 notes/README.md:1",
        "MG205 notes/README.md:1",
        "MG205 notes/README.md:13",
    ]
    assert {one.severity for one in found} == {"warning"}
    (one,) = [one for one in found if one.path.startswith("memory") and "parts" in one.message]
    assert (
        one.message
        == "the link to #the-parts is unresolved: this file has no such heading; did you mean #the-part?"
    )
    assert one.address == "memory/a"


def test_a_page_of_broken_links_to_itself_takes_no_longer() -> None:
    lines = "".join(
        f"[{number}](#heading-of-part-{number}-and-more)\n\n## Heading of part {number}\n\n"
        for number in range(3_000)
    )
    start = time.process_time()
    found = check(corpus({"notes/a.md": lines}), "MG205")
    assert len(found) == 3_000 and time.process_time() - start < 8
    few = "".join(
        f"[{number}](#heading-of-part-{number}-more)\n\n## Heading of part {number}\n\n"
        for number in range(40)
    )
    found = check(corpus({"notes/a.md": few}), "MG205")
    assert [sum("did you mean" in one.message for one in found), len(found)] == [30, 40]


def test_a_link_within_an_entry_reaches_the_whole_file() -> None:
    first = (
        "## One\n**Date:** 2026-03-02\n**Best Practice:**\n- See [it](#two) and "
        "[that](#three)\n**Keywords:** a\n"
    )
    (found,) = check(corpus({"knowledge-base/http.md": f"{first}\n{entry('Two')}"}), "MG205")
    assert (found.line, found.address, "#three" in found.message) == (4, "knowledge/http#One", True)


def test_links_to_entries_pages_and_other_files() -> None:
    entries = "## Retry only timeouts\n**Date:** 2026-03-02\n**Keywords:** http\n"
    files: dict[str, str | bytes] = {
        "knowledge-base/http.md": entries,
        "notes/README.md": "# Notes\n",
        "notes/page.html": "<p>",
        "notes/wide.md": b"\xff",
        "notes/a.md": "# A\n[1](../knowledge-base/http.md#retry-only-timeouts) "
        "[2](../knowledge-base/http.md#retry-all) "
        "[3](README.md#notes) [4](README.md#gone) [5](page.html#gone) [6](wide.md#gone) "
        "[7](gone.md#gone) [8](../../out.md#gone)\n",
    }
    found = check(corpus(files), "MG205")
    assert at(found) == ["MG205 notes/a.md:2"] * 4
    assert sorted(one.severity for one in found) == ["error", "error", "warning", "warning"]
    assert sum("#retry-all" in one.message or "README.md#gone" in one.message for one in found) == 2

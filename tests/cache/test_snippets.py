"""Snippets: the best line, what matched in it, and never more than was asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.cache.snippets import MAX_TEXT, WIDTH, Snippet, Snippets, page
from memgit.model.record import Record

TEXT = """\
---
title: Caching things
keywords: [cache, http]
---

# Caching things

Intro paragraph that says little about it.

## Steps

- Configure the proxy so that cached responses expire after ten minutes, and purge them with `--purge-all` whenever a new version 1.0.21 is
  deployed to the edge nodes of the delivery network.
- 全文検索の設定を変更する 🔧
- Größe, naïve Café and user’s things.

```sh
cache clear
```
"""


def snippet(
    query: str, text: str = TEXT, width: int = WIDTH, line: int = 1, end: int | None = None
) -> Snippet:
    last = text.count("\n") + 1 if end is None else end
    record = Record("memory", "memory/x", "memory/x.md", "Caching things", line, last, 0, {}, "")
    with Snippets(query) as maker:
        return maker.of(page(record, text.encode("utf-8", "surrogatepass")), width)


@pytest.mark.parametrize(
    ("query", "line", "marked"),
    [
        ("proxies", 12, "[proxy]"),
        ("expiring caches", 12, "[cached] responses [expire]"),
        ('"1.0.21"', 12, "[1.0.21]"),
        ("--purge-all", 12, "--[purge-all]"),
        ("purg*", 12, "[purge] them"),
        ("networks", 13, "delivery [network]."),
        ("検索", 14, "全文[検索]の設定"),
        ("全文検索", 14, "[全文検索]の設定"),
        ('"設定を"', 14, "検索の[設定を]変更"),
        ("更", 14, "変[更]する"),
        ("🔧", 14, "する [🔧]"),
        ("grösse größe", 15, "[Größe],"),
        ("naive cafe", 15, "[naïve] [Café]"),
        ("user", 15, "[user]’s"),
        ("clear", 18, "cache [clear]"),
        ("intro", 8, "[Intro] paragraph"),
        ("intr", 8, "[Intro] paragraph"),
        ("caching", 8, "Intro paragraph that"),
        ("http", 8, "Intro paragraph that"),
        ("steps", 10, "[Steps] Configure the proxy"),
        ("zebra", 8, "Intro paragraph that"),
        ("", 8, "Intro paragraph that"),
    ],
)
def test_the_best_line(query: str, line: int, marked: str) -> None:
    found = snippet(
        query, TEXT if query != "caching" else TEXT.replace("cached", "kept").replace("cache clear", "wipe")
    )
    assert (found.line, marked in found.marked("[", "]")) == (line, True), found


def test_the_line_with_most_of_the_words_wins() -> None:
    text = "alpha here\n\nalpha beta here\n\nbeta and gamma and alpha\n\nalpha alpha alpha\n"
    assert snippet("alpha beta gamma", text).line == 5


def test_lines_are_counted_in_the_file() -> None:
    text = "## One\n\nalpha\n\n## Two\n\nalpha beta\n\n## Three\n\nbeta\n"
    found = snippet("beta", text, line=5, end=8)
    assert (found.line, found.text) == (7, "alpha beta")


def test_words_of_a_phrase_apart_are_not_marked() -> None:
    found = snippet('"beta gamma" delta', "beta alone, delta\nand beta gamma and gamma delta\n")
    assert found.marked("[", "]") == "and [beta gamma] and gamma [delta]"


def test_a_phrase_over_two_lines() -> None:
    found = snippet('"beta gamma"', "so beta\ngamma it is\n")
    assert (found.line, found.marked("[", "]")) == (1, "so [beta] [gamma] it is")


def test_a_long_line_is_cut_around_the_match() -> None:
    text = f"{'word ' * 200}needle {'more ' * 200}"
    found = snippet("needle", text, 80)
    assert "[needle]" in found.marked("[", "]")
    assert found.text.startswith("\u2026word")
    assert found.text.endswith("more\u2026")
    assert len(found.text) <= 80


def test_a_file_that_is_gone_gives_the_title() -> None:
    record = Record("memory", "memory/x", "memory/x.md", "A title", 1, 9, 0, {}, "")
    with Snippets("any") as maker:
        assert maker.of(page(record, None)) == Snippet(1, "A title")


def test_a_byte_order_mark_and_crlf_are_no_text() -> None:
    found = snippet("beta", "\ufeffalpha beta\r\ngamma\r\n")
    assert found.marked("[", "]") == "alpha [beta] gamma"


def test_a_huge_record_is_looked_at_in_part() -> None:
    text = "alpha\n" * (MAX_TEXT // 3) + "needle\n"
    assert snippet("needle", text).spans == ()
    assert snippet("alpha", text).line == 1


NASTY = st.text(st.sampled_from("ab cd*\"'\n\r\t#-`検索🔧é\u0301\0\u2028.é [["), max_size=60)


@given(NASTY, NASTY, st.integers(10, 60))
def test_any_query_on_any_text(query: str, text: str, width: int) -> None:
    found = snippet(query, text, width)
    assert len(found.text) <= width
    assert 1 <= found.line <= text.count("\n") + 1
    assert "\n" not in found.text
    last = 0
    for start, end in found.spans:
        assert last <= start < end <= len(found.text)
        last = end
    assert found.marked("", "") == found.text


def test_labels_after_an_item_are_no_part_of_it() -> None:
    entry = (
        "## Title\n**Context:** when it rains\n**Best Practice:**\n- carry an umbrella\n**Keywords:** "
        "rain\n**Id:** abcdefghjk\n"
    )
    assert snippet("umbrella", entry).text == "carry an umbrella"
    assert snippet("rains", entry).marked("[", "]") == "when it [rains] carry an umbrella"
    assert snippet("rain", entry.replace("when it rains", "always")).text == "always carry an umbrella"
    assert (
        snippet("umbrella", "- carry an umbrella\n**Really:** always\n").text
        == "carry an umbrella Really: always"
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("> **Never** drop the _index_ by `drop --all`", "Never drop the [index] by drop --all"),
        ("1. [ ] see [the index](https://example.org/a_(b)) &amp; more", "see the [index] & more"),
        ("- [x] index [[guide#Steps|the guide]] and [[other]]", "[index] the guide and other"),
        ("| index | of<br>rows |", "[index] | of rows"),
        ("![chart](x.png) index List<int> snake_case_name", "[index] List<int> snake_case_name"),
        ("```sh\ngrep *index* [[x]]\n```", "grep *[index]* [[x]]"),
        ("<!-- index -->\nwords", "words"),
        ("|---|\n| --- |\n***\nwords", "words"),
        ("## \U0001f527 Index of things\nwords", "words"),
        ("**Related:**\n- [[index]]\n- [[b]]\n**Context:** about the index", "about the [index]"),
    ],
)
def test_markup_is_left_out(text: str, told: str) -> None:
    assert snippet("index", text).marked("[", "]") == told


def test_a_record_without_text_gives_its_title() -> None:
    assert snippet("things", "---\ntitle: Caching things\n---\n\n# Caching things\n").text == "Caching things"


def test_a_hostile_line_takes_little_time() -> None:
    for part in ("*a ", "[a", "[[", "<b", "`a", "![a](", "_a_"):
        assert len(snippet("a", part * 50_000).text) <= WIDTH

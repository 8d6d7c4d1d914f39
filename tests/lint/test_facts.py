"""Facts of one file: which record a link stands in, and what a writer of links is told by."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgit.lint import facts
from memgit.lint.facts import FileFacts
from memgit.lint.page import Page
from memgit.lint.resolve import links_of
from tests.lint.support import corpus

PIECES = st.sampled_from(
    [
        "## One\n",
        "## Two\n**Related:** [[a]], [[b#C]]\n",
        "# Top\n",
        "text [[d]] and ![[e.png]]\n",
        "[[f#g]]\n\n",
        "```\n[[no]]\n```\n",
        "**Date:** 2026-01-02\n",
        "---\n",
        "<!-- [[no]] -->\n",
        "\n",
    ]
)


def page(path: str, text: str) -> Page:
    return corpus({path: text}).page(path)


def slowly(one: Page) -> list[tuple[int | None, int, str]]:
    """Every link of the text with the record that it stands in: by a comparison of each with each."""
    out: list[tuple[int | None, int, str]] = []
    records = one.parsed.records
    for record in records:
        found = [
            link
            for link in one.wikilinks
            if not one.place_is_entries or record.line <= link.line <= record.end_line
        ]
        out += [(record.ordinal, link.line, link.target) for link in found]
    held = {line for _, line, _ in out}
    return out + [(None, link.line, link.target) for link in one.wikilinks if link.line not in held]


def told(found: FileFacts) -> list[tuple[int | None, int, str]]:
    return [
        (None if one is None else one.record.ordinal, link.line, link.target)
        for one, link in found.links()
        if not link.field
    ]


@given(st.lists(PIECES, max_size=14), st.sampled_from(["knowledge-base/x.md", "memory/x.md", "README.md"]))
def test_a_link_stands_in_the_record_around_it(pieces: list[str], path: str) -> None:
    one = page(path, "".join(pieces))
    assert told(facts.of_page(one, False)) == told(facts.links_of_page(one)) == slowly(one)


@given(st.lists(PIECES, max_size=14))
def test_links_alone_are_those_of_all_facts(pieces: list[str]) -> None:
    one = page("knowledge-base/x.md", "".join(pieces))
    assert list(facts.links_of_page(one).links()) == list(facts.of_page(one, False).links())


def test_a_page_of_many_records_and_links_is_gone_through_once() -> None:
    files = {
        "knowledge-base/x.md": "".join(
            f"## T{number}\n**Date:** 2026-01-02\n[[x#T{number}]]\n" for number in range(3000)
        )
    }
    given = corpus(files)
    seen = [led for led in links_of(given, "knowledge-base/x.md") if led.origin is not None]
    assert [led.origin.record.title for led in seen if led.origin] == [led.link.heading for led in seen]
    assert len(seen) == 3000

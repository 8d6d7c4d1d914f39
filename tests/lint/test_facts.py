"""Facts of one file: which record a link stands in, and what a writer of links is told by."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgit.lint import facts
from memgit.lint.anchors import of_page
from memgit.lint.facts import FileFacts
from memgit.lint.page import Page
from memgit.lint.resolve import all_links, links_of
from memgit.lint.rules import RULES
from memgit.model.filetree import EditedTree
from tests.lint.support import at, check, corpus

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
        "> ### Quoted `x`\r\n",
        "Under\n===\n",
        "text ^block\n",
        '<a id="Name">{#other}\n',
        "{% include x %}\n",
        "[[x#One]] [[x#^block]] [[x#no]] [p](x.md#one) [q](x.md#other) [r](#gone) [[#Quoted x]]\n",
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


class Kept:
    """Facts as a cache keeps them, in memory."""

    def __init__(self) -> None:
        self.rows: dict[str, bytes] = {}

    def get(self, path: str) -> FileFacts | None:
        return facts.load(self.rows[path]) if path in self.rows else None

    def put(self, path: str, found: FileFacts) -> FileFacts:
        self.rows[path] = facts.dump(found)
        return found


class Unread(EditedTree):
    """The files of another state, of which none is read."""

    def data(self, path: str) -> bytes | None:
        raise AssertionError(path)


@given(st.lists(PIECES, max_size=14), st.sampled_from(["knowledge-base/x.md", "memory/x.md", "README.md"]))
def test_links_are_judged_by_kept_facts_as_by_the_file(pieces: list[str], path: str) -> None:
    kept, fresh = corpus({path: "".join(pieces)}), corpus({path: "".join(pieces)})
    found = facts.of_page(fresh.page(path))
    assert facts.load(facts.dump(found)) == found
    kept.memo = Kept()
    kept.memo.put(path, found)
    assert all_links(kept) == all_links(fresh)
    fragments = [fragment for _, _, fragment in found.files if fragment]
    one, other = kept.anchors(path), of_page(fresh.page(path))
    assert list(map(one.leads, fragments)) == list(map(other.leads, fragments))
    assert not one.lost_in(other) and not other.lost_in(one)


def test_a_second_run_reads_no_page_that_is_linked_to() -> None:
    files = {
        "memory/x.md": "---\ntitle: X\ncreated: 2026-03-02\n---\n\n## One\n\ntext ^block\n",
        "memory/y.md": "---\ntitle: Y\ncreated: 2026-03-02\n---\n\n[[x#One]] [[x#^block]] [a](x.md#one) [[x#no]] [b](x.md#no)\n",
    }
    first, second = corpus(files), corpus(files)
    first.memo = second.memo = Kept()
    codes = [rule.code for rule in RULES if rule.code.startswith("MG2")]
    found = at(check(first, *codes))
    assert "MG201 memory/y.md:6" in found and "MG205 memory/y.md:6" in found
    second.files = Unread(second.files, {})
    assert at(check(second, *codes)) == found


def test_a_wikilink_finds_any_heading_and_no_block_in_code() -> None:
    text = "- # In a list\n\n<h2>In HTML</h2>\n\nend^tight\n\n```\ncode ^fenced\n```\n"
    links = "[[x#In a list]] [[x#In HTML]] [[x#^tight]]\n[[x#^fenced]]\n"
    files = {
        f"memory/{name}.md": f"---\ntitle: {name}\ncreated: 2026-03-02\n---\n{body}"
        for name, body in (("x", text), ("y", links))
    }
    assert at(check(corpus(files), "MG201")) == ["MG201 memory/y.md:6"]

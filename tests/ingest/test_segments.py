"""The content map: every line in exactly one place, sizes in their bands, the same for the same text."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memgit.errors import UnreadableFile
from memgit.formats import frontmatter
from memgit.formats.text import decode
from memgit.ingest.content import Dropped, FileMap, Segment, map_json
from memgit.ingest.cuts.markdown import structure
from memgit.ingest.cuts.size_limits import FULL_TOKENS, LARGE_TOKENS, SMALL_TOKENS
from memgit.ingest.keywords import summary_of
from memgit.ingest.segments import APART_TOKENS, Given, map_text
from memgit.model.tokens import estimate


def count_lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n") and text != "")


def check(text: str, made: FileMap) -> None:
    """Raises where a line is in no place or in two, a range or count is wrong, or a segment has blank ends."""
    lines = text.split("\n")
    seen = [0] * (count_lines(text) + 1)
    pieces: list[Segment | Dropped] = [*made.segments, *made.dropped]
    for piece in pieces:
        assert 1 <= piece.first <= piece.last <= count_lines(text), piece
        for number in range(piece.first, piece.last + 1):
            seen[number] += 1
    assert all(count == 1 for count in seen[1:]), [
        number for number, count in enumerate(seen) if number and count != 1
    ]
    for dropped in made.dropped:
        if dropped.reason == "blank":
            assert not "".join(lines[dropped.first - 1 : dropped.last]).strip()
    for segment in made.segments:
        inside = "\n".join(lines[segment.first - 1 : segment.last])
        assert segment.tokens == estimate(inside)
        assert lines[segment.first - 1].strip()
        assert lines[segment.last - 1].strip()
        assert segment.text.strip()
        assert segment.title
        assert len(segment.key_terms) <= 5
    assert [segment.first for segment in made.segments] == sorted(segment.first for segment in made.segments)


def sections(*words: int, level: int = 2, start: str = "# Guide\n\nAbout it.\n") -> str:
    """A document with one section for each number, of about so many words."""
    out = [start]
    for number, count in enumerate(words, 1):
        out.append(
            f"\n{'#' * level} Part {number}\n\n"
            + " ".join(f"word{number}x{place}" for place in range(count))
            + "\n"
        )
    return "".join(out)


def test_a_small_file_is_one_segment() -> None:
    text = "# Title\n\nSome text.\n\n## Steps\n\n1. Do it.\n"
    made = map_text(text, Given("docs/guide.md", ("docs",)))
    assert [(one.id, one.title, one.lines, one.context) for one in made.segments] == [
        ("seg-001", "Title", "1-7", ())
    ]
    assert made.segments[0].text == "Some text.\n\n### Steps\n\n1. Do it."
    check(text, made)


def test_a_large_file_is_split_at_its_headings() -> None:
    text = sections(200, 250, 300)
    made = map_text(text, Given("guide.md"))
    assert [one.title for one in made.segments] == ["Guide", "Part 2", "Part 3"]
    assert made.segments[0].lines == "1-7"
    assert made.segments[1].context == ("Guide",)
    check(text, made)


def test_small_sections_gather_and_large_ones_are_split() -> None:
    made = map_text(sections(*[30] * 12, 200), Given("guide.md"))
    assert all(one.tokens >= SMALL_TOKENS for one in made.segments)
    long = (
        sections(200)
        + "\n## Long\n"
        + "".join(f"\nParagraph {number} " + "word " * 100 + ".\n" for number in range(12))
    )
    made = map_text(long, Given("guide.md"))
    assert all(SMALL_TOKENS <= one.tokens <= LARGE_TOKENS for one in made.segments)
    assert [one.title for one in made.segments][-3:] == ["Long (2)", "Long (3)", "Long (4)"]
    check(long, made)


def test_subsections_stay_with_their_section() -> None:
    text = "# Doc\n" + "".join(
        f"\n## Topic {number}\n\nIntro of it.\n\n### Setup\n\n{'word ' * 60}\n\n### Use\n\n{'term ' * 60}\n"
        for number in range(5)
    )
    made = map_text(text, Given("doc.md"))
    assert [one.title for one in made.segments] == [f"Topic {number}" for number in range(5)]
    check(text, made)


def test_a_heading_with_nothing_of_its_own_gives_its_place_to_the_next() -> None:
    section = f"## First\n\n- {'word ' * 150}\n\n## Second\n\n- {'term ' * 400}\n"
    made = map_text(f"# Doc\n\n{section}", Given("doc.md")).segments
    assert [(one.title, one.context, one.text.split(" ")[0]) for one in made] == [
        ("First", ("Doc",), "-"),
        ("Second", ("Doc",), "-"),
    ]
    made = map_text(f"# Doc\n\nAbout both.\n\n{section}", Given("doc.md")).segments
    assert [one.title for one in made] == ["Doc", "Second"]
    assert made[0].text.startswith("About both.\n\n### First\n")
    text = f"# Doc\n\n## A\n\n- a\n\n## B\n\n- {'b ' * 120}\n\n## C\n\n- {'c ' * 500}\n"
    made = map_text(text, Given("doc.md")).segments
    assert [one.title for one in made] == ["Doc", "C"]
    assert made[0].text.startswith("### A\n")


def test_a_fence_is_never_cut() -> None:
    code = "```python\n" + "".join(f"x{number} = {number} + 1 - 2 * 3\n\n" for number in range(300)) + "```\n"
    text = sections(300) + f"\n## Code\n\nBefore.\n\n{code}\nAfter.\n"
    made = map_text(text, Given("doc.md"))
    holder = next(one for one in made.segments if "```python" in one.text)
    assert holder.text.count("```") == 2
    check(text, made)


def test_headings_in_code_split_nothing() -> None:
    fence = "```sh\n# not a heading\n## nor this\n```\n"
    text = sections(300, 300) + fence
    assert [one.title for one in map_text(text, Given("a.md")).segments] == ["Guide", "Part 2"]


def test_an_unclosed_fence_is_closed_in_the_record() -> None:
    text = sections(300, 300) + "\n## Open\n\n" + "word " * 100 + "\n\n~~~~sh\n## echo\n"
    made = map_text(text, Given("a.md"))
    assert made.segments[-1].text.endswith("~~~~sh\n## echo\n~~~~")
    check(text, made)


def test_frontmatter_is_dropped_and_gives_the_title() -> None:
    text = "---\ntitle: 'The title'\ntags: [a]\n---\n\nBody text is here.\n"
    made = map_text(text, Given("x.md"))
    assert (made.title, made.segments[0].title, made.segments[0].lines) == ("The title", "The title", "6-6")
    assert [(one.first, one.last, one.reason) for one in made.dropped] == [
        (1, 4, "frontmatter"),
        (5, 5, "blank"),
    ]
    check(text, made)


@pytest.mark.parametrize(
    "block", ["---\na: [\n---\n", "---\n{{x}}: 1\n---\n", "+++\na = 1\n+++\n", "---\nnot closed\n"]
)
def test_odd_frontmatter_loses_no_line(block: str) -> None:
    text = f"{block}\nSome body.\n"
    check(text, map_text(text, Given("x.md")))


def test_crlf_and_byte_order_mark() -> None:
    data = b"\xef\xbb\xbf" + sections(200, 300).replace("\n", "\r\n").encode()
    text = decode(data)
    made = map_text(text, Given("x.md"))
    plain = map_text(sections(200, 300), Given("x.md"))
    assert [(one.lines, one.title, one.text) for one in made.segments] == [
        (one.lines, one.title, one.text) for one in plain.segments
    ]


def test_prose_without_headings_is_grouped_by_what_it_speaks_of() -> None:
    cats = "The Felidae include domestic cats and Panthera leopards; Felidae have whiskers. "
    trains = "A Locomotive pulls carriages over Railways; the Locomotive needs Railways and signals. "
    text = "\n\n".join([cats * 9, cats * 9, trains * 9, trains * 9]) + "\n"
    made = map_text(text, Given("notes.txt"))
    assert [one.lines for one in made.segments] == ["1-3", "5-7"]
    check(text, made)


def test_one_endless_line_is_one_segment() -> None:
    text = "word " * 60_000
    started = time.process_time()
    made = map_text(text, Given("x.md"))
    assert time.process_time() - started < 10
    assert [one.lines for one in made.segments] == ["1-1"]
    assert len(made.segments[0].title) <= 100
    check(text, made)


def test_five_thousand_headings() -> None:
    text = "".join(
        f"{'#' * (1 + number % 6)} Heading {number}\n\ntext of {number}\n\n" for number in range(5000)
    )
    started = time.process_time()
    made = map_text(text, Given("x.md"))
    assert time.process_time() - started < 10
    assert all(one.tokens <= LARGE_TOKENS for one in made.segments)
    check(text, made)


@pytest.mark.parametrize("text", ["", "\n", "  \n\t\n", "---\na: 1\n---\n", "\r\n\r\n"])
def test_what_holds_nothing_gives_no_segment(text: str) -> None:
    made = map_text(text, Given("x.md"))
    assert made.segments == ()
    check(text, made)


def test_a_bare_heading_is_a_segment() -> None:
    made = map_text("# Only a title\n", Given("x.md"))
    assert [(one.title, one.text) for one in made.segments] == [("Only a title", "# Only a title")]


def test_topic_is_the_folder_else_key_terms() -> None:
    text = "# T\n\nThe Kubernetes scheduler and Kubernetes nodes.\n"
    assert map_text(text, Given("docs/ops/k8s/x.md", ("docs", "ops", "k8s"))).segments[0].topic == "ops/k8s"
    assert map_text(text, Given("docs/x.md", ("docs",))).segments[0].topic.startswith("kubernetes")


def test_the_summary_says_something() -> None:
    assert summary_of("```sh\n\n> - **Run** the `thing` first\n") == "Run the thing first"
    assert summary_of("* * *\n---\n") == ""
    assert len(summary_of("word " * 50)) <= 60


def test_map_as_json() -> None:
    made = map_text("# T\n\nBody.\n", Given("a/x.md", ("a",)))
    assert map_json("file", "a/x.md", [made]) == {
        "source": {"type": "file", "path": "a/x.md", "total_tokens": 3},
        "segments": [
            {
                "id": "seg-001",
                "topic": "a",
                "title": "T",
                "source_file": "a/x.md",
                "source_lines": "1-3",
                "summary": "Body.",
                "estimated_tokens": 3,
                "key_terms": list(made.segments[0].key_terms),
            },
        ],
        "dropped": [],
        "skipped": [],
    }


LINES = st.sampled_from(
    [
        "# One",
        "## Two",
        "### Three",
        "#### Four",
        "Title\n=====",
        "text with Some Words in it",
        "word " * 60,
        "",
        "",
        "- item",
        "  more",
        "1. step",
        "```",
        "~~~~",
        "> quote",
        "| a | b |",
        "<div>",
        "<!--",
        "-->",
        "---",
        "    code",
        "\ttab",
        "知識庫",
        "a\rb",
        "x" * 150,
        "\x0c",
    ]
)


@given(
    st.lists(LINES, max_size=60),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["x.md", "x.txt", "x.go", "x.py"]),
    st.booleans(),
)
@example(["```"] + ["word " * 60] * 20, "\n", "x.md", True)
@example(["---", "title: x", "---", "", "# One"], "\r\n", "x.md", False)
def test_every_line_is_in_exactly_one_place(lines: list[str], newline: str, name: str, ended: bool) -> None:
    text = newline.join("\n".join(lines).split("\n")) + (newline if ended else "")
    made = map_text(text, Given(name))
    check(text, made)
    assert made == map_text(text, Given(name))
    if made.tokens < 2 * APART_TOKENS:
        assert len(made.segments) <= 1


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 150)), min_size=1, max_size=40))
def test_bands_are_kept(parts: list[tuple[int, int]]) -> None:
    """Under one heading of the first level, nothing small stands beside what has room for it, and nothing is
    too large.
    """
    text = "# Whole\n\n" + "".join(
        f"{'#' * max(2, level)} H{number}\n\n{'word ' * words}\n\n"
        for number, (level, words) in enumerate(parts)
    )
    made = map_text(text, Given("x.md"))
    sizes = [one.tokens for one in made.segments]
    assert all(size <= LARGE_TOKENS for size in sizes)
    for one, other in pairwise(sizes):
        assert min(one, other) >= SMALL_TOKENS or one + other > LARGE_TOKENS - 2, sizes
    assert FULL_TOKENS < LARGE_TOKENS


def test_maps_of_the_corpora(corpora: Path) -> None:
    files = [
        *sorted((corpora / "til").rglob("*.md"))[::12],
        *sorted((corpora / "eips").rglob("*.md"))[::6],
        *sorted((corpora / "oddities").rglob("*.md")),
    ]
    read = 0
    for path in files:
        try:
            text = decode(path.read_bytes())
        except UnreadableFile:
            continue
        read += 1
        made = map_text(text, Given(path.name, (path.parent.name,)))
        check(text, made)
        for segment in made.segments:
            if segment.tokens > LARGE_TOKENS:
                assert_whole(text, segment)
    assert read >= 80


def assert_whole(text: str, segment: Segment) -> None:
    """Raises where a segment that is too large has a place between two blocks, at which it should have been
    cut.
    """
    lines = text.replace("\r", "").split("\n")
    parts = frontmatter.split(text)
    first = text.count("\n", 0, parts.body) + 1
    hidden = structure(text[parts.body :], first).hidden
    for number in range(segment.first + 1, segment.last + 1):
        line, before = lines[number - 1], lines[number - 2]
        if "|" in line and number < len(lines) and set(lines[number]) <= set("|-: "):
            continue  # the head of a table, which stays with what introduces it
        assert number in hidden or before.strip() or not line.strip() or line[0] in " \t", (
            segment.source_file,
            number,
        )


def test_code_of_this_package_is_cut_at_its_definitions() -> None:
    root = Path(__file__).resolve().parents[2] / "memgit"
    for path in sorted(root.rglob("*.py"))[::4]:
        text = decode(path.read_bytes())
        made = map_text(text, Given(path.name))
        check(text, made)
        for segment in made.segments[1:]:
            first = text.split("\n")[segment.first - 1]
            assert (
                first.startswith((" ", "def ", "class ", "async ", "@", "#", "_", "if ", "for ", "with "))
                or first[0].isalpha()
                or "_" in first
            )


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Run `x` twice.\n", "Run x twice."),
        ("\n- Pin every version.\n- More.\n", "Pin every version."),
        ("# Heading\n\ntext\n", "Heading"),
        ("---\ntitle: Named\n---\n\ntext\n", "Named"),
        ("```sh\nmake\n```\n", "make"),
        ("!!!\n", "Text"),
    ],
)
def test_a_text_without_a_name_is_called_by_its_first_words(text: str, title: str) -> None:
    """Standard input has no file name to be called by."""
    (segment,) = map_text(text, Given("-", language="markdown")).segments
    assert (segment.title, segment.context) == (title, ())


def test_the_parts_of_a_text_without_a_name_stand_under_nothing() -> None:
    text = "".join(f"## Part {name}\n\n{name} " + "word " * 400 + "\n\n" for name in "ab")
    found = map_text(text, Given("-", language="markdown")).segments
    assert [(one.title, one.context) for one in found] == [("Part a", ()), ("Part b", ())]


README = """\
<h1 align="center">Widget Queue</h1>

<p align="center"><a href="https://x.example.org"><img src="https://x.example.org/b.svg"></a></p>

> A small queue for jobs.

## [Install](#install)

Run `pip install widget-queue` on Alpine after `apk add gcc`; false alarms of musl are harmless.

## Options

| option | default | meaning |
|---|---|---|
| `concurrency` | 4 | jobs at once, at most 64 |
| `timeout` | none | seconds until TimeoutError |

## License

MIT
"""


def test_a_readme_in_short() -> None:
    made = map_text(README, Given("README.md"))
    assert made.title == "Widget Queue"
    titles = {one.title: one for one in made.segments}
    assert {"Install", "Options", "License"} <= set(titles)
    assert "img" not in "".join(one.text for one in made.segments)
    assert titles["Options"].parts["table"] == 3 and titles["Options"].worth > titles["License"].worth + 10
    assert "false" not in titles["Install"].key_terms


def test_topics_of_a_short_text_stay_apart_only_where_nothing_is_shared() -> None:
    apart = (
        "# Notes\n\n## Tides\n\nHigh water comes twice a day near the harbour, says the almanac.\n\n"
        "## Compilers\n\nLinking fails without -lm when math.h is included by mistake somewhere.\n"
    )
    assert [one.title for one in map_text(apart, Given("n.md")).segments] == ["Tides", "Compilers"]
    shared = apart.replace("near the harbour, says the almanac", "and Linking math.h fails")
    assert [one.title for one in map_text(shared, Given("n.md")).segments] == ["Notes"]


def test_a_table_stays_whole_with_its_heading() -> None:
    rows = "".join(f"| `--flag-{number}` | {'word ' * 12}and more. |\n" for number in range(80))
    table = f"| Flag | Meaning |\n| --- | --- |\n{rows}"
    text = f"# Tides\n\n## Wait\n\n{'word ' * 300}\n\n## Flags\n\nThese may be given:\n\n{table}\n\nAfter it {'text ' * 300}\n"
    (segment,) = [one for one in map_text(text, Given("x.md")).segments if "flag-0`" in one.text]
    assert segment.title == "Flags" and "These may be given:" in segment.text and "flag-79`" in segment.text


def headed(*sections: tuple[str, int]) -> str:
    """A document with a section of so many words under each heading."""
    return "# Pump house\n\n" + "".join(
        f"{heading}\n\n{' '.join(f'w{heading[-1]}{number}' for number in range(count))}\n\n"
        for heading, count in sections
    )


def titles(text: str) -> list[str]:
    return [segment.title for segment in map_text(text, Given("house.md")).segments]


def test_joined_sections_are_named_in_full() -> None:
    small = [
        (f"## The valve of chamber {name}", 50) for name in ("one", "two", "three", "four", "five", "six")
    ]
    found = titles(headed(("## Long part", 600), *small))
    assert found == [
        "Long part",
        "The valve of chamber one; The valve of chamber two; The valve of chamber three",
        "The valve of chamber four; The valve of chamber five; The valve of chamber six",
    ]
    long = [
        (f"## {'The very long name of the valve in chamber '}{name}", 40) for name in ("one", "two", "three")
    ]
    assert titles(headed(("## Long part", 600), *long))[1:] == [
        "The very long name of the valve in chamber one (and 2 more)"
    ]


def test_what_stands_under_a_named_heading_is_not_named() -> None:
    found = titles(headed(("## Long part", 600), ("## Pumps", 60), ("### Old pumps", 50), ("## Lamps", 60)))
    assert found == ["Long part", "Pumps; Lamps"]


def test_a_heading_with_nothing_of_its_own_begins_what_is_below() -> None:
    first, second = map_text(
        headed(("## First", 390), ("## Second", 0), ("### Inner", 780)), Given("house.md")
    ).segments
    assert "Second" not in first.text
    assert second.title == "Inner"


def test_a_list_stays_with_what_introduces_it() -> None:
    words = " ".join(f"word{number}" for number in range(230))
    text = f"# Pumps\n\n{words}.\n\n{words}.\n\nBefore a start:\n\n- {words}\n- {words}\n"
    assert any(
        "Before a start:\n\n- word0" in segment.text for segment in map_text(text, Given("a.md")).segments
    )


def test_the_number_in_a_series_is_a_keyword() -> None:
    text = "---\ntitle: Cost of pumps\n---\n\nPumps cost money, and old pumps cost more.\n"
    assert "pip-204" in map_text(text, Given("pip-204.md")).segments[0].key_terms

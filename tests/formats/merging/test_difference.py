"""The part in which two entry files differ says the same about records as the whole files do."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memgit.formats.codecs import parse_file
from memgit.formats.merging.difference import Version, parts
from memgit.model.change import diff_records
from memgit.model.layout import memgit
from memgit.model.record import Record
from tests.support import examples

PATH = "knowledge-base/web.md"
IDS = ["kb7m2q9x4d", "hm3zt60rv8"]
BODIES = [
    "",
    "**Date:** 2026-01-02\n**Context:** When it matters.\n**Best Practice:**\n- Keep the gaps.\n",
    "**Date:** 2026-01-03\n**Keywords:** a, b\n\nPlain words, `code`, <b>bold</b> text.\n",
    "```md\n## not a heading\n```\n",
    "```\n## an open fence\n",
    "~~~\n## an open fence of waves\n",
    "<!-- ## hidden\n",
    "<!-- ## hidden -->\n",
    "<div>\n## in a block of HTML\n",
    "<div>\n\n## after a block of HTML\n",
    "  <pre>\n## verbatim\n",
    "</pre>\n",
    "```\n",
    "-->\n",
    "- a list\n  ```\n  ## in a list\n",
    "---\n",
    "    ## indented\n",
    " ## set in by one\n",
    f"**Id:** {IDS[0]}\n",
    f"**Id:** {IDS[1]}\n",
    "<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n",
    "<<<<<<< ours\n",
    ">>>>>>> theirs\n",
    "[2026-01-01] not | a log\n",
    "\f\v\x85\u2028 odd blanks\n",
]
TITLES = ["A", "B", "C", "C", "[2026-01-02] write | Recorded", "", "🔧 Tool", "`D`"]
TOPS = [
    "",
    "",
    "# Web\n\nAbout it.\n\n",
    "---\nname: Web\nkeywords: [a]\n---\n\n",
    "---\nname: Net\n## comment\n---\n",
    "---\nname: open\n",
    "\n\n",
    "```\n",
]

sections = st.lists(
    st.tuples(st.sampled_from(TITLES), st.lists(st.sampled_from(BODIES), max_size=3)), max_size=6
)


def text(top: str, parts: list[tuple[str, list[str]]], glue: str = "\n") -> str:
    return top + glue.join(f"## {title}\n{''.join(bodies)}" for title, bodies in parts)


def records(data: bytes) -> list[Record]:
    return list(parse_file(memgit(), PATH, data).records)


def differing(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """Of two files that nothing is known about yet."""
    return parts(Version(old), Version(new))


def told(old: bytes, new: bytes) -> list[tuple[str, str, str | None, str | None]]:
    found = [change.named() for change in diff_records(records(old), records(new), {})]
    return sorted(((change.action, change.address, change.was, change.id) for change in found), key=repr)


@st.composite
def versions(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A file and what some edits made of it."""
    parts = draw(sections)
    edited = list(parts)
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(edited)))
        move = draw(st.sampled_from(["insert", "drop", "change", "swap"]))
        if move == "insert" or not edited:
            edited.insert(place, draw(sections.filter(bool))[0])
        elif move == "drop":
            edited.pop(min(place, len(edited) - 1))
        elif move == "change":
            at = min(place, len(edited) - 1)
            edited[at] = (edited[at][0], draw(st.lists(st.sampled_from(BODIES), max_size=3)))
        else:
            edited.reverse()
    top = draw(st.sampled_from(TOPS))
    other = top if draw(st.booleans()) else draw(st.sampled_from(TOPS))
    glue = draw(st.sampled_from(["\n", "", "\n---\n\n"]))
    old, new = text(top, parts, glue), text(other, edited, glue)
    if draw(st.booleans()):
        old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
    mark = draw(st.sampled_from(["", "\ufeff"]))
    return (mark + old).encode(), (draw(st.sampled_from([mark, ""])) + new).encode()


@given(versions())
@settings(max_examples=examples(100))
@example((b"## A\n\n## B\n", b"## A\n\n## B\n\n## C\n"))
@example((b"```\n## A\n", b"```\n## A\n## B\n"))
def test_the_part_tells_what_the_whole_tells(pair: tuple[bytes, bytes]) -> None:
    old, new = pair
    part = differing(old, new)
    assert told(*part) == told(old, new), part
    assert len(part[0]) <= len(old) and len(part[1]) <= len(new)


@given(st.lists(versions(), min_size=1, max_size=2), st.lists(st.integers(0, 200), max_size=2))
@example([(b"## A\n\n## \xc3\xa9\n", b"## A\n\n## \xc3\xa9\n\n## C\n")], [10])
@example([(b"## A\n\n## B\n```\n", b"## A\n\n## B\n```\n\n## C\n")], [12])
def test_what_one_comparison_found_out_holds_for_the_next(
    pairs: list[tuple[bytes, bytes]], cuts: list[int]
) -> None:
    """Versions that are looked at again, some of them only the beginning of others, as a log of appended
    records has them.
    """
    contents = [data for pair in pairs for data in pair]
    contents += [contents[-1][:cut] for cut in cuts]
    shared = [Version(data) for data in contents]
    for old in reversed(range(len(contents))):
        for new in range(len(contents)):
            assert parts(shared[old], shared[new]) == differing(contents[old], contents[new])


@pytest.mark.parametrize("bad", [b"\xff\xfe", b"## A\n\0", b"## A\n<<<<<<< x\n"])
def test_whole_files_where_a_part_could_mislead(bad: bytes) -> None:
    good = b"## A\n\n## B\n"
    assert differing(good + bad, good) == (good + bad, good)
    assert differing(good, good + bad) == (good, good + bad)


def test_an_entry_more_in_a_large_file() -> None:
    parts = [(f"Title {number}", [BODIES[1], "```\n## x\n```\n"]) for number in range(400)]
    old = text("# Web\n\n", parts).encode()
    new = text("# Web\n\n", [*parts[:200], ("New", [BODIES[2]]), *parts[200:]]).encode()
    before, after = differing(old, new)
    assert len(before) < 400 and len(after) < 600
    assert told(before, after) == [("create", "knowledge/web#New", None, None)]


def test_an_entry_more_at_the_end() -> None:
    old = text("# Web\n\n", [(f"Title {number}", [BODIES[1]]) for number in range(3)]).encode()
    for glue in (b"", b"\n", b"\n\n\n"):
        assert differing(old, old + glue + b"## New\ntext\n") == (b"", b"## New\ntext\n")
    assert told(*differing(old, old + b"- one more\n\n## New\n")) == told(
        old, old + b"- one more\n\n## New\n"
    )
    assert differing(old.rstrip(), old.rstrip() + b"## New\n") != (b"", b"## New\n")


def test_equal_files_and_empty_ones() -> None:
    data = text("", [("A", [BODIES[1]]), ("B", [BODIES[2]])]).encode()
    for old, new in ((data, data), (b"", data), (data, b""), (b"", b"")):
        assert told(*differing(old, new)) == told(old, new)


def test_it_takes_no_quadratic_time() -> None:
    parts = [(f"T{number}", ["x" * 50 + "\n"]) for number in range(20_000)]
    old, new = text("", parts).encode(), text("", [*parts[:10_000], ("New", []), *parts[10_000:]]).encode()
    start = time.perf_counter()
    differing(old, new)
    assert time.perf_counter() - start < 5

"""A plan reads back as it was written, whatever stands in it; what is not known is refused with its line."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memgit.errors import BadInput
from memgit.ingest.planfile import dump, load, text_mark
from memgit.ingest.proposal import Candidate, Category, File, Item, Proposal, decided, gathered


def item(**fields: object) -> Item:
    base = Item(
        "seg-001",
        "docs/a.md",
        "file:docs/a.md",
        "1-9",
        "create",
        "knowledge",
        "Title",
        "ops",
        ("one", "two"),
        "Body.\n\n- a",
    )
    return base._replace(fingerprint=("0123456789ab",), **fields)  # type: ignore[arg-type]


def proposal(*items: Item) -> Proposal:
    return Proposal(
        "docs",
        ("file:docs",),
        (File("docs/a.md", "00ff00ff00ff00ff"),),
        items,
        (Category("ops", "Ops", ("x", "y z")),),
    )


def back(*items: Item) -> Proposal:
    return load(dump(proposal(*items)).encode(), "plan.yaml")


def test_a_plan_reads_back() -> None:
    made = back(
        item(
            candidates=(Candidate("knowledge/ops#Other", 0.4, "extend"),),
            summary="Says:\nthings",
            related=("knowledge/ops#Other",),
        )
    )
    assert (made.what, made.sources, made.files) == (
        "docs",
        ("file:docs",),
        (File("docs/a.md", "00ff00ff00ff00ff"),),
    )
    assert made.categories == (Category("ops", "Ops", ("x", "y z")),)
    assert made.items == (item(source="", related=("knowledge/ops#Other",)),)


TEXT = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0"), max_size=60)
BODY = st.lists(
    st.one_of(
        TEXT,
        st.sampled_from(
            ["---", "...", "# x", "\t- y", "  z", "", "body: |", "```", "é\u2028", "'\"", "a: b"]
        ),
    ),
    max_size=8,
).map("\n".join)


@given(BODY, TEXT, st.lists(TEXT, max_size=3))
@example("\tx", "---", ["a, b", "[x]"])
@example("  x\ny", "null", ["- a"])
@example("a\n\n\nb ", "'", ["#"])
def test_any_text_reads_back(body: str, title: str, words: list[str]) -> None:
    given_ = item(body=body.strip("\n"), title=f"T{title}", keywords=tuple(f"w{word}" for word in words))
    found = back(given_).items[0]
    lines = [line if line.strip() else "" for line in given_.body.split("\n")]
    assert [line if line.strip() else "" for line in found.body.split("\n")] == lines
    assert (found.title, found.keywords) == (given_.title, given_.keywords)


def test_a_body_that_was_edited_is_known() -> None:
    text = dump(proposal(item()))
    assert not load(text.encode(), "p").items[0].edited
    assert load(text.replace("  Body.", "  Another.").encode(), "p").items[0].edited
    assert text_mark("a\n") == text_mark("a")


def test_what_needs_a_decision_is_not_done_by_the_plan_as_it_stands() -> None:
    text = dump(proposal(item(action="update", into="knowledge/ops#X", reason="it was edited")))
    assert load(text.encode(), "p").items[0].action == "skip"
    assert "# update would fit, but it was edited" in text
    chosen = load(text.replace("action: skip", "action: update").encode(), "p").items[0]
    assert (chosen.action, chosen.into) == ("update", "knowledge/ops#X")


def test_what_the_plan_skips_is_skipped_by_choice() -> None:
    stopped = item(action="skip", reason="it holds what looks like a credential")
    assert stopped.stopped and not back(stopped).items[0].stopped


@pytest.mark.parametrize("reason", ["not UTF-8 at byte 3", "- a: 'b'", ""])
def test_a_file_that_could_not_be_read_is_remembered(reason: str) -> None:
    files = (
        File("a.md", "00ff00ff00ff00ff"),
        File("logo.png", "", "no text"),
        File("b: #.md", "", reason, failed=True),
    )
    made = load(dump(proposal(item())._replace(files=files)).encode(), "plan.yaml")
    assert made.files == (files[0], files[2]._replace(skipped=reason or "it could not be read"))
    assert len(made.items) == 1


def test_line_ends_of_windows_and_a_byte_order_mark_are_no_edit() -> None:
    text = dump(proposal(item()))
    found = load(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(), "p")
    assert found.items[0].body == "Body.\n\n- a"
    assert not found.items[0].edited


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("plan: 1", "plan: 2", "version 2"),
        ("plan: 1\n", "", "not a plan"),
        ("action: create", "action: replace", "'replace' is not an action"),
        ("action: create", "action: update", "update needs `into`"),
        ("action: create", "action: merge", "a segment"),
        ("kind: knowledge", "kind: thing", "'thing' is not a kind"),
        ("title: Title", "title: ''", "needs a title"),
        ("title: Title", "titel: Title", "'titel' is not known"),
        ("group: ops", "group: [a, b]", "one text"),
        ("segment: seg-001\n", "", "without its name"),
        ("keywords: [one, two]", "keywords: [one, two", ""),
        ("fingerprint: 0123456789ab", "fingerprint: 0123", "not what memgit wrote"),
        ("action: create", "date: 2026-13-01\naction: create", "no date"),
        ("lines: 1-9", "lines: some", "no lines"),
    ],
)
def test_what_is_not_known_is_refused_with_its_line(old: str, new: str, words: str) -> None:
    text = dump(proposal(item()))
    assert old in text
    with pytest.raises(BadInput) as found:
        load(text.replace(old, new).encode(), "plan.yaml")
    assert words in found.value.message
    assert found.value.path == "plan.yaml"


def test_a_segment_that_stands_twice_is_refused() -> None:
    with pytest.raises(BadInput, match="twice"):
        back(item(), item())


@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"[]", b"---\n---\n", b"x: 1\n"])
def test_no_plan(data: bytes) -> None:
    with pytest.raises(BadInput):
        load(data, "p")


def test_merged_segments_are_gathered() -> None:
    one, two, three = (
        item(segment=f"seg-00{number}", title=f"T{number}", lines=f"{number}-{number}")
        for number in (1, 2, 3)
    )
    made = gathered(
        (one, two._replace(action="merge", into="seg-003"), three._replace(action="merge", into="seg-001"))
    )
    assert made[0].body == "Body.\n\n- a\n\n### T2\n\nBody.\n\n- a\n\n### T3\n\nBody.\n\n- a"
    assert made[0].lines == "1-1, 2-2, 3-3"
    for bad in ("seg-009", "seg-001", ""):
        with pytest.raises(ValueError, match="cannot be merged"):
            gathered((one._replace(action="merge", into=bad), two))
    with pytest.raises(ValueError, match="not written"):
        gathered((one._replace(action="merge", into="seg-002"), two._replace(action="skip")))


def test_what_is_taken_without_asking() -> None:
    assert decided(item(action="update", foreign=True)).action == "extend"
    assert decided(item(action="update")).action == "update"
    assert decided(item(action="update", reason="edited")).action == "skip"

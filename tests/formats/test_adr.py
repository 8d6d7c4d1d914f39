"""Decision records of other tools: where the status stands, and which lines a change touches."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.errors import BadInput
from memgit.formats import adr
from memgit.formats.codec import Draft
from memgit.formats.codecs import form_named, parse_file
from memgit.formats.merging.merge import merge_file
from memgit.model.kinds import ADR_STATUSES
from memgit.model.layout import Layout, Place
from memgit.model.record import Record, Value

FORM = form_named("adr")
LAYOUT = Layout("notes", (Place("decision", "adr/", "{key}.md", "adr"),))
TITLE = "# 3. Send tide tables\n\nDate: 2024-03-02\n\n"


def read(text: str | bytes) -> Record:
    data = text if isinstance(text, bytes) else text.encode()
    found = parse_file(LAYOUT, "adr/0003-send-tide-tables.md", data)
    assert len(found.records) == 1
    return found.records[0]


def status_of(text: str) -> tuple[str | None, str | None, tuple[str, ...]]:
    record = read(text)
    return record.text("status"), record.text("superseded_by"), record.items("supersedes")


def edited(text: str, **changes: Value) -> str:
    return FORM.edit(text.encode(), 0, changes).decode()


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        ("Accepted", ("accepted", None, ())),
        ("accepted on 2024-03-02 by all", ("accepted", None, ())),
        ("* **Accepted**", ("accepted", None, ())),
        ("Superseded by [4. Radio](0004-radio.md)", ("superseded", "0004-radio", ())),
        ("Superceded by [4. Radio](0004-radio.md)", ("superseded", "0004-radio", ())),
        ("Superseded by [4. [x] Radio](./0004-radio.md#decision)", ("superseded", "0004-radio", ())),
        ("Superseded by [[0004-radio|the radio]]", ("superseded", "0004-radio", ())),
        ("Superseded by 0004-radio.md", ("superseded", "0004-radio", ())),
        ("Superseded by ADR-4", ("superseded", None, ())),
        ("Superseded by [ours](https://example.org/0004-radio.md)", ("superseded", None, ())),
        ("Accepted\n\nSuperseded by [4. Radio](0004-radio.md)", ("superseded", "0004-radio", ())),
        ("~~Accepted~~ Superseded by [4. Radio](0004-radio.md)", ("superseded", "0004-radio", ())),
        (
            "Accepted\n\nSupercedes [1. P](0001-p.md)\nSupersedes [2. F](0002-f.md)",
            ("accepted", None, ("0001-p", "0002-f")),
        ),
        ("Amends [1. Paper](0001-paper.md)\n\nAccepted", ("accepted", None, ())),
        ("Accepted\n\nAmended by [5. Post](0005-post.md)", ("accepted", None, ())),
        ("Deprecated", ("deprecated", None, ())),
        ("Decided. Open to other boats.", ("Decided. Open to other boats.", None, ())),
        ("<!-- Proposed, accepted or rejected -->\nRejected", ("rejected", None, ())),
        ("```\nAccepted\n```", (None, None, ())),
        ("", (None, None, ())),
    ],
)
def test_a_status_section_is_read(
    section: str, expected: tuple[str | None, str | None, tuple[str, ...]]
) -> None:
    for newline in ("\n", "\r\n"):
        text = f"{TITLE}## Status\n\n{section}\n\n## Context\n\nStatus: rejected\n".replace("\n", newline)
        assert status_of(text) == expected
    assert read(text).title == "3. Send tide tables" and read(text).created == "2024-03-02"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\nstatus: Accepted\n---\n# A\n", ("accepted", None, ())),
        ('---\nstatus: "superseded by [ADR-4](0004-radio.md)"\n---\n# A\n', ("superseded", "0004-radio", ())),
        ("---\nstatus: accepted\n---\n# A\n\n## Status\n\nSuperseded by [x](x.md)\n", ("accepted", None, ())),
        ("# A\n\n* Status: rejected\n* Deciders: Ada, Bo\n\n## Context\n", ("rejected", None, ())),
        ("# A\n\n**Status:** Accepted\n", ("accepted", None, ())),
        ("# A\n\n**Status**: superseded by [4](0004-radio.md)\n", ("superseded", "0004-radio", ())),
        ("# A\n\n## Context\n\n* Status: rejected\n", (None, None, ())),
        ("# A\n\n### Status:\naccepted", ("accepted", None, ())),
        ("Status: accepted\n", ("accepted", None, ())),
    ],
)
def test_other_places_are_read(text: str, expected: tuple[str | None, str | None, tuple[str, ...]]) -> None:
    assert status_of(text) == expected


def test_a_date_in_other_words_is_prose() -> None:
    assert read("# A\n\nDate: 2 March 2024\n").created is None
    assert read("# A\n\nDate: 2024-03-02 (draft of 2024-01-01)\n").created == "2024-03-02"


@pytest.mark.parametrize(
    ("title", "records"),
    [
        ("{short title of the problem}", 0),
        ("[short title]", 0),
        ("<title to fill in>", 0),
        ("ADR-000: {a title}", 0),
        ("[RFC] Send", 1),
        ("{x}", 1),
    ],
)
def test_a_template_is_no_record(title: str, records: int) -> None:
    found = parse_file(
        LAYOUT, "adr/adr-template.md", f'---\nstatus: "{{proposed | accepted}}"\n---\n# {title}\n'.encode()
    )
    assert len(found.records) == records and found.problems == ()


def test_people_are_read_from_either_place() -> None:
    assert read("---\ndecision-makers: [Ada, Bo]\n---\n# A\n").items("deciders") == ("Ada", "Bo")
    assert read("# A\n\n* Deciders: Ada, Bo\n").items("deciders") == ("Ada", "Bo")
    assert (
        edited("# A\n\n* Deciders: Ada, Bo\n\nText.\n", deciders=("Cy",))
        == "# A\n\n* Deciders: Cy\n\nText.\n"
    )


CONTEXT = "\n## Context\n\nPhones.\n"


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        ("Proposed\n", {"status": "accepted"}, "Accepted\n"),
        ("proposed\n", {"status": "accepted"}, "accepted\n"),
        ("* Proposed\n", {"status": "accepted"}, "* Accepted\n"),
        ("Accepted\n", {"status": "accepted"}, "Accepted\n"),
        ("Accepted\n", {"superseded_by": "0004-radio"}, "Superseded by [0004-radio](0004-radio.md)\n"),
        (
            "Accepted\n",
            {"superseded_by": "decision/0004-radio"},
            "Superseded by [0004-radio](0004-radio.md)\n",
        ),
        (
            "Accepted\n",
            {"status": "superseded", "superseded_by": "0004-radio"},
            "Superseded by [0004-radio](0004-radio.md)\n",
        ),
        (
            "Accepted\n",
            {"superseded_by": "0004-radio", "status": "superseded"},
            "Superseded by [0004-radio](0004-radio.md)\n",
        ),
        ("Accepted\n", {"superseded_by": "[[4. Radio]]"}, "Superseded by [[4. Radio]]\n"),
        ("Accepted\n", {"superseded_by": "a]]b"}, None),
        ("Accepted\n", {"superseded_by": "a\nb"}, None),
        ("Accepted\n", {"status": "two\nlines"}, None),
        ("Accepted\n", {"superseded_by": "4. Radio"}, "Superseded by [[4. Radio]]\n"),
        (
            "Superceded by [4](0004-radio.md)\n",
            {"superseded_by": "0005-post"},
            "Superseded by [0005-post](0005-post.md)\n",
        ),
        ("Superceded by [4](0004-radio.md)\n", {"superseded_by": None}, "Superseded\n"),
        ("Superceded by [4](0004-radio.md)\n", {"status": "accepted"}, "Accepted\n"),
        ("Accepted\n\nSuperceded by [4](0004-radio.md)\n", {"status": "rejected"}, "Rejected\n"),
        (
            "Accepted\n\nSuperceded by [4](0004-radio.md)\n\nAmends [1](1.md)\n",
            {"status": "rejected"},
            "Rejected\n\nAmends [1](1.md)\n",
        ),
        ("Amends [1](0001-paper.md)\n", {"status": "accepted"}, "Accepted\n\nAmends [1](0001-paper.md)\n"),
        ("<!-- one word -->\n", {"status": "accepted"}, "Accepted\n\n<!-- one word -->\n"),
        (
            "Accepted\n",
            {"supersedes": ("0001-paper",)},
            "Accepted\n\nSupersedes [0001-paper](0001-paper.md)\n",
        ),
        ("Accepted\n\nSupercedes [1](0001-paper.md)\n", {"supersedes": None}, "Accepted\n"),
        (
            "Accepted\n\nSupercedes [1](0001-paper.md)\n",
            {"supersedes": ("0001-paper", "0002-fax")},
            "Accepted\n\nSupercedes [1](0001-paper.md)\n\nSupersedes [0002-fax](0002-fax.md)\n",
        ),
    ],
)
def test_a_change_touches_its_line_alone(before: str, changes: dict[str, Value], after: str | None) -> None:
    for newline in ("\n", "\r\n"):
        text = f"{TITLE}## Status\n\n{before}{CONTEXT}".replace("\n", newline)
        if after is None:
            with pytest.raises(BadInput):
                edited(text, **changes)
        else:
            assert edited(text, **changes) == f"{TITLE}## Status\n\n{after}{CONTEXT}".replace("\n", newline)


def test_a_heading_without_a_status_gets_one() -> None:
    assert edited("# A\n\n## Status", status="accepted") == "# A\n\n## Status\n\nAccepted\n"
    assert (
        edited("# A\n\n## Status\n\n## Context\n", status="accepted")
        == "# A\n\n## Status\n\nAccepted\n\n## Context\n"
    )


def test_frontmatter_is_changed_where_the_status_stands_there() -> None:
    text = (
        '---\n# ours\nstatus: "superseded by [ADR-4](0004-radio.md)"\ndate: 2024-05-05\n---\n# A\n\n## '
        "Status\n\nOld.\n"
    )
    assert edited(text, status="accepted") == text.replace(
        '"superseded by [ADR-4](0004-radio.md)"', '"accepted"'
    )
    assert status_of(edited(text, superseded_by="0005-post")) == ("superseded", "0005-post", ())
    assert status_of(edited(text, superseded_by=None)) == ("superseded", None, ())
    assert (
        edited("---\nstatus: Accepted\n---\n# A\n", status="accepted") == "---\nstatus: Accepted\n---\n# A\n"
    )
    assert status_of(edited("# A\n\nText.\n", status="accepted")) == ("accepted", None, ())


def test_a_new_text_keeps_what_the_old_one_says_about_the_decision() -> None:
    text = f"{TITLE}## Status\n\nAccepted\n{CONTEXT}"
    assert (
        read(edited(text, body="We send.\n\n## Context\n\nBoats.")).body
        == "We send.\n\n## Status\n\nAccepted\n\n## Context\n\nBoats."
    )
    assert status_of(edited(text, body="We send.")) == ("accepted", None, ())
    assert status_of(edited(text, body="## Status\n\nRejected")) == ("rejected", None, ())
    top = edited("# A\n\n* Status: accepted\n* Date: 2024-03-02\n\nOld.\n", body="New.")
    assert top == "# A\n\n* Status: accepted\n* Date: 2024-03-02\n\nNew.\n"


def test_a_new_record_has_its_title_as_a_heading() -> None:
    data = FORM.create(
        Draft("decision", "Send tables", {"status": "accepted", "id": "a000000000"}, "We send."), None
    )
    assert data == b"---\nid: a000000000\nstatus: accepted\n---\n\n# Send tables\n\nWe send.\n"
    renamed = FORM.edit(data, 0, {"title": "Send all tables"})
    assert renamed == data.replace(b"# Send tables", b"# Send all tables")


def test_both_sides_of_a_merge_may_change_different_parts() -> None:
    base = f"{TITLE}## Status\n\nProposed\n{CONTEXT}"
    ours, theirs = edited(base, status="accepted"), base.replace("Phones.", "Phones and radio.")
    merged = merge_file("adr", "decision", base.encode(), ours.encode(), theirs.encode())
    assert merged.data == ours.replace("Phones.", "Phones and radio.").encode() and not merged.conflicts


@pytest.mark.parametrize(
    ("section", "kept"),
    [
        ("Accepted", False),
        ("Superseded by [4. Radio](0004-radio.md)", False),
        ("Accepted\n\nSupersedes [1](0001-a.md), [2](0002-b.md) and [3](0003-c.md)", False),
        ("Accepted\n\nAmends [1. Paper](0001-paper.md)", True),
        ("Accepted by all boats", True),
        ("Superseded by ADR-4", True),
        ("~~Proposed~~ Accepted", True),
        ("Accepted\n\n<!-- ask Ada -->", True),
    ],
)
def test_what_fields_say_can_be_taken_out_of_a_text(section: str, kept: bool) -> None:
    stays = f"## Status\n\n{section}\n\n" if kept else ""
    body = f"Date: 2024-03-02\n\nIntro.\n\n## Status\n\n{section}\n\n## Context\n\nPhones."
    assert adr.without(body) == f"Intro.\n\n{stays}## Context\n\nPhones."


def test_labels_that_say_more_stay() -> None:
    assert (
        adr.without("* Status: accepted\n* Date: spring\n* Deciders: Ada\n\nText.")
        == "* Date: spring\n\nText."
    )


LINES = st.sampled_from(
    [
        "## Status",
        "# A",
        "Accepted",
        "Superseded by [4](0004-b.md)",
        "Supersedes [1](1.md)",
        "* Status: proposed",
        "```",
        "<!--",
        "-->",
        "",
        "Amends [2](2.md)",
        "**Status:** x",
        "text",
        "---",
        "status: accepted",
        "Date: 2024-01-01",
        "~~",
        "[[",
        "## Status ##",
        "\tx",
        "> ## Status",
    ]
)


@given(st.lists(LINES, max_size=12), st.sampled_from(["\n", "\r\n"]), st.sampled_from([*ADR_STATUSES, None]))
def test_any_text_keeps_its_bytes_and_reads_back_what_was_set(
    lines: list[str], newline: str, status: str | None
) -> None:
    data = newline.join(lines).encode()
    records = parse_file(LAYOUT, "adr/a.md", data).records
    if not records or records[0].problem is not None:
        return
    assert FORM.edit(data, 0, dict(records[0].fields)) == data
    try:
        after = FORM.edit(data, 0, {"status": status})
    except BadInput:
        return
    read_back = parse_file(LAYOUT, "adr/a.md", after).records[0]
    assert (read_back.text("status") or None) == status
    assert FORM.edit(after, 0, {"status": status}) == after


@pytest.mark.parametrize(
    "piece",
    [
        "[",
        "[a",
        "~~",
        "<!-- x -->\n",
        "Supersedes [a](a.md) ",
        "* Status:\n",
        "## Status\n",
        "Superseded by [",
        "a.",
    ],
)
def test_it_takes_no_quadratic_time(piece: str) -> None:
    data = f"# A\n\n## Status\n\n{piece * (300_000 // len(piece))}\n".encode()
    began = time.process_time()
    parse_file(LAYOUT, "adr/a.md", data)
    assert time.process_time() - began < 4

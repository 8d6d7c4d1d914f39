"""Documents of a memory vault: Connections, History, tombstones, and the variant without frontmatter."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.errors import BadInput, Refused
from memgit.formats.codec import Draft
from memgit.formats.vault import COMMENT, Vault, demoted
from memgit.model.record import ParsedFile, Record, Value
from tests import strategies
from tests.support import examples

FORM = Vault()
HEAD = (
    '---\ntitle: "Lock first"\ncreated: 2026-02-03\ntags: [PATTERN, booking]\ntopic: '
    '"desk/booking"\nsource: ""\nmodified: 2026-02-03\n'
    "retrieval_count: 3\nlast_retrieved:\nkeywords: [lock]\n---\n\n# Lock first\n\n"
)
TAIL = f"## Connections\n{COMMENT}\n"
LABELLED = (
    "# Memory: Retry on timeouts\n\n**Category**: [PATTERN]\n**Source**: review, of May\n**Date**: "
    "2026-01-14\n\nText.\n\n"
)


def parse(text: str) -> ParsedFile:
    return FORM.parse(text.encode(), "10-Memories/MEM-x.md", "memory", "MEM-x", "")


def one(text: str) -> Record:
    parsed = parse(text)
    assert parsed.problems == ()
    return parsed.records[0]


def edit(text: str, changes: dict[str, Value]) -> str:
    return FORM.edit(text.encode(), 0, changes).decode()


def test_fields_have_their_canonical_names() -> None:
    record = one(HEAD + "Text.\n\n" + TAIL)
    assert record.fields == {
        "title": "Lock first",
        "created": "2026-02-03",
        "tags": ("PATTERN", "booking"),
        "topics": ("desk/booking",),
        "source": "",
        "updated": "2026-02-03",
        "usage_count": "3",
        "last_used": None,
        "keywords": ("lock",),
        "related": (),
    }
    assert (record.body, record.archived, record.usage_count) == ("Text.", None, 3)


def test_a_topic_is_one_text() -> None:
    text = HEAD.replace('"desk/booking"', "a whole sentence, with a comma")
    assert one(text).topics == ("a whole sentence, with a comma",)
    assert 'topic: "x, y"\n' in edit(HEAD, {"topics": ("x, y",)})
    assert "topic: [a, b]\n" in edit(HEAD, {"topics": ("a", "b")})


def test_links_are_those_of_the_connections() -> None:
    text = (
        HEAD
        + "Text with [[inline]].\n\n"
        + TAIL
        + "\n- [[a]] - why\n- [[b#c|label]], [[d]]\n- Not: `[[ -n $x ]]`\n```\n[[code]]\n```\n"
        "\n## After\n\n[[later]]\n"
    )
    record = one(text)
    assert record.related == ("a", "b#c|label", "d")
    assert (
        record.fields["connections"]
        == "- [[a]] - why\n- [[b#c|label]], [[d]]\n- Not: `[[ -n $x ]]`\n```\n[[code]]\n```"
    )
    assert record.body == "Text with [[inline]].\n\n## After\n\n[[later]]"


@pytest.mark.parametrize(
    ("section", "related", "after"),
    [
        (TAIL, ("x",), f"{TAIL}\n- [[x]]\n"),
        (TAIL.rstrip("\n"), ("x",), f"{TAIL}\n- [[x]]"),
        (TAIL + "\n- [[a]]\n", ("a", "x", "y"), TAIL + "\n- [[a]]\n- [[x]]\n- [[y]]\n"),
        (TAIL + "\n- [[a]]\n- [[b]] - why\n- [[c]]\n", ("a", "c"), TAIL + "\n- [[a]]\n- [[c]]\n"),
        (TAIL + "\n- [[a]]\n  goes on\n- [[b]]\n", ("b",), TAIL + "\n- [[b]]\n"),
        (TAIL + "\n- [[a]], [[b]], [[c]]\n", ("a", "c"), TAIL + "\n- [[a]], [[c]]\n"),
        (TAIL + "\n- [[a]], [[b]]\n", ("a",), TAIL + "\n- [[a]]\n"),
        (TAIL + "\nsee [[a]].\n", ("a", "x"), TAIL + "\nsee [[a]].\n\n- [[x]]\n"),
        (
            TAIL + "\n- [[a]]\n\n## After\n\ntext\n",
            ("a", "x"),
            TAIL + "\n- [[a]]\n- [[x]]\n\n## After\n\ntext\n",
        ),
        ("", ("x",), f"{TAIL}\n- [[x]]\n"),
        ("## Connections\n", ("x",), "## Connections\n- [[x]]\n"),
        ("## Connections", ("x",), "## Connections\n- [[x]]"),
        (TAIL + "\n- [[a]]\n- [[a]]\n", (), TAIL + "\n"),
    ],
)
def test_links_are_lines_of_the_connections(section: str, related: tuple[str, ...], after: str) -> None:
    for newline in ("\n", "\r\n"):
        before = (
            (HEAD + "Text.\n\n" + section).replace("\n", newline)
            if section
            else HEAD.replace("\n", newline) + f"Text.{newline}"
        )
        wanted = (HEAD + "Text.\n\n" + after).replace("\n", newline)
        done = FORM.edit(before.encode(), 0, {"related": related}).decode()
        assert done == wanted
        assert FORM.parse(done.encode(), "MEM-x.md", "memory", "x", "").records[0].related == related
        assert FORM.edit(done.encode(), 0, {"related": related}).decode() == done


def test_links_in_a_key_count_and_go_where_they_are() -> None:
    text = HEAD.replace("keywords:", "related: [k, l]\nkeywords:") + "Text.\n\n" + TAIL + "\n- [[a]]\n"
    assert one(text).related == ("k", "l", "a")
    assert edit(text, {"related": ("k", "a", "x")}) == text.replace("[k, l]", "[k]") + "- [[x]]\n"


@pytest.mark.parametrize("target", ["", " ", "a]b", "a\nb", "[[a]]", "#"])
def test_a_link_that_no_line_can_hold_is_refused(target: str) -> None:
    with pytest.raises(BadInput):
        edit(HEAD + TAIL, {"related": (target,)})


def test_a_tombstone_archives() -> None:
    text = HEAD + "Text.\n\n" + TAIL
    done = edit(text, {"archived": "2026-04-11"})
    assert done == text.replace(
        "keywords: [lock]\n",
        'keywords: [lock]\nstatus: tombstoned\ntombstoned_at: 2026-04-11\ntombstone_reason: "purge"\n',
    )
    assert one(done).archived == "2026-04-11"
    assert edit(done, {"archived": "2026-04-11"}) == done
    assert edit(done, {"archived": None}) == text
    reason = edit(text, {"archived": "2026-04-11", "tombstone_reason": "merged_into:MEM-y"})
    assert 'tombstone_reason: "merged_into:MEM-y"\n' in reason
    assert "purge" not in reason


def test_a_date_without_the_status_is_no_tombstone() -> None:
    record = one(HEAD.replace("keywords:", "status: active\ntombstoned_at: 2026-01-01\nkeywords:"))
    assert (record.archived, record.fields["tombstoned_at"]) == (None, "2026-01-01")
    assert one(HEAD.replace("keywords:", "status: tombstoned\nkeywords:")).archived == "tombstoned"
    assert one(HEAD.replace("keywords:", "archived: 2026-01-01\nkeywords:")).archived == "2026-01-01"
    assert (
        edit(HEAD.replace("keywords:", "archived: false\nkeywords:"), {"archived": "2026-01-01"}).count(
            "archived: 2026-01-01"
        )
        == 1
    )


def test_an_emptied_key_that_is_always_there_stays() -> None:
    assert edit(HEAD, {"source": None, "topics": (), "tags": None, "keywords": None}) == HEAD.replace(
        "keywords: [lock]\n", ""
    ).replace('"desk/booking"', '""').replace("[PATTERN, booking]", "[]")


def test_an_extension_goes_before_the_connections() -> None:
    done = FORM.extend((HEAD + "Text.\n\n" + TAIL).encode(), 0, "More.", "2026-05-05").decode()
    assert done == HEAD + "Text.\n\n## Extension (2026-05-05)\n\nMore.\n\n" + TAIL


def test_what_is_replaced_moves_under_history() -> None:
    text = HEAD + "Old text.\n\n## Why\n\nReasons.\n\n" + TAIL + "\n- [[a]]\n"
    once = FORM.replace(text.encode(), 0, "New text.\n", "2026-05-05").decode()
    history = "## History\n\n### Previous Version (2026-05-05)\n\nOld text.\n\n#### Why\n\nReasons.\n\n"
    assert once == HEAD + "New text.\n\n" + history + TAIL + "\n- [[a]]\n"
    twice = FORM.replace(once.encode(), 0, "Newest.", "2026-06-06").decode()
    newer = history.replace(
        "## History\n\n", "## History\n\n### Previous Version (2026-06-06)\n\nNew text.\n\n", 1
    )
    assert twice == HEAD + "Newest.\n\n" + newer + TAIL + "\n- [[a]]\n"
    assert FORM.replace(twice.encode(), 0, "Newest.", "2026-07-07").decode() == twice
    assert (
        FORM.replace((HEAD + TAIL).encode(), 0, "First.", "2026-05-05").decode() == HEAD + "First.\n\n" + TAIL
    )


def test_headings_are_demoted_outside_code() -> None:
    assert (
        demoted("## A\n\n```\n## code\n```\n### B\n\nC\n-\n#### D\n")
        == "#### A\n\n```\n## code\n```\n##### B\n\n#### C\n###### D\n"
    )


def test_a_body_is_changed_before_and_after_the_connections() -> None:
    text = HEAD + "Text.\n\n" + TAIL + "\n## After\n\nMore.\n"
    assert edit(text, {"body": "New.\n\n## After\n\nMore."}) == text.replace("Text.", "New.")
    assert edit(text, {"body": "New."}) == HEAD + "New.\n\n" + TAIL + "\n"
    assert edit(text, {"body": ""}) == HEAD + TAIL + "\n"
    assert one(edit(text, {"body": ""})).body == ""
    with pytest.raises(BadInput, match="read back"):
        edit(HEAD + "Text.\n", {"body": "New.\n\n## Connections\n\n- [[x]]"})
    assert one(edit(text, {"body": "New.\n\n## Connections\n\nOf another kind."})).related == ()


# The variant without frontmatter.


def test_labels_are_fields() -> None:
    record = one(LABELLED + TAIL + "\n- [[a]]\n")
    assert record.fields == {
        "category": "PATTERN",
        "source": "review, of May",
        "created": "2026-01-14",
        "title": "Retry on timeouts",
        "related": ("a",),
    }
    assert (record.title, record.body) == ("Retry on timeouts", "Text.")


def test_labels_are_changed_in_place() -> None:
    text = LABELLED + TAIL
    assert edit(text, dict(one(text).fields)) == text
    assert edit(text, {"source": "x", "created": "2026-01-15", "category": "CONFIG"}) == text.replace(
        "review, of May", "x"
    ).replace("01-14", "01-15").replace("[PATTERN]", "[CONFIG]")
    added = "**Date**: 2026-01-14\n**Keywords**: a, b c\n**Id**: kb7m2q9x4d\n**Modified**: 2026-05-05\n"
    done = edit(text, {"keywords": ("a", "b c"), "id": "kb7m2q9x4d", "updated": "2026-05-05"})
    assert done == text.replace("**Date**: 2026-01-14\n", added)
    assert (one(done).keywords, one(done).id, one(done).updated) == (("a", "b c"), "kb7m2q9x4d", "2026-05-05")
    assert edit(done, {"keywords": None, "id": None, "updated": None}) == text
    assert one(edit(text, {"keywords": ("a, b", "c")})).keywords == ("a, b", "c")
    assert edit(text, {"title": "Other"}) == text.replace("Retry on timeouts", "Other")
    assert edit(text, {"body": "New."}) == text.replace("Text.", "New.")


def test_a_tombstone_of_labels() -> None:
    done = edit(LABELLED + TAIL, {"archived": "2026-04-11"})
    assert "**Status**: tombstoned\n**Tombstoned at**: 2026-04-11\n**Tombstone reason**: purge\n" in done
    assert one(done).archived == "2026-04-11"
    assert edit(done, {"archived": None}) == LABELLED + TAIL


def test_a_plain_heading_is_no_memory_of_labels() -> None:
    record = one("# Memory: kept\n\nText.\n")
    assert (record.title, record.body) == ("kept", "Text.")
    assert edit("# Plain\n\nText.\n", {"id": "x"}) == "---\nid: x\n---\n\n# Plain\n\nText.\n"


# New memories.


def test_a_new_memory() -> None:
    fields: dict[str, Value] = {
        "id": "kb7m2q9x4d",
        "created": "2026-03-02",
        "tags": ("PATTERN", "a"),
        "topics": ("desk",),
        "related": ("b", "c"),
        "source": "task 4",
    }
    data = FORM.create(Draft("memory", 'Say "yes"', fields, "Text.\n"), None)
    assert data.decode() == (
        '---\nid: kb7m2q9x4d\ntitle: "Say \\"yes\\""\ncreated: 2026-03-02\ntags: [PATTERN, '
        'a]\ntopic: "desk"\nsource: "task 4"\n'
        "modified: 2026-03-02\nretrieval_count: 0\nlast_retrieved: null\nkeywords: []\nsummary: "
        '""\n---\n\n# Say "yes"\n\nText.\n\n'
        f"## Connections\n{COMMENT}\n\n- [[b]]\n- [[c]]\n"
    )
    assert one(data.decode()).related == ("b", "c")
    plain = FORM.create(Draft("memory", "T", {}, ""), None).decode()
    assert plain.endswith(f"---\n\n# T\n\n## Connections\n{COMMENT}\n")
    own = FORM.create(
        Draft("memory", "T", {"related": ("a", "b")}, "x\n\n## Connections\n\n- [[a]]"), None
    ).decode()
    assert own.endswith("# T\n\nx\n\n## Connections\n\n- [[a]]\n- [[b]]\n")


ITEMS = st.lists(st.text("abc/-", min_size=1), unique=True, max_size=4).map(tuple)


@given(strategies.plain_bodies, ITEMS, ITEMS, st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=examples(65))
def test_links_come_and_go_without_a_trace(
    body: str, first: tuple[str, ...], second: tuple[str, ...], newline: str
) -> None:
    start = FORM.create(
        Draft("memory", "T", {"created": "2026-03-02", "related": first}, body), None
    ).replace(b"\n", newline.encode())
    done = FORM.edit(start, 0, {"related": second})
    record = FORM.parse(done, "MEM-x.md", "memory", "x", "").records[0]
    assert set(record.related) == set(second)
    assert record.body == FORM.parse(start, "MEM-x.md", "memory", "x", "").records[0].body
    if first:
        back = FORM.edit(FORM.edit(start, 0, {"related": (*first, "new")}), 0, {"related": first})
        assert back == start


@given(strategies.bodies())
@settings(max_examples=examples(65))
def test_replacing_loses_no_word(body: str) -> None:
    start = FORM.create(Draft("memory", "T", {}, body), None)
    parsed = FORM.parse(start, "MEM-x.md", "memory", "x", "")
    if parsed.problems or "onnections" in body:
        return
    old = parsed.records[0].body
    try:
        done = FORM.replace(start, 0, "Quite new.", "2026-05-05").decode()
    except Refused:
        return  # an open comment would swallow what follows
    words = {word for word in old.replace("#", " ").split() if set(word) - set("-=")}
    assert words <= set(done.replace("#", " ").split())

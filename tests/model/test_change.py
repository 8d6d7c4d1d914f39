"""What happened between two versions of records: who is who, and what it is called."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.model import change as changes
from memgit.model.change import Change, classify, diff_records, identity, likeness, operation, refine
from memgit.model.operation import ACTIONS, OPS, RecordChange
from memgit.model.record import Record, Value

IDS = ["kb7m2q9x4d", "hm3zt60rv8", "w4c9n1pe5x"]
PROSE = (
    "The grid keeps its gaps when a column folds, and the last row never stretches past the others in "
    "any browser we tried."
)
OTHER = (
    "Retries wait twice as long each time and stop after five, because the gateway forgets a caller "
    "within two minutes."
)


def entry(title: str, body: str = "", category: str = "web", ordinal: int = 0, **fields: Any) -> Record:
    return Record(
        "knowledge",
        f"knowledge/{category}#{title}",
        f"knowledge-base/{category}.md",
        title,
        1,
        1,
        ordinal,
        fields,
        body,
    )


def document(key: str, body: str = "", title: str = "T", kind: str = "memory", **fields: Any) -> Record:
    return Record(kind, f"{kind}/{key}", f"{kind}/{key}.md", title, 1, 1, 0, {"title": title, **fields}, body)


def named(
    old: list[Record], new: list[Record], renames: dict[str, str] | None = None
) -> list[tuple[str, str, str | None]]:
    return [
        (change.action, change.address, change.was)
        for change in (found.named() for found in diff_records(old, new, renames))
    ]


@pytest.mark.parametrize(
    ("old", "new", "action"),
    [
        ({}, {}, None),
        ({"keywords": ()}, {"keywords": None}, None),
        ({"archived": None}, {"archived": "2026-01-02"}, "archive"),
        ({"archived": "2026-01-02"}, {}, "restore"),
        ({"archived": "2026-01-02"}, {"archived": "2026-01-03"}, "update"),
        ({"archived": "false"}, {"archived": "true"}, "archive"),
        ({}, {"related": ("web#B",)}, "link"),
        ({}, {"related": ("web#B",), "updated": "2026-01-02"}, "link"),
        ({"related": ("web#B",)}, {"related": ()}, "link"),
        ({}, {"related": ("web#B",), "keywords": ("a",)}, "update"),
        ({}, {"updated": "2026-01-02"}, "update"),
        ({}, {"id": IDS[0]}, "update"),
        ({"context": "a"}, {"context": "b"}, "update"),
        ({"odd field": "a"}, {"odd field": "b"}, "update"),
        ({"source": "a"}, {"archived": "2026-01-02", "source": "b"}, "archive"),
    ],
)
def test_fields_tell_the_action(old: dict[str, Value], new: dict[str, Value], action: str | None) -> None:
    for make in (entry, document):
        before, after = make("a", "Text.")._replace(fields=old), make("a", "Text.")._replace(fields=new)
        assert classify(before, after) == action
        assert [change.action for change in diff_records([before], [after])] == ([action] if action else [])


@pytest.mark.parametrize(
    ("old", "new", "action"),
    [
        ("One.", "One.\n\nTwo.", "extend"),
        ("- one\n- two", "- one\n- two\n- three", "extend"),
        ("", "One.", "extend"),
        ("One.", "Two.\n\nOne.", "update"),
        ("One.", "One. Two.", "update"),
        ("One.\n\nTwo.", "One.", "update"),
        ("One.", "One.  \n\n\nTwo.", "extend"),
        (
            "# T\n\nOne.\n\n## Connections\n\n- [[b]]",
            "# T\n\nOne.\n\n## Extension (2026-01-02)\n\nTwo.\n\n## Connections\n\n- [[b]]",
            "extend",
        ),
        (
            "# T\n\nOne.\n\n## Connections\n\n- [[b]]",
            "# T\n\nTwo.\n\nOne.\n\n## Connections\n\n- [[b]]",
            "update",
        ),
        ("# T\n\nOne.\n\n## Steps\n\n- [[b]]", "# T\n\nOne.\n\nTwo.\n\n## Steps\n\n- [[b]]", "update"),
    ],
)
def test_text_that_was_only_added_is_an_extension(old: str, new: str, action: str) -> None:
    assert classify(document("a", old), document("a", new)) == action
    assert classify(document("a", old), document("a", new, updated="2026-01-02")) == action
    assert classify(document("a", old, keywords=("x",)), document("a", new, keywords=("x", "y"))) == action
    assert classify(document("a", old, keywords=("x",)), document("a", new, keywords=("y",))) == "update"
    assert classify(document("a", old), document("a", new, title="U")) == "update"


@pytest.mark.parametrize(
    ("origin", "action"),
    [
        (("observation/20260101-x",), "promote"),
        (("[[knowledge/web#Grid]]",), "promote"),
        ((IDS[0],), "promote"),
        (("a book",), "create"),
        (("nothing/there",), "create"),
        ((), "create"),
    ],
)
def test_a_new_record_that_grew_out_of_another_is_a_promotion(origin: tuple[str, ...], action: str) -> None:
    assert classify(None, document("a", derived_from=origin)) == action


def test_nothing_between_nothing() -> None:
    assert classify(None, None) is None
    assert diff_records([], []) == []


def test_a_file_that_is_only_laid_out_anew_gives_nothing() -> None:
    old = [entry("A", "One."), entry("B", "Two.", ordinal=1)]
    new = [old[1]._replace(ordinal=0, line=9, end_line=12), old[0]._replace(ordinal=1, line=20)]
    assert diff_records(old, new) == []


def test_an_id_follows_a_record_wherever_it_goes() -> None:
    old = [entry("A", PROSE, id=IDS[0]), document("b", OTHER, id=IDS[1])]
    new = [entry("C", "Nothing is left of it.", "db", id=IDS[0]), document("x/y", "Nor of this.", id=IDS[1])]
    assert named(old, new) == [
        ("rename", "knowledge/db#C", "knowledge/web#A"),
        ("rename", "memory/x/y", "memory/b"),
    ]
    assert named(old, new, {}) == named(old, new)


def test_an_id_goes_before_a_title() -> None:
    """Two entries that swap their titles."""
    old = [entry("A", "One.", id=IDS[0]), entry("B", "Two.", id=IDS[1])]
    new = [entry("B", "One.", id=IDS[0]), entry("A", "Two.", id=IDS[1])]
    assert named(old, new) == [
        ("rename", "knowledge/web#B", "knowledge/web#A"),
        ("rename", "knowledge/web#A", "knowledge/web#B"),
    ]


def test_an_id_goes_before_what_git_takes_for_a_rename() -> None:
    old = [document("a", PROSE, id=IDS[0]), document("b", PROSE, id=IDS[1])]
    new = [document("c", PROSE, id=IDS[1])]
    assert named(old, new, {"memory/a.md": "memory/c.md"}) == [
        ("rename", "memory/c", "memory/b"),
        ("remove", "memory/a", None),
    ]


def test_what_another_tool_calls_an_id_is_no_identity() -> None:
    old = [document("a", PROSE, id="TASK-1"), document("b", OTHER, id="MEM-b")]
    new = [document("a", PROSE, id="TASK-2"), document("c", "New.", id="MEM-b")]
    assert named(old, new, {}) == [
        ("update", "memory/a", None),
        ("create", "memory/c", None),
        ("remove", "memory/b", None),
    ]
    assert identity(old[0]) is None
    assert diff_records(old, new, {})[0].named().id is None


def test_a_record_gets_its_id_in_place() -> None:
    old, new = [entry("A", "One.")], [entry("A", "One.", id=IDS[0])]
    assert diff_records(old, new) == [Change("update", old[0], new[0])]
    assert diff_records(new, old)[0].named() == RecordChange("update", IDS[0], "knowledge/web#A")


def test_another_record_at_the_same_address() -> None:
    """Two ids at one address: one record whose id was typed anew if the text says so, else one gone and one
    new.
    """
    old = [document("a", PROSE, id=IDS[0])]
    assert named(old, [document("a", PROSE + " Once more.", id=IDS[1])], {}) == [("update", "memory/a", None)]
    assert named(old, [document("a", OTHER, id=IDS[1])], {}) == [
        ("create", "memory/a", None),
        ("remove", "memory/a", None),
    ]


def test_git_decides_about_documents_without_an_id() -> None:
    old, new = [document("a", PROSE)], [document("b", PROSE)]
    assert named(old, new, {"memory/a.md": "memory/b.md"}) == [("rename", "memory/b", "memory/a")]
    assert named(old, new, {}) == [("create", "memory/b", None), ("remove", "memory/a", None)]
    assert named(old, new) == [("rename", "memory/b", "memory/a")]
    unlike = [document("b", OTHER)]
    assert named(old, unlike, {"memory/a.md": "memory/b.md"}) == [("rename", "memory/b", "memory/a")]
    assert named(old, unlike) == [("create", "memory/b", None), ("remove", "memory/a", None)]


def test_a_renamed_file_takes_its_entries_along() -> None:
    old = [entry("A", "One."), entry("B", "Two.", ordinal=1), entry("C", "Three.", ordinal=2)]
    new = [entry("A", "One."), entry("B", "Quite another.", ordinal=1), entry("D", "New.", ordinal=2)]
    new = [
        record._replace(path="knowledge-base/css.md", address=f"knowledge/css#{record.title}")
        for record in new
    ]
    assert named(old, new, {"knowledge-base/web.md": "knowledge-base/css.md"}) == [
        ("rename", "knowledge/css#A", "knowledge/web#A"),
        ("rename", "knowledge/css#B", "knowledge/web#B"),
        ("create", "knowledge/css#D", None),
        ("remove", "knowledge/web#C", None),
    ]


def test_an_entry_is_known_by_its_text() -> None:
    old = [entry("Grid", PROSE), entry("Retries", OTHER, ordinal=1)]
    moved = entry("Grid", PROSE, "css")
    retitled = entry("How often to try again", OTHER + " Measured in May.")
    assert named(old, [moved, retitled]) == [
        ("rename", "knowledge/css#Grid", "knowledge/web#Grid"),
        ("rename", "knowledge/web#How often to try again", "knowledge/web#Retries"),
    ]
    assert named(old, [retitled, moved], {}) == list(reversed(named(old, [moved, retitled])))


def test_an_entry_is_no_document() -> None:
    assert named([entry("A", PROSE)], [document("a", PROSE)]) == [
        ("create", "memory/a", None),
        ("remove", "knowledge/web#A", None),
    ]


def test_bare_headings_are_not_taken_for_each_other() -> None:
    assert named([entry("A")], [entry("B")]) == [
        ("create", "knowledge/web#B", None),
        ("remove", "knowledge/web#A", None),
    ]


def test_one_title_twice_in_a_file() -> None:
    old = [entry("A", "One."), entry("A", "Two.", ordinal=1), entry("A", "Three.", ordinal=2)]
    assert diff_records(old, [old[1]]) == [Change("remove", old[0], None), Change("remove", old[2], None)]
    more = entry("A", "Four.", ordinal=3)
    assert diff_records(old, [*old, more]) == [Change("create", None, more)]
    edited = old[2]._replace(body="Five.")
    assert diff_records(old, [old[0], old[1], edited]) == [Change("update", old[2], edited)]


def test_one_id_twice() -> None:
    """A record that someone copied with its id: the one at the old address is the old one."""
    old = document("a", PROSE, id=IDS[0])
    copy = document("b", PROSE, id=IDS[0])
    assert diff_records([old], [copy, old]) == [Change("create", None, copy)]


def test_an_archived_record_that_moved_keeps_both_names() -> None:
    old, new = document("a", PROSE, id=IDS[0]), document("old/a", PROSE, id=IDS[0], archived="2026-01-02")
    assert diff_records([old], [new])[0].named() == RecordChange(
        "archive", IDS[0], "memory/old/a", "memory/a"
    )


def test_a_file_that_moved_under_the_same_address_is_a_rename() -> None:
    old = document("x", PROSE, kind="observation")
    new = old._replace(path="observation/2026/x.md")
    assert diff_records([old], [new], {old.path: new.path})[0].named() == RecordChange(
        "rename", None, old.address, old.address
    )


@given(
    st.lists(st.sampled_from(["a b c d", "e f g", "h i"]), max_size=6),
    st.lists(st.sampled_from(["a b c d", "e f g", "h i"]), max_size=6),
)
def test_every_record_has_one_fate(before: list[str], after: list[str]) -> None:
    """Whatever changes: each old record is matched or removed, each new one matched or created, none twice."""
    old = [entry(f"T{number % 3}", text, ordinal=number) for number, text in enumerate(before)]
    new = [
        entry(f"T{number % 4}", text, "css" if number % 2 else "web", ordinal=number)
        for number, text in enumerate(after)
    ]
    found = diff_records(old, new)
    olds = [id(change.old) for change in found if change.old is not None]
    news = [id(change.new) for change in found if change.new is not None]
    assert len(set(olds)) == len(olds) and len(set(news)) == len(news)
    assert all(change.action in ACTIONS for change in found)
    still = len(old) - len(olds)
    assert still == len(new) - len(news)
    assert diff_records(old, old) == []
    back = diff_records(new, old)
    assert len([change for change in back if change.action == "create"]) == len(
        [change for change in found if change.action == "remove"]
    )


@given(st.text(max_size=60), st.text(max_size=60))
def test_likeness_is_symmetric_and_bounded(one: str, two: str) -> None:
    left, right = entry("A", one), entry("A", two)
    assert likeness(left, right) == likeness(right, left)
    assert 0.0 <= likeness(left, right) <= 1.0


def test_likeness_of_long_lines_and_of_other_scripts() -> None:
    assert likeness(entry("A", PROSE), entry("A", PROSE.replace("gaps", "margins"))) > 0.8
    assert likeness(entry("A", PROSE), entry("B", OTHER)) < 0.2
    chinese = "重试的间隔每次加倍，五次之后停止，因为网关在两分钟内会忘记调用者。"
    assert likeness(entry("A", chinese), entry("A", chinese.replace("五", "三"))) > 0.8
    assert likeness(entry("A", chinese), entry("A", "网格在列折叠时保持间距，最后一行不会超出其他行。")) < 0.3


def test_thousands_of_records_take_no_quadratic_time() -> None:
    """Every entry of a large workspace is retitled, edited and moved in one commit; half of the texts share
    long passages.
    """
    chance = random.Random(7)
    vocabulary = [f"w{number}" for number in range(4000)]
    shared = " ".join(chance.choices(vocabulary, k=30))
    old = [
        entry(
            f"Old {number}",
            " ".join(chance.choices(vocabulary, k=60)) + (shared if number % 2 else ""),
            f"c{number % 40}",
            number,
        )
        for number in range(3000)
    ]
    new = [
        entry(f"New {number}", " ".join(["changed", *record.body.split()[1:]]), f"d{number % 40}", number)
        for number, record in enumerate(old)
    ]
    chance.shuffle(new)
    start = time.process_time()
    found = diff_records(old, new)
    took = time.process_time() - start
    assert {change.action for change in found} == {"rename"}
    assert all(
        change.old is not None and change.new is not None and change.old.title[4:] == change.new.title[4:]
        for change in found
    )
    assert took < 20, took


def test_thousands_of_equal_titles_take_no_quadratic_time() -> None:
    old = [entry("T", f"text {number}", ordinal=number) for number in range(20_000)]
    new = [record._replace(ordinal=number) for number, record in enumerate(reversed(old))]
    start = time.process_time()
    assert diff_records(old, new) == []
    assert diff_records(old, [record._replace(body=record.body + " more") for record in new])
    assert time.process_time() - start < 20


@pytest.mark.parametrize(
    ("actions", "op"),
    [
        ([], "edit"),
        (["create"], "record"),
        (["create", "create"], "record"),
        (["create", "link"], "record"),
        (["link", "link"], "link"),
        (["create", "update"], "edit"),
        (["remove"], "remove"),
        (["archive"], "archive"),
        (["rename", "link"], "rename"),
        (["promote"], "promote"),
    ],
)
def test_one_verb_where_changes_agree(actions: list[str], op: str) -> None:
    assert operation(RecordChange(action, None, "note/x") for action in actions) == op
    assert op in OPS


def claim(action: str, address: str, id_: str | None = None, was: str | None = None) -> RecordChange:
    return RecordChange(action, id_, address, was)


def test_a_claim_about_what_did_not_change_is_dropped() -> None:
    changed = diff_records([], [document("a", PROSE)])
    assert refine(changed, [claim("create", "memory/a"), claim("archive", "memory/b")]) == (
        claim("create", "memory/a"),
    )
    assert refine([], [claim("create", "memory/a")]) == ()


@pytest.mark.parametrize("action", ["archive", "remove", "rename", "update", "link", "extend"])
def test_a_claim_that_the_records_deny_is_not_believed(action: str) -> None:
    changed = diff_records([], [document("a", PROSE)])
    assert refine(changed, [claim(action, "memory/a")]) == (claim("create", "memory/a"),)


def test_a_claim_tells_more_than_the_records() -> None:
    new = diff_records([], [document("a", PROSE)])
    assert refine(new, [claim("restore", "memory/a")]) == (claim("restore", "memory/a"),)
    assert refine(new, [claim("promote", "memory/a")]) == (claim("create", "memory/a"),)
    assert refine(new, [claim("promote", "memory/a")], derived=True) == (claim("promote", "memory/a"),)
    longer = diff_records([document("a", "One.\nTwo.")], [document("a", "One.\nNew.\nTwo.")])
    assert longer[0].action == "update"
    assert refine(longer, [claim("extend", "memory/a")]) == (claim("extend", "memory/a"),)
    other = diff_records([document("a", "One.\nTwo.")], [document("a", "One.\nThree.")])
    assert refine(other, [claim("extend", "memory/a")]) == (claim("update", "memory/a"),)
    linked = diff_records([document("a", "See [[b]].")], [document("a", "See [[c]].", related=("c",))])
    assert refine(linked, [claim("link", "memory/a")]) == (claim("link", "memory/a"),)
    reworded = diff_records(
        [document("a", "See [[b]].")], [document("a", "Never see [[c]].", related=("c",))]
    )
    assert refine(reworded, [claim("link", "memory/a")]) == (claim("update", "memory/a"),)


def test_the_action_of_the_records_wins_among_several_claims() -> None:
    """A squash that created, extended and updated one record created it."""
    new = diff_records([], [document("a", PROSE, id=IDS[0])])
    said = [
        claim("extend", "memory/a", IDS[0]),
        claim("create", "memory/b", IDS[0]),
        claim("update", "memory/a", IDS[0]),
    ]
    assert refine(new, said) == (claim("create", "memory/a", IDS[0]),)
    longer = diff_records([document("a", "One.")], [document("a", "One.\n\nTwo.")])
    assert refine(longer, [claim("update", "memory/a"), claim("extend", "memory/a")]) == (
        claim("extend", "memory/a"),
    )


def test_a_claim_joins_what_is_too_unlike_to_match() -> None:
    changed = diff_records([document("a", PROSE)], [document("b", OTHER)], {})
    assert refine(changed, [claim("rename", "memory/b", None, "memory/a")]) == (
        claim("rename", "memory/b", None, "memory/a"),
    )
    twice = diff_records([document("a", PROSE)], [document("b", OTHER), document("c", "New.")], {})
    said = [claim("rename", "memory/b", None, "memory/a"), claim("rename", "memory/c", None, "memory/a")]
    assert (
        refine(twice, said).count(claim("create", "memory/b"))
        + refine(twice, said).count(claim("create", "memory/c"))
        == 1
    )
    ids = diff_records([document("a", PROSE, id=IDS[0])], [document("b", OTHER, id=IDS[1])], {})
    assert [change.action for change in refine(ids, [claim("rename", "memory/b", IDS[1], "memory/a")])] == [
        "create",
        "remove",
    ]


@given(
    st.lists(
        st.tuples(st.sampled_from(ACTIONS), st.sampled_from("abcd"), st.none() | st.sampled_from("abcd")),
        max_size=6,
    )
)
def test_claims_never_change_what_changed(said: list[tuple[str, str, str | None]]) -> None:
    """Whatever a message says: the same records, under the same names, but for a pair that a rename joins."""
    changed = diff_records(
        [document("a", PROSE), document("b", OTHER)], [document("b", PROSE), document("c", "New.")], {}
    )
    plain = {change.named().address for change in changed}
    found = refine(
        changed,
        [claim(action, f"memory/{key}", None, f"memory/{was}" if was else None) for action, key, was in said],
    )
    names = [
        name
        for change in found
        for name in (change.address, change.was if change.was != change.address else None)
        if name
    ]
    assert sorted(names) == sorted(plain)
    assert all(change.action in ACTIONS for change in found)


def test_the_limits_are_where_the_module_says() -> None:
    assert changes.LIKENESS == 0.5
    half = " ".join(f"w{number}" for number in range(101))
    kept = " ".join([*half.split()[:52], *(f"x{number}" for number in range(49))])
    less = " ".join([*half.split()[:48], *(f"x{number}" for number in range(53))])
    assert named([entry("A", half)], [entry("B", kept)])[0][0] == "rename"
    assert named([entry("A", half)], [entry("B", less)])[0][0] == "create"

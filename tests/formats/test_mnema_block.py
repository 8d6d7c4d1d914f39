"""Documents of a mirror's second writer: fields under one key, the body put together from them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.errors import BadInput, Refused
from memgit.formats.codec import Draft
from memgit.formats.mnema_block import SHAPES, Mirror, compose, decompose
from memgit.model.record import ParsedFile, Record, Value
from tests import strategies
from tests.support import examples

FORM = Mirror()
DECISION = """\
---
mnema:
  key: DESK-ADR-1
  kind: decision
  status: proposed
  title: 'Locks: before the quote'
  context: >-
    Two skippers were promised one berth, because the desk quoted first and
    locked afterwards.
  decision: Lock first.
  rationale: null
  consequences: Ten minutes of a held berth.
  superseded_by: null
  impacts:
    - src/quote.py
  metadata: {}
  at: '2026-02-10T08:00:00.000Z'
---
# Locks: before the quote
"""
BODY = (
    "## Context\n\nTwo skippers were promised one berth, because the desk quoted first and locked "
    "afterwards.\n\n"
    "## Decision\n\nLock first.\n\n## Consequences\n\nTen minutes of a held berth."
)
OBSERVATION = """\
---
mnema:
  id: 019c2f00-0000-7000-8000-000000000009
  kind: observation
  content: The office answers 422.
  topics:
    - tides
  related_task_key: null
  at: '2026-02-10T08:00:00.000Z'
  archived_at: null
own: kept
---
The office answers 422.
"""
TASK = """\
---
mnema:
  key: DESK-7
  state: DONE
  title: A task
  description: What to do.
  acceptance_criteria:
    - It is done
    - >-
      It is done in a way that takes more than one line of eighty columns to say
      in words
  estimate: 2
  metadata: {}
  updated_at: '2026-02-10T08:00:00.000Z'
---
# A task
"""


def parse(text: str, kind: str = "decision") -> ParsedFile:
    return FORM.parse(text.encode(), "roadmap/X-1.md", kind, "X-1", "note/roadmap/X-1")


def one(text: str, kind: str = "decision") -> Record:
    parsed = parse(text, kind)
    assert parsed.problems == ()
    return parsed.records[0]


def edit(text: str, changes: dict[str, Value]) -> str:
    return FORM.edit(text.encode(), 0, changes).decode()


def test_a_decision() -> None:
    record = one(DECISION)
    assert (record.title, record.id, record.created, record.address) == (
        "Locks: before the quote",
        "DESK-ADR-1",
        "2026-02-10T08:00:00.000Z",
        "decision/X-1",
    )
    assert record.body == BODY
    assert record.fields["decision"] == "Lock first."
    assert record.fields["rationale"] is None
    assert record.items("impacts") == ("src/quote.py",)


def test_an_observation_says_its_text_once() -> None:
    record = one(OBSERVATION, "observation")
    assert record.body == "The office answers 422."
    assert "content" not in record.fields
    assert (record.title, record.id, record.text("at"), record.fields["own"]) == (
        "X-1",
        "019c2f00-0000-7000-8000-000000000009",
        "2026-02-10T08:00:00.000Z",
        "kept",
    )
    other = one(OBSERVATION.replace("---\nThe office", "---\nBy hand: the office"), "observation")
    assert other.body == "The office answers 422.\n\nBy hand: the office answers 422."


def test_a_task() -> None:
    record = one(TASK, "note")
    assert (record.address, record.text("state"), record.updated) == (
        "note/roadmap/X-1",
        "DONE",
        "2026-02-10T08:00:00.000Z",
    )
    assert record.body == (
        "What to do.\n\n## Acceptance criteria\n\n- It is done\n"
        "- It is done in a way that takes more than one line of eighty columns to say in words"
    )


def test_a_heading_that_differs_is_reported() -> None:
    parsed = parse(DECISION.replace("# Locks: before the quote", "# Locks come first"))
    assert [(problem.code, problem.line, problem.fatal) for problem in parsed.problems] == [
        ("MG004", 19, False)
    ]
    assert parsed.records[0].title == "Locks: before the quote"
    assert parsed.records[0].body == BODY + "\n\n# Locks come first"


def test_a_file_without_the_key_is_a_plain_document() -> None:
    record = one("---\ntitle: By hand\nstatus: accepted\n---\n\n## Context\n\nText.\n")
    assert (record.title, record.fields["status"], record.body) == (
        "By hand",
        "accepted",
        "## Context\n\nText.",
    )
    assert (
        edit("---\ntitle: By hand\n---\ntext\n", {"status": "accepted"})
        == "---\ntitle: By hand\nstatus: accepted\n---\ntext\n"
    )
    assert edit("# By hand\n\ntext\n", {"body": "new", "title": "B"}) == "# B\n\nnew\n"
    assert one("---\nmnema: {a: b}\ntitle: t\n---\n").title == "t"


@pytest.mark.parametrize(
    ("changes", "old", "new"),
    [
        ({"status": "accepted"}, "status: proposed", "status: accepted"),
        ({"title": "A: b"}, "Locks: before the quote", "A: b"),
        ({"superseded_by": "DESK-ADR-2"}, "superseded_by: null", "superseded_by: DESK-ADR-2"),
        ({"rationale": "It is simple: one lock."}, "rationale: null", "rationale: 'It is simple: one lock.'"),
        ({"impacts": ("src/quote.py", "a: b")}, "    - src/quote.py\n", "    - src/quote.py\n    - 'a: b'\n"),
        ({"impacts": ()}, "impacts:\n    - src/quote.py\n", "impacts: []\n"),
        ({"decision": None}, "decision: Lock first.", "decision: ''"),
        (
            {"archived": "2026-05-05"},
            "  at: '2026-02-10T08:00:00.000Z'\n",
            "  at: '2026-02-10T08:00:00.000Z'\n  archived_at: '2026-05-05T00:00:00.000Z'\n",
        ),
        (
            {"context": "Short."},
            DECISION[DECISION.index("context:") : DECISION.index("  decision:")],
            "context: Short.\n",
        ),
    ],
)
def test_a_change_touches_its_own_lines_alone(changes: dict[str, Value], old: str, new: str) -> None:
    assert edit(DECISION, changes) == DECISION.replace(old, new)
    assert edit(edit(DECISION, changes), changes) == edit(DECISION, changes)


def test_long_text_is_folded_at_eighty_columns() -> None:
    done = edit(DECISION, {"decision": "word " * 30 + "end"})
    assert "  decision: >-\n    " + "word " * 14 + "word\n    " + "word " * 14 + "word\n    end\n" in done
    assert all(len(line) <= 80 for line in done.split("\n"))


def test_a_body_goes_back_into_its_fields() -> None:
    new = BODY.replace("Lock first.", "Lock first,\nthen quote.") + "\n\n## Notes\n\nBelow the title."
    done = edit(DECISION, {"body": new})
    assert "  decision: |-\n    Lock first,\n    then quote.\n" in done
    assert done.endswith("# Locks: before the quote\n\n## Notes\n\nBelow the title.\n")
    assert one(done).body == new
    assert edit(done, {"body": BODY}) == DECISION
    assert "  decision: Only this.\n" in edit(DECISION, {"body": "Only this."})
    assert one(edit(DECISION, {"body": "Before.\n\n" + BODY})).fields["context"].startswith("Before.\n\nTwo")  # type: ignore[union-attr]
    task = edit(TASK, {"body": "Other.\n\n## Acceptance criteria\n\n- one\n- two\n  lines\n\nAnd prose."})
    assert "  acceptance_criteria:\n    - one\n    - |-\n      two\n      lines\n" in task
    assert one(task, "note").body == "Other.\n\n## Acceptance criteria\n\n- one\n- two\n  lines\n\nAnd prose."


def test_an_observation_is_changed_in_both_places() -> None:
    done = edit(OBSERVATION, {"body": "It answers 503: sometimes."})
    assert done == OBSERVATION.replace(
        "content: The office answers 422.", "content: 'It answers 503: sometimes.'"
    ).replace("---\nThe office answers 422.", "---\nIt answers 503: sometimes.")
    assert edit(OBSERVATION, {"archived": "2026-05-05"}) == OBSERVATION.replace(
        "archived_at: null", "archived_at: '2026-05-05T00:00:00.000Z'"
    )
    assert edit(edit(OBSERVATION, {"archived": "2026-05-05"}), {"archived": None}) == OBSERVATION
    more = FORM.extend(OBSERVATION.encode(), 0, "More.", "2026-05-05").decode()
    assert one(more, "observation").body == "The office answers 422.\n\n## Extension (2026-05-05)\n\nMore."
    assert more.endswith("---\nThe office answers 422.\n\n## Extension (2026-05-05)\n\nMore.\n")


def test_an_extension_goes_below_the_title() -> None:
    done = FORM.extend(DECISION.encode(), 0, "More.", "2026-05-05").decode()
    assert done == DECISION + "\n## Extension (2026-05-05)\n\nMore.\n"
    with pytest.raises(BadInput):
        FORM.extend(DECISION.encode(), 0, "", "2026-05-05")
    with pytest.raises(Refused):
        FORM.extend((DECISION + "\n```\n").encode(), 0, "x", "2026-05-05")


@pytest.mark.parametrize("text", [DECISION, OBSERVATION.replace("own: kept\n", ""), TASK])
def test_a_record_is_written_as_the_mirror_writes_it(text: str) -> None:
    kind = "decision" if text is DECISION else "note" if text is TASK else "observation"
    record = one(text, kind)
    fields = {name: value for name, value in record.fields.items() if value is not None}
    if kind == "observation":
        made = FORM.create(Draft(kind, "", fields, record.body), None).decode().replace("  title: ''\n", "")
    else:
        made = FORM.create(Draft(kind, record.title, fields, record.body), None).decode()
    if kind == "note":
        empty = (
            "  priority: null\n  assignee: null\n  reporter: null\n  epic_key: null\n  sprint_key: "
            "null\n  reopen_count: 0\n"
        )
        made = made.replace(empty, "")
    assert made == text


def test_a_new_observation_keeps_its_title() -> None:
    data = FORM.create(Draft("observation", "Seen", {"id": "kb7m2q9x4d", "at": "2026-05-05"}, "Text."), None)
    record = one(data.decode(), "observation")
    assert (record.title, record.body, record.id, record.text("at")) == (
        "Seen",
        "Text.",
        "kb7m2q9x4d",
        "2026-05-05T00:00:00.000Z",
    )
    assert edit(data.decode(), {"title": "Seen: again"}) == data.decode().replace(
        "title: Seen", "title: 'Seen: again'"
    )


section_texts = strategies.plain_bodies.map(lambda text: text.strip())


@given(
    st.dictionaries(st.sampled_from(["context", "decision", "rationale", "consequences"]), section_texts),
    section_texts | st.just(""),
)
@settings(max_examples=examples(65))
def test_decompose_undoes_compose(values: dict[str, str], rest: str) -> None:
    shape = SHAPES["decision"]
    below = f"## Notes\n\n{rest}" if rest else ""
    body = compose(values, below, shape)
    found, left = decompose(body, shape, {}, "")
    if values:
        assert (found, left) == (values, below)
    assert compose(found, left, shape) == body or not values


@given(strategies.texts.map(lambda text: " ".join(text.split())).filter(bool), strategies.plain_bodies)
@settings(max_examples=examples(65))
def test_hostile_text_comes_back(text: str, body: str) -> None:
    if "\0" in text:
        return
    done = edit(DECISION, {"title": text, "decision": text, "impacts": (text, body), "source": text})
    record = one(done)
    assert (record.title, record.fields["decision"], record.fields["source"]) == (text, text, text)
    assert record.items("impacts") == (text, body)

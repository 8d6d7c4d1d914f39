"""Advice that is opposite, and advice that only sounds so.

The labelled rows lie in `benchmarks/contradictions.py`.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import contradictions
from memgit.lint.alike.claims import of_sentence
from memgit.lint.alike.likeness import stem
from memgit.lint.alike.opposition import opposite
from memgit.lint.alike.sentences import sentences
from tests.lint.support import at, check, corpus, entry, memory


def test_the_labelled_rows_keep_their_numbers() -> None:
    """Precision first: a rule that cries wolf is turned off.

    The floor is what was measured, less a row or two.
    """
    found = [(row, contradictions.fires(row)) for row in contradictions.ROWS]
    assert len(found) >= 60 and sum(not row.opposite for row, _ in found) * 2 >= len(found)
    everything, held_out = (
        contradictions.score(found),
        contradictions.score(found[-len(contradictions.HELD_OUT) :]),
    )
    assert everything.precision >= 0.98 and everything.recall >= 0.9
    assert held_out.precision >= 0.95 and held_out.recall >= 0.85


def test_rows_of_one_category_do_not_contradict_each_other() -> None:
    assert contradictions.across(contradictions.ROWS[: -len(contradictions.HELD_OUT)]) == []


@pytest.mark.parametrize(
    "text",
    ["Why not run it?", "It was disabled last year.", "Perhaps use tabs.", "ok", "a" * 500, "The sky.", ""],
)
def test_what_is_no_plain_advice_makes_no_claim(text: str) -> None:
    assert of_sentence(text) is None


def test_a_claim_knows_what_it_is_about() -> None:
    claim = of_sentence("Never set `max_retries` to 5 when the queue is full, because it blocks.", 7)
    assert claim is not None
    assert (claim.line, claim.sign) == (7, -1)
    assert claim.settings == (("max_retries", "5"),)
    assert stem("queue") in claim.condition and stem("queue") not in claim.core


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Keep the timeout at 30 seconds.", "Keep the timeout at half a minute."),
        ("Set the session timeout to 30 seconds.", "Set the session timeout to 0.5 minutes."),
        ("Never disable the cache.", "Always enable the cache."),
        ("Always run the tests.", "Always run the tests."),
    ],
)
def test_what_says_the_same_is_not_opposite(one: str, other: str) -> None:
    left, right = of_sentence(one), of_sentence(other)
    assert left is None or right is None or opposite(left, right) is None


def test_sentences_know_their_lines_and_leave_code_and_old_versions_out() -> None:
    text = (
        "# Title\n\nAlways quote. Never\nguess.\n\n```sh\nnever run this\n```\n\n- one item; two "
        "halves\n> quoted\n| a | b |\n\n"
        "## History\n\nOld words.\n\n## After\n\nNew words."
    )
    assert list(sentences(text.split("\n"), 1, 30)) == [
        (3, "Always quote."),
        (3, "Never guess."),
        (10, "one item"),
        (10, "two halves"),
        (20, "New words."),
    ]


def test_a_pair_is_reported_once_with_both_quoted() -> None:
    one = entry("Patience", "- Always retry a failed upload.")
    two = entry("Haste", "- Never retry a failed upload.\n- Do not retry a failed upload.")
    (found,) = check(corpus({"knowledge-base/a.md": one + two}), "MG303")
    assert found.related[0].message == "Always retry a failed upload."
    assert "“Never retry a failed upload.”" in found.message and "knowledge-base/a.md:4" in found.message
    assert at([found]) == ["MG303 knowledge-base/a.md:10"]


def test_records_that_have_nothing_to_do_with_each_other_are_not_compared() -> None:
    one, two = (
        memory("Uploads", "Always retry a failed upload."),
        memory("Payments", "Never retry a failed upload."),
    )
    assert check(corpus({"memory/a/one.md": one, "memory/b/two.md": two}), "MG303") == []
    assert len(check(corpus({"memory/a/one.md": one, "memory/a/two.md": two}), "MG303")) == 1
    tagged = [text.replace("created:", "keywords: [upload]\ncreated:") for text in (one, two)]
    assert len(check(corpus({"memory/a/one.md": tagged[0], "memory/b/two.md": tagged[1]}), "MG303")) == 1


@pytest.mark.parametrize("more", ["archived: 2026-05-01\n", "status: tombstoned\n"])
def test_what_is_archived_contradicts_nobody(more: str) -> None:
    files = {
        "memory/a/one.md": memory("Uploads", "Always retry a failed upload.", more),
        "memory/a/two.md": memory("Payments", "Never retry a failed upload."),
    }
    assert check(corpus(files), "MG303") == []


def test_a_decision_does_not_contradict_the_one_that_it_supersedes() -> None:
    def decision(title: str, text: str, more: str = "") -> str:
        return f"---\ntitle: {title}\nstatus: accepted\ntags: [upload]\n{more}---\n{text}\n"

    old, new = (
        decision("Old", "Always retry a failed upload."),
        decision("New", "Never retry a failed upload."),
    )
    assert len(check(corpus({"decisions/a.md": old, "decisions/b.md": new}), "MG303")) == 1
    new = decision("New", "Never retry a failed upload.", "supersedes: [a]\n")
    assert check(corpus({"decisions/a.md": old, "decisions/b.md": new}), "MG303") == []


@given(st.text(max_size=200))
def test_any_sentence_is_read(text: str) -> None:
    claim = of_sentence(text)
    if claim is not None:
        assert opposite(claim, claim) is None


@given(
    st.lists(
        st.sampled_from(
            "Always never set the `a=1` to 5 ms, not use on off before (if) prefer x over y.".split()
        ),
        max_size=25,
    )
)
def test_any_jumble_of_markers_is_read(parts: list[str]) -> None:
    claim = of_sentence(" ".join(parts))
    if claim is not None:
        assert opposite(claim, claim) is None


@pytest.mark.parametrize(
    "part",
    ["Never do it. ", "always\n", "- Set `a` to 5.\n", "(if ", "`a=1` ", "prefer a over b, not ", "turn on "],
)
def test_hostile_text_takes_no_longer_than_its_length(part: str) -> None:
    import time

    text = part * (300_000 // len(part))
    start = time.process_time()
    for line, sentence in sentences(text.split("\n"), 1, text.count("\n") + 1):
        of_sentence(sentence, line)
    assert time.process_time() - start < 6

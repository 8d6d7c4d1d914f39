from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.model.topic import changed_share, holds, keywords, switch_reason


@pytest.mark.parametrize(
    ("text", "keyword", "wanted"),
    [
        ("Moving from Java to Go", "java", True),
        ("Written in JavaScript", "Java", False),
        ("Use C++ here", "c++", True),
        ("CI/CD pipeline", "CI/CD", True),
        ("the client  key is lost", "Client Key", True),
        ("snake_case", "case", False),
        ("泊位鎖定的問題", "鎖定", True),
        ("anything", "", False),
    ],
)
def test_whole_keywords_in_any_case(text: str, keyword: str, wanted: bool) -> None:
    assert holds(text, keyword) is wanted


def test_known_keywords_come_first_then_key_terms_at_most_eight() -> None:
    found = keywords(
        "How does the CSS grid of the Invoice page wrap on narrow screens in Firefox and Safari?",
        ["grid", "css", "flex"],
    )
    assert found[:2] == ["css", "grid"]
    assert len(found) <= 8
    assert "firefox" in found


@pytest.mark.parametrize(
    ("now", "last", "switches"),
    [
        (["a", "b", "c", "d", "e"], ["a", "b", "c", "x", "y"], True),
        (["a", "b", "c"], ["a", "b", "z"], False),
        (["a", "b", "c", "d", "e"], ["a", "b", "c", "d", "x"], False),
        (["a", "b", "c", "d", "e", "f", "g"], ["a", "b", "c", "d", "e", "x", "y"], False),
        ([], ["a"], False),
        (["a"], ["a"], False),
        (["b"], ["a"], True),
    ],
)
def test_forty_per_cent_of_new_keywords_switch_the_topic(
    now: list[str], last: list[str], switches: bool
) -> None:
    assert (switch_reason("plain words", now, last) is not None) is switches


@pytest.mark.parametrize(
    "text",
    [
        "Also, fix this",
        "by the way what is it",
        "now switch  to tests",
        "Done. Next the footer",
        "- instead: a list",
        "one\nnext two",
    ],
)
def test_transition_words_switch_the_topic(text: str) -> None:
    assert switch_reason(text, ["a"], ["a"]) is not None


@pytest.mark.parametrize(
    "text",
    ["nextjs routing", "alsobar", "switching toys", "do it instead", "what is next?", "it is also slow"],
)
def test_parts_of_words_and_words_within_a_sentence_do_not(text: str) -> None:
    assert switch_reason(text, ["a"], ["a"]) is None


def test_the_first_turn_is_a_new_topic() -> None:
    assert switch_reason("x", [], None) is not None


@given(st.text(max_size=300), st.lists(st.text(max_size=20), max_size=10))
def test_any_message_has_at_most_eight_distinct_keywords(text: str, vocabulary: list[str]) -> None:
    found = keywords(text, vocabulary)
    assert len(found) <= 8
    assert len(set(found)) == len(found)
    assert 0 <= changed_share(found, []) <= 1

"""What saves time next time ranks first; three to ten a source are proposed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgit.ingest.rewrite import body_of, fenced, relinked
from memgit.ingest.scoring import MAX_RECORDS, MIN_RECORDS, chosen, parts


def worth(title: str, text: str, tokens: int) -> int:
    return sum(parts(title, text, tokens).values())


PLAIN = (
    "The project was started by a group of friends who liked the sea. It grew over the years into what "
    "it is today."
)


def test_steps_errors_and_code_rank_over_description() -> None:
    plain = worth("Background", PLAIN, 30)
    steps = worth("Install", "1. Run `make`.\n2. Set `PORT=80`.\n", 30)
    error = worth("Fix", f"{PLAIN} It raised ConnectionError: use the new port instead.", 40)
    code = worth("Use", f"{PLAIN}\n\n```sh\n$ make all --fast\n```\n", 40)
    assert plain < error < code
    assert plain < steps
    assert worth("License", "1. Run `make`.\n```\nx\n```\n", 30) < plain + 3
    assert worth("x", "Short.", 2) < plain


def test_hostile_text_takes_no_time() -> None:
    for text in (
        "- a\n" * 5000,
        "- a\n   \n" * 3000,
        "|" * 20_000,
        "-" * 20_000,
        "a_" * 10_000,
        "`" * 20_000,
        " \t" * 10_000,
    ):
        worth("x", text, 500)


@given(st.lists(st.integers(-6, 12), max_size=40), st.integers(0, 12))
def test_three_to_ten_are_chosen(worths: list[int], taken: int) -> None:
    places = chosen(worths, taken)
    assert len(places) <= max(0, MAX_RECORDS - taken)
    assert len(places) >= min(len(worths), max(0, MIN_RECORDS - taken))
    if places:
        assert min(worths[place] for place in places) >= max(
            (worth for place, worth in enumerate(worths) if place not in places), default=-99
        ) or (all(worths[place] >= 2 for place in places) and len(places) == MAX_RECORDS - taken)


def test_headings_of_a_body_are_set_down() -> None:
    assert body_of("# A\n\ntext\n\n## B\n") == "### A\n\ntext\n\n#### B"
    assert body_of("Title\n===\n\n###### F\n") == "### Title\n\n###### F"
    assert body_of("\n\n### C\n\n```\n# no\n```\n\n") == "### C\n\n```\n# no\n```"
    assert body_of("```\nopen") == "```\nopen\n```"


def test_links_lead_where_they_led() -> None:
    text = "[a](b.md#x) ![i](../img/p.png) [w](https://x.org/a) [h](#here) [abs](/x) `[c](d.md)` <e.md>"
    there = {"docs/guide/b.md", "docs/img/p.png", "docs/b.md"}.__contains__
    assert relinked(text, "docs/guide/a.md", "knowledge-base/ops.md", there) == (
        "[a](../docs/guide/b.md#x) ![i](../docs/img/p.png) [w](https://x.org/a) [h](#here) [abs](/x) "
        "`[c](d.md)` <e.md>"
    )
    assert relinked("[a]: b.md\n\n[a] [x][a]", "docs/a.md", "kb.md", there) == "[a]: docs/b.md\n\n[a] [x][a]"
    for text in ("no link", "[x](example.org/a) [y](gone.md)"):
        assert relinked(text, "docs/b.md", "c/d.md", there) == text


def test_a_fence_is_longer_than_those_inside() -> None:
    assert fenced("```\nx\n```", "md") == "````md\n```\nx\n```\n````"

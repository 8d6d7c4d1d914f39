"""Outlines are cut at bullets, and other markup at its headings."""

from __future__ import annotations

from memgit.ingest.cuts import outline
from memgit.ingest.cuts.lines import Lines
from memgit.ingest.markup import as_markdown, numbered
from memgit.ingest.pages import without_furniture
from memgit.ingest.segments import Given, map_text

WORDS = "tide table harbour lamp rope anchor wharf crane barge ferry " * 3


def filled(heading: str, count: int) -> str:
    return f"- ## {heading}\n" + "".join(
        f"\t- {number} {WORDS}\n\t  goes on under it\n\t\t- deeper {WORDS}\n" for number in range(count)
    )


def test_an_outline_is_cut_at_bullets() -> None:
    text = "type:: [[Page]]\nalias:: tides\n\n" + filled("Spring", 4) + filled("Neap", 30)
    made = map_text(text, Given("Tides.md"))
    lines = text.split("\n")
    assert len(made.segments) > 3
    assert all(lines[segment.first - 1].lstrip().startswith("- ") for segment in made.segments[1:])
    assert made.segments[0].title == "Spring" and made.segments[0].subject == "Tides"
    assert "::" not in made.segments[0].text and made.segments[0].text.startswith("- 0 tide")


def test_a_short_outline_is_one_record() -> None:
    (segment,) = map_text(
        "type:: [[Page]]\ndescription:: How tides turn.\n\n- ## Use\n\t- Wait.\n- ## See\n\t- More.\n",
        Given("Tides.md"),
    ).segments
    assert (
        segment.title == "Tides"
        and segment.text.startswith("How tides turn.")
        and "- ### " not in segment.text
    )


def test_a_list_in_markdown_is_no_outline() -> None:
    assert outline.bullets(Lines("# Tides\n\n- one\n- two\n- three\n")) == []
    assert outline.bullets(Lines("- one\n- two\n- three\n")) == []


def test_restructured_text_has_headings() -> None:
    body = f"{WORDS}\n\n" * 9
    text = f".. _tides:\n\n=======\n Tides\n=======\n\n{body}Reading them\n============\n\n.. code-block:: sh\n\n    tide --now\n\n{body}"
    made = map_text(text, Given("docs/tides.rst"))
    assert [segment.title for segment in made.segments] == ["Tides", "Reading them"]
    assert "```sh\ntide --now\n```" in made.segments[1].text
    assert "_tides" not in made.segments[0].text


def test_code_of_restructured_text() -> None:
    assert (
        as_markdown("a::\n\n.. code-block:: py\n   :linenos:\n\n   x = 1\n\nb\n")
        == "a::\n\n```py\nx = 1\n```\n\nb\n"
    )


def test_numbered_headings_of_a_paper() -> None:
    text = "On tides\n\n1 Problem\nIt rises.\n1.1 Why it rises\nMoon.\n1. An item of a list that is long.\n2 Results\nIt falls.\n"
    found = numbered(Lines(text), 1)
    assert found is not None
    assert [heading.title for heading in found.headings] == ["Problem", "Why it rises", "Results"]
    assert numbered(Lines("1 One\n7 Seven\n9 Nine\n"), 1) is None


def test_pages_lose_their_furniture() -> None:
    page = "Harbour Report\n\ntext {n} stays\n\uf0b7 an item\n\nPage {n} of 3\n\f"
    text = without_furniture("".join(page.replace("{n}", str(number)) for number in range(1, 4)))
    assert "Harbour Report" not in text and "Page" not in text
    assert "text 2 stays\n- an item" in text


def test_headings_inside_a_body_of_restructured_text() -> None:
    text = ".. _tides:\n\n=========\n Plugins\n=========\n\nOne.\n\nUse\n---\n\nTwo.\n\n=====  =====\na      b\n=====  =====\n"
    (segment,) = map_text(text, Given("tides.rst")).segments
    assert segment.text.startswith("One.\n\n### Use\n\nTwo.") and segment.title == "Plugins"
    assert "=====  =====\na      b" in segment.text


UUID = "60531c23-238e-4748-9b19-27088f9c3771"
OTHER = "123e4567-e89b-12d3-a456-426614174000"


def test_block_references_are_told_or_stay() -> None:
    text = f"type:: x\n\n- ## Tides\n\t- The gate is old.\n\t  id:: {UUID}\n\t- See (({UUID})), `(({OTHER}))`, [it]((({OTHER})))\n"
    (segment,) = map_text(text, Given("Tides.md")).segments
    assert f"See The gate is old., `(({OTHER}))`, it" in segment.text


def test_code_in_code_of_an_outline_stays_whole() -> None:
    query = "  #+BEGIN_QUERY\n  {:title 1}\n  #+END_QUERY\n"
    made = outline.as_list(
        f"- a\n  #+BEGIN_SRC clojure\n{query}  #+END_SRC\n- b\n  ```\n{query}  id:: 3\n  ```\n{query}"
    )
    assert made.split("\n") == [
        "- a", "  ```clojure", "  #+BEGIN_QUERY", "  {:title 1}", "  #+END_QUERY", "  ```",
        "- b", "  ```", "  #+BEGIN_QUERY", "  {:title 1}", "  #+END_QUERY", "  id:: 3", "  ```",
        "  ```", "  {:title 1}", "  ```", "",
    ]  # fmt: skip


def test_a_definition_is_never_parted_from_its_term() -> None:
    text = "".join(
        f"**{name}**: {WORDS * 3}\n\nMore of it: {WORDS * 4}\n\n"
        for name in ("root", "daemon", "sync", "games")
    )
    made = map_text(text, Given("users.md")).segments
    assert all(segment.text.startswith("**") for segment in made) and len(made) > 1
    assert "daemon" in " ".join(segment.title for segment in made)

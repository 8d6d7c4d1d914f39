"""The main content of a page as Markdown."""

from __future__ import annotations

import pytest

pytest.importorskip("trafilatura")

from memgit.web.extract import extract

WORDS = "<p>\n            " + "The pump of the lock needs oil before the spring tide. " * 8 + "\n        </p>"


def test_what_follows_code_is_no_code() -> None:
    page = (
        f"<html><body><article><h1>Pumps</h1>{WORDS}<div>\n<pre>oil --all\n    --twice\n</pre>\n"
        f"            </div>\n        {WORDS}<h2>After</h2>{WORDS}</article></body></html>"
    )
    lines = extract(page, "")[2].split("\n")
    end = lines.index("```", lines.index("```") + 1)
    assert lines[end - 2 : end] == ["oil --all", "    --twice"]
    assert lines[end + 1].startswith("The pump of the lock")


TIDE = (
    "<p>The tide comes in twice a day and goes out twice a day, and that is why the lock has two gates.</p>"
)


def text_of(inside: str) -> str:
    return extract(
        f"<html><head><title>Tides</title></head><body><main>{inside}{TIDE * 3}</main></body></html>", ""
    )[2]


def test_nested_lists_stay() -> None:
    made = text_of(
        "<h1>Tides</h1><ul><li>In progress:<ul><li><a href='https://e.org/1'>the gate</a></li>"
        "<li>the pump<ol><li>first</li><li>second</li></ol></li></ul></li><li>Done</li></ul>"
        + TIDE
        + "<ol><li>one<ul><li>inner</li></ul></li><li>two</li></ol>"
    )
    assert (
        "- In progress:\n    - [the gate](https://e.org/1)\n    - the pump\n        1. first\n        2. second\n- Done\n"
        in made
    )
    assert "1. one\n    - inner\n2. two\n" in made


def test_links_of_headings_to_themselves_go() -> None:
    made = text_of(
        "<h1>Tides<a class='headerlink' href='#t'>\u00b6</a></h1><h2 id='l'><a href='#l'>Locks</a></h2>"
        + TIDE
    )
    assert "# Tides\n" in made and "## Locks\n" in made and "\u00b6" not in made and "](#" not in made


def test_terms_stay_with_their_definitions() -> None:
    made = text_of(
        "<h1>Tides</h1><dl><dt>\n  Push\n</dt><dt>Shove</dt><dd><p>A change. It may be:</p><ul><li>small</li><li>big</li></ul></dd>"
        "<dt>Pull</dt><dd>The other way round.</dd><dt>Left</dt></dl>"
    )
    assert "**Push**, **Shove**: A change. It may be:\n\n- small\n- big\n" in made
    assert "**Pull**: The other way round.\n" in made and "Left" in made


def test_a_fence_in_code_does_not_close_it() -> None:
    made = text_of(
        f"<h1>Tides</h1>{TIDE}<pre><code>one\n```sh\n\nls\n```\ntwo</code></pre>{TIDE}<pre><code>three\nfour</code></pre>"
    )
    assert "````\none\n```sh\n\nls\n```\ntwo\n````\n" in made and "```\nthree\nfour\n```" in made


def test_headings_outside_the_main_part_are_none_of_it() -> None:
    page = f"<html><body><div><h2>Keyboard shortcuts</h2></div><main><h1>Locks</h1>{TIDE * 4}</main></body></html>"
    title, _, made = extract(page, "")
    assert title == "Locks" and "Keyboard" not in made


@pytest.mark.parametrize(
    "inside",
    [
        "<ul><li>" * 300,
        "<dl><dt>a<dd>" * 300,
        "<h1><a href='#'>" * 300,
        "<ol><li>a</li>" * 300,
        "<dl></dl><dd>x",
    ],
)
def test_hostile_pages_break_nothing(inside: str) -> None:
    text_of(inside)

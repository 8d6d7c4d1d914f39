"""Code is cut at its definitions; what describes one stays with it."""

from __future__ import annotations

import pytest

from memgit.ingest.cuts import code, python
from memgit.ingest.cuts.lines import Lines
from memgit.ingest.segments import Given, map_text

PYTHON = '''\
#!/usr/bin/env python3
"""What it is for."""

import os
import sys
from re import compile

LIMIT = 3
OTHER = 4


# Says hello,
# politely.
@decorated
@twice(
    1,
)
def hello():
    """Says hello."""
    return {body}


# A part of its own.

class Greeter:
    """Greets."""

    def one(self):
        return {body}

    # about two
    async def two(self):
        return {body}


if __name__ == "__main__":
    hello()
'''


def filled(words: int) -> str:
    return PYTHON.replace("{body}", " + ".join(f"name_{number}" for number in range(words)))


def starts(text: str, name: str) -> list[tuple[str, str]]:
    lines = text.split("\n")
    return [(lines[segment.first - 1], segment.title) for segment in map_text(text, Given(name)).segments]


def test_python_by_its_statements() -> None:
    assert starts(filled(90), "greet.py") == [
        ("#!/usr/bin/env python3", "hello in greet.py: says hello"),  # what is small joins its neighbour
        ("# A part of its own.", "Greeter in greet.py: greets"),
    ]


def test_a_large_class_is_cut_at_its_methods() -> None:
    assert starts(filled(300), "greet.py")[2:] == [
        ("# A part of its own.", "Greeter in greet.py: greets"),
        ("    # about two", "Greeter.two in greet.py: about two"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "def f(:\n    pass\n",
        "x = '\\d'\n" * 3,
        "print 'old'\n",
        "\x0c\ndef f(): pass\n",
        "a = 1\rb = 2\n",
        "",
    ],
)
def test_python_that_is_none_is_cut_all_the_same(text: str) -> None:
    body = text + "".join(f"\ndef part{number}():\n    return {'x + ' * 200}1\n" for number in range(3))
    found = python.pieces(Lines(body), body)
    assert found is None or found[-1].last == len(Lines(body))
    assert map_text(body, Given("x.py")).segments[-1].title.startswith("part2")


def test_deep_python_does_not_break_the_reader() -> None:
    text = "x = " + "(" * 5000 + ")" * 5000 + "\n"
    assert python.pieces(Lines(text), text) is None


GO = """\
package main

import (
	"fmt"
)

// Serve answers.
// It never ends.
func Serve(port int) error {
	return fmt.Errorf("%d" BODY)
}

/*
Stop ends it.

func NotOne() {}
*/
func (s *Server) Stop() {
	BODY
}

type Config struct {
	Name string
}
"""


def test_other_languages_at_column_0() -> None:
    text = GO.replace("BODY", ", name" * 300)
    assert [first for first, _ in starts(text, "main.go")] == ["package main", "/*"]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("pub(crate) async fn serve(x: u8) -> u8 {", "serve"),
        ("export default class App extends Base {", "App"),
        ("static int read_all(int fd, char *buffer)", "read_all"),
        ("const parse = (text) => {", "parse"),
        ("CREATE TABLE IF NOT EXISTS users (", "IF"),
        ("deploy() {", "deploy"),
        ("defmodule Shop.Cart do", "Shop.Cart"),
        ("[tool.ruff]", "tool.ruff"),
        ("services:", "services"),
        ("return 5", ""),
        ("}", ""),
        ("x" * 1000 + " {", ""),
    ],
)
def test_names_of_definitions(line: str, name: str) -> None:
    assert code.name_of(line) == name


def test_code_stands_in_a_fence_that_it_cannot_close() -> None:
    text = 'x = """\n```sh\nls\n```\n"""\n'
    segment = map_text(text, Given("x.py")).segments[0]
    assert segment.text == f"````python\n{text.strip()}\n````"

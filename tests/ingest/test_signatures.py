"""Of code a reader needs what it is for, signatures and what its author says."""

from __future__ import annotations

import pytest

from memgit.ingest.segments import Given, map_text
from memgit.ingest.signatures import signatures

PYTHON = '''\
"""Reads tide tables."""

import os
from csv import reader

LIMIT = 3
"""Rows at most."""


@cached
def rows(
    path: str,  # as typed
    limit: int = LIMIT,
) -> list[str]:
    """The rows of a table.

    Raises:
        OSError: it is not there.
    """
    def inner():
        """Never told."""
    return list(reader(open(path)))[:limit]


def _hidden():
    """Private."""


class Table:
    """A table of tides."""

    def __init__(self):
        self.rows = []

    def next(self) -> str:
        """The next tide."""
        return self.rows[0]
'''
BRACES = """\
// Copyright notes
import {x} from 'y';

/**
Waits for the tide.
@param hours How long.
*/
export async function wait(hours: number): Promise<void> {
	if (hours > 3) {
		return later(() => {});
	}
}

export class Harbour extends Base {
	readonly #secret = 1;

	/**
	Opens the gate.
	*/
	open(
		wide: boolean,
	): void {
		this.run(wide);
	}

	#hidden() {
	}

	undocumented(a) {
	}
}
"""


def test_python() -> None:
    found = signatures(PYTHON, "python")
    assert found is not None and found.documented
    assert list(found.purposes) == ["LIMIT", "rows", "_hidden", "Table", "Table.__init__", "Table.next"]
    assert found.purposes["rows"] == "The rows of a table." and found.whole == "Reads tide tables."
    for told in (
        "Reads tide tables.",
        "limit: int = LIMIT,\n) -> list[str]:",
        "OSError: it is not there.",
        "@cached",
        "The next tide.",
    ):
        assert told in found.text
    for left in ("import os", "from csv"):
        assert left not in found.text
    assert found.left == "imports"


def test_braces() -> None:
    found = signatures(BRACES, "typescript")
    assert found is not None
    assert list(found.purposes) == ["wait", "Harbour", "Harbour.open"]
    assert found.purposes["wait"] == "Waits for the tide."
    assert "@param hours How long." in found.text and "wide: boolean,\n\t): void" in found.text
    for left in ("import", "secret", "hidden"):
        assert left not in found.text


LONG = """\
func area(of width: Double, and height: Double) throws -> Double {
    log("enter")
    log("more")
    let minimum = 0.25 // m
    var rows = load()
    if width < minimum {
        log("small")
        throw AreaError.tooSmall
    } else if height < minimum {
        log("low")
        throw AreaError.tooLow
    }
    rows.sort()
    rows.reverse()
    rows.clear()
    // Twice, because the sea has two sides.
    rows.double()
    log("done")
    log("really")
    return width * height * 2
}
"""


def test_a_long_function_keeps_values_formulas_reasons_and_failures() -> None:
    found = signatures(f"/// The area.\n{LONG}", "swift")
    assert found is not None
    assert found.text.split("\n") == [
        "/// The area.",
        "func area(of width: Double, and height: Double) throws -> Double {",
        "    // \u2026",
        "    let minimum = 0.25 // m",
        "    // \u2026",
        "    if width < minimum {",
        "        // \u2026",
        "        throw AreaError.tooSmall",
        "    } else if height < minimum {",
        "        // \u2026",
        "        throw AreaError.tooLow",
        "    }",
        "    // \u2026",
        "    // Twice, because the sea has two sides.",
        "    rows.double()",
        "    // \u2026",
        "    return width * height * 2",
        "}",
    ]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("typescript", "type Task<A> =\n\t| ((one: A) => void)\n\t| Later;"),
        ("typescript", "export const MAX = 2_147_483_647;"),
        ("rust", "pub enum Kind {\n    Empty,\n    Odd(char),\n}"),
        ("go", "const (\n\tOne = iota\n\tTwo\n)"),
        ("java", "enum Policy {\n  LAZY { }\n}"),
        ("swift", "struct Result {\n    let rate: Double\n}"),
        ("python", "class Row:\n    name: str\n    size: int = 3"),
        ("python", "def widen(a):\n    return a * 2"),
    ],
)
def test_what_is_declared_is_never_cut(language: str, text: str) -> None:
    found = signatures(f"{text}\n", language)
    assert found is not None and found.text == text


def test_the_comment_of_an_overload_speaks_of_the_function() -> None:
    text = "class Q {\n\t/**\n\tAdds a task.\n\t*/\n\tadd(a: A): B;\n\tadd(a: A, b: C = {}): B {\n\t\treturn a;\n\t}\n}\n"
    found = signatures(text, "typescript")
    assert found is not None and found.purposes["Q.add"] == "Adds a task."


def test_a_long_function_that_nobody_says_anything_of_is_named_as_such() -> None:
    body = "".join(f"    step{number}()\n" for number in range(60))
    found = signatures(f"import a\n\n\ndef run():\n{body}", "python")
    assert found is not None and not found.text
    assert found.left == "imports and functions without a word of what they are for"


def test_other_languages_are_taken_as_they_are() -> None:
    assert signatures("a: 1\n", "yaml") is None
    (segment,) = map_text("#!/bin/sh\n# Waits.\nsleep 3\n", Given("wait.sh")).segments
    assert "sleep 3" in segment.text


@pytest.mark.parametrize(
    "text", ["import os\nimport sys\n", "from a import (\n    b,\n)\n", "def _one():\n    pass\n"]
)
def test_imports_and_private_parts_are_nothing(text: str) -> None:
    (segment,) = map_text(text, Given("tides.py")).segments
    assert segment.worth < -10


@pytest.mark.parametrize(
    "text", ["def f(" * 3000, '"""' * 2000 + "a", "/*" * 3000, "class A(\n" * 500, "@a\n" * 3000]
)
@pytest.mark.parametrize("language", ["python", "typescript"])
def test_hostile_code_takes_no_time(text: str, language: str) -> None:
    assert signatures(text, language) is not None

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
    assert found.names == ("LIMIT", "rows", "Table", "Table.next")
    for told in (
        "Reads tide tables.",
        "limit: int = LIMIT,\n) -> list[str]:",
        "OSError: it is not there.",
        "@cached",
        "The next tide.",
    ):
        assert told in found.text
    for left in ("import os", "_hidden", "Private", "self.rows", "return"):
        assert left not in found.text


def test_braces() -> None:
    found = signatures(BRACES, "typescript")
    assert found is not None
    assert found.names == ("wait", "Harbour", "open") and found.purpose == "Waits for the tide."
    assert "@param hours How long." in found.text and "wide: boolean,\n\t): void" in found.text
    for left in ("import", "later", "secret", "hidden", "undocumented", "this.run"):
        assert left not in found.text


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

"""Many records into one category, one commit each: the file is not read again for each, and what is taken for
granted is checked.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memgit.formats.mem_skill import entries
from memgit.formats.mem_skill.entries import Appender
from memgit.model.record import ParsedFile
from tests.support import count_commits, memgit, status

LINES: list[dict[str, Any]] = [
    {"kind": "knowledge", "title": f"Grid {number}", "category": "web", "keywords": ["css"], "body": "- text"}
    for number in range(40)
]


def batch(folder: Path, lines: list[dict[str, Any]] = LINES) -> Path:
    file = folder.parent / "lines.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def check(folder: Path, count: int) -> None:
    found = memgit(folder, "list", "knowledge", "--json").json
    assert len(found) == count
    assert memgit(folder, "rebuild", "--check", "--json").json["differences"] == []
    assert status(folder) == ""
    assert count_commits(folder) == count + 1


def test_the_file_is_read_a_few_times_however_many_there_are(
    kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, read = entries.parse, []

    def counting(data: bytes, *args: str) -> ParsedFile:
        read.append(len(data))
        return real(data, *args)

    monkeypatch.setattr(entries, "parse", counting)
    memgit(kb, "record", "--batch", str(batch(kb)), "--each")
    assert sum(read) < 4 * (kb / "knowledge-base/web.md").stat().st_size
    check(kb, len(LINES))


@pytest.mark.parametrize("wrong", ["line", "gone"])
def test_where_it_was_taken_for_something_else_each_is_read(
    kb: Path, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Appender.parsed

    def mistaken(self: Appender, before: ParsedFile, path: str, kind: str, key: str) -> ParsedFile | None:
        told = real(self, before, path, kind, key)
        if told is None or len(told.records) != 7:
            return told
        first = told.records[0]._replace(line=9) if wrong == "line" else told.records[0]._replace(fields={})
        return told._replace(records=(first, *told.records[1:]))

    monkeypatch.setattr(Appender, "parsed", mistaken)
    answers = [
        json.loads(line)
        for line in memgit(
            kb, "record", "--batch", str(batch(kb, LINES[:12])), "--each", "--json"
        ).out.splitlines()
    ]
    assert len(answers) in (1, 12)
    check(kb, 12)


def test_records_that_link_to_each_other_in_one_file_are_right(kb: Path) -> None:
    lines = [
        {**line, **({"related": ["knowledge/web#Grid 0"]} if number % 3 == 2 else {})}
        for number, line in enumerate(LINES[:10])
    ]
    memgit(kb, "record", "--batch", str(batch(kb, lines)), "--each")
    check(kb, 10)
    record = memgit(kb, "show", "knowledge/web#Grid 0", "--json").json
    assert len(record["fields"]["related"] if "fields" in record else record["related"]) == 3

"""Old logs: which lines are operations, and what they did."""

from __future__ import annotations

import json

import pytest

from memgit.adopt.old_log import Old, events, references
from memgit.model.layout import mem_skill, mnema

LOG = """\
# mem-skill Activity Log

One line.

## [2026-02-03] init | initialized
## [2026-02-04] write | Recorded to knowledge-base/shell.md: "Quote: all"
## [2026-02-05] update | Updated experience/skill-docker.md: "Prune" (merged new info)
## [2026-02-06] lint | Health-check completed: 2 issues
## [2026-02-31] write | no such day
## Not a line
## [2026-02-07] recordnow | by hand
"""


@pytest.mark.parametrize("text", [LOG, LOG.replace("\n", "\r\n"), "\ufeff" + LOG])
def test_lines_become_operations_with_their_day_and_place(text: str) -> None:
    found = list(events("log.md", text.encode(), mem_skill()))
    assert [(event.date, event.op, event.source) for event in found] == [
        ("2026-02-03", "init", "log.md:5"),
        ("2026-02-04", "record", "log.md:6"),
        ("2026-02-05", "update", "log.md:7"),
        ("2026-02-06", "lint", "log.md:8"),
        ("2026-02-07", "record", "log.md:11"),
    ]
    assert [(change.action, change.address) for event in found for change in event.records] == [
        ("create", "knowledge/shell#Quote: all"),
        ("extend", "experience/docker#Prune"),
    ]
    assert found[1].subject == 'write | Recorded to knowledge-base/shell.md: "Quote: all"' and not any(
        event.commit for event in found
    )


def test_audit_lines_keep_actor_and_run_and_broken_ones_are_passed_over() -> None:
    lines = [
        json.dumps(
            {
                "v": 2,
                "at": "2026-06-26T00:45:27.549Z",
                "kind": "task_created",
                "actor": "ada",
                "data": {"key": "K-1"},
            }
        ),
        "{broken",
        json.dumps({"v": 2, "at": "never", "kind": "x"}),
        json.dumps([1]),
        json.dumps(
            {
                "at": "2026-06-27T00:00:00Z",
                "kind": "run_started",
                "actor": "cc",
                "via": "agent:cc",
                "run": "r1",
                "data": {},
            }
        ),
    ]
    one, two = events(".mnema/audit/current.jsonl", "\n".join(lines).encode(), mnema())
    assert (one.op, one.author, one.source) == (
        "record",
        "ada",
        ".mnema/audit/current.jsonl:1",
    ) and "K-1" in one.subject
    assert (two.op, two.actor, two.run) == ("run_started", "agent:cc", "r1")


def test_bytes_that_are_no_text_break_nothing() -> None:
    assert [
        event.op for event in events("log.md", b"\xff\xfe\n## [2026-01-01] init | \xe9\n", mem_skill())
    ] == ["init"]


def test_references_that_cannot_be_read_are_left_out() -> None:
    assert references(("log.md@" + "0" * 40, "log.md", "a@b@" + "f" * 64)) == [
        Old("log.md", "0" * 40),
        Old("a@b", "f" * 64),
    ]

"""`memgit recordnow`: a session's text becomes records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memgit.ingest.conversation import as_markdown, title_of
from tests.support import count_commits, memgit, status

RELAY = """The mail relay refuses the second attempt with `450 4.2.0 greylisted`. Configure it like this:

1. Set `relay_retry_delay = 60s` in `/etc/mail/relay.conf`.
2. Run `relayctl reload` and wait for `relayctl status` to print `ready`.
3. Send the queued messages again with `relayctl flush --all`.

The delay must be longer than the greylisting window of the receiving server, else each attempt starts the window anew.
"""
GRID = """Use a CSS grid whose columns fit themselves, so that no media query is needed:

```css
# not a heading
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); gap: 1rem; }
```

Set `min-width: 0` on the cards, else a long word makes a column wider than the page. Check it in Firefox and Safari.
"""


def transcript() -> str:
    rows = [
        {"type": "summary", "summary": "x"},
        {
            "type": "user",
            "message": {"role": "user", "content": "Please fix the mail relay, it answers 450 greylisted"},
        },
        {
            "type": "assistant",
            "message": {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm"},
                    {"type": "tool_use", "name": "Bash"},
                    {"type": "text", "text": RELAY},
                ],
            },
        },
        {
            "type": "user",
            "message": {"role": "user", "content": [{"type": "tool_result", "content": "secret output"}]},
        },
        {
            "type": "user",
            "message": {"role": "user", "content": "great! now lay out the cards without media queries"},
        },
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": GRID}]}},
    ]
    return "\n".join(json.dumps(row) for row in rows)


def test_a_transcript_becomes_records_in_one_commit(kb: Path, tmp_path: Path) -> None:
    (tmp_path / "session.jsonl").write_text(transcript())
    before = count_commits(kb)
    done = memgit(kb, "recordnow", str(tmp_path / "session.jsonl"), "--yes", "--json").json
    assert count_commits(kb) == before + 1 and status(kb) == ""
    records = memgit(kb, "list", "knowledge", "--json").json
    assert {record["source"] for record in records} == {"conversation"}
    texts = {record["title"]: record["body"] for record in records}
    assert len(texts) == 2 == len(done["changes"])
    relay = next(text for title, text in texts.items() if "relay" in title)
    assert "relay_retry_delay = 60s" in relay and "secret output" not in "".join(texts.values())
    again = memgit(kb, "recordnow", str(tmp_path / "session.jsonl"), "--yes", "--json", code=None).json
    assert all(change["action"] != "create" for change in again["changes"]), (
        "close records are updated, not doubled"
    )
    assert len(memgit(kb, "list", "knowledge", "--json").json) == 2


@pytest.mark.parametrize(
    "form", ["User: {}\n\nAssistant: {}", "**Human:** {}\n\n**Claude:** {}", "> me: {}\n\nagent:\n{}"]
)
def test_plain_conversations(kb: Path, form: str) -> None:
    memgit(kb, "recordnow", "-", "--yes", stdin=form.format("fix the mail relay, please", RELAY).encode())
    [record] = memgit(kb, "list", "knowledge", "--json").json
    assert record["title"] == "Fix the mail relay, please" and "relayctl flush" in record["body"]


def test_without_yes_nothing_is_written(kb: Path) -> None:
    before = count_commits(kb)
    answer = memgit(kb, "recordnow", "-", stdin=transcript().encode())
    assert count_commits(kb) == before and "nothing was written" in answer.err and "create" in answer.out
    assert memgit(kb, "recordnow", "-", "--dry-run", stdin=transcript().encode()).out
    plan = memgit(kb, "recordnow", "-", "--plan", "-", stdin=transcript().encode()).out
    memgit(kb, "ingest", "--apply", "-", stdin=plan.encode())
    assert {record["source"] for record in memgit(kb, "list", "--json").json} == {"conversation"}


def test_headings_and_titles() -> None:
    text = as_markdown("user: x\nassistant: # A\n\n```\n# b\n```\n\n## C\n")
    assert text == "## X\n\n### A\n\n```\n# b\n```\n\n#### C\n"
    assert as_markdown("# Notes\n\nNo conversation.\n") == "# Notes\n\nNo conversation.\n"
    assert title_of("Hi, could you please rotate the keys?") == "Rotate the keys"
    assert len(title_of("word " * 50)) <= 80


def test_its_line_in_a_mem_skill_log(kb: Path) -> None:
    (kb.parent / "notes.md").write_text(f"# Relay\n\n{RELAY}")
    memgit(kb, "recordnow", str(kb.parent / "notes.md"), "--yes")
    text = memgit(kb, "log", "--format", "markdown").out
    assert "] recordnow | Manually recorded 1 entries\n" in text

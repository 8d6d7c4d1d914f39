"""`memgit history --until-changed`: when a record stopped saying what it said."""

from __future__ import annotations

from pathlib import Path

from tests.support import memgit, run_git


def at(repo: Path) -> str:
    return run_git(repo, "rev-parse", "HEAD")


def span(repo: Path, address: str, *more: str) -> tuple[str | None, str | None, list[str]]:
    found = memgit(repo, "history", address, "--until-changed", "--json", *more).json
    since, until = (one and one["subject"] for one in (found["since"], found["until"]))
    return since, until, found["changed"]


def test_a_record_stands_until_its_words_change(kb: Path) -> None:
    memgit(kb, "record", "memory", "Port", "-m", "The port is 80.")
    first = at(kb)
    memgit(kb, "record", "memory", "Other", "-m", "Words.")
    memgit(kb, "link", "memory/port", "memory/other")
    memgit(kb, "update", "memory/port", "-m", "The port is 8080.")
    second = at(kb)
    memgit(kb, "archive", "memory/port")
    made, moved, archived = "record(memory): Port", "update(memory): Port", "archive(memory): Port"
    assert span(kb, "memory/port", "--at", first) == (made, moved, ["text"])
    assert span(kb, "memory/port", "--at", second) == (moved, archived, ["archived"])
    assert span(kb, "memory/port") == (archived, None, [])
    assert span(kb, "memory/port", "--at", "now")[1] is None
    told = memgit(kb, "history", "memory/port", "--at", first, "--until-changed").out
    assert told.splitlines()[0] == "until (changed: text)"
    assert moved in told.partition("\nsince\n")[0] and made in told.partition("\nsince\n")[2]
    assert memgit(kb, "history", "port", "--until-changed").out.startswith("until now: memory/port stands\n")
    assert "takes no --limit" in memgit(kb, "history", "port", "--until-changed", "-n", "1", code=2).err


def test_it_is_followed_to_another_name_and_to_its_end(kb: Path) -> None:
    memgit(kb, "record", "memory", "Port", "-m", "The port is 80.")
    first = at(kb)
    memgit(kb, "rename", "memory/port", "--to", "net")
    memgit(kb, "update", "memory/net/port", "-m", "It is 81.")
    assert span(kb, "memory/port", "--at", first)[1:] == ("update(memory): Port", ["text"])
    run_git(kb, "rm", "-q", "memory/net/port.md")
    run_git(kb, "commit", "-qm", "gone", "--no-verify")
    since, until, changed = span(kb, "memory/net/port", "--at", "HEAD~1")
    assert (since, until, changed) == ("update(memory): Port", "gone", ["removed"])


def test_a_note_written_by_hand_and_by_plain_git(kb: Path) -> None:
    (kb / "notes").mkdir(exist_ok=True)
    for text in ("One.", "Two.", "Two.\n"):
        (kb / "notes/n.md").write_text(f"# N\n\n{text}\n", encoding="utf-8")
        run_git(kb, "add", "-A")
        run_git(kb, "commit", "-qm", text.strip(), "--no-verify")
    assert span(kb, "note/notes/n", "--at", "HEAD~2") == ("One.", "Two.", ["text"])
    assert span(kb, "note/notes/n")[1:] == (None, [])

"""Two clones in which nobody runs memgit: an editor's git plugin adds, commits, pulls and pushes every minute."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.simulations.people import Hub, Person, settled
from tests.support import memgit, run_git

ENTRY = "\n## Hint {number} of {name}\n\n**Date:** 2026-11-{day:02}\n**Source:** conversation\n**Best Practice:**\n- hint {number}\n"


def start(folder: Path, layout: str) -> Path:
    """A repository of one layout with a few notes in it."""
    if layout == "memgit":
        memgit(folder, "init", "start")
        memgit(folder / "start", "record", "knowledge", "First hint", "--category", "web", "-m", "- hint")
        return folder / "start"
    vault = folder / "start"
    for path, text in {
        "Start.md": "# Start\n\nSee [[Ideas]].\n",
        "Ideas.md": "# Ideas\n",
        ".obsidian/app.json": "{}\n",
    }.items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text(text)
    run_git(vault, "init", "-q")
    run_git(vault, "add", "-A")
    run_git(vault, "commit", "-q", "-m", "vault")
    memgit(vault, "adopt", "--yes")
    return vault


def minute(person: Person, number: int, layout: str) -> int:
    """One minute of writing, most of it with links to pages that are not written yet; how many records it makes."""
    name = person.folder.name
    if layout == "vault":
        person.write(
            f"Day {number} of {name}.md", f"# Day {number}\n\nSee [[Page {number} to come]] and [[Ideas]].\n"
        )
        person.append(f"Log of {name}.md", f"- line {number}, see [[Nothing {number}]]\n")
        return 1 + (number == 0)
    person.write(
        f"memory/fresh-{number // 3}/day-{number}-of-{name}.md",
        f"# Day {number} of {name}\n\nSee [[page {number} to come]].\n",
    )
    person.append("knowledge-base/web.md", ENTRY.format(number=number, name=name, day=1 + number % 28))
    return 2


def simulate(hub: Hub, layout: str, rounds: int) -> None:
    source = start(hub.folder, layout)
    hub.publish(source)
    people = [Person(hub.clone(name)) for name in ("anna", "ben")]
    expected = len(people[0].addresses())
    for number in range(rounds):
        for person in people:
            expected += minute(person, number, layout)
            person.backup()
    settled(people)
    assert [person.stopped for person in people] == [[], []]
    for person in people:
        assert len(person.addresses()) == expected


@pytest.mark.parametrize("layout", ["memgit", "vault"])
def test_a_few_rounds(hub: Hub, layout: str) -> None:
    simulate(hub, layout, 3)


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["memgit", "vault"])
def test_thirty_rounds(hub: Hub, layout: str) -> None:
    simulate(hub, layout, 30)

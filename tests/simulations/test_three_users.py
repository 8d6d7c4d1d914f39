"""Days of three people in three clones of one hub: an editor with a git plugin, an agent at the command line, and a maintainer.

Each has records of their own to change, so that no two change the same lines; the maintainer also renames the records of others.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.simulations.people import Hub, Person, settled
from tests.support import memgit, run_git

SHARE = 0.01
"""More of the ordinary operations than this share may not be stopped."""


class Editor(Person):
    """Edits files, and lets the git plugin commit, pull and push."""

    def day(self, number: int, chance: random.Random) -> None:
        for part in range(3):
            page = f"Page {number}-{part}"
            self.write(
                f"memory/days/editor-{number}-{part}.md",
                f"---\ntitle: {page}\n---\n\nSee [[later {number}]].\n",
            )
            self.append(
                "knowledge-base/kitchen.md",
                f"\n## {page} at the stove\n\n**Best Practice:**\n- stir {number}\n",
            )
            if number and chance.random() < 0.5:
                self.append(f"memory/days/editor-{number - 1}-{part}.md", f"\nMore on day {number}.\n")
            self.backup()


class Agent(Person):
    """Records, updates and reads at the command line, and syncs after every few operations."""

    def day(self, number: int, chance: random.Random) -> None:
        name = f"{number}"
        todo: list[tuple[str, ...]] = [
            ("record", "knowledge", f"Agent trick {name}", "--category", "kitchen", "-m", f"- trick {name}"),
            (
                "record",
                "knowledge",
                f"Agent rule {name}",
                "--category",
                f"topic-{number % 4}",
                "-m",
                f"- rule {name}",
            ),
            (
                "record",
                "memory",
                f"Agent fact {name}",
                "--scope",
                f"week-{number // 5}",
                "-m",
                f"Fact {name}.",
            ),
            ("record", "observation", f"Agent saw {name}", "-m", f"Seen {name}."),
            ("record", "decision", f"Agent choice {name}", "--status", "accepted", "-m", f"Chosen {name}."),
            ("extend", f"knowledge/kitchen#Agent trick {name}", "-m", f"- more of {name}"),
            ("update", f"memory/week-{number // 5}/agent-fact-{name}", "-m", f"Fact {name}, put better."),
            ("use", f"knowledge/kitchen#Agent trick {name}"),
            ("search", "trick"),
            ("context",),
        ]
        for position, words in enumerate(todo):
            self.memgit(*words)
            if position % 4 == 3:
                self.memgit("sync")
        self.memgit("sync")


class Maintainer(Person):
    """Renames, merges branches with plain git, undoes and promotes; pulls and pushes with plain git."""

    def day(self, number: int, chance: random.Random) -> None:
        self._meet()
        self.git("switch", "-q", "-c", f"topic-{number}")
        self.memgit(
            "record",
            "memory",
            f"Plan {number}",
            "--scope",
            f"week-{number // 5}",
            "-m",
            f"Plan of day {number}.",
        )
        self.memgit(
            "record",
            "knowledge",
            f"Plan {number} at the stove",
            "--category",
            "kitchen",
            "-m",
            f"- plan {number}",
        )
        self.git("switch", "-q", "main")
        self.memgit(
            "record",
            "knowledge",
            f"Meanwhile {number}",
            "--category",
            "kitchen",
            "-m",
            f"- meanwhile {number}",
        )
        self.git("merge", "-q", "--no-edit", f"topic-{number}")
        self.memgit("record", "memory", f"Slip {number}", "-m", "A mistake.")
        self.memgit("undo")
        self.memgit("record", "observation", f"Oven {number} was hot", "-m", f"Hot on day {number}.")
        self.memgit("promote", self._observed(f"Oven {number} was hot"), f"Oven {number}")
        if number:
            self.memgit(
                "rename", f"knowledge/kitchen#Agent trick {number - 1}", f"Trick {number - 1} of the agent"
            )
            self.memgit(
                "link", f"knowledge/kitchen#Meanwhile {number}", f"knowledge/kitchen#Meanwhile {number - 1}"
            )
        self._meet()

    def _observed(self, title: str) -> str:
        rows = memgit(self.folder, "list", "observation", "--json").json
        return next((str(row["address"]) for row in rows if row["title"] == title), "observation/none")

    def _meet(self) -> None:
        self.git("pull", "-q", "--no-rebase", "--no-edit")
        self.git("push", "-q")


MADE: dict[str, Callable[[int], int]] = {
    "editor": lambda _: 6,
    "agent": lambda _: 5,
    "maintainer": lambda _: 5,
}
"""How many records each makes on a day."""


def simulate(hub: Hub, days: int) -> None:
    memgit(hub.folder, "init", "start")
    memgit(
        hub.folder / "start", "record", "knowledge", "Boil water", "--category", "kitchen", "-m", "- heat it"
    )
    hub.publish(hub.folder / "start")
    chance = random.Random(12)
    editor, agent, maintainer = (
        Editor(hub.clone("editor")),
        Agent(hub.clone("agent")),
        Maintainer(hub.clone("maintainer")),
    )
    for number in range(days):
        parts: list[Editor | Agent | Maintainer] = [editor, agent, maintainer]
        chance.shuffle(parts)
        for person in parts:
            person.day(number, chance)
    people: list[Person] = [editor, agent, maintainer]
    settled(people)
    stopped = [words for person in people for words in person.stopped]
    done = sum(person.done for person in people)
    assert len(stopped) <= SHARE * done, f"{len(stopped)} of {done} were stopped:\n" + "\n".join(stopped)
    everywhere = people[0].addresses()
    assert len(everywhere) == 1 + days * sum(made(days) for made in MADE.values())
    assert all(person.addresses() == everywhere for person in people)
    assert merges(editor.folder) > days


def merges(folder: Path) -> int:
    return int(run_git(folder, "rev-list", "--count", "--merges", "HEAD"))


def test_three_days(hub: Hub) -> None:
    simulate(hub, 3)


@pytest.mark.slow
def test_twenty_days(hub: Hub) -> None:
    simulate(hub, 20)

"""Repairs that need no decision of a person: the commands that `doctor` names, carried out in their order."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any, NamedTuple

from memgit.app.adopt.init import init
from memgit.app.derived.rebuild import rebuild
from memgit.app.doctor import Examined, examine
from memgit.app.hooks.install import install
from memgit.app.workspace import Context, Workspace, open_workspace
from memgit.errors import MemgitError


class Repair(NamedTuple):
    """A command that fixes what some checks find. A trouble of theirs that names another command is a person's."""

    command: str
    checks: frozenset[str]
    execute: Callable[[Workspace, Context], object]


REPAIRS = (
    Repair(
        "memgit init",
        frozenset(["attributes", "merge-driver"]),
        lambda workspace, context: init(workspace.root or "", context),
    ),
    Repair(
        "memgit hooks install",
        frozenset(["hooks"]),
        lambda workspace, _: install(workspace.writable()),
    ),
    Repair("memgit rebuild", frozenset(["interrupted", "cache", "derived"]), rebuild),
)
"""In the order in which they are made: what is derived comes last, from files that are then right."""


class Repaired(NamedTuple):
    """The commands that were carried out, those that failed with the reason, and what is still wrong."""

    done: tuple[str, ...]
    failed: dict[str, MemgitError]
    examined: Examined

    def as_json(self) -> dict[str, Any]:
        return {
            **self.examined.as_json(),
            "fixed": list(self.done),
            "failed": [{"command": command, "message": why.message} for command, why in self.failed.items()],
        }


def repairs_for(found: Examined) -> list[Repair]:
    """The repairs that some troubles call for."""
    named = {(trouble.check, trouble.command) for trouble in found.troubles}
    return [one for one in REPAIRS if any((check, one.command) in named for check in one.checks)]


def repair(folder: str, context: Context) -> Repaired:
    """Examines the clone that a folder lies in, carries out every repair that is called for, and examines it
    again. One repair that fails does not keep the others back.

    Raises:
        NotFound: the folder does not exist.
    """
    found = examine(folder, context.env)
    done: list[str] = []
    failed: dict[str, MemgitError] = {}
    for one in repairs_for(found):
        try:
            with closing(open_workspace(folder, context.env)) as workspace:
                one.execute(workspace, context)
            done.append(one.command)
        except MemgitError as error:
            failed[one.command] = error
    return Repaired(tuple(done), failed, examine(folder, context.env) if done else found)

"""One open knowledge root that a server's tools work at, and one row of the table of tools."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import gmtime, localtime, strftime, time
from typing import Any, NamedTuple

from memgit.app import config as configuration
from memgit.app.derived.local import keep
from memgit.app.review.propose import Proposal, push
from memgit.app.workspace import Context, Workspace, open_workspace

WATCHED = (configuration.NAME, ".git/config")
"""Files of the root whose change opens it anew."""


class Caller(NamedTuple):
    """Who calls a tool: the agent's name and its session; `progress` is told what is being done, and raises where
    the call was cancelled.
    """

    actor: str
    run: str
    progress: Callable[[str], None] = lambda _: None


class Desk:
    """The knowledge root, opened once and again when its configuration changes.

    Attributes:
        caller: who is being served.
    """

    def __init__(self, folder: str, env: Mapping[str, str]) -> None:
        self._folder, self._env = folder, env
        self.caller = Caller("mcp", "")
        self._workspace = self._opened()
        self._stamp = self._stamped()

    @property
    def workspace(self) -> Workspace:
        if self._stamped() != self._stamp:
            self._workspace.close()
            self._workspace = self._opened()
            self._stamp = self._stamped()
        self._workspace.mend()
        return self._workspace

    def _opened(self) -> Workspace:
        workspace = open_workspace(self._folder, self._env)
        workspace.watch()
        return workspace

    def close(self) -> None:
        self._workspace.close()

    def context(self, reason: str | None = None) -> Context:
        """Who acts, when and why."""
        now = time()
        return Context(
            today=strftime("%Y-%m-%d", localtime(now)),
            now=strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(now)),
            env=self._env,
            actor=self.caller.actor,
            run=self.caller.run,
            reason=reason,
        )

    @contextmanager
    def writing(self, branch: str | None = None, base: str | None = None) -> Iterator[Proposed]:
        """Where a tool writes: the branch that is checked out, or a branch of its own where one is named or the
        configuration lets agents only propose; each session has one such branch.
        """
        workspace = self.workspace
        if branch is None and base is None and workspace.config.agents != "propose":
            yield Proposed()
            keep(workspace)
            return
        config, proposed = workspace.config, Proposed()
        try:
            proposal = Proposal(branch or f"memgit/{self.caller.actor}-{self.caller.run}", base)
            workspace.propose(proposal)
            yield proposed
            repo = workspace.require_repository()
            command = push(repo, proposal.branch) if proposal.commits and proposal.branch else ()
            proposed.update(branch=proposal.branch, base=proposal.base, push=" ".join(command) or None)
        finally:
            workspace.proposal, workspace.config = None, config

    def _stamped(self) -> tuple[tuple[int, int] | None, ...]:
        out: list[tuple[int, int] | None] = []
        for name in WATCHED:
            try:
                found = os.stat(os.path.join(self._workspace.root or self._folder, name))
            except OSError:
                out.append(None)
            else:
                out.append((found.st_mtime_ns, found.st_size))
        return tuple(out)


class Proposed(dict[str, Any]):
    """Branch, base and the command that publishes it, of a write that was proposed; empty for any other."""


class Tool(NamedTuple):
    """One tool.

    Attributes:
        fields: the JSON schema of each argument; those named in `required` must be given.
        call: does the work and gives the structured result.
        output: the JSON schema of each key of the result.
        reads: changes nothing.
        destroys: may replace or hide what is there.
        repeats: the same call again changes nothing more.
        speaks: `text` of the result is what a model reads, and no part of the structure; without it, that is the
            structure as JSON.
    """

    name: str
    title: str
    about: str
    fields: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...]
    call: Callable[[Desk, Mapping[str, Any]], Mapping[str, Any]]
    output: Mapping[str, Mapping[str, Any]]
    reads: bool = False
    destroys: bool = False
    repeats: bool = False
    speaks: bool = False

    @property
    def input_schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": dict(self.fields),
            "required": list(self.required),
            "additionalProperties": False,
        }

    @property
    def output_schema(self) -> dict[str, Any]:
        return {"type": "object", "properties": dict(self.output), "required": list(self.output)}


def text(about: str = "") -> dict[str, Any]:
    return {"type": "string", **({"description": about} if about else {})}


def texts(about: str = "") -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}, **({"description": about} if about else {})}


def flag(about: str) -> dict[str, Any]:
    return {"type": "boolean", "description": about}


def number(about: str) -> dict[str, Any]:
    return {"type": "integer", "minimum": 1, "description": about}


def choice(options: tuple[str, ...], about: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(options), "description": about}


MAYBE_TEXT: dict[str, Any] = {"type": ["string", "null"]}
LIST: dict[str, Any] = {"type": "array"}
OBJECT: dict[str, Any] = {"type": "object"}
RECORD: dict[str, Any] = {"type": ["object", "null"]}
YES: dict[str, Any] = {"type": "boolean"}
COUNT: dict[str, Any] = {"type": "integer"}

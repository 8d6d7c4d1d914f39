"""What an agent's hook answers: the context at the start of a session, what a prompt calls for, a reminder before a
conversation is shortened.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from memgit.app.agents.install import agent_of, template
from memgit.app.read.context import context
from memgit.app.read.recall import recall
from memgit.app.workspace import Context, Workspace
from memgit.errors import BadInput

EVENTS = ("start", "prompt", "compact")
START_TOKENS = 1500
"""Tokens of the context at the start of a session."""

Event = Mapping[str, Any]


def parse_event(data: bytes) -> Event:
    """The event that an agent wrote to a hook's standard input.

    Raises:
        BadInput: it is not a JSON object.
    """
    try:
        event = json.loads(data.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        raise BadInput("the event on standard input is not a JSON object")
    return event


def folder_of(event: Event) -> str | None:
    """The folder that an event says the agent works in."""
    roots = event.get("workspace_roots")
    found = event.get("cwd") or (roots[0] if isinstance(roots, list) and roots else None)
    return found if isinstance(found, str) and found else None


def answer(workspace: Workspace, acting: Context, agent: str, event: str, given: Event) -> str:
    """What the hook prints; empty where there is nothing to say, or no knowledge root to say it of.

    Raises:
        BadInput: an agent or event that memgit does not know.
    """
    form = ANSWERS.get(agent_of(agent).answers)
    if form is None or event not in EVENTS:
        raise BadInput(f"memgit has no hook {event!r} for {agent}", hint=f"{', '.join(EVENTS)}")
    if workspace.config.found != "file" and workspace.layout.name == "notes":
        return ""
    if event == "compact":
        return form("", template("remind.md").strip(), given)
    if event == "start":
        text = context(workspace, max_tokens=START_TOKENS).as_text()
        asked = f"\n\n{template('remind.md').strip()}" if given.get("source") == "compact" else ""
        return (
            form(f"# Recorded knowledge of this project (memgit)\n\n{text}{asked}", "", given) if text else ""
        )
    message = given.get("prompt")
    if not isinstance(message, str) or not message.strip():
        return ""
    found = recall(workspace, acting, message, session=session_of(given))
    text = found.as_text()
    return (
        form(f"# Recorded knowledge that this message calls for (memgit)\n\n{text}", "", given)
        if text
        else ""
    )


def session_of(given: Event) -> str | None:
    """The session of an event, as recall names sessions."""
    found = next(
        (given[key] for key in ("session_id", "sessionId", "conversation_id") if given.get(key)), None
    )
    return None if found is None else re.sub(r"[^A-Za-z0-9._-]", "-", str(found)).lstrip("._-")[:100] or None


def _nested(text: str, notice: str, given: Event) -> str:
    """Claude Code, Codex and Gemini CLI."""
    if notice:
        return json.dumps({"systemMessage": notice}, ensure_ascii=False)
    name = given.get("hook_event_name")
    specific = {**({"hookEventName": name} if isinstance(name, str) else {}), "additionalContext": text}
    return json.dumps({"hookSpecificOutput": specific}, ensure_ascii=False)


def _cursor(text: str, notice: str, given: Event) -> str:
    return json.dumps({"additional_context": text, "continue": True}, ensure_ascii=False) if text else ""


def _copilot(text: str, notice: str, given: Event) -> str:
    return json.dumps({"additionalContext": text}, ensure_ascii=False) if text else ""


ANSWERS: Mapping[str, Callable[[str, str, Event], str]] = {
    "nested": _nested,
    "cursor": _cursor,
    "copilot": _copilot,
}

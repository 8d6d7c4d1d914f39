"""The agents that memgit installs itself for: which files each reads, and in which form.

The formats are those of each agent's public documentation, named at its row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

HOOK_SECONDS = 10
"""Time limit of a hook in the agents' files; the hook itself gives up before (see `agents.hook`)."""


class Part(NamedTuple):
    """One thing in one file.

    Attributes:
        form: `file` (the whole file is ours), `block` (marked, in Markdown), `toml` (marked), `member` (a member of a
            JSON object at `key`), `item` (an item of a JSON array at `key`).
        path: of the file in the project, `user` of that under the home folder; empty where there is none.
        value: template names of a text, or the JSON value; `$COMMAND` and `$ARGS` stand for how memgit is called.
    """

    form: str
    path: str
    user: str
    value: Any
    key: tuple[str, ...] = ()


class Agent(NamedTuple):
    """One agent: its name for people, the parts, and how its hooks answer (see `agents.hook.ANSWERS`)."""

    title: str
    parts: tuple[Part, ...]
    answers: str = ""
    note: str = ""


def hook(agent: str, event: str) -> str:
    """The shell command of a hook. A memgit that is missing or fails ends it with 0 and a line on standard error."""
    return f"memgit agent hook {agent} {event} || true"


def _nested(agent: str, event: str, *, unit: int = 1) -> dict[str, Any]:
    """A hook entry as Claude Code, Codex and Gemini CLI have it."""
    return {"hooks": [{"type": "command", "command": hook(agent, event), "timeout": HOOK_SECONDS * unit}]}


SERVER: Mapping[str, Any] = {"command": "$COMMAND", "args": "$ARGS"}
INSTRUCTIONS = ("instructions.md",)

AGENTS: dict[str, Agent] = {
    # https://docs.claude.com/en/docs/claude-code/skills, /mcp, /hooks and /settings
    "claude-code": Agent(
        "Claude Code",
        (
            Part(
                "file",
                ".claude/skills/memgit/SKILL.md",
                ".claude/skills/memgit/SKILL.md",
                ("skill.md", "instructions.md"),
            ),
            Part(
                "member", ".mcp.json", ".claude.json", {"type": "stdio", **SERVER}, ("mcpServers", "memgit")
            ),
            *(
                Part(
                    "item",
                    ".claude/settings.json",
                    ".claude/settings.json",
                    _nested("claude-code", event),
                    ("hooks", name),
                )
                for name, event in (
                    ("SessionStart", "start"),
                    ("UserPromptSubmit", "prompt"),
                    ("PreCompact", "compact"),
                )
            ),
        ),
        "nested",
    ),
    # https://developers.openai.com/codex/mcp, /codex/hooks and https://agents.md
    "codex": Agent(
        "Codex",
        (
            Part("block", "AGENTS.md", ".codex/AGENTS.md", INSTRUCTIONS),
            Part(
                "toml",
                ".codex/config.toml",
                ".codex/config.toml",
                "[mcp_servers.memgit]\ncommand = $COMMAND\nargs = $ARGS",
                ("mcp_servers", "memgit"),
            ),
            *(
                Part(
                    "item", ".codex/hooks.json", ".codex/hooks.json", _nested("codex", event), ("hooks", name)
                )
                for name, event in (("SessionStart", "start"), ("UserPromptSubmit", "prompt"))
            ),
        ),
        "nested",
        "Codex runs hooks of trusted projects; older versions need [features] codex_hooks = true in config.toml",
    ),
    # https://cursor.com/docs/context/rules, /docs/context/mcp and /docs/agent/hooks: a prompt hook cannot add context
    "cursor": Agent(
        "Cursor",
        (
            Part("file", ".cursor/rules/memgit.mdc", "", ("rule.mdc", "instructions.md")),
            Part("member", ".cursor/mcp.json", ".cursor/mcp.json", SERVER, ("mcpServers", "memgit")),
            Part("member", ".cursor/hooks.json", ".cursor/hooks.json", 1, ("version",)),
            Part(
                "item",
                ".cursor/hooks.json",
                ".cursor/hooks.json",
                {"command": hook("cursor", "start")},
                ("hooks", "sessionStart"),
            ),
        ),
        "cursor",
    ),
    # https://geminicli.com/docs/tools/mcp-server, /docs/hooks/reference and /docs/cli/gemini-md; milliseconds
    "gemini": Agent(
        "Gemini CLI",
        (
            Part("block", "GEMINI.md", ".gemini/GEMINI.md", INSTRUCTIONS),
            Part(
                "member", ".gemini/settings.json", ".gemini/settings.json", SERVER, ("mcpServers", "memgit")
            ),
            *(
                Part(
                    "item",
                    ".gemini/settings.json",
                    ".gemini/settings.json",
                    _nested("gemini", event, unit=1000),
                    ("hooks", name),
                )
                for name, event in (("SessionStart", "start"), ("BeforeAgent", "prompt"))
            ),
        ),
        "nested",
    ),
    # https://docs.github.com/en/copilot/reference/customization-cheat-sheet and /reference/hooks-configuration,
    # https://code.visualstudio.com/docs/copilot/customization/mcp-servers
    "copilot": Agent(
        "GitHub Copilot",
        (
            Part(
                "block", ".github/copilot-instructions.md", ".copilot/copilot-instructions.md", INSTRUCTIONS
            ),
            Part("member", ".vscode/mcp.json", "", {"type": "stdio", **SERVER}, ("servers", "memgit")),
            Part(
                "member",
                "",
                ".copilot/mcp-config.json",
                {"type": "local", **SERVER, "tools": ["*"]},
                ("mcpServers", "memgit"),
            ),
            Part("member", ".github/hooks/memgit.json", ".copilot/hooks/memgit.json", 1, ("version",)),
            Part(
                "item",
                ".github/hooks/memgit.json",
                ".copilot/hooks/memgit.json",
                {"type": "command", "bash": hook("copilot", "start"), "timeoutSec": HOOK_SECONDS},
                ("hooks", "sessionStart"),
            ),
        ),
        "copilot",
    ),
    # https://agents.md
    "agents-md": Agent("AGENTS.md", (Part("block", "AGENTS.md", "", INSTRUCTIONS),)),
}

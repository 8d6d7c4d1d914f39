"""`memgit agent`: installed into projects that have such files already, again, and taken out to the byte; hooks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from memgit.app.agents.table import AGENTS
from tests.support import memgit, run_git, status, write

THEIRS: dict[str, str] = {
    ".claude/settings.json": """{
  "permissions": {"allow": ["Bash(ls:*)"]},
  "hooks": {
    "SessionStart": [
      {"hooks": [{"type": "command", "command": "echo hi"}]}
    ]
  }
}
""",
    ".mcp.json": '{"mcpServers": {"other": {"command": "other"}}}',
    ".claude/skills/theirs/SKILL.md": "---\nname: theirs\n---\n",
    "AGENTS.md": "# Rules\r\n\r\nBe brief.\r\n",
    ".codex/config.toml": 'model = "x" # mine\n\n[mcp_servers.other]\ncommand = "other"',
    ".codex/hooks.json": "{}\n",
    ".cursor/mcp.json": '// servers\n{\n\t"mcpServers": {\n\t\t"other": {"url": "http://localhost"}, // kept\n\t},\n}\n',
    ".cursor/hooks.json": '{"version": 1, "hooks": {}}',
    "GEMINI.md": "No final newline",
    ".gemini/settings.json": '{\r\n    "theme": "dark"\r\n}\r\n',
    ".github/copilot-instructions.md": "",
    ".vscode/mcp.json": '{\n  "servers": {}\n}\n',
    ".github/hooks/other.json": '{"version": 1, "hooks": {}}\n',
}


def snapshot(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


@pytest.mark.parametrize("agent", list(AGENTS))
@pytest.mark.parametrize("theirs", [True, False])
def test_installed_twice_and_taken_out_the_bytes_are_as_they_were(kb: Path, agent: str, theirs: bool) -> None:
    for path, text in THEIRS.items() if theirs else ():
        write(kb, path, text)
    before = snapshot(kb)
    states = {file["state"] for file in memgit(kb, "agent", "status", agent, "--json").json[agent]}
    assert states == {"missing"}
    first = memgit(kb, "agent", "install", agent, "--json").json
    assert {file["state"] for file in first["files"]} == {"installed"}
    there = snapshot(kb)
    assert all(text in there[path].decode() for path, text in _kept(agent, theirs))
    again = memgit(kb, "agent", "install", agent, "--json").json
    assert {file["state"] for file in again["files"]} == {"unchanged"} and snapshot(kb) == there
    states = {file["state"] for file in memgit(kb, "agent", "status", agent, "--json").json[agent]}
    assert states == {"installed"}
    memgit(kb, "agent", "uninstall", agent)
    assert snapshot(kb) == before
    if not theirs:
        assert status(kb) == "" and not (kb / ".claude").exists() and not (kb / ".github").exists()
    memgit(kb, "agent", "uninstall", agent)
    assert snapshot(kb) == before


def _kept(agent: str, theirs: bool) -> list[tuple[str, str]]:
    """What must be there after an installation: memgit's own, and what others have in the same files."""
    own = {
        "claude-code": [
            (".mcp.json", '"memgit"'),
            (".claude/settings.json", "memgit agent hook claude-code prompt"),
        ],
        "codex": [(".codex/config.toml", 'args = ["mcp"]'), (".codex/hooks.json", "UserPromptSubmit")],
        "cursor": [(".cursor/mcp.json", '"memgit"'), (".cursor/rules/memgit.mdc", "alwaysApply: true")],
        "gemini": [(".gemini/settings.json", "BeforeAgent"), ("GEMINI.md", "memgit: begin")],
        "copilot": [(".vscode/mcp.json", '"memgit"'), (".github/hooks/memgit.json", "sessionStart")],
        "agents-md": [("AGENTS.md", "memgit: begin")],
    }[agent]
    others = {
        "claude-code": [
            (".mcp.json", '"other": {"command": "other"}'),
            (".claude/settings.json", '"echo hi"'),
        ],
        "codex": [
            (".codex/config.toml", 'model = "x" # mine\n'),
            ("AGENTS.md", "# Rules\r\n\r\nBe brief.\r\n"),
        ],
        "cursor": [(".cursor/mcp.json", "// kept\n")],
        "gemini": [(".gemini/settings.json", '    "theme": "dark"')],
    }.get(agent, [])
    return own + (others if theirs else [])


def test_toml_stays_toml_and_json_json(kb: Path) -> None:
    for path, text in THEIRS.items():
        write(kb, path, text)
    for agent in AGENTS:
        memgit(kb, "agent", "install", agent)
    config = tomllib.loads((kb / ".codex/config.toml").read_text())
    assert config["mcp_servers"]["memgit"] == {"command": "memgit", "args": ["mcp"]}
    settings = json.loads((kb / ".claude/settings.json").read_text())
    assert len(settings["hooks"]["SessionStart"]) == 2
    assert json.loads((kb / ".gemini/settings.json").read_text())["mcpServers"]["memgit"]["args"] == ["mcp"]
    for agent in reversed(AGENTS):
        memgit(kb, "agent", "uninstall", agent)
    assert {path: data.decode() for path, data in snapshot(kb).items() if path in THEIRS} == THEIRS


def test_what_is_somebody_elses_is_refused_and_nothing_is_written(kb: Path) -> None:
    write(kb, ".mcp.json", '{"mcpServers": {"memgit": {"command": "another"}}}')
    before = snapshot(kb)
    assert "mcpServers.memgit is there already" in memgit(kb, "agent", "install", "claude-code", code=3).err
    assert snapshot(kb) == before
    write(kb, ".mcp.json", '{"mcpServers": ')
    answer = memgit(kb, "agent", "install", "claude-code", code=3)
    assert "not JSON" in answer.err and ".mcp.json" in answer.err
    write(kb, ".codex/config.toml", "[mcp_servers\n")
    assert "not TOML" in memgit(kb, "agent", "install", "codex", code=3).err
    (kb / "AGENTS.md").symlink_to("/etc/hostname")
    assert "symbolic link" in memgit(kb, "agent", "install", "agents-md", code=3).err


def test_edits_between_stay(kb: Path) -> None:
    memgit(kb, "agent", "install", "gemini")
    path = kb / ".gemini/settings.json"
    path.write_text(path.read_text().replace('{\n  "mcpServers"', '{\n  "theme": "dark",\n  "mcpServers"'))
    (kb / "GEMINI.md").write_text("Mine.\n" + (kb / "GEMINI.md").read_text() + "More.\n")
    memgit(kb, "agent", "uninstall", "gemini")
    assert json.loads(path.read_text()) == {"theme": "dark"}
    assert (kb / "GEMINI.md").read_text().split() == ["Mine.", "More."]


def test_for_the_user(kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    write(home, ".claude.json", '{"numStartups": 3}')
    before = snapshot(home)
    for agent in ("claude-code", "codex", "cursor", "gemini", "copilot"):
        memgit(kb, "agent", "install", agent, "--user")
    entry = json.loads((home / ".claude.json").read_text())["mcpServers"]["memgit"]
    assert entry == {"type": "stdio", "command": "memgit", "args": ["-C", str(kb), "mcp"]}
    assert (home / ".copilot/mcp-config.json").exists() and (home / ".claude/skills/memgit/SKILL.md").exists()
    for agent in ("claude-code", "codex", "cursor", "gemini", "copilot"):
        memgit(kb, "agent", "uninstall", agent, "--user")
    assert snapshot(home) == before
    assert "no files in the home folder" in memgit(kb, "agent", "install", "agents-md", "--user", code=2).err


EVENTS: dict[tuple[str, str], dict[str, Any]] = {
    tuple(name.split()): event
    for name, event in json.loads((Path(__file__).parent / "agent_events.json").read_text()).items()
}
"""Events as each agent documents them, by agent and event; `$KB` stands for the project."""


def told(output: str) -> str:
    """What an agent reads of a hook's answer."""
    answer = json.loads(output)
    if "hookSpecificOutput" in answer:
        return str(answer["hookSpecificOutput"]["additionalContext"])
    return str(answer.get("additional_context") or answer.get("additionalContext") or answer["systemMessage"])


@pytest.fixture
def mail(kb: Path) -> Path:
    memgit(kb, "record", "knowledge", "The smtp relay", "--category", "mail", "-m", "- retry after a minute")
    return kb


def run_hook(
    command: str, folder: Path, event: str | bytes, path: str | None = None
) -> subprocess.CompletedProcess[bytes]:
    """A hook as an agent runs it: its command by a shell, the event on standard input."""
    bin_ = folder.parent / "bin"
    if not bin_.exists():
        bin_.mkdir()
        (bin_ / "memgit").write_text(f'#!/bin/sh\nexec {sys.executable} -m memgit "$@"\n')
        (bin_ / "memgit").chmod(0o755)
    env = {
        **os.environ,
        "PATH": path or f"{bin_}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    data = event if isinstance(event, bytes) else event.encode()
    return subprocess.run(
        ["/bin/sh", "-c", command], cwd=folder, env=env, input=data, capture_output=True, check=False
    )


def commands(agent: str) -> dict[str, str]:
    """The commands of an agent's hooks as they are installed, by event."""
    found = [part.value for part in AGENTS[agent].parts if part.form == "item"]
    lines = [one.get("bash") or one.get("command") or one["hooks"][0]["command"] for one in found]
    return {line.split()[4]: line for line in lines}


@pytest.mark.parametrize(("agent", "event"), list(EVENTS))
def test_hooks_answer_the_agents_events(mail: Path, agent: str, event: str) -> None:
    given = json.dumps(EVENTS[agent, event]).replace("$KB", str(mail))
    done = run_hook(commands(agent)[event], mail, given)
    assert (done.returncode, done.stderr) == (0, b"")
    said = told(done.stdout.decode())
    assert {
        "start": "knowledge/mail: 1 record",
        "prompt": "- retry after a minute",
        "compact": "worth recording",
    }[event] in said
    if event == "prompt":
        assert run_hook(commands(agent)[event], mail, given).stdout == b"", "a record is shown once a session"


@pytest.mark.parametrize("agent", ["claude-code", "codex", "cursor", "gemini", "copilot"])
def test_a_hook_never_breaks_a_turn(mail: Path, agent: str) -> None:
    for event, command in commands(agent).items():
        given = json.dumps(EVENTS[agent, event]).replace("$KB", str(mail))
        for broken in (b"", b"{", b"[]", b"\xff\xfe", json.dumps({"prompt": 5, "cwd": 7}).encode()):
            done = run_hook(command, mail, broken)
            assert done.returncode == 0 and done.stderr.count(b"\n") <= 1 and b"Traceback" not in done.stderr
        missing = run_hook(command, mail, given, path="/usr/bin:/bin")
        assert (missing.returncode, missing.stdout) == (0, b"") and missing.stderr.count(b"\n") == 1
        gone = json.dumps({**EVENTS[agent, event], "cwd": "/nowhere/at/all", "workspace_roots": ["/nowhere"]})
        done = run_hook(command, mail, gone)
        assert (done.returncode, done.stdout) == (0, b"") or event == "compact"
    (mail / ".memgit.yaml").write_text("layout: [\n")
    done = run_hook(command, mail, given)
    assert done.returncode == 0 and done.stdout == b"" and done.stderr.count(b"\n") == 1


def test_a_hook_says_nothing_where_there_is_no_knowledge_root(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "code")
    write(tmp_path / "code", "readme.md", "# Relay\n\nThe smtp relay retries.\n")
    for event, command in commands("claude-code").items():
        if event != "compact":
            given = json.dumps(EVENTS["claude-code", event]).replace("$KB", str(tmp_path / "code"))
            done = run_hook(command, tmp_path / "code", given)
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_instructions_are_short(kb: Path) -> None:
    from memgit.app.agents.install import template
    from memgit.model.tokens import estimate

    assert estimate(template("instructions.md")) <= 500

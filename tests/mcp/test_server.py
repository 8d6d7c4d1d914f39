"""`memgit mcp` as the official Python SDK's client sees it: every tool, errors, several clients, an abrupt end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import Implementation

from memgit.mcp.mnema import BY_SET
from memgit.mcp.server import described
from memgit.model.tokens import estimate
from tests.support import fsck, memgit, run_git, status

pytestmark = pytest.mark.filterwarnings("default")


@asynccontextmanager
async def connected(kb: Path, *args: str, name: str = "test-agent", **more: Any) -> AsyncIterator[Client]:
    """A client of a server of its own."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "memgit", "-C", str(kb), "mcp", *args],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    async with Client(
        stdio_client(server), client_info=Implementation(name=name, version="1"), **more
    ) as client:
        yield client


def talk(kb: Path, conversation: Callable[[Client], Awaitable[None]], *args: str, **more: Any) -> None:
    async def run() -> None:
        async with connected(kb, *args, **more) as client:
            await conversation(client)

    asyncio.run(run())


async def call(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """The structured result of a call that works; its text says the same."""
    done = await client.call_tool(tool, arguments)
    assert not done.is_error, done.content
    assert isinstance(done.structured_content, dict)
    text = done.content[0].text  # type: ignore[union-attr]
    if tool in ("recall", "context_bootstrap"):
        assert "text" not in done.structured_content
        return {**done.structured_content, "text": text}
    assert json.loads(text) == done.structured_content
    return done.structured_content


async def refused(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """The error of a call that fails. It is not a structure: that would have to fit the output schema."""
    done = await client.call_tool(tool, arguments)
    assert done.is_error and done.structured_content is None
    error = json.loads(done.content[0].text)  # type: ignore[union-attr]
    assert isinstance(error, dict)
    assert set(error) == {"code", "message", "path", "line", "hint"}
    return error


def test_every_tool(kb: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text(
        "# Deploy\n\n## Canary\n\n1. Drain the queue before the canary starts.\n2. Wait.\n"
    )

    async def conversation(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == {tool.name for tool in BY_SET["memgit"]}
        used: set[str] = set()

        async def ok(tool: str, /, **arguments: Any) -> dict[str, Any]:
            used.add(tool)
            return await call(client, tool, **arguments)

        made = await ok(
            "record",
            kind="knowledge",
            category="mail",
            title="Retry the relay",
            body="- wait a minute",
            keywords=["smtp", "relay"],
        )
        assert (made["action"], made["record"]["address"]) == ("created", "knowledge/mail#Retry the relay")
        twice = {
            "kind": "knowledge",
            "category": "mail",
            "body": "- wait a minute",
            "keywords": ["smtp", "relay"],
        }
        near = await ok("record", title="Retry the mail relay", **twice)
        assert [one["address"] for one in near["close"]] == ["knowledge/mail#Retry the relay"]
        seen = await ok("record", kind="observation", title="Relay was slow", body="It was slow at noon.")
        shown = await ok("show", address="Retry the relay")
        assert shown["body"] == "- wait a minute"
        changed = await ok(
            "update",
            address=shown["address"],
            body="- wait two minutes",
            if_version=shown["version_id"],
            reason="measured",
        )
        assert changed["action"] == "updated"
        await ok("update", address=shown["address"], body="- and log it", append=True)
        told = await ok("history", address=shown["address"])
        assert [event["op"] for event in told["events"]] == ["extend", "update", "record"]
        fact = await ok("promote", address=seen["record"]["id"], title="The relay is slow at noon")
        linked = await ok("link", address=shown["address"], others=[fact["record"]["address"]])
        assert linked["related"] == [fact["record"]["address"]]
        found = await ok("search", query="relay", kind="memory")
        assert [one["address"] for one in found["results"]] == [fact["record"]["address"]]
        recalled = await ok("recall", text="the smtp relay does not answer, retry?")
        assert "knowledge/mail#Retry the relay" in [one["address"] for one in recalled["records"]]
        assert recalled["text"].startswith("## Retry the") and "- and log it" in recalled["text"]
        assert (await ok("recall", text="by the way, the smtp relay, retry?"))["records"] == []
        start = await ok("context_bootstrap")
        assert "knowledge/mail: 2 records" in start["text"]
        archived = await ok("archive", address="Retry the mail relay")
        assert archived["action"] == "archived"
        assert (await ok("archive", address="Retry the mail relay", restore=True))["action"] == "restored"
        plan = await ok("ingest_plan", source=str(tmp_path / "notes.md"), kind="knowledge", group="deploy")
        assert plan["proposed"] == 1
        applied = await ok("ingest_apply", plan=plan["plan"])
        assert applied["commit"] == run_git(kb, "rev-parse", "HEAD")
        proposed = await ok(
            "propose", tool="record", arguments={"kind": "memory", "title": "For review", "body": "x"}
        )
        assert proposed["branch"].startswith("memgit/test-agent-")
        assert run_git(kb, "rev-parse", proposed["branch"] + "~1") == run_git(kb, "rev-parse", "HEAD")
        reviewed = await ok("review", range=f"HEAD..{proposed['branch']}")
        assert reviewed["verdict"] in ("pass", "warn") and "For review" in reviewed["report"]
        assert used == {tool.name for tool in tools}

    talk(kb, conversation)
    assert status(kb) == ""
    assert memgit(kb, "rebuild", "--check").code == 0
    fsck(kb)
    entries = memgit(kb, "log", "--json").json[:-1]
    assert {entry["actor"] for entry in entries} == {"test-agent"}
    assert len({entry["run"] for entry in entries}) == 1 and entries[0]["run"]


def test_errors_are_results_with_code_message_and_hint(kb: Path) -> None:
    async def conversation(client: Client) -> None:
        await call(client, "record", kind="memory", title="One", body="x")
        unknown = await refused(client, "show", address="nope")
        assert (unknown["code"], unknown["hint"]) == ("not_found", "did you mean memory/one?")
        before = (await call(client, "show", address="memory/one"))["version_id"]
        await call(client, "update", address="memory/one", body="y")
        stale = await refused(client, "update", address="memory/one", body="z", if_version=before)
        assert (stale["code"], stale["hint"], stale["path"]) == (
            "conflict",
            "read it again, then decide",
            "memory/one.md",
        )
        again = await refused(client, "record", kind="memory", title="One", body="x")
        assert again["code"] == "conflict"
        key = "AKIA" + "Z7QX2MNB4KLP9WRT"
        secret = await refused(
            client, "record", kind="memory", title="Key", body=f"aws_access_key_id = {key}"
        )
        assert secret["code"] == "refused" and "--redact" in secret["hint"]
        assert (await refused(client, "record", kind="memory"))[
            "message"
        ] == "arguments: 'title' is a required property"
        wrong = await refused(client, "search", query="x", limit="many")
        assert wrong["message"].startswith("limit: ") and "query" in wrong["hint"]
        assert (await refused(client, "search", query="x", colour="red"))["code"] == "bad_input"
        assert (await refused(client, "record", kind="memory", title="T", fields={"size": "1"}))[
            "code"
        ] == "bad_input"
        assert (await refused(client, "propose", tool="record", arguments={"kind": "memory"}))[
            "code"
        ] == "bad_input"
        large = "word " * 200_000
        assert (await call(client, "record", kind="memory", title="Large", body=large))["action"] == "created"
        assert (await call(client, "show", address="memory/large"))["body"].strip() == large.strip()
        huge = await refused(client, "record", kind="memory", title="Huge", body="x" * 5_000_000)
        assert huge["code"] == "bad_input" and "limit" in huge["message"]
        with pytest.raises(Exception, match="no tool"):
            await client.call_tool("nothing", {})
        with pytest.raises(Exception, match="no record answers"):
            await client.read_resource("memgit://memory/none")

    talk(kb, conversation)
    assert status(kb) == ""
    assert "AKIA" not in run_git(kb, "log", "-p", "--all")


def test_changes_by_others_are_seen_at_the_next_call(kb: Path) -> None:
    async def conversation(client: Client) -> None:
        await call(client, "record", kind="memory", title="One", body="x")
        memgit(kb, "record", "memory", "Two", "-m", "by another process")
        assert (await call(client, "show", address="memory/two"))["body"] == "by another process"
        (kb / "memory/two.md").write_text((kb / "memory/two.md").read_text().replace("another", "hand"))
        found = await call(client, "show", address="memory/two")
        assert (found["body"], found["fresh"]) == ("by hand process", True)
        assert [one["title"] for one in (await call(client, "search", query="hand"))["results"]] == ["Two"]
        run_git(kb, "commit", "-qam", "by hand")
        config = kb / ".memgit.yaml"
        config.write_text(config.read_text() + "agents: propose\n")
        run_git(kb, "commit", "-qam", "agents only propose")
        head = run_git(kb, "rev-parse", "HEAD")
        done = await call(client, "record", kind="memory", title="Three", body="x")
        assert done["branch"].startswith("memgit/test-agent-")
        other = await call(client, "archive", address="memory/one")
        assert other["branch"] == done["branch"]
        assert run_git(kb, "rev-parse", "HEAD") == head
        assert run_git(kb, "rev-list", "--count", f"{head}..{done['branch']}") == "2"
        config.write_text(config.read_text().replace("propose", "rule"))
        assert "agents" in (await refused(client, "record", kind="memory", title="Four"))["message"]

    talk(kb, conversation)


def test_resources_and_prompts(kb: Path) -> None:
    for number in range(210):
        (kb / "memory").mkdir(exist_ok=True)
        (kb / f"memory/fact-{number}.md").write_text(
            f"---\ntitle: Fact {number}\ncreated: 2026-01-01\n---\n\nText {number}.\n"
        )
    memgit(kb, "record", "memory", "Made", "-m", "x")
    memgit(kb, "record", "knowledge", "A b & ü", "--category", "c", "-m", "- x")

    async def conversation(client: Client) -> None:
        first = await client.list_resources()
        second = await client.list_resources(cursor=first.next_cursor)
        assert second.next_cursor is None
        resources = {one.name: str(one.uri) for one in (*first.resources, *second.resources)}
        assert len(resources) >= 212 and {"log", "INDEX.md", "memory/INDEX.md"} <= set(resources)
        read = await client.read_resource(resources["knowledge/c#A b & ü"])
        assert read.contents[0].text.startswith("# A b & ü\n")  # type: ignore[union-attr]
        assert "record" in (await client.read_resource(resources["log"])).contents[0].text  # type: ignore[union-attr]
        assert "memory" in (await client.read_resource(resources["INDEX.md"])).contents[0].text  # type: ignore[union-attr]
        with pytest.raises(Exception, match="no index"):
            await client.read_resource("memgit://index/../../../etc/passwd")
        prompts = (await client.list_prompts()).prompts
        assert [one.name for one in prompts] == ["record_what_was_learned", "review_change"]
        text = (await client.get_prompt("review_change", {"range": "a..b"})).messages[0].content.text  # type: ignore[union-attr]
        assert "(range: a..b)" in text

    talk(kb, conversation)


def test_the_tools_of_mnema(kb: Path) -> None:
    async def conversation(client: Client) -> None:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names == {tool.name for tool in BY_SET["mnema"]}
        arguments = {
            "slug": "safe-migration",
            "name": "Safe migration",
            "description": "How.",
            "content": "1. back up",
        }
        assert (await call(client, "skill_record", **arguments))["action"] == "created"
        assert (await call(client, "skill_record", **arguments))["action"] == "no_op"
        await call(client, "skill_use", slug="safe-migration")
        assert (await call(client, "skill_use", slug="safe-migration"))["usage_count"] == 2
        await call(client, "skill_record", **{**arguments, "content": "1. check"}, mode="new_version")
        listed = (await call(client, "skills_list"))["records"]
        assert [(one["version"], one["usage_count"]) for one in listed] == [(2, 0)]
        assert (await call(client, "skill_show", slug="safe-migration", version=1))["body"] == "1. back up"
        seen = await call(
            client,
            "observation_record",
            content="build is flaky\non Fridays",
            topics=["ci"],
            related_task_key="W-1",
        )
        assert seen["record"]["title"] == "build is flaky"
        assert (await call(client, "observations_list", related_task_key="W-1", topic="ci"))["total"] == 1
        fact = await call(
            client,
            "memory_record",
            slug="friday-ci",
            title="Friday CI",
            content="It fails.",
            topics=["ci"],
            derived_from_observation=seen["record"]["id"],
        )
        assert fact["record"]["address"] == "memory/friday-ci" and fact["record"]["derived_from"]
        assert (await call(client, "memories_list", topic="ci"))["total"] == 1
        assert (await call(client, "memory_show", slug="friday-ci"))["body"] == "It fails."
        await call(client, "memory_archive", slug="friday-ci")
        await call(client, "observation_archive", observation_id=seen["record"]["id"])
        assert (await call(client, "observations_list"))["total"] == 0
        assert (await call(client, "observations_list", include_archived=True))["total"] == 1
        adr = await call(
            client,
            "decision_record",
            title="Use git",
            decision="We use git.",
            rationale="It is there.",
            status="accepted",
        )
        assert adr["record"]["fields"]["status"] == "accepted"
        memgit(kb, "record", "note", "Idea", "-m", "x")
        grown = await call(
            client, "decision_promote_from_note", note_id="note/notes/idea", title="Do it", decision="Yes."
        )
        assert grown["record"]["derived_from"] == ["note/notes/idea"]
        assert "Use git" in (await call(client, "context_bootstrap"))["text"]

    talk(kb, conversation, "--tools", "mnema")
    assert status(kb) == ""


def test_eight_clients_at_once_lose_nothing(kb: Path) -> None:
    async def one(number: int) -> None:
        async with connected(kb, name=f"agent-{number}") as client:
            for turn in range(6):
                await call(
                    client,
                    "record",
                    kind="knowledge",
                    category="shared",
                    title=f"Fact {number} {turn}",
                    body=f"- word{number}x{turn}",
                )

    async def run() -> None:
        await asyncio.gather(*map(one, range(8)))

    asyncio.run(run())
    titles = [record["title"] for record in memgit(kb, "list", "--category", "shared", "--json").json]
    assert sorted(titles) == sorted(f"Fact {number} {turn}" for number in range(8) for turn in range(6))
    assert status(kb) == "" and memgit(kb, "rebuild", "--check").code == 0
    actors = [entry["actor"] for entry in memgit(kb, "log", "--json").json]
    assert all(actors.count(f"agent-{number}") == 6 for number in range(8))
    fsck(kb)


@contextmanager
def started(kb: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "memgit", "-C", str(kb), "mcp"]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=env) as server:
        yield server


def said(method: str, number: int | None = None, **params: Any) -> bytes:
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(message if number is None else {**message, "id": number}).encode() + b"\n"


HELLO = said(
    "initialize", 1, protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "raw", "version": "1"}
) + said("notifications/initialized")


@pytest.mark.parametrize("end", ["eof", signal.SIGTERM, signal.SIGINT])
def test_it_ends_cleanly(kb: Path, end: Any) -> None:
    with started(kb) as server:
        assert server.stdin is not None and server.stdout is not None and server.stderr is not None
        record = {"kind": "memory", "title": "Last words", "body": "x"}
        server.stdin.write(HELLO + said("tools/call", 2, name="record", arguments=record))
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()), json.loads(server.stdout.readline())]
        assert answers[1]["result"]["structuredContent"]["action"] == "created"
        if end == "eof":
            server.stdin.close()
        else:
            server.send_signal(end)
        assert server.wait(20) == 0
        assert server.stdout.read() == b"", "only the protocol is on standard output"
        assert b"Traceback" not in server.stderr.read()
    assert memgit(kb, "show", "memory/last-words").code == 0
    assert status(kb) == ""


def test_a_client_killed_in_the_middle_leaves_whole_commits(kb: Path) -> None:
    with started(kb) as server:
        assert server.stdin is not None and server.stdout is not None
        lines = [
            said(
                "tools/call",
                number + 2,
                name="record",
                arguments={"kind": "memory", "title": f"Fact {number}", "body": "x"},
            )
            for number in range(30)
        ]
        server.stdin.write(HELLO + b"".join(lines))
        server.stdin.flush()
        for _ in range(5):
            server.stdout.readline()
        server.kill()
        server.wait(20)
    memgit(kb, "list")
    assert status(kb) == "" and memgit(kb, "rebuild", "--check").code == 0
    fsck(kb)
    count = len(memgit(kb, "list", "memory", "--json").json)
    assert 4 <= count <= 30
    assert run_git(kb, "log", "--grep", "Memgit-Op: record", "--oneline").count("\n") + 1 == count


def test_a_call_that_is_cancelled_before_its_turn_is_not_done(kb: Path) -> None:
    last = 25
    lines = [
        said(
            "tools/call",
            number,
            name="record",
            arguments={"kind": "memory", "title": f"Fact {number}", "body": "x"},
        )
        for number in range(2, last + 1)
    ]
    with started(kb) as server:
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(HELLO + b"".join(lines) + said("notifications/cancelled", requestId=last))
        server.stdin.flush()
        for _ in range(last - 1):
            server.stdout.readline()
        server.stdin.close()
        assert server.wait(30) == 0
    titles = {record["title"] for record in memgit(kb, "list", "memory", "--json").json}
    assert titles == {f"Fact {number}" for number in range(2, last)}
    assert status(kb) == ""


def test_progress_is_passed_on(kb: Path) -> None:
    told: list[str | None] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async def conversation(client: Client) -> None:
        text = "# Deploy\n\n1. Drain the `queue` first.\n2. Then `roll --canary`.\n"
        await client.call_tool("ingest_plan", {"text": text}, progress_callback=note)

    talk(kb, conversation)
    assert told == ["reading", "comparing with what is recorded"]


def test_outside_a_knowledge_root_nothing_is_written(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "code")
    (tmp_path / "code/readme.md").write_text("# Code\n")
    run_git(tmp_path / "code", "add", ".")
    run_git(tmp_path / "code", "commit", "-qm", "start")

    async def conversation(client: Client) -> None:
        error = await refused(client, "record", kind="note", title="Stray", body="x")
        assert error["code"] == "refused" and "memgit init" in error["hint"] and "MEMGIT_DIR" in error["hint"]

    talk(tmp_path / "code", conversation)
    assert status(tmp_path / "code") == ""


@pytest.mark.parametrize("name", ["memgit", "mnema"])
def test_the_list_of_tools_is_short_and_says_what_models_need(name: str) -> None:
    tools = [described(tool).model_dump(by_alias=True, exclude_none=True) for tool in BY_SET[name]]
    text = json.dumps(tools)
    assert len(text) / 4 < 8000, "a token has about four characters in JSON"
    assert estimate(text) < 8000
    for tool in tools:
        assert tool["description"].endswith(".") and tool["title"]
        assert tool["annotations"]["readOnlyHint"] is not None
        assert tool["inputSchema"]["additionalProperties"] is False
        assert set(tool["inputSchema"]["required"]) <= set(tool["inputSchema"]["properties"])
        assert tool["outputSchema"]["required"]

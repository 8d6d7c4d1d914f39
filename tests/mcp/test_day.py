"""A whole day: two agents in two clones of a hub, each over MCP, and a person with an editor and plain git."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from tests.mcp.test_server import call, connected, refused
from tests.support import fsck, memgit, run_git, status

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """A hub with a knowledge root of one record, and the clones of two agents and a person beside it."""
    first = tmp_path / "seed"
    first.mkdir()
    memgit(first, "init")
    memgit(
        first,
        "record",
        "knowledge",
        "Mail relay",
        "--category",
        "mail",
        "--keywords",
        "smtp,relay",
        "-m",
        "- Access tokens live for 15 minutes.",
    )
    run_git(tmp_path, "clone", "-q", "--bare", str(first), "hub.git")
    for name in ("ada", "bob", "eve"):
        run_git(tmp_path, "clone", "-q", "hub.git", name)
        memgit(tmp_path / name, "hooks", "install")
    return tmp_path / "hub.git"


def test_a_day(hub: Path) -> None:
    ada, bob, eve = (hub.parent / name for name in ("ada", "bob", "eve"))

    async def day() -> None:
        async with connected(ada, name="claude-code") as one, connected(bob, name="codex") as two:
            # 09:00  both agents start: the context names what there is, the first message recalls it
            assert "knowledge/mail: 1 record (smtp, relay)" in (await call(one, "context_bootstrap"))["text"]
            found = await call(one, "recall", text="the smtp relay refuses our token, how long does it live?")
            assert found["records"][0]["text"] == "- Access tokens live for 15 minutes."
            assert (await call(two, "recall", text="thanks, good morning!"))["records"] == []

            # 10:00  each records what it learned, in its own clone, at the same time
            made = await asyncio.gather(
                call(
                    one,
                    "record",
                    kind="experience",
                    skill="relayctl",
                    title="Reload before flush",
                    body="- `relayctl reload` first, else `EAGAIN`.",
                ),
                call(
                    two,
                    "record",
                    kind="knowledge",
                    category="mail",
                    title="Greylisting",
                    body="- Wait longer than the window of the receiver.",
                ),
            )
            assert [one["action"] for one in made] == ["created", "created"]

            # 11:00  both publish; the second merges with the first
            memgit(ada, "sync")
            memgit(bob, "sync")
            memgit(ada, "sync")
            assert (await call(one, "show", address="Greylisting"))["title"] == "Greylisting"
            assert (await call(two, "recall", text="relayctl flush gives EAGAIN", skills=["relayctl"]))[
                "records"
            ]

            # 13:00  a person edits a record in an editor and commits with plain git
            run_git(eve, "pull", "-q", "--rebase")
            path = eve / "knowledge-base/mail.md"
            path.write_text(path.read_text().replace("longer than the window", "twice the window"))
            run_git(eve, "commit", "-qam", "Say how long")
            memgit(eve, "sync")
            memgit(ada, "sync")
            shown = await call(one, "show", address="Greylisting")
            assert "twice the window" in shown["body"]

            # 14:00  an agent holds a stale version: it is told, reads again and extends
            stale = shown["version_id"]
            memgit(
                ada,
                "update",
                "Greylisting",
                "-m",
                "- Wait twice the window of the receiver, at least 5 minutes.",
            )
            assert (await refused(one, "update", address="Greylisting", body="- other", if_version=stale))[
                "code"
            ] == "conflict"
            await call(one, "update", address="Greylisting", body="- Seen with two receivers.", append=True)

            # 15:00  an agent proposes what contradicts the record; the review finds it, so it is not merged
            proposal = await call(
                two,
                "propose",
                tool="record",
                arguments={
                    "kind": "knowledge",
                    "category": "mail",
                    "title": "Mail relay retries",
                    "body": "- Access tokens live for 60 minutes.",
                    "keywords": ["smtp", "relay"],
                },
            )
            review = await call(two, "review", range=f"HEAD..{proposal['branch']}")
            assert review["verdict"] in ("warn", "fail")
            assert "15 minutes" in review["report"] and "60 minutes" in review["report"]
            run_git(bob, "branch", "-D", proposal["branch"])

            # 16:00  an agent records a mistake; the person takes it back, later work stays
            await call(two, "record", kind="memory", title="The relay is gone", body="Wrong.")
            wrong = run_git(bob, "rev-parse", "HEAD")
            await call(two, "record", kind="memory", title="The relay moved to host b", body="Since today.")
            memgit(bob, "undo", wrong)
            assert (await refused(two, "show", address="memory/the-relay-is-gone"))["code"] == "not_found"
            assert (await call(two, "show", address="memory/the-relay-moved-to-host-b"))["title"]

            # 18:00  everybody publishes; every clone says the same
            for clone in (ada, bob, eve, ada, bob):
                memgit(clone, "sync")

    asyncio.run(day())
    lists = {memgit(clone, "list", "--json").out for clone in (ada, bob, eve)}
    assert len(lists) == 1
    for clone in (ada, bob, eve):
        assert status(clone) == "" and memgit(clone, "rebuild", "--check").code == 0
        fsck(clone)
    events = memgit(eve, "log", "--json").json
    actors = {event["actor"] for event in events}
    assert {"claude-code", "codex", None} <= actors
    assert len({event["run"] for event in events if event["actor"] == "codex"}) == 1

"""Events told by a second process: remembered as if this one had read them, and read by this one where that
fails.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from memgit.app.workspace import open_workspace
from memgit.cache import parallel_events
from memgit.cache.db import PAGES, Cache, memory_cache
from memgit.cache.events import Events
from memgit.cache.parallel_events import Beside, begin
from memgit.git.history.activity import Activity
from memgit.git.repository import Repository
from memgit.model.layout import Layout
from tests.support import childless, closed_later, memgit, run_git


@pytest.fixture
def kb(repo: Path) -> Path:
    """A history with records, a hand edit, a merge and a name that is not ASCII."""
    memgit(repo, "init")
    for number in range(6):
        memgit(repo, "record", "memory", f"Caf\u00e9 {number}", "--scope", "x", "-m", f"text {number}")
    run_git(repo, "checkout", "-q", "-b", "side")
    memgit(repo, "record", "knowledge", "Trap", "--category", "shell", "-m", "- on exit")
    run_git(repo, "checkout", "-q", "-")
    (edited,) = (repo / "memory/x").glob("*1.md")
    edited.write_bytes(b"# By hand \xff\n")
    run_git(repo, "commit", "-q", "-a", "-m", "By hand")
    run_git(repo, "merge", "-q", "--no-edit", "side")
    return repo


@pytest.fixture(autouse=True)
def two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_events, "_processors", lambda: 2)
    monkeypatch.setattr(parallel_events, "_threads", lambda: 1)


def opened(folder: Path) -> tuple[Repository, Layout, str]:
    workspace = closed_later(open_workspace(str(folder), os.environ))
    assert workspace.repo is not None
    head = workspace.repo.head().commit
    assert head is not None
    return workspace.repo, workspace.layout, head


def tables(cache: Cache) -> dict[str, list[Any]]:
    return {
        name: sorted(cache.connection.execute(f"select * from {name}"), key=repr)
        for name in ("event", "event_line", "event_reach", "event_name")
    }


def test_the_same_as_read_here(kb: Path) -> None:
    repo, layout, head = opened(kb)
    here, there = closed_later(memory_cache()), closed_later(memory_cache())
    told = [entry.text for entry in Events(repo, layout, here).walk(head)]
    beside = begin(repo, layout, head)
    assert isinstance(beside, Beside)
    assert Events(repo, layout, there).fill(head, beside.drafts()) == 10
    assert tables(here) == tables(there)
    assert [entry.text for entry in Events(repo, layout, there).walk(head)] == told
    assert len(told) == 10


def test_what_is_remembered_is_not_read_again(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo, layout, head = opened(kb)
    cache = closed_later(memory_cache())
    beside = begin(repo, layout, head)
    assert beside is not None
    Events(repo, layout, cache).fill(head, beside.drafts())
    monkeypatch.setattr(Activity, "event", None)
    assert len(list(Events(repo, layout, cache).walk(head))) == 10


def test_where_it_fails_nothing_is_remembered(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo, layout, head = opened(kb)
    with monkeypatch.context() as broken:
        broken.setattr(Activity, "event", lambda *_: 1 / 0)
        beside = begin(repo, layout, head)
    assert beside is not None
    cache = closed_later(memory_cache())
    events = Events(repo, layout, cache)
    events.fill(head, beside.drafts())
    assert tables(cache)["event"] == []
    assert len(list(events.walk(head))) == 10


def test_what_breaks_off_leaves_events_and_no_line(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each event that was told is true by itself; that they are all, nobody has said."""
    repo, layout, head = opened(kb)
    with monkeypatch.context() as broken:
        broken.setattr(parallel_events, "BATCH_SIZE", 3)
        broken.setattr(Activity, "event", fails_after(7, Activity.event))
        beside = begin(repo, layout, head)
    assert beside is not None
    cache, whole = closed_later(memory_cache()), closed_later(memory_cache())
    assert Events(repo, layout, cache).fill(head, beside.drafts()) is None
    found = tables(cache)
    assert (len(found["event"]), found["event_line"], found["event_reach"]) == (6, [], [])
    assert cache.connection.execute("pragma cache_size").fetchone() == (-PAGES,)
    told = [entry.text for entry in Events(repo, layout, whole).walk(head)]
    assert [entry.text for entry in Events(repo, layout, cache).walk(head)] == told


def fails_after(count: int, real: Any) -> Any:
    left = iter(range(count))

    def event(*args: Any) -> Any:
        next(left)
        return real(*args)

    return event


def test_it_comes_while_it_is_told(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo, layout, head = opened(kb)
    with monkeypatch.context() as slow:
        slow.setattr(parallel_events, "BATCH_SIZE", 1)
        real = Activity.event

        def event(*args: Any) -> Any:
            time.sleep(0.05)
            return real(*args)

        slow.setattr(Activity, "event", event)
        beside = begin(repo, layout, head)
    assert beside is not None
    batches = list(beside.drafts())
    assert len(batches) > 1
    assert sum(map(len, batches)) == 10


def test_it_can_be_stopped(kb: Path) -> None:
    repo, layout, head = opened(kb)
    beside = begin(repo, layout, head)
    assert beside is not None
    beside.stop()
    beside.stop()
    assert childless()


@pytest.mark.parametrize("name", ["_processors", "_threads"])
def test_where_it_would_not_help(kb: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    repo, layout, head = opened(kb)
    assert begin(repo, layout, None) is None
    monkeypatch.setattr(parallel_events, name, lambda: {"_processors": 1, "_threads": 2}[name])
    assert begin(repo, layout, head) is None


def test_rebuild_by_two_processes_gives_what_one_gives(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def rebuilt() -> tuple[Any, list[Any]]:
        answer = memgit(kb, "rebuild", "--json").json
        return answer, memgit(kb, "log", "--json").json

    memgit(kb, "rebuild")
    beside = rebuilt()
    monkeypatch.setattr(parallel_events, "_processors", lambda: 1)
    assert rebuilt() == beside
    assert beside[0]["events"] == 10
    assert not [name for name in os.listdir(kb / ".git/memgit") if name.startswith("events-")]


def test_it_does_not_outlive_whoever_wants_the_events(kb: Path) -> None:
    """Killed in the middle of a rebuild, the other process ends as well, and soon."""
    code = (
        "import os, sys, time\n"
        "from memgit.app.workspace import open_workspace\n"
        "from memgit.cache import parallel_events as beside\n"
        "from memgit.git.history.activity import Activity\n"
        "beside.TOGETHER, beside._processors = 1, lambda: 2\n"
        "real = Activity.event\n"
        "Activity.event = lambda *args: (time.sleep(0.3), real(*args))[1]\n"
        "workspace = open_workspace(sys.argv[1], os.environ)\n"
        "begun = beside.begin(workspace.repo, workspace.layout, workspace.repo.head().commit)\n"
        "print(begun._pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(kb)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        process.kill()
        process.wait()
        # ends when nobody holds the pipe any more: the other process, a fork, holds it too
        process.stdout.read()
    with pytest.raises(ProcessLookupError):
        for _ in range(100):
            os.kill(pid, 0)
            if (
                Path(f"/proc/{pid}/stat").exists()
                and Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
            ):
                raise ProcessLookupError
            time.sleep(0.02)

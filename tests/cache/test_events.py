"""Remembered events: always what git would tell, whatever moved, failed or was written by somebody else
meanwhile.
"""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.cache import event_rows, event_text
from memgit.cache import events as module
from memgit.cache.db import Cache, memory_cache, open_cache
from memgit.cache.event_text import EVERYTHING, Entry, Filter, from_text, moment, to_row, to_text
from memgit.cache.events import Events
from memgit.errors import Refused
from memgit.formats.messages import message as messages
from memgit.git.history import history
from memgit.git.history.activity import Activity
from memgit.git.history.history import RawCommit
from memgit.git.repository import Repository
from memgit.model.layout import Layout, memgit, notes
from memgit.model.operation import ACTIONS, OPS, Event, Operation, RecordChange
from tests.support import closed_later, commit, examples, run_git, write

ID = "kb7m2q9x4d"


def record(folder: Path, key: str, text: str = "Some text of its own.", message: str = "by hand") -> str:
    write(folder, f"memory/{key}.md", f"---\ntitle: {key}\n---\n\n# {key}\n\n{text}\n")
    return commit(folder, message)


def records(folder: Path, count: int, keys: int | None = None) -> None:
    """As many commits as calls of `record` make, of that many records or of one each: the first ones of a
    branch, by one process.
    """
    stream = []
    for number in range(count):
        key = f"m{number % (keys or count)}"
        text = "Some text of its own." if keys is None else f"text {number}"
        stream += told(
            "by hand",
            number,
            f"M 100644 inline memory/{key}.md",
            data(f"---\ntitle: {key}\n---\n\n# {key}\n\n{text}\n"),
        )
    grown(folder, stream)


def told(message: str, number: int, *changes: str) -> list[str]:
    """A commit as `git fast-import` reads it; several share a second."""
    return [
        "commit refs/heads/main",
        f"committer Ada Moss <ada@example.org> {1_700_000_000 + number // 9} +0000",
        data(message),
        *changes,
    ]


def data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}"


def grown(folder: Path, stream: Sequence[str]) -> None:
    run_git(folder, "fast-import", "--quiet", data="\n".join([*stream, ""]).encode())
    run_git(folder, "reset", "-q", "--hard")


@pytest.fixture
def cache(repo: Path) -> Cache:
    return fresh(repo)


def fresh(folder: Path) -> Cache:
    found = open_cache(opened(folder).common_dir, "test")
    assert found is not None
    return closed_later(found)


def opened(folder: Path, prefix: str = "") -> Repository:
    return Repository.open(str(folder), dict(os.environ)).at_prefix(prefix)


def plain(
    folder: Path, head: str = "HEAD", *without: str, layout: Layout | None = None, prefix: str = ""
) -> list[Event]:
    """What git and the trees say, without any cache."""
    repo = opened(folder, prefix)
    return list(
        Activity(repo, layout or memgit()).events(
            history.commits(repo, [repo.resolve(head), *(f"^{each}" for each in without)])
        )
    )


def walked(
    folder: Path,
    cache: Cache | None,
    head: str = "HEAD",
    *,
    layout: Layout | None = None,
    prefix: str = "",
    **more: Any,
) -> list[Event]:
    repo = opened(folder, prefix)
    return [entry.event for entry in Events(repo, layout or memgit(), cache).walk(repo.resolve(head), **more)]


class Asked:
    """Counts the commits that git is asked to tell."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.told = 0
        self.ordered = 0
        log, order = history._log, history.order

        def counted(*args: Any) -> Iterator[RawCommit]:
            for each in log(*args):
                self.told += 1
                yield each

        def ordered(repo: Repository, revisions: Sequence[str]) -> Iterator[str]:
            self.ordered += 1
            return order(repo, revisions)

        monkeypatch.setattr(history, "_log", counted)
        monkeypatch.setattr(history, "order", ordered)

    def take(self) -> tuple[int, int]:
        found = (self.told, self.ordered)
        self.told = self.ordered = 0
        return found


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    return Asked(monkeypatch)


def test_cold_and_warm_are_what_git_tells(repo: Path, cache: Cache, asked: Asked) -> None:
    records(repo, 60, 7)
    expected = plain(repo)
    asked.take()
    assert walked(repo, None) == expected
    asked.take()
    assert walked(repo, cache) == expected
    assert asked.take() == (60, 0)
    assert walked(repo, cache) == expected
    assert walked(repo, cache, limit=5) == expected[:5]
    assert walked(repo, fresh(repo)) == expected
    assert asked.take() == (0, 0)


def test_one_new_commit_costs_one(repo: Path, cache: Cache, asked: Asked) -> None:
    records(repo, 10)
    walked(repo, cache)
    record(repo, "new")
    record(repo, "newer")
    asked.take()
    assert walked(repo, cache, limit=3)[0].records == (RecordChange("create", None, "memory/newer"),)
    assert asked.take() == (2, 0)
    assert walked(repo, cache) == plain(repo)


def test_a_short_answer_of_a_cold_cache_reads_little(repo: Path, cache: Cache, asked: Asked) -> None:
    grown(repo, [line for number in range(120) for line in told(str(number), number)])
    assert len(walked(repo, cache, limit=3)) == 3
    assert asked.take()[0] <= module.FIRST
    assert walked(repo, cache, limit=3) == plain(repo)[:3]
    assert walked(repo, cache, limit=0) == []


def test_amend_reset_and_switch(repo: Path, cache: Cache, asked: Asked) -> None:
    records(repo, 6)
    walked(repo, cache)
    run_git(repo, "branch", "other", "HEAD~2")
    run_git(repo, "commit", "-q", "--amend", "-m", "amended")
    asked.take()
    assert walked(repo, cache)[0].subject == "amended"
    assert asked.take() == (1, 0)
    run_git(repo, "reset", "-q", "--hard", "HEAD~3")
    assert len(walked(repo, cache)) == 3
    assert asked.take() == (0, 0)
    run_git(repo, "checkout", "-q", "other")
    record(repo, "there")
    asked.take()
    found = walked(repo, cache)
    assert asked.take()[0] <= 2
    assert found == plain(repo)
    run_git(repo, "checkout", "-q", "main")
    assert walked(repo, cache) == plain(repo)


def test_a_merge_numbers_anew_but_reads_only_what_is_new(repo: Path, cache: Cache, asked: Asked) -> None:
    records(repo, 5)
    run_git(repo, "checkout", "-q", "-b", "side", "HEAD~2")
    record(repo, "side")
    run_git(repo, "checkout", "-q", "main")
    record(repo, "main")
    walked(repo, cache)
    run_git(repo, "merge", "-q", "--no-edit", "side")
    asked.take()
    found = walked(repo, cache)
    assert asked.take() == (2, 1)
    assert found == plain(repo)
    asked.take()
    assert walked(repo, cache) == found
    assert asked.take() == (0, 0)


def test_random_moves_of_head(repo: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commits, branches, merges, amends and resets, with equal and backward dates: after each move the log is
    git's.
    """
    chance = random.Random(3)
    names = ["main"]
    record(repo, "start")
    for number in range(70):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"{1_700_000_000 + chance.choice([0, 0, 60, -600])} +0000")
        move = chance.random()
        if move < 0.4:
            record(repo, f"m{chance.randrange(8)}", f"text {number}")
        elif move < 0.5:
            run_git(repo, "checkout", "-q", "-b", f"b{number}")
            names.append(f"b{number}")
        elif move < 0.65:
            run_git(repo, "checkout", "-q", chance.choice(names))
        elif move < 0.8:
            run_git(repo, "merge", "-q", "--no-edit", "-s", "ours", chance.choice(names))
        elif move < 0.9:
            run_git(repo, "commit", "-q", "--amend", "--allow-empty", "-m", f"amended {number}")
        else:
            run_git(repo, "reset", "-q", "--hard", "HEAD^", check=False)
        expected = plain(repo)
        limit = chance.choice([None, None, 1, 4])
        assert walked(repo, cache, limit=limit) == (expected if limit is None else expected[:limit]), number
    assert walked(repo, fresh(repo)) == plain(repo)


def test_a_folder_of_a_larger_repository(repo: Path, cache: Cache, asked: Asked) -> None:
    for number in range(12):
        write(repo, f"src/{number}.py", "x\n")
        commit(repo, "code")
        if number % 3 == 0:
            write(repo, f"kb/memory/m{number}.md", "text\n")
            commit(repo, "knowledge")
    expected = plain(repo, prefix="kb/")
    assert len(expected) == 4
    assert walked(repo, cache, prefix="kb/") == expected
    write(repo, "src/new.py", "x\n")
    commit(repo, "code")
    asked.take()
    assert walked(repo, cache, prefix="kb/") == expected
    assert asked.take()[0] == 0
    write(repo, "kb/memory/new.md", "text\n")
    commit(repo, "knowledge")
    write(repo, "src/newer.py", "x\n")
    commit(repo, "code")
    assert walked(repo, cache, prefix="kb/") == plain(repo, prefix="kb/")
    assert walked(repo, cache) == plain(repo)


def test_ranges(repo: Path, cache: Cache) -> None:
    ids = [record(repo, f"m{number}") for number in range(6)]
    for _ in range(2):
        assert walked(repo, cache, ids[4], without=[ids[1]]) == plain(repo, ids[4], ids[1])
        assert walked(repo, cache, ids[1], without=[ids[4]]) == []
        assert walked(repo, cache, ids[3]) == plain(repo, ids[3])
        walked(repo, cache)


def test_linked_worktrees_do_not_disturb_each_other(
    repo: Path, cache: Cache, asked: Asked, tmp_path: Path
) -> None:
    records(repo, 8)
    run_git(repo, "worktree", "add", "-q", "-b", "side", str(tmp_path / "tree"), "HEAD~4")
    tree = tmp_path / "tree"
    record(tree, "there")
    for number in range(4):
        record(repo, f"n{number}")
        record(tree, f"n{number}")
        asked.take()
        assert walked(repo, cache) == plain(repo)
        assert walked(tree, fresh(tree)) == plain(tree)
    run_git(repo, "merge", "-q", "--no-edit", "-s", "ours", "side")
    walked(repo, cache)
    asked.take()
    assert walked(repo, cache)[0].op == "merge"
    assert len(walked(tree, cache)) == 9
    assert asked.take()[0] == 0


def test_another_layout_reads_anew(repo: Path, cache: Cache) -> None:
    record(repo, "a")
    write(repo, "notes/b.md", "# B\n")
    commit(repo)
    for _ in range(2):
        assert walked(repo, cache) == plain(repo)
        assert walked(repo, cache, layout=notes()) == plain(repo, layout=notes())
    for number in range(event_rows.VIEWS + 2):
        walked(repo, cache, layout=notes([f"notes/{number}/*.md"]))
    assert cache.connection.execute("select count(*) from event_view").fetchone()[0] <= event_rows.VIEWS + 1
    assert walked(repo, cache) == plain(repo)


def test_a_shallow_clone_that_grows(repo: Path, tmp_path: Path) -> None:
    records(repo, 6)
    run_git(tmp_path, "clone", "-q", "--depth", "2", f"file://{repo}", "clone")
    clone = tmp_path / "clone"
    cache = fresh(clone)
    for _ in range(2):
        assert [event.complete for event in walked(clone, cache)] == [True, False]
    run_git(clone, "fetch", "-q", "--deepen", "2")
    assert [event.complete for event in walked(clone, cache)] == [True, True, True, False]
    run_git(clone, "fetch", "-q", "--unshallow")
    assert walked(clone, cache) == plain(repo)


def test_replaced_commits(repo: Path, cache: Cache) -> None:
    ids = [record(repo, f"m{number}") for number in range(6)]
    walked(repo, cache)
    run_git(repo, "replace", "--graft", ids[5], ids[2])
    for _ in range(2):
        assert walked(repo, cache) == plain(repo)
    assert len(walked(repo, cache)) == 6, "replacements are not followed"
    record(repo, "more")
    assert walked(repo, cache) == plain(repo)
    assert len(walked(repo, cache)) == 7


def test_two_processes_at_once(repo: Path, cache: Cache) -> None:
    """Two readers of a cold cache, one commit of each in turn; then both see one state."""
    records(repo, 90, 5)
    expected = plain(repo)
    other = fresh(repo)
    head = opened(repo).resolve("HEAD")
    one, two = (
        Events(opened(repo), memgit(), cache).walk(head),
        Events(opened(repo), memgit(), other).walk(head),
    )
    found = [(left.event, right.event) for left, right in zip(one, two, strict=True)]
    assert found == [(event, event) for event in expected]
    assert cache.connection.execute("select count(*) from event").fetchone() == (90,)
    assert walked(repo, cache) == walked(repo, other) == expected


PROCESS = """
import sys
from memgit.cache.db import open_cache
from memgit.cache.events import Events
from memgit.git.repository import Repository
from memgit.model.layout import memgit
repo = Repository.open(sys.argv[1], dict(__import__("os").environ))
cache = open_cache(repo.common_dir, "test")
print(*[entry.event.commit for entry in Events(repo, memgit(), cache).walk(repo.head().commit)])
"""


def test_several_processes_on_a_cold_cache(repo: Path) -> None:
    records(repo, 60, 5)
    ids = run_git(repo, "log", "--format=%H").split()
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(repo)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for each in running:
        out, err = each.communicate(timeout=120)
        assert (out.split(), err) == (ids, "")
    cache = fresh(repo)
    assert cache.connection.execute("select count(*) from event").fetchone() == (60,)
    assert cache.connection.execute("select count(*) from event_line").fetchone() == (1,)
    assert walked(repo, cache) == plain(repo)
    cache.close()


def test_two_processes_that_end_together_write_one_line(
    repo: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    records(repo, 5)
    other = fresh(repo)
    events = Events(opened(repo), memgit(), cache)
    write_of = cache.write
    order: list[str] = []

    def waits() -> Any:
        """The write lock, which the other process had first once all events were stored."""
        if not order and cache.connection.execute("select count(*) from event").fetchone() == (5,):
            order.append("other")
            walked(repo, other)
        return write_of()

    monkeypatch.setattr(cache, "write", waits)
    assert [entry.event for entry in events.walk(opened(repo).resolve("HEAD"))] == plain(repo)
    assert order == ["other"]
    assert cache.connection.execute("select count(*) from event_line").fetchone() == (1,)


def test_a_reader_sees_one_state_while_the_branch_moves(repo: Path, cache: Cache) -> None:
    records(repo, 50)
    expected = plain(repo)
    walked(repo, cache)
    slow = Events(opened(repo), memgit(), cache).walk(opened(repo).resolve("HEAD"))
    found = [next(slow).event]
    record(repo, "meanwhile")
    run_git(repo, "commit", "-q", "--amend", "-m", "and again")
    assert len(walked(repo, fresh(repo))) == 51
    assert found + [entry.event for entry in slow] == expected


def test_a_reader_who_stops_early_leaves_what_was_read(repo: Path, cache: Cache, asked: Asked) -> None:
    records(repo, 40)
    stream = Events(opened(repo), memgit(), cache).walk(opened(repo).resolve("HEAD"))
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert not cache.connection.in_transaction
    assert cache.connection.execute("select count(*) from event").fetchone()[0] >= module.FIRST
    assert cache.connection.execute("select count(*) from event_line").fetchone() == (0,)
    assert walked(repo, cache) == plain(repo)


@pytest.mark.parametrize("when", ["before", "between", "amid"])
def test_a_cache_that_breaks_is_done_without(repo: Path, cache: Cache, when: str) -> None:
    records(repo, 45)
    expected = plain(repo)
    if when != "before":
        walked(repo, cache)
    events = Events(opened(repo), memgit(), cache)
    stream = events.walk(opened(repo).resolve("HEAD"))
    found = [next(stream).event] if when == "amid" else []
    cache.connection.execute("drop table event")
    if when == "amid":
        found += [next(stream).event for _ in range(3)]
    assert found + [entry.event for entry in stream] == expected
    assert walked(repo, fresh(repo)) == expected


def test_a_closed_connection(repo: Path, cache: Cache) -> None:
    record(repo, "a")
    events = Events(opened(repo), memgit(), cache)
    cache.connection.close()
    assert [entry.event for entry in events.walk(opened(repo).resolve("HEAD"))] == plain(repo)


def test_a_file_of_garbage(repo: Path) -> None:
    record(repo, "a")
    cache = fresh(repo)
    walked(repo, cache)
    cache.close()
    path = repo / ".git" / "memgit" / "cache.db"
    path.write_bytes(path.read_bytes()[:4096] + b"garbage" * 4000)
    assert walked(repo, fresh(repo)) == plain(repo)


def test_a_cache_that_only_reads(repo: Path, cache: Cache, asked: Asked) -> None:
    records(repo, 5)
    walked(repo, cache)
    cache.connection.execute("pragma query_only = on")
    cache.readonly = True
    asked.take()
    assert walked(repo, cache) == plain(repo)[:]
    record(repo, "new")
    head = opened(repo).resolve("HEAD")
    for _ in range(2):
        assert walked(repo, cache) == plain(repo)
        assert walked(repo, cache, layout=notes()) == plain(repo, layout=notes())
        assert [
            event.commit for _, event in Events(opened(repo), memgit(), cache).touching(head, ["memory/new"])
        ] == [head]


def test_a_log_that_breaks_off_says_so(repo: Path, cache: Cache) -> None:
    record(repo, "a")
    record(repo, "b")
    tree = run_git(repo, "rev-parse", "HEAD~1^{tree}")
    target = repo / ".git" / "objects" / tree[:2] / tree[2:]
    target.chmod(0o644)
    target.unlink()
    for _ in range(2):
        with pytest.raises(Refused):
            walked(repo, cache)


def test_an_absent_file_is_not_remembered(repo: Path, cache: Cache) -> None:
    record(repo, "a")
    oid = run_git(repo, "rev-parse", "HEAD:memory/a.md")
    target = repo / ".git" / "objects" / oid[:2] / oid[2:]
    data = target.read_bytes()
    target.chmod(0o644)
    target.unlink()
    for _ in range(2):
        assert [event.complete for event in walked(repo, cache)] == [False]
    assert [
        event.complete
        for _, event in Events(opened(repo), memgit(), cache).touching(
            opened(repo).resolve("HEAD"), ["memory/a"]
        )
    ] == [False]
    target.write_bytes(data)
    assert [event.complete for event in walked(repo, cache)] == [True]


def test_events_that_touch_a_name(repo: Path, cache: Cache) -> None:
    ids = [record(repo, f"m{number % 3}", f"text {number}") for number in range(9)]
    for found in (cache, None, closed_later(memory_cache())):
        events = Events(opened(repo), memgit(), found)
        touching = events.touching(ids[-1], ["memory/m1"])
        assert [(place, event.commit) for place, event in touching] == [(8, ids[7]), (5, ids[4]), (2, ids[1])]
        assert [event.commit for _, event in events.touching(ids[4], ["memory/m1"])] == [ids[4], ids[1]]
        assert events.touching(ids[-1], ["memory/nothing"]) == []
        assert len(events.touching(ids[-1], ["memory/m1", "memory/m2"])) == 6


@pytest.mark.parametrize("broken", ["", "{", "[]", "{}", '{"commit": 1}', "null"])
def test_an_event_that_cannot_be_read_back(repo: Path, cache: Cache, broken: str) -> None:
    ids = [record(repo, f"m{number}") for number in range(3)]
    want = walked(repo, cache)
    cache.connection.execute("update event set text = ? where id = ?", (broken, ids[1]))
    with pytest.raises(Refused, match="cache is broken"):
        walked(repo, cache)
    found = Events(opened(repo), memgit(), cache).touching(ids[-1], ["memory/m1"])
    assert [event for _, event in found] == [want[1]]
    assert walked(repo, cache) == want


names = st.text(max_size=12) | st.sampled_from(
    ["", "\x9b1m", "\u202e", "a\nb", "\ud800", "\x7f", "中文", '"\\']
)
some_changes = st.builds(
    RecordChange,
    st.sampled_from(ACTIONS),
    st.none() | st.just(ID),
    names.map("memory/{}".format),
    st.none() | names,
)
dates = st.sampled_from(
    [
        "2026-01-02T03:04:05+00:00",
        "2026-01-02T23:30:00-05:00",
        "2025-12-31T23:59:59+14:00",
        "",
        "1970-01-01T00:00:00+00:00",
    ]
)
some_events = st.builds(
    Event,
    st.integers(0, 2**160 - 1).map("{:040x}".format),
    dates,
    st.sampled_from(OPS),
    names,
    names,
    st.lists(some_changes, max_size=3).map(tuple),
    st.none() | names,
    st.none() | names,
    st.none() | names,
    st.none() | names,
    st.lists(names, max_size=2).map(tuple),
    st.booleans(),
    st.just(()),
)


@settings(max_examples=examples(50))
@given(some_events)
def test_an_event_and_its_text(event: Event) -> None:
    text = to_text(event)
    assert from_text(text) == event
    assert len(text.splitlines()) == 1 and text.encode()
    assert not any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 or char in "\u202e\u2066" for char in text)
    known = json.loads(text)
    assert list(known)[:5] == ["commit", "date", "op", "subject", "author"]
    assert [tuple(change) for change in known["records"]] == [("action", "id", "address", "was")] * len(
        event.records
    )


some_operations = st.builds(
    Operation,
    st.sampled_from(OPS),
    st.lists(some_changes, max_size=2).map(tuple),
    st.none() | names,
    st.none() | names,
    st.none() | names,
    st.lists(names, max_size=2).map(tuple),
    names,
    st.none() | names,
    st.none() | names,
)


@settings(max_examples=examples(50))
@given(some_events, st.lists(some_operations, max_size=2).map(tuple))
def test_the_text_of_an_event_is_that_of_its_json(event: Event, told: tuple[Operation, ...]) -> None:
    event = event._replace(operations=told)
    text = json.dumps(event.as_json(), ensure_ascii=False)
    assert to_text(event) == event_text._UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    assert from_text(to_text(event)) == event


@given(
    st.datetimes(timezones=st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes))))
)
def test_the_moment_of_a_date(when: datetime) -> None:
    try:
        expected = int(when.replace(microsecond=0).timestamp())
    except (ValueError, OverflowError):
        expected = 0
    assert moment(when.replace(microsecond=0).isoformat()) == expected


@pytest.mark.parametrize(
    "date",
    [
        "",
        "2026-02-30T00:00:00+00:00",
        "2026-01-01T00:60:00+00:00",
        "2026-01-01T00:00:00+24:00",
        "0000-01-01T00:00:00+00:00",
        "\uff12026-01-01T00:00:00+00:00",
        "long ago",
    ],
)
def test_no_date_has_no_moment(date: str) -> None:
    assert moment(date) == 0


words = st.lists(st.sampled_from(["a", "b", "a, b", "", "\ud800", "%", "_"]), max_size=2).map(tuple)
bounds = st.none() | st.sampled_from(["2026-01-02", "2026-01-01", "2025-12-31", 0, 1767323045, 1767400000])
some_filters = st.builds(
    Filter,
    bounds,
    bounds,
    st.lists(st.sampled_from(OPS), max_size=3).map(tuple),
    st.lists(st.sampled_from(["memory", "note", "mem"]), max_size=2).map(tuple),
    words,
    words,
    st.booleans(),
)
who = st.none() | st.sampled_from(["a", "b", "a, b", "c", "", "\ud800", "%"])


@settings(max_examples=examples(30))
@given(st.lists(st.tuples(some_events, who, who), max_size=5), some_filters)
def test_a_filter_means_the_same_in_sql(
    told: list[tuple[Event, str | None, str | None]], wanted: Filter
) -> None:
    db = sqlite3.connect(":memory:")
    for statement in event_rows.SCHEMA.split(";"):
        db.execute(statement)
    expected = []
    for number, (event, actor, run) in enumerate(told):
        known = event._replace(actor=actor, run=run)
        row = [number, number, *to_row(Entry(known, None))]
        db.execute(
            (
                "insert into event (n, view, id, op, actor, run, day, moment, kinds, text) values "
                f"({','.join('?' * 10)})"
            ),
            row,
        )
        if wanted.takes(known):
            expected.append(number)
    condition, values = wanted.where()
    assert [n for (n,) in db.execute(f"select n from event where {condition} order by n", values)] == expected
    assert EVERYTHING.where() == ("1", [])
    assert not wanted.everything or expected == list(range(len(told)))
    db.close()


def test_the_filter_that_lets_all_pass_however_it_was_made() -> None:
    assert Filter().everything and Filter(None, ops=()).everything and EVERYTHING.everything
    assert not any(
        one.everything
        for one in (Filter(since=0), Filter(until=""), Filter(ops=("create",)), Filter(records_only=True))
    )


def test_filters_cold_and_warm(repo: Path, cache: Cache) -> None:
    record(repo, "a", message=messages.build("record(memory): a", "record", [], actor="one", run="1"))
    record(repo, "b", message=messages.build("record(memory): b", "record", [], actor="two", run="1"))
    commit(repo, "nothing")
    write(repo, "notes/c.md", "# C\n")
    commit(repo, "a note")
    for wanted, subjects in (
        (Filter(actors=("one",)), ["record(memory): a"]),
        (Filter(runs=("1",)), ["record(memory): b", "record(memory): a"]),
        (Filter(kinds=("note",)), ["a note"]),
        (Filter(ops=("edit",)), ["nothing"]),
        (Filter(records_only=True), ["a note", "record(memory): b", "record(memory): a"]),
        (Filter(since="2999-01-01"), []),
    ):
        expected = [event for event in plain(repo) if wanted.takes(event)]
        assert [event.subject for event in expected] == subjects
        for memory in (None, closed_later(memory_cache()), cache, cache):
            assert walked(repo, memory, wanted=wanted) == expected
            assert walked(repo, memory, wanted=wanted, limit=1) == expected[:1]


@pytest.mark.parametrize(
    ("date", "seconds"),
    [
        ("2026-01-02T03:04:05+00:00", 1767323045),
        ("", 0),
        ("nonsense", 0),
        ("2026-01-02T03:04:05+01:00", 1767319445),
    ],
)
def test_moments(date: str, seconds: int) -> None:
    assert moment(date) == seconds

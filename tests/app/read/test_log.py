"""The log and the history of one record, as values, text, Mem Skill lines and JSON."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path

import pytest

from memgit.app.config import Config
from memgit.app.read.log import as_json, as_markdown, as_text, entries, filters, history, incomplete, log
from memgit.app.workspace import Workspace
from memgit.cache.db import memory_cache
from memgit.cache.event_text import Entry, Filter
from memgit.errors import BadInput, NotFound, Refused
from memgit.formats.messages import message as messages
from memgit.git.repository import Repository
from memgit.model.layout import Layout, mem_skill, memgit, mnema, notes, vault
from memgit.model.operation import Event, RecordChange
from memgit.model.record import Record
from tests.support import closed_later, commit, run_git, write

ID = ["kb7m2q9x4d", "hm3zt60rv8", "w4c9n1pe5x"]
PROSE = (
    "The grid keeps its gaps when a column folds, and the last row never stretches past the others in "
    "any browser we tried."
)
OTHER = (
    "Retries wait twice as long each time and stop after five, because the gateway forgets a caller "
    "within two minutes."
)
THIRD = (
    "A pinned action is a commit hash; a tag can be moved by whoever owns the repository, and once it "
    "was, nobody noticed."
)


def opened(folder: Path, layout: Layout | None = None) -> Workspace:
    repo = Repository.open(str(folder), dict(os.environ))
    return closed_later(Workspace(str(folder), repo, Config(layout or memgit())))


def memory(title: str, body: str = PROSE, **fields: str) -> str:
    lines = [f"title: {title}", *(f"{name}: {value}" for name, value in fields.items())]
    return "---\n" + "\n".join(lines) + f"\n---\n\n# {title}\n\n{body}\n"


def section(title: str, text: str = PROSE, id_: str | None = None) -> str:
    return (
        f"## {title}\n**Date:** 2026-01-02\n**Context:** When it matters.\n**Best Practice:**\n- {text}\n"
        + (f"**Id:** {id_}\n" if id_ else "")
        + "\n"
    )


def step(folder: Path, message: str, **files: str | None) -> str:
    """One commit that writes or removes memories by key."""
    for key, text in files.items():
        if text is None:
            (folder / f"memory/{key}.md").unlink()
        else:
            write(folder, f"memory/{key}.md", text)
    return commit(folder, message)


def subjects(events: Iterable[Event]) -> list[str]:
    return [event.subject for event in events]


def traced(folder: Path, record: Record | str, at: str | None = None) -> list[str]:
    """Subjects of a record's history; the same with a cold cache, a warm one and none."""
    workspace = opened(folder)
    cache = closed_later(memory_cache())
    found = [list(history(workspace, record, at=at, cache=each)) for each in (None, cache, cache)]
    assert found[0] == found[1] == found[2]
    assert all(event.records for event in found[0])
    return subjects(found[0])


# The log


def test_the_newest_first(repo: Path) -> None:
    assert list(log(opened(repo))) == []
    step(repo, "one", a=memory("A"))
    step(repo, "two", b=memory("B", OTHER))
    found = list(log(opened(repo)))
    assert subjects(found) == ["two", "one"]
    assert subjects(log(opened(repo), limit=1)) == ["two"]
    assert subjects(log(opened(repo), "HEAD~1")) == ["one"]
    assert subjects(log(opened(repo), "HEAD~1..HEAD")) == subjects(log(opened(repo), "HEAD~1..")) == ["two"]
    assert subjects(log(opened(repo), "HEAD..HEAD~1")) == []
    with pytest.raises(NotFound):
        log(opened(repo), "nowhere")
    with pytest.raises(BadInput):
        log(opened(repo), "HEAD~1...HEAD")


def test_no_repository(tmp_path: Path) -> None:
    with pytest.raises(Refused):
        log(Workspace(str(tmp_path), None, Config(memgit())))


def test_filters_from_what_was_typed(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = int(datetime(2026, 3, 1, 12).timestamp())  # here: today and yesterday are days of this zone
    for day, text in (
        ("2026-01-31T23:30:00-05:00", "last"),
        ("2026-02-01T00:30:00+00:00", "first"),
        ("2026-02-28T12:00:00+00:00", "late"),
    ):
        monkeypatch.setenv("GIT_AUTHOR_DATE", day)
        step(repo, text, **{text: memory(text, f"{text} {PROSE}")})

    def found(**more: str) -> list[str]:
        return subjects(log(opened(repo), wanted=filters(now=now, **more)))

    assert found(since="2026-02-01") == ["late", "first"]
    assert found(until="2026-01-31") == ["last"]
    assert found(since="2026-02", until="2026-02") == ["late", "first"]
    assert found(since="2026", until="2026") == ["late", "first", "last"]
    assert found(until="2025") == []
    assert found(since="2026-02-01T02:00:00+00:00") == ["late", "last"]
    assert found(since="2026-02-01 04:30") == ["late", "last"]
    assert found(since="2 days ago") == ["late"]
    assert found(since="5 weeks", until="now") == ["late", "first", "last"]
    assert found(since="today") == []
    assert found(since="yesterday") == ["late"]


@pytest.mark.parametrize(
    "text", ["", "soon", "2026-13-01", "2026-02-30", "-1 days", "999999 years ago", "20260101x"]
)
def test_what_is_no_date(text: str) -> None:
    with pytest.raises(BadInput):
        filters(since=text, now=0)


def test_what_is_no_operation_or_kind() -> None:
    with pytest.raises(BadInput):
        filters(ops=["explode"])
    with pytest.raises(BadInput):
        filters(kinds=["thing"])
    assert filters(ops=["record"], kinds=["note"], actors=["x"], runs=["1"]) == Filter(
        None, None, ("record",), ("note",), ("x",), ("1",)
    )


def test_records_only(repo: Path) -> None:
    step(repo, "one", a=memory("A"))
    commit(repo, "nothing")
    assert subjects(log(opened(repo), records_only=True, limit=1)) == ["one"]


def test_the_log_of_one_record(repo: Path) -> None:
    ids = []
    for number in range(4):
        other = memory(f"B{number}", f"{OTHER} {number}")
        ids.append(step(repo, f"{number}", a=memory("A", f"{PROSE} {number}"), **{f"b{number}": other}))
    found = list(log(opened(repo), record="memory/a", limit=2))
    assert subjects(found) == ["3", "2"]
    assert found[0].records == (RecordChange("update", None, "memory/a"),)
    assert subjects(log(opened(repo), f"{ids[0]}..{ids[2]}", record="memory/a")) == ["2", "1"]
    assert subjects(log(opened(repo), record="memory/b2")) == ["2"]
    assert subjects(log(opened(repo), record="memory/a", wanted=Filter(ops=("record",)))) == ["0"]


def test_a_hundred_thousand_need_no_more_memory_than_a_few() -> None:
    """The renderers take one event at a time, or a few."""
    taken = 0
    change = RecordChange("create", None, "memory/a")

    def endless() -> Iterator[Event]:
        nonlocal taken
        while True:
            taken += 1
            yield Event("a" * 40, "2026-01-02T00:00:00+00:00", "record", "s", "A <a@b>", (change,))

    for render in (
        as_json(Entry(each, None) for each in endless()),
        as_text(endless()),
        as_markdown(endless(), memgit()),
    ):
        taken = 0
        assert len(list(islice(render, 3))) == 3
        assert taken <= 1000


# One record


def test_history_by_name(repo: Path) -> None:
    step(repo, "made", a=memory("A"), b=memory("B", OTHER))
    step(repo, "edited", a=memory("A", PROSE + " Again."))
    run_git(repo, "mv", "memory/a.md", "memory/c.md")
    commit(repo, "renamed")
    step(repo, "other", b=memory("B", OTHER + " Again."))
    step(repo, "edited again", c=memory("A", PROSE + " Once more."))
    assert traced(repo, "memory/c") == ["edited again", "renamed", "edited", "made"]
    assert traced(repo, "memory/b") == ["other", "made"]
    assert traced(repo, "memory/c", at="HEAD~1") == ["renamed", "edited", "made"]
    assert traced(repo, "memory/a") == ["renamed", "edited", "made"]
    assert traced(repo, "memory/nothing") == []
    found = list(history(opened(repo), "memory/c"))
    assert found[1].records == (RecordChange("rename", None, "memory/c", "memory/a"),)
    assert found[-1].records == (RecordChange("create", None, "memory/a"),)


def test_history_of_a_removed_record(repo: Path) -> None:
    step(repo, "made", a=memory("A"))
    step(repo, "gone", a=None)
    assert traced(repo, "memory/a") == ["gone", "made"]
    step(repo, "back", a=memory("A"))
    assert traced(repo, "memory/a") == ["back", "gone", "made"]


def test_an_address_that_was_used_twice(repo: Path) -> None:
    """A record moves away, another takes its address: each has its own history."""
    step(repo, "first made", a=memory("A"))
    run_git(repo, "mv", "memory/a.md", "memory/b.md")
    commit(repo, "first moved")
    step(repo, "second made", a=memory("A", OTHER))
    step(repo, "both edited", a=memory("A", OTHER + " Two."), b=memory("A", PROSE + " One."))
    assert traced(repo, "memory/a") == ["both edited", "second made"]
    assert traced(repo, "memory/b") == ["both edited", "first moved", "first made"]


def test_an_id_that_was_not_the_same(repo: Path) -> None:
    step(repo, "first made", a=memory("A", id=ID[0]))
    step(repo, "first gone", a=None)
    step(repo, "second made", a=memory("A", OTHER, id=ID[1]))
    assert traced(repo, ID[1]) == ["second made"]
    assert traced(repo, ID[0]) == ["first gone", "first made"]
    assert traced(repo, "memory/a") == ["second made"]


def test_there_and_back_again(repo: Path) -> None:
    step(repo, "made", a=memory("A"))
    run_git(repo, "mv", "memory/a.md", "memory/b.md")
    commit(repo, "there")
    step(repo, "edited", b=memory("A", PROSE + " Again."))
    run_git(repo, "mv", "memory/b.md", "memory/a.md")
    commit(repo, "back")
    assert traced(repo, "memory/a") == ["back", "edited", "there", "made"]


def test_an_id_links_what_no_likeness_could(repo: Path) -> None:
    step(repo, "made by hand", a=memory("A"))
    step(repo, "got an id", a=memory("A", id=ID[0]))
    step(repo, "moved and rewritten", a=None, b=memory("B", OTHER, id=ID[0]))
    step(repo, "again", b=None, c=memory("C", THIRD, id=ID[0]))
    assert (
        traced(repo, ID[0])
        == traced(repo, "memory/c")
        == ["again", "moved and rewritten", "got an id", "made by hand"]
    )


def test_history_of_entries(repo: Path) -> None:
    write(repo, "knowledge-base/web.md", section("Grid") + section("Retries", OTHER))
    commit(repo, "made")
    write(repo, "knowledge-base/web.md", section("Grid with gaps") + section("Retries", OTHER))
    commit(repo, "retitled")
    write(repo, "knowledge-base/web.md", section("Retries", OTHER + " Twice."))
    write(repo, "knowledge-base/css.md", section("Grid with gaps"))
    commit(repo, "moved")
    run_git(repo, "mv", "knowledge-base/css.md", "knowledge-base/layout.md")
    commit(repo, "category renamed")
    assert traced(repo, "knowledge/layout#Grid with gaps") == [
        "category renamed",
        "moved",
        "retitled",
        "made",
    ]
    assert traced(repo, "knowledge/web#Retries") == ["moved", "made"]


def test_history_takes_a_record_as_read(repo: Path) -> None:
    step(repo, "made", a=memory("A", id=ID[0]))
    record = Record("memory", "memory/a", "memory/a.md", "A", 1, 1, 0, {"id": ID[0]}, PROSE)
    assert traced(repo, record) == ["made"]
    assert traced(repo, record._replace(fields={"id": "TASK-1"})) == ["made"]


def dated(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Each call moves the clock on by a minute, so that the order of commits is that of the test."""
    seconds = 1_700_000_000

    def tick() -> None:
        nonlocal seconds
        seconds += 60
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"{seconds} +0000")
        monkeypatch.setenv("GIT_AUTHOR_DATE", f"{seconds} +0000")

    tick()
    return tick


def test_history_through_a_squash_and_a_merge(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tick = dated(monkeypatch)
    step(repo, "made", a=memory("A", id=ID[0]))
    run_git(repo, "checkout", "-q", "-b", "side")
    tick()
    step(repo, "side one", a=memory("A", PROSE + " One.", id=ID[0]))
    tick()
    step(repo, "side two", a=None, b=memory("A", PROSE + " One. Two.", id=ID[0]))
    run_git(repo, "checkout", "-q", "main")
    run_git(repo, "merge", "-q", "--squash", "side")
    commit(repo, "squashed")
    assert traced(repo, ID[0]) == ["squashed", "made"]
    run_git(repo, "reset", "-q", "--hard", "HEAD~1")
    tick()
    step(repo, "main", c=memory("C", OTHER))
    tick()
    run_git(repo, "merge", "-q", "--no-edit", "side")
    assert traced(repo, "memory/b") == ["side two", "side one", "made"]


def test_a_rename_beside_an_edit_under_the_old_name(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No id, and the edit on the other branch is younger than the rename: still one record."""
    tick = dated(monkeypatch)
    step(repo, "made", a=memory("A", "\n\n".join([PROSE, OTHER, THIRD])))
    run_git(repo, "branch", "side")
    tick()
    run_git(repo, "mv", "memory/a.md", "memory/b.md")
    commit(repo, "renamed")
    run_git(repo, "checkout", "-q", "side")
    tick()
    step(repo, "edited beside", a=memory("A", "\n\n".join([PROSE, OTHER, THIRD, "End."])))
    run_git(repo, "checkout", "-q", "main")
    tick()
    run_git(repo, "merge", "-q", "--no-edit", "side")
    tick()
    step(repo, "another of the old name", a=memory("New", "Something else under the old name."))
    assert traced(repo, "memory/b") == ["edited beside", "renamed", "made"]
    assert traced(repo, "memory/a")[0] == "another of the old name"


def test_histories_of_a_random_walk(repo: Path) -> None:
    """Records are made, edited, renamed and removed at random, with and without ids; each one's history is
    what was done to it.
    """
    chance = random.Random(23)
    words = (PROSE + OTHER + THIRD).split()
    live: dict[str, tuple[str, str | None, str]] = {}
    past: dict[str, list[str]] = {}
    for number in range(60):
        key = chance.choice(sorted(live)) if live and chance.random() < 0.75 else None
        if key is None:
            key, id_, body = (
                f"r{number}",
                chance.choice([None, f"kb{number:08d}"]),
                " ".join(chance.choices(words, k=60)),
            )
            live[key] = (f"k{number}", id_, body)
            past[key] = []
        name, id_, body = live[key]
        if past[key]:
            move = chance.choice(["edit", "edit", "rename", "remove"])
            (repo / f"memory/{name}.md").unlink()
            if move == "remove":
                del live[key]
                commit(repo, f"{number}")
                past[key].append(f"{number}")
                continue
            name = name if move == "edit" else f"k{number}"
            body = f"{body}\n\n{number} more words" if move == "edit" else body
            live[key] = (name, id_, body)
        step(repo, f"{number}", **{name: memory(key, body, **({"id": id_} if id_ else {}))})
        past[key].append(f"{number}")
    workspace, cache = opened(repo), closed_later(memory_cache())
    for key, (name, id_, _) in live.items():
        expected = list(reversed(past[key]))
        assert subjects(history(workspace, f"memory/{name}", cache=cache)) == expected
        if id_ is not None:
            assert subjects(history(workspace, id_, cache=cache)) == expected


# Incomplete clones


def test_an_incomplete_clone_says_so(repo: Path, tmp_path: Path) -> None:
    for number in range(3):
        step(repo, f"{number}", a=memory("A", f"{PROSE} {number}"))
    run_git(repo, "config", "uploadpack.allowFilter", "true")
    run_git(tmp_path, "clone", "-q", "--depth", "2", f"file://{repo}", "shallow")
    run_git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{repo}", "partial")
    run_git(tmp_path, "clone", "-q", f"file://{repo}", "whole")

    def words(name: str) -> str | None:
        return incomplete(Repository.open(str(tmp_path / name), dict(os.environ)))

    assert "complete: false" in (words("shallow") or "") and "shallow" in (words("shallow") or "")
    assert "complete: false" in (words("partial") or "") and "filter" in (words("partial") or "")
    assert words("whole") is None
    found = [json.loads(entry.text)["complete"] for entry in entries(opened(tmp_path / "shallow"))]
    assert found == [True, False]
    assert traced(tmp_path / "shallow", "memory/a") == ["2"]


# Renderings

EVENTS = [
    Event(
        "c" * 40,
        "2026-03-04T05:06:07+00:00",
        "rename",
        "rename(knowledge): Grid",
        "Ada Moss <ada@example.org>",
        (RecordChange("rename", ID[0], "knowledge/web#Grid", "knowledge/web#Old"),),
        "claude-code",
        "5f2c",
        "Clearer.",
    ),
    Event(
        "b" * 40,
        "2026-03-03T05:06:07+00:00",
        "edit",
        "two\x1b[2J",
        "<nobody@example.org>",
        (RecordChange("create", None, "memory/api/retries"), RecordChange("remove", None, "note/notes/a")),
    ),
    Event(
        "a" * 40, "2026-03-02T05:06:07+00:00", "merge", "Merge branch 'x'", "Ada <a@b>", (), complete=False
    ),
]


def test_text() -> None:
    assert list(as_text(EVENTS)) == [
        "cccccccccc 2026-03-04 rename(knowledge): Grid (Ada Moss with claude-code)",
        f"    rename knowledge/web#Grid <- knowledge/web#Old {ID[0]}",
        "bbbbbbbbbb 2026-03-03 two [2J (<nobody@example.org>)",
        "    create memory/api/retries",
        "    remove note/notes/a",
        "aaaaaaaaaa 2026-03-02 Merge branch 'x' (Ada) [not all of it is known in this clone]",
    ]
    many = EVENTS[0]._replace(
        records=tuple(RecordChange("create", None, f"memory/{number}") for number in range(25))
    )
    assert list(as_text([many]))[-1] == "    and 15 more"


def test_json() -> None:
    text = "".join(as_json(Entry(event, None) for event in EVENTS))
    assert json.loads(text) == [event.as_json() for event in EVENTS]
    assert text.count("\n") == 5 and "\x1b" not in text
    assert "".join(as_json([])) == "[]\n"
    known = json.loads(text)[0]
    assert set(known) == {
        "commit",
        "date",
        "op",
        "subject",
        "author",
        "actor",
        "run",
        "reason",
        "operations",
        "source",
        "records",
        "derived_from",
        "complete",
    }
    assert known["records"] == [
        {"action": "rename", "id": ID[0], "address": "knowledge/web#Grid", "was": "knowledge/web#Old"}
    ]


LINE = re.compile(r"## \[\d{4}-\d\d-\d\d\] (init|read|write|update|lint|ingest|recordnow|upgrade) \| \S.*")


def marked(event: Event, layout: Layout | None = None) -> list[str]:
    found = list(as_markdown([event], layout or memgit()))
    assert all(LINE.fullmatch(line) for line in found), found
    return [line.removeprefix("## [2026-03-04] ") for line in found]


def event_of(op: str, *records: RecordChange, subject: str = "x", source: str | None = None) -> Event:
    return EVENTS[0]._replace(op=op, records=records, subject=subject, source=source)


@pytest.mark.parametrize(
    ("action", "was", "line"),
    [
        ("create", None, 'write | Recorded to knowledge-base/web.md: "Grid"'),
        ("update", None, 'update | Updated knowledge-base/web.md: "Grid"'),
        ("extend", None, 'update | Updated knowledge-base/web.md: "Grid" (merged new info)'),
        ("archive", None, 'update | Archived in knowledge-base/web.md: "Grid"'),
        ("restore", None, 'update | Restored in knowledge-base/web.md: "Grid"'),
        ("rename", "knowledge/web#Old", 'update | Renamed in knowledge-base/web.md: "Old" is now "Grid"'),
        ("promote", None, 'write | Promoted to knowledge-base/web.md: "Grid"'),
        ("link", None, 'update | Linked in knowledge-base/web.md: "Grid"'),
        ("remove", None, 'update | Removed from knowledge-base/web.md: "Grid"'),
    ],
)
def test_one_mem_skill_line_a_record(action: str, was: str | None, line: str) -> None:
    assert marked(event_of("edit", RecordChange(action, None, "knowledge/web#Grid", was))) == [line]


def test_mem_skill_lines_of_whole_operations() -> None:
    made = RecordChange("create", None, "memory/a")
    assert marked(event_of("ingest", made, made, source="file:notes.md")) == [
        "ingest | Processed file:notes.md → 2 entries created/updated"
    ]
    assert marked(event_of("ingest", made, subject="ingest: notes (1 created)")) == [
        "ingest | Processed notes (1 created) → 1 entries created/updated"
    ]
    assert marked(event_of("init", subject="init: memgit")) == ["init | memgit"]
    assert marked(event_of("fix", made, subject="fix: indexes")) == ["lint | indexes (1 records)"]
    assert marked(event_of("adopt", made, subject="adopt: vault")) == ["upgrade | vault (1 records)"]
    assert marked(event_of("upgrade", made, subject="upgrade: 1.2")) == ["upgrade | 1.2 (1 records)"]
    assert marked(event_of("merge")) == marked(event_of("edit")) == []


@pytest.mark.parametrize(
    ("address", "layout", "path", "title"),
    [
        ("experience/mem-skill#A", memgit(), "experience/skill-mem-skill.md", "A"),
        ("skill/deploy", memgit(), "skills/deploy.md", "deploy"),
        ("memory/api/retries", memgit(), "memory/api/retries.md", "retries"),
        ("observation/20260101-x", memgit(), "observation/20260101-x", "20260101-x"),
        ("decision/20260101-x", memgit(), "decisions/20260101-x.md", "20260101-x"),
        ("note/notes/a {b}", memgit(), "notes/a {b}.md", "a {b}"),
        ("note/a/b", notes(), "a/b.md", "b"),
        ("memory/booking", vault(), ".memory/10-Memories/MEM-booking.md", "booking"),
        ("knowledge/web#A", mem_skill("data/"), "data/knowledge-base/web.md", "A"),
        ("memory/x", mnema(), ".mnema/memory/x.md", "x"),
        ("knowledge/no-hash", memgit(), "knowledge-base/no-hash.md", ""),
    ],
)
def test_files_and_titles_from_addresses(address: str, layout: Layout, path: str, title: str) -> None:
    assert marked(event_of("record", RecordChange("create", None, address)), layout) == [
        f'write | Recorded to {path}: "{title}"'
    ]


@pytest.mark.parametrize(
    "title",
    ['x"\n## [2026-01-01] write | y', "a\r\nb", "{title} {0} %s", "\x1b[31m", "a\u2028b", "\u202e", "## x"],
)
def test_a_hostile_title_stays_on_its_line(title: str) -> None:
    for action in ("create", "rename"):
        change = RecordChange(
            action, None, f"knowledge/web#{title}", f"knowledge/web#{title}" if action == "rename" else None
        )
        for event in (
            event_of("edit", change),
            event_of("ingest", change, source=title),
            event_of("fix", change, subject=f"fix: {title}"),
        ):
            found = list(as_markdown([event], memgit()))
            assert len(found) == 1 and len(found[0].splitlines()) == 1 and found[0].isprintable()
            assert LINE.fullmatch(found[0])
            assert all(line.isprintable() for line in as_text([event]))


def test_a_message_to_lines_and_back(repo: Path) -> None:
    write(repo, "knowledge-base/web.md", section("Grid", id_=ID[0]))
    change = RecordChange("create", ID[0], "knowledge/web#Grid")
    commit(
        repo,
        messages.build(
            "record(knowledge): Grid",
            "record",
            [change],
            reason="It came up.",
            source="conversation",
            actor="agent",
        ),
    )
    found = list(log(opened(repo)))
    assert json.loads("".join(as_json(entries(opened(repo)))))[0]["records"] == [change.as_json()]
    assert next(iter(as_markdown(found, memgit()))).endswith(
        'write | Recorded to knowledge-base/web.md: "Grid"'
    )


@pytest.mark.parametrize("cached", [False, True])
def test_a_stream_of_entries_is_the_log(repo: Path, cached: bool) -> None:
    memory = closed_later(memory_cache()) if cached else None
    for number in range(5):
        step(repo, f"{number}", a=memory_text(number))
    for _ in range(2):
        assert [json.loads(entry.text) for entry in entries(opened(repo), cache=memory)] == [
            event.as_json() for event in log(opened(repo))
        ]


def memory_text(number: int) -> str:
    return memory("A", f"{PROSE} {number}")

"""The rows say what the files say: whatever happened to the commit, the working tree, the cache or another
process meanwhile.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.cache import db, refresh, rows, writer
from memgit.cache.db import Cache, memory_cache, open_cache
from memgit.cache.events import Events
from memgit.cache.overlay import OverlaySnapshot
from memgit.cache.records import Snapshot
from memgit.cache.records import refresh as bring_up_to_date
from memgit.cache.search import Query, search
from memgit.errors import NotFound
from memgit.formats.codecs import parse_file
from memgit.formats.tags import tags_of
from memgit.git.repository import Repository
from memgit.model.kinds import KINDS
from memgit.model.layout import Layout, memgit, notes
from memgit.model.record import ParsedFile, Problem, Record, Value
from tests.cache.trees import commit, document, entry, heads, opened, ordered, read
from tests.support import examples, run_git

ROOT = Path(__file__).resolve().parents[2]
LAYOUT = memgit()


def check(snapshot: Snapshot, files: dict[str, bytes]) -> None:
    """That a snapshot says what is in some files, in every way that it can be asked."""
    expected = read(files, snapshot.layout)
    assert list(snapshot.records()) == heads(expected)
    assert [snapshot.load(record) for record in snapshot.records()] == ordered(expected)
    tagged = [(record._replace(body=""), tags_of(record)) for record in ordered(expected)]
    assert list(snapshot.tags()) == [(head, tags) for head, tags in tagged if tags]
    for kind in {record.kind for record in expected}:
        assert list(snapshot.records(kind)) == heads([record for record in expected if record.kind == kind])
    for kind in KINDS:
        assert snapshot.in_use(kind) == sum(
            record.kind == kind and not record.archived for record in expected
        )
    assert snapshot.paths() == sorted(path for path in files if snapshot.layout.find(path) is not None)
    check_full_text(snapshot.cache)


def check_full_text(cache: Cache) -> None:
    """That the full-text index is sound and holds each record once, and that what could not be taken out of
    it is counted.
    """
    with cache.write() as connection:
        connection.execute("insert into words(words) values ('integrity-check')")
        connection.execute("create virtual table temp.occurrence using fts5vocab(main, words, instance)")
        indexed = {
            row[0] for row in connection.execute("select distinct doc from temp.occurrence where doc > 0")
        }
        connection.execute("drop table temp.occurrence")
        records = {row[0] for row in connection.execute("select n from record")}
        ghosts = connection.execute("select ghosts from counter").fetchone()[0]
        check_measures(connection)
        files = connection.execute("select files from counter").fetchone()[0]
        assert files == connection.execute("select count(*) from file").fetchone()[0]
    assert records <= indexed
    assert len(indexed) == len(records) + ghosts


def check_measures(connection: sqlite3.Connection) -> None:
    """That what a search counts is what the rows of files and records say."""
    source = "from record join file on file.f = record.f"
    wanted = connection.execute(
        f"select record.n, record.f, file.snapshots {source} order by record.n"
    ).fetchall()
    assert connection.execute("select n, f, snapshots from measure order by n").fetchall() == wanted
    for bit, records, length in connection.execute("select bit, records, length from snapshot").fetchall():
        sql = "select count(*), coalesce(sum(length), 0) from measure where snapshots >> ? & 1"
        assert connection.execute(sql, (bit,)).fetchone() == (records, length)


def keep_only(folder: Path, tip: str) -> None:
    """Rewrites history: everything but one commit is pruned."""
    run_git(folder, "update-ref", "refs/heads/main", tip)
    run_git(folder, "reflog", "expire", "--expire=now", "--all")
    run_git(folder, "prune", "--expire=now")


def titles(snapshot: Snapshot, text: str) -> list[str]:
    return sorted(hit.record.title for hit in search(snapshot, Query(text, archived=None, limit=100)))


FILES: dict[str, bytes] = {
    "knowledge-base/shell.md": (
        entry("Quote it", "Quote every expansion.", "bash, quoting", "a000000001")
        + entry("Trap on exit", keywords="bash")
    ).encode(),
    "knowledge-base/web/css.md": entry("Grid without queries", "Use minmax columns.", "css").encode(),
    "experience/skill-pdf.md": entry("Split pages", "Use qpdf.", "pdf", extra="**Skill:** pdf").encode(),
    "memory/team/api.md": document(
        "API limits", "Ten calls a minute.", id="b000000001", topics="[http, limits]", updated="2025-06-07"
    ),
    "memory/plain.md": document("Plain", "Nothing special.", archived="2025-05-05"),
    "decisions/20250102-use-git.md": document("Use git", "Because.", status="accepted"),
    "notes/deep/er/file.md": b"# A heading\n\nText of a note with [[plain]].\n",
    "README.md": b"# Not a record\n",
    "src/code.py": b"print('not a record')\n",
    "memory/.hidden/x.md": document("Hidden"),
}


def test_a_first_look_reads_every_record(git: Repository, cache: Cache) -> None:
    check(bring_up_to_date(cache, git, LAYOUT, commit(git, FILES)), FILES)


def test_no_commit_holds_no_record(git: Repository, cache: Cache) -> None:
    check(bring_up_to_date(cache, git, LAYOUT, None), {})


def test_a_commit_that_is_not_there(git: Repository, cache: Cache) -> None:
    with pytest.raises(NotFound):
        bring_up_to_date(cache, git, LAYOUT, "1" * 40)
    check(bring_up_to_date(cache, git, LAYOUT, commit(git, FILES)), FILES)


def test_the_next_commit_is_read_by_what_changed(git: Repository, cache: Cache) -> None:
    first = commit(git, FILES)
    bring_up_to_date(cache, git, LAYOUT, first)
    changed = {
        "memory/plain.md": document("Plain", "Changed."),
        "memory/new.md": document("New"),
        "decisions/20250102-use-git.md": None,
    }
    second = commit(git, changed, first)
    seen: list[str] = []

    def parse(layout: Layout, path: str, data: bytes, *_: object, **__: object) -> ParsedFile:
        seen.append(path)
        return parse_file(layout, path, data)

    snapshot = bring_up_to_date(cache, git, LAYOUT, second, parse=parse)
    assert sorted(seen) == ["memory/new.md", "memory/plain.md"]
    files = {path: data for path, data in {**FILES, **changed}.items() if data is not None}
    check(snapshot, files)
    seen.clear()
    back = bring_up_to_date(cache, git, LAYOUT, first, parse=parse)
    assert seen == []
    check(back, FILES)


def test_what_was_read_once_is_not_read_again_for_another_layout_or_worktree(
    repo: Path, git: Repository, cache: Cache
) -> None:
    tip = commit(git, FILES)
    bring_up_to_date(cache, git, LAYOUT, tip)

    def parse(layout: Layout, path: str, data: bytes, *_: object, **__: object) -> ParsedFile:
        raise AssertionError(path)

    fewer = LAYOUT._replace(places=LAYOUT.places[:4])
    kinds = {place.kind for place in fewer.places}
    snapshot = bring_up_to_date(cache, git, fewer, tip, parse=parse)
    assert {record.kind for record in snapshot.records()} == kinds - {"skill"}
    run_git(repo, "update-ref", "refs/heads/main", tip)
    run_git(repo, "worktree", "add", "-q", "--detach", "../other", tip)
    other = opened(repo.parent / "other")
    assert other.common_dir == git.common_dir
    assert list(bring_up_to_date(cache, other, LAYOUT, tip, parse=parse).records()) == heads(
        read(FILES, LAYOUT)
    )


def test_two_worktrees_on_two_commits_do_not_disturb_each_other(
    repo: Path, git: Repository, cache: Cache
) -> None:
    first = commit(git, FILES)
    second = commit(git, {"memory/plain.md": document("Elsewhere", "Another unmistakable text.")}, first)
    run_git(repo, "update-ref", "refs/heads/main", first)
    run_git(repo, "worktree", "add", "-q", "--detach", "../other", second)
    here = bring_up_to_date(cache, git, LAYOUT, first)
    there = bring_up_to_date(cache, opened(repo.parent / "other"), LAYOUT, second)
    for _ in range(2):
        assert titles(here, "unmistakable") == []
        assert titles(there, "unmistakable") == ["Elsewhere"]
        check(here, FILES)
        check(there, {**FILES, "memory/plain.md": document("Elsewhere", "Another unmistakable text.")})


def test_a_revision_is_read_beside_the_newest_commit(git: Repository, cache: Cache) -> None:
    first = commit(git, FILES)
    second = commit(git, {"memory/plain.md": None}, first)
    now = bring_up_to_date(cache, git, LAYOUT, second)
    then = bring_up_to_date(cache, git, LAYOUT, first, label="at")
    assert titles(then, "special") == ["Plain"]
    assert titles(now, "special") == []
    check(then, FILES)


def test_two_commits_without_a_label_take_turns(git: Repository, cache: Cache) -> None:
    first = commit(git, FILES)
    second = commit(git, {"memory/plain.md": None}, first)
    one, two = bring_up_to_date(cache, git, LAYOUT, first), bring_up_to_date(cache, git, LAYOUT, second)
    for _ in range(2):
        assert titles(one, "special") == ["Plain"]
        assert titles(two, "special") == []


def test_the_snapshot_unused_for_longest_makes_room(
    git: Repository, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresh, "MAX_SNAPSHOTS", 2)
    commits = [commit(git, {**FILES, "memory/n.md": document(f"Number {n}")}) for n in range(4)]
    for n, tip in enumerate(commits):
        snapshot = bring_up_to_date(cache, git, LAYOUT, tip, label=str(n))
        check(snapshot, {**FILES, "memory/n.md": document(f"Number {n}")})
    assert cache.connection.execute("select count(*) from snapshot").fetchone() == (2,)


def test_a_history_that_was_rewritten_and_pruned(repo: Path, git: Repository, cache: Cache) -> None:
    first = commit(git, FILES)
    bring_up_to_date(cache, git, LAYOUT, first)
    second = commit(git, {"memory/only.md": document("Only")})
    keep_only(repo, second)
    fresh = opened(repo)
    with pytest.raises(NotFound):
        fresh.tree(first)
    check(bring_up_to_date(cache, fresh, LAYOUT, second), {"memory/only.md": document("Only")})


def test_a_knowledge_root_inside_a_repository(git: Repository, cache: Cache) -> None:
    tip = commit(
        git,
        {
            **{f"docs/kb/{path}": data for path, data in FILES.items()},
            "memory/outside.md": document("Outside"),
        },
    )
    git.at_prefix("docs/kb")
    first = bring_up_to_date(cache, git, LAYOUT, tip)
    check(first, FILES)
    git.at_prefix("")
    assert [record.title for record in bring_up_to_date(cache, git, LAYOUT, tip).records()] == ["Outside"]


def test_links_and_submodules_are_named_and_not_followed(repo: Path, git: Repository, cache: Cache) -> None:
    tip = commit(
        git,
        {"memory/real.md": document("Real"), "memory/link.md": b"../secret.md"},
        modes={"memory/link.md": 0o120000},
    )
    run_git(repo, "read-tree", tip)
    run_git(repo, "update-index", "--add", "--cacheinfo", f"160000,{tip},memory/module.md")
    tree = run_git(repo, "write-tree")
    both = run_git(repo, "commit-tree", tree, "-m", "x")
    snapshot = bring_up_to_date(cache, git, LAYOUT, both)
    assert [record.title for record in snapshot.records()] == ["Real"]
    assert [(path, problem.code, problem.fatal) for path, problem in snapshot.problems()] == [
        ("memory/link.md", "MG001", True),
        ("memory/module.md", "MG001", True),
    ]
    assert snapshot.data("memory/link.md") is None
    # The same bytes as a file are another thing, and back again.
    plain = commit(git, {"memory/link.md": b"../secret.md"}, tip)
    snapshot = bring_up_to_date(cache, git, LAYOUT, plain)
    assert [record.path for record in snapshot.records()] == ["memory/link.md", "memory/real.md"]
    assert list(snapshot.problems()) == []
    assert [path for path, _ in bring_up_to_date(cache, git, LAYOUT, both).problems()] == [
        "memory/link.md",
        "memory/module.md",
    ]


def test_files_that_cannot_be_understood_are_named_and_the_others_read(git: Repository, cache: Cache) -> None:
    files = {
        "memory/fine.md": document("Fine"),
        "memory/latin.md": b"---\ntitle: x\n---\ncaf\xe9\n",
        "memory/nul.md": b"a\0b",
        "memory/broken.md": b"---\ntitle: A: b: [c\n---\n\nText that is kept.\n",
    }
    snapshot = bring_up_to_date(cache, git, LAYOUT, commit(git, files))
    parsed = {path: parse_file(LAYOUT, path, data) for path, data in files.items()}
    assert list(snapshot.problems()) == [
        (path, problem) for path in sorted(files) for problem in parsed[path].problems
    ]
    assert {path for path, _ in snapshot.problems()} >= {
        "memory/latin.md",
        "memory/nul.md",
        "memory/broken.md",
    }
    assert list(snapshot.records()) == heads([record for path in files for record in parsed[path].records])


def test_names_of_every_kind(git: Repository, cache: Cache) -> None:
    names = [
        "caf\udce9",
        "café",
        "cafe\u0301",
        "a b",
        "[[x",
        "日本語",
        "🔧",
        "tab\there",
        'quo"te',
        "%s",
        "it's",
        "-dash",
        "a#b",
        "x" * 200,
    ]
    files = {f"memory/{name}.md": f"Text number {number}.\n".encode() for number, name in enumerate(names)}
    snapshot = bring_up_to_date(cache, git, LAYOUT, commit(git, files))
    check(snapshot, files)
    for number, name in enumerate(names):
        assert [record.path for record in snapshot.at(f"memory/{name}")] == [f"memory/{name}.md"]
        assert snapshot.file(f"memory/{name}.md")[0].address == f"memory/{name}"
        assert snapshot.data(f"memory/{name}.md") == f"Text number {number}.\n".encode()


def test_lists_by_group(git: Repository, cache: Cache) -> None:
    files = {
        **FILES,
        "memory/Team/API/deep.md": document("Deep"),
        "memory/teamwork.md": document("Teamwork"),
        "memory/team.md": document("Team"),
        "memory/ÜBER/x.md": document("Over"),
    }
    snapshot = bring_up_to_date(cache, git, LAYOUT, commit(git, files))

    def of(kind: str | None, group: str, archived: bool = True) -> list[str]:
        return [record.address for record in snapshot.records(kind, group, archived=archived)]

    assert of("memory", "team") == ["memory/Team/API/deep", "memory/team/api"]
    assert of("memory", "TEAM/api/") == ["memory/Team/API/deep"]
    assert of("memory", "über") == ["memory/ÜBER/x"]
    assert of("knowledge", "shell") == ["knowledge/shell#Quote it", "knowledge/shell#Trap on exit"]
    assert of("knowledge", "web") == ["knowledge/web/css#Grid without queries"]
    assert of(None, "SHELL") == ["knowledge/shell#Quote it", "knowledge/shell#Trap on exit"]
    assert of(None, "absent") == []
    assert of("memory", "") == ["memory/plain", "memory/team", "memory/teamwork"]
    assert of("memory", "", archived=False) == ["memory/team", "memory/teamwork"]
    assert snapshot.groups("memory") == {"": 3, "Team/API": 1, "team": 1, "ÜBER": 1}
    assert snapshot.groups("knowledge") == {"shell": 2, "web/css": 1}


def test_lists_by_topic(git: Repository, cache: Cache) -> None:
    files = {
        "memory/one.md": document("One", topics="[web/http, limits]"),
        "memory/two.md": document("Two", topics="[web]", keywords="[caching]"),
        "memory/three.md": document("Three", "Talks about web/http in its text."),
        "decisions/four.md": document("Four", keywords="[web]"),
    }
    snapshot = bring_up_to_date(cache, git, LAYOUT, commit(git, files))
    assert [record.title for record in snapshot.records("memory", topic="web")] == ["One", "Two"]
    assert [record.title for record in snapshot.records(topic="web")] == ["Four", "One", "Two"]
    assert [record.title for record in snapshot.records("memory", topic="Web/HTTP")] == ["One"]
    assert [record.title for record in snapshot.records("memory", topic="--")] == ["One", "Three", "Two"]


def test_lists_are_read_in_pages(git: Repository, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memgit.cache.records.PAGE", 3)
    files = {
        f"knowledge-base/c{n}.md": "".join(entry(f"Title {n} {m}") for m in range(n)).encode()
        for n in range(8)
    }
    files |= {f"memory/m{n}.md": document(f"Memory {n}") for n in range(7)}
    snapshot = bring_up_to_date(cache, git, LAYOUT, commit(git, files))
    assert list(snapshot.records()) == heads(read(files, LAYOUT))
    assert list(snapshot.records("memory")) == heads(
        [record for record in read(files, LAYOUT) if record.kind == "memory"]
    )


def test_recent_records_come_first(git: Repository, cache: Cache) -> None:
    files = {f"memory/m{n}.md": document(f"M{n}", updated=f"2025-0{n}-01") for n in range(1, 8)}
    files["memory/old.md"] = document("Old", archived="2025-09-09", updated="2025-09-09")
    files["memory/none.md"] = b"No dates at all.\n"
    snapshot = bring_up_to_date(cache, git, LAYOUT, commit(git, files))
    assert [record.title for record in snapshot.recent("memory", 3)] == ["M7", "M6", "M5"]
    assert len(snapshot.recent("memory", 100)) == 8
    assert snapshot.recent("decision", 5) == [] == snapshot.recent("memory", 0)


@pytest.mark.parametrize("alike", [1, 2_000])
def test_recent_records_of_one_day_do_not_depend_on_what_the_cache_saw_before(
    git: Repository, cache: Cache, monkeypatch: pytest.MonkeyPatch, alike: int
) -> None:
    monkeypatch.setattr("memgit.cache.records.MAX_SAME_DAY", alike)
    files = {
        f"memory/{name}.md": document(name, updated=f"2025-01-0{day}")
        for name, day in zip("abcdefgh", "12222113", strict=True)
    }
    for name in "ecab":  # read in this order
        snapshot = bring_up_to_date(
            cache, git, LAYOUT, commit(git, {f"memory/{name}.md": files[f"memory/{name}.md"]})
        )
    snapshot = bring_up_to_date(cache, git, LAYOUT, commit(git, files))
    whole = list("hedcbgfa")
    for limit in range(9):
        assert [record.title for record in snapshot.recent("memory", limit)] == whole[:limit]


def test_what_a_file_says_about_itself(git: Repository, cache: Cache) -> None:
    files = {
        "knowledge-base/shell.md": b"---\nname: Shell scripts\nkeywords: [bash, zsh]\n---\n\n"
        + entry("Quote it").encode(),
        "knowledge-base/css.md": entry("Grid").encode(),
    }
    snapshot = bring_up_to_date(cache, git, LAYOUT, commit(git, files))
    expected = parse_file(LAYOUT, "knowledge-base/shell.md", files["knowledge-base/shell.md"]).meta
    assert expected
    assert snapshot.metas("knowledge") == [("knowledge-base/shell.md", "shell", dict(expected))]
    assert snapshot.metas("memory") == []


def test_old_rows_are_kept_for_a_while_and_their_ids_for_ever(git: Repository, cache: Cache) -> None:
    tip = commit(git, FILES)
    ids = [f"c{number:09}" for number in range(60)]
    for number, record_id in enumerate(ids):
        tip = commit(git, {"memory/one.md": document("One", f"Version{number} of it.", id=record_id)}, tip)
        snapshot = bring_up_to_date(cache, git, LAYOUT, tip)
    files = {**FILES, "memory/one.md": document("One", "Version59 of it.", id=ids[-1])}
    check(snapshot, files)
    stale = cache.connection.execute("select count(*) from file where snapshots = 0").fetchone()[0]
    assert 0 < stale <= 4
    assert titles(snapshot, "Version3") == []
    assert titles(snapshot, "Version59") == ["One"]
    assert all(snapshot.taken(record_id) for record_id in ids)
    assert snapshot.taken("b000000001")
    assert not snapshot.taken("d000000000")


def test_an_id_of_the_activity_log_is_taken(git: Repository, cache: Cache) -> None:
    first = commit(git, {**FILES, "memory/gone.md": document("Gone", id="e123456789")})
    second = commit(git, {"memory/gone.md": None}, first)
    events = Events(git, LAYOUT, cache)
    snapshot = bring_up_to_date(cache, git, LAYOUT, second)
    assert not snapshot.taken("e123456789")
    assert len(list(events.walk(second))) == 2
    assert snapshot.taken("e123456789")


def test_old_text_that_is_gone_leaves_no_trace_in_answers(repo: Path, git: Repository, cache: Cache) -> None:
    bring_up_to_date(cache, git, LAYOUT, commit(git, {"memory/x.md": document("X", "The word zebra.")}))
    for number in range(12):
        tip = commit(git, {"memory/x.md": document("X", f"Text{number}.")})
        keep_only(repo, tip)
        snapshot = bring_up_to_date(cache, opened(repo), LAYOUT, tip)
    assert titles(snapshot, "zebra") == []
    assert titles(snapshot, "Text11") == ["X"]
    assert cache.connection.execute("select ghosts from counter").fetchone()[0] > 4
    check_full_text(cache)


def test_too_many_traces_have_the_cache_made_anew(
    repo: Path, git: Repository, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "MAX_GHOST_RECORDS", 3)
    for number in range(20):
        files = {
            "memory/x.md": document("X", f"Text{number}."),
            "memory/y.md": document("Y", f"Other{number}."),
        }
        tip = commit(git, files)
        keep_only(repo, tip)
        snapshot = bring_up_to_date(cache, opened(repo), LAYOUT, tip)
        assert titles(snapshot, f"Text{number}") == ["X"]
    assert cache.generation > 0
    assert cache.path is not None
    assert cache.connection.execute("select ghosts from counter").fetchone()[0] <= 5


def test_a_parser_that_reads_the_old_bytes_otherwise_does_not_spoil_the_index(
    git: Repository, cache: Cache
) -> None:
    tip = commit(git, {"memory/x.md": document("X", "The word zebra.")})
    bring_up_to_date(cache, git, LAYOUT, tip)

    def other(layout: Layout, path: str, data: bytes, *_: object, **__: object) -> ParsedFile:
        return ParsedFile(
            tuple(
                record._replace(body=record.body + " more")
                for record in parse_file(layout, path, data).records
            )
        )

    for number in range(12):
        tip = commit(git, {"memory/x.md": document("X", f"Text{number}.")}, tip)
        snapshot = bring_up_to_date(cache, git, LAYOUT, tip, parse=other)
    assert titles(snapshot, "zebra") == []
    assert titles(snapshot, "Text11 more") == ["X"]
    assert cache.generation == 0


# Uncommitted edits


def test_uncommitted_edits_are_counted_in(git: Repository, cache: Cache) -> None:
    tip = commit(git, FILES)
    base = bring_up_to_date(cache, git, LAYOUT, tip)
    dirty: dict[str, bytes | None] = {
        "memory/plain.md": document("Plain", "Edited by hand: kangaroo."),
        "memory/untracked.md": document("Untracked", "Another kangaroo."),
        "decisions/20250102-use-git.md": None,
        "src/code.py": b"print('kangaroo')\n",
        "memory/never-there.md": None,
    }
    overlay = OverlaySnapshot(base, dirty)
    files = {path: data for path, data in {**FILES, **dirty}.items() if data is not None}
    for _ in range(2):
        assert titles(overlay, "kangaroo") == ["Plain", "Untracked"]
        assert titles(overlay, "because") == []
        assert titles(overlay, "special") == []
        assert titles(base, "kangaroo") == []
        assert titles(base, "special") == ["Plain"]
        check(overlay, files)
        check(base, FILES)
    assert overlay.at("decision/20250102-use-git") == []
    assert [record.title for record in overlay.lookup("untracked")] == ["Untracked"]
    assert overlay.data("memory/untracked.md") == dirty["memory/untracked.md"]
    assert overlay.commit == tip


def test_an_edit_that_was_read_is_not_read_again_even_when_it_is_committed(
    git: Repository, cache: Cache
) -> None:
    tip = commit(git, FILES)
    edit = {"memory/plain.md": document("Plain", "Edited by hand: kangaroo.")}
    assert titles(OverlaySnapshot(bring_up_to_date(cache, git, LAYOUT, tip), edit), "kangaroo") == ["Plain"]

    def parse(layout: Layout, path: str, data: bytes, *_: object, **__: object) -> ParsedFile:
        raise AssertionError(path)

    again = OverlaySnapshot(bring_up_to_date(cache, git, LAYOUT, tip, parse=parse), edit)
    told: list[str] = []
    cache.connection.set_trace_callback(told.append)
    assert titles(again, "kangaroo") == ["Plain"]
    cache.connection.set_trace_callback(None)
    assert told
    assert "begin immediate" not in told
    assert titles(bring_up_to_date(cache, git, LAYOUT, commit(git, edit, tip), parse=parse), "kangaroo") == [
        "Plain"
    ]


def test_many_edits_of_one_file_do_not_pile_up(git: Repository, cache: Cache) -> None:
    base = bring_up_to_date(cache, git, LAYOUT, commit(git, FILES))
    for number in range(30):
        overlay = OverlaySnapshot(base, {"memory/plain.md": document("Plain", f"draft{number:03}x")})
        assert titles(overlay, f"draft{number:03}x") == ["Plain"]
        assert number == 0 or titles(overlay, f"draft{number - 1:03}x") == []
    assert cache.connection.execute("select count(*) from file where snapshots = 0").fetchone()[0] <= 5
    check_full_text(cache)
    check(base, FILES)


def test_many_untracked_files_are_not_read_again_after_every_commit(git: Repository, cache: Cache) -> None:
    tip = commit(git, FILES)
    dirty = {f"memory/u{number}.md": document(f"U{number}", "An untracked text.") for number in range(60)}
    assert len(titles(OverlaySnapshot(bring_up_to_date(cache, git, LAYOUT, tip), dirty), "untracked")) == 60
    seen: list[str] = []

    def parse(layout: Layout, path: str, data: bytes, *_: object, **__: object) -> ParsedFile:
        seen.append(path)
        return parse_file(layout, path, data)

    for number in range(5):
        tip = commit(git, {"memory/plain.md": document("Plain", f"Commit {number}")}, tip)
        overlay = OverlaySnapshot(bring_up_to_date(cache, git, LAYOUT, tip, parse=parse), dirty)
        assert len(titles(overlay, "untracked")) == 60
    assert set(seen) == {"memory/plain.md"}
    few = {"memory/u1.md": document("U1", "Only this one is left.")}
    assert titles(OverlaySnapshot(bring_up_to_date(cache, git, LAYOUT, tip), few), "left") == ["U1"]
    for number in range(9):
        tip = commit(git, {"memory/plain.md": document("Plain", f"Commit {number} again")}, tip)
        bring_up_to_date(cache, git, LAYOUT, tip)
    assert cache.connection.execute("select count(*) from file").fetchone()[0] < 20
    check_full_text(cache)


def test_what_one_write_drops_is_bounded(
    git: Repository, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "MAX_PRUNED_ROWS", 10)
    bring_up_to_date(cache, git, LAYOUT, commit(git, many(100, "old")))
    tip = commit(git, FILES)
    left = []
    for number in range(12):
        tip = commit(git, {"memory/plain.md": document("Plain", f"Commit {number}")}, tip)
        check(
            bring_up_to_date(cache, git, LAYOUT, tip),
            {**FILES, "memory/plain.md": document("Plain", f"Commit {number}")},
        )
        left.append(cache.connection.execute("select count(*) from file where snapshots = 0").fetchone()[0])
    assert left[:3] == [90, 81, 72]
    assert left[-1] <= 6


def test_edits_without_a_commit(git: Repository, cache: Cache) -> None:
    overlay = OverlaySnapshot(bring_up_to_date(cache, git, LAYOUT, None), dict(FILES))
    check(overlay, FILES)


def test_a_file_that_became_a_link(git: Repository, cache: Cache) -> None:
    base = bring_up_to_date(cache, git, LAYOUT, commit(git, FILES))
    overlay = OverlaySnapshot(base, {"memory/plain.md": Problem("MG001", 1, "is a symbolic link", True)})
    assert overlay.at("memory/plain") == []
    assert list(overlay.problems()) == [("memory/plain.md", Problem("MG001", 1, "is a symbolic link", True))]
    assert list(base.problems()) == []
    assert overlay.data("memory/plain.md") is None


# Whatever happens


PATHS = [
    "knowledge-base/a.md",
    "knowledge-base/b/c.md",
    "experience/skill-x.md",
    "memory/a.md",
    "memory/t/a.md",
    "memory/t/b.md",
    "skills/a.md",
    "decisions/a.md",
    "notes/a.md",
    "notes/t/a.md",
    "other/a.md",
]
contents = st.one_of(
    st.none(),
    st.tuples(
        st.sampled_from(["Alpha", "Beta", "Gamma / delta", "Ünï #1"]),
        st.sampled_from(["one two", "three", "検索する", ""]),
    ).map(lambda pair: document(*pair)),
    st.sampled_from(["Alpha", "Beta"]).map(lambda title: document(title, "put away", archived="2025-05-05")),
    st.lists(st.sampled_from(["Alpha", "Beta", "A/B test", "C# tips"]), max_size=3).map(
        lambda names: "".join(map(entry, names)).encode()
    ),
    st.sampled_from(
        [
            document("Beta", "line #one\n\n`#no` \u2028 end #two/three").replace(b"\n", b"\r\n"),
            b"\xef\xbb\xbf"
            + document("Beta", "with a mark \U0001f642\rand a lone return").replace(
                b"# Beta\n", b"# Beta\r\n"
            ),
            (
                entry("Alpha", "one #tag")
                + entry("Gamma", "one #tag").replace("\n", "\r\n")
                + entry("Beta", "one #tag")
            ).encode(),
            b"## Alpha\n\nfirst #a\n**Date:** 2026-01-02\n\nsecond #b\n**Keywords:** x\nthird\n",
        ]
    ),
    st.sampled_from([b"", b"plain text\n", b"\xff\xfe", b"---\nbroken: [\n---\nx\n"]),
)
changes = st.dictionaries(st.sampled_from(PATHS), contents, max_size=5)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("commit"), changes),
        st.tuples(st.just("switch"), st.integers(0, 20)),
        st.tuples(st.just("edit"), changes),
        st.tuples(st.just("forget"), st.just(0)),
    ),
    min_size=1,
    max_size=10,
)


@given(steps)
@settings(max_examples=examples(25))
def test_rows_say_what_the_files_say(
    tmp_path_factory: pytest.TempPathFactory, story: list[tuple[str, object]]
) -> None:
    folder = tmp_path_factory.mktemp("story")
    run_git(folder, "init", "-q")
    git = opened(folder)
    cache = open_cache(str(folder / ".git"), "test")
    assert cache is not None
    known: list[tuple[str | None, dict[str, bytes]]] = [(None, {})]
    tip, files = known[0]
    dirty: dict[str, bytes | None] = {}
    with cache:
        for action, value in story:
            if action == "commit" and isinstance(value, dict):
                wanted = {path: data for path, data in value.items() if data is not None or path in files}
                tip = commit(git, wanted, tip)
                files = {path: data for path, data in {**files, **wanted}.items() if data is not None}
                known.append((tip, files))
            elif action == "switch" and isinstance(value, int):
                tip, files = known[value % len(known)]
            elif action == "edit" and isinstance(value, dict):
                dirty = value
            elif action == "forget":
                cache.run(lambda: None)
                cache.recover(sqlite3.DatabaseError("as if the file were broken"))
            base = bring_up_to_date(cache, git, LAYOUT, tip)
            check(base, files)
            check(
                OverlaySnapshot(base, dirty),
                {path: data for path, data in {**files, **dirty}.items() if data is not None},
            )


def child(code: str, *args: str) -> subprocess.Popen[str]:
    start = """
import os, signal, sys
from memgit.cache.db import open_cache
from memgit.cache.records import refresh
from memgit.git.repository import Repository
from memgit.model.layout import memgit
repo = Repository.open(sys.argv[1], dict(os.environ))
cache = open_cache(repo.common_dir, "test")
"""
    return subprocess.Popen(
        [sys.executable, "-c", start + textwrap.dedent(code), *args],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def many(count: int, mark: str) -> dict[str, bytes]:
    chance = random.Random(count)
    return {
        f"memory/s{n % 7}/m{n}.md": document(f"Record {n}", f"{mark} {chance.random()} text.")
        for n in range(count)
    }


@pytest.mark.parametrize("after", [0, 250, 1199])
def test_killed_in_the_middle_of_a_refresh(repo: Path, git: Repository, after: int) -> None:
    first = commit(git, many(300, "first"))
    files = many(1200, "second")
    second = commit(git, files)
    with open_cache(git.common_dir, "test") or memory_cache() as cache:
        bring_up_to_date(cache, git, LAYOUT, first)
    process = child(
        f"""
        from memgit.formats.codecs import parse_file
        seen = 0
        def parse(layout, path, data, *_, **__):
            global seen
            seen += 1
            if seen > {after}:
                os.kill(os.getpid(), signal.SIGKILL)
            return parse_file(layout, path, data)
        refresh(cache, repo, memgit(), {second!r}, parse=parse)
        """,
        str(repo),
    )
    process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL
    with open_cache(git.common_dir, "test") or memory_cache() as cache:
        assert cache.path is not None
        assert cache.connection.execute("select commit_id from snapshot").fetchall() == [(first,)]
        check(bring_up_to_date(cache, git, LAYOUT, second), files)
        assert cache.generation == 0


def test_processes_that_move_one_snapshot_to_and_fro_each_get_their_own_answer(
    repo: Path, git: Repository
) -> None:
    tips = []
    tip = None
    for number in range(4):
        tip = commit(
            git,
            {
                f"memory/{name}.md": document(f"{name} {number}", f"common text{number}")
                for name in ("a", "b", "c")
            },
            tip,
        )
        tips.append(tip)
    code = """
        tip, number = sys.argv[2:]
        for turn in range(25):
            snapshot = refresh(cache, repo, memgit(), tip)
            found = sorted(record.title for record in snapshot.records())
            assert found == [f"{name} {number}" for name in "abc"], found
            assert [snapshot.load(record).body.split("\\n")[-1] for record in snapshot.records()] == [f"common text{number}"] * 3
            cache.end_read()
        assert cache.path is not None
        """
    processes = [child(code, str(repo), tips[number % 4], str(number % 4)) for number in range(5)]
    for process in processes:
        out = process.communicate(timeout=120)[0]
        assert process.returncode == 0, out
    with open_cache(git.common_dir, "test") or memory_cache() as cache:
        snapshot = bring_up_to_date(cache, git, LAYOUT, tips[0])
        assert [record.title for record in snapshot.records()] == ["a 0", "b 0", "c 0"]
        check_full_text(cache)


def test_processes_that_build_at_once(repo: Path, git: Repository) -> None:
    files = many(1100, "built")
    tip = commit(git, files)
    code = """
        snapshot = refresh(cache, repo, memgit(), sys.argv[2])
        assert sum(1 for _ in snapshot.records()) == 1100
        assert cache.path is not None
        """
    processes = [child(code, str(repo), tip) for _ in range(3)]
    for process in processes:
        process.communicate(timeout=120)
        assert process.returncode == 0
    with open_cache(git.common_dir, "test") or memory_cache() as cache:
        check(bring_up_to_date(cache, git, LAYOUT, tip), files)


def test_a_reader_sees_one_state_while_another_process_writes(
    repo: Path, git: Repository, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memgit.cache.records.PAGE", 2)
    first = commit(git, many(40, "first"))
    second = commit(git, many(90, "second"), first)
    snapshot = bring_up_to_date(cache, git, LAYOUT, first)
    reading = snapshot.records()
    found = [next(reading) for _ in range(5)]
    with open_cache(git.common_dir, "test") or memory_cache() as other:
        assert sum(1 for _ in bring_up_to_date(other, git, LAYOUT, second).records()) == 90
        found += reading
        assert found == heads(read(many(40, "first"), LAYOUT))
        assert [snapshot.load(record).body.split()[0] for record in found] == ["first"] * 40


def test_a_list_that_is_half_read_survives_a_write_of_its_own_process(
    git: Repository, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memgit.cache.records.PAGE", 2)
    snapshot = bring_up_to_date(cache, git, LAYOUT, commit(git, many(30, "text")))
    found = []
    for number, record in enumerate(snapshot.records()):
        found.append(record)
        with cache.write() as connection:
            connection.execute("insert or ignore into gone values (?)", (str(number),))
    assert found == heads(read(many(30, "text"), LAYOUT))


@pytest.mark.parametrize("where", ["file", "record", "words_data", "words_idx", "snapshot"])
def test_damage_while_it_is_read_is_mended(git: Repository, cache: Cache, where: str) -> None:
    files = many(400, "kept")
    tip = commit(git, files)
    snapshot = bring_up_to_date(cache, git, LAYOUT, tip)
    snapshot.cache.end_read()
    cache.connection.execute("pragma wal_checkpoint(truncate)")
    assert cache.path is not None
    pages = [row[0] for row in cache.connection.execute("select pageno from dbstat where name = ?", (where,))]
    assert pages
    size = cache.connection.execute("pragma page_size").fetchone()[0]
    data = bytearray(Path(cache.path).read_bytes())
    for page in pages:
        data[(page - 1) * size : page * size] = os.urandom(size)
    Path(cache.path).write_bytes(data)
    cache.connection.execute("pragma shrink_memory")
    fresh = open_cache(git.common_dir, "test")
    assert fresh is not None
    with fresh:
        again = bring_up_to_date(fresh, git, LAYOUT, tip)
        assert list(again.records()) == heads(read(files, LAYOUT))
        assert len(titles(again, "kept")) == 100
        assert [record.title for record in again.lookup("m17")] == ["Record 17"]


def test_a_row_that_says_nonsense_is_mended(git: Repository, cache: Cache) -> None:
    tip = commit(git, FILES)
    for damage in (
        "update record set fields = '{broken'",
        "update record set fields = 7",
        "update record set title = 7, problem = '[]'",
        "delete from record",
        "drop table ending",
        "update file set problems = 'x'",
    ):
        snapshot = bring_up_to_date(cache, git, LAYOUT, tip)
        with cache.write() as connection:
            connection.execute(damage)
        list(snapshot.problems())
        snapshot.lookup("some/thing#else")
        if damage == "delete from record":
            cache.recover(sqlite3.DatabaseError("rows that are simply missing are not noticed"))
        check(snapshot, FILES)
    assert cache.path is not None


def test_where_the_disk_is_full_answers_are_the_same(git: Repository, cache: Cache) -> None:
    first = commit(git, FILES)
    bring_up_to_date(cache, git, LAYOUT, first)
    files = {**FILES, **many(400, "more")}
    second = commit(git, files)
    cache.end_read()
    pages = cache.connection.execute("pragma page_count").fetchone()[0]
    cache.connection.execute(f"pragma max_page_count = {pages + 3}")
    check(bring_up_to_date(cache, git, LAYOUT, second), files)
    assert cache.path is None


def test_where_another_process_builds_for_long_answers_are_the_same(
    git: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db, "BUSY_SECONDS", 0.1)
    first = commit(git, FILES)
    second = commit(git, {"memory/new.md": document("New")}, first)
    with (
        open_cache(git.common_dir, "test") or memory_cache() as other,
        open_cache(git.common_dir, "test") or memory_cache() as cache,
    ):
        bring_up_to_date(other, git, LAYOUT, first)
        other.end_read()
        other.connection.execute("begin immediate")
        check(bring_up_to_date(cache, git, LAYOUT, second), {**FILES, "memory/new.md": document("New")})
        assert cache.path is None
        other.connection.execute("rollback")


def test_the_file_may_go_away_at_any_time(git: Repository, cache: Cache) -> None:
    first = commit(git, FILES)
    second = commit(git, {"memory/new.md": document("New")}, first)
    snapshot = bring_up_to_date(cache, git, LAYOUT, first)
    assert cache.path is not None
    for path in Path(cache.path).parent.iterdir():
        path.unlink()
    check(snapshot, FILES)
    check(bring_up_to_date(cache, git, LAYOUT, second), {**FILES, "memory/new.md": document("New")})


def test_in_memory_answers_are_the_same(git: Repository) -> None:
    with memory_cache() as cache:
        check(bring_up_to_date(cache, git, LAYOUT, commit(git, FILES)), FILES)


def test_many_files_are_read_through_one_process_and_word_is_given(
    git: Repository, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "BULK", 300)
    files = many(700, "bulk") | FILES
    told: list[tuple[int, int]] = []
    snapshot = bring_up_to_date(
        cache, git, LAYOUT, commit(git, files), lambda done, total: told.append((done, total))
    )
    total = len(snapshot.paths())
    assert told[0] == (0, total)
    assert told[-1] == (total, total)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    check(snapshot, files)


def test_many_files_leave_the_indexes_that_the_tables_had(
    git: Repository, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of an empty cache are made after the rows; a failure on the way leaves them as they were."""
    indexes = "select name, sql from sqlite_master where type = 'index' order by name"
    files = many(40, "bulk") | FILES
    tip = commit(git, files)
    with memory_cache() as other:
        bring_up_to_date(other, git, LAYOUT, tip).total()
        expected = other.connection.execute(indexes).fetchall()
    monkeypatch.setattr(rows, "BULK", 10)
    with monkeypatch.context() as broken:
        broken.setattr(writer.Writer, "flush", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            bring_up_to_date(cache, git, LAYOUT, tip).total()
    assert cache.connection.execute(indexes).fetchall() == expected
    assert cache.connection.execute("pragma cache_size").fetchone() == (-db.PAGES,)
    check(bring_up_to_date(cache, git, LAYOUT, tip), files)
    assert cache.connection.execute(indexes).fetchall() == expected
    assert cache.connection.execute("pragma integrity_check").fetchall() == [("ok",)]


json_values = st.none() | st.text(max_size=5) | st.sampled_from(["\udc80", '"\\\n', "\u2028", "\x7f"])
json_fields = st.dictionaries(
    json_values.filter(bool),
    json_values | st.lists(json_values.filter(bool), max_size=3).map(tuple),
    max_size=4,
)


@given(json_fields)
def test_fields_are_written_as_json(fields: dict[str, Value]) -> None:
    assert rows.to_fields(fields) == rows.to_json(fields)
    assert rows.from_fields(rows.to_fields(fields)) == fields


def test_a_blob_that_is_missing_is_named_and_the_others_are_read(
    repo: Path, git: Repository, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "BULK", 5)
    tip = commit(git, FILES)
    lost = git.hash_blob(FILES["memory/plain.md"])
    (repo / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    snapshot = bring_up_to_date(cache, opened(repo), LAYOUT, tip)
    assert {record.path for record in snapshot.records()} == {
        record.path for record in read(FILES, LAYOUT)
    } - {"memory/plain.md"}
    assert [(path, problem.code, lost[:7] in problem.message) for path, problem in snapshot.problems()] == [
        ("memory/plain.md", "MG001", True)
    ]


def test_any_folder_of_markdown(git: Repository, cache: Cache) -> None:
    files = {"a.md": b"# One\n", "b/c.md": b"# Two\n\n## Part\n", "b/README.md": b"# Three\n"}
    check(bring_up_to_date(cache, git, notes(), commit(git, files)), files)


def test_corpora_are_read_whole(workspace: object, tmp_path: Path) -> None:
    assert callable(workspace)
    folder = workspace("til")
    git = opened(folder)
    layout = notes()
    files = {
        path: git.blob(oid) for path, _, oid in git.tree(git.head().commit).walk() if path.endswith(".md")
    }
    with open_cache(git.common_dir, "test") or memory_cache() as cache:
        started = time.monotonic()
        snapshot = bring_up_to_date(cache, git, layout, git.head().commit)
        assert time.monotonic() - started < 30
        check(snapshot, files)
        every: list[Record] = list(snapshot.records())
        assert len(every) == 577


PIECES = st.sampled_from(["a", "#b", "é", "\U0001f642", "\n", "\r\n", "\r", " ", "\u2028"])


@given(st.lists(PIECES, max_size=12).map("".join), st.lists(PIECES, max_size=4).map("".join), st.booleans())
def test_a_text_is_found_in_its_file_or_not_at_all(text: str, body: str, inside: bool) -> None:
    data = f"{text}{body if inside else ''}{text}".encode()
    start, length = rows.span(data, body, (0, len(data)))
    if start is None or length is None:
        assert not inside or "\r\n" in body
    else:
        assert rows.text_at(data, start, length) == body
    assert rows.line_starts(data)[-1] == len(data) + 1

"""What commits did to records: the trees are believed, the messages only where the trees bear them out."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from memgit.formats.messages import message as messages
from memgit.git.history.activity import Activity
from memgit.git.history.history import commits
from memgit.git.repository import Repository
from memgit.model.layout import Layout, memgit, notes
from memgit.model.operation import Event, RecordChange
from tests.support import commit, run_git, write

ID = ["kb7m2q9x4d", "hm3zt60rv8", "w4c9n1pe5x"]
PROSE = (
    "The grid keeps its gaps when a column folds, and the last row never stretches past the others in "
    "any browser we tried."
)
OTHER = (
    "Retries wait twice as long each time and stop after five, because the gateway forgets a caller "
    "within two minutes."
)


def opened(folder: Path, prefix: str = "") -> Repository:
    return Repository.open(str(folder), dict(os.environ)).at_prefix(prefix)


def log(folder: Path, layout: Layout | None = None, prefix: str = "") -> list[Event]:
    """Every event of HEAD, newest first."""
    repo = opened(folder, prefix)
    return list(Activity(repo, layout or memgit()).events(commits(repo, [repo.resolve("HEAD")])))


def newest(folder: Path, layout: Layout | None = None) -> Event:
    repo = opened(folder)
    return Activity(repo, layout or memgit()).event(next(iter(commits(repo, [repo.resolve("HEAD")]))))


def memory(title: str, body: str = PROSE, **fields: str) -> str:
    lines = [f"title: {title}", *(f"{name}: {value}" for name, value in fields.items())]
    return "---\n" + "\n".join(lines) + f"\n---\n\n# {title}\n\n{body}\n"


def entries(*sections: tuple[str, str]) -> str:
    return "\n".join(
        f"## {title}\n**Date:** 2026-01-02\n**Context:** When it matters.\n**Best Practice:**\n- {text}\n"
        for title, text in sections
    )


def changed(event: Event) -> list[tuple[str, str, str | None]]:
    return [(change.action, change.address, change.was) for change in event.records]


def branch(repo: Path, name: str, start: str = "HEAD") -> None:
    run_git(repo, "checkout", "-q", "-b", name, start)


# Hand edits, without a trailer


def test_hand_edits_of_documents(repo: Path) -> None:
    write(repo, "memory/a.md", memory("A", id=ID[0]))
    write(repo, "memory/b.md", memory("B", OTHER))
    commit(repo, "two")
    write(repo, "memory/a.md", memory("A", PROSE + "\n\nMore.", id=ID[0]))
    commit(repo, "one more line")
    write(repo, "memory/a.md", memory("A", "Quite new.", id=ID[0], archived="2026-02-03"))
    commit(repo, "away with it")
    run_git(repo, "mv", "memory/a.md", "memory/c.md")
    write(repo, "memory/c.md", memory("C", "Nothing of it is left now.", id=ID[0]))
    commit(repo, "back and renamed")
    (repo / "memory/api").mkdir()
    run_git(repo, "mv", "memory/b.md", "memory/api/b.md")
    commit(repo, "moved")
    write(repo, "memory/api/b.md", memory("B", OTHER, related="'[[memory/c]]'"))
    commit(repo, "linked")
    (repo / "memory/c.md").unlink()
    commit(repo, "removed")
    found = log(repo)
    assert [event.op for event in found] == [
        "remove",
        "link",
        "rename",
        "restore",
        "archive",
        "extend",
        "record",
    ]
    assert [changed(event) for event in found] == [
        [("remove", "memory/c", None)],
        [("link", "memory/api/b", None)],
        [("rename", "memory/api/b", "memory/b")],
        [("restore", "memory/c", "memory/a")],
        [("archive", "memory/a", None)],
        [("extend", "memory/a", None)],
        [("create", "memory/a", None), ("create", "memory/b", None)],
    ]
    assert found[0].records[0].id == ID[0]
    assert all(
        event.actor is event.run is event.source is event.reason is None and event.complete for event in found
    )
    assert found[0].author == "Ada Moss <ada@example.org>"
    assert found[-1].subject == "two"


def test_hand_edits_of_entries(repo: Path) -> None:
    write(repo, "knowledge-base/web.md", entries(("Grid", PROSE), ("Retries", OTHER)))
    commit(repo, "two")
    write(repo, "knowledge-base/web.md", entries(("Grid", PROSE), ("Retries", OTHER), ("Third", "Short.")))
    commit(repo, "third")
    write(
        repo,
        "knowledge-base/web.md",
        entries(("Third", "Short."), ("Grid with gaps", PROSE), ("Retries", OTHER)),
    )
    commit(repo, "retitled and moved about")
    write(repo, "knowledge-base/web.md", entries(("Third", "Short."), ("Grid with gaps", PROSE)))
    write(repo, "knowledge-base/net.md", entries(("Retries", OTHER)))
    commit(repo, "moved to its own category")
    run_git(repo, "mv", "knowledge-base/web.md", "knowledge-base/css.md")
    commit(repo, "category renamed")
    (repo / "knowledge-base/css.md").write_bytes(
        (repo / "knowledge-base/css.md").read_bytes().replace(b"\n", b"\r\n")
    )
    commit(repo, "only line ends")
    found = log(repo)
    assert [changed(event) for event in found] == [
        [],
        [
            ("rename", "knowledge/css#Third", "knowledge/web#Third"),
            ("rename", "knowledge/css#Grid with gaps", "knowledge/web#Grid with gaps"),
        ],
        [("rename", "knowledge/net#Retries", "knowledge/web#Retries")],
        [("rename", "knowledge/web#Grid with gaps", "knowledge/web#Grid")],
        [("create", "knowledge/web#Third", None)],
        [("create", "knowledge/web#Grid", None), ("create", "knowledge/web#Retries", None)],
    ]


def test_a_document_that_was_only_laid_out_anew_is_named(repo: Path) -> None:
    """git lists the file, and so does the log; entries that stayed the same are not listed for what changed
    around them.
    """
    write(repo, "memory/a.md", memory("A"))
    write(repo, "knowledge-base/web.md", entries(("Grid", PROSE)))
    commit(repo)
    write(repo, "memory/a.md", memory("A").replace("\n", "\r\n"))
    write(repo, "knowledge-base/web.md", "Some words before.\n\n" + entries(("Grid", PROSE)))
    commit(repo)
    assert changed(newest(repo)) == [("update", "memory/a", None)]


def test_files_that_hold_no_record_are_left_out(repo: Path) -> None:
    write(repo, "README.md", "hello\n")
    write(repo, "INDEX.md", "index\n")
    write(repo, "memory/INDEX.md", "index\n")
    write(repo, "src/a.py", "a\n")
    write(repo, "knowledge-base/_index.json", "{}\n")
    write(repo, ".obsidian/a.md", "a\n")
    commit(repo)
    event = newest(repo)
    assert event.records == () and event.op == "edit"


def test_a_file_that_comes_into_its_place_or_leaves_it(repo: Path) -> None:
    write(repo, "memory/a.md", memory("A"))
    write(repo, "draft.txt", memory("B", OTHER))
    commit(repo)
    run_git(repo, "mv", "memory/a.md", "old.txt")
    run_git(repo, "mv", "draft.txt", "memory/b.md")
    commit(repo)
    assert changed(newest(repo)) == [("create", "memory/b", None), ("remove", "memory/a", None)]


def test_a_change_of_kind_keeps_the_record(repo: Path) -> None:
    write(repo, "notes/a.md", memory("A"))
    commit(repo)
    (repo / "memory").mkdir()
    run_git(repo, "mv", "notes/a.md", "memory/a.md")
    commit(repo)
    assert changed(newest(repo)) == [("rename", "memory/a", "note/notes/a")]


def test_modes_links_and_submodules(repo: Path, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    run_git(inner, "init", "-q")
    commit(inner)
    write(repo, "memory/a.md", memory("A"))
    commit(repo)
    (repo / "memory/a.md").chmod(0o755)
    commit(repo, "mode alone")
    (repo / "memory/a.md").unlink()
    (repo / "memory/a.md").symlink_to("b.md")
    run_git(repo, "submodule", "--quiet", "add", str(inner), "memory/sub.md")
    commit(repo, "a link in its place, a submodule beside it")
    (repo / "memory/a.md").unlink()
    write(repo, "memory/a.md", memory("A"))
    commit(repo, "a file again")
    assert [changed(event) for event in log(repo)] == [
        [("create", "memory/a", None)],
        [("remove", "memory/a", None)],
        [("update", "memory/a", None)],
        [("create", "memory/a", None)],
    ]


@pytest.mark.parametrize("broken", [b"\xff\xfe# A\n", b"a\0b\n"])
def test_a_file_that_cannot_be_read_is_one_record(repo: Path, broken: bytes) -> None:
    write(repo, "memory/a.md", broken)
    write(repo, "knowledge-base/web.md", broken)
    write(repo, "knowledge-base/net.md", entries(("A", PROSE), ("B", OTHER)))
    commit(repo)
    write(repo, "memory/a.md", broken + b"more")
    write(repo, "knowledge-base/net.md", broken)
    commit(repo)
    write(repo, "memory/a.md", memory("A"))
    write(repo, "knowledge-base/net.md", entries(("A", PROSE)))
    commit(repo)
    run_git(repo, "mv", "knowledge-base/web.md", "knowledge-base/new.md")
    commit(repo)
    (repo / "knowledge-base/new.md").unlink()
    commit(repo)
    assert [sorted(changed(event)) for event in log(repo)] == [
        [("remove", "knowledge/new", None)],
        [("rename", "knowledge/new", "knowledge/web")],
        [("update", "knowledge/net", None), ("update", "memory/a", None)],
        [("update", "knowledge/net", None), ("update", "memory/a", None)],
        [
            ("create", "knowledge/net#A", None),
            ("create", "knowledge/net#B", None),
            ("create", "knowledge/web", None),
            ("create", "memory/a", None),
        ],
    ]


def test_an_empty_document_is_there_all_the_same(repo: Path) -> None:
    write(repo, "memory/a.md", "")
    write(repo, "knowledge-base/web.md", "")
    commit(repo)
    write(repo, "memory/a.md", memory("A"))
    commit(repo)
    write(repo, "memory/a.md", " \n")
    commit(repo)
    (repo / "memory/a.md").unlink()
    commit(repo)
    assert [changed(event) for event in log(repo)] == [
        [("remove", "memory/a", None)],
        [("update", "memory/a", None)],
        [("update", "memory/a", None)],
        [("create", "memory/a", None)],
    ]


def test_a_document_whose_frontmatter_broke_is_still_the_same(repo: Path) -> None:
    write(repo, "memory/a.md", memory("A", id=ID[0]))
    commit(repo)
    write(repo, "memory/a.md", memory("A: B: [", id=ID[0]))
    commit(repo)
    write(repo, "memory/a.md", memory("A", id=ID[0]))
    commit(repo)
    assert [changed(event) for event in log(repo)] == [
        [("update", "memory/a", None)],
        [("update", "memory/a", None)],
        [("create", "memory/a", None)],
    ]


@pytest.mark.parametrize(
    ("subject", "op"),
    [
        ('Revert "record(memory): A"', "revert"),
        ('Reapply "record(memory): A"', "revert"),
        ('Revert "record(memory): A" (#12)', "revert"),
        ("Reverted something", "record"),
    ],
)
def test_reverts_are_known_by_their_subject(repo: Path, subject: str, op: str) -> None:
    write(repo, "memory/a.md", memory("A"))
    commit(repo, subject + "\n\nThis reverts commit 0123456789abcdef.\n")
    assert newest(repo).op == op


# Messages that memgit wrote


def said(
    op: str,
    *records: RecordChange,
    subject: str = "record(memory): A",
    reason: str | None = "It came up.",
    actor: str = "claude-code",
) -> str:
    return messages.build(subject, op, records, reason=reason, source="conversation", actor=actor, run="5f2c")


CREATE = RecordChange("create", ID[0], "memory/a")


def test_a_message_enriches_the_event(repo: Path) -> None:
    write(repo, "memory/a.md", memory("A", id=ID[0]))
    commit(repo, said("record", CREATE))
    event = newest(repo)
    assert (event.op, event.actor, event.run, event.source, event.reason) == (
        "record",
        "claude-code",
        "5f2c",
        "conversation",
        "It came up.",
    )
    assert event.records == (CREATE,)
    assert event.subject == "record(memory): A"


def test_amended_into_something_else(repo: Path) -> None:
    """The message still claims what the tree no longer holds."""
    commit(repo, "start")
    write(repo, "memory/a.md", memory("A", id=ID[0]))
    commit(repo, said("record", CREATE))
    (repo / "memory/a.md").unlink()
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "--amend", "--no-edit", "--allow-empty")
    assert newest(repo).records == () and newest(repo).op == "record"
    write(repo, "memory/b.md", memory("B", id=ID[1]))
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "--amend", "--no-edit")
    assert newest(repo).records == (RecordChange("create", ID[1], "memory/b"),)


def test_an_operation_that_the_tree_denies(repo: Path) -> None:
    write(repo, "memory/a.md", memory("A", id=ID[0]))
    commit(repo, said("archive", CREATE._replace(action="archive")))
    event = newest(repo)
    assert event.op == "record" and event.records == (CREATE,)
    assert event.actor == "claude-code"


@pytest.mark.parametrize("op", ["ingest", "fix", "adopt", "upgrade", "init", "revert"])
def test_operations_that_may_do_anything(repo: Path, op: str) -> None:
    write(repo, "memory/a.md", memory("A"))
    commit(repo, said(op))
    assert newest(repo).op == op


def test_an_operation_from_the_future(repo: Path) -> None:
    write(repo, "memory/a.md", memory("A"))
    commit(repo, said("explode"))
    assert newest(repo).op == "record"


def test_a_promotion_names_its_origin(repo: Path) -> None:
    write(repo, "memory/a.md", memory("A", id=ID[0]))
    text = messages.build(
        "promote(memory): A", "promote", [CREATE._replace(action="promote")], derived_from=["observation/x"]
    )
    commit(repo, text)
    event = newest(repo)
    assert (event.op, event.records[0].action, event.derived_from) == (
        "promote",
        "promote",
        ("observation/x",),
    )


def test_a_message_of_crlf(repo: Path) -> None:
    write(repo, "memory/a.md", memory("A", id=ID[0]))
    commit(repo, said("record", CREATE).replace("\n", "\r\n"))
    event = newest(repo)
    assert (event.op, event.subject, event.reason, event.actor) == (
        "record",
        "record(memory): A",
        "It came up.",
        "claude-code",
    )


def three(repo: Path) -> list[str]:
    """Three operations on a branch `side`: a record, another one, and an extension of the first."""
    commit(repo, "start")
    branch(repo, "side")
    write(repo, "memory/a.md", memory("A", id=ID[0]))
    ids = [commit(repo, said("record", CREATE, actor="one"))]
    write(repo, "knowledge-base/web.md", entries(("Grid", PROSE)))
    second = RecordChange("create", None, "knowledge/web#Grid")
    ids.append(
        commit(
            repo,
            said("record", second, subject="record(knowledge): Grid", reason="For the second.", actor="two"),
        )
    )
    write(repo, "memory/a.md", memory("A", PROSE + "\n\nMore.", id=ID[0]))
    ids.append(
        commit(
            repo, said("extend", CREATE._replace(action="extend"), subject="extend(memory): A", actor="one")
        )
    )
    run_git(repo, "checkout", "-q", "main")
    return ids


BOTH = [("create", "knowledge/web#Grid", None), ("create", "memory/a", None)]


def test_a_squash_without_trailers_loses_no_record(repo: Path) -> None:
    three(repo)
    run_git(repo, "merge", "-q", "--squash", "side")
    run_git(repo, "commit", "-q", "-m", "Knowledge of the week (#12)")
    event = newest(repo)
    assert sorted(changed(event)) == BOTH
    assert (event.op, event.actor) == ("record", None)


def test_a_squash_by_git(repo: Path) -> None:
    three(repo)
    run_git(repo, "merge", "-q", "--squash", "side")
    run_git(repo, "commit", "-q", "--no-edit")
    event = newest(repo)
    assert sorted(changed(event)) == BOTH
    assert (event.op, event.source, event.run) == ("edit", "conversation", "5f2c")
    assert sorted((event.actor or "").split(", ")) == ["one", "two"]
    assert "For the second." in (event.reason or "")


def test_a_squash_by_a_forge(repo: Path) -> None:
    ids = three(repo)
    run_git(repo, "merge", "-q", "--squash", "side")
    parts = ["Knowledge of the week (#12)"]
    for id_ in ids[:2]:
        first, _, rest = run_git(repo, "log", "-1", "--format=%B", id_).partition("\n\n")
        parts.append(f"* {first}\n\n{rest.strip()}")
    commit(repo, "\n\n".join(parts) + "\n\n---------\n\nCo-authored-by: Eve <eve@example.org>\n")
    event = newest(repo)
    assert (event.op, event.subject, event.actor) == ("record", "Knowledge of the week (#12)", "one, two")
    assert sorted(changed(event)) == BOTH
    assert "For the second." in (event.reason or "") and "Memgit" not in (event.reason or "")


def test_a_cherry_pick_and_a_rebase_keep_the_event(repo: Path) -> None:
    ids = three(repo)
    write(repo, "memory/z.md", memory("Z", OTHER))
    commit(repo, "meanwhile")
    before = {event.subject: event for event in log_of(repo, "side")}
    run_git(repo, "cherry-pick", "-x", ids[0])
    picked = newest(repo)
    assert (
        picked.records == before[picked.subject].records
        and picked.actor == "one"
        and picked.reason == "It came up."
    )
    run_git(repo, "checkout", "-q", "side")
    run_git(repo, "rebase", "-q", "main", check=False)
    for event in log(repo)[:2]:
        known = before[event.subject]
        assert (event.records, event.op, event.actor, event.reason) == (
            known.records,
            known.op,
            known.actor,
            known.reason,
        )
        assert event.commit != known.commit


def log_of(repo: Path, name: str) -> list[Event]:
    opened_ = opened(repo)
    return list(Activity(opened_, memgit()).events(commits(opened_, [opened_.resolve(name)])))


def test_a_revert(repo: Path) -> None:
    write(repo, "memory/a.md", memory("A", id=ID[0]))
    commit(repo, said("record", CREATE))
    run_git(repo, "revert", "--no-edit", "HEAD")
    event = newest(repo)
    assert (event.op, changed(event), event.actor) == ("revert", [("remove", "memory/a", None)], None)
    assert event.records[0].id == ID[0]
    assert event.subject == 'Revert "record(memory): A"'


def test_hostile_subjects_stay_on_one_line(repo: Path) -> None:
    write(repo, "memory/a.md", memory("A"))
    commit(repo, "\x1b[31mred\x07\u202e  two\tthree \x9b1m\n\nbody\n")
    assert newest(repo).subject == "[31mred two three 1m"


# Merges


def two_sides(repo: Path, base: str, ours: str, theirs: str, path: str = "memory/a.md") -> None:
    write(repo, path, base)
    start = commit(repo, "base")
    branch(repo, "side", start)
    write(repo, path, theirs)
    commit(repo, "theirs")
    run_git(repo, "checkout", "-q", "main")
    write(repo, path, ours)
    commit(repo, "ours")


LONG = [f"Paragraph {number} says something of its own." for number in range(6)]


def lines(*edits: tuple[int, str]) -> str:
    text = list(LONG)
    for number, line in edits:
        text[number] = line
    return "\n\n".join(text)


def merge(repo: Path, resolved: str | None = None, path: str = "memory/a.md") -> Event:
    run_git(repo, "merge", "-q", "--no-edit", "side", check=resolved is None)
    if resolved is not None:
        write(repo, path, resolved)
        run_git(repo, "add", "-A")
        run_git(repo, "commit", "-q", "--no-edit")
    event = newest(repo)
    assert event.op == "merge"
    return event


def test_a_clean_merge_did_nothing_itself(repo: Path) -> None:
    two_sides(
        repo, memory("A", lines()), memory("A", lines((0, "Ours."))), memory("A", lines((5, "Theirs.")))
    )
    assert merge(repo).records == ()


def test_a_resolved_conflict_is_a_change_of_the_merge(repo: Path) -> None:
    two_sides(
        repo, memory("A", lines()), memory("A", lines((2, "Ours."))), memory("A", lines((2, "Theirs.")))
    )
    event = merge(repo, memory("A", lines((2, "Ours and theirs."))))
    assert changed(event) == [("update", "memory/a", None)]


def test_a_conflict_resolved_by_one_side_is_none(repo: Path) -> None:
    two_sides(
        repo, memory("A", lines()), memory("A", lines((2, "Ours."))), memory("A", lines((2, "Theirs.")))
    )
    assert merge(repo, memory("A", lines((2, "Theirs.")))).records == ()


def test_a_conflict_resolved_by_keeping_both_is_none(repo: Path) -> None:
    two_sides(
        repo,
        entries(("A", PROSE)),
        entries(("A", PROSE), ("B", "Ours.")),
        entries(("A", PROSE), ("C", "Theirs.")),
        "knowledge-base/w.md",
    )
    event = merge(repo, entries(("A", PROSE), ("B", "Ours."), ("C", "Theirs.")), "knowledge-base/w.md")
    assert event.records == ()


def test_what_a_merge_brings_in_beside(repo: Path) -> None:
    two_sides(
        repo, memory("A", lines()), memory("A", lines((0, "Ours."))), memory("A", lines((5, "Theirs.")))
    )
    write(repo, "memory/old.md", memory("Old"))
    commit(repo, "more")
    run_git(repo, "merge", "-q", "--no-commit", "side")
    write(repo, "memory/evil.md", memory("Evil", OTHER))
    write(repo, "memory/a.md", memory("A", lines((0, "Ours."), (3, "Nobody's."), (5, "Theirs."))))
    commit(repo, "Merge branch 'side'")
    assert changed(newest(repo)) == [("update", "memory/a", None), ("create", "memory/evil", None)]


def test_a_merge_that_drops_what_both_sides_had(repo: Path) -> None:
    two_sides(
        repo, memory("A", lines()), memory("A", lines((0, "Ours."))), memory("A", lines((5, "Theirs.")))
    )
    run_git(repo, "merge", "-q", "--no-commit", "side")
    (repo / "memory/a.md").unlink()
    commit(repo, "Merge branch 'side'")
    assert changed(newest(repo)) == [("remove", "memory/a", None)]


def test_merged_fields(repo: Path) -> None:
    """Lists merged as sets and single fields taken from one side are no change; a value of its own is."""
    base = memory("A", keywords="[a, b]", source="x")
    two_sides(
        repo, base, memory("A", keywords="[a, b, c]", source="x"), memory("A", keywords="[b, d]", source="y")
    )
    event = merge(repo, memory("A", keywords="[b, c, d]", source="y"))
    assert event.records == ()
    write(repo, "memory/a.md", memory("A", keywords="[b, c, d, e]", source="y"))
    run_git(repo, "commit", "-q", "-a", "--amend", "--no-edit")
    assert changed(newest(repo)) == [("update", "memory/a", None)]
    write(repo, "memory/a.md", memory("A", keywords="[b, c, d]", source="z"))
    run_git(repo, "commit", "-q", "-a", "--amend", "--no-edit")
    assert changed(newest(repo)) == [("update", "memory/a", None)]


def test_a_rename_on_one_side_and_an_edit_on_the_other(repo: Path) -> None:
    two_sides(
        repo, memory("A", lines()), memory("A", lines((0, "Ours."))), memory("A", lines((5, "Theirs.")))
    )
    run_git(repo, "mv", "memory/a.md", "memory/b.md")
    commit(repo, "renamed")
    assert merge(repo).records == ()
    assert (repo / "memory/b.md").read_text() == memory("A", lines((0, "Ours."), (5, "Theirs.")))


def test_a_merge_with_the_message_of_a_forge(repo: Path) -> None:
    two_sides(
        repo, memory("A", lines()), memory("A", lines((0, "Ours."))), memory("A", lines((5, "Theirs.")))
    )
    run_git(repo, "merge", "-q", "--no-commit", "side")
    commit(
        repo,
        "Merge pull request #7 from team/side\n\n"
        + said("update", CREATE._replace(action="update"), subject="update(memory): A"),
    )
    event = newest(repo)
    assert (event.op, event.records, event.actor) == ("merge", (), "claude-code")


def test_an_octopus(repo: Path) -> None:
    start = commit(repo, "start")
    for name in ("one", "two", "three"):
        branch(repo, name, start)
        write(repo, f"memory/{name}.md", memory(name.title(), f"{name} {PROSE}"))
        commit(repo, name)
    run_git(repo, "merge", "-q", "--no-edit", "one", "two")
    assert newest(repo).op == "merge" and newest(repo).records == ()
    write(repo, "memory/one.md", memory("One", "Changed by the merge."))
    run_git(repo, "commit", "-q", "-a", "--amend", "--no-edit")
    assert changed(newest(repo)) == [("update", "memory/one", None)]


# Incomplete clones, folders, other layouts


def test_the_border_of_a_shallow_clone_claims_only_what_it_knows(repo: Path, tmp_path: Path) -> None:
    for number in range(3):
        write(repo, f"memory/m{number}.md", memory(f"M{number}", f"{number} {PROSE}", id=ID[number]))
        said_ = said(
            "record",
            RecordChange("create", ID[number], f"memory/m{number}"),
            RecordChange("archive", ID[0], "memory/gone"),
        )
        commit(repo, said_ if number == 1 else f"by hand {number}")
    run_git(tmp_path, "clone", "-q", "--depth", "2", f"file://{repo}", "shallow")
    found = log(tmp_path / "shallow")
    assert [(event.complete, changed(event)) for event in found] == [
        (True, [("create", "memory/m2", None)]),
        (False, [("create", "memory/m1", None)]),
    ]
    assert found[1].actor == "claude-code"
    run_git(tmp_path / "shallow", "fetch", "-q", "--unshallow")
    assert log(tmp_path / "shallow") == log(repo)


def test_a_partial_clone_says_what_it_lacks(repo: Path, tmp_path: Path) -> None:
    run_git(repo, "config", "uploadpack.allowFilter", "true")
    write(repo, "memory/a.md", memory("A"))
    commit(repo, "one")
    write(repo, "memory/a.md", memory("A", "Changed."))
    write(repo, "memory/b.md", memory("B", OTHER))
    commit(repo, "two")
    run_git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{repo}", "partial")
    run_git(tmp_path / "partial", "config", "remote.origin.url", f"file://{tmp_path}/gone")
    found = log(tmp_path / "partial")
    assert [(event.complete, changed(event)) for event in found] == [
        (False, [("update", "memory/a", None), ("create", "memory/b", None)]),
        (False, [("create", "memory/a", None)]),
    ]


def test_a_root_inside_the_repository(repo: Path) -> None:
    write(repo, "src/a.py", "a\n")
    commit(repo, "code")
    write(repo, "docs/kb/memory/a.md", memory("A"))
    write(repo, "memory/outside.md", memory("B", OTHER))
    commit(repo, "knowledge")
    found = log(repo, prefix="docs/kb/")
    assert [(event.subject, changed(event)) for event in found] == [
        ("knowledge", [("create", "memory/a", None)])
    ]


def test_any_repository_of_markdown(repo: Path) -> None:
    write(repo, "README.md", "# Hello\n")
    write(repo, "a b/c — d.md", "# C\n\n" + PROSE + "\n")
    commit(repo)
    run_git(repo, "mv", "a b/c — d.md", "e.md")
    commit(repo)
    found = log(repo, notes())
    assert [changed(event) for event in found] == [
        [("rename", "note/e", "note/a b/c — d")],
        [("create", "note/README", None), ("create", "note/a b/c — d", None)],
    ]


def test_a_replaced_blob_is_read_as_it_was_committed(repo: Path) -> None:
    """Replacements belong to one clone; what a commit did is the same in all of them, whichever way its files
    are read.
    """
    write(repo, "memory/a.md", memory("A", id=ID[0]))
    commit(repo)
    other = run_git(repo, "hash-object", "-w", "--stdin", data=memory("A", id=ID[1]).encode())
    run_git(repo, "replace", run_git(repo, "rev-parse", "HEAD:memory/a.md"), other)
    assert [event.records[0].id for event in (*log(repo), newest(repo))] == [ID[0], ID[0]]


# Everything together


def test_the_log_tells_what_was_done(repo: Path) -> None:
    """Random operations on files, some with a message of memgit's, many by hand: the log names exactly them,
    in order.
    """
    chance = random.Random(11)
    words = PROSE.split() + OTHER.split()
    there: dict[str, tuple[str, str | None, str]] = {}
    done: list[set[tuple[str, str, str | None]]] = []
    serial = 0

    def text() -> str:
        return " ".join(chance.choices(words, k=60))

    commit(repo, "start")
    for _ in range(80):
        expected: set[tuple[str, str, str | None]] = set()
        touched: set[str] = set()
        for _ in range(chance.choice([1, 1, 1, 2, 3])):
            free = sorted(set(there) - touched)
            move = (
                chance.choice(["create", "create", "extend", "update", "rename", "remove", "archive"])
                if free
                else "create"
            )
            if move == "create":
                serial += 1
                key, id_, body = f"k{serial}", chance.choice([None, f"kb{serial:08d}"]), text()
                there[key] = (f"T{serial}", id_, body)
                touched.add(key)
                expected.add(("create", f"memory/{key}", None))
            else:
                key = chance.choice(free)
                title, id_, body = there[key]
                fields = {"id": id_} if id_ else {}
                if move == "remove":
                    del there[key]
                    (repo / f"memory/{key}.md").unlink()
                    expected.add(("remove", f"memory/{key}", None))
                    continue
                if move == "rename":
                    serial += 1
                    del there[key]
                    expected.add(("rename", f"memory/k{serial}", f"memory/{key}"))
                    (repo / f"memory/{key}.md").unlink()
                    key = f"k{serial}"
                    there[key] = (title, id_, body if id_ is None else text())
                elif move == "extend":
                    there[key] = (title, id_, body + "\n\n" + text())
                    expected.add(("extend", f"memory/{key}", None))
                elif move == "update":
                    there[key] = (title, id_, text())
                    expected.add(("update", f"memory/{key}", None))
                else:
                    del there[key]
                    write(repo, f"memory/{key}.md", memory(title, body, archived="2026-01-02", **fields))
                    expected.add(("archive", f"memory/{key}", None))
                    continue
                touched.add(key)
        for key in touched & set(there):
            title, id_, body = there[key]
            write(repo, f"memory/{key}.md", memory(title, body, **({"id": id_} if id_ else {})))
        commit(
            repo,
            "by hand"
            if chance.random() < 0.5
            else said("edit", *(RecordChange(a, None, b, c) for a, b, c in expected)),
        )
        done.append(expected)
    assert [set(changed(event)) for event in reversed(log(repo)[:-1])] == done

"""The stream of commits: the same commits, order, files and renames as the user's own `git log`, whatever is
configured.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from memgit.errors import Refused
from memgit.git.history import history
from memgit.git.history.history import RawCommit, Side, boundary, commits, listed, order, read, state
from memgit.git.repository import Repository
from tests.support import childless, commit, run_git, write

PROSE = "".join(f"Line {number} of a text that is long enough to be known again.\n" for number in range(12))


def opened(folder: Path, prefix: str = "") -> Repository:
    return Repository.open(str(folder), dict(os.environ)).at_prefix(prefix)


def told(folder: Path, *revisions: str, prefix: str = "") -> list[RawCommit]:
    repo = opened(folder, prefix)
    return list(commits(repo, list(revisions) or [repo.resolve("HEAD")]))


def status(folder: Path, *args: str) -> dict[str, list[tuple[str, str, str]]]:
    """`git log --name-status -M` as a table: commit to (letter, old path, new path)."""
    text = run_git(folder, "log", "-z", "--name-status", "-M", "--format=%x01%H", *args)
    out: dict[str, list[tuple[str, str, str]]] = {}
    words = iter(text.split("\0"))
    for word in words:
        letter = word.lstrip("\n")
        if letter.startswith("\x01"):
            current = out.setdefault(letter[1:].strip(), [])
        elif letter:
            old = next(words)
            current.append((letter[0], old, next(words) if letter[0] in "RC" else old))
    return out


def as_status(commit: RawCommit) -> list[tuple[str, str, str]]:
    return [
        (
            change.status,
            (change.old or change.new or Side("", "", "")).path,
            (change.new or change.old or Side("", "", "")).path,
        )
        for change in commit.changes
    ]


def agree(folder: Path, *args: str, prefix: str = "") -> list[RawCommit]:
    """The stream, after checking every commit against git's own listing."""
    found = told(folder, prefix=prefix)
    extra = ["--full-history", "--", prefix.rstrip("/")] if prefix else []
    assert [commit.commit for commit in found] == run_git(folder, "log", "--format=%H", *args, *extra).split()
    expected = status(folder, *args, *extra)
    for one in found:
        if len(one.parents) < 2:
            wanted = [
                (letter, old.removeprefix(prefix), new.removeprefix(prefix))
                for letter, old, new in expected[one.commit]
            ]
            assert as_status(one) == wanted
    repo = opened(folder, prefix)
    ids = [commit.commit for commit in found]
    assert list(order(repo, [repo.resolve("HEAD")])) == ids
    assert list(listed(repo, ids)) == found
    assert list(listed(repo, reversed(ids))) == list(reversed(found))
    return found


def test_files_of_every_kind_of_change(repo: Path) -> None:
    write(repo, "notes/a.md", PROSE)
    write(repo, "notes/b.md", "b\n")
    write(repo, "c.md", "c\n")
    commit(repo, "first\n\nbody\n")
    run_git(repo, "mv", "notes/a.md", "notes/z.md")
    write(repo, "notes/z.md", PROSE + "more\n")
    write(repo, "notes/b.md", "changed\n")
    (repo / "c.md").unlink()
    write(repo, "d.md", "d\n")
    commit(repo, "second")
    (repo / "d.md").chmod(0o755)
    commit(repo, "mode")
    (repo / "d.md").unlink()
    (repo / "d.md").symlink_to("notes/b.md")
    commit(repo, "link")
    commit(repo, "nothing")
    found = agree(repo)
    assert [len(each.changes) for each in found] == [0, 1, 1, 4, 3]
    renamed = next(change for change in found[3].changes if change.status == "R")
    assert renamed.old is not None and renamed.new is not None
    assert (renamed.old.path, renamed.new.path) == ("notes/a.md", "notes/z.md")
    assert renamed.new == Side("notes/z.md", run_git(repo, "rev-parse", "HEAD~3:notes/z.md"), "100644")
    link = found[1].changes[0]
    assert link.status == "T" and link.new is not None and link.new.mode == "120000"
    first = found[-1]
    assert first.parents == () and first.message == "first\n\nbody\n"
    assert all(change.old is None and change.status == "A" for change in first.changes)
    assert first.author == "Ada Moss <ada@example.org>"


def test_names_with_any_character(repo: Path) -> None:
    names = [
        "a b.md",
        "tab\there.md",
        "line\nbreak.md",
        '"quoted".md',
        "café — ☕.md",
        ":colon.md",
        "\udcff.md",
        "\x01\x1e\x1f.md",
        "-x.md",
        "[a]*.md",
    ]
    for name in names:
        write(repo, name, PROSE + name)
    commit(repo)
    for name in names:
        run_git(repo, "mv", "--", name, f"new {name}")
    commit(repo)
    found = agree(repo)
    assert {change.new.path for change in found[1].changes if change.new} == set(names)
    assert {
        (change.old.path, change.new.path) for change in found[0].changes if change.old and change.new
    } == {(name, f"new {name}") for name in names}


@pytest.mark.parametrize(
    "message",
    [
        "plain",
        "subject\n\n:100644 100644 0000 1111 M\n\nbody",
        ":000000 100644 " + "0" * 40 + " " + "1" * 40 + " A\n",
        "a" * 40,
        "\n\n\nleading blanks",
        "\x01\x02\x1e\x1f",
        "trailing   \n\n\n",
        "crlf\r\n\r\nbody\r\n",
        "x" * 200_000,
        "emoji 🎉 中文",
    ],
)
def test_no_message_is_taken_for_structure(repo: Path, message: str) -> None:
    write(repo, "a.md", "a\n")
    commit(repo, message)
    write(repo, "b.md", "b\n")
    commit(repo, "next")
    found = agree(repo)
    assert found[1].message.rstrip("\n") == run_git(repo, "log", "-1", "--format=%B", "HEAD~1").rstrip("\n")
    assert [change.status for change in found[1].changes] == ["A"]


def test_the_users_settings_change_nothing(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "order").write_text("z*\n")
    write(repo, "a.md", PROSE)
    write(repo, "z.md", "z\n")
    commit(repo, "Ä ö\n")
    run_git(repo, "mv", "a.md", "b.md")
    write(repo, "z.md", "zz\n")
    commit(repo)
    before = told(repo)
    for key, value in {
        "diff.orderFile": str(tmp_path / "order"),
        "diff.renames": "false",
        "diff.renameLimit": "1",
        "diff.noprefix": "true",
        "diff.relative": "true",
        "diff.mnemonicPrefix": "true",
        "log.showSignature": "true",
        "log.date": "relative",
        "log.decorate": "full",
        "log.diffMerges": "first-parent",
        "log.follow": "true",
        "log.abbrevCommit": "true",
        "log.showRoot": "false",
        "log.mailmap": "true",
        "core.abbrev": "4",
        "core.quotePath": "true",
        "color.ui": "always",
        "format.pretty": "oneline",
        "i18n.logOutputEncoding": "ISO-8859-1",
        "notes.displayRef": "refs/notes/*",
    }.items():
        run_git(repo, "config", key, value)
    write(repo, ".mailmap", "Eve <eve@example.org> <ada@example.org>\n")
    run_git(repo, "notes", "add", "-m", "noted", "HEAD")
    assert told(repo) == before
    assert before[1].message.strip() == "Ä ö"


def test_an_encoding_header_is_read(repo: Path) -> None:
    write(repo, "a.md", "a\n")
    run_git(repo, "add", ".")
    run_git(
        repo,
        "-c",
        "i18n.commitEncoding=ISO-8859-1",
        "commit",
        "-q",
        "-F",
        "-",
        data="Grüße".encode("latin-1"),
    )
    raw = run_git(repo, "cat-file", "commit", "HEAD")
    assert "encoding ISO-8859-1" in raw
    assert told(repo)[0].message.strip() == "Grüße"


def test_bytes_that_are_no_utf8_do_not_stop_the_stream(repo: Path) -> None:
    write(repo, "a.md", "a\n")
    run_git(repo, "add", ".")
    tree = run_git(repo, "write-tree")
    text = (
        b"tree "
        + tree.encode()
        + b"\nauthor \xff <x@y> 1700000000 +0130\ncommitter x <x@y> 1700000000 +0130\n\nsub\xfe\n"
    )
    oid = run_git(repo, "hash-object", "-t", "commit", "-w", "--stdin", data=text)
    run_git(repo, "update-ref", "refs/heads/main", oid)
    found = told(repo)[0]
    assert found.author == "\ufffd <x@y>" and found.message.strip() == "sub\ufffd"
    assert found.date == "2023-11-14T23:43:20+01:30"


def test_a_date_in_utc_is_written_in_one_way(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2026-02-03T04:05:06+0000")
    commit(repo)
    assert told(repo)[0].date == "2026-02-03T04:05:06+00:00"
    plain = b"a" * 40 + b"\0\0A <a@b>\x002026-02-03T04:05:06Z\0m\n\0"
    assert [each.date for each in read([plain])] == ["2026-02-03T04:05:06+00:00"]


def test_the_bytes_may_come_in_any_pieces(repo: Path) -> None:
    for number in range(4):
        write(repo, f"{number}.md", PROSE + str(number))
        commit(repo, f"{number}\n\n:text\n")
    run_git(repo, "mv", "1.md", "x.md")
    commit(repo)
    whole = told(repo)
    data = b""
    from memgit.git import process

    for piece in process.stream(["log", history._FORMAT, *history._PINNED, "-M", "HEAD"], repo=opened(repo)):
        data += piece
    assert list(read([data])) == whole
    assert list(read(data[i : i + 1] for i in range(len(data)))) == whole
    assert list(read(data[i : i + 7] for i in range(0, len(data), 7))) == whole


def branch(repo: Path, name: str, start: str) -> None:
    run_git(repo, "checkout", "-q", "-b", name, start)


def test_a_merge_names_what_differs_from_all_parents(repo: Path) -> None:
    write(repo, "both.md", PROSE)
    write(repo, "ours.md", "a\n")
    write(repo, "theirs.md", "a\n")
    base = commit(repo)
    branch(repo, "side", base)
    write(repo, "both.md", PROSE + "end\n")
    write(repo, "theirs.md", "b\n")
    commit(repo)
    run_git(repo, "checkout", "-q", "main")
    write(repo, "both.md", "start\n" + PROSE)
    write(repo, "ours.md", "b\n")
    commit(repo)
    run_git(repo, "merge", "-q", "--no-edit", "side")
    found = agree(repo)
    merge = found[0]
    assert len(merge.parents) == 2
    assert [(change.status, change.new.path) for change in merge.changes if change.new] == [("MM", "both.md")]
    change = merge.changes[0]
    assert change.old == Side("both.md", run_git(repo, "rev-parse", "HEAD^1:both.md"), "100644")
    assert change.others == (Side("both.md", run_git(repo, "rev-parse", "HEAD^2:both.md"), "100644"),)


def test_a_rename_on_one_side_keeps_the_old_name_in_the_merge(repo: Path) -> None:
    write(repo, "old.md", PROSE)
    base = commit(repo)
    branch(repo, "side", base)
    write(repo, "old.md", PROSE + "end\n")
    commit(repo)
    run_git(repo, "checkout", "-q", "main")
    run_git(repo, "mv", "old.md", "new.md")
    write(repo, "new.md", "start\n" + PROSE)
    commit(repo)
    run_git(repo, "merge", "-q", "--no-edit", "side")
    change = agree(repo)[0].changes[0]
    assert change.new is not None and change.new.path == "new.md"
    assert change.old is not None and change.old.path == "new.md"
    assert change.others[0] is not None and change.others[0].path == "old.md"


def test_an_octopus(repo: Path) -> None:
    write(repo, "a.md", "a\n")
    base = commit(repo)
    for name in ("one", "two", "three"):
        branch(repo, name, base)
        write(repo, f"{name}.md", name)
        commit(repo, name)
    run_git(repo, "checkout", "-q", "-b", "all", "one")
    run_git(repo, "merge", "-q", "--no-edit", "two", "three")
    found = agree(repo)
    assert len(found[0].parents) == 3 and found[0].changes == ()
    write(repo, "evil.md", "in the merge\n")
    run_git(repo, "add", ".")
    run_git(repo, "commit", "-q", "--amend", "--no-edit")
    change = agree(repo)[0].changes[0]
    assert change.status == "AAA" and change.old is None and change.others == (None, None)


def test_two_roots(repo: Path) -> None:
    write(repo, "a.md", "a\n")
    commit(repo)
    run_git(repo, "checkout", "-q", "--orphan", "other")
    run_git(repo, "rm", "-q", "-r", "-f", ".")
    write(repo, "b.md", "b\n")
    commit(repo)
    run_git(repo, "merge", "-q", "--no-edit", "--allow-unrelated-histories", "main")
    found = agree(repo)
    assert len(found) == 3
    assert sorted(
        change.new.path for each in found if not each.parents for change in each.changes if change.new
    ) == ["a.md", "b.md"]


def test_submodules_are_told_by_their_mode(repo: Path, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    run_git(inner, "init", "-q")
    commit(inner)
    run_git(repo, "submodule", "--quiet", "add", str(inner), "sub.md")
    commit(repo)
    modes = {change.new.path: change.new.mode for change in agree(repo)[0].changes if change.new}
    assert modes == {".gitmodules": "100644", "sub.md": "160000"}


def test_only_the_folder_of_the_knowledge_root(repo: Path) -> None:
    write(repo, "src/a.py", "a\n")
    commit(repo, "code")
    write(repo, "docs/kb/a.md", PROSE)
    write(repo, "docs/other.md", PROSE + "other\n")
    inside = commit(repo, "both")
    write(repo, "src/a.py", "b\n")
    commit(repo, "code")
    run_git(repo, "mv", "docs/kb/a.md", "docs/kb/b.md")
    renamed = commit(repo, "rename")
    run_git(repo, "mv", "docs/other.md", "docs/kb/other.md")
    moved = commit(repo, "move in")
    found = agree(repo, prefix="docs/kb/")
    assert [each.commit for each in found] == [moved, renamed, inside]
    assert [as_status(each) for each in found] == [
        [("A", "other.md", "other.md")],
        [("R", "a.md", "b.md")],
        [("A", "a.md", "a.md")],
    ]


def test_a_folder_whose_name_is_a_pattern(repo: Path) -> None:
    write(repo, "[k]b*/a.md", "a\n")
    write(repo, "kb/a.md", "a\n")
    inside = commit(repo)
    write(repo, "kb/b.md", "a\n")
    commit(repo)
    assert [each.commit for each in told(repo, prefix="[k]b*/")] == [inside]


def test_branches_that_were_undone_are_not_simplified_away(repo: Path) -> None:
    """History is kept in full below a folder: a side branch whose change the merge threw away was still work."""
    write(repo, "kb/a.md", "a\n")
    base = commit(repo)
    branch(repo, "side", base)
    write(repo, "kb/a.md", "b\n")
    lost = commit(repo, "lost")
    run_git(repo, "checkout", "-q", "main")
    write(repo, "x", "x\n")
    commit(repo)
    run_git(repo, "merge", "-q", "-s", "ours", "--no-edit", "side")
    assert lost in [each.commit for each in agree(repo, prefix="kb/")]


def test_ranges(repo: Path) -> None:
    ids = [commit(repo, str(number)) for number in range(5)]
    assert [each.commit for each in told(repo, ids[3], f"^{ids[1]}")] == [ids[3], ids[2]]
    assert told(repo, ids[1], f"^{ids[3]}") == []
    with pytest.raises(Refused):
        told(repo, "0" * 39 + "1")


def test_the_border_of_a_shallow_clone(repo: Path, tmp_path: Path) -> None:
    for number in range(4):
        write(repo, f"{number}.md", "x\n")
        commit(repo, str(number))
    run_git(tmp_path, "clone", "-q", "--depth", "2", f"file://{repo}", "shallow")
    clone = tmp_path / "shallow"
    found = agree(clone)
    assert len(found) == 2
    assert boundary(opened(clone)) == {found[1].commit}
    assert boundary(opened(repo)) == frozenset()
    assert len(found[1].changes) == 3


def test_what_bends_history_has_a_fingerprint(repo: Path, tmp_path: Path) -> None:
    ids = [commit(repo, str(number)) for number in range(4)]
    states = [state(opened(repo))]
    (repo / ".git" / "info").mkdir(exist_ok=True)
    (repo / ".git" / "info" / "grafts").write_text(f"{ids[3]} {ids[0]}\n")
    states.append(state(opened(repo)))
    assert [each.commit for each in agree(repo)] == [ids[3], ids[0]]
    (repo / ".git" / "info" / "grafts").unlink()
    run_git(tmp_path, "clone", "-q", "--depth", "2", f"file://{repo}", "shallow")
    states.append(state(opened(tmp_path / "shallow")))
    assert states[0] == "" == state(opened(repo))
    assert len(set(states)) == 3


@pytest.mark.parametrize("packed", [False, True])
def test_replacements_are_not_followed(repo: Path, packed: bool) -> None:
    """libgit2 knows none of them: what git tells must be the history that it reads too."""
    ids = [commit(repo, str(number)) for number in range(4)]
    run_git(repo, "replace", "--graft", ids[3], ids[1])
    if packed:
        run_git(repo, "pack-refs", "--all")
    assert [each.commit for each in told(repo, ids[3])] == ids[::-1]
    assert list(order(opened(repo), [ids[3]])) == ids[::-1]
    assert state(opened(repo)) == ""
    assert opened(repo).parents_of(ids[3]) == [ids[2]]


def lose(repo: Path, *paths: str) -> None:
    """Takes the files of some paths at HEAD out of the object store."""
    run_git(repo, "config", "core.looseCompression", "1")
    for path in paths:
        oid = run_git(repo, "rev-parse", path)
        target = repo / ".git" / "objects" / oid[:2] / oid[2:]
        target.chmod(0o644)
        target.unlink()


@pytest.mark.parametrize("several", [1, 2])
def test_a_missing_file_does_not_end_the_log(repo: Path, several: int) -> None:
    """git stops where it would compare a file that is not there; only in that commit are renames then told by
    equal content alone.
    """
    write(repo, "a.md", PROSE)
    write(repo, "b.md", PROSE + "b\n")
    write(repo, "c.md", PROSE + "c\n")
    commit(repo)
    for number in range(several):
        run_git(repo, "mv", "a.md" if not number else f"a{number}.md", f"a{number + 1}.md")
        write(repo, f"a{number + 1}.md", PROSE + f"more {number}\n")
        run_git(repo, "mv", "b.md" if not number else f"b{number}.md", f"b{number + 1}.md")
        commit(repo, str(number))
    run_git(repo, "mv", "c.md", "d.md")
    write(repo, "d.md", PROSE + "c\nd\n")
    commit(repo, "after")
    whole = agree(repo)
    lose(repo, *(f"HEAD~{several - number}:a{number + 1}.md" for number in range(several)))
    found = told(repo)
    assert [each.commit for each in found] == [each.commit for each in whole]
    assert found[0] == whole[0] and found[-1] == whole[-1]
    for each in found[1:-1]:
        assert sorted(change.status for change in each.changes) == ["A", "D", "R"]
    assert list(listed(opened(repo), [each.commit for each in whole])) == found


def test_many_missing_files_are_not_mended_one_by_one(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MAX_MENDS", 1)
    for number in range(4):
        write(repo, f"{number}.md", PROSE + f"{number}\n")
    commit(repo)
    for number in range(4):
        run_git(repo, "mv", f"{number}.md", f"new{number}.md")
        write(repo, f"new{number}.md", PROSE + f"{number} and more\n")
        commit(repo, str(number))
    ids = [each.commit for each in agree(repo)]
    lose(repo, *(f"HEAD:new{number}.md" for number in range(4)))
    assert [each.commit for each in told(repo)] == ids


def test_a_broken_repository_is_refused_in_words(repo: Path) -> None:
    write(repo, "a/b.md", "a\n")
    commit(repo)
    write(repo, "a/c.md", "a\n")
    commit(repo)
    lose(repo, "HEAD:a")
    stream = commits(opened(repo), [run_git(repo, "rev-parse", "HEAD")])
    with pytest.raises(Refused, match="git log"):
        list(stream)


def test_a_reader_that_stops_early_leaves_no_process(repo: Path) -> None:
    for number in range(50):
        commit(repo, f"{number}\n\n" + "x" * 5000)

    def first(stream: Iterator[RawCommit]) -> str:
        return next(stream).message[:2]

    stream = commits(opened(repo), [run_git(repo, "rev-parse", "HEAD")])
    assert first(stream) == "49"
    stream.close()  # type: ignore[attr-defined]
    assert childless()


def test_order_and_renames_on_random_histories(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Branches and merges with equal, backward and forward dates: the order is git's own, the files too."""
    chance = random.Random(5)
    names = ["main"]
    write(repo, "0.md", PROSE)
    commit(repo)
    for number in range(60):
        monkeypatch.setenv(
            "GIT_COMMITTER_DATE", f"{1_700_000_000 + chance.choice([0, 0, 60, -600, 3600])} +0000"
        )
        move = chance.random()
        if move < 0.15:
            branch(repo, f"b{number}", chance.choice(names))
            names.append(f"b{number}")
        elif move < 0.35 and len(names) > 1:
            run_git(repo, "merge", "-q", "--no-edit", "-X", "ours", chance.choice(names), check=False)
            run_git(repo, "add", "-A")
            run_git(repo, "commit", "-q", "--no-edit", "--allow-empty", check=False)
        elif move < 0.5:
            run_git(repo, "checkout", "-q", chance.choice(names))
        elif move < 0.7:
            files = run_git(repo, "ls-files").split("\n")
            run_git(repo, "mv", chance.choice(files), f"r{number}.md")
            commit(repo, f"rename {number}")
        else:
            write(repo, f"{chance.randrange(6)}.md", PROSE + f"edit {number}\n" * chance.randrange(1, 5))
            commit(repo, f"edit {number}")
    for name in names:
        run_git(repo, "merge", "-q", "--no-edit", "-s", "ours", name)
    found = agree(repo)
    assert len(found) > 40
    assert any(len(each.parents) > 1 for each in found)

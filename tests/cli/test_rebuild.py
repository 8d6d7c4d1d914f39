"""`memgit rebuild`: what it writes, what it checks, and what it leaves alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memgit.app.derived import files as derived_files
from memgit.app.derived.files import State
from memgit.derive.view import Rendered
from tests.support import Prepared, count_commits, memgit, run_git, status, write


@pytest.fixture
def filled(prepared: Prepared) -> Path:
    """A knowledge repository with a few records of several kinds."""
    return prepared("kb", fill)


def fill(kb: Path) -> None:
    memgit(
        kb,
        "record",
        "knowledge",
        "Grid without media queries",
        "--category",
        "web",
        "--category-name",
        "Web craft",
        "--category-keywords",
        "css, grid",
        "-m",
        "- auto-fit",
        "--keywords",
        "css, grid",
    )
    memgit(
        kb,
        "record",
        "knowledge",
        "Retry only timeouts",
        "--category",
        "http",
        "-m",
        "- A 4xx stays one",
        "--keywords",
        "http",
    )
    memgit(
        kb,
        "record",
        "experience",
        "Tables first",
        "--skill",
        "pdf",
        "-m",
        "- Find the ruling lines",
        "--keywords",
        "tables",
    )
    memgit(kb, "record", "memory", "Tides", "--scope", "sea/north", "-m", "Twice a day.")
    memgit(kb, "record", "decision", "Use rebase", "-m", "Linear history.")


def derived(folder: Path) -> dict[str, bytes]:
    """The derived files of a working tree."""
    names = ("_index.json", "INDEX.md")
    found = [path for path in folder.rglob("*") if path.name in names and ".git" not in path.parts]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def differences(folder: Path, *args: str) -> list[tuple[str, int, str]]:
    answer = memgit(folder, "rebuild", "--check", "--json", *args, code=None)
    rows = [(row["path"], row["line"], row["message"]) for row in answer.json["differences"]]
    assert answer.code == (1 if rows else 0)
    return rows


def test_what_writes_made_is_right(filled: Path) -> None:
    answer = memgit(filled, "rebuild", "--json")
    assert answer.json == {
        "revision": run_git(filled, "rev-parse", "HEAD"),
        "fresh": True,
        "complete": True,
        "differences": [],
        "written": [],
        "records": 5,
        "events": 6,
        "derived": len(derived(filled)),
        "commit": None,
        "left_to": None,
    }
    assert differences(filled) == []
    assert status(filled) == ""


def test_drift_is_named_with_its_first_line_and_mended_in_the_working_tree_alone(filled: Path) -> None:
    right = derived(filled)
    index = filled / "knowledge-base/_index.json"
    index.write_bytes(index.read_bytes().replace(b'"count": 1', b'"count": 7', 1))
    (filled / "memory/sea/INDEX.md").unlink()
    run_git(filled, "commit", "-qam", "drift")
    line = next(
        number for number, text in enumerate(index.read_text().split("\n"), 1) if '"count": 7' in text
    )
    assert differences(filled) == [
        ("knowledge-base/_index.json", line, "not what the records give"),
        ("memory/sea/INDEX.md", 1, "this derived file is missing"),
    ]
    assert index.read_bytes() != right["knowledge-base/_index.json"]
    assert "knowledge-base/_index.json" in memgit(filled, "rebuild", "--check", code=1).out
    staged = run_git(filled, "ls-files", "--stage")
    answer = memgit(filled, "rebuild")
    assert "wrote knowledge-base/_index.json\nwrote memory/sea/INDEX.md\n" in answer.out
    assert "2 written" in answer.out
    assert derived(filled) == right
    assert run_git(filled, "ls-files", "--stage") == staged
    assert status(filled) == " M knowledge-base/_index.json\n?? memory/sea/INDEX.md"
    assert memgit(filled, "rebuild", "--json").json["written"] == []


def test_commit_commits_the_derived_files_and_nothing_else(filled: Path) -> None:
    right = derived(filled)
    index = filled / "knowledge-base/_index.json"
    index.write_bytes(index.read_bytes().replace(b'"count": 1', b'"count": 7'))
    run_git(filled, "commit", "-qam", "drift")
    (filled / "other.txt").write_text("mine")
    run_git(filled, "add", "other.txt")
    memory = filled / "memory/sea/north/tides.md"
    memory.write_text(memory.read_text().replace("Tides", "High tides"))
    answer = memgit(filled, "rebuild", "--commit", "--json").json
    assert answer["commit"] == run_git(filled, "rev-parse", "HEAD")
    assert (
        run_git(filled, "show", "--name-only", "--format=%s") == "fix: indexes\n\nknowledge-base/_index.json"
    )
    assert "Memgit-Op: fix" in run_git(filled, "log", "-1", "--format=%B")
    assert index.read_bytes() == right["knowledge-base/_index.json"]
    # The edit of the memory stays uncommitted, and so does what follows from it.
    assert answer["written"] == ["memory/sea/north/INDEX.md"]
    assert status(filled) == " M memory/sea/north/INDEX.md\n M memory/sea/north/tides.md\nA  other.txt"
    assert differences(filled, "--at", "HEAD") == []
    before = count_commits(filled)
    assert memgit(filled, "rebuild", "--commit", "--json").json["commit"] is None
    assert count_commits(filled) == before


def test_uncommitted_edits_of_records_count(filled: Path) -> None:
    (filled / "memory/sea/north/spring.md").write_text("---\ntitle: Spring tides\n---\n\nAt new moon.\n")
    (filled / "decisions").joinpath(
        next(name for name in os.listdir(filled / "decisions") if name != "INDEX.md")
    ).unlink()
    assert [path for path, _, _ in differences(filled)] == [
        "INDEX.md",
        "decisions/INDEX.md",
    ]
    assert differences(filled, "--at", "HEAD") == []
    answer = memgit(filled, "rebuild")
    assert "removed decisions/INDEX.md" in answer.out
    assert "Spring tides" in (filled / "memory/sea/north/INDEX.md").read_text()
    assert memgit(filled, "rebuild", "--json").json["records"] == 5


def test_a_fresh_clone_is_right_and_its_cache_answers_the_same(filled: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", str(filled), "clone")
    clone = tmp_path / "clone"
    memgit(clone, "rebuild")
    assert derived(clone) == derived(filled)
    assert status(clone) == ""
    for args in (
        ["log", "--json"],
        ["list", "--json"],
        ["history", "tides", "--json"],
        ["show", "tides", "--json"],
    ):
        assert memgit(clone, *args).json == memgit(filled, *args).json


def test_deleting_cache_and_all_derived_files_loses_nothing(filled: Path) -> None:
    (filled / "INDEX.md").write_text(
        "Our own words.\n\n" + (filled / "INDEX.md").read_text() + "\nAnd these.\n"
    )
    index = filled / "knowledge-base/_index.json"
    index.write_text(
        index.read_text()
        .replace('"Http"', '"The wire"')
        .replace('"absorbedSkills": []', '"absorbedSkills": ["x"]')
    )
    run_git(filled, "commit", "-qam", "by hand")
    memgit(filled, "rebuild", "--commit")
    right = derived(filled)
    assert "Our own words." in right["INDEX.md"].decode()
    assert "The wire" in right["INDEX.md"].decode()
    shutil.rmtree(filled / ".git/memgit")
    for path in right:
        (filled / path).unlink()
    memgit(filled, "rebuild")
    assert derived(filled) == right
    assert status(filled) == ""
    for path in right:
        (filled / path).unlink()
    run_git(filled, "commit", "-qam", "all of them gone")
    assert len(differences(filled)) == len(right)
    memgit(filled, "rebuild", "--commit")
    assert derived(filled) == right
    assert status(filled) == ""


def test_at_a_revision_is_compared_with_what_that_commit_holds(filled: Path) -> None:
    first = run_git(filled, "rev-parse", "HEAD")
    (filled / "INDEX.md").write_text("# Index\n")
    run_git(filled, "commit", "-qam", "drift")
    answer = memgit(filled, "rebuild", "--at", first[:10], "--json").json
    assert (answer["revision"], answer["fresh"], answer["differences"]) == (first, False, [])
    assert differences(filled, "--at", "HEAD") == [("INDEX.md", 2, "not what the records give")]
    assert (filled / "INDEX.md").read_text() == "# Index\n"
    assert "no commit is named" in memgit(filled, "rebuild", "--at", "nowhere", code=2).err


def test_check_and_commit_exclude_each_other(filled: Path) -> None:
    assert memgit(filled, "rebuild", "--check", "--commit", code=2).err
    assert memgit(filled, "rebuild", "--at", "HEAD", "--commit", code=2).err


def test_conflict_markers_in_an_index_are_named_and_settled(filled: Path) -> None:
    right = derived(filled)
    index = filled / "knowledge-base/_index.json"
    text = index.read_text()
    half = text.replace(
        '"totalEntries": 2',
        '<<<<<<< ours\n  "totalEntries": 2\n=======\n  "totalEntries": 3\n>>>>>>> theirs',
        1,
    )
    half = (
        half.replace("  <<<<<<<", "<<<<<<<")
        .replace("3\n>>>>>>> theirs,", "3,\n>>>>>>> theirs")
        .replace("2\n=======", "2,\n=======")
    )
    index.write_text(half)
    line = half[: half.index("<<<<<<<")].count("\n") + 1
    assert ("knowledge-base/_index.json", line, "conflict markers in the index") in differences(filled)
    memgit(filled, "rebuild")
    assert derived(filled) == right


def test_a_broken_index_gets_its_names_from_history(filled: Path) -> None:
    index = filled / "knowledge-base/_index.json"
    index.write_text(index.read_text().replace('"Http"', '"The wire"'))
    run_git(filled, "commit", "-qam", "named")
    memgit(filled, "rebuild", "--commit")
    right = derived(filled)
    index.write_text("{ this is not JSON")
    run_git(filled, "commit", "-qam", "broken")
    assert [path for path, _, _ in differences(filled)] == ["knowledge-base/_index.json"]
    memgit(filled, "record", "knowledge", "Idempotency keys", "--category", "http", "-m", "- One a request")
    assert '"The wire"' in index.read_text()
    assert json.loads(index.read_text())["totalEntries"] == 3
    index.write_text("<<<<<<< a\n=======\n>>>>>>> b\n")
    memgit(filled, "rebuild")
    assert '"The wire"' in index.read_text()
    assert (filled / "INDEX.md").read_bytes() == right["INDEX.md"]


def test_conflict_markers_in_a_record_fail_the_check(filled: Path) -> None:
    path = filled / "knowledge-base/web.md"
    path.write_text(path.read_text() + "\n<<<<<<< ours\n## A\n- a\n=======\n## B\n- b\n>>>>>>> theirs\n")
    assert any(
        found == "knowledge-base/web.md" and "conflict markers" in words
        for found, _, words in differences(filled)
    )


def test_another_tools_index_and_torn_markers_are_left_alone_and_named(filled: Path) -> None:
    index = filled / "experience/_index.json"
    index.write_text('{"knowledgeBase": []}\n')
    page = filled / "memory/sea/north/INDEX.md"
    page.write_text(page.read_text().replace("<!-- memgit: end of generated part -->", ""))
    before = derived(filled)
    answer = memgit(filled, "rebuild", code=1)
    assert "experience/_index.json:1: left alone: another tool's file" in answer.out
    assert "memory/sea/north/INDEX.md:3: left alone: the generated block is torn" in answer.out
    assert derived(filled) == before
    assert {path for path, _, _ in differences(filled)} == {
        "experience/_index.json",
        "memory/sea/north/INDEX.md",
    }


def test_text_outside_the_block_is_kept(filled: Path) -> None:
    page = filled / "INDEX.md"
    page.write_text(
        "Words above.\n\n" + page.read_text().replace("- [Web craft]", "- [Wrong]") + "\nWords below.\n"
    )
    memgit(filled, "rebuild")
    text = page.read_text()
    assert text.startswith("Words above.\n\n")
    assert text.endswith("\nWords below.\n")
    assert "- [Web craft]" in text
    assert "- [Wrong]" not in text


def test_a_link_in_place_of_an_index_is_not_followed(filled: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("not ours\n")
    (filled / "INDEX.md").unlink()
    (filled / "INDEX.md").symlink_to(outside)
    assert (
        "INDEX.md:1: left alone: it is a link or a folder, not a file"
        in memgit(filled, "rebuild", code=1).out
    )
    assert outside.read_text() == "not ours\n"


def test_line_ends_of_a_windows_checkout_are_no_drift(filled: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", "-c", "core.autocrlf=true", str(filled), "clone")
    clone = tmp_path / "clone"
    assert b"\r\n" in (clone / "INDEX.md").read_bytes()
    assert differences(clone) == []
    (clone / "INDEX.md").write_bytes((clone / "INDEX.md").read_bytes().replace(b"Web craft", b"Wrong"))
    assert memgit(clone, "rebuild", "--json").json["written"] == ["INDEX.md"]
    assert b"Web craft](knowledge-base/web.md)\r\n" in (clone / "INDEX.md").read_bytes()
    assert status(clone) == ""


def test_a_shallow_clone_says_that_it_is_not_complete(filled: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", "--depth", "1", f"file://{filled}", "clone")
    for args in (["--check"], []):
        answer = memgit(tmp_path / "clone", "rebuild", "--json", *args)
        assert answer.json["complete"] is False
        assert "shallow" in answer.err


def test_a_partial_clone_says_that_it_is_not_complete(filled: Path, tmp_path: Path) -> None:
    run_git(filled, "config", "uploadpack.allowFilter", "true")
    run_git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{filled}", "clone")
    answer = memgit(tmp_path / "clone", "rebuild", "--check", "--json")
    assert answer.json["complete"] is False
    assert "filter" in answer.err


def test_a_bare_repository_is_checked_at_its_newest_commit(filled: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", "--bare", str(filled), "bare.git")
    assert differences(tmp_path / "bare.git") == []
    assert "bare" in memgit(tmp_path / "bare.git", "rebuild", code=3).err


def test_before_the_first_commit_the_working_tree_alone_counts(repo: Path) -> None:
    (repo / ".memgit.yaml").write_text("layout: memgit\n")
    (repo / "memory").mkdir()
    (repo / "memory/tides.md").write_text("---\ntitle: Tides\n---\n\nTwice a day.\n")
    answer = memgit(repo, "rebuild", "--json").json
    assert (answer["revision"], answer["records"], answer["events"]) == (None, 1, 0)
    assert "Tides" in (repo / "memory/INDEX.md").read_text()
    assert differences(repo) == []


def test_outside_a_repository_it_says_what_to_do(tmp_path: Path) -> None:
    assert "memgit init" in memgit(tmp_path, "rebuild", code=3).err


def test_a_root_inside_a_code_repository(repo: Path) -> None:
    (repo / "code.py").write_text("x = 1\n")
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-qm", "code")
    memgit(repo, "init", "docs/kb")
    kb = repo / "docs/kb"
    memgit(kb, "record", "memory", "Where", "-m", "Inside.")
    (kb / "INDEX.md").unlink()
    (repo / "INDEX.md").write_text("not the knowledge root's\n")
    assert memgit(kb, "rebuild", "--json").json["written"] == ["INDEX.md"]
    assert (repo / "INDEX.md").read_text() == "not the knowledge root's\n"
    assert status(repo) == "?? INDEX.md"


def test_in_a_linked_worktree_it_works_on_that_tree(filled: Path, tmp_path: Path) -> None:
    run_git(filled, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = tmp_path / "side"
    (side / "INDEX.md").write_text("")
    before = derived(filled)
    assert memgit(side, "rebuild", "--json").json["written"] == ["INDEX.md"]
    assert derived(side) == before == derived(filled)


# indexes: local


@pytest.fixture
def local(tmp_path: Path) -> Path:
    memgit(tmp_path, "init", "kb", "--indexes", "local")
    memgit(tmp_path / "kb", "record", "memory", "Tides", "-m", "Twice a day.")
    return tmp_path / "kb"


def test_local_indexes_are_written_and_git_ignores_them(local: Path) -> None:
    exclude = local / ".git/info/exclude"
    exclude.write_text("*.swp")
    assert differences(local) == []
    assert derived(local) == {}
    memgit(local, "rebuild")
    assert {"INDEX.md", "memory/INDEX.md"} <= set(derived(local))
    assert status(local) == ""
    assert exclude.read_text().startswith("*.swp\n# memgit")
    (local / "INDEX.md").write_text(
        "Mine.\n\n" + (local / "INDEX.md").read_text().replace("memory", "memoria")
    )
    assert [path for path, _, _ in differences(local)] == ["INDEX.md"]
    memgit(local, "rebuild")
    assert (local / "INDEX.md").read_text().startswith("Mine.\n")
    text = exclude.read_text()
    memgit(local, "rebuild")
    assert exclude.read_text() == text
    assert "keeps derived files out" in memgit(local, "rebuild", "--commit", code=2).err
    run_git(local, "rm", "-q", "memory/tides.md")
    assert "memory/INDEX.md" in memgit(local, "rebuild", "--json").json["written"]
    assert not (local / "memory").exists()


def test_local_indexes_follow_every_write(local: Path) -> None:
    memgit(local, "rebuild")
    for command in (
        ("record", "memory", "Ebb", "-m", "Low water."),
        ("record", "knowledge", "Flex", "--category", "web", "-m", "- gap"),
        ("rename", "memory/ebb", "Neap"),
        ("archive", "memory/neap"),
        ("undo",),
    ):
        memgit(local, *command)
        assert differences(local) == [], command
        assert status(local) == ""
    assert "Neap" in (local / "memory/INDEX.md").read_text()
    assert "knowledge-base/_index.json" in derived(local)


def test_local_indexes_follow_plain_git_at_the_next_command(local: Path) -> None:
    memgit(local, "rebuild")
    (local / "memory/plain.md").write_text("# Plain\n\nBy hand.\n")
    run_git(local, "add", "memory/plain.md")
    run_git(local, "-c", "core.hooksPath=/dev/null", "commit", "-qm", "plain")
    memgit(local, "list")
    assert "lain" in (local / "memory/INDEX.md").read_text()
    run_git(local, "-c", "core.hooksPath=/dev/null", "revert", "--no-edit", "HEAD")
    memgit(local, "list")
    assert "lain" not in (local / "memory/INDEX.md").read_text()
    run_git(local, "-c", "core.hooksPath=/dev/null", "reset", "-q", "--hard", "HEAD~2")
    memgit(local, "list")
    assert differences(local) == []


def test_a_file_of_the_users_where_a_local_index_would_be_stays(local: Path) -> None:
    memgit(local, "rebuild")
    (local / "knowledge-base").mkdir()
    (local / "knowledge-base/_index.json").write_text("{}\n")
    memgit(local, "record", "knowledge", "Flex", "--category", "web", "-m", "- gap")
    assert (local / "knowledge-base/_index.json").read_text() == "{}\n"


def test_a_write_does_not_fail_where_a_local_index_cannot_be_written(local: Path) -> None:
    memgit(local, "rebuild")
    note = next((local / ".git/memgit/kept").glob("local-*"))
    note.unlink()
    note.mkdir()
    ran = memgit(local, "record", "memory", "Ebb", "-m", "Low water.")
    assert "local derived files are not up to date" in ran.err


def test_committed_again_the_exclusion_goes(local: Path) -> None:
    memgit(local, "rebuild")
    config = local / ".memgit.yaml"
    config.write_text(config.read_text().replace("local", "committed"))
    memgit(local, "rebuild")
    assert "memgit" not in (local / ".git/info/exclude").read_text()
    assert "?? INDEX.md" in status(local)


def test_local_indexes_that_are_committed_are_named(filled: Path) -> None:
    config = filled / ".memgit.yaml"
    config.write_text(config.read_text().replace("indexes: committed", "indexes: local"))
    assert "git rm --cached" in memgit(filled, "rebuild").err


def test_the_keys_of_json_are_described() -> None:
    from memgit.app.derived.rebuild import Rebuilt
    from memgit.app.doctor import Examined
    from tests.test_docs import keys

    assert keys("docs/json.md", "Rebuilding") == set(Rebuilt(None, True, True, (), (), 0, 0, 0).as_json())
    assert keys("docs/json.md", "The doctor") == set(Examined((), ()).as_json())


# What git does to history


def test_two_branches_that_each_add_a_record_leave_an_index_that_is_named_and_mended(filled: Path) -> None:
    for key in ("name", "driver"):
        run_git(filled, "config", "--unset", f"merge.memgit.{key}")
    run_git(filled, "switch", "-qc", "side")
    memgit(filled, "record", "knowledge", "Flex", "--category", "web", "-m", "- gap works too")
    run_git(filled, "switch", "-q", "main")
    memgit(filled, "record", "knowledge", "Caching", "--category", "http", "-m", "- etag")
    run_git(filled, "merge", "-q", "--no-edit", "side", check=False)
    run_git(filled, "checkout", "-q", "--ours", "knowledge-base/_index.json", check=False)
    run_git(filled, "add", "-A")
    run_git(filled, "commit", "-qm", "merged by hand", check=False)
    found = differences(filled)
    assert [path for path, _, _ in found] == ["knowledge-base/_index.json"]
    memgit(filled, "rebuild", "--commit")
    assert differences(filled, "--at", "HEAD") == []
    index = json.loads((filled / "knowledge-base/_index.json").read_text())
    assert index["totalEntries"] == sum(row["count"] for row in index["categories"]) == 4


def test_an_index_that_merged_cleanly_into_nonsense_fails_the_check(filled: Path) -> None:
    # As on a forge, where no hook derives anything and no merge driver runs.
    run_git(filled, "config", "core.hooksPath", "/dev/null")
    run_git(filled, "config", "--remove-section", "merge.memgit")
    index = filled / "knowledge-base/_index.json"
    run_git(filled, "switch", "-qc", "side")
    index.write_text(index.read_text().replace('"version": "1.2.0"', '"version": "1.3.0"'))
    index.write_text(index.read_text().replace('"lastUpdated": "', '"lastUpdated": "1', 1))
    run_git(filled, "commit", "-qam", "first line")
    run_git(filled, "switch", "-q", "main")
    text = index.read_text()
    place = text.rindex('"count": 1')
    index.write_text(text[:place] + '"count": 9' + text[place + 10 :])
    run_git(filled, "commit", "-qam", "last line")
    run_git(filled, "merge", "-q", "--no-edit", "side")
    assert [path for path, _, _ in differences(filled)] == ["knowledge-base/_index.json"]
    memgit(filled, "rebuild", "--commit")
    assert '"version": "1.3.0"' in index.read_text()
    assert differences(filled) == []


@pytest.mark.parametrize("way", ["squash", "rebase", "amend", "cherry-pick"])
def test_what_git_does_to_history_leaves_a_clone_that_is_the_same(
    filled: Path, tmp_path: Path, way: str
) -> None:
    run_git(filled, "switch", "-qc", "side")
    memgit(
        filled,
        "--actor",
        "agent-7",
        "record",
        "memory",
        "Ebb",
        "--scope",
        "sea",
        "-m",
        "Going out.",
        "--reason",
        "Seen today",
    )
    memgit(filled, "update", "ebb", "-m", "Going out slowly.")
    run_git(filled, "switch", "-q", "main")
    memgit(filled, "record", "decision", "Use tabs", "-m", "Or not.")
    if way == "squash":
        run_git(filled, "merge", "-q", "--squash", "side")
        run_git(filled, "commit", "-qm", "squashed")
    elif way == "cherry-pick":
        run_git(filled, "cherry-pick", "main..side")
    else:
        run_git(filled, "switch", "-q", "side")
        run_git(filled, "rebase", "-q", "main")
        run_git(filled, "switch", "-q", "main")
        run_git(filled, "merge", "-q", "--ff-only", "side")
        if way == "amend":
            run_git(filled, "commit", "-q", "--amend", "-m", "Another message")
    assert differences(filled) == []
    run_git(tmp_path, "clone", "-q", "--branch", "main", str(filled), "clone")
    clone = tmp_path / "clone"
    memgit(clone, "rebuild")
    assert derived(clone) == derived(filled)
    for args in (
        ["log", "--json"],
        ["list", "--json"],
        ["history", "ebb", "--json"],
        ["show", "ebb", "--json"],
    ):
        assert memgit(clone, *args).json == memgit(filled, *args).json


def test_an_imported_repository_of_plain_markdown(repo: Path, tmp_path: Path) -> None:
    (repo / "til").mkdir()
    (repo / "til/grid.md").write_text("# Grid\n\nauto-fit\n")
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-qm", "til")
    (repo / "til/grid.md").write_text("# Grid\n\nauto-fill\n")
    run_git(repo, "commit", "-qam", "better")
    answer = memgit(repo, "rebuild", "--json").json
    assert (answer["records"], answer["events"], answer["written"], answer["derived"]) == (1, 2, [], 0)
    run_git(tmp_path, "clone", "-q", str(repo), "clone")
    memgit(tmp_path / "clone", "rebuild")
    assert (
        memgit(tmp_path / "clone", "history", "grid", "--json").json
        == memgit(repo, "history", "grid", "--json").json
    )


def test_the_index_of_git_and_staged_edits_stay_as_they_are(filled: Path) -> None:
    page = filled / "INDEX.md"
    page.write_text("Staged words.\n\n" + page.read_text())
    run_git(filled, "add", "INDEX.md")
    page.write_text(page.read_text().replace("[Web craft]", "[Wrong]"))
    before = run_git(filled, "ls-files", "--stage")
    memgit(filled, "rebuild")
    assert run_git(filled, "ls-files", "--stage") == before
    assert page.read_text().startswith("Staged words.\n")
    assert status(filled) == "M  INDEX.md"


def test_during_a_merge_the_working_tree_is_settled_and_nothing_staged(filled: Path) -> None:
    for key in ("name", "driver"):
        run_git(filled, "config", "--unset", f"merge.memgit.{key}")
    run_git(filled, "switch", "-qc", "side")
    memgit(filled, "record", "memory", "Ebb", "--scope", "sea/south", "-m", "Out.")
    run_git(filled, "switch", "-q", "main")
    memgit(filled, "record", "memory", "Flood", "--scope", "sea/west", "-m", "In.")
    run_git(filled, "merge", "-q", "side", check=False)
    assert "UU memory/sea/INDEX.md" in status(filled)
    assert any("conflict" in words for _, _, words in differences(filled))
    memgit(filled, "rebuild")
    assert "UU memory/sea/INDEX.md" in status(filled)
    assert "<<<<" not in (filled / "memory/sea/INDEX.md").read_text()
    assert {"north", "south", "west"} <= set(
        (filled / "memory/sea/INDEX.md").read_text().replace("/", " ").replace("[", " ").split()
    )
    run_git(filled, "add", "-A")
    run_git(filled, "commit", "-qm", "merged")
    assert differences(filled) == []


def test_a_busy_writer_is_named(filled: Path) -> None:
    import fcntl

    (filled / "INDEX.md").unlink()
    from memgit.git.worktree import checkout

    with open(filled / ".git/memgit/lock", "r+b") as held, pytest.MonkeyPatch.context() as patch:
        fcntl.flock(held, fcntl.LOCK_EX)
        patch.setattr(checkout, "LOCK_WAIT", 0.1)
        assert "another memgit" in memgit(filled, "rebuild", code=3).err


def test_text_of_a_terminal_shows_progress_and_takes_it_away(filled: Path) -> None:
    from memgit.cli.rebuild import Meter

    class Terminal:
        def __init__(self) -> None:
            self.text = ""

        def write(self, text: str) -> None:
            self.text += text

        def flush(self) -> None: ...

    with pytest.MonkeyPatch.context() as patch:
        terminal = Terminal()
        patch.setattr("sys.stderr", terminal)
        patch.setattr("memgit.cli.rebuild.SILENT_SECONDS", -1.0)
        meter = Meter()
        meter._last -= 1
        meter.tell("records", 1200, 10000)
        meter.tell("records", 1201, 10000)
        meter.clear()
    assert terminal.text == "\r\x1b[Kreading records: 1,200 of 10,000\r\x1b[K"


def test_a_lock_on_the_index_of_git_is_no_hindrance(filled: Path) -> None:
    (filled / "INDEX.md").unlink()
    (filled / ".git/index.lock").touch()
    assert memgit(filled, "rebuild", "--json").json["written"] == ["INDEX.md"]
    assert (filled / ".git/index.lock").exists()


def test_days_in_indexes_come_from_records_so_branches_merge_without_a_clock(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "Grid", "--category", "web", "-m", "- auto-fit", "--date", "2020-02-02")
    memgit(
        kb, "record", "knowledge", "Retry", "--category", "http", "-m", "- timeouts", "--date", "2020-01-01"
    )
    index = kb / "knowledge-base/_index.json"
    assert json.loads(index.read_text())["lastUpdated"] == "2020-02-02"
    before = derived(kb)
    run_git(kb, "switch", "-qc", "side")
    memgit(kb, "rebuild")
    run_git(kb, "switch", "-q", "main")
    memgit(kb, "rebuild")
    assert derived(kb) == before
    assert not any(b"2026" in data for data in before.values())


def test_a_deleted_and_an_edited_record_are_seen_by_every_reader(filled: Path) -> None:
    (filled / "memory/sea/north/tides.md").unlink()
    page = filled / "knowledge-base/web.md"
    page.write_text(page.read_text().replace("auto-fit", "quicksilver"))
    assert memgit(filled, "search", "Tides", "--json").json["results"] == []
    found = memgit(filled, "search", "quicksilver", "--json").json
    assert [row["title"] for row in found["results"]] == ["Grid without media queries"]
    assert found["fresh"] is True
    assert memgit(filled, "rebuild", "--json").json["records"] == 4
    assert memgit(filled, "search", "Tides", "--json").json["results"] == []
    run_git(filled, "stash", "-q", "-u")
    assert len(memgit(filled, "search", "Tides", "--json").json["results"]) == 1


def test_while_another_process_records_nothing_is_lost(filled: Path) -> None:
    program = (
        "import sys; from memgit.cli.start import run\n"
        "for n in range(8): assert run(['-C', sys.argv[1], 'record', 'memory', f'Wave {n}', "
        "'--scope', 'sea', '-m', 'Up.']) == 0\n"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(filled)], stdout=subprocess.DEVNULL) as writer:
        while writer.poll() is None:
            memgit(filled, "rebuild", code=None)
    assert writer.returncode == 0
    assert status(filled) == ""
    assert differences(filled) == []
    assert memgit(filled, "rebuild", "--json").json["records"] == 13


def test_the_working_tree_is_looked_at_once(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second look would answer for another state than the one that the files are derived from."""
    derive = derived_files.derive

    def change_meanwhile(state: State) -> tuple[dict[str, Rendered], tuple[str, ...]]:
        found = derive(state)
        (filled / "memory/late.md").write_text("---\ntitle: Late\n---\n")
        (filled / "memory/broken.md").write_bytes(b"\xff\xfe")
        return found

    (filled / "memory/early.md").write_text("---\ntitle: Early\n---\n")
    monkeypatch.setattr(derived_files, "derive", change_meanwhile)
    for args in (["--check"], []):
        answer = memgit(filled, "rebuild", "--json", *args, code=None)
        assert (answer.json["records"], answer.err) == (6, "")
        for name in ("late", "broken"):
            (filled / f"memory/{name}.md").unlink()


def test_files_that_cannot_be_understood_are_named(filled: Path) -> None:
    (filled / "memory/broken.md").write_bytes(b"fine\n\xff\n")
    (filled / "memory/link.md").symlink_to("sea")
    run_git(filled, "add", ".")
    run_git(filled, "commit", "-qm", "broken ones")
    (filled / "memory/more.md").write_bytes(b"\xff")
    (filled / "memory/away.md").symlink_to("/nowhere")
    for args, paths in (
        (["--check"], ["away", "broken", "link", "more"]),
        ([], ["away", "broken", "link", "more"]),
        (["--at", "HEAD"], ["broken", "link"]),
    ):
        lines = memgit(filled, "rebuild", *args, code=None).err.splitlines()
        assert [line.split(":")[1] for line in lines] == [f" memory/{name}.md" for name in paths], lines
        assert any(line.startswith("memgit: memory/broken.md:2: ") for line in lines)


def test_a_conflict_is_told_at_the_line_where_it_is_once_a_name_was_written_above_it(filled: Path) -> None:
    index = filled / "knowledge-base/_index.json"
    (held,) = [one["name"] for one in json.loads(index.read_text())["categories"] if one["id"] == "http"]
    index.write_text(index.read_text().replace(json.dumps(held), '"The wire"'))
    entries = filled / "knowledge-base/http.md"
    entries.write_text(entries.read_text() + "\n<<<<<<< ours\n- one\n=======\n- two\n>>>>>>> theirs\n")
    before = entries.read_text().split("\n").index("<<<<<<< ours")
    rows = [
        row
        for row in memgit(filled, "rebuild", "--json", code=1).json["differences"]
        if row["path"] == "knowledge-base/http.md"
    ]
    now = entries.read_text().split("\n")
    assert now.index("<<<<<<< ours") > before
    assert [now[row["line"] - 1] for row in rows] == ["<<<<<<< ours", "=======", ">>>>>>> theirs"]


def test_what_is_up_to_date_is_not_derived_again(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = memgit(filled, "rebuild", "--json").json
    derived: list[object] = []

    def derive(state: object) -> tuple[dict[str, object], tuple[str, ...]]:
        derived.append(state)
        return {}, ()

    monkeypatch.setattr("memgit.app.derived.files.derive", derive)
    again = memgit(filled, "rebuild", "--json").json
    assert (again, derived) == (first, [])
    assert memgit(filled, "rebuild", "--check", "--json").json["derived"] == first["derived"]
    assert derived == []


def test_an_index_changed_by_hand_is_noticed_after_all_was_right(filled: Path) -> None:
    memgit(filled, "rebuild")
    index = filled / "knowledge-base/_index.json"
    right = index.read_bytes()
    index.write_text("nonsense\n")
    assert memgit(filled, "rebuild", "--check", "--json", code=1).json["differences"]
    run_git(filled, "commit", "-qanm", "nonsense")
    assert memgit(filled, "rebuild", "--check", "--json", code=1).json["differences"]
    memgit(filled, "rebuild")
    assert index.read_bytes() == right


def test_a_record_that_git_does_not_have_yet_is_no_drift(filled: Path) -> None:
    def told() -> list[int]:
        found = memgit(filled, "lint", "--select", "MG101,MG103", "--json", code=None)
        return [
            found.code,
            *(memgit(filled, *args, code=None).code for args in (("rebuild", "--check"), ("doctor",))),
        ]

    before = told()
    write(filled, "memory/from-an-editor.md", "---\ntitle: New\ncreated: 2026-03-01\n---\nText.\n")
    write(
        filled,
        "knowledge-base/fresh.md",
        "## E\n**Date:** 2026-01-01\n**Best Practice:**\n- x\n**Keywords:** a\n",
    )
    assert told() == before == [0, 0, 0]
    memgit(filled, "rebuild")
    assert "from-an-editor" in (filled / "memory/INDEX.md").read_text() and told() == before
    run_git(filled, "checkout", "--", ".")
    write(filled, "memory/INDEX.md", (filled / "memory/INDEX.md").read_text().replace("- [", "- [x"))
    assert told() == [1, 1, 1]
    run_git(filled, "checkout", "--", ".")
    run_git(filled, "add", "-A")
    assert told() == [1, 1, 1]
    memgit(filled, "rebuild")
    run_git(filled, "add", "-A")
    run_git(filled, "commit", "-qm", "by hand")
    assert told() == before and status(filled) == ""

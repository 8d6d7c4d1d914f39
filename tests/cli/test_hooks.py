"""memgit's git hooks, with real git: what is staged is checked, hand edits get trailers, other tools' hooks
stay.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support import count_commits, memgit, run_git, status

ROOT = Path(__file__).resolve().parents[2]
NAMES = (
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "post-merge",
    "post-checkout",
    "post-rewrite",
    "pre-push",
)
BAD = "key AKIAZ7Q2M4N6P8R1T3V5"
"""What no door lets pass."""
NOTE = "---\ntitle: {}\ncreated: 2026-11-02\n---\n\n{}\n"


class Done(NamedTuple):
    code: int
    out: str
    err: str


def git(folder: Path, *args: str, env: dict[str, str] | None = None) -> Done:
    """One git command as a person types it, with its exit code."""
    done = subprocess.run(
        ["git", *args],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(env or {})},
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture(autouse=True)
def on_path(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `memgit` on PATH that runs this checkout."""
    folder = tmp_path_factory.mktemp("bin")
    script = folder / "memgit"
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m memgit "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


def fact(kb: Path, name: str = "fact", title: str = "Fact by hand", body: str = "Some text.") -> Path:
    path = kb / "memory" / f"{name}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(NOTE.format(title, body))
    return path


def message(kb: Path) -> str:
    return run_git(kb, "log", "-1", "--format=%B").rstrip("\n")


def rest_of(kb: Path) -> None:
    """Derives what hand edits affect and stages everything."""
    memgit(kb, "rebuild", code=None)
    run_git(kb, "add", "-A")


def mends(done: Done) -> list[str]:
    """The commands that a refusal names, as they are typed."""
    return [line.partition("to fix: ")[2] for line in done.err.splitlines() if "to fix: " in line]


# Checks before a commit


def test_a_file_made_in_an_editor_is_committed_with_its_index_lines(kb: Path) -> None:
    fact(kb)
    run_git(kb, "add", "-A")
    done = git(kb, "commit", "-qm", "a fact")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert set(run_git(kb, "show", "--name-only", "--format=").split()) == {
        "INDEX.md",
        "memory/INDEX.md",
        "memory/fact.md",
    }
    assert status(kb) == ""
    assert memgit(kb, "rebuild", "--check").code == 0


@pytest.mark.parametrize(
    ("good", "bad", "says"),
    [
        ("title: Fact by hand", "title: [a", "memory/fact.md:2: error MG002 invalid-frontmatter"),
        ("created: 2026-11-02", "created: 2026-02-31", "memory/fact.md:3: error MG004 invalid-field"),
        (
            "Some text.",
            "<<<<<<< ours\nSome\n=======\nOther\n>>>>>>> theirs",
            "memory/fact.md:6: error MG104 conflict-marker",
        ),
        ("Some text.", "key AKIAZ7Q2M4N6P8R1T3V5", "memory/fact.md:6: error MG501 secret"),
    ],
    ids=["frontmatter", "date", "conflict", "key"],
)
def test_a_broken_record_is_stopped_and_passes_when_mended(kb: Path, good: str, bad: str, says: str) -> None:
    path = fact(kb)
    path.write_text(path.read_text().replace(good, bad))
    rest_of(kb)
    done = git(kb, "commit", "-m", "a fact")
    assert (done.code, count_commits(kb)) == (1, 1)
    assert says in done.err
    code = says.split()[2]
    assert mends(done) == [f"edit, then git add memory/fact.md (memgit rule {code} explains it)"]
    path.write_text(path.read_text().replace(bad, good))
    run_git(kb, "add", "memory/fact.md")
    assert git(kb, "commit", "-m", "a fact").code == 0


def test_what_is_staged_counts_and_not_what_lies_on_disk(kb: Path) -> None:
    path = fact(kb)
    rest_of(kb)
    good = path.read_text()
    path.write_text(good.replace("Some text.", "key AKIAZ7Q2M4N6P8R1T3V5"))
    assert git(kb, "commit", "-m", "good staged, bad on disk").code == 0
    run_git(kb, "add", "-A")
    path.write_text(good)
    done = git(kb, "commit", "-m", "bad staged, good on disk")
    assert done.code == 1
    assert "MG501" in done.err
    assert "AKIA" in run_git(kb, "show", ":memory/fact.md")


def test_the_index_of_commit_a_and_of_commit_with_paths_counts(kb: Path) -> None:
    one, two = fact(kb, "one", "One"), fact(kb, "two", "Two")
    rest_of(kb)
    assert git(kb, "commit", "-m", "facts").code == 0
    one.write_text(one.read_text() + "\nMore.\n")
    two.write_text(two.read_text() + "\nkey AKIAZ7Q2M4N6P8R1T3V5\n")
    run_git(kb, "add", "memory/two.md")
    done = git(kb, "commit", "-m", "one", "--", "memory/one.md")
    assert done.code == 0, done.err
    assert message(kb).endswith("Memgit-Op: extend\nMemgit-Record: extend - memory/one")
    assert run_git(kb, "diff", "--cached", "--name-only") == "memory/two.md"
    run_git(kb, "reset", "-q")
    done = git(kb, "commit", "-am", "all")
    assert done.code == 1
    assert "memory/two.md:8: error MG501" in done.err
    assert run_git(kb, "diff", "--cached", "--name-only") == ""
    done = git(kb, "commit", "-m", "two", "memory/two.md")
    assert (done.code, "MG501" in done.err) == (1, True)


def test_a_linked_worktree_is_checked_by_its_own_index(kb: Path, tmp_path: Path) -> None:
    other = tmp_path / "linked tree"
    run_git(kb, "worktree", "add", "-q", str(other), "-b", "side")
    fact(kb, "unrelated", "Unrelated", "key AKIAZ7Q2M4N6P8R1T3V5")
    run_git(kb, "add", "-A")
    fact(other)
    run_git(other, "add", "-A")
    done = git(other, "commit", "-m", "a fact")
    assert (done.code, "unrelated" in done.err) == (0, False), done.err
    assert status(other) == ""
    assert message(other).endswith("Memgit-Record: create - memory/fact")
    assert git(other, "commit", "--amend", "-m", "again").code == 0
    assert all(hook["state"] == "installed" for hook in memgit(other, "hooks", "status", "--json").json)


@pytest.mark.parametrize("quote", ["true", "false"])
@pytest.mark.parametrize(
    "name", ["two words", "it's", 'a "quote"', "tab\there", "café \U0001f600", "-dash", "line\nfeed"]
)
def test_names_of_every_kind(kb: Path, quote: str, name: str) -> None:
    run_git(kb, "config", "core.quotePath", quote)
    path = fact(kb, name, "Odd", "key AKIAZ7Q2M4N6P8R1T3V5")
    rest_of(kb)
    done = git(kb, "commit", "-m", "odd")
    assert (done.code, "MG501" in done.err) == (1, True)
    path.write_text(path.read_text().replace("AKIA", "no "))
    command = done.err.partition("edit, then ")[2].partition(" (memgit rule")[0]
    subprocess.run(["bash", "-c", command], cwd=kb, check=True)
    done = git(kb, "commit", "-m", "odd")
    assert done.code == 0, done.err
    assert status(kb) == ""
    events = memgit(kb, "log", "--json").json
    assert [record["address"] for record in events[0]["records"]] == [f"memory/{name}"]


def test_the_command_that_fixes_is_right_in_the_folder_where_git_was_called(kb: Path) -> None:
    path = fact(kb, body=BAD)
    run_git(kb, "add", "-A")
    done = git(kb / "memory", "commit", "-m", "x")
    assert mends(done) == ["edit, then git add fact.md (memgit -C .. rule MG501 explains it)"]
    path.write_text(path.read_text().replace("AKIA", "no "))
    subprocess.run(["sh", "-c", "git add fact.md"], cwd=kb / "memory", check=True, capture_output=True)
    assert git(kb / "memory", "commit", "-m", "x").code == 0


def test_under_the_framework_derived_files_are_rewritten_and_the_hook_fails(
    kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRE_COMMIT", "1")
    fact(kb)
    run_git(kb, "add", "-A")
    before = run_git(kb, "ls-files", "-s")
    answer = memgit(kb, "hook", "pre-commit", code=1)
    assert "rewrote INDEX.md and 1 more\n" in answer.err
    assert mends(Done(1, "", answer.err)) == ["git add INDEX.md memory/INDEX.md"]
    assert run_git(kb, "ls-files", "-s") == before
    assert "fact" in (kb / "memory/INDEX.md").read_text()
    run_git(kb, "add", "-A")
    assert memgit(kb, "hook", "pre-commit").err == ""


def test_under_the_framework_messages_name_the_memgit_that_there_is(
    kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is in the framework's environment alone for somebody who has installed nothing else."""
    fact(kb, body=BAD)
    run_git(kb, "add", "-A")
    here = f"in its place type {Path(sys.executable).parent}/memgit"
    for path, told in ((f"{Path(sys.executable).parent}:/usr/bin:/bin", True), (os.environ["PATH"], False)):
        monkeypatch.setenv("PATH", path)
        monkeypatch.setenv("PRE_COMMIT", "1")
        assert (here in memgit(kb, "hook", "pre-commit", "--only", "lint", code=1).err) == told
        monkeypatch.delenv("PRE_COMMIT")
        assert here not in memgit(kb, "hook", "pre-commit", code=1).err


def test_under_the_framework_a_push_is_checked_by_the_names_that_are_given(
    kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--from-ref` and `--to-ref` are names as typed; neither is told on the first push of a repository."""
    monkeypatch.setenv("PRE_COMMIT", "1")
    run_git(kb, "checkout", "-qb", "side")
    fact(kb, body=BAD)
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "unchecked")
    run_git(kb, "checkout", "-q", "main")
    fact(kb, "other")
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "main goes on")

    def push(code: int, **told: str) -> str:
        for name in ("FROM_REF", "TO_REF", "LOCAL_BRANCH", "REMOTE_BRANCH"):
            monkeypatch.delenv(f"PRE_COMMIT_{name}", raising=False)
        for name, value in told.items():
            monkeypatch.setenv(f"PRE_COMMIT_{name}", value)
        return memgit(kb, "hook", "pre-push", code=code).err

    said = push(1, FROM_REF="main", TO_REF="side")
    assert "memory/fact.md:6: error MG501" in said and "correct side" in said and "other" not in said
    assert "MG501" not in push(0, FROM_REF="side", TO_REF="main") + push(0, FROM_REF="side~", TO_REF="HEAD")
    assert "MG501" in push(1, LOCAL_BRANCH="refs/heads/side", REMOTE_BRANCH="refs/heads/new")
    assert "MG501" not in push(0)
    run_git(kb, "checkout", "-q", "side")
    assert "MG501" in push(1)
    assert "no commit is named 'nowhere'" in push(1, FROM_REF="main", TO_REF="nowhere")


def test_a_knowledge_root_in_a_folder_of_a_repository(repo: Path) -> None:
    (repo / "README.md").write_text("key AKIAZ7Q2M4N6P8R1T3V5\n")
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-qm", "start")
    memgit(repo, "init", "docs/kb")
    (repo / "README.md").write_text("See [[No such record either]].\n")
    done = git(repo, "commit", "-am", "the readme is none of memgit's business")
    assert (done.code, done.err) == (0, "")
    assert message(repo) == "the readme is none of memgit's business"
    fact(repo / "docs/kb")
    run_git(repo, "add", "-A")
    assert git(repo, "commit", "-m", "x").code == 0
    assert "docs/kb/memory/INDEX.md" in run_git(repo, "show", "--name-only", "--format=").split()
    assert status(repo) == ""
    assert message(repo).endswith("Memgit-Record: create - memory/fact")


def test_what_was_found_right_before_a_commit_is_not_believed_of_another(kb: Path) -> None:
    fact(kb)
    rest_of(kb)
    memgit(kb, "hook", "pre-commit")  # right, but never committed
    run_git(kb, "rm", "-q", "--cached", "memory/INDEX.md")
    assert git(kb, "commit", "-qm", "x").code == 0
    assert "fact.md" in run_git(kb, "show", "HEAD:memory/INDEX.md")
    fact(kb, "hidden", "Hidden")
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "unchecked")
    fact(kb, "two", "Two")
    run_git(kb, "add", "memory/two.md")
    assert git(kb, "commit", "-qm", "x").code == 0
    memgit(kb, "rebuild", "--check")
    memgit(kb, "record", "memory", "Three", "-m", "x")
    memgit(kb, "rebuild", "--check")


# Messages


def test_a_hand_edit_and_a_plain_commit_are_a_full_operation(
    kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMGIT_ACTOR", "claude-code")
    monkeypatch.setenv("MEMGIT_RUN", "5f2c")
    fact(kb)
    rest_of(kb)
    assert git(kb, "commit", "-q", env={"GIT_EDITOR": "true"}).code == 0
    assert message(kb).split("\n") == [
        "record(memory): Fact by hand",
        "",
        "Memgit-Op: record",
        "Memgit-Record: create - memory/fact",
        "Memgit-Actor: claude-code",
        "Memgit-Run: 5f2c",
    ]
    event = memgit(kb, "log", "--json").json[0]
    assert (event["op"], event["actor"], event["run"]) == ("record", "claude-code", "5f2c")
    assert event["records"] == [{"action": "create", "id": None, "address": "memory/fact", "was": None}]


def test_the_text_of_a_person_stays_the_subject(kb: Path) -> None:
    path = fact(kb)
    rest_of(kb)
    assert git(kb, "commit", "-q", "-m", "Why we do it", "-m", "# a heading that git keeps here").code == 0
    block = "Memgit-Op: record\nMemgit-Record: create - memory/fact"
    assert message(kb) == f"Why we do it\n\n# a heading that git keeps here\n\n{block}"
    assert memgit(kb, "log", "--json").json[0]["subject"] == "Why we do it"
    path.write_text(path.read_text() + "\nMore.\n")
    assert git(kb, "commit", "-aqsm", "fix: signed").code == 0
    trailers = (
        "Signed-off-by: Ada Moss <ada@example.org>\nMemgit-Op: extend\nMemgit-Record: extend - memory/fact"
    )
    assert message(kb) == f"fix: signed\n\n{trailers}"
    assert run_git(kb, "log", "-1", "--format=%(trailers:only)").rstrip() == trailers


@pytest.mark.parametrize("comment", ["#", ";", "auto"])
def test_the_block_goes_before_comments_and_scissors(kb: Path, tmp_path: Path, comment: str) -> None:
    run_git(kb, "config", "core.commentChar", comment)
    fact(kb)
    rest_of(kb)
    editor = f"f() {{ cp \"$1\" '{tmp_path}/seen'; }}; f"
    assert git(kb, "commit", "-qv", env={"GIT_EDITOR": editor}).code == 0
    char = "#" if comment == "auto" else comment
    lines = (tmp_path / "seen").read_text().split("\n")
    assert lines[:4] == [
        "record(memory): Fact by hand",
        "",
        "Memgit-Op: record",
        "Memgit-Record: create - memory/fact",
    ]
    assert f"{char} ------------------------ >8 ------------------------" in lines[4:]
    assert message(kb) == "\n".join(lines[:4])


def test_a_template_keeps_its_text(kb: Path, tmp_path: Path) -> None:
    (tmp_path / "template").write_text("Team subject\n\n# say why\n")
    fact(kb)
    rest_of(kb)
    assert git(kb, "commit", "-q", "-t", str(tmp_path / "template"), env={"GIT_EDITOR": "true"}).code == 0
    assert message(kb) == "Team subject\n\nMemgit-Op: record\nMemgit-Record: create - memory/fact"


def test_an_amended_commit_keeps_its_message(kb: Path) -> None:
    memgit(kb, "record", "memory", "One", "-m", "text")
    before = message(kb)
    assert git(kb, "commit", "-q", "--amend", "--no-edit", "--date=2026-11-03T00:00:00Z").code == 0
    assert message(kb) == before
    path = kb / "memory/one.md"
    path.write_text(path.read_text() + "\nMore.\n")
    done = git(kb, "commit", "-aq", "--amend", "--no-edit")
    assert done.code == 0, done.err
    assert message(kb) == before
    assert count_commits(kb) == 2


def test_a_new_message_for_an_amended_commit_takes_its_trailers_off_and_the_log_still_tells(kb: Path) -> None:
    """git says the same to a hook as of any `commit -m`: what HEAD did must not be claimed of a commit that
    only follows it.
    """
    memgit(kb, "record", "memory", "One", "-m", "text")
    memgit(kb, "archive", "memory/one")
    run_git(kb, "commit", "-q", "--amend", "-m", "Not needed any more")
    assert message(kb) == "Not needed any more"
    (event, *_) = memgit(kb, "log", "--json").json
    assert (event["op"], [record["address"] for record in event["records"]]) == ("archive", ["memory/one"])


def test_nothing_is_written_where_no_record_changed_or_git_made_the_message(kb: Path) -> None:
    (kb / "other.txt").write_text("x\n")
    run_git(kb, "add", "-A")
    assert git(kb, "commit", "-qm", "a file").code == 0
    assert message(kb) == "a file"
    run_git(kb, "checkout", "-qb", "side")
    path = fact(kb)
    rest_of(kb)
    run_git(kb, "commit", "-qm", "side", "--no-verify")
    side = message(kb)
    path.write_text(path.read_text() + "\nMore.\n")
    run_git(kb, "-c", "core.hooksPath=/dev/null", "commit", "-qam", "plain")
    run_git(kb, "checkout", "-q", "main")
    run_git(kb, "cherry-pick", "side~1", "side")
    assert run_git(kb, "log", "-2", "--format=%B").rstrip() == f"plain\n\n{side}"
    run_git(kb, "revert", "--no-edit", "HEAD")
    assert memgit(kb, "log", "--json").json[0]["op"] == "revert"
    run_git(kb, "reset", "-q", "--hard", "HEAD~")
    run_git(kb, "revert", "-n", "HEAD")
    assert git(kb, "commit", "-q", env={"GIT_EDITOR": "true"}).code == 0
    assert message(kb).startswith('Revert "') and message(kb).endswith(
        "\n\nMemgit-Op: revert\nMemgit-Record: update - memory/fact"
    )
    run_git(kb, "reset", "-q", "--hard", "HEAD~")
    run_git(kb, "revert", "-n", "HEAD")
    assert git(kb, "commit", "-q", "-m", "Take it back").code == 0
    assert message(kb) == "Take it back\n\nMemgit-Op: update\nMemgit-Record: update - memory/fact"
    run_git(kb, "reset", "-q", "--hard", "HEAD~3")
    run_git(kb, "merge", "-q", "--no-ff", "-m", "Merge it", "side")
    assert message(kb) == "Merge it"
    run_git(kb, "reset", "-q", "--hard", "HEAD~")
    run_git(kb, "merge", "-q", "--squash", "side")
    done = git(kb, "commit", "-q", env={"GIT_EDITOR": "true"})
    assert done.code == 0, done.err
    assert message(kb).startswith("Squashed commit of the following:")
    assert message(kb).count("Memgit-Op") == 1


@pytest.mark.parametrize(
    ("block", "says"),
    [
        (
            "Memgit-Op: update\nMemgit-Record: update - memory/other",
            "update memory/other: this commit does not change that record",
        ),
        (
            "Memgit-Op: archive\nMemgit-Record: archive - memory/fact",
            "archive memory/fact: this commit does not do that, but create",
        ),
        (
            "Memgit-Op: recrod\nMemgit-Record: create - memory/fact",
            "Memgit-Op: recrod: no operation of that name",
        ),
        (
            "Memgit-Op: record\nMemgit-Record: create memory/fact",
            "not of the form <action> <id or -> <address>",
        ),
    ],
)
def test_a_wrong_block_is_refused_with_the_command_that_mends(
    kb: Path, tmp_path: Path, block: str, says: str
) -> None:
    fact(kb)
    rest_of(kb)
    done = git(kb, "commit", "-qm", f"A subject\n\n{block}")
    assert (done.code, count_commits(kb)) == (1, 1)
    assert says in done.err
    editor = f"GIT_EDITOR=\"sed -i '/^Memgit-/d'\" {mends(done)[0].partition('from the message: ')[2]}"
    subprocess.run(["sh", "-c", editor], cwd=kb, check=True, capture_output=True)
    assert message(kb) == "A subject"


def test_a_message_without_a_block_is_never_stopped(kb: Path) -> None:
    assert (
        git(kb, "commit", "-q", "--allow-empty", "-m", "Memgit-Record: is a trailer\n\nMemgit-Record: x").code
        == 0
    )


def test_what_pre_commit_found_out_counts_for_that_index_and_commit_alone(kb: Path) -> None:
    fact(kb, "one", "One")
    rest_of(kb)
    memgit(kb, "hook", "pre-commit")
    fact(kb, "two", "Two")
    rest_of(kb)
    assert git(kb, "commit", "-qnm", "two").code == 0
    assert message(kb).endswith(
        "Memgit-Op: record\nMemgit-Record: create - memory/one\nMemgit-Record: create - memory/two"
    )
    memgit(kb, "hook", "pre-commit")  # nothing is staged against this commit
    run_git(kb, "reset", "-q", "--soft", "HEAD~")
    assert git(kb, "commit", "-qnm", "again").code == 0
    assert message(kb).endswith("Memgit-Record: create - memory/two")


def test_the_block_as_written_needs_no_check_and_one_that_was_edited_does(kb: Path) -> None:
    fact(kb)
    rest_of(kb)
    done = git(kb, "commit", "-q", env={"GIT_EDITOR": "sed -i s#memory/fact#memory/other#"})
    assert (done.code, "create memory/other: this commit does not change that record" in done.err) == (
        1,
        True,
    )
    done = git(kb, "commit", "-q", "-F", ".git/COMMIT_EDITMSG")
    assert (done.code, "does not change that record" in done.err) == (1, True)
    assert git(kb, "commit", "-q", "-m", "x").code == 0


# After merges, before pushes


def test_a_merge_that_leaves_drift_is_told_in_one_line(kb: Path) -> None:
    run_git(kb, "checkout", "-qb", "side")
    fact(kb)
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "unchecked")
    done = git(kb, "checkout", "-q", "main")
    assert (done.code, done.err) == (0, "")
    done = git(kb, "merge", "-q", "side")
    line = "memgit: after this {}, INDEX.md and 1 more is not what the records give; fix: memgit rebuild\n"
    assert (done.code, done.err) == (0, line.format("merge"))
    run_git(kb, "branch", "-q", "later", "HEAD")
    run_git(kb, "reset", "-q", "--hard", "HEAD~")
    assert "memgit" not in git(kb, "merge", "-q", "--squash", "later").err
    run_git(kb, "reset", "-q", "--hard", "later")
    run_git(kb, "reset", "-q", "--hard", "HEAD~")
    assert git(kb, "checkout", "-q", "side").err == line.format("checkout")
    assert git(kb, "checkout", "-q", "--", ".").err == ""
    run_git(kb, "checkout", "-q", "main")
    memgit(kb, "record", "knowledge", "Elsewhere", "--category", "web", "-m", "x")
    run_git(kb, "-c", "core.hooksPath=/dev/null", "checkout", "-q", "side")
    done = git(kb, "rebase", "-q", "main")
    assert (done.code, done.err.count("\n"), "after this rebase, " in done.err) == (0, 1, True)


def test_a_push_of_errors_is_stopped(kb: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "--bare", "there")
    run_git(kb, "remote", "add", "origin", str(tmp_path / "there"))
    assert git(kb, "push", "-q", "origin", "main").code == 0
    memgit(kb, "record", "memory", "Good", "-m", "text")
    assert git(kb, "push", "-q", "origin", "main").code == 0
    fact(kb, body="key AKIAZ7Q2M4N6P8R1T3V5")
    rest_of(kb)
    run_git(kb, "commit", "-qnm", "unchecked")
    done = git(kb, "push", "-q", "origin", "main")
    assert done.code == 1
    assert "memory/fact.md:6: error MG501" in done.err
    assert git(kb, "push", "-q", "origin", "HEAD~:refs/heads/other").code == 0
    done = git(kb, "push", "-q", "origin", "HEAD:refs/heads/new")
    assert (done.code, "MG501" in done.err) == (1, True)
    run_git(kb, "revert", "--no-edit", "HEAD")
    assert git(kb, "push", "-q", "origin", "main").code == 0
    assert git(kb, "push", "-q", "origin", ":other").code == 0
    run_git(kb, "config", "remote.-x.url", str(tmp_path / "there"))
    assert git(kb, "push", "-q", "--", "-x", "main:refs/heads/odd").code == 0


def test_a_push_hook_behind_memgits_lines_still_reads_what_git_says(kb: Path, tmp_path: Path) -> None:
    hook = kb / ".git/hooks/pre-push"
    memgit(kb, "hooks", "uninstall")
    hook.write_text(f"#!/bin/sh -eu\ncat > '{tmp_path}/seen'\n")
    hook.chmod(0o755)
    memgit(kb, "hooks", "install")
    run_git(tmp_path, "init", "-q", "--bare", "there")
    run_git(kb, "push", "-q", str(tmp_path / "there"), "main")
    head = run_git(kb, "rev-parse", "HEAD")
    assert (tmp_path / "seen").read_text() == f"refs/heads/main {head} refs/heads/main {'0' * 40}\n"


# Installing


def bare_of_hooks(kb: Path) -> Path:
    memgit(kb, "hooks", "uninstall")
    return kb / ".git/hooks"


def test_init_installs_and_uninstall_leaves_nothing(kb: Path, tmp_path: Path) -> None:
    place = kb / ".git/hooks"
    assert [hook["state"] for hook in memgit(kb, "hooks", "status", "--json").json] == ["installed"] * len(
        NAMES
    )
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    memgit(kb, "hooks", "install")
    memgit(kb, "init")
    assert {path.name: path.read_bytes() for path in place.iterdir()} == before
    assert not any(hook["changed"] for hook in memgit(kb, "hooks", "install", "--json").json)
    memgit(kb, "hooks", "uninstall")
    assert not [path for path in place.iterdir() if path.suffix != ".sample"]
    assert [hook["state"] for hook in memgit(kb, "hooks", "status", "--json", code=1).json] == [
        "missing"
    ] * len(NAMES)
    assert memgit(kb, "hooks", "uninstall").out == "nothing to take out\n"
    memgit(tmp_path, "init", "plain", "--no-hooks")
    assert [
        hook["state"] for hook in memgit(tmp_path / "plain", "hooks", "status", "--json", code=1).json
    ] == ["missing"] * len(NAMES)


def test_doctor_tells_of_missing_hooks(kb: Path) -> None:
    (kb / ".git/hooks/commit-msg").unlink()
    troubles = memgit(kb, "doctor", "--json").json["troubles"]
    assert [(trouble["check"], trouble["command"], trouble["advice"]) for trouble in troubles] == [
        ("hooks", "memgit hooks install", True)
    ]


def test_doctor_tells_of_hooks_of_another_version(kb: Path) -> None:
    hook = kb / ".git/hooks/pre-commit"
    new = hook.read_text()
    hook.write_text(new.replace("MEMGIT_HOOK=1 ", "") + "echo mine\n")
    assert "pre-commit: outdated\n" in memgit(kb, "hooks", "status", code=1).out
    (trouble,) = memgit(kb, "doctor", "--json").json["troubles"]
    assert (trouble["message"], trouble["command"]) == (
        "the pre-commit hook is of another version of memgit",
        "memgit hooks install",
    )
    memgit(kb, "hooks", "install")
    assert hook.read_text() == new + "echo mine\n"
    assert memgit(kb, "doctor", "--json").json["troubles"] == []


@pytest.mark.parametrize(
    "text",
    [
        "#!/bin/sh\necho mine >> seen\nexit 0\n",
        "#!/usr/bin/env bash\n# by hand\n\nset -eu\necho mine >> seen\nexec true",
        "echo mine >> seen\n",
        "#!/bin/sh -eu\n# nothing",
        "#!/bin/sh",
        "",
        "#!/bin/sh\r\necho mine\r\n",
        "#!/bin/sh\r\n# only comments\r\n",
    ],
)
def test_a_shell_hook_is_chained_and_comes_back_to_the_byte(kb: Path, text: str) -> None:
    hook = bare_of_hooks(kb) / "pre-commit"
    hook.write_bytes(text.encode())
    hook.chmod(0o750)
    memgit(kb, "hooks", "install")
    once = hook.read_bytes()
    assert once.count(b"# memgit: begin") == 1
    memgit(kb, "hooks", "install")
    assert hook.read_bytes() == once
    if "\r" not in text:
        fact(kb, body=BAD)
        run_git(kb, "add", "-A")
        done = git(kb, "commit", "-qm", "x")
        assert (done.code, "MG501" in done.err, (kb / "seen").exists()) == (1, True, False)
        fact(kb)
        run_git(kb, "add", "-A")
        assert git(kb, "commit", "-qm", "x").code == 0
        assert (kb / "seen").exists() == ("seen" in text)
    memgit(kb, "hooks", "uninstall")
    assert hook.read_bytes() == text.encode()
    assert hook.stat().st_mode & 0o777 == 0o750


def test_a_block_with_other_line_ends_is_found_and_mended(kb: Path) -> None:
    hook = kb / ".git/hooks/pre-commit"
    before = hook.read_bytes()
    hook.write_bytes(before.replace(b"\n", b"\r\n"))
    assert memgit(kb, "hooks", "status", code=1).out.startswith("pre-commit: outdated\n")
    memgit(kb, "hooks", "install")
    once = hook.read_bytes()
    assert once.count(b"# memgit: begin") == 1
    assert b"fi\r" not in once
    memgit(kb, "hooks", "install")
    assert hook.read_bytes() == once
    memgit(kb, "hooks", "uninstall")
    assert not hook.exists()


def test_a_failing_hook_of_another_tool_still_stops(kb: Path) -> None:
    hook = bare_of_hooks(kb) / "pre-commit"
    hook.write_text("#!/bin/sh\necho no >&2\nexit 3\n")
    hook.chmod(0o755)
    memgit(kb, "hooks", "install")
    done = git(kb, "commit", "--allow-empty", "-qm", "x")
    assert (done.code, done.err) == (1, "no\n")
    answer = memgit(kb, "record", "memory", "One", "-m", "x", code=3)
    assert "the pre-commit hook refused the commit: no" in answer.err


@pytest.mark.parametrize(
    ("data", "words", "add"),
    [
        (
            b"#!/usr/bin/env python3\nprint(1)\n",
            "the hook is not a shell script",
            'memgit hook pre-commit -- "$@"',
        ),
        (b"\x7fELF\0\0", "the hook is not a shell script", 'memgit hook pre-commit -- "$@"'),
        (
            b"#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n",
            "the hook is pre-commit's",
            "id: memgit-index",
        ),
        (
            b'#!/bin/sh\ncall_lefthook run "pre-commit" "$@"\n',
            "the hook is lefthook's",
            "run: memgit hook pre-commit {0}",
        ),
    ],
)
def test_a_hook_that_is_not_ours_to_change_is_left_alone(kb: Path, data: bytes, words: str, add: str) -> None:
    hook = bare_of_hooks(kb) / "pre-commit"
    hook.write_bytes(data)
    hook.chmod(0o755)
    found = memgit(kb, "hooks", "install", "--json", code=1).json[0]
    assert (found["state"], found["words"]) == ("left", words)
    assert add in found["add"]
    assert add in memgit(kb, "hooks", "status", code=1).out
    assert words in memgit(kb, "init").err
    memgit(kb, "hooks", "uninstall")
    assert hook.read_bytes() == data


def test_a_link_is_left_alone(kb: Path, tmp_path: Path) -> None:
    hook = bare_of_hooks(kb) / "pre-commit"
    (tmp_path / "shared").write_text("#!/bin/sh\n")
    hook.symlink_to(tmp_path / "shared")
    assert (
        memgit(kb, "hooks", "install", "--json", code=1).json[0]["words"]
        == f"the hook is a link to {tmp_path / 'shared'}"
    )
    assert (tmp_path / "shared").read_text() == "#!/bin/sh\n"


def test_the_folder_that_git_is_told_to_use_is_used(kb: Path) -> None:
    bare_of_hooks(kb)
    run_git(kb, "config", "core.hooksPath", ".husky")
    (kb / ".husky").mkdir()
    (kb / ".husky/pre-commit").write_text("#!/bin/sh\necho mine >> seen\n")
    (kb / ".husky/pre-commit").chmod(0o755)
    memgit(kb, "hooks", "install")
    assert run_git(kb, "config", "core.hooksPath") == ".husky"
    assert not (kb / ".git/hooks/pre-commit").exists()
    fact(kb, body=BAD)
    run_git(kb, "add", "memory")
    assert "MG501" in git(kb, "commit", "-qm", "x").err
    fact(kb)
    run_git(kb, "add", "memory")
    assert git(kb, "commit", "-qm", "x").code == 0
    assert (kb / "seen").read_text() == "mine\n"
    assert "Memgit-Record" in message(kb)


def test_husky_starts_the_files_beside_its_own_folder(kb: Path) -> None:
    bare_of_hooks(kb)
    run_git(kb, "config", "core.hooksPath", ".husky/_")
    (kb / ".husky/_").mkdir(parents=True)
    (kb / ".husky/_/h").write_text(
        '#!/usr/bin/env sh\nn=$(basename "$0")\ns=$(dirname "$(dirname "$0")")/$n\n[ ! -f "$s" ] && '
        'exit 0\nsh -e "$s" "$@"\n'
    )
    for name in NAMES:
        (kb / ".husky/_" / name).write_text('#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n')
        (kb / ".husky/_" / name).chmod(0o755)
    (kb / ".husky/pre-commit").write_text("echo mine >> seen\n")
    memgit(kb, "hooks", "install")
    fact(kb, body=BAD)
    run_git(kb, "add", "memory")
    assert "MG501" in git(kb, "commit", "-qm", "x").err
    fact(kb)
    run_git(kb, "add", "memory")
    assert git(kb, "commit", "-qm", "x").code == 0
    assert (kb / "seen").read_text() == "mine\n"
    assert "Memgit-Record" in message(kb)


def test_a_hook_folder_that_others_share_is_not_touched(kb: Path, tmp_path: Path) -> None:
    run_git(kb, "config", "core.hooksPath", str(tmp_path / "shared"))
    answer = memgit(kb, "hooks", "install", code=3)
    assert "which is not inside this repository" in answer.err
    assert "no hooks were installed" in memgit(kb, "init").err
    found = memgit(kb, "doctor", "--json").json
    assert [(trouble["check"], trouble["advice"]) for trouble in found["troubles"]] == [("hooks", True)]
    assert not (tmp_path / "shared").exists()


def test_memgits_own_commits_start_no_hook_of_its_own(kb: Path, on_path: Path, tmp_path: Path) -> None:
    (on_path / "memgit").write_text(f"#!/bin/sh\necho \"$@\" >> '{tmp_path}/called'\n")
    hook = kb / ".git/hooks/pre-commit"
    memgit(kb, "record", "memory", "One", "-m", "x")
    assert not (tmp_path / "called").exists()
    hook.write_text(hook.read_text() + f"echo added >> '{tmp_path}/mine'\n")
    memgit(kb, "record", "memory", "Two", "-m", "x")
    assert (tmp_path / "mine").read_text() == "added\n"
    assert not (tmp_path / "called").exists()
    assert git(kb, "commit", "--allow-empty", "-qm", "x").code == 0
    assert (tmp_path / "called").read_text().startswith("hook pre-commit --\nhook prepare-commit-msg -- ")


# The pre-commit framework


CONFIG = """\
default_install_hook_types:
  [pre-commit, pre-merge-commit, prepare-commit-msg, commit-msg, pre-push, post-commit, post-merge, post-checkout, post-rewrite]
repos:
  - repo: local
    hooks:
"""


def framework(kb: Path) -> None:
    """Installs every hook that `.pre-commit-hooks.yaml` offers, run with the memgit on PATH instead of one in
    an environment.
    """
    manifest = ROOT / ".pre-commit-hooks.yaml"
    subprocess.run([sys.executable, "-m", "pre_commit", "validate-manifest", str(manifest)], check=True)
    offered = manifest.read_text()
    entries = "".join(
        f"      {line}\n"
        for line in offered.replace("language: python", "language: system").split("\n")
        if line
    )
    (kb / ".pre-commit-config.yaml").write_text(CONFIG + entries)
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "configuration")
    subprocess.run([sys.executable, "-m", "pre_commit", "install"], cwd=kb, check=True, capture_output=True)


def test_the_pre_commit_framework_runs_every_hook(kb: Path, tmp_path: Path) -> None:
    pytest.importorskip("pre_commit")
    memgit(kb, "hooks", "uninstall")
    framework(kb)
    assert [hook["state"] for hook in memgit(kb, "hooks", "status", "--json").json] == ["elsewhere"] * len(
        NAMES
    )
    assert memgit(kb, "hooks", "install").code == 0
    path = fact(kb)
    run_git(kb, "add", "-A")
    done = git(kb, "commit", "-m", "a fact")
    assert (done.code, "rewrote INDEX.md and 1 more" in done.err + done.out) == (1, True)
    run_git(kb, "add", "-A")
    good = path.read_text()
    path.write_text(good + "\nkey AKIAZ7Q2M4N6P8R1T3V5\n")  # not staged, so the framework puts it aside
    done = git(kb, "commit", "-m", "a fact")
    assert done.code == 0, done.err
    assert message(kb) == "a fact\n\nMemgit-Op: record\nMemgit-Record: create - memory/fact"
    assert "AKIA" in path.read_text()
    done = git(kb, "commit", "-am", "bad")
    assert (done.code, "MG501" in done.err + done.out, "memgit index" in done.err + done.out) == (
        1,
        True,
        True,
    )
    path.write_text(good)
    run_git(kb, "add", "-A")
    done = git(
        kb, "commit", "--allow-empty", "-m", "x\n\nMemgit-Op: update\nMemgit-Record: update - memory/none"
    )
    assert (done.code, "does not change that record" in done.err + done.out) == (1, True)
    run_git(tmp_path, "init", "-q", "--bare", "there")
    run_git(kb, "remote", "add", "origin", str(tmp_path / "there"))
    done = git(kb, "push", "-q", "origin", "main")
    assert done.code == 0, done.err
    run_git(kb, "checkout", "-qb", "side")
    fact(kb, "other", "Other", "key AKIAZ7Q2M4N6P8R1T3V5")
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "unchecked")
    done = git(kb, "push", "-q", "origin", "side")
    assert (done.code, "MG501" in done.err + done.out) == (1, True)
    run_git(kb, "checkout", "-q", "main")
    done = git(kb, "merge", "-q", "side")
    assert done.code == 0, done.err

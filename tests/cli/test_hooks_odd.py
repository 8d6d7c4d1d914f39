"""Hooks where something is odd: memgit that does not start, a configuration that cannot be read, names that
no shell can type, links.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memgit.app.hooks import install as hooks
from tests.cli.test_hooks import BAD, fact, git, mends, message, on_path, rest_of
from tests.support import memgit, run_git, status

__all__ = ["on_path"]


def test_a_configuration_that_cannot_be_read_stops_no_commit_that_asked_for_no_checks(kb: Path) -> None:
    (kb / ".memgit.yaml").write_text("version: [\n")
    assert git(kb, "commit", "-qam", "x").code == 1
    done = git(kb, "commit", "-qnam", "x")
    assert done.code == 0
    assert "memgit: prepare-commit-msg: .memgit.yaml:2: " in done.err
    assert message(kb) == "x"


def test_a_fault_of_memgits_own_is_told_in_words(kb: Path, on_path: Path) -> None:
    script = (on_path / "memgit").read_text()
    (on_path / "sitecustomize.py").write_text(
        "import memgit.app.hooks.check as check, memgit.app.hooks.messages as messages\n\n"
        "def fails(*_, **__):\n    raise ValueError('odd')\n\n"
        "check.check_staged = messages.write_message = fails\n"
    )
    (on_path / "memgit").write_text(script.replace('PYTHONPATH="', f'PYTHONPATH="{on_path}:'))
    fact(kb)
    run_git(kb, "add", "-A")
    done = git(kb, "commit", "-qm", "x")
    assert done.code == 1
    assert done.err == (
        "memgit: the pre-commit hook failed: ValueError: odd\n"
        "memgit:   hint: git commit --no-verify goes on without it\n"
    )
    done = git(kb, "commit", "-qnm", "x")
    assert (done.code, done.err) == (0, "memgit: the prepare-commit-msg hook failed: ValueError: odd\n")


def test_what_is_only_meant_to_be_added_is_no_part_of_the_commit(kb: Path) -> None:
    fact(kb)
    rest_of(kb)
    fact(kb, "later", "Later", BAD)
    run_git(kb, "add", "--intent-to-add", "memory/later.md")
    assert git(kb, "commit", "-qm", "x").code == 0
    assert "memory/later" not in message(kb)
    assert status(kb) == " A memory/later.md"


def test_links_and_submodules_beside_the_records_stop_nothing(kb: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "other")
    run_git(tmp_path / "other", "commit", "-q", "--allow-empty", "-m", "x")
    (kb / "CLAUDE.md").symlink_to("INDEX.md")
    allowed = ("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "other"))
    run_git(kb, *allowed, "vendor/other")
    run_git(kb, "add", "-A")
    assert git(kb, "commit", "-qm", "beside").code == 0
    run_git(kb, *allowed, "memory/other")
    done = git(kb, "commit", "-qm", "among")
    assert done.code == 1
    assert "memory/other:1: error MG001 unreadable-file: a submodule among records" in done.err
    assert mends(done) == ["git rm --cached memory/other, and keep it outside of the record folders"]
    subprocess.run(["sh", "-c", mends(done)[0].partition(",")[0]], cwd=kb, check=True, capture_output=True)
    assert git(kb, "commit", "-qm", "not among them").code == 0


def test_a_link_in_the_place_of_a_record_is_taken_out_and_not_edited(kb: Path) -> None:
    """Who edits a link edits what it leads to."""
    fact(kb)
    rest_of(kb)
    (kb / "memory" / "li nk.md").symlink_to("../INDEX.md")
    run_git(kb, "add", "-A")
    done = git(kb / "memory", "commit", "-qm", "a link")
    assert mends(done)[0].startswith("git rm --cached 'li nk.md', ")
    subprocess.run(
        ["sh", "-c", mends(done)[0].partition(",")[0]], cwd=kb / "memory", check=True, capture_output=True
    )
    assert git(kb, "commit", "-qm", "no link").code == 0
    assert (kb / "memory" / "li nk.md").is_symlink()


def test_a_repository_without_a_knowledge_root_is_not_memgits_business(repo: Path) -> None:
    memgit(repo, "hooks", "install")
    (repo / "README.md").write_text(f"# Code\n\n{BAD}\n<<<<<<< a\n=======\n>>>>>>> b\n")
    (repo / "CLAUDE.md").symlink_to("README.md")
    run_git(repo, "add", "-A")
    done = git(repo, "commit", "-qm", "x")
    assert (done.code, done.err, message(repo)) == (0, "", "x")
    assert memgit(repo, "hook", "pre-commit").err == ""


@pytest.mark.parametrize(
    "name",
    [
        "-dash.md",
        ":colon.md",
        "*.md",
        "[b].md",
        "line\nfeed.md",
        b"latin\xe9.md".decode("utf-8", "surrogateescape"),
    ],
)
def test_the_command_that_mends_stages_that_file_alone(kb: Path, name: str) -> None:
    path = kb / "pages" / name
    path.parent.mkdir()
    (kb / "pages/b.md").write_text("b\n")
    run_git(kb, "add", "pages/b.md")
    run_git(kb, "commit", "-qnm", "b")
    path.write_text(f"{BAD}\n")
    run_git(kb, "add", "-A")
    done = git(kb / "pages", "commit", "-qm", "x")
    assert done.code == 1
    assert all(line.startswith("memgit: ") for line in done.err.splitlines())
    path.write_text("Good.\n")
    (kb / "pages/b.md").write_text("an edit that is not staged\n")
    (command,) = mends(done)
    subprocess.run(
        ["bash", "-c", command.removeprefix("edit, then ").partition(" (memgit")[0]],
        cwd=kb / "pages",
        check=True,
    )
    assert git(kb / "pages", "commit", "-qm", "x").code == 0
    assert status(kb) == " M pages/b.md"


def test_a_thousand_findings_of_one_rule_do_not_hide_the_others(kb: Path) -> None:
    (kb / "notes").mkdir()
    for number in range(50):
        (kb / f"notes/n{number:02}.md").write_text(f"# Note {number}\n\nSee [[nowhere]].\n")
    (kb / "notes/z.md").write_text("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n")
    run_git(kb, "add", "-A")
    done = git(kb, "commit", "-qm", "x")
    assert done.err.count(" MG201 broken-link: ") == 20
    assert "memgit: and 30 more of MG201\n" in done.err
    assert "notes/z.md:1: error MG104" in done.err


def test_lines_that_another_manager_put_aside_go_too(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pre_commit")
    import sys

    (kb / ".pre-commit-config.yaml").write_text("repos: []\n")
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "configuration")
    before = set(os.listdir(kb / ".git/hooks"))
    subprocess.run([sys.executable, "-m", "pre_commit", "install"], cwd=kb, check=True, capture_output=True)
    rows = {row.split(":")[0]: row for row in memgit(kb, "hooks", "status").out.splitlines()}
    assert rows["pre-commit"] == f"pre-commit: {hooks.OTHER}: pre-commit runs it, as the hook that it found"
    fact(kb, body=BAD)
    run_git(kb, "add", "-A")
    assert "MG501" in str(git(kb, "commit", "-qm", "x"))  # the framework hands it on through its own output
    memgit(kb, "hooks", "uninstall")
    assert "memgit" not in "".join(
        path.read_text() for path in (kb / ".git/hooks").iterdir() if not path.name.endswith(".sample")
    )
    assert set(os.listdir(kb / ".git/hooks")) == {name for name in before if name.endswith(".sample")} | {
        "pre-commit"
    }

"""Adopting where things are in a muddle: staged files, killed runs, two at once, links, clones that lack
files.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from threading import Timer

import pytest

from memgit.errors import Refused
from memgit.git import process
from memgit.git.commit import root_commit
from memgit.git.repository import Repository
from tests.app.adopt.test_adopt import ENTRY, adopted, write
from tests.support import count_commits, fsck, memgit, run_git, status

ROOT = Path(__file__).resolve().parents[3]


def started(folder: Path) -> subprocess.Popen[bytes]:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-m", "memgit", "-C", str(folder), "adopt", "--yes"],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_what_is_staged_goes_into_the_first_commit_and_edits_since_stay(repo: Path) -> None:
    write(repo, {"a.md": "# staged\n", "new.md": "# new\n", "told.md": "# told\n", "gone.md": "# gone\n"})
    run_git(repo, "add", "a.md", "gone.md")
    run_git(repo, "add", "--intent-to-add", "told.md")
    (repo / "gone.md").unlink()
    write(repo, {"a.md": "# edited\n"})
    adopted(repo)
    assert run_git(repo, "show", "HEAD:a.md") == "# staged" and (repo / "a.md").read_text() == "# edited\n"
    assert run_git(repo, "show", "HEAD:told.md") == "# told"
    assert status(repo).split("\n") == [" M a.md", "AD gone.md"]
    fsck(repo)


def test_somebody_elses_first_commit_is_enough(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(repo, {"a.md": "# A\n"})
    opened = Repository.open(str(repo), dict(os.environ))
    real = process.run

    def late(args: list[str], **others: object) -> bytes:
        if "commit" in args:
            run_git(repo, "add", "a.md")
            run_git(repo, "commit", "-q", "-m", "theirs")
        return real(args, **others)  # type: ignore[arg-type]

    monkeypatch.setattr(process, "run", late)
    assert root_commit.first_commit(opened, ["a.md"], "ours") is None
    assert run_git(repo, "log", "--format=%s") == "theirs" and status(repo) == ""


def test_the_first_commit_still_fails_where_git_fails(repo: Path) -> None:
    write(repo, {"a.md": "# A\n"})
    run_git(repo, "config", "commit.gpgsign", "true")
    run_git(repo, "config", "gpg.program", "false")
    with pytest.raises(Refused, match="git commit"):
        root_commit.first_commit(Repository.open(str(repo), dict(os.environ)), ["a.md"], "ours")
    assert status(repo) == "?? a.md"


def test_two_at_once_in_a_folder_without_git(tmp_path: Path) -> None:
    write(tmp_path, {f"kb/{number}.md": f"# {number}\n" for number in range(20)})
    children = [started(tmp_path / "kb") for _ in range(2)]
    said = [child.communicate(timeout=120)[1] for child in children]
    assert [child.returncode for child in children] == [0, 0], said
    assert count_commits(tmp_path / "kb") == 2 and status(tmp_path / "kb") == ""
    fsck(tmp_path / "kb")


@pytest.mark.parametrize("sign", ["HEAD", "memgit/journal.json"])
def test_killed_in_the_middle_the_next_run_ends_it(tmp_path: Path, sign: str) -> None:
    folder = tmp_path / "kb"
    write(folder, {f"{number}.md": f"# {number}\n" for number in range(20)})
    child = started(folder)
    while child.poll() is None and not (folder / ".git" / sign).exists():
        time.sleep(0.002)
    child.kill()
    child.communicate()
    memgit(folder, "adopt", "--yes")
    assert count_commits(folder) == 2 and status(folder) == ""
    assert not (folder / ".git/memgit/journal.json").exists()
    fsck(folder)


def test_a_killed_run_is_ended_though_the_folder_is_a_root_already(kb: Path) -> None:
    work = kb / ".git/memgit/work.99999"
    work.mkdir(parents=True, exist_ok=True)
    note = {
        "version": 1,
        "pid": 99999,
        "stage": False,
        "hooks": False,
        "ref": "refs/heads/main",
        "commit": None,
        "work": str(work),
    }
    note["steps"] = []
    (kb / ".git/memgit/journal.json").write_text(json.dumps(note))
    assert memgit(kb, "adopt").code == 0
    assert not (kb / ".git/memgit/journal.json").exists()


def test_a_few_files_that_a_clone_lacks_are_named(repo: Path, tmp_path: Path) -> None:
    write(repo, {"a.md": "# A\n", "b.md": "# B\n"})
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    run_git(repo, "config", "uploadpack.allowFilter", "true")
    run_git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repo}", "partial")
    run_git(tmp_path / "partial", "remote", "set-url", "origin", f"file://{tmp_path}/nowhere")
    report = memgit(tmp_path / "partial", "adopt", "--dry-run", "--json").json["report"]
    assert [(one["path"], one["message"]) for one in report["unreadable"]] == [
        ("a.md", "this clone does not hold the file"),
        ("b.md", "this clone does not hold the file"),
    ]


def test_folders_that_are_links_are_named(repo: Path, tmp_path: Path) -> None:
    write(tmp_path, {"outside/shell.md": ENTRY, "outside/_index.json": '{"categories": []}'})
    write(repo, {"experience/skill-s.md": ENTRY})
    (repo / "knowledge-base").symlink_to("../outside")
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    report = adopted(repo)["report"]
    assert report["kinds"] == {"experience": 1}
    assert [one["paths"] for one in report["left"] if one["why"].startswith("a link")] == [["knowledge-base"]]


def test_a_workspace_behind_a_link_alone_is_told(repo: Path) -> None:
    write(repo, {"shared/kb/shell.md": ENTRY, "shared/kb/_index.json": "{}"})
    (repo / "knowledge-base").symlink_to("shared/kb")
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    answer = memgit(repo, "adopt", "--yes")
    assert "knowledge-base is a symlink" in answer.err and "git ignores it" not in answer.err


def test_merge_attributes_that_are_a_link_stay_one(repo: Path) -> None:
    write(repo, {"a.md": "# A\n"})
    (repo / ".gitattributes").symlink_to("elsewhere")
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    assert ".gitattributes is a symlink" in memgit(repo, "adopt", "--yes").err
    assert (repo / ".gitattributes").is_symlink() and status(repo) == ""


def test_a_root_inside_another_is_told(repo: Path) -> None:
    write(repo, {"docs/kb/a.md": "# A\n"})
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    assert "knowledge root" not in memgit(repo, "adopt", "docs/kb", "--yes").err
    assert "docs/kb/ is a knowledge root of its own" in memgit(repo, "adopt", "--yes").err
    write(repo, {"docs/other/b.md": "# B\n"})
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "y")
    assert f"{repo} is a knowledge root" in memgit(repo, "adopt", "docs/other", "--yes").err


def test_a_log_with_any_date_is_exported_once(repo: Path, tmp_path: Path) -> None:
    log = (
        "# mem-skill Activity Log\n\n## [9999-12-31] write | from the future\n## [2026-01-02] adopt | a "
        "verb of ours\n"
    )
    write(
        repo,
        {"knowledge-base/shell.md": ENTRY, "knowledge-base/_index.json": '{"categories": []}', "log.md": log},
    )
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    adopted(repo)
    memgit(repo, "record", "knowledge", "Quote globs", "--category", "shell", "-m", "Quote.")
    memgit(repo, "export", str(tmp_path / "out"))
    text = (tmp_path / "out/log.md").read_text()
    assert (
        text.startswith(log)
        and text.count("from the future") == 1
        and text.count("\n") == log.count("\n") + 1
    )
    assert 'write | Recorded to knowledge-base/shell.md: "Quote globs"' in text


def test_labels_that_upgrade_adds_are_in_edited_files_too(repo: Path) -> None:
    write(repo, {"knowledge-base/shell.md": ENTRY, "knowledge-base/_index.json": '{"categories": []}'})
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    adopted(repo)
    edited = (
        ENTRY.replace("**Keywords:** shell", "**Keywords:** shell, globs")
        + "\n## New\n**Date:** 2026-01-03\n"
    )
    write(repo, {"knowledge-base/shell.md": edited})
    memgit(repo, "upgrade")
    committed = run_git(repo, "show", "HEAD:knowledge-base/shell.md") + "\n"
    assert "**Source:** conversation\n" in committed and "**Related:**\n" in committed
    expected = (
        committed.replace("**Keywords:** shell", "**Keywords:** shell, globs")
        + "\n## New\n**Date:** 2026-01-03\n"
    )
    assert (repo / "knowledge-base/shell.md").read_text() == expected


def test_who_adopts_waits_for_what_a_killed_run_started(tmp_path: Path) -> None:
    """A git process that outlives memgit has its lock: the configuration lies there already, and is in no
    commit yet.
    """
    folder = tmp_path / "kb"
    write(folder, {f"{number}.md": f"# {number}\n" for number in range(5)})
    child = started(folder)
    while child.poll() is None and not (folder / ".git/memgit/journal.json").exists():
        time.sleep(0.0005)
    child.kill()
    child.communicate()
    if not (folder / ".git/memgit/journal.json").exists():
        pytest.skip("it was done before it could be killed")
    fd = os.open(folder / ".git/memgit/lock", os.O_RDWR)
    fcntl.flock(fd, fcntl.LOCK_EX)
    Timer(0.3, os.close, (fd,)).start()
    memgit(folder, "adopt", "--yes")
    assert count_commits(folder) == 2 and status(folder) == ""

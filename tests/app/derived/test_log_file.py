"""`log.md` where the configuration asks for it: a function of the commits, in the working tree alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import memgit, run_git, status, write

LOG = "log.md"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    folder = tmp_path / "kept"
    memgit(folder, "init", "--layout", "mem-skill", "--log", "--no-hooks")
    memgit(folder, "record", "knowledge", "Grid", "--category", "css", "-m", "- one")
    return folder


def lines(folder: Path) -> list[str]:
    return [line[16:] for line in (folder / LOG).read_text().splitlines() if line.startswith("## [")]


def test_each_command_brings_it_up_to_date(kept: Path) -> None:
    assert lines(kept) == ["init | knowledge repository", 'write | Recorded to knowledge-base/css.md: "Grid"']
    memgit(kept, "extend", "Grid", "-m", "- two")
    assert lines(kept)[2:] == ['update | Updated knowledge-base/css.md: "Grid" (merged new info)']
    assert status(kept) == "" and LOG not in run_git(kept, "ls-files")
    write(kept, "knowledge-base/css.md", (kept / "knowledge-base/css.md").read_text().replace("one", "1"))
    run_git(kept, "commit", "-qam", "by hand")
    assert len(lines(kept)) == 3
    memgit(kept, "list")
    assert lines(kept)[3:] == ['update | Updated knowledge-base/css.md: "Grid"']


def test_it_is_the_same_however_it_came_about(kept: Path, tmp_path: Path) -> None:
    run_git(kept, "branch", "other")
    memgit(kept, "record", "knowledge", "Here", "--category", "css", "-m", "- x")
    run_git(kept, "checkout", "-q", "other")
    memgit(kept, "record", "knowledge", "There", "--category", "html", "-m", "- y")
    run_git(kept, "merge", "-q", "--no-edit", "main")
    for title in ("After", "Last"):
        memgit(kept, "record", "knowledge", title, "--category", "css", "-m", f"- {title}")
    text = (kept / LOG).read_bytes()
    assert len(lines(kept)) == 6
    (kept / LOG).unlink()
    memgit(kept, "list")
    assert (kept / LOG).read_bytes() == text
    clone = tmp_path / "clone"
    run_git(tmp_path, "clone", "-q", str(kept), str(clone))
    memgit(clone, "list")
    assert (clone / LOG).read_bytes() == text and status(clone) == ""
    run_git(kept, "reset", "-q", "--hard", "HEAD~1")
    memgit(kept, "list")
    assert len(lines(kept)) == 5


def test_what_is_not_memgits_is_left_alone(kept: Path) -> None:
    own = "# mem-skill Activity Log\n\n## [2026-01-01] write | mine\n"
    (kept / LOG).write_text(own)
    memgit(kept, "record", "knowledge", "More", "--category", "css", "-m", "- x")
    assert (kept / LOG).read_text() == own
    (kept / LOG).unlink()
    (kept / LOG).symlink_to(kept.parent / "outside")
    memgit(kept, "record", "knowledge", "Again", "--category", "css", "-m", "- z")
    assert not (kept.parent / "outside").exists() and (kept / LOG).is_symlink()


def test_one_that_is_committed_is_left_alone_and_named(tmp_path: Path) -> None:
    write(tmp_path, LOG, "# mem-skill Activity Log\n")
    run_git(tmp_path, "init", "-q")
    run_git(tmp_path, "add", "-A")
    run_git(tmp_path, "commit", "-qm", "theirs")
    said = memgit(tmp_path, "init", "--layout", "mem-skill", "--log", "--no-hooks").err
    assert "log.md is committed and stays as it is; git rm --cached log.md" in said
    assert (tmp_path / LOG).read_text() == "# mem-skill Activity Log\n"


def test_a_folder_that_leads_outside_gets_none(kept: Path) -> None:
    outside = kept.parent / "elsewhere"
    outside.mkdir()
    write(kept, ".memgit.yaml", "layout: mem-skill\nbase: data/\nlog: local\n")
    (kept / "data").symlink_to(outside)
    memgit(kept, "list")
    assert list(outside.iterdir()) == []


def test_only_local_is_known_and_another_init_does_not_change_it(kept: Path, kb: Path) -> None:
    memgit(kept, "init", "--log")
    assert "log cannot be changed by another init" in memgit(kb, "init", "--log", code=2).err
    write(kb, ".memgit.yaml", "layout: memgit\nlog: committed\n")
    assert "log: 'committed' is not local" in memgit(kb, "list", code=2).err

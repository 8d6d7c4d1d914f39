"""Which knowledge root is meant: MEMGIT_DIR, the folder kb of a code repository, or the one that it configures."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import memgit, run_git, status, write


@pytest.fixture
def code(tmp_path: Path) -> Path:
    folder = tmp_path / "code"
    run_git(tmp_path, "init", "-q", "code")
    write(folder, "src/main.py", "x = 1\n")
    write(folder, "README.md", "# Code\n")
    run_git(folder, "add", ".")
    run_git(folder, "commit", "-qm", "start")
    return folder


def test_memgit_dir_names_the_root_from_anywhere(
    kb: Path, code: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMGIT_DIR", str(kb))
    monkeypatch.chdir(code)
    write(code, "body.md", "From a file here.\n")
    memgit(Path("."), "record", "memory", "Far", "-F", "body.md")
    assert "From a file here." in memgit(Path("."), "show", "memory/far").out
    assert (kb / "memory/far.md").exists() and status(code) == "?? body.md"
    assert "Far" in memgit(Path("."), "search", "far").out or "far" in memgit(Path("."), "search", "far").out
    assert "no record answers" in memgit(code, "show", "memory/far", code=2).err, "-C goes before it"


@pytest.mark.parametrize("configured", [False, True])
def test_a_root_in_a_subfolder_is_found_from_the_code(
    code: Path, configured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = "docs/knowledge" if configured else "kb"
    memgit(code, "init", folder)
    if configured:
        write(code, ".memgit.yaml", f"root: {folder}\n")
    for start in (code, code / "src", code / folder):
        memgit(start, "record", "memory", f"From {start.name}", "-m", "x")
    assert len(list((code / folder / "memory").glob("from-*.md"))) == 3
    assert not (code / "memory").exists()
    assert memgit(code / "src", "list", "memory").out.count("memory/from-") == 3


def test_a_root_that_is_none_is_said(code: Path) -> None:
    write(code, ".memgit.yaml", "root: nowhere\n")
    assert "memgit init nowhere" in memgit(code, "list", code=2).err
    write(code, ".memgit.yaml", "root: ../out\n")
    assert "folder under this one" in memgit(code, "list", code=2).err
    (code / "link").symlink_to("/tmp")
    write(code, ".memgit.yaml", "root: link\n")
    assert memgit(code, "list", code=2).err


def test_outside_a_root_nothing_is_recorded(code: Path) -> None:
    for arguments in (["record", "note", "Stray", "-m", "x"], ["record", "memory", "Stray", "-m", "x"]):
        answer = memgit(code, *arguments, code=3)
        assert "is not a knowledge root" in answer.err and "memgit init kb" in answer.err
    assert status(code) == ""
    memgit(code, "init", "kb")
    memgit(code, "record", "memory", "Kept", "-m", "x")
    assert (code / "kb/memory/kept.md").exists()


def test_who_acts_may_stand_after_the_command(kb: Path) -> None:
    memgit(kb, "record", "memory", "One", "-m", "--actor", "--actor", "codex", "--run", "7")
    said = run_git(kb, "log", "-1", "--format=%B").split("\n")
    assert "Memgit-Actor: codex" in said
    assert "Memgit-Run: 7" in said
    assert memgit(kb, "show", "memory/one", "--json").json["body"] == "--actor"
    memgit(kb, "--actor", "codex", "update", "memory/one", "-m", "two", "--actor=cursor")
    assert "Memgit-Actor: cursor" in run_git(kb, "log", "-1", "--format=%B")
    memgit(kb, "use", "memory/one", "--actor", "gemini")
    assert memgit(kb, "log", "--op", "use", "--json").json[0]["actor"] == "gemini"

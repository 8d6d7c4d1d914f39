"""The hook shims as they are shipped: whom they call, and what they let pass when memgit is not whole."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memgit.app.hooks import file
from tests.cli.test_hooks import BAD, NAMES, fact, git, message, on_path
from tests.support import memgit, run_git

__all__ = ["on_path"]

ROOT = Path(__file__).resolve().parents[2]
HOME = "/usr/bin:/bin"
"""Where git is, and no memgit."""


def staged_secret(kb: Path) -> Path:
    fact(kb, body=BAD)
    run_git(kb, "add", "-A")
    return kb


def installed_by(kb: Path, python: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "INSTALLER", python)
    memgit(kb, "hooks", "uninstall")
    memgit(kb, "hooks", "install")


@pytest.mark.parametrize("name", NAMES)
def test_every_shim_is_a_hook_of_its_own(name: str) -> None:
    text = (ROOT / "hooks" / name).read_bytes()
    assert os.access(ROOT / "hooks" / name, os.X_OK)
    assert file.shim(name) == text and file.has_block(text)
    assert f"hook {name} -- ".encode() in text and file.PYTHON in text
    assert file.with_block(None, name).startswith(text.partition(b"# memgit: begin")[0])
    subprocess.run(["sh", "-n", ROOT / "hooks" / name], check=True)


def test_without_memgit_on_path_the_python_that_installed_it_is_called(
    kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed_by(kb, sys.executable, monkeypatch)
    monkeypatch.setenv("PATH", HOME)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    done = git(staged_secret(kb), "commit", "-qm", "x")
    assert (done.code, "memory/fact.md:6: error MG501 secret" in done.err) == (1, True), done
    fact(kb)
    run_git(kb, "add", "-A")
    assert git(kb, "commit", "-qm", "x").code == 0
    assert "Memgit-Record: create - memory/fact" in message(kb)


def test_a_repository_brings_no_memgit_of_its_own(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python would put the current folder on its path for `-m`."""
    installed_by(kb, sys.executable, monkeypatch)
    monkeypatch.setenv("PATH", HOME)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for name in ("memgit", "json", "gc"):
        (kb / name).mkdir()
        (kb / name / "__init__.py").write_text("raise SystemExit(0)\n")
    (kb / "memgit/__main__.py").write_text("raise SystemExit(0)\n")
    assert git(staged_secret(kb), "commit", "-qm", "x").code == 1


def test_where_neither_is_there_the_commit_passes_with_a_line(
    kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", HOME)
    done = git(staged_secret(kb), "commit", "-qm", "x")
    assert done.code == 0
    assert done.err == (
        "memgit: not found, so the pre-commit hook did nothing\n"
        "memgit: not found, so the prepare-commit-msg hook did nothing\n"
    )


GONE = {
    "its package": f"#!{sys.executable} -I\nfrom nowhere_at_all.__main__ import main\nmain()\n",
    "its Python": "#!/not/there/python\n",
    "half of it": f"#!{sys.executable}\nfrom memgit.cli.hook import nothing_of_that_name\n",
    "by a signal": "#!/bin/sh\nkill -9 $$\n",
}


@pytest.mark.parametrize("what", GONE)
def test_a_memgit_that_is_not_whole_stops_no_commit_and_no_push(
    kb: Path, tmp_path: Path, on_path: Path, what: str
) -> None:
    (on_path / "memgit").write_text(GONE[what])
    done = git(staged_secret(kb), "commit", "-qm", "x")
    assert done.code == 0, done
    lines = done.err.splitlines()
    assert len(lines) == 2 and all(line.startswith("memgit: ") for line in lines), done.err
    assert "so the pre-commit hook did nothing" in lines[0]
    run_git(tmp_path, "init", "-q", "--bare", "there")
    done = git(kb, "push", "-q", str(tmp_path / "there"), "main")
    assert (done.code, len(done.err.splitlines())) == (0, 1), done


READERS = {
    "2>&1 | true": 1,
    "2>&1 | head -1": 1,
    "2>&-": 0,
    ">&- 2>&- <&-": 0,
}


@pytest.mark.parametrize("how", READERS)
def test_a_staged_secret_is_refused_whoever_reads(kb: Path, how: str) -> None:
    staged_secret(kb)
    for _ in range(3):
        done = subprocess.run(
            ["bash", "-c", f"git commit -qm x {how}; exit ${{PIPESTATUS[0]}}"],
            cwd=kb,
            capture_output=True,
            check=False,
        )
        assert done.returncode != 0
    assert run_git(kb, "rev-list", "--count", "HEAD") == "1"


def test_the_lines_stand_in_a_hook_that_ends_at_the_first_failure(kb: Path) -> None:
    memgit(kb, "hooks", "uninstall")
    hook = kb / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh -eu\necho mine >&2\n")
    hook.chmod(0o755)
    memgit(kb, "hooks", "install")
    fact(kb, body="See [[later]].")
    run_git(kb, "add", "-A")
    done = git(kb, "commit", "-qm", "x")
    assert done.code == 0
    assert "warning MG201" in done.err and done.err.endswith("mine\n")


def test_doctor_says_what_would_stop_a_push(kb: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "--bare", "there")
    run_git(kb, "remote", "add", "origin", str(tmp_path / "there"))
    run_git(kb, "push", "-q", "-u", "origin", "main")
    staged_secret(kb)
    run_git(kb, "commit", "-qnm", "unchecked")
    (trouble,) = [
        one for one in memgit(kb, "doctor", "--json", code=1).json["troubles"] if one["check"] == "push"
    ]
    assert (trouble["path"], trouble["line"]) == ("memory/fact.md", 6)
    assert trouble["message"].startswith("a push would be stopped: MG501 secret: ")
    assert git(kb, "push", "-q", "origin", "main").code == 1
    fact(kb)
    run_git(kb, "commit", "-qam", "taken out")
    assert all(one["check"] != "push" for one in memgit(kb, "doctor", "--json").json["troubles"])


def test_indexes_are_local_where_obsidian_would_show_them(tmp_path: Path) -> None:
    (tmp_path / "vault/.obsidian").mkdir(parents=True)
    (tmp_path / "vault/.obsidian/app.json").write_text("{}")
    (tmp_path / "vault/One.md").write_text("# One\n")
    said = memgit(tmp_path, "init", "vault").err
    assert "indexes: local" in said
    assert "indexes: local\n" in (tmp_path / "vault/.memgit.yaml").read_text()
    (tmp_path / "vault/.memgit.yaml").unlink()
    (tmp_path / "other/.obsidian").mkdir(parents=True)
    (tmp_path / "other/.obsidian/app.json").write_text("{}")
    (tmp_path / "other/One.md").write_text("# One\n")
    memgit(tmp_path / "other", "adopt", "--yes")
    assert "indexes: local\n" in (tmp_path / "other/.memgit.yaml").read_text()


def test_a_record_beside_a_staged_one_leaves_every_index_right(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "A", "--category", "a", "-m", "x")
    memgit(kb, "record", "knowledge", "B", "--category", "a", "-m", "x", "--stage")
    memgit(kb, "record", "knowledge", "C", "--category", "b", "-m", "x")
    assert memgit(kb, "rebuild", "--check").code == 0
    assert memgit(kb, "rebuild", "--at", "HEAD").code == 0
    assert '"totalEntries": 3' in run_git(kb, "show", ":knowledge-base/_index.json")
    assert git(kb, "commit", "-qm", "staged").code == 0
    assert memgit(kb, "rebuild", "--check").code == 0

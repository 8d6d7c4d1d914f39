"""Real hook managers beside memgit, where they are installed: git-lfs, lefthook, husky.

`test_hooks.py` has what they write, in short.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_hooks import fact, git, mends, message, on_path
from tests.support import memgit, run_git

__all__ = ["on_path"]  # a fixture that every test here uses
pytestmark = pytest.mark.slow


def tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def stopped_and_fixed(kb: Path) -> None:
    """A commit with a credential is stopped, and passes after the command that is named, with its indexes."""
    path = fact(kb, body="key AKIAZ7Q2M4N6P8R1T3V5")
    run_git(kb, "add", "-A")
    done = git(kb, "commit", "-m", "a fact")
    said = done.out + done.err
    assert done.code == 1 and "MG501" in said
    path.write_text(path.read_text().replace("key AKIAZ7Q2M4N6P8R1T3V5", "nothing"))
    (command,) = mends(done._replace(err=said))
    subprocess.run(["sh", "-c", command.removeprefix("edit, then ").partition(" (")[0]], cwd=kb, check=True)
    assert git(kb, "commit", "-m", "a fact").code == 0
    assert message(kb) == "a fact\n\nMemgit-Op: record\nMemgit-Record: create - memory/fact"
    assert memgit(kb, "rebuild", "--check").code == 0


def test_git_lfs(repo: Path, tmp_path: Path) -> None:
    tool("git-lfs")
    run_git(repo, "lfs", "install", "--local")
    before = {path.name: path.read_bytes() for path in (repo / ".git/hooks").iterdir()}
    memgit(repo, "init", ".")
    assert all(hook["state"] == "installed" for hook in memgit(repo, "hooks", "status", "--json").json)
    stopped_and_fixed(repo)
    run_git(repo, "lfs", "track", "*.bin")
    (repo / "a.bin").write_bytes(bytes(range(256)) * 20)
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-qm", "large")
    run_git(tmp_path, "init", "-q", "--bare", "there")
    run_git(repo, "remote", "add", "origin", str(tmp_path / "there"))
    assert git(repo, "push", "-q", "origin", "main").code == 0
    assert [path for path in (tmp_path / "there/lfs/objects").rglob("*") if path.is_file()], (
        "git-lfs has read what git said as well"
    )
    memgit(repo, "hooks", "uninstall")
    assert {path.name: path.read_bytes() for path in (repo / ".git/hooks").iterdir()} == before


LEFTHOOK = """\
pre-commit: {commands: {mine: {run: echo mine >> seen}, memgit: {run: "memgit hook pre-commit {0}"}}}
prepare-commit-msg: {commands: {memgit: {run: "memgit hook prepare-commit-msg {0}"}}}
commit-msg: {commands: {memgit: {run: "memgit hook commit-msg {0}"}}}
"""


def test_lefthook(kb: Path) -> None:
    lefthook = tool("lefthook")
    memgit(kb, "hooks", "uninstall")
    (kb / "lefthook.yml").write_text("pre-commit: {commands: {mine: {run: echo mine >> seen}}}\n")
    subprocess.run([lefthook, "install"], cwd=kb, check=True, capture_output=True)
    states = {hook["name"]: hook for hook in memgit(kb, "hooks", "install", "--json", code=1).json}
    assert (states["pre-commit"]["state"], states["commit-msg"]["state"]) == ("left", "installed")
    assert "run: memgit hook pre-commit {0}" in states["pre-commit"]["add"]
    memgit(kb, "hooks", "uninstall")
    (kb / "lefthook.yml").write_text(LEFTHOOK)
    subprocess.run([lefthook, "install"], cwd=kb, check=True, capture_output=True)
    assert memgit(kb, "hooks", "install").code == 0
    (kb / ".gitignore").write_text("seen\n")
    stopped_and_fixed(kb)
    assert (kb / "seen").read_text().count("mine") == 2


def test_husky(kb: Path) -> None:
    husky = tool("husky")
    memgit(kb, "hooks", "uninstall")
    subprocess.run([husky], cwd=kb, check=True, capture_output=True)
    (kb / ".husky/pre-commit").write_text("echo mine >> seen\n")
    assert memgit(kb, "hooks", "install").code == 0
    subprocess.run([husky], cwd=kb, check=True, capture_output=True)  # as `npm install` does again and again
    assert run_git(kb, "config", "core.hooksPath") == ".husky/_"
    (kb / ".gitignore").write_text("seen\n")
    stopped_and_fixed(kb)
    assert (kb / "seen").read_text() == "mine\n"
    memgit(kb, "hooks", "uninstall")
    assert (kb / ".husky/pre-commit").read_text() == "echo mine >> seen\n"

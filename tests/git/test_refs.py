"""Commits on refs that are not checked out."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from memgit.errors import Refused
from memgit.git import refs
from memgit.git.tree import Tree
from tests.git.helpers import assert_in_order, commit_files, opened, porcelain
from tests.support import run_git

ROOT = Path(__file__).resolve().parents[2]
USAGE = "refs/memgit/usage/k3"


def use(tree: Tree, old: str | None) -> tuple[Mapping[str, bytes | None], str]:
    return {}, "use: skill/x\n\nMemgit-Op: use\n"


@pytest.fixture
def kb(repo: Path) -> Path:
    commit_files(repo, {"kb/a.md": b"a\n"})
    return repo


def test_empty_commits_on_a_ref_of_their_own(kb: Path) -> None:
    head = run_git(kb, "rev-parse", "HEAD")
    one = refs.commit_on(opened(kb), USAGE, use)
    two = refs.commit_on(opened(kb), USAGE, use)
    assert run_git(kb, "rev-list", USAGE).split("\n") == [two, one]
    assert run_git(kb, "ls-tree", "-r", USAGE) == ""
    assert run_git(kb, "log", "-1", "--format=%B|%an", USAGE) == "use: skill/x\n\nMemgit-Op: use\n|Ada Moss"
    assert run_git(kb, "rev-parse", "HEAD") == head
    assert_in_order(kb)


def test_branch_for_review(kb: Path) -> None:
    (kb / "kb/a.md").write_text("mine\n")
    head = run_git(kb, "rev-parse", "HEAD")
    made = refs.commit_on(
        opened(kb).at_prefix("kb"), "refs/heads/proposal", lambda tree, old: ({"b.md": b"b\n", "a.md": None}, "record: b\n"), start=head
    )
    assert run_git(kb, "rev-parse", "proposal~1") == head
    assert run_git(kb, "ls-tree", "-r", "--name-only", str(made)) == "kb/b.md"
    assert porcelain(kb) == [" M kb/a.md"]
    assert refs.commit_on(opened(kb), "refs/heads/proposal", lambda tree, old: None) is None
    with pytest.raises(Refused, match="is checked out"):
        refs.commit_on(opened(kb), "refs/heads/main", use)


def test_many_at_once(kb: Path) -> None:
    script = (
        "import os, sys\nfrom memgit.git import refs\nfrom memgit.git.repository import Repository\n"
        "for _ in range(5): refs.commit_on(Repository.open(sys.argv[1], os.environ), sys.argv[2], lambda tree, old: ({}, 'use: x\\n'))"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    children = [subprocess.Popen([sys.executable, "-c", script, str(kb), USAGE], env=env, stderr=subprocess.PIPE) for _ in range(4)]
    for child in children:
        _, err = child.communicate()
        assert child.returncode == 0, err.decode()
    assert run_git(kb, "rev-list", "--count", USAGE) == "20"


def test_in_a_bare_repository(kb: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", "--bare", str(kb), "bare.git")
    assert refs.commit_on(opened(tmp_path / "bare.git"), USAGE, use)


def test_message_is_stored_as_utf8() -> None:
    assert refs.message_bytes("a\0b\n\n\n") == b"ab\n"
    assert refs.message_bytes("Gr\u00f6\u00dfe") == "Größe\n".encode()
    assert refs.message_bytes("caf\udce9") == b"caf\\udce9\n"

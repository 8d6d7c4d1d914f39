"""The real pre-commit with a real clone of this repository at a tag: environments are built, hooks are
installed, bad commits stop.

One run builds an environment from package registries, so all of it is slow; the hooks' own behaviour is in
`test_hooks.py`.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_hooks import ROOT, Done, fact, git, mends, message, on_path
from tests.support import count_commits, memgit, run_git, status

__all__ = ["on_path"]  # a fixture that every test here uses: the commands that fix call memgit
pytestmark = pytest.mark.slow

IDS = (
    "memgit-index",
    "memgit-lint",
    "memgit-message",
    "memgit-commit-msg",
    "memgit-review",
    "memgit-rebuild",
)
CONFIG = """\
default_install_hook_types:
  [pre-commit, pre-merge-commit, prepare-commit-msg, commit-msg, pre-push, post-commit, post-merge, post-checkout, post-rewrite]
repos:
  - repo: {}
    rev: v9.9.9
    hooks:
"""


def pre_commit(folder: Path, *args: str) -> Done:
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", *args], cwd=folder, capture_output=True, text=True, check=False
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This checkout as it is, as a repository with a tag."""
    pytest.importorskip("pre_commit")
    folder = tmp_path_factory.mktemp("source") / "memgit"
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    for name in listed.decode().split("\0")[:-1]:
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    who = ("-c", "user.name=Ada Moss", "-c", "user.email=ada@example.org")
    for args in (
        ("init", "-q"),
        ("add", "-A"),
        (*who, "commit", "-qm", "everything"),
        (*who, "tag", "-a", "v9.9.9", "-m", "a tag"),
    ):
        run_git(folder, *args)
    return folder


@pytest.fixture(scope="module")
def environments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit keeps what it builds, for all tests here."""
    return tmp_path_factory.mktemp("pre-commit")


@pytest.fixture
def root(kb: Path, source: Path, environments: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A knowledge root whose hooks are pre-commit's, with every id that the tag offers."""
    monkeypatch.setenv("PRE_COMMIT_HOME", str(environments))
    memgit(kb, "hooks", "uninstall")
    (kb / ".pre-commit-config.yaml").write_text(
        CONFIG.format(source) + "".join(f"      - id: {name}\n" for name in IDS)
    )
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "configuration")
    done = pre_commit(kb, "install", "--install-hooks")
    assert done.code == 0, done.out + done.err
    return kb


def stopped(done: Done, words: str) -> list[str]:
    """Asserts that a commit was stopped for a reason; the commands that fix."""
    said = done.out + done.err
    assert done.code == 1 and words in said, said
    return mends(Done(done.code, "", said))


def test_try_repo(kb: Path, source: Path, environments: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRE_COMMIT_HOME", str(environments))
    fact(kb, body="key AKIAZ7Q2M4N6P8R1T3V5")
    run_git(kb, "add", "-A")
    lint = ("try-repo", "--ref", "v9.9.9", "--verbose", str(source), "memgit-lint")
    done = pre_commit(kb, *lint)
    assert done.code == 1 and "memory/fact.md:6: error MG501 secret" in done.out
    index = pre_commit(kb, "try-repo", "--ref", "v9.9.9", str(source), "memgit-index")
    assert index.code == 1 and "to fix: git add INDEX.md memory/INDEX.md" in index.out
    fact(kb, body="See [[No such record]].")
    run_git(kb, "add", "-A")
    done = pre_commit(kb, *lint)
    assert done.code == 0 and "memory/fact.md:6: warning MG201 broken-link" in done.out


KEY = ("Some text.", "key AKIAZ7Q2M4N6P8R1T3V5", "memory/fact.md:6: error MG501 secret")
FAULTS = {
    "key": KEY,
    "date": ("created: 2026-11-02", "created: 2026-02-31", "memory/fact.md:3: error MG004 invalid-field"),
    "yaml": ("title: ", "title: 'never closed ", "memory/fact.md:2: error MG002 invalid-frontmatter"),
    "conflict": (
        "Some text.",
        "<<<<<<< ours\nSome\n=======\nOther\n>>>>>>> theirs",
        "memory/fact.md:6: error MG104 conflict-marker",
    ),
}
NAMES = ("two words", "it's", 'a "quote"', "tab\there", "caf\xe9 \U0001f600")


@pytest.mark.parametrize(
    ("name", "good", "bad", "says"),
    [*(("fact", *fault) for fault in FAULTS.values()), *((name, *KEY) for name in NAMES)],
    ids=[*FAULTS, *NAMES],
)
def test_a_bad_commit_is_stopped_and_passes_after_the_commands(
    root: Path, name: str, good: str, bad: str, says: str
) -> None:
    run_git(root, "config", "core.quotePath", "true")
    path = fact(root, name)
    path.write_text(path.read_text().replace(good, bad))
    run_git(root, "add", "-A")
    done = git(root, "commit", "-m", "a fact")
    found = stopped(done, says.replace("memory/fact", f"memory/{name}").replace("\t", "\\t"))
    assert count_commits(root) == 2
    path.write_text(path.read_text().replace(bad, good))
    for _ in range(2):  # what is derived may be another once the fault is gone
        for command in found:
            typed = command.removeprefix("edit, then ").partition(" (")[0]
            subprocess.run(["sh", "-c", typed], cwd=root, check=True)
        done = git(root, "commit", "-m", "a fact")
        if done.code == 0:
            break
        found = stopped(done, "memgit: rewrote ")
    assert done.code == 0, done.out + done.err
    assert message(root) == f"a fact\n\nMemgit-Op: record\nMemgit-Record: create - memory/{name}".replace(
        "\t", "\\t"
    )
    assert status(root) == "" and memgit(root, "log", "--json").json[0]["op"] == "record"


def test_a_linked_worktree(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "linked tree"
    run_git(root, "worktree", "add", "-q", str(other), "-b", "side")
    fact(root, "unrelated", "Unrelated", "key AKIAZ7Q2M4N6P8R1T3V5")
    run_git(root, "add", "-A")
    fact(other)
    run_git(other, "add", "-A")
    done = git(other, "commit", "-m", "a fact")
    (command,) = stopped(done, "memgit: rewrote INDEX.md and 1 more")
    assert "unrelated" not in done.out + done.err
    subprocess.run(["sh", "-c", command], cwd=other, check=True)
    assert git(other, "commit", "-m", "a fact").code == 0
    assert message(other).endswith("Memgit-Record: create - memory/fact")


def test_a_push_and_a_merge(root: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "--bare", "there")
    run_git(root, "remote", "add", "origin", str(tmp_path / "there"))
    done = git(root, "push", "-q", "origin", "main")
    assert done.code == 0, done.out + done.err
    run_git(root, "checkout", "-qb", "side")
    fact(root, body="key AKIAZ7Q2M4N6P8R1T3V5")
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qnm", "unchecked")
    done = git(root, "push", "-q", "origin", "side")
    assert (done.code, "MG501" in done.out + done.err) == (1, True)
    run_git(root, "checkout", "-q", "main")
    done = git(root, "merge", "-q", "side")
    assert (done.code, "after this merge, " in done.out + done.err) == (0, True)
    assert count_commits(root) == 3


def test_a_merge_that_git_commits_itself(root: Path) -> None:
    """Two indexes that count one entry more each merge by lines into one that counts too few."""
    for name in ("a", "b"):
        memgit(root, "record", "knowledge", f"Start of {name}", "-m", "Text.", "--category", name)
    run_git(root, "checkout", "-qb", "side")
    memgit(root, "record", "knowledge", "More of a", "-m", "Text.", "--category", "a")
    run_git(root, "checkout", "-q", "main")
    memgit(root, "record", "knowledge", "More of b", "-m", "Text.", "--category", "b")
    run_git(root, "config", "--remove-section", "merge.memgit", check=False)
    commits = count_commits(root)
    (command,) = stopped(
        git(root, "merge", "--no-edit", "side"), "memgit: rewrote knowledge-base/_index.json"
    )
    assert count_commits(root) == commits
    subprocess.run(["sh", "-c", command], cwd=root, check=True, capture_output=True)
    done = git(root, "commit", "--no-edit")
    assert done.code == 0, done.out + done.err
    assert status(root) == "" and memgit(root, "rebuild", "--check").code == 0


def test_what_is_not_staged_is_put_aside_and_not_derived_from(root: Path) -> None:
    """The framework takes unstaged edits away while hooks run, so these cannot see them; the command that
    fixes must not count them in.
    """
    fact(root)
    memgit(root, "rebuild")
    run_git(root, "add", "-A")
    assert git(root, "commit", "-qm", "a fact").code == 0
    path = fact(root, title="Fact as staged")
    run_git(root, "add", "-A")
    path.write_text(path.read_text().replace("Fact as staged", "Fact on disk"))
    (command,) = stopped(git(root, "commit", "-m", "half"), "memgit: rewrote ")
    subprocess.run(["sh", "-c", command], cwd=root, check=True, capture_output=True)
    done = git(root, "commit", "-m", "half")
    assert done.code == 0, done.out + done.err
    assert (
        "Fact as staged" in run_git(root, "show", "HEAD:memory/INDEX.md")
        and "Fact on disk" in path.read_text()
    )


def test_the_environment_holds_what_was_tagged(root: Path, environments: Path) -> None:
    (made,) = environments.glob("repo*/py_env-*/bin/memgit")
    done = subprocess.run(
        [str(made), "--version"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": ""},
    )
    assert done.stdout.startswith("memgit ")


def test_a_hook_starts_at_once(root: Path, environments: Path) -> None:
    """Processor time, which does not depend on what else the machine does; the best of five."""
    (made,) = environments.glob("repo*/py_env-*/bin/memgit")
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([str(made), "hook", "pre-commit", "--only", "lint"], cwd=root, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(times) < 0.3


def test_two_revisions_by_name_and_a_first_push(root: Path, tmp_path: Path) -> None:
    run_git(root, "checkout", "-qb", "side")
    fact(root, body="key AKIAZ7Q2M4N6P8R1T3V5")
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qnm", "unchecked")
    stage = ("run", "--hook-stage", "pre-push", "memgit-review")
    done = pre_commit(root, *stage, "--from-ref", "main", "--to-ref", "side")
    assert (done.code, "memory/fact.md:6: error MG501" in done.out) == (1, True)
    assert pre_commit(root, *stage, "--from-ref", "side", "--to-ref", "main").code == 0
    run_git(tmp_path, "init", "-q", "--bare", "there")
    run_git(root, "remote", "add", "origin", str(tmp_path / "there"))
    done = git(root, "push", "-q", "origin", "side")
    assert (done.code, "MG501" in done.out + done.err) == (1, True)

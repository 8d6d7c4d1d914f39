"""Cold start is a feature: what each command may load. One row a command; a module that is not needed there is named here once."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support import Prepared, copy_folder, run_git

ROOT = Path(__file__).resolve().parents[1]

PARSERS = ("ruamel", "mistune", "merge3")
"""Formats are read by memgit's own fast readers; these wait for what those cannot read."""
GIT = ("git", "gitdb", "dulwich", "pygit2.repository", "pygit2.ffi", "cffi", "_cffi_backend")
"""Of pygit2 only its C module is cheap to load."""
HEAVY = (
    "argparse", "asyncio", "concurrent", "dataclasses", "doctest", "email", "http", "importlib.metadata", "logging",
    "multiprocessing", "pdb", "pickle", "random", "rich", "socket", "ssl", "subprocess", "tempfile", "unittest", "urllib.request", "xml",
)  # fmt: skip
STORES = ("sqlite3", "_sqlite3", "pygit2", "_pygit2", "pygit2._pygit2")


class Row(NamedTuple):
    """A command line, and the modules (with all that lies below them) that it may not load."""

    argv: tuple[str, ...]
    forbidden: tuple[str, ...]


WRITING = ("memgit.app.write", "memgit.derive", "memgit.git.commit")
"""What only a change needs."""
CHANGE = (*PARSERS, *GIT, *HEAVY)
"""Without difflib: click takes every short option for an unknown long one first, and looks for names near it."""
READ = (*CHANGE, "difflib")
SLOW = ("typing", "datetime", "importlib", "warnings", "hashlib", "pygit2", "_pygit2")
"""Each takes longer than a whole query. Of `typing`, type checkers alone are told (`memgit.TYPE_CHECKING`)."""
UNUSED = ("memgit.app.similar", "memgit.git.early", "memgit.git.history", "memgit.git.recovery", "memgit.git.status", "memgit.lint.page")
"""What a change needs only where it looks for close records or edits, or finds a credential or an interrupted change."""
CHANGED = (*READ, *SLOW, *UNUSED)
LOOKED_UP = (*READ, *WRITING, *SLOW)
"""What an answer from the cache needs least of all: it competes with git, which looks for uncommitted edits meanwhile."""
NOT_FILES = ("memgit.web", "trafilatura", "memgit.adopt", "memgit.review", "memgit.lint.engine", "memgit.lint.rules")
"""What a file of the user's can be taken in without."""
ROWS = {
    "--version": Row(
        ("--version",), (*READ, *STORES, "click", "json", "inspect", "typing", "memgit.app", "memgit.formats", "memgit.model")
    ),
    "--help": Row(("--help",), (*READ, *STORES, "memgit.app", "memgit.formats")),
    "completion": Row((), READ),
    "show": Row(("show", "knowledge/shell#Quote every expansion"), (*READ, *WRITING, *SLOW, *STORES)),
    "show-by-ending": Row(("show", "Quote every expansion"), LOOKED_UP),
    "search": Row(("search", "expansion"), LOOKED_UP),
    "context": Row(("context",), (*READ, *WRITING[::2], *SLOW)),
    "list": Row(("list", "knowledge"), LOOKED_UP),
    "record": Row(("record", "knowledge", "Trap on exit", "--category", "shell", "-m", "Remove the folder in the trap."), CHANGED),
    "record-memory": Row(("record", "memory", "Tides", "-m", "Twice a day."), (*CHANGED, "memgit.formats.entries")),
    "update": Row(("update", "knowledge/shell#Quote every expansion", "-m", "Quote each one of them."), (*CHANGED, *STORES)),
    "archive": Row(("archive", "knowledge/shell#Quote every expansion"), (*CHANGED, *STORES, "memgit.app.record")),
    "propose": Row(
        ("propose", "record", "knowledge", "Trap on exit", "--category", "shell", "-m", "Remove the folder in the trap."), CHANGE
    ),
    "merge-records": Row(("merge-records", "Quote every expansion", "Always quote"), CHANGE),
    "health": Row(("health", "--json"), (*READ, "memgit.app.write", "memgit.git.commit", "memgit.lint")),
    "review": Row(("review", "HEAD~1..HEAD", "--json"), (*READ, "memgit.app.reader", "memgit.app.write", "memgit.git.commit")),
    "review-range": Row(("review-range", "--forge", "github", "--base", "main"), (*READ, *WRITING, "memgit.lint", *STORES)),
    "ingest": Row(("ingest", "../guide.md", "--yes"), (*READ, *NOT_FILES)),
    "log": Row(("log", "--json"), (*PARSERS, *GIT, "argparse", "asyncio", "email", "logging", "rich", "unittest", "urllib.request")),
}
ANYWHERE = ("--version", "--help", "completion")
"""These need no repository."""


def loaded(argv: tuple[str, ...], folder: Path, env: dict[str, str] | None = None) -> set[str]:
    """The modules that one run of memgit loads, as the interpreter itself reports them.

    The run goes without `site`: what an editable install or another package loads at every start does not count.
    """
    start = (
        f"import sys; sys.path[:0] = {[str(ROOT), sysconfig.get_path('purelib'), sysconfig.get_path('platlib')]!r}; sys.argv[0] = 'memgit'"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-X", "importtime", "-c", f"{start}; from memgit.__main__ import main; sys.exit(main())", *argv],
        cwd=folder,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + re.sub(r"(?m)^import time:.*\n", "", done.stderr)
    return set(re.findall(r"(?m)^import time: +\d+ \| +\d+ \| +(\S+)$", done.stderr))


def below(name: str, table: tuple[str, ...]) -> bool:
    """Whether a module is in the table or inside a package that is."""
    return any(name == one or name.startswith(f"{one}.") for one in table)


@pytest.fixture
def knowledge(prepared: Prepared) -> Path:
    """A knowledge repository with two records, read once, so that nothing is left to be made."""
    repo = prepared("repo", with_records)
    loaded(("list",), repo)
    assert run_git(repo, "status", "--porcelain") == ""
    (repo.parent / "guide.md").write_text("# Guide\n\n1. Run `make test`.\n")
    return repo


def with_records(repo: Path) -> None:
    for argv in (
        ("init", "."),
        ("record", "knowledge", "Quote every expansion", "--category", "shell", "-m", 'Write "$name", never $name.'),
        ("record", "knowledge", "Always quote", "--category", "shell", "-m", "Expansions split at blanks."),
    ):
        loaded(argv, repo)


@pytest.mark.parametrize("name", ROWS)
def test_command_loads_only_what_it_needs(name: str, request: pytest.FixtureRequest) -> None:
    folder: Path = request.getfixturevalue("tmp_path" if name in ANYWHERE else "knowledge")
    env = {"_MEMGIT_COMPLETE": "bash_complete", "COMP_WORDS": "memgit sh", "COMP_CWORD": "1"} if name == "completion" else None
    modules = loaded(ROWS[name].argv, folder, env)
    assert "memgit.__main__" in modules
    assert sorted(module for module in modules if below(module, ROWS[name].forbidden)) == []


STOOD_IN_FOR = ("re", "enum", "functools", "contextlib", "collections", "json", "types", "hashlib", "typing")
"""What `model.light`, `model.regex` and `model.plainjson` stand in for. Together they take a fourth of the time of a whole write."""
AGAIN: dict[str, list[tuple[str, ...]]] = {
    "record": [("record", "knowledge", title, "--category", "shell", "-m", "- Tidy up.") for title in ("Trap", "Exit")],
    "record-memory": [("record", "memory", title, "--scope", "sea", "--keywords", "tide", "-m", "At noon.") for title in ("Tides", "Ebb")],
    "update": [("update", "knowledge/shell#Trap", "-m", "- Tidy up there.")],
    "update-memory": [("update", "memory/sea/tides", "-m", "At one.")],
    "archive": [("archive", "memory/sea/tides")],
    "show": [("show", "memory/sea/ebb"), ("show", "Ebb")],
    "list": [("list", "knowledge")],
    "search": [("search", "expansion")],
}
"""Runs of each command, in this order: later ones need what the first have recorded."""


def test_what_is_run_again_loads_none_of_what_memgit_has_in_its_place(knowledge: Path) -> None:
    """The first runs compile patterns, which are kept beside the compiled modules; from then on nothing needs `re`."""
    before = copy_folder(knowledge, knowledge.parent / "before")
    for argv in itertools.chain(*AGAIN.values()):
        loaded(argv, before)
    found: dict[str, list[str]] = {}
    for name, runs in AGAIN.items():
        found[name] = sorted(module for argv in runs for module in loaded(argv, knowledge) if below(module, STOOD_IN_FOR))
    assert found == {name: [] for name in AGAIN}


HOOK = (
    *READ, *STORES, *WRITING[::2], "click", "typing", "json", "datetime", "shlex", "inspect", "importlib", "calendar", "memgit.cache",
    "memgit.git.status", "memgit.git.history", "memgit.lint.claims", "memgit.lint.likeness", "memgit.lint.index", "memgit.lint.reports",
    "memgit.app.lint_log", "memgit.app.hooks", "memgit.app.hook_file", "memgit.formats.message_file",
)  # fmt: skip
"""What a check of one document does without. (Python's own `importlib._bootstrap` is built in.)"""


def test_a_check_of_one_staged_document_loads_only_what_it_needs(knowledge: Path) -> None:
    loaded(("record", "memory", "Tides", "--scope", "sea", "-m", "Twice a day."), knowledge)
    path = knowledge / "memory" / "sea" / "tides.md"
    path.write_text(path.read_text() + "\nAt noon.\n")
    run_git(knowledge, "add", "-A")
    modules = loaded(("hook", "pre-commit"), knowledge, {"GIT_INDEX_FILE": ".git/index", "GIT_PREFIX": "", "GIT_EDITOR": ":"})
    rules = {module for module in modules if module.startswith("memgit.lint.rules.")}
    assert "memgit.lint.rules.mg101_index_drift" in rules and len(rules) < 8
    assert sorted(module for module in modules if below(module, HOOK)) == []


def test_a_module_that_is_loaded_is_seen(tmp_path: Path) -> None:
    """The measure itself: it sees what a start loads, through C or Python, and takes no longer name for a shorter one."""
    modules = loaded(("--version",), tmp_path)
    assert {"memgit", "memgit.__main__"} <= modules
    assert below("ruamel.yaml", PARSERS) and below("git", GIT) and not below("gitignore", GIT)

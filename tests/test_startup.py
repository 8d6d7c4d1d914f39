"""Cold start is a feature: what each command may load.

One row a command; a module that is not needed there is named here once.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support import Prepared, run_git

ROOT = Path(__file__).resolve().parents[1]

PARSERS = ("ruamel", "mistune", "merge3")
"""Formats are read by memgit's own readers; these wait for what those cannot read."""
GIT = ("git", "gitdb", "dulwich", "pygit2.repository", "pygit2.ffi", "cffi", "_cffi_backend")
"""Of pygit2 only its C module is cheap to load."""
HEAVY = (
    "asyncio",
    "doctest",
    "email",
    "http",
    "multiprocessing",
    "pdb",
    "rich",
    "ssl",
    "unittest",
    "urllib.request",
)
NETWORK = ("memgit.web", "trafilatura")
READ = (*PARSERS, *GIT, *HEAVY, *NETWORK, "click", "subprocess", "typing")


class Row(NamedTuple):
    """A command line, and the modules (with all that is below them) that it may not load."""

    argv: tuple[str, ...]
    forbidden: tuple[str, ...]


ROWS = {
    "--version": Row(("--version",), (*READ, "json", "sqlite3", "memgit.app", "memgit.formats")),
    "--help": Row(("--help",), (*PARSERS, *GIT, "sqlite3", "memgit.app", "memgit.formats")),
    "completion": Row((), (*PARSERS, *GIT, "sqlite3")),
    "show": Row(("show", "knowledge/shell#Quote every expansion"), (*READ, "memgit.app.write")),
    "search": Row(("search", "expansion"), (*READ, "memgit.app.write")),
    "context": Row(("context",), (*READ, "memgit.app.write")),
    "list": Row(("list", "knowledge"), (*READ, "memgit.app.write")),
    "record": Row(("record", "knowledge", "Trap", "--category", "shell", "-m", "Remove the folder."), READ),
    "update": Row(("update", "knowledge/shell#Quote every expansion", "-m", "Quote each one."), READ),
    "archive": Row(("archive", "knowledge/shell#Quote every expansion"), READ),
    "health": Row(("health", "--json"), (*PARSERS, *GIT, *NETWORK)),
    "review": Row(("review", "HEAD~1..HEAD", "--json"), (*PARSERS, *GIT, *NETWORK)),
    "ingest": Row(("ingest", "../guide.md", "--yes"), (*PARSERS, *GIT, *NETWORK)),
    "log": Row(("log", "--json"), (*PARSERS, *GIT, *NETWORK)),
}
ANYWHERE = ("--version", "--help", "completion")
"""These need no repository."""


def loaded(argv: tuple[str, ...], folder: Path, env: dict[str, str] | None = None) -> set[str]:
    """The modules that one run of memgit loads, as the interpreter itself reports them.

    The run goes without `site`: what an editable install or another package loads at every start does not
    count.
    """
    start = (
        "import sys; sys.path[:0] = "
        f"{[str(ROOT), sysconfig.get_path('purelib'), sysconfig.get_path('platlib')]!r}; sys.argv[0] = "
        "'memgit'"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-S",
            "-X",
            "importtime",
            "-c",
            f"{start}; from memgit.__main__ import main; sys.exit(main())",
            *argv,
        ],
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
        (
            "record",
            "knowledge",
            "Quote every expansion",
            "--category",
            "shell",
            "-m",
            'Write "$name", never $name.',
        ),
        ("record", "knowledge", "Always quote", "--category", "shell", "-m", "Expansions split at blanks."),
    ):
        loaded(argv, repo)


@pytest.mark.parametrize("name", ROWS)
def test_command_loads_only_what_it_needs(name: str, request: pytest.FixtureRequest) -> None:
    folder: Path = request.getfixturevalue("tmp_path" if name in ANYWHERE else "knowledge")
    env = (
        {"_MEMGIT_COMPLETE": "bash_complete", "COMP_WORDS": "memgit sh", "COMP_CWORD": "1"}
        if name == "completion"
        else None
    )
    modules = loaded(ROWS[name].argv, folder, env)
    assert "memgit.__main__" in modules
    assert sorted(module for module in modules if below(module, ROWS[name].forbidden)) == []


HOOK = (*READ, "memgit.lint.alike.claims", "memgit.lint.alike.likeness")
"""What a check of one document does without."""


def test_a_check_of_one_staged_document_loads_only_what_it_needs(knowledge: Path) -> None:
    loaded(("record", "memory", "Tides", "--scope", "sea", "-m", "Twice a day."), knowledge)
    path = knowledge / "memory" / "sea" / "tides.md"
    path.write_text(path.read_text() + "\nAt noon.\n")
    run_git(knowledge, "add", "-A")
    modules = loaded(
        ("hook", "pre-commit"),
        knowledge,
        {"GIT_INDEX_FILE": ".git/index", "GIT_PREFIX": "", "GIT_EDITOR": ":"},
    )
    assert "memgit.lint.rules.mg003_missing_field" in modules
    assert sorted(module for module in modules if below(module, HOOK)) == []


def test_a_module_that_is_loaded_is_seen(tmp_path: Path) -> None:
    """The measure itself: it sees what a start loads, through C or Python, and takes no longer name for a
    shorter one.
    """
    modules = loaded(("--version",), tmp_path)
    assert {"memgit", "memgit.__main__"} <= modules
    assert below("ruamel.yaml", PARSERS) and below("git", GIT) and not below("gitignore", GIT)


def test_a_system_that_is_not_supported_is_named(tmp_path: Path) -> None:
    """As on Windows, where neither `fcntl` nor `os.fork` is there to import."""
    code = (
        "import os, sys; os.name = 'nt'; del os.fork; sys.modules['fcntl'] = None\n"
        "from memgit.__main__ import main; sys.argv = ['memgit', 'list']; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False, text=True
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(
        "memgit: this system is not supported: memgit runs on Linux and macOS\nhint: "
    )

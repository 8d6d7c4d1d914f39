"""Fixtures: a private home, a pinned identity, real git, and the corpora where they are at hand."""

from __future__ import annotations

import gc
import itertools
import os
import re
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from memgit.app.hooks import file as hook_file
from memgit.cache import db
from tests.support import EXAMPLES, OPEN, Prepared, copy_folder, memgit, run_git

# The tests start memgit hundreds of times: it, and they, are compiled once and not each time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts so what runs in the background, and every child would be as deaf.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Machines that run this are shared: a slow example is not a failure.
settings.register_profile("memgit", deadline=None, max_examples=EXAMPLES)
settings.register_profile("long", deadline=None, max_examples=2000)
settings.load_profile("memgit")

NUMBERS = itertools.count()
"""What sets the folders of one process apart."""
PATH = os.pathsep.join(
    folder
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep)
    if not os.access(f"{folder}/memgit", os.X_OK) or os.access(f"{folder}/git", os.X_OK)
)
"""Where commands are, without an active environment: hooks find `memgit` only in tests that put it there."""
hook_file.INSTALLER = "/not/there/python"
"""So it is with the Python that a hook falls back on: other tests commit by hand without checks."""
CORPORA = Path(__file__).resolve().parents[2] / "shared" / "corpora"

GIT_CONFIG = """\
[user]
\tname = Ada Moss
\temail = ada@example.org
[init]
\tdefaultBranch = main
[core]
\tautocrlf = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
[commit]
\tgpgsign = false
[protocol "file"]
\tallow = always
"""


def pytest_collection_finish() -> None:
    """What was collected stays to the end: the collector of garbage need not look through thousands of tests
    over and over.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def connections() -> Iterator[list[sqlite3.Connection]]:
    """The connections to caches that the running test has opened.

    No test cuts the power, and short of that a cache that SQLite need not bring to the disk is the same to
    every process: so they are told not to.
    """
    prepare = db._prepare
    opened: list[sqlite3.Connection] = []

    def hurried(connection: sqlite3.Connection) -> None:
        opened.append(connection)
        prepare(connection)
        connection.execute("pragma synchronous=off")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(db, "_prepare", hurried)
        yield opened


@pytest.fixture(autouse=True)
def caches_are_closed(connections: list[sqlite3.Connection]) -> Iterator[None]:
    """Fails a test that leaves a cache open; only Python 3.13 and later warn of it."""
    connections.clear()
    yield
    OPEN.close()
    left = [connection for connection in connections if _is_open(connection)]
    for connection in left:
        connection.close()
    assert not left, f"{len(left)} caches were not closed by what opened them"


def _is_open(connection: sqlite3.Connection) -> bool:
    try:
        connection.total_changes  # noqa: B018 - raises where it is closed
    except sqlite3.ProgrammingError as error:
        return "closed" not in str(error)  # another thread's cannot be looked at
    return True


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """As pytest's own, which looks through the folders of all tests before for a number that is free: with
    thousands, that is slow.
    """
    name = re.sub(r"\W", "_", request.node.name, flags=re.ASCII)[:30]
    folder = tmp_path_factory.getbasetemp() / f"{name}{next(NUMBERS)}"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the homes of the tests are."""
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def private_home(homes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has a home of its own: whatever git or memgit would read from the user's is not there."""
    home = homes / str(next(NUMBERS))
    home.mkdir()
    (home / ".gitconfig").write_text(GIT_CONFIG)
    for name in [name for name in os.environ if name.startswith(("GIT_", "MEMGIT_")) or name == "CI"]:
        monkeypatch.delenv(name)
    for name, value in {
        "PATH": PATH,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "false",
        "GIT_CEILING_DIRECTORIES": str(homes.parent),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }.items():
        monkeypatch.setenv(name, value)
    return home


@pytest.fixture
def corpora() -> Path:
    """The folder of real workspaces; the test is skipped where it is absent.

    Read only: copy before changing.
    """
    if not CORPORA.is_dir():
        pytest.skip("the corpora are not beside this checkout")
    return CORPORA


@pytest.fixture
def workspace(corpora: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Copies one corpus into a fresh repository with one commit and returns its folder."""

    def copy(name: str) -> Path:
        target = tmp_path / name
        shutil.copytree(corpora / name, target)
        for path in [target, *target.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        run_git(target, "init", "-q")
        run_git(target, "add", "-A", "-f")
        run_git(target, "commit", "-q", "-m", "import")
        return target

    return copy


@pytest.fixture(scope="session")
def pseudo_terminals() -> None:
    """Skips where there are none, as in a container or chroot without `/dev/pts`."""
    try:
        ends = os.openpty()
    except OSError as error:
        pytest.skip(f"no pseudo-terminal can be had: {error}")
    for end in ends:
        os.close(end)


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where ready repositories are kept to be copied: making one takes a dozen processes."""
    return tmp_path_factory.mktemp("made")


MAKERS: dict[str, Callable[[Path], object]] = {
    "repo": lambda folder: run_git(folder.parent, "init", "-q", folder.name),
    "kb": lambda folder: memgit(folder.parent, "init", folder.name),
}


@pytest.fixture
def prepared(made: Path, tmp_path: Path) -> Prepared:
    """Gives a new folder of the test's own as a function leaves it: made once, and copied from then on.

    What the function is given is what the fixture of that name gives, or an empty folder.
    """

    def model(name: str, make: Callable[[Path], object] | None) -> Path:
        found = made / (f"{make.__module__}.{make.__qualname__}" if make else "plain") / name
        if not found.exists():
            found.parent.mkdir(exist_ok=True)
            try:
                if make is None:
                    MAKERS.get(name, Path.mkdir)(found)
                else:
                    make(copy_folder(model(name, None), found))
            except BaseException:
                shutil.rmtree(found, ignore_errors=True)
                raise
        return found

    def give(name: str, make: Callable[[Path], object] | None = None) -> Path:
        return copy_folder(model(name, make), tmp_path / name)

    return give


@pytest.fixture
def repo(prepared: Prepared) -> Path:
    """A git repository without a commit."""
    return prepared("repo")


@pytest.fixture
def kb(prepared: Prepared) -> Path:
    """A knowledge repository as `memgit init` makes it."""
    return prepared("kb")

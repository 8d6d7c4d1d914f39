"""Fixtures: a private home, a pinned identity, real git, and the corpora where they are at hand."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support import EXAMPLES, memgit, run_git

# The tests start memgit hundreds of times: it, and they, are compiled once and not each time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Machines that run this are shared: a slow example is no failure.
settings.register_profile("memgit", deadline=None, max_examples=EXAMPLES)
settings.register_profile("long", deadline=None, max_examples=2000)
settings.load_profile("memgit")

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


@pytest.fixture(autouse=True)
def private_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has a home of its own: whatever git or memgit would read from the user's is not there."""
    home = tmp_path_factory.mktemp("home")
    (home / ".gitconfig").write_text(GIT_CONFIG)
    for name in [name for name in os.environ if name.startswith(("GIT_", "MEMGIT_"))]:
        monkeypatch.delenv(name)
    for name, value in {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "false",
        "GIT_CEILING_DIRECTORIES": str(home.parent),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }.items():
        monkeypatch.setenv(name, value)
    return home


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A git repository without a commit."""
    folder = tmp_path / "repo"
    folder.mkdir()
    run_git(folder, "init", "-q")
    return folder


@pytest.fixture
def corpora() -> Path:
    """The folder of real workspaces; the test is skipped where it is absent. Read only: copy before changing."""
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


@pytest.fixture
def kb(tmp_path: Path, made: Path) -> Path:
    """A knowledge repository as `memgit init` makes it."""
    model = made / "kb"
    if not model.exists():
        memgit(made, "init", "kb")
    return Path(shutil.copytree(model, tmp_path / "kb", symlinks=True))

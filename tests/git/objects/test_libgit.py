"""The C module of pygit2 on its own, and beside the whole package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memgit.git.objects import libgit
from tests.git.helpers import commit_files
from tests.support import run_git

ROOT = Path(__file__).resolve().parents[3]


def python(script: str, *args: str) -> str:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", script, *args], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_only_the_c_module_is_loaded_and_only_when_it_is_asked_for() -> None:
    listing = "print(*sorted(name for name in sys.modules if 'pygit2' in name or 'cffi' in name), sep=',')"
    loaded = python(
        f"import sys; from memgit.git import repository; from memgit.git.objects import libgit; {listing}; libgit.raw; {listing}"
    )
    assert loaded.split("\n") == ["", "pygit2,pygit2._pygit2", ""]


@pytest.mark.parametrize(
    "order",
    [
        "from memgit.git.objects import libgit; import pygit2",
        "import pygit2; from memgit.git.objects import libgit",
    ],
)
def test_the_whole_package_works_before_and_after(repo: Path, order: str) -> None:
    head = commit_files(repo, {"a": b"x\n"})
    script = f"""
import sys
{order}
whole = pygit2.Repository(sys.argv[1])
light = libgit.open_repository(sys.argv[1])
assert whole.head.target == light.lookup_reference("HEAD").resolve().target
kind, data = light.odb.read(whole.head.target)
assert kind == libgit.COMMIT and data.startswith(b"tree ")
assert list(whole.walk(whole.head.target))[0].message == "before\\n"
print(whole.head.target)
"""
    assert python(script, str(repo)).strip() == head


def test_falls_back_to_the_whole_package() -> None:
    """Where the C module cannot be loaded by itself, as in an installation that packs its files."""
    script = """
import importlib.machinery, sys
real = importlib.machinery.PathFinder.find_spec
asked = []
def once(name, path=None, target=None):
    if name == "pygit2" and not asked:
        asked.append(name)
        return None
    return real(name, path, target)
importlib.machinery.PathFinder.find_spec = once
from memgit.git.objects import libgit
version = libgit.raw.LIBGIT2_VERSION
print("pygit2.repository" in sys.modules, version)
"""
    whole, version = python(script).split()
    assert whole == "True"
    assert version[0].isdigit()


def test_discover(repo: Path, tmp_path: Path) -> None:
    (repo / "deep/er").mkdir(parents=True)
    assert libgit.discover(str(repo / "deep/er")) == str(repo / ".git")
    assert libgit.discover(str(repo / "deep/er"), ceilings=str(repo / "deep")) is None
    outside = tmp_path / "outside"
    outside.mkdir()
    assert libgit.discover(str(outside), ceilings=str(tmp_path)) is None
    assert libgit.discover(str(tmp_path / "none")) is None


def test_failures_cover_what_the_module_raises(repo: Path) -> None:
    raw = libgit.open_repository(str(repo))
    for call in (
        lambda: raw.odb.read("0" * 40),
        lambda: raw.odb.read("xyz"),
        lambda: raw.lookup_reference("refs/heads/none"),
        lambda: raw.lookup_reference("no good name"),
    ):
        with pytest.raises(libgit.FAILURES):
            call()
    assert run_git(repo, "rev-parse", "--is-bare-repository") == "false"

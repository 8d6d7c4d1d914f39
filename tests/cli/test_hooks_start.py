"""How the hooks start memgit: through its own Python where an installer's script lies on PATH, else as it is
called.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_hooks import ROOT, fact, git, mends
from tests.cli.test_hooks_shell import SHELLS
from tests.support import memgit, run_git

AS_INSTALLED = """\
#!{python}
# -*- coding: utf-8 -*-
import re
import sys
from memgit.__main__ import main
if __name__ == '__main__':
    open({seen!r}, "a").write("script\\n")
    sys.exit(main())
"""
"""What pip makes of an entry point, with a line that tells whether it ran."""


@pytest.fixture
def seen(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that the installed script writes to; it lies on PATH, and its Python notes its own call in the
    file, too.
    """
    folder = tmp_path_factory.mktemp("installed")
    noted = folder / "seen"
    python = folder / "inner/python3"
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\necho "$0" >>"{noted}"\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    script = folder / "memgit"
    script.write_text(AS_INSTALLED.format(python=python, seen=str(noted)))
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return noted


def stopped(kb: Path, shell: list[str]) -> subprocess.CompletedProcess[str]:
    """Runs the pre-commit hook over a commit that it has to stop."""
    fact(kb)
    run_git(kb, "add", "memory")
    return subprocess.run(
        [*shell, ".git/hooks/pre-commit"], cwd=kb, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_the_script_of_an_installer_is_passed_over(kb: Path, seen: Path, shell: list[str]) -> None:
    done = stopped(kb, shell)
    assert (done.returncode, "MG101" in done.stderr) == (1, True), done
    assert seen.read_text().splitlines() == [str(seen.parent / "inner/python3")]


@pytest.mark.parametrize("shell", SHELLS[-2:], ids=" ".join)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from memgit.__main__ import main", "from memgit.__main__ import main as main"),
        ("python3\n", "python3 -s\n"),
        ("inner/python3\n", "inner/pithon\n"),
    ],
    ids=["another script", "a Python with options", "no Python"],
)
def test_any_other_script_is_called(kb: Path, seen: Path, shell: list[str], old: str, new: str) -> None:
    script = seen.parent / "memgit"
    os.symlink("python3", seen.parent / "inner/pithon")
    script.write_text(script.read_text().replace(old, new))
    done = stopped(kb, shell)
    assert (done.returncode, "MG101" in done.stderr) == (1, True), done
    assert "script" in seen.read_text().splitlines()


def test_modules_in_the_repository_are_not_loaded(kb: Path, seen: Path) -> None:
    """Python has the current folder on its path for `-c`: a repository must not bring its own memgit, or
    json.
    """
    for name in ("memgit", "json", "sys", "gc", "os"):
        (kb / name).mkdir()
        (kb / name / "__init__.py").write_text("raise SystemExit(0)\n")
    (kb / "memgit/__main__.py").write_text("raise SystemExit(0)\n")
    fact(kb)
    run_git(kb, "add", "memory")
    done = git(kb, "commit", "-m", "x")
    assert (done.code, mends(done)) == (1, ["memgit rebuild && git add INDEX.md memory/INDEX.md"]), done
    assert "script" not in seen.read_text()


def test_a_file_of_that_name_in_the_repository_is_not_what_is_called(
    kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a shell knows `memgit` by another thing than a file, its name is no path."""
    evil = kb / "evil/python"
    evil.parent.mkdir()
    evil.write_text("#!/bin/sh\necho evil >&2\nexit 0\n")
    evil.chmod(0o755)
    (kb / "memgit").write_text(f"#!{evil}\nfrom memgit.__main__ import main\n")
    monkeypatch.setenv("BASH_FUNC_memgit%%", "() { echo function >&2; return 1; }")
    done = stopped(kb, ["bash"])
    assert (done.returncode, done.stderr) == (1, "function\n")


def test_a_python_that_is_gone_stops_nothing(kb: Path, seen: Path) -> None:
    (seen.parent / "inner/python3").unlink()
    fact(kb)
    run_git(kb, "add", "memory")
    done = git(kb, "commit", "-m", "x")
    assert (done.code, "cannot be started, so the pre-commit hook checked nothing" in done.err) == (0, True)


def test_under_set_eu_with_a_script_that_ends_early(kb: Path, seen: Path) -> None:
    """The lines stand in other tools' hooks too, which may end at the first command that fails."""
    memgit(kb, "hooks", "uninstall")
    hook = kb / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh -eu\necho mine >&2\n")
    hook.chmod(0o755)
    memgit(kb, "hooks", "install")
    (seen.parent / "memgit").write_text(f"#!{sys.executable}\nraise SystemExit(0)")
    done = subprocess.run([str(hook)], cwd=kb, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "mine\n")

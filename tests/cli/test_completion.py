from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import memgit


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell(tmp_path: Path, shell: str) -> None:
    script = memgit(tmp_path, "completion", shell).out
    assert "_MEMGIT_COMPLETE" in script
    assert "memgit" in script


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("memgit arch", "archive"),
        ("memgit show memory/fri", "memory/friday-ci"),
        ("memgit list --archi", "--archived"),
    ],
)
def test_commands_options_and_addresses_are_completed(kb: Path, words: str, wanted: str) -> None:
    memgit(kb, "record", "memory", "Friday CI", "-m", "x")
    env = {
        **os.environ,
        "_MEMGIT_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "memgit"], cwd=kb, env=env, capture_output=True, text=True, check=True
    )
    assert f"plain,{wanted}" in done.stdout.split("\n")

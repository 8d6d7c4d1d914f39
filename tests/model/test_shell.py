"""Commands that a message names can be typed as they stand."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from memgit.model.shell import memgit_in, typed_path


def test_the_folder_that_one_is_in_is_not_named() -> None:
    assert memgit_in("") == memgit_in(".") == "memgit"
    assert memgit_in("docs/kb") == "memgit -C docs/kb"
    assert memgit_in("-docs") == "memgit -C ./-docs"
    assert memgit_in("my docs") == "memgit -C 'my docs'"


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    "path", ["a b", "it's", "$HOME/`x`", "*?[", "a\nb", "a\tb", "\x1b[31m", "é\\", "odd \udce9 \u202e"]
)
def test_a_shell_reads_the_path_again(path: str) -> None:
    printed = subprocess.run(
        ["bash", "-c", f"printf %s {typed_path(path)}"], capture_output=True, check=True
    ).stdout
    assert printed == os.fsencode(path)


@pytest.mark.parametrize("path", ["-rf", ":(top)x", ":/"])
def test_no_path_is_taken_for_an_option_or_a_pattern(path: str) -> None:
    assert typed_path(path).strip("'") == f"./{path}"

"""What every simulation needs: a `memgit` that hooks and merge drivers find, and clones of one bare repository."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.simulations.people import ROOT, Hub


@pytest.fixture(autouse=True)
def on_path(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `memgit` on PATH that runs this checkout."""
    folder = tmp_path_factory.mktemp("bin")
    script = folder / "memgit"
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m memgit "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


@pytest.fixture
def hub(tmp_path: Path) -> Hub:
    """A bare repository that clones can be made of."""
    return Hub(tmp_path)

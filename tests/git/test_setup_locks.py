"""Settings are written though another git holds the lock of the configuration for a moment."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from memgit.errors import Refused
from memgit.git import setup
from memgit.git.repository import Repository
from tests.support import run_git


def test_a_lock_that_goes_is_waited_for(repo: Path) -> None:
    lock = repo / ".git/config.lock"
    lock.touch()
    timer = threading.Timer(0.3, lock.unlink)
    timer.start()
    assert setup.set_local_config(Repository.open(str(repo), dict(os.environ)), {"memgit.x": "y"})
    timer.join()
    assert run_git(repo, "config", "memgit.x") == "y"


def test_a_lock_that_stays_is_named(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "LOCK_WAIT", 0.2)
    (repo / ".git/config.lock").touch()
    with pytest.raises(Refused, match="lock"):
        setup.set_local_config(Repository.open(str(repo), dict(os.environ)), {"memgit.x": "y"})


def test_any_other_fault_is_told_at_once(repo: Path) -> None:
    with pytest.raises(Refused, match="git config"):
        setup.set_local_config(Repository.open(str(repo), dict(os.environ)), {"no section": "y"})

"""What tests of the cache begin with: a repository as memgit opens it, and its cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memgit.cache.db import Cache, open_cache
from memgit.git.repository import Repository
from tests.cache.trees import opened


@pytest.fixture
def git(repo: Path) -> Repository:
    return opened(repo)


@pytest.fixture
def cache(repo: Path) -> Iterator[Cache]:
    found = open_cache(str(repo / ".git"), "test")
    assert found is not None
    yield found
    found.close()

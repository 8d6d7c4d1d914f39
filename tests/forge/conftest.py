"""Forges on loopback; no request goes through a proxy."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.forge.server import Server, serving


@pytest.fixture(autouse=True)
def no_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever CI these tests run in themselves is not seen by them."""
    for name in list(os.environ):
        if (
            name.startswith(("GITHUB_", "GITLAB_", "CI_", "RUNNER_"))
            or name.lower().endswith("_proxy")
            or name in ("CI", "GH_TOKEN")
        ):
            monkeypatch.delenv(name)


@pytest.fixture
def github() -> Iterator[Server]:
    with serving("github") as state:
        yield state


@pytest.fixture
def gitlab() -> Iterator[Server]:
    with serving("gitlab") as state:
        yield state

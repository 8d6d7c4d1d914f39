"""Listing the open requests of a repository, as a job of its CI does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.forge.server import Fault, Server
from tests.support import memgit


@pytest.fixture(params=["github", "gitlab"])
def forge(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Server:
    server: Server = request.getfixturevalue(request.param)
    for name, text in {**server.env(), "MEMGIT_FORGE_TOKEN": "secret"}.items():
        monkeypatch.setenv(name, text)
    return server


def row(
    server: Server, number: Any, head: Any, base: Any = "main", repository: int | None = 1
) -> dict[str, Any]:
    """An open request as the forge tells of it; `repository` is that of its branch, None for a fork that is gone."""
    if server.sort == "gitlab":
        branches = {"source_branch": head, "target_branch": base}
        return {
            "id": number,
            "iid": number,
            **branches,
            "source_project_id": repository,
            "target_project_id": 1,
        }
    there = None if repository is None else {"id": repository}
    return {
        "id": number,
        "number": number,
        "head": {"ref": head, "repo": there},
        "base": {"ref": base, "repo": {"id": 1}},
    }


def test_the_branches_of_the_repository_itself_by_number(forge: Server, tmp_path: Path) -> None:
    forge.pulls = [
        row(forge, 9, "nine"),
        row(forge, 3, "three"),
        row(forge, 4, "release-fix", "release"),
        row(forge, 5, "forked", repository=2),
        row(forge, 6, "gone", repository=None),
        row(forge, 7, "three"),
    ]
    assert memgit(tmp_path, "open-requests").out == "three\nrelease-fix\nnine\n"
    assert memgit(tmp_path, "open-requests", "--base", "main", "--json").json == [
        {"number": 3, "base": "main", "head": "three"},
        {"number": 7, "base": "main", "head": "three"},
        {"number": 9, "base": "main", "head": "nine"},
    ]
    assert {one.token for one in forge.requests} == {"secret"}


@pytest.mark.parametrize("name", ["-x", "a b", "a\nb", "a\x1b[2J", "..", "", None, 7, "a\udc80"])
def test_what_is_no_name_of_a_branch_is_left_out(forge: Server, tmp_path: Path, name: Any) -> None:
    forge.pulls = [row(forge, 1, name), row(forge, 2, "good"), row(forge, 3, "good", name)]
    assert memgit(tmp_path, "open-requests").out == "good\n"


def test_a_forge_that_does_not_answer_is_named(
    forge: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forge.faults = {"GET": [Fault(401)]}
    assert "answers 401" in memgit(tmp_path, "open-requests", code=3).err
    monkeypatch.delenv("MEMGIT_FORGE_TOKEN")
    assert "no token" in memgit(tmp_path, "open-requests", code=3).err


def test_outside_of_a_job_it_says_so(tmp_path: Path) -> None:
    assert "no forge" in memgit(tmp_path, "open-requests", code=2).err

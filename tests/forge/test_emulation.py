"""Ten pull requests, six events, both forges and any other CI: verdict, exit code, annotations (on GitLab the code quality
report) and comment.

What is expected stands in `emulation.txt`; `-s` prints what came of each job. The jobs run as the same commands
in this process; with `-m slow` all of them by their own scripts as well.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.forge.emulation import (
    CHECKOUTS,
    GITHUB,
    GITLAB,
    PULLS,
    Hub,
    Row,
    make_base,
    make_hub,
    run_github,
    run_gitlab,
    run_plain,
)
from tests.forge.server import serving
from tests.support import Prepared

EXPECTED = Path(__file__).with_name("emulation.txt").read_text().splitlines()
WAYS = [("github", "pull_request", way) for way in CHECKOUTS] + [
    ("gitlab", "detached", way) for way in CHECKOUTS if way != "merge"
]


def line(pull: str, forge: str, event: str, row: Row) -> str:
    return f"{pull:15}  {forge:6}  {event:13}  {row}"


def job(
    tmp_path: Path, hub: Hub, forge: str, event: str, *, scripts: bool = False, way: str = "merge"
) -> Row:
    """One job, in a folder of its own."""
    folder = tmp_path / f"{forge} {event} {way}"
    folder.mkdir()
    if forge == "plain":
        return run_plain(folder, hub, scripts=scripts)
    with serving(forge) as server:
        run = run_github if forge == "github" else run_gitlab
        return run(folder, hub, event, server, scripts=scripts, way=way)


def lines(prepared: Prepared, tmp_path: Path, pull: str, *, scripts: bool) -> list[str]:
    """What comes of all jobs of one pull request."""
    hub = make_hub(prepared("forge", make_base), pull)
    jobs = [*(("github", one) for one in GITHUB), *(("gitlab", one) for one in GITLAB), ("plain", "")]
    found = [line(pull, *one, job(tmp_path, hub, *one, scripts=scripts)) for one in jobs]
    sys.stdout.write("\n" + "\n".join(found) + "\n")
    return found


@pytest.mark.parametrize("pull", PULLS)
def test_each_pull_request_on_each_event(prepared: Prepared, tmp_path: Path, pull: str) -> None:
    assert lines(prepared, tmp_path, pull, scripts=False) == [
        one for one in EXPECTED if one.startswith(f"{pull:15}  ")
    ]


@pytest.mark.slow
@pytest.mark.parametrize("pull", PULLS)
def test_each_pull_request_on_each_event_by_the_scripts(
    prepared: Prepared, tmp_path: Path, pull: str
) -> None:
    assert lines(prepared, tmp_path, pull, scripts=True) == [
        one for one in EXPECTED if one.startswith(f"{pull:15}  ")
    ]


@pytest.mark.parametrize(
    "pull",
    [
        name if name in ("broken link", "fork") else pytest.param(name, marks=pytest.mark.slow)
        for name in PULLS
    ],
)
def test_each_checkout_gives_the_same(prepared: Prepared, tmp_path: Path, pull: str) -> None:
    hub = make_hub(prepared("forge", make_base), pull)
    for forge, event, way in WAYS:
        assert line(pull, forge, event, job(tmp_path, hub, forge, event, way=way)) in EXPECTED, (forge, way)


def test_the_table_is_whole() -> None:
    assert len(EXPECTED) == len(set(EXPECTED)) == len(PULLS) * (len(GITHUB) + len(GITLAB) + 1)
    stopped = {name for name in PULLS for row in EXPECTED if row.startswith(name) and "  fail  1  " in row}
    assert stopped == {"broken link", "secret", "drift"}

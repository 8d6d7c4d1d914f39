"""Clones that record and sync all at once: nobody is turned away, and every record arrives everywhere."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.simulations.people import Hub, Person
from tests.support import fsck, memgit, run_git, status

PROGRAM = """\
import sys
from memgit.cli.start import run
folder, name, records = sys.argv[1], sys.argv[2], int(sys.argv[3])
for number in range(records):
    kind = ['knowledge', '--category', 'web'] if number % 2 else ['memory', '--scope', 'fresh']
    for words in (['record', kind[0], f'Note {number} of {name}', *kind[1:], '-m', f'- text {number} of {name}'], ['sync']):
        code = run(['-C', folder, *words])
        if code:
            print('stopped:', code, words)
"""


def crowd(hub: Hub, clones: int, records: int) -> None:
    memgit(hub.folder, "init", "start")
    hub.publish(hub.folder / "start")
    folders = [hub.clone(f"clone{number}") for number in range(clones)]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(folder), folder.name, str(records)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for folder in folders
    ]
    for process in running:
        out, err = process.communicate(timeout=1200)
        assert (process.returncode, "stopped:" in out) == (0, False), (out, err)
    for folder in folders:
        memgit(folder, "sync")
        assert len(Person(folder).addresses()) == clones * records
        assert (status(folder), memgit(folder, "rebuild", "--check").code) == ("", 0)
        fsck(folder)
    assert len({run_git(folder, "rev-parse", "HEAD^{tree}") for folder in folders}) == 1


def test_three_clones(hub: Hub) -> None:
    crowd(hub, 3, 3)


@pytest.mark.slow
@pytest.mark.parametrize("run", range(10))
def test_five_clones_with_eight_records_each(hub: Hub, run: int) -> None:
    crowd(hub, 5, 8)

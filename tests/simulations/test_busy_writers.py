"""A person commits with plain git while several memgit processes write in the same clone.

git reads HEAD before it runs the hooks and gives up where HEAD has moved by the end, so writers leave it gaps.
"""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from tests.simulations.people import Hub, Person
from tests.support import fsck, memgit

WRITER = """\
import os, sys
from memgit.cli.start import run
folder, name, end = sys.argv[1:]
number = 0
while not os.path.exists(end):
    if run(['-C', folder, 'record', 'memory', f'Note {number} of {name}', '--scope', name, '-m', 'x']):
        print('stopped:', number)
    number += 1
print('made', number)
"""


def beside_writers(hub: Hub, writers: int, commits: int) -> tuple[int, list[str]]:
    """How many plain commits went through beside busy writers, and what stopped the others."""
    memgit(hub.folder, "init", "kb")
    person, end = Person(hub.folder / "kb"), hub.folder / "end"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(person.folder), f"w{number}", str(end)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(writers)
    ]
    time.sleep(2)
    through = 0
    for number in range(commits):
        person.write(f"drafts/note-{number}.txt", f"by hand {number}\n")
        through += person.git("add", "drafts") and person.git("commit", "-q", "-m", f"by hand {number}")
    end.touch()
    made = 0
    for process in running:
        out, err = process.communicate(timeout=120)
        assert (process.returncode, "stopped:" in out) == (0, False), (out, err)
        made += int(out.rpartition("made ")[2])
    assert len(person.addresses()) == made > 0
    fsck(person.folder)
    return through, person.stopped


def test_most_commits_go_through(hub: Hub) -> None:
    through, stopped = beside_writers(hub, 4, 8)
    assert through >= 6, stopped


@pytest.mark.slow
def test_twenty_five_commits_beside_eight_writers(hub: Hub) -> None:
    through, stopped = beside_writers(hub, 8, 25)
    assert through >= 20, stopped

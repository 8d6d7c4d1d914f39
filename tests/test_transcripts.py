"""End-to-end transcripts: commands as a user types them, with the output that they give.

In `transcripts/*.txt`, a line `$ command` runs; the lines under it are its output, `[exit N]` its code where
that is not 0. `< text` lines before a command are its standard input. `{{hash}}`, `{{id}}`, `{{date}}` stand
for what differs between runs, `{{*}}` for anything. A line `$ write NAME` stores the standard input as a
file.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support import memgit

FOLDER = Path(__file__).parent / "transcripts"
HOLES = {
    "hash": "[0-9a-f]{7,40}",
    "id": "[a-hjkmnp-tv-z][0-9a-hjkmnp-tv-z]{9}",
    "date": r"\d{4}-\d\d-\d\d",
    "*": ".*",
}


class Step(NamedTuple):
    line: int
    command: str
    stdin: str
    output: str
    code: int


def steps(text: str) -> list[Step]:
    """The steps of a transcript."""
    found: list[Step] = []
    stdin: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("$ "):
            found.append(Step(number, line[2:], "".join(f"{part}\n" for part in stdin), "", 0))
            stdin = []
        elif line.startswith("<"):
            stdin.append(line[2:])
        elif match := re.fullmatch(r"\[exit (\d+)\]", line):
            found[-1] = found[-1]._replace(code=int(match[1]))
        elif found and not line.startswith("# "):
            found[-1] = found[-1]._replace(output=found[-1].output + line + "\n")
    return found


def pattern(expected: str) -> str:
    """A regular expression for an expected output."""
    parts = re.split(r"\{\{(\*|\w+)\}\}", expected)
    return "".join(
        re.escape(part) if index % 2 == 0 else f"(?:{HOLES[part]})" for index, part in enumerate(parts)
    )


def ran(folder: Path, step: Step, *, alone: bool) -> tuple[int, str]:
    """The exit code and output of a step; memgit runs in this process, unless each is to have its own."""
    words = shlex.split(step.command)
    if words[0] == "memgit" and not alone:
        answer = memgit(folder, *words[1:], stdin=step.stdin.encode(), code=None)
        return answer.code, answer.out + answer.err
    if words[0] == "memgit":
        words[:1] = [sys.executable, "-m", "memgit"]
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        words, cwd=folder, env=env, input=step.stdin, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_transcript(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for step in steps(path.read_text()):
        if step.command.startswith("write "):
            target = tmp_path / step.command.removeprefix("write ")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(step.stdin)
            continue
        code, output = ran(tmp_path, step, alone=path.stem == "first-steps")
        where = f"{path.name}:{step.line}: $ {step.command}"
        assert code == step.code, f"{where}\n{output}"
        wanted = step.output.strip("\n")
        assert re.fullmatch(pattern(wanted), output.strip("\n")), (
            f"{where}\n--- wanted\n{wanted}\n--- got\n{output}"
        )


def test_a_wrong_transcript_fails() -> None:
    [step] = steps("$ memgit x\nwanted {{id}} of {{date}}\n[exit 2]\n")
    assert step.code == 2
    assert re.fullmatch(pattern(step.output.strip()), "wanted kb7m2q9x4d of 2026-03-02")
    assert not re.fullmatch(pattern(step.output.strip()), "wanted kb7m2q9x4 of 2026-03-02")

"""The README's examples, run for real.

In README.md a `console` block holds commands after `$ ` and what each prints; an `sh` block that calls memgit
is run too (from its first call on, without the installation before it), and the `text` block after it is what
it prints. All of them run in order, in one new home folder, each where the one before it ended. Hashes, ids
and dates differ from run to run: the text stays where nothing else differs, and comes from one run where
anything does, so that the ids of one example are those of the next.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

_BLOCK = re.compile(r"^```(console|sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_VARIABLE = re.compile(
    r"\b[0-9a-f]{40}\b|\b[0-9a-f]{7,12}\b"  # object names
    r"|\b[a-hjkmnp-tv-z][0-9a-hjkmnp-tv-z]{9}\b"  # record ids
    r"|\b\d{8}(?=-)"  # in the key of a decision
    r"|\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}:\d{2}(?: ?[+-]\d{2}:?\d{2}|Z)?)?"
    r"|\b[A-Z][a-z]{2} [A-Z][a-z]{2} +\d{1,2} \d{2}:\d{2}:\d{2} \d{4} [+-]\d{4}"  # as `git log` has it
)
_INSTALL = re.compile(r"\A.*?(?=\.venv/bin/memgit)", re.DOTALL)


def update(text: str) -> str:
    """The README with what its examples print now.

    Raises:
        RuntimeError: an example failed; the message holds its words.
    """
    with tempfile.TemporaryDirectory() as folder:
        shell = _Shell(Path(folder).resolve())
        out: list[str] = []
        position = 0
        printed: str | None = None
        for block in _BLOCK.finditer(text):
            out.append(text[position : block.start(2)])
            position = block.end(2)
            language, body = block.groups()
            if language == "console":
                body = "".join(f"$ {command}\n{shell.run(command)}" for command in _commands(body))
            elif language == "sh":
                printed = (
                    shell.run(_INSTALL.sub("", body).replace(".venv/bin/", ""))
                    if ".venv/bin/memgit" in body
                    else None
                )
            elif printed is not None:
                body, printed = printed, None
            out.append(body)
        now = "".join(out) + text[position:]
        return text if stable(now) == stable(text) else now


def stable(text: str) -> str:
    """A text in which what differs between two runs is replaced by its shape, whatever the width of a day."""
    return _VARIABLE.sub(lambda match: re.sub(r"\w+", "x", re.sub(r" +", " ", match[0])), text)


def _commands(body: str) -> Iterator[str]:
    """The commands of a console block; a line that ends in a backslash goes on in the next one."""
    lines = iter(body.splitlines())
    for line in lines:
        if line.startswith("$ "):
            command = line[2:]
            while command.endswith("\\"):
                command += "\n" + next(lines)
            yield command


class _Shell:
    """Runs commands one by one, each in the folder where the one before it ended."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home

    def run(self, command: str) -> str:
        """What a command prints, on both outputs in their order, with the home folder named `/home/ada`.

        Raises:
            RuntimeError: it is not there or crashed; findings and refusals (exit codes up to 3) are worth
                showing.
        """
        env = {
            "HOME": str(self.home),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "GIT_CONFIG_NOSYSTEM": "1",
            **{f"GIT_{who}_NAME": "Ada Moss" for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_EMAIL": "ada@example.org" for who in ("AUTHOR", "COMMITTER")},
        }
        ended = self.home / ".ended"
        script = f"trap 'code=$?; pwd > \"{ended}\"; exit $code' EXIT\n{command}"
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode > 3 or "Traceback (most" in done.stdout:
            raise RuntimeError(f"{command}\n{done.stdout}")
        self.folder = Path(ended.read_text().removesuffix("\n"))
        return re.sub(r"[ \t]+$", "", done.stdout.replace(str(self.home), "/home/ada"), flags=re.MULTILINE)

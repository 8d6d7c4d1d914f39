"""Long output through the user's own pager, chosen as git chooses it: GIT_PAGER, core.pager, PAGER, less.

No file that is committed has a say: git's own configuration is the user's, and that of a bare repository which
lies in a checkout is not read.
"""

from __future__ import annotations

import io
import os
import shutil
import signal
import sys

from memgit import TYPE_CHECKING
from memgit.cli.root import split
from memgit.cli.terminal import Output
from memgit.errors import MemgitError
from memgit.git import process
from memgit.git.terminal import start_pager

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PAGED = frozenset(
    "show search list history blame diff log links tags rule health context lint review".split()
)
"""Commands whose output may be long. They ask nothing."""
DEFAULTS = {"LESS": "FRX", "LV": "-c"}
"""What git sets for pagers where the user has not: quit where all fits one screen, show colours."""
_SHELL = frozenset("|&;<>()$`\\\"'*?[#~=%{}\n")


def start(args: Sequence[str], env: Mapping[str, str]) -> int | None:
    """Starts the pager for a command line, where standard output is a terminal and it has one; its process."""
    words = split(args)
    if words is None or words[0].get("no_pager") or not PAGED.intersection(words[1][:1]):
        return None
    command = chosen(env, words[0].get("folder") or env.get("MEMGIT_DIR") or ".")
    if not command:
        return None
    columns = shutil.get_terminal_size().columns
    pid = start_pager(command, {**DEFAULTS, **env}, (1, 2) if sys.stderr.isatty() else (1,))
    os.environ.setdefault("COLUMNS", str(columns))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=False)
    Output.paged = True
    return pid


def chosen(env: Mapping[str, str], folder: str) -> str:
    """The pager, a command line for the shell; empty for none."""
    if env.get("TERM", "dumb") == "dumb":
        return ""
    named = env.get("GIT_PAGER")
    if named is None:
        named = _configured(env, folder)
    if named is None:
        named = env.get("PAGER", "less")
    words = named.split()
    if not words or words == ["cat"]:
        return ""
    is_missing = not _SHELL.intersection(named) and not shutil.which(words[0])
    return "" if is_missing else named


def _configured(env: Mapping[str, str], folder: str) -> str | None:
    try:
        asked = ["-c", "safe.bareRepository=explicit", "config", "--get", "core.pager"]
        done = process.attempt(asked, env=env, cwd=folder)
    except MemgitError:
        return None
    return None if done.code else done.out.decode("utf-8", "surrogateescape").rstrip("\n")


def finish(pid: int) -> None:
    """Ends the output and waits until the person has read it; an interrupt is the pager's."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for handle in (1, 2):
        os.dup2(nowhere, handle)
    os.waitpid(pid, 0)

"""Whether git finds memgit when it starts a hook or the merge driver, which name the command alone."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from shutil import which

NAME = "memgit"


def missing(env: Mapping[str, str]) -> str | None:
    """The command that makes `memgit` found where PATH does not lead to it; None where it does."""
    if which(NAME, path=env.get("PATH")) is not None:
        return None
    folder = os.path.dirname(sys.executable)
    if which(NAME, path=folder) is not None:
        return f'export PATH={shlex.quote(folder)}:"$PATH"'
    return "install memgit where PATH leads"


def framework_only(env: Mapping[str, str]) -> str | None:
    """The path of the memgit that runs, as a shell takes it, where that is in the environment alone that the
    pre-commit framework made; None where a person's PATH leads to one.
    """
    folder = os.path.dirname(sys.executable)
    path = os.pathsep.join(one for one in env.get("PATH", "").split(os.pathsep) if one != folder)
    return None if which(NAME, path=path) is not None else shlex.quote(os.path.join(folder, NAME))

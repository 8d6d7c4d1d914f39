"""The options of memgit itself, which stand before a command; read before anything else is loaded."""

from __future__ import annotations

from memgit import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = {"-C": "folder", "--actor": "actor", "--run": "run"}
"""Each with a value; spelled as click takes them: `-C DIR`, `-CDIR`, `--run ID`, `--run=ID`."""
FLAGS = {"--no-pager": "no_pager"}
"""Those without a value."""


def split(args: Sequence[str]) -> tuple[dict[str, str], list[str]] | None:
    """Their values by name, the last where one is given twice, and the command with what follows; None where
    a value is missing.
    """
    values: dict[str, str] = {}
    position = 0
    while position < len(args):
        arg = args[position]
        if arg in FLAGS:
            values[FLAGS[arg]] = "1"
            position += 1
            continue
        flag, joined, value = arg.partition("=") if arg.startswith("--") else (arg[:2], arg[2:], arg[2:])
        if flag not in ROOT:
            break
        position += 1
        if not joined:
            if position == len(args):
                return None
            value = args[position]
            position += 1
        values[ROOT[flag]] = value
    return values, list(args[position:])

"""The entry point: the version is answered without loading anything else."""

from __future__ import annotations

import gc
import os
import sys

from memgit import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def main() -> None:
    """Runs the command line and exits with its code."""
    if sys.argv[1:] == ["--version"]:
        from memgit import __version__

        sys.stdout.write(f"memgit {__version__}\n")
        return
    # A process ends soon, and hardly anything in it refers to itself: looking for that as often as Python does takes a tenth of the time.
    gc.set_threshold(200_000, 20, 100)
    ending: Callable[[], None] | None = None
    if (folder := looks(sys.argv[1:])) is not None:
        from memgit.git import early

        early.begin(folder, os.environ)
    elif (folder := writes(sys.argv[1:])) is not None:
        from memgit.git import early_index

        early_index.begin(folder, os.environ)
        ending = early_index.forget
    from memgit.cli.start import run

    code = run(closing=False)
    if ending is not None:
        ending()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        pass
    from memgit.model.regex import keep

    keep()
    # Everything is written. Taking the interpreter apart and carrying the cache's log over would cost more than many commands do.
    os._exit(code)


HELP = ("-h", "--help")


def looks(args: list[str]) -> str | None:
    """The folder of a command line that will surely ask for uncommitted edits anywhere in its working tree; None of any other.

    A guess that may be wrong costs little.
    """
    folder, args = _rooted(args)
    if not args or _has(args, ("--at", *HELP)):
        return None
    # A kind narrows it to one folder; an address with its kind is looked up in the file where it must be.
    sure = args[0] in ("search", "context") or args in (["list"], ["list", "--json"])
    return folder if sure or (args[0] == "show" and not any("/" in arg for arg in args)) else None


def writes(args: list[str]) -> str | None:
    """The folder of a command line that will most likely change a file and what is derived from it; None of any other."""
    folder, args = _rooted(args)
    sure = bool(args) and args[0] in ("record", "update", "extend", "archive", "restore")
    return folder if sure and not _has(args, ("--batch", *HELP)) else None


def _rooted(args: list[str]) -> tuple[str, list[str]]:
    """The folder that a command line starts in, and its command with what follows."""
    from memgit.cli.root import split

    values, rest = split(args) or ({}, [])
    return values.get("folder", "."), rest


def _has(args: list[str], flags: tuple[str, ...]) -> bool:
    """Whether an option is among some words, spelled `--at REV` or `--at=REV`; what follows `--` is none."""
    options = args[: args.index("--")] if "--" in args else args
    return any(arg.partition("=")[0] in flags for arg in options)


if __name__ == "__main__":
    main()

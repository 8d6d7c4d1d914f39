"""The entry point: the version is answered without loading anything else."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Runs the command line and exits with its code."""
    if sys.argv[1:] == ["--version"]:
        from memgit import __version__

        sys.stdout.write(f"memgit {__version__}\n")
        return
    # A process ends soon, and hardly anything in it refers to itself: looking for that as often as Python does takes a tenth of the time.
    gc.set_threshold(50_000, 20, 100)
    if _looks(sys.argv[1:]):
        from memgit.git import early

        early.begin(".", os.environ)
    from memgit.cli.start import run

    code = run(closing=False)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        pass
    # Everything is written. Taking the interpreter apart and carrying the cache's log over would cost more than many commands do.
    os._exit(code)


def _looks(args: list[str]) -> bool:
    """Whether a command line will surely ask for uncommitted edits anywhere in the working tree. A guess that may be wrong costs little."""
    if not args or "--at" in args:
        return False
    # A kind narrows it to one folder; an address with its kind is looked up in the file where it must be.
    return args[0] in ("search", "context") or args in (["list"], ["list", "--json"]) or (args[0] == "show" and "/" not in args[-1])


if __name__ == "__main__":
    main()

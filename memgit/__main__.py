"""The entry point: the version is answered without loading anything else."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Runs the command line and exits with its code."""
    if sys.argv[1:] == ["--version"]:
        from memgit import __version__

        sys.stdout.write(f"memgit {__version__}\n")
        return
    from memgit.cli.main import run

    code = run(closing=False)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        pass
    # Everything is written. Taking the interpreter apart and carrying the cache's log over would cost more than many commands do.
    os._exit(code)


if __name__ == "__main__":
    main()

"""The entry point: the version is answered without loading anything else."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line and exits with its code."""
    if sys.argv[1:] == ["--version"]:
        from memgit import __version__

        sys.stdout.write(f"memgit {__version__}\n")
        return
    from memgit.cli.main import run

    sys.exit(run())


if __name__ == "__main__":
    main()

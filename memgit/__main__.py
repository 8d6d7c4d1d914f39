"""The entry point: the version is answered without loading anything else."""

from __future__ import annotations

import gc
import os
import sys

ELSEWHERE = """\
memgit: this system is not supported: memgit runs on Linux and macOS
hint: on Windows, use it within the Windows Subsystem for Linux (wsl --install)
"""


def main() -> None:
    """Runs the command line and exits with its code."""
    if sys.argv[1:] == ["--version"]:
        from memgit import __version__

        sys.stdout.write(f"memgit {__version__}\n")
        return
    if os.name != "posix":
        sys.stderr.write(ELSEWHERE)
        sys.exit(3)
    # A process ends soon, and hardly anything in it refers to itself: looking for that as often as Python
    # does takes a tenth of the time.
    gc.set_threshold(200_000, 20, 100)
    from memgit.cli.start import run
    from memgit.cli.streams import secure

    secure(sys.argv[1:])
    pager = None
    if sys.stdout.isatty():
        from memgit.cli.pager import finish, start

        pager = start(sys.argv[1:], os.environ)
    code = run(closing=False)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        pass
    if pager is not None:
        finish(pager)
    # Everything is written. Taking the interpreter apart and carrying the cache's log over would cost more
    # than many commands do.
    os._exit(code)


if __name__ == "__main__":
    main()

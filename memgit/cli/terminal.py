"""What standard output is, a terminal or a pager on one, and whether it gets colours."""

from __future__ import annotations

import os
import sys


class Output:
    """What memgit did with standard output.

    Attributes:
        paged: it goes to a pager that memgit started on the terminal.
    """

    paged = False


def for_people() -> bool:
    """Whether a person reads standard output, on a terminal or in a pager."""
    return Output.paged or sys.stdout.isatty()


def on_terminal() -> bool:
    """Whether a person can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def coloured() -> bool:
    """Whether standard output gets colours: on a terminal that can show them, unless NO_COLOR is set
    (https://no-color.org).
    """
    return for_people() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

"""How far long work is: one line on standard error, on a terminal alone."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from memgit.model.printable import safe

ERASE = "\r\x1b[K"


@contextmanager
def progress_line() -> Iterator[Callable[[str], None]]:
    """Gives a function that shows a text in place of the one before; the line is erased at the end."""
    shown = sys.stderr.isatty() and sys.stdout.isatty()

    def show(text: str) -> None:
        if shown:
            click.echo(f"{ERASE}{safe(text)}", err=True, nl=False)

    try:
        yield show
    finally:
        if shown:
            click.echo(ERASE, err=True, nl=False)

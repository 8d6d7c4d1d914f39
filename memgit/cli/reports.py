"""What `lint`, `review` and `review-job` share: which rules run, and how a report is painted and written."""

from __future__ import annotations

from collections.abc import Iterable

import click

from memgit.cli.options import typed
from memgit.cli.output import write_utf8
from memgit.errors import Refused
from memgit.model.printable import safe

COLOURS = {
    "error": {"fg": "red"},
    "warning": {"fg": "yellow"},
    "info": {"fg": "blue"},
    "good": {"fg": "green"},
    "bold": {"bold": True},
    "faint": {"dim": True},
}

select_option = click.option(
    "--select",
    multiple=True,
    metavar="RULES",
    help="Run only these rules: codes, beginnings of codes, names; commas or repeat.",
)
ignore_option = click.option("--ignore", multiple=True, metavar="RULES", help="Leave these rules out.")
also_option = click.option(
    "--also", multiple=True, metavar="FORMAT=FILE", help="Write it in another format as well; repeatable."
)


def chosen(values: tuple[str, ...]) -> tuple[str, ...]:
    """The names in options that take several, each with commas or repeated."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


def paint(text: str, colour: str) -> str:
    """Text for a terminal in one of `COLOURS`."""
    return click.style(safe(text), **COLOURS[colour])  # type: ignore[arg-type]


def write_report(
    pieces: Iterable[str], form: str, painted: bool, ctx: click.Context, output: str | None
) -> None:
    """Prints a report, or writes it to a file.

    Raises:
        Refused: the file cannot be written.
    """
    if output is not None:
        try:
            with open(
                typed(ctx, output), "w", encoding="utf-8", errors="surrogateescape", newline="\n"
            ) as file:
                file.writelines(pieces)
        except OSError as error:
            raise Refused(f"{output}: {error.strerror}") from error
    elif form == "text":
        lines = "".join(pieces).splitlines(keepends=True)
        click.echo("".join(line if painted else safe(line) for line in lines), nl=False)
    else:
        for piece in pieces:
            write_utf8(piece)

"""Printing: text for people, JSON for programs; nothing that a record holds reaches the terminal as a control
sequence.
"""

from __future__ import annotations

import json
import os
import sys

from memgit import TYPE_CHECKING
from memgit.cli.lean import click
from memgit.cli.terminal import for_people
from memgit.model.printable import readable, safe
from memgit.model.record import Record, joined

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from memgit.app.read.reader import Reader
    from memgit.app.write.session import OperationResult
    from memgit.errors import MemgitError
    from memgit.model.record import Problem

MAX_LINE = 2000


def safe_line(text: str) -> str:
    """As `safe`, on one line: a name that holds a line feed does not look like two."""
    return safe(text).replace("\n", "\\n")


def emit_json(value: Any) -> None:
    """Writes one JSON value and a newline to standard output as UTF-8."""
    write_utf8(json_text(value) + "\n")


def json_text(value: Any) -> str:
    """A JSON value as `emit_json` writes it: on a terminal over several lines."""
    return json.dumps(value, ensure_ascii=False, indent=2 if for_people() else None)


def emit_json_list(values: Iterable[Any]) -> None:
    """Writes a JSON list, one element a line, without holding all of it."""
    first = True
    write_utf8("[")
    for value in values:
        write_utf8(("\n" if first else ",\n") + json.dumps(value, ensure_ascii=False))
        first = False
    write_utf8("]\n" if first else "\n]\n")


def write_utf8(text: str) -> None:
    """Text to standard output whatever the locale says; bytes of file names that are no UTF-8 become U+FFFD."""
    try:
        known = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half of a surrogate pair, which an escape of JSON can name
        known = text.encode("utf-8", "surrogatepass")
    data = known.decode("utf-8", "replace")
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(data)
        return
    sys.stdout.flush()
    buffer.write(data.encode())


def echo(text: str = "", *, err: bool = False) -> None:
    """One line for a person."""
    click.echo(safe(readable(text)), err=err)


def heading(text: str) -> str:
    return click.style(safe(text), bold=True)


def faint(text: str) -> str:
    return click.style(safe(text), dim=True)


def error_json(error: MemgitError) -> dict[str, Any]:
    """An error as every `--json` shows it."""
    return error.as_json(getattr(error, "code", None) or type(error).__name__)


def print_error(error: dict[str, Any]) -> None:
    """The object that `--json` gives where a command failed: ASCII, with no control sequence in it."""
    click.echo(safe(json.dumps({"error": error}, ensure_ascii=True)))


def print_notes(notes: Iterable[str]) -> None:
    """What the user should be told besides the answer, on standard error."""
    for note in notes:
        echo(f"memgit: {note}", err=True)


def print_written(done: OperationResult, as_json: bool, *, redone: bool = False) -> None:
    """The answer of a write: one line on standard output, notes on standard error.

    What was committed stays committed where the answer cannot be written: then standard error says so, and it
    is not a failure.
    """
    try:
        _print_written(done, as_json, redone)
        sys.stdout.flush()
    except OSError as error:
        if done.commit is None:
            raise
        click.echo(
            f"memgit: committed {done.commit[:10]}, but the answer could not be written: {error.strerror}",
            err=True,
        )
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def _print_written(done: OperationResult, as_json: bool, redone: bool) -> None:
    print_notes(done.notes)
    if as_json:
        emit_json(done.as_json())
        return
    if done.action == "no_op":
        echo(f"nothing to change{f': {done.record.address}' if done.record is not None else ''}")
        return
    where = "staged" if done.staged else (done.commit or "")[:10]
    main = [change for change in done.changes if change.action != "link"] or done.changes
    what = (
        done.record.address
        if done.record is not None
        else main[0].address
        if len(main) == 1
        else f"{len(main)} records"
    )
    undone = "did again what was taken back from" if redone else "took back what was done to"
    verb = undone if done.op == "revert" else done.action
    click.echo(
        f"{verb} {heading(what)} {faint(f'[{where}]')}"
        if done.changes
        else f"committed the files as they are {faint(f'[{where}]')}"
    )
    for address in done.linked:
        echo(f"  linked {address}")


def print_record(record: Record, state: str | None) -> None:
    """A record for a person: title, address, fields, text."""
    click.echo(heading(record.title))
    click.echo(faint(f"{record.address}  {record.path}:{record.line}" + (f"  at {state}" if state else "")))
    for name, value in record.fields.items():
        if value:
            click.echo(f"{faint(f'{name}:')} {safe(cut_line(joined(value)))}")
    if record.problem is not None:
        click.echo(click.style(safe(f"! line {record.problem.line}: {record.problem.message}"), fg="yellow"))
    if record.body:
        click.echo()
        click.echo(safe("\n".join(cut_line(line) for line in record.body.split("\n"))))


def name_unreadable(reader: Reader) -> None:
    """Names on standard error the files that could not be understood: what they hold is not, or not wholly,
    in the answer.
    """
    name_problems((path, problem) for path, problem in reader.problems() if problem.fatal)


def name_problems(problems: Iterable[tuple[str, Problem]]) -> None:
    """Names on standard error what is wrong with some files."""
    for path, problem in problems:
        echo(f"memgit: {path}:{problem.line}: {problem.message}", err=True)


def cut_line(line: str) -> str:
    """A line that is not endless on a terminal; JSON holds the whole."""
    return line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}… ({len(line)} characters)"

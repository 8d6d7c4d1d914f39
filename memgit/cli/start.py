"""Running one command line: errors become one line and an exit code."""

from __future__ import annotations

import os
import sys

from memgit import TYPE_CHECKING
from memgit.cli import lean
from memgit.errors import BadInput, MemgitError, Refused

if TYPE_CHECKING:
    from typing import Any


def run(args: list[str] | None = None, *, closing: bool = True) -> int:
    """Runs one command line; `closing` closes the cache at its end.

    The exit code: 0 done, 1 findings or conflict, 2 wrong usage, 3 refused or failed, 130 interrupted.
    """
    if args is None:
        args = sys.argv[1:]
    try:
        obj: dict[str, Any] = {"closing": closing}
        if lean.attempt(args, obj):
            code = int(obj["code"])
        else:
            from memgit.cli.main import call

            code = int(call(args, {"closing": closing}))
        sys.stdout.flush()
        return code
    except MemgitError as error:
        return _report(error, as_json="--json" in args)
    except (KeyboardInterrupt, EOFError):
        return _interrupted()
    except SystemExit as error:
        # click ends so where the reader of our output went away, as `| head` does: that is no failure.
        gone = type(sys.stdout).__name__.endswith("PacifyFlushWrapper")
        return 0 if gone else error.code if isinstance(error.code, int) else 0
    except BrokenPipeError:
        # The reader of a plain reader's output (see `streams`) is gone; Python must not complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        named = f"{error.filename}: " if error.filename else ""
        return _report(Refused(f"{named}{error.strerror or error}"), as_json="--json" in args)
    except RecursionError:
        return _report(BadInput("the input is nested too deeply"), as_json="--json" in args)
    except Exception as error:
        click = sys.modules.get("click")  # which a command without it loads to ask, or to open an editor
        if click is not None and isinstance(error, click.Abort):
            return _interrupted()
        if click is not None and isinstance(error, click.ClickException):
            return _report(Refused(error.format_message()), as_json="--json" in args)
        raise


def _interrupted() -> int:
    lean.echo("memgit: interrupted, nothing further was done", err=True)
    return 130


def _report(error: MemgitError, *, as_json: bool = False) -> int:
    from memgit.cli.output import error_json, print_error
    from memgit.model.printable import safe

    if as_json:
        print_error(error_json(error))
    lean.echo(f"memgit: {safe(str(error))}", err=True)
    if error.hint:
        lean.echo(f"  hint: {safe(error.hint)}", err=True)
    return error.exit_code

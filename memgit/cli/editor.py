"""Texts in the person's own editor."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import contextmanager

from memgit import TYPE_CHECKING
from memgit.cli.terminal import on_terminal
from memgit.errors import BadInput, MemgitError, Refused
from memgit.git import terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgit.app.workspace import Workspace

SCISSORS = "# ------------------------ >8 ------------------------"


@contextmanager
def edited(workspace: Workspace, text: str, name: str = "memgit") -> Iterator[str]:
    """The text as it comes out of the editor; where what is done with it fails, the file is kept and named.

    Args:
        name: what the file's name begins with.

    Raises:
        Refused: there is no editor, or it failed.
        BadInput: what it wrote is not UTF-8.
    """
    handle, path = tempfile.mkstemp(prefix=f"{name}-", suffix=".md")
    keep = False
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8", "surrogateescape"))
        _run(workspace, path)
        keep = True
        with open(path, "rb") as file:
            data = file.read()
        yield _decoded(data)
        keep = False
    except MemgitError as error:
        keep = keep and bool(data.strip()) and data.decode("utf-8", "replace") != text
        if keep:
            error.hint = f"{f'{error.hint}; ' if error.hint else ''}your text is kept in {path}"
        raise
    finally:
        if not keep and os.path.lexists(path):
            os.unlink(path)


def _run(workspace: Workspace, path: str) -> None:
    configured = None if workspace.repo is None else workspace.repo.config.get("core.editor")
    command = terminal.editor(os.environ, configured)
    if not command or (command == "vi" and not on_terminal()):
        raise Refused("there is no editor", hint="set EDITOR, or git config --global core.editor")
    sys.stdout.flush()
    code = terminal.run_on_file(command, path, os.environ)
    if code:
        raise Refused(f"the editor failed ({command}: exit code {code}): nothing was written")
    if not os.path.isfile(path):
        raise Refused(f"the editor took its file away ({command}): nothing was written")


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise BadInput(f"the text is not UTF-8 (byte {error.start})") from None


def edited_body(workspace: Workspace, about: str, template: str = "") -> str | None:
    """The body of a record from the editor; None where there is no terminal.

    Args:
        template: what it starts with; as it is, it counts as nothing written.

    Raises:
        BadInput: nothing was written. Further as `edited`.
    """
    if not on_terminal():
        return None
    start = f"{template}\n{SCISSORS}\n# {about}\n# Everything from the line above on is dropped.\n"
    with edited(workspace, start) as text:
        body = text.split(SCISSORS)[0].strip("\n")
    if not body.strip() or body == template:
        raise BadInput(
            "the text is empty: nothing was written", hint="-m TEXT or -F FILE gives it without an editor"
        )
    return body

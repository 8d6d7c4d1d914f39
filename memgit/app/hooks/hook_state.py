"""What the pre-commit hook found out and the hooks after it need not find out again: the message block of the
commit under way.

A file in the git directory, good for one index on one commit only; where anything differs, or it cannot be read,
it is as if it were not there.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress

from memgit import TYPE_CHECKING
from memgit.model.operation import RecordChange

if TYPE_CHECKING:
    Block = tuple[str, str, tuple[RecordChange, ...]]
    """Operation, subject and changes."""

NAME, WRITTEN = "memgit/hook.json", "memgit/hook.block"


def note_written(message_path: str, text: str) -> None:
    """Keeps, beside the message file, the block that was written into it (empty: none was): the shim of
    commit-msg need not start Python for that very block.
    """
    path = os.path.join(os.path.dirname(message_path) or ".", WRITTEN)
    ours = [line for line in text.split("\n") if line.lower().startswith("memgit-")]
    with suppress(OSError):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write("".join(f"{line}\n" for line in ours).encode("utf-8", "surrogateescape"))


def save(git_dir: str, index_file: str, block: Block | None) -> None:
    """Keeps the block of what is staged; None: there is nothing to say of it."""
    key = _key(git_dir, index_file)
    if key is None:
        return
    path = os.path.join(git_dir, NAME)
    with suppress(OSError, UnicodeEncodeError):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as file:
            json.dump({"key": key, "block": block}, file)
        os.replace(f"{path}.{os.getpid()}", path)


def load(git_dir: str, index_file: str) -> tuple[Block | None] | None:
    """What was kept for this very state, in a tuple of one; None where nothing was."""
    try:
        with open(os.path.join(git_dir, NAME), encoding="utf-8") as file:
            kept = json.load(file)
        if kept["key"] != _key(git_dir, index_file):
            return None
        if kept["block"] is None:
            return (None,)
        op, subject, changes = kept["block"]
        return ((str(op), str(subject), tuple(RecordChange(*change) for change in changes)),)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def _key(git_dir: str, index_file: str) -> str | None:
    """The checksum that ends the index, and the commit that HEAD is at; None where one of them cannot be told
    from files.
    """
    try:
        with open(index_file, "rb") as file:
            file.seek(-20, os.SEEK_END)
            checksum = file.read()
        with open(os.path.join(git_dir, "HEAD"), "rb") as file:
            head = file.read().strip()
        if head.startswith(b"ref: "):
            with open(os.path.join(_common(git_dir), os.fsdecode(head[5:])), "rb") as file:
                head += b" " + file.read().strip()
    except OSError:
        return None
    return f"{checksum.hex()} {os.fsdecode(head)}" if any(checksum) else None


def _common(git_dir: str) -> str:
    try:
        with open(os.path.join(git_dir, "commondir"), "rb") as file:
            return os.path.join(git_dir, os.fsdecode(file.read().strip()))
    except FileNotFoundError:
        return git_dir

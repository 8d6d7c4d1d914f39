"""The folder that an export goes to: new or empty, and written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping

from memgit.errors import BadInput, Refused


def check_folder(dest: str, root: str | None) -> None:
    """Whether an export may go to a folder.

    Raises:
        BadInput: it is there and not empty, or lies inside the knowledge root.
    """
    if os.path.lexists(dest) and (not os.path.isdir(dest) or os.path.islink(dest) or os.listdir(dest)):
        raise BadInput(f"{dest} is there already and is not an empty folder", hint="give a new one: nothing is written over")
    if root is not None:
        folder = os.path.realpath(dest) + "/"
        if folder.startswith(os.path.realpath(root).rstrip("/") + "/"):
            raise BadInput(f"{dest} lies inside the knowledge root", hint="give a folder outside it")


def write_files(dest: str, files: Mapping[str, bytes]) -> None:
    """Writes all files or none into a new or empty folder; no path leads out of it.

    Raises:
        Refused: one cannot be written, or must not be; what had been written is taken away again.
    """
    for path in files:
        parts = path.split("/")
        if any(part in ("", ".", "..") or part.lower() == ".git" or "\0" in part for part in parts):
            raise Refused("the commit holds a path that must not be written", path=path)
    there = os.path.isdir(dest)
    written: list[str] = []
    folders: list[str] = []
    try:
        _make(dest, folders)
        for path, data in sorted(files.items()):
            full = os.path.join(dest, path)
            _make(os.path.dirname(full), folders)
            with open(full, "xb") as file:
                written.append(full)
                file.write(data)
    except OSError as error:
        _take_away(written, folders if not there else [folder for folder in folders if folder != dest])
        what = "two files have the same name on this disk" if isinstance(error, FileExistsError) else error.strerror or "cannot be written"
        raise Refused(f"{error.filename or dest}: {what}", hint="nothing was left behind") from error
    except BaseException:
        _take_away(written, folders)
        raise


def _make(folder: str, made: list[str]) -> None:
    if os.path.isdir(folder):
        return
    above = os.path.dirname(os.path.abspath(folder))
    if not os.path.isdir(above):
        _make(above, made)
    os.mkdir(folder)
    made.append(folder)


def _take_away(files: list[str], folders: list[str]) -> None:
    from contextlib import suppress

    for path in files:
        with suppress(OSError):
            os.unlink(path)
    for folder in reversed(folders):
        with suppress(OSError):
            os.rmdir(folder)

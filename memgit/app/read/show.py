"""Showing one record, as it is now, at a revision, or in an earlier version of a skill."""

from __future__ import annotations

from memgit.app.read.reader import Reader, open_reader
from memgit.app.workspace import Workspace
from memgit.errors import NotFound
from memgit.model import address as addresses
from memgit.model.record import Record


def show(workspace: Workspace, name: str, at: str | None = None) -> tuple[Record, Reader]:
    """The record, and the reader that says which commit the answer is for.

    Raises:
        NotFound: no such record, revision or version.
    """
    return _found(workspace, open_reader(workspace, at), name)


def _found(workspace: Workspace, reader: Reader, name: str) -> tuple[Record, Reader]:
    base, version = addresses.versioned(name)
    if version is not None and not reader.literal(name):
        return at_version(workspace, reader, base, version)
    return reader.find(name), reader


def at_version(workspace: Workspace, reader: Reader, name: str, version: int) -> tuple[Record, Reader]:
    """The newest state of a skill at one version: now, or in the newest commit that still had it."""
    record = reader.find(name)
    if record.kind != "skill":
        return reader.find(f"{name}@{version}"), reader  # which tells what is near
    if (record.version or 1) == version:
        return record, reader
    from memgit.app.read.log import history

    wanted = {record.address}
    for event in history(workspace, record, at=reader.revision, cache=workspace.cache):
        then = open_reader(workspace, event.commit)
        wanted |= {change.was for change in event.records if change.was and change.address in wanted}
        for known in wanted:
            parsed = addresses.parse(known)
            for found in then.at(parsed) if parsed is not None else []:
                if (found.version or 1) == version:
                    return found, then
    raise NotFound(
        f"{record.address} never had version {version}",
        path=record.path,
        hint=f"memgit history {record.address}",
    )

"""The configuration that a workspace gets when it is adopted."""

from __future__ import annotations

from collections.abc import Sequence

from memgit.adopt.systems import SYSTEMS
from memgit.adopt.systems.system import Candidate
from memgit.formats.yaml_text import dump_list, dump_scalar

DEFAULT_BASES = {"mem-skill": "", "vault": ".memory/", "mnema": ".mnema/", "notes": ""}


def configuration(
    found: Candidate, indexes: str = "committed", default_branch: str = "", old_log: Sequence[str] = ()
) -> bytes:
    """The text of `.memgit.yaml` for a workspace in place.

    Args:
        indexes, default_branch: as in the file; no branch is named where it is empty.
        old_log: `path@blob` of each log of the time before memgit, see `adopt.old_log`.
    """
    layout = SYSTEMS[found.system].layout
    base: str | None = None
    notes, more = [], []
    if found.system == "adr":
        notes = [found.base + "**/*.md"]
        more = [
            "kinds:",
            "  decision:",
            f"    folder: {quoted(found.base.rstrip('/'))}",
            f'    pattern: "{found.pattern}"',
            "    form: adr",
        ]
    elif found.base != DEFAULT_BASES[layout]:
        base = found.base
    if old_log:
        more.append(f"old_log: {dump_list(old_log)}")
    return text_of(layout, notes, base, indexes, default_branch, more=more)


def text_of(
    layout: str,
    notes: Sequence[str] = (),
    base: str | None = None,
    indexes: str = "committed",
    default_branch: str = "",
    log: bool = False,
    more: Sequence[str] = (),
) -> bytes:
    """The text of a new configuration file; `more` are lines at its end."""
    lines = [
        "# The root of a knowledge repository; see memgit --help",
        "version: 1",
        f"layout: {layout}",
        f"indexes: {indexes}",
    ]
    if default_branch:
        lines.append(f"default_branch: {dump_scalar(default_branch)}")
    if log:
        lines.append("log: local")
    if base is not None:
        lines.append(f"base: {quoted(base)}")
    if notes:
        lines.append(f"notes: {dump_list(notes)}")
    return ("\n".join([*lines, *more]) + "\n").encode("utf-8", "surrogateescape")


def quoted(text: str) -> str:
    return dump_scalar(text) if text else '""'

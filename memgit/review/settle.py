"""The command that settles a finding."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from memgit.lint.rule import Finding

UNDO = frozenset(["MG401", "MG402", "MG403", "MG404", "MG405"])
"""What history forbids: the operation itself is taken back."""
MERGE = "memgit update-branch"
"""Settles what would conflict, as far as records can be merged."""
DERIVED = frozenset(["MG101", "MG102", "MG103"])


def command(finding: Finding, others: Sequence[str] = (), commits: Sequence[str] = ()) -> str:
    """The command line; empty where none settles it.

    Args:
        others: the addresses of the other records that it is about.
        commits: those that changed the record, the newest last.
    """
    if finding.rule in DERIVED:
        return _line("rebuild")
    if finding.rule == "MG104":
        return _line("resolve")
    if finding.rule in UNDO:
        return _line("undo", commits[-1]) if commits else ""
    address = finding.address
    if finding.rule == "MG301" and address is not None and others:
        return _line("merge-records", others[0], address)
    if finding.rule == "MG303" and address is not None:
        return _line("update", address)
    if finding.fixable:
        return _line("lint", "--fix", "--select", finding.rule)
    return _line("edit", address) if address is not None else ""


def _line(*words: str) -> str:
    return shlex.join(("memgit", *words))

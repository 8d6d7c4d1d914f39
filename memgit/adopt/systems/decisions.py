"""Folders of decision records, as adr-tools, MADR and their kin write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memgit.adopt.systems.system import FLAT, GLANCE, Candidate, Read, System
from memgit.model.layout import hidden

WORDS = "folder of decision records"
ADR_FOLDERS = frozenset(
    [
        "adr",
        "adrs",
        "decisions",
        "architecture-decisions",
        "architecture_decisions",
        "architecture-decision-records",
        "decision-records",
    ]
)
"""Names of folders that adr-tools, MADR and their kin use."""
_NUMBERED = re.compile(r"\d{3,}-[^/]+\.md")
_ADR_MARK = re.compile(
    rb"(?mi)^(?:#{1,3}[ \t]+(?:status|context|decision)\b|status[ \t]*:|\*[ \t]+status[ \t]*:)"
)
NESTED = "**/[0-9]*-*.md"
"""The names of decision records that lie in folders of their folder, by area or year; templates and minutes
beside them are none.
"""


def _find(paths: Sequence[str], read: Read, name: str) -> Iterator[Candidate]:
    numbered: dict[str, list[str]] = {}
    for path in paths:
        folder, slash, file = path.rpartition("/")
        if file[:1].isdigit() and _NUMBERED.fullmatch(file) and not hidden(path):
            numbered.setdefault(folder + slash, []).append(path)
    if not numbered:
        return
    declared = (
        (read(".adr-dir") or b"").decode("utf-8", "replace").strip().strip("./").rstrip("/") + "/"
        if ".adr-dir" in paths
        else None
    )
    roots: dict[str, list[str]] = {}
    for folder in sorted(numbered):
        roots.setdefault(_adr_root(folder, declared, name), []).append(folder)
    for root, folders in roots.items():
        flat = len(folders) == 1 and (
            folders[0] == root or _is_adr(folders[0].rstrip("/").rpartition("/")[2])
        )
        base = folders[0] if flat else root
        files = [path for folder in folders for path in numbered[folder]]
        opened = [
            read(path) or b"" for path in [*(numbered[folder][0] for folder in folders), *files][:GLANCE]
        ]
        marked = sum(_ADR_MARK.search(data) is not None for data in opened)
        known = _is_adr(base.rstrip("/").rpartition("/")[2] or name) and marked >= (
            1 if flat else len(opened) / 2
        )
        if base == declared or known or (not base and marked == len(opened)):
            evidence = [f"{files[0]}{f' and {len(files) - 1} more' if len(files) > 1 else ''}"]
            evidence += [".adr-dir"] if base == declared else []
            pattern = FLAT if flat else NESTED
            yield Candidate("adr", WORDS, "", base, tuple(evidence), len(files), pattern=pattern)


def _is_adr(name: str) -> bool:
    return name.lower() in ADR_FOLDERS


def _adr_root(folder: str, declared: str | None, name: str) -> str:
    """The folder whose decisions a folder of numbered files may hold: one above it that is called so, else
    itself.
    """
    if declared is not None and folder.startswith(declared):
        return declared
    parts = folder.split("/")[:-1]
    for number, part in enumerate(parts):
        if _is_adr(part):
            return "/".join(parts[: number + 1]) + "/"
    return "" if _is_adr(name) else folder


SYSTEM = System(WORDS, "notes", _find, strong=False)

"""Any folder of Markdown, such as a vault of Obsidian: every file is a note."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memgit.adopt.systems.system import Candidate, Read, System
from memgit.model.layout import hidden

WORDS = "folder of Markdown"
OBSIDIAN = "Obsidian vault"
"""What a folder of Markdown with `.obsidian/` is called: its graph should not show derived files."""


def _find(paths: Sequence[str], _read: Read, _: str) -> Iterator[Candidate]:
    files = [path for path in paths if path.endswith(".md") and not hidden(path)]
    if not files:
        return
    folders = len({path.rpartition("/")[0] for path in files})
    obsidian = any(path.startswith(".obsidian/") for path in paths)
    evidence = f"{len(files):,} Markdown files in {folders:,} folder{'' if folders == 1 else 's'}"
    yield Candidate(
        "notes",
        OBSIDIAN if obsidian else WORDS,
        "",
        "",
        (evidence, *([".obsidian/"] if obsidian else [])),
        len(files),
    )


SYSTEM = System(WORDS, "notes", _find, strong=False)

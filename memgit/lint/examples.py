"""The examples of rules as corpora: what tests run and pages show."""

from __future__ import annotations

from collections.abc import Mapping

from memgit.lint.corpus import Corpus, MappingBefore, MappingSource
from memgit.lint.rule import EXAMPLE_DAY, Example
from memgit.model import layout as layouts
from memgit.model.layout import Layout

LAYOUTS: dict[str, Layout] = {
    "memgit": layouts.memgit(),
    "vault": layouts.vault(),
    "mnema": layouts.mnema(),
    "notes": layouts.notes(),
}


def corpus_of(example: Example) -> Corpus:
    """The corpus that an example describes."""
    layout = LAYOUTS[example.layout]
    files = _bytes(example.files)
    before = None if example.before is None else MappingBefore(layout, _bytes(example.before), files)
    return Corpus(layout, MappingSource(files), EXAMPLE_DAY, before=before)


def _bytes(files: Mapping[str, str | bytes]) -> dict[str, bytes]:
    return {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}

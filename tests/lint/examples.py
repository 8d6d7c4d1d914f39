"""The examples of rules as corpora."""

from __future__ import annotations

from collections.abc import Mapping

from memgit.formats.messages import message as messages
from memgit.lint.corpus import Corpus
from memgit.lint.history import changes
from memgit.lint.rule import Example
from memgit.model import layout as layouts
from memgit.model.change import refine
from memgit.model.claim import Contradiction, contradicted
from memgit.model.layout import Layout
from tests.lint.support import before_in_memory, in_memory

LAYOUTS: dict[str, Layout] = {
    "memgit": layouts.memgit(),
    "vault": layouts.vault(),
    "mnema": layouts.mnema(),
    "notes": layouts.notes(),
}
EXAMPLE_DAY = "2026-06-01"
"""The day on which examples are checked."""


def corpus_of(example: Example) -> Corpus:
    """The corpus that an example describes."""
    layout = LAYOUTS[example.layout]
    files = _bytes(example.files)
    before = None if example.before is None else before_in_memory(layout, _bytes(example.before), files)
    corpus = Corpus(layout, in_memory(files), EXAMPLE_DAY, before=before)
    if example.message:
        corpus.claims = _claims(corpus, example.message)
    return corpus


def _claims(corpus: Corpus, message: str) -> list[Contradiction]:
    """What the message of the commit that made the change says in vain."""
    found = changes(corpus)
    (block,) = messages.parse(message).blocks
    done = refine(found, block.records, bool(block.derived_from))
    paths = {change.new.address: change.new.path for change in found if change.new is not None}
    first = next(iter(paths.values()))
    return [
        Contradiction("0" * 40, words, first if one is None else paths[one.address], one and one.address)
        for words, one in contradicted(block.op, block.records, done)
    ]


def _bytes(files: Mapping[str, str | bytes]) -> dict[str, bytes]:
    return {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}

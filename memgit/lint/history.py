"""What a change did to records, for the rules that compare."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.lint.corpus import Corpus
from memgit.model.change import diff_records

if TYPE_CHECKING:
    from memgit.model.change import Change


def changes(corpus: Corpus) -> list[Change]:
    """The changes from the state before, worked out once; none where there is no such state."""
    found: list[Change] | None = corpus.shared.get("changes")
    if found is None:
        found = []
        if corpus.before is not None:
            paths = sorted(path for path in corpus.before.paths if path.endswith(".md"))
            old = [record for path in paths for record in corpus.before.parsed(path).records]
            new = [record for path in paths for record in corpus.parsed(path).records]
            found = diff_records(old, new)
        corpus.shared["changes"] = found
    return found


def line_of(corpus: Corpus, path: str, value: str, lines: tuple[int, int]) -> int:
    """The line on which a value stands among the lines of a record, else its first."""
    return corpus.page(path).line_of(value, lines) or lines[0]

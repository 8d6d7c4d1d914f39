"""MG104: conflict markers that somebody left."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.derive import conflict, is_derived
from memgit.lint.corpus import Corpus
from memgit.lint.parse_findings import address_at
from memgit.lint.rule import CORPUS, Example, Found, Options, Rule


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    for path in corpus.subjects:
        if path.endswith(".md"):
            facts = corpus.facts(path)
            for start, end in grouped(facts.conflicts):
                lines = ", ".join(str(line) for line in facts.conflicts if start <= line <= end)
                words = (
                    f"conflict markers on lines {lines}: keep what is right and delete them, or run "
                    "memgit resolve"
                )
                yield Found(path, start, words, address_at(facts, start), end)
        elif is_derived(corpus.layout, path):
            data = corpus.data(path) or b""
            if b"<<<<<<<" in data:
                line = conflict.first_line(data.decode("utf-8", "replace"))
                if line is not None:
                    yield Found(
                        path,
                        line,
                        "conflict markers in a derived file: memgit rebuild rewrites it",
                        fixable=False,
                    )


def grouped(lines: tuple[int, ...] | list[int]) -> list[tuple[int, int]]:
    """Markers by conflict: three or four lines belong together."""
    return [(lines[start], lines[min(start + 2, len(lines) - 1)]) for start in range(0, len(lines), 3)]


_SIDE = "**Date:** 2026-03-02\n**Best Practice:**\n- {}\n"
_SHOWN = (
    "## How a conflict looks\n**Date:** 2026-03-02\n\n```\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> "
    "topic\n```\n"
)
_TORN = (
    "## Retries\n<<<<<<< HEAD\n"
    + _SIDE.format("Three times")
    + "=======\n"
    + _SIDE.format("Five times")
    + ">>>>>>> topic\n"
)

RULE = Rule(
    code="MG104",
    name="conflict-marker",
    severity="error",
    summary="conflict markers left in a record or a derived file",
    why="""Markers mean that a merge was committed before somebody decided what is right.
Both sides then stand in one record, and which of them a reader or an agent follows is luck.
Markers inside a code fence are an example and no conflict.""",
    scope=CORPUS,
    check=check,
    good=(Example({"knowledge-base/git.md": _SHOWN}),),
    bad=(Example({"knowledge-base/http.md": _TORN}, at=("knowledge-base/http.md:2",)),),
)

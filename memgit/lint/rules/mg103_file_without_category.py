"""MG103: a file that the index of its folder does not list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memgit.derive.mem_skill import build
from memgit.lint import orphans
from memgit.lint.corpus import Corpus
from memgit.lint.rule import CORPUS, Edits, Example, Finding, Found, Options, Related, Rule
from memgit.lint.rules.mg101_index_drift import _ENTRY, _HEAD, _INDEX


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    for side in orphans.sides(corpus):
        folder = side.path.rpartition("/")[0] + "/"
        for file in side.present:
            if file not in side.listed:
                words = (
                    "the index of its folder does not list it, so no agent will look into it: memgit "
                    f"rebuild adds it to {side.path}"
                )
                yield Found(
                    folder + file, 1, words, related=(Related(side.path, 1, "the index"),), fixable=True
                )


def fix(corpus: Corpus, findings: Sequence[Finding], options: Options) -> Edits:
    wanted = {finding.related[0].path for finding in findings if finding.related}
    edits: dict[str, bytes | None] = {}
    for side in orphans.sides(corpus):
        if side.path in wanted:
            data = build(corpus, side.path, side.spec).data
            if data is not None and data != corpus.data(side.path):
                edits[side.path] = data
    return edits


_INDEXED = {"knowledge-base/http.md": _HEAD + _ENTRY, "knowledge-base/_index.json": _INDEX % (1, 1)}

RULE = Rule(
    code="MG103",
    name="file-without-category",
    severity="warning",
    summary="a category or skill file that the index of its folder does not list",
    why="""Agents choose by the index which files to read.
A file that somebody added in an editor is never read until the index lists it.""",
    scope=CORPUS,
    check=check,
    good=(Example(_INDEXED),),
    bad=(
        Example(
            {**_INDEXED, "knowledge-base/css.md": "## Grid\n**Date:** 2026-03-02\n**Keywords:** css, grid\n"},
            at=("knowledge-base/css.md:1",),
        ),
    ),
    fix=fix,
    fix_help="Derives the index again, which adds the file with its keywords.",
)

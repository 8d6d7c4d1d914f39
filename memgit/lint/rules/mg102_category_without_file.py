"""MG102: an index that lists a file which is not there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from memgit.lint import orphans
from memgit.lint.corpus import Corpus
from memgit.lint.rule import CORPUS, Edits, Example, Finding, Found, Options, Rule
from memgit.lint.rules.mg101_index_drift import _ENTRY, _HEAD, _INDEX


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    for path, file, _ in lost(corpus):
        text = (corpus.data(path) or b"").decode("utf-8", "replace")
        what = "category" if path.startswith("knowledge") or "knowledge-base/" in path else "skill"
        words = (
            f"the {what} of {file} is listed, but the file is not there: record something in it, or take "
            "it out of the index"
        )
        yield Found(path, _line(text, file), words, fixable=True)


def lost(corpus: Corpus) -> Iterator[tuple[str, str, dict[str, object]]]:
    """Index, file and item of everything that is listed without a file."""
    for side in orphans.sides(corpus):
        there = set(side.present)
        for file, item in side.listed.items():
            if file not in there:
                yield side.path, file, item


def _line(text: str, file: str) -> int:
    """The line of an index that names a file, or the id that it is made of."""
    stem = file.removesuffix(".md")
    for word in (file, stem, stem.removeprefix("skill-")):
        place = text.find(json.dumps(word, ensure_ascii=False))
        if place >= 0:
            return text.count("\n", 0, place) + 1
    return 1


def fix(corpus: Corpus, findings: Sequence[Finding], options: Options) -> Edits:
    gone: dict[str, set[str]] = {}
    told = {(finding.path, finding.line) for finding in findings}
    for path, file, _ in lost(corpus):
        text = (corpus.data(path) or b"").decode("utf-8", "replace")
        if (path, _line(text, file)) in told:
            gone.setdefault(path, set()).add(file)
    return {
        path: data
        for path, files in gone.items()
        if (data := orphans.without(corpus, path, files)) is not None
    }


_TWO = (_INDEX % (1, 1)).replace(
    '      "count": 1\n    }\n',
    '      "count": 1\n    },\n    {\n      "id": "css",\n      "name": "CSS",\n      "keywords": '
    '["grid"],\n      "file": "css.md",\n'
    '      "count": 0\n    }\n',
)

RULE = Rule(
    code="MG102",
    name="category-without-file",
    severity="warning",
    summary="a category or skill that an index lists, but that has no file",
    why="""An agent that matches the category by its keywords is sent to a file that is not there.
Such lines are left behind when the last entry of a category goes, or when a new workspace was seeded with categories.""",
    scope=CORPUS,
    check=check,
    good=(
        Example({"knowledge-base/http.md": _HEAD + _ENTRY, "knowledge-base/_index.json": _INDEX % (1, 1)}),
    ),
    bad=(
        Example(
            {"knowledge-base/http.md": _HEAD + _ENTRY, "knowledge-base/_index.json": _TWO},
            at=("knowledge-base/_index.json:17",),
        ),
    ),
    fix=fix,
    fix_help="Takes the category out of the index; its name and keywords stay in history.",
)

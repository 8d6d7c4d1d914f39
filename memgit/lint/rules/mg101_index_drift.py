"""MG101: derived files that are not what the records give."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from memgit.derive import Rendered, View, derive_affected, is_derived, render_all, table
from memgit.formats.merging.linediff import first_line
from memgit.lint.corpus import Corpus
from memgit.lint.rule import CORPUS, Edits, Example, Finding, Found, Options, Rule


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    if not options["committed"]:
        return
    rendered = _rendered(corpus)
    for path, (data, problems) in sorted(rendered.items()):
        said = [problem for problem in problems if problem.code == "MG101"]
        words = "; ".join(problem.message for problem in said)
        if data != corpus.data(path):
            line = said[0].line if said else first_line(corpus.data(path), data)
            yield Found(path, line, _words(corpus, path, data, words), fixable=True)
        else:
            for problem in said:
                yield Found(path, problem.line, f"a derived file that cannot be derived: {problem.message}")


def drift(corpus: Corpus) -> Edits:
    """The derived files that are not as they should be, with the bytes that they should have."""
    return {path: one.data for path, one in _rendered(corpus).items() if one.data != corpus.data(path)}


def _rendered(corpus: Corpus) -> dict[str, Rendered]:
    """Derived files as they should be: all of them, or those that the change affects; of the latter, only those
    that differ or were edited.
    """
    if corpus.changed is None:
        return _all(corpus) if corpus.tracked is None else _but_tracked(corpus, corpus.tracked)
    found = {
        path: Rendered(data)
        for path, data in derive_affected(corpus, corpus.changed, corpus.base, corpus.right).items()
    }
    for path in corpus.subjects:
        if is_derived(corpus.layout, path):
            derived = next(one for one in table(corpus.layout) if path in one.affected(corpus.layout, path))
            found[path] = derived.build(corpus, path)
    return found


def _all(corpus: Corpus) -> dict[str, Rendered]:
    """Every derived file that there is or should be, those left out that are known to be right."""
    right = corpus.right
    if right is None:
        return render_all(corpus)
    found: dict[str, Rendered] = {}
    for derived in table(corpus.layout):
        for path in derived.paths(corpus):
            if path not in found and (path not in right or corpus.data(path) is None):
                found[path] = derived.build(corpus, path)
    return found


def _but_tracked(corpus: Corpus, tracked: Callable[[], View]) -> dict[str, Rendered]:
    """The same, less those that are right without what git does not have yet."""
    found = _all(corpus)
    if all(one.data == corpus.data(path) for path, one in found.items()):
        return found
    without = render_all(tracked())
    return {
        path: one
        for path, one in found.items()
        if (without[path].data if path in without else None) != corpus.data(path)
    }


def _words(corpus: Corpus, path: str, new: bytes | None, why: str) -> str:
    mend = "memgit rebuild fixes it"
    if why:
        return f"{why}; {mend}"
    if new is None:
        return f"a derived file of nothing: no record is left that it could list; {mend}"
    if corpus.data(path) is None:
        return f"this derived file is missing; {mend}"
    return f"not what the records give; {mend}"


def fix(corpus: Corpus, findings: Sequence[Finding], options: Options) -> Edits:
    affected = drift(corpus)
    wanted = {finding.path for finding in findings}
    return {path: data for path, data in affected.items() if path in wanted}


_ENTRY = (
    "## Retry only timeouts\n**Date:** 2026-03-02\n**Best Practice:**\n- A 4xx will not get "
    "better\n**Keywords:** http, retry\n"
)
_INDEX = """{
  "lastUpdated": "2026-03-02",
  "version": "1.2.0",
  "totalEntries": %d,
  "categories": [
    {
      "id": "http",
      "name": "HTTP",
      "keywords": ["http", "retry"],
      "file": "http.md",
      "count": %d
    }
  ],
  "absorbedSkills": []
}
"""
_ROOT = """# Index

<!-- memgit: generated, do not edit; `memgit rebuild` writes it -->

## Knowledge

- [HTTP](knowledge-base/http.md)

<!-- memgit: end of generated part -->
"""
_HEAD = "---\nname: HTTP\nkeywords: [http, retry]\n---\n"

RULE = Rule(
    code="MG101",
    name="index-drift",
    severity="error",
    summary="a derived file that is not what the records give",
    why="""Indexes are read by people and agents that never look into the files: what is missing there does not exist for them.
A merge can blend two good indexes into one that no generator would write, without a conflict.
So an index is never believed, and compared with the records each time.""",
    scope=CORPUS,
    check=check,
    good=(
        Example(
            {
                "knowledge-base/http.md": _HEAD + _ENTRY,
                "knowledge-base/_index.json": _INDEX % (1, 1),
                "INDEX.md": _ROOT,
            }
        ),
    ),
    bad=(
        Example(
            {"knowledge-base/http.md": _HEAD + _ENTRY, "knowledge-base/_index.json": _INDEX % (3, 3)},
            at=("INDEX.md:1", "knowledge-base/_index.json:4"),
        ),
    ),
    options={"committed": True},
    options_help={
        "committed": (
            "whether derived files are committed; with `indexes: local` they are not, and nothing is checked"
        )
    },
    fix=fix,
    fix_help="Derives the file again, as `memgit rebuild` does.",
)

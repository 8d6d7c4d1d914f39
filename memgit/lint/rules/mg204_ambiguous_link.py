"""MG204: wikilinks that several records answer to."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.resolve import all_links
from memgit.lint.rule import CORPUS, Example, Found, Options, Related, Rule
from memgit.lint.words import listed, named


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    for path, origin, link, target in all_links(corpus):
        found = target.records
        if len(found) > 1:
            record = origin.record if origin is not None else None
            where = f"{named(record)}: " if record is not None else ""
            paths = listed([f"{one.path}:{one.line}" for one in found])
            yield Found(
                path, link.line, f"{where}{link} could mean {len(found)} records ({paths}): write more of the path",
                record.address if record is not None else None,
                related=tuple(Related(one.path, one.line, f"it could mean {named(one)}") for one in found[:8]),
            )  # fmt: skip


_TEXT = "---\ntitle: {}\ncreated: 2026-03-02\n---\n{}\n"

RULE = Rule(
    code="MG204",
    name="ambiguous-link",
    severity="error",
    summary="a wikilink that more than one record answers to",
    why="""Which of the records is meant, only the writer knows; each tool would follow another one.
A longer piece of the path, or the full address, says it.""",
    scope=CORPUS,
    check=check,
    good=(
        Example(
            {
                "memory/north/gates.md": _TEXT.format("North", "Text."),
                "memory/south/gates.md": _TEXT.format("South", "Text."),
                "memory/a.md": _TEXT.format("A", "See [[north/gates]]."),
            }
        ),
    ),
    bad=(
        Example(
            {
                "memory/north/gates.md": _TEXT.format("North", "Text."),
                "memory/south/gates.md": _TEXT.format("South", "Text."),
                "memory/a.md": _TEXT.format("A", "See [[gates]]."),
            },
            at=("memory/a.md:5",),
        ),
    ),
)

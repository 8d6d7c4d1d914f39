"""MG204: wikilinks that several records answer to."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.resolve import Led, all_links, links_of
from memgit.lint.rule import CORPUS, Example, Found, Options, Related, Rule
from memgit.lint.words import listed, named
from memgit.model.link import Wikilink, file_names


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    new = _brought(corpus)
    for path, origin, link, target in (*all_links(corpus), *_crowded(corpus, new)):
        found = target.records
        if len(found) > 1:
            record = origin.record if origin is not None else None
            where = f"{named(record)}: " if record is not None else ""
            paths = listed([f"{one.path}:{one.line}" for one in found])
            name = (
                ""
                if corpus.is_subject(path)
                else f", or give {next(one.path for one in found if one.path in new)} another name"
            )
            yield Found(
                path,
                link.line,
                f"{where}{link} could mean {len(found)} records ({paths}): write more of the path{name}",
                record.address if record is not None else None,
                related=tuple(
                    Related(one.path, one.line, f"it could mean {named(one)}") for one in found[:8]
                ),
            )


def _crowded(corpus: Corpus, new: set[str]) -> Iterator[Led]:
    """Links in files that did not change that could mean one record before, if any, and may mean one of those
    in new files now.
    """
    names = {file_names(path)[0] for path in new}
    shared = {
        name for name in names if len({one.path for one in corpus.index.resolve(Wikilink(name), None)}) > 1
    }
    for path in corpus.mentioning(shared):
        for led in links_of(corpus, path):
            if sum(record.path not in new for record in led.target.records) < 2 <= len(led.target.records):
                yield led


def _brought(corpus: Corpus) -> set[str]:
    """The files among those that changed that hold records and did not before."""
    if corpus.changed is None or corpus.before is None:
        return set()
    known = corpus.before.paths()
    return {
        path
        for path in corpus.pages
        if path in known and corpus.parsed(path).records and not corpus.before.parsed(path).records
    }


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

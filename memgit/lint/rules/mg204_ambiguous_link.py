"""MG204: wikilinks that several records answer to."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.resolve import Led, all_links, links_of
from memgit.lint.rule import CORPUS, Example, Found, Options, Related, Rule
from memgit.lint.words import listed, named, plural
from memgit.model.link import Wikilink, file_names

MAX_SHOWN = 8
"""So many other places are named with a finding."""


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    new = _brought(corpus)
    decided: dict[tuple[str, str], list[Led]] = {}
    for led in (*all_links(corpus), *_crowded(corpus, new)):
        if len(led.target.records) > 1:
            yield _ambiguous(corpus, led, new)
        elif led.target.passed:
            decided.setdefault((str(led.link), led.target.records[0].path), []).append(led)
    for same in decided.values():
        yield _decided(same)


def _ambiguous(corpus: Corpus, led: Led, new: set[str]) -> Found:
    found = led.target.records
    record = led.origin.record if led.origin is not None else None
    where = f"{named(record)}: " if record is not None else ""
    paths = listed([f"{one.path}:{one.line}" for one in found])
    name = (
        ""
        if corpus.is_subject(led.path)
        else f", or give {next(one.path for one in found if one.path in new)} another name"
    )
    return Found(
        led.path,
        led.link.line,
        f"{where}{led.link} could mean {len(found)} records ({paths}): write more of the path{name}",
        record.address if record is not None else None,
        related=tuple(
            Related(one.path, one.line, f"it could mean {named(one)}") for one in found[:MAX_SHOWN]
        ),
    )


def _decided(same: list[Led]) -> Found:
    """Links that one record answers to because it lies nearest: told once for all that mean the same."""
    first = min(same, key=lambda led: (led.path, led.link.line))
    target = first.target
    chosen = target.records[0]
    others = listed([one.path for one in target.passed])
    more = f"; {plural(len(same) - 1, 'link')} more of this name" if len(same) > 1 else ""
    words = (
        f"{first.link} is taken for the nearest record of this name, {chosen.path}, not for {others}; write "
        f"more of the path where that is not meant{more}"
    )
    return Found(
        first.path,
        first.link.line,
        words,
        first.origin.record.address if first.origin is not None else None,
        related=tuple(
            Related(led.path, led.link.line, "the same link")
            for led in sorted(same, key=lambda led: (led.path, led.link.line))[1:MAX_SHOWN]
        ),
        severity="warning",
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
            meant = (*led.target.records, *led.target.passed)
            if sum(record.path not in new for record in meant) < 2 <= len(meant):
                yield led


def _brought(corpus: Corpus) -> set[str]:
    """The files among those that changed that hold records and did not before."""
    if corpus.changed is None or corpus.before is None:
        return set()
    known = corpus.before.paths
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
A longer piece of the path, or the full address, says it.
Of several records the one in the nearest folder is taken, as editors do; that it was nearness that decided is a warning.
A heading of a part of a note (text stands above it, or the file has another name in words) is no name that several answer to.""",
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
        Example(
            {
                "en/basics/Style.md": "# Style\n",
                "fr/basics/Style.md": "# Style\n",
                "en/more/Start.md": "# Start\n\nSee [[Style]].\n",
            },
            at=("en/more/Start.md:3",),
            layout="notes",
        ),
    ),
)

"""Which rules can find anything in a small change, told from its facts before their modules are loaded.

A question here may say yes for nothing; where it says no, the rule says nothing. A rule without a question
always runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from memgit import TYPE_CHECKING
from memgit.lint.page import LINK, SUBMODULE
from memgit.lint.rules import listed
from memgit.lint.settings import Settings, is_chosen

if TYPE_CHECKING:
    from memgit.lint.corpus import Corpus
    from memgit.lint.facts import FileFacts
    from memgit.lint.rule import Rule
    from memgit.model.record import Record

LEFT_OUT = ("MG203", "MG301", "MG302", "MG303", "MG304")
"""Rules that compare records with each other, or find what came with time: a hook does not run them."""

FEW = 64
"""More changed files than these are asked nothing: beside reading them, loading all rules is nothing."""


def concerned(corpus: Corpus, settings: Settings) -> tuple[Rule, ...]:
    """The rules to run over a change, as a hook runs them.

    Args:
        corpus: about what changed, with the state before.
        settings: those that they choose.
    """
    asked = (one for one in listed() if one.code not in LEFT_OUT and is_chosen(settings, one))
    return tuple(one.load() for one in asked if _may_find(corpus, one.code))


def _may_find(corpus: Corpus, code: str) -> bool:
    ask = QUESTIONS.get(code)
    if ask is None or corpus.changed is None or corpus.before is None or len(corpus.changed) > FEW:
        return True
    try:
        return ask(corpus)
    except Exception:  # the rule will fail in its own way, which is told
        return True


def _facts(corpus: Corpus) -> Iterator[FileFacts]:
    return (corpus.facts(path) for path in corpus.pages)


def _old(corpus: Corpus) -> list[Record]:
    assert corpus.before is not None
    return [record for path in corpus.before.paths() for record in corpus.before.parsed(path).records]


def _new(corpus: Corpus) -> list[Record]:
    assert corpus.before is not None
    return [
        record for path in {*corpus.before.paths(), *corpus.pages} for record in corpus.parsed(path).records
    ]


def _problems(corpus: Corpus, code: str) -> bool:
    return any(
        any(problem.code == code for problem in facts.problems)
        or any(one.record.problem is not None and one.record.problem.code == code for one in facts.records)
        for facts in _facts(corpus)
    )


def _unreadable(corpus: Corpus) -> bool:
    return _problems(corpus, "MG001") or any(
        corpus.source.mode(path) in (LINK, SUBMODULE) for path in corpus.subjects
    )


def _ids(corpus: Corpus) -> bool:
    """Whether a file holds other ids than before."""
    assert corpus.before is not None
    known = corpus.before.paths()
    return any(
        path not in known
        or sorted((one.id or "", one.text("key") or "") for one in corpus.before.parsed(path).records)
        != sorted((one.id or "", one.text("key") or "") for one in corpus.parsed(path).records)
        for path in corpus.pages
    )


def _lists(corpus: Corpus) -> bool:
    """Whether anything in a folder changed that has an index of Mem Skill."""
    folders = tuple(place.folder for place in corpus.layout.places if place.form == "entries")
    return any(path.startswith(folders) for path in corpus.changed or ())


def _markers(corpus: Corpus) -> bool:
    return any(not path.endswith(".md") for path in corpus.subjects) or any(
        facts.conflicts for facts in _facts(corpus)
    )


def _links(corpus: Corpus) -> bool:
    return any(facts.loose or any(one.links for one in facts.records) for facts in _facts(corpus))


def _broken(corpus: Corpus) -> bool:
    """Whether there are links, or what others may link to is gone: a file, a record where it was, or the id
    of one.
    """
    assert corpus.before is not None
    return (
        _links(corpus)
        or _gone(corpus)
        or any(
            not {(one.address, one.id) for one in corpus.before.parsed(path).records}
            <= {(one.address, id_) for one in corpus.parsed(path).records for id_ in (one.id, None)}
            for path in corpus.before.paths()
        )
    )


def _names_led(corpus: Corpus) -> bool:
    """Whether there are links, or what others may link to has a name that another file may have as well."""
    assert corpus.before is not None
    return _links(corpus) or any(
        corpus.parsed(path).records and not corpus.before.parsed(path).records
        for path in corpus.before.paths()
    )


def _paths(corpus: Corpus) -> bool:
    """Whether there are links to files, or something that others may link to is gone."""
    return any(facts.files for facts in _facts(corpus)) or _gone(corpus)


def _gone(corpus: Corpus) -> bool:
    return any(corpus.source.mode(path) is None for path in corpus.changed or ())


def _kind(kind: str) -> Callable[[Corpus], bool]:
    return lambda corpus: any(record.kind == kind for record in _new(corpus))


def _days(corpus: Corpus) -> bool:
    return len({(record.text("created"), record.text("at")) for record in (*_old(corpus), *_new(corpus))}) > 1


def _vanished(corpus: Corpus) -> bool:
    """Whether a record is gone, or one cannot be told from another."""
    old, new = _names(_old(corpus)), _names(_new(corpus))
    return old is None or new is None or not old <= new


def _names(records: list[Record]) -> set[tuple[str, str | None]] | None:
    """The addresses of records with their ids; None where two have one in common."""
    names = {(record.address, record.id) for record in records}
    ids = [record.id for record in records if record.id is not None]
    return names if len(names) == len(records) and len(set(ids)) == len(ids) else None


QUESTIONS: Mapping[str, Callable[[Corpus], bool]] = {
    "MG001": _unreadable,
    "MG002": lambda corpus: _problems(corpus, "MG002"),
    "MG005": lambda corpus: any(len(facts.records) > 1 for facts in _facts(corpus)),
    "MG006": _ids,
    "MG102": _lists,
    "MG103": _lists,
    "MG104": _markers,
    "MG201": _broken,
    "MG202": _links,
    "MG204": _names_led,
    "MG205": _paths,
    "MG401": _kind("observation"),
    "MG402": _kind("skill"),
    "MG403": _days,
    "MG404": _vanished,
    "MG405": _kind("decision"),
    "MG501": lambda corpus: any(facts.secrets for facts in _facts(corpus)),
    "MG502": lambda corpus: any(facts.hidden for facts in _facts(corpus)),
}
"""What a change must hold for a rule to find anything in it, by code."""

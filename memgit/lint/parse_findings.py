"""Findings that the parsers made: a problem carries the code of the rule that reports it."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.facts import FileFacts
from memgit.lint.rule import Found
from memgit.model.record import Problem


def relayed(corpus: Corpus, code: str, *, lenient: bool = False) -> Iterator[Found]:
    """The problems of the subjects that carry a code, each once; `lenient` makes a warning of one that leaves
    the record writable.
    """
    for path in corpus.pages:
        facts = corpus.facts(path)
        for problem in problems(facts, code):
            lowered = "warning" if lenient and not problem.fatal else None
            yield Found(
                path, problem.line, problem.message, address_at(facts, problem.line), severity=lowered
            )


def problems(facts: FileFacts, code: str) -> list[Problem]:
    """The problems of one file that carry a code, those of single records among them, each once, by line."""
    found = [problem for problem in facts.problems if problem.code == code]
    found += [
        one.record.problem
        for one in facts.records
        if one.record.problem is not None and one.record.problem.code == code
    ]
    unique = {(problem.line, problem.message): problem for problem in found}
    return [unique[key] for key in sorted(unique)]


def address_at(facts: FileFacts, line: int) -> str | None:
    """The address of the record that a line of a file belongs to."""
    return next(
        (one.record.address for one in facts.records if one.record.line <= line <= one.record.end_line), None
    )

"""Telling a writer of links to nothing in what was just written, in the words in which rule MG201 would tell of them later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from memgit.app.lint_settings import settings_of
from memgit.app.lint_source import CachedIndex, TreeSource
from memgit.app.write import Session
from memgit.lint.corpus import Corpus, Overlay
from memgit.lint.facts import links_of_page
from memgit.lint.index import folded
from memgit.lint.resolve import Led, target
from memgit.lint.rules import RULES
from memgit.lint.rules.mg201_broken_link import RULE, said
from memgit.lint.settings import chosen
from memgit.model.link import Names, Wikilink, file_names, normal
from memgit.model.record import ParsedFile, Record

MOST = 5
"""So many links are told of, the others counted."""


class WrittenIndex(CachedIndex):
    """Lookups by the cache in which the files of the operation at hand count as they will be."""

    def __init__(self, session: Session, source: TreeSource) -> None:
        board = session.board
        super().__init__(board.layout, session.reader.snapshot, source)
        self._edits = board.edits
        paths = (path for path, data in board.edits.items() if data is not None and board.layout.find(path) is not None)
        self._written = [record for path in paths for record in board.parsed(path).records]
        self._names = Names(self._written)

    def resolve(self, link: Wikilink, origin: Record | None) -> Sequence[Record]:
        return [*self._kept(super().resolve(link, origin)), *self._names.resolve(link, origin).candidates]

    def called(self, text: str) -> Iterable[Record]:
        return [*self._kept(super().called(text)), *self._written]

    # For one or two names, all paths are looked through: to sort them by name would take several times as long.

    @cached_property
    def _paths(self) -> list[str]:
        return list(self._source.paths())

    def files(self, name: str) -> Sequence[str]:
        wanted = normal(name.removesuffix(".md"))
        last = wanted.rpartition("/")[2]
        near = [path for path in self._paths if last in path or not path.isascii()]
        return [path for path in near if any(normal(tail) == wanted for tail in file_names(path))]

    def spelled(self, name: str) -> str | None:
        wanted = folded(name.removesuffix(".md"))
        last = wanted.rpartition("/")[2]
        near = (path for path in self._paths if path.endswith(".md") and (last in path.casefold() or not path.isascii()))
        return next((tail for path in near for tail in file_names(path) if folded(tail) == wanted), None)

    def _kept(self, records: Iterable[Record]) -> list[Record]:
        return [record for record in records if record.path not in self._edits]


class _Written(Corpus):
    """The files as the operation leaves them; what it has understood of them itself is not parsed again."""

    def __init__(self, session: Session, tree: TreeSource, suspect: Mapping[str, set[int]]) -> None:
        board = session.board
        super().__init__(
            board.layout, Overlay(tree, board.edits), session.context.today, changed=suspect,
            index=lambda: WrittenIndex(session, tree), compare=False,
        )  # fmt: skip
        self._board = board

    def parsed(self, path: str) -> ParsedFile:
        return self._board.parsed(path)

    def parsed_from(self, path: str, data: bytes) -> ParsedFile:
        return self._board.parsed(path)


def told(session: Session, suspect: Mapping[str, set[int]]) -> tuple[str, ...]:
    """What the rule would find on some lines of files, unless the configuration or a comment in place has it silent."""
    board = session.board
    tree = TreeSource(board.repo, board.tree, {})
    corpus = _Written(session, tree, suspect)
    words: dict[str, None] = {}
    for path, lines in suspect.items():
        for facts, link in links_of_page(corpus.page(path)).links():
            if link.line not in lines or corpus.allowed(path).allows(RULE.code, RULE.name, link.line):
                continue
            led = Led(path, facts, link, target(corpus, path, facts.record if facts is not None else None, link))
            if led.target.fault is not None:
                words[f"{path}:{link.line}: {said(led)} ({RULE.code})"] = None
    if not words or not chosen(settings_of(session.workspace, RULES), [RULE]):
        return ()
    more = len(words) - MOST
    rest = (f"and {more} more of {RULE.code}: memgit lint --select {RULE.code}",) if more > 0 else ()
    return (*list(words)[:MOST], *rest)

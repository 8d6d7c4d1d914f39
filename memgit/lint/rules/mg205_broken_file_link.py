"""MG205: relative links to files that are not there."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.relay import address_at
from memgit.lint.rule import CORPUS, Example, Found, Options, Rule
from memgit.lint.words import cut


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    for path in corpus.pages:
        yield from _broken(corpus, path)
    for path in _abandoned(corpus):
        yield from _broken(corpus, path)


def _broken(corpus: Corpus, path: str) -> Iterator[Found]:
    facts = corpus.facts(path)
    for line, linked in facts.files:
        whole = posixpath.normpath(posixpath.join(posixpath.dirname(path), linked))
        if not is_there(corpus, whole):
            words = f"the link to {cut(linked)} leads nowhere: there is no {cut(whole, 120)}; correct the path, or restore the file"
            yield Found(path, line, words, address_at(facts, line))


def is_there(corpus: Corpus, path: str) -> bool:
    """Whether a file or folder is there, inside the knowledge root or beside it in the repository."""
    if path == ".." or path.startswith("../"):
        return corpus.outside(path)
    if path in (".", "") or corpus.source.mode(path) is not None:
        return True
    folder, slash, name = path.rpartition("/")
    return name in corpus.folders(folder + slash)


def _abandoned(corpus: Corpus) -> list[str]:
    """Files that did not change but may link to one that the change took away."""
    if corpus.changed is None:
        return []
    gone = [path.rpartition("/")[2] for path in corpus.changed if corpus.source.mode(path) is None]
    if not gone:
        return []
    names = sorted({spelled for name in gone for spelled in (name, name.replace(" ", "%20"))})
    return sorted(path for path in set(corpus.index.mentioning(names)) if not corpus.is_subject(path))


_TEXT = "---\ntitle: {}\ncreated: 2026-03-02\n---\n{}\n"

RULE = Rule(
    code="MG205",
    name="broken-file-link",
    severity="error",
    summary="a relative link to a file that is not there",
    why="""Forges and editors show such a link as one that works, until somebody follows it.
Mostly the file was moved, or the path was written as seen from another folder.
Links with a scheme are not checked.""",
    scope=CORPUS,
    check=check,
    good=(Example({"memory/a.md": _TEXT.format("A", "See [b](b.md)."), "memory/b.md": _TEXT.format("B", "Text.")}),),
    bad=(
        Example(
            {"memory/a.md": _TEXT.format("A", "See [b](memory/b.md)."), "memory/b.md": _TEXT.format("B", "Text.")}, at=("memory/a.md:5",)
        ),
    ),
)

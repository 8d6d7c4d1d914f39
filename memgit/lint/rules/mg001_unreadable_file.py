"""MG001: files whose bytes cannot be read as text."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.page import LINK, SUBMODULE
from memgit.lint.relay import relayed
from memgit.lint.rule import CORPUS, Example, Found, Options, Rule


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    yield from relayed(corpus, "MG001")
    for path in corpus.subjects:
        mode = corpus.source.mode(path)
        if mode == SUBMODULE:
            yield Found(path, 1, "a submodule among records: it is not followed; keep it outside of the knowledge root")
        elif mode == LINK and path.endswith(".md"):
            yield Found(path, 1, "a symbolic link in place of a file: it is never followed; put the text here, or a wikilink in a record")


RULE = Rule(
    code="MG001",
    name="unreadable-file",
    severity="error",
    summary="bytes that are no text: not UTF-8, a NUL, too large, a symbolic link, a submodule",
    why="""A file that is not UTF-8 reads differently on every machine, and a NUL ends it early in many tools.
A symbolic link may lead out of the repository, and what it leads to is another record's text or nobody's.
memgit reports such a file and leaves it alone; its records are missing from every list until it is mended.""",
    scope=CORPUS,
    check=check,
    good=(Example({"memory/cafe.md": "---\ntitle: Café\ncreated: 2026-03-02\n---\nOpen until six.\n"}),),
    bad=(
        Example(
            {"memory/cafe.md": "---\ntitle: Cafe\ncreated: 2026-03-02\n---\nThe café is open until six.\n".encode("latin-1")},
            at=("memory/cafe.md:5",),
            shown="The word “café” in ISO 8859-1: its last letter is the byte E9.",
        ),
    ),
)

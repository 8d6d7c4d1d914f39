"""MG001: files whose bytes cannot be read as text."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.page import LINK, SUBMODULE
from memgit.lint.parse_findings import relayed
from memgit.lint.rule import CORPUS, Example, Found, Options, Rule
from memgit.model.layout import Layout


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    yield from relayed(corpus, "MG001")
    layout = corpus.layout
    # Where every Markdown file is a note, a link or a submodule does not stand among records: it is beside
    # them, and never read.
    severity = "warning" if layout.find("any.md") is not None else None
    for path in corpus.subjects:
        mode = corpus.files.mode(path)
        if mode == SUBMODULE and holds_records(layout, path):
            words = "a submodule among records: it is not followed; keep it outside of the folders of records"
            yield Found(path, 1, words, severity=severity)
        elif mode == LINK and layout.find(path) is not None:
            words = (
                "a symbolic link in place of a file: it is never followed; put the text here, or a "
                "wikilink in a record"
            )
            yield Found(path, 1, words, severity=severity)


def holds_records(layout: Layout, path: str) -> bool:
    """Whether a folder lies among records, or takes the place of a folder of records."""
    folder = f"{path}/"
    if layout.find(f"{folder}any.md") is not None:
        return True
    return any(root.startswith(folder) or (root and folder.startswith(root)) for root in layout.roots())


RULE = Rule(
    code="MG001",
    name="unreadable-file",
    severity="error",
    summary="bytes that are no text: not UTF-8, a NUL, too large, a pointer of git-lfs, a symbolic link, a submodule",
    why="""A file that is not UTF-8 reads differently on every machine, and a NUL ends it early in many tools.
A symbolic link may lead out of the repository, and what it leads to is another record's text or nobody's.
memgit reports such a file and leaves it alone; its records are missing from every list until it is fixed.""",
    scope=CORPUS,
    check=check,
    good=(Example({"memory/cafe.md": "---\ntitle: Café\ncreated: 2026-03-02\n---\nOpen until six.\n"}),),
    bad=(
        Example(
            {
                "memory/cafe.md": "---\ntitle: Cafe\ncreated: 2026-03-02\n---\nThe café is open until six.\n".encode(
                    "latin-1"
                )
            },
            at=("memory/cafe.md:5",),
            shown="The word “café” in ISO 8859-1: its last letter is the byte E9.",
        ),
        Example(
            {
                "memory/tide.md": "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n",
            },
            at=("memory/tide.md:1",),
        ),
    ),
)

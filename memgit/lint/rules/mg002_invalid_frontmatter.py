"""MG002: frontmatter that is no YAML, or is not where it belongs."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.parse_findings import relayed
from memgit.lint.rule import CORPUS, Example, Found, Options, Rule


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    yield from relayed(corpus, "MG002", lenient=True)


RULE = Rule(
    code="MG002",
    name="invalid-frontmatter",
    severity="error",
    summary="a frontmatter block that is broken, never closed, or there twice",
    why="""The fields of a record are read from its frontmatter.
Where YAML breaks, most tools drop the whole record without a word; memgit still lists it under the title that it can make out, but
will not write to it, since it cannot know what the broken lines mean.
The usual cause is a colon or a quote in a title that was typed by hand: put the value in quotes.""",
    scope=CORPUS,
    check=check,
    good=(
        Example(
            {
                "memory/a.md": '---\ntitle: "Backups: restore before you trust"\ncreated: 2026-03-02\n---\nText.\n'
            }
        ),
    ),
    bad=(
        Example(
            {
                "memory/a.md": "---\ntitle: Backups: restore before you trust\ncreated: 2026-03-02\n---\nText.\n"
            },
            at=("memory/a.md:2",),
        ),
        Example(
            {"memory/b.md": "---\ntitle: Never closed\ncreated: 2026-03-02\n\nText.\n"}, at=("memory/b.md:1",)
        ),
    ),
)

"""MG406: commit messages that claim what their trees contradict."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.rule import HISTORY, Example, Found, Options, Rule


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    for claim in corpus.claims:
        records = corpus.parsed(claim.path).records
        line = next((record.line for record in records if record.address == claim.address), 1)
        words = f"the message of commit {claim.commit[:10]} {claim.words}. The log believes the change, not the message"
        yield Found(claim.path, line, words, claim.address)


_MEMORY = "---\nid: {}\ntitle: {}\ncreated: 2026-03-02\n---\n{}\n"
_BEFORE = {
    "memory/lamp.md": _MEMORY.format("kb7m2q9x4d", "Lamp", "Green is ready."),
    "memory/door.md": _MEMORY.format("p4w8h2c6zt", "Door", "Knock twice."),
}
_AFTER = {**_BEFORE, "memory/door.md": _MEMORY.format("p4w8h2c6zt", "Door", "Knock three times.")}

RULE = Rule(
    code="MG406",
    name="contradicted-trailer",
    severity="warning",
    summary="a commit message that says of records what its trees contradict",
    why="""The trailers of a message say which operation a commit was. A message typed by hand, kept by an amend or made
to deceive can say anything: that a record was archived that is still in force, or was not touched. The log
never believes such a trailer, but a person who reads the message does.""",
    scope=HISTORY,
    check=check,
    good=(
        Example(
            _AFTER,
            before=_BEFORE,
            message="update(memory): Door\n\nMemgit-Op: update\nMemgit-Record: update p4w8h2c6zt memory/door",
        ),
    ),
    bad=(
        Example(
            _AFTER,
            at=("memory/door.md:1",),
            before=_BEFORE,
            message="archive(memory): Lamp\n\nMemgit-Op: archive\nMemgit-Record: archive kb7m2q9x4d memory/lamp",
        ),
        Example(
            _AFTER,
            at=("memory/door.md:1",),
            before=_BEFORE,
            message="Tidy up\n\nMemgit-Op: update\nMemgit-Record: update kb7m2q9x4d memory/lamp",
        ),
    ),
)

"""MG402: skills whose version went back."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.history import changes, line_of
from memgit.lint.rule import HISTORY, Example, Found, Options, Rule
from memgit.lint.words import named


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    for change in changes(corpus):
        old, new = change.old, change.new
        if old is None or new is None or new.kind != "skill" or old.version is None:
            continue
        if new.version is None or new.version < old.version:
            now = "no version" if new.version is None else f"version {new.version}"
            words = (
                f"{named(new)} went from version {old.version} to {now}: versions only grow; make it "
                f"{old.version + 1} or {old.version}"
            )
            line = line_of(corpus, new.path, "version", (new.line, new.end_line))
            yield Found(new.path, line, words, new.address)


_SKILL = "---\ntitle: Roll a migration\nversion: {}\n---\n## Steps\n\n1. Back up.\n"

RULE = Rule(
    code="MG402",
    name="version-regressed",
    severity="error",
    summary="a skill whose version is lower than before",
    why="""Callers ask for a skill by version, and uses are counted by version.
A version that comes again with other text makes both wrong; usually an old file was copied over a new one.""",
    scope=HISTORY,
    check=check,
    good=(Example({"skills/migrate.md": _SKILL.format(3)}, before={"skills/migrate.md": _SKILL.format(2)}),),
    bad=(
        Example(
            {"skills/migrate.md": _SKILL.format(1)},
            at=("skills/migrate.md:3",),
            before={"skills/migrate.md": _SKILL.format(2)},
        ),
    ),
)

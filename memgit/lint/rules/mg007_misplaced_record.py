"""MG007: files among records that are no record, and records that say they belong elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.derive import is_derived
from memgit.lint.corpus import Corpus
from memgit.lint.rule import CORPUS, Example, Found, Options, Rule
from memgit.lint.words import cut, named
from memgit.model.kinds import KINDS
from memgit.model.layout import Layout, Place
from memgit.model.record import Record


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    layout = corpus.layout
    for path in corpus.pages:
        place = layout.find(path)
        if place is None:
            near = _nearest(layout, path)
            if near is not None and not is_derived(layout, path):
                words = (
                    f"it lies among {near.kind} records but fits no pattern there, so nobody will find "
                    f"it: it should be {_pattern(near)}"
                )
                yield Found(path, 1, words)
            continue
        for one in corpus.facts(path).records:
            for value, words in elsewhere(one.record, *place):
                line = (
                    corpus.page(path).line_of(value, (one.record.line, one.record.end_line))
                    or one.record.line
                )
                yield Found(path, line, f"{named(one.record)} {words}", one.record.address)


def _nearest(layout: Layout, path: str) -> Place | None:
    """The place in whose folder a file lies that no place takes; None where it lies beside records, or has a
    name that never is one.
    """
    name = path.rpartition("/")[2]
    near = [place for place in layout.places if place.folder and path.startswith(place.folder)]
    if not near or any(name in place.never for place in near):
        return None
    return max(near, key=lambda place: len(place.folder))


def _pattern(place: Place) -> str:
    return place.folder + place.pattern.replace("**/", "").replace("{path}", "<name>").replace(
        "{key}", "<name>"
    )


def elsewhere(record: Record, place: Place, key: str) -> Iterator[tuple[str, str]]:
    """What a record says of itself that its place denies: the value that says so, and words."""
    kind = record.text("kind")
    if kind is not None and kind.lower() in KINDS and kind.lower() != record.kind:
        yield (
            kind,
            (
                f"says that it is of kind {kind.lower()}, but is where {record.kind} records are: move "
                "it, or change its kind"
            ),
        )
    skill = record.text("skill")
    if record.kind == "experience" and skill is not None and skill != key and not skill.endswith(f"/{key}"):
        yield (
            skill,
            (
                f"is about the skill {cut(skill, 40)!r}, but is in the file of {key!r}: move it to "
                f"skill-{cut(skill, 40)}.md, or correct it"
            ),
        )
    scope = record.text("scope")
    if (
        record.kind == "memory"
        and place.form == "memgit"
        and scope is not None
        and scope.strip("/") != key.rpartition("/")[0]
    ):
        yield (
            scope,
            (
                f"has the scope {cut(scope, 40)!r}, but is in the folder of "
                f"{key.rpartition('/')[0] or 'no scope'!r}"
            ),
        )


_ENTRY = "## Tile keys\n**Date:** 2026-03-02\n**Skill:** maps\n**Keywords:** tiles\n"

RULE = Rule(
    code="MG007",
    name="misplaced-record",
    severity="warning",
    summary="a file that belongs to no kind, or a record in the place of another kind",
    why="""The folder and the file name decide what kind a record is.
A file that fits no pattern is in no list, no index and no search, and nobody notices.
A record that says one thing and lies at another is found under the wrong one.""",
    scope=CORPUS,
    check=check,
    good=(Example({"experience/skill-maps.md": _ENTRY}),),
    bad=(
        Example({"experience/maps.md": _ENTRY}, at=("experience/maps.md:1",)),
        Example({"experience/skill-charts.md": _ENTRY}, at=("experience/skill-charts.md:3",)),
        Example(
            {"memory/queue.md": "---\nkind: decision\ntitle: One queue\ncreated: 2026-03-02\n---\nText.\n"},
            at=("memory/queue.md:2",),
        ),
    ),
)

from __future__ import annotations

import pytest

from memgit.model.link import Names, Wikilink, parse, spellings
from memgit.model.record import Record, Value


def entry(path: str, category: str, title: str, ordinal: int = 0, id_: str | None = None) -> Record:
    return Record("knowledge", f"knowledge/{category}#{title}", path, title, 1, 2, ordinal, {"id": id_}, "")


def document(path: str, address: str, title: str = "T") -> Record:
    return Record("memory", address, path, title, 1, 2, 0, {}, "")


RECORDS = [
    entry("knowledge-base/web.md", "web", "Grid", 0, "kb7m2q9x4d"),
    entry("knowledge-base/web.md", "web", "Comma, in it", 1),
    entry("knowledge-base/deep/api.md", "deep/api", "Retry", 0),
    document("memory/friday-ci.md", "memory/friday-ci"),
    document("memory/north/notes.md", "memory/north/notes"),
    document("memory/south/notes.md", "memory/south/notes"),
]


@pytest.mark.parametrize(
    ("inner", "address"),
    [
        ("web#Grid", "knowledge/web#Grid"),
        ("web#Comma, in it", "knowledge/web#Comma, in it"),
        ("knowledge-base/web#Grid", "knowledge/web#Grid"),
        ("web.md#Grid|the grid", "knowledge/web#Grid"),
        ("knowledge/web#Grid", "knowledge/web#Grid"),
        ("kb7m2q9x4d", "knowledge/web#Grid"),
        ("deep/api#Retry", "knowledge/deep/api#Retry"),
        ("friday-ci", "memory/friday-ci"),
        ("friday-ci#Any heading", "memory/friday-ci"),
        ("memory/friday-ci", "memory/friday-ci"),
        ("north/notes", "memory/north/notes"),
    ],
)
def test_links_that_resolve(inner: str, address: str) -> None:
    found = Names(RECORDS).resolve(parse(inner))
    assert found.record is not None
    assert found.record.address == address


@pytest.mark.parametrize("inner", ["web#Gri", "web#grid", "web", "nowhere", "eb#Grid", "friday", "notes"])
def test_links_that_do_not(inner: str) -> None:
    assert Names(RECORDS).resolve(parse(inner)).record is None


def test_each_spelling_of_a_link_leads_to_its_record() -> None:
    assert list(spellings(RECORDS[0])) == [
        "web#Grid",
        "knowledge-base/web#Grid",
        "knowledge/web#Grid",
        "kb7m2q9x4d",
    ]
    assert list(spellings(RECORDS[3])) == ["friday-ci", "memory/friday-ci"]
    for record in RECORDS:
        assert all(record in Names(RECORDS).resolve(parse(text)).candidates for text in spellings(record))
    assert list(spellings(entry("knowledge-base/web.md", "web", "Either | or [[x]]", id_="kb7m2q9x4d"))) == [
        "kb7m2q9x4d"
    ]
    assert list(spellings(document("notes/C# tips.md", "note/C# tips"))) == [], (
        "what stands after the hash would be a heading"
    )


def test_an_ambiguous_link_names_its_candidates() -> None:
    found = Names(RECORDS).resolve(parse("notes"))
    assert [record.address for record in found.candidates] == ["memory/north/notes", "memory/south/notes"]


def test_a_bare_heading_points_into_the_own_file() -> None:
    found = Names(RECORDS).resolve(parse("#Comma, in it"), RECORDS[0].path)
    assert found.record == RECORDS[1]


def test_a_decomposed_name_is_the_composed_one() -> None:
    names = Names([document("memory/cafe\u0301.md", "memory/cafe\u0301")])
    assert names.resolve(parse("caf\u00e9")).record is not None


def test_a_link_is_written_as_it_was_read() -> None:
    for inner in ("a", "a#b", "a#b|c", "a|c"):
        assert str(parse(inner)) == f"[[{inner}]]"
    assert parse("a\\|b") == Wikilink("a", None, "b")


def note(path: str, title: str, **fields: Value) -> Record:
    return Record("note", f"note/{path.removesuffix('.md')}", path, title, 1, 2, 0, fields, "")


NOTES = [
    note("en/x/Style.md", "Style guide", aliases=("House style", "cafe\u0301")),
    note("fr/x/Style.md", "Guide de style", alias="Style maison, Charte"),
    note("Top.md", "Style"),
]


@pytest.mark.parametrize(
    ("inner", "origin", "path"),
    [
        ("Style guide", None, "en/x/Style.md"),
        ("House style#Names", None, "en/x/Style.md"),
        ("caf\u00e9", None, "en/x/Style.md"),
        ("Charte", None, "fr/x/Style.md"),
        ("Style", "en/y/p.md", "en/x/Style.md"),
        ("Style", "fr/x/q.md", "fr/x/Style.md"),
        ("../x/Style", "fr/y/q.md", "fr/x/Style.md"),
        ("Style", "Top.md", None),
        ("Style", None, None),
        ("style guide", None, None),
    ],
)
def test_a_note_answers_to_title_and_aliases_and_the_nearest_file_counts(
    inner: str, origin: str | None, path: str | None
) -> None:
    found = Names(NOTES).resolve(parse(inner), origin)
    assert (None if found.record is None else found.record.path) == path

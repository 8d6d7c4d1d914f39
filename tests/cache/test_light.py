"""Files without their texts: what the cache tells of one is what reading it gives, and what it cannot tell it
leaves to that.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgit.cache.db import Cache, memory_cache
from memgit.cache.light import LightFiles
from memgit.cache.records import refresh
from memgit.formats.codecs import parse_file
from memgit.git.repository import Repository
from memgit.model.layout import memgit
from memgit.model.record import ParsedFile
from tests.cache.trees import commit, document, entry
from tests.support import examples

LAYOUT = memgit()
TITLES = st.sampled_from(["Grid", "a/b", "Über", "日本語", "C#", "[[x]]", '"q"', "\\1"])
ENTRIES = st.lists(st.tuples(TITLES, st.sampled_from(["", "css, grid", "a"])), max_size=4).map(
    lambda found: "\n".join(
        entry(f"{title} {number}", keywords=words) for number, (title, words) in enumerate(found)
    ).encode()
)
HEADS = st.sampled_from(
    [b"", b"---\nname: Web\nkeywords: [a, b]\n---\n", b"---\nname: [\n---\n", b"\xef\xbb\xbf"]
)
ODD = st.sampled_from(
    [
        b"",
        b"\xff\xfe",
        b"## Bare\n",
        b"## Bare\n\nText.\n",
        b"<<<<<<< a\n## X\n",
        b"```\n## X\n",
        b"---\nname: x\n",
    ]
)
PATHS = st.sampled_from(
    [
        "knowledge-base/a.md",
        "experience/skill-pdf.md",
        "memory/m.md",
        "memory/sea/m.md",
        "decisions/20260101-d.md",
    ]
)
DOCUMENTS = (
    st.builds(lambda title, tags: document(title, tags=tags), TITLES, st.sampled_from(["[a, b]", "x", "[]"]))
    | ODD
)
FILES = st.dictionaries(
    PATHS, st.builds(lambda head, rest: head + rest, HEADS, ENTRIES | ODD) | DOCUMENTS, max_size=5
)


def ask(cache: Cache, git: Repository, path: str, data: bytes) -> ParsedFile | None:
    found = LAYOUT.find(path)
    assert found is not None
    light = LightFiles(cache, LAYOUT)
    oid = git.hash_blob(data)
    file, meta = light.file(path, found[0], oid), light.meta(path, found[0], oid)
    assert file is None or file.meta == meta
    return file


def textless(parsed: ParsedFile) -> ParsedFile:
    return parsed._replace(records=tuple(record._replace(body="") for record in parsed.records))


@given(FILES)
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_file_is_as_it_reads(git: Repository, files: dict[str, bytes]) -> None:
    cache = memory_cache()
    refresh(cache, git, LAYOUT, commit(git, files))
    for path, data in files.items():
        parsed = parse_file(LAYOUT, path, data)
        found = ask(cache, git, path, data)
        if found is None:
            bare = any(record.fields.keys() <= {"title"} for record in parsed.records)
            assert bare or (not parsed.records and any(problem.fatal for problem in parsed.problems))
        else:
            assert found == textless(parsed)
    cache.close()


def test_a_content_of_another_commit_is_known_and_one_that_was_never_read_is_not(
    git: Repository, cache: Cache
) -> None:
    old, new = (f"---\nname: {name}\n---\n{entry('Grid')}".encode() for name in ("Old", "New"))
    first = commit(git, {"knowledge-base/a.md": old})
    refresh(cache, git, LAYOUT, first)
    refresh(cache, git, LAYOUT, commit(git, {"knowledge-base/a.md": new}, first))
    for data in (old, new):
        assert ask(cache, git, "knowledge-base/a.md", data) == textless(
            parse_file(LAYOUT, "knowledge-base/a.md", data)
        )
    assert ask(cache, git, "knowledge-base/b.md", new) is None
    assert ask(cache, git, "knowledge-base/a.md", new + b"\n") is None


def test_a_cache_without_rows_or_with_those_of_another_version_knows_nothing(
    git: Repository, cache: Cache
) -> None:
    data = entry("Grid").encode()
    assert ask(cache, git, "knowledge-base/a.md", data) is None
    refresh(cache, git, LAYOUT, commit(git, {"knowledge-base/a.md": data}))
    assert ask(cache, git, "knowledge-base/a.md", data) is not None
    cache.connection.execute("update part set version = 0 where name = 'records'")
    assert ask(cache, git, "knowledge-base/a.md", data) is None


@pytest.mark.parametrize(
    "damage",
    [
        "update record set fields = '{'",
        "update record set fields = '1'",
        'update record set fields = \'{"a":"b"},{"c":"d"}\'',
        "update record set problem = '{}'",
        "update file set meta = '['",
        "update file set problems = '[1]'",
        "drop table record",
    ],
)
def test_a_broken_row_is_thrown_away(git: Repository, cache: Cache, damage: str) -> None:
    data = f"---\nname: Web\n---\n{entry('Grid')}".encode()
    tip = commit(git, {"knowledge-base/a.md": data})
    refresh(cache, git, LAYOUT, tip)
    cache.end_read()
    cache.connection.execute(damage)
    assert ask(cache, git, "knowledge-base/a.md", data) is None
    refresh(cache, git, LAYOUT, tip)
    assert ask(cache, git, "knowledge-base/a.md", data) == textless(
        parse_file(LAYOUT, "knowledge-base/a.md", data)
    )


def test_a_row_that_lacks_a_record_tells_nothing(git: Repository, cache: Cache) -> None:
    data = f"{entry('One')}\n{entry('Two')}".encode()
    refresh(cache, git, LAYOUT, commit(git, {"knowledge-base/a.md": data}))
    cache.end_read()
    cache.connection.execute("delete from record where title = 'Two'")
    assert ask(cache, git, "knowledge-base/a.md", data) is None

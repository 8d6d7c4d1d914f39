"""What an entry file holds after a record was added, told from what it held before: the same as reading all
of it.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgit.errors import MemgitError
from memgit.formats.codec import Draft
from memgit.formats.mem_skill.entries import Appender, parse
from memgit.model.link import normal
from memgit.model.record import ParsedFile
from tests.formats.test_appender import files
from tests.strategies import drafts

PATH, KIND, KEY = "knowledge-base/a.md", "knowledge", "a"


def read(data: bytes) -> ParsedFile:
    return parse(data, PATH, KIND, KEY)


def dated(draft: Draft) -> Draft:
    """A record with a date, as every new one has: only such a one has no problem."""
    return draft._replace(kind=KIND, fields={"created": "2026-01-01", **draft.fields})


@given(files(), st.lists(drafts().map(dated), min_size=1, max_size=5), st.booleans())
def test_it_is_what_reading_all_gives(existing: bytes | None, records: list[Draft], headed: bool) -> None:
    data = existing or b""
    if headed and not data.startswith(b"\xef\xbb\xbf"):
        data = b"---\nname: Words\nkeywords: [a, b]\n---\n" + data
    try:
        file = Appender(data)
    except MemgitError:
        return
    before = read(data)
    for draft in records:
        try:
            file.add(draft)
        except MemgitError:
            continue
        whole = read(file.data)
        if whole.records and normal(whole.records[-1].title) not in {
            normal(record.title) for record in before.records
        }:
            assert file.parsed(before, PATH, KIND, KEY) in (None, whole)
        before = whole


@given(
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\n", "\n\n", "\n\n---\n", "\n\n---\n\n"]),
    st.booleans(),
)
def test_an_ordinary_file_is_not_read_again(newline: str, end: str, ruled: bool) -> None:
    rule = "---\n\n" if ruled else ""
    text = (
        f"\n{rule}".join(f"## T{number}\n\n**Date:** 2026-01-01\n\n- text\n" for number in range(4)).rstrip(
            "\n"
        )
        + end
    )
    data = text.replace("\n", newline).encode()
    file = Appender(data)
    held = read(data)
    for number in range(6):
        file.add(
            Draft(KIND, f"New {number}", {"created": "2026-01-02", "keywords": ("a",)}, "Words.\n\nMore.")
        )
        told = file.parsed(held, PATH, KIND, KEY)
        assert told == read(file.data)
        assert told is not None
        held = told


def test_what_only_the_whole_file_tells_is_left_to_it() -> None:
    plain = b"## One\n**Date:** 2026-01-01\n\n- text\n"
    for data, draft in (
        (b"## One\n\n- no date\n", Draft(KIND, "Two", {"created": "2026-01-02"}, "text")),
        (plain, Draft(KIND, "Two", {}, "no date")),
    ):
        file = Appender(data)
        file.add(draft)
        assert file.parsed(read(data), PATH, KIND, KEY) is None

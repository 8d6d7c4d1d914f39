"""Many records at the end of one entry file: the same bytes and refusals as one after another, but the file
is read once.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.errors import BadInput, MemgitError, Refused
from memgit.formats.codec import Draft
from memgit.formats.mem_skill import entries, entry_file
from memgit.formats.mem_skill.entries import Appender, create
from memgit.formats.text import MAX_BYTES
from tests.strategies import bodies, drafts, titles

ENDS = ("", "\n", "\n\n", "\n---\n", "\n\n---\n\n", "\n<!-- open\n", "\n```\ncode\n", "\n<<<<<<< a\nx\n")


@st.composite
def files(draw: st.DrawFn) -> bytes | None:
    """An entry file in one of many manners, perhaps with something at its end that swallows what follows;
    None for no file.
    """
    if draw(st.booleans()):
        return None
    style = draw(st.sampled_from(["**{}:** {}\n", "**{}：** {}\n"]))
    rule = draw(st.sampled_from(["", "---\n\n"]))
    labels = draw(
        st.lists(st.sampled_from(["Date", "日期", "Keywords", "Best Practice", "Tip", "Related"]), max_size=4)
    )
    count = draw(st.integers(0, 25))
    sections = [
        f"## T{number}\n" + "".join(style.format(label, "x") for label in labels) + "text\n\n"
        for number in range(count)
    ]
    text = rule.join(sections).rstrip("\n") + draw(st.sampled_from(ENDS))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return ("\ufeff" if draw(st.booleans()) else "").encode() + text.encode()


@given(files(), st.lists(drafts(), min_size=1, max_size=5))
def test_it_is_the_same_as_one_record_after_another(existing: bytes | None, records: list[Draft]) -> None:
    file: Appender | None = None
    data = existing
    for draft in records:
        wanted = refused = None
        try:
            wanted = create(draft, data)
        except MemgitError as error:
            refused = (type(error), error.message, error.line, error.hint)
        try:
            file = file or Appender(data)
            file.add(draft)
        except MemgitError as error:
            assert (type(error), error.message, error.line, error.hint) == refused
        else:
            assert file.data == wanted
        data = data if wanted is None else wanted


@given(titles, bodies())
def test_the_same_object_comes_back_until_a_record_is_added(title: str, body: str) -> None:
    file = Appender(b"## One\n**Date:** 2026-01-01\ntext\n")
    first = file.data
    assert file.data is first
    try:
        file.add(Draft("knowledge", title, {"created": "2026-01-02"}, body))
    except MemgitError:
        assert file.data is first
    else:
        assert file.data is file.data
        assert file.data.startswith(first)


def test_what_is_there_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    real, read = entry_file.take_apart, []

    def counting(text: str) -> entry_file.EntryFile:
        read.append(len(text))
        return real(text)

    monkeypatch.setattr(entry_file, "take_apart", counting)
    file = Appender(b"## One\n**Date:** 2026-01-01\ntext\n" * 200)
    for number in range(200):
        file.add(Draft("knowledge", f"Title {number}", {"created": "2026-01-02"}, "text"))
    assert sum(read) <= len(file.data) + 200
    assert entries.parse(file.data, "knowledge-base/a.md", "knowledge", "a").records[-1].title == "Title 199"


def test_the_limit_counts_what_was_added() -> None:
    file = Appender(b"## One\n" + b"x" * (MAX_BYTES - 500))
    file.add(Draft("knowledge", "Two", {"created": "2026-01-02"}, "y" * 200))
    size = len(file.data)
    with pytest.raises(BadInput, match="at most"):
        file.add(Draft("knowledge", "Three", {"created": "2026-01-02"}, "y" * 300))
    assert len(file.data) == size


def test_an_open_comment_in_what_is_there_is_named_with_its_line() -> None:
    file = Appender(b"## One\n**Date:** 2026-01-01\n\n<!-- open\n")
    with pytest.raises(Refused, match="line 4"):
        file.add(Draft("knowledge", "Two", {}, "text"))

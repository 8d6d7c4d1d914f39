"""Bytes to text and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.errors import BadInput, UnreadableFile
from memgit.formats import text


@pytest.mark.parametrize(
    ("data", "line", "offset", "words"),
    [
        (b"a\nCaf\xe9 au lait\n", 2, 5, "0xE9 at offset 5"),
        (b"a\nb\nwave \xf0\x9f", 3, 9, "0xF0 at offset 9"),
        (b"\xef\xbb\xbfok\n\xff", 2, 6, "0xFF at offset 6"),
        ("é".encode("utf-16"), 1, 0, "UTF-16"),
        (b"\xfe\xff" + "é\n".encode("utf-16-be"), 1, 0, "UTF-16"),
        (b"\xff\xfe\0\0" + "a".encode("utf-32-le"), 1, 0, "UTF-32"),
        ("plain\nwords".encode("utf-16-le"), 1, 1, "UTF-16"),
        (b"one\ntwo\0three\n", 2, 7, "NUL at byte 7"),
        (b"x" * (text.MAX_BYTES + 1), 1, None, "too large"),
        (b"\xed\xa0\x80", 1, 0, "0xED"),
    ],
    ids=[
        "latin-1",
        "cut",
        "after-mark",
        "utf-16-le",
        "utf-16-be",
        "utf-32",
        "utf-16-no-mark",
        "nul",
        "large",
        "surrogate",
    ],
)
def test_what_is_no_text_is_named_with_its_place(
    data: bytes, line: int, offset: int | None, words: str
) -> None:
    with pytest.raises(UnreadableFile) as caught:
        text.decode(data)
    assert (caught.value.code, caught.value.line, caught.value.offset) == ("MG001", line, offset)
    assert words in caught.value.message


def test_the_largest_file_is_read() -> None:
    assert len(text.decode(b"x" * text.MAX_BYTES)) == text.MAX_BYTES


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), st.booleans())
def test_decode_undoes_encode(content: str, bom: bool) -> None:
    data = text.encode(content, bom)
    assert text.has_bom(data) == (bom or content.startswith("\ufeff"))
    assert text.decode(data) == (content if bom else content.removeprefix("\ufeff"))


@given(st.text(st.sampled_from("ab\r\n\x0b\x0c\x85\u2028\u2029")))
def test_only_a_line_feed_ends_a_line(content: str) -> None:
    lines = text.split_lines(content)
    assert "".join(lines) == content
    assert all("\n" not in line[:-1] for line in lines)
    assert all(line.endswith("\n") for line in lines[:-1])


@pytest.mark.parametrize(
    ("content", "newline"),
    [
        ("", "\n"),
        ("a", "\n"),
        ("a\nb\r\n", "\n"),
        ("a\r\nb\r\nc\n", "\r\n"),
        ("a\r\n", "\r\n"),
        ("a\rb\n", "\n"),
    ],
)
def test_the_commoner_line_end_is_the_file_s(content: str, newline: str) -> None:
    assert text.newline_of(content) == newline


@pytest.mark.parametrize(("content", "line"), [("a\nb\0c", 2), ("a\n\nb\udc80", 3)])
def test_what_no_file_can_hold_is_refused(content: str, line: int) -> None:
    with pytest.raises(BadInput) as caught:
        text.encode(content)
    assert caught.value.line == line

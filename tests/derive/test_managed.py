"""A managed block in a file that people write too."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.derive.index_places import MARKERS
from memgit.derive.managed import Found, find, has_block, only_generated, render
from memgit.model.record import Problem

BLOCK = f"{MARKERS.first}\n\n- old\n\n{MARKERS.last}\n"
NEW = ["", "- [new](new.md)", ""]


def done(data: bytes | None, content: list[str] = NEW) -> bytes:
    rendered = render(data, MARKERS, content, "# Title")
    assert rendered.data is not None
    assert not any(problem.fatal for problem in rendered.problems)
    return rendered.data


def left_alone(data: bytes) -> Problem:
    rendered = render(data, MARKERS, NEW, "# Title")
    assert rendered.data == data
    assert rendered.problems[-1].fatal
    return rendered.problems[-1]


def test_a_new_file_has_a_heading_and_the_block() -> None:
    text = done(None).decode()
    assert text == f"# Title\n\n{MARKERS.first}\n\n- [new](new.md)\n\n{MARKERS.last}\n"
    assert done(text.encode()) == text.encode()
    assert only_generated(text.encode(), MARKERS, "# Title")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["", "\n", "\n\nLast words\n", "no newline"])
def test_what_stands_around_the_block_is_kept_to_the_byte(newline: str, bom: bytes, end: str) -> None:
    before = bom + "# Mine\n\nWords \t\n".replace("\n", newline).encode()
    after = end.replace("\n", newline).encode()
    new = done(before + BLOCK.replace("\n", newline).encode() + after)
    assert new.startswith(before) and new.endswith(after)
    assert (
        new
        == before + "\n".join([MARKERS.first, *NEW, MARKERS.last, ""]).replace("\n", newline).encode() + after
    )
    assert done(new) == new
    assert not only_generated(new, MARKERS, "# Title")


def test_a_block_that_is_right_keeps_its_bytes_whatever_their_line_ends() -> None:
    data = f"# T\r\n\n{MARKERS.first}  \r\n\n- [new](new.md)\r\n\n{MARKERS.last}".encode()
    assert done(data) == data


def test_a_file_without_block_gets_it_at_its_end() -> None:
    assert done(b"Mine").decode() == f"Mine\n\n{MARKERS.first}\n\n- [new](new.md)\n\n{MARKERS.last}\n"
    assert done(b"").decode().startswith("# Title\n\n<!--")
    crlf = done(b"One\r\nTwo\r\n")
    assert crlf.count(b"\n") == crlf.count(b"\r\n") and crlf.startswith(b"One\r\nTwo\r\n\r\n<!-- memgit")
    assert done(crlf) == crlf


@pytest.mark.parametrize(
    "example",
    [
        f"```markdown\n{BLOCK}```\n",
        f"~~~\n{BLOCK}~~~\n",
        f"- item\n\n  ```\n  {BLOCK.replace(chr(10), chr(10) + '  ')}\n  ```\n",
        "".join(f"    {line}\n" for line in BLOCK.split("\n")),
        f"<!-- like this:\n{MARKERS.first.removesuffix('-->')}\nand so on -->\n",
        f"Write {MARKERS.first} on a line.\n",
        f"> {MARKERS.first}\n> {MARKERS.last}\n",
    ],
)
def test_examples_of_markers_are_no_markers(example: str) -> None:
    assert find(example, MARKERS) is None
    new = done(f"{example}\n{BLOCK}".encode())
    assert new.decode() == f"{example}\n{BLOCK.replace('- old', '- [new](new.md)')}"
    assert done(done(example.encode())) == done(example.encode())


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (BLOCK + BLOCK, 6),
        (f"{MARKERS.first}\n{MARKERS.first}\n{MARKERS.last}\n", 2),
        (f"# T\n{MARKERS.first}\n- x\n", 2),
        (f"# T\n\n{MARKERS.last}\n", 3),
        (f"{MARKERS.last}\n{MARKERS.first}\n", 1),
        ("# T\n\n```\nnever closed\n", 3),
        (f"# T\n\n```\nnever closed\n{BLOCK}", 3),
    ],
)
def test_doubled_and_torn_blocks_are_left_alone(text: str, line: int) -> None:
    assert left_alone(text.encode()).line == line


def test_bytes_that_are_no_text_are_left_alone() -> None:
    assert left_alone(b"caf\xe9\n" + BLOCK.encode()).code == "MG001"


def test_a_conflict_inside_the_block_is_settled() -> None:
    text = (
        f"# Mine\n\n{MARKERS.first}\n\n<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> "
        f"theirs\n\n{MARKERS.last}\nEnd\n"
    )
    rendered = render(text.encode(), MARKERS, NEW, "# Title")
    assert rendered.data is not None
    assert rendered.data.decode() == f"# Mine\n\n{MARKERS.first}\n\n- [new](new.md)\n\n{MARKERS.last}\nEnd\n"
    assert [problem.code for problem in rendered.problems] == ["MG104"] and rendered.problems[0].line == 5
    assert has_block(text.encode(), MARKERS)


def test_two_whole_files_in_conflict_are_settled() -> None:
    text = (
        f"<<<<<<< ours\n# Title\n\n{BLOCK}||||||| base\n=======\n# "
        f"Title\n\n{BLOCK.replace('old', 'older')}>>>>>>> theirs\n"
    )
    assert render(text.encode(), MARKERS, NEW, "# Title").data == done(None)


def test_a_conflict_in_what_people_wrote_is_theirs_to_settle() -> None:
    text = f"<<<<<<< ours\nOne\n=======\nTwo\n>>>>>>> theirs\n{BLOCK}"
    problem = left_alone(text.encode())
    assert problem.code == "MG104" and problem.line == 1


def test_conflict_markers_in_a_fence_are_an_example() -> None:
    text = f"```\n<<<<<<< ours\nOne\n=======\nTwo\n>>>>>>> theirs\n```\n{BLOCK}"
    assert done(text.encode()).decode() == text.replace("- old", "- [new](new.md)")


LINES = st.lists(
    st.sampled_from(
        [
            "",
            "# H",
            "text",
            "- item",
            "```",
            "~~~",
            "    code",
            "<!-- note -->",
            "<!--",
            "-->",
            "> q",
            "<div>",
            "\tx",
            MARKERS.first,
            MARKERS.last,
        ]
    ),
    max_size=12,
)


@given(LINES, st.sampled_from(["\n", "\r\n"]))
def test_a_second_run_changes_nothing_and_a_first_one_loses_nothing(lines: list[str], newline: str) -> None:
    data = newline.join(lines).encode()
    first = render(data, MARKERS, NEW, "# Title").data
    assert first is not None
    assert render(first, MARKERS, NEW, "# Title").data == first
    if first != data:
        found = find(first.decode(), MARKERS)
        assert isinstance(found, Found)
        before = find(data.decode(), MARKERS)
        kept = [*before.before, *before.after] if isinstance(before, Found) else [data.decode()]
        assert all(line in first.decode() for line in kept if line.strip())

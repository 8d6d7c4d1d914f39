"""The file of a commit message: where the block goes, what counts as comment, and faults of a block."""

from __future__ import annotations

import pytest

from memgit.formats.messages import message as messages
from memgit.formats.messages.message import block_of
from memgit.formats.messages.message_file import Style, cleaned, faults, with_block
from memgit.model.operation import RecordChange

BLOCK = "Memgit-Op: record\nMemgit-Record: create - memory/fact"
SCISSORS = "# ------------------------ >8 ------------------------"
EDITED, GIVEN = Style(), Style("#", comments=False)


@pytest.mark.parametrize(
    ("text", "style", "want"),
    [
        ("", EDITED, f"The subject\n\n{BLOCK}\n"),
        ("\n# help\n#\n", EDITED, f"The subject\n\n{BLOCK}\n\n# help\n#\n"),
        ("Mine\n", EDITED, f"Mine\n\n{BLOCK}\n"),
        ("Mine\n\n# help\n", EDITED, f"Mine\n\n{BLOCK}\n\n# help\n"),
        ("Mine\n\n# a list\n", GIVEN, f"Mine\n\n# a list\n\n{BLOCK}\n"),
        (f"Mine\n# help\n{SCISSORS}\ndiff\n", EDITED, f"Mine\n\n{BLOCK}\n\n# help\n{SCISSORS}\ndiff\n"),
        (
            f"Mine\n# mine too\n\n{SCISSORS}\ndiff\n",
            GIVEN,
            f"Mine\n# mine too\n\n{BLOCK}\n\n{SCISSORS}\ndiff\n",
        ),
        ("fix: mine\n", GIVEN, f"fix: mine\n\n{BLOCK}\n"),
        ("Mine\n\nSigned-off-by: A <a@b>\n", GIVEN, f"Mine\n\nSigned-off-by: A <a@b>\n{BLOCK}\n"),
        (
            "\n\nSigned-off-by: A <a@b>\n# help\n",
            EDITED,
            f"The subject\n\nSigned-off-by: A <a@b>\n{BLOCK}\n\n# help\n",
        ),
        ("Mine\n\nProse: and\nmore prose\n", GIVEN, f"Mine\n\nProse: and\nmore prose\n\n{BLOCK}\n"),
        ("Mine\r\n\r\nText\r\n", GIVEN, f"Mine\r\n\r\nText\n\n{BLOCK}\n"),
        ("; help\n", Style(";"), f"The subject\n\n{BLOCK}\n\n; help\n"),
    ],
)
def test_the_block_ends_the_message_and_stands_before_what_git_takes_off(
    text: str, style: Style, want: str
) -> None:
    new = with_block(text, "The subject", BLOCK, style)
    assert new == want
    read = messages.parse(cleaned(new, style))
    assert [(block.op, block.records) for block in read.blocks] == [
        ("record", (RecordChange("create", None, "memory/fact"),))
    ]


def test_the_block_of_a_built_message() -> None:
    whole = messages.build("The subject", "record", [RecordChange("create", None, "memory/fact")])
    assert block_of(whole) == BLOCK


@pytest.mark.parametrize(
    ("message", "want"),
    [
        (f"Mine\n\n{BLOCK}\n", []),
        ("Mine\n\nMemgit-Record: nonsense\n", []),
        ("Mine\n\nMemgit-Op: nonsense\n", ["Memgit-Op: nonsense: no operation of that name"]),
        (f"Mine\n\n{BLOCK}\nMemgit-Source:\n", ["Memgit-Source: nothing is said there"]),
        (f"{BLOCK}\n", ["the block has no subject above it"]),
        (
            "Mine\n\nMemgit-Op: edit\nMemgit-Record: x\n",
            ["Memgit-Record: x: not of the form <action> <id or -> <address>"],
        ),
    ],
)
def test_faults(message: str, want: list[str]) -> None:
    assert faults(message) == want

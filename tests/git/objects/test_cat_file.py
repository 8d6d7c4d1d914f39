"""The answers of `git cat-file --batch`, however they are cut."""

from __future__ import annotations

import pytest

from memgit.errors import Refused
from memgit.git.objects.cat_file import answers

CONTENTS = [b"", b"one\n", b"\n\n\n", b"two words\n", bytes(range(256)), b"a blob 12\nblob 3\nxyz\n"]


@pytest.mark.parametrize("size", [1, 2, 7, 50, 1 << 16])
def test_answers_however_they_are_cut(size: int) -> None:
    said = b"".join(
        b"%040d blob %d\n%b\n" % (number, len(content), content) for number, content in enumerate(CONTENTS)
    )
    said += b"%040d missing\n" % 7 + b"%040d tree 3\nabc\n" % 8
    found = list(answers(said[start : start + size] for start in range(0, len(said), size)))
    whole = [(f"{number:040}", b"blob", content) for number, content in enumerate(CONTENTS)]
    assert found == [*whole, (f"{7:040}", b"", None), (f"{8:040}", b"tree", b"abc")]
    assert list(answers([said[:-1]])) == found[:-1]


@pytest.mark.parametrize(
    "said", [b"x ambiguous\n", b"x blob y\n", b"x blob -1\n", b"x\n", b"\n", b"x blob 3 4\n"]
)
def test_an_answer_of_another_form(said: bytes) -> None:
    with pytest.raises(Refused, match="git cat-file said"):
        list(answers([said]))

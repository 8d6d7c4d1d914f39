"""Entries that one side moved to another file and the other side changed."""

from __future__ import annotations

import pytest

from memgit.formats.merging.entrymove import Gone, follow, gone, place_in, without

HEAD = "---\nname: Sea\n---\n"


def entry(title: str, body: str, id_: str | None = None) -> str:
    return f"## {title}\n**Date:** 2026-01-02\n**Best Practice:**\n{body}\n" + (
        f"**Id:** {id_}\n" if id_ else ""
    )


def file(*entries: str, head: str = HEAD) -> bytes:
    return (head + "\n".join(entries)).encode()


TIDES, TIDES_ID = entry("Tides", "- twice a day", "a1b2c3d4e5"), "a1b2c3d4e5"
CHANGED = entry("Tides", "- twice a day\n- and a bit later each day", TIDES_ID)
MOON = entry("Moon", "- pulls", "f6g7h8j9k0")


@pytest.mark.parametrize("ours", [True, False])
def test_what_is_gone_on_one_side_and_changed_on_the_other(ours: bool) -> None:
    base, left, changed = file(TIDES, MOON), file(MOON), file(CHANGED, MOON)
    sides = (left, changed) if ours else (changed, left)
    (found,) = gone(base, *sides)
    assert (found.title, found.id, found.ours) == ("Tides", TIDES_ID, ours)
    assert (found.base + "\n", found.changed + "\n") == (TIDES, CHANGED)
    assert gone(base, left, base) == gone(base, left, left) == gone(base, base, changed) == []
    assert [record.title for record in gone(base, None, changed)] == ["Tides"]  # the whole file is gone
    assert gone(file(TIDES, "```\nopen\n"), *sides) == []  # cannot be taken apart


@pytest.mark.parametrize("ours", [True, False])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_the_change_follows(ours: bool, newline: str, bom: bytes) -> None:
    def written(data: bytes) -> bytes:
        return bom + data.replace(b"\n", newline.encode())

    record = Gone("Tides", TIDES_ID, ours, TIDES.rstrip("\n"), CHANGED.rstrip("\n"))
    moved = TIDES.replace("## Tides", "## High water").replace("2026-01-02", "2026-01-03")
    merged = follow("knowledge", written(file(MOON, moved, head="")), record)
    wanted = CHANGED.replace("## Tides", "## High water").replace("2026-01-02", "2026-01-03")
    assert merged is not None and merged.conflicts == ()
    assert merged.data == written(file(MOON, wanted, head=""))
    again = follow("knowledge", merged.data, record)
    assert again is not None and (again.data, again.conflicts) == (merged.data, ())


def test_what_both_sides_changed_is_a_conflict() -> None:
    record = Gone("Tides", TIDES_ID, True, TIDES.rstrip("\n"), CHANGED.rstrip("\n"))
    merged = follow("knowledge", file(TIDES.replace("twice a day", "once a day")), record)
    assert merged is not None and merged.conflicts


def test_a_record_without_an_id_is_known_by_title_and_text() -> None:
    plain, changed = entry("Tides", "- twice a day"), entry("Tides", "- twice a day\n- later each day")
    record = Gone("Tides", None, True, plain.rstrip("\n"), changed.rstrip("\n"))
    assert place_in(file(MOON, plain), record) == 1
    assert place_in(file(MOON, entry("Tides", "- of the heart, which is another matter")), record) is None
    assert place_in(file(MOON, TIDES), record) is None  # that one has an id: it is another record
    merged = follow("knowledge", file(MOON, plain), record)
    assert merged is not None and merged.data == file(MOON, changed)
    assert follow("knowledge", file(MOON), record) is None


def test_the_old_file_without_what_left() -> None:
    record = Gone("Tides", TIDES_ID, True, TIDES.rstrip("\n"), CHANGED.rstrip("\n"))
    assert without(file(MOON, CHANGED), [record]) == file(MOON)
    assert without(file(CHANGED, MOON), [record]) == file("\n" + MOON)
    assert without(file(TIDES, head=""), [record]) is None
    assert without(None, [record]) is None
    broken = file(TIDES, "```\nopen\n")
    assert without(broken, [record]) == broken

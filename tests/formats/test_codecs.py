"""Every form against real files: what they hold, and that a change touches nothing else."""

from __future__ import annotations

import difflib
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.errors import MemgitError
from memgit.formats.codec import Form
from memgit.formats.codecs import NAMES, form_named, parse_file
from memgit.formats.text import MAX_BYTES
from memgit.model import layout as layouts
from memgit.model.layout import Layout
from memgit.model.record import ParsedFile, Record, Value
from tests import strategies
from tests.support import examples

LAYOUTS: dict[str, Layout] = {
    "til": layouts.notes(),
    "eips": layouts.notes(),
    "vault": layouts.vault(),
    "mnema": layouts.mnema(),
    "mem-skill-1.1": layouts.mem_skill(),
    "mem-skill-1.2": layouts.mem_skill(),
    "auto-skill": layouts.mem_skill(),
}


def files(root: Path) -> Iterator[tuple[str, bytes]]:
    """The Markdown files under a folder: path and bytes."""
    for path in sorted(root.rglob("*.md")):
        yield path.relative_to(root).as_posix(), path.read_bytes()


def records(root: Path, layout: Layout) -> list[Record]:
    return [record for path, data in files(root) for record in parse_file(layout, path, data).records]


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("til", {"note": 577}),
        ("eips", {"note": 130}),
        ("vault", {"memory": 12}),
        ("mnema", {"note": 117, "decision": 11, "memory": 6}),
        ("mem-skill-1.1", {"knowledge": 8, "experience": 5}),
        ("mem-skill-1.2", {"knowledge": 12, "experience": 8}),
        ("auto-skill", {"experience": 7}),
    ],
)
def test_what_the_corpora_hold(corpora: Path, name: str, counts: dict[str, int]) -> None:
    found = records(corpora / name, LAYOUTS[name])
    assert Counter(record.kind for record in found) == counts
    assert len({record.address for record in found}) == len(found)
    assert all((record.title and record.problem is None) or name == "auto-skill" for record in found)


def test_the_same_bytes_are_other_records_elsewhere() -> None:
    data, layout = b"## Wait\n**Date:** 2026-03-02\n\n- Drain.\n", layouts.mem_skill()
    for path, key in (
        ("knowledge-base/a.md", "a"),
        ("knowledge-base/b.md", "b"),
        ("knowledge-base/a.md", "a"),
    ):
        (record,) = parse_file(layout, path, data).records
        assert (record.path, record.address) == (path, f"knowledge/{key}#Wait")


def test_notes_take_their_titles_where_they_are(corpora: Path) -> None:
    til = records(corpora / "til", LAYOUTS["til"])
    assert len({record.title for record in til}) == 577
    assert not any(record.body.startswith("# ") for record in til)
    eips = records(corpora / "eips", LAYOUTS["eips"])
    statuses = Counter(record.text("status") for record in eips if record.path.startswith("EIPS/"))
    assert statuses == {
        "Final": 37,
        "Stagnant": 20,
        "Moved": 19,
        "Draft": 14,
        "Withdrawn": 12,
        "Review": 9,
        "Last Call": 5,
        "Living": 3,
    }
    assert all("title" in record.fields for record in eips if record.text("status") not in (None, "Moved"))


def test_a_vault_in_every_variant(corpora: Path) -> None:
    found = {
        record.path.rpartition("/")[2]: record for record in records(corpora / "vault", LAYOUTS["vault"])
    }
    archived = [record for record in found.values() if record.archived]
    assert sorted(record.archived or "" for record in archived) == ["2026-04-11", "2026-04-12"]
    assert sum(len(record.related) for record in found.values()) == 6
    labelled = next(record for name, record in found.items() if name.startswith("MEM-2026"))
    assert (labelled.title, labelled.created, labelled.fields["category"]) == (
        "Tide import retries only on timeouts",
        "2026-01-14",
        "PATTERN",
    )
    assert all("tags" in record.fields or record is labelled for record in found.values())
    assert not any("onnections" in record.body or "[[filename]]" in record.body for record in found.values())


def test_a_mirror_of_both_writers(corpora: Path) -> None:
    found = records(corpora / "mnema", LAYOUTS["mnema"])
    assert sum(len(record.title) > 100 for record in found) == 3
    decisions = [record for record in found if record.kind == "decision"]
    assert Counter(record.text("status") for record in decisions) == {"proposed": 6, "accepted": 5}
    assert sum(record.fields["rationale"] is None for record in decisions) == 2
    assert all(record.body.startswith("## Context\n\n") and record.created for record in decisions)
    tasks = [record for record in found if "/backlog/" in record.path]
    assert Counter(record.text("state") for record in tasks) == {"DONE": 82, "DRAFT": 11, "IN_REVIEW": 2}
    assert sum("labels" in record.fields for record in tasks) == 23
    assert all(record.id == record.path.rpartition("/")[2].removesuffix(".md") for record in tasks)
    assert all(record.body and record.fields for record in found)


BYTES: dict[str, tuple[str | None, str | int | None]] = {
    # file: title, or None and the line of its one problem
    "bom.md": ("A byte order mark first", "One line of text."),
    "crlf.md": ("Windows line ends", "Line one.\nLine two."),
    "mixed-eol.md": ("Mixed line ends", "One line of text.\nUnix line.\nWindows line.\nUnix line again."),
    "lone-cr.md": (
        "Carriage return inside a line",
        "One line of text.\nProgress: 10 %\rProgress: 20 %\nLast line.",
    ),
    "control-characters.md": ("Control characters", None),
    "unicode-line-breaks.md": ("Other line breaks", "One line of text.\none\u2028two\u2029three\x85four"),
    "decomposed-body.md": ("Cafe\u0301 A\u030angstro\u0308m", None),
    "no-final-newline.md": ("No newline at the end", "The last line has no end"),
    "one-line-300kb.md": ("One very long line", None),
    "nul.md": (None, 6),
    "latin-1.md": (None, 2),
    "truncated-utf8.md": (None, 6),
    "utf-16le.md": (None, 1),
    "utf-16be.md": (None, 1),
    "empty.md": (None, 1),
    "whitespace-only.md": (None, 1),
}
FRONT: dict[str, tuple[str | None, list[tuple[str, int, bool]]]] = {
    # file: title of its record (None: no record), problems as code, line and whether they forbid writing
    **{
        f"tags-{form}.md": (title, [])
        for form, title in (
            ("flow", "Tags as a list"),
            ("block", "Tags as a block"),
            ("comma", "Tags as a comma string"),
            ("hash", "Tags with hashes"),
            ("json", "Tags as JSON in a string"),
            ("null", "A list that holds nothing"),
        )
    },
    "typed-values.md": ("2026-03-06", []),
    "title-is-a-list.md": ("Heading for a title", [("MG004", 2, False), ("MG004", 3, False)]),
    "title-colon-quoted.md": ("Locks: before or after the quote?", []),
    "title-colon-bare.md": ("Locks: before or after the quote?", [("MG002", 2, True)]),
    "title-quotes.md": ('The harbour\'s "first" rule', []),
    "title-apostrophe.md": ("the skipper's guide", [("MG002", 2, True)]),
    "title-dollar.md": ("Fees: $1 a metre, $15,000 a year, %s, {{x}}, `code`", []),
    "title-backslash.md": ("Group \\1, \\g<0> and \\n stay as typed", []),
    "comment-before-fence.md": ("not frontmatter? It is not at byte 0, so this file has none", []),
    "lossless.md": ("Spring  tides", []),
    "dots-end.md": ("Closed by dots", []),
    "after-blank-line.md": ("after-blank-line", [("MG002", 2, False)]),
    "dashes-inside.md": ("Dashes inside", []),
    "double-block.md": ("Written by a tool", [("MG002", 4, True)]),
    "unclosed.md": ("Never closed", [("MG002", 1, True)]),
    "empty-block.md": ("Only a heading", []),
    "duplicate-keys.md": ("First", [("MG002", 4, True)]),
    "anchors-bomb.md": ("Anchors that multiply", [("MG002", 8, True)]),
    "anchors-merge.md": ("Anchors in earnest", []),
    "err-line-break.md": ("Two lists on one line", [("MG002", 3, True)]),
    "err-block-end.md": ('"Quoted" and more', [("MG002", 2, True)]),
    "err-at-sign.md": ("At sign", [("MG002", 3, True)]),
    "err-backtick.md": ("Backtick", [("MG002", 3, True)]),
    "err-template.md": (None, []),
    "err-mapping-values.md": ("Colon in a description", [("MG002", 3, True)]),
    "err-scalar.md": ("err-scalar", [("MG002", 2, True)]),
    "err-list.md": ("err-list", [("MG002", 2, True)]),
    "err-tab.md": ("Tab", [("MG002", 4, True)]),
    "err-open-quote.md": ('"Never closed', [("MG002", 2, True)]),
    "err-open-bracket.md": ("Open list", [("MG002", 3, True)]),
    "toml.md": ("TOML", [("MG002", 1, True)]),
    "json.md": ("json", [("MG002", 1, True)]),
}
MEMGIT = layouts.memgit()


def test_oddities_of_bytes(corpora: Path) -> None:
    for name, (title, rest) in BYTES.items():
        data = (corpora / "oddities/bytes" / name).read_bytes()
        parsed = parse_file(MEMGIT, f"memory/{name}", data)
        if title is None:
            assert parsed.records == (), name
            assert [(problem.code, problem.line) for problem in parsed.problems] == [("MG001", rest)], name
        else:
            assert ([record.title for record in parsed.records], parsed.problems) == ([title], ()), name
            assert rest is None or parsed.records[0].body == rest, name
            assert (
                form_named("memgit").edit(data, 0, {"title": title, "body": parsed.records[0].body}) == data
            ), name


def test_oddities_of_frontmatter(corpora: Path) -> None:
    for name, (title, problems) in FRONT.items():
        data = (corpora / "oddities/front" / name).read_bytes()
        parsed = parse_file(MEMGIT, f"memory/{name}", data)
        assert [record.title for record in parsed.records] == ([] if title is None else [title]), name
        assert [(problem.code, problem.line, problem.fatal) for problem in parsed.problems] == problems, name
        if any(fatal for _, _, fatal in problems) or title is None:
            with pytest.raises(MemgitError):
                form_named("memgit").edit(data, 0, {"title": "x"})
        if name.startswith("tags-"):
            assert parsed.records[0].items("tags") == (() if "null" in name else ("tide-table", "berth")), (
                name
            )


def test_oddities_of_a_mirror(corpora: Path) -> None:
    found = {record.path: record for record in records(corpora / "oddities/mirror", layouts.mnema(""))}
    assert len(found) == 5
    skill = found["skills/default/adr-writing.md"]
    assert (skill.address, skill.title, skill.version, skill.usage_count) == (
        "skill/adr-writing",
        "adr-writing",
        2,
        7,
    )
    assert (found["skills/flat-early.md"].address, found["skills/flat-early.md"].title) == (
        "skill/flat-early",
        "release",
    )
    scoped = found["memory/harbour-desk/yes.md"]
    assert (scoped.title, scoped.text("scope"), scoped.topics) == (
        "yes",
        "harbour/desk",
        ("berths", "naming"),
    )
    assert found["memory/two-lines.md"].title == "First line, and second line"
    seen = next(record for record in found.values() if record.kind == "observation")
    assert seen.body.count("tide office") == 1
    assert "content" not in seen.fields


def document_files(corpora: Path) -> Iterator[tuple[str, Form, str, str, bytes]]:
    """Every document of the corpora with a record that can be written to: corpus, form, kind, path, bytes."""
    for name in ("til", "eips", "vault", "mnema"):
        for path, data in files(corpora / name):
            found = LAYOUTS[name].find(path)
            if found is not None:
                yield name, form_named(found[0].form), found[0].kind, path, data
    for folder in ("bytes", "front"):
        for path, data in files(corpora / "oddities" / folder):
            parsed = parse_file(MEMGIT, f"memory/{path}", data)
            if parsed.records and parsed.records[0].problem is None and path != "after-blank-line.md":
                yield "oddities", form_named("memgit"), "memory", path, data


CHANGES: tuple[tuple[str, Value], ...] = (
    ("keywords", ("alpha", "b: c", "x, y")),
    ("title", "Hostile: 'a' \"b\" $1 \\1 `x` {{y}} #z"),
    ("archived", "2026-05-05"),
    ("updated", "2026-05-06"),
    ("tags", ("one",)),
    ("id", "kb7m2q9x4d"),
    ("own-key", "x"),
)
MOST_LINES = {
    "keywords": 4,
    "title": 4,
    "archived": 4,
    "updated": 4,
    "tags": 4,
    "id": 4,
    "own-key": 4,
    "related": 6,
}


def test_no_document_changes_where_nothing_does(corpora: Path) -> None:
    for _, form, kind, path, data in document_files(corpora):
        (record,) = form.parse(data, path, kind, "key", "note/key").records
        changes: dict[str, Value] = {
            name: value for name, value in record.fields.items() if name not in ("connections", "scope")
        }
        assert form.edit(data, 0, changes) == data, path
        assert (
            form.edit(data, 0, {"title": record.title, "body": record.body}) == data
            or "title" not in record.fields
        ), path


def test_a_change_of_any_document_touches_its_own_lines_alone(corpora: Path) -> None:
    for name, form, kind, path, data in document_files(corpora):
        (before,) = form.parse(data, path, kind, "key", "note/key").records
        for field, value in (*CHANGES, ("related", (*before.related, "other#Heading"))):
            after_data = form.edit(data, 0, {field: value})
            (after,) = form.parse(after_data, path, kind, "key", "note/key").records
            got = after.title if field == "title" else after.fields[field]
            assert got == value or (name == "mnema" and got == f"{value}T00:00:00.000Z"), (path, field)
            touched = {field, "title", "status", "tombstone_reason"}
            assert {key: found for key, found in after.fields.items() if key not in touched} == {
                key: found for key, found in before.fields.items() if key not in touched
            }, (path, field)
            assert after.body == before.body, (path, field)
            gone, come = line_changes(
                data.removeprefix(b"\xef\xbb\xbf"), after_data.removeprefix(b"\xef\xbb\xbf")
            )
            assert len(come) <= MOST_LINES[field], (path, field)
            assert len(gone) <= (0 if field not in before.fields and data.startswith(b"---") else 4), (
                path,
                field,
            )
            assert form.edit(after_data, 0, {field: value}) == after_data, (path, field)
            if (
                field not in before.fields
                and field != "title"
                and name != "vault"
                and data.startswith((b"---", b"\xef\xbb\xbf---"))
            ):
                assert form.edit(after_data, 0, {field: None}) == data, (path, field)


def line_changes(before: bytes, after: bytes) -> tuple[list[bytes], list[bytes]]:
    """The lines that went and those that came; what both begin and end with alike is not compared any closer."""
    old, new = before.split(b"\n"), after.split(b"\n")
    first = next(
        (at for at, (left, right) in enumerate(zip(old, new, strict=False)) if left != right),
        min(len(old), len(new)),
    )
    old, new = old[first:], new[first:]
    last = next(
        (at for at, (left, right) in enumerate(zip(old[::-1], new[::-1], strict=False)) if left != right),
        min(len(old), len(new)),
    )
    old, new = old[: len(old) - last], new[: len(new) - last]
    gone: list[bytes] = []
    come: list[bytes] = []
    for op, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if op != "equal":
            gone += old[i:j]
            come += new[k:m]
    return gone, come


def test_every_document_can_be_extended_and_replaced(corpora: Path) -> None:
    for _, form, kind, path, data in document_files(corpora):
        longer = form.extend(data, 0, "More text.", "2026-05-05")
        (after,) = form.parse(longer, path, kind, "key", "note/key").records
        assert after.body.endswith("## Extension (2026-05-05)\n\nMore text."), path
        other = form.replace(data, 0, "Quite new.", "2026-05-05")
        (after,) = form.parse(other, path, kind, "key", "note/key").records
        assert "Quite new." in after.body, path
        assert form.remove(data, 0) is None


# Anything at all.

PATHS = (
    "memory/x.md",
    "memory/a/b.md",
    "skills/x.md",
    "observations/2026/01/x.md",
    "decisions/x.md",
    "notes/x.md",
    "knowledge-base/x.md",
    "experience/skill-x.md",
    ".memory/10-Memories/MEM-x.md",
    ".mnema/memory/x.md",
    ".mnema/roadmap/K-ADR-1.md",
    ".mnema/observations/x.md",
    ".mnema/backlog/DONE/K-1.md",
    "else/x.md",
    "README.md",
    "x",
    "",
)
noise = st.one_of(
    st.binary(max_size=120),
    strategies.bodies().map(str.encode),
    strategies.tricky_blocks().map(lambda block: f"---\n{block}---\n# x\n\ntext [[y]]\n".encode()),
    strategies.tricky_blocks().map(lambda block: f"---\nmnema:\n{block}---\n# x\n".encode()),
    strategies.documents(),
    st.text(st.sampled_from("-#*`>:[]{}\n \r\t\"'|ab<!=\x0c\u2028"), max_size=120).map(str.encode),
)


@given(noise)
@settings(max_examples=examples(40))
def test_any_bytes_are_read_or_reported(data: bytes) -> None:
    for layout in (MEMGIT, layouts.vault(), layouts.mnema(), layouts.notes()):
        for path in PATHS:
            parsed = parse_file(layout, path, data)
            assert isinstance(parsed, ParsedFile)
            for problem in parsed.problems:
                assert 1 <= problem.line <= data.count(b"\n") + 1
            for record in parsed.records:
                assert record.path == path
                assert "\r\n" not in record.body


@given(noise, st.sampled_from(sorted(NAMES)))
@settings(max_examples=examples(80))
def test_writing_to_anything_is_done_or_refused(data: bytes, name: str) -> None:
    form = form_named(name)
    writes: tuple[Callable[[], bytes], ...] = (
        lambda: form.edit(data, 0, {"keywords": ("a",), "title": "New"}),
        lambda: form.edit(data, 0, {"body": "New text."}),
        lambda: form.extend(data, 0, "More.", "2026-01-01"),
        lambda: form.replace(data, 0, "New.", "2026-01-01"),
    )
    for write in writes:
        try:
            done = write()
        except MemgitError as error:
            assert error.message
            continue
        kind = "memory" if name != "entries" else "knowledge"
        assert form.parse(done, "x.md", kind, "x", "note/x").records


def test_outside_the_layout_there_is_nothing() -> None:
    assert parse_file(layouts.vault(), "memory/x.md", b"---\ntitle: x\n---\n") == ParsedFile(())
    assert parse_file(layouts.vault(), ".memory/10-Memories/README.md", b"# x\n") == ParsedFile(())


def test_a_note_s_address_leaves_the_base_out() -> None:
    parsed = parse_file(layouts.mnema(), ".mnema/backlog/DONE/K-1.md", b"---\nmnema:\n  key: K-1\n---\n# x\n")
    assert parsed.records[0].address == "note/backlog/DONE/K-1"
    assert parse_file(layouts.notes(), "a/b.md", b"# x\n").records[0].address == "note/a/b"


def test_hostile_input_takes_no_longer_than_its_length() -> None:
    """Much of what makes a careless reader look back again and again; each takes many seconds then, and a
    small part of one here.
    """
    size = 1 << 18
    for piece in (
        "x",
        "# ",
        "[[",
        "---\n",
        "...\n",
        "\n",
        " \n",
        "- ",
        "**a**: b\n",
        "`",
        "<!--",
        "## Connections\n",
        "\r",
        "a: b\n",
        "\t\n",
    ):
        body = piece * (size // len(piece))
        for data in (body, f"---\ntitle: x\n---\n{body}", f"# T\n\n{body}"):
            start = time.process_time()
            for layout, path in (
                (MEMGIT, "memory/x.md"),
                (layouts.vault(), ".memory/10-Memories/x.md"),
                (layouts.mnema(), ".mnema/roadmap/x.md"),
            ):
                parse_file(layout, path, data.encode())
            assert time.process_time() - start < 8, piece
    assert parse_file(MEMGIT, "memory/x.md", b"x" * (MAX_BYTES + 1)).problems[0].code == "MG001"


def test_file_names_of_every_kind(corpora: Path) -> None:
    import json

    for name, content in json.loads((corpora / "oddities/names.json").read_text()).items():
        data = content.encode()
        (record,) = parse_file(MEMGIT, f"memory/{name}", data).records
        assert record.address == f"memory/{name.removesuffix('.md')}"
        assert form_named("memgit").edit(data, 0, {"title": record.title}) == data
        (untitled,) = parse_file(MEMGIT, f"memory/{name}", b"text\n").records
        assert untitled.title == name.removesuffix(".md")

"""Plain documents: what is read from them, and changes that touch nothing else."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.errors import BadInput, MemgitError, Refused, UnreadableFile
from memgit.formats import yaml
from memgit.formats.codec import Draft
from memgit.formats.dialects import MEMGIT, MNEMA
from memgit.formats.document import Document
from memgit.formats.frontmatter import split
from memgit.formats.page import own_text
from memgit.formats.text import decode, split_lines
from memgit.model.record import ParsedFile, Record, Value
from tests import strategies
from tests.support import examples

FORM = Document(MEMGIT)
MIRROR = Document(MNEMA)
HEAD = "---\ntitle: A title\ncreated: 2026-03-02\n---\n"


def parse(text: str | bytes, kind: str = "memory", key: str = "a-slug", form: Document = FORM) -> ParsedFile:
    data = text if isinstance(text, bytes) else text.encode()
    return form.parse(data, f"folder/{key}.md", kind, key, f"note/folder/{key}")


def one(text: str | bytes, kind: str = "memory", key: str = "a-slug", form: Document = FORM) -> Record:
    parsed = parse(text, kind, key, form)
    assert len(parsed.records) == 1
    return parsed.records[0]


def edit(text: str, changes: Mapping[str, Value], form: Document = FORM) -> str:
    return form.edit(text.encode(), 0, changes).decode()


def changed(before: bytes | str, after: bytes | str) -> tuple[list[bytes], list[bytes]]:
    """The lines that went and the lines that came."""
    old = (before if isinstance(before, bytes) else before.encode()).split(b"\n")
    new = (after if isinstance(after, bytes) else after.encode()).split(b"\n")
    gone: list[bytes] = []
    come: list[bytes] = []
    for op, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if op != "equal":
            gone += old[i:j]
            come += new[k:m]
    return gone, come


# Reading.


def test_fields_have_their_canonical_names() -> None:
    record = one(
        "---\nid: kb7m2q9x4d\ntitle: A title\ncreated: 2026-03-02\nmodified: 2026-03-03\ntopic: "
        "a/b\nretrieval_count: 4\n"
        "own_key: [x, y]\nempty:\n---\n\nText.\n"
    )
    assert record.fields == {
        "id": "kb7m2q9x4d",
        "title": "A title",
        "created": "2026-03-02",
        "updated": "2026-03-03",
        "topics": ("a/b",),
        "usage_count": "4",
        "own_key": ("x", "y"),
        "empty": None,
    }
    assert (record.address, record.path, record.line, record.end_line, record.ordinal) == (
        "memory/a-slug",
        "folder/a-slug.md",
        1,
        12,
        0,
    )
    assert (record.title, record.body, record.usage_count) == ("A title", "Text.", 4)


def test_of_two_keys_for_one_field_the_canonical_one_counts() -> None:
    for block in ("modified: 2\nupdated: 3\n", "updated: 3\nmodified: 2\n"):
        record = one(f"---\n{block}---\n")
        assert record.updated == "3"
        assert record.fields["modified"] == "2"
        assert edit(f"---\n{block}---\n", {"updated": "4"}) == f"---\n{block}---\n".replace("3", "4")


@pytest.mark.parametrize(
    ("source", "tags"),
    [
        ("[tide, berth]", ("tide", "berth")),
        ("\n  - tide\n  - berth", ("tide", "berth")),
        ("tide, berth", ("tide", "berth")),
        ('"#tide #berth"', ("tide", "berth")),
        ('\'["tide", "berth"]\'', ("tide", "berth")),
        ("'\"tide\", ''berth'''", ("tide", "berth")),
        ("'#tide, #berth'", ("tide", "berth")),
        ('["#tide", berth]', ("tide", "berth")),
        ("'[tide, berth]'", ("tide", "berth")),
        ("tide", ("tide",)),
        ("", ()),
        ("~", ()),
        ("[]", ()),
        ("''", ()),
        ("\n  - ", ()),
        ("two words, one", ("two words", "one")),
        ("'#tide berth'", ("tide", "berth")),
        ("'[1, 2]'", ("1", "2")),
    ],
)
def test_every_spelling_of_a_list_is_read(source: str, tags: tuple[str, ...]) -> None:
    assert one(f"---\ntitle: t\ntags: {source}\n---\n").fields["tags"] == tags


@pytest.mark.parametrize(
    ("source", "related"),
    [
        ("['[[a#b]]', c]", ("a#b", "c")),
        ("'[[a, b#c, d]], [[e|f]]'", ("a, b#c, d", "e|f")),
        ("[[a]]", ("a",)),
        ("a, b", ("a", "b")),
        ("knowledge/x#One, then two", ("knowledge/x#One, then two",)),
        ("'[[a]'", ("[[a]",)),
        ("'[[a]]'", ("a",)),
    ],
)
def test_links_are_read_without_brackets(source: str, related: tuple[str, ...]) -> None:
    assert one(f"---\ntitle: t\nrelated: {source}\n---\n").related == related


@pytest.mark.parametrize(
    ("text", "title", "body"),
    [
        ("---\ntitle: From the block\n---\n# Another\n\ntext\n", "From the block", "# Another\n\ntext"),
        ("---\ntitle: Same\n---\n\n# Same\n\ntext\n", "Same", "text"),
        ("---\nx: y\n---\n# From the heading #\n\ntext\n", "From the heading", "text"),
        ("# Only one\n\ntext\n", "Only one", "text"),
        ("intro\n\n# First\n\n# Second\n", "First", "intro\n\n# First\n\n# Second"),
        ("Under\n=====\n\ntext\n", "Under", "text"),
        (
            "```\n# no heading\n```\n<!--\n# hidden\n-->\n# Real\n",
            "Real",
            "```\n# no heading\n```\n<!--\n# hidden\n-->\n# Real",
        ),
        ("## Two\n\ntext\n", "a-slug", "## Two\n\ntext"),
        ("text\n", "a-slug", "text"),
        ("---\ntitle:\n---\ntext\n", "a-slug", "text"),
        ("---\ntitle: null\n---\n# H\n", "H", ""),
        ("---\ntitle: 2026-03-06\n---\n", "2026-03-06", ""),
        ("---\ntitle: yes\n---\n", "yes", ""),
        ("---\ntitle: [a, b]\n---\n# H\nt", "H", "t"),
        ("#\n\n# Real\n", "Real", "#\n\n# Real"),
        ("\ufeff# With a mark\n", "With a mark", ""),
        ("# A\r\n\r\ntext\r\nmore\r\n", "A", "text\nmore"),
        ("---\ntitle: t\n---\n\n \n  indented\n\n\t\n", "t", "  indented"),
    ],
)
def test_titles_and_bodies(text: str, title: str, body: str) -> None:
    record = one(text, "note")
    assert (record.title, record.body, record.address) == (title, body, "note/folder/a-slug")
    assert ("title" in record.fields) == (title != "a-slug")


def test_a_skill_is_named_by_its_name() -> None:
    record = one("---\nname: release\ntitle: other\nversion: 2.0.0\n---\n# Release\n", "skill")
    assert (record.title, record.version, record.body) == ("release", 2, "# Release")
    assert one("---\nname: release\n---\n# Release\n", "note").title == "Release"


def test_a_memory_in_a_folder_has_its_scope() -> None:
    assert one(HEAD, key="harbour/desk/slug").text("scope") == "harbour/desk"
    assert one("---\nscope: harbour/desk\n---\n", key="harbour-desk/slug").text("scope") == "harbour/desk"
    assert one(HEAD).text("scope") is None
    assert one(HEAD, "note", "a/b").text("scope") is None


def test_a_list_where_text_belongs_is_reported_and_listed() -> None:
    parsed = parse("---\ntitle: [a, b]\nstatus: [draft]\nsource:\n  k: v\ntags:\n  a: b\n---\n# Heading\n")
    assert [(problem.code, problem.line, problem.fatal) for problem in parsed.problems] == [
        ("MG004", line, False) for line in (2, 3, 4, 6)
    ]
    assert parsed.records[0].title == "Heading"
    assert parsed.records[0].fields["status"] == ("draft",)


@pytest.mark.parametrize(
    ("text", "line", "title"),
    [
        ("---\ntitle: A: b\n---\ntext\n", 2, "A: b"),
        ("---\ntitle: 'the skipper's log'\n---\ntext\n", 2, "the skipper's log"),
        ("---\ncreated: @x\n---\n# Heading\n", 2, "Heading"),
        ("---\n- a\n---\ntext\n", 2, "a-slug"),
        ("---\ntitle: x\n\ntext\n", 1, "x"),
        ("---\ntitle: One\n---\n---\ntitle: Two\n---\n", 4, "One"),
        ("---\ntitle: One\ntitle: Two\n---\n", 3, "One"),
        ("+++\ntitle = \"T\"\n+++\n", 1, "T"),
        ('{\n "title": "J"\n}\n# H\n', 1, "H"),
    ],
)  # fmt: skip
def test_a_broken_block_is_listed_and_never_written_to(text: str, line: int, title: str) -> None:
    parsed = parse(text)
    (problem,) = parsed.problems
    assert (problem.code, problem.line, problem.fatal) == ("MG002", line, True)
    (record,) = parsed.records
    assert (record.title, record.problem) == (title, problem)
    with pytest.raises(UnreadableFile) as caught:
        FORM.edit(text.encode(), 0, {"title": "x"})
    assert (caught.value.line, caught.value.message) == (line, problem.message)
    with pytest.raises(UnreadableFile):
        FORM.extend(text.encode(), 0, "x", "2026-01-01")


@pytest.mark.parametrize("data", [b"", b" \n\t\n", b"a\0b", b"\xff"])
def test_what_holds_no_record(data: bytes) -> None:
    parsed = parse(data)
    assert parsed.records == ()
    assert [problem.code for problem in parsed.problems] == ["MG001"]
    with pytest.raises(UnreadableFile):
        FORM.edit(data, 0, {"title": "x"})


def test_a_template_is_no_record_and_no_error() -> None:
    text = '---\ntitle: "{{title}}"\ncreated: {{date}}\n---\n# {{title}}\n'
    assert parse(text) == ParsedFile(())
    with pytest.raises(Refused):
        edit(text, {"title": "x"})
    assert one('---\ntitle: "Fees {{x}}"\n---\n').title == "Fees {{x}}"


def test_a_block_below_the_first_line_is_named() -> None:
    parsed = parse("\n---\ntitle: Too late\n---\ntext\n")
    assert [(problem.code, problem.line, problem.fatal) for problem in parsed.problems] == [
        ("MG002", 2, False)
    ]
    assert parsed.records[0].title == "a-slug"
    with pytest.raises(Refused, match="hide"):
        edit("\n---\ntitle: Too late\n---\ntext\n", {"keywords": ("a",)})


def test_conflict_markers_are_named_and_stop_writing() -> None:
    text = HEAD + "a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n"
    parsed = parse(text)
    assert [(problem.code, problem.line, problem.fatal) for problem in parsed.problems] == [
        ("MG104", line, True) for line in (6, 8, 10)
    ]
    with pytest.raises(UnreadableFile) as caught:
        edit(text, {"title": "x"})
    assert caught.value.code == "MG104"
    fenced = HEAD + "```\n<<<<<<< ours\n=======\n>>>>>>> theirs\n```\n"
    assert parse(fenced).problems == ()
    assert "title: x" in edit(fenced, {"title": "x"})
    broken = "---\n<<<<<<< ours\ntitle: a\n=======\ntitle: b\n>>>>>>> theirs\n---\n"
    assert {problem.code for problem in parse(broken).problems} == {"MG104"}
    assert parse(broken).records[0].title == "a"


@given(
    st.binary(max_size=200)
    | strategies.tricky_blocks().map(lambda block: f"---\n{block}---\ntext\n".encode())
)
@settings(max_examples=examples(150))
def test_reading_never_fails(data: bytes) -> None:
    for form in (FORM, MIRROR):
        parsed = parse(data, form=form)
        assert len(parsed.records) <= 1
        for problem in parsed.problems:
            assert 1 <= problem.line <= data.count(b"\n") + 1
            assert problem.message


# Changes.

TITLES = strategies.texts.map(lambda text: " ".join(text.split())).filter(
    lambda text: text.strip() != "" and "\0" not in text
)
ITEMS = strategies.texts.filter(
    lambda text: text.strip() == text != "" and not {"\n", "\0", "\r"} & set(text)
)
CHANGES = st.one_of(
    st.tuples(st.just("title"), TITLES),
    st.tuples(st.just("keywords"), st.lists(ITEMS, min_size=1, max_size=4).map(tuple)),
    st.tuples(
        st.just("tags"),
        st.lists(ITEMS.filter(lambda text: text[0] != "#"), min_size=1, max_size=3).map(tuple),
    ),
    st.tuples(
        st.just("related"),
        st.lists(st.text("abc#/- ", min_size=1).filter(lambda text: text.strip() == text), min_size=1).map(
            tuple
        ),
    ),
    st.tuples(st.just("archived"), strategies.days),
    st.tuples(st.just("updated"), strategies.days),
    st.tuples(st.just("source"), TITLES),
    st.tuples(st.just("own key"), TITLES),
)


def lines_around(data: bytes, key: str) -> tuple[list[str], list[str], list[str]]:
    """The lines of a file before those of a key of its block, the comments among these, and the lines after
    them.
    """
    text = decode(data)
    parts = split(text)
    lines = split_lines(text)
    entry = yaml.read(parts.block or "").get(key)
    if entry is None:
        return lines, [], []
    comments = [line for line in lines[entry.start + 1 : entry.end + 1] if line.lstrip().startswith("#")]
    return lines[: entry.start + 1], comments, lines[entry.end + 1 :]


@given(strategies.documents(), CHANGES)
@settings(max_examples=examples(200))
def test_a_change_touches_its_own_lines_alone(data: bytes, change: tuple[str, Value]) -> None:
    name, value = change
    before = one(data)
    after_data = FORM.edit(data, 0, {name: value})
    after = one(after_data)
    if name == "title":
        assert after.title == value
    else:
        assert after.fields[name] == value
        assert (after.title, after.body) == (before.title, before.body)
    assert {field: found for field, found in after.fields.items() if field != name} == {
        field: found for field, found in before.fields.items() if field != name
    }
    assert after_data.startswith(b"\xef\xbb\xbf") == data.startswith(b"\xef\xbb\xbf")
    key = name
    same_heading = name == "title" and f"# {before.title}" in decode(data)
    if not same_heading:
        before_it, comments, after_it = lines_around(data, key)
        now_before, _, now_after = lines_around(after_data, key)
        # A comment between items comes to stand after the list where the items behind it went.
        left = len(now_before) + len(now_after) - len(before_it) - len(after_it) if comments else 0
        assert now_before + now_after[max(left, 0) :] == before_it + after_it
        assert set(now_after[: max(left, 0)]) <= set(comments)
    assert FORM.edit(after_data, 0, {name: value}) == after_data
    if name not in before.fields:
        assert FORM.edit(after_data, 0, {name: None}) == data


@given(strategies.documents())
@settings(max_examples=examples(120))
def test_saying_the_same_again_changes_no_byte(data: bytes) -> None:
    record = one(data)
    changes: dict[str, Value] = {**record.fields, "title": record.title, "body": record.body}
    assert FORM.edit(data, 0, changes) == data
    assert FORM.edit(data, 0, {}) == data
    for name, value in changes.items():
        assert FORM.edit(data, 0, {name: value}) == data


@given(strategies.documents(), strategies.bodies() | strategies.plain_bodies)
@settings(max_examples=examples(120))
def test_a_new_body_leaves_the_block_alone(data: bytes, body: str) -> None:
    before = one(data)
    try:
        after_data = FORM.edit(data, 0, {"body": body})
    except (BadInput, UnreadableFile):
        return
    after = one(after_data)
    assert after.fields == before.fields
    text, old = decode(after_data), decode(data)
    assert text[: split(text).body].rstrip("\r\n") == old[: split(old).body].rstrip("\r\n")
    assert after.body == own_text(body, before.title)
    if not any(problem.code == "MG104" for problem in parse(after_data).problems):
        assert FORM.edit(after_data, 0, {"body": after.body}) == after_data


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        (HEAD + "text\n", {"title": "B: c"}, HEAD.replace("A title", '"B: c"') + "text\n"),
        (HEAD + "# A title\n\ntext\n", {"title": "B"}, HEAD.replace("A title", "B") + "# B\n\ntext\n"),
        (HEAD + "# Other\n", {"title": "B"}, HEAD.replace("A title", "B") + "# Other\n"),
        ("# A #\r\n\r\ntext\r\n", {"title": "C#"}, "# C#\r\n\r\ntext\r\n"),
        ("# A\n", {"title": "in F #"}, "# in F # #\n"),
        ("A\n=\n\ntext", {"title": "B"}, "# B\n\ntext"),
        ("intro\n\n# A\n\n# Z\n", {"title": "B"}, "intro\n\n# B\n\n# Z\n"),
        ("text\n", {"title": "B"}, "# B\n\ntext\n"),
        ("---\nx: y\n---\ntext\n", {"title": "B"}, "---\ntitle: B\nx: y\n---\ntext\n"),
        ("---\nx: y\n---\n# A\ntext\n", {"title": "B"}, "---\nx: y\n---\n# B\ntext\n"),
        ("---\ntitle: [a]\n---\ntext\n", {"title": "B"}, "---\ntitle: B\n---\ntext\n"),
        ("---\nname: a\nversion: 1\n---\n# A\n", {"title": "B"}, "---\nname: B\nversion: 1\n---\n# A\n"),
    ],
)  # fmt: skip
def test_titles_are_changed_where_they_stand(before: str, changes: dict[str, Value], after: str) -> None:
    assert edit(before, changes) == after
    kind = "skill" if "version" in before else "note"
    assert one(after, kind).title == changes["title"]


@pytest.mark.parametrize(
    ("before", "body", "after"),
    [
        (HEAD + "\n# A title\n\nold\n\n", "new\n\nmore", HEAD + "\n# A title\n\nnew\n\nmore\n\n"),
        (HEAD + "old", "new", HEAD + "new"),
        (HEAD, "new", HEAD + "\nnew\n"),
        (HEAD.rstrip("\n"), "new", HEAD + "\nnew\n"),
        (HEAD + "# A title", "new", HEAD + "# A title\n\nnew\n"),
        (HEAD + "\nold\n", "", HEAD),
        (HEAD + "# A title\n\nold\n", "", HEAD + "# A title\n"),
        (HEAD + "old\n", "# A title\n\nnew", HEAD + "new\n"),
        (HEAD + "a\r\nb\nc\r\n", "a\nB\nc\nd", HEAD + "a\r\nB\nc\nd\r\n"),
        ("old\n", "new", "new\n"),
    ],
)
def test_bodies_are_changed_in_place(before: str, body: str, after: str) -> None:
    assert edit(before, {"body": body}) == after


@pytest.mark.parametrize("body", ["---\ntitle: x\n---\ntext", "---\na: b\nc:\n  - d\n---\n"])
def test_a_body_that_would_be_a_second_block_is_refused(body: str) -> None:
    for text in (HEAD + "old\n", "old\n"):
        with pytest.raises(BadInput, match="frontmatter"):
            edit(text, {"body": body})
    with pytest.raises(BadInput, match="frontmatter"):
        FORM.create(Draft("memory", "t", {}, body), None)
    assert "\n---\n\ntext" in edit(HEAD + "old\n", {"body": "---\n\ntext"})


def test_fields_get_a_block_where_there_is_none() -> None:
    assert edit("# A\n\ntext\n", {"keywords": ("a", "b")}) == "---\nkeywords: [a, b]\n---\n\n# A\n\ntext\n"
    assert edit("\r\ntext\r\n", {"id": "kb7m2q9x4d"}) == "---\r\nid: kb7m2q9x4d\r\n---\r\n\r\ntext\r\n"
    assert edit("---\n---\n# A\n", {"archived": "2026-01-01"}) == "---\narchived: 2026-01-01\n---\n# A\n"
    mark = "\ufeff# A\n"
    assert FORM.edit(mark.encode(), 0, {"id": "x"}).decode() == "\ufeff---\nid: x\n---\n\n# A\n"


def test_keys_of_the_file_are_kept() -> None:
    before = (
        "---\ntitle: t\nmodified: 2026-01-01\ntopic: a/b\ncreated_at: "
        "2026-01-01T10:00:00.000Z\nupdated_at: x\n---\n"
    )
    after = edit(before, {"updated": "2026-02-02", "topics": ("c/d",), "created": "2026-02-02"})
    assert after == before.replace("modified: 2026-01-01", "modified: 2026-02-02").replace(
        "a/b", "c/d"
    ).replace("2026-01-01T10:00:00.000Z", "2026-02-02T00:00:00.000Z")
    assert edit(before, {"created": "2026-01-01"}) == before
    assert "topic: [a, b]\n" in edit(before, {"topics": ("a", "b")})


def test_lists_keep_their_form_and_texts_become_one() -> None:
    assert "tags: [a, b]\n" in edit("---\ntags: a\n---\n", {"tags": ("a", "b")})
    assert "tags: [a]\n" in edit("---\ntags: a, b\n---\n", {"tags": ("a",)})
    assert "tags: b\n" in edit("---\ntags: a\n---\n", {"tags": ("b",)})
    assert "tags:\n  - a\n  - c\n" in edit("---\ntags:\n  - a\n  - b\n---\n", {"tags": ("a", "c")})
    assert 'related:\n  - "[[a]]"\n  - "[[b#C d]]"\n' in edit(HEAD, {"related": ("a", "b#C d")})
    assert "related: [a, b]\n" in edit("---\nrelated: [a]\n---\n", {"related": ("a", "b")})
    assert 'related: ["[[a]]", "[[b]]"]\n' in edit('---\nrelated: ["[[a]]"]\n---\n', {"related": ("a", "b")})
    assert "supersedes:\n  - old-one\n" in edit(HEAD, {"supersedes": ("old-one",)})


def test_a_field_that_is_emptied_goes() -> None:
    text = "---\ntitle: t\nkeywords: [a]\nsource: x\nown: y\n---\n"
    for empty in (None, (), ""):
        assert (
            edit(text, {"keywords": empty, "source": empty, "own": empty, "missing": empty})
            == "---\ntitle: t\n---\n"
        )
    with pytest.raises(BadInput):
        edit(text, {"title": None})


def test_an_extension_is_a_dated_section_at_the_end() -> None:
    section = "## Extension (2026-05-05)\n\nMore.\n"
    assert (
        FORM.extend((HEAD + "text\n").encode(), 0, "More.\n\n", "2026-05-05").decode()
        == f"{HEAD}text\n\n{section}"
    )
    assert FORM.extend(
        (HEAD + "text").encode(), 0, "More.", "2026-05-05"
    ).decode() == f"{HEAD}text\n\n{section}".rstrip("\n")
    assert FORM.extend(HEAD.encode(), 0, "More.", "2026-05-05").decode() == f"{HEAD}\n{section}"
    crlf = FORM.extend(b"# A\r\n\r\ntext\r\n", 0, "More.\nLines.", "2026-05-05")
    assert crlf == b"# A\r\n\r\ntext\r\n\r\n## Extension (2026-05-05)\r\n\r\nMore.\r\nLines.\r\n"
    with pytest.raises(BadInput):
        FORM.extend(HEAD.encode(), 0, " \n", "2026-05-05")
    with pytest.raises(Refused) as caught:
        FORM.extend((HEAD + "text\n\n```\ncode\n").encode(), 0, "More.", "2026-05-05")
    assert caught.value.line == 7


def test_there_is_one_record_a_file() -> None:
    with pytest.raises(Refused):
        FORM.edit(HEAD.encode(), 1, {})
    with pytest.raises(Refused):
        FORM.remove(HEAD.encode(), 1)
    assert FORM.remove(HEAD.encode(), 0) is None
    with pytest.raises(BadInput):
        FORM.create(Draft("memory", "t", {}, ""), b"")


# New files.


def test_a_new_document() -> None:
    fields: dict[str, Value] = {
        "keywords": ("a", "b: c"),
        "created": "2026-03-02",
        "id": "kb7m2q9x4d",
        "source": "conversation",
        "related": ("x#Y z",),
        "own": "z",
        "archived": None,
        "tags": (),
        "title": "ignored",
    }
    data = FORM.create(
        Draft("memory", "Yes: a title", fields, "\n# Yes: a title\n\nText\r\nof two lines.\n\n"), None
    )
    assert data.decode() == (
        '---\nid: kb7m2q9x4d\ntitle: "Yes: a title"\ncreated: 2026-03-02\nsource: '
        'conversation\nkeywords: [a, "b: c"]\n'
        'related:\n  - "[[x#Y z]]"\nown: z\n---\n\nText\nof two lines.\n'
    )
    skill = FORM.create(Draft("skill", "release", {"version": "1", "description": "cut a release"}, ""), None)
    assert skill.decode() == "---\nname: release\nversion: 1\ndescription: cut a release\n---\n"


@given(
    TITLES,
    st.dictionaries(st.sampled_from(["source", "summary", "own"]), TITLES),
    st.lists(ITEMS, max_size=3),
    strategies.bodies(),
)
@settings(max_examples=examples(120))
def test_what_is_recorded_reads_back(
    title: str, texts: dict[str, str], keywords: list[str], body: str
) -> None:
    draft = Draft("memory", title, {**texts, "keywords": tuple(keywords), "created": "2026-03-02"}, body)
    for form in (FORM, MIRROR):
        try:
            record = one(form.create(draft, None), form=form)
        except BadInput:
            continue
        assert record.title == title
        assert record.items("keywords") == tuple(keywords)
        assert {name: record.text(name) for name in texts} == texts


def test_a_mirror_s_memory_and_skill() -> None:
    memory = MIRROR.create(
        Draft(
            "memory",
            "Auth: by hand",
            {"topics": ("a", "b c"), "created": "2026-01-05", "id": "kb7m2q9x4d"},
            "Text.\n",
        ),
        None,
    )
    assert memory.decode() == (
        '---\ntitle: "Auth: by hand"\ntopics: ["a","b c"]\ncreated_at: 2026-01-05T00:00:00.000Z\n'
        "updated_at: 2026-01-05T00:00:00.000Z\nid: kb7m2q9x4d\n---\nText.\n"
    )
    skill = MIRROR.create(
        Draft(
            "skill", "release", {"version": "1", "created": "2026-01-05T09:00:00.000Z"}, "## Steps\n\n1. Tag."
        ),
        None,
    )
    assert skill.decode() == (
        '---\nname: release\nversion: 1.0.0\ndescription: ""\ntools_used: []\nusage_count: '
        "0\ncreated_at: 2026-01-05T09:00:00.000Z\n"
        "updated_at: 2026-01-05T09:00:00.000Z\n---\n# release\n\n## Steps\n\n1. Tag.\n"
    )
    assert one(skill, "skill", form=MIRROR).body == "## Steps\n\n1. Tag."
    text = memory.decode()
    assert edit(text, {"topics": ("a", "x,y")}, MIRROR) == text.replace('["a","b c"]', '["a","x,y"]')
    assert edit(text, {"topics": ()}, MIRROR) == text.replace('["a","b c"]', "[]")
    assert edit(text, {"updated": "2026-01-05"}, MIRROR) == text
    assert edit(text, {"updated": "2026-01-06"}, MIRROR) == text.replace(
        "updated_at: 2026-01-05", "updated_at: 2026-01-06"
    )
    assert edit(skill.decode(), {"version": "2"}, MIRROR) == skill.decode().replace("1.0.0", "2.0.0")
    assert edit(skill.decode(), {"version": "1"}, MIRROR) == skill.decode()
    assert (
        edit("---\ntitle: t\ntopics: []\n---\n", {"body": "new"}, MIRROR)
        == "---\ntitle: t\ntopics: []\n---\nnew\n"
    )


@pytest.mark.parametrize("name", ["memory.md", "x"])
def test_errors_are_ours(name: str) -> None:
    for data in (b"---\n", b"---\nkey: [\n---\n", b"\xff", b"---\n%YAML 1.2\n---\n"):
        try:
            FORM.edit(data, 0, {"title": name})
        except MemgitError as error:
            assert error.message

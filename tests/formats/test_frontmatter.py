"""Where a block begins and ends, and changes to one key of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.errors import Refused
from memgit.formats import yaml
from memgit.formats.frontmatter import is_template, split, typed_value
from memgit.formats.frontmatter_block import Block, Style
from memgit.model.record import Value
from tests import strategies
from tests.support import examples

# Splitting.


@pytest.mark.parametrize(
    ("text", "block", "rest"),
    [
        ("---\na: b\n---\ntext\n", "a: b\n", "text\n"),
        ("---\n---\ntext", "", "text"),
        ("---  \r\na: b\r\n--- \r\ntext", "a: b\r\n", "text"),
        ("---\na: b\n...\n---\nc\n", "a: b\n", "---\nc\n"),
        ("---\na: |\n  ---\n  ...\n---\nt", "a: |\n  ---\n  ...\n", "t"),
        ("---\na: b\n---", "a: b\n", ""),
        ("---\na: b\n---x\n--- y\n....\n---\nt", "a: b\n---x\n--- y\n....\n", "t"),
        ("---\na: b\n---\n---\n\nnot: a block\n", "a: b\n", "---\n\nnot: a block\n"),
        (
            "---\na: b\n---\n\n---\nKey: but text\nwith prose under it\n---\n",
            "a: b\n",
            "\n---\nKey: but text\nwith prose under it\n---\n",
        ),
    ],
)
def test_a_block_ends_at_the_next_fence(text: str, block: str, rest: str) -> None:
    parts = split(text)
    assert (parts.block, text[parts.body :], parts.fault, parts.late) == (block, rest, None, 0)
    assert text[parts.start : parts.start + len(block)] == block


@pytest.mark.parametrize(
    "text",
    [
        "",
        "text\n",
        "----\na: b\n----\n",
        "--- a\nb: c\n---\n",
        " ---\na: b\n---\n",
        "# x\n---\na: b\n---\n",
        "---\n\nonly a rule\n",
        "---\nprose after a rule, no key\n",
        "+++ no fence\n",
        "{not json\n",
        "{}\n",
        "---",
        "\x0c---\na: b\n---\n",
    ],
)
def test_no_block_and_nothing_wrong(text: str) -> None:
    assert split(text) == (None, 0, 0, None, 0)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("---\ntitle: x\n\ntext\n", 1, "never closed"),
        ("---\n# note\ntitle: x\n", 1, "never closed"),
        ("---\na: b\n---\n---\ntitle: c\n---\ntext\n", 4, "double block"),
        ("---\na: b\n---\n\n---\ntitle: c\ntags:\n  - d\n\n# x\n---\n", 5, "double block"),
        ('+++\ntitle = "x"\n+++\ntext\n', 1, "TOML"),
        ('{\n  "title": "x"\n}\n\ntext\n', 1, "JSON"),
        ('{"title": "x"}\ntext\n', 1, "JSON"),
    ],
)
def test_a_block_that_cannot_be_taken(text: str, line: int, words: str) -> None:
    found = split(text).fault
    assert found is not None
    assert (found.code, found.line) == ("MG002", line)
    assert words in found.message
    assert found.hint


def test_a_block_that_comes_too_late() -> None:
    assert split("\n \n---\ntitle: x\n---\n").late == 3
    assert split("\n---\n\ntext\n\n---\n").late == 0


def test_templates() -> None:
    for block in ("created: {{date}}\n", 'title: "{{title}}"\ntags: {{tags}}\n', "tags:\n  - {{tag}}\n"):
        assert is_template(block)
    for block in ('title: "{{title}}"\n', "title: Use {{x}} here\n", "# a: {{x}}\n", "a: {b: c}\n"):
        assert not is_template(block)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\ntitle: b: c\n", "b: c"),
        ("title: 'it's'\r\n", "it's"),
        ("title:\n", None),
        ("titles: x\n", None),
        ('title: "a\n', '"a'),
    ],
)
def test_a_title_as_typed(text: str, value: str | None) -> None:
    assert typed_value(text, "title") == value


@given(st.text(st.sampled_from("-. \n\r{}+a:\"'[]\t"), max_size=60))
@settings(max_examples=examples(200))
def test_splitting_never_fails_and_loses_nothing(text: str) -> None:
    for start in ("", "---\n", "+++\n", "{\n"):
        whole = start + text
        parts = split(whole)
        assert 0 <= parts.start <= len(whole)
        assert parts.fault is not None or parts.start <= parts.body <= len(whole)
        if parts.block is not None and parts.fault is None:
            assert whole[parts.start :].startswith(parts.block)


def test_splitting_is_linear() -> None:
    many = 200_000
    for text in (
        "---\n" + "...x\n" * many,
        "---\n" + "---x\n" * many,
        "\n" * many + "---x",
        "---\na: b\n---\n" + "\n" * many,
        "{" + '"a":{' * many,
    ):
        split(text)


# Changing one key.

STYLES = (
    Style(),
    Style(lists="block"),
    Style(lists="json", text="json"),
    Style(text="double"),
    Style("block", "folded"),
)
new_values: st.SearchStrategy[Value] = strategies.texts.filter(
    lambda text: text.rstrip("\n") == text and text != ""
) | st.lists(
    strategies.texts.filter(lambda text: "\n" not in text and text != ""), min_size=1, max_size=4
).map(tuple)


def outside(text: str, key: str, entry: yaml.Entry | None) -> list[str]:
    """The lines of a block that are not those of a key, nor comments inside its list, which end up after it
    when they come last.
    """
    lines = text.split("\n")
    rest = lines if entry is None else lines[: entry.start] + lines[entry.end :]
    return [line for line in rest if line.strip() != "# between"]


@given(strategies.blocks(), st.data())
@settings(max_examples=examples(70))
def test_a_change_touches_the_lines_of_its_key_alone(lines: list[str], data: st.DataObject) -> None:
    newline = data.draw(st.sampled_from(["\n", "\r\n"]))
    before = "".join(line + newline for line in lines)
    block = Block(before, newline)
    key = data.draw(st.sampled_from([*block.entries, "own-key"]))
    value = data.draw(new_values)
    style = data.draw(st.sampled_from(STYLES))
    old = dict(block.entries)
    block.put(key, value, style, ("title", "own-key", "created"))
    after = Block(block.text, newline)
    got = after.entries[key].value
    assert (got.rstrip("\n") if isinstance(got, str) else got) == value
    assert {name: entry.value for name, entry in after.entries.items() if name != key} == {
        name: entry.value for name, entry in old.items() if name != key
    }
    assert outside(block.text, key, after.entries[key]) == outside(before, key, old.get(key))
    assert block.text.count("\n") == block.text.count(newline)
    again = block.text
    block.put(key, value, style)
    if key not in old or isinstance(value, tuple) == isinstance(old[key].value, tuple):
        assert Block(block.text, newline).entries[key].value == after.entries[key].value
    block = Block(again, newline)
    block.drop(key)
    if key not in old:
        assert block.text == before


@given(strategies.blocks(), st.data())
@settings(max_examples=examples(120))
def test_items_that_stay_keep_their_bytes(lines: list[str], data: st.DataObject) -> None:
    before = "".join(line + "\n" for line in lines)
    block = Block(before, "\n")
    lists = [key for key, entry in block.entries.items() if entry.style in ("flow", "block") and entry.value]
    if not lists:
        return
    key = data.draw(st.sampled_from(lists))
    old = block.entries[key]
    assert isinstance(old.value, tuple)
    block.put(key, (*old.value, "added one"))
    source = block.text.split("\n")
    kept = before.split("\n")[old.start : old.end]
    changed = [line for line in kept if line not in source and line.strip() != "-"]
    # In block form nothing but the new line differs; in brackets the line that held the last bracket does.
    assert len(changed) <= (1 if old.style == "flow" else 0)
    block.put(key, old.value[:1])
    assert block.text.count("# between") == before.count("# between")


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        ("t:   'Spring tides'      # why\n", "Neap's", "t:   'Neap''s'      # why\n"),
        ('t: "a"\n', 'b "c"', 't: "b \\"c\\""\n'),
        ("t: a # c\n", "b: c", 't: "b: c" # c\n'),
        ("t: a\n", "yes", 't: "yes"\n'),
        ("t: 2026-01-01\n", "2026-01-02", "t: 2026-01-02\n"),
        ("t:\n", "a", "t: a\n"),
        ("t: # why\n", "a", "t: a # why\n"),
        ("t: ~ # why\n", "a", "t: a # why\n"),
        ("t: >-\n    one two\n    three\n", "four five", "t: >-\n    four five\n"),
        ("t: | # c\n  a\n  b\n", "x\n\n  y", "t: | # c\n  x\n\n    y\n"),
        ("t: |\n  a\n", " b", 't: " b"\n'),
        ('t: "a\n  b" # c\n', "d", 't: "d" # c\n'),
        ("t: a\n  b\n", "c", "t: c\n"),
        ("t: [a, b]\n", ("a", "b", "c, d"), 't: [a, b, "c, d"]\n'),
        ("t: [ a , b ] # c\n", ("b",), "t: [ b ] # c\n"),
        ('t: ["a","b"]\n', ("a", "b", "c"), 't: ["a","b","c"]\n'),
        ("t: [a,\n    b]\n", ("a", "b", "c"), "t: [a,\n    b,\n    c]\n"),
        ("t: []\n", ("a",), "t: [a]\n"),
        ("t: [a]\n", (), "t: []\n"),
        ("t:\n- a\n- b\n", ("b", "c"), "t:\n- b\n- c\n"),
        ("t:\n  -   a # x\n  # y\n  - b\n", ("a", "c"), "t:\n  -   a # x\n  # y\n  -   c\n"),
        ("t:\n  - a\n  # y\n  - b\n", ("b",), "t:\n  # y\n  - b\n"),
        ('t:\n  - "a"\n', ("a", "b"), 't:\n  - "a"\n  - "b"\n'),
        ("t:\n  - \n", ("a",), "t:\n  - a\n"),
        ("t:\n  - a\n", (), "t: []\n"),
        ("t: a, b\n", ("a", "b", "c"), "t: [a, b, c]\n"),
        ("t: '#a #b' # c\n", ("a",), "t: [a] # c\n"),
        ("t:\n", ("a",), "t: [a]\n"),
        ("t:\n  k: v\n", "a", "t: a\n"),
    ],
)
def test_a_value_keeps_its_manner(before: str, value: Value, after: str) -> None:
    block = Block(f"a: 1\n{before}z: 2\n", "\n")
    block.put("t", value)
    assert block.text == f"a: 1\n{after}z: 2\n"


def test_a_new_key_stands_where_it_usually_does() -> None:
    order = ("id", "title", "created", "updated", "tags")
    block = Block("# who\ntitle: a\nx: y\n# then\ntags: [b]\n# end\n", "\n")
    block.put("updated", "2026-01-01", Style(bare=True), order)
    block.put("id", "k", Style(), order)
    block.put("own", "z", Style(), order)
    assert (
        block.text == "# who\nid: k\ntitle: a\nupdated: 2026-01-01\nx: y\n# then\ntags: [b]\n# end\nown: z\n"
    )


@pytest.mark.parametrize(
    ("style", "value", "written"),
    [
        (Style(), "a\nb", "|-\n  a\n  b"),
        (Style(), " a\nb", '" a\\nb"'),
        (Style(), ("a", "b c"), "[a, b c]"),
        (Style(lists="block"), ("a", "b: c"), '\n  - a\n  - "b: c"'),
        (Style(lists="json"), ("a", 'b"'), '["a","b\\""]'),
        (Style(text="double"), "a", '"a"'),
        (Style(text="json"), "a, b", '"a, b"'),
        (Style(text="json"), "a b", "a b"),
        (Style(text="json", bare=True), "2026-01-05T09:00:00.000Z", "2026-01-05T09:00:00.000Z"),
        (Style(text="folded"), "a: b", "'a: b'"),
        (
            Style(text="folded"),
            "word " * 20 + "end",
            ">-\n  " + "word " * 14 + "word\n  word word word word word end",
        ),
        (
            Style("block", "folded"),
            ("b", "word " * 20 + "x"),
            "\n  - b\n  - >-\n    " + "word " * 14 + "word\n    word word word word word x",
        ),
        (Style(), None, "null"),
    ],
)
def test_new_values_are_written_in_the_manner_of_the_dialect(
    style: Style, value: Value, written: str
) -> None:
    block = Block("", "\n")
    block.put("k", value, style)
    assert block.text == f"k: {written}\n".replace(": \n", ":\n")


def test_a_key_inside_a_mapping() -> None:
    before = "mnema:\n  key: K-1\n  topics: []\n# end\nown:\n  key: other\n"
    block = Block(before, "\n", "mnema")
    block.put("key", "K-2", Style("block", "folded"))
    block.put("topics", ("a", "b"), Style("block", "folded"))
    block.put("title", "x: y", Style("block", "folded"), ("key", "title"))
    assert block.text == "mnema:\n  key: K-2\n  title: 'x: y'\n  topics: [a, b]\n# end\nown:\n  key: other\n"
    block.drop("title")
    assert "title" not in block.text


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [("a: &x b\nc: *x\n", "a", "d"), ("? a\n: b\n", "a", "c"), ("{a: b}\n", "c", "d")],
)
def test_what_cannot_be_changed_by_itself_is_refused(text: str, key: str, value: str) -> None:
    block = Block(text, "\n")
    with pytest.raises(Refused):
        block.put(key, value)


def test_an_alias_may_be_replaced() -> None:
    block = Block("a: &x b\nc: *x # same\n", "\n")
    block.put("c", "d")
    assert block.text == "a: &x b\nc: d # same\n"

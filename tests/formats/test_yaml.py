"""The YAML of frontmatter: what libyaml and ruamel.yaml compose, the bounds, and writing."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from memgit.errors import BadInput, UnreadableFile
from memgit.formats import yaml, yaml_text
from memgit.formats.yaml import Entry
from tests import strategies
from tests.support import examples


def values(block: str) -> dict[str, Any]:
    return {key: entry.value for key, entry in yaml.read(block).items()}


def fault(block: str) -> UnreadableFile:
    with pytest.raises(UnreadableFile) as caught:
        yaml.read(block)
    assert caught.value.code == "MG002"
    return caught.value


def by_ruamel(block: str, inner: str = "") -> dict[str, Entry] | None:
    """As `read` gives it, composed by ruamel.yaml alone; None where that refuses."""
    reader = yaml._Block(block, inner, 2)
    reader._compose = reader._compose_slowly  # type: ignore[method-assign]
    try:
        return reader.read()
    except UnreadableFile:
        return None


def by_libyaml(block: str, inner: str = "") -> dict[str, Entry] | None:
    """As `read` gives it where libyaml composes the block; None where it does not."""
    reader = yaml._Block(block, inner, 2)
    if not yaml_text.printable(block) or yaml._composed(reader.text) is yaml._REFUSED:
        return None
    try:
        return reader.read()
    except UnreadableFile:
        return None


# The two readers.


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("2026-03-06", "2026-03-06"),
        ("1.10", "1.10"),
        ("012", "012"),
        ("yes", "yes"),
        ("on", "on"),
        ("0x1F", "0x1F"),
        ("12:30", "12:30"),
        ("null", None),
        ("~", None),
        ("NULL", None),
        ("", None),
        ("  # nothing", None),
        ("nUll", "nUll"),
        ("plain words", "plain words"),
        ("a#b", "a#b"),
        ("a # b", "a"),
        ("http://x/y", "http://x/y"),
        ("-dash", "-dash"),
        ("a:b", "a:b"),
        ("'it''s'", "it's"),
        ('"a\\tb\\u263a\\x41\\"\\\\"', 'a\tb☺A"\\'),
        ('"null"', "null"),
        ("''", ""),
        ('"a" # b', "a"),
        ("[]", ()),
        ("[a, b]", ("a", "b")),
        ("[ a ,'b, c', \"d\" ]", ("a", "b, c", "d")),
        ("[2025-10-24, 1.0, yes, null, ~]", ("2025-10-24", "1.0", "yes")),
        ("[a, [b, c], {d: e}]", ("a", "[b, c]", "{d: e}")),
        ("[[x]]", ("[x]",)),
        ("[http://x, c#, -d]", ("http://x", "c#", "-d")),
        ("{ a: 1 }", "{ a: 1 }"),
        ("{}", "{}"),
        ("\n  - a\n  - 'b'\n  -\n  - ~\n", ("a", "b")),
        ("\n- a\n- b c\n", ("a", "b c")),
        ("\n  - - a\n    - b\n  - c: d\n", ("- a\n- b", "c: d")),
        ("\n  - >-\n    a\n    b\n\n    c\n  - |\n    d\n", ("a b\nc", "d\n")),
        (">-\n  a\n  b\n\n  c\n", "a b\nc"),
        ("|\n  a\n   b\n\n  c\n", "a\n b\n\nc\n"),
        ("|+\n  a\n\n", "a\n\n"),
        (">\n  a\n    b\n  c\n", "a\n  b\nc\n"),
        ("a\n  b\n\n  c\n", "a b\nc"),
        ('"a\n  b"', "a b"),
        ("\n  k: v\n  l:\n    - x\n", "k: v\nl:\n  - x"),
        ("!!str 12", "12"),
        ("&a b", "b"),
        ("a\u2028b\x85c", "a\u2028b\x85c"),
        ("'a\rb'", "a\rb"),
        ("\xa0a", "\xa0a"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("a\ufeffb", "a\ufeffb"),
    ],
)
def test_a_value_is_what_was_typed(source: str, value: object) -> None:
    block = (
        f"before: 1\nkey: {source}\nafter: 2\n"
        if not source.endswith("\n")
        else f"before: 1\nkey: {source}after: 2\n"
    )
    assert values(block) == {"before": "1", "key": value, "after": "2"}
    found = by_ruamel(block)
    assert found is not None
    assert {key: entry.value for key, entry in found.items()} == values(block)


LINES = st.lists(
    st.tuples(
        st.sampled_from(["id", "title", "a b", "a.b", "x/y", "-x", "#x", " x", "x ", "", "ключ", "k" * 201]),
        st.sampled_from([": ", ":", ":  ", " : ", "", ":\t"]),
        st.sampled_from(
            [
                "v",
                "two words",
                "a # b",
                "a: b",
                "a:",
                "v ",
                "~",
                "null",
                "[a, b]",
                "[a",
                "[]",
                "[a] # b",
                "'it''s'",
                "'a",
                "- x",
            ]
        )
        | st.sampled_from(
            [
                '"a\\n"',
                '"\\q"',
                "-x",
                "-",
                ">",
                "|-",
                "{}",
                "# x",
                "",
                "http://x/y",
                "[~, a]",
                "[a, {b: c}]",
                "*a",
                "\t",
            ]
        ),
    ).map("".join),
    max_size=4,
)


@given(LINES.map(lambda lines: "".join(f"{line}\n" for line in lines)) | strategies.tricky_blocks())
@settings(max_examples=examples(400))
def test_what_libyaml_composes_ruamel_reads_alike(block: str) -> None:
    found = by_libyaml(block, "mnema")
    if found is None:
        return
    other = by_ruamel(block, "mnema")
    # Empty lines at the head of a literal or folded text are legal, but ruamel.yaml refuses some; so it does
    # a second `!` in a tag after a sign that no handle has.
    assert other == found or (other is None and re.search(r"[|>]|![\w-]*[^\w\s!-]\S*!", block))


def test_a_tag_that_ruamel_refuses_is_still_read() -> None:
    assert by_libyaml("title: !t'!t\n", "mnema") is not None
    assert by_ruamel("title: !t'!t\n", "mnema") is None


@given(strategies.blocks())
@settings(max_examples=examples(200))
def test_lines_of_a_key_hold_it_and_nothing_else(lines: list[str]) -> None:
    block = "".join(line + "\n" for line in lines)
    found = yaml.read(block)
    assert by_ruamel(block) == found
    for key, entry in found.items():
        alone = "".join(line + "\n" for line in lines[entry.start : entry.end])
        assert yaml.read(alone)[key].value == entry.value
        assert lines[entry.start].startswith(key)
        if entry.style in ("plain", "single", "double", "flow") and entry.end == entry.start + 1:
            source = lines[entry.start][entry.col : entry.stop]
            assert values(f"k: {source}\n") == {"k": entry.value}


@given(
    st.text(st.characters(exclude_categories=["Cs"]))
    | strategies.tricky_blocks().map(lambda text: text[: len(text) // 2])
)
@settings(max_examples=examples(200))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    try:
        yaml.read(text)
    except UnreadableFile as error:
        assert error.code == "MG002"
        assert error.message
        assert error.line is not None
        assert 2 <= error.line <= text.count("\n") + 3


def test_the_usual_block_does_without_ruamel() -> None:
    block = (
        "id: kb7m2q9x4d\ntitle: 'It''s here'\ncreated: 2026-03-02\nkeywords: [a, \"b c\"]\nrelated:\n  - "
        "'[[x#y]]'\nnote: >-\n  a\n  b\n"
    )
    code = (
        f"import sys; from memgit.formats import yaml; yaml.read({block!r}); print('ruamel' in "
        "str(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_crlf_gives_the_same_values_and_lines() -> None:
    block = "a: b\nlist:\n  - x\n  - 'y'\ntext: |\n  one\n  two\n"
    assert yaml.read(block.replace("\n", "\r\n")) == yaml.read(block)


def test_inner_keys_are_read_one_by_one() -> None:
    block = "mnema:\n  key: K-1\n  title: >-\n    A long\n    title\n  topics: []\nother: x\n"
    for found in (yaml.read(block, "mnema"), by_ruamel(block, "mnema")):
        assert found is not None
        inner = found["mnema"].inner
        assert inner is not None
        assert {key: entry.value for key, entry in inner.items()} == {
            "key": "K-1",
            "title": "A long title",
            "topics": (),
        }
        assert (inner["title"].start, inner["title"].end, inner["topics"].col) == (2, 5, 10)
        assert found["other"].inner is None


def test_tabs_that_part_nothing_are_blanks() -> None:
    block = "a: b\t\nc:\td\ne:\t# why\n\t\nf: |\n  g\t\n\th\n"
    assert fault(block).line == 8
    assert values(block.replace("\th\n", "  h\n")) == {"a": "b", "c": "d", "e": None, "f": "g\t\nh\n"}
    assert values("a: 'b\tc'\nd: e\tf\n") == {"a": "b\tc", "d": "e\tf"}


# Faults.


@pytest.mark.parametrize(
    ("block", "line", "words"),
    [
        ("a: 1\ntitle: b: c\n", 3, 'title: "b: c"'),
        ("title: 'the skipper's log'\n", 2, 'title: "the skipper\'s log"'),
        ('title: "Quoted" and more\n', 2, "title: '\"Quoted\" and more'"),
        ("by: @desk\n", 2, 'by: "@desk"'),
        ("use: `make` it\n", 2, 'use: "`make` it"'),
        ("hint: [A] | --fast\n", 2, 'hint: "[A] | --fast"'),
        ('a: 1\ntitle: "open\ntags: [a]\n', 3, "never closed"),
        ("a: 1\ntags: [a, b\nb: 2\n", 3, "expected ',' or ']'"),
        ("n:\n\tk: v\n", 3, "a tab as indentation"),
        ("just words\n", 2, "not `key: value` lines"),
        ("# note\n\n- a\n- b\n", 4, "a list"),
        ("a: 1\nb: 2\na: 3\n", 4, "'a' occurs twice, on lines 2 and 4"),
        ("m:\n  b: 2\n  b: 3\n", 4, "'b' occurs twice, on lines 3 and 4"),
        ("a: 1\nb: \x07\n", 3, "U+0007"),
        ("a: *nobody\n", 2, "undefined alias"),
        ("a: &a [*a]\n", 2, "refers to a node that contains it"),
        ("a: " + "[" * 100 + "]" * 100 + "\n", 2, "nested more than"),
        ("a: 1\n--- b\n", 3, "document"),
        ('a: "\\U00110000"\n', 2, "not YAML"),
        ("<<<<<<< ours\na: b\n", 3, "mapping values"),
    ],
)
def test_a_fault_has_line_and_reason(block: str, line: int, words: str) -> None:
    if block.startswith("m:"):
        with pytest.raises(UnreadableFile) as caught:
            yaml.read(block, "m")
        error = caught.value
    else:
        error = fault(block)
    assert error.line == line
    assert words in error.message


def test_advice_is_given_only_where_it_mends() -> None:
    for block in ("tags: [a, b\n", 'title: "open\n', "<<<<<<< ours\na: b\n", "a: b\n c: d\n"):
        assert "write it as" not in fault(block).message
    for block in ("title: b: c\n", "by: @desk\n"):
        advice = fault(block).hint
        assert advice is not None
        assert yaml.read(advice)


def test_aliases_that_multiply_are_refused() -> None:
    lines = ["a: &a [x, x, x, x, x, x]\n"]
    lines += [
        f"{name}: &{name} [{', '.join(['*' + before] * 6)}]\n"
        for before, name in ("ab", "bc", "cd", "de", "ef")
    ]
    error = fault("".join(lines))
    assert error.line == 7
    assert "aliases expand" in error.message
    assert (
        values("base: &b\n  owner: Ida\ndesk:\n  <<: *b\n  shift: early\ntitle: *b\n")["title"]
        == "owner: Ida"
    )


def test_a_long_list_without_aliases_is_no_bomb() -> None:
    block = "a: " + f"[{', '.join(['{x: y}'] * 4000)}]\n"
    assert len(values(block)["a"]) == 4000


def test_a_huge_block_is_refused() -> None:
    assert f"{yaml.MAX_BLOCK:,}" in fault("a: " + "x" * yaml.MAX_BLOCK + "\n").message
    assert f"{yaml.MAX_FULL:,}" in fault("a:\t" + "x" * yaml.MAX_FULL + "\n").message
    assert len(values("a: " + "x" * yaml.MAX_FULL + "\n")["a"]) == yaml.MAX_FULL


# Writing.


@given(strategies.texts, st.booleans())
@settings(max_examples=examples(250))
def test_what_is_written_comes_back(text: str, bare: bool) -> None:
    written = yaml_text.dump_scalar(text, bare=bare)
    assert "\n" not in written
    block = f"key: {written}\n"
    assert values(block) == {"key": text}
    node = YAML(typ="safe", pure=True).compose(block)
    assert node.value[0][1].value == text


@given(strategies.texts)
@settings(max_examples=examples(200))
def test_what_is_written_is_text_to_readers_that_give_types(text: str) -> None:
    block = f"key: {yaml_text.dump_scalar(text)}\nlist: {yaml_text.dump_list([text])}\n"
    for version in ((1, 1), (1, 2)):
        loader = YAML(typ="safe", pure=True)
        loader.version = version
        assert loader.load(block) == {"key": text, "list": [text]}


@given(st.lists(strategies.texts, max_size=5))
def test_a_list_comes_back(items: list[str]) -> None:
    written = yaml_text.dump_list(items)
    assert "\n" not in written
    assert values(f"key: {written}\n") == {"key": tuple(items)}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain words", "plain words"),
        ("it's", "it's"),
        ("a: b", '"a: b"'),
        ('say "x"', 'say "x"'),
        ('"x" said', "'\"x\" said'"),
        ("a\\b: c", "'a\\b: c'"),
        ("yes", '"yes"'),
        ("2026-03-02", '"2026-03-02"'),
        ("019f03ba-735c", "019f03ba-735c"),
        ("", '""'),
        ("two\nlines", '"two\\nlines"'),
        ("- x", '"- x"'),
        ("🌊 wave", "🌊 wave"),
        ("\u2028", '"\\u2028"'),
        ("{{x}}", '"{{x}}"'),
    ],
)
def test_quotes_are_used_only_where_needed(text: str, written: str) -> None:
    assert yaml_text.dump_scalar(text) == written


def test_bare_dates_and_numbers() -> None:
    assert yaml_text.dump_scalar("2026-03-02", bare=True) == "2026-03-02"
    assert yaml_text.dump_scalar("a: b", bare=True) == '"a: b"'


def test_lone_surrogates_are_refused() -> None:
    with pytest.raises(BadInput):
        yaml_text.dump_scalar("\udc80")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("\\ud83d\\ude00", "\U0001f600"),
        ("\\ud800", "\ufffd"),
        ("x\\udc80y", "x\ufffdy"),
        ("\\ude00\\ud83d", "\ufffd\ufffd"),
    ],
)
def test_halves_of_surrogate_pairs_are_joined_or_replaced(written: str, read: str) -> None:
    assert values(f'a: "{written}"\nb: ["{written}", c]\n"{written}": d') == {
        "a": read,
        "b": (read, "c"),
        read: "d",
    }


@given(strategies.texts | st.lists(strategies.texts, max_size=8).map(" ".join), st.integers(10, 80))
@settings(max_examples=examples(200))
def test_folded_lines_say_the_same(text: str, width: int) -> None:
    lines = yaml_text.fold(text, width)
    if lines is None:
        return
    block = "key: >-\n" + "".join(f"  {line}\n" if line else "\n" for line in lines)
    assert values(block) == {"key": text}
    assert all(len(line) <= width or not re.search(r"\S \S", line) for line in lines)


def test_reading_is_linear() -> None:
    """Long lines and many keys, quotes and brackets: each of these takes far more than a minute where a rule
    looks back too often.
    """
    long = yaml.MAX_BLOCK // 4
    for block in (
        "title: " + "x " * (long // 2),
        "title: " + "[" * long,
        'title: "' + '\\"' * (long // 2),
        "title: '" + "''" * (long // 2),
        "".join(f"k{number}: v\n" for number in range(long // 12)),
        "tags:\n" + "- a\n" * (long // 4),
        "a:\n" + " \n" * (long // 2),
        "related: " + "[[" * (long // 2),
        "title: " + "# " * (long // 2),
        "a b " * (long // 4),
        "#\n" * (long // 2),
    ):
        try:
            yaml.read(block + "\n")
        except UnreadableFile:
            continue

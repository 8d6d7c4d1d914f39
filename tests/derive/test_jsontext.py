"""JSON text that keeps its shape."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.derive import jsontext
from memgit.derive.jsontext import Style, dumps, loads, reshape, salvage, style_of

TALL = """\
{
  "lastUpdated": "2026-03-02",
  "categories": [
    {
      "id": "pilots",
      "keywords": [
        "locks",
        "tugs"
      ],
      "extra": {"kept": 1.50},
      "count": 2
    }
  ],
  "absorbedSkills": []
}"""

FLAT = '{"categories": [{"id": "pilots", "keywords": ["locks", "tugs"], "count": 2}], "other": null}\n'
FOUR = '{\n    "skills": [\n        {"skillId": "a", "keywords": ["x"], "count": 1}\n    ]\n}\n'

LOCAL = {"id": "tides", "keywords": ["ebb", "flood"], "count": 1}


def same(old: Any, new: Any) -> bool:
    return bool(old.get("id", old.get("skillId")) == new.get("id", new.get("skillId")))


def items(text: str, key: str = "categories") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text)[key]
    return found


def test_the_same_value_gives_the_same_text() -> None:
    for text in (TALL, FLAT, FOUR, TALL.replace("\n", "\r\n"), " [ 1 ,2 ] "):
        assert reshape(text, json.loads(text), same) == text


def test_one_number_changes_one_line() -> None:
    value = json.loads(TALL)
    value["categories"][0]["count"] = 3
    assert reshape(TALL, value, same) == TALL.replace('"count": 2', '"count": 3')


def test_one_is_not_true_and_not_one_point_nought() -> None:
    assert reshape('{"a": true, "b": 1.0}', {"a": 1, "b": 1}, same) == '{"a": 1, "b": 1}'


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_new_item_is_laid_out_like_its_neighbour(newline: str) -> None:
    text = TALL.replace("\n", newline)
    value = json.loads(text)
    value["categories"].append(LOCAL)
    new = reshape(text, value, same)
    assert json.loads(new) == value
    at = new.index('"tides"')
    assert new[: new.index(",", new.index('"count": 2')) + 1].startswith(
        text[: text.index("    }" + newline + "  ]") + 5]
    )
    tall = [
        "    {",
        '      "id": "tides",',
        '      "keywords": [',
        '        "ebb",',
        '        "flood"',
        "      ],",
    ]
    assert newline.join(tall) in new
    assert at > 0 and ("\r" in new) == ("\r" in newline)


def test_a_new_item_stays_on_one_line_where_its_neighbour_does() -> None:
    value = json.loads(FOUR)
    value["skills"].append({"skillId": "b", "keywords": ["y", "z"], "count": 4})
    assert reshape(FOUR, value, same) == FOUR.replace(
        "}\n    ]", '},\n        {"skillId": "b", "keywords": ["y", "z"], "count": 4}\n    ]'
    )
    value = json.loads(FLAT)
    value["categories"].append(LOCAL)
    assert reshape(FLAT, value, same) == FLAT.replace(
        "}]", '}, {"id": "tides", "keywords": ["ebb", "flood"], "count": 1}]'
    )


def test_a_list_that_grew_is_appended_to_in_its_own_manner() -> None:
    value = json.loads(TALL)
    value["categories"][0]["keywords"].append("berths")
    assert reshape(TALL, value, same) == TALL.replace('"tugs"\n', '"tugs",\n        "berths"\n')
    value = json.loads(FLAT)
    value["categories"][0]["keywords"].append("berths")
    assert reshape(FLAT, value, same) == FLAT.replace('"tugs"]', '"tugs", "berths"]')


def test_a_list_that_changed_otherwise_is_written_anew_in_its_own_manner() -> None:
    value = json.loads(FLAT)
    value["categories"][0]["keywords"] = ["tugs", "locks"]
    assert reshape(FLAT, value, same) == FLAT.replace('"locks", "tugs"', '"tugs", "locks"')


def test_items_and_keys_that_go_take_their_commas_along() -> None:
    text = '{"a": [{"id": "1"}, {"id": "2"}, {"id": "3"}, {"id": "4"}], "b": 1, "c": 2}'
    value = json.loads(text)
    for keep in (["3"], ["1", "4"], ["2", "3"], ["4"], []):
        value["a"] = [{"id": name} for name in keep]
        assert reshape(text, value, same) == text.replace(
            text[text.index("[") : text.index("]") + 1],
            "[" + ", ".join(f'{{"id": "{name}"}}' for name in keep) + "]",
        )
    assert reshape(text, {"a": json.loads(text)["a"], "c": 2}, same) == text.replace('"b": 1, ', "")
    assert reshape('{"a": 1, "b": 2}', {"b": 2}, same) == '{"b": 2}'


def test_an_empty_list_grows_in_the_indent_of_its_line() -> None:
    text = '{\n  "a": 1,\n  "items": []\n}\n'
    new = reshape(text, {"a": 1, "items": [{"id": "x", "keywords": ["k"]}]}, same)
    assert new == (
        '{\n  "a": 1,\n  "items": [\n    {\n      "id": "x",\n      "keywords": [\n        "k"\n     '
        " ]\n    }\n  ]\n}\n"
    )


def test_of_two_equal_keys_the_last_counts() -> None:
    assert reshape('{"a": 1, "a": 2}', {"a": 3}, same) == '{"a": 1, "a": 3}'


def test_text_that_needs_escapes_comes_back(name: str = 'q"\\\n\u2028\ud800') -> None:
    new = reshape(FLAT, {**json.loads(FLAT), "other": name}, same)
    assert json.loads(new)["other"] == name
    new.encode()


def test_files_that_escape_other_scripts_go_on_doing_so() -> None:
    text = '{"a": "\\u6f6e"}'
    assert reshape(text, {"a": "\u6f6e\u6c50"}, same) == '{"a": "\\u6f6e\\u6c50"}'
    assert reshape('{"a": "\u6f6e"}', {"a": "\u6f6e\u6c50"}, same) == '{"a": "\u6f6e\u6c50"}'


def test_nesting_is_bounded() -> None:
    for text in ("[" * 60 + "]" * 60, "[" * 100_000, '{"a":' * 60 + "1" + "}" * 60):
        with pytest.raises(ValueError, match=r"deep|Expecting"):
            loads(text)
    assert salvage("[" * 100_000) is not None
    assert loads("[" * 40 + "]" * 40)


def test_constants_that_are_no_json_are_refused() -> None:
    with pytest.raises(ValueError, match="NaN"):
        loads('{"a": NaN}')


def test_style_is_found_in_broken_text_too() -> None:
    assert style_of(TALL) == Style()
    assert style_of(FOUR[:-3]) == Style("    ", "\n", flat_lists=True, flat_items=True)
    assert style_of(TALL.replace("\n", "\r\n")).newline == "\r\n"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, "b": [], }', {"a": 1, "b": []}),
        ('{"a": ["x" "y",, "z"]', {"a": ["x", "y", "z"]}),
        ('{"items": [{"id": "a", "n": 1 {"id": "b"}]}', {"items": [{"id": "a", "n": 1}, {"id": "b"}]}),
        ('{"a": [1, 2}', {"a": [1, 2]}),
        ('{\n<<<<<<< ours\n"a": 1,\n', {"a": 1}),
        ('{"k": ["x"], "k": ["y"], "n": 1, "n": 2}', {"k": ["x", "y"], "n": 2}),
        ('{"a": "never closed\n, "b": 2}', {"b": 2}),
        ('// a note\n{"a": null, "b": true}', {"a": None, "b": True}),
        ("no json at all", None),
        ("", None),
        ('{"a": }', {}),
        ("]]}", None),
    ],
)
def test_salvage(text: str, value: object) -> None:
    assert salvage(text) == value


KEYS = st.text('abcé"\\ \n', max_size=4)
SCALARS = st.none() | st.booleans() | st.integers(-5, 5) | KEYS
OBJECTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(
    OBJECTS,
    OBJECTS,
    st.sampled_from([None, 1, 2, 4, "\t"]),
    st.sampled_from([(",", ":"), (", ", ": "), (" ,", " : ")]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_reshape_always_gives_the_value(
    old: Any, new: Any, indent: Any, separators: tuple[str, str], newline: str
) -> None:
    text = json.dumps(old, indent=indent, separators=separators, ensure_ascii=False).replace("\n", newline)
    shaped = reshape(text, new, lambda one, two: one == two)
    assert json.loads(shaped) == new
    assert reshape(shaped, new, lambda one, two: one == two) == shaped


@given(OBJECTS)
def test_dumps_and_salvage_agree_with_json(value: Any) -> None:
    text = dumps(value, Style(flat_lists=True))
    assert loads(text) == value
    if isinstance(value, (dict, list)):
        assert salvage(text) == value


@given(st.text('{}[]",:a1\\ \n', max_size=40))
def test_salvage_never_fails(text: str) -> None:
    salvage(text)


def test_salvage_is_linear() -> None:
    salvage('{"a":' * 50_000)
    salvage('["' * 50_000)
    assert jsontext.MAX_DEPTH < 100

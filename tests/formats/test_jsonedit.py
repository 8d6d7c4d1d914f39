from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.errors import UnreadableFile
from memgit.formats import jsonedit

MINE = {"command": "mine", "args": ["a", "b"]}
TEXTS = [
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    '{"a": 1}',
    '{\n  "a": 1\n}\n',
    '{\n\t"a": 1,\n\t"servers": {}\n}',
    '{"servers": {"x": {"command": "y"}}, "z": []}',
    '{\r\n    "servers": {\r\n        "x": 1\r\n    }\r\n}\r\n',
    '\ufeff{"a": [1, 2, {"b": "\\u00e9\\"}"}]}',
    '// top\n{\n  "a": 1, // one\n  /* two */ "servers": {\n    "x": {}, // last\n  },\n}\n// end\n',
    '{"servers": {"x": 1,},}',
    '{"hooks": {"Start": [{"command": "theirs"}]}}',
    '{"hooks": {"Start": []}}',
    '{\n  "hooks": {\n    "Start": [\n      {"command": "theirs"}\n    ],\n    "End": []\n  }\n}',
]


def is_mine(value: Any) -> bool:
    return bool(value == MINE)


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_put_in_comes_out_to_the_byte(text: str) -> None:
    put = jsonedit.put(text, ("servers", "mine"), MINE)
    assert jsonedit.value_of(put, jsonedit.parse(put))["servers"]["mine"] == MINE
    assert jsonedit.put(put, ("servers", "mine"), MINE) == put or "\r" in text
    both = jsonedit.append(put, ("hooks", "Start"), MINE)
    assert jsonedit.value_of(both, jsonedit.parse(both))["hooks"]["Start"][-1] == MINE
    assert (
        jsonedit.drop(jsonedit.drop(both, ("hooks", "Start"), is_mine), ("servers", "mine"), is_mine) == text
    )
    assert (
        jsonedit.drop(jsonedit.drop(both, ("servers", "mine"), is_mine), ("hooks", "Start"), is_mine) == text
    )


def test_what_others_add_afterwards_stays() -> None:
    text = jsonedit.put('{\n  "a": 1\n}\n', ("servers", "mine"), MINE)
    text = jsonedit.put(text, ("servers", "theirs"), 2)
    text = jsonedit.put(text, ("b",), 3)
    left = jsonedit.drop(text, ("servers", "mine"), is_mine)
    assert json.loads(left) == {"a": 1, "servers": {"theirs": 2}, "b": 3}
    assert jsonedit.drop(left, ("servers", "mine"), is_mine) == left
    assert jsonedit.drop(left, ("servers", "theirs"), is_mine) == left, "what is not ours stays"


@pytest.mark.parametrize(
    "text", ["", "{", '{"a" 1}', '{"a": }', "[1, 2", '{"a": 1} x', '{"a": nope}', "{a: 1}"]
)
def test_what_is_not_json_is_said(text: str) -> None:
    with pytest.raises(UnreadableFile):
        jsonedit.parse(text)


def test_what_is_in_the_way_is_said() -> None:
    with pytest.raises(UnreadableFile, match="servers is not an object"):
        jsonedit.put('{"servers": []}', ("servers", "mine"), MINE)
    with pytest.raises(UnreadableFile, match=r"hooks\.Start is not a list"):
        jsonedit.append('{"hooks": {"Start": {}}}', ("hooks", "Start"), MINE)
    with pytest.raises(UnreadableFile):
        jsonedit.parse("[" * 10_000)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(max_size=5), values, max_size=4), st.sampled_from([None, 1, 2, "\t"]))
def test_any_object_survives(value: dict[str, Any], indent: Any) -> None:
    text = json.dumps(value, indent=indent)
    assert jsonedit.value_of(text, jsonedit.parse(text)) == value
    if not isinstance(value.get("servers", {}), dict) or "mine" in value.get("servers", {}):
        return
    put = jsonedit.put(text, ("servers", "mine"), MINE)
    assert json.loads(put) == {**value, "servers": {**value.get("servers", {}), "mine": MINE}}
    assert jsonedit.drop(put, ("servers", "mine"), is_mine) == text

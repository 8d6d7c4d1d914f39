"""The two `_index.json`: shape kept to the byte, nothing dropped that cannot be derived."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memgit.derive import derive_affected, derive_all, render_all, view_of
from memgit.derive.categories import known_keywords, names, taken_over
from memgit.derive.mem_skill import MAX_KEYWORDS, quick, title_of
from memgit.derive.mem_skill_experience import SPEC as EXPERIENCE
from memgit.derive.mem_skill_knowledge import SPEC as KNOWLEDGE
from memgit.derive.view import View
from memgit.model.filetree import NO_FILES, EditedTree
from memgit.model.layout import Layout, mem_skill, memgit
from tests.derive.trees import OlderView, applied, derived, entry, files, merged, on_disk

KB, EX = "knowledge-base/_index.json", "experience/_index.json"
LAYOUT = mem_skill()

INDEX = """\
{
  "lastUpdated": "2026-03-01",
  "version": "1.2.0",
  "totalEntries": 1,
  "categories": [
    {
      "id": "tides",
      "name": "Tides & Currents",
      "keywords": [
        "ebb",
        "Flood"
      ],
      "file": "tides.md",
      "count": 1
    }
  ],
  "absorbedSkills": []
}"""


def index(tree: dict[str, bytes], path: str = KB, layout: Layout = LAYOUT) -> Any:
    return json.loads(derived(layout, tree)[path])


def problems(tree: dict[str, bytes], path: str = KB) -> list[tuple[str, int, bool]]:
    return [
        (problem.code, problem.line, problem.fatal)
        for problem in render_all(view_of(LAYOUT, tree))[path].problems
    ]


# The corpora


@pytest.mark.parametrize("corpus", ["mem-skill-1.1", "mem-skill-1.2"])
def test_indexes_that_are_right_keep_their_bytes(corpora: Path, corpus: str) -> None:
    view = view_of(LAYOUT, on_disk(corpora / corpus))
    assert derive_all(view) == {}
    assert set(render_all(view)) == {KB, EX}
    assert not any(rendered.problems for rendered in render_all(view).values())


def test_auto_skill_counts_sections_and_not_bare_headings(corpora: Path) -> None:
    tree = on_disk(corpora / "auto-skill")
    edits = derive_all(view_of(LAYOUT, tree))
    assert list(edits) == [KB]
    expected = (
        tree[KB].replace(b'"totalEntries": 1', b'"totalEntries": 0').replace(b'"count": 1', b'"count": 0')
    )
    assert edits[KB] == expected


@pytest.mark.parametrize("base", ["data/", ".self-improving/"])
def test_a_workspace_in_a_folder_of_another(corpora: Path, base: str) -> None:
    tree = {base + path: data for path, data in on_disk(corpora / "mem-skill-1.2").items()}
    assert derive_all(view_of(mem_skill(base), tree)) == {}


def test_recording_into_a_workspace_changes_the_index_alone(corpora: Path) -> None:
    tree = on_disk(corpora / "mem-skill-1.2")
    path = "knowledge-base/workflow.md"
    tree[path] += b"\n" + entry("Read the tide table first", "2026-05-01", "tides, berths").encode()
    edits = derive_affected(view_of(LAYOUT, tree), [path])
    expected = (
        tree[KB].replace(b"2026-04-08", b"2026-05-01").replace(b'"totalEntries": 12', b'"totalEntries": 13')
    )
    assert edits == {KB: expected.replace(b'"count": 9', b'"count": 10')}


def test_recording_an_experience_adds_its_keywords(corpora: Path) -> None:
    tree = on_disk(corpora / "mem-skill-1.2")
    path = "experience/skill-mem-skill.md"
    tree[path] += b"\n" + entry("Tag before you push", "2026-05-01", "QMD, tagging, forge").encode()
    edits = derive_affected(view_of(LAYOUT, tree), [path])
    expected = tree[EX].replace(b"2026-04-08", b"2026-05-01").replace(b'"count": 8', b'"count": 9')
    assert edits == {EX: expected.replace(b'"cross-reference"]', b'"cross-reference", "tagging", "forge"]')}
    tree = applied(tree, edits)
    assert derive_all(view_of(LAYOUT, tree)) == {}


@pytest.mark.parametrize(
    ("name", "counts"), [("conflict-markers", [2]), ("silent-blend", [1, 2]), ("trailing-comma", [2])]
)
def test_broken_indexes_are_built_again(corpora: Path, name: str, counts: list[int]) -> None:
    broken = (corpora / "oddities" / "indexes" / f"{name}.json").read_bytes()
    tree = files({KB: broken, "knowledge-base/workflow.md": entry("A", keywords="drift") + "\n" + entry("B")})
    if name == "silent-blend":
        tree["knowledge-base/design.md"] = entry("C").encode()
    value = index(tree)
    assert [item["count"] for item in value["categories"]] == counts
    assert value["totalEntries"] == sum(counts)
    if name == "conflict-markers":
        assert value["categories"][0]["name"] == "Workflow"
        assert value["categories"][0]["keywords"] == ["automation", "process"]
        assert problems(tree) == [("MG104", 4, False)]
        ours = broken.decode().replace("<<<<<<< HEAD\n", "")
        for part in (
            '=======\n  "totalEntries": 4,\n>>>>>>> feature/tides\n',
            '=======\n      "count": 4\n>>>>>>> feature/tides\n',
        ):
            assert part in ours
            ours = ours.replace(part, "")
        ours = (
            ours.replace("2026-03-02", "2026-03-01")
            .replace('"totalEntries": 3', '"totalEntries": 2')
            .replace('"count": 3', '"count": 2')
        )
        assert derived(LAYOUT, tree)[KB].decode() == ours
    if name == "trailing-comma":
        (found,) = problems(tree)
        assert found in [("MG101", 4, False), ("MG101", 5, False)]  # Python 3.13 names the comma
        assert value["categories"][0]["keywords"] == ["drift"]
    assert derive_all(view_of(LAYOUT, derived(LAYOUT, tree))) == {}


# What is counted


def test_what_counts_as_an_entry() -> None:
    text = (
        entry("One")
        + "\n## Sample (may be deleted)\n\n"
        + entry("Two")
        + "**Archived:** 2026-04-02\n\n## Words alone\n\nSome text.\n"
    )
    tree = files({KB: INDEX, "knowledge-base/tides.md": text})
    value = index(tree)
    assert value["categories"][0]["count"] == value["totalEntries"] == 3
    assert value["lastUpdated"] == "2026-04-02"


def test_lines_of_a_log_are_no_entries() -> None:
    log = '# Activity Log\n\n## [2026-05-05] write | Recorded to knowledge-base/tides.md: "A"\n'
    tree = files(
        {KB: INDEX, "knowledge-base/tides.md": entry("A"), "log.md": log, "knowledge-base/log.md": log}
    )
    assert derive_all(view_of(LAYOUT, tree)) == {}


def test_the_newest_real_date_counts() -> None:
    text = entry("A", "2026-02-30") + "\n" + entry("B", "2026-01-15") + "\n" + entry("C", "03/02/2026")
    tree = files({KB: INDEX, "knowledge-base/tides.md": text})
    assert index(tree)["lastUpdated"] == "2026-01-15"


def test_without_any_date_the_one_that_is_there_stays() -> None:
    tree = files({KB: INDEX, "knowledge-base/tides.md": "## A\n**Context:** x\n"})
    assert derive_all(view_of(LAYOUT, tree)) == {}
    empty = INDEX.replace('"2026-03-01"', '"YYYY-MM-DD"')
    assert index(files({KB: empty}))["lastUpdated"] == "YYYY-MM-DD"


def test_a_file_that_cannot_be_read_keeps_its_count() -> None:
    tree = files({KB: INDEX, "knowledge-base/tides.md": b"## A\n**Date:** 2026-03-01\n\xff\n"})
    assert derive_all(view_of(LAYOUT, tree)) == {}


# Names and keywords


def test_a_category_without_file_stays_listed() -> None:
    value = index(files({KB: INDEX, "knowledge-base/locks.md": entry("A")}))
    assert [(item["id"], item["name"], item["count"]) for item in value["categories"]] == [
        ("tides", "Tides & Currents", 0),
        ("locks", "Locks", 1),
    ]
    assert value["totalEntries"] == 1


def test_new_categories_come_last_and_look_like_the_others() -> None:
    text = entry("A", "2026-03-05", "gates, Sluice") + "\n" + entry("B", keywords="sluice, pumps")
    new = derived(
        LAYOUT,
        files({KB: INDEX, "knowledge-base/tides.md": entry("T"), "knowledge-base/lock-gates.md": text}),
    )[KB].decode()
    added = """\
    },
    {
      "id": "lock-gates",
      "name": "Lock Gates",
      "keywords": [
        "gates",
        "Sluice",
        "pumps"
      ],
      "file": "lock-gates.md",
      "count": 2
    }
  ],"""
    assert new == INDEX.replace("    }\n  ],", added).replace("2026-03-01", "2026-03-05").replace(
        '"totalEntries": 1', '"totalEntries": 3'
    )


def test_frontmatter_of_the_file_comes_before_the_index() -> None:
    meta = "---\nname: The Tides\nkeywords: [spring, ebb]\n---\n\n"
    value = index(files({KB: INDEX, "knowledge-base/tides.md": meta + entry("A")}))
    assert value["categories"][0]["name"] == "The Tides"
    assert value["categories"][0]["keywords"] == ["spring", "ebb", "Flood"]


def test_keywords_gathered_from_records_are_bounded() -> None:
    many = ", ".join(f"word{number}" for number in range(100))
    tree = files(
        {
            "knowledge-base/tides.md": entry("A", keywords=many),
            "experience/skill-x.md": entry("A", keywords="one"),
        }
    )
    assert len(index(tree)["categories"][0]["keywords"]) == MAX_KEYWORDS
    tree = derived(LAYOUT, tree)
    tree["experience/skill-x.md"] += entry("B", keywords=many).encode()
    keywords = index(tree, EX)["skills"][0]["keywords"]
    assert keywords[:3] == ["one", "word0", "word1"] and len(keywords) == MAX_KEYWORDS


def test_chosen_keywords_are_never_cut() -> None:
    many = [f"word{number}" for number in range(100)]
    text = INDEX.replace('"ebb",\n        "Flood"', ",\n        ".join(json.dumps(word) for word in many))
    assert derive_all(view_of(LAYOUT, files({KB: text, "knowledge-base/tides.md": entry("A")}))) == {}


def test_keywords_of_an_experience_grow_with_its_records_one_by_one_or_at_once() -> None:
    one, two = entry("A", keywords="x, y", skill="s"), entry("B", keywords="Y, z", skill="s")
    start = derived(LAYOUT, files({"experience/skill-s.md": one}))
    assert index(start, EX)["skills"] == [
        {"skillId": "s", "file": "skill-s.md", "keywords": ["x", "y"], "count": 1}
    ]
    both = derived(LAYOUT, {**start, "experience/skill-s.md": (one + "\n" + two).encode()})
    assert index(both, EX)["skills"][0]["keywords"] == ["x", "y", "z"]
    fewer = derived(LAYOUT, {**both, "experience/skill-s.md": one.encode()})
    assert index(fewer, EX)["skills"][0] == {
        "skillId": "s",
        "file": "skill-s.md",
        "keywords": ["x", "y", "z"],
        "count": 1,
    }


def test_twins_in_a_badly_merged_index_become_one() -> None:
    value = json.loads(INDEX)
    value["categories"].append(
        {**value["categories"][0], "keywords": ["EBB", "neap"], "count": 7, "note": "kept"}
    )
    tree = files({KB: json.dumps(value), "knowledge-base/tides.md": entry("A")})
    assert index(tree)["categories"] == [
        {**json.loads(INDEX)["categories"][0], "keywords": ["ebb", "Flood", "neap"], "note": "kept"}
    ]


# Shapes


VARIANTS = {
    "no name, no count": (
        '{"lastUpdated": "2026-03-01", "categories": [{"id": "tides", "file": "tides.md", "keywords": '
        '["ebb"]}]}\n'
    ),
    "name alone": '{\n  "categories": [\n    {\n      "name": "tides",\n      "keywords": ["ebb"]\n    }\n  ],\n'
    '  "lastUpdated": "2026-03-01"\n}\n',
    "description": '{\n    "categories": [\n        {\n            "name": "tides",\n            "keywords": [\n'
    '                "ebb"\n            ],\n'
    '            "description": "kept"\n        }\n    ]\n}',
    "moment": (
        '{"lastUpdated": "2026-03-01T10:11:12", "totalEntries": 1, "categories": [{"id": "tides", '
        '"count": 1}]}'
    ),
    "unknown": '{"owner": "me", "version": 3.0, "categories": [{"id": "tides", "file": "./tides.md", "count": '
    '1, "weight": 1e3}], '
    '"z": {"a": []}}',
}


TOP = {"lastUpdated", "version", "totalEntries", "categories"}
ITEM = {"id", "name", "keywords", "file", "count"}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_a_variant_keeps_its_manner_and_gets_the_keys_that_it_lacks(
    variant: str, newline: str, bom: str
) -> None:
    text = bom + VARIANTS[variant].replace("\n", newline)
    tree = files({KB: text, "knowledge-base/tides.md": entry("A", keywords="drift")})
    new = derived(LAYOUT, tree)[KB].decode()
    assert (
        new.startswith(bom + "{")
        and new.count("\n") == new.count(newline)
        and new.endswith("\n") == text.endswith("\n")
    )
    old, value = json.loads(text.removeprefix("\ufeff")), json.loads(new.removeprefix("\ufeff"))
    assert set(value) >= TOP and list(value)[: len(old)] == list(old)
    [was], [item] = old["categories"], value["categories"]
    assert set(item) >= ITEM and list(item)[: len(was)] == list(was)
    assert {key: item[key] for key in was} == was
    wanted = {"id": "tides", "name": "Tides", "keywords": ["drift"], "file": "tides.md", "count": 1}
    assert {key: item[key] for key in ITEM - set(was)} == {key: wanted[key] for key in ITEM - set(was)}
    assert value["totalEntries"] == 1
    assert derive_all(view_of(LAYOUT, {**tree, KB: new.encode()})) == {}


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_stays_one_when_a_category_is_added(variant: str) -> None:
    tree = files(
        {KB: "\ufeff" + VARIANTS[variant].replace("\n", "\r\n"), "knowledge-base/tides.md": entry("A")}
    )
    tree = derived(LAYOUT, tree)
    old = json.loads(tree[KB].decode().removeprefix("\ufeff"))
    new = derived(LAYOUT, {**tree, "knowledge-base/locks.md": entry("B", keywords="gate").encode()})[KB]
    value = json.loads(new.removeprefix(b"\xef\xbb\xbf"))
    assert new.count(b"\n") == new.count(b"\r\n")
    assert list(value) == list(old) and value["categories"][0] == old["categories"][0]
    assert list(value["categories"][1]) == [
        key for key in old["categories"][0] if key not in ("description", "weight")
    ]
    assert value["categories"][1]["name"] == "Locks"
    assert value["totalEntries"] == 2


THIN = {
    "nothing": "{}",
    "no list": '{"version": "1.2.0"}',
    "null": '{"categories": null}',
    "no list and blanks": "{ }\n",
    "a file": '{"categories": [{"file": "tides.md"}]}',
    "an id": '{"categories": [{"id": "tides"}], "lastUpdated": "2026-01-01"}\n',
    "a name": '{"categories": [{"name": "Low Water", "file": "tides.md"}]}',
}


class Historic(View):
    """A tree after others, of which it knows the versions of one file, newest first."""

    def __init__(self, tree: dict[str, bytes], older: list[str]) -> None:
        super().__init__(LAYOUT, EditedTree(NO_FILES, tree))
        self.older = older

    def last_good(self, path: str, is_good: Callable[[bytes], bool]) -> bytes | None:
        return next((text.encode() for text in self.older if is_good(text.encode())), None)


@pytest.mark.parametrize("meta", ["", "---\nname: Ebb and flow\nkeywords: [spring]\n---\n\n"])
@pytest.mark.parametrize("text", THIN.values(), ids=THIN.keys())
def test_a_thin_index_gets_its_keys_from_the_file_then_from_history(text: str, meta: str) -> None:
    tree = files({KB: text, "knowledge-base/tides.md": meta + entry("A", keywords="drift")})
    view = Historic(
        tree, ["{", '{"categories": [{"file": "tides.md", "name": "Thin"}]}', INDEX.replace("[]", '["kept"]')]
    )
    made = derive_all(view)[KB]
    assert made is not None
    value = json.loads(made)
    [item] = value["categories"]
    assert set(value) >= TOP and set(item) == ITEM and value["absorbedSkills"] == ["kept"]
    named = "Ebb and flow" if meta else "Low Water" if "Low Water" in text else "Tides & Currents"
    keywords = {"ebb", "Flood"} if not meta else {"spring"}
    if "[" not in text:
        keywords |= {"ebb", "Flood"}  # as in an index that is whole, those that only the index has stay
    assert (item["id"], item["name"], item["file"], item["count"]) == ("tides", named, "tides.md", 1)
    assert set(item["keywords"]) == keywords
    assert derive_all(Historic({**tree, KB: made}, [])) == {}


def test_a_thin_index_without_any_past() -> None:
    tree = files(
        {
            KB: "{}",
            "knowledge-base/tides.md": entry("A", keywords="drift"),
            EX: "{}\r\n",
            "experience/skill-s.md": entry("B", skill="s"),
        }
    )
    fresh = {path: data for path, data in tree.items() if path not in (KB, EX)}
    assert index(tree) == index(fresh)
    assert derived(LAYOUT, tree)[EX] == derived(LAYOUT, fresh)[EX]


def test_an_item_with_a_name_alone_is_brought_up_to_date_at_once() -> None:
    text = "---\nname: Moon and Tides\n---\n\n" + entry("A")
    once = derived(
        LAYOUT,
        files(
            {KB: '{"categories": [{"name": "tides", "keywords": ["ebb"]}]}', "knowledge-base/tides.md": text}
        ),
    )
    assert json.loads(once[KB])["categories"] == [
        {"name": "Moon and Tides", "keywords": ["ebb"], "id": "tides", "file": "tides.md", "count": 1}
    ]
    assert derived(LAYOUT, once) == once


@pytest.mark.parametrize("none", ["null", "0", '""'])
def test_a_name_that_alone_leads_to_its_file_stays(none: str) -> None:
    text = "---\nname: Moon and Tides\n---\n\n" + entry("A")
    broken = (
        f'{{"categories": [{{"id": {none}, "file": {none}, "name": "tides", "keywords": ["ebb"], '
        f'"count": 3}}]}}'
    )
    once = derived(LAYOUT, files({KB: broken, "knowledge-base/tides.md": text}))
    (item,) = json.loads(once[KB])["categories"]
    assert (item["name"], item["count"], item["keywords"]) == ("tides", 1, ["ebb"])
    assert derived(LAYOUT, once) == once


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ('"ebb, flow,"', ("ebb", "flow")),
        ("1.5", ()),
        ("true", ()),
        ('{"ebb": 1}', ()),
        ("null", ()),
        ('[1, "ebb"]', ("ebb",)),
    ],
)
def test_keywords_in_another_form_stay_and_are_read_as_far_as_they_go(
    words: str, found: tuple[str, ...]
) -> None:
    text = INDEX.replace('[\n        "ebb",\n        "Flood"\n      ]', words)
    assert words in text
    view = view_of(LAYOUT, files({KB: text, "knowledge-base/tides.md": entry("A", keywords="moon")}))
    assert derive_all(view) == {}
    assert known_keywords(view, KNOWLEDGE) == [("tides", "knowledge-base/tides.md", found or ("moon",))]
    assert taken_over(view, None, KNOWLEDGE)["knowledge-base/tides.md"].get("keywords", ()) == found


def test_a_file_that_is_no_entry_file_is_none_for_the_quick_way_either() -> None:
    items = (
        '{"skillId": "a", "file": "skill-deep/a.md", "keywords": [], "count": 0},'
        '{"skillId": "deep/a", "file": "x", "keywords": [], "count": 0}'
    )
    tree = files(
        {
            EX: f'{{"lastUpdated": "2026-03-01", "version": "1.2.0", "skills": [{items}]}}',
            "experience/skill-deep/a.md": "no entry",
            "experience/skill-b.md": entry("A", skill="b"),
        }
    )
    base = view_of(LAYOUT, derived(LAYOUT, tree))
    path = "experience/skill-b.md"
    view = view_of(LAYOUT, {**derived(LAYOUT, tree), path: tree[path] + entry("B", skill="b").encode()})
    fast = quick(view, base, EX, {path}, EXPERIENCE)
    assert fast is not None
    assert fast.data == render_all(view)[EX].data


def test_what_lacks_keys_and_has_no_file_gets_them_too() -> None:
    value = index(
        files(
            {KB: '{"categories": [{"id": "gone"}, {"note": 1}]}', EX: '{"skills": [{"file": "skill-x.md"}]}'}
        )
    )
    assert value["categories"] == [
        {"id": "gone", "name": "Gone", "keywords": [], "file": "gone.md", "count": 0},
        {"note": 1},
    ]
    assert index(files({EX: '{"skills": [{"file": "skill-x.md"}]}'}), EX)["skills"] == [
        {"file": "skill-x.md", "skillId": "x", "keywords": [], "count": 0}
    ]


EXPERIENCES = {
    "named": (
        '{"lastUpdated": null, "skills": [{"id": "s", "name": "S kill", "file": "skill-s.md", '
        '"keywords": ["x"], "count": 1}]}'
    ),
    "dashed": (
        '{"skills": [{"skill-id": "s", "file": "skill-s.md", "keywords": ["x"], "count": 1, '
        '"lastUpdated": "2026-03-01"}]}'
    ),
    "many keys": '{"skills": [{"skillId": "s", "name": "S", "file": "skill-s.md", "count": 1, "last_updated": '
    '"2026-03-01", "t": ["q"], '
    '"keywords": ["x"]}]}',
}


@pytest.mark.parametrize("variant", EXPERIENCES)
def test_variants_of_the_experience_index(variant: str) -> None:
    tree = files({EX: EXPERIENCES[variant], "experience/skill-s.md": entry("A", keywords="x, y", skill="s")})
    value = index(tree, EX)
    old = json.loads(EXPERIENCES[variant])
    assert value["skills"] == old["skills"]
    assert value.get("lastUpdated", "2026-03-01") == "2026-03-01"
    tree["experience/skill-s.md"] += entry("B", "2026-04-01", "y, z", skill="s").encode()
    skill = index(tree, EX)["skills"][0]
    assert (
        list(skill) == list(old["skills"][0]) and skill["keywords"] == ["x", "y", "z"] and skill["count"] == 2
    )
    assert {skill.get("lastUpdated"), skill.get("last_updated")} <= {None, "2026-04-01"}


def test_an_item_is_found_by_its_file_its_id_or_its_name() -> None:
    text = '{"categories": [{"id": "x", "name": "tides", "file": "gone.md", "count": 5}], "totalEntries": 5}'
    assert index(files({KB: text, "knowledge-base/tides.md": entry("A")}))["categories"][0]["count"] == 1


@pytest.mark.parametrize(
    ("named", "kept"),
    [
        ("gone.md", "tides.md"),
        ("north/gone.md", "tides.md"),
        ("tides.md", "tides.md"),
        ("./tides.md", "./tides.md"),
        ("kb/tides.md", "kb/tides.md"),
    ],
)
def test_an_item_that_names_a_file_that_is_not_there_gets_the_one_that_its_id_led_to(
    named: str, kept: str
) -> None:
    text = json.dumps(
        {"categories": [{"id": "tides", "name": "Tides", "file": named, "count": 1}], "totalEntries": 1}
    )
    assert index(files({KB: text, "knowledge-base/tides.md": entry("A")}))["categories"][0]["file"] == kept


def test_a_category_in_a_folder() -> None:
    tree = derived(
        LAYOUT,
        files({"knowledge-base/north/tide-tables.md": entry("A"), "experience/old/skill-s.md": entry("A")}),
    )
    assert json.loads(tree[KB])["categories"][0]["file"] == "north/tide-tables.md"
    assert json.loads(tree[KB])["categories"][0]["name"] == "Tide Tables"
    assert json.loads(tree[EX])["skills"][0]["file"] == "old/skill-s.md"
    nested = files(
        {"knowledge-base/knowledge-base/_index.json": "not ours", "knowledge-base/a.md": entry("A")}
    )
    assert derived(LAYOUT, nested)["knowledge-base/knowledge-base/_index.json"] == b"not ours"


# Broken, foreign, absent


FOREIGN = {
    "array": "[]",
    "knowledgeBase": '{"version": "2.0", "knowledgeBase": [{"skill_id": "x", "title": "T", "owner": "me"}]}',
    "knowledge_bases": (
        '{"last_updated": "2026-04-01", "knowledge_bases": [{"id": "x", "category": "c", "path": "c/x.md"}]}'
    ),
    "other keys": '{"settings": {}}',
    "a mapping": '{"categories": {"tides": 1}}',
    "texts": '{"categories": ["tides"]}',
    "number": "7",
}


@pytest.mark.parametrize("text", FOREIGN.values(), ids=FOREIGN.keys())
def test_another_tools_file_is_left_alone(text: str) -> None:
    tree = files({KB: text, "knowledge-base/tides.md": entry("A")})
    assert derive_all(view_of(LAYOUT, tree)) == {}
    assert problems(tree) == [("MG101", 1, True)]


def test_another_tools_experience_index_is_left_alone() -> None:
    tree = files(
        {
            EX: '{"version": "2.0", "skills": [{"skill_id": "s", "title": "T"}]}',
            "experience/skill-s.md": entry("A"),
        }
    )
    assert derive_all(view_of(LAYOUT, tree)) == {}


def test_names_and_keywords_come_from_both_sides_of_a_conflict() -> None:
    ours = INDEX.replace('"Flood"', '"Flood",\n        "neap"')
    theirs = INDEX.replace(
        "    }\n  ]",
        '    },\n    {\n      "id": "locks",\n      "name": "Locks & Co",\n      "keywords": ["gate"],\n'
        '      "file": "locks.md",\n      "count": 1\n    }\n  ]',
    ).replace('"Tides & Currents"', '"Other"')
    tree = files(
        {
            KB: f"<<<<<<< ours\n{ours}\n||||||| base\n{INDEX}\n=======\n{theirs}\n>>>>>>> theirs\n",
            "knowledge-base/tides.md": entry("A"),
            "knowledge-base/locks.md": entry("B"),
        }
    )
    value = index(tree)
    assert [(item["name"], item["keywords"], item["count"]) for item in value["categories"]] == [
        ("Tides & Currents", ["ebb", "Flood", "neap"], 1),
        ("Locks & Co", ["gate"], 1),
    ]
    assert problems(tree) == [("MG104", 1, False)]


def test_what_cannot_be_made_out_comes_from_history() -> None:
    good, bad = INDEX.encode(), b'{"categories": ['
    tree = files({KB: b"garbage", "knowledge-base/tides.md": entry("A", keywords="other")})
    view = OlderView(LAYOUT, tree, {KB: [bad, b"\xff", b"[]", good, b'{"categories": []}']})
    new = derive_all(view)[KB]
    assert new is not None
    assert json.loads(new)["categories"][0]["name"] == "Tides & Currents"
    assert json.loads(new)["categories"][0]["keywords"] == ["ebb", "Flood"]
    assert json.loads(derived(LAYOUT, tree)[KB])["categories"][0]["keywords"] == ["other"]


def test_history_helps_where_the_broken_file_lost_a_part() -> None:
    tree = files({KB: INDEX[:120], "knowledge-base/tides.md": entry("A")})
    view = OlderView(LAYOUT, tree, {KB: [INDEX.encode()]})
    new = derive_all(view)[KB]
    assert new is not None
    assert json.loads(new)["categories"][0]["keywords"] == ["ebb", "Flood"]


def test_bytes_that_are_no_text_are_left_alone_unless_history_knows_better() -> None:
    tree = files({KB: INDEX.encode("utf-16"), "knowledge-base/tides.md": entry("A")})
    assert derive_all(view_of(LAYOUT, tree)) == {}
    assert problems(tree) == [("MG001", 1, True)]
    assert derive_all(OlderView(LAYOUT, tree, {KB: [INDEX.encode()]})) == {KB: INDEX.encode() + b"\n"}


def test_an_index_appears_with_its_first_entry_and_not_before() -> None:
    for layout in (LAYOUT, memgit()):
        assert not {KB, EX} & set(derived(layout, files({"README.md": "x", "knowledge-base/README.md": "x"})))
        assert {KB} == {KB, EX} & set(derived(layout, files({"knowledge-base/tides.md": entry("A")})))
    assert json.loads(
        derived(LAYOUT, files({"knowledge-base/tides.md": entry("A", keywords="ebb")}))[KB]
    ) == {
        "lastUpdated": "2026-03-01",
        "version": "1.2.0",
        "totalEntries": 1,
        "categories": [{"id": "tides", "name": "Tides", "keywords": ["ebb"], "file": "tides.md", "count": 1}],
        "absorbedSkills": [],
    }


def test_an_index_of_nothing_is_not_made_when_the_last_file_goes() -> None:
    assert derive_affected(view_of(LAYOUT, {}), ["knowledge-base/tides.md"]) == {}


# Merging as text


def two_categories() -> dict[str, bytes]:
    tree = {
        "knowledge-base/locks.md": entry("A", keywords="gate"),
        "knowledge-base/tides.md": entry("A", keywords="ebb"),
    }
    return derived(LAYOUT, files({**tree, "experience/skill-s.md": entry("A", keywords="x", skill="s")}))


def grown(tree: dict[str, bytes], path: str, *texts: str) -> dict[str, bytes]:
    """A tree in which entries were added to a file one by one, each with the index that it affects."""
    for text in texts:
        state = {**tree, path: tree[path] + b"\n" + text.encode()}
        tree = applied(state, derive_affected(view_of(LAYOUT, state), [path]))
    return tree


@pytest.mark.parametrize(("one", "two"), [("locks", "tides"), ("tides", "tides")])
def test_after_any_merge_the_index_says_what_the_files_say(tmp_path: Path, one: str, two: str) -> None:
    base = two_categories()
    ours = grown(base, f"knowledge-base/{one}.md", entry("Ours", "2026-05-01"))
    theirs = grown(base, f"knowledge-base/{two}.md", entry("Theirs", "2026-06-01"))
    ours[KB] = ours[KB].replace(b'"Tides"', b'"Tides & Co"')
    _, tree = merged(tmp_path, base, theirs, ours)
    if one == two:  # both added at the end of one file: both are kept
        tree[f"knowledge-base/{one}.md"] = grown(
            ours, f"knowledge-base/{one}.md", entry("Theirs", "2026-06-01")
        )[f"knowledge-base/{one}.md"]
    value = index(tree)
    assert value["totalEntries"] == 4 and value["lastUpdated"] == "2026-06-01"
    assert [item["count"] for item in value["categories"]] == ([2, 2] if one != two else [1, 3])
    assert value["categories"][1]["name"] == "Tides & Co"
    assert derive_all(view_of(LAYOUT, derived(LAYOUT, tree))) == {}


def test_after_a_merge_the_keywords_of_both_experiences_are_there(tmp_path: Path) -> None:
    base, path = two_categories(), "experience/skill-s.md"
    ours, theirs = (
        grown(base, path, entry("Ours", keywords="y")),
        grown(base, path, entry("Theirs", keywords="z")),
    )
    conflicts, tree = merged(tmp_path, base, theirs, ours)
    assert conflicts
    tree[path] = ours[path] + b"\n" + entry("Theirs", keywords="z").encode()
    skill = index(tree, EX)["skills"][0]
    assert skill["count"] == 3 and sorted(skill["keywords"]) == ["x", "y", "z"]


# For others


def test_names() -> None:
    meta = "---\nname: The Locks\n---\n\n"
    tree = files(
        {
            KB: INDEX,
            "knowledge-base/tides.md": entry("A"),
            "knowledge-base/locks.md": meta + entry("B", keywords="gate"),
            "knowledge-base/wind-and-wave.md": "",
            "experience/skill-s.md": entry("A", keywords="x"),
        }
    )
    assert sorted(names(view_of(LAYOUT, tree), KNOWLEDGE)) == [
        ("knowledge-base/locks.md", "The Locks"),
        ("knowledge-base/tides.md", "Tides & Currents"),
        ("knowledge-base/wind-and-wave.md", "Wind And Wave"),
    ]
    assert names(view_of(LAYOUT, tree), EXPERIENCE) == [("experience/skill-s.md", "s")]


def test_title_of() -> None:
    assert [title_of(key) for key in ("design-layout", "ci_cd", "north/lock-gates", "潮汐", "--")] == [
        "Design Layout",
        "Ci Cd",
        "Lock Gates",
        "潮汐",
        "--",
    ]


def test_what_only_the_index_knows_is_to_be_taken_over() -> None:
    tree = files({KB: INDEX, "knowledge-base/tides.md": entry("A")})
    view = view_of(LAYOUT, tree)
    assert taken_over(view, None, KNOWLEDGE) == {
        "knowledge-base/tides.md": {"name": "Tides & Currents", "keywords": ("ebb", "Flood")}
    }
    said = {
        **tree,
        "knowledge-base/tides.md": b"---\nname: Tides & Currents\nkeywords: [ebb, Flood]\n---\n\n"
        + entry("A").encode(),
    }
    base = view_of(LAYOUT, said)
    assert taken_over(base, None, KNOWLEDGE) == taken_over(base, base, KNOWLEDGE) == {}
    renamed = {
        **said,
        KB: INDEX.replace("Tides & Currents", "Waters").replace('"ebb",\n        ', "").encode(),
    }
    assert taken_over(view_of(LAYOUT, renamed), base, KNOWLEDGE) == {
        "knowledge-base/tides.md": {"name": "Waters", "keywords": ("Flood",)}
    }
    both = {
        **renamed,
        "knowledge-base/tides.md": said["knowledge-base/tides.md"]
        .replace(b"Tides & C", b"C")
        .replace(b"ebb, ", b"x, "),
    }
    assert taken_over(view_of(LAYOUT, both), base, KNOWLEDGE) == {}

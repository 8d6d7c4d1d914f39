"""The derived files of a memory vault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memgit.derive import derive_affected, derive_all, render_all, view_of
from memgit.derive.vault import tokens
from memgit.formats.markdown import relative_links
from memgit.model.layout import vault
from tests.derive.trees import Files, OlderView, applied, derived, files, merged, on_disk

LAYOUT = vault()
INDEX, PAGE, README = (
    ".memory/memory-index.json",
    ".memory/20-Indices/index.md",
    ".memory/10-Memories/README.md",
)


def memory(
    title: str,
    created: str = "2026-03-01",
    tags: str = "[PATTERN, x]",
    topic: str = "boats/sail",
    **fields: str,
) -> str:
    lines = [
        f'title: "{title}"',
        f"created: {created}",
        f"tags: {tags}",
        f'topic: "{topic}"',
        'source: ""',
        f"modified: {created}",
    ]
    lines += [f"{key}: {value}" for key, value in fields.items()]
    return "\n".join(["---", *lines, "---", "", f"# {title}", "", "Some words of text.", ""])


def path(name: str) -> str:
    return f".memory/10-Memories/{name}.md"


EMPTY = json.dumps(
    {"version": "1.0.0", "generated_at": None, "entry_count": 0, "total_tokens": 0, "entries": []}, indent=2
)


def index(tree: Files) -> Any:
    return json.loads(derived(LAYOUT, tree)[INDEX].decode("utf-8-sig"))


@pytest.fixture
def corpus(corpora: Path) -> Files:
    return on_disk(corpora / "vault")


# memory-index.json


def test_the_vault_of_the_corpora(corpus: Files) -> None:
    old, new = json.loads(corpus[INDEX]), index(corpus)
    assert list(new) == list(old) and new["version"] == "1.0.0" and new["generated_at"] == "2026-04-12"
    assert new["entry_count"] == len(new["entries"]) == 12
    assert new["total_tokens"] == sum(item["token_count"] for item in new["entries"])
    before, after = ({item["id"]: item for item in value["entries"]} for value in (old, new))
    assert [item["id"] for item in new["entries"]] == [
        *(item["id"] for item in old["entries"] if item["id"] != "MEM-winter-storage-rates"),
        "harbour-list-query-needs-the-partial-index",
    ]
    counters = {
        name.removeprefix("MEM-"): (item["retrieval_count"], item["last_retrieved"])
        for name, item in after.items()
    }
    assert counters["pattern-idempotent-booking-endpoint"] == (9, "2026-04-19")
    assert counters["pattern-idempotent-refund-endpoint"] == (1, "2026-03-09")
    assert counters["quote-rounding-follows-the-currency"] == (4, "2026-04-20")
    assert counters["nightly-export-uses-read-replica"] == (0, None)
    assert {name: item["status"] for name, item in after.items() if "status" in item} == {
        "MEM-nightly-export-uses-read-replica": "tombstoned",
        "MEM-pattern-idempotent-cancel-endpoint": "tombstoned",
    }
    changed = {
        key: sorted(name for name in before.keys() & after if before[name][key] != after[name][key])
        for key in ("topic", "modified", "title", "summary", "keywords", "category", "created", "path")
    }
    assert changed == {
        "topic": ["MEM-pattern-idempotent-booking-endpoint", "MEM-pattern-idempotent-payment-endpoint"],
        "modified": ["MEM-map-tiles-cache-key-includes-zoom", "MEM-quote-rounding-follows-the-currency"],
        "title": ["MEM-pattern-idempotent-refund-endpoint"],
        "summary": [],
        "keywords": [],
        "category": [],
        "created": [],
        "path": [],
    }
    assert after["MEM-pattern-idempotent-booking-endpoint"]["token_count"] == 102
    added = after["harbour-list-query-needs-the-partial-index"]
    assert list(added) == [key for key in old["entries"][0] if key != "status"]
    assert (
        added["category"] == "sql"
        and added["keywords"] == []
        and added["summary"].startswith("The planner scans every harbour")
    )


def test_the_vault_of_the_corpora_twice_and_step_by_step(corpus: Files) -> None:
    tree = derived(LAYOUT, corpus)
    assert derive_all(view_of(LAYOUT, tree)) == {}
    changed = {name for name in corpus if tree.get(name) != corpus[name]}
    assert changed == {INDEX, PAGE, README}
    rest = {name: data for name, data in corpus.items() if name not in changed}
    assert all(tree[name] == data for name, data in rest.items())


def test_what_did_not_change_keeps_its_bytes(corpus: Files) -> None:
    tree = derived(LAYOUT, corpus)
    name = path("MEM-lock-berth-before-price-quote")
    tree[name] = tree[name].replace(
        b'title: "Lock the berth', b'title: "Lock the "berth" [x]'.replace(b'"berth"', b"berth")
    )
    old, new = tree[INDEX].decode().split("\n"), derived(LAYOUT, tree)[INDEX].decode().split("\n")
    assert len(old) == len(new)
    differing = [line for line, other in zip(old, new, strict=True) if line != other]
    assert len(differing) <= 3 and any("title" in line for line in differing)


def test_tokens_are_words_times_one_point_three_floored() -> None:
    assert tokens(b"---\na: b c d\n---\n\none two three four\n") == 5
    assert tokens(b"one two three") == 3
    assert tokens(b"\xff") == 0
    assert tokens("\ufeff---\r\na: b\r\n---\r\n".encode() + b"x " * 10) == 13


@pytest.mark.parametrize("version", ['"1.0.0"', "1", None])
@pytest.mark.parametrize("moment", ["2026-03-01", "2026-03-01T12:00:00", "2026-03-01T12:00:00Z"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_variants_that_are_right_keep_their_bytes(version: str | None, moment: str, newline: str) -> None:
    tree = files(
        {path("MEM-a"): memory("A", summary='"About a"'), path("b"): memory("B", status="tombstoned")}
    )
    body = derived(LAYOUT, {**tree, INDEX: EMPTY.encode()})[INDEX].decode()
    body = (
        body.replace('"version": "1.0.0"', f'"version": {version}')
        if version
        else body.replace('  "version": "1.0.0",\n', "")
    )
    body = body.replace('"generated_at": "2026-03-01"', f'"generated_at": "{moment}"').replace("\n", newline)
    assert derive_all(view_of(LAYOUT, {**tree, INDEX: body.encode()})) == {}
    tree[path("MEM-c")] = memory("C", "2026-03-09").encode()
    value = index({**tree, INDEX: body.encode()})
    assert value["generated_at"] == "2026-03-09" + moment[10:].replace("12", "00")
    assert value.get("version") == (json.loads(version) if version else None)


def test_other_keys_of_entries_are_filled_or_kept() -> None:
    entry: dict[str, Any] = {
        "id": "MEM-a",
        "path": path("MEM-a"),
        "title": "x",
        "created": "2026-01-01",
        "modified": "2026-01-01",
        "topic": "",
        "source": "",
        "tags": [],
        "keywords": [],
        "summary": "from the index",
        "token_count": 1,
        "retrieval_count": 3,
        "last_retrieved": None,
        "mine": {"kept": True},
    }
    tree = files(
        {
            INDEX: json.dumps({"entries": [entry]}),
            path("MEM-a"): memory("A", keywords="[k]", retrieval_count="2"),
        }
    )
    value = index(tree)
    assert list(value) == ["entries"] and list(value["entries"][0]) == list(entry)
    assert value["entries"][0] == {
        **entry,
        "title": "A",
        "created": "2026-03-01",
        "modified": "2026-03-01",
        "topic": "boats/sail",
        "tags": ["PATTERN", "x"],
        "keywords": ["k"],
        "token_count": 7,
    }


def test_texts_come_from_the_index_where_the_file_has_none() -> None:
    entry: dict[str, Any] = {
        "id": "MEM-a",
        "path": path("MEM-a"),
        "title": "A",
        "summary": "S",
        "topic": "t",
        "category": "INSIGHT",
        "keywords": ["k"],
        "token_count": 0,
        "created": "2026-01-02",
        "modified": "2026-01-03",
        "last_retrieved": "2026-02-02",
        "retrieval_count": 5,
    }
    tree = files(
        {INDEX: json.dumps({"entries": [entry]}), path("MEM-a"): "---\ntitle: A\n---\n\nWords here.\n"}
    )
    assert index(tree)["entries"] == [{**entry, "token_count": 2}]


def test_a_tombstone_and_its_undoing() -> None:
    tree = files(
        {
            INDEX: EMPTY,
            path("a"): memory(
                "A", status="tombstoned", tombstoned_at="2026-04-01", tombstone_reason='"purge"'
            ),
        }
    )
    value = index(tree)
    assert (
        value["entries"][0]["status"] == "tombstoned"
        and value["generated_at"] == "2026-04-01"
        and value["entry_count"] == 1
    )
    again = {**derived(LAYOUT, tree), path("a"): memory("A").encode()}
    assert index(again)["entries"][0]["status"] == "active"


@pytest.mark.parametrize(
    "text", ["[]", '{"memories": []}', '{"entries": [1]}', '{"entries": [{"namespace": "x"}]}', "3"]
)
def test_another_tools_index_is_left_alone(text: str) -> None:
    tree = files({INDEX: text, path("a"): memory("A")})
    assert derive_all(view_of(LAYOUT, tree)) == {}
    assert render_all(view_of(LAYOUT, tree))[INDEX].problems[0].fatal


def test_the_foreign_index_of_the_corpora(corpora: Path) -> None:
    tree = files(
        {
            INDEX: (corpora / "oddities" / "indexes" / "foreign-memory-index.json").read_bytes(),
            path("a"): memory("A"),
        }
    )
    assert derive_all(view_of(LAYOUT, tree)) == {}


def test_a_broken_index_keeps_its_counters() -> None:
    tree = derived(LAYOUT, files({INDEX: EMPTY, path("a"): memory("A", retrieval_count="3")}))
    whole = tree[INDEX].decode().replace('"retrieval_count": 3', '"retrieval_count": 8')
    for broken in (
        whole.replace("  ]\n}", ""),
        f"<<<<<<< ours\n{whole}\n=======\n{EMPTY}\n>>>>>>> theirs\n",
        whole.replace('"entries"', ',"entries"'),
    ):
        assert index({**tree, INDEX: broken.encode()})["entries"][0]["retrieval_count"] == 8
    view = OlderView(LAYOUT, {**tree, INDEX: b"{"}, {INDEX: [whole.encode()]})
    assert b'"retrieval_count": 8' in (derive_all(view)[INDEX] or b"")


def test_nothing_appears_that_its_owner_does_not_have() -> None:
    assert derive_all(view_of(LAYOUT, files({path("a"): memory("A")}))) == {}
    assert derive_affected(view_of(LAYOUT, files({path("a"): memory("A")})), [path("a")]) == {}


# Pages


def test_the_pages_of_the_corpora(corpus: Files) -> None:
    tree = derived(LAYOUT, corpus)
    page, old = tree[PAGE].decode(), corpus[PAGE].decode()
    assert page.startswith(old[: old.index("- [MEM-lock")])
    middle = old[old.index("## JSON Index") : old.index("## Statistics")]
    assert middle in page and "- Total memories: 10\n" in page and "- Last updated: 2026-04-05\n" in page
    assert page.index("### [PATTERN]") < page.index("### enforcement") < page.index("### [CONFIG]")
    for name in (PAGE, README):
        folder = name.rpartition("/")[0].split("/")
        for link in relative_links(tree[name].decode()):
            parts = folder[: len(folder) - link.path.count("../")] + link.path.replace("../", "").split("/")
            assert "/".join(parts) in tree or link.path.endswith("/"), link.path
    for hidden in ("nightly-export", "cancel-endpoint", "winter-storage"):
        assert hidden not in page and hidden not in tree[README].decode()
    recent = page[page.index("## Recent") : page.index("## By Category")]
    assert recent.count("\n- [") == 10 and recent.index("MEM-settings") < recent.index(
        "harbour-list"
    ) < recent.index("refund")
    readme = tree[README].decode()
    assert readme.startswith(
        "# Memories\n\n### [MEM-001](MEM-001.md)\n**Title**: Berth numbers are strings\n\n### [MEM-lock"
    )
    assert readme.endswith("\n\n- [Back](../README.md)\n") and readme.count("### [") == 10


PAGE_TEXT = """\
# Index

## Quick Navigation
- [Inbox](../00-Inbox/)

## Recent Memories

- [MEM-a](../10-Memories/MEM-a.md) - A (2026-03-01)

## By Category

Sorted by us.

### [PATTERN]
- [MEM-a](../10-Memories/MEM-a.md) - A

## Mine

Words.

## Statistics
* Total memories: 1
- Total tokens: 7
- Something else: 9
- Last updated: 2026-03-01"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n## After\n"])
def test_only_known_sections_change(newline: str, end: str) -> None:
    text = (PAGE_TEXT + end).replace("\n", newline)
    tree = files({PAGE: text, path("MEM-a"): memory("A")})
    assert derive_all(view_of(LAYOUT, tree)) == {}
    tree[path("MEM-b")] = memory("B", "2026-03-04", "[draft]").encode()
    new = derive_affected(view_of(LAYOUT, tree), [path("MEM-b")])
    assert list(new) == [PAGE]
    expected = PAGE_TEXT + end
    expected = expected.replace(
        "- [MEM-a](../10-Memories/MEM-a.md) - A (",
        "- [MEM-b](../10-Memories/MEM-b.md) - B (2026-03-04)\n- [MEM-a](../10-Memories/MEM-a.md) - A (",
    )
    expected = expected.replace(
        "MEM-a.md) - A\n", "MEM-a.md) - A\n\n### draft\n- [MEM-b](../10-Memories/MEM-b.md) - B\n"
    )
    expected = (
        expected.replace("memories: 1", "memories: 2")
        .replace("tokens: 7", "tokens: 14")
        .replace("updated: 2026-03-01", "updated: 2026-03-04")
    )
    assert new[PAGE] == expected.replace("\n", newline).encode()
    assert derive_all(view_of(LAYOUT, applied(tree, new))) == {}


def test_an_empty_page_fills_up_and_empties_again() -> None:
    start = (
        "# I\n\n## Recent Memories\n\n(none)\n\n## By Category\n\n## By Topic\n\n## Statistics\n- Total "
        "memories: 0\n"
    )
    tree = files({PAGE: start})
    assert derive_all(view_of(LAYOUT, tree)) == {}
    full = derived(LAYOUT, {**tree, path("MEM-a"): memory("A", topic="").encode()})
    assert full[PAGE].decode() == (
        "# I\n\n## Recent Memories\n\n- [MEM-a](../10-Memories/MEM-a.md) - A (2026-03-01)\n\n"
        "## By Category\n\n### [PATTERN]\n- [MEM-a](../10-Memories/MEM-a.md) - A\n\n"
        "## By Topic\n\n### Other\n- [MEM-a](../10-Memories/MEM-a.md) - A\n\n## Statistics\n- Total "
        "memories: 1\n"
    )
    assert derive_all(view_of(LAYOUT, full)) == {}


def test_a_readme_keeps_what_people_wrote_between_its_entries() -> None:
    text = "# M\n\nWords.\n\n### [MEM-a](MEM-a.md)\n**Title**: old\n**Topic**: old\nA remark.\n\nMore.\n\n"
    text += "### [MEM-x](MEM-x.md)\n**Title**: X\n\n## Navigation\n"
    tree = files({README: text, path("MEM-a"): memory("A"), path("MEM-b"): memory("B <!-- x", tags="[a, b]")})
    assert derived(LAYOUT, tree)[README].decode() == (
        "# M\n\nWords.\n\n### [MEM-a](MEM-a.md)\n**Title**: A\n**Topic**: boats/sail\nA remark.\n\nMore.\n\n"
        "### [MEM-b](MEM-b.md)\n**Title**: B \\<!-- x\n\n## Navigation\n"
    )
    assert derive_all(view_of(LAYOUT, derived(LAYOUT, tree))) == {}
    words = files({README: "# Memories\n\n### Files\n\nNothing.\n", path("MEM-a"): memory("A")})
    assert derive_all(view_of(LAYOUT, words)) == {}


def test_a_conflict_in_generated_parts_is_settled(tmp_path: Path) -> None:
    readme = "# M\n\n### [MEM-a](MEM-a.md)\n**Title**: A\n\n- [Back](../README.md)\n"
    base = derived(LAYOUT, files({INDEX: EMPTY, PAGE: PAGE_TEXT, README: readme, path("MEM-a"): memory("A")}))
    ours = derived(LAYOUT, {**base, path("MEM-b"): memory("B", "2026-03-04", "[draft]").encode()})
    theirs = derived(LAYOUT, {**base, path("MEM-c"): memory("C", "2026-03-05").encode()})
    conflicts, tree = merged(tmp_path, base, theirs, ours)
    assert conflicts
    whole = derived(LAYOUT, tree)
    assert (
        whole[PAGE].startswith(b"# Index\n")
        and b"memories: 3\n" in whole[PAGE]
        and b"\n## Mine\n\nWords.\n" in whole[PAGE]
    )
    assert whole[README].count(b"\n### [") == 3 and whole[README].endswith(b"- [Back](../README.md)\n")
    assert json.loads(whole[INDEX])["entry_count"] == 3
    assert not any(b"<<<<<<<" in data for data in whole.values())
    assert derive_all(view_of(LAYOUT, whole)) == {}


def test_pages_in_conflict_or_no_text_are_left_alone() -> None:
    for data in (b"<<<<<<< a\nOurs.\n=======\nTheirs.\n>>>>>>> b\n\n## Statistics\n", b"\xff"):
        tree = files({PAGE: data, path("MEM-a"): memory("A")})
        assert derive_all(view_of(LAYOUT, tree)) == {}
        assert render_all(view_of(LAYOUT, tree))[PAGE].problems[0].fatal


def test_large_vaults_list_groups_alone() -> None:
    tree = files(
        {
            f".memory/10-Memories/MEM-{number:03}.md": memory(f"M{number}", topic=f"t{number % 3}")
            for number in range(301)
        }
    )
    tree[PAGE] = b"# I\n\n## By Topic\n\n## Recent Memories\n"
    page = derived(LAYOUT, tree)[PAGE].decode()
    assert (
        page.count("\n- [") == 10
        and "`memgit list --kind memory`" in page
        and "\n### t0\n### t1\n### t2\n" in page
    )
    assert derive_all(view_of(LAYOUT, {**tree, PAGE: page.encode()})) == {}

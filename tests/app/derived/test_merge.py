"""Merging derived files: what comes out is what the merged records give, and nothing that people chose is
lost.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.app.config import make_layout
from memgit.app.derived.merge import merge_derived
from memgit.app.merge.driver import merge_one
from memgit.derive import derive_all, is_derived, starters, view_of
from memgit.formats.codec import Draft
from memgit.formats.codecs import form_named
from memgit.formats.merging.merge import Merged

LAYOUT = make_layout("memgit")
VAULT = make_layout("vault")
MIRROR = make_layout("mnema")
INDEX = "knowledge-base/_index.json"


def derived(files: dict[str, bytes]) -> dict[str, bytes]:
    """Files with their derived files as they should be."""
    found = derive_all(view_of(LAYOUT, files))
    return {path: data for path, data in {**files, **found}.items() if data is not None}


def with_entry(
    files: dict[str, bytes], category: str, title: str, keywords: tuple[str, ...] = ()
) -> dict[str, bytes]:
    path = f"knowledge-base/{category}.md"
    draft = Draft(
        "knowledge",
        title,
        {"created": "2026-01-01", "context": f"about {title}", "keywords": keywords},
        f"- text of {title}",
    )
    return {**files, path: form_named("entries").create(draft, files.get(path))}


def with_memory(files: dict[str, bytes], scope: str, title: str) -> dict[str, bytes]:
    draft = Draft(
        "memory",
        title,
        {"id": title.casefold().ljust(10, "0")[:10], "created": "2026-01-01"},
        f"Text of {title}.",
    )
    path = f"memory/{f'{scope}/' if scope else ''}{title.casefold()}.md"
    return {**files, path: form_named("memgit").create(draft, None)}


def merged(
    base: dict[str, bytes], ours: dict[str, bytes], theirs: dict[str, bytes]
) -> tuple[dict[str, bytes], list[str]]:
    """Every file merged by itself, and the paths that conflict."""
    out: dict[str, bytes] = {}
    wrong = []
    for path in sorted({*base, *ours, *theirs}):
        result = merge_one(LAYOUT, path, base.get(path), ours.get(path), theirs.get(path))
        wrong += [path] if result.conflicts else []
        if result.data is not None:
            out[path] = result.data
    return out, wrong


ADDED = st.tuples(st.booleans(), st.sampled_from(["web", "api", "a-b", "a", "Größe"]), st.integers(0, 9))
additions = st.lists(ADDED, max_size=4, unique_by=lambda add: add[2])


def add(files: dict[str, bytes], what: list[tuple[bool, str, int]], side: str) -> dict[str, bytes]:
    for entry, where, number in what:
        files = (
            with_entry(files, where, f"{side}{number}", (side,))
            if entry
            else with_memory(files, where, f"{side}{number}")
        )
    return derived(files)


@settings(max_examples=20)
@given(additions, additions, additions)
def test_what_both_sides_add_is_derived_from_what_they_have_together(one: Any, two: Any, three: Any) -> None:
    base = add({**starters(LAYOUT)}, one, "Base")
    ours, theirs = add(base, two, "Ours"), add(base, three, "Theirs")
    for left, right in ((ours, theirs), (theirs, ours)):
        files, wrong = merged(base, left, right)
        assert wrong == []
        # Where both sides made the same file of it, git takes that one and asks no driver: that is left to
        # `rebuild`.
        assert all(left[path] == right[path] for path in derive_all(view_of(LAYOUT, files)))


@settings(max_examples=15)
@given(additions, additions, additions)
def test_laws(one: Any, two: Any, three: Any) -> None:
    base = add({**starters(LAYOUT)}, one, "Base")
    ours, theirs = add(base, two, "Ours"), add(base, three, "Theirs")
    for path in filter(lambda path: is_derived(LAYOUT, path), {*ours, *theirs}):
        b, x, y = base.get(path), ours.get(path), theirs.get(path)
        assert merge_derived(LAYOUT, path, b, x, b) == merge_derived(LAYOUT, path, b, b, x) == Merged(x)
        assert merge_derived(LAYOUT, path, b, x, x) == Merged(x)
        left, right = merge_derived(LAYOUT, path, b, x, y), merge_derived(LAYOUT, path, b, y, x)
        assert sorted((left.data or b"").split()) == sorted((right.data or b"").split()) or path.endswith(
            ".json"
        )


def test_what_one_side_takes_out_is_gone() -> None:
    base = derived(with_memory(with_memory(with_memory({**starters(LAYOUT)}, "", "A"), "", "B"), "team", "C"))
    ours = derived(
        {path: data for path, data in base.items() if path not in ("memory/a.md", "memory/team/c.md")}
    )
    files, wrong = merged(base, ours, derived(with_memory(base, "", "D")))
    assert wrong == []
    assert derive_all(view_of(LAYOUT, files)) == {}
    assert b"(a.md)" not in files["memory/INDEX.md"]


# What people chose.


def index(**changes: Any) -> dict[str, Any]:
    item = {"id": "web", "name": "Web", "keywords": ["a", "b"], "file": "web.md", "count": 2} | changes
    return {
        "lastUpdated": "2026-01-01",
        "version": "1.2.0",
        "totalEntries": item["count"],
        "categories": [item],
        "absorbedSkills": [],
    }


def text(value: Any) -> bytes:
    return json.dumps(value, indent=2).encode() + b"\n"


def merged_index(base: Any, ours: Any, theirs: Any) -> Any:
    result = merge_derived(LAYOUT, INDEX, text(base), text(ours), text(theirs))
    assert result.conflicts == ()
    return json.loads(result.data or b"")


def test_a_name_set_here_and_keywords_set_there_both_stay() -> None:
    got = merged_index(
        index(),
        index(name="The Web", count=3),
        index(keywords=["b", "c"], count=4, note="theirs") | {"lastUpdated": "2026-02-01"},
    )
    assert got == index(name="The Web", keywords=["b", "c"], count=5, note="theirs") | {
        "lastUpdated": "2026-02-01"
    }
    assert merged_index(index(), index(keywords=["a", "b", "x"]), index(keywords=["a", "b", "y"]))[
        "categories"
    ][0]["keywords"] == [*"abxy"]


def test_keys_that_nobody_knows_are_kept() -> None:
    got = merged_index(index(), index() | {"mine": {"a": [1]}}, index(colour=None) | {"yours": True})
    assert got == index(colour=None) | {"mine": {"a": [1]}, "yours": True}
    assert "absorbedSkills" not in merged_index(
        index(), {key: value for key, value in index().items() if key != "absorbedSkills"}, index(count=3)
    )


def test_two_names_for_one_category_conflict_and_nothing_else_does() -> None:
    result = merge_derived(
        LAYOUT,
        INDEX,
        text(index()),
        text(index(name="Ours", count=3)),
        text(index(name="Theirs", count=3)),
        ("HEAD", "topic"),
    )
    lines = (result.data or b"").decode().split("\n")
    at = lines.index("<<<<<<< HEAD")
    assert lines[at + 1 : at + 5] == [
        '      "name": "Ours",',
        "=======",
        '      "name": "Theirs",',
        ">>>>>>> topic",
    ]
    assert [(one.line, one.message) for one in result.conflicts] == [
        (at + 1, "both sides changed `name` of web.md")
    ]
    assert '      "count": 4' in lines and result.data is not None and result.data.count(b"<<<<<<<") == 1


def test_a_category_that_is_gone_here_and_changed_there_stays_listed() -> None:
    gone = index() | {"categories": [], "totalEntries": 0}
    assert merged_index(index(), gone, index(keywords=["z"]))["categories"][0]["keywords"] == ["z"]
    assert merged_index(index(), gone, index() | {"version": "2"}) == gone | {"version": "2"}


def test_shape_line_ends_and_mark_are_kept() -> None:
    def windows(value: Any) -> bytes:
        return b"\xef\xbb\xbf" + json.dumps(value, indent=4).replace("\n", "\r\n").encode()

    result = merge_derived(LAYOUT, INDEX, windows(index()), windows(index(count=3)), text(index(count=4)))
    assert result.data == windows(index(count=5))


@pytest.mark.parametrize(
    "broken", [b'{"categories": [', b"\xff\xfe{", b"[1]\n", b'{"knowledge_bases": []}\n', b""]
)
def test_what_is_no_index_is_merged_by_lines(broken: bytes) -> None:
    result = merge_derived(LAYOUT, INDEX, text(index()), text(index(count=3)), broken + b"x\n")
    assert result.conflicts
    assert b"<<<<<<< ours" in (result.data or b"")


def test_a_file_that_is_gone_on_one_side_stays_for_the_records_to_decide() -> None:
    assert merge_derived(LAYOUT, "memory/INDEX.md", b"a\n", None, b"b\n") == Merged(b"b\n")
    assert merge_derived(LAYOUT, "memory/INDEX.md", b"a\n", b"b\n", None) == Merged(b"b\n")
    assert merge_derived(LAYOUT, "memory/INDEX.md", b"a\n", None, b"a\n") == Merged(None)


@pytest.mark.parametrize("base", [None, b""])
def test_the_first_records_of_one_new_scope_on_both_sides(base: bytes | None) -> None:
    """git gives a merge driver an empty file where the common ancestor has none."""
    path = "memory/fresh/INDEX.md"
    ours, theirs = (derived(with_memory({**starters(LAYOUT)}, "fresh", name)) for name in "AB")
    both = derived(with_memory(with_memory({**starters(LAYOUT)}, "fresh", "A"), "fresh", "B"))
    assert merge_derived(LAYOUT, path, base, ours[path], theirs[path]) == Merged(both[path])


def test_text_around_the_block_merges_as_text() -> None:
    base = derived(with_memory({**starters(LAYOUT)}, "", "A"))
    path = "memory/INDEX.md"
    ours, theirs = (derived(with_memory(base, "", name)) for name in "BC")
    ours[path] = ours[path].replace(b"# Memories\n", b"# Memories\n\nOurs wrote this.\n")
    theirs[path] += b"\nTheirs wrote that.\n"
    files, wrong = merged(base, ours, theirs)
    assert wrong == []
    assert derive_all(view_of(LAYOUT, files)) == {}
    assert b"Ours wrote this." in files[path] and files[path].endswith(b"\nTheirs wrote that.\n")
    theirs[path] = theirs[path].replace(b"# Memories\n", b"# Memories\n\nTheirs too.\n")
    result = merge_derived(LAYOUT, path, base[path], ours[path], theirs[path])
    assert [one.message for one in result.conflicts] == [
        "both sides changed the text around the generated part"
    ]
    assert all(
        words in (result.data or b"")
        for words in (b"Ours wrote", b"Theirs too.", b"(a.md)", b"(b.md)", b"(c.md)")
    )


# Other layouts.


def test_the_index_of_a_vault() -> None:
    def vault(*items: dict[str, Any], **top: Any) -> bytes:
        tokens = sum(item["token_count"] for item in items)
        return text(
            {
                "generated_at": "2026-01-01",
                "entry_count": len(items),
                "total_tokens": tokens,
                "entries": list(items),
            }
            | top
        )

    def item(name: str, **changes: Any) -> dict[str, Any]:
        return {
            "id": name,
            "path": f"10-Memories/{name}.md",
            "token_count": 10,
            "retrieval_count": 1,
            "keywords": ["a"],
        } | changes

    base = vault(item("MEM-a"))
    ours = vault(
        item("MEM-a", retrieval_count=4, keywords=["a", "b"]), item("MEM-b"), generated_at="2026-03-01"
    )
    theirs = vault(item("MEM-a", retrieval_count=2, token_count=12), item("MEM-c"), generated_at="2026-02-01")
    result = merge_derived(VAULT, ".memory/memory-index.json", base, ours, theirs)
    assert result.conflicts == ()
    assert json.loads(result.data or b"") == {
        "generated_at": "2026-03-01",
        "entry_count": 3,
        "total_tokens": 32,
        "entries": [
            item("MEM-a", retrieval_count=4, keywords=["a", "b"], token_count=12),
            item("MEM-b"),
            item("MEM-c"),
        ],
    }


def test_pages_of_a_vault_keep_the_lines_of_both_sides() -> None:
    base = (
        b"# Index\n\nWords.\n\n## Recent Memories\n- [MEM-a](../10-Memories/MEM-a.md) - A\n\n## "
        b"Statistics\n- Total memories: 1\n"
    )
    ours, theirs = (
        base.replace(
            b"- A\n", f"- A\n- [MEM-{name}](../10-Memories/MEM-{name}.md) - {name}\n".encode()
        ).replace(b": 1", b": 2")
        for name in ("b", "c")
    )
    path = ".memory/20-Indices/index.md"
    result = merge_derived(VAULT, path, base, ours, theirs)
    assert result.conflicts == ()
    assert (result.data or b"").count(b"- [MEM-") == 3 and (result.data or b"").count(b"Total memories") == 1
    result = merge_derived(
        VAULT, path, base, base.replace(b"Words.", b"Ours."), base.replace(b"Words.", b"Theirs.")
    )
    assert len(result.conflicts) == 1


def test_the_block_of_a_mirror_is_sorted_as_it_sorts() -> None:
    def page(*names: str) -> bytes:
        lines = "".join(f"- [{name}]({name}.md)\n" for name in names) or "_(no files yet)_\n"
        return f"# Notes\n\n<!-- MNEMA: managed section -->\n{lines}<!-- /MNEMA -->\n".encode()

    path = ".mnema/memory/notes/INDEX.md"
    assert merge_derived(MIRROR, path, page("b"), page("b", "C"), page("_x", "a", "b")) == Merged(
        page("_x", "a", "b", "C")
    )
    assert merge_derived(MIRROR, path, page("b"), page(), page("b", "c")) == Merged(page("c"))

"""`INDEX.md` at the root and beside records: sharded, bounded, mergeable, and people's own text kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgit.derive import derive_affected, derive_all, render_all, starters, view_of
from memgit.derive.index_places import MARKERS, MAX_LISTED
from memgit.formats.markdown import relative_links, wikilinks
from memgit.model.layout import Layout, Place, mem_skill, memgit
from tests.derive.test_links import HOSTILE, NAMES
from tests.derive.trees import Files, applied, derived, document, entry, files, merged, on_disk

LAYOUT = memgit()
ROOT, MEMORY, DECISIONS = "INDEX.md", "memory/INDEX.md", "decisions/INDEX.md"
FRAME = f"{MARKERS.first}\n\n{{}}\n\n{MARKERS.last}\n"


def text(tree: Files, path: str, layout: Layout = LAYOUT) -> str:
    return derived(layout, tree)[path].decode()


def block(lines: str) -> str:
    return FRAME.format(lines)


TREE = files(
    {
        "knowledge-base/tides.md": "---\nname: Tides & Currents\n---\n\n" + entry("A"),
        "knowledge-base/lock-gates.md": entry("B"),
        "experience/skill-pilot.md": entry("C", skill="pilot"),
        "skills/moor.md": document("Moor"),
        "memory/harbour/berths.md": document("Berths have names"),
        "memory/harbour/north/ice.md": document("Ice in the north"),
        "memory/pilots.md": document("Pilots speak Dutch"),
        "observations/2026/03/x.md": document("Fog"),
        "decisions/20260301-use-git.md": document("Use git", status="accepted"),
        "notes/deep/er.md": "# Er\n",
    }
)


def test_the_root_lists_kinds_categories_and_scopes() -> None:
    assert text(TREE, ROOT) == "# Index\n\n" + block(
        """\
## Knowledge

- [Lock Gates](knowledge-base/lock-gates.md)
- [Tides & Currents](knowledge-base/tides.md)

## Experience

- [pilot](experience/skill-pilot.md)

## Skills

`memgit list --kind skill`

## Memories

- [memory](memory/INDEX.md)
- [harbour](memory/harbour/INDEX.md)
- [harbour/north](memory/harbour/north/INDEX.md)

## Observations

`memgit list --kind observation`

## Decisions

- [decisions](decisions/INDEX.md)

## Notes

`memgit list --kind note`"""
    )


def test_a_folder_lists_its_own_records_and_the_scopes_in_it() -> None:
    assert text(TREE, MEMORY) == "# Memories\n\n" + block(
        "- [harbour/](harbour/INDEX.md)\n\n- [Pilots speak Dutch](pilots.md)"
    )
    assert text(TREE, "memory/harbour/north/INDEX.md") == "# Memories: harbour/north\n\n" + block(
        "- [Ice in the north](ice.md)"
    )
    assert text(TREE, DECISIONS) == "# Decisions\n\n" + block("- [Use git](20260301-use-git.md) - accepted")


def test_every_link_leads_to_a_file() -> None:
    tree = derived(LAYOUT, TREE)
    for path, data in tree.items():
        if path.endswith("INDEX.md"):
            folder = path.removesuffix("INDEX.md")
            assert all(folder + link.path in tree for link in relative_links(data.decode()))


def test_a_record_in_a_listed_place_leaves_the_root_as_it_is() -> None:
    tree = derived(LAYOUT, TREE)
    for path, data in files(
        {
            "knowledge-base/tides.md": "---\nname: Tides & Currents\n---\n\n"
            + entry("A")
            + "\n"
            + entry("Z", "2026-05-05"),
            "memory/harbour/cranes.md": document("Cranes"),
            "decisions/20260402-x.md": document("X", status="proposed"),
            "notes/other.md": "# Other\n",
            "skills/steer.md": document("Steer"),
        }
    ).items():
        assert ROOT not in derive_all(view_of(LAYOUT, {**tree, path: data}))
    assert ROOT in derive_all(view_of(LAYOUT, {**tree, "memory/south/x.md": document("South").encode()}))


def test_an_empty_root_says_so_and_init_begins_with_it() -> None:
    start = starters(LAYOUT)
    assert set(start) == {ROOT, "knowledge-base/_index.json", "experience/_index.json"}
    assert start[ROOT].decode() == "# Index\n\n" + block("No records.")
    assert derive_all(view_of(LAYOUT, start)) == {}


def test_a_layout_in_a_folder_has_its_root_there() -> None:
    own = memgit()
    layout = own._replace(
        places=tuple(place._replace(folder="docs/kb/" + place.folder) for place in own.places),
        base="docs/kb/",
    )
    tree = derived(layout, {f"docs/kb/{path}": data for path, data in TREE.items()})
    assert tree["docs/kb/INDEX.md"] == derived(LAYOUT, TREE)[ROOT]
    assert tree["docs/kb/memory/INDEX.md"] == derived(LAYOUT, TREE)[MEMORY]


def test_kinds_in_folders_of_ones_own_choosing() -> None:
    kept = tuple(place for place in LAYOUT.places if place.kind not in ("memory", "decision", "knowledge"))
    own = (
        Place("memory", "", "mem-{key}.md", "memgit"), Place("decision", "docs/adr/", "{key}.md", "memgit"),
        Place("knowledge", "", "kb/{key}.md", "entries"),
    )  # fmt: skip
    layout = LAYOUT._replace(places=own + kept)
    tree = files(
        {
            "mem-a.md": document("A"),
            "docs/adr/0001-x.md": document("X", status="proposed"),
            "kb/tides.md": entry("T"),
        }
    )
    whole = derived(layout, tree)
    assert set(whole) - set(tree) == {ROOT, "docs/adr/INDEX.md", "_index.json"}
    for path in tree:
        without = {name: data for name, data in whole.items() if name != path}
        for before, after in ((without, whole), (whole, without)):
            assert derive_affected(view_of(layout, after), [path]) == derive_all(view_of(layout, after))
            base = derived(layout, before)
            state = applied(base, {path: after.get(path)})
            assert derive_affected(view_of(layout, state), [path], view_of(layout, base)) == derive_all(
                view_of(layout, state)
            )


# Titles and names


@pytest.mark.parametrize("title", HOSTILE)
def test_hostile_titles_cannot_break_the_list(title: str) -> None:
    tree = files({"memory/a.md": document("A"), "memory/c.md": document("C")})
    safe = (
        title.replace("\\", "\\\\")
        .replace('"', '\\"')
        .replace("\n", "\\n")
        .replace("\r", "\\r")
        .replace("\t", "\\t")
    )
    safe = "".join(char if char >= " " else f"\\x{ord(char):02x}" for char in safe)
    tree["memory/b.md"] = document(safe).encode()
    first = derived(LAYOUT, tree)
    lines = first[MEMORY].decode().split("\n")
    assert [line[:3] for line in lines if line.startswith("-")] == ["- ["] * 3
    assert [link.path for link in relative_links(first[MEMORY].decode())] == ["a.md", "b.md", "c.md"]
    assert not wikilinks(first[MEMORY].decode())
    assert derive_all(view_of(LAYOUT, first)) == {}
    assert not any(rendered.problems for rendered in render_all(view_of(LAYOUT, first)).values())


def test_odd_file_names_are_linked() -> None:
    names = [name for name in NAMES if "/" not in name and name != "..md"]
    tree = files({f"memory/{name}": document(f"Title {number}") for number, name in enumerate(names)})
    assert [link.path for link in relative_links(text(tree, MEMORY))] == sorted(names)


def test_a_record_without_a_title_goes_by_its_name() -> None:
    assert "- [b](b.md)" in text(files({"memory/b.md": document(" ")}), MEMORY)


def test_a_record_with_a_broken_block_is_listed_all_the_same() -> None:
    assert "(b.md)" in text(files({"memory/b.md": "---\ntitle: a: b\n---\n\nx\n"}), MEMORY)


# What is not listed


def test_archived_records_are_hidden() -> None:
    tree = files({"memory/a.md": document("A"), "memory/b.md": document("B", archived="2026-04-01")})
    assert "b.md" not in text(tree, MEMORY)
    alone = files({"memory/b.md": document("B", archived="2026-04-01")})
    assert text(alone, MEMORY) == "# Memories\n\n" + block("No records.")


def test_an_index_of_nothing_goes_and_one_with_words_stays() -> None:
    tree = derived(LAYOUT, files({"memory/a/x.md": document("X"), "memory/y.md": document("Y")}))
    del tree["memory/a/x.md"]
    gone = derive_all(view_of(LAYOUT, tree))
    assert gone["memory/a/INDEX.md"] is None and set(gone) == {"memory/a/INDEX.md", MEMORY, ROOT}
    words = {**tree, "memory/a/INDEX.md": tree["memory/a/INDEX.md"] + b"\nOurs.\n"}
    kept = derive_all(view_of(LAYOUT, words))
    assert kept["memory/a/INDEX.md"] == ("# Memories: a\n\n" + block("No records.") + "\nOurs.\n").encode()
    for state in (applied(tree, gone), applied(words, kept)):
        assert derive_all(view_of(LAYOUT, state)) == {}


ENCRYPTED = b"\0GITCRYPT\0 no text"


def test_a_folder_of_files_that_cannot_be_read_is_not_listed() -> None:
    tree = derived(LAYOUT, files({"memory/a/x.md": ENCRYPTED, "memory/y.md": document("Y")}))
    assert "memory/a/INDEX.md" not in tree and "a/INDEX.md" not in text(tree, MEMORY) + text(tree, ROOT)
    tree = derived(LAYOUT, files({"memory/a/x.md": ENCRYPTED, "memory/a/y.md": document("Y")}))
    assert text(tree, "memory/a/INDEX.md") == "# Memories: a\n\n" + block("- [Y](y.md)")


@pytest.mark.parametrize("other", [{}, {"memory/a/y.md": document("Y")}, {"memory/a/b/y.md": document("Y")}])
def test_a_file_that_becomes_unreadable_or_readable_is_followed_in_steps(other: dict[str, str]) -> None:
    plain = derived(LAYOUT, files({"memory/a/x.md": document("X"), "memory/z.md": document("Z"), **other}))
    locked = derived(LAYOUT, files({"memory/a/x.md": ENCRYPTED, "memory/z.md": document("Z"), **other}))
    for before, after in ((plain, locked), (locked, plain)):
        state = {**before, "memory/a/x.md": after["memory/a/x.md"]}
        affected = derive_affected(view_of(LAYOUT, state), ["memory/a/x.md"], view_of(LAYOUT, before))
        assert applied(state, affected) == after


def test_a_page_of_people_in_a_folder_without_records_is_not_touched() -> None:
    tree = files(
        {"memory/drafts/INDEX.md": "# Mine\n", "memory/y.md": document("Y"), "pages/INDEX.md": "# Mine\n"}
    )
    assert (
        derived(LAYOUT, tree)["memory/drafts/INDEX.md"]
        == derived(LAYOUT, tree)["pages/INDEX.md"]
        == b"# Mine\n"
    )


def test_an_index_is_no_note_even_where_every_file_is_one() -> None:
    layout = memgit(("**/*.md",))
    tree = derived(layout, files({"memory/x.md": document("X")}))
    assert "## Notes" not in tree[ROOT].decode()
    assert derive_all(view_of(layout, tree)) == {}
    assert "## Notes" in text(files({"README.md": "# Hi\n"}), ROOT, layout)


# Bounds


def test_a_large_folder_of_memories_lists_topics() -> None:
    tree = files(
        {
            f"memory/a/m{number:03}.md": document(f"M{number}", topics=f"[t{number % 7}/x, 'a b']")
            for number in range(MAX_LISTED)
        }
    )
    assert text(tree, "memory/a/INDEX.md").count("](m") == MAX_LISTED
    tree["memory/a/z.md"] = document("Z", tags="[from-tag]").encode()
    tree["memory/a/za.md"] = document("ZA", topics="[gone]", archived="2026-04-01").encode()
    page = text(tree, "memory/a/INDEX.md")
    assert page == "# Memories: a\n\n" + block(
        (
            "More than 300 memories lie here; these are their topics. All of them: `memgit list --kind "
            "memory --scope a`\n\n- a b\n- from-tag\n"
        )
        + "\n".join(f"- t{number}" for number in range(7))
    )


def test_a_large_folder_of_decisions_lists_months() -> None:
    tree = files(
        {
            f"decisions/2026{month:02}{day:02}-x.md": document("X", status="accepted")
            for month in range(1, 13)
            for day in range(1, 27)
        }
    )
    assert text(tree, DECISIONS) == "# Decisions\n\n" + block(
        (
            "More than 300 decisions lie here; these are their months. All of them: `memgit list --kind "
            "decision`\n\n"
        )
        + "\n".join(f"- 2026-{month:02}" for month in range(1, 13))
    )


def test_no_list_grows_without_bound() -> None:
    many = {f"memory/s{number:04}/x.md": document("X") for number in range(MAX_LISTED + 20)}
    many |= {f"knowledge-base/c{number:04}.md": entry("X") for number in range(MAX_LISTED + 20)}
    many |= {
        f"memory/big/m{number:03}.md": document("M", topics=f"[t{number}]")
        for number in range(MAX_LISTED + 20)
    }
    tree = derived(LAYOUT, files(many))
    for path in (ROOT, MEMORY, "memory/big/INDEX.md"):
        assert tree[path].count(b"\n- ") <= 2 * (MAX_LISTED + 1)
    assert b"- and more: `memgit list --kind knowledge`" in tree[ROOT]
    assert b"- and more: `memgit list --kind memory`" in tree["memory/big/INDEX.md"]
    assert derive_all(view_of(LAYOUT, tree)) == {}


def test_a_scope_that_a_shell_would_not_take_is_left_out_of_the_command() -> None:
    tree = files({f"memory/a `b` $c/m{number:03}.md": document("M") for number in range(MAX_LISTED + 1)})
    assert "`memgit list --kind memory`" in text(tree, "memory/a `b` $c/INDEX.md")


# People's own text, and workspaces opened in place


def test_words_around_the_block_are_kept() -> None:
    tree = derived(LAYOUT, TREE)
    before, after = b"\xef\xbb\xbf# Ours\r\n\r\nRead this.\r\n\r\n", b"\r\nThe end"
    tree[MEMORY] = before + tree[MEMORY].partition(b"\n\n")[2].replace(b"\n", b"\r\n") + after
    assert derive_all(view_of(LAYOUT, tree)) == {}
    tree["memory/anchors.md"] = document("Anchors").encode()
    new = derive_affected(view_of(LAYOUT, tree), ["memory/anchors.md"])
    assert list(new) == [MEMORY]
    page = new[MEMORY] or b""
    assert page.startswith(before) and page.endswith(after) and page.count(b"\r\n") == page.count(b"\n")
    assert b"- [Anchors](anchors.md)\r\n- [Pilots" in page


def test_a_page_without_block_gets_one_in_the_own_layout() -> None:
    tree = derived(LAYOUT, {**TREE, ROOT: b"Our index\n"})
    assert tree[ROOT].startswith(b"Our index\n\n<!-- memgit: generated")


def test_in_a_workspace_opened_in_place_no_page_appears(corpora: Path) -> None:
    layout = mem_skill()
    tree = {
        **on_disk(corpora / "mem-skill-1.2"),
        "memory/x.md": document("X").encode(),
        ROOT: b"Ours.\n",
        MEMORY: b"Ours.\n",
    }
    assert derive_all(view_of(layout, tree)) == {}
    asked = {
        **tree,
        ROOT: f"Ours.\n\n{MARKERS.first}\n{MARKERS.last}\n".encode(),
        MEMORY: f"{MARKERS.first}\n{MARKERS.last}\n".encode(),
    }
    new = derive_all(view_of(layout, asked))
    assert set(new) == {ROOT, MEMORY}
    assert b"- [Workflow & Automation](knowledge-base/workflow.md)" in (new[ROOT] or b"") and (
        new[ROOT] or b""
    ).startswith(b"Ours.\n")
    assert derive_all(view_of(layout, applied(asked, new))) == {}


def test_a_torn_block_is_reported_and_left_alone() -> None:
    tree = derived(LAYOUT, TREE)
    tree[MEMORY] = tree[MEMORY].replace(MARKERS.last.encode(), b"")
    tree["memory/new.md"] = document("New").encode()
    assert MEMORY not in derive_all(view_of(LAYOUT, tree))
    problem = render_all(view_of(LAYOUT, tree))[MEMORY].problems[0]
    assert problem.fatal and problem.line == 3


# Merging as text


def folder(*names: str) -> Files:
    return files({f"memory/{name}.md": document(f"About {name}") for name in names})


def test_two_branches_that_each_add_a_record_merge_as_text(tmp_path: Path) -> None:
    base = derived(LAYOUT, folder("b", "d", "f", "h"))
    conflicts, tree = merged(
        tmp_path, base, derived(LAYOUT, {**base, **folder("c")}), derived(LAYOUT, {**base, **folder("g")})
    )
    assert not conflicts
    assert derive_all(view_of(LAYOUT, tree)) == {}
    assert tree[MEMORY].count(b"\n- [About") == 6


def test_where_the_new_lines_are_neighbours_the_block_alone_conflicts_and_is_derived_again(
    tmp_path: Path,
) -> None:
    base = derived(LAYOUT, folder("b", "h"))
    conflicts, tree = merged(
        tmp_path, base, derived(LAYOUT, {**base, **folder("c")}), derived(LAYOUT, {**base, **folder("d")})
    )
    assert conflicts and b"<<<<<<<" in tree[MEMORY]
    new = derive_all(view_of(LAYOUT, tree))
    assert set(new) == {MEMORY}
    assert new[MEMORY] == derived(LAYOUT, folder("b", "c", "d", "h"))[MEMORY]


def test_a_category_and_a_scope_added_on_two_branches_merge_as_text(tmp_path: Path) -> None:
    base = derived(LAYOUT, TREE)
    one = derived(LAYOUT, {**base, **files({"knowledge-base/anchors.md": entry("N")})})
    two = derived(LAYOUT, {**base, **files({"memory/zone/x.md": document("X")})})
    conflicts, tree = merged(tmp_path, base, one, two)
    assert not conflicts
    assert derive_all(view_of(LAYOUT, tree)) == {}

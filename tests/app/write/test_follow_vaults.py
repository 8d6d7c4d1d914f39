"""Whatever links a vault has: after a rename, a move or a merge each one leads where it led, nothing but links
has changed, and undo gives the tree back. What a link leads to is worked out here by other code.
"""

from __future__ import annotations

import posixpath
import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import NUMBERS
from tests.strategies import NOTE_NAMES, vaults
from tests.support import commit, examples, memgit, run_git, write

LINK = re.compile(
    r"(?P<code>`[^`\n]*`|<!--.*?-->|^# a comment.*$)|"
    r"\[\[(?P<wiki>[^\]|#\n]*)(?P<part>#[^\]|\n]*)?(?P<label>\\?\|[^\]\n]*)?\]\]|"
    r"\]\((?:<(?P<angle>[^>\n]*)>|(?P<md>[^)#\s]*))(?P<mdpart>#[^)\s]*)?(?P<tip> \"tip\")?\)|"
    r"<(?:(?i:a href|img src))=(?P<quote>[\"']?)(?P<html>[^\"'#>\s]*)(?P<htmlpart>#[^\"'>\s]*)?(?P=quote)",
    re.M,
)
CLOCK = re.compile(r"^(?:updated|id): .*\r?\n", re.M)
BARE = re.compile(r"(?<=: )\"?\[\[([^\]\n]*)\]\]\"?(?=\r?$)", re.M)


def mark(text: str) -> str:
    """What tells a note from any other whatever it is called; of a merged one its own comes first."""
    return str(re.findall(r"Mark \d+\.", text)[0])


def leads(path: str, found: re.Match[str], files: dict[str, str]) -> str | None:
    """The mark of the note that a link leads to; None where it is unresolved or ambiguous."""
    if found["code"] is not None:
        return None
    if found["wiki"] is None:
        target = unquote(found["angle"] or found["md"] or unescape(found["html"] or ""))
        whole = posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if target else path
        return mark(files[whole]) if whole in files else None
    name = found["wiki"].replace("''", "'").strip().removesuffix(".md")
    if not name:
        return mark(files[path])
    if name.startswith("/"):
        return mark(files[f"{name[1:]}.md"]) if f"{name[1:]}.md" in files else None
    by_path = [one for one in files if f"/{one.removesuffix('.md')}".endswith(f"/{name}")]
    if "/" in name and f"{name}.md" in files:
        return mark(files[f"{name}.md"])
    by_title = [one for one, text in files.items() if re.search(rf"^# {re.escape(name)}\r?$", text, re.M)]
    by_alias = [one for one, text in files.items() if f"aliases: [{name}]" in text]
    meant = by_path or sorted({*by_title, *by_alias})

    def near(one: str) -> tuple[int, int]:
        here, there = path.split("/")[:-1], one.split("/")[:-1]
        return -len(posixpath.commonprefix([here, there])), len(there)

    least = min(map(near, meant), default=None)
    nearest = [one for one in meant if near(one) == least]
    return mark(files[nearest[0]]) if len(nearest) == 1 else None


def read(folder: Path) -> dict[str, str]:
    """The notes of the newest commit."""
    names = run_git(folder, "ls-tree", "-rz", "--name-only", "HEAD").split("\0")
    return {name: run_git(folder, "show", f"HEAD:{name}") for name in names if name.endswith(".md")}


def by_mark(files: dict[str, str]) -> dict[str, tuple[str, str]]:
    return {mark(text): (path, text) for path, text in files.items()}


def blank(text: str) -> str:
    """A text without the targets of its links, and without what a change dates and quotes need."""
    text = BARE.sub(r'"[[\1]]"', CLOCK.sub("", text))
    return LINK.sub(
        lambda found: (
            found[0]
            if found["code"]
            else f"<{found['part'] or found['mdpart'] or found['htmlpart']}{found['label']}>"
        ),
        text,
    )


OPERATIONS = st.one_of(
    st.tuples(st.just("title"), st.sampled_from([*NOTE_NAMES, "New: name, [x]", "Ω new"])),
    st.tuples(st.just("move"), st.sampled_from(["", "sub", "sub/deep", "moved to"])),
    st.tuples(st.just("slug"), st.sampled_from([*NOTE_NAMES, "fresh"])),
    st.tuples(st.just("merge"), st.just("")),
)


@settings(max_examples=examples(25))
@given(vaults(), OPERATIONS, st.data())
def test_links_lead_where_they_led(
    tmp_path_factory: object, files: dict[str, str], operation: tuple[str, str], data: st.DataObject
) -> None:
    folder = Path(str(tmp_path_factory.mktemp(f"vault{next(NUMBERS)}")))  # type: ignore[attr-defined]
    run_git(folder, "init", "-q")
    for path, text in files.items():
        write(folder, path, text)
    memgit(folder, "init", "--layout", "notes")
    commit(folder)
    before, tree = read(folder), run_git(folder, "rev-parse", "HEAD^{tree}")
    what, name = operation
    path = data.draw(st.sampled_from(sorted(files)))
    other = data.draw(st.sampled_from(sorted(set(files) - {path})))
    address = f"note/{path.removesuffix('.md')}"
    args = {
        "title": ["rename", address, name],
        "move": ["rename", address, "--to", name],
        "slug": ["rename", address, "--slug", name],
        "merge": ["merge-records", f"note/{other.removesuffix('.md')}", address],
    }[what]
    answer = memgit(folder, *args, code=None)
    if answer.code:
        assert "is there already" in answer.err or "case" in answer.err, answer.err
        return
    after = read(folder)
    merged = {mark(files[path]): mark(files[other])} if what == "merge" else {}
    old, new = by_mark(before), by_mark(after)
    for one, (was, text) in old.items():
        now, changed = new[one]
        if one not in (mark(files[path]), *merged.values()):
            assert was == now and blank(text) == blank(changed)
        links = zip(LINK.finditer(text), LINK.finditer(changed), strict=False)
        for before_link, after_link in links:
            to = leads(was, before_link, before)
            if to is not None and one not in merged.values():
                own = not any(before_link[name] for name in ("wiki", "md", "angle", "html"))
                want = to if own else merged.get(to, to)
                assert leads(now, after_link, after) == want, (
                    was,
                    before_link[0],
                    after_link[0],
                )
                assert (
                    before_link["part"] == after_link["part"] and before_link["label"] == after_link["label"]
                )
                assert before_link["mdpart"] == after_link["mdpart"]
    if run_git(folder, "rev-parse", "HEAD^{tree}") != tree:
        memgit(folder, "undo")
        assert run_git(folder, "rev-parse", "HEAD^{tree}") == tree

"""MG205: relative links to files, or to headings of files, that are not there."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from urllib.parse import quote

from memgit.lint.corpus import Corpus
from memgit.lint.page import FILES
from memgit.lint.parse_findings import address_at
from memgit.lint.rule import CORPUS, Example, Found, Options, Rule, several
from memgit.lint.words import cut
from memgit.model.link import nearest_path

PAGES = (".md", ".markdown")
OTHER_ROOTS = ("~/", "~\\", "@/", "$")
"""What a link from the root of a whole site begins with in some tools: where that lies, only they know."""
BEHEADED = "beheaded"
"""The paths that a heading went away from, among what is shared about a corpus: only a review looks for them.
"""


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    headings, roots = bool(options["headings"]), _roots(several(options, "roots"))
    for path in (*corpus.pages, *_abandoned(corpus)):
        yield from _broken(corpus, path, headings, roots)


def _roots(given: tuple[str, ...]) -> list[tuple[str, str]]:
    """Beginnings of links with the folder that each stands for, from `~/` or `~/=docs`; the longest first."""
    pairs = [(start, folder) for start, _, folder in (one.partition("=") for one in given) if start]
    return sorted(pairs, key=lambda pair: -len(pair[0]))


def _whole(path: str, linked: str, roots: list[tuple[str, str]]) -> str | None:
    """The path from the knowledge root that a link in a file names; None for one from a root that nobody
    named, such as `~/`.
    """
    if not linked:
        return path
    for start, folder in roots:
        if linked.startswith(start):
            return posixpath.normpath(posixpath.join(folder, linked[len(start) :].lstrip("/")))
    if linked.startswith(OTHER_ROOTS):
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), linked))


def _broken(corpus: Corpus, path: str, headings: bool, roots: list[tuple[str, str]]) -> Iterator[Found]:
    facts = corpus.facts(path)
    for line, linked, fragment in facts.files:
        whole = _whole(path, linked, roots)
        if whole is None:
            continue
        if not is_there(corpus, whole):
            yield from _missing(corpus, path, line, linked, whole)
        elif (
            headings
            and fragment
            and whole.endswith(PAGES)
            and corpus.files.mode(whole) in FILES
            and not corpus.anchors(whole).leads(fragment)
        ):
            near = corpus.anchors(whole).near(fragment)
            meant = "correct it, or restore the heading" if near is None else f"did you mean #{cut(near)}?"
            there = cut(whole, 120) if linked else "this file"
            words = (
                f"the link to {cut(linked)}#{cut(fragment)} is unresolved: {there} has no such heading; "
                f"{meant}"
            )
            yield Found(path, line, words, address_at(facts, line), severity="warning")


def _missing(corpus: Corpus, path: str, line: int, linked: str, whole: str) -> Iterator[Found]:
    """What is said of a link to a file that is not there; nothing where the editor of a vault follows it."""
    facts = corpus.facts(path)
    start = f"the link to {cut(linked)} is unresolved: there is no {cut(whole, 120)}"
    spelled = _other_case(corpus, whole)
    if spelled is not None:
        meant = posixpath.relpath(spelled, posixpath.dirname(path) or ".")
        words = f"{start} where case counts; did you mean {cut(meant, 120)}?"
        yield Found(path, line, words, address_at(facts, line), severity="warning")
        return
    elsewhere = [] if linked.startswith("../") else list(corpus.index.files(posixpath.normpath(linked)))
    if elsewhere and "/" not in linked and _in_vault(corpus, path):
        return
    # A page with wikilinks is edited in an editor that finds files by name; forges do not.
    by_name = bool(elsewhere) and any(True for _ in facts.links())
    if elsewhere:
        meant = posixpath.relpath(nearest_path(elsewhere, path), posixpath.dirname(path) or ".")
        words = f"{start}; did you mean {cut(meant, 120)}?"
    else:
        words = f"{start}; correct the path, or restore the file"
    may_show = by_name or _lies_above(corpus, path, linked)
    lowered = "info" if _is_shown(corpus, path, line, linked) else "warning" if may_show else None
    yield Found(path, line, words, address_at(facts, line), severity=lowered)


def _lies_above(corpus: Corpus, path: str, linked: str) -> bool:
    """Whether what is no page is there as seen from a folder above: where a tool shows one page inside another, or
    all from one root, it is found.
    """
    if linked.endswith(PAGES) or linked.startswith("../"):
        return False
    folder = posixpath.dirname(path)
    while folder:
        folder = posixpath.dirname(folder)
        if corpus.files.mode(posixpath.normpath(posixpath.join(folder, linked))) is not None:
            return True
    return False


def _is_shown(corpus: Corpus, path: str, line: int, linked: str) -> bool:
    """Whether a link is there to be looked at: its line has it in code as well, as a page about links does; or
    its target says that nothing lies there, as `page.md.nolink`; or names a page as the site has it.
    """
    name, dot, _ = linked.rpartition(".")
    if dot and name.endswith(PAGES):
        return True
    if _is_page_of_site(corpus, path, linked):
        return True
    lines = corpus.page(path).lines
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    return "`" in text and text.count(f"({linked}") > 1


def _is_page_of_site(corpus: Corpus, path: str, linked: str) -> bool:
    """Whether a link names a page as tools publish it: `page` or `page.html` for `page.md`."""
    name = linked.removesuffix(".html").rstrip("/")
    whole = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
    return bool(name) and corpus.files.mode(f"{whole}.md") is not None


def _other_case(corpus: Corpus, path: str) -> str | None:
    """The path that differs from one by case alone; None where none is there."""
    if path.startswith("../"):
        return None
    done = ""
    for part in path.split("/"):
        names = sorted(corpus.files.listing(done))
        found = [name for name in names if name == part] or [
            name for name in names if name.casefold() == part.casefold()
        ]
        if not found:
            return None
        done += f"{found[0]}/"
    return done[:-1]


def _in_vault(corpus: Corpus, path: str) -> bool:
    """Whether a file lies in a vault of Obsidian, which follows a link that is a name alone to wherever it lies."""
    if corpus.layout.name == "vault":
        return True
    folder = posixpath.dirname(path)
    known: dict[str, bool] = corpus.shared.setdefault("vaults", {})
    if folder not in known:
        slash = f"{folder}/" if folder else ""
        known[folder] = ".obsidian" in corpus.folders(slash) or (bool(folder) and _in_vault(corpus, folder))
    return known[folder]


def is_there(corpus: Corpus, path: str) -> bool:
    """Whether a file or folder is there, inside the knowledge root or beside it in the repository."""
    if path == ".." or path.startswith("../"):
        return corpus.outside(path)
    if path in (".", "") or corpus.files.mode(path) is not None:
        return True
    folder, slash, name = path.rpartition("/")
    return name in corpus.folders(folder + slash)


def _abandoned(corpus: Corpus) -> list[str]:
    """Files that did not change but may link to one that the change took away, or to a heading of it."""
    if corpus.changed is None:
        return []
    gone = {path for path in corpus.changed if corpus.files.mode(path) is None} | corpus.shared.get(
        BEHEADED, set()
    )
    return (
        corpus.mentioning({spelled for name in _names(corpus, gone) for spelled in _spelled(name)})
        if gone
        else []
    )


def _names(corpus: Corpus, gone: set[str]) -> set[str]:
    """The last names of paths, and of the folders that went away with them."""
    names = {path.rpartition("/")[2] for path in gone}
    above = {path.rpartition("/")[0] for path in gone}
    while above := {folder for folder in above if folder and not is_there(corpus, folder)}:
        names |= {folder.rpartition("/")[2] for folder in above}
        above = {folder.rpartition("/")[0] for folder in above}
    return names


def _spelled(name: str) -> set[str]:
    """A name as links have it: as it is, or with more or less of it in percent signs."""
    if name.isascii() and name.replace("-", "").replace("_", "").replace(".", "").isalnum():
        return {name}
    raw = name.encode("utf-8", "surrogateescape")
    return {name, name.replace(" ", "%20"), quote(raw), quote(raw, safe="!$&'()*+,;=:@~")}


_TEXT = "---\ntitle: {}\ncreated: 2026-03-02\n---\n{}\n"

RULE = Rule(
    code="MG205",
    name="broken-file-link",
    severity="error",
    summary="a relative link to a file, or to a heading of this or another Markdown file, that is not there",
    why="""Forges and editors show such a link as one that works, until somebody follows it.
Mostly the file was moved, or the path was written as seen from another folder.
Links with a scheme are not checked, nor those that begin with the root of some tool (`~/`) unless `roots` says where it lies.
Where case alone differs, or an editor may find the file by its name, it is a warning; in a vault of Obsidian a name alone is enough.
So it is where an image is there as seen from a folder above, for tools show one page inside another. Brackets in a formula are no link.
A page that is named as tools publish it (`page` or `page.html` for `page.md`) is a hint.
It is a warning where the file is there and only the heading is not: the link then leads to the top of the page.
A heading is named as GitHub does it (`#pin-the-compiler`, the second one `#pin-the-compiler-1`), as other tools do
(one in Cyrillic in Latin letters), or as it is typed; `<a id="name">` and `{#name}` give a name as well.""",
    scope=CORPUS,
    check=check,
    options={"headings": True, "roots": ()},
    options_help={
        "headings": "whether the heading that a link names is looked for as well",
        "roots": "beginnings of links that stand for a folder of the knowledge root, as `~/` or `~/=docs`",
    },
    good=(
        Example(
            {"memory/a.md": _TEXT.format("A", "See [b](b.md)."), "memory/b.md": _TEXT.format("B", "Text.")}
        ),
        Example(
            {
                "memory/a.md": _TEXT.format(
                    "A", "See [pins](b.md#why-pin-gcc-13), [then](b.md#then-1) and [numbers](b.md#numbers)."
                ),
                "memory/b.md": _TEXT.format(
                    "B", '## Why pin `gcc` 13?\n## Then\n## Then\n<a id="numbers"></a>'
                ),
            }
        ),
        Example(
            {"memory/a.md": _TEXT.format("A", "See [below](#the-numbers) and [above](#).\n\n## The numbers")}
        ),
    ),
    bad=(
        Example(
            {
                "memory/a.md": _TEXT.format("A", "See [b](b.md#why-pin)."),
                "memory/b.md": _TEXT.format("B", "## Why pin gcc?"),
            },
            at=("memory/a.md:5",),
        ),
        Example(
            {"memory/a.md": _TEXT.format("A", "See [below](#numbers).\n\n## The numbers")},
            at=("memory/a.md:5",),
        ),
        Example(
            {
                "memory/a.md": _TEXT.format("A", "See [b](memory/b.md)."),
                "memory/b.md": _TEXT.format("B", "Text."),
            },
            at=("memory/a.md:5",),
        ),
    ),
)

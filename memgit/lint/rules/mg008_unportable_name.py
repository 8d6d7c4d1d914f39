"""MG008: file names that some system cannot hold."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.rule import CORPUS, Example, Found, Options, Related, Rule, whole
from memgit.lint.words import cut
from memgit.model.lazy_re import pattern
from memgit.model.slug import RESERVED

_REFUSED = pattern(r"[<>:\"|?*\\\x00-\x1f]")


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    longest = whole(options, "longest")
    seen: set[str] = set()
    for path in corpus.subjects:
        parts = path.split("/")
        for depth, part in enumerate(parts):
            head = "/".join(parts[: depth + 1])
            if head in seen:
                continue
            seen.add(head)
            for words in troubles(part, longest):
                yield Found(path, 1, words)
            if part.rpartition(".")[0].endswith(" "):
                words = f"the name {cut(part, 60)!r} has a blank before its ending, which nobody sees"
                yield Found(path, 1, f"{words}: rename it", severity="info")
    yield from _collisions(corpus)


def troubles(name: str, longest: int) -> Iterator[str]:
    """What keeps a name from other systems; `longest` is how many characters, as Windows counts them (UTF-16), are still well."""
    refused = _REFUSED.search(name)
    shown = repr(cut(name, 60))
    if refused is not None:
        yield f"the name {shown} holds {refused[0]!r}, which Windows refuses: rename it"
    if name.partition(".")[0].rstrip(" ").lower() in RESERVED:
        yield f"the name {shown} is reserved on Windows, with any ending: rename it"
    if name.endswith((" ", ".")):
        yield f"the name {shown} has a blank or a dot at its end, which Windows drops: rename it"
    if any("\udc80" <= char <= "\udcff" for char in name):
        yield f"the name {shown} is not UTF-8: macOS and Windows cannot hold it; rename it"
    elif unicodedata.normalize("NFC", name) != name:
        yield (
            f"the name {shown} has decomposed letters (not NFC): macOS and Linux take it for different "
            "files; rename it"
        )
    if len(name.encode("utf-16", "surrogatepass")) // 2 - 1 > longest:
        yield (
            f"the name {shown} is longer than {longest} characters: paths on Windows end at 260 characters; "
            "shorten it"
        )


def _collisions(corpus: Corpus) -> Iterator[Found]:
    """Paths that are one to a disk that ignores case or the normal form of letters."""
    for folder, folded in _folders(corpus):
        names = corpus.listed(folder)
        groups: dict[str, list[str]] = {}
        for name in names:
            groups.setdefault(_folded(name.rstrip("/")), []).append(name)
        for group in groups.values():
            if len(group) < 2 or not any(name in folded for name in group):
                continue
            first, *others = sorted(group)
            for name in others:
                words = (
                    f"its name differs from {folder}{first} by case or form of letters alone: one disk "
                    "in two can hold only one of them"
                )
                path = folder + name
                yield Found(
                    path.rstrip("/"),
                    1,
                    f"{words}; rename one",
                    related=(Related((folder + first).rstrip("/"), 1, "the other one"),),
                )


def _folders(corpus: Corpus) -> Iterable[tuple[str, set[str]]]:
    """The folders that hold subjects, each with the names that lie directly in it and are or hold subjects."""
    out: dict[str, set[str]] = {}
    for path in corpus.subjects:
        folder, slash, name = path.rpartition("/")
        while name not in out.setdefault(folder + slash, set()):
            out[folder + slash].add(name)
            if not folder:
                break
            folder, slash, name = folder.rpartition("/")
            name += "/"
    return out.items()


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


_TEXT = "---\ntitle: A\ncreated: 2026-03-02\n---\nText.\n"

RULE = Rule(
    code="MG008",
    name="unportable-name",
    severity="warning",
    summary="names that collide by case or form of letters, or that Windows refuses",
    why="""A repository with `Tides.md` and `tides.md` cannot be checked out on most laptops: one file overwrites the other, and the next
commit deletes a record.
Windows stops the whole checkout at a name with a colon or a question mark, at `aux.md`, or at a blank at the end of a folder's name.
A blank before the ending of a file's name stops nothing: it gets a hint.""",
    scope=CORPUS,
    check=check,
    good=(Example({"memory/tides.md": _TEXT, "memory/tide-tables.md": _TEXT}),),
    bad=(
        Example({"memory/Tides.md": _TEXT, "memory/tides.md": _TEXT}, at=("memory/tides.md:1",)),
        Example({"memory/aux.md": _TEXT}, at=("memory/aux.md:1",)),
        Example({"memory/why?.md": _TEXT}, at=("memory/why?.md:1",)),
    ),
    options={"longest": 120},
    options_help={"longest": "how many characters a single name may have, as Windows counts them (UTF-16)"},
)

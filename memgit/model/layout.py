"""Where records lie: a layout is an ordered list of places, one row each; the first place that a path fits is
the one.

Patterns are relative to the place's folder: `*` stands for anything but a slash, `**/` for any folders or
none, `[0-9]` for a digit, `{key}` for the key of the record (no slash), `{path}` for a key that may hold
slashes.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memgit import TYPE_CHECKING
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

NEVER = frozenset(["README.md", "INDEX.md", "log.md"])
"""Names beside records that are written for people or derived; a layout of plain notes takes them as notes.
"""


DIGIT = "[0-9]"


class Place(NamedTuple):
    """One row: files under `folder` that fit `pattern` hold records of `kind`, written in `form` (a key of
    `formats.codecs.NAMES`).

    `folder` is relative to the knowledge root, empty or ending in a slash. `never` are file names that hold
    no record. `new` is the pattern for new files where `pattern` cannot say it, with `{key}`, `{scope}`,
    `{year}` and `{month}`.
    """

    kind: str
    folder: str
    pattern: str
    form: str
    never: frozenset[str] = NEVER
    new: str | None = None

    def key(self, path: str) -> str | None:
        """The record key of a path under the knowledge root, or None where the path does not fit."""
        if not path.startswith(self.folder):
            return None
        match = _regex(self.pattern).fullmatch(path, len(self.folder))
        if match is None or path.rpartition("/")[2] in self.never:
            return None
        return match["key"]

    def path(self, key: str, *, year: str = "", month: str = "") -> str:
        """The path of a new record with that key; `year` and `month` are used by places that shard by month."""
        text = self.new or (
            "{key}.md"
            if DIGIT in self.pattern
            else self.pattern.replace("{path}", "{key}").replace("**/", "")
        )
        if "{key}" not in text:
            text = text.replace("**", "*").replace("*", "{key}", 1)
        return self.folder + text.replace("{year}", year).replace("{month}", month).replace("{key}", key)


class Layout(NamedTuple):
    """A name, the places, and the folder (empty or ending in a slash) that a note's address leaves out."""

    name: str
    places: tuple[Place, ...]
    base: str = ""

    def find(self, path: str) -> tuple[Place, str] | None:
        """The place of a path and the key of its records, or None for a file that holds no record."""
        if hidden(path.removeprefix(self.base)):
            return None
        for place in self.places:
            # `key` looks at that as well: a call for each place takes most of the time
            if path.startswith(place.folder):
                key = place.key(path)
                if key is not None:
                    return place, key
        return None

    def holds(self, path: str) -> bool:
        """Whether a path is that of a file that may hold records."""
        return path.endswith(".md") and self.find(path) is not None

    def address(self, place: Place, path: str, key: str, title: str) -> str:
        """The address of a record of that title in a file at that path."""
        if place.form == "entries":
            return f"{place.kind}/{key}#{title}"
        return (
            f"note/{path.removeprefix(self.base).removesuffix('.md')}"
            if place.kind == "note"
            else f"{place.kind}/{key}"
        )

    def of(self, kind: str) -> tuple[Place, ...]:
        """The places of one kind, the one for new records first."""
        return tuple(place for place in self.places if place.kind == kind)

    def folders(self) -> tuple[str, ...]:
        """The folders that may hold records, none inside another, sorted: what a reader has to look at."""
        found: list[str] = []
        for folder in sorted({place.folder for place in self.places}):
            if not found or not folder.startswith(found[-1]):
                found.append(folder)
        return tuple(found)

    def roots(self, kinds: Iterable[str] = ()) -> tuple[str, ...]:
        """As `folders`, each as deep as the patterns (of some kinds) allow: nothing else can hold a record
        (of them).
        """
        wanted = frozenset(kinds)
        found: list[str] = []
        for place in self.places:
            if not wanted or place.kind in wanted:
                fixed = re.split(r"[*?{]|\[0-9\]", place.pattern, maxsplit=1)[0]
                found.append(place.folder + fixed[: fixed.rfind("/") + 1])
        out: list[str] = []
        for folder in sorted(set(found)):
            if not out or not folder.startswith(out[-1]):
                out.append(folder)
        return tuple(out)


def hidden(path: str) -> bool:
    """Whether a path goes through a folder whose name starts with a dot (`.obsidian`, `.git`): such folders
    hold no records.
    """
    return "/." in f"/{path.rpartition('/')[0]}" if path else False


_TOKENS = {
    "**/": "(?:.+/)?",
    "**": ".*",
    "*": "[^/]*",
    "?": "[^/]",
    DIGIT: "[0-9]",
    "{key}": "(?P<key>[^/]+)",
    "{path}": "(?P<key>.+)",
}


_STARRED = r"(?<![^/])(?:[^/*{]*\*(?!\*)){2,}[^/*{]*(?![^/])"
"""A whole name of a pattern with several asterisks."""
_TOKEN = re.compile(rf"{_STARRED}|\*\*/|\*\*|\*|\?|\{{key\}}|\{{path\}}|\[0-9\]")


@lru_cache(maxsize=256)
def _regex(pattern: str) -> re.Pattern[str]:
    text = _translated(pattern)
    if "(?P<key>" not in text:
        end = re.escape(".md")
        text = f"(?P<key>{text[: -len(end)]}){end}" if pattern.endswith(".md") else f"(?P<key>{text})"
    return re.compile(f"(?s){text}")


def _translated(pattern: str) -> str:
    out, position = "", 0
    for token in _TOKEN.finditer(pattern):
        out += re.escape(pattern[position : token.start()])
        out += _TOKENS[token[0]] if token[0] in _TOKENS else _starred(token[0])
        position = token.end()
    return out + re.escape(pattern[position:])


def _starred(name: str) -> str:
    """A name with several asterisks. What stands between two of them is looked for once, at its first place: a
    later one would do no better, and going back over all of them takes time without bound.
    """
    first, *between, last = map(_translated, name.split("*"))
    return first + "".join(f"(?>[^/]*?{part})" for part in between) + _TOKENS["*"] + last


def memgit(notes: Iterable[str] = ("notes/**/*.md",)) -> Layout:
    """memgit's own layout, of which a Mem Skill workspace is a part."""
    return Layout(
        "memgit",
        (
            Place("knowledge", "knowledge-base/", "{path}.md", "entries"),
            Place("experience", "experience/", "**/skill-{key}.md", "entries", new="skill-{key}.md"),
            Place("skill", "skills/", "{path}.md", "memgit"),
            Place("memory", "memory/", "{path}.md", "memgit"),
            Place("observation", "observations/", "**/{key}.md", "memgit", new="{year}/{month}/{key}.md"),
            Place("decision", "decisions/", "{key}.md", "memgit"),
            *(Place("note", "", pattern, "memgit", never=frozenset()) for pattern in notes),
        ),
    )


def mem_skill(base: str = "") -> Layout:
    """A Mem Skill or auto-skill workspace, also under `data/` or `.self-improving/`; other kinds lie beside
    it as in memgit's own.
    """
    own = memgit()
    return Layout(
        "mem-skill", tuple(place._replace(folder=base + place.folder) for place in own.places), base
    )


def vault(base: str = ".memory/") -> Layout:
    """A memory vault: memories alone; inbox, indices and templates are not records."""
    return Layout(
        "vault", (Place("memory", base + "10-Memories/", "{key}.md", "vault", new="MEM-{key}.md"),), base
    )


def mnema(base: str = ".mnema/") -> Layout:
    """A mirror of Mnema; tasks, epics and sprints are notes."""
    people = NEVER | {"SKILL.md", "context.md"}
    return Layout(
        "mnema",
        (
            Place("skill", base + "skills/", "**/{key}.md", "mnema", people, new="authored/{key}.md"),
            Place("decision", base + "roadmap/", "*-ADR-*.md", "mnema-block", people, new="{key}.md"),
            Place("decision", base + "memory/decisions/", "{key}.md", "memgit", people),
            Place("memory", base + "memory/", "{path}.md", "mnema", people),
            Place(
                "observation", base + "observations/", "**/{key}.md", "mnema-block", people, new="{key}.md"
            ),
            Place("note", base + "roadmap/", "*.md", "mnema-block", people),
            Place("note", base + "sprints/", "*.md", "mnema-block", people),
            Place("note", base + "backlog/", "**/*.md", "mnema-block", people),
        ),
        base,
    )


def notes(patterns: Iterable[str] = ("**/*.md",)) -> Layout:
    """Any folder of Markdown: every file is a note."""
    return Layout("notes", tuple(Place("note", "", pattern, "memgit", frozenset()) for pattern in patterns))

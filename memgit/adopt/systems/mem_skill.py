"""Mem Skill, and auto-skill, which it came from: categories and skills as files of entries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memgit.adopt.systems.system import GLANCE, Candidate, Export, Log, Read, System
from memgit.derive import CATEGORY_INDEX, dates
from memgit.derive.jsonindex import read as read_index
from memgit.derive.mem_skill_experience import SPEC as EXPERIENCE
from memgit.derive.mem_skill_knowledge import SPEC as KNOWLEDGE
from memgit.derive.view import view_of
from memgit.formats.messages.message import one_line
from memgit.model.layout import Layout, Place
from memgit.model.operation import Event, RecordChange

WORDS = {"mem-skill": "Mem Skill workspace", "auto-skill": "auto-skill workspace"}
_CHINESE = re.compile("^\\*\\*[^*\\n]+：\\*\\*|最佳實踐|新的經驗條目".encode(), re.MULTILINE)
_LABEL = re.compile(r"(?m)^\*\*(?:Date:|日期：)\*\*".encode())
_ENTRIES = re.compile(
    r"(?P<above>.*?)(?:knowledge-base/(?P<file>[^/]+)|experience/(?P<skill>_index\.json|skill-[^/]+\.md))"
)


def _find(paths: Sequence[str], read: Read, _: str) -> Iterator[Candidate]:
    held: dict[str, list[str]] = {}
    for path in paths:
        match = _ENTRIES.fullmatch(path) if "knowledge-base/" in path or "experience/" in path else None
        if match is not None and not (match["above"] and not match["above"].endswith("/")):
            held.setdefault(match["above"], []).append(path)
    for above in sorted(held):
        if any(
            above != other and above.startswith((f"{other}knowledge-base/", f"{other}experience/"))
            for other in held
        ):
            continue  # a second pair, nested by accident
        found = _workspace(above, held[above], set(paths), read)
        if found is not None:
            yield found


def _workspace(above: str, held: list[str], paths: set[str], read: Read) -> Candidate | None:
    indexes = [path for path in held if path.endswith(f"/{CATEGORY_INDEX}")]
    files = [path for path in held if path.endswith(".md")]
    evidence = [path.removeprefix(above) for path in indexes]
    opened = [read(path) or b"" for path in files[:GLANCE]]
    if not indexes:
        if not any(_LABEL.search(data) for data in opened):
            return None
        evidence.append(f"{len(files)} files of entries in knowledge-base/ and experience/")
    evidence += [name for name in (".mem-skill.config.json", "log.md") if above + name in paths]
    chinese = 2 * sum(_CHINESE.search(data) is not None for data in opened) > len(opened)
    if chinese:
        evidence.append("Chinese labels")
    base = next((name for name in ("data/", ".self-improving/") if above.endswith(name)), "")
    version, refusal = _index_says(indexes, read)
    system = "auto-skill" if chinese else "mem-skill"
    folder = above.removesuffix(base) if base else above
    return Candidate(
        system, WORDS[system], folder, base, tuple(evidence), len(files), version=version, refusal=refusal
    )


def _index_says(indexes: Sequence[str], read: Read) -> tuple[str | None, str | None]:
    """The version that the indexes name, and why one of them is another tool's."""
    version = None
    for path in indexes:
        view = view_of(Layout("", ()), {path: read(path) or b""})
        index = read_index(view, path, (KNOWLEDGE if "knowledge-base/" in path else EXPERIENCE).shape)
        if index.value is None:
            return (
                version,
                f"{path}: {index.problems[0].message}" if index.problems else f"{path} cannot be read",
            )
        said = index.value.get("version")
        version = version or (said if isinstance(said, str) else None)
    return version, None


# Its `log.md`.


_LINE = re.compile(r"##[ \t]+\[(\d{4}-\d\d-\d\d)\][ \t]+([A-Za-z]+)[ \t]*\|[ \t]*(.*)")
_VERBS = {
    "init": "init",
    "write": "record",
    "recordnow": "record",
    "update": "update",
    "lint": "lint",
    "ingest": "ingest",
    "upgrade": "upgrade",
}
"""Mem Skill's verbs as operations; any other verb is an operation of its own name."""
_RECORDED = re.compile(
    r'(?:Recorded to|Updated|Promoted to|Archived in|Restored in|Linked in) `?([^:"`]+?\.md)`?: '
    r'"(.*?)"(?: \(merged new info\))?'
)


def _logged(line: str, layout: Layout) -> Event | None:
    match = _LINE.match(line)
    if match is None or dates.day(match[1]) is None:
        return None
    verb = match[2].lower()
    told = _RECORDED.match(match[3])
    op = _VERBS.get(verb, verb)
    change = None if told is None else _change(told[1], told[2], op, match[3], layout)
    records = () if change is None else (change,)
    return Event("", match[1], op, one_line(f"{verb} | {match[3]}"), "", records)


def _change(file: str, title: str, op: str, text: str, layout: Layout) -> RecordChange | None:
    """The record that a line names by file and title."""
    path = layout.base + file.strip().removeprefix("./")
    found = layout.find(path)
    if found is None or not title:
        return None
    place, key = found
    action = "create" if op == "record" else "extend" if text.endswith("(merged new info)") else "update"
    return RecordChange(action, None, layout.address(place, path, key, title))


LOG = Log(lambda path, base: path == f"{base}log.md", _logged)

SYSTEM = System(WORDS["mem-skill"], "mem-skill", _find, log=LOG)
AUTO_SKILL = System(WORDS["auto-skill"], "mem-skill", lambda paths, read, name: iter(()), log=LOG)
"""Told apart by its labels; `SYSTEM` finds both."""


# Writing one.


_ENTRY = frozenset(
    ["created", "updated", "source", "context", "skill", "files", "related", "keywords", "archived"]
)


def entry_fields(place: Place) -> frozenset[str] | None:
    """The fields of an entry; any in a document beside the entries."""
    return _ENTRY if place.form == "entries" else None


EXPORT = Export(
    frozenset(["knowledge", "experience"]), "knowledge", entry_fields, keeps=frozenset(["entries"])
)

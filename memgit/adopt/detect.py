"""Which workspaces lie in a folder, judged by file names and a glance at a few files; the evidence is part of
the answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from memgit.derive import CATEGORY_INDEX
from memgit.derive.view import MappingView
from memgit.errors import BadInput, NotFound, Refused
from memgit.model.layout import Layout, hidden

Read = Callable[[str], bytes | None]
"""The bytes of a file by path, None where there is none."""


class System(NamedTuple):
    """What can be adopted: its words for people, and the layout that it becomes.

    `strong` systems are known by marks that nothing else has; the others are a guess from file names.
    """

    words: str
    layout: str
    strong: bool = True


SYSTEMS: dict[str, System] = {
    "mem-skill": System("Mem Skill workspace", "mem-skill"),
    "auto-skill": System("auto-skill workspace", "mem-skill"),
    "vault": System("memory vault", "vault"),
    "mnema": System("Mnema workspace", "mnema"),
    "adr": System("folder of decision records", "notes", strong=False),
    "notes": System("folder of Markdown", "notes", strong=False),
}

ADR_FOLDERS = frozenset(
    [
        "adr",
        "adrs",
        "decisions",
        "architecture-decisions",
        "architecture_decisions",
        "architecture-decision-records",
        "decision-records",
    ]
)
"""Names of folders that adr-tools, MADR and their kin use."""
_NUMBERED = re.compile(r"\d{3,}-[^/]+\.md")
_ADR_MARK = re.compile(
    rb"(?mi)^(?:#{1,3}[ \t]+(?:status|context|decision)\b|status[ \t]*:|\*[ \t]+status[ \t]*:)"
)
_PROJECT = frozenset(
    [
        "readme.md",
        "changelog.md",
        "contributing.md",
        "license.md",
        "code_of_conduct.md",
        "security.md",
        "agents.md",
        "claude.md",
        "support.md",
        "governance.md",
    ]
)
"""Markdown that lies at the top of any code repository."""
_CHINESE = re.compile("^\\*\\*[^*\\n]+：\\*\\*|最佳實踐|新的經驗條目".encode(), re.MULTILINE)
_LABEL = re.compile(r"(?m)^\*\*(?:Date:|日期：)\*\*".encode())
_ENTRIES = re.compile(
    r"(?P<above>.*?)(?:knowledge-base/(?P<file>[^/]+)|experience/(?P<skill>_index\.json|skill-[^/]+\.md))"
)
_MNEMA = re.compile(
    r"(?P<above>.*?)\.mnema/(?:mnema\.config\.json|(?:memory|backlog|roadmap|skills|sprints|observations)/.+)"
)
_VAULT = re.compile(r"(?P<above>(?:.*/)?)(?:10-Memories/[^/]+\.md|memory-index\.json)")
_GLANCE = 5
"""How many files of a folder are opened to tell what they are."""


FLAT = "{key}.md"


OBSIDIAN = "Obsidian vault"
"""What a folder of Markdown with `.obsidian/` is called: its graph should not show derived files."""


class Candidate(NamedTuple):
    """One workspace that was found.

    Attributes:
        system: a key of `SYSTEMS`.
        folder: where its knowledge root would be, relative to the folder that was looked at; empty or ending
            in a slash.
        base: the folder in that root that its layout starts in, as `Layout.base`.
        evidence: what it was known by, in words.
        files: Markdown files in it.
        version: the version that it names, where it does.
        refusal: why it cannot be adopted: another tool's files under the same names.
        notable: what kind of Markdown folder it is, where that is known (`Obsidian vault`).
        pattern: the names of decision records in `base`, as in the configuration.
    """

    system: str
    folder: str
    base: str
    evidence: tuple[str, ...]
    files: int
    version: str | None = None
    refusal: str | None = None
    notable: str | None = None
    pattern: str = FLAT

    @property
    def words(self) -> str:
        return self.notable or SYSTEMS[self.system].words

    def as_json(self) -> dict[str, object]:
        return {
            "system": self.system,
            "words": self.words,
            "folder": self.folder,
            "base": self.base,
            "version": self.version,
            "evidence": list(self.evidence),
            "files": self.files,
            "refusal": self.refusal,
        }


def candidates(paths: Sequence[str], read: Read, name: str = "") -> tuple[Candidate, ...]:
    """Every workspace that a folder holds, those that start in the folder itself first.

    Args:
        paths: the files of the folder, relative to it.
        read: gives their bytes; asked for few.
        name: the folder's own name.
    """
    found = [
        *_mem_skills(paths, read),
        *_vaults(paths, read),
        *_mnemas(paths),
        *_adrs(paths, read, name),
        *_notes(paths),
    ]
    order = list(SYSTEMS)
    return tuple(
        sorted(found, key=lambda one: (one.folder != "", order.index(one.system), one.folder, one.base))
    )


def choose(found: Sequence[Candidate], wanted: str | None = None) -> Candidate:
    """The workspace to adopt: the one that was asked for, or the only one that stands out.

    Raises:
        NotFound: there is none.
        BadInput: several come into question; each is named with the command that chooses it.
        Refused: it is another tool's.
    """
    if wanted is not None:
        fitting = [one for one in found if one.system == wanted]
        here = [one for one in fitting if not one.folder]
        if not fitting:
            raise NotFound(
                f"there is no {SYSTEMS[wanted].words} here", hint=f"what is there: {_named(found)}"
            )
        return _allowed(_only(here or fitting))
    strong = [one for one in found if SYSTEMS[one.system].strong and not one.folder]
    if strong:
        return _allowed(_only(strong))
    rest = [one for one in found if one.system != "notes"]
    notes = next((one for one in found if one.system == "notes"), None)
    if not rest:
        if notes is None:
            raise NotFound(
                "there is no Markdown here to adopt", hint="memgit init makes an empty knowledge repository"
            )
        return notes
    if len(rest) == 1 and not rest[0].folder and notes is None:
        return rest[0]
    return _allowed(_only([*rest, *([notes] if notes is not None else [])]))


def _only(found: Sequence[Candidate]) -> Candidate:
    if len(found) == 1 and not found[0].folder:
        return found[0]
    commands = "; ".join(
        dict.fromkeys(
            f"memgit adopt{f' {one.folder}' if one.folder else ''} --as {one.system}" for one in found
        )
    )
    if len(found) == 1:
        raise BadInput(f"the {found[0].words} lies in {found[0].folder}, not here", hint=commands)
    raise BadInput(f"several workspaces are here: {_named(found)}", hint=f"choose one: {commands}")


def _allowed(found: Candidate) -> Candidate:
    if found.refusal is not None:
        raise Refused(
            f"not adopted: {found.refusal}",
            hint="nothing was touched; --as notes takes the Markdown files as notes",
        )
    return found


def _named(found: Sequence[Candidate]) -> str:
    return (
        ", ".join(
            f"{one.words}{f' in {one.folder or one.base}' if one.folder or one.base else ''}" for one in found
        )
        or "nothing"
    )


# Mem Skill and auto-skill.


def _mem_skills(paths: Sequence[str], read: Read) -> Iterator[Candidate]:
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
        found = _mem_skill(above, held[above], set(paths), read)
        if found is not None:
            yield found


def _mem_skill(above: str, held: list[str], paths: set[str], read: Read) -> Candidate | None:
    indexes = [path for path in held if path.endswith(f"/{CATEGORY_INDEX}")]
    files = [path for path in held if path.endswith(".md")]
    evidence = [path.removeprefix(above) for path in indexes]
    opened = [read(path) or b"" for path in files[:_GLANCE]]
    if not indexes:
        if not any(_LABEL.search(data) for data in opened):
            return None
        evidence.append(f"{len(files)} files of entries in knowledge-base/ and experience/")
    evidence += [name for name in (".mem-skill.config.json", "log.md") if above + name in paths]
    chinese = 2 * sum(_CHINESE.search(data) is not None for data in opened) > len(opened)
    if chinese:
        evidence.append("Chinese labels")
    base = next((name for name in ("data/", ".self-improving/") if above.endswith(name)), "")
    version, refusal = _index_says(above, indexes, read)
    return Candidate(
        "auto-skill" if chinese else "mem-skill",
        above.removesuffix(base) if base else above,
        base,
        tuple(evidence),
        len(files),
        version,
        refusal,
    )


def _index_says(above: str, indexes: Sequence[str], read: Read) -> tuple[str | None, str | None]:
    """The version that the indexes name, and why one of them is another tool's."""
    from memgit.derive.jsonindex import read as read_index
    from memgit.derive.mem_skill_experience import SPEC as EXPERIENCE
    from memgit.derive.mem_skill_knowledge import SPEC as KNOWLEDGE

    version = None
    for path in indexes:
        view = MappingView(Layout("", ()), {path: read(path) or b""})
        index = read_index(view, path, (KNOWLEDGE if "knowledge-base/" in path else EXPERIENCE).shape)
        if index.value is None:
            return (
                version,
                f"{path}: {index.problems[0].message}" if index.problems else f"{path} cannot be read",
            )
        said = index.value.get("version")
        version = version or (said if isinstance(said, str) else None)
    return version, None


# Vaults and mirrors.


def _vaults(paths: Sequence[str], read: Read) -> Iterator[Candidate]:
    held: dict[str, list[str]] = {}
    for path in paths:
        if "10-Memories/" in path or path.endswith("memory-index.json"):
            match = _VAULT.fullmatch(path)
            if match is not None:
                held.setdefault(match["above"], []).append(path)
    for above, files in sorted(held.items()):
        memories = [path for path in files if path.endswith(".md")]
        index = f"{above}memory-index.json"
        inside = above.endswith(".memory/")
        if not memories and not inside:
            continue
        evidence = (
            [f"{'.memory/' if inside else ''}10-Memories/ with {len(memories)} files"] if memories else []
        )
        refusal = None
        if index in files:
            evidence.append(f"{'.memory/' if inside else ''}memory-index.json")
            refusal = _vault_refusal(index, read)
        base = ".memory/" if inside else ""
        yield Candidate(
            "vault",
            above.removesuffix(base) if base else above,
            base,
            tuple(evidence),
            len(memories),
            None,
            refusal,
        )


def _vault_refusal(index: str, read: Read) -> str | None:
    from memgit.derive.jsonindex import read as read_index
    from memgit.derive.vault import SHAPE

    found = read_index(MappingView(Layout("", ()), {index: read(index) or b""}), index, SHAPE)
    return None if found.value is not None else f"{index}: {found.problems[0].message}"


def _mnemas(paths: Sequence[str]) -> Iterator[Candidate]:
    held: dict[str, Counter[str]] = {}
    for path in paths:
        match = _MNEMA.fullmatch(path) if ".mnema/" in path else None
        if match is not None and (not match["above"] or match["above"].endswith("/")):
            held.setdefault(match["above"], Counter())[path[len(match["above"]) + 7 :].partition("/")[0]] += (
                path.endswith(".md")
            )
        elif path == "mnema.config.json":
            held.setdefault("|", Counter())
    if "|" in held:  # the folder is the mirror itself
        held["|"].update(path.partition("/")[0] for path in paths if path.endswith(".md") and "/" in path)
    for above, folders in sorted(held.items()):
        inside = above != "|"
        top = ".mnema/" if inside else ""
        evidence = [f"{top}{name}/" if count else f"{top}{name}" for name, count in sorted(folders.items())]
        yield Candidate(
            "mnema",
            above if inside else "",
            top,
            tuple(evidence or ["mnema.config.json"]),
            sum(folders.values()),
        )


# Decision records, and any Markdown.


NESTED = "**/[0-9]*-*.md"
"""The names of decision records that lie in folders of their folder, by area or year; templates and minutes
beside them are none.
"""


def _adrs(paths: Sequence[str], read: Read, name: str) -> Iterator[Candidate]:
    numbered: dict[str, list[str]] = {}
    for path in paths:
        folder, slash, file = path.rpartition("/")
        if file[:1].isdigit() and _NUMBERED.fullmatch(file) and not hidden(path):
            numbered.setdefault(folder + slash, []).append(path)
    if not numbered:
        return
    declared = (
        (read(".adr-dir") or b"").decode("utf-8", "replace").strip().strip("./").rstrip("/") + "/"
        if ".adr-dir" in paths
        else None
    )
    roots: dict[str, list[str]] = {}
    for folder in sorted(numbered):
        roots.setdefault(_adr_root(folder, declared, name), []).append(folder)
    for root, folders in roots.items():
        flat = len(folders) == 1 and (
            folders[0] == root or _is_adr(folders[0].rstrip("/").rpartition("/")[2])
        )
        base = folders[0] if flat else root
        files = [path for folder in folders for path in numbered[folder]]
        opened = [
            read(path) or b"" for path in [*(numbered[folder][0] for folder in folders), *files][:_GLANCE]
        ]
        marked = sum(_ADR_MARK.search(data) is not None for data in opened)
        known = _is_adr(base.rstrip("/").rpartition("/")[2] or name) and marked >= (
            1 if flat else len(opened) / 2
        )
        if base == declared or known or (not base and marked == len(opened)):
            evidence = [f"{files[0]}{f' and {len(files) - 1} more' if len(files) > 1 else ''}"]
            evidence += [".adr-dir"] if base == declared else []
            yield Candidate("adr", "", base, tuple(evidence), len(files), pattern=FLAT if flat else NESTED)


def _is_adr(name: str) -> bool:
    return name.lower() in ADR_FOLDERS


def _adr_root(folder: str, declared: str | None, name: str) -> str:
    """The folder whose decisions a folder of numbered files may hold: one above it that is called so, else
    itself.
    """
    if declared is not None and folder.startswith(declared):
        return declared
    parts = folder.split("/")[:-1]
    for number, part in enumerate(parts):
        if _is_adr(part):
            return "/".join(parts[: number + 1]) + "/"
    return "" if _is_adr(name) else folder


def _notes(paths: Sequence[str]) -> Iterator[Candidate]:
    files = [path for path in paths if path.endswith(".md") and not hidden(path)]
    if not files:
        return
    folders = len({path.rpartition("/")[0] for path in files})
    notable = OBSIDIAN if any(path.startswith(".obsidian/") for path in paths) else None
    evidence = f"{len(files):,} Markdown files in {folders:,} folder{'' if folders == 1 else 's'}"
    yield Candidate(
        "notes", "", "", (evidence, *([".obsidian/"] if notable else [])), len(files), notable=notable
    )


def beside(found: Sequence[Candidate], chosen: Candidate) -> tuple[Candidate, ...]:
    """What else is there, for a report."""
    return tuple(one for one in found if one != chosen)


def without_project_files(found: Sequence[Candidate], paths: Sequence[str]) -> tuple[Candidate, ...]:
    """The candidates without the notes, where decision records are all the Markdown but for what any code
    repository has at its top.
    """
    decisions = [one for one in found if one.system == "adr"]
    if len(decisions) != 1:
        return tuple(found)
    folder = decisions[0].base
    others = [
        path
        for path in paths
        if path.endswith(".md")
        and not hidden(path)
        and not path.startswith(folder)
        and path.lower() not in _PROJECT
    ]
    return tuple(one for one in found if one.system != "notes") if not others or not folder else tuple(found)

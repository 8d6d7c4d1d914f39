"""Which workspaces lie in a folder, judged by file names and a glance at a few files, and which of them to
adopt.
"""

from __future__ import annotations

from collections.abc import Sequence

from memgit.adopt.systems import SYSTEMS
from memgit.adopt.systems.system import Candidate, Read
from memgit.errors import BadInput, NotFound, Refused
from memgit.model.layout import hidden

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


def candidates(paths: Sequence[str], read: Read, name: str = "") -> tuple[Candidate, ...]:
    """Every workspace that a folder holds, those that start in the folder itself first.

    Args:
        paths: the files of the folder, relative to it.
        read: gives their bytes; asked for few.
        name: the folder's own name.
    """
    found = [one for system in SYSTEMS.values() for one in system.find(paths, read, name)]
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

"""Making a folder a knowledge root: repository, configuration, attributes, derived files, first commit.

Safe to repeat.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from memgit.adopt.settings import text_of
from memgit.app import config as configuration
from memgit.app.adopt.upgrade import VERSION
from memgit.app.derived.local import keep
from memgit.app.hooks.install import install
from memgit.app.read.engines import MEM_SKILL
from memgit.app.workspace import Context, Workspace, detect_on_disk, open_workspace
from memgit.app.write.session import OperationResult, Plan, Session
from memgit.app.write.write import execute
from memgit.derive import derive_all, is_derived, starters
from memgit.derive.tables import NAMES
from memgit.errors import BadInput, NotFound, Refused
from memgit.formats.text import decode, encode, has_bom, newline_of
from memgit.git.history.default_branch import default_branch
from memgit.git.repository import Repository
from memgit.git.setup import create_repository, set_up_driver
from memgit.model.layout import Layout

ATTRIBUTES = ".gitattributes"
OPENING = "# memgit: records merge as records"
CLOSING = "# /memgit"


def init(
    folder: str,
    context: Context,
    *,
    layout: str | None = None,
    notes: tuple[str, ...] | None = None,
    indexes: str | None = None,
    hooks: bool = True,
    log: bool = False,
    mem_skill: Mapping[str, Any] | None = None,
) -> OperationResult:
    """Creates or completes the knowledge root in a folder; what is there already is kept.

    Args:
        layout: a name of `config.BASES`; by default what the folder looks like, else memgit's own.
        notes: patterns of plain notes for the configuration.
        indexes: one of `config.INDEXES`; by default `local` where Obsidian would show derived files as notes, else
            `committed`.
        hooks: install the git hooks as well; what stands in the way becomes a note.
        log: have each clone keep a `log.md`.
        mem_skill: what Mem Skill's configuration says of the engine; by default, that it is the default one.

    Raises:
        BadInput: the folder has another layout in its configuration already.
        Refused: git cannot make the repository or the commit.
    """
    if layout is not None and layout not in configuration.BASES:
        raise BadInput(f"{layout!r} is not a layout", hint=f"one of {', '.join(configuration.BASES)}")
    path = os.path.abspath(folder)
    repo = _repository(path, context.env)
    path = os.path.realpath(path)
    found = os.path.lexists(os.path.join(path, configuration.NAME))
    told: tuple[str, ...] = ()
    if found:
        workspace = open_workspace(path, context.env)
        if layout is not None and layout != workspace.layout.name:
            raise BadInput(
                f"the layout here is {workspace.layout.name}, not {layout}",
                path=configuration.NAME,
                hint="edit the file by hand",
            )
        if (
            notes is not None
            or (log and not workspace.config.log)
            or (indexes is not None and indexes != workspace.config.indexes)
        ):
            what = "notes" if notes is not None else "log" if log and not workspace.config.log else "indexes"
            raise BadInput(
                f"{what} cannot be changed by another init",
                path=configuration.NAME,
                hint="edit the file by hand",
            )
        text = None
    else:
        present = detect_on_disk(path)
        name = layout or (present.name if present is not None else "memgit")
        base = present.base if present is not None and present.name == name else None
        if indexes is None and os.path.isdir(os.path.join(path, ".obsidian")):
            indexes, told = "local", ("indexes: local, because Obsidian would show derived files as notes",)
        branch = default_branch(repo) if indexes == "trunk" else ""
        text = text_of(name, notes or (), base or None, indexes or "committed", branch, log)
        repo.at_root(path)
        workspace = Workspace(path, repo, configuration.parse(text))
    engine = {"engine": "default"} if mem_skill is None else mem_skill
    if mem_skill is not None and workspace.layout.name != "mem-skill":
        raise BadInput(
            f"--mem-engine is for the layout mem-skill, and this one is {workspace.layout.name}",
            hint="search: {engine: qmd} in .memgit.yaml",
        )
    if mem_skill is not None and os.path.lexists(os.path.join(path, workspace.layout.base, MEM_SKILL)):
        told += (f"{MEM_SKILL} is there already and stays as it is; edit it by hand",)
    set_up_driver(workspace.writable())
    done = execute(workspace, context, lambda session: _plan(session, workspace, text, engine))
    installed = install_hooks(workspace.writable()) if hooks else ()
    kept = keep(workspace)
    workspace.close()
    left = (kept.log_left,) if kept.log_left is not None else ()
    return done._replace(notes=(*told, *done.notes, *installed, *kept.failed, *left))


def install_hooks(repo: Repository) -> tuple[str, ...]:
    """Installs the hooks; what to tell where one could not be."""
    try:
        left = [hook for hook in install(repo) if not hook.works]
    except (Refused, OSError) as error:
        return (f"no hooks were installed: {error}",)
    if not left:
        return ()
    return (
        (
            f"not installed: {', '.join(hook.name for hook in left)} ({left[0].words}); memgit hooks "
            "status says what to do"
        ),
    )


def _repository(path: str, env: Mapping[str, str]) -> Repository:
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from error
    try:
        repo = Repository.open(path, env)
    except NotFound:
        return create_repository(path, env)
    if repo.worktree is None:
        raise Refused(
            f"{path} is a bare repository: it has no working tree for a knowledge root",
            hint="clone it and init the clone",
        )
    return repo


def _plan(session: Session, workspace: Workspace, text: bytes | None, engine: Mapping[str, Any]) -> Plan:
    overlay, config = session.overlay, workspace.config
    if text is not None and overlay.data(configuration.NAME) is None:
        overlay.put(configuration.NAME, text)
    mem_skill = config.layout.base + MEM_SKILL
    there = os.path.lexists(os.path.join(session.workspace.root or "", mem_skill))
    if config.layout.name == "mem-skill" and overlay.data(mem_skill) is None and not there:
        first = {"engine": engine["engine"], "version": VERSION}
        overlay.put(
            mem_skill, (json.dumps({**first, **engine}, indent=2, ensure_ascii=False) + "\n").encode()
        )
    before = overlay.data(ATTRIBUTES)
    after = attributes(before, config.layout)
    if after != before:
        overlay.put(ATTRIBUTES, after)
    if workspace.indexes() == "committed":
        for path, start in starters(config.layout).items():
            if overlay.data(path) is None:
                overlay.put(path, start)
        for path, data in derive_all(overlay).items():
            if data is not None:
                overlay.put(path, data)
    return Plan("init", (), "init: knowledge repository", anyway=True)


def attributes(present: bytes | None, layout: Layout) -> bytes:
    """`.gitattributes` with memgit's block in it: everything else stays, a second time changes nothing."""
    text = decode(present or b"")
    newline = newline_of(text) if text else "\n"
    patterns = dict.fromkeys(
        [*(_pattern(place.folder, place.pattern) for place in layout.places), *_derived(layout)]
    )
    block = (
        newline.join([OPENING, *(f"{_quoted(pattern)} merge=memgit" for pattern in patterns), CLOSING])
        + newline
    )
    start = text.find(OPENING)
    end = text.find(CLOSING, start)
    if start < 0 or end < 0:
        gap = "" if not text or text.endswith("\n") else newline
        return encode(text + gap + block, has_bom(present or b""))
    stop = end + len(CLOSING)
    stop += len(newline) if text[stop:].startswith(newline) else 0
    return encode(text[:start] + block + text[stop:], has_bom(present or b""))


def _derived(layout: Layout) -> list[str]:
    """Patterns for the derived files that those of the places do not cover."""
    covered = tuple(
        f"/{place.folder}" for place in layout.places if place.folder or place.pattern.startswith("**")
    )
    folders = {layout.base, *(place.folder for place in layout.places), f"{layout.base}20-Indices/"}
    found = sorted(
        f"/{folder}{name}" for folder in folders for name in NAMES if is_derived(layout, folder + name)
    )
    return [_escaped(path, "*?") for path in found if not (path.endswith(".md") and path.startswith(covered))]


def _pattern(folder: str, pattern: str) -> str:
    """A pattern for git attributes that covers a place."""
    if folder:
        return f"/{_escaped(folder, '*?')}**/*.md"
    if pattern.startswith("**"):
        return "*.md"
    return "/" + _escaped(pattern).replace("{path}", "**/*").replace("{key}", "*")


def _escaped(text: str, marks: str = "") -> str:
    """A text in which git sees no pattern of its own, such as `[a-z]`, nor in these marks."""
    for mark in f"\\[{marks}":
        text = text.replace(mark, f"\\{mark}")
    return text


def _quoted(pattern: str) -> str:
    """A pattern as it stands in the file: one with blanks or quotes in the quotes of C, see
    `gitattributes(5)`.
    """
    if not any(char in ' "' or char < " " or char == "\x7f" for char in pattern):
        return pattern
    text = pattern.replace("\\", "\\\\").replace('"', '\\"')
    return (
        '"' + "".join(f"\\{ord(char):03o}" if char < " " or char == "\x7f" else char for char in text) + '"'
    )

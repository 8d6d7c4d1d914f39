"""Which search engine answers: the one that was asked, else the configured one, else the default."""

from __future__ import annotations

import json
import os
import time

from memgit import TYPE_CHECKING
from memgit.app.check.settings import nested
from memgit.app.config import NAME
from memgit.app.read.reader import open_searchable
from memgit.app.workspace import Workspace
from memgit.cache.search import Query
from memgit.engines import DEFAULT, ENGINES, Engine, EngineFailed, Settings, make
from memgit.errors import BadInput, MemgitError
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgit.app.read.reader import CachedReader
    from memgit.cache.records import Snapshot
    from memgit.cache.search import Hit
    from memgit.model.record import Record

MEM_SKILL = ".mem-skill.config.json"
MAX_CONFIG = 100_000
OPTIONS = ("engine", "mode", "knowledge", "experience", "scope", "mask", "timeout")
"""What may stand under `search` in the configuration; all but the first are for qmd."""


class Chosen(NamedTuple):
    """An engine and its name."""

    name: str
    engine: Engine


class Asked(NamedTuple):
    """The results, the engine that gave them, and why it was not the chosen one."""

    hits: list[Hit]
    engine: str
    note: str | None = None


class Tested(NamedTuple):
    """What a test of an engine found: what it has of the records and the milliseconds that a query took, or
    what is wrong.
    """

    name: str
    configured: bool
    works: bool
    words: str
    hint: str | None = None
    milliseconds: float | None = None


def choose(workspace: Workspace, name: str | None = None) -> Chosen:
    """The engine of a name, or the configured one.

    Raises:
        BadInput: no such engine.
    """
    options = _options(workspace)
    name = name or options.pop("engine", DEFAULT)
    if name not in ENGINES:
        raise BadInput(f"there is no engine {name!r}", hint=f"engines: {', '.join(ENGINES)}")
    env = workspace.repo.env if workspace.repo is not None else {}
    return Chosen(name, make(name, Settings(workspace.root, env, options)))


def others(workspace: Workspace) -> list[str]:
    """The engines beside the default one; none where another one is configured."""
    try:
        chosen = choose(workspace).name
    except BadInput:
        return []
    return [name for name in ENGINES if name != DEFAULT] if chosen == DEFAULT else []


def _options(workspace: Workspace) -> dict[str, str]:
    """What the configuration says under `search`, else Mem Skill's own file.

    Raises:
        BadInput: a key or value that memgit does not know.
    """
    out: dict[str, str] = {}
    if workspace.config.search:
        for key, value in nested(workspace.config.search, key="search").items():
            if key not in OPTIONS or not isinstance(value, str):
                known = f"keys: {', '.join(OPTIONS)}, each with one value"
                raise BadInput(f"search.{key}: unknown key or value", path=NAME, hint=known)
            out[key] = value
    return out or mem_skill(workspace.root, workspace.layout.base)


def mem_skill(root: str | None, base: str) -> dict[str, str]:
    """Engine, collections and mask as `.mem-skill.config.json` has them; empty where it says nothing."""
    if root is None:
        return {}
    try:
        with open(os.path.join(root, base, MEM_SKILL), "rb") as file:
            found = json.loads(file.read(MAX_CONFIG))
        collections = found.get("collections") or {}
        named = {**{key: collections.get(key) for key in ("knowledge", "experience")}, **found}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}
    return {key: named[key] for key in OPTIONS if isinstance(named.get(key), str)}


def ask(
    chosen: Chosen,
    source: Snapshot,
    query: Query,
    accept: Callable[[Record], bool] | None = None,
    *,
    fresh: bool = True,
) -> Asked:
    """The answer of the chosen engine, or of the default where that one cannot.

    `fresh`: the snapshot is that of the working tree.
    """
    try:
        if not (fresh or chosen.engine.any_revision):
            raise EngineFailed(f"{chosen.name} knows the working tree alone")
        return Asked(chosen.engine.search(source, query, accept), chosen.name)
    except EngineFailed as error:
        found = make(DEFAULT, Settings(None, {}, {})).search(source, query, accept)
        hint = f" ({error.hint})" if error.hint else ""
        return Asked(found, DEFAULT, f"the default engine answers, as {error.message}{hint}")


def ahead(workspace: Workspace, seconds: float) -> bool:
    """Does a part of what the configured engine needs for its next answer, in time that nobody waits for; whether
    more is left to do. An engine that cannot, or a configuration that names none, leaves nothing.
    """
    try:
        chosen = choose(workspace)
        return chosen.name != DEFAULT and chosen.engine.ahead(open_searchable(workspace).snapshot, seconds)
    except MemgitError:
        return False


def test(workspace: Workspace, name: str | None = None) -> list[Tested]:
    """Brings every engine, or one, up to date and asks it something.

    Raises:
        BadInput: no such engine.
        Refused: the folder lies in no repository.
    """
    configured = choose(workspace).name
    names = [choose(workspace, name).name] if name is not None else list(ENGINES)
    out = []
    for one in names:
        chosen = choose(workspace, one)
        out.append(_tested(chosen, chosen.name == configured, open_searchable(workspace)))
    return out


def _tested(chosen: Chosen, configured: bool, reader: CachedReader) -> Tested:
    try:
        words = chosen.engine.prepare(reader.snapshot)
        record = next(reader.snapshot.records(), None)
        began = time.perf_counter()
        chosen.engine.search(reader.snapshot, Query(record.title if record is not None else "anything"))
        took = (time.perf_counter() - began) * 1e3
    except EngineFailed as error:
        return Tested(chosen.name, configured, False, error.message, error.hint)
    return Tested(chosen.name, configured, True, words, None, took)

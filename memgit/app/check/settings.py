"""Which rules there are and what the configuration says about them."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence

from memgit import TYPE_CHECKING
from memgit.errors import BadInput, UnreadableFile
from memgit.formats.yaml import read
from memgit.lint import settings as lint_settings
from memgit.lint.gate import INDEXES
from memgit.lint.rules import listed
from memgit.lint.settings import WHERE, Settings

if TYPE_CHECKING:
    from typing import Any

    from memgit.app.workspace import Workspace
    from memgit.lint.rule import Rule
    from memgit.lint.settings import Known

MAX_DEPTH = 4
ENTRY_POINTS = "memgit.rules"
"""The group of entry points by which other packages offer rules."""


def rules() -> tuple[tuple[Rule, ...], tuple[str, ...]]:
    """Every rule, those of other packages last, and words about what could not be taken."""
    from memgit.lint.rules import RULES

    if not offered():
        return RULES, ()
    from memgit.lint.engine import outside

    return outside(RULES, _loaded)


def known() -> Sequence[Known]:
    """Every rule as a configuration may name it; none is loaded unless other packages offer some."""
    return rules()[0] if offered() else listed()


def loaded(codes: Collection[str]) -> Sequence[Rule]:
    """The rules with some codes; of memgit's own no others are loaded."""
    if offered():
        return [rule for rule in rules()[0] if rule.code in codes]
    return [one.load() for one in listed() if one.code in codes]


def settings_of(workspace: Workspace, known: Sequence[Known], branch: str | None = None) -> Settings:
    """What `.memgit.yaml` says under `lint`; where derived files are not committed on a branch (as
    `Workspace.indexes` takes it), they are not checked either.

    Raises:
        BadInput: a key, rule, option or value that is not known.
    """
    text = workspace.config.lint
    settings = lint_settings.from_mapping(nested(text), known) if text else Settings()
    mode = workspace.indexes(branch)
    if mode == "elsewhere":
        return settings._replace(derived=False).narrowed(ignore=INDEXES)
    if mode == "local":
        options = {**settings.options, "MG101": {**settings.options.get("MG101", {}), "committed": False}}
        settings = settings._replace(options=options)
    return settings


def nested(text: str, depth: int = 0, key: str = "lint") -> dict[str, Any]:
    """The keys of a mapping of YAML, written in lines or in braces; values are text, lists, or mappings
    again. `key` is what it stands under.

    Raises:
        BadInput: it is no such mapping.
    """
    if depth > MAX_DEPTH:
        raise BadInput(f"{key}: it is nested too deeply", path=WHERE)
    text = "\n".join(_braces(text)) if text.lstrip().startswith("{") else text
    try:
        rows = read("row:\n" + "".join(f"  {line}\n" for line in text.split("\n")), inner="row")["row"].inner
    except (UnreadableFile, KeyError) as error:
        raise BadInput(f"{key}: {error}", path=WHERE) from None
    if rows is None:
        raise BadInput(f"{key}: it must be a mapping", path=WHERE)
    return {
        name: nested(entry.value, depth + 1, key)
        if entry.style == "map" and isinstance(entry.value, str)
        else entry.value
        for name, entry in rows.items()
    }


def _braces(text: str) -> Iterator[str]:
    """The pairs of a mapping in braces, one a line."""
    inner = text.strip().removeprefix("{").removesuffix("}")
    depth, quote, start = 0, "", 0
    for place, char in enumerate(inner):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "[{":
            depth += 1
        elif char in "]}":
            depth -= 1
        elif char == "," and depth == 0:
            yield inner[start:place].strip()
            start = place + 1
    if inner[start:].strip():
        yield inner[start:].strip()


def offered() -> bool:
    """Whether any installed package offers rules: asked of the files themselves, since the library that reads
    them is slow to load.
    """
    wanted = f"[{ENTRY_POINTS}]".encode()
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".") if os.path.isdir(folder or ".") else []
        except OSError:
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                try:
                    with open(os.path.join(folder, name, "entry_points.txt"), "rb") as file:
                        if wanted in file.read():
                            return True
                except OSError:
                    continue
    return False


def _loaded() -> Iterator[object]:
    """What the entry points give, or words about the one that failed."""
    from importlib.metadata import entry_points

    for point in entry_points(group=ENTRY_POINTS):
        try:
            yield point.load()
        except Exception as error:  # another package's fault stops nothing here
            yield f"{point.name} = {point.value}: {type(error).__name__}: {error}"


def check_names(select: tuple[str, ...], ignore: tuple[str, ...], known: tuple[Rule, ...]) -> None:
    """Raises BadInput where a wish of the command line names no rule."""
    lint_settings.check_names(select, known, "--select")
    lint_settings.check_names(ignore, known, "--ignore")


def described(rule: Rule) -> Mapping[str, Any]:
    """A rule as plain values, for programs."""
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity,
        "summary": rule.summary,
        "why": rule.why,
        "scope": rule.scope,
        "fixable": rule.fix is not None,
        "options": {
            name: list(value) if isinstance(value, tuple) else value for name, value in rule.options.items()
        },
    }

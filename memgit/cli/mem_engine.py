"""The options of `memgit init` for Mem Skill's other engine, qmd; what is not given is asked for on a terminal."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

import click

from memgit.cli.output import safe_line
from memgit.cli.terminal import on_terminal
from memgit.errors import BadInput

SCOPES = ("project", "global")
KINDS = ("knowledge", "experience")
MASK = "**/*.md"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


def mem_engine_options(function: Any) -> Any:
    """--mem-engine, --qmd-scope, --qmd-knowledge, --qmd-experience and --qmd-mask."""
    for option in reversed(
        (
            click.option(
                "--mem-engine",
                type=click.Choice(["default", "qmd"]),
                help="For mem-skill: the engine in .mem-skill.config.json.",
            ),
            click.option(
                "--qmd-scope", type=click.Choice(SCOPES), help="For qmd: whose collections they are."
            ),
            click.option("--qmd-knowledge", metavar="NAME", help="For qmd: the collection of knowledge."),
            click.option("--qmd-experience", metavar="NAME", help="For qmd: the collection of experience."),
            click.option(
                "--qmd-mask", metavar="PATTERN", help=f"For qmd: the files of both, by default {MASK}."
            ),
        )
    ):
        function = option(function)
    return function


def settings_from(options: Mapping[str, Any], folder: str) -> dict[str, Any] | None:
    """What Mem Skill's configuration says of the engine; None where nothing was asked for.

    Raises:
        BadInput: options of qmd for another engine, or a name that cannot be that of a collection.
    """
    given = [name for name in ("scope", *KINDS, "mask") if options[f"qmd_{name}"] is not None]
    if options["mem_engine"] != "qmd":
        if given:
            raise BadInput(f"--qmd-{given[0]} needs --mem-engine qmd")
        return None if options["mem_engine"] is None else {"engine": "default"}
    scope = options["qmd_scope"] or _asked("where do the collections of qmd belong", SCOPES[0], SCOPES)
    own = re.sub(r"[^A-Za-z0-9_-]+", "-", os.path.basename(os.path.realpath(folder))).strip("-")
    prefix = own if scope == "project" and own else "mem"
    names = {
        kind: options[f"qmd_{kind}"] or _asked(f"the collection of {kind}", f"{prefix}-{kind}")
        for kind in KINDS
    }
    for kind, name in names.items():
        if not _NAME.fullmatch(name):
            raise BadInput(
                f"--qmd-{kind}: {name!r} cannot be the name of a collection",
                hint="letters, digits, . _ and -",
            )
    mask = options["qmd_mask"] or MASK
    return {"engine": "qmd", "scope": scope, "mask": mask, "collections": names}


def _asked(what: str, default: str, choices: tuple[str, ...] | None = None) -> str:
    """The answer of a person; the default where none can be asked."""
    if not on_terminal():
        return default
    kind = click.Choice(choices) if choices else None
    return str(click.prompt(safe_line(what), default=default, type=kind, err=True))

"""What the configuration says about reviews, and whose configuration counts."""

from __future__ import annotations

import re
from typing import NamedTuple

from memgit.app import config as configuration
from memgit.app.check.settings import nested
from memgit.app.config import NAME, Config, make_layout
from memgit.errors import BadInput
from memgit.git.objects.tree import Tree
from memgit.git.repository import Repository
from memgit.lint.rule import SEVERITIES
from memgit.model.layout import Layout
from memgit.review.values import THRESHOLDS, Settings

KEYS = {"fail": THRESHOLDS, "warn": THRESHOLDS, "conflicts": (*SEVERITIES, "never")}

ATTRIBUTES = ".gitattributes"
DECISIVE = frozenset(["merge", "binary", "filter", "working-tree-encoding"])
"""Attributes of git by which a record is merged or stored in another way."""
MAX_LISTED = 50
_OWN = re.compile(r"^[^=]+ merge=memgit[a-z-]*$")
"""A line with which `memgit init` has git call memgit."""


class Ruled(NamedTuple):
    """The configuration that a review goes by: that of the base, so that no change switches its own checks
    off.

    `edited` says in words that the change edits the configuration, `fault` why it could not be merged so, with
    the line.
    """

    config: Config
    edited: str | None = None
    fault: tuple[int, str] | None = None


def root_of(repo: Repository, commit: str, inside: str) -> str | None:
    """The knowledge root that a folder of the repository lies in as a commit has it, by the nearest
    configuration; None where none is.

    What is checked out does not count: a change that takes the configuration away, or lays one below, moves
    no review elsewhere.

    Returns:
        the path of the root inside the repository, empty or ending in a slash.
    """
    top = Tree(repo, repo.tree_of(commit))
    folder = inside.strip("/")
    while True:
        prefix = f"{folder}/" if folder else ""
        found = top.get(prefix + NAME)
        if found is not None and found.is_file:
            return prefix
        if not folder:
            return None
        folder = folder.rpartition("/")[0]


def ruled(repo: Repository, opened: Config, parted: Tree, base: Tree, head: Tree) -> Ruled:
    """The configuration for a review of what leads from one tree to another.

    Args:
        opened: how the knowledge root was opened, for a base that is none yet.
        parted: where the two parted: a configuration that the base alone has edited since is not a change of the
            head.

    Raises:
        BadInput: the base's configuration cannot be read.
    """
    one, other = base.file(NAME), head.file(NAME)
    fault = None
    if other in (one, parted.file(NAME)):
        return Ruled(_of(repo, opened, base, one))
    config = opened
    if other is not None:
        try:
            config = configuration.parse(repo.blob(other))
        except BadInput as error:
            fault = (error.line or 1, error.message)
    if one is None and _detected(base) is None:
        said = (
            f"the base is not a knowledge root: the change brings {NAME}, which says where records lie; all "
            "rules are as they come"
        )
        return Ruled(Config(config.layout, config.indexes), said, fault)
    if other is None:
        fault = (1, f"the change removes {NAME}: after the merge, no hook checks these records")
    what = "adds" if one is None else "edits"
    said = f"the change {what} {NAME}, which decides what is checked; the review goes by the base's"
    return Ruled(_of(repo, opened, base, one), said, fault)


def attributes(repo: Repository, parted: str, head: str) -> list[tuple[str, int, str]]:
    """What a change does to how git merges and stores records: path as seen from the knowledge root, line,
    and words.

    Only attributes that decide that count, and only lines whose pattern can be about records or indexes.
    """
    before, after = (Tree(repo, repo.tree_of(commit)) for commit in (parted, head))
    found = []
    folders = ["", *(repo.prefix[: place + 1] for place, char in enumerate(repo.prefix) if char == "/")]
    for folder in folders:
        path = folder + ATTRIBUTES
        old, new = (_telling(tree.data(path)) for tree in (before, after))
        shown = "../" * repo.prefix[len(folder) :].count("/") + ATTRIBUTES
        edited = [(number, line) for line, number in new.items() if line not in old and not _OWN.search(line)]
        edited += [(1, line) for line in old if line not in new]
        if edited:
            line, text = edited[0]
            what = "adds" if text in new else "takes away"
            words = (
                f"the change {what} {text!r} in {path}, which decides how git merges or stores records: "
                "see that it is meant"
            )
            found.append((shown, line, words))
    return found


def _telling(data: bytes | None) -> dict[str, int]:
    """The lines of an attributes file that decide how records are merged or stored, with their numbers."""
    out: dict[str, int] = {}
    for number, line in enumerate((data or b"").decode("utf-8", "replace").split("\n"), 1):
        pattern, *given = line.split()[:MAX_LISTED] or [""]
        suffix = pattern.rpartition("/")[2].rpartition(".")[2] if "." in pattern else "md"
        if pattern.startswith("#") or not ("*" in suffix or suffix.rstrip('"') in ("md", "json")):
            continue
        if any(name.lstrip("-!").partition("=")[0] in DECISIVE for name in given):
            out.setdefault(" ".join([pattern, *given]), number)
    return out


def _of(repo: Repository, opened: Config, tree: Tree, blob: str | None) -> Config:
    if blob is not None:
        return configuration.parse(repo.blob(blob))
    layout = _detected(tree)
    if layout is None and opened.found == "detected":
        return opened
    return Config(layout or make_layout("notes"), found="detected")


def _detected(tree: Tree) -> Layout | None:
    return configuration.detect(
        lambda name: (found := tree.get(name)) is not None and found.is_tree,
        lambda name: (found := tree.get(name)) is not None and found.is_file,
    )


def settings_of(config: Config) -> Settings:
    """What stands under `review`.

    Raises:
        BadInput: a key or value that is not known.
    """
    if not config.review:
        return Settings()
    given = nested(config.review)
    for key, value in given.items():
        if key not in KEYS:
            raise BadInput(
                f"review.{key}: it is not one of {', '.join(KEYS)}",
                path=NAME,
                hint="see docs/configuration.md",
            )
        if value not in KEYS[key]:
            raise BadInput(
                f"review.{key}: {value!r} is not one of {', '.join(KEYS[key])}",
                path=NAME,
                hint="see docs/configuration.md",
            )
    return Settings(**given)

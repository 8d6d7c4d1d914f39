"""Merging one file for git, with the layout of the knowledge root that the file lies in."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from memgit.app.derived.merge import merge_derived
from memgit.app.merge.tree_merge import derivation_of, merge_bases, merge_trees
from memgit.app.workspace import Workspace, open_workspace
from memgit.derive import is_derived
from memgit.errors import Refused
from memgit.formats.merging.merge import DOCUMENTS, Conflict, Merged, merge_file
from memgit.formats.text import MAX_BYTES
from memgit.git.worktree.unmerged import merged_heads
from memgit.git.write_all import replace_file
from memgit.model.layout import Layout
from memgit.model.namedtuple import NamedTuple

_ID = re.compile(rb"^id:[ \t]*[\"']?([0-9a-z]{10})[\"']?[ \t]*\r?$", re.MULTILINE)
OURS, THEIRS = 2, 3


def merge_one(
    layout: Layout,
    path: str,
    base: bytes | None,
    ours: bytes | None,
    theirs: bytes | None,
    labels: tuple[str, str] = ("ours", "theirs"),
) -> Merged:
    """Merges one file of a knowledge root: records as records, derived files by what they say, others by
    lines.
    """
    if is_derived(layout, path):
        return merge_derived(layout, path, base, ours, theirs, labels)
    found = layout.find(path)
    form, kind = (found[0].form, found[0].kind) if found is not None else ("", "")
    other = another(base, ours, theirs) if form in DOCUMENTS else None
    if other is not None:
        what = f"git took record {id_in(base)} for this one: the change made to it belongs there"
        return Merged(ours if other == OURS else theirs, (Conflict(1, None, what),))
    return merge_file(form, kind, base, ours, theirs, labels)


def another(base: bytes | None, ours: bytes | None, theirs: bytes | None) -> int | None:
    """The side (`OURS`, `THEIRS`) on which a document is another record than on the other side and in their
    ancestor; None where neither.

    git tells renames by likeness, and short records are much alike: a renamed one is easily taken for a new
    one beside it.
    """
    was, one, two = id_in(base), id_in(ours), id_in(theirs)
    if was is None or one is None or two is None or one == two:
        return None
    return OURS if two == was else THEIRS if one == was else None


def id_in(data: bytes | None) -> str | None:
    """The id that the frontmatter of a document gives, if it is one of memgit's."""
    if data is None or not data.removeprefix(b"\xef\xbb\xbf").startswith(b"---"):
        return None
    found = _ID.search(data.partition(b"\n---")[0])
    return None if found is None else found[1].decode("ascii")


class Done(NamedTuple):
    """What was merged on disk: what conflicts, and the folder of the knowledge root from the top of the
    working tree (empty is that).
    """

    conflicts: tuple[Conflict, ...]
    folder: str = ""


def merge_paths(
    base: str, ours: str, theirs: str, path: str, labels: tuple[str, str], env: Mapping[str, str], cwd: str
) -> Done:
    """Merges three files on disk into `ours`; what conflicts is marked there and returned.

    Args:
        path: the file's name in the repository; it tells the record form.
        cwd: the top of the working tree, where git starts a driver.

    Raises:
        MemgitError, OSError: a file cannot be merged, read or written; `ours` is then what it was.
    """
    one, two, three = (_read(name) for name in (base, ours, theirs))
    if max(len(one), len(two), len(three)) > MAX_BYTES:
        raise Refused(f"larger than {MAX_BYTES:,} bytes")
    workspace = _workspace(path, env, cwd)
    layout, prefix = workspace.layout, "" if workspace.repo is None else workspace.repo.prefix
    inner = path.removeprefix(prefix)
    merged = _derived(workspace, inner, env) if is_derived(layout, inner) else None
    if merged is None:
        merged = merge_one(layout, inner, one, two, three, labels)
    replace_file(ours, merged.data or b"")
    return Done(merged.conflicts, prefix.rstrip("/"))


def _derived(workspace: Workspace, path: str, env: Mapping[str, str]) -> Merged | None:
    """A derived file as the records of the merge under way give it, though git may not have merged them yet.

    None where git does not say what it merges (a rebase, a stash), or people's own text in it conflicts.
    """
    repo = workspace.require_repository()
    head, others = repo.head().commit, merged_heads(repo, env)
    bases = merge_bases(repo, head, others[0]) if head is not None and len(others) == 1 else []
    if not bases:
        return None
    ours = repo.tree(head)
    done = merge_trees(
        repo,
        workspace.layout,
        repo.tree(bases[0]),
        ours,
        repo.tree(others[0]),
        derivation=derivation_of(workspace, others[0]),
        commit=head,
        only=path,
    )
    if any(one.path == path for one in done.conflicts):
        return None
    if path not in done.edits:
        return Merged(ours.data(path))
    edit = done.edits[path]
    return Merged(None if edit is None else edit.content(repo))


def _workspace(path: str, env: Mapping[str, str], cwd: str) -> Workspace:
    """The knowledge root that a file lies in."""
    folder = os.path.dirname(os.path.join(cwd, path))
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    return open_workspace(folder, env)


def _read(name: str) -> bytes:
    with open(name, "rb") as file:
        return file.read()

"""The merge of two commits as a commit that is made of objects: no merge is under way, and no ref moves.

Records merge as records, and derived files are derived from the result. What needs more than that is left to
git: a conflict, another merge driver, hooks of other tools.
"""

from __future__ import annotations

from collections.abc import Mapping

from memgit.app.merge.tree_merge import Derivation, Edit, derivation_of, merge_bases, merge_trees
from memgit.app.merge.two_places import doubled
from memgit.app.read.reader import CachedReader, open_reader
from memgit.app.workspace import Workspace
from memgit.derive import is_derived
from memgit.errors import Refused
from memgit.git import hooks
from memgit.git.commit import identity, refs
from memgit.git.commit.commit import commit_object
from memgit.git.objects.tree import Tree, rewrite
from memgit.git.repository import Repository

BY_LINES = frozenset(["unspecified", "set", "text", "memgit"])
"""Values of the attribute `merge` for which a file is merged here (gitattributes(5))."""
_HOOKS = ("pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg")

Edits = Mapping[str, Edit | None]


def merge_commit(workspace: Workspace, ours: str, theirs: str, message: str) -> str | None:
    """A commit that merges `theirs` into `ours`, or None where git has to merge them.

    Raises:
        Refused: the commit cannot be signed, or the user's identity is unknown.
    """
    repo = workspace.require_repository()
    if hooks.present(repo, _HOOKS):
        return None
    bases = merge_bases(repo, ours, theirs)
    tree = repo.tree_of(ours)
    derivation = derivation_of(workspace, theirs)
    edits = _merge(
        workspace, common_tree(workspace, bases), tree, repo.tree_of(theirs), derivation, commit=ours
    )
    if edits is None:
        return None
    try:
        new = _written(repo, tree, edits)
    except Refused:
        return None  # a file and a folder of one name
    made = commit_object(
        repo,
        new,
        [ours, theirs],
        identity.author(repo),
        identity.committer(repo),
        refs.message_bytes(message),
    )
    repo.restore_written()
    return None if _in_two_places(workspace, ours, made, edits) else made


def _merge(
    workspace: Workspace,
    base: str,
    ours: str,
    theirs: str,
    derivation: Derivation = "lines",
    *,
    commit: str | None,
    force: bool = False,
) -> Edits | None:
    """What merging does to our tree, by path from its top; None where git has to do it, unless by `force`."""
    repo, prefix = workspace.require_repository(), workspace.require_repository().prefix
    was = Tree(repo, base)
    mine = {delta.path: delta.new for delta in was.changes(Tree(repo, ours))}
    yours = {delta.path: delta.new for delta in was.changes(Tree(repo, theirs))}
    both = [path for path, entry in yours.items() if path in mine and mine[path] != entry]
    outside = {path: entry for path, entry in yours.items() if not path.startswith(prefix)}
    if not force and (any(path in outside for path in both) or not _by_lines(workspace, both)):
        return None
    merged = merge_trees(
        repo,
        workspace.layout,
        *(repo.subtree(tree) for tree in (base, ours, theirs)),
        derivation=derivation,
        commit=commit,
    )
    if merged.conflicts and not force:
        return None
    edits: dict[str, Edit | None] = {
        path: None if entry is None else Edit(entry.mode, entry.oid) for path, entry in outside.items()
    }
    return edits | {prefix + path: edit for path, edit in merged.edits.items()}


def common_tree(workspace: Workspace, bases: list[str]) -> str:
    """The tree that both sides come from; several are merged into one, as git does, with markers in it."""
    repo = workspace.require_repository()
    tree = repo.tree_of(bases[0])
    for number, other in enumerate(bases[1:], 1):
        common = common_tree(workspace, merge_bases(repo, bases[number - 1], other)[:1] or [other])
        edits = _merge(workspace, common, tree, repo.tree_of(other), commit=None, force=True)
        tree = _written(repo, tree, edits or {})
    return tree


def _written(repo: Repository, tree: str, edits: Edits) -> str:
    return rewrite(
        repo, tree, {path: None if edit is None else edit.entry(repo) for path, edit in edits.items()}
    )


def _by_lines(workspace: Workspace, paths: list[str]) -> bool:
    """Whether files that both sides changed are records, derived files, or merged by lines."""
    repo, layout, skip = (
        workspace.require_repository(),
        workspace.layout,
        len(workspace.require_repository().prefix),
    )
    others = [
        path for path in paths if layout.find(path[skip:]) is None and not is_derived(layout, path[skip:])
    ]
    if not others:
        return True
    names = "\0".join(others).encode("utf-8", "surrogateescape")
    told = repo.git("check-attr", "-z", "--stdin", "merge", data=names).decode("utf-8", "surrogateescape")
    return BY_LINES.issuperset(told.split("\0")[2::3])


def _in_two_places(workspace: Workspace, ours: str, made: str, edits: Edits) -> bool:
    """Whether both sides gave one record a place of its own."""
    reader = open_reader(workspace, made)
    skip = len(workspace.require_repository().prefix)
    changed = [path[skip:] for path in edits]
    return isinstance(reader, CachedReader) and bool(doubled(workspace, reader.snapshot, ours, changed))

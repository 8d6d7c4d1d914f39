"""Before a commit or a merge: derived files follow what is staged, and the gate judges the rest.

Everything is read from the index that git names (`GIT_INDEX_FILE`), never from the files on disk. Of the index
and the working tree nothing is written but derived files, each by its path, once the check has passed.
"""

from __future__ import annotations

import os

from memgit import TYPE_CHECKING
from memgit.app.check import lint
from memgit.app.check.change import judged, shown, visible
from memgit.app.derived import state as derived_state
from memgit.app.derived.staged import Derived, derived_of, put_on_disk
from memgit.app.hooks import hook_state
from memgit.app.hooks.file import FRAMEWORK
from memgit.app.hooks.messages import block_of, record_changes
from memgit.app.hooks.roots import State, inside, roots
from memgit.derive import affected_paths
from memgit.git.objects.tree import Tree, rewritten
from memgit.git.worktree.staged import staged
from memgit.git.worktree.unmerged import merged_heads, stage
from memgit.lint import gate
from memgit.model.namedtuple import NamedTuple
from memgit.model.shell import memgit_in, typed_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgit.app.workspace import Context, Workspace
    from memgit.git.objects.tree import Entry
    from memgit.git.repository import Repository
    from memgit.lint.rule import Finding
    from memgit.model.change import Change
    from memgit.model.record import Problem

ONLY = "next-index-"
"""How the name of the index begins from which `git commit -- PATH` makes its commit (builtin/commit.c in git);
the index that comes after it is in `index.lock` then.
"""


class Said(NamedTuple):
    """What a hook says: lines for standard error, and whether it stops git."""

    lines: tuple[str, ...] = ()
    stop: bool = False


class _Root(NamedTuple):
    """What was found for one knowledge root; `entries` is what the commit will hold, derived files included."""

    workspace: Workspace
    entries: Mapping[str, Entry | None]
    derived: Derived
    changes: tuple[list[Change], int]
    lines: tuple[str, ...] = ()
    stop: bool = False


def check_staged(context: Context, repo: Repository, only: str | None = None) -> Said:
    """Derives what the staged change affects, stages it, and lets the gate judge the change.

    Under the pre-commit framework derived files are written into the working tree instead, and the hook stops.

    Args:
        only: `index` (derived files alone) or `lint` (all but these); both by default.
    """
    merged = merged_heads(repo, context.env)
    head = repo.head().commit
    repo.at_prefix("")
    whole = staged(repo, head)
    sides = () if head is None else (head, *merged)
    door = gate.MERGE if merged else gate.COMMIT
    found: list[_Root] = []
    try:
        found.extend(
            _examined(workspace, context, door, sides, inside(workspace, whole), only)
            for workspace in roots(repo, State(repo, head, whole), whole)
        )
        lines = [line for one in found for line in one.lines]
        stop = any(one.stop for one in found)
        if not stop:
            for one in found:
                told, stopped = _follow(one, context)
                lines += told
                stop = stop or stopped
        if not stop and not merged and repo.in_progress() is None:
            hook_state.save(repo.git_dir, repo.index_file, block_of([one.changes for one in found]))
    finally:
        for one in found:
            one.workspace.close()
    return Said(tuple(lines), stop)


def _examined(
    workspace: Workspace,
    context: Context,
    door: str,
    sides: Sequence[str],
    entries: Mapping[str, Entry | None],
    only: str | None,
) -> _Root:
    """Looks at what is staged in one knowledge root; nothing is written but objects."""
    repo = workspace.require_repository()
    derived = Derived({}, {}, {})
    if only != "lint" and workspace.indexes() == "committed":
        derived = derived_of(workspace, entries)
    entries = {**entries, **derived.entries}
    lines = [*_problems(repo.prefix, derived.problems), *(f"{repo.prefix}{note}" for note in derived.notes)]
    changes = record_changes(workspace, repo.head().commit, entries)
    if only == "index":
        return _Root(workspace, entries, derived, changes, tuple(lines))
    request = lint.Request(staged=True, ignore=(gate.DERIVED,), entries=entries)
    result = lint.check_staged(workspace, context, request)
    verdict = judged(workspace, context, door, result.findings, _Files(repo, entries).data, sides, changes[0])
    lines += shown(repo.prefix, verdict.findings)
    if verdict.findings and verdict.before:
        lines.append(f"{verdict.before:,} more were there before this change and do not count")
    if verdict.stops:
        lines += _fixes(context, workspace, verdict.findings, entries)
    return _Root(workspace, entries, derived, changes, tuple(lines), verdict.stops)


class _Files:
    """The files of a knowledge root as a commit will hold them."""

    def __init__(self, repo: Repository, entries: Mapping[str, Entry | None]) -> None:
        self._repo, self._entries, self._tree = repo, entries, repo.tree(repo.head().commit)

    def data(self, path: str) -> bytes | None:
        entry = self._entries[path] if path in self._entries else self._tree.get(path)
        return self._repo.blob(entry.oid) if entry is not None and entry.is_file else None


def _follow(root: _Root, context: Context) -> tuple[list[str], bool]:
    """Stages the derived files of one knowledge root; what to say, and whether git is to stop."""
    workspace, derived = root.workspace, root.derived
    repo = workspace.require_repository()
    if derived.files and FRAMEWORK in context.env:
        put_on_disk(workspace, derived.was, derived.files)
        shell = _Shell(context, workspace)
        return [f"rewrote {_named(repo.prefix, derived)}", f"to fix: {shell.git('add', derived.files)}"], True
    lines = []
    if derived.files:
        stage(repo, {repo.prefix + path: entry for path, entry in derived.entries.items()}, refresh=False)
        was, files = derived.was, derived.files
        if os.path.basename(repo.index_file).startswith(ONLY):
            later = _follow_next(workspace, repo.with_index(f"{repo.git_dir}/index.lock"))
            was, files = {**later.was, **was}, {**files, **later.files}
        left = put_on_disk(workspace, was, files)
        lines = [f"{repo.prefix}{path}: staged, the file was left alone: {why}" for path, why in left.items()]
    _note_right(root)
    return lines, False


def _follow_next(workspace: Workspace, repo: Repository) -> Derived:
    """Stages derived files in the index that git puts in place after `git commit -- PATH`, as that one has the
    records.
    """
    other = type(workspace)(workspace.root, repo, workspace.config)
    derived = derived_of(other, staged(repo, repo.head().commit))
    stage(repo, {repo.prefix + path: entry for path, entry in derived.entries.items()}, refresh=False)
    return derived


def _note_right(root: _Root) -> None:
    """Notes that the derived files which the change affects are right in the tree that it makes, for the next
    check and the next write.
    """
    workspace, entries = root.workspace, root.entries
    repo = workspace.require_repository()
    head = repo.head().commit
    if workspace.indexes() != "committed" or head is None or not entries:
        return
    before = repo.tree(head)
    affected = affected_paths(workspace.layout, entries) - root.derived.problems.keys()
    after = Tree(repo, rewritten(repo, before.oid, entries))
    right = derived_state.known(repo, workspace.layout, before) - affected
    derived_state.note_ahead(repo, before, after, right, affected)


# Lines


def _problems(prefix: str, problems: Mapping[str, tuple[Problem, ...]]) -> list[str]:
    return [
        f"{visible(prefix + path)}:{one.line}: warning {gate.DERIVED} index-drift: not derived: {one.message}"
        for path, found in problems.items()
        for one in found
        if one.fatal
    ]


def _named(prefix: str, derived: Derived) -> str:
    paths = [visible(prefix + path) for path in sorted(derived.files)]
    return paths[0] + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")


def _fixes(
    context: Context,
    workspace: Workspace,
    findings: Sequence[Finding],
    entries: Mapping[str, Entry | None],
) -> list[str]:
    """The commands after which a commit that was stopped passes, as they are typed in the person's folder."""
    errors = [one for one in findings if one.severity == "error"]
    shell = _Shell(context, workspace)
    by_hand: list[str] = []
    elsewhere: list[str] = []
    for one in errors:
        entry = entries.get(one.path)
        (by_hand if entry is None or entry.is_file else elsewhere).append(one.path)
    out = []
    if elsewhere:  # a submodule or a link: no edit makes a file of it
        out.append(
            f"to fix: {shell.git('rm --cached', elsewhere)}, and keep it outside of the record folders"
        )
    if by_hand:
        rules = ", ".join(f"{shell.memgit} rule {code}" for code in sorted({one.rule for one in errors}))
        out.append(f"to fix: edit, then {shell.git('add', by_hand)} ({rules} explains it)")
    return out


class _Shell:
    """Commands as they are typed in the folder of the working tree that git was started in."""

    def __init__(self, context: Context, workspace: Workspace) -> None:
        repo = workspace.require_repository()
        self._top, self._prefix = repo.worktree or "", repo.prefix
        self._where = os.path.join(self._top, context.env.get("GIT_PREFIX", ""))
        self.memgit = memgit_in(os.path.relpath(workspace.root or ".", self._where))

    def git(self, command: str, paths: Mapping[str, object] | Sequence[str]) -> str:
        """A command of git with paths from the knowledge root."""
        typed = [
            os.path.relpath(os.path.join(self._top, self._prefix + path), self._where)
            for path in dict.fromkeys(paths)
        ]
        # git takes `*` and the like in a path for a pattern, which would stage more.
        literal = "--literal-pathspecs " if any(mark in path for path in typed for mark in "*?[\\") else ""
        return " ".join([f"git {literal}{command}", *map(typed_path, typed)])

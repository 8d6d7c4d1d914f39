"""The commands after which a commit that was stopped passes, as they are typed in the folder that the person
is in.

Derived files are named as they follow from what is staged: an index, and the file of a category whose name
was set in the index alone. `memgit rebuild` derives from the working tree. Where that holds other records
than the commit would, `memgit resolve` is named instead, which derives from what is staged, and stages what
it derives.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from memgit import TYPE_CHECKING
from memgit.app.config import NAME
from memgit.derive import is_derived
from memgit.errors import MemgitError
from memgit.model.shell import memgit_in, typed_path

if TYPE_CHECKING:
    from memgit.app.workspace import Context, Workspace
    from memgit.app.write.write import Board
    from memgit.git.objects.tree import Entry
    from memgit.git.repository import Repository
    from memgit.lint.rule import Finding

DERIVED = "MG101"
MOST = 20
"""So many files are named one by one."""
LOCK = ".lock"
"""How the name of an index ends that is being written (lockfile.h in git)."""
_FIELDS = {b"1 ": 8, b"u ": 10, b"? ": 1}
"""How many fields stand before the path in a row of `git status --porcelain=v2`."""
PLAIN, ALL, ONLY = "plain", "all", "only"
"""What `git commit` takes: the index, all edits besides (-a, -i), or the named files alone."""


def mends(
    context: Context,
    workspace: Workspace,
    errors: Sequence[Finding],
    whole: Mapping[str, Entry | None],
    *,
    fixed: bool,
    stopped: bool,
) -> list[str]:
    """The lines that name the commands.

    Args:
        errors: what stopped the commit.
        whole: what is staged, from the top of the working tree.
        fixed: whether the working tree is mended already.
        stopped: whether a merge, rebase or the like is under way, or is stopped by this.
    """
    if not errors:
        return []
    repo = workspace.require_repository()
    shell = _Shell(workspace, repo, context.env.get("GIT_PREFIX", ""))
    drift = list(dict.fromkeys(one.path for one in errors if one.rule == DERIVED and one.fixable))
    fixable = [one.path for one in errors if one.fixable and one.rule != DERIVED]
    # What else is wrong in a file that will be derived anew goes with that.
    others = [one for one in errors if not one.fixable and one.path not in drift]

    def is_file(path: str) -> bool:
        entry = whole.get(repo.prefix + path)
        return entry is None or entry.is_file

    by_hand = [one for one in others if is_file(one.path)]
    elsewhere = [one.path for one in others if not is_file(one.path)]
    out = []
    if elsewhere:  # a submodule or a link: no edit makes a file of it
        out.append(f"mend: {shell.git('rm --cached', elsewhere)}")
        out.append(
            "      (then keep it outside of the folders of records, and write here what is to be known of it)"
        )
    if by_hand:
        out.append(f"mend: edit, then {shell.git('add', (one.path for one in by_hand))}")
        out.append(
            "      "
            f"({', '.join(f'memgit rule {code}' for code in sorted({one.rule for one in by_hand}))} "
            "says more)"
        )
    if fixed:
        if fixable or drift:
            out.append(f"mend: {shell.git('add', [*fixable, *drift])}")
        return out
    edits: Mapping[str, bytes | None] = {}
    unstaged = _Unstaged(repo)
    if fixable:
        edits = _fixes(workspace, context)
        parts = [path for path in edits or fixable if repo.prefix + path in unstaged.edited]
        rest = [path for path in edits or fixable if path not in parts]
        added = [shell.git(command, paths) for command, paths in (("add", rest), ("add -p", parts)) if paths]
        out.append("mend: " + " && ".join([f"{shell.memgit} lint --staged --fix", *added]))
        if parts:
            out.append(
                "      (what is fixed stands beside edits that are not staged: take only what was fixed)"
            )
    if drift:
        out += _derive(workspace, context, shell, drift, whole, edits, unstaged, stopped=stopped)
    return out


def _derive(
    workspace: Workspace,
    context: Context,
    shell: _Shell,
    drift: Sequence[str],
    whole: Mapping[str, Entry | None],
    edits: Mapping[str, bytes | None],
    unstaged: _Unstaged,
    *,
    stopped: bool,
) -> list[str]:
    """How to get the derived files right."""
    repo = workspace.require_repository()
    taken = _taken(repo)
    paths = _written(workspace, repo, whole, edits, drift)
    if not paths:  # what was fixed has mended them
        return []
    # The pre-commit framework puts aside what is not staged, so that nobody sees it; git does not add a file
    # that it is to ignore.
    if not (
        stopped or unstaged.holds_records(workspace) or "PRE_COMMIT" in context.env or _ignored(repo, paths)
    ):
        out = [f"mend: {shell.memgit} rebuild && {shell.git('add', paths)}"]
        return (
            [*out, "      (and name them in git commit as well, beside the files that you name)"]
            if taken == ONLY
            else out
        )
    named = () if taken == PLAIN else _named(repo, taken, whole)
    inside = [path[len(repo.prefix) :] for path in named if path.startswith(repo.prefix)]
    # -a, as far as that can be told, or more than one likes to read: the shorter command, where it stages
    # nothing else.
    every = (taken == ALL or len(inside) > MOST) and "PRE_COMMIT" not in context.env and not unstaged.edited
    first = "" if not inside else "git add -u" if every else shell.git("add", inside)
    out = [
        f"mend: {first}{' && ' if first else ''}{shell.memgit} resolve",
        "      (it derives them from what is staged, and stages them)",
    ]
    if taken == ONLY:
        out.append(
            "      (then git commit without naming files: the derived ones are part of it, and what "
            "else is staged)"
        )
    return out


class _Shell:
    """Commands as they are typed in one folder of the working tree."""

    def __init__(self, workspace: Workspace, repo: Repository, folder: str) -> None:
        self._top, self._prefix = repo.worktree or "", repo.prefix
        self._where = os.path.join(self._top, folder)
        root = os.path.relpath(workspace.root or ".", self._where)
        self.memgit = memgit_in(root)

    def git(self, command: str, paths: Iterable[str]) -> str:
        """A command of git with paths from the knowledge root."""
        typed = [
            os.path.relpath(os.path.join(self._top, self._prefix + path), self._where)
            for path in dict.fromkeys(paths)
        ]
        # git takes `*` and the like in a path for a pattern, which would stage more.
        literal = "--literal-pathspecs " if any(mark in path for path in typed for mark in "*?[\\") else ""
        return " ".join([f"git {literal}{command}", *map(typed_path, typed)])


def _taken(repo: Repository) -> str:
    """What the commit takes, told by the name of its index (builtin/commit.c in git): -a and -i write the
    next one, paths a false one.
    """
    name = os.path.basename(repo.index_file)
    return ONLY if name.startswith("next-index-") else ALL if name.endswith(LOCK) else PLAIN


def _named(repo: Repository, taken: str, whole: Mapping[str, Entry | None]) -> list[str]:
    """The paths that the commit takes from the working tree: those that the index of the user has otherwise.

    What he staged himself is none of them: he may have edited it since.
    """
    from memgit.git import process

    def rows(index: str) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        for row in process.run(
            ["ls-files", "--stage", "-z"], repo=repo, extra={"GIT_INDEX_FILE": index}
        ).split(b"\0"):
            entry, _, path = row.partition(b"\t")
            found[path] = found.get(path, b"") + entry
        return found

    own = f"{repo.git_dir}/index" if taken == ONLY else repo.index_file.removesuffix(LOCK)
    before, after = rows(own), rows(repo.index_file)
    changed = (
        path.decode("utf-8", "surrogateescape")
        for path in before.keys() | after.keys()
        if before.get(path) != after.get(path)
    )
    return sorted(path for path in changed if taken == ALL or path in whole)


class _Unstaged:
    """What is otherwise in the working tree than in the commit to be.

    Git is asked once, and only where somebody wants to know.
    """

    def __init__(self, repo: Repository) -> None:
        self._repo = repo

    @cached_property
    def _rows(self) -> list[tuple[str, bool, bool]]:
        """The path of each from the top, whether git knows it, and whether it is a submodule (git-status(1),
        "Porcelain Format 2").
        """
        args = [
            "status",
            "--porcelain=v2",
            "-z",
            "--untracked-files=all",
            "--no-renames",
            "--ignore-submodules=dirty",
        ]
        found: list[tuple[str, bool, bool]] = []
        for row in self._repo.git(*args).split(b"\0"):
            fields = _FIELDS.get(row[:2])
            if fields is not None and (fields == 1 or row[3:4] != b"."):
                path = row.split(b" ", fields)[fields].decode("utf-8", "surrogateescape")
                found.append((path, fields > 1, fields > 1 and row[5:6] == b"S"))
        return found

    @cached_property
    def edited(self) -> frozenset[str]:
        """The files that git knows, from the top, and the submodules that are at another commit."""
        return frozenset(path for path, known, _ in self._rows if known)

    def holds_records(self, workspace: Workspace) -> bool:
        """Whether a record is among it, known to git or not, or the configuration; derived files do not
        count.
        """
        prefix = self._repo.prefix
        inner = (
            path[len(prefix) :] for path, _, module in self._rows if path.startswith(prefix) and not module
        )
        return any(_counts(workspace, path) and not is_derived(workspace.layout, path) for path in inner)


def _fixes(workspace: Workspace, context: Context) -> Mapping[str, bytes | None]:
    """What `memgit lint --staged --fix` would write."""
    from memgit.app.check import lint

    try:
        return lint.mends(workspace, context, lint.Request(staged=True)).edits
    except MemgitError:
        return {}


def _written(
    workspace: Workspace,
    repo: Repository,
    whole: Mapping[str, Entry | None],
    edits: Mapping[str, bytes | None],
    drift: Sequence[str],
) -> list[str]:
    """The files that have to be staged so that the derived ones are right, as a write of memgit would commit
    them.
    """
    from memgit.app.write.write import Board, owed

    board = Board(workspace, repo, repo.tree(head := repo.head().commit), head)
    skip = len(repo.prefix)
    for path, entry in whole.items():
        inner = path[skip:]
        if path.startswith(repo.prefix) and _counts(workspace, inner):
            board.edits[inner] = repo.blob(entry.oid) if entry is not None and entry.is_file else None
    board.edits.update(edits)
    before = dict(board.edits)
    try:
        owed(workspace, board)
    except MemgitError:
        return [] if edits else list(drift)
    return _changed(board, before) or ([] if edits else list(drift))


def _changed(board: Board, before: Mapping[str, bytes | None]) -> list[str]:
    old = board.unedited()
    return sorted(
        path
        for path, data in board.edits.items()
        if data != (before[path] if path in before else old.data(path))
    )


def _counts(workspace: Workspace, path: str) -> bool:
    """Whether derived files depend on a file, or it is one."""
    return path == NAME or is_derived(workspace.layout, path) or workspace.layout.find(path) is not None


def _ignored(repo: Repository, paths: Sequence[str]) -> bool:
    """Whether git would refuse to add one of the paths, because it is told to ignore it."""
    from memgit.git import process

    names = b"".join(f"./{repo.prefix}{path}\0".encode("utf-8", "surrogateescape") for path in paths)
    # It is the one command that refuses to take its names as they are.
    done = process.attempt(
        ["check-ignore", "--stdin", "-z"], repo=repo, data=names, extra={"GIT_LITERAL_PATHSPECS": "0"}
    )
    return done.code == 0

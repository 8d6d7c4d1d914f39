"""Deriving everything again: the derived files of the working tree, and the cache from the commits.

The working tree counts as it is: the newest commit with uncommitted edits. What is written is written there
alone; nothing is staged, and nothing committed unless that is asked for. Another revision is only compared:
its derived files could be put nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from memgit.app import config as configuration
from memgit.app.derived import files as derived_files
from memgit.app.derived import noted
from memgit.app.derived import state as derived_state
from memgit.app.derived.files import Difference, Kept, State
from memgit.app.derived.local import WHAT as LOCAL
from memgit.app.read.log import incomplete
from memgit.app.workspace import Context, Workspace
from memgit.app.write.session import OperationResult, Plan, Session
from memgit.app.write.write import execute
from memgit.cache.events import Events
from memgit.cache.overlay import OverlaySnapshot
from memgit.cache.parallel_events import begin
from memgit.cache.records import Snapshot, refresh
from memgit.cache.usage import load
from memgit.derive import is_derived
from memgit.derive.view import Rendered
from memgit.errors import BadInput
from memgit.git.commit import recovery
from memgit.git.history import history
from memgit.git.repository import Repository
from memgit.git.worktree.checkout import Put, put
from memgit.git.worktree.exclude import set_excluded
from memgit.model.printable import readable
from memgit.model.record import Problem

if TYPE_CHECKING:
    from memgit.cache.parallel_events import Beside

ATTEMPTS = 3
"""How often to begin again where files change while they are being derived from."""
TELL_EVERY = 500

Progress = Callable[[str, int, int | None], None]
"""Told now and then what is being read, how much of it is done, and how much there is, if that is known."""


class Rebuilt(NamedTuple):
    """What was done, or found.

    Attributes:
        revision: the commit that the answer is for, None before the first.
        fresh: whether uncommitted edits are counted in.
        complete: whether the clone holds all of history.
        differences: what is wrong and was not fixed.
        written: the files that were written, removed ones among them.
        records, events: how many there are, in the state and in its log.
        derived: how many derived files the state has.
        commit: the commit that was made, if any.
        left_to: the branch that has the derived files, where this one leaves them as they are
            (`indexes: trunk`).
        notes: what else the user should be told.
        unreadable: paths of record files that could not be understood, and why: what they hold does not
            count, or not wholly.
    """

    revision: str | None
    fresh: bool
    complete: bool
    differences: tuple[Difference, ...]
    written: tuple[str, ...]
    records: int
    events: int
    derived: int
    commit: str | None = None
    left_to: str | None = None
    notes: tuple[str, ...] = ()
    unreadable: tuple[tuple[str, Problem], ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "revision": self.revision,
            "fresh": self.fresh,
            "complete": self.complete,
            "differences": [{**found._asdict(), "path": readable(found.path)} for found in self.differences],
            "written": [readable(path) for path in self.written],
            "records": self.records,
            "events": self.events,
            "derived": self.derived,
            "commit": self.commit,
            "left_to": self.left_to,
        }


def rebuild(
    workspace: Workspace, context: Context, *, commit: bool = False, progress: Progress | None = None
) -> Rebuilt:
    """Writes the derived files that are not as they should be into the working tree, and brings the cache up to
    date, or makes it anew where it is damaged. What is known of this very commit is not derived again.

    Args:
        commit: commits the derived files of the newest commit as `fix: indexes` first.

    Raises:
        BadInput: `commit`, where the configuration keeps derived files out of commits, or out of those of this
            branch.
        Refused: there is no working tree, another memgit is writing, or a file cannot be written.
    """
    repo = workspace.writable()
    mode = workspace.indexes()
    if commit and mode == "local":
        raise BadInput(
            "indexes: local keeps derived files out of commits",
            path=configuration.NAME,
            hint="memgit rebuild",
        )
    if commit and mode == "elsewhere":
        branch = workspace.default_branch
        raise BadInput(
            f"indexes: trunk commits derived files on {branch} alone, and this is another branch",
            path=configuration.NAME,
            hint=f"git switch {branch}",
        )
    notes = [*recovery.mend(repo, recovery.WAIT), *_history_notes(repo)]
    kept = Kept(repo)
    if workspace.cache is not None and workspace.cache.fault() is not None:
        workspace.cache.renew()
    beside = _begin_events(workspace, repo)
    try:
        return _rebuild(workspace, context, repo, kept, notes, beside, commit=commit, progress=progress)
    finally:
        if beside is not None:
            beside.stop()


def commit_derived(workspace: Workspace, context: Context, *, unless_known: bool = False) -> OperationResult:
    """Commits the derived files of the newest commit as its records give them, as `fix: indexes`.

    Args:
        unless_known: does nothing where all of them are known to be right.

    Raises what `execute` raises.
    """
    repo = workspace.writable()
    if unless_known and derived_state.whole(repo, repo.tree(repo.head().commit)) is not None:
        return OperationResult("fix", "no_op", None, None)
    kept = Kept(repo)
    done = execute(workspace, context, partial(_fix, kept))
    if unless_known:
        state = derived_files.of_commit(workspace, repo, repo.head().commit, kept)
        rendered, _ = derived_files.derive(state)
        if not derived_files.differences(state, rendered):
            _note_all(state, repo, rendered)
    return done


def _rebuild(
    workspace: Workspace,
    context: Context,
    repo: Repository,
    kept: Kept,
    notes: list[str],
    beside: Beside | None,
    *,
    commit: bool,
    progress: Progress | None,
) -> Rebuilt:
    mode = workspace.indexes()
    _read_records(workspace, repo, kept, progress)
    made = None
    if commit:
        done = execute(workspace, context, partial(_fix, kept))
        made = done.commit
        notes += done.notes
        _read_records(workspace, repo, kept, progress)
    for attempt in range(ATTEMPTS):
        state = derived_files.of_working_tree(workspace, repo, kept)
        count = _all_right(repo, state)
        rendered, told = derived_files.derive(state) if count is None else ({}, ())
        wanted = _affected(state, rendered)
        left = put(repo, wanted)
        if not left or attempt == ATTEMPTS - 1 or not any("meanwhile" in why for why in left.values()):
            break
    notes += told
    written = [path for path in sorted(wanted) if path not in left]
    wrong = [Difference(path, 1, f"left alone: {why}") for path, why in left.items()]
    for path, one in rendered.items():
        wrong += [
            Difference(path, problem.line, f"left alone: {problem.message}")
            for problem in one.problems
            if problem.fatal
        ]
    present = [path for path, one in rendered.items() if one.data is not None]
    if count is None and mode == "committed" and not state.found and not wrong and not wanted:
        derived_state.note(repo, state.tree, derived_state.known(repo, state.layout, state.tree), present)
        _note_all(state, repo, rendered)
    set_excluded(repo, [path for path in present if state.tree.get(path) is None] if mode == "local" else [])
    if mode == "local":
        if state.commit is not None:
            noted.note(repo, LOCAL, state.commit)
        notes += _tracked(state, present)
    head = state.commit
    edits = _uncommitted(state) | {path: wanted[path].after for path in written}
    del state, rendered, kept  # all records of the state; the log needs the room
    found = _found(_snapshot(workspace, repo, head, edits))
    events = _read_events(workspace, repo, head, progress, beside)
    _read_usage(workspace, repo)
    return Rebuilt(
        head,
        True,
        incomplete(repo) is None,
        tuple(sorted([*wrong, *found.conflicts])),
        tuple(written),
        found.records,
        events,
        len(present) if count is None else count,
        made,
        _left_to(workspace, mode),
        tuple(dict.fromkeys(notes)),
        found.unreadable,
    )


def check(workspace: Workspace, at: str | None = None, *, progress: Progress | None = None) -> Rebuilt:
    """What `rebuild` would write, without writing; the cache alone is brought up to date.

    Args:
        at: a revision to check in place of the working tree, with the configuration that it has; a bare
            repository is checked at HEAD.

    Raises:
        NotFound: no such revision.
        Refused: there is no repository.
    """
    repo = workspace.require_repository()
    kept = Kept(repo)
    if at is None and workspace.root is not None:
        _read_records(workspace, repo, kept, progress)
        state = derived_files.of_working_tree(workspace, repo, kept)
        found = _found(_snapshot(workspace, repo, state.commit, _uncommitted(state)))
    else:
        commit = repo.resolve(at) if at is not None else repo.head().commit
        there = Workspace(workspace.root, repo, _config_of(workspace, repo, commit))
        state = derived_files.of_commit(there, repo, commit, kept, there.branch_of(at or "HEAD"))
        found = _found(_snapshot(there, repo, commit))
        there.close()
    count = _all_right(repo, state)
    rendered, notes = derived_files.derive(state) if count is None else ({}, ())
    differences = sorted([*derived_files.differences(state, rendered), *found.conflicts])
    events = 0 if state.commit is None else sum(1 for _ in history.order(repo, [state.commit]))
    present = sum(one.data is not None for one in rendered.values()) if count is None else count
    if count is None and not differences and state.indexes == "committed":
        _note_all(state, repo, rendered)
    return Rebuilt(
        state.commit,
        state.working,
        incomplete(repo) is None,
        tuple(differences),
        (),
        found.records,
        events,
        present,
        left_to=_left_to(workspace, state.indexes),
        notes=(*_history_notes(repo), *notes),
        unreadable=found.unreadable,
    )


def _left_to(workspace: Workspace, mode: str) -> str | None:
    return workspace.default_branch if mode == "elsewhere" else None


def _all_right(repo: Repository, state: State) -> int | None:
    """How many derived files a state has, where it is a commit as it is and they are known to be right, or are
    not asked for.
    """
    if state.indexes == "elsewhere":
        return 0
    if state.found or state.odd or state.indexes != "committed":
        return None
    return derived_state.whole(repo, state.tree)


def _note_all(state: State, repo: Repository, rendered: Mapping[str, Rendered]) -> None:
    """Notes that all derived files are right, where the commit holds each of them."""
    present = [path for path, one in rendered.items() if one.data is not None]
    if not state.found and not state.odd and all(state.tree.get(path) is not None for path in present):
        derived_state.note_whole(repo, state.tree, len(present))


def _fix(kept: Kept, session: Session) -> Plan:
    """The derived files of the newest commit, and the names that only its indexes have."""
    overlay = session.overlay
    state = derived_files.of_commit(overlay.workspace, overlay.repo, overlay.commit, kept)
    rendered, notes = derived_files.derive(state)
    for path, new in _affected(state, rendered).items():
        overlay.put(path, new.after)
    return Plan(
        "fix",
        (),
        "fix: indexes",
        notes=notes,
        anyway=True,
        derived=frozenset(overlay.edits) & rendered.keys(),
    )


def _affected(state: State, rendered: Mapping[str, Rendered]) -> dict[str, Put]:
    """What has to be written: derived files, and the entry files that names are put into."""
    after = {path: data for path, data in state.edits.items() if path not in rendered}
    after |= {
        path: one.data for path, one in rendered.items() if not any(problem.fatal for problem in one.problems)
    }
    return {
        path: Put(before, data)
        for path, data in sorted(after.items())
        if data != (before := state.before(path))
    }


def _config_of(workspace: Workspace, repo: Repository, commit: str | None) -> configuration.Config:
    """The configuration that a commit has; that of today where it has none."""
    entry = repo.tree(commit).get(configuration.NAME)
    return (
        configuration.parse(repo.blob(entry.oid)) if entry is not None and entry.is_file else workspace.config
    )


def _history_notes(repo: Repository) -> list[str]:
    missing = incomplete(repo)
    return [] if missing is None else [missing]


def _tracked(state: State, present: Iterable[str]) -> list[str]:
    held = [path for path in present if state.tree.get(path) is not None and is_derived(state.layout, path)]
    if not held:
        return []
    more = f" and {len(held) - 1} more" if len(held) > 1 else ""
    return [
        f"indexes: local, but {held[0]}{more} is committed: git rm --cached takes it out of the next commit"
    ]


def _read_records(workspace: Workspace, repo: Repository, kept: Kept, progress: Progress | None) -> None:
    """Brings the records of the newest commit into the cache; what is parsed on the way is kept."""
    if workspace.cache is None:
        return
    tell = None if progress is None else (lambda done, total: progress("records", done, total))
    refresh(workspace.cache, repo, workspace.layout, repo.head().commit, tell, parse=kept.parse)


class _Found(NamedTuple):
    """How many records a state has, the conflict markers that were left in them, and the files that could not
    be understood.
    """

    records: int
    conflicts: list[Difference]
    unreadable: tuple[tuple[str, Problem], ...]


def _found(snapshot: Snapshot) -> _Found:
    problems = list(snapshot.problems())
    conflicts = [
        Difference(path, problem.line, f"conflict markers in a record: {problem.message}")
        for path, problem in problems
        if problem.code == "MG104"
    ]
    return _Found(snapshot.total(), conflicts, tuple(found for found in problems if found[1].fatal))


def _snapshot(
    workspace: Workspace,
    repo: Repository,
    commit: str | None,
    edits: Mapping[str, bytes | Problem | None] | None = None,
) -> Snapshot:
    """The records of a commit; with the uncommitted edits that were found (None: of no working tree) counted
    in.
    """
    label = "at" if edits is None else ""
    snapshot = Snapshot(workspace.records_cache, repo, workspace.layout, commit, label=label)
    return OverlaySnapshot(snapshot, edits) if edits else snapshot


def _uncommitted(state: State) -> dict[str, bytes | Problem | None]:
    """What was found in the working tree, so that nobody need look again: a second look may find something
    else.
    """
    return {
        **state.found,
        **{path: Problem("MG001", 1, what, fatal=True) for path, what in state.odd.items()},
    }


def _begin_events(workspace: Workspace, repo: Repository) -> Beside | None:
    """Starts to tell the activity log in a process of its own, while records are read here; None where there
    is no cache to put it into.
    """
    if workspace.cache is None or workspace.cache.readonly:
        return None
    head = repo.head().commit
    if head is None or Events(repo, workspace.layout, workspace.cache).count(head) is not None:
        return None
    return begin(repo, workspace.layout, head)


def _read_events(
    workspace: Workspace, repo: Repository, head: str | None, progress: Progress | None, beside: Beside | None
) -> int:
    """Brings the activity log into the cache; how many events it has."""
    if head is None:
        return 0
    events = Events(repo, workspace.layout, workspace.cache)
    if beside is None and (known := events.count(head)) is not None:
        return known
    count = 0
    if (
        beside is not None
        and (filled := events.fill(beside.head, beside.drafts())) is not None
        and beside.head == head
    ):
        if progress is not None:
            progress("commits", filled, None)
        return filled
    for count, _ in enumerate(events.walk(head), 1):
        if progress is not None and count % TELL_EVERY == 0:
            progress("commits", count, None)
    return count


def _read_usage(workspace: Workspace, repo: Repository) -> None:
    """Brings the counts of the usage refs into the cache."""
    load(repo, workspace.cache)

"""The way of every write: from edits of record files to one commit that carries the derived files which it
owes.

A use case gives a `plan`: a pure function from the records of the newest commit to edits. It runs again
whenever somebody else's commit came first, so it must read everything it decides on from the `Session` that
it is given.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.config import NAME, parse
from memgit.app.derived import state as derived_state
from memgit.app.read.reader import TreeFiles
from memgit.app.workspace import Context, Workspace
from memgit.app.write.beside_edits import derive_beside_edits
from memgit.app.write.gate import require_sound_write
from memgit.app.write.overlay import Board, BoardReader
from memgit.derive import CATEGORY_INDEX, derive_all, derive_owed, is_derived, owed_rows
from memgit.errors import BadInput, Refused
from memgit.formats.codec import Form
from memgit.formats.codecs import FORMS
from memgit.formats.messages import message as messages
from memgit.git.commit.commit import Change, Merge, Merged, commit
from memgit.git.objects.tree import Tree
from memgit.git.repository import Head, Repository
from memgit.model import link
from memgit.model.layout import Layout, Place
from memgit.model.namedtuple import NamedTuple
from memgit.model.operation import PAST, RecordChange
from memgit.model.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import Any, TypeAlias

    from memgit.app.write.entry_files import EntryFiles
    from memgit.app.write.similar import Close

MOST_IDS = 512
"""Twice as many ids as are looked up at once."""


class Plan(NamedTuple):
    """What an operation is to do. Its edits lie on the board; an empty plan (no changes) makes no commit.

    `record` names the record that the answer shows: its path and ordinal after the edits. `linked` are
    addresses of records that got a link back. `anyway` commits edits that change no record, such as new line
    ends. `derived` are the derived files among the edits, where the plan has seen to all that is owed itself.
    `detail` is what the message says beside the reason. `close` are records close to a new one.
    """

    op: str
    changes: tuple[RecordChange, ...]
    subject: str
    record: tuple[str, int] | None = None
    linked: tuple[str, ...] = ()
    source: str | None = None
    derived_from: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    anyway: bool = False
    derived: frozenset[str] | None = None
    detail: str | None = None
    close: tuple[Close, ...] = ()


class Written(NamedTuple):
    """The answer of a write.

    `commit` is None where nothing had to change or the change was only staged; `notes` are for stderr.
    """

    op: str
    action: str
    record: Record | None
    commit: str | None
    linked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    changes: tuple[RecordChange, ...] = ()
    staged: bool = False
    close: tuple[Close, ...] = ()

    def as_json(self) -> dict[str, Any]:
        from memgit.app.read.record_json import record_json

        return {
            "op": self.op,
            "action": self.action,
            "record": None if self.record is None else record_json(self.record),
            "commit": self.commit,
            "related": list(self.linked),
            "changes": [change.as_json() for change in self.changes],
            "staged": self.staged,
            "close": [one.as_json() for one in self.close],
        }


class Session:
    """What a plan works with: a reader of the newest commit, the board of edits, and the context of the
    operation.
    """

    def __init__(self, workspace: Workspace, context: Context, board: Board, revision: str | None) -> None:
        self.workspace = workspace
        self.context = context
        self.board = board
        self.reader = BoardReader(workspace, board, revision)
        self.hasty = False  # a batch in one commit, which is read back once, at its end
        self.series = False  # one of several operations in one go
        self.trusting = False  # a series whose files are read back at its end
        self._held: dict[str, list[str]] = {}
        self._titles: dict[str, set[str]] = {}
        self._entry_files: EntryFiles | None = None
        self._ids: list[str] = []
        self._lot = 1
        self._spellings: dict[tuple[str, bool], dict[str, str]] = {}

    def titles(self, path: str) -> list[str]:
        """Titles of the records of a file in order, those added by this operation among them."""
        if path not in self._held:
            self._held[path] = [link.normal(record.title) for record in self.board.parsed(path).records]
            self._titles[path] = set(self._held[path])
        return self._held[path]

    def has_title(self, path: str, title: str) -> bool:
        """Whether a record of a file has a title, given in the form in which names are compared."""
        self.titles(path)
        return title in self._titles[path]

    def holds(self, path: str) -> bool:
        """Whether this operation has looked at a file or added to it before."""
        return path in self._held

    def added(self, path: str, title: str) -> None:
        """Notes that a record was appended to a file, so that a batch need not parse the file again for each."""
        self.titles(path).append(link.normal(title))
        self._titles[path].add(link.normal(title))

    @property
    def entry_files(self) -> EntryFiles:
        """The files that a batch appends to."""
        if self._entry_files is None:
            from memgit.app.write.entry_files import EntryFiles

            self._entry_files = EntryFiles(self.board)
        return self._entry_files

    def spelled(self, parent: str, name: str, *, folder: bool) -> str:
        """The name of a file or folder in `parent` as one that is there spells it, case and normal form aside; a new one is
        remembered as it is.

        The names are looked up once an operation, so that a batch does not list a folder again for each
        record.
        """
        there = self._spellings.get((parent, folder))
        if there is None:
            found = self.board.folders(parent) if folder else self.board.names(parent)
            there = self._spellings[parent, folder] = {
                **{link.normal(one).casefold(): one for one in reversed(found)},
                **{one: one for one in found},
            }
        return there.get(name) or there.setdefault(link.normal(name).casefold(), name)

    def verify(self) -> None:
        """Checks that every file that records were appended to reads back with exactly these records.

        Raises:
            BadInput: one does not; its path is named.
        """
        for path, titles in self._held.items():
            if [link.normal(record.title) for record in self.board.parsed(path).records] != titles:
                raise BadInput(
                    "a record would not read back as it was given",
                    path=path,
                    hint="look for headings or fences in the bodies",
                )

    def read_back(self) -> bool:
        """Whether every file that records were appended to without reading it again holds them so."""
        return self._entry_files is None or self._entry_files.read_back()

    def fresh_id(self) -> str:
        """An id that no record has had.

        Drawn in growing lots, each of which is looked up at once: a batch asks for many.
        """
        from memgit.model.ids import new_id

        while not self._ids:
            self._lot = min(2 * self._lot, MOST_IDS)
            drawn = [new_id(self.context.entropy) for _ in range(self._lot // 2)]
            taken = self.reader.taken(drawn)
            self._ids = [one for one in reversed(drawn) if one not in taken]
        return self._ids.pop()

    def place_of(self, record: Record) -> Place:
        found = self.workspace.layout.find(record.path)
        if found is None:
            raise Refused("the file belongs to no kind of record", path=record.path)
        return found[0]

    def form_of(self, record: Record) -> Form:
        return FORMS[self.place_of(record).form]

    def writable(self, record: Record) -> Record:
        """The record, where its file can be written to.

        Raises:
            Refused: the file or the record could not be understood; the line and cause are named.
        """
        problem = record.problem
        if problem is None or not problem.fatal:
            problem = next(
                (
                    found
                    for found in self.board.parsed(record.path).problems
                    if found.fatal and found.code != "MG104"
                ),
                None,
            )
        if problem is not None and problem.fatal:
            raise Refused(
                f"not written: {problem.message}",
                path=record.path,
                line=problem.line,
                hint="mend the file by hand, then try again",
            )
        return record

    def bytes_of(self, record: Record) -> bytes:
        data = self.board.data(record.path)
        if data is None:
            raise Refused("the file is gone", path=record.path)
        return data

    def again(self, path: str, ordinal: int) -> Record:
        """The record as it is after the edits so far."""
        return self.board.parsed(path).records[ordinal]


_ACTIONS = {"rename": "renamed", "init": "created", "merge": "merged"}
"""The answer's action where it is that of the operation, whatever it did to the first record."""

Planner: TypeAlias = "Callable[[Session], Plan | None]"


def carry_out(
    workspace: Workspace,
    context: Context,
    planner: Planner,
    *,
    reason: str | None = None,
    stage: bool = False,
) -> Written:
    """Runs a plan and commits it with the derived files that it owes.

    Raises:
        Refused: the repository cannot take a commit now, the change overlaps uncommitted edits, or it would
            add a credential; nothing was changed.
    """
    repo = workspace.writable()
    result: list[tuple[Plan, Board]] = []

    def build(tree: Tree, head: Head) -> Change | None:
        result.clear()
        board = Board(workspace, repo, tree, head.commit)
        session = Session(workspace, context, board, head.commit)
        plan = planner(session)
        if plan is None:
            return None
        result.append((plan, board))
        if not plan.changes and not plan.anyway:
            return None
        text = message_of(plan, context, screen(workspace, context, board, plan, reason))
        if not plan.anyway:  # hand edits were asked for already
            require_sound_write(workspace, context, board, plan.op)
        warn_of_links(session, plan.op)
        board.soft = soft = owed(workspace, board) if plan.derived is None else plan.derived
        edits = {path: data for path, data in board.edits.items() if data != TreeFiles.data(board, path)}
        return Change(edits, text, soft) if edits else None

    make = commit if workspace.proposal is None else workspace.proposal.commit
    done = make(repo, build, merge=merger(workspace.layout), stage=stage)
    if not result:
        return Written("", "no_op", None, None, notes=done.notes)
    plan, board = result[-1]
    if (done.commit is not None or stage) and board.soft and workspace.proposal is None:
        derive_beside_edits(workspace, repo, board.soft)
    if done.commit is not None and not done.altered:
        note_right(
            workspace,
            repo.tree(done.commit),
            derived_state.known(repo, board.layout, board.tree) - board.soft,
            board.soft,
        )
    if stage and plan.changes:
        _note_staged(workspace, context, plan, board, reason)
    told = answer(plan, board, done.commit, staged=stage and bool(plan.changes))
    return told._replace(notes=(*plan.notes, *board.notes, *done.notes))


def _note_staged(
    workspace: Workspace, context: Context, plan: Plan, board: Board, reason: str | None
) -> None:
    """Notes who staged what and why, for the commit that takes it."""
    from memgit.app.write import pending
    from memgit.git.worktree.staged import staged

    repo = workspace.require_repository()
    now = {path: None if entry is None else entry.oid for path, entry in staged(repo, board.commit).items()}
    blobs = {path: now[path] for path in board.edits if path in now and board.layout.find(path) is not None}
    one = pending.Pending(
        blobs, plan.op, plan.changes, context.actor, context.run, reason, plan.source, plan.derived_from
    )
    pending.note(repo, one, now)


def note_right(workspace: Workspace, tree: Tree, right: Collection[str], derived: Collection[str]) -> None:
    """Notes which derived files are right in the tree of a new commit, as `derived_state.note` does, where
    that may be said.
    """
    if workspace.indexes() == "committed" and workspace.proposal is None and _is_configured(workspace, tree):
        derived_state.note(workspace.require_repository(), tree, right, derived)


def _is_configured(workspace: Workspace, tree: Tree) -> bool:
    """Whether records lie where the tree itself says: an edit of the configuration that is not committed may
    be taken back.
    """
    if workspace.root is None:
        return True
    try:
        with open(f"{workspace.root}/{NAME}", "rb") as file:
            edited = Repository.hash_blob(file.read())
    except OSError:
        edited = None
    if edited == tree.file(NAME):
        return True
    try:
        return parse(tree.data(NAME) or b"").layout == workspace.layout
    except BadInput:
        return False


def session_now(workspace: Workspace, context: Context) -> Session:
    """A session of the newest commit, for what is looked at before a plan is carried out.

    Raises:
        Refused: the repository cannot be written to.
    """
    repo = workspace.writable()
    tip = repo.head().commit if workspace.proposal is None else workspace.proposal.tip
    return Session(workspace, context, Board(workspace, repo, repo.tree(tip), tip), tip)


def rehearse(
    workspace: Workspace, context: Context, planner: Planner, *, reason: str | None = None
) -> Written:
    """The answer that a plan would get (action `dry_run`), without anything being written.

    Raises:
        Refused: it would add a credential, or the repository cannot be written to. What a commit may be
            refused for besides, such as an overlap with uncommitted edits, is not looked for.
    """
    session = session_now(workspace, context)
    board, plan = session.board, planner(session)
    if plan is None:
        return Written("", "dry_run", None, None)
    if plan.changes or plan.anyway:
        screen(workspace, context, board, plan, reason)
        warn_of_links(session, plan.op)
    record = None if plan.record is None else board.parsed(plan.record[0]).records[plan.record[1]]
    return Written(plan.op, "dry_run", record, None, plan.linked, (*plan.notes, *board.notes), plan.changes)


def screen(
    workspace: Workspace,
    context: Context,
    board: Board,
    plan: Plan,
    reason: str | None,
    before: Mapping[str, bytes | None] | None = None,
) -> str | None:
    """Looks for credentials in what a plan adds, as the context says; the reason that may be written.

    Args:
        before: the edits that lay on the board before the plan.

    Raises:
        Refused: there is one.
    """
    if context.secrets == "allow":
        return reason
    earlier: Mapping[str, bytes | None] = before or {}
    paths = [
        path
        for path, data in board.edits.items()
        if (data is None or earlier.get(path) is not data)
        and path not in (plan.derived or ())
        and not is_derived(board.layout, path)
    ]
    if not paths and reason is None:
        return reason
    from memgit.app.write.credentials import screened

    def old(path: str) -> bytes | None:
        return earlier[path] if path in earlier else TreeFiles.data(board, path)

    return screened(workspace, board, plan, reason, context.secrets, old, paths)


LINKING = frozenset(["record", "update", "extend", "promote", "ingest"])
"""Operations that write texts of somebody, who is told where a link in them leads nowhere."""


def warn_of_links(session: Session, *ops: str) -> None:
    """Notes on the board which links in what some operations wrote lead nowhere."""
    if LINKING.isdisjoint(ops):
        return
    board = session.board
    texts = [
        path
        for path, data in board.edits.items()
        if data is not None and (b"[[" in data or b"supersede" in data)
    ]
    if texts:
        from memgit.app.write.links import warn_of_broken

        warn_of_broken(
            session,
            {path: TreeFiles.data(board, path) for path in texts if not is_derived(board.layout, path)},
        )


def message_of(plan: Plan, context: Context, reason: str | None) -> str:
    """The commit message of a plan."""
    said = "\n\n".join(text for text in (reason, plan.detail) if text)
    return messages.build(
        plan.subject,
        plan.op,
        plan.changes,
        reason=said,
        source=plan.source,
        actor=context.actor,
        run=context.run,
        derived_from=plan.derived_from,
    )


def answer(plan: Plan | None, board: Board, commit_id: str | None, *, staged: bool = False) -> Written:
    """The answer to an operation that became a commit, was staged, or changed nothing."""
    if plan is None:
        return Written("", "no_op", None, None)
    record = None if plan.record is None else board.parsed(plan.record[0]).records[plan.record[1]]
    wrote = commit_id is not None or staged
    action = (
        _ACTIONS.get(plan.op) or (PAST[plan.changes[0].action] if plan.changes else "updated")
        if wrote
        else "no_op"
    )
    linked, changes = (plan.linked, plan.changes) if wrote else ((), ())
    return Written(
        plan.op, action, record, commit_id, linked, plan.notes, changes, staged, plan.close if wrote else ()
    )


def owed(workspace: Workspace, board: Board) -> frozenset[str]:
    """Puts the derived files that the edits owe on the board; the paths of all that they may concern."""
    return _owed(board) if workspace.indexes() == "committed" else frozenset()


def _owed(board: Board) -> frozenset[str]:
    changed = sorted(board.edits)
    right = derived_state.known(board.repo, board.layout, board.tree)
    if NAME in changed:
        board.notes += keep_names(board, None)
        derived: Mapping[str, bytes | None] = derive_all(board)
        concerned = frozenset(derived)
    else:
        late = owed_rows(board.layout, derived_state.since_right(board.repo, board.layout, board.tree))
        rows = {**late, **owed_rows(board.layout, changed)}
        concerned = frozenset(rows)
        if not concerned <= right:
            from memgit.app.derived.validity import still_right

            right |= still_right(board, concerned - right)
        rows = {path: row for path, row in rows.items() if path not in late or path not in right}
        doubtful = concerned.difference(right) | concerned.intersection(changed)
        if doubtful:
            board.notes += keep_names(board, doubtful)
            if len(board.edits) > len(changed):
                changed = sorted(board.edits)
        rows |= owed_rows(board.layout, changed)
        derived = derive_owed(board, changed, board.unedited(), right, rows, board.problems)
        fixed = sorted(derived.keys() - owed_rows(board.layout, changed).keys())
        board.notes += tuple(
            f"{path}: derived again, an earlier commit left it out of date" for path in fixed
        )
    for path, data in derived.items():
        board.edits[path] = data
    return concerned


def keep_names(board: Board, indexes: frozenset[str] | None) -> tuple[str, ...]:
    """Sees to it that no name of a category is lost where indexes (None: all) were changed by others; what to
    tell the user.
    """
    if indexes is not None and not any(path.endswith(CATEGORY_INDEX) for path in indexes):
        return ()
    from memgit.app.write.category_names import keep

    return keep(board, indexes)


def merger(layout: Layout) -> Merge:
    """The three-way merge for paths of a layout: `(path, base, ours, theirs)`."""

    def merge(path: str, base: bytes | None, ours: bytes | None, theirs: bytes | None) -> Merged:
        from memgit.formats.merging.merge import merge_file

        found = layout.find(path)
        form, kind = (found[0].form, found[0].kind) if found is not None else ("", "")
        return merge_file(form, kind, base, ours, theirs)

    return merge

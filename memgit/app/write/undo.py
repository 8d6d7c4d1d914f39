"""Undoing one operation: what it did to records is taken back in a new commit; what came after stays."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from memgit.app import config as configuration
from memgit.app.read.log import log
from memgit.app.workspace import Context, Workspace
from memgit.app.write.linking.follow import Follower, names_of
from memgit.app.write.overlay import Overlay
from memgit.app.write.session import OperationResult, Plan, Session
from memgit.app.write.write import execute, merger
from memgit.derive import is_derived
from memgit.errors import BadInput, Conflict, NotFound, Refused, UnreadableFile
from memgit.formats import links
from memgit.formats.codecs import parse_file
from memgit.formats.follow import Key, key_of
from memgit.formats.messages import message as messages
from memgit.formats.text import decode
from memgit.git.commit.commit import Merged
from memgit.git.repository import Repository
from memgit.model.change import Change, diff_records
from memgit.model.kinds import KINDS
from memgit.model.operation import RecordChange
from memgit.model.record import Record

_TAKES_BACK = re.compile(r"^(?:Takes back|This reverts commit) ([0-9a-f]{40,64})\.", re.MULTILINE)


def undo(
    workspace: Workspace,
    context: Context,
    revision: str | None,
    *,
    redo: bool = False,
) -> OperationResult:
    """Takes back the operation of one commit, by default the newest that is in force; called again, the one
    before it.

    Args:
        redo: take back the newest undo instead: what it took back is in force again.

    Raises:
        Conflict: a record was changed since so that the operation cannot be taken back alone.
        Refused: a merge commit, or a commit beyond what a shallow clone holds.
    """
    repo = workspace.writable()
    commit = repo.resolve(revision) if revision is not None else newest(workspace, repo, redo=redo)
    parents = repo.parents_of(commit)
    if len(parents) > 1:
        raise Refused(f"{commit[:10]} is a merge: undo the commits that it brought, or use git revert -m")
    if repo.shallow() and _beyond(repo, parents):
        raise Refused(
            f"{commit[:10]} is the first commit that this shallow clone holds", hint="git fetch --unshallow"
        )
    undoing = _Undoing(workspace, repo, commit, parents[0] if parents else None)
    if not undoing.paths:
        raise BadInput(f"{commit[:10]} changed no record", hint="memgit log shows the operations")
    text = f"Takes back {commit}." + (f"\n\n{context.reason}" if context.reason else "")
    return execute(workspace, context._replace(reason=text), undoing.plan)


class _Undoing:
    """The change of one commit to record files, and how it is taken back."""

    def __init__(self, workspace: Workspace, repo: Repository, commit: str, parent: str | None) -> None:
        layout = workspace.layout
        rows = repo.tree(parent).diff(repo.tree(commit))
        derived = [row for row in rows if is_derived(layout, row[0])]
        self.derived = derived if workspace.indexes() == "committed" else []
        self.paths = [row for row in rows if row not in derived and layout.find(row[0]) is not None]
        self._workspace, self._layout, self._repo, self._commit = workspace, layout, repo, commit
        self._merge = merger(layout)
        self._was = {path: self._blob(was) for path, was, _ in self.paths}
        self._became = {path: self._blob(became) for path, _, became in self.paths}

    def _blob(self, oid: str | None) -> bytes | None:
        return None if oid is None else self._repo.blob(oid)

    def plan(self, session: Session) -> Plan:
        overlay = session.overlay
        home = {new.path: self._home(session, old, new) for old, new in self._moved()}
        goals = {path: home.get(path, path) for path, _, _ in self.paths if path not in home.values()}
        before = [record for path in goals for record in overlay.parsed(path).records]
        for path, to in goals.items():
            self._take_back(overlay, path, to, overlay.data(path))
        after = [record for path in {*goals, *goals.values()} for record in overlay.parsed(path).records]
        renamed = self._renamed(before, after, home)
        self._follow(session, goals, [one for one in before if key_of(one) in renamed], renamed)
        for path, was, became in self.derived:
            # What is derived is derived again, from how it was before: so what only the index knew goes and
            # comes back with the records.
            if overlay.data(path) == self._blob(became):
                overlay.put(path, self._blob(was))
        after = [record for path in {*goals, *goals.values()} for record in overlay.parsed(path).records]
        subject = self._repo.message_of(self._commit).split("\n", 1)[0]
        what = "does again what was taken back by" if subject.startswith("revert") else "takes back"
        note = f"This {what} {self._commit[:12]} ({messages.one_line(subject)})."
        changes = tuple(_named(change) for change in diff_records(before, after, home))
        return Plan("revert", changes, messages.subject("revert", None, subject), notes=(note,))

    @staticmethod
    def _renamed(
        before: Sequence[Record], after: Sequence[Record], home: Mapping[str, str]
    ) -> dict[Key, Record]:
        """What each record that gets another name or place is then."""
        pairs = [(change.old, change.new) for change in diff_records(before, after, home)]
        return {key_of(old): new for old, new in pairs if old and new and key_of(old) != key_of(new)}

    def _follow(
        self, session: Session, goals: Mapping[str, str], old: Sequence[Record], renamed: Mapping[Key, Record]
    ) -> None:
        """Has links that were written since lead to the records under the names that they get back."""
        overlay, tree = session.overlay, session.overlay.tree
        if not renamed:
            return
        follower = Follower(session, renamed, only=True)
        for path, to in goals.items():
            ours = tree.data(path)
            # What was not edited since is as it was before the commit already.
            if ours is not None and self._was[to] is not None and ours != self._became[path]:
                records = overlay.parsed(to).records
                self._take_back(overlay, path, to, follower.rewritten(ours, to, records, came=path))
        # Links that were there when the commit was made, and that it left alone, stay as they are.
        since = {path for path, _, _ in self._repo.tree(self._commit).diff(tree)}
        follower.run(names_of([*old, *renamed.values()]), since.difference(goals.values()))

    def _moved(self) -> Iterator[tuple[Record, Record]]:
        """The documents that the commit put at another path, as they were and as they became."""
        was = {record.address: record for record in self._records(self._was)}
        became = {record.address: record for record in self._records(self._became)}
        event = next(iter(log(self._workspace, self._commit, cache=self._workspace.cache, limit=1)), None)
        for change in event.records if event is not None else ():
            old, new = was.get(change.was or ""), became.get(change.address)
            if old is None or new is None or KINDS[old.kind].stored == "entry" or old.path == new.path:
                continue
            if self._became[old.path] is None and self._was[new.path] is None:
                yield old, new

    def _records(self, files: Mapping[str, bytes | None]) -> list[Record]:
        parsed = (parse_file(self._layout, path, data) for path, data in files.items() if data is not None)
        return [record for one in parsed for record in one.records]

    def _home(self, session: Session, old: Record, new: Record) -> str:
        """The path that a document gets back."""
        now = _present(session, new)
        if now is None or now.path != new.path:
            since = "was removed" if now is None else f"was moved to {now.path}"
            raise Conflict(
                f"{new.address} {since} after {self._commit[:10]}", path=new.path, hint="undo that first"
            )
        if session.overlay.data(old.path) is not None:
            raise Conflict(
                f"{old.path} is in use again", path=old.path, line=1, hint="rename that record first"
            )
        return old.path

    def _take_back(self, overlay: Overlay, path: str, to: str, ours: bytes | None) -> None:
        """Puts at `to` what a file held before the commit, with what came after it at `path`."""
        was, became = self._was[to], self._became[path]
        merged: Merged = self._merge(path, became, ours, was)
        data = merged.data
        if merged.conflicts:
            if not _only_links(was, became):
                raise self._conflict(overlay, path, merged.conflicts[0].line)
            # Its links follow what they lead to, unless it could be taken back as it was.
            data = ours if to not in overlay.edits else overlay.data(to)
        if to != path:
            overlay.put(path, None)
        if data != overlay.data(to):
            overlay.put(to, data)

    def _conflict(self, overlay: Overlay, path: str, line: int | None) -> Conflict:
        records = overlay.parsed(path).records
        name = records[0].address if len(records) == 1 else path
        return Conflict(
            f"{name} was changed after {self._commit[:10]} in the same place",
            path=path,
            line=line,
            hint=f"memgit log {path} shows what came after; undo that first, or edit the file",
        )


def _present(session: Session, record: Record) -> Record | None:
    """A record as it is now: by id, else at its path."""
    found = session.reader.snapshot.with_id(record.id) if record.id else []
    found = found or list(session.overlay.parsed(record.path).records)
    return found[0] if len(found) == 1 else None


def _only_links(was: bytes | None, became: bytes | None) -> bool:
    """Whether two texts differ in the targets of links alone."""
    if was is None or became is None:
        return False
    try:
        return links.untargeted(decode(was)) == links.untargeted(decode(became))
    except UnreadableFile:
        return False


def _named(change: Change) -> RecordChange:
    present = change.new or change.old
    assert present is not None
    was = change.old.address if change.action == "rename" and change.old is not None else None
    return RecordChange(change.action, present.id, present.address, was)


def _beyond(repo: Repository, parents: Sequence[str]) -> bool:
    """Whether what came before a commit lies beyond the border of a shallow clone."""
    try:
        return any(not repo.tree_of(parent) for parent in parents)
    except NotFound:
        return True


def taken_back(repo: Repository, commit: str) -> str | None:
    """The commit that a commit takes back; None where it does no such thing."""
    found = _TAKES_BACK.search(repo.message_of(commit))
    return None if found is None else found[1]


def newest(workspace: Workspace, repo: Repository, *, redo: bool = False) -> str:
    """The newest commit on the branch that changed records and is in force; of undos where `redo` says so."""
    tip = None if workspace.proposal is None else workspace.proposal.tip
    now = repo.tree(tip or repo.head().commit)
    undone: set[str] = set()
    for event in log(workspace, tip, cache=workspace.cache, records_only=True):
        commit = event.commit
        if commit in undone:
            continue
        target = taken_back(repo, commit)
        if target is not None:
            undone.add(target)
            if not redo or _is_undo(repo, target):
                continue
        elif redo:
            continue
        has_root = repo.tree(commit).get(configuration.NAME) is not None
        if now.get(configuration.NAME) is not None and not has_root:
            raise NotFound(
                "there is no operation to undo since this became a knowledge root",
                hint=f"memgit undo {commit[:10]} takes back what was done before it",
            )
        return commit
    raise NotFound(f"there is no operation to {'redo' if redo else 'undo'}", hint="memgit log")


def _is_undo(repo: Repository, commit: str) -> bool:
    try:
        return taken_back(repo, commit) is not None
    except NotFound:
        return False

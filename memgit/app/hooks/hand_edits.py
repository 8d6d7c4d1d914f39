"""Committing hand edits as operations: the message says what the edits did to records."""

from __future__ import annotations

import os
from collections.abc import Sequence

from memgit.app.config import NAME
from memgit.app.workspace import Context, Workspace
from memgit.app.write import credentials, pending
from memgit.app.write.gate import require_sound
from memgit.app.write.overlay import Overlay
from memgit.app.write.session import OperationResult, Plan, Session
from memgit.app.write.write import execute
from memgit.derive import is_derived, table
from memgit.derive.view import Rendered
from memgit.errors import NotFound, Refused
from memgit.formats.messages.describe import describe
from memgit.git.repository import Repository
from memgit.git.worktree.checkout import Put, put
from memgit.git.worktree.filetrees import DiskTree
from memgit.git.worktree.filters import cleaned
from memgit.git.worktree.status import dirty
from memgit.lint import gate
from memgit.model.change import diff_records
from memgit.model.record import Record


def commit_edits(
    workspace: Workspace,
    context: Context,
    paths: Sequence[str] = (),
    *,
    verify: bool = True,
) -> OperationResult:
    """Commits the uncommitted edits of record files (all, or those under `paths`) with the derived files that
    they affect.

    An edited derived file counts for what people wrote into it: the rest is derived over it, and the working
    tree follows.

    Args:
        verify: look for errors first, as the hook does for `git commit`.

    Raises:
        NotFound: nothing under one of the paths is edited.
        Refused: an edited file cannot be understood, or an error is new in it; it is named with its line.
    """
    repo = workspace.writable()
    edited = edited_paths(workspace, repo, paths)
    files = DiskTree(workspace.root or "", repo)
    derived = [path for path in edited if is_derived(workspace.layout, path)]
    records = [path for path in edited if path not in derived]
    taken: dict[str, tuple[bytes, Overlay]] = {}

    def plan(session: Session) -> Plan:
        overlay = session.overlay
        old: list[Record] = []
        new: list[Record] = []
        for path in records:
            old += overlay.parsed(path).records
            data = files.data(path)
            if data is None and os.path.lexists(os.path.join(workspace.root or "", path)):
                raise Refused(
                    "not committed: it is not a plain file",
                    path=path,
                    hint="a record is a file, never a link",
                )
            overlay.put(path, None if data is None else cleaned(repo, path, data))
            parsed = overlay.parsed(path)
            problem = next((found for found in parsed.problems if found.fatal), None)
            if problem is not None:
                raise Refused(
                    f"not committed: {problem.code} {problem.message}",
                    path=path,
                    line=problem.line,
                    hint="fix it, then memgit commit again",
                )
            new += parsed.records
        changes = diff_records(old, new)
        if verify and records:
            require_sound(session.workspace, session.context, session.overlay, gate.COMMIT, changes)
        notes = _take_derived(overlay, files, derived, taken)
        if taken and not records:
            return Plan("fix", (), "fix: indexes", notes=notes, anyway=True)
        made = Plan(*describe(changes, len(records)), anyway=True, notes=notes)
        if carried is None:
            return made
        return made._replace(source=carried.source, derived_from=carried.derived_from)

    carried = _carried(repo, files, records)
    if carried is not None:
        context = context._replace(
            actor=context.actor or carried.actor,
            run=context.run or carried.run,
            reason="\n\n".join(text for text in (context.reason, carried.reason) if text) or None,
        )
    try:
        done = execute(workspace, context, plan)
    except Refused as error:
        if error.hint == credentials.HINT:  # nothing is taken out of a file that a person wrote
            error.hint = credentials.BY_HAND
        raise
    if taken and (done.commit is not None or context.stage):
        # What was typed has been taken; where it could not stand as it was (a broken index), the file is what
        # was made of it.
        put(
            repo,
            {
                path: Put(data, overlay.data(path))
                for path, (data, overlay) in taken.items()
                if data != overlay.data(path)
            },
        )
    return done


def _carried(repo: Repository, files: DiskTree, paths: Sequence[str]) -> pending.Pending | None:
    """What `--stage` noted of files that are in the working tree as they were staged."""
    if not pending.load(repo):
        return None
    found = {path: files.data(path) for path in paths}
    blobs = {path: data and repo.hash_blob(cleaned(repo, path, data)) for path, data in found.items()}
    now = {path: str(blob) if blob else None for path, blob in blobs.items()}
    return pending.taken(repo, repo.tree(repo.head().commit), now)


def _take_derived(
    overlay: Overlay, files: DiskTree, paths: Sequence[str], taken: dict[str, tuple[bytes, Overlay]]
) -> tuple[str, ...]:
    """Puts edited derived files on the overlay; what to say of those that cannot be derived over, which are
    left out.
    """
    taken.clear()
    notes = []
    for path in paths:
        data = files.data(path)
        if data is None:
            continue
        data = cleaned(overlay.repo, path, data)
        overlay.put(path, data)
        problem = next((found for found in _build(overlay, path).problems if found.fatal), None)
        if problem is None:
            taken[path] = (data, overlay)
        else:
            overlay.take_off(path)
            notes.append(f"{path}:{problem.line}: not committed: {problem.message}")
    return tuple(notes)


def _build(overlay: Overlay, path: str) -> Rendered:
    return next(
        derived for derived in table(overlay.layout) if path in derived.affected(overlay.layout, path)
    ).build(overlay, path)


def edited_paths(workspace: Workspace, repo: Repository, wanted: Sequence[str]) -> list[str]:
    """Record files, derived files and the configuration that differ from the newest commit; under the wanted
    paths only, if given.
    """
    layout = workspace.layout
    committed = workspace.indexes() == "committed"
    found = [
        path
        for path, _ in dirty(repo)
        if path == NAME
        or (committed and is_derived(layout, path))
        or (layout.holds(path) and not is_derived(layout, path))
    ]
    for want in wanted:
        folder = want.rstrip("/") + "/"
        if want not in ("", ".") and not any(path == want or path.startswith(folder) for path in found):
            raise NotFound("nothing to commit there", path=want, hint="memgit diff shows what is edited")
    if not wanted or "." in wanted:
        return found
    return [
        path
        for path in found
        if any(path == want or path.startswith(want.rstrip("/") + "/") for want in wanted)
    ]

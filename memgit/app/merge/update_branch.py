"""Merging the base of a branch into it, record by record, so that it can be merged into the base again where no
merge driver runs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from memgit.app.merge.came import Came, between, common, name_of
from memgit.app.merge.into_head import check_idle, merge_into_head
from memgit.app.merge.resolve import Left
from memgit.app.workspace import Workspace
from memgit.errors import BadInput, NotFound, Refused
from memgit.git import remote
from memgit.git.commit import recovery
from memgit.git.history.branches import checked
from memgit.git.history.default_branch import HEADS, REMOTES, is_there
from memgit.git.remote import Access
from memgit.git.repository import Repository


class Base(NamedTuple):
    """What a branch is brought up to date with: a branch here, one of a remote, or else a commit (`rev`)."""

    rev: str
    remote: str | None = None
    branch: str | None = None

    @property
    def ref(self) -> str | None:
        """The full name of the branch here, or of the one that follows that of the remote."""
        if self.branch is None:
            return None
        return HEADS + self.branch if self.remote is None else f"{REMOTES}{self.remote}/{self.branch}"


class Updated(NamedTuple):
    """What was done.

    Attributes:
        status: up_to_date, updated, or conflict (a merge is under way).
        branch: the branch that was updated. base: what it was brought up to date with, as typed to git.
        base_commit: the commit that base was at. commit: HEAD afterwards.
        merge: `none`, `fast-forward` or `merge`.
        came: what came from the base, or would.
        left: what conflicts.
        notes: what else the user should be told.
    """

    status: str
    branch: str
    base: str
    base_commit: str
    commit: str | None
    merge: str = "none"
    came: Came = Came()
    left: tuple[Left, ...] = ()
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            **{name: value for name, value in self._asdict().items() if name != "notes"},
            "came": self.came.as_json(),
            "left": [left.as_json() for left in self.left],
        }


def update_branch(
    workspace: Workspace,
    name: str | None = None,
    access: Access | None = None,
) -> Updated:
    """Merges the base of the branch that is checked out into it: one commit, with the derived files that the merged
    records give. Edits that are not committed stay as they are.

    Args:
        name: the base: a branch here, one of a remote (`origin/main`, or `main` where that is not here), or any
            revision; by default the default branch, as the remote has it.
        access: how to fetch the base first where it is a remote's; None: take it as it was last fetched.

    Raises:
        BadInput: the base is the branch itself. NotFound: it is not there.
        Refused: HEAD is detached, an operation is under way, histories are unrelated, the remote cannot be
            reached; or git refused the merge.
    """
    repo = workspace.writable()
    notes = tuple(recovery.mend(repo, recovery.WAIT))
    check_idle(repo)
    ref, before = repo.head()
    if ref is None or not ref.startswith(HEADS):
        raise Refused("HEAD is detached: there is no branch to update", hint="git switch BRANCH")
    base = find_base(workspace, name)
    if base.ref == ref:
        raise BadInput(f"{base.branch} is the branch that is checked out", hint="name another BASE")
    commit = _fetched(repo, base, access)
    short = ref.removeprefix(HEADS)
    done = merge_into_head(workspace, commit, _label(repo, base, commit), _message(base, commit, short))
    came = between(workspace, common(repo, before, commit), commit)
    return Updated(
        {"none": "up_to_date", "conflict": "conflict"}.get(done.how, "updated"),
        short,
        base.rev,
        commit,
        repo.head().commit,
        "none" if done.how == "conflict" else done.how,
        came,
        done.left,
        (*notes, *done.notes, *_behind(repo, base, commit)),
    )


def find_base(workspace: Workspace, name: str | None) -> Base:
    """What a base is, given its name; by default the default branch.

    Raises:
        NotFound: nothing has that name, and no remote could have it.
        BadInput: the name is none, or nothing else than the branch itself can be meant.
    """
    repo = workspace.require_repository()
    origin = default_remote(repo)
    if name is None:
        branch = workspace.default_branch
        return Base(branch if origin is None else f"{origin}/{branch}", origin, branch)
    short = name.removeprefix(HEADS).removeprefix(REMOTES)
    if not name.startswith(REMOTES) and is_there(repo, HEADS + short):
        return Base(short, None, short)
    first, _, rest = short.partition("/")
    there = Base(short, first, rest) if rest and first in remote.names(repo) else None
    if there is None and origin is not None:
        there = Base(f"{origin}/{short}", origin, short)
    if there is not None and is_there(repo, there.ref or ""):
        return there
    try:
        repo.resolve(name)
    except NotFound:
        if there is None:
            raise
        checked(there.branch or "")
        return there
    return Base(name)


def default_remote(repo: Repository) -> str | None:
    """The remote that a branch comes from: that of HEAD's upstream, the only one, or `origin`."""
    known = remote.names(repo)
    short = (repo.head().ref or "").removeprefix(HEADS)
    upstream = repo.config.get(f"branch.{short}.remote")
    if upstream in known:
        return upstream
    return known[0] if len(known) == 1 else "origin" if "origin" in known else None


def _fetched(repo: Repository, base: Base, access: Access | None) -> str:
    """The commit that a base is at, fetched where that is asked for."""
    if base.remote is None or base.ref is None:
        return repo.resolve(base.ref or base.rev)
    if access is not None:
        try:
            # Said in full: a clone of one branch follows no other one.
            remote.fetch(repo, access._replace(remote=base.remote), [f"+{HEADS}{base.branch}:{base.ref}"])
        except Refused as error:
            if "remote ref" in error.message:
                raise NotFound(
                    f"{base.remote} has no branch {base.branch}", hint=f"git ls-remote --heads {base.remote}"
                ) from None
            if repo.ref(base.ref) is not None:
                error.hint = f"--no-fetch merges {base.rev} as it was last fetched"
            raise
    commit = repo.ref(base.ref)
    if commit is None:
        raise NotFound(
            f"{base.rev} was never fetched into this clone", hint=f"git fetch {base.remote} {base.branch}"
        )
    return commit


def _label(repo: Repository, base: Base, commit: str) -> str:
    """What names the base to git, and in conflict markers."""
    if base.ref is None:
        return commit
    return name_of(repo, commit, base.ref) if base.remote is not None else _local(repo, base.rev, commit)


def _local(repo: Repository, short: str, commit: str) -> str:
    others = (f"refs/{short}", f"refs/tags/{short}")
    return commit if short.startswith("-") or any(map(repo.ref, others)) else short


def _message(base: Base, commit: str, branch: str) -> str:
    """As git words it."""
    if base.ref is None:
        return f"Merge commit '{commit}' into {branch}"
    return f"Merge {'remote-tracking ' if base.remote is not None else ''}branch '{base.rev}' into {branch}"


def _behind(repo: Repository, base: Base, commit: str) -> tuple[str, ...]:
    """What to tell where the base is a branch here, and that of the remote is ahead of it."""
    origin = default_remote(repo)
    there = None if base.remote is not None or base.branch is None else f"{origin}/{base.branch}"
    ahead = None if there is None else repo.ref(REMOTES + there)
    if ahead is None or ahead == commit or not repo.is_ancestor(commit, ahead):
        return ()
    return (f"{base.branch} is behind {there}: memgit update-branch {there} merges what is there",)

"""Bringing this clone and a remote together: fetch, merge, push, and again where somebody else was first.

Nothing is forced and nothing is reset. A merge is made in memory, and the branch moves to it in one step; only a
conflict leaves an ordinary merge under way. Edits that are not committed stay as they are, and where a merge
would touch them, git refuses it. Usage refs travel along, those of all clones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, NamedTuple

from memgit.app.check.push import check_range
from memgit.app.derived.rebuild import commit_derived
from memgit.app.merge.came import Came, between, common, name_of
from memgit.app.merge.into_head import check_idle, merge_into_head
from memgit.app.merge.resolve import Left
from memgit.app.merge.update_branch import Updated, default_remote, update_branch
from memgit.app.workspace import Context, Workspace
from memgit.errors import BadInput, MemgitError, Refused
from memgit.git import remote
from memgit.git.backoff import pause
from memgit.git.commit import recovery
from memgit.git.history import usage
from memgit.git.remote import Access
from memgit.git.repository import Head, Repository
from memgit.lint import gate
from memgit.lint.rule import Finding
from memgit.model.ids import is_id

PATIENCE = 600.0
"""Seconds during which a push that came too late is begun again."""
TIMEOUT = 120.0
"""Seconds that one step over the network may take."""
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 15.0
"""Seconds to wait at most before the second push, and before any later one; each wait is twice the one before."""
STANDING = 3
"""How often a push may come too late for a branch that did not move: what it is late for is then not what is
fetched.
"""

_NO_ANSWER = remote.Pushed(False, "no answer")

Tell = Callable[[str], None]


class Synced(NamedTuple):
    """What was done.

    Attributes:
        status: synced; up_to_date; conflict (a merge is under way); refused (what came is merged, the gate
        does not let the branch go); rejected (what came is merged, the push did not get through).
        remote, branch: where to.
        commit: HEAD afterwards.
        merge: `none`, `fast-forward` or `merge`. came, went: from there to here, and from here to there.
        uses_came, uses_went: usage refs that are new or newer here, and whether uses went that the remote had
        not.
        attempts: how many pushes were tried.
        left: what conflicts.
        findings: what the gate says of the commits that are to go.
        why: why the push did not get through.
        base: what became of merging the default branch as well, where that was asked for.
        notes: what else the user should be told.
    """

    status: str
    remote: str
    branch: str
    commit: str | None
    merge: str = "none"
    came: Came = Came()
    went: Came = Came()
    uses_came: int = 0
    uses_went: bool = False
    attempts: int = 0
    left: tuple[Left, ...] = ()
    findings: tuple[Finding, ...] = ()
    why: str | None = None
    base: Updated | None = None
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            **{name: value for name, value in self._asdict().items() if name != "notes"},
            "came": self.came.as_json(),
            "went": self.went.as_json(),
            "left": [left.as_json() for left in self.left],
            "findings": [found.as_json() for found in self.findings],
            "base": None if self.base is None else self.base.as_json(),
        }


class _Where(NamedTuple):
    """This branch and the one that it is brought together with."""

    access: Access
    ref: str
    there: str

    @property
    def branch(self) -> str:
        return self.there.removeprefix("refs/heads/")


def sync(
    workspace: Workspace,
    context: Context,
    name: str | None = None,
    *,
    push: bool = True,
    base: bool = False,
    patience: float = PATIENCE,
    timeout: float = TIMEOUT,
    terminal: bool = False,
    tell: Tell = lambda _: None,
    progress: Callable[[bytes], object] | None = None,
) -> Synced:
    """Brings the checked-out branch and that of a remote together.

    Args:
        name: the remote; by default that of the branch's upstream, else the only one, else `origin`.
        push: whether to send what is here.
        base: whether to merge the default branch as the remote has it as well, as `update_branch` does.
        patience: seconds during which to merge and push again where somebody else pushed meanwhile.
        timeout: seconds that one step over the network may take.
        terminal: whether somebody can be asked for a password.
        tell: told what is being done.
        progress: gets git's own progress of what goes over the network.

    Raises:
        BadInput: there is no such remote.
        Refused: HEAD is detached, an operation is under way, histories are unrelated, the remote cannot be
            reached; or git refused the merge, such as where it would touch edits that are not committed.
    """
    repo = workspace.writable()
    notes = list(recovery.mend(repo, recovery.WAIT))
    where = _where(repo, name, Access("", timeout, terminal, progress))
    push = push and not _elsewhere(repo, where, name, notes)
    return _Sync(workspace, context, where, push, base, tell, notes).run(patience)


def _where(repo: Repository, name: str | None, access: Access) -> _Where:
    check_idle(repo)
    ref = repo.head().ref
    if ref is None or not ref.startswith("refs/heads/"):
        raise Refused(
            "HEAD is detached: there is no branch to bring together with a remote", hint="git switch BRANCH"
        )
    short = ref.removeprefix("refs/heads/")
    known = remote.names(repo)
    upstream = repo.config.get(f"branch.{short}.remote")
    if name is None:
        name = upstream or default_remote(repo)
        if name is None:
            several = f": which of {', '.join(known)}?" if known else ""
            raise Refused(
                f"there is no remote to sync with{several}",
                hint="memgit sync REMOTE" if known else "git remote add origin URL",
            )
    if name not in known:
        if name == ".":
            raise Refused(f"{short} follows another branch of this clone", hint="memgit sync REMOTE")
        raise BadInput(
            f"no remote is called {name!r}",
            hint=f"one of {', '.join(known)}" if known else "git remote add origin URL",
        )
    there = repo.config.get(f"branch.{short}.merge") if upstream == name else None
    if there and not there.startswith("refs/"):
        there = f"refs/heads/{there}"  # as git reads a name that is not whole
    return _Where(access._replace(remote=name), ref, there or ref)


def _elsewhere(repo: Repository, where: _Where, name: str | None, notes: list[str]) -> bool:
    """Whether the user's configuration sends this branch to another remote than it comes from."""
    short = where.ref.removeprefix("refs/heads/")
    target = repo.config.get(f"branch.{short}.pushremote") or repo.config.get("remote.pushdefault")
    if name is not None or target is None or target == where.access.remote:
        return False
    notes.append(
        f"{short} is pushed to {target}, not to {where.access.remote}: git push {target} {short} sends it"
    )
    return True


def _counts(ref: str) -> bool:
    """Whether a ref is that of the uses of some clone; a remote may list what it likes."""
    return ref.startswith(usage.PREFIX) and is_id(ref.removeprefix(usage.PREFIX))


def _done(pushed: Mapping[str, remote.Pushed], there: str) -> bool:
    return there in pushed and pushed[there].done


def _patience(pushed: remote.Pushed) -> float:
    """How often a push may be rejected for a reason while the branch there does not move."""
    return math.inf if pushed.is_held else STANDING if pushed.is_late else 2


class _Sync:
    """One run, from one state of HEAD on."""

    def __init__(
        self,
        workspace: Workspace,
        context: Context,
        where: _Where,
        push: bool,
        base: bool,
        tell: Tell,
        notes: list[str],
    ) -> None:
        self.workspace, self.context, self.where, self.push = workspace, context, where, push
        self.with_base = base
        self.repo, self.tell, self.notes = workspace.writable(), tell, notes
        repo = self.repo
        self.start = repo.head().commit
        self.theirs: str | None = None
        self.merge = "none"
        self.uses: set[str] = set()
        self.uses_went = False
        self.left: tuple[Left, ...] = ()
        self.findings: tuple[Finding, ...] = ()
        self.base: Updated | None = None

    def run(self, patience: float) -> Synced:
        end = monotonic() + patience
        stood, late, attempt = 0, 0, 0
        ours: remote.Pushed | None = None
        while True:
            before = self.theirs
            there = self._bring()
            stood = stood + 1 if ours is not None and self.theirs == before else 0
            if ours is not None and stood >= _patience(ours):
                return self._answer("rejected", attempt, ours.words)
            if not self._merge() or not self._update():
                return self._answer("conflict", attempt)
            self._derive()
            refs = self._to_push(there)
            refused = self.where.ref in refs and self._is_refused()
            if refused:
                del refs[self.where.ref]
            if not refs and refused:
                return self._answer("refused", attempt)
            if not refs:
                return self._answer(
                    "synced"
                    if self.start != self.repo.head().commit or self.uses or attempt
                    else "up_to_date",
                    attempt,
                )
            self.tell(f"pushing to {self.where.access.remote}")
            done = remote.push(self.repo, self.where.access, refs)
            attempt += 1
            rejected = {
                ref: done.get(there, _NO_ANSWER) for ref, there in refs.items() if not _done(done, there)
            }
            ours = rejected.pop(self.where.ref, None)
            self.uses_went = self.uses_went or any(_counts(ref) and ref not in rejected for ref in refs)
            if ours is None:
                again = any(one.is_held or one.is_late for one in rejected.values())
                late += again
                if not again or late > STANDING or monotonic() > end:
                    self._untaken(rejected)
                    return self._answer("refused" if refused else "synced", attempt)
            elif monotonic() > end:
                return self._answer("rejected", attempt, ours.words)
            self._wait(attempt)

    def _is_refused(self) -> bool:
        """Whether the gate holds the branch back; notes what it says of what goes."""
        head = self.repo.head().commit
        assert head is not None
        self.tell(f"checking {self.where.ref.removeprefix('refs/heads/')}")
        verdict = check_range(self.workspace, self.context, gate.SYNC, self.theirs, head, self.where.there)
        self.findings = verdict.findings
        if not verdict.stops and any(one.rule == gate.DERIVED for one in verdict.findings):
            done = commit_derived(self.workspace, self.context)
            if done.commit is not None:
                self.findings = tuple(one for one in verdict.findings if one.rule != gate.DERIVED)
                self.notes.append(f"derived files were out of date: committed in {done.commit[:10]}")
        return verdict.stops

    def _derive(self) -> None:
        """Commits the derived files of the default branch, where a forge has merged into it and nobody has derived
        since (`indexes: trunk`).
        """
        trunk = self.workspace.config.indexes == "trunk" and self.workspace.indexes() == "committed"
        if trunk and self.repo.head().commit is not None:
            done = commit_derived(self.workspace, self.context, unless_known=True)
            if done.commit is not None:
                self.notes.append(f"derived files were out of date: committed in {done.commit[:10]}")

    def _wait(self, attempt: int) -> None:
        """Waits before the next attempt: longer each time, and not as long as others that wait."""
        longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(attempt - 1, 10))
        self.tell(
            f"{self.where.access.remote} was ahead at attempt {attempt}; next attempt within {longest:.1f} s"
        )
        pause(longest)

    def _untaken(self, rejected: Mapping[str, remote.Pushed]) -> None:
        """Notes which counted uses the remote did not take, and why."""
        for reason in dict.fromkeys(one.words for one in rejected.values()):
            self.notes.append(f"{self.where.access.remote} did not take the uses counted here: {reason}")

    # Fetching

    def _bring(self) -> dict[str, str]:
        """Fetches what is new, and joins the usage refs; what the remote has."""
        repo, access = self.repo, self.where.access
        self.tell(f"looking at {access.remote}")
        there = remote.listed(repo, access, [self.where.there, f"{usage.PREFIX}*"])
        here = usage.tips(repo)
        self.theirs = there.get(self.where.there)
        if self.theirs is None and self.push and repo.head().commit is not None:
            self.notes.append(f"{access.remote} had no branch {self.where.branch} yet")
        wanted = {
            ref: commit
            for ref, commit in there.items()
            if _counts(ref) and not self._holds(here.get(ref), commit)
        }
        refs = list(wanted)
        if self.theirs is not None and (
            not self._has(self.theirs) or repo.ref(self._tracking) not in (None, self.theirs)
        ):
            refs.append(self.where.there)
        if refs:
            self.tell(f"fetching from {access.remote}")
            remote.fetch(repo, access, refs)
        for ref, commit in wanted.items():
            # else it moved on meanwhile, or is not a commit
            if self._has(commit) and self._take(ref, here.get(ref), commit):
                self.uses.add(ref)
        return there

    def _holds(self, old: str | None, commit: str) -> bool:
        """Whether a usage ref that is at `old` here holds a commit."""
        return old is not None and self.repo.is_ancestor(commit, old)

    def _take(self, ref: str, old: str | None, commit: str) -> bool:
        """Makes a usage ref hold what the remote has in it; false where another process moved it first."""
        try:
            return usage.take(self.repo, ref, old, commit)
        except Refused as error:
            self.notes.append(f"another clone counts uses under the id of this one: {error.message}")
            return True

    @property
    def _tracking(self) -> str:
        """The ref that follows the branch there, where git is configured as a clone is."""
        return f"refs/remotes/{self.where.access.remote}/{self.where.branch}"

    def _has(self, commit: str) -> bool:
        """Whether a commit is here; what is none counts as missing."""
        try:
            self.repo.parents_of(commit)
        except MemgitError:
            return False
        return True

    def _merge(self) -> bool:
        """Merges what the remote has; False where it conflicts."""
        if self.theirs is None or not self._has(self.theirs):
            return True
        name = name_of(self.repo, self.theirs, self._tracking)
        self.tell(f"merging {name}")
        kind = "commit" if name == self.theirs else "remote-tracking branch"
        done = merge_into_head(self.workspace, self.theirs, name, f"Merge {kind} '{name}'")
        self.left, self.notes = done.left, [*self.notes, *done.notes]
        if done.how == "conflict":
            return False
        if done.how == "merge" or self.merge == "none":
            self.merge = done.how
        return True

    def _update(self) -> bool:
        """Merges the default branch, where that is asked for; False where it conflicts."""
        branch = self.workspace.default_branch if self.with_base else self.where.branch
        if branch == self.where.branch:
            return True
        name = f"{self.where.access.remote}/{branch}"
        self.tell(f"merging {name}")
        done = update_branch(self.workspace, name, self.where.access)
        if self.base is None or done.status != "up_to_date":
            self.base = done
        self.notes += done.notes
        return done.status != "conflict"

    # Pushing

    def _to_push(self, there: Mapping[str, str]) -> dict[str, str]:
        """The refs that the remote has not or has older, by their names here.

        The usage refs of other clones are among them: a clone that was moved, or is gone, may have left some
        that only this one has.
        """
        if not self.push:
            return {}
        head: Head = self.repo.head()
        refs: dict[str, str] = {}
        if head.commit is not None and head.commit != self.theirs:
            refs[self.where.ref] = self.where.there
        for ref, tip in usage.tips(self.repo).items():
            known = there.get(ref)
            if _counts(ref) and tip != known and (known is None or self._holds(tip, known)):
                refs[ref] = ref
        return refs

    # Telling

    def _answer(self, status: str, attempts: int, why: str | None = None) -> Synced:
        head = self.repo.head().commit
        theirs = self.theirs if self.theirs is not None and self._has(self.theirs) else None
        base = common(self.repo, self.start, theirs)
        came = between(self.workspace, base, theirs)
        went = Came()
        if status == "synced" and self.push and attempts:
            went = between(self.workspace, base, self.start)
        return Synced(
            status,
            self.where.access.remote,
            self.where.branch,
            head,
            self.merge,
            came,
            went,
            len(self.uses),
            self.uses_went,
            attempts,
            self.left,
            self.findings,
            why,
            self.base,
            tuple(dict.fromkeys(self.notes)),
        )

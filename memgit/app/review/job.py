"""What a CI job reviews: its event settled to two commits, which are fetched where the checkout lacks them.

A change is compared with the branch that it goes into as that is at this moment, so that a break which comes
of the merge is found however long the job has waited.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from memgit import __version__
from memgit.app.merge.tree_merge import merge_bases
from memgit.app.review.comment import forge_of, token_of
from memgit.app.review.review import Request, review
from memgit.app.review.whole import review_all
from memgit.app.workspace import Context, Workspace
from memgit.errors import BadInput, NotFound, Refused
from memgit.forge.events import Job, answered
from memgit.forge.http import Client
from memgit.git import remote as remotes
from memgit.git.remote import Access
from memgit.git.repository import Repository
from memgit.review.values import NOTHING, Review, Side

TIMEOUT_SECONDS = 600.0
"""How long one step of a fetch may take."""
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_ODD = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|^-|^$")
"""What no name of a branch holds (git-check-ref-format(1)), and what would be an option."""
_LATER = re.compile(r"[0-9a-f]{40,64}|.*[~^@].*")
"""A revision that the fetch may bring: a commit by its hash, or steps from another."""
DEPTH = "in a GitHub workflow give actions/checkout fetch-depth: 0, in a GitLab job set GIT_DEPTH to 0"


class Settled(NamedTuple):
    """What a job does.

    Attributes:
        job: what it is about.
        head: the commit that is reviewed.
        base: what it is compared with; without one, everything at the head is checked.
        direct: the head has replaced the base by force, and is not to be merged into it.
        nothing: why there is nothing to review, in words.
        notes: what the reader of the review should know about the comparison.
    """

    job: Job
    head: Side
    base: Side | None = None
    direct: bool = False
    nothing: str | None = None
    notes: tuple[str, ...] = ()


def job_of(context: Context, forge: str | None) -> Job:
    """What the CI job is about, asking the forge where its event does not say enough.

    Raises:
        BadInput: no such forge.
        Refused: the forge does not say which pull request is meant: no other may be judged in its place.
    """
    found = forge_of(context, forge)
    job = found.job(context.env)
    if job.query is None:
        return job
    address, token = found.api(context.env), token_of(found, context.env)
    if address is None:
        raise Refused(f"the environment does not say where the API of {found.name} is")
    asked = answered(job, Client(address, found.headers(token), token).get(job.query).value)
    if asked is None:
        raise Refused(
            f"{found.name} does not say which open {found.noun} this {job.event} is about",
            hint=f"review on the event {found.noun.replace(' ', '_')} instead",
        )
    return asked


def review_job(workspace: Workspace, context: Context, settled: Settled) -> Review:
    """The review of a job.

    Args:
        workspace: opened after the job was settled.

    Raises as `review`, `lint` and `rebuild`.
    """
    job, head, base = settled.job, settled.head, settled.base
    if settled.nothing is not None:
        found = Review(head, head, head.commit, NOTHING, notes=(settled.nothing,), version=__version__)
    elif base is None:
        found = review_all(workspace, context, head)
        what = f"{job.event} is about no change" if job.event else "this job is about no change"
        words = f"{what}: the whole root was checked, as by memgit lint and memgit rebuild --check"
        found = found._replace(notes=(words, *found.notes))
    else:
        request = Request(direct=settled.direct, sides=(base, head))
        found = review(workspace, context, request)
    return found._replace(notes=(*settled.notes, *found.notes), in_ci=True)


def settle(repo: Repository, job: Job, base: str | None = None) -> Settled:
    """Base and head of a job, fetched.

    Args:
        base: compare with this revision or branch of the remote, whatever the job is about.

    Raises:
        BadInput: a name that is none, or a base that is neither on the remote nor here.
        Refused: a commit that is to be compared is not here and cannot be fetched.
    """
    return _Settling(repo, job, base).settled()


class _Settling:
    """One job under way.

    Attributes:
        remote: what has the branch that the head goes into: a remote, or the address of another repository.
        home: the remote that the checkout came from.
        listed: what the remote has now, of what the job needs to know; None where it cannot be asked.
    """

    def __init__(self, repo: Repository, job: Job, named: str | None) -> None:
        self.repo, self.job, self.named = repo, job, named
        names = remotes.names(repo)
        self.home = names[0] if names and "origin" not in names else "origin"
        self.remote = job.url if job.url is not None and not self._is_home(job) else self.home
        self.branch = job.branch
        self.notes: list[str] = []
        self.failure = ""
        if named is not None:
            self._take_name(named)
        if self.branch is not None and _ODD.search(self.branch):
            raise BadInput(f"{self.branch!r} is not a name of a branch")
        self.refs = [f"refs/{kind}/{self.branch}" for kind in ("heads", "tags")] if self.branch else []
        self.listed = self._list() if names or self.remote != self.home else {}

    def _is_home(self, job: Job) -> bool:
        """Whether the checkout came from the repository that the change goes into, and not from a fork."""
        path = "/" + self.repo.config.get(f"remote.{self.home}.url", "").replace(":", "/").lower()
        return path.rstrip("/").removesuffix(".git").endswith("/" + (job.repository or "").lower())

    def _take_name(self, name: str) -> None:
        """Reads `main`, `origin/main` and `refs/heads/main` alike as a branch of a remote."""
        short = re.sub(r"^refs/(?:heads|remotes|tags)/", "", name)
        first, slash, rest = short.partition("/")
        if slash and f"remote.{first}.url" in self.repo.config:
            self.remote, short = first, rest
        self.branch = None if _HASH.fullmatch(short) or _ODD.search(short) else short

    def _list(self) -> dict[str, str] | None:
        wanted = [*self.refs, *([self.job.now] if self.job.now else [])]
        try:
            return remotes.listed(self.repo, Access(self.remote, TIMEOUT_SECONDS), wanted) if wanted else {}
        except Refused as error:
            self.failure = error.message
            return None

    @property
    def tip(self) -> str | None:
        """The ref of the remote that the base is."""
        return next((ref for ref in self.refs if ref in (self.listed or ())), None)

    def settled(self) -> Settled:
        job, now = self.job, (self.listed or {}).get(self.job.now or "")
        if job.nothing is not None:
            return Settled(job, Side("HEAD", self.repo.resolve("HEAD")), nothing=job.nothing)
        if now is not None and _HASH.fullmatch(job.head) and now != job.head:
            words = (
                f"{job.number} has moved on to {now[:10]}, which has a job of its own; this one was about "
                f"{job.head[:10]}"
            )
            return Settled(job, Side("HEAD", self.repo.resolve("HEAD")), nothing=words)
        if self.named is not None and self.tip is None and not _LATER.fullmatch(self.named):
            self._here(self.named)  # before anything is fetched for it
        self._fetch()
        head = Side(job.head, self._commit(job.head))
        base, direct = (None, False) if job.whole and self.named is None else self._base(head)
        return Settled(job, head, base, direct, notes=tuple(self.notes))

    # Fetching

    def _fetch(self) -> None:
        """Brings base, head and their history; what cannot be had shows when it is asked for."""
        shallow = self.repo.shallow()
        named = (self.named, self.job.head, (self.job.base or "").removesuffix("^1"))
        commits = [one for one in named if one and _HASH.fullmatch(one) and (shallow or not self._has(one))]
        if shallow and (checkout := self.repo.head().commit) is not None:
            commits.append(checkout)
        tip = self.tip
        branch = [tip] if tip is not None and (shallow or not self._has((self.listed or {})[tip])) else []
        if self.remote == self.home and self._fetched(self.home, [*branch, *commits]):
            return
        for one in dict.fromkeys(commits):
            if not self._fetched(self.home, [one]) and one == self.job.head and self.job.now:
                self._fetched(self.remote, [self.job.now])
        self._fetched(self.remote, branch)

    def _fetched(self, remote: str, refs: Sequence[str]) -> bool:
        """Whether some refs or commits could be fetched, with all of their history."""
        if not refs:
            return True
        unshallow = ["--unshallow"] if self.repo.shallow() and remote == self.home else []
        access = Access(remote, TIMEOUT_SECONDS)
        try:
            remotes.fetch(self.repo, access, list(dict.fromkeys(refs)), ["--no-tags", *unshallow])
        except Refused as error:
            self.failure = error.message
            return False
        return True

    # What is here

    def _has(self, name: str) -> bool:
        try:
            return not name.startswith("-") and bool(self.repo.resolve(name))
        except NotFound:
            return False

    def _here(self, name: str) -> str:
        """The commit of a base that the remote has no branch or tag for.

        Raises:
            BadInput: the clone has none either.
            Refused: nor can the remote be asked.
        """
        for spelling in (f"{self.remote}/{name}", name):
            if self._has(spelling):
                return self.repo.resolve(spelling)
        if self.listed is None:
            raise Refused(f"{name!r} is not in this clone, and {self.remote} cannot be asked: {self.failure}")
        raise BadInput(
            f"{name!r} is not a branch, tag or commit of this clone, and no branch or tag of {self.remote}",
            hint=f"git ls-remote {self.remote} lists what is there",
        )

    def _commit(self, revision: str) -> str:
        """The commit of a revision that was to be fetched, `^1` at its end for the parent as written there.

        Raises:
            Refused: it is not here.
        """
        try:
            if revision.endswith("^1"):
                revision = self.repo.parents_of(self.repo.resolve(revision[:-2]))[0]
            return self.repo.resolve(revision)
        except (NotFound, IndexError):
            why = f" ({self.failure})" if self.failure else ""
            raise Refused(
                f"{revision} is to be compared, and is neither in this checkout nor can it be fetched{why}",
                hint=DEPTH,
            ) from None

    # The base

    def _base(self, head: Side) -> tuple[Side | None, bool]:
        """What to compare with, and whether directly; None where only everything can be checked."""
        job = self.job
        if self.named is not None:
            there = (self.listed or {}).get(self.tip or "")
            commit = there or (self.named if _HASH.fullmatch(self.named) else self._here(self.named))
            return Side(self.named, self._commit(commit)), False
        if job.number is None and job.base is not None:
            before = self._before(job.base, head.commit)
            if before is not None or self.branch is None:
                return before or (None, False)
        if self.branch is not None:
            return self._into(self.branch, head.commit), False
        if job.base is None:
            raise BadInput("this job does not say what its change goes into", hint="name it with --base")
        commit = self._commit(job.base)
        return Side(commit, commit), False

    def _before(self, before: str, head: str) -> tuple[Side, bool] | None:
        """What a push or a merge group starts from; None where that is not known, or was replaced by force and
        the branch goes into another one.
        """
        if not self._has(before):
            self.notes.append(f"what was there before, {before[:10]}, cannot be fetched")
            return None
        if before in merge_bases(self.repo, before, head):
            return Side(before, before), False
        self.notes.append(f"the push has replaced {before[:10]} by force")
        return (Side(before, before), True) if self.branch is None else None

    def _into(self, branch: str, head: str) -> Side:
        """The branch that the head goes into, as it is now; else as near to that as the checkout knows."""
        name = f"{self.home}/{branch}"
        there = (self.listed or {}).get(self.tip or "")
        if there is not None and self._has(there):
            return Side(name, self.repo.resolve(there))
        checkout = self.repo.head().commit
        parents = [] if checkout is None else self.repo.parents_of(checkout)
        merged = parents[0] if len(parents) == 2 and parents[1] == head else None
        for one in (merged, self.repo.ref(f"refs/remotes/{name}"), self.job.base):
            if one is not None and self._has(one):
                self.notes.append(
                    f"{branch} could not be fetched as it is now: compared with {one[:10]}, which is what this "
                    "checkout knows of it"
                )
                return Side(name, self.repo.resolve(one))
        if self.listed is not None and there is None:
            raise Refused(
                f"{self.remote} has no branch {branch}, which the change goes into",
                hint="name another with --base",
            )
        return Side(name, self._commit(there or name))

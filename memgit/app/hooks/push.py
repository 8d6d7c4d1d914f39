"""Before a push: what no door lets pass is looked for in the commits that the remote does not have."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.check.change import shown
from memgit.app.check.lint import Progress
from memgit.app.check.push import check_range
from memgit.app.hooks.check import Said
from memgit.app.hooks.roots import State, roots
from memgit.errors import NotFound
from memgit.git import process
from memgit.lint import gate
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgit.app.workspace import Context
    from memgit.git.repository import Repository


class Push(NamedTuple):
    """One ref that is pushed: its name there, the commit that it gets and the one that it has (None: none)."""

    ref: str
    new: str | None
    old: str | None


def check_push(
    context: Context,
    repo: Repository,
    remote: str,
    pushes: Sequence[Push],
    progress: Progress = lambda _: None,
) -> Said:
    """Asks the gate about what new commits on branches bring to a remote; each pair of base and head is looked
    at once.

    Args:
        progress: told the branch that is looked at.
    """
    lines: list[str] = []
    stop = False
    known: dict[tuple[str | None, str], None] = {}
    for push in pushes:
        if push.new is None or not push.ref.startswith("refs/heads/"):
            continue
        pair = (_known_there(repo, remote, push), push.new)
        if pair in known:
            continue
        known[pair] = None
        base, new = pair
        branch = push.ref.removeprefix("refs/heads/")
        progress(f"checking {branch}")
        repo.at_prefix("")
        paths = [path for path, _, _ in repo.tree(base).diff(repo.tree(new))]
        for workspace in roots(repo, State(repo, new), paths):
            verdict = check_range(workspace, context, gate.PUSH, base, new, push.ref)
            lines += shown(workspace.require_repository().prefix, verdict.findings)
            if verdict.stops:
                stop = True
                lines.append(f"to fix: correct {branch} ({new[:10]}) in a new commit, then push again")
            workspace.close()
    return Said(tuple(lines), stop)


def _known_there(repo: Repository, remote: str, push: Push) -> str | None:
    """The newest commit below a pushed one that the remote has, as far as is known here."""
    assert push.new is not None
    if push.old is not None:
        try:
            return repo.resolve(push.old)
        except NotFound:
            pass  # somebody else's commits, not fetched yet
    known = f"--remotes={remote}" if f"remote.{remote}.url" in repo.config else "--remotes"
    found = repo.git("rev-list", "--boundary", push.new, "--not", known).split()
    if not found:
        return push.new
    border = next((line[1:] for line in found if line.startswith(b"-")), None)
    return None if border is None else border.decode("ascii")


def from_framework(repo: Repository, env: Mapping[str, str]) -> Push:
    """What the pre-commit framework tells the hook in variables: the one ref of a push that it looks at, or two
    revisions that somebody has typed (`--from-ref`, `--to-ref`). Without any, HEAD is looked at.

    Raises:
        NotFound: a revision that is not there.
    """
    name = env.get("PRE_COMMIT_TO_REF") or env.get("PRE_COMMIT_LOCAL_BRANCH") or "HEAD"
    new, old = repo.resolve(name), env.get("PRE_COMMIT_FROM_REF")
    ref = env.get("PRE_COMMIT_REMOTE_BRANCH")
    if old and not ref:  # as the framework itself compares: from where the two parted
        old = repo.resolve(old)
        found = process.attempt(["merge-base", old, new], repo=repo).out.decode("ascii").strip()
        old = found or old
    return Push(ref or f"refs/heads/{name.removeprefix('refs/heads/')}", new, old or None)


def pushed(lines: str) -> list[Push]:
    """What git tells the hook on standard input (https://git-scm.com/docs/githooks, pre-push)."""
    out = []
    for line in lines.split("\n"):
        parts = line.split(" ")
        if len(parts) == 4:
            out.append(
                Push(
                    parts[2],
                    None if set(parts[1]) == {"0"} else parts[1],
                    None if set(parts[3]) == {"0"} else parts[3],
                )
            )
    return out

"""`memgit sync`."""

from __future__ import annotations

import sys
from collections import Counter

import click

from memgit.app.merge.came import Came
from memgit.app.merge.sync import PATIENCE, TIMEOUT, Synced, sync
from memgit.app.merge.update_branch import Updated
from memgit.cli.options import context_of, json_option, timeout_option, workspace_of
from memgit.cli.output import echo, emit_json, faint, print_notes
from memgit.cli.resolve import print_left
from memgit.git.remote import Access
from memgit.model.operation import PAST
from memgit.model.printable import readable, safe

MAX_SHOWN = 20
"""Records that are named; the rest is counted."""
EXITS = {"conflict": 1, "refused": 1, "rejected": 3}


@click.command("sync")
@click.argument("remote", required=False)
@click.option("--no-push", is_flag=True, help="Fetch and merge only.")
@click.option(
    "--base",
    is_flag=True,
    help="Merge the default branch of the remote into this one as well, as update-branch does.",
)
@click.option(
    "--patience",
    type=click.FloatRange(0),
    default=PATIENCE / 60,
    show_default=True,
    metavar="MINUTES",
    help="How long to merge and push again when others push first; each wait is longer than the one before.",
)
@timeout_option(TIMEOUT, "one step over the network")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    remote: str | None,
    no_push: bool,
    base: bool,
    patience: float,
    timeout: float,
    as_json: bool,
) -> int:
    """Fetch from REMOTE, merge and push, with the counted uses of all clones, through your own git.

    Nothing is forced and nothing is reset. Exits with 1 where records conflict, which leaves an ordinary merge
    under way, or where the gate refuses what would go, such as a secret; exits with 3 where the push did not get
    through. What came is merged in both of the latter.

    Examples:

    \b
      memgit sync
      memgit sync --no-push
      memgit sync --base
    """
    access = access_of(timeout, as_json=as_json)

    def tell(what: str) -> None:
        if access.progress is not None:
            click.echo(faint(f"{what} …"), err=True)

    done = sync(
        workspace_of(ctx),
        context_of(ctx),
        remote,
        push=not no_push,
        base=base,
        patience=patience * 60,
        timeout=timeout,
        terminal=access.terminal,
        tell=tell,
        progress=access.progress,
    )
    print_notes(done.notes)
    for found in done.findings:
        about = f"{found.address}: " if found.address else ""
        place = f"{readable(found.path)}:{found.line}"
        echo(f"memgit: {place}: {found.severity} {found.rule} {found.name}: {about}{found.message}", err=True)
    if as_json:
        emit_json(done.as_json())
    else:
        _print(done)
    return EXITS.get(done.status, 0)


def access_of(timeout: float, *, as_json: bool) -> Access:
    """How to talk to a remote from here: with git's progress where somebody sees it."""
    terminal = sys.stdin.isatty() and sys.stderr.isatty()

    def progress(piece: bytes) -> None:
        sys.stderr.write("\r".join(map(safe, piece.decode("utf-8", "replace").split("\r"))))
        sys.stderr.flush()

    return Access("", timeout, terminal, progress if terminal and not as_json else None)


def print_updated(done: Updated) -> None:
    """Says what became of merging a base."""
    conflict = done.status == "conflict"
    _came(f"{'to merge' if conflict else 'came'} from {done.base}", done.came)
    if conflict:
        print_left(done.left)
        print_under_way(done.base)
    elif done.status == "up_to_date":
        echo(f"{done.branch} has all of {done.base} ({done.base_commit[:10]}): nothing to merge")
    else:
        how = "merged" if done.merge == "merge" else done.merge
        echo(f"{done.branch} is up to date with {done.base} at {(done.commit or '')[:10]} ({how})")


def print_under_way(other: str) -> None:
    """Says how to go on with a merge that conflicts."""
    echo(
        f"a merge of {other} is under way; settle what conflicts, git add it, then memgit "
        "resolve, which says how to go on"
    )
    echo("git merge --abort takes the merge back; nothing was pushed")


def _print(done: Synced) -> None:
    where = f"{done.remote}/{done.branch}"
    merging = done.status == "conflict" and (done.base is None or done.base.status != "conflict")
    _came(f"{'to merge' if merging else 'came'} from {where}", done.came)
    if done.base is not None:
        print_updated(done.base)
    _came(f"went to {where}", done.went)
    if done.uses_came or done.uses_went:
        parts = [f"came from {_count(done.uses_came, 'clone')}"] * bool(done.uses_came) + [
            "those counted here went"
        ] * done.uses_went
        echo(f"uses: {', '.join(parts)}")
    if done.status == "up_to_date":
        echo(f"{where}: nothing new on either side")
    elif merging:
        print_left(done.left)
        print_under_way(where)
    elif done.status == "conflict":
        return
    elif done.status == "refused":
        echo(f"memgit: the gate refuses to push to {where}; what came is merged", err=True)
        echo("  hint: fix each in a new commit, then memgit sync", err=True)
    elif done.status == "rejected":
        times = "" if done.attempts == 1 else f" {done.attempts} times in a row"
        echo(f"memgit: {where} rejected the push{times}: {done.why}", err=True)
        echo("  hint: what came is merged here and nothing is lost; memgit sync tries again", err=True)
    else:
        how = {"none": "nothing to merge", "fast-forward": "fast-forward", "merge": "merged"}[done.merge]
        tries = f", pushed at attempt {done.attempts}" if done.attempts > 1 else ""
        echo(f"in step with {where} at {(done.commit or '')[:10]} ({how}{tries})")


def _came(what: str, came: Came) -> None:
    if not came.commits:
        return
    counts = Counter(PAST[change.action] for change in came.records)
    listed = ", ".join(f"{number} {action}" for action, number in counts.items()) or "no record changed"
    echo(f"{what}: {_count(came.commits, 'commit')}, {listed}")
    for change in came.records[:MAX_SHOWN]:
        echo(f"  {PAST[change.action]} {change.address}{f' <- {change.was}' if change.was else ''}")
    if len(came.records) > MAX_SHOWN:
        echo(f"  and {len(came.records) - MAX_SHOWN} more")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"

"""`memgit rebuild`."""

from __future__ import annotations

import os
import sys
import time

import click

from memgit.app.derived.rebuild import Rebuilt, check, rebuild
from memgit.app.read.engines import ahead
from memgit.cli.options import context_of, json_option, workspace_of
from memgit.cli.output import echo, emit_json, name_problems, print_notes
from memgit.errors import BadInput
from memgit.lint.words import plural

ENGINE_SECONDS = 10.0
"""Seconds for what a search engine keeps of the records; searches make what is left."""
SILENT_SECONDS = 0.5
"""Seconds of silence; what takes longer shows its progress on a terminal."""


@click.command("rebuild")
@click.option(
    "--check",
    "check_",
    is_flag=True,
    help="Write nothing; name what is not as it should be, and exit with 1.",
)
@click.option(
    "--at",
    "at",
    metavar="REV",
    help="Check a commit, branch or tag in place of the working tree; implies --check.",
)
@click.option("--commit", is_flag=True, help="Commit the derived files as `fix: indexes`, and nothing else.")
@json_option
@click.pass_context
def command(ctx: click.Context, check_: bool, at: str | None, commit: bool, as_json: bool) -> int:
    """Derive everything again: indexes into the working tree (never staged), cache and activity log from the
    commits.

    Uncommitted edits of records count. A file that cannot be derived, such as another tool's, is named and
    left alone; the exit code is then 1.

    Examples:

    \b
      memgit rebuild
      memgit rebuild --check
      memgit rebuild --check --at origin/main
    """
    if commit and (check_ or at is not None):
        raise BadInput("--commit writes, and --check and --at do not")
    workspace = workspace_of(ctx)
    meter = Meter() if sys.stderr.isatty() else None
    progress = None if meter is None else meter.tell
    try:
        if check_ or at is not None:
            done = check(workspace, at, progress=progress)
        else:
            done = rebuild(workspace, context_of(ctx), commit=commit, progress=progress)
            if workspace.repo is not None:
                ahead(workspace, ENGINE_SECONDS)
    finally:
        if meter is not None:
            meter.clear()
    print_notes(done.notes)
    name_problems(done.unreadable)
    if as_json:
        emit_json(done.as_json())
    else:
        _print(done, workspace.root, wrote=not check_ and at is None)
    return 1 if done.differences else 0


def _print(done: Rebuilt, root: str | None, wrote: bool) -> None:
    for path in done.written:
        there = root is not None and os.path.lexists(os.path.join(root, path))
        echo(f"{'wrote' if there else 'removed'} {path}")
    for found in done.differences:
        echo(f"{found.path}:{found.line}: {found.message}")
    where = "a folder without a commit" if done.revision is None else done.revision[:10]
    where += " and what is not committed" if done.fresh else ""
    counted = f"{where}: {plural(done.records, 'record')}, {plural(done.events, 'commit')}"
    if done.left_to is not None and not done.differences:
        did = "rebuilt from" if wrote else "checked"
        echo(
            f"{did} {counted}; derived files are those of {done.left_to}, this branch leaves them as they are"
        )
    elif wrote:
        commit = f", committed as {done.commit[:10]}" if done.commit is not None else ""
        echo(
            f"rebuilt from {counted}; {plural(done.derived, 'derived file')}, {len(done.written)} "
            f"written{commit}"
        )
    elif done.differences:
        echo(
            f"checked {counted}; {plural(len(done.differences), 'difference')}: memgit rebuild fixes "
            "what can be derived"
        )
    else:
        echo(f"checked {counted}; {plural(done.derived, 'derived file')}, all as they should be")


class Meter:
    """Progress on one line of standard error that is written over and taken away at the end."""

    def __init__(self) -> None:
        self._start = self._last = time.monotonic()
        self._shown = False

    def tell(self, what: str, done: int, total: int | None) -> None:
        now = time.monotonic()
        if now - self._start < SILENT_SECONDS or now - self._last < 0.1:
            return
        self._last, self._shown = now, True
        of = f" of {total:,}" if total is not None else ""
        sys.stderr.write(f"\r\x1b[Kreading {what}: {done:,}{of}")
        sys.stderr.flush()

    def clear(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

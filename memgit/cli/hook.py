"""`memgit hook`: what git, or the pre-commit framework, calls in a hook (see githooks(5))."""

from __future__ import annotations

import os
import sys

from memgit import TYPE_CHECKING
from memgit.errors import MemgitError, NotFound

if TYPE_CHECKING:
    import click

    from memgit.app.hooks.runs import Said
    from memgit.app.workspace import Context
    from memgit.git.repository import Repository
else:
    from memgit.cli import lean as click

CHECKING = ("pre-commit", "pre-merge-commit")
"""Hooks that check what is staged: git runs the second in the place of the first where it makes a merge
commit by itself.
"""
NAMES = (
    *CHECKING,
    "prepare-commit-msg",
    "commit-msg",
    "post-merge",
    "post-checkout",
    "post-rewrite",
    "pre-push",
    "rebuild",
)
STOPPING = {"pre-commit": "commit", "pre-merge-commit": "merge", "commit-msg": "commit", "pre-push": "push"}
"""Hooks that may stop git, and what they stop. prepare-commit-msg may not: git runs it even where --no-verify
asks for none.
"""
EDITMSG = "COMMIT_EDITMSG"


@click.command("hook")
@click.argument("name", type=click.Choice(NAMES), metavar="NAME")
@click.argument("args", nargs=-1)
@click.option(
    "--only",
    type=click.Choice(("index", "lint")),
    help="Before a commit: only derived files, or only the other rules.",
)
@click.option(
    "--fix",
    is_flag=True,
    help="Mend the working tree as well; nothing is staged. Not for messages and pushes.",
)
@click.pass_context
def command(ctx: click.Context, name: str, args: tuple[str, ...], only: str | None, fix: bool) -> int:
    """Do the work of the git hook NAME. Exits with 1 where git should stop."""
    if os.environ.get("MEMGIT_COMMIT") and not name.startswith("post-"):
        return 0
    stops = name in STOPPING
    try:
        if name == "prepare-commit-msg" and _known(ctx, args):
            return 0
        said = _run(ctx, name, args, only, fix)
    except (MemgitError, OSError) as error:
        if stops:
            raise
        _say(f"memgit: {name}: {error}")
        return 0
    # a fault of memgit's own must not read like one of what is committed, nor hold it up for good
    except Exception as error:
        _say(f"memgit: the {name} hook itself failed: {type(error).__name__}: {error}")
        if stops:
            _say(f"  hint: git {STOPPING[name]} --no-verify goes on without it")
        return 3 if stops else 0
    for line in said.lines:
        _say(f"memgit: {line}")
    return 1 if said.stop and stops else 0


def _say(line: str) -> None:
    from memgit.cli.output import echo  # mostly there is nothing to say

    echo(line, err=True)


def _known(ctx: click.Context, args: tuple[str, ...]) -> bool:
    """Does what the pre-commit hook has already found out suffices for, without opening the repository;
    whether it did.
    """
    index = os.environ.get("GIT_INDEX_FILE")
    if index is None or not args or os.path.basename(args[0]) != EDITMSG or "PRE_COMMIT" in os.environ:
        return False
    from memgit.app.hooks import hook_state

    settings = ctx.find_root().obj
    git_dir, text = os.path.dirname(args[0]) or ".", _read(args)
    if args[1:] != ("message",) or os.environ.get("GIT_EDITOR") != ":":
        return False
    new = hook_state.write(text, git_dir, index, settings["actor"], settings["run"])
    if new is not None:
        _write(args[0], text, new)
    return new is not None


def _run(ctx: click.Context, name: str, args: tuple[str, ...], only: str | None, fix: bool) -> Said:
    from memgit.git.repository import Repository

    repo = Repository.open(ctx.find_root().obj["folder"], os.environ)
    if name in CHECKING and repo.worktree is not None:
        return _check_staged(ctx, repo, only, fix)
    from memgit.app.hooks import runs as hook_runs
    from memgit.cli.options import context_of

    context = context_of(ctx)
    if repo.worktree is None:
        return hook_runs.Said()
    if name == "prepare-commit-msg":
        # The pre-commit framework gives the file alone, and the rest in variables.
        source = args[1] if len(args) > 1 else os.environ.get("PRE_COMMIT_COMMIT_MSG_SOURCE", "")
        text = _read(args)
        new = hook_runs.write_message(context, repo, text, source)
        _write(args[0], text, new)
        return hook_runs.Said()
    if name == "commit-msg":
        return hook_runs.check_message(context, repo, _read(args), args[0])
    if name == "pre-push":
        return _push(context, repo, args)
    return _after(context, repo, name, args, fix)


def _check_staged(ctx: click.Context, repo: Repository, only: str | None, fix: bool) -> Said:
    """Has git look at what is staged while Python reads its modules, then checks it."""
    from memgit.app.hooks import hook_state
    from memgit.git.worktree import staged

    objects = repo.frugal()
    try:
        hook_state.hold(repo.git_dir, repo.index_file)
        head = repo.head().commit
        begun = head, staged.begin(repo, head)
        from memgit.app.hooks import runs as hook_runs
        from memgit.cli.options import context_of

        return hook_runs.check_staged(context_of(ctx), repo, only, fix=fix, begun=begun)
    finally:
        objects.close()


def _write(path: str, old: str, new: str) -> None:
    from memgit.app.hooks.hook_state import note_written

    if new != old:
        with open(path, "wb") as file:
            file.write(new.encode("utf-8", "surrogateescape"))
    if os.path.basename(path) == EDITMSG:
        note_written(path, old, new)


def _read(args: tuple[str, ...]) -> str:
    if not args:
        raise NotFound("the file that holds the commit message is not named")
    with open(args[0], "rb") as file:
        return file.read().decode("utf-8", "surrogateescape")


def _push(context: Context, repo: Repository, args: tuple[str, ...]) -> Said:
    from memgit.app.hooks import runs as hook_runs

    new = os.environ.get("PRE_COMMIT_TO_REF")
    if new:
        old = os.environ.get("PRE_COMMIT_FROM_REF")
        ref = os.environ.get("PRE_COMMIT_REMOTE_BRANCH", "refs/heads/")
        remote = os.environ.get("PRE_COMMIT_REMOTE_NAME", "origin")
        return hook_runs.check_push(context, repo, remote, [hook_runs.Push(ref, new, old)])
    lines = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    return hook_runs.check_push(context, repo, args[0] if args else "origin", hook_runs.pushed(lines))


def _after(context: Context, repo: Repository, name: str, args: tuple[str, ...], fix: bool) -> Said:
    """What changed the working tree, and between which two commits; in the pre-commit framework its variables
    say so.
    """
    from memgit.app.hooks import after as hook_after
    from memgit.app.hooks.runs import Said

    env = os.environ
    if name == "rebuild":
        name = (
            "post-checkout"
            if "PRE_COMMIT_CHECKOUT_TYPE" in env
            else "post-rewrite"
            if "PRE_COMMIT_REWRITE_COMMAND" in env
            else "post-merge"
        )
        args = {
            "post-checkout": (
                env.get("PRE_COMMIT_FROM_REF", ""),
                env.get("PRE_COMMIT_TO_REF", ""),
                env.get("PRE_COMMIT_CHECKOUT_TYPE", ""),
            ),
            "post-rewrite": (env.get("PRE_COMMIT_REWRITE_COMMAND", ""),),
            "post-merge": (env.get("PRE_COMMIT_IS_SQUASH_MERGE", ""),),
        }[name]
    head = repo.head().commit
    if name == "post-checkout":
        if len(args) < 3 or args[2] != "1" or not args[0].strip("0") or repo.in_progress() is not None:
            return Said()
        return hook_after.after(context, repo, args[0], args[1], "checkout", fix=fix)
    if head is None or (name == "post-merge" and args[:1] == ("1",)):  # a squash moves no commit
        return Said()
    if name == "post-rewrite" and args[:1] == ("amend",):
        return hook_after.after(
            context, repo, next(iter(repo.parents_of(head)), None), head, "amendment", fix=fix
        )
    what = "rebase" if name == "post-rewrite" else "merge"
    return hook_after.after(context, repo, repo.ref("ORIG_HEAD"), head, what, fix=fix)

"""`memgit hook`: what git, or the pre-commit framework, calls in a hook (see githooks(5))."""

from __future__ import annotations

import os
import sys
from time import monotonic

from memgit import TYPE_CHECKING
from memgit.app.hooks import file as shim
from memgit.cli.lean import click
from memgit.errors import MemgitError, NotFound
from memgit.git.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memgit.app.workspace import Context

CHECKING = ("pre-commit", "pre-merge-commit")
"""Hooks that check what is staged: git runs the second in the place of the first where it makes a merge
commit by itself.
"""
NAMES = (*shim.NAMES, "rebuild")
STOPPING = {"pre-commit": "commit", "pre-merge-commit": "merge", "commit-msg": "commit", "pre-push": "push"}
"""Hooks that may stop git, and what they stop. prepare-commit-msg may not: git runs it even where --no-verify
asks for none.
"""
EDITMSG = "COMMIT_EDITMSG"
SILENT_SECONDS = 1.0
"""Seconds after which a push check says that it is at work."""


@click.command("hook")
@click.argument("name", type=click.Choice(NAMES), metavar="NAME")
@click.argument("args", nargs=-1)
@click.option(
    "--only",
    type=click.Choice(("index", "lint")),
    help="Before a commit: only derived files, or only the rules.",
)
@click.option("--fix", is_flag=True, help="After a merge or checkout: write derived files that are wrong.")
@click.pass_context
def command(ctx: click.Context, name: str, args: tuple[str, ...], only: str | None, fix: bool) -> int:
    """Do the work of the git hook NAME. Exits with 1 where git should stop."""
    if os.environ.get("MEMGIT_COMMIT") and not name.startswith("post-"):
        return 0
    try:
        lines, stop = _run(ctx, name, args, only, fix)
    except (MemgitError, OSError) as error:
        lines, stop = [f"{name}: {error}" if name not in STOPPING else str(error)], True
        if isinstance(error, MemgitError) and error.hint and name in STOPPING:
            lines.append(f"  hint: {error.hint}")
    except (ImportError, SyntaxError) as error:  # half upgraded, or half removed
        lines, stop = [f"the {name} hook did nothing, this installation is broken: {error}"], False
    # a fault of memgit's own must not read like one of what is committed
    except Exception as error:
        lines = [f"the {name} hook failed: {type(error).__name__}: {error}"]
        lines += [f"  hint: git {STOPPING[name]} --no-verify goes on without it"] if name in STOPPING else []
        stop = True
    code = 0 if not stop or name not in STOPPING else shim.STOP if shim.SHIM in os.environ else 1
    if shim.FRAMEWORK in os.environ and any("memgit " in line for line in lines):
        from memgit.app.hooks.on_path import framework_only

        path = framework_only(os.environ)
        lines = [*lines, *([f"memgit is not on your PATH: in its place type {path}"] if path else [])]
    for line in lines:
        _say(f"memgit: {line}")
    return code


def _say(line: str) -> None:
    from memgit.cli.output import echo  # mostly there is nothing to say

    echo(line, err=True)


def _run(
    ctx: click.Context, name: str, args: tuple[str, ...], only: str | None, fix: bool
) -> tuple[Sequence[str], bool]:
    """The lines to print, and whether git is to stop."""
    repo = Repository.open(ctx.find_root().obj["folder"], os.environ)
    if repo.worktree is None:
        return (), False
    from memgit.cli.options import context_of

    context = context_of(ctx)
    if name in CHECKING:
        from memgit.app.hooks.check import check_staged

        return check_staged(context, repo, only)
    if name == "prepare-commit-msg":
        _write_message(context, repo, args)
        return (), False
    if name == "commit-msg":
        from memgit.app.hooks.messages import check_message

        wrong = check_message(context, repo, _read(args), args[0])
        return wrong, bool(wrong)
    if name == "pre-push":
        return _push(context, repo, args)
    return _after(repo, name, args, fix), False


def _write_message(context: Context, repo: Repository, args: tuple[str, ...]) -> None:
    from memgit.app.hooks.hook_state import note_written
    from memgit.app.hooks.messages import write_message

    # The pre-commit framework gives the file alone, and the rest in variables.
    source = args[1] if len(args) > 1 else os.environ.get("PRE_COMMIT_COMMIT_MSG_SOURCE", "")
    text = _read(args)
    new = write_message(context, repo, text, source)
    if new != text:
        with open(args[0], "wb") as file:
            file.write(new.encode("utf-8", "surrogateescape"))
    if os.path.basename(args[0]) == EDITMSG:
        note_written(args[0], new if new != text else "")


def _read(args: tuple[str, ...]) -> str:
    if not args:
        raise NotFound("the file that holds the commit message is not named")
    with open(args[0], "rb") as file:
        return file.read().decode("utf-8", "surrogateescape")


def _push(context: Context, repo: Repository, args: tuple[str, ...]) -> tuple[Sequence[str], bool]:
    from memgit.app.hooks.push import check_push, from_framework, pushed

    remote = args[0] if args else os.environ.get("PRE_COMMIT_REMOTE_NAME", "origin")
    if not args and shim.FRAMEWORK in os.environ:
        pushes = [from_framework(repo, os.environ)]
    else:
        pushes = pushed(sys.stdin.buffer.read().decode("utf-8", "surrogateescape"))
    return check_push(context, repo, remote, pushes, _progress())


def _progress() -> Callable[[str], None]:
    """Prints what is being done once a second has passed, on a terminal."""
    start, shown = monotonic(), False

    def tell(words: str) -> None:
        nonlocal shown
        if not shown and monotonic() - start > SILENT_SECONDS and sys.stderr.isatty():
            shown = True
            _say(f"memgit: checking what is pushed ({words}) ...")

    return tell


def _after(repo: Repository, name: str, args: tuple[str, ...], fix: bool) -> Sequence[str]:
    """What changed the working tree, and between which two commits; in the pre-commit framework its variables
    say so.
    """
    from memgit.app.hooks import after as hook_after

    env = os.environ
    if name == "rebuild":
        name = (
            "post-checkout"
            if "PRE_COMMIT_CHECKOUT_TYPE" in env
            else "post-rewrite"
            if "PRE_COMMIT_REWRITE_COMMAND" in env
            else "post-commit"
            if shim.FRAMEWORK in env and "PRE_COMMIT_IS_SQUASH_MERGE" not in env
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
            "post-commit": (),
        }[name]
    head = repo.head().commit
    if name == "post-commit":
        if head is None or repo.in_progress() == "rebase":  # post-rewrite follows
            return ()
        return hook_after.keep_beside(repo, next(iter(repo.parents_of(head)), None), head)
    if name == "post-checkout":
        if len(args) < 3 or args[2] != "1" or not args[0].strip("0"):
            return ()
        if repo.in_progress() is not None:  # no other hook tells of a rebase that only moves forward
            return hook_after.keep_beside(repo, args[0], args[1])
        return hook_after.after(repo, args[0], args[1], "checkout", fix=fix)
    if head is None or (name == "post-merge" and args[:1] == ("1",)):  # a squash moves no commit
        return ()
    if name == "post-rewrite" and args[:1] == ("amend",):
        return hook_after.after(repo, next(iter(repo.parents_of(head)), None), head, "amendment", fix=fix)
    if name == "post-merge":
        head = hook_after.take_in(repo) or head
    what = "rebase" if name == "post-rewrite" else "merge"
    return hook_after.after(repo, repo.ref("ORIG_HEAD"), head, what, fix=fix)

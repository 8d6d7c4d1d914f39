"""What several commands share: opening the workspace, options for body, fields and answers."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import closing
from time import gmtime, localtime, strftime, time

from memgit import TYPE_CHECKING
from memgit.app.workspace import Context, Workspace, open_workspace
from memgit.cli.lean import click
from memgit.errors import BadInput, MemgitError, NotFound, Refused
from memgit.model.kinds import FIELDS, KINDS
from memgit.model.record import Value
from memgit.model.shell import typed_path

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])

FIELD_OPTIONS = (
    "context",
    "source",
    "keywords",
    "topics",
    "tags",
    "summary",
    "files",
    "description",
    "tools_used",
    "related_task",
    "status",
    "deciders",
    "supersedes",
    "superseded_by",
    "impacts",
)
"""The fields of records that `record` and `update` have an option for."""
STDIN_PATIENCE = 2.0
"""Seconds to wait for the first byte of a piped standard input: some callers leave an empty pipe open for
ever.
"""

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
at_option = click.option(
    "--at", "at", metavar="REV", help="Answer as of a commit, branch, tag, day or '2 weeks ago'."
)
reason_option = click.option("--reason", metavar="TEXT", help="Why; it becomes the text of the commit.")
stage_option = click.option("--stage", is_flag=True, help="Stage the change instead of committing it.")
related_option = click.option(
    "--related", multiple=True, metavar="ADDRESS", help="A record to link with, both ways; repeatable."
)
archived_option = click.option("--archived", is_flag=True, help="Count archived records in.")


def address_argument(function: F) -> F:
    """The argument ADDRESS, with completion from the records that are there."""
    return click.argument("address", shell_complete=_complete_address)(function)


def _complete_address(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from memgit.app.read.reader import open_reader

    root = ctx.find_root()
    folder = (
        (root.obj or {}).get("folder") or root.params.get("folder") or os.environ.get("MEMGIT_DIR") or "."
    )
    try:
        with closing(open_workspace(folder, os.environ)) as workspace:
            found = (record.address for record in open_reader(workspace).heads())
            return [address for address in found if address.startswith(incomplete)][:200]
    except MemgitError:
        return []


def _secrets(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Notes for `context_of` what to do with credentials."""
    mode = str(param.name).partition("_")[0]
    if value and ctx.find_root().obj.setdefault("secrets", mode) != mode:
        raise BadInput("--allow-secret and --redact exclude each other")


allow_secret_option = click.option(
    "--allow-secret",
    is_flag=True,
    expose_value=False,
    callback=_secrets,
    help="Write what looks like a credential.",
)
redact_option = click.option(
    "--redact",
    is_flag=True,
    expose_value=False,
    callback=_secrets,
    help="Put a placeholder in the place of a credential.",
)


def _acting(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    """Notes for `context_of` who acts, as the options before the command do."""
    if value:
        ctx.find_root().obj[param.name] = value


def acting_options(function: F) -> F:
    """--actor and --run after the command, where many type them; its help leaves them to that of memgit."""
    for flag in ("--actor", "--run"):
        function = click.option(flag, hidden=True, expose_value=False, callback=_acting)(function)
    return function


def write_options(function: F) -> F:
    """--reason, --stage, --allow-secret, --redact and --json, and who acts."""
    for option in (
        json_option,
        redact_option,
        allow_secret_option,
        stage_option,
        reason_option,
        acting_options,
    ):
        function = option(function)
    return function


def group_options(function: F) -> F:
    """The options that `group_from` reads, and `--topic`: some of the records of a kind."""
    for option in (
        click.option("--topic", metavar="TEXT", help="Only records with this topic, or one under it."),
        click.option("--scope", metavar="PATH", help="Only memories of this scope, and those under it."),
        click.option("--skill", metavar="ID", help="Only experience with this skill."),
        click.option("--category", metavar="NAME", help="Only knowledge of this category."),
    ):
        function = option(function)
    return function


def timeout_option(seconds: float, what: str) -> Callable[[F], F]:
    """`--timeout`, in seconds, of what goes over the network."""
    return click.option(
        "--timeout",
        type=click.FloatRange(0, min_open=True),
        default=seconds,
        show_default=True,
        metavar="S",
        help=f"Seconds that {what} may take.",
    )


def body_options(function: F) -> F:
    """-m and -F, in the manner of git commit."""
    function = click.option(
        "-F", "--file", "body_file", metavar="FILE", help="Take the body from a file; - is standard input."
    )(function)
    return click.option(
        "-m", "--message", "body", metavar="TEXT", multiple=True, help="The body; several become paragraphs."
    )(function)


SHORT = {
    "keywords": "--keyword",
    "topics": "--topic",
    "tags": "--tag",
    "files": "--key-file",
    "tools_used": "--tool",
    "deciders": "--decider",
    "impacts": "--impact",
}


def field_options(*names: str) -> Callable[[F], F]:
    """One option a field; list fields are repeatable and take commas. The help names the kinds that have it."""

    def add(function: F) -> F:
        for name in reversed(names):
            field = FIELDS[name]
            flags = [f"--{name.replace('_', '-')}"] + ([SHORT[name]] if name in SHORT else [])
            text = field.help[0].upper() + field.help[1:]
            kinds = [kind.name for kind in KINDS.values() if name in kind.fields]
            of = f" [{', '.join(kinds)}]" if len(kinds) < len(KINDS) - 1 else ""
            if field.many:
                function = click.option(
                    *flags,
                    f"field_{name}",
                    multiple=True,
                    metavar="TEXT",
                    help=f"{text}; repeat or use commas.{of}",
                )(function)
            else:
                function = click.option(*flags, f"field_{name}", metavar="TEXT", help=f"{text}.{of}")(
                    function
                )
        return function

    return add


def fields_from(options: Mapping[str, Any]) -> dict[str, Value]:
    """The fields that options gave; an empty text empties the field."""
    out: dict[str, Value] = {}
    for option, value in options.items():
        if not option.startswith("field_") or value is None or value == ():
            continue
        name = option.removeprefix("field_")
        if FIELDS[name].many:
            parts = [
                part.strip()
                for text in value
                for part in ([text] if name in ("files", "impacts") else text.split(","))
            ]
            out[name] = tuple(dict.fromkeys(part for part in parts if part))
        else:
            out[name] = clean(value, f"--{name.replace('_', '-')}")
    return out


GROUPS = {"category": "knowledge", "skill": "experience", "scope": "memory"}
"""The options that name a group of records, with the kind that has such groups."""


def group_from(options: Mapping[str, Any], kinds: list[str]) -> tuple[list[str], str | None]:
    """The kinds asked for, and the group of --category, --skill or --scope.

    Raises:
        BadInput: a group of another kind than those asked for.
    """
    group = None
    for option, kind in GROUPS.items():
        if options[option] is None:
            continue
        if kinds and kinds != [kind]:
            hint = f"leave --{option} out, or what names {' and '.join(kinds)}"
            raise BadInput(f"--{option} is for records of kind {kind} alone", hint=hint)
        kinds, group = [kind], options[option]
    return kinds, group


def is_utf8(text: str) -> bool:
    """Whether a text of the command line, or of JSON, can be written as UTF-8: it holds no half of a
    surrogate pair.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def clean(text: str, what: str) -> str:
    """An argument as text of one line.

    Raises:
        BadInput: it is not UTF-8.
    """
    if not is_utf8(text):
        raise BadInput(f"{what} is not UTF-8")
    return " ".join(text.split("\n")).strip() if "\n" in text else text.strip()


def context_of(ctx: click.Context) -> Context:
    """Who acts, when and why."""
    settings = ctx.find_root().obj
    now = time()
    return Context(
        today=strftime("%Y-%m-%d", localtime(now)),
        now=strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(now)),
        env=os.environ,
        actor=settings["actor"],
        run=settings["run"],
        secrets=settings.get("secrets", "refuse"),
        reason=ctx.params.get("reason"),
        stage=ctx.params.get("stage", False),
    )


def root_folder(ctx: click.Context) -> str:
    """The folder whose knowledge root is meant: that of -C, else that of MEMGIT_DIR, else the current one."""
    folder: str = ctx.find_root().obj["folder"]
    return folder if folder != "." else os.environ.get("MEMGIT_DIR") or "."


def workspace_of(ctx: click.Context, *, lenient: bool = False) -> Workspace:
    """The knowledge root that -C, MEMGIT_DIR or the current directory lies in; for `lenient` see `open_workspace`."""
    proposal = ctx.find_root().obj.get("proposal")  # goes by the configuration of its branch
    workspace = open_workspace(root_folder(ctx), os.environ, lenient=lenient or proposal is not None)
    if ctx.find_root().obj.get("closing", True):
        ctx.find_root().call_on_close(workspace.close)
    if workspace.repo is None and (damage := workspace.damage) is not None:
        ctx.find_root().call_on_close(lambda: _tell(str(damage), damage.hint))
    if proposal is not None:
        workspace.propose(proposal)
    if workspace.config.log or workspace.config.indexes == "local":
        ctx.find_root().call_on_close(lambda: _keep(workspace))
    for note in (*workspace.mend(), *_finish(workspace)):
        click.echo(f"memgit: {note}", err=True)
    return workspace


def _keep(workspace: Workspace) -> None:
    """Brings what is kept beside the commits up to date at the end of a command, which does not fail for it."""
    from memgit.app.derived.local import keep

    for line in keep(workspace).failed:
        click.echo(f"memgit: {line}", err=True)


def _tell(note: str, hint: str | None) -> None:
    """A note on standard error at the end of a command that did not fail: an error says what is wrong by itself."""
    if sys.exc_info()[0] is None:
        click.echo(f"memgit: {note}", err=True)
        if hint:
            click.echo(f"  hint: {hint}", err=True)


def _finish(workspace: Workspace) -> tuple[str, ...]:
    """Ends a merge that a killed sync left under way; what was done, in words."""
    if workspace.repo is None or not os.path.exists(f"{workspace.repo.git_dir}/memgit/merging"):
        return ()
    from memgit.app.merge.into_head import finish

    return finish(workspace)


def typed(ctx: click.Context, path: str) -> str:
    """A path as it was typed, from the folder that -C names; `-` stays."""
    return path if path == "-" else os.path.join(ctx.find_root().obj["folder"], path)


def read_body(
    ctx: click.Context, body: tuple[str, ...], body_file: str | None, *, use_stdin: bool = True
) -> str | None:
    """The body from -m, -F or a piped standard input; None where none was given.

    Raises:
        BadInput: both -m and -F, or bytes that are no UTF-8.
        NotFound: no such file.
    """
    if body and body_file is not None:
        raise BadInput("-m and -F exclude each other")
    if body:
        text = "\n\n".join(body)
        if not is_utf8(text):
            raise BadInput("-m is not UTF-8")
        return text
    if body_file == "-":
        return _decoded(sys.stdin.buffer.read(), "standard input")
    if body_file is not None:
        try:
            with open(typed(ctx, body_file), "rb") as file:
                return _decoded(file.read(), body_file)
        except FileNotFoundError:
            raise NotFound(
                f"{body_file}: no such file", hint="-F takes a text file, or - for standard input"
            ) from None
        except IsADirectoryError:
            raise BadInput(
                f"{body_file} is a folder, not a file",
                hint=f"-F takes one text file; memgit ingest {typed_path(body_file)} takes a folder",
            ) from None
        except OSError as error:
            raise Refused(f"{body_file}: {error.strerror}") from error
    if use_stdin and piped():
        text = _decoded(sys.stdin.buffer.read(), "standard input")
        return text or None
    return None


def piped() -> bool:
    """Whether standard input is a file, or a pipe that something was written to (or that was closed)."""
    if sys.stdin is None or sys.stdin.closed:
        return False
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError):
        return False
    if stat.S_ISREG(mode):
        return True
    if not stat.S_ISFIFO(mode):
        return False
    import select

    ready, _, _ = select.select([sys.stdin], [], [], STDIN_PATIENCE)
    return bool(ready)


def _decoded(data: bytes, what: str) -> str:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise BadInput(
            f"{what} is not UTF-8 (byte {error.start})", line=line, hint="convert it with iconv -t utf-8"
        ) from None

"""`memgit record`."""

from __future__ import annotations

import json

from memgit import TYPE_CHECKING
from memgit.app.read.reader import kinds_of
from memgit.app.write.record import MODES, Request, record
from memgit.cli.lean import click
from memgit.cli.options import (
    FIELD_OPTIONS,
    body_options,
    clean,
    context_of,
    field_options,
    fields_from,
    is_utf8,
    read_body,
    related_option,
    workspace_of,
    write_options,
)
from memgit.cli.output import echo, emit_json, error_json, print_written
from memgit.cli.terminal import on_terminal
from memgit.errors import BadInput, MemgitError
from memgit.model.kinds import FIELDS, GROUPS, KINDS
from memgit.model.record import Value

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memgit.app.workspace import Context, Workspace
    from memgit.app.write.batch import Batch
    from memgit.app.write.similar import Close


@click.command("record")
@click.argument("kind", required=False)
@click.argument("title", required=False)
@body_options
@click.option(
    "--category",
    metavar="NAME",
    help="Category of knowledge; by default the one that its keywords match, else general.",
)
@click.option("--category-name", metavar="TEXT", help="Display name of a new category.")
@click.option("--category-keywords", metavar="TEXT", help="Keywords of a new category, with commas.")
@click.option("--skill", metavar="ID", help="Skill that an experience belongs to.")
@click.option("--scope", metavar="PATH", help="Scope of a memory.")
@click.option("--folder", metavar="PATH", help="Folder of a note.")
@click.option("--slug", metavar="NAME", help="File name of a document, without .md.")
@click.option("--date", metavar="DATE", help="Day of recording: 2026-03-01 or yesterday; by default today.")
@field_options(*FIELD_OPTIONS)
@related_option
@click.option(
    "--derived-from", multiple=True, metavar="ADDRESS", help="A record that this one grew out of; repeatable."
)
@click.option(
    "--similar",
    "similar_",
    type=click.Choice(MODES),
    help="What to do when a close record exists; by default ask on a terminal, create elsewhere.",
)
@click.option(
    "--template",
    metavar="NAME",
    help="Start the text with a template: decision, madr, or templates/NAME.md of the knowledge root.",
)
@click.option("--upsert", is_flag=True, help="Update the record that has this address already.")
@click.option("--batch", metavar="FILE", help="Record every line of a JSON-lines file; - is standard input.")
@click.option(
    "--one-commit/--each",
    "one_commit",
    default=True,
    help="For --batch: one commit for all (default), or one for each.",
)
@click.option(
    "--keep-going",
    is_flag=True,
    help="For --batch: record the lines that can be recorded, name the others, and exit with 1.",
)
@write_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int:
    """Record a new piece of knowledge: KIND is knowledge, experience, skill, memory, observation, decision or
    note.

    The body comes from -m, -F, standard input, or an editor on a terminal.

    Examples:

    \b
      memgit record knowledge 'Drain before a roll' --category ops --keywords queue,roll -m 'Stop the queue first.'
      memgit record decision 'Use SQLite' --status accepted --template madr -F decision.md
      memgit record --batch learned.jsonl --each
    """
    if options["batch"] is not None:
        if options["kind"] is not None:
            raise BadInput("--batch takes kind and title from the file")
        return _batch(ctx, options)
    if not options["kind"] or not options["title"]:
        raise BadInput(
            "record needs a KIND and a TITLE",
            hint=f"memgit record knowledge 'What was learned' (kinds: {', '.join(KINDS)})",
        )
    request = _request(options)
    workspace = workspace_of(ctx)
    context = context_of(ctx)
    body = _body(ctx, workspace, context, request, options)
    choose = _choose if on_terminal() else None
    mode = options["similar_"] or ("ask" if choose is not None and not options["upsert"] else "create")
    done = record(
        workspace,
        context,
        request._replace(body=body, similar=mode),
        choose=choose,
    )
    print_written(done, options["as_json"])
    return 0


def _body(
    ctx: click.Context, workspace: Workspace, context: Context, request: Request, options: dict[str, Any]
) -> str:
    """The text of a record: given, or from the editor, which starts with a template where there is one."""
    name = options["template"]
    if name is not None and (options["body"] or options["body_file"] is not None):
        raise BadInput("--template and a body exclude each other", hint="memgit update fills the template in")
    body = None if name is not None else read_body(ctx, options["body"], options["body_file"])
    if body is not None:
        return body
    from memgit.cli.editor import edited_body

    if name is None and request.kind == "decision" and on_terminal():
        name = "decision"
    text = ""
    if name is not None:
        from memgit.app.read.templates import template

        text = template(workspace, name, request.title, request.date or context.today)
    edited = edited_body(workspace, f"{request.kind}: {request.title}", text)
    return text if edited is None else edited


def _request(options: dict[str, Any]) -> Request:
    kind_text, _, key_text = str(options["kind"]).partition("/")
    kind = kinds_of(kind_text) or kind_text
    for other, option in GROUPS.items():
        if options[option] is not None and other != kind:
            raise BadInput(f"--{option} belongs to records of kind {other}")
    key = options[GROUPS[kind]] if kind in GROUPS else None
    category: dict[str, Value] = {}
    if options["category_name"]:
        category["name"] = clean(options["category_name"], "--category-name")
    if options["category_keywords"]:
        category["keywords"] = tuple(
            word.strip() for word in options["category_keywords"].split(",") if word.strip()
        )
    return Request(
        kind,
        clean(options["title"], "the title"),
        fields=fields_from(options),
        key=clean(key or key_text, "the key") or None,
        slug=options["slug"],
        related=options["related"],
        derived_from=options["derived_from"],
        upsert=options["upsert"],
        date=options["date"],
        category=category,
    )


def _choose(request: Request, found: Sequence[Close]) -> tuple[str, Close | None]:
    """Asks what to do about close records; the highest overlap gives the default."""
    from click import Choice, IntRange, prompt  # the stand-in for click asks nothing

    echo(f"close to {request.title!r}:")
    for number, close in enumerate(found, 1):
        echo(f"  {number}. {close.record.address} ({close.share:.0%} alike, {close.advice})")
    mode = prompt(
        "update, extend or create", type=Choice(["update", "extend", "create"]), default=found[0].advice
    )
    if mode == "create":
        return "create", None
    number = prompt("which", type=IntRange(1, len(found)), default=1) if len(found) > 1 else 1
    return mode, found[number - 1]


def _batch(ctx: click.Context, options: dict[str, Any]) -> int:
    from memgit.app.write.batch import Batch, record_each, record_many

    name, keep_going = options["batch"], options["keep_going"]
    if options["stage"] and not options["one_commit"]:
        raise BadInput("--each makes commits: it cannot stage", hint="leave --each out")
    requests, wrong = _lines(read_body(ctx, (), name, use_stdin=False) or "", options)
    if not requests and not wrong:
        raise BadInput("there is no record in it", path=name)
    if wrong and not keep_going:
        raise wrong[0]
    workspace, context = workspace_of(ctx), context_of(ctx)
    if options["one_commit"]:
        what = context.reason or ("standard input" if name == "-" else name.rpartition("/")[2])
        done = record_many(workspace, context, requests, what, keep_going=keep_going)
    else:
        done = record_each(workspace, context, requests, keep_going=keep_going)
    failed = sorted((*wrong, *done.failed), key=lambda error: error.line or 0)
    _print_batch(Batch(done.written, tuple(failed)), options)
    return 1 if failed else 0


def _lines(text: str, options: dict[str, Any]) -> tuple[list[Request], list[MemgitError]]:
    """The requests of a batch, and what is wrong with the lines that are none."""
    requests: list[Request] = []
    wrong: list[MemgitError] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                requests.append(
                    from_json(
                        line, number, options["batch"], options["similar_"] or "create", options["upsert"]
                    )
                )
            except BadInput as error:
                wrong.append(error)
    return requests, wrong


def _print_batch(done: Batch, options: dict[str, Any]) -> None:
    for error in done.failed:
        echo(f"memgit: not recorded: {error}", err=True)
        if error.hint:
            echo(f"  hint: {error.hint}", err=True)
    if options["as_json"] and options["keep_going"]:
        written = [one.as_json() for one in done.written]
        emit_json({"written": written, "failed": [error_json(error) for error in done.failed]})
    elif options["as_json"] and not options["one_commit"]:
        emit_json([one.as_json() for one in done.written])
    else:
        for one in done.written:
            print_written(one, options["as_json"])


def from_json(line: str, number: int, path: str, mode: str, upsert: bool) -> Request:
    """A request from one line of a batch: `{kind, title, body, category|skill|scope|folder, slug, date,
    related, derived_from, …}`.

    Raises:
        BadInput: the line is no such object; file and line are named.
    """
    try:
        given = json.loads(line)
    except ValueError as error:
        raise BadInput(f"no JSON: {error}", path=path, line=number) from None
    except RecursionError:
        raise BadInput("nested too deeply", path=path, line=number) from None
    if (
        not isinstance(given, dict)
        or not isinstance(given.get("kind"), str)
        or not isinstance(given.get("title"), str)
    ):
        raise BadInput("each line is an object with kind and title", path=path, line=number)
    try:
        kind = kinds_of(given.pop("kind")) or ""
    except BadInput as error:
        raise BadInput(error.message, path=path, line=number, hint=error.hint) from None
    title, body = given.pop("title"), given.pop("body", None) or ""
    given.update(given.pop("fields", None) or {})
    key = given.pop(GROUPS.get(kind, "category"), None)
    lists = {name: _texts(given.pop(name, None), path, number, name) for name in ("related", "derived_from")}
    slug, date = given.pop("slug", None), given.pop("date", None)
    category = {
        name.removeprefix("category_"): given.pop(name)
        for name in ("category_name", "category_keywords")
        if given.get(name)
    }
    fields: dict[str, Value] = {}
    for name, value in given.items():
        if name not in FIELDS:
            raise BadInput(
                f"no field is called {name!r}",
                path=path,
                line=number,
                hint=f"a {kind} has {', '.join(KINDS[kind].fields)}",
            )
        fields[name] = (
            _texts(value, path, number, name) if FIELDS[name].many else None if value is None else str(value)
        )
    for what, value in (("title", title), ("body", body), ("key", key), ("slug", slug), ("date", date)):
        if value is not None and (not isinstance(value, str) or not is_utf8(value)):
            raise BadInput(f"{what} must be a text", path=path, line=number)
    meta = {
        name: _texts(value, path, number, name) if name == "keywords" else str(value)
        for name, value in category.items()
    }
    return Request(
        kind,
        title,
        body.replace("\r\n", "\n"),
        fields,
        key,
        slug,
        lists["related"],
        lists["derived_from"],
        mode,
        upsert,
        date,
        meta,
        origin=(path, number),
    )


def _texts(value: Any, path: str, number: int, name: str) -> tuple[str, ...]:
    if value is None:
        return ()
    items = [part.strip() for part in value.split(",")] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, (str, int, float)) for item in items):
        raise BadInput(f"{name} must be a list of texts", path=path, line=number)
    return tuple(str(item) for item in items if str(item))

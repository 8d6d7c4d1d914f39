"""`memgit ingest`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from memgit.app.ingest.ingest import Done, Ingested, agreed, carry, dry, fitting, rehearsed, report, verdicts
from memgit.app.ingest.proposal import Wishes, maps, own_records, propose
from memgit.app.ingest.source import Reading, Source, read
from memgit.app.read.reader import kinds_of
from memgit.app.workspace import Context, Workspace
from memgit.cli.options import clean, context_of, typed, workspace_of, write_options
from memgit.cli.output import echo, emit_json, faint, heading, print_notes
from memgit.cli.progress import progress_line
from memgit.cli.terminal import on_terminal
from memgit.errors import BadInput, Refused
from memgit.formats.text import MAX_BYTES
from memgit.ingest.content import FileMap, map_json
from memgit.ingest.planfile import dump, load
from memgit.ingest.proposal import UNCHANGED, Item, Proposal

GROUPS = {"category": "knowledge", "scope": "memory", "folder": "note"}
"""Options that say where new records go, with the kind that each belongs to."""
MOST_UNREAD = 10
"""So many files whose frontmatter cannot be read are named."""
LEFT_OUT = (
    "the lines above say why: fix that and ingest it again, or decide yourself on a terminal or in a plan "
    "(--plan FILE)"
)
DRY = "nothing was written: leave --dry-run out to do this"
NOTHING = (
    "nothing was written: --yes takes these proposals, --plan FILE writes them down to be edited, a "
    "terminal asks one by one"
)


@click.command("ingest")
@click.argument("sources", nargs=-1, metavar="SOURCE...")
@click.option("--map", "map_", is_flag=True, help="Print the content map as JSON and stop.")
@click.option("--plan", metavar="FILE", help="Write the proposal as YAML to be edited; - is standard output.")
@click.option(
    "--apply", "apply_", metavar="FILE", help="Carry out a plan exactly as it is; - is standard input."
)
@click.option(
    "--yes",
    is_flag=True,
    help="Take the proposals without asking; what needs a decision is skipped and named.",
)
@click.option("--dry-run", is_flag=True, help="Print what --yes or --apply would do and stop.")
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Take whole documents, not the ten best parts of each, and folders of more than 200 files.",
)
@click.option(
    "--kind",
    metavar="KIND",
    help="Kind of the new records; by default knowledge, where the workspace has it.",
)
@click.option("--category", metavar="NAME", help="Category of new knowledge; by default by topic.")
@click.option("--scope", metavar="PATH", help="Scope of new memories.")
@click.option("--folder", metavar="PATH", help="Folder of new notes.")
@click.option("--allow-private", is_flag=True, help="Let a URL lead to a private or loopback address.")
@click.option(
    "--timeout", type=click.FloatRange(min=0.1), metavar="SECONDS", help="Give a URL so long; 30 by default."
)
@click.option(
    "--max-bytes",
    type=click.IntRange(min=1),
    metavar="N",
    help="Take so much from a URL at most; 5000000 by default.",
)
@write_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int:
    """Take knowledge out of each SOURCE (a file, a folder, a URL, or - for standard input) into records, in
    one commit.

    A source is cut into segments, each is compared with the records that are there, and for the best of them
    a record is proposed: a new one, an update or an extension. On a terminal they are asked about one by one.
    Without one, nothing is written unless --yes or --apply says so. Where one SOURCE cannot be taken, nothing
    is written; where something stands in the way of a part, the rest is, and the exit code is 1.

    Examples:

    \b
      memgit ingest docs/runbook.md
      memgit ingest https://example.org/post --plan plan.yaml
      memgit ingest --apply plan.yaml
    """
    ways = [name for name in ("map_", "plan", "apply_", "yes") if options[name]]
    if len(ways) > 1:
        raise BadInput(f"{' and '.join('--' + way.rstrip('_') for way in ways)} exclude each other")
    workspace, context = workspace_of(ctx), context_of(ctx)
    workspace.writable()
    if options["apply_"] is not None:
        return _apply(ctx, workspace, context, options)
    if not options["sources"]:
        raise BadInput("ingest needs a SOURCE", hint="a file, a folder, a URL, or - for standard input")
    wishes = wishes_of(options, context)
    web = {name: options[name] for name in ("timeout", "max_bytes") if options[name] is not None}
    reading = Reading(
        ctx.find_root().obj["folder"],
        os.environ,
        options["everything"],
        options["allow_private"],
        stdin,
        web,
    )
    sources = [read(workspace, name, reading) for name in options["sources"]]
    return taken(ctx, workspace, context, sources, wishes, options)


def taken(
    ctx: click.Context,
    workspace: Workspace,
    context: Context,
    sources: list[Source],
    wishes: Wishes,
    options: dict[str, Any],
) -> int:
    """What becomes of sources that were read: mapped, planned, foretold, written or asked about; the exit code."""
    print_notes(dict.fromkeys(note for source in sources for note in source.notes))
    if options["map_"]:
        mapped = maps(sources)
        _unread([file for _, file in mapped if file.fault is not None])
        kind = sources[0].kind if len(sources) == 1 else "several"
        path = ", ".join(source.path for source in sources)
        skipped = [(one.path, one.reason) for source in sources for one in source.skipped]
        emit_json(map_json(kind, path, [file for _, file in mapped], skipped))
        return 0
    with progress_line() as progress:
        proposal = propose(workspace, sources, wishes, progress)
    _unread(proposal.faults)
    _hint(sources, wishes)
    if options["plan"] is not None:
        _write_plan(ctx, proposal, options)
    elif options["yes"] and not options["dry_run"]:
        return _print(
            carry(
                workspace,
                context,
                agreed(proposal),
                strict=False,
                whole=True,
            ),
            options,
        )
    elif options["dry_run"]:
        return _foretell(rehearsed(workspace, context, agreed(proposal), strict=False), options)
    elif options["as_json"] or not on_terminal():
        _show(proposal, options, dry(proposal))
    else:
        from memgit.cli.ingest_ask import ask

        chosen = ask(proposal, workspace)
        return _print(
            carry(workspace, context, chosen, strict=False),
            options,
        )
    return 0


def _unread(files: Sequence[FileMap]) -> None:
    """Names the files whose frontmatter cannot be read: what it says is not in the records, but for a title
    that can be made out.
    """
    faults = [(file, *file.fault) for file in files if file.fault is not None]
    for file, line, message in faults[:MOST_UNREAD]:
        path = "standard input" if file.path == "-" else file.path
        taken = (
            "it is taken as text"
            if not any(one.reason == "frontmatter" for one in file.dropped)
            else f'the title is "{file.title}"'
        )
        echo(f"memgit: {path}:{line}: the frontmatter cannot be read ({message}): {taken}", err=True)
    if len(faults) > MOST_UNREAD:
        echo(f"memgit: and {len(faults) - MOST_UNREAD} more files whose frontmatter cannot be read", err=True)


def wishes_of(options: dict[str, Any], context: Context) -> Wishes:
    kind = kinds_of(options["kind"])
    group = None
    for option, of_kind in GROUPS.items():
        if options[option] is not None:
            if (kind or of_kind) != of_kind:
                raise BadInput(f"--{option} belongs to records of kind {of_kind}")
            kind, group = of_kind, clean(options[option], f"--{option}")
    if kind is not None and kind not in GROUPS.values():
        raise BadInput(f"ingest makes no records of kind {kind}", hint=f"one of {', '.join(GROUPS.values())}")
    return Wishes(kind, group, context.secrets, options["everything"])


def stdin() -> bytes:
    """Standard input, so much of it that what is too long is seen to be."""
    return sys.stdin.buffer.read(MAX_BYTES + 1)


def _hint(sources: Sequence[Source], wishes: Wishes) -> None:
    own = own_records(sources)
    if own:
        echo(
            f"memgit: {len(own)} files are records already and were left out, such as {own[0].path}", err=True
        )
    elif wishes.kind == "note":
        echo(
            "memgit: to keep whole files as notes, memgit adopt takes them over in place",
            err=True,
        )


def _apply(ctx: click.Context, workspace: Workspace, context: Context, options: dict[str, Any]) -> int:
    if options["sources"]:
        raise BadInput("--apply takes the sources from the plan", hint="memgit ingest --apply FILE")
    name = options["apply_"]
    try:
        if name == "-":
            data = stdin()
        else:
            with open(typed(ctx, name), "rb") as file:
                data = file.read()
    except OSError as error:
        raise BadInput(f"{name}: {error.strerror}") from None
    proposal = fitting(workspace, load(data, name))
    if options["dry_run"]:
        return _foretell(rehearsed(workspace, context, proposal, strict=True), options)
    return _print(
        carry(workspace, context, proposal, strict=True),
        options,
    )


def _write_plan(ctx: click.Context, proposal: Proposal, options: dict[str, Any]) -> None:
    name = options["plan"]
    text = dump(proposal)
    if name == "-":
        click.echo(text, nl=False)
        return
    try:
        with open(typed(ctx, name), "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise BadInput(f"{name} is there already", hint="name another file, or delete it") from None
    except OSError as error:
        raise Refused(f"{name}: {error.strerror}") from error
    count = sum(item.acts for item in proposal.items)
    if options["as_json"]:
        emit_json({"plan": name, "proposed": count, **proposal.as_json()})
        return
    echo(f"{count} proposal{'' if count == 1 else 's'} in {name}: edit it, then memgit ingest --apply {name}")


def _foretell(answer: Ingested, options: dict[str, Any]) -> int:
    """What a run would do, and the exit code that it would have."""
    _notes(answer)
    _show(answer.proposal, options, answer.done)
    return 1 if answer.left_out else 0


def _notes(answer: Ingested) -> None:
    print_notes(answer.written.notes)
    if answer.left_out:
        echo(f"memgit: left out {answer.left_out}: {LEFT_OUT}", err=True)


def _show(proposal: Proposal, options: dict[str, Any], done: Sequence[Done]) -> None:
    """Prints a proposal and what would become of it; nothing is written."""
    if options["as_json"]:
        emit_json(
            {
                "op": "ingest",
                "action": "proposed",
                "commit": None,
                **proposal.as_json(),
                **report(proposal, done),
            }
        )
        return
    for item in proposal.items:
        if item.action != UNCHANGED:
            echo(line_of(item))
    for path, words, _ in verdicts(proposal, done):
        if words.startswith(("skipped", "unchanged")):
            verdict, colon, why = words.partition(":")
            click.echo(f"{faint(verdict)} {heading(_line(path))}{faint(colon + why)}")
    _left(proposal)
    if any(item.acts for item in proposal.items):
        echo(f"memgit: {DRY if options['dry_run'] else NOTHING}", err=True)
    else:
        echo("nothing to write")


def line_of(item: Item) -> str:
    """One proposal on one line."""
    where = (
        f" -> {item.into}" if item.into else f" {item.kind}/{item.group}" if item.group else f" {item.kind}"
    )
    share = f" {item.overlap:.0%}" if item.candidates else ""
    why = (
        f"; {item.reason}"
        if item.reason
        else "; --yes extends what others wrote"
        if item.foreign and item.action == "update"
        else ""
    )
    tokens = f", {item.tokens} tokens" if item.tokens else ""  # a plan does not say how many
    return f"{item.segment} {item.action}{share}{where}: {item.title} ({item.path}:{item.lines}{tokens}{why})"


def _print(answer: Ingested, options: dict[str, Any]) -> int:
    """The answer: a verdict for every file, then what was committed.

    The exit code, 1 where something stood in the way of a part.
    """
    _notes(answer)
    if options["as_json"]:
        emit_json(answer.as_json())
    else:
        _tell(answer)
    return 1 if answer.left_out else 0


def _tell(answer: Ingested) -> None:
    for path, words, _ in answer.files():
        click.echo(f"{heading(_line(path))} {faint(words)}")
    for one in answer.done:
        if one.verdict in ("created", "updated", "extended"):
            echo(f"  {one.verdict} {one.address}")
        elif one.stopped:
            echo(f"  skipped {one.item.path}:{one.item.lines} {one.item.title}: {one.reason}")
    _left(answer.proposal)
    done = answer.written
    if done.commit is None and not done.staged:
        echo("nothing to write")
        return
    counts = ", ".join(
        f"{count} {verdict}"
        for verdict in ("created", "updated", "extended")
        if (count := sum(one.verdict == verdict for one in answer.done))
    )
    where = "staged" if done.staged else (done.commit or "")[:10]
    click.echo(f"ingested {heading(answer.proposal.what)}: {counts} {faint(f'[{where}]')}")


def _line(path: str) -> str:
    """A path on one line."""
    return path.replace("\n", "\\n")


def _left(proposal: Proposal) -> None:
    for address in proposal.left:
        echo(f"memgit: {address} came from a part of its source that is gone; it stays as it is", err=True)

"""The tools of `memgit mcp`: each is one row of `TOOLS`, a function over one use case."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from typing import Any

from memgit.app.ingest.ingest import carry, fitting, report
from memgit.app.ingest.proposal import Wishes
from memgit.app.ingest.proposal import propose as proposal_of
from memgit.app.ingest.source import Reading, read
from memgit.app.read import log as activity
from memgit.app.read.context import DEFAULT_TOKENS, context
from memgit.app.read.reader import kinds_of, open_reader
from memgit.app.read.recall import recall
from memgit.app.read.record_json import record_json
from memgit.app.read.search import as_json as found_json
from memgit.app.read.search import search
from memgit.app.read.show import show
from memgit.app.review.review import Request as Review
from memgit.app.review.review import review
from memgit.app.write.archive import archive, restore
from memgit.app.write.linking.link import link
from memgit.app.write.promote import promote
from memgit.app.write.record import MODES, Request, record
from memgit.app.write.session import OperationResult
from memgit.app.write.update import extend, update
from memgit.cache.search import Query
from memgit.errors import BadInput
from memgit.ingest.planfile import dump, load
from memgit.mcp.desk import (
    COUNT,
    LIST,
    MAYBE_TEXT,
    OBJECT,
    RECORD,
    YES,
    Desk,
    Tool,
    choice,
    flag,
    number,
    text,
    texts,
)
from memgit.model.kinds import FIELDS, GROUPS, KINDS
from memgit.model.record import Value
from memgit.model.when import day
from memgit.review.reports.formats import render

Args = Mapping[str, Any]
Answer = dict[str, Any]

NOTHING = "Nothing new that is recorded calls for attention here."
ADDRESS = text("Address, unique ending of one, id or [[wikilink]], as other tools return it.")
KIND = choice(tuple(KINDS), "Kind of record.")
AT = text("Answer as of this commit, branch, tag, day or '2 weeks ago'.")
REASON = text("Why; becomes the text of the commit.")
WRITTEN: Mapping[str, Mapping[str, Any]] = {
    "action": text(),
    "record": RECORD,
    "commit": MAYBE_TEXT,
    "changes": LIST,
}
FIELD_HELP = "Other fields by name: " + ", ".join(
    name
    for name in FIELDS
    if name
    in {field for kind in KINDS.values() for field in kind.fields} - {"related", "derived_from", "keywords"}
)


def _context(desk: Desk, args: Args) -> Answer:
    found = context(desk.workspace, max_tokens=args.get("max_tokens", DEFAULT_TOKENS), at=args.get("at"))
    return {"text": found.as_text(), **found.as_json()}


def _recall(desk: Desk, args: Args) -> Answer:
    found = recall(
        desk.workspace,
        desk.context(),
        args.get("text", ""),
        session=args.get("session") or desk.caller.run or None,
        skills=args.get("skills", ()),
        again=args.get("again", False),
        max_tokens=args.get("max_tokens"),
    )
    return {"text": found.as_text() or NOTHING, **found.as_json()}


def _search(desk: Desk, args: Args) -> Answer:
    now = int(time.time())
    since, until = args.get("since"), args.get("until")
    query = Query(
        args["query"],
        (args["kind"],) if args.get("kind") else (),
        args.get("group"),
        args.get("topic"),
        since and day(since, now),
        until and day(until, now, first=False),
        None if args.get("archived") else False,
        args.get("limit", 10),
    )
    return found_json(search(desk.workspace, query, at=args.get("at"), tag=args.get("tag")))


def _show(desk: Desk, args: Args) -> Answer:
    found, reader = show(desk.workspace, args["address"], args.get("at"))
    return {**record_json(found), "revision": reader.revision, "fresh": reader.fresh}


def _history(desk: Desk, args: Args) -> Answer:
    workspace = desk.workspace
    found = open_reader(workspace).find(args["address"])
    entries = activity.entries(workspace, cache=workspace.cache, record=found, limit=args.get("limit", 20))
    return {
        "address": found.address,
        "events": json.loads("".join(activity.as_json(entries)) or "[]"),
        "incomplete": activity.incomplete(workspace.require_repository()),
    }


def fields_of(args: Args) -> dict[str, Value]:
    """The canonical fields of a call: `fields` and the lists that stand beside it.

    Raises:
        BadInput: no such field, or a list where a text belongs.
    """
    out: dict[str, Value] = {}
    given = {**(args.get("fields") or {}), **({"keywords": args["keywords"]} if "keywords" in args else {})}
    for name, value in given.items():
        if name not in FIELDS:
            raise BadInput(f"no field is called {name!r}", hint=FIELD_HELP)
        if FIELDS[name].many:
            out[name] = tuple(map(str, value)) if isinstance(value, list) else (str(value),)
        elif isinstance(value, (list, dict)):
            raise BadInput(f"{name} is one text")
        else:
            out[name] = " ".join(str(value).split())
    return out


def request_of(args: Args, kind: str) -> Request:
    """What `record` is asked to do.

    Raises:
        BadInput: a field that does not exist, or a group of another kind.
    """
    for other, name in GROUPS.items():
        if args.get(name) and other != kind:
            raise BadInput(f"{name} belongs to records of kind {other}")
    return Request(
        kind,
        args["title"],
        args.get("body", ""),
        fields_of(args),
        args.get(GROUPS.get(kind, "")),
        args.get("slug"),
        tuple(args.get("related", ())),
        tuple(args.get("derived_from", ())),
        args.get("similar", "create"),
        args.get("upsert", False),
        args.get("date"),
    )


def written(done: OperationResult, **more: Any) -> Answer:
    """The answer of a write, without the text that the caller has already."""
    answer = done.as_json()
    if answer["record"] is not None:
        answer["record"].pop("body")
    return {**answer, "notes": list(done.notes), **more}


def _record(desk: Desk, args: Args) -> Answer:
    request = request_of(args, kinds_of(args["kind"]) or "")
    with desk.writing(args.get("branch")) as proposed:
        done = record(desk.workspace, desk.context(args.get("reason")), request)
    return written(done, **proposed)


def _update(desk: Desk, args: Args) -> Answer:
    with desk.writing(args.get("branch")) as proposed:
        common: dict[str, Any] = {
            "fields": fields_of(args),
            "related": tuple(args.get("related", ())),
            "if_version": args.get("if_version"),
        }
        place = desk.workspace, desk.context(args.get("reason")), args["address"]
        if args.get("append"):
            done = extend(*place, args.get("body", ""), **common)
        else:
            done = update(*place, body=args.get("body"), new_version=args.get("new_version", False), **common)
    return written(done, **proposed)


def _archive(desk: Desk, args: Args) -> Answer:
    act = restore if args.get("restore") else archive
    with desk.writing(args.get("branch")) as proposed:
        done = act(desk.workspace, desk.context(args.get("reason")), args["address"])
    return written(done, **proposed)


def _promote(desk: Desk, args: Args) -> Answer:
    request = Request(
        args.get("to", ""),
        args.get("title", ""),
        args.get("body", ""),
        fields_of(args),
        args.get("scope"),
        args.get("slug"),
        tuple(args.get("related", ())),
    )
    with desk.writing(args.get("branch")) as proposed:
        done = promote(desk.workspace, desk.context(args.get("reason")), args["address"], request)
    return written(done, **proposed)


def _link(desk: Desk, args: Args) -> Answer:
    with desk.writing(args.get("branch")) as proposed:
        done = link(desk.workspace, desk.context(args.get("reason")), args["address"], tuple(args["others"]))
    return written(done, **proposed)


def _ingest_plan(desk: Desk, args: Args) -> Answer:
    if ("source" in args) == ("text" in args):
        raise BadInput("give either source or text")
    workspace = desk.workspace
    reading = Reading(workspace.root or ".", os.environ, False, False, lambda: str(args["text"]).encode(), {})
    desk.caller.progress("reading")
    source = read(workspace, args.get("source", "-"), reading)
    desk.caller.progress("comparing with what is recorded")
    proposal = proposal_of(
        workspace, [source], Wishes(kinds_of(args.get("kind")), args.get("group"), "refuse")
    )
    return {
        "plan": dump(proposal),
        "proposed": sum(item.acts for item in proposal.items),
        "notes": list(source.notes),
    }


def _ingest_apply(desk: Desk, args: Args) -> Answer:
    with desk.writing(args.get("branch")) as proposed:
        workspace = desk.workspace
        proposal = fitting(workspace, load(args["plan"].encode(), "plan"))
        desk.caller.progress("writing")
        done = carry(workspace, desk.context(args.get("reason")), proposal, strict=True)
    return {
        "commit": done.written.commit,
        **report(done.proposal, done.done),
        "notes": list(done.written.notes),
        **proposed,
    }


def _propose(desk: Desk, args: Args) -> Answer:
    name, given = args["tool"], args["arguments"]
    if name not in WRITERS:
        raise BadInput(f"{name!r} cannot be proposed", hint=f"one of {', '.join(WRITERS)}")
    check(BY_NAME[name], given)
    branch = args.get("branch") or f"memgit/{desk.caller.actor}-{desk.caller.run}"
    return {"answer": WRITERS[name](desk, {**given, "branch": branch}), "branch": branch}


def _review(desk: Desk, args: Args) -> Answer:
    base, dots, head = args.get("range", "").partition("..")
    request = Review(base or None, (head.removeprefix(".") or None) if dots else None, (), ())
    found = review(desk.workspace, desk.context(), request, desk.caller.progress)
    return {"verdict": found.verdict, "report": render("markdown", found)}


WRITERS = {
    "record": _record,
    "update": _update,
    "archive": _archive,
    "promote": _promote,
    "link": _link,
    "ingest_apply": _ingest_apply,
}


def check(tool: Tool, args: Any) -> None:
    """Raises BadInput where arguments do not fit the schema of a tool; the argument is named."""
    import jsonschema  # takes long to load, and `memgit mcp` alone needs it

    checker = jsonschema.Draft202012Validator(tool.input_schema)
    known = sorted(tool.fields)
    for error in checker.iter_errors(args):
        where = "/".join(map(str, error.absolute_path)) or "arguments"
        message = error.message if len(error.message) < 300 else f"{error.message[:300]}…"
        raise BadInput(f"{where}: {message}", hint=f"{tool.name} takes {', '.join(known)}")


BRANCH = text("Write to this branch instead, for review; nothing else changes.")
FIELDS_ARGUMENT = {"type": "object", "description": FIELD_HELP}

TOOLS: tuple[Tool, ...] = (
    Tool(
        "context_bootstrap",
        "Start of a session",
        "Call first in a session. Returns decisions in force, categories, skills, memories and newest observations, "
        "each in one line, bounded in tokens. Fetch what you need in full with `show`.",
        {"max_tokens": number("Bound of the answer; default 4000."), "at": AT},
        (),
        _context,
        {"left_out": OBJECT, "health": text(), "revision": MAYBE_TEXT},
        reads=True,
        speaks=True,
    ),
    Tool(
        "recall",
        "Recall for a message",
        "Call with the user's message at each turn, before working on it. Returns the recorded knowledge that the message "
        "calls for (possibly none), each record once a session. Follow it unless the user says otherwise.",
        {
            "text": text("The message, or what the task is about."),
            "skills": texts(
                "Ids of skills in use; their recorded experience is returned whatever the topic."
            ),
            "session": text("Name of the session; by default this connection."),
            "max_tokens": number("Bound of the answer; default as configured."),
            "again": flag("Return also what this session was shown before."),
        },
        ("text",),
        _recall,
        {"records": LIST, "rest": LIST, "matched": LIST, "topic_switch": YES},
        reads=True,
        speaks=True,
    ),
    Tool(
        "search",
        "Search records",
        "Full-text search over titles, keywords and text, best first. Any text is a query; words in double quotes must "
        "stand together. Search before you record.",
        {
            "query": text(),
            "kind": KIND,
            "group": text("Only this category, skill, scope or folder."),
            "topic": text("Only this topic."),
            "tag": text("Only this tag."),
            "since": text("Changed since: 2026-03-01 or '2 weeks ago'."),
            "until": text("Changed up to this day."),
            "archived": flag("Archived records too."),
            "limit": number("At most so many; default 10."),
            "at": AT,
        },
        ("query",),
        _search,
        {"results": LIST, "revision": MAYBE_TEXT, "fresh": YES},
        reads=True,
    ),
    Tool(
        "show",
        "Show one record",
        "Returns one record in full, with `version_id` for a safe `update`. skill/x@2 shows version 2.",
        {"address": ADDRESS, "at": AT},
        ("address",),
        _show,
        {"address": text(), "title": text(), "body": text(), "fields": OBJECT, "version_id": text()},
        reads=True,
    ),
    Tool(
        "history",
        "History of a record",
        "Returns the operations on one record, newest first: who, when, what, why.",
        {"address": ADDRESS, "limit": number("At most so many; default 20.")},
        ("address",),
        _history,
        {"address": text(), "events": LIST, "incomplete": MAYBE_TEXT},
        reads=True,
    ),
    Tool(
        "record",
        "Record something new",
        "Writes one record in one commit. Record what saves time next time: steps that work, pitfalls with their error "
        "message, parameters, preferences, decisions. Not one-off answers or plain theory. Kinds: knowledge (practice, by "
        "category), experience (what was learned with one skill), skill (procedure to repeat), memory (fact that holds), "
        "observation (signal, never edited), decision (choice with reasons), note. Ask the user before you record. "
        "`close` in the answer names records on the same matter: prefer `update` to duplicates.",
        {
            "kind": KIND,
            "title": text("One line that names the subject."),
            "body": text("Markdown; for knowledge a list of key points."),
            "category": text("Category of knowledge."),
            "skill": text("Skill id of an experience."),
            "scope": text("Scope of a memory."),
            "folder": text("Folder of a note."),
            "slug": text("File name, without .md."),
            "date": text("Day of recording; default today."),
            "keywords": texts(),
            "fields": FIELDS_ARGUMENT,
            "related": texts("Addresses to link with, both ways."),
            "derived_from": texts("Addresses that this grew out of."),
            "similar": choice(
                tuple(mode for mode in MODES if mode != "ask"),
                "What to do when a close record exists; default create.",
            ),
            "upsert": flag("Replace the record that has this address already."),
            "reason": REASON,
            "branch": BRANCH,
        },
        ("kind", "title"),
        _record,
        {**WRITTEN, "close": LIST},
    ),
    Tool(
        "update",
        "Update or extend a record",
        "Replaces body or fields of a record; history keeps what was there. `append` adds a dated section instead. Pass "
        "`if_version` from `show` so that nobody's change is lost: on conflict read it again.",
        {
            "address": ADDRESS,
            "body": text("New body, or the text to append."),
            "append": flag("Append body as a dated section."),
            "keywords": texts(),
            "fields": FIELDS_ARGUMENT,
            "related": texts("Addresses to link with, both ways."),
            "if_version": text("The version_id that was read."),
            "new_version": flag("Start a new version of a skill."),
            "reason": REASON,
            "branch": BRANCH,
        },
        ("address",),
        _update,
        WRITTEN,
        destroys=True,
    ),
    Tool(
        "archive",
        "Archive or restore a record",
        "Hides a record from lists, search and context; its file stays. `restore` brings it back (never an observation).",
        {"address": ADDRESS, "restore": flag("Bring it back."), "reason": REASON, "branch": BRANCH},
        ("address",),
        _archive,
        WRITTEN,
        destroys=True,
        repeats=True,
    ),
    Tool(
        "promote",
        "Promote a record",
        "Makes a memory of an observation, or a decision of a memory or note, with provenance; the old record stays.",
        {
            "address": ADDRESS,
            "to": choice(("memory", "decision"), "By default the next step up."),
            "title": text("Default: that of the old record."),
            "body": text("Default: that of the old record."),
            "scope": text("Scope of a memory."),
            "slug": text("File name, without .md."),
            "fields": FIELDS_ARGUMENT,
            "related": texts("Addresses to link with, both ways."),
            "reason": REASON,
            "branch": BRANCH,
        },
        ("address",),
        _promote,
        WRITTEN,
    ),
    Tool(
        "link",
        "Link records",
        "Links a record with others, both ways.",
        {"address": ADDRESS, "others": texts("Addresses to link with."), "reason": REASON, "branch": BRANCH},
        ("address", "others"),
        _link,
        WRITTEN,
        repeats=True,
    ),
    Tool(
        "ingest_plan",
        "Plan an ingest",
        "Cuts a file, folder, http(s) URL or text into segments, compares each with what is recorded and returns a plan "
        "(YAML: create, update, extend or skip). Writes nothing. Edit the plan, then `ingest_apply`.",
        {
            "source": text("File or folder (from the knowledge root) or URL."),
            "text": text("The text itself, such as a transcript."),
            "kind": choice(("knowledge", "memory", "note"), "Kind of new records."),
            "group": text("Category, scope or folder of new records."),
        },
        (),
        _ingest_plan,
        {"plan": text(), "proposed": COUNT, "notes": LIST},
        reads=True,
    ),
    Tool(
        "ingest_apply",
        "Carry out an ingest plan",
        "Writes what a plan of `ingest_plan` says, in one commit.",
        {"plan": text("The plan, as edited."), "reason": REASON, "branch": BRANCH},
        ("plan",),
        _ingest_apply,
        {"commit": MAYBE_TEXT, "files": LIST, "notes": LIST},
        destroys=True,
    ),
    Tool(
        "propose",
        "Propose a change for review",
        "Carries out another writing tool on a branch of its own; working tree and current branch stay as they are.",
        {
            "tool": choice(tuple(WRITERS), "The tool."),
            "arguments": {"type": "object", "description": "Its arguments."},
            "branch": text("Default: one branch a session."),
        },
        ("tool", "arguments"),
        _propose,
        {"answer": OBJECT, "branch": text()},
    ),
    Tool(
        "review",
        "Review a change",
        "Compares records between two commits: what changed, broken links, duplicates, contradictions. Verdict pass, warn "
        "or fail with a report in Markdown.",
        {"range": text("BASE..HEAD; default: the upstream of the current branch.")},
        (),
        _review,
        {"verdict": text(), "report": text()},
        reads=True,
    ),
)

BY_NAME = {tool.name: tool for tool in TOOLS}

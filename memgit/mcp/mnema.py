"""The tools under Mnema's own names (`memgit mcp --tools mnema`), so that its instructions to agents still hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

from memgit.app.read.counts import counter
from memgit.app.read.listing import list_records, stamp_of
from memgit.app.read.reader import open_reader
from memgit.app.read.record_json import record_json
from memgit.app.read.usage import use
from memgit.app.write.archive import archive
from memgit.app.write.promote import promote
from memgit.app.write.record import Request, record
from memgit.app.write.update import update
from memgit.mcp.desk import COUNT, LIST, OBJECT, Desk, Tool, choice, flag, number, text, texts
from memgit.mcp.tools import BY_NAME, WRITTEN, Answer, Args, fields_of, written
from memgit.model.namedtuple import NamedTuple
from memgit.model.when import moment

SLUG = text("File name without .md; the record's key.")
TOPICS = texts()


class _Recorder(NamedTuple):
    """How one kind is recorded: which argument becomes which field, and what the title is where none is given."""

    kind: str
    fields: Mapping[str, str]


def _upserted(recorder: _Recorder) -> Callable[[Desk, Args], Answer]:
    """A tool that writes the record of a slug: a new one, or the new content of the one that is there."""

    def call(desk: Desk, args: Args) -> Answer:
        content = args.get("content", "")
        fields = fields_of(
            {"fields": {to: args[name] for name, to in recorder.fields.items() if name in args}}
        )
        origins = tuple(
            args[name] for name in ("derived_from_decision", "derived_from_observation") if args.get(name)
        )
        request = Request(
            recorder.kind,
            args.get("title") or args.get("name") or _line(content),
            content,
            fields,
            args.get("scope"),
            args.get("slug"),
            derived_from=origins,
            upsert=recorder.kind != "observation",
        )
        with desk.writing() as proposed:
            if args.get("mode") == "new_version" and _there(desk, f"{recorder.kind}/{args['slug']}"):
                done = update(
                    desk.workspace,
                    desk.context(),
                    f"{recorder.kind}/{args['slug']}",
                    body=content,
                    fields=fields,
                    new_version=True,
                )
            else:
                done = record(desk.workspace, desk.context(), request)
        return written(done, **proposed)

    return call


def _there(desk: Desk, address: str) -> bool:
    return any(head.address == address for head in open_reader(desk.workspace).heads("skill"))


def _line(content: str) -> str:
    """The title of a text that has none: its first line, as far as a title goes."""
    return " ".join((content.strip().splitlines() or ["(empty)"])[0].split())[:100]


def _decision(desk: Desk, args: Args) -> Answer:
    sections = [
        f"## {name.capitalize()}\n\n{args[name]}"
        for name in ("context", "decision", "rationale", "consequences")
        if args.get(name)
    ]
    request = Request(
        "decision",
        args["title"],
        "\n\n".join(sections),
        fields_of(
            {"fields": {name: args[name] for name in ("status", "deciders", "impacts") if name in args}}
        ),
        slug=args.get("slug"),
    )
    with desk.writing() as proposed:
        if args.get("note_id"):
            done = promote(desk.workspace, desk.context(), args["note_id"], request)
        else:
            done = record(desk.workspace, desk.context(), request)
    return written(done, **proposed)


def _shown(kind: str) -> Callable[[Desk, Args], Answer]:
    def call(desk: Desk, args: Args) -> Answer:
        version = f"@{args['version']}" if args.get("version") else ""
        return dict(BY_NAME["show"].call(desk, {"address": f"{kind}/{args['slug']}{version}"}))

    return call


def _listed(kind: str) -> Callable[[Desk, Args], Answer]:
    """A tool that lists the records of a kind, the newest first where they have a time."""

    def call(desk: Desk, args: Args) -> Answer:
        reader = open_reader(desk.workspace)
        count = counter(reader)
        since = args.get("since")
        found = list(
            list_records(
                reader,
                kind=kind,
                topic=args.get("topic"),
                related_task=args.get("related_task_key"),
                since=since and moment(since, int(moment(desk.context().now, 0, first=True)), first=True),
                archived=args.get("include_archived", False),
            )
        )
        found.sort(key=stamp_of if kind == "observation" else lambda one: "", reverse=True)
        rows = [record_json(reader.load(one), count(one)) for one in islice(found, args.get("limit", 50))]
        return {"records": rows, "total": len(found)}

    return call


def _used(desk: Desk, args: Args) -> Answer:
    done = use(desk.workspace, desk.context(), f"skill/{args['slug']}")
    return {"address": done.record.address, "usage_count": done.uses}


def _archived(kind: str, key: str) -> Callable[[Desk, Args], Answer]:
    def call(desk: Desk, args: Args) -> Answer:
        with desk.writing() as proposed:
            done = archive(desk.workspace, desk.context(), f"{kind}/{args[key]}")
        return written(done, **proposed)

    return call


LISTED: Mapping[str, Mapping[str, Any]] = {"records": LIST, "total": COUNT}
SHOWN: Mapping[str, Mapping[str, Any]] = {
    "address": text(),
    "title": text(),
    "body": text(),
    "fields": OBJECT,
}
DECISION: Mapping[str, Mapping[str, Any]] = {
    "title": text(),
    "decision": text("What was decided."),
    "context": text("What led to it."),
    "rationale": text("Why this and not another."),
    "consequences": text(),
    "status": choice(("proposed", "accepted", "rejected"), "Default proposed."),
    "deciders": texts(),
    "impacts": texts("Files or parts that it touches."),
    "slug": SLUG,
}

TOOLS: tuple[Tool, ...] = (
    BY_NAME["context_bootstrap"],
    BY_NAME["recall"],
    BY_NAME["search"],
    Tool(
        "skill_record",
        "Record a skill",
        "Writes a procedure to reuse. The same content again is a no_op. mode new_version when callers should notice.",
        {
            "slug": SLUG,
            "name": text(),
            "description": text("What it is for, one line."),
            "content": text("The steps, Markdown."),
            "tools_used": texts(),
            "mode": choice(("update", "new_version"), "Default update."),
        },
        ("slug", "name", "description", "content"),
        _upserted(_Recorder("skill", {"description": "description", "tools_used": "tools_used"})),
        WRITTEN,
        destroys=True,
        repeats=True,
    ),
    Tool("skill_show", "Show a skill", "Returns a skill in full, of one version where given.",
         {"slug": SLUG, "version": number("Default the latest.")}, ("slug",), _shown("skill"), SHOWN, reads=True),
    Tool("skill_use", "Count a use of a skill", "Call after you applied a skill.",
         {"slug": SLUG}, ("slug",), _used, {"address": text(), "usage_count": COUNT}),
    Tool("skills_list", "List skills", "Returns skills with their uses.", {"limit": number("Default 50.")}, (),
         _listed("skill"), LISTED, reads=True),
    Tool(
        "memory_record",
        "Record a memory",
        "Asserts a lasting fact of the project; the same slug again replaces it. Give the origin when it grew out of one.",
        {
            "slug": SLUG,
            "title": text(),
            "content": text("Markdown."),
            "topics": TOPICS,
            "scope": text(),
            "derived_from_decision": text("Address of a decision."),
            "derived_from_observation": text("Id of an observation."),
        },
        ("slug", "title", "content"),
        _upserted(_Recorder("memory", {"topics": "topics"})),
        WRITTEN,
        destroys=True,
        repeats=True,
    ),
    Tool("memory_show", "Show a memory", "Returns a memory in full.", {"slug": SLUG}, ("slug",), _shown("memory"), SHOWN,
         reads=True),
    Tool("memories_list", "List memories", "Returns memories, of one topic where given.",
         {"topic": text(), "limit": number("Default 50.")}, (), _listed("memory"), LISTED, reads=True),
    Tool("memory_archive", "Archive a memory", "Retires a memory; recording its slug again brings it back.",
         {"slug": SLUG}, ("slug",), _archived("memory", "slug"), WRITTEN, destroys=True, repeats=True),
    Tool(
        "observation_record",
        "Record an observation",
        "Writes a signal that may later inform a memory or skill. Never edited afterwards.",
        {"content": text(), "topics": TOPICS, "related_task_key": text()},
        ("content",),
        _upserted(_Recorder("observation", {"topics": "topics", "related_task_key": "related_task"})),
        WRITTEN,
    ),
    Tool(
        "observations_list",
        "List observations",
        "Returns observations, newest first.",
        {
            "topic": text(),
            "related_task_key": text(),
            "since": text("ISO date or time."),
            "limit": number("Default 50."),
            "include_archived": flag("Archived ones too."),
        },
        (),
        _listed("observation"),
        LISTED,
        reads=True,
    ),
    Tool("observation_archive", "Archive an observation", "Retires an observation for good.",
         {"observation_id": text()}, ("observation_id",), _archived("observation", "observation_id"), WRITTEN,
         destroys=True, repeats=True),
    Tool("decision_record", "Record a decision", "Writes a decision record (ADR).", DECISION, ("title", "decision"),
         _decision, WRITTEN),
    Tool("decision_promote_from_note", "Promote a note to a decision", "Writes a decision that grew out of a note or memory.",
         {"note_id": text("Address or id of the note."), **DECISION}, ("note_id", "title", "decision"), _decision, WRITTEN),
)  # fmt: skip

BY_SET = {"memgit": tuple(BY_NAME.values()), "mnema": TOOLS}

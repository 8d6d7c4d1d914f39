"""Recording: a new record in its file, or, where a close one exists, the update or extension that was asked
for.
"""

from __future__ import annotations

import json
import os
from functools import lru_cache
from unicodedata import normalize

from memgit import TYPE_CHECKING
from memgit.app.read.reader import Reader, open_reader
from memgit.app.workspace import Context, Workspace
from memgit.app.write.decisions import named_decisions, superseded_decisions, write_both_ends
from memgit.app.write.entry_files import words_of
from memgit.app.write.linking import links
from memgit.app.write.session import OperationResult, Plan, Session
from memgit.app.write.similar import Close, close_records, hint
from memgit.app.write.update import check_status, extend_record, update_record, whole_text
from memgit.app.write.write import execute
from memgit.errors import BadInput, Conflict, Refused
from memgit.formats.codec import Draft
from memgit.formats.codecs import form_named
from memgit.formats.mem_skill.entries import set_meta
from memgit.formats.messages import message as messages
from memgit.model import link, when
from memgit.model.kinds import KINDS, STATUSES
from memgit.model.layout import Place
from memgit.model.namedtuple import NamedTuple
from memgit.model.operation import RecordChange
from memgit.model.record import Record, Value
from memgit.model.slug import RESERVED, digest, file_name, slug

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Choose = Callable[["Request", Sequence[Close]], tuple[str, Close | None]]
    """Asks a person what to do about close records: one of `create`, `update`, `extend`, and the record
    concerned.
    """

MAX_TITLE = 1000
DEFAULT_CATEGORY = "general"
MNEMA_CONFIG = "mnema.config.json"
DEFAULT_PROJECT = "KB"
MAX_PROJECT_KEY = 20
MODES = ("ask", "create", "update", "extend", "fail")
"""What to do where a close record is there already."""


class Request(NamedTuple):
    """What to record.

    Attributes:
        fields: canonical fields.
        key: the category of knowledge, the skill of an experience, the scope of a memory or the folder of a
            note.
        slug: the file name of a document, where it is not made from the title.
        similar: one of `MODES`.
        date: the day of recording, `YYYY-MM-DD`, by default today.
        category: name and keywords of a category that is new.
        close: the address of the record to update or extend instead, once that was decided.
        links: what else stands in its Related field, as it is written there: links to records that the same
            operation makes.
        origin: file and line of a batch that it comes from.
    """

    kind: str
    title: str
    body: str = ""
    fields: Mapping[str, Value] = {}
    key: str | None = None
    slug: str | None = None
    related: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()
    similar: str = "create"
    upsert: bool = False
    date: str | None = None
    category: Mapping[str, Value] = {}
    close: str | None = None
    links: tuple[str, ...] = ()
    origin: tuple[str, int] | None = None


def record(
    workspace: Workspace,
    context: Context,
    request: Request,
    *,
    choose: Choose | None = None,
) -> OperationResult:
    """Records one piece of knowledge in one commit.

    Raises:
        BadInput: the title, a field or the body cannot be stored; nothing was written.
        Conflict: a record with this address, or (with `similar="fail"`) a close one, is there already.
    """
    if request.similar == "ask" and choose is not None:
        # A person is asked before the lock is taken: nobody else waits for the answer.
        found = close_to(open_reader(workspace), request, request.key)
        mode, close = choose(request, found) if found else ("create", None)
        request = request._replace(
            similar=mode, close=close.record.address if close is not None and mode != "create" else None
        )
    return execute(workspace, context, lambda session: plan(session, request))


def plan(session: Session, request: Request) -> Plan:
    """What recording the request does to the newest commit: creates, or updates or extends a close record."""
    request = checked(request, session.context.today)
    place = place_for(session, request.kind)
    path, key = target(session, request, place)
    present = at_address(session, path, request)
    mode, close = request.similar, None
    near: tuple[Close, ...] = ()
    if request.close is not None:
        close = session.reader.find(request.close)
    elif present is None and (mode != "create" or not (session.hasty or session.series)):
        mode, near = decide(session, request, key.rpartition("/")[0] if place.form != "entries" else key)
        close = near[0].record if near and mode != "create" else None
    elif present is not None:
        mode = "update" if request.upsert else mode
        if mode not in ("update", "extend"):
            raise Conflict(
                f"{present.address} is there already",
                path=present.path,
                line=present.line,
                hint=_next_step(session, present),
            )
        close = present
        if request.upsert and present.archived and present.kind != "observation":
            close = revived(session, present)
    if mode == "create" or close is None:
        made = create(session, request, place, path, key)
        said = hint(near)
        return made._replace(close=near, notes=(*made.notes, said)) if said is not None else made
    fields = {name: value for name, value in request.fields.items() if value}
    if mode == "extend":
        return extend_record(session, close, request.body, fields=fields, related=request.related)
    return update_record(
        session,
        close,
        request.body if request.body or not request.upsert else None,
        fields=fields,
        related=request.related,
    )


def revived(session: Session, record: Record) -> Record:
    """An archived record without the mark."""
    session.writable(record)
    changes: dict[str, Value] = {
        "archived": None,
        **({"merged_into": None} if record.text("merged_into") else {}),
    }
    data = session.form_of(record).edit(session.bytes_of(record), record.ordinal, changes)
    session.overlay.put(record.path, data)
    return session.again(record.path, record.ordinal)


def _next_step(session: Session, present: Record) -> str:
    """What to do about a record that is there already."""
    if session.overlay.tree.get(present.path) is None:
        return (
            "the same operation records it: give one of the two another title, or --upsert records the "
            "later over the earlier"
        )
    root = session.workspace.root if session.workspace.proposal is None else None
    if root is not None and not os.path.lexists(os.path.join(root, present.path)):
        return (
            f"its file was deleted in the working tree: memgit commit {present.path} commits that, git "
            "restore brings it back"
        )
    return "memgit update or extend changes it; --upsert records over it"


def create(session: Session, request: Request, place: Place, path: str, key: str) -> Plan:
    """A new record at a path, with the links back."""
    identity = key if request.kind == "observation" else session.fresh_id()
    fields = initial_fields(session, request, identity, place, key)
    if request.kind == "decision":
        fields = named_decisions(session, fields)
    others = [session.reader.find(name) for name in request.related]
    origins = [session.reader.find(name) for name in request.derived_from]
    form = form_named(place.form)
    existing = session.overlay.data(path) if KINDS[request.kind].stored == "entry" else None
    if existing is not None and not (session.hasty and session.holds(path)):
        unreadable = next(
            (
                found
                for found in session.overlay.parsed(path).problems
                if found.fatal and found.code != "MG104"
            ),
            None,
        )
        if unreadable is not None:
            raise Refused(
                f"not written: {unreadable.message}",
                path=path,
                line=unreadable.line,
                hint="fix the file by hand, then try again",
            )
    ordinal = 0 if existing is None else len(session.titles(path))
    if existing is None and request.category and KINDS[request.kind].stored == "entry":
        existing = set_meta(b"", request.category)
    before = None
    if session.trusting and ordinal and not session.has_title(path, link.normal(request.title)):
        before = session.overlay.parsed(path), key
    session.titles(path)
    draft = Draft(request.kind, request.title, fields, request.body)
    if (session.hasty or session.series) and place.form == "entries":
        session.entry_files.append(path, draft, existing, before)
    else:
        session.overlay.put(path, form.create(draft, existing))
    session.added(path, request.title)
    if existing is None:
        session.overlay.parsed(path)  # while what was read back of it is at hand
    over = superseded_decisions(session, tuple(fields.get("supersedes") or ()))
    made = written_back(session, path, ordinal, request) if others or over or not session.hasty else None
    changed: list[Record] = []
    superseded = write_both_ends(session, made, over) if over and made is not None else []
    if others and made is not None:
        changed = links.both_ways(session, made, others)[1]
    address = session.workspace.layout.address(place, path, key, request.title)
    changes = [RecordChange("promote" if origins else "create", identity, address)]
    changes += [RecordChange("update", other.id, other.address) for other in superseded]
    changes += [RecordChange("link", other.id, other.address) for other in changed]
    op = "promote" if origins else "record"
    return Plan(
        op,
        tuple(changes),
        messages.subject(op, request.kind, request.title),
        (path, ordinal),
        tuple(other.address for other in changed),
        source=str(fields.get("source") or "") or None,
        derived_from=tuple(origin.address for origin in origins),
    )


def written_back(session: Session, path: str, ordinal: int, request: Request) -> Record:
    """The new record as it reads back; a text that changes under its own format is refused rather than stored
    wrong.

    Raises:
        BadInput: the file would not hold exactly one more record of this title.
    """
    records = session.overlay.parsed(path).records
    if len(records) != ordinal + 1 or link.normal(records[ordinal].title) != link.normal(
        messages.one_line(request.title)
    ):
        raise BadInput(
            "the record would not read back as it was given",
            path=path,
            hint="look for headings, fences or comments in the body",
        )
    return records[ordinal]


def checked(request: Request, today: str) -> Request:
    """The request with its title on one line, its date as a day and its fields checked.

    Raises:
        BadInput: an empty or endless title, an unknown status, a date that is none.
    """
    if request.kind not in KINDS:
        raise BadInput(f"{request.kind!r} is not a kind of record", hint=f"one of {', '.join(KINDS)}")
    title = messages.one_line(request.title)
    if not title:
        raise BadInput("the title is empty")
    if len(title) > MAX_TITLE:
        raise BadInput(
            f"the title has {len(title)} characters; the limit is {MAX_TITLE}",
            hint="move the rest into the body",
        )
    if "\0" in request.body:
        raise BadInput(
            "the body holds a NUL byte", line=request.body[: request.body.index("\0")].count("\n") + 1
        )
    whole_text(request.kind, request.body)
    status = request.fields.get("status")
    if request.kind == "decision" and isinstance(status, str) and status:
        check_status(status, STATUSES)
    known = KINDS[request.kind].fields
    strange = [name for name, value in request.fields.items() if value and name not in known]
    if strange:
        raise BadInput(
            f"a record of kind {request.kind} has no field {strange[0]!r}",
            hint=f"its fields: {', '.join(known)}",
        )
    if request.similar not in MODES:
        raise BadInput(
            f"{request.similar!r} is not a choice for close records", hint=f"one of {', '.join(MODES)}"
        )
    date = request.date and when.day(request.date, when.noon(today))
    return request._replace(title=title, date=date)


def place_for(session: Session, kind: str) -> Place:
    """The place for new records of a kind.

    Raises:
        BadInput: the layout has none.
        Refused: the repository is not a knowledge root: nothing new is put into it.
    """
    workspace = session.workspace
    if workspace.config.found == "detected" and workspace.layout.name == "notes":
        raise Refused(
            f"{workspace.root or 'this repository'} is not a knowledge root: nothing is recorded in it",
            hint="memgit init makes it one, memgit init kb one in its folder kb, and MEMGIT_DIR names another",
        )
    # Mnema numbers its tasks, epics and sprints; memgit makes no such key up.
    places = [
        place
        for place in session.workspace.layout.of(kind)
        if place.form != "mnema-block" or "{" in (place.new or place.pattern)
    ]
    if not places:
        raise BadInput(
            f"this workspace ({session.workspace.layout.name}) has no place for records of kind {kind}",
            hint="add one under `kinds:` in .memgit.yaml",
        )
    return places[0]


def initial_fields(
    session: Session, request: Request, identity: str, place: Place, key: str
) -> dict[str, Value]:
    """The fields of a new record: those given, and those that every record of its kind starts with."""
    context = session.context
    day = request.date or context.today
    fields: dict[str, Value] = {
        name: value for name, value in request.fields.items() if value and name != "related"
    }
    fields["id"] = key if _is_mirrored_decision(place) else identity
    if request.kind == "observation":
        fields["at"] = request.date or context.now
    else:
        fields["created"] = day
    if request.kind in ("knowledge", "experience", "memory", "decision"):
        fields.setdefault("source", "conversation")
    if request.kind == "experience":
        fields["skill"] = key
    if request.kind == "skill":
        fields["version"] = "1"
    if request.kind == "decision":
        fields.setdefault("status", "proposed")
    if request.kind == "memory" and request.key and place.form == "mnema":
        fields["scope"] = request.key
    if request.links:
        fields["related"] = request.links
    if request.derived_from:
        fields["derived_from"] = tuple(session.reader.find(name).address for name in request.derived_from)
    return fields


def target(session: Session, request: Request, place: Place) -> tuple[str, str]:
    """The path of the new record and its key there."""
    key = KEYS[request.kind](session, request, place)
    moment = session.context.now if request.kind == "observation" else session.context.today
    year, month = (request.date or moment).split("-")[:2]
    path = as_spelled(session, place.path(key, year=year, month=month))
    if KINDS[request.kind].stored == "document" and not request.slug and request.kind != "observation":
        records = session.overlay.parsed(path).records if session.overlay.data(path) is not None else ()
        if records and link.normal(records[0].title) != link.normal(request.title):
            key = f"{key}-{digest(request.title)}"
            path = as_spelled(session, place.path(key, year=year, month=month))
    found = session.workspace.layout.find(path)
    if found is None or found[0].kind != request.kind:
        other = {"knowledge": "--category", "experience": "--skill"}.get(
            request.kind, "another title or --slug"
        )
        raise BadInput(f"{path} would not be a record of kind {request.kind}", hint=f"give {other}")
    return path, found[1]


def at_address(session: Session, path: str, request: Request) -> Record | None:
    """The record that has the address of the new one already."""
    if session.overlay.data(path) is None:
        return None
    if KINDS[request.kind].stored == "entry":
        wanted = link.normal(request.title)
        if not session.has_title(path, wanted):
            return None
        return next(
            (found for found in session.overlay.parsed(path).records if link.normal(found.title) == wanted),
            None,
        )
    records = session.overlay.parsed(path).records
    if not records:
        raise Conflict(
            "a file that is not a record is there already", path=path, hint="choose another --slug"
        )
    return records[0]


def close_to(reader: Reader, request: Request, group: str | None) -> list[Close]:
    """The records that are close to what is to be recorded."""
    return close_records(reader, request.kind, request.title, request.body, request.fields, group)


def decide(session: Session, request: Request, group: str) -> tuple[str, tuple[Close, ...]]:
    """What to do about records close to the new one, without asking anybody, and these records."""
    if request.similar == "ask":
        raise BadInput("--similar ask needs a terminal", hint="choose create, update, extend or fail")
    found = close_to(session.reader, request, group)
    if not found or request.similar == "create":
        return "create", tuple(found)
    if request.similar == "fail":
        best = found[0].record
        named = "; ".join(f"{close.record.address} ({close.share:.0%})" for close in found)
        raise Conflict(
            f"a close record exists: {named}",
            path=best.path,
            line=best.line,
            hint="memgit update or extend it, or --similar create",
        )
    return request.similar, tuple(found)


@lru_cache(maxsize=64)
def safe_key(text: str, what: str) -> str:
    """A key that a person chose, in NFC, where every part of it can be a file name anywhere.

    Raises:
        BadInput: a part is empty, `.` or `..`, reserved, or holds a character that some system refuses.
    """
    text = normalize("NFC", text)
    for part in text.split("/"):
        bad = (
            not part
            or part.strip(". ") != part
            or part.split(".")[0].lower() in RESERVED
            or len(part.encode()) > 120
            or any(char in '<>:"\\|?*#' or not char.isprintable() for char in part)
        )
        if bad:
            near = "/".join(slug(part) for part in text.split("/") if part.strip(". "))
            raise BadInput(f"{text!r} cannot be a {what}", hint=f"try {near}" if near else None)
    return text


def _category(session: Session, request: Request, place: Place) -> str:
    if request.key:
        return safe_key(request.key, "category")
    return _matching_category(session, request, place) or DEFAULT_CATEGORY


def as_spelled(session: Session, path: str) -> str:
    """The path as the folders and files that are there spell it: two names that differ by case alone would
    collide on some disks.
    """
    if session.overlay.data(path) is not None:
        return path
    folder, slash, name = path.rpartition("/")
    out = ""
    for part in folder.split("/") if slash else ():
        out += session.spelled(out, part, folder=True) + "/"
    return out + session.spelled(out, name, folder=False)


def _matching_category(session: Session, request: Request, place: Place) -> str | None:
    """The category with most of the new record's keywords among its own, by whole keyword without case; None
    where none has any.
    """
    wanted = {str(word).casefold() for word in request.fields.get("keywords") or ()}
    best: tuple[int, str] | None = None
    for name in session.overlay.names(place.folder) if wanted else ():
        key = place.key(place.folder + name)
        if key is None:
            continue
        path = place.folder + name
        score = len(
            wanted
            & (session.entry_files.words(path) if session.hasty else words_of(session.overlay.parsed(path)))
        )
        if score and (best is None or score > best[0]):
            best = (score, key)
    return best[1] if best else None


def _skill_id(session: Session, request: Request, place: Place) -> str:
    if not request.key:
        raise BadInput("an experience belongs to a skill", hint="--skill ID")
    return safe_key(request.key, "skill id")


def _slug(session: Session, request: Request, place: Place) -> str:
    if request.slug:
        return safe_key(request.slug, "file name")
    if request.kind == "note" and by_title(session, place, request.key or ""):
        return file_name(request.title)
    return slug(request.title, ascii_only=place.form == "vault")


def by_title(session: Session, place: Place, folder: str) -> bool:
    """Whether the files of a folder are called by their titles; where it has none, those of the folder above."""
    inside = f"{place.folder}{folder}/" if folder else place.folder
    while True:
        stems = [name.removesuffix(".md") for name in session.overlay.names(inside) if name.endswith(".md")]
        stems = [stem for stem in stems if stem not in ("README", "INDEX") and not stem.startswith(".")]
        if stems or not inside:
            return sum(stem != slug(stem) for stem in stems) * 2 > len(stems)
        inside = inside.rstrip("/").rpartition("/")[0]
        inside = f"{inside}/" if inside else ""


def _scoped(session: Session, request: Request, place: Place) -> str:
    own = _slug(session, request, place)
    return f"{safe_key(request.key, 'scope')}/{own}" if request.key else own


def _decision_key(session: Session, request: Request, place: Place) -> str:
    day = (request.date or session.context.today).replace("-", "")
    own = _slug(session, request, place)
    named = own if request.slug and own[:8].isdigit() else f"{day}-{own}"
    if not _is_mirrored_decision(place):
        return named
    fits = place.key(f"{place.folder}{own}.md") is not None  # a --slug that is a whole key
    return own if fits else f"{_project_key(session, place)}-ADR-{named}"


def _is_mirrored_decision(place: Place) -> bool:
    """Whether a decision goes into the roadmap of a mirror, where its key is its file's name."""
    return place.kind == "decision" and place.form == "mnema-block"


def _project_key(session: Session, place: Place) -> str:
    """The key of the project in a mirror: what its decisions and epics begin with, else what Mnema's
    configuration says. A date and a slug follow it, for numbers are for Mnema alone to hand out.
    """
    for name in session.overlay.names(place.folder):
        head, mark, _ = name.partition("-ADR-" if "-ADR-" in name else "-EPIC-")
        if mark and head:
            return head
    data = session.overlay.data(session.workspace.layout.base + MNEMA_CONFIG)
    try:
        found = json.loads(data or b"{}")["project"]["key"]
    except (ValueError, LookupError, TypeError, RecursionError):
        found = ""
    plain = isinstance(found, str) and found.isascii() and found.replace("_", "").isalnum()
    return found if plain and len(found) <= MAX_PROJECT_KEY else DEFAULT_PROJECT


def _observation_id(session: Session, request: Request, place: Place) -> str:
    return session.fresh_id()


KEYS: Mapping[str, Callable[[Session, Request, Place], str]] = {
    "knowledge": _category,
    "experience": _skill_id,
    "skill": _slug,
    "memory": _scoped,
    "observation": _observation_id,
    "decision": _decision_key,
    "note": _scoped,
}

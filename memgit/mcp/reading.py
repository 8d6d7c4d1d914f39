"""What a server offers beside its tools: records, indexes and the log as resources, and two prompts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple
from urllib.parse import quote, unquote

from memgit.app.read.log import as_text, log
from memgit.app.read.reader import open_reader
from memgit.app.read.show import show
from memgit.errors import NotFound
from memgit.mcp.desk import Desk
from memgit.model.record import Record, joined

SCHEME = "memgit://"
LOG = f"{SCHEME}log"
INDEX = f"{SCHEME}index/"
PAGE = 200
"""Resources that are listed at once."""
LOG_EVENTS = 200


class Resource(NamedTuple):
    """A resource that is listed: its URI, name and what it is."""

    uri: str
    name: str
    about: str


class Prompt(NamedTuple):
    """A prompt: what it is for, its one argument (name and meaning), and its text, in which `{argument}` stands for it."""

    name: str
    about: str
    argument: tuple[str, str]
    text: str


PROMPTS = (
    Prompt(
        "record_what_was_learned",
        "Record what this conversation taught.",
        ("focus", "What to look at; empty for the whole conversation."),
        """Look back over this conversation{argument} for what will save time next time: procedures that worked, mistakes and
their cure with the error message, parameters, preferences of the user, decisions with their reasons. Leave out one-off
answers and plain theory. For each, search first; where a record on the same matter exists, update or extend it. Show the
user a numbered list (title, kind, new or the record to update) and ask which to record. Record only those, with keywords
and related addresses.""",
    ),
    Prompt(
        "review_change",
        "Review a change of the knowledge repository.",
        ("range", "BASE..HEAD; empty for the upstream of the current branch."),
        """Call the tool `review`{argument}. Read each changed record with `show`, and the records it contradicts or duplicates.
Say first whether the change may be merged. Then name each problem with the record, the line and what to do about it.""",
    ),
)


def uri_of(record: Record) -> str:
    return SCHEME + quote(record.address, safe="/@")


def listed(desk: Desk, start: int) -> tuple[Sequence[Resource], int | None]:
    """Resources from a place in the list on, and the place where it goes on; None at its end."""
    reader = open_reader(desk.workspace)
    heads = list(islice(reader.heads(archived=False), start, start + PAGE + 1))
    found = [Resource(uri_of(one), one.address, one.title) for one in heads[:PAGE]]
    if start == 0:
        layout = desk.workspace.layout
        folders = dict.fromkeys(["", *(place.folder for place in layout.places)])
        names = [f"{folder}INDEX.md" for folder in folders]
        indexes = [
            Resource(INDEX + quote(name), name, "Index")
            for name in names
            if reader.files.data(name) is not None
        ]
        found = [Resource(LOG, "log", "The activity log, newest first"), *indexes, *found]
    return found, start + PAGE if len(heads) > PAGE else None


def content(desk: Desk, uri: str) -> str:
    """The text of a resource.

    Raises:
        NotFound: there is no such resource.
    """
    if uri == LOG:
        workspace = desk.workspace
        return "\n".join(as_text(islice(log(workspace, cache=workspace.cache), LOG_EVENTS)))
    if uri.startswith(INDEX):
        name = unquote(uri.removeprefix(INDEX))
        data = open_reader(desk.workspace).files.data(name) if name.endswith("INDEX.md") else None
        if data is None:
            raise NotFound(f"there is no index {name!r}")
        return data.decode("utf-8", "replace")
    if not uri.startswith(SCHEME):
        raise NotFound(f"{uri} is not a resource of memgit", hint=f"{SCHEME}ADDRESS")
    record, _ = show(desk.workspace, unquote(uri.removeprefix(SCHEME)))
    fields = [f"{name}: {joined(value)}" for name, value in record.fields.items() if value]
    return "\n".join([f"# {record.title}", "", record.address, *fields, "", record.body])


def prompted(name: str, argument: str) -> str:
    """The text of a prompt.

    Raises:
        NotFound: there is no such prompt.
    """
    for prompt in PROMPTS:
        if prompt.name == name:
            return prompt.text.replace(
                "{argument}", f" ({prompt.argument[0]}: {argument})" if argument else ""
            )
    raise NotFound(f"there is no prompt {name!r}", hint=", ".join(prompt.name for prompt in PROMPTS))

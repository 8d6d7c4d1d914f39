"""Links between records as a graph: who links to whom, from which line."""

from __future__ import annotations

import json
import posixpath
from itertools import groupby
from operator import attrgetter

from memgit import TYPE_CHECKING
from memgit.app.read.reader import Reader, open_reader
from memgit.app.workspace import Workspace
from memgit.formats import links
from memgit.model.link import Wikilink, normal, own_names
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

MAX_NODES = 2_000
"""Records of a neighbourhood; what lies beyond is not followed."""


class Edge(NamedTuple):
    """One link: the addresses of the record that has it and of the one that it leads to, and its line in the
    file.
    """

    source: str
    target: str
    path: str
    line: int


class Graph(NamedTuple):
    """Some records, with the links between them; `start` is the address that was asked for."""

    start: str | None
    records: tuple[Record, ...]
    edges: tuple[Edge, ...]


def links_of(workspace: Workspace, address: str, *, depth: int = 1, at: str | None = None) -> Graph:
    """The records that are at most so many links away from one, in either direction.

    Raises:
        NotFound: no such record or revision.
        Ambiguous: several records could be meant.
    """
    reader = open_reader(workspace, at)
    start = reader.find(address)
    known = {start.address: start}
    edges: set[Edge] = set()
    fringe = [start]
    for _ in range(depth):
        near: list[Record] = []
        for record in fringe:
            for edge, other in (*outgoing(reader, record), *incoming(reader, record)):
                edges.add(edge)
                if other.address not in known and len(known) < MAX_NODES:
                    known[other.address] = other
                    near.append(other)
        fringe = near
    inside = sorted(edge for edge in edges if edge.source in known and edge.target in known)
    return Graph(start.address, tuple(known.values()), tuple(inside))


def outgoing(
    reader: Reader, record: Record, found: Iterable[links.Link] | None = None
) -> list[tuple[Edge, Record]]:
    """The links of a record that resolve, in the order of their lines, with the records that they lead to.

    Args:
        found: the links of its file, where they are known.
    """
    out: list[tuple[Edge, Record]] = []
    for link in _links(reader, record.path) if found is None else found:
        if record.line <= link.line <= record.end_line:
            reached = _reached(reader, record.path, link)
            if len(reached) == 1 and reached[0].address != record.address:
                out.append((Edge(record.address, reached[0].address, record.path, link.line), reached[0]))
    return out


def _reached(reader: Reader, origin: str, link: links.Link) -> list[Record]:
    """The records that a link in a file may lead to."""
    if link.kind != "file":
        return reader.named(Wikilink(link.target, link.heading), origin)
    path = posixpath.normpath(
        posixpath.join(posixpath.dirname(origin), link.target or posixpath.basename(origin))
    )
    if path.startswith("../") or reader.workspace.layout.find(path) is None:
        return []
    found = list(reader.file(path).records)
    entries = [record for record in found if "#" in record.address]
    return [one for one in entries if links.anchor(one.title) == link.heading] if entries else found


def incoming(reader: Reader, record: Record) -> list[tuple[Edge, Record]]:
    """The links that lead to a record, by the address of what has them, with the record that has each."""
    stem = record.stem
    names = dict.fromkeys([stem, record.title, *own_names(record), *([record.id] if record.id else [])])
    wanted = {normal(name).casefold() for name in (*names, record.address)}
    out: set[tuple[Edge, str]] = set()
    by_address: dict[str, Record] = {}
    for path in {path for name in names for path in reader.paths_holding([name])}:
        for link in _links(reader, path):
            if not _may_name(link, wanted):
                continue
            holder = next(
                (one for one in reader.file(path).records if one.line <= link.line <= one.end_line), None
            )
            if holder is None or holder.address == record.address:
                continue
            found = _reached(reader, path, link)
            if len(found) == 1 and found[0].address == record.address:
                by_address[holder.address] = holder
                out.add((Edge(holder.address, record.address, path, link.line), holder.address))
    return [(edge, by_address[address]) for edge, address in sorted(out)]


def _may_name(link: links.Link, wanted: set[str]) -> bool:
    """Whether a link has a name in it that a record answers to: only those are resolved."""
    last = link.target.rpartition("/")[2].removesuffix(".md")
    whole = link.target if link.heading is None else f"{link.target}#{link.heading}"
    said = (last, link.target, whole, link.heading or "")
    return not link.target or any(normal(one).casefold() in wanted for one in said if one)


def orphans(workspace: Workspace, *, at: str | None = None) -> list[Record]:
    """The records in use that no record links to and that link to none."""
    reader = open_reader(workspace, at)
    every = [record for record in reader.heads() if not record.archived]
    linked: set[str] = set()
    for path, records in groupby(every, attrgetter("path")):
        found = list(_links(reader, path))
        for record in records if found else ():
            for edge, _ in outgoing(reader, record, found):
                linked |= {edge.source, edge.target}
    return [record for record in every if record.address not in linked]


def _links(reader: Reader, path: str) -> Iterable[links.Link]:
    data = reader.files.data(path)
    return () if data is None else links.find(data.decode("utf-8-sig", "replace"))


def as_json(graph: Graph) -> dict[str, Any]:
    """`{start, records[{address, title, kind}], links[{from, to, path, line}]}`."""
    return {
        "start": graph.start,
        "records": [
            {"address": one.address, "title": one.title, "kind": one.kind}
            for one in sorted(graph.records, key=lambda one: one.address)
        ],
        "links": [
            {"from": edge.source, "to": edge.target, "path": edge.path, "line": edge.line}
            for edge in graph.edges
        ],
    }


def as_text(graph: Graph) -> list[str]:
    """Lines for a person: first what leads to the record, then what it leads to, then the rest."""
    out: list[str] = []
    groups = (
        ("linked from", [edge for edge in graph.edges if edge.target == graph.start]),
        ("links to", [edge for edge in graph.edges if edge.source == graph.start]),
        ("further", [edge for edge in graph.edges if graph.start not in (edge.source, edge.target)]),
    )
    for title, edges in groups:
        if edges:
            out.append(f"{title}:")
        for edge in edges:
            name = {"linked from": edge.source, "links to": edge.target}.get(title)
            out.append(f"  {name or f'{edge.source} -> {edge.target}'}  ({edge.path}:{edge.line})")
    return out


def as_dot(graph: Graph) -> str:
    """The graph in the language of Graphviz."""
    lines = [f"  {_quoted(one.address)} [label={_quoted(one.title)}];" for one in graph.records]
    pairs = dict.fromkeys((edge.source, edge.target) for edge in graph.edges)
    lines += [f"  {_quoted(source)} -> {_quoted(target)};" for source, target in pairs]
    return "\n".join(["digraph memgit {", *lines, "}"])


def as_mermaid(graph: Graph) -> str:
    """The graph as a Mermaid flowchart, which forges draw in Markdown."""
    number = {one.address: f"n{place}" for place, one in enumerate(graph.records)}
    lines = []
    for one in graph.records:
        title = "".join(
            f"#{ord(char)};" if char in '"#<>&`' else char for char in " ".join(one.title.split())
        )
        lines.append(f'  {number[one.address]}["{title}"]')
    pairs = dict.fromkeys((edge.source, edge.target) for edge in graph.edges)
    lines += [f"  {number[source]} --> {number[target]}" for source, target in pairs]
    return "\n".join(["flowchart LR", *lines])


def _quoted(text: str) -> str:
    return json.dumps(" ".join(text.split()), ensure_ascii=False)

"""Writing the site into a folder, and writing only what a change touches the next time.

A manifest in the folder (`.memgit-site.json`) notes for each page a digest of what it was made from, and for
each record its links. A record whose text, links, backlinks and events are the same keeps its page unread.
Other pages are made each time and written where they differ.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple

from memgit import __version__
from memgit.app.check.lint import Request, lint
from memgit.app.read.counts import counter
from memgit.app.read.health import health
from memgit.app.read.reader import Reader, open_reader
from memgit.app.workspace import Context, Workspace
from memgit.errors import Refused
from memgit.formats.codecs import parse_file
from memgit.site.collect import Collected, Digests, Item, Link, Links, Settings, collect
from memgit.site.pages import Pages, versions_of
from memgit.site.search_index import update_index

MANIFEST = ".memgit-site.json"
FORMAT = 2
"""Raised when the manifest or a template changes in a way that the version of memgit does not tell."""
MAX_VERSIONS = 10
"""Events of a record, from the newest on, whose difference in words is shown."""
MAX_USED = 10
MAX_KEPT = 200
"""Earlier versions of files that are held: the entries of one category are built one after the other."""

Progress = Callable[[str], None]


class Built(NamedTuple):
    """What a build did: pages of the site, files that were written or removed, and the commit it shows."""

    pages: int
    written: int
    removed: int
    revision: str | None


def build(
    workspace: Workspace,
    context: Context,
    folder: str,
    settings: Settings,
    *,
    at: str | None = None,
    live: str = "",
    progress: Progress = lambda _: None,
) -> Built:
    """Brings the site in a folder up to date with a revision, or with the working tree.

    Raises:
        Refused: the folder holds files of something else.
        NotFound: no such revision.
    """
    writer = _Writer(folder)
    reader = open_reader(workspace, at)
    collected = collect(workspace, reader, settings, writer.records(workspace))
    resolver = Links(reader, collected)
    links = _links(collected, resolver, writer.manifest)
    backlinks = _backlinks(links)
    pages = Pages(collected, resolver, links, backlinks, live=live)
    past = _Past(workspace)
    pictures: Mapping[str, list[str]] = writer.manifest.get("pictures", {})
    shown: dict[str, list[str]] = {}
    for number, item in enumerate(collected.items.values()):
        if number % 200 == 0:
            progress(f"{number} of {len(collected.items)} records")
        digest = _digest(item, pages, links, backlinks, collected, live)
        resolver.files.clear()
        made = writer.page(item.page, digest, partial(_record, pages, past, item))
        used = list(resolver.files) if made else pictures.get(item.page, [])
        shown[item.page] = used
        for place in writer.missing(used):
            writer.file(place, reader.files.data(place.removeprefix("files/")) or b"")
    progress("lists, log and search")
    for path, text in _others(workspace, context, reader, collected, pages):
        writer.file(path, text.encode("utf-8", "replace"))
    if not live:
        writer.index(collected)
    _assets(writer)
    return writer.finish(collected, links, {page: used for page, used in shown.items() if used})


def _record(pages: Pages, past: _Past, item: Item) -> str:
    return pages.record(item, past.versions(item))


def _links(collected: Collected, resolver: Links, manifest: Mapping[str, Any]) -> dict[str, Sequence[Link]]:
    """The links of every record; those of an unchanged text are taken from the manifest, and resolved anew."""
    known = manifest.get("links", {})
    found: dict[str, Sequence[Link]] = {}
    for address, item in collected.items.items():
        held = known.get(address)
        if held is not None and held[0] == item.digest:
            found[address] = [resolver.resolved(item.record, Link(*one)) for one in held[1]]
        else:
            found[address] = resolver.of(collected.full(item.record))
    return found


def _backlinks(links: Mapping[str, Sequence[Link]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for address, made in links.items():
        for target in dict.fromkeys(one.target for one in made if one.target and one.target != address):
            found.setdefault(target, []).append(address)
    return found


def _digest(
    item: Item,
    pages: Pages,
    links: Mapping[str, Sequence[Link]],
    backlinks: Mapping[str, Sequence[str]],
    collected: Collected,
    live: str,
) -> str:
    """Of everything that a record's page shows."""
    near = dict.fromkeys(
        [
            *(one.target for one in links[item.record.address] if one.target),
            *backlinks.get(item.record.address, ()),
        ]
    )
    shown = [
        (name, collected.items[name].page, collected.items[name].digest)
        for name in near
        if name in collected.items
    ]
    kinds = sorted({other.record.kind for other in collected.items.values()}) if live else ()
    commits = [event.commit for event, _ in item.events]
    text = json.dumps(
        [
            FORMAT,
            __version__,
            collected.settings,
            item.digest,
            item.record.line,
            pages.crumbs(item),
            shown,
            kinds,
            live,
            commits,
        ]
    )
    return sha256(text.encode()).hexdigest()[:20]


def _others(
    workspace: Workspace, context: Context, reader: Reader, collected: Collected, pages: Pages
) -> Iterator[tuple[str, str]]:
    """Every page that is not a record's."""
    count = counter(reader)
    used = sorted(
        ((item, n) for item in collected.items.values() if (n := count(item.record))),
        key=lambda pair: -pair[1],
    )
    state = health(workspace, context, at=collected.revision if not reader.fresh else None)
    yield "index.html", pages.front(used[:MAX_USED], state)
    yield from pages.lists()
    yield from pages.timeline()
    yield (
        "graph.html",
        pages.page("graph.html", "graph.html", "Graph of links", rows=_most_linked(collected, pages)),
    )
    yield "graph.json", json.dumps(pages.graph(), ensure_ascii=False)
    yield "findings.html", _findings(workspace, context, reader, collected, pages)
    yield "search.html", pages.page("search.html", "search.html", "Search")
    yield "404.html", pages.page("404.html", "404.html", "Not found")
    if collected.settings.url:
        newest = [(event, pages.told(event, "feed.xml")) for event in collected.events[:50]]
        yield (
            "feed.xml",
            pages.page("feed.xml", "feed.xml", "Activity", url=collected.settings.url, entries=newest),
        )
        places = [item.page for item in collected.items.values()]
        yield (
            "sitemap.xml",
            pages.page("sitemap.xml", "sitemap.xml", "", url=collected.settings.url, places=places),
        )


def _findings(
    workspace: Workspace, context: Context, reader: Reader, collected: Collected, pages: Pages
) -> str:
    """What lint finds in published records, by rule."""
    at = None if reader.fresh else reader.revision
    result = lint(workspace, context, Request(at=at)).report.result
    paths = {item.record.path for item in collected.items.values()}
    shown = [one for one in result.findings if one.path in paths and not collected.names_hidden(one.message)]
    return pages.findings(shown)


def _most_linked(collected: Collected, pages: Pages) -> list[Any]:
    """The list beside the graph: every record with the number of its links, the most linked first."""
    rows = [
        (pages.degree(item), pages.row(item, "graph.html", f"{pages.degree(item)} links"))
        for item in collected.items.values()
    ]
    return [row for _, row in sorted(rows, key=lambda pair: -pair[0])]


def _assets(writer: _Writer) -> None:
    """The stylesheet and the scripts, as shipped."""
    static = files("memgit.site") / "static"
    for name in ("style.css", "icon.svg", "site.js", "graph.js", "search.js", "review.js"):
        writer.file(f"static/{name}", (static / name).read_bytes())
    for one in (static / "vendor").iterdir():
        writer.file(f"static/vendor/{one.name}", one.read_bytes())


class _Past:
    """Texts of records at earlier commits; each version of a file is parsed once."""

    def __init__(self, workspace: Workspace) -> None:
        self._repo, self._layout = workspace.repo, workspace.layout
        self._bodies: dict[tuple[str, str], dict[str, str]] = {}

    def versions(self, item: Item) -> Any:
        texts = [
            self._body(item, event.commit, change.address) for event, change in item.events[:MAX_VERSIONS]
        ]
        return versions_of(item, texts)

    def _body(self, item: Item, commit: str, address: str) -> str | None:
        repo = self._repo
        if repo is None:
            return None
        tree = repo.tree(commit)
        for path in self._paths(item, address):
            entry = tree.get(path)
            if entry is None or not entry.is_file:
                continue
            key = (path, entry.oid)
            if key not in self._bodies:
                parsed = parse_file(self._layout, path, repo.blob(entry.oid))
                self._bodies[key] = {
                    name: record.body
                    for record in parsed.records
                    for name in (record.address, record.id or "")
                }
                if len(self._bodies) > MAX_KEPT:
                    del self._bodies[next(iter(self._bodies))]
            bodies = self._bodies[key]
            found = bodies.get(address, bodies.get(item.record.id or "-"))
            if found is not None:
                return found
        return None

    def _paths(self, item: Item, address: str) -> list[str]:
        """Where the record may have been when it had an address."""
        kind, _, key = address.partition("/")
        key = key.partition("#")[0]
        places = [place.path(key) for place in self._layout.of(kind)]
        return list(
            dict.fromkeys([item.record.path, *(path for path in places if "{" not in path), f"{key}.md"])
        )


class _Writer:
    """Writes files into the folder of the site, and removes those of the last build that are gone."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.manifest: dict[str, Any] = self._read()
        self._pages: dict[str, str] = {}
        self._files: dict[str, str] = {}
        self._written = 0
        self._search: dict[str, Any] = {}
        self._parsed_by = ""

    def records(self, workspace: Workspace) -> Mapping[str, Digests]:
        """The digests of records of the last build, where files were parsed as they are now."""
        self._parsed_by = sha256(repr(workspace.layout).encode()).hexdigest()[:20]
        held = self.manifest.get("records", {})
        return held if self.manifest.get("parsed_by") == self._parsed_by else {}

    def _read(self) -> dict[str, Any]:
        os.makedirs(self._folder, exist_ok=True)
        path = os.path.join(self._folder, MANIFEST)
        try:
            with open(path, encoding="utf-8") as file:
                held = json.load(file)
            return (
                held
                if isinstance(held, dict) and held.get("version") == [FORMAT, __version__]
                else {"files": held.get("files", {})}
            )
        except (OSError, ValueError, AttributeError):
            if os.listdir(self._folder) and not os.path.exists(path):
                raise Refused(
                    f"{self._folder} is not empty, and memgit did not make it",
                    hint="name an empty folder or a new one",
                ) from None
            return {}

    def page(self, path: str, digest: str, make: Callable[[], str]) -> bool:
        """A page that is made only where its digest is new, or its file is gone. Whether it was."""
        self._pages[path] = digest
        held = self.manifest.get("pages", {}).get(path)
        if held == digest and os.path.exists(os.path.join(self._folder, path)):
            self._files[path] = self.manifest["files"].get(path, "")
            return False
        self.file(path, make().encode("utf-8", "replace"))
        return True

    def file(self, path: str, data: bytes) -> None:
        """A file, written where it differs from that of the last build."""
        digest = sha256(data).hexdigest()[:20]
        self._files[path] = digest
        full = os.path.join(self._folder, path)
        if self.manifest.get("files", {}).get(path) == digest and os.path.exists(full):
            return
        os.makedirs(os.path.dirname(full), exist_ok=True)
        temporary = f"{full}.{os.getpid()}.tmp"
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, full)
        self._written += 1

    def missing(self, paths: Iterable[str]) -> list[str]:
        """Those of some files that this build has not written yet."""
        return [path for path in paths if path not in self._files]

    def index(self, collected: Collected) -> None:
        """The parts of the search index."""
        last = self.manifest.get("search", {})
        whole = all(os.path.exists(os.path.join(self._folder, path)) for path in last.get("parts", ()))
        state, parts = update_index(collected, last if whole else {}, self._part)
        self._search = state
        for path, data in parts.items():
            self.file(path, data)
        kept = [path for path in self.manifest.get("files", {}) if path.startswith("search/")]
        self.keep(path for path in kept if path not in parts and path in state["parts"])

    def _part(self, path: str) -> bytes | None:
        try:
            with open(os.path.join(self._folder, path), "rb") as file:
                return file.read()
        except OSError:
            return None

    def keep(self, paths: Iterable[str]) -> None:
        """Files of the last build that are still part of the site."""
        for path in paths:
            if path in self.manifest.get("files", {}):
                self._files.setdefault(path, self.manifest["files"][path])

    def finish(
        self, collected: Collected, links: Mapping[str, Sequence[Link]], pictures: Mapping[str, list[str]]
    ) -> Built:
        """Removes what is not part of the site any more, and notes what is."""
        gone = [path for path in self.manifest.get("files", {}) if path not in self._files]
        for path in gone:
            full = os.path.normpath(os.path.join(self._folder, path))
            if full.startswith(os.path.abspath(self._folder) + os.sep) and os.path.isfile(full):
                os.unlink(full)
        held = {
            "version": [FORMAT, __version__],
            "links": {
                name: [collected.items[name].digest, [one[:2] for one in found]]
                for name, found in links.items()
            },
            "parsed_by": self._parsed_by,
            "records": collected.digests,
            "pages": self._pages,
            "files": self._files,
            "pictures": pictures,
            "search": self._search,
        }
        with open(os.path.join(self._folder, MANIFEST), "w", encoding="utf-8") as file:
            json.dump(held, file)
        return Built(len(self._pages), self._written, len(gone), collected.revision)

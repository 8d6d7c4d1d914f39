"""The pages of the site, from templates that escape everything they are given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from memgit.derive.index_places import HEADINGS
from memgit.lint.rule import Finding
from memgit.model import link
from memgit.model.kinds import KINDS
from memgit.model.operation import PAST, Event
from memgit.model.record import Value, joined
from memgit.model.slug import slug
from memgit.review.values import Review
from memgit.review.words import CONTEXT, Piece, difference
from memgit.site.collect import Collected, Item, Link, Links, Settings
from memgit.site.render import Target, html, visible
from memgit.site.urls import relative, unique_paths

MAX_NEWEST = 20
MAX_COMPARED = 60_000
"""Characters of two versions together up to which they are compared in words."""
MAX_DEPTH = 1
"""Embeds inside of an embed that are shown in full; deeper ones are links."""
HIDDEN_FIELDS = frozenset(["title", "name", "body", "related"])


class Row(NamedTuple):
    """A record in a list."""

    title: str
    href: str
    kind: str
    date: str = ""
    more: str = ""


class Version(NamedTuple):
    """One event of a record, with what it changed in words; `pieces` is empty where that is not known."""

    event: Event
    action: str
    pieces: Sequence[Piece]


class Pages:
    """Renders pages of one state of the knowledge root.

    Args:
        links: the links of each record, by address.
        backlinks: the addresses of the records that link to each record.
        live: names the state that `memgit serve` shows; the pages then search with the engine.
    """

    def __init__(
        self,
        collected: Collected,
        resolver: Links,
        links: Mapping[str, Sequence[Link]],
        backlinks: Mapping[str, Sequence[str]],
        *,
        live: str = "",
    ) -> None:
        self._all, self._resolver = collected, resolver
        self._links, self._backlinks, self._live = links, backlinks, live
        self._kinds = {kind for item in collected.items.values() for kind in [item.record.kind]}
        groups = {(item.record.kind, item.group) for item in collected.items.values()}
        self._groups = unique_paths(
            {f"{kind}/{group}": f"groups/{kind}/{slug(group)}" for kind, group in groups if group}
        )
        self._env = _environment()

    def _group_page(self, kind: str, group: str) -> str:
        return self._groups[f"{kind}/{group}"]

    def page(self, template: str, path: str, title: str, **values: Any) -> str:
        """One page of the site; `path` is where it will be, from the top."""
        return self._env.get_template(template).render(
            site=self._all.settings.title,
            title=visible(title),
            path=path,
            rel=lambda target: relative(target, path),
            kinds=[(kind, HEADINGS[kind]) for kind in KINDS if kind in self._kinds],
            revision=self._all.revision,
            live=self._live,
            **values,
        )

    def record(self, item: Item, versions: Sequence[Version]) -> str:
        """The page of one record."""
        record = item.record
        back = [
            self.row(self._all.items[name], item.page) for name in self._backlinks.get(record.address, ())
        ]
        related = [
            self.row(self._all.items[one.target], item.page)
            for one in self._links[record.address]
            if one.target is not None and one.target in self._all.items and one.text in record.related
        ]
        fields = [
            (name, visible(joined(value)))
            for name, value in record.fields.items()
            if value and name not in HIDDEN_FIELDS
        ]
        return self.page(
            "record.html",
            item.page,
            record.title,
            record=record,
            address=visible(record.address),
            source_path=visible(record.path),
            fields=fields,
            body=self.body(item, item.page),
            related=related,
            backlinks=back,
            versions=versions,
            crumbs=self.crumbs(item),
        )

    def crumbs(self, item: Item) -> list[tuple[str, str]]:
        """The way down to a record: its kind, then its group."""
        found = [(HEADINGS[item.record.kind], relative(kind_page(item.record.kind), item.page))]
        if item.group:
            found.append(
                (visible(item.group), relative(self._group_page(item.record.kind, item.group), item.page))
            )
        return found

    def body(self, item: Item, page: str, depth: int = 0) -> Markup:
        """The text of a record as safe HTML, with links as seen from a page."""
        text = self._all.full(item.record).body
        return Markup(html(text, _OnPage(self, self._resolver, item, page, depth)))  # noqa: S704

    def row(self, item: Item, page: str, more: str = "") -> Row:
        record = item.record
        date = (item.events[0][0].date if item.events else record.updated or "")[:10]
        return Row(visible(record.title), relative(item.page, page), record.kind, date, more)

    def rows(self, items: Iterable[Item], page: str) -> list[Row]:
        return [self.row(item, page) for item in items]

    def item(self, address: str) -> Item | None:
        return self._all.items.get(address)

    def lists(self) -> Iterator[tuple[str, str]]:
        """Pages of kinds, groups, topics, tags and the decision board, each with its place."""
        items = sorted(self._all.items.values(), key=lambda item: item.record.title.casefold())
        for kind in KINDS:
            chosen = [item for item in items if item.record.kind == kind]
            if not chosen:
                continue
            groups: dict[str, list[Item]] = {}
            for item in chosen:
                groups.setdefault(item.group, []).append(item)
            loose = groups.pop("", [])
            path = kind_page(kind)
            named = [
                (visible(name), relative(self._group_page(kind, name), path), len(inside))
                for name, inside in sorted(groups.items())
            ]
            rows = self.rows(chosen if len(groups) < 2 else loose, path)
            yield path, self.page("list.html", path, HEADINGS[kind], groups=named, rows=rows)
            for name, inside in groups.items():
                place = self._group_page(kind, name)
                yield place, self.page("list.html", place, name, groups=[], rows=self.rows(inside, place))
        yield from self._labels("topics", "Topics", lambda record: record.topics)
        yield from self._labels("tags", "Tags", lambda record: (*record.items("tags"), *record.keywords))
        board = [
            (status, self.rows(group, "decisions.html"))
            for status, group in _grouped(
                (item for item in items if item.record.kind == "decision"),
                lambda item: (item.record.text("status") or "no status").lower(),
            )
        ]
        if board:
            yield "decisions.html", self.page("board.html", "decisions.html", "Decision board", columns=board)

    def _labels(self, folder: str, title: str, of: Any) -> Iterator[tuple[str, str]]:
        found: dict[str, list[Item]] = {}
        for item in self._all.items.values():
            for label in dict.fromkeys(of(item.record)):
                found.setdefault(label.lstrip("#"), []).append(item)
        if not found:
            return
        path, named = f"{folder}/index.html", []
        places = unique_paths({label: f"{folder}/l-{slug(label)}" for label in found})
        for label, items in sorted(found.items(), key=lambda pair: pair[0].casefold()):
            place = places[label]
            named.append((visible(label), relative(place, path), len(items)))
            yield place, self.page("list.html", place, label, groups=[], rows=self.rows(items, place))
        yield path, self.page("list.html", path, title, groups=named, rows=[])

    def timeline(self) -> Iterator[tuple[str, str]]:
        """The activity log, one page a month, the newest one also as `log/index.html`."""
        newest = sorted(self._all.events, key=lambda event: event.date[:10], reverse=True)
        months = [(month, list(events)) for month, events in groupby(newest, lambda event: event.date[:7])]
        names = [month for month, _ in months]
        if not months:
            yield "log/index.html", self.page("log.html", "log/index.html", "Activity", days=[], months=[])
        for number, (month, events) in enumerate(months):
            for path in [f"log/{month}.html", *(["log/index.html"] if number == 0 else [])]:
                days = [
                    (day, [self.told(event, path) for event in told])
                    for day, told in groupby(events, lambda event: event.date[:10])
                ]
                links = [(name, relative(f"log/{name}.html", path), name == month) for name in names]
                yield path, self.page("log.html", path, f"Activity {month}", days=days, months=links)

    def told(self, event: Event, page: str) -> dict[str, Any]:
        changes = []
        for change in event.records[:MAX_NEWEST]:
            item = self.item(change.address)
            name = visible(item.record.title if item is not None else change.address)
            verb = PAST.get(change.action, change.action)
            changes.append((verb, name, relative(item.page, page) if item else ""))
        return {
            "event": event,
            "who": who(event),
            "changes": changes,
            "more": len(event.records) - len(changes),
            "subject": visible(event.subject),
        }

    def front(self, used: Sequence[tuple[Item, int]], health: Any) -> str:
        """The front page."""
        path = "index.html"
        newest = sorted(
            self._all.items.values(),
            key=lambda item: item.events[0][0].date if item.events else item.record.updated or "",
            reverse=True,
        )[:MAX_NEWEST]
        groups = Counter((item.record.kind, item.group) for item in self._all.items.values() if item.group)
        named = [
            (visible(name), relative(self._group_page(kind, name), path), n)
            for (kind, name), n in groups.most_common(MAX_NEWEST * 2)
        ]
        counts = Counter(item.record.kind for item in self._all.items.values())
        return self.page(
            "front.html",
            path,
            self._all.settings.title,
            newest=self.rows(newest, path),
            used=[self.row(item, path, f"{n} uses") for item, n in used],
            groups=named,
            counts=[
                (HEADINGS[kind] if counts[kind] > 1 else kind, counts[kind], relative(kind_page(kind), path))
                for kind in KINDS
                if counts[kind]
            ],
            health=health,
            ways=[(name, relative(place, path)) for name, place in self._ways()],
            recent=[self.told(event, path) for event in self._all.events[:MAX_NEWEST]],
        )

    def findings(self, found: Sequence[Finding]) -> str:
        """Findings of lint, by rule."""
        path = "findings.html"
        rules: dict[str, list[dict[str, str]]] = {}
        for one in found:
            item = self._at(one)
            rules.setdefault(one.rule, []).append(
                {
                    "name": one.name,
                    "place": visible(f"{one.path}:{one.line}"),
                    "message": visible(one.message),
                    "href": relative(item.page, path) if item is not None else "",
                }
            )
        return self.page(path, path, "Findings", findings=found, rules=sorted(rules.items()))

    def _at(self, finding: Finding) -> Item | None:
        found = self.item(finding.address) if finding.address else None
        if found is not None:
            return found
        return next((item for item in self._all.items.values() if item.record.path == finding.path), None)

    def _ways(self) -> Iterator[tuple[str, str]]:
        records = [item.record for item in self._all.items.values()]
        if any(record.topics for record in records):
            yield "Topics", "topics/index.html"
        if any(record.items("tags") or record.keywords for record in records):
            yield "Tags and keywords", "tags/index.html"
        if "decision" in self._kinds:
            yield "Decision board", "decisions.html"
        yield "Activity", "log/index.html"
        yield "Graph of links", "graph.html"

    def degree(self, item: Item) -> int:
        """The number of records that a record links to or is linked from."""
        out = {one.target for one in self._links[item.record.address] if one.target}
        return len(out.union(self._backlinks.get(item.record.address, ())) - {item.record.address})

    def graph(self) -> dict[str, Any]:
        """The graph of links: `nodes` as [title, page, kind], `edges` as pairs of their numbers."""
        numbers = {address: number for number, address in enumerate(self._all.items)}
        nodes = [
            [visible(item.record.title), item.page, item.record.kind] for item in self._all.items.values()
        ]
        edges = {
            (numbers[address], numbers[one.target])
            for address, found in self._links.items()
            for one in found
            if one.target in numbers and one.target != address
        }
        return {"nodes": nodes, "edges": sorted(edges)}


class _OnPage:
    """Answers the renderer's questions about the links of one record, for the page that it is shown on."""

    def __init__(self, pages: Pages, links: Links, item: Item, page: str, depth: int) -> None:
        self._pages, self._links, self._item = pages, links, item
        self._page, self._depth = page, depth

    def wikilink(self, inner: str, embed: bool) -> Target | None:
        origin = self._item.record
        picture = self._links.picture(origin, inner.partition("|")[0].strip())
        if picture is not None:
            return Target(relative(picture, self._page), image=embed)
        address = self._links.target(origin, inner)
        found = self._pages.item(address) if address is not None else None
        if found is None:
            return None
        body = None
        if embed and self._depth < MAX_DEPTH and found is not self._item:
            body = str(self._pages.body(found, self._page, self._depth + 1))
        wanted = link.parse(inner)
        entry = wanted.heading == found.record.title or "/" in wanted.target
        href = self._links.url(found, wanted.heading, self._page)
        return Target(href, visible(found.record.title) if entry else "", body=body)

    def relative(self, url: str) -> Target | None:
        path, _, fragment = url.partition("#")
        picture = self._links.picture(self._item.record, path)
        if picture is not None:
            return Target(relative(picture, self._page), image=True)
        found = self._links.beside(self._item.record, path, fragment)
        return None if found is None else Target(self._links.url(found, fragment, self._page))


def review_page(settings: Settings, found: Review) -> str:
    """A review as a page: each change with its fields and its text side by side and as one."""
    path = "review.html"
    changes = [
        {
            "word": one.change,
            "title": visible(one.record.title),
            "address": visible(one.record.address),
            "kind": one.record.kind,
            "who": visible(
                ", ".join(name.partition(" <")[0] for name in (*one.who.authors, *one.who.actors))
            ),
            "fields": [(each.name, _shown(each.before), _shown(each.after)) for each in one.fields],
            "body": one.body or ((Piece("+", one.new.body),) if one.new and not one.old else ()),
            "findings": [each for each in found.findings if each.address == one.record.address],
        }
        for one in found.changes
    ]
    env = _environment()
    return env.get_template("review.html").render(
        site=settings.title,
        title=f"Review {found.base.name}..{found.head.name}",
        path=path,
        rel=lambda target: f"/{target}",
        kinds=(),
        revision=found.head.commit,
        live="",
        review=found,
        changes=changes,
        words=list(dict.fromkeys(one.change for one in found.changes)),
        others=[one for one in found.findings if one.address not in {each["address"] for each in changes}],
    )


def _shown(value: Value) -> str:
    return visible(joined(value))


def versions_of(item: Item, texts: Sequence[str | None]) -> list[Version]:
    """The events of a record with what each changed, in words.

    Args:
        texts: the record's text after each of its newest events, None where it is not known. Events beyond
            these are listed without their difference.
    """
    found = []
    for number, (event, change) in enumerate(item.events):
        now = texts[number] if number < len(texts) else None
        before = texts[number + 1] if number + 1 < len(texts) else None
        if number + 1 == len(item.events):
            before = ""
        known = now is not None and before is not None and len(now) + len(before) <= MAX_COMPARED
        pieces = difference(before or "", now or "") if known else ()
        found.append(Version(event, PAST.get(change.action, change.action), pieces))
    return found


def who(event: Event) -> str:
    """Author and agent of an event."""
    name = visible(event.author.partition(" <")[0])
    return f"{name} with {visible(event.actor)}" if event.actor else name


def kind_page(kind: str) -> str:
    return f"records/{kind}/index.html"


def _grouped(items: Iterable[Item], key: Any) -> list[tuple[str, list[Item]]]:
    found: dict[str, list[Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return sorted(found.items())


def _shortened(text: str) -> str:
    """Unchanged text between two changes: its ends."""
    shown = visible(text)
    return shown if len(shown) <= 2 * CONTEXT + 20 else f"{shown[:CONTEXT]} … {shown[-CONTEXT:]}"


@lru_cache(maxsize=1)
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("memgit.site"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["visible"] = visible
    made.filters["shorten"] = _shortened
    made.globals["who"] = who
    return made

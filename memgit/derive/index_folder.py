"""`INDEX.md` beside memories and decisions: the records of one folder, sorted by file name, one a line.

It holds no total, so two branches that each add a record change one line each. Archived records are left out.
Past `MAX_LISTED` records it lists their topics (memories) or months (decisions) instead, and the command that
lists them all. memgit's own layout has one wherever there are such records; a workspace that was opened in
place only where its owner has put the markers. An index that holds nothing else goes with its last record.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.derive import index_places as places
from memgit.derive import managed
from memgit.derive.links import escape, one_line, target
from memgit.derive.view import DerivedFile, Rendered, View
from memgit.model.layout import Layout
from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Record

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

_LINE = pattern(r"- \[.*\]\(([^()]*)\)[^()\]]*")
_MORE = f"More than {places.MAX_LISTED} "


def _paths(view: View) -> Iterator[str]:
    root = places.root_path(view.layout)
    for top in places.tops(view.layout):
        for folder in places.walk(view, top):
            path = folder + places.NAME
            if (
                path != root
                and (places.NAME in view.names(folder) or places.holds(view, folder))
                and places.wanted(view, path)
            ):
                yield path


def _affected(layout: Layout, path: str) -> Iterator[str]:
    if not places.lists(layout):
        return
    if places.folder_of(layout, path) is not None:
        yield path
    elif places.kind_at(layout, path) in places.LISTED:
        folder = path[: path.rfind("/") + 1]
        while places.folder_of(layout, folder + places.NAME) is not None:
            yield folder + places.NAME
            folder = folder[: folder.rstrip("/").rfind("/") + 1]


def _build(view: View, path: str) -> Rendered:
    data = view.data(path)
    if not places.wanted(view, path):
        return Rendered(data)
    folder = path.removesuffix(places.NAME)
    names = list(places.own(view, folder))
    scopes = [
        _scope_line(name) for name in places.inner(view, folder) if places.holds(view, f"{folder}{name}/")
    ]
    if not scopes and not any(places.readable(view, folder + name) for name in names):
        if data is None or managed.only_generated(data, places.MARKERS, _heading(view.layout, folder)):
            return Rendered(None)
        if not managed.has_block(data, places.MARKERS):
            return Rendered(data)
    scopes = places.bounded(scopes, _kind(view.layout, folder))
    if len(names) > places.MAX_LISTED:
        return _written(view, path, scopes, _summary(view, folder, names))
    lines = [line for name in names if (line := _line(view, folder + name)) is not None]
    return _written(view, path, scopes, lines)


def _written(view: View, path: str, scopes: list[str], records: list[str]) -> Rendered:
    content = ["", *([*scopes, ""] if scopes else []), *([*records, ""] if records else [])]
    heading = _heading(view.layout, path.removesuffix(places.NAME))
    return managed.render(
        view.data(path), places.MARKERS, content if len(content) > 1 else places.EMPTY, heading
    )


def _kind(layout: Layout, folder: str) -> str:
    place = places.owner(layout, folder)
    return places.LISTED[0] if place is None else place.kind


def _heading(layout: Layout, folder: str) -> str:
    title, inside = places.HEADINGS[_kind(layout, folder)], places.scope(layout, folder)
    return f"# {title}: {escape(inside)}" if inside else f"# {title}"


def _scope_line(name: str) -> str:
    return places.link(f"{name}/", f"{name}/{places.NAME}")


def _line(view: View, path: str) -> str | None:
    """The line of one record; None for a file without a record in use."""
    record = next((record for record in view.parsed(path).records if not record.archived), None)
    if record is None:
        return None
    name = path.rpartition("/")[2]
    title = record.title if one_line(record.title) else name.removesuffix(".md")
    return places.link(title, name) + _status(record)


def _status(record: Record) -> str:
    if record.kind != "decision":
        return ""
    status = "".join(char for char in one_line(record.text("status") or "") if char.isalnum() or char in " -")
    return f" - {status}" if status else ""


def _summary(view: View, folder: str, names: list[str]) -> list[str]:
    """What stands in place of the records of a folder that holds too many of them."""
    kind = _kind(view.layout, folder)
    if kind == "decision":
        return [*_summary_head(view.layout, folder), *sorted(_months(names))[-places.MAX_LISTED :]]
    topics = _topics(record for name in names for record in view.parsed(folder + name).records)
    return [*_summary_head(view.layout, folder), *places.bounded(sorted(topics), kind)]


def _summary_head(layout: Layout, folder: str) -> list[str]:
    kind = _kind(layout, folder)
    what = (
        "decisions lie here; these are their months"
        if kind == "decision"
        else "memories lie here; these are their topics"
    )
    return [f"{_MORE}{what}. All of them: {places.command(kind, places.scope(layout, folder))}", ""]


def _topics(records: Iterable[Record]) -> set[str]:
    """One line for each first part of a topic (of a tag where there is no topic) of records in use."""
    topics = (
        topic for record in records if not record.archived for topic in record.topics or record.items("tags")
    )
    return {f"- {name}" for topic in topics if (name := escape(topic.partition("/")[0]))}


def _months(names: Iterable[str]) -> set[str]:
    """One line for each month that keys begin with."""
    return {
        f"- {name[:4]}-{name[4:6]}" if name[:8].isascii() and name[:8].isdigit() else "- undated"
        for name in names
    }


class _Before(NamedTuple):
    """A block as it was: its lines about scopes, about records by link target, and the summary in place of
    the latter.
    """

    scopes: list[str]
    records: dict[str, str]
    summary: list[str] | None


def _before(lines: list[str]) -> _Before:
    scopes: list[str] = []
    records: dict[str, str] = {}
    for number, line in enumerate(lines):
        if line.startswith(_MORE):
            return _Before(scopes, records, lines[number:])
        match = _LINE.fullmatch(line)
        if match is not None and not match[1].endswith(f"/{places.NAME}"):
            records[match[1]] = line
        elif line.startswith("- "):
            scopes.append(line)
    return _Before(scopes, records, None)


def _quick(view: View, base: View, path: str, changed: Collection[str]) -> Rendered | None:
    data = view.data(path)
    if path in changed or data is None or data != base.data(path) or not places.wanted(view, path):
        return None
    folder = path.removesuffix(places.NAME)
    files = [
        file
        for file in changed
        if file.startswith(folder) and places.kind_at(view.layout, file) in places.LISTED
    ]
    if all(_says_the_same(view, base, folder, file) for file in files):
        return Rendered(data)
    found = managed.read(data, places.MARKERS)
    if found is None:
        return None
    before = _before(managed.inner_lines(found))
    mine: list[str] = []
    for file in files:
        first, slash, _ = file.removeprefix(folder).partition("/")
        if not slash:
            mine.append(first)
        elif not _is_readable(view, file) or (
            not _is_readable(base, file) and _scope_line(first) not in before.scopes
        ):
            return None
    if not mine:
        return Rendered(data)
    if before.summary is not None:
        summary = _quick_summary(view, base, folder, mine, before.summary)
        return None if summary is None else _written(view, path, before.scopes, summary)
    now = {name: None if view.data(folder + name) is None else _line(view, folder + name) for name in mine}
    if all(line is not None and line == before.records.get(target(name)) for name, line in now.items()):
        return Rendered(data)
    names = sorted(name for name in view.names(folder) if name.endswith(".md"))
    lines = [
        line
        for name in names
        if (line := now[name] if name in now else before.records.get(target(name))) is not None
    ]
    if len(names) > places.MAX_LISTED or not lines:  # look closely: not all of them need be records
        names = list(places.own(view, folder))
        if len(names) > places.MAX_LISTED or not any(places.readable(view, folder + name) for name in names):
            return None
    return _written(view, path, before.scopes, lines)


def _is_readable(view: View, path: str) -> bool:
    return view.data(path) is not None and places.readable(view, path)


def _says_the_same(view: View, base: View, folder: str, file: str) -> bool:
    """Whether a file below a folder says nothing else to its index than it did."""
    if view.data(file) is None or base.data(file) is None:
        return False
    if places.readable(view, file) != places.readable(base, file):
        return False
    if "/" in file.removeprefix(folder):
        return True
    now, then = view.parsed(file).records, base.parsed(file).records
    return _line(view, file) == _line(base, file) and _topics(now) == _topics(then)


def _quick_summary(
    view: View, base: View, folder: str, mine: list[str], summary: list[str]
) -> list[str] | None:
    """The summary with what changed records add; where a topic may have lost its last record, only all
    records can tell.
    """
    if any(view.data(folder + name) is None for name in mine):
        return None
    kind = _kind(view.layout, folder)
    shown = {line for line in summary if line.startswith("- ") and not line.startswith(places.AND_MORE + "`")}
    if kind == "decision":
        return [*_summary_head(view.layout, folder), *sorted(shown | _months(mine))[-places.MAX_LISTED :]]
    for name in mine:
        new = _topics(view.parsed(folder + name).records)
        old = _topics(base.parsed(folder + name).records) if base.data(folder + name) is not None else set()
        if not new.issuperset(old):
            return None
        shown |= new
    lines = places.bounded(sorted(shown), kind)
    if len(lines) <= places.MAX_LISTED and any(line.startswith(places.AND_MORE + "`") for line in summary):
        lines.append(places.AND_MORE + places.command(kind))
    return [*_summary_head(view.layout, folder), *lines]


FOLDER_INDEX = DerivedFile("INDEX.md of a folder", _paths, _affected, _build, _quick)

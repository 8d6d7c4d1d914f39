"""The pages of a memory vault that people browse by: `20-Indices/index.md`, and `10-Memories/README.md`.

They have no markers. Of the first, the sections with a known heading are written anew (the lists under them,
and the numbers of the statistics); of the second, the entries that begin with a linked heading. Everything
else is people's and stays. A page whose content is right already keeps its bytes. Tombstoned memories are not
listed. Past `MAX_LISTED` memories the lists by category and topic name the categories and topics alone and
say how to list the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memgit.derive import conflict, dates, vault
from memgit.derive.links import escape_structure, one_line, target
from memgit.derive.vault import Memory, Since
from memgit.derive.view import DerivedFile, Rendered, View
from memgit.errors import UnreadableFile
from memgit.formats.blocks import outline
from memgit.formats.markdown import conflict_markers
from memgit.formats.text import decode, encode, has_bom, newline_of, split_lines
from memgit.model.layout import Layout
from memgit.model.lazy_re import pattern
from memgit.model.record import Problem, problem_of

MAX_RECENT = 10
MAX_LISTED = 300
OTHER = "Other"
_MORE = f"More than {MAX_LISTED} memories;"
_NONE = ("(none)", "_(none)_")

_ENTRY = pattern(r"### \[(?P<title>[^\n]*)\]\((?P<target>[^()\n]*\.md)\)[ \t]*")
_FIELD = pattern(r"\*\*(Title|Topic|Tags|Created)\*\*:")
_NUMBER = pattern(r"(?P<label>[-*] (?:Total memories|Total tokens|Last updated): *)(?P<value>.*)")


def index_path(layout: Layout) -> str:
    return layout.base + "20-Indices/index.md"


def readme_path(layout: Layout) -> str:
    place = vault.place_of(layout)
    return (place.folder if place is not None else layout.base + "10-Memories/") + "README.md"


def starters(layout: Layout) -> dict[str, bytes]:
    """The pages that a new vault begins with."""
    index = """\
# Memory index

## Recent Memories

## By Category

## By Topic

## JSON Index

- [memory-index.json](../memory-index.json)

## Statistics

- Total memories: 0
- Total tokens: 0
"""
    return {index_path(layout): index.encode(), readme_path(layout): b"# Memories\n"}


Write = Callable[[str, list[Memory]], str]


def _page(
    view: View, path: str, write: Write, since: Since | None = None, need: tuple[str, ...] = ()
) -> Rendered:
    """A page with its generated parts written anew, in the line ends that it has."""
    data = view.data(path)
    if data is None:
        return Rendered(None)
    try:
        text = decode(data)
    except UnreadableFile as error:
        return Rendered(data, (problem_of(error),))
    live = [memory for memory in vault.memories(view, None, since, need) if not memory.tombstoned]
    markers = conflict_markers(text)
    if not markers:
        return Rendered(encode(write(text, live), has_bom(data)))
    problem = Problem("MG104", markers[0], "conflict markers in a derived file")
    ours, theirs = (write(side, live) for side in conflict.sides(text))
    # Where both sides come to the same lines, people's own are the same, and nothing is lost with either.
    if sorted(split_lines(ours)) == sorted(split_lines(theirs)):
        return Rendered(encode(ours, has_bom(data)), (problem,))
    return Rendered(data, (problem._replace(fatal=True),))


# 20-Indices/index.md


def _write_index(text: str, live: list[Memory], prefix: str) -> str:
    """The page with its known sections brought up to date."""
    lines = split_lines(text)
    newline = newline_of(text)
    sections = [heading for heading in outline(text).headings if heading.level <= 2]
    ends = [*(heading.line - 1 for heading in sections), len(lines)][1:]
    for heading, end in reversed(list(zip(sections, ends, strict=True))):
        name = heading.title.casefold().strip()
        old = [line.rstrip("\r\n") for line in lines[heading.end_line : end]]
        new = _section(name, old, live, prefix) if heading.level == 2 else None
        if new is not None and _content(new) != _content(old):
            last = end == len(lines)
            written = _framed(old, new, last=last)
            if written and heading.end_line == len(lines) and not lines[-1].endswith("\n"):
                lines[-1] += newline
            open_end = last and not text.endswith("\n")
            lines[heading.end_line : end] = [line + newline for line in written[:-1]] + [
                line + ("" if open_end else newline) for line in written[-1:]
            ]
    return "".join(lines)


def _content(lines: Sequence[str]) -> list[str]:
    return [line.rstrip() for line in lines if line.strip()]


def _framed(old: list[str], new: list[str], *, last: bool) -> list[str]:
    """New lines between the blank lines that the old ones had around them."""
    filled = [number for number, line in enumerate(old) if line.strip()]
    if not filled:
        return ["", *new] if last else ["", *new, ""]
    return [*old[: filled[0]], *new, *old[filled[-1] + 1 :]]


def _section(name: str, old: list[str], live: list[Memory], prefix: str) -> list[str] | None:
    """The lines of a section; None for one that is not ours."""
    if name == "recent memories":
        recent = sorted(live, key=lambda one: (dates.day(one.created) or "", one.id), reverse=True)[
            :MAX_RECENT
        ]
        return _prose(old) + (
            [_dated(one, prefix) for one in recent]
            or [line for line in old if line.strip().casefold() in _NONE]
        )
    if name == "by category":
        return _prose(old) + _grouped(old, live, prefix, lambda one: one.category, _category_heading)
    if name == "by topic":
        return _prose(old) + _grouped(old, live, prefix, lambda one: one.topic, lambda text: text)
    return [_number(line, live) for line in _trimmed(old)] if name == "statistics" else None


def _trimmed(lines: list[str]) -> list[str]:
    """The lines without blank ones at either end."""
    filled = [number for number, line in enumerate(lines) if line.strip()]
    return lines[filled[0] : filled[-1] + 1] if filled else []


def _prose(old: list[str]) -> list[str]:
    """What people wrote between a heading and the list under it."""
    out: list[str] = []
    for line in old:
        if line.lstrip().startswith(("- ", "* ", "### ", _MORE)) or line.strip().casefold() in _NONE:
            break
        out.append(line)
    out = _trimmed(out)
    return [*out, ""] if out else []


def _link(memory: Memory, prefix: str) -> str:
    title = escape_structure(memory.title)
    return f"- [{escape_structure(memory.id)}]({prefix}{target(memory.id)}.md)" + (
        f" - {title}" if title else ""
    )


def _dated(memory: Memory, prefix: str) -> str:
    day = dates.day(memory.created)
    return _link(memory, prefix) + (f" ({day})" if day else "")


def _category_heading(text: str) -> str:
    return f"[{text}]" if text.isupper() else text


def _grouped(
    old: list[str],
    live: list[Memory],
    prefix: str,
    key: Callable[[Memory], str],
    heading: Callable[[str], str],
) -> list[str]:
    """The memories by groups, each under a heading of its own; groups keep the order and the spelling that
    they have.
    """
    groups: dict[str, list[Memory]] = {}
    for memory in live:
        groups.setdefault(one_line(key(memory)) or OTHER, []).append(memory)
    order: dict[str, str] = {}
    for line in old:
        if line.startswith("### "):
            name = line[4:].strip()
            bare = name[1:-1] if name.startswith("[") and name.endswith("]") else name
            if bare in groups:
                order.setdefault(bare, f"### {name}")
    for name in sorted(groups.keys() - {OTHER}) + [OTHER] * (OTHER in groups):
        order.setdefault(name, f"### {heading(name)}")
    if len(live) > MAX_LISTED:
        return [f"{_MORE} `memgit list --kind memory` lists them.", "", *order.values()]
    out: list[str] = []
    for name, line in order.items():
        out += [*([""] if out else []), line, *(_link(memory, prefix) for memory in groups[name])]
    return out


def _number(line: str, live: list[Memory]) -> str:
    match = _NUMBER.fullmatch(line)
    if match is None:
        return line
    if "memories" in match["label"]:
        value = str(len(live))
    elif "tokens" in match["label"]:
        value = str(sum(memory.tokens for memory in live))
    else:
        newest = dates.newest(text for one in live for text in (one.created, one.modified))
        value = match["value"] if newest is None else dates.like(match["value"], newest)
    return match["label"] + value


def _build_index(view: View, path: str, since: Since | None) -> Rendered:
    place = vault.place_of(view.layout)
    if place is None:
        return Rendered(view.data(path))
    prefix = "../" + place.folder.removeprefix(view.layout.base)
    return _page(view, path, lambda text, live: _write_index(text, live, prefix), since)


# 10-Memories/README.md


def _write_readme(text: str, live: list[Memory]) -> str:
    """The page with one entry for each memory: those that it has in their order, new ones after them."""
    lines = split_lines(text)
    newline = newline_of(text)
    starts = [number for number, line in enumerate(lines) if _ENTRY.fullmatch(line.rstrip("\r\n"))]
    hidden = _hidden_lines(text)
    starts = [number for number in starts if number not in hidden]
    if not starts:
        return _first_entries(text, live, newline)
    tail = next((number for number in range(starts[-1], len(lines)) if not lines[number].strip()), len(lines))
    pieces = [
        [line.rstrip("\r\n") for line in lines[start:end]]
        for start, end in zip(starts, [*starts[1:], tail], strict=True)
    ]
    by_file = {f"{target(memory.id)}.md": memory for memory in live}
    labels = [match[1] for line in pieces[-1][1:] if (match := _FIELD.match(line)) is not None] or ["Title"]
    out: list[str] = []
    seen: set[str] = set()
    for piece in pieces:
        match = _ENTRY.fullmatch(piece[0])
        file = match["target"].removeprefix("./") if match is not None else ""
        if file in by_file and file not in seen:
            seen.add(file)
            out += [piece[0], *(_field(line, by_file[file]) for line in piece[1:])]
            out += [] if not out[-1].strip() else [""]
    for file, memory in by_file.items():
        if file not in seen:
            out += _readme_entry(memory, labels)
    out = out[:-1] if out and not out[-1].strip() else out
    if _content(out) == _content([line for piece in pieces for line in piece]):
        return text
    end = "" if tail == len(lines) and not text.endswith("\n") else newline
    written = newline.join(out) + (end if out else "")
    return "".join(lines[: starts[0]]) + written + "".join(lines[tail:])


def _first_entries(text: str, live: list[Memory], newline: str) -> str:
    """A page of a heading alone, such as a new vault has, with its first entries; any other is people's own."""
    lines = _content(text.splitlines())
    if len(lines) != 1 or not lines[0].startswith("# ") or not live:
        return text
    out = [line for memory in live for line in _readme_entry(memory, ["Title"])]
    return lines[0] + newline + "".join(newline + line for line in out[:-1]) + newline


def _readme_entry(memory: Memory, labels: Sequence[str]) -> list[str]:
    head = f"### [{escape_structure(memory.id)}]({target(memory.id)}.md)"
    return [head, *(_field(f"**{label}**:", memory) for label in labels), ""]


def _hidden_lines(text: str) -> set[int]:
    """The numbers, from 0, of lines inside code, comments and HTML."""
    out: set[int] = set()
    for span in outline(text).hidden:
        first = text.count("\n", 0, span.start)
        out.update(range(first, first + text.count("\n", span.start, span.end) + 1))
    return out


def _field(line: str, memory: Memory) -> str:
    match = _FIELD.match(line)
    if match is None:
        return line
    values = {
        "Title": memory.title,
        "Topic": memory.topic,
        "Tags": ", ".join(memory.tags),
        "Created": dates.day(memory.created) or memory.created or "",
    }
    return f"{match[0]} {escape_structure(values[match[1]])}".rstrip()


def _build_readme(view: View, path: str, since: Since | None) -> Rendered:
    return _page(
        view, path, _write_readme, since, ("tags",) if b"**Tags**" in (view.data(path) or b"") else ()
    )


def _row(
    name: str, path: Callable[[Layout], str], build: Callable[[View, str, Since | None], Rendered]
) -> DerivedFile:
    return DerivedFile(
        name,
        lambda view: vault.existing(view, path(view.layout)),
        lambda layout, changed: vault.affected(layout, changed, path(layout)),
        lambda view, page: build(view, page, None),
        lambda view, base, page, changed: build(view, page, Since(base, changed)),
    )


VAULT_PAGE = _row("20-Indices/index.md", index_path, _build_index)
VAULT_README = _row("10-Memories/README.md", readme_path, _build_readme)

"""An entry as new lines: its fields in canonical order, labelled as the file labels them."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.errors import BadInput
from memgit.formats.mem_skill import bodies, titles
from memgit.formats.mem_skill.labels import LISTS, ORDER
from memgit.formats.mem_skill.sections import split, targets
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Value, joined

if TYPE_CHECKING:
    from collections.abc import Mapping


class Habits(NamedTuple):
    """How a file writes its entries: labels by field with bold and colon, and whether a blank line stands
    under a title.
    """

    labels: Mapping[str, str]
    blank_under_title: bool = False
    mark: bool = False
    empty_related: bool = True


def clean(name: str, value: Value) -> Value:
    """A field as it can stand in an entry: on one line, items of a list apart; empty gives None.

    Raises:
        BadInput: a link that no brackets can hold, or a name that is no field of an entry.
    """
    if name not in ORDER or name == "body":
        raise BadInput(f"an entry has no field {name!r}")
    if name not in LISTS:
        return titles.one_line(joined(value)) or None
    items = value if isinstance(value, tuple) else (value,) if value else ()
    if name == "keywords":
        return tuple(part for item in items for part in split(titles.one_line(item))) or None
    if name == "related":
        return tuple(_target(item) for item in items if item.strip()) or None
    return tuple(line for line in (titles.one_line(item) for item in items) if line) or None


def _target(text: str) -> str:
    target = titles.one_line(text)
    if target.startswith("[[") and target.endswith("]]"):
        target = target[2:-2].partition("|")[0].strip()
    if targets(f"[[{target}]]") != (target,):
        raise BadInput(f"no link can lead to {target!r} by this name", hint="link by id")
    return target


def join(name: str, value: tuple[str, ...]) -> str:
    """The items of a list on one line."""
    return ", ".join(f"[[{item}]]" for item in value) if name == "related" else ", ".join(value)


def field_lines(name: str, value: Value, habits: Habits) -> list[str]:
    """A field as new lines."""
    label = habits.labels[name]
    if not value:
        return [label]
    if name == "files":
        return [label, *(f"- {item}" for item in value)]
    return [f"{label} {join(name, value) if isinstance(value, tuple) else value}"]


def body_lines(body: str, habits: Habits) -> list[str]:
    """A body under its label as new lines; a list stands right under it, anything else after a blank line."""
    lines = bodies.escape(body).split("\n")
    return (
        [habits.labels["body"], *lines]
        if bodies.starts_with_item(body)
        else [habits.labels["body"], "", *lines]
    )


def compose(title: str, values: Mapping[str, Value], body: str, habits: Habits) -> list[str]:
    """A new entry as lines, in canonical order. `title`, `values` and `body` are clean."""
    lines = [f"## {titles.MARK} {titles.write(title)}" if habits.mark else f"## {titles.write(title)}"]
    if habits.blank_under_title:
        lines.append("")
    apart = False
    for name in ORDER:
        if name == "body":
            if body:
                lines += body_lines(body, habits)
                apart = not bodies.ends_in_list(body)
        elif values.get(name) or (name == "related" and habits.empty_related):
            if apart:
                lines.append("")
            apart = False
            lines += field_lines(name, values.get(name), habits)
    return lines

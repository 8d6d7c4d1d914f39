"""Labels that no format knows, in the body of an entry: what stays of them when the body is written anew."""

from __future__ import annotations

from memgit.formats.mem_skill.labels import LINE, name_of
from memgit.model.namedtuple import NamedTuple


class Part(NamedTuple):
    """Some lines of a body: those of one label (`label` is set), or text."""

    label: str | None
    lines: list[str]


def kept(old: str, new: str) -> str:
    """The new body with the labelled parts of the old one that it does not name, each before or after the
    text as it was.

    A part is a label at the start of a line, outside code, with the lines under it up to a blank one or the
    next label. The label of the body itself (`Best Practice`, `Solution`), where it stands among them, keeps
    its place above the new text.
    """
    parts = parts_of(old)
    own = [part.label for part in parts_of(new)]
    unknown = [part for part in parts if part.label is not None and name_of(part.label) is None]
    stay = [part for part in unknown if part.label not in own]
    if not stay:
        return new
    main = next(
        (number for number, part in enumerate(parts) if part.label is None or name_of(part.label) == "body"),
        len(parts),
    )
    before: list[str] = []
    after: list[str] = []
    for number, part in enumerate(parts):
        if any(part is one for one in stay):
            (before if number < main else after).extend(part.lines)
    if main < len(parts) and parts[main].label is not None and parts[main].label not in own:
        before.append(parts[main].lines[0])
    return "\n".join([*before, *new.strip("\n").split("\n"), *after]).strip("\n")


def parts_of(body: str) -> list[Part]:
    """A body cut at its labels; blank lines between parts belong to the text."""
    parts: list[Part] = []
    fence = ""
    for line in body.split("\n"):
        mark = line.lstrip(" ")[:3]
        if fence:
            fence = "" if mark == fence and not line.strip().strip(fence[0]) else fence
        elif mark in ("```", "~~~"):
            fence = mark
        found = None if fence else LINE.match("\n" + line)
        if found is not None:
            parts.append(Part(found[1].strip(), [line]))
        elif parts and (parts[-1].label is None or (line.strip() and not _ended(parts[-1]))):
            parts[-1].lines.append(line)
        else:
            parts.append(Part(None, [line]))
    return [part for part in parts if part.label is not None or any(line.strip() for line in part.lines)]


def _ended(part: Part) -> bool:
    return not part.lines[-1].strip()

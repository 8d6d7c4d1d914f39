"""One entry as lines, changed field by field: a change touches the lines of its field alone and keeps how
they are written.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.formats.blocks import HEADING, Scanner, atx, outline
from memgit.formats.mem_skill import bodies, titles
from memgit.formats.mem_skill.labels import LINE, ORDER
from memgit.formats.mem_skill.sections import Fields, Span, fields, hide, link_places, targets
from memgit.formats.merging.linediff import matching
from memgit.model.lazy_re import pattern
from memgit.model.record import Value

if TYPE_CHECKING:
    from collections.abc import Mapping
from memgit.formats.mem_skill.compose import Habits, body_lines, clean, field_lines, join

_ITEM = pattern(r"( {0,3})([-*+]|([0-9]{1,9})([.)]))([ \t]+)(.*)")


_LISTED = pattern(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]|[ \t]{2,}\S")


_BODY = ORDER["body"]


class Entry:
    """The lines of one entry, each with its end: from its heading to the end of its content.

    Every change is read back; where anything else than what was asked for came out different, it is refused.
    """

    def __init__(self, lines: list[str], newline: str, habits: Habits) -> None:
        self.lines = lines
        self._newline = newline
        self._habits = habits
        self._read()
        self._twice = self.fields.twice

    def _read(self) -> None:
        self.plain = [line[:-1].rstrip("\r") for line in self.lines]
        text = "\n".join(self.plain)
        found = outline(text, setext=False)
        heads = [heading for heading in found.headings if heading.level == 2]
        self.unclosed = found.unclosed
        self.whole = len(heads) == 1 and heads[0].start == 0
        self.hides_next = bool(found.hidden) and found.hidden[-1].weak and found.hidden[-1].end >= len(text)
        self.title = titles.read(heads[0].title) if heads else ""
        self._text = text
        self._starts = [0]
        for line in self.plain:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self.spans: list[Span] = []
        head = heads[0].end if heads else 0
        self.fields: Fields = fields(text, hide(text, found), head, len(text), self.spans)

    # Reading.

    def _line(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1

    def _span(self, name: str) -> Span | None:
        return next((span for span in self.spans if span.name == name), None)

    def _free(self) -> list[tuple[int, int]]:
        """The lines of the body without blank ones at its ends: number, and the column where the body begins
        on that line.
        """
        out: list[tuple[int, int]] = []
        for left, right in self.fields.free:
            first = self._line(left)
            if self._text[left] == "\n":
                first += 1
                out.append((first, 0))
            else:
                out.append((first, left - self._starts[first]))
            out += [(number, 0) for number in range(first + 1, self._line(right) + 1)]
        while out and not self.plain[out[0][0]][out[0][1] :].strip(" \t"):
            del out[0]
        while out and not self.plain[out[-1][0]][out[-1][1] :].strip(" \t"):
            del out[-1]
        return out

    def body_lines(self) -> list[str]:
        """The body as it stands in the file."""
        return [self.plain[number][column:] for number, column in self._free()]

    def field_lines(self, name: str) -> list[str]:
        """The lines of a field as they stand in the file; none where it is not there."""
        span = self._span(name)
        return [] if span is None else self.plain[self._line(span.start) : self._line(span.end) + 1]

    # Overwriting with lines that hold markers: what is read back after that has no meaning.

    def overwrite_body(self, lines: list[str]) -> None:
        """Puts lines in the place of the body."""
        free = self._free()
        if free:
            self._swap(free, None, lines)
            return
        label = self._span("body")
        at = self._line(label.start) + 1 if label else self._place("body")
        self._replace(at, at, lines)

    def overwrite_field(self, name: str, lines: list[str]) -> None:
        """Puts lines in the place of a field, or where it would stand."""
        span = self._span(name)
        at = self._place(name) if span is None else self._line(span.start)
        self._replace(at, at if span is None else self._line(span.end) + 1, lines)

    def overwrite_title(self, lines: list[str]) -> None:
        """Puts lines in the place of the heading."""
        self._replace(0, 1, lines)

    # Changing.

    def change(self, changes: Mapping[str, Value], *, as_is: bool = False) -> None:
        """Changes fields, `title` and `body` among them; None and empty values take a field away.

        `as_is` makes no list of a plain body.
        """
        wanted = dict(self.fields.values)
        title, body = self.title, self.fields.body
        self._twice = self.fields.twice
        for name in sorted(changes, key=lambda name: ORDER.get(name, -1)):
            value = changes[name]
            if name == "title":
                if value != self.title:
                    title = titles.clean(value if isinstance(value, str) else "")
                    if title != self.title:
                        self._set_title(title)
            elif name == "body":
                new = bodies.normal(value if isinstance(value, str) else "\n".join(value or ()))
                if body not in (new, value):
                    body = new if as_is or (body and bodies.is_plain(body)) else bodies.of(new)
                    self._set_body(body)
            elif not value or value != wanted.get(name):
                cleaned = clean(name, value)
                if cleaned != (wanted.get(name) or None):
                    wanted[name] = cleaned
                    self._set(name, cleaned)
        self._check(title, wanted, body)

    def escape_body(self) -> None:
        """Gives a backslash to each line of the body that could be taken for anything else than text."""
        body = self.fields.body
        self._exchange(self._free(), body, exact=True)
        self._check(self.title, dict(self.fields.values), body)

    def extend(self, text: str, date: str) -> None:
        """Appends text to the body: more items to a list that ends it, else a dated section."""
        addition = bodies.normal(text)
        if addition:
            body = extended(self.fields.body, addition, date)
            self._set_body(body)
            wanted = {**self.fields.values, "updated": clean("updated", date)}
            self._set("updated", wanted["updated"])
            self._check(self.title, wanted, body)

    def backfill(self, name: str, value: Value, under: str | None = None) -> None:
        """Adds a field that is not there, an empty one too: right under the field `under` where that is
        there, else where it belongs.
        """
        title, body, wanted = self.title, self.fields.body, {**self.fields.values, name: value}
        self._twice = self.fields.twice
        span = self._span(under) if under is not None else None
        self._insert(
            name, field_lines(name, value, self._habits), None if span is None else self._line(span.end) + 1
        )
        self._check(title, wanted, body)

    def _check(self, title: str, wanted: Mapping[str, Value], body: str) -> None:
        known = {name: value for name, value in self.fields.values.items() if name in ORDER and value}
        asked = {name: value for name, value in wanted.items() if name in ORDER and value}
        if self.whole and self.title == title and known == asked and self.fields.body == body:
            return
        if self._twice:
            raise Refused(
                f"{self._twice[0][0]} occurs twice in the record", hint="leave one of them, then try again"
            )
        if self.unclosed is not None:
            line, what = self.unclosed
            raise Refused(
                f"the {what} that opens in line {line} of the entry is never closed", hint="close it first"
            )
        raise Refused(
            "the entry cannot be changed without touching more than was asked for", hint="change it by hand"
        )

    def _set_title(self, title: str) -> None:
        line = self.plain[0]
        found = atx(line)
        old = found[1] if found else ""
        shown = old[: len(old) - len(titles.bare(old))] + titles.write(title)
        if not old:
            new = f"{line[: line.index('##') + 2]} {shown}"
        else:
            at = line.index(old, line.index("##") + 2)
            new = line[:at] + shown + line[at + len(old) :]
        self._replace(0, 1, [new])

    def _set(self, name: str, value: Value) -> None:
        span = self._span(name)
        if span is None:
            if value:
                self._insert(name, field_lines(name, value, self._habits))
            return
        first, stop = self._line(span.start), self._line(span.end) + 1
        label = self.plain[first][: span.text - span.start]
        if not value:
            if name == "related":  # Mem Skill keeps the label of a record without links
                body = self.fields.body
                kept = list(self.lines)
                self._replace(first, stop, [label.rstrip(" \t")])
                if self.fields.body == body and not self.fields.values.get(name):
                    return
                self.lines[:] = kept
                self._read()
            self._delete(first, stop)
            return
        raw = self.plain[first][span.text - span.start :]
        trail = raw[len(raw.rstrip(" \t")) :] if raw.strip(" \t") else ""
        label = label.rstrip(" \t") + (label[len(label.rstrip(" \t")) :] or " ")
        if not isinstance(value, tuple):
            self._replace(first, stop, [f"{label}{value}{trail}"])
        elif span.items or (name == "files" and not raw.strip(" \t")):
            self._replace(first, stop, [self.plain[first], *self._items(name, value, first + 1, stop)])
        else:
            text = self._text[span.text : span.end]
            self._replace(first, stop, [label + _rejoin(name, span.value, value, text) + trail])

    def _items(self, name: str, value: tuple[str, ...], first: int, stop: int) -> list[str]:
        """The lines of a list under a label: items that stay keep theirs, new ones take the marker of the
        first.
        """
        groups: list[list[str]] = []
        for line in self.plain[first:stop]:
            if _ITEM.match(line) or not groups:
                groups.append([line])
            else:
                groups[-1].append(line)
        known: dict[str, list[list[str]]] = {}
        for group in groups:
            match = _ITEM.match(group[0])
            item = " ".join(line.strip() for line in (match[6] if match else "", *group[1:])).strip()
            meant = targets(item) if name == "related" else (item,)
            if len(meant) == 1:
                known.setdefault(meant[0], []).append(group)
        match = _ITEM.match(groups[0][0]) if groups else None
        number = len(groups) + (int(match[3]) - 1 if match and match[3] else 0)
        out: list[str] = []
        for item in value:
            if known.get(item):
                out += known[item].pop(0)
                continue
            number += 1
            marker = (
                "- "
                if match is None
                else match[1] + (f"{number}{match[4]}" if match[3] else match[2]) + match[5]
            )
            out.append(marker + (f"[[{item}]]" if name == "related" else item))
        return out

    def _insert(self, name: str, new: list[str], wish: int | None = None) -> None:
        """Puts a new field where Mem Skill has it, or, where it would run into other text there, at the next
        place that is free of that.

        `wish` is the line before which it shall stand if it can.
        """
        body, values = self.fields.body, {**self.fields.values}
        kept = list(self.lines)
        places = [
            self._place(name) if wish is None else wish,
            *(self._line(span.end) + 1 for span in reversed(self.spans)),
            1,
            len(kept),
        ]
        for at in dict.fromkeys(places):
            for spaced in (True, False):
                self._put(at, new, spaced=spaced)
                others = {key: value for key, value in self.fields.values.items() if key != name}
                if (
                    self.fields.body == body
                    and others == values
                    and name in self.fields.values
                    and self.whole
                ):
                    return
                self.lines[:] = kept
                self._read()
        self._put(places[0], new)

    def _place(self, name: str) -> int:
        """The line before which a new field goes: after the nearest field that comes before it, by the order
        that Mem Skill has.

        Fields that belong after the body look at those after the body alone, and first for one to stand
        before.
        """
        rank = ORDER[name]
        if rank <= _BODY:
            before = [span for span in self.spans if ORDER[span.name] < rank]
            if before:
                nearest = max(before, key=lambda span: ORDER[span.name])
                return self._line(nearest.end) + 1
            free = self._free()
            after = [span for span in self.spans if not free or self._line(span.start) <= free[0][0]]
            return self._line(after[0].start) if after else 1
        label, free = self._span("body"), self._free()
        body = self._line(label.start) if label else free[0][0] if free else 0
        below = [span for span in self.spans if ORDER[span.name] > _BODY and self._line(span.start) >= body]
        following = [span for span in below if ORDER[span.name] > rank]
        if following:
            return self._line(min(following, key=lambda span: ORDER[span.name]).start)
        leading = [span for span in below if ORDER[span.name] < rank]
        if leading:
            return self._line(max(leading, key=lambda span: ORDER[span.name]).end) + 1
        return len(self.lines)

    def _put(self, at: int, new: list[str], *, apart: bool = False, spaced: bool = True) -> None:
        """Puts new lines before line `at`, with a blank line where the text beside them would run into them.

        `apart` asks for one after them in any case: their last line is no label's. Without `spaced` there is
        none.
        """
        if not spaced:
            self._replace(at, at, new)
            return
        before = self.plain[at - 1]
        labels = {self._line(span.start) for span in self.spans}
        within = {
            number
            for span in self.spans
            for number in range(self._line(span.start), self._line(span.end) + 1)
        }
        lead = at > 1 and before.strip(" \t") and at - 1 not in within and not _LISTED.match(before)
        after = self.plain[at] if at < len(self.plain) else ""
        tail = after.strip(" \t") and (apart or (at not in labels and not LINE.match("\n" + after)))
        self._replace(at, at, [*([""] if lead else []), *new, *([""] if tail else [])])

    def _set_body(self, body: str) -> None:
        old = self._free()
        if not body:
            self._drop_body(old)
        elif not old:
            self._add_body(body)
        else:
            kept = list(self.lines)
            self._exchange(old, body, exact=False)
            if self.fields.body != body or not self.whole:
                self.lines[:] = kept
                self._read()
                self._exchange(old, body, exact=True)

    def _drop_body(self, old: list[tuple[int, int]]) -> None:
        label = self._span("body")
        numbers = {number for number, _ in old}
        if label is not None:
            numbers.add(self._line(label.start))
        first = min(numbers)
        kept = [line for number, line in enumerate(self.lines) if number < first]
        for number in range(first, len(self.lines)):
            blank = not self.plain[number].strip(" \t")
            if number not in numbers and not (blank and not kept[-1].strip(" \t\r\n")):
                kept.append(self.lines[number])
        while len(kept) > 1 and not kept[-1].strip(" \t\r\n"):
            del kept[-1]
        self.lines[:] = kept
        self._read()

    def _add_body(self, body: str) -> None:
        label = self._span("body")
        apart = not bodies.ends_in_list(body)
        if label is None:
            self._put(self._place("body"), body_lines(body, self._habits), apart=apart)
            return
        at = self._line(label.start)
        new = body_lines(body, self._habits)[1:]
        after = self.plain[at + 1] if at + 1 < len(self.plain) else ""
        self._replace(at + 1, at + 1, [*new, *([""] if apart and after.strip(" \t") else [])])

    def _exchange(self, old: list[tuple[int, int]], body: str, *, exact: bool) -> None:
        """Puts a new body in the place of the old one; lines that stay the same keep their bytes, unless
        `exact` escapes them anew.
        """
        before = self.fields.body.split("\n")
        after = body.split("\n")
        written = bodies.escape(body).split("\n")
        raw = [self.plain[number][column:] for number, column in old]
        if len(before) != len(raw):
            before = raw
        together = old[-1][0] - old[0][0] + 1 == len(old)
        blocks = _ends(before, after) if together else matching(before, after)
        if exact:
            blocks = [(i, j, n) for i, j, n in blocks if raw[i : i + n] == written[j : j + n]]
        label = self._span("body")
        position, taken = len(old), len(after)
        for i, j, n in reversed([*blocks, (len(old), len(after), 0)]):
            new = written[j + n : taken]
            self._swap(old[i + n : position], old[i + n - 1] if i + n else None, new)
            position, taken = i, j
        if position or taken:
            self._swap(old[:position], None, written[:taken])
        self._space(label is not None, body)

    def _swap(self, old: list[tuple[int, int]], above: tuple[int, int] | None, new: list[str]) -> None:
        """Lines of the body replaced by others; where none go, the new ones come under the line `above`, or
        first.
        """
        if not old and not new:
            return
        if not old:
            at = above[0] + 1 if above else self._free()[0][0]
            self._replace(at, at, new)
            return
        number, column = old[0]
        if column:
            label = self.plain[number][:column].rstrip(" \t")
            self._replace(number, number + 1, [label])
            old, number = old[1:], number + 1
            if not old:
                self._replace(number, number, new)
                return
        if old[-1][0] - old[0][0] + 1 == len(old):
            self._replace(old[0][0], old[-1][0] + 1, new)
            return
        for place, _ in reversed(old[1:]):
            self._replace(place, place + 1, [])
        self._replace(old[0][0], old[0][0] + 1, new)

    def _space(self, labelled: bool, body: str) -> None:
        """Blank lines around a new body where Markdown needs them."""
        free = self._free()
        if not free:
            return
        last = free[-1][0]
        after = self.plain[last + 1] if last + 1 < len(self.plain) else ""
        if after.strip(" \t") and not bodies.ends_in_list(body):
            self._replace(last + 1, last + 1, [""])
        first, column = free[0]
        label = self._span("body")
        if (
            labelled
            and label is not None
            and not column
            and self._line(label.start) == first - 1
            and not bodies.starts_with_item(body)
        ):
            self._replace(first, first, [""])

    def _delete(self, first: int, stop: int) -> None:
        """Deletes lines; of two blank lines that then meet one goes too, and all that then end the entry."""
        body = self.fields.body
        del self.lines[first:stop]
        above = self.lines[first - 1].strip()
        below = self.lines[first].strip() if first < len(self.lines) else ""
        if not above and not below and first > 1:
            del self.lines[first - 1]
        while len(self.lines) > 1 and not self.lines[-1].strip(" \t\r\n"):
            del self.lines[-1]
        self._read()
        if self.fields.body != body and above and below:  # the text below would go on with the field above
            self._replace(first, first, [""])

    def _replace(self, first: int, stop: int, new: list[str]) -> None:
        """Replaces lines; one that takes the place of another keeps how that ends."""
        old = self.lines[first:stop]
        ends = [line[len(plain) :] for line, plain in zip(old, self.plain[first:stop], strict=True)]
        self.lines[first:stop] = [
            line + (ends[number] if number < len(ends) else self._newline) for number, line in enumerate(new)
        ]
        self._read()


def _ends(before: list[str], after: list[str]) -> list[tuple[int, int, int]]:
    """What two lists of lines have in common at their start and end, as matching blocks."""
    top = 0
    limit = min(len(before), len(after))
    while top < limit and before[top] == after[top]:
        top += 1
    bottom = 0
    while bottom < limit - top and before[-1 - bottom] == after[-1 - bottom]:
        bottom += 1
    return [(0, 0, top), (len(before) - bottom, len(after) - bottom, bottom)]


def _rejoin(name: str, old: Value, new: tuple[str, ...], text: str) -> str:
    """A list on one line with other items: what is only added to keeps its spelling, links that stay keep
    their labels.
    """
    raw = " ".join(part.strip() for part in text.split("\n")).strip()
    before = old if isinstance(old, tuple) else ()
    if raw and before and new[: len(before)] == before and (name != "related" or "[[" in raw):
        more = join(name, new[len(before) :])
        return f"{raw.rstrip(',，、')}, {more}" if more else raw
    if name != "related":
        return join(name, new)
    known: dict[str, list[str]] = {}
    for place in link_places(raw):
        known.setdefault(place.target, []).append(raw[place.start : place.end])
    return ", ".join(known[item].pop(0) if known.get(item) else f"[[{item}]]" for item in new)


def extended(body: str, addition: str, date: str) -> str:
    """A body with text appended: items to the list that it ends in, where the text is a list of the same kind
    or plain; else a section.

    Given and returned as text of a body, the addition without blank lines at its ends.
    """
    if not body:
        return bodies.of(addition)
    marker = _last_marker(body)
    if marker is not None:
        if bodies.is_plain(addition):
            return f"{body}\n{_numbered(addition, marker)}"
        first = _ITEM.match(addition)
        if first is not None and not first[1] and not first[3] and first[2] == marker and _is_list(addition):
            return f"{body}\n{addition}"
    return f"{body}\n\n### Extension ({date})\n\n{addition}"


def _last_marker(body: str) -> str | None:
    """The marker of the last item at column 0 of a body that ends in a list."""
    if not bodies.ends_in_list(body):
        return None
    for line in reversed(body.split("\n")):
        match = _ITEM.match(line)
        if match is not None and not match[1]:
            return match[2]
    return None


def _numbered(text: str, marker: str) -> str:
    """Paragraphs as items that go on after an item with that marker."""
    if not marker[0].isdigit():
        return bodies.as_list(text, marker)
    out: list[str] = []
    number = int(marker[:-1])
    for paragraph in re.split(r"\n(?:[ \t]*\n)+", text):
        number += 1
        out.append(bodies.as_list(paragraph, f"{number}{marker[-1]}"))
    return "\n".join(out)


def _is_list(text: str) -> bool:
    """Whether a text is list items at column 0 and what is inside them."""
    scanner = Scanner(setext=False)
    for line in text.split("\n"):
        kind = scanner.feed(line)
        if line.strip(" \t") and (scanner.depth == 0 or kind == HEADING or line.startswith(">")):
            return False
    return True

"""Changes to a frontmatter block key by key.

A change replaces the lines of its own key alone and keeps what they are like: quotes, list form, indentation,
comments, line ends.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memgit import TYPE_CHECKING
from memgit.errors import BadInput, Refused, UnreadableFile
from memgit.formats import yaml, yaml_text
from memgit.formats.text import split_lines
from memgit.formats.yaml import Entry
from memgit.formats.yaml_text import dump_scalar
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TypeAlias


_COMMENT = r"\s+#.*$"


class Style(NamedTuple):
    """How a dialect writes a value that has no form of its own in the file yet.

    lists: `flow` (`[a, b]`), `json` (`["a","b"]`) or `block` (one `- ` a line).
    text: `auto` (quotes where needed), `double` (always double quotes), `json` (double quotes where needed),
        `folded` (as js-yaml does: single quotes where needed, folded at 80 columns), `raw` (the text is YAML
        already).
    bare: text that looks like a date or a number stays without quotes.
    """

    lists: str = "flow"
    text: str = "auto"
    bare: bool = False


AUTO = Style()


FIRST = frozenset(["id", "key", "name", "title"])
"""Keys that stand at the top of a block that has nothing else in its usual order."""


WIDTH = 80


Spell: TypeAlias = "Callable[[str], str]"


def _same(item: str) -> str:
    return item


@lru_cache(maxsize=256)
def _key(key: str) -> str:
    """A key as it stands in a block."""
    return dump_scalar(key, bare=True)


class Block:
    """The lines of one block, changed key by key; `inner` names the key whose nested mapping is meant instead
    of the block itself.

    After every change the block is read again: where anything else than the key came out different, the
    change is refused.
    """

    def __init__(self, text: str, newline: str, inner: str = "") -> None:
        self.lines = split_lines(text)
        self.newline = newline
        self.inner = inner
        self._read()

    @classmethod
    def build(cls, pairs: Iterable[tuple[str, Value, Style, Spell]], newline: str, inner: str = "") -> Block:
        """A new block of these keys, in this order, each with how to write it and its list items; read back
        once.

        Raises:
            BadInput: a value cannot stand in YAML.
        """
        block = cls("", newline)
        block.indent = "  " if inner else ""
        lines = [f"{inner}:{newline}"] if inner else []
        wanted: dict[str, Value] = {}
        for key, value, style, spell in pairs:
            written = tuple(spell(item) for item in value) if isinstance(value, tuple) else value
            wanted[key] = _plain(written)
            lines += block._render(key, written, style)
        made = cls("".join(lines), newline, inner)
        if {key: _plain(entry.value) for key, entry in made.entries.items()} != wanted:
            raise BadInput("a field would not read back as it was given")
        return made

    @property
    def text(self) -> str:
        return "".join(self.lines)

    def _read(self) -> None:
        self.top = yaml.read(self.text, self.inner)
        self.entries: Mapping[str, Entry] = self.top
        self.indent = ""
        if self.inner:
            outer = self.top.get(self.inner)
            if outer is None or outer.inner is None:
                raise Refused(f"no mapping under the key {self.inner!r}", line=1)
            self.entries = outer.inner
            first = next(iter(self.entries.values()), None)
            self.indent = _margin(self.lines[first.start]) if first is not None else "  "

    def put(
        self,
        key: str,
        value: Value,
        style: Style = AUTO,
        order: Sequence[str] = (),
        normal_item: Spell = _same,
        spell: Spell = _same,
    ) -> None:
        """Sets one key; None writes null.

        Args:
            style: how to write it where the file has no form for it.
            order: the usual order of keys, for the place of a new one.
            normal_item: the item that a list item of the file stands for; items are compared by it.
            spell: how a new item is written in a list.

        Raises:
            Refused: the key cannot be changed by itself (an anchor that others use, a block in braces).
        """
        entry = self.entries.get(key)
        written = value if not isinstance(value, tuple) else tuple(spell(item) for item in value)
        before = {name: old.value for name, old in self.entries.items()}
        others = {name: old.value for name, old in self.top.items() if name != self.inner}
        if entry is None:
            self._insert(key, self._render(key, written, style), order)
        elif isinstance(value, tuple):
            self._put_list(entry, value, style, normal_item, spell)
        else:
            self._put_scalar(entry, value, style)
        self._check(key, value, before, others, normal_item)

    def drop(self, key: str) -> None:
        """Removes the lines of one key; comments around it stay."""
        entry = self.entries.get(key)
        if entry is None:
            return
        before = {name: old.value for name, old in self.entries.items()}
        others = {name: old.value for name, old in self.top.items() if name != self.inner}
        if len(self.entries) == 1 and self.inner:
            raise Refused(f"{key!r} is the only key under {self.inner!r}", line=entry.start + 2)
        del self.lines[entry.start : entry.end]
        del before[key]
        self._check("", None, before, others, _same)

    def _check(
        self,
        key: str,
        value: Value,
        before: Mapping[str, Value],
        others: Mapping[str, Value],
        normal_item: Spell,
    ) -> None:
        try:
            self._read()
        except UnreadableFile as error:
            raise Refused(
                f"the key {key!r} cannot be changed by itself: {error.message}", line=error.line
            ) from None
        after = {name: entry.value for name, entry in self.entries.items()}
        rest = {name: entry.value for name, entry in self.top.items() if name != self.inner}
        got = after.get(key)
        if isinstance(got, tuple):
            got = tuple(normal_item(item) for item in got)
        expected = {**before, key: after.get(key)} if key else before
        if after != expected or _plain(got) != _plain(value) or (self.inner and rest != others):
            raise Refused(f"the key {key!r} cannot be changed by itself", line=1, hint="change it by hand")

    # Where and how.

    def _insert(self, key: str, lines: list[str], order: Sequence[str]) -> None:
        at = -1
        if key in order:
            place = order.index(key)
            for name in reversed(order[:place]):
                if name in self.entries:
                    at = self.entries[name].end
                    break
            else:
                after = order[place + 1 :] if key not in FIRST else tuple(self.entries)
                at = next((self.entries[name].start for name in after if name in self.entries), -1)
        if at < 0:
            last = max((entry.end for entry in self.entries.values()), default=-1)
            at = last if self.inner and last >= 0 else len(self.lines)
        self.lines[at:at] = lines

    def _render(self, key: str, value: Value, style: Style) -> list[str]:
        head = f"{self.indent}{_key(key)}:"
        if isinstance(value, tuple):
            if style.lists == "block" and value:
                items = [self._item(self.indent + "  ", item, style) for item in value]
                return [head + self.newline, *(line for item in items for line in item)]
            return [f"{head} {_flow(value, style)}{self.newline}"]
        first, *more = self._scalar(value, style, self.indent + "  ")
        return [(f"{head} {first}" if first else head) + self.newline, *more]

    def _scalar(self, value: str | None, style: Style, margin: str) -> list[str]:
        """A scalar as the rest of its first line and the whole lines under it."""
        if value is None:
            return ["null"]
        if style.text == "raw":
            return (
                [value]
                if "\n" not in value
                else ["", *(_line(margin, line) + self.newline for line in value.split("\n"))]
            )
        if style.text == "folded":
            return self._as_js_yaml(value, style, margin)
        if "\n" in value and style.text != "double":
            literal = _literal(value, margin)
            if literal is not None:
                return [literal[0], *(line + self.newline for line in literal[1:])]
        return [_quote(value, style)]

    def _as_js_yaml(self, value: str, style: Style, margin: str) -> list[str]:
        width = WIDTH - len(margin)
        lines = value.split("\n")
        long = any(len(line) > width and line[0] != " " for line in lines)
        if not long and len(lines) == 1:
            return [_quote(value, style)]
        if long:
            folded = yaml_text.fold(value.removesuffix("\n"), width)
            if folded is not None:
                return [
                    ">" if value.endswith("\n") else ">-",
                    *(_line(margin, line) + self.newline for line in folded),
                ]
        literal = _literal(value, margin)
        return (
            [literal[0], *(line + self.newline for line in literal[1:])]
            if literal is not None
            else [yaml_text.double(value)]
        )

    def _item(self, margin: str, item: str, style: Style, gap: str = " ") -> list[str]:
        first, *more = self._scalar(
            item, style if style.text == "folded" else style._replace(bare=False), margin + "  "
        )
        return [f"{margin}-{gap}{first}{self.newline}", *more]

    def _put_scalar(self, entry: Entry, value: str | None, style: Style) -> None:
        if entry.style in ("literal", "folded") and value is not None and style.text != "folded":
            lines = self._again_block_scalar(entry, value)
            if lines is not None:
                self.lines[entry.start : entry.end] = lines
                return
        margin = _margin(self.lines[entry.start]) + "  "
        if entry.style in ("single", "double", "plain") and style.text != "folded" and value is not None:
            new = [_requote(value, entry, style)]
        else:
            new = self._scalar(value, style, margin)
        head, rest, end = self._around(entry)
        self.lines[entry.start : entry.end] = [head + new[0] + rest + end, *new[1:]]

    def _around(self, entry: Entry) -> tuple[str, str, str]:
        """What stands before and after a value on its first and last line, and how the latter ends."""
        line, end = self._ends(entry.start)
        if entry.col < 0:
            raise Refused(
                f"the key {entry.key!r} cannot be changed by itself",
                line=entry.start + 2,
                hint="change it by hand",
            )
        if entry.style in ("block", "map", "literal", "folded") and entry.stop == entry.col:
            comment = re.compile(_COMMENT).search(line, entry.col)
            rest = comment[0] if comment else ""
        else:
            last, end = self._ends(entry.end - 1)
            rest = last[entry.stop :]
        head = line[: entry.col]
        return head + (" " if head.endswith(":") else ""), rest, end

    def _again_block_scalar(self, entry: Entry, value: str) -> list[str] | None:
        """The lines of a literal or folded scalar with another text, in the same indentation and width."""
        old = [self._ends(number)[0] for number in range(entry.start + 1, entry.end)]
        margin = next((_margin(line) for line in old if line.strip()), "")
        head, end = self._ends(entry.start)
        if not margin or any(char in head[entry.col :].split("#")[0] for char in "+0123456789"):
            return None
        if entry.style == "folded":
            width = max(WIDTH, *(len(line) for line in old)) - len(margin)
            new = yaml_text.fold(value.rstrip("\n"), width)
        else:
            literal = _literal(value.rstrip("\n"), margin)
            new = None if literal is None else [line[len(margin) :] for line in literal[1:]]
        if new is None:
            return None
        return [head + end, *(_line(margin, line) + self.newline for line in new)]

    def _put_list(
        self, entry: Entry, items: tuple[str, ...], style: Style, normal_item: Spell, spell: Spell
    ) -> None:
        if entry.style == "block" and items:
            self._put_block_list(entry, items, style, normal_item, spell)
            return
        line, end = self._ends(entry.start)
        if entry.style == "flow" and entry.col >= 0:
            lines = [self._ends(number)[0] for number in range(entry.start, entry.end)]
            _, end = self._ends(entry.end - 1)
            rest = lines[-1][entry.stop :]
            lines[-1] = lines[-1][: entry.stop]
            lines[0] = lines[0][entry.col :]
            text = _again_flow("\n".join(lines), entry.value, items, style, normal_item, spell)
            new = (line[: entry.col] + text + rest).replace("\n", self.newline) + end
            self.lines[entry.start : entry.end] = split_lines(new)
            return
        if entry.style == "null" and entry.col >= 0 and items and style.lists == "block":
            more = [text for item in items for text in self._item(_margin(line) + "  ", spell(item), style)]
            self.lines[entry.start : entry.end] = [
                line[: entry.col].rstrip(" ") + line[entry.stop :] + end,
                *more,
            ]
            return
        head, rest, end = self._around(entry)
        self.lines[entry.start : entry.end] = [
            head + _flow(tuple(spell(item) for item in items), style) + rest + end
        ]

    def _put_block_list(
        self, entry: Entry, items: tuple[str, ...], style: Style, normal_item: Spell, spell: Spell
    ) -> None:
        first = next(
            number
            for number in range(entry.start + 1, entry.end)
            if self.lines[number].lstrip(" ").startswith("-")
        )
        margin = _margin(self.lines[first])
        chunks: list[list[str]] = []
        for number in range(first, entry.end):
            body, _ = self._ends(number)
            if body.startswith(margin + "-") and body[len(margin) + 1 : len(margin) + 2] in ("", " "):
                chunks.append([])
            chunks[-1].append(self.lines[number])
        old = entry.value if isinstance(entry.value, tuple) else ()
        real = [chunk for chunk in chunks if not re.fullmatch(_EMPTY_ITEM, "".join(chunk))]
        gap = re.compile(r" *-( +)").match(self.lines[first])
        texts = [normal_item(text) for text in old] if len(real) == len(old) else [None] * len(real)
        wanted = list(items)
        known: dict[str, list[list[str]]] = {}
        lead: list[str] = []
        above = lead
        number = 0
        for chunk in chunks:
            text = None
            if number < len(real) and chunk is real[number]:
                text = texts[number]
                number += 1
            if text is not None and text in wanted:
                wanted.remove(text)
                known.setdefault(text, []).append(chunk)
                above = chunk
            else:
                # The item goes; a comment under it is not ours to remove.
                above += [line for line in chunk[1:] if line.lstrip(" ").startswith("#")]
        quotes = style if style.text == "folded" else style._replace(text=_quotes_of_items(real))
        out = lead
        for item in items:
            kept = known.get(item)
            out += kept.pop(0) if kept else self._item(margin, spell(item), quotes, gap[1] if gap else " ")
        self.lines[first : entry.end] = out

    def _ends(self, number: int) -> tuple[str, str]:
        """A line and how it ends."""
        line = self.lines[number]
        if line.endswith("\r\n"):
            return line[:-2], "\r\n"
        return line.removesuffix("\n"), "\n"


def _plain(value: Value) -> Value:
    return value.rstrip("\n") if isinstance(value, str) else value


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" "))]


def _line(margin: str, line: str) -> str:
    return margin + line if line else ""


def _literal(value: str, margin: str) -> list[str] | None:
    """Header and lines of a literal scalar, or None where the text cannot stand in one."""
    text = value.removesuffix("\n")
    if not text or text[0] in " \n" or text[-1] == "\n" or not yaml_text.printable(text):
        return None
    return ["|" if value.endswith("\n") else "|-", *(_line(margin, line) for line in text.split("\n"))]


def _quote(value: str, style: Style) -> str:
    if style.text == "double":
        return yaml_text.double(value)
    if style.text == "json":
        safe = yaml_text.stays_plain(value, style.bare) and (style.bare or not re.search(_MNEMA, value))
        return value if safe else yaml_text.double(value)
    if style.text == "folded":
        return value if yaml_text.stays_plain(value, style.bare) else yaml_text.single(value)
    return dump_scalar(value, bare=style.bare)


_MNEMA = r"[:#&*!|>{}\[\],?\-'\"%@`\n]"
"""The characters at which Mnema's writer sets a text in quotes; see FORMATS, mirrors, writer A."""


def _requote(value: str, entry: Entry, style: Style) -> str:
    """A scalar in the quotes that it has in the file."""
    if entry.style == "double":
        return yaml_text.double(value)
    if entry.style == "single":
        return yaml_text.single(value)
    old = entry.value if isinstance(entry.value, str) else ""
    return _quote(
        value,
        style._replace(
            bare=style.bare or yaml_text.ambiguous(old), text="auto" if style.text == "double" else style.text
        ),
    )


def _flow(items: Sequence[str], style: Style) -> str:
    if style.lists == "json":
        return "[" + ",".join(yaml_text.double(item) for item in items) + "]"
    return yaml_text.dump_list(items)


_EMPTY_ITEM = r" *- *(?:~|null|Null|NULL)? *(?:#[^\n]*)?\r?\n?(?: *(?:#[^\n]*)?\r?\n)*"


_FLOW_GAP = r"(?:\s|(?:(?<=\s)|^)#[^\n]*)*"


def _flow_items(text: str) -> list[tuple[int, int]] | None:
    """Where the items of a list in brackets begin and end; None where that cannot be told."""
    spans: list[tuple[int, int]] = []
    position = 1
    while True:
        gap = re.compile(_FLOW_GAP).match(text, position)
        begin = position = gap.end() if gap else position
        if position >= len(text):
            return None
        if text[position] == "]":
            return spans if position == len(text) - 1 else None
        depth = 0
        stop = position
        while position < len(text):
            char = text[position]
            if char in "'\"" and (position == begin or text[position - 1] in "[{,: \n"):
                quoted = (yaml.DOUBLE if char == '"' else yaml.SINGLE).match(text, position)
                if quoted is None:
                    return None
                position = stop = quoted.end()
                continue
            if not depth and char in ",]":
                break
            if char == "#" and text[position - 1] in " \n":
                return None
            depth += (char in "[{") - (char in "]}")
            position += 1
            if not char.isspace():
                stop = position
        else:
            return None
        spans.append((begin, stop))
        gap = re.compile(_FLOW_GAP).match(text, position)
        position = gap.end() if gap else position
        if text[position : position + 1] == ",":
            position += 1


def _again_flow(
    text: str, old: Value, items: tuple[str, ...], style: Style, normal_item: Spell, spell: Spell
) -> str:
    """A list in brackets with other items: those that stay keep their spelling, and what stands between two
    that stay together.
    """
    spans = _flow_items(text)
    values = old if isinstance(old, tuple) else ()
    real = [span for span in spans or () if text[span[0] : span[1]] not in ("", "~", "null", "Null", "NULL")]
    if spans is None or len(real) != len(values) or not real or not items:
        return _flow(tuple(spell(item) for item in items), style)
    known: dict[str, list[int]] = {}
    for index, value in enumerate(values):
        known.setdefault(normal_item(value), []).append(index)
    quotes = all(text[begin] == '"' for begin, _ in real)
    gaps = [text[real[index][1] : real[index + 1][0]] for index in range(len(real) - 1)]
    usual = next((gap for gap in gaps if "#" not in gap), "," if style.lists == "json" and quotes else ", ")
    out = [text[: real[0][0]]]
    before = -2
    for number, item in enumerate(items):
        places = known.get(item)
        index = places.pop(0) if places else -2
        if number:
            out.append(gaps[before] if index == before + 1 and before >= 0 else usual)
        if index >= 0:
            out.append(text[real[index][0] : real[index][1]])
        else:
            out.append(yaml_text.double(spell(item)) if quotes else dump_scalar(spell(item), flow=True))
        before = index
    out.append(text[real[-1][1] :])
    return "".join(out)


def _quotes_of_items(chunks: Sequence[Sequence[str]]) -> str:
    """`double` where every item of a list in block form stands in double quotes."""
    first = [chunk[0].lstrip(" ")[1:].lstrip(" ")[:1] for chunk in chunks]
    return "double" if first and all(char == '"' for char in first) else "auto"

"""The YAML of frontmatter: every scalar is text as typed, every key knows the lines it stands on.

Two readers give the same answer. The first is a few regular expressions over the part of YAML that people and
programs write into frontmatter; it either understands a block wholly or declines. What it declines goes to
ruamel.yaml, which is imported only then. Nothing is constructed: `yes`, `1.10` and `2026-03-02` stay text,
aliases are not expanded, nested structures stay their own source.
Bounds: `MAX_BLOCK` characters (`MAX_FULL` for ruamel.yaml), `MAX_DEPTH` levels, `MAX_NODES` nodes once
aliases are counted as often as they stand.

Line numbers in entries count from 0 within the block; in errors they count from 1 within the file.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memgit import TYPE_CHECKING
from memgit.errors import BadInput, UnreadableFile
from memgit.formats.text import whole
from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

MAX_BLOCK = 1024 * 1024
MAX_FULL = 96 * 1024
"""The most that is handed to ruamel.yaml, which takes some seconds a megabyte."""
MAX_DEPTH = 64
MAX_NODES = 10_000
MAX_KEY = 200
MAX_ADVICE = 120


class Entry(NamedTuple):
    """One key of a block.

    `value` is None for null, text for a scalar, a tuple for a list (nulls left out, nested items as their
    source), and the source of a nested mapping. `style` is one of plain, single, double, literal, folded,
    null, flow, block, map, alias. The key stands on line `start`, its value ends before line `end`. The value
    begins in column `col` of line `start`; where it is a scalar or in brackets, it ends before column `stop`
    of line `end - 1`.
    """

    key: str
    value: Value
    style: str
    start: int
    end: int
    col: int
    stop: int
    inner: dict[str, Entry] | None = None


_LEAD = pattern(r"(?: *(?:#.*)?\n)*")
_KEY = pattern(r"\w[\w./+-]*(?: [\w./+-]+)*")
_PAIR = pattern(r"(\w[\w./+-]*(?: [\w./+-]+)*) *:(?: +(.*))?\n((?:(?:[ #-].*)?\n)*)")
SINGLE = pattern(r"'([^']*+(?:''[^']*+)*+)'")
DOUBLE = pattern(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL)
_ESCAPE = r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))"
_ESCAPES = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    " ": " ",
    '"': '"',
    "/": "/",
    "\\": "\\",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}
_FLOW_ODD = pattern(r"""[\[\]{}"'#:?&*!|>%@`]|(?:^|,) *(?:-[^A-Za-z0-9]|-?$|-?,)""")
_FLOW_ITEM = pattern(
    r""" *(?:"([^"\\]*)"|'([^']*)'|(-?[^\W_](?:[^,\[\]{}"'#:? ]|\ (?![#: ,\]])|:(?=[\w/]))*)) *([,\]])""".replace(
        r"\ ", " "
    )
)
_HEADER = pattern(r"([|>])([+-]?) *(?: #.*)?")
_NULLS = frozenset(["null", "Null", "NULL", "~"])
_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@`")
_NOT_PLAIN = _INDICATORS | {" "}


class _Declined(Exception):
    """The subset reader does not know this; ruamel decides."""


def read(text: str, inner: str = "", first_line: int = 2) -> dict[str, Entry]:
    """The keys of a block in order; not to be changed, for the last ones read are kept: what is written is
    read back and then read.

    Args:
        text: the lines between the fences.
        inner: a key whose nested mapping is read key by key as well (`Entry.inner`).
        first_line: the line of the file on which the block begins, for errors.

    Raises:
        UnreadableFile: MG002 with line and reason; where a value only lacks quotes, with the line as it
            should be.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if text and text[-1] != "\n":
        text += "\n"
    if len(text) > MAX_BLOCK:
        raise _fault(
            f"frontmatter of {len(text):,} characters, and at most {MAX_BLOCK:,} are read", first_line
        )
    try:
        return _read_subset(text, inner)
    except _Declined:
        if len(text) > MAX_FULL:
            raise _fault(
                (
                    f"frontmatter of {len(text):,} characters that is not plain, and at most "
                    f"{MAX_FULL:,} are read"
                ),
                first_line,
            ) from None
        return read_full(text, inner, first_line)


def declines(text: str, inner: str = "") -> bool:
    """Whether a block is beyond the subset reader."""
    try:
        read_subset(text, inner)
    except _Declined:
        return True
    return False


# The subset reader.


def read_subset(text: str, inner: str = "") -> dict[str, Entry]:
    """`read` for the usual part of YAML; raises an internal exception for everything else."""
    if not printable(text):
        raise _Declined
    if text and text[-1] != "\n":
        raise _Declined
    return _plain(text) or _mapping(text, inner, 0, 0)


_read_subset = lru_cache(maxsize=2)(read_subset)


def _plain(text: str) -> dict[str, Entry] | None:
    """As `_mapping` gives it, of a block in which every line is a key, a colon, one blank and a value; None
    of any other.
    """
    out: dict[str, Entry] = {}
    for line, pair in enumerate(text[:-1].split("\n")):
        key, _, rest = pair.partition(": ")
        if not rest or key in out or not _is_key(key):
            return None
        first = rest[0]
        if first not in _NOT_PLAIN:
            if " #" in rest or ": " in rest or rest[-1] in ": " or rest in _NULLS:
                return None
            style, length = "plain", len(rest)
            value: Value = rest
        elif first in "[\"'":
            value, style, length = _scalar(rest)
        else:
            return None
        start = len(key) + 2
        out[key] = Entry(key, value, style, line, line + 1, start, start + length)
    return out


@lru_cache(maxsize=512)
def _is_key(text: str) -> bool:
    return len(text) <= MAX_KEY and _KEY.fullmatch(text) is not None


def _mapping(text: str, inner: str, line: int, shift: int) -> dict[str, Entry]:
    """The keys of a mapping at column 0 of a text that starts on `line` of the block and was set in by
    `shift`.
    """
    out: dict[str, Entry] = {}
    position = 0
    if text[:1] in " #\n":
        match = _LEAD.match(text)
        assert match is not None
        position = match.end()
        line += text.count("\n", 0, position)
    size = len(text)
    match_pair = _PAIR.match
    while position < size:
        match = match_pair(text, position)
        if match is None:
            raise _Declined
        key, rest, tail = match.groups()
        if key in out or len(key) > MAX_KEY:
            raise _Declined
        after = match.start(2) - position if rest else -1
        value, style, length = _scalar(rest) if rest else (None, "comment", 0)
        if style != "block scalar" and (not tail or not _content(tail)):
            if style == "comment":
                style, after = "null", match[0].index(":", len(key)) + 1
            out[key] = Entry(key, value, style, line, line + 1, after + shift, after + length + shift)
        elif style == "comment":
            after = match[0].index(":", len(key)) + 1 + shift
            value, style, nested, end = _below(tail, key == inner, line + 1, shift)
            out[key] = Entry(key, value, style, line, end, after, after, nested)
        elif style == "block scalar":
            value, style, used = _block_scalar(rest, tail, 1)
            out[key] = Entry(key, value, style, line, line + 1 + used, after + shift, after + shift)
        elif style == "plain" and length == len(rest.rstrip(" ")):
            content = _content(tail)
            value, stop = _folded(rest[:length], content)
            out[key] = Entry(key, value, style, line, line + 1 + len(content), after + shift, stop + shift)
        else:
            raise _Declined
        position = match.end()
        line += 1
        if tail:
            line += tail.count("\n")
    return out


def _content(tail: str) -> list[str]:
    """The lines after a key that may belong to its value: those before the blank and comment lines at the
    end.
    """
    lines = tail[:-1].split("\n")
    while lines:
        line = lines[-1].lstrip(" ")
        if line and line[0] != "#":
            break
        lines.pop()
    return lines


def _scalar(text: str) -> tuple[Value, str, int]:
    """A value on one line, which may end in a comment: value, style and the length of its source without what
    follows.

    A list in brackets counts. `block scalar` and `comment` as style mean that the value is not here.
    """
    first = text[0]
    if first not in _INDICATORS:
        comment = text.find(" #")
        value = (text if comment < 0 else text[:comment]).rstrip(" ")
        if ": " in value or value[-1] == ":":
            raise _Declined
        return (None, "null", len(value)) if value in _NULLS else (value, "plain", len(value))
    if first == '"':
        match = DOUBLE.match(text)
        if match is None:
            raise _Declined
        _nothing_after(text, match.end())
        inside = match[1]
        return (_unescape(inside) if "\\" in inside else inside), "double", match.end()
    if first == "[":
        return _flow(text)
    if first == "'":
        match = SINGLE.match(text)
        if match is None:
            raise _Declined
        _nothing_after(text, match.end())
        return match[1].replace("''", "'"), "single", match.end()
    if first == "#":
        return None, "comment", 0
    if first in "|>":
        return None, "block scalar", 0
    if first == "-" and len(text) > 1 and text[1] != " ":
        found, style, length = _scalar("x" + text[1:])
        return (first + found[1:] if isinstance(found, str) else found), style, length
    if first == "{" and text.rstrip(" ") == "{}":
        return "{}", "map", 2
    raise _Declined


def _nothing_after(text: str, position: int) -> None:
    rest = text[position:]
    if rest and rest.strip(" ") and not (rest[0] == " " and rest.lstrip(" ")[0] == "#"):
        raise _Declined


def _unescape(text: str) -> str:
    def char(match: re.Match[str]) -> str:
        code = match[1] or match[2] or match[3]
        if code is None:
            if match[4] not in _ESCAPES:
                raise _Declined
            return _ESCAPES[match[4]]
        number = int(code, 16)
        if number > 0x10FFFF or 0xD800 <= number < 0xE000:
            raise _Declined
        return chr(number)

    return re.sub(_ESCAPE, char, text)


def _flow(text: str) -> tuple[Value, str, int]:
    """A list in brackets on one line."""
    close = text.find("]")
    if close < 0:
        raise _Declined
    content = text[1:close].strip(" ")
    if not content:
        _nothing_after(text, close + 1)
        return (), "flow", close + 1
    if not _FLOW_ODD.search(content):
        _nothing_after(text, close + 1)
        items = [item.strip(" ") for item in content.split(",")]
        return tuple(item for item in items if item not in _NULLS), "flow", close + 1
    found: list[str] = []
    position = 1
    while True:
        match = _FLOW_ITEM.match(text, position)
        if match is None:
            raise _Declined
        position = match.end()
        double, single, plain, mark = match.groups()
        if plain is None:
            found.append(double if single is None else single)
        elif plain not in _NULLS:
            found.append(plain)
        if mark == "]":
            _nothing_after(text, position)
            return tuple(found), "flow", position


def _below(tail: str, wanted: bool, line: int, shift: int) -> tuple[Value, str, dict[str, Entry] | None, int]:
    """A value that stands on the lines under its key, a list or a nested mapping, and the line after its last
    one.
    """
    lines = tail[:-1].split("\n")
    first = next(text for text in lines if text.lstrip(" ") and text.lstrip(" ")[0] != "#")
    depth = len(first) - len(first.lstrip(" "))
    if first[depth] == "-" and first[depth + 1 : depth + 2] in ("", " "):
        items, used = _block_list(lines, depth)
        return items, "block", None, line + used
    if not depth or shift > MAX_DEPTH:
        raise _Declined
    margin = " " * depth
    inside: list[str] = []
    for text in lines:
        if text.startswith(margin):
            inside.append(text[depth:])
        elif not text.strip(" "):
            inside.append("")
        elif text.lstrip(" ")[0] == "#" and not _content("\n".join(lines[len(inside) :]) + "\n"):
            break
        else:
            raise _Declined
    entries = _mapping("\n".join(inside) + "\n", "", line, shift + depth)
    end = next(reversed(entries.values())).end
    return "\n".join(inside[: end - line]).strip("\n"), "map", entries if wanted else None, end


def _block_list(lines: Sequence[str], depth: int) -> tuple[tuple[str, ...], int]:
    """The items of a list with one `- ` a line at column `depth`, and how many lines it takes."""
    mark = " " * depth + "-"
    found: list[str] = []
    position = used = 0
    size = len(lines)
    while position < size:
        line = lines[position]
        position += 1
        if not line.startswith(mark) or line[depth + 1 : depth + 2] not in ("", " "):
            if line.strip(" ") and line.lstrip(" ")[0] != "#":
                raise _Declined
            continue
        used = below = position
        while position < size and (
            lines[position].startswith(mark[:-1] + " ") or not lines[position].strip(" ")
        ):
            position += 1
        text = line[depth + 1 :].strip(" ")
        content = _content("\n".join(lines[below:position]) + "\n") if position > below else []
        if not text:
            if content:
                raise _Declined
            continue
        value, style, length = _scalar(text)
        if style == "block scalar":
            value, _, count = _block_scalar(text, "\n".join(lines[below:position]) + "\n", depth + 1)
            used += count
        elif style in ("flow", "map"):
            raise _Declined
        elif content:
            if style != "plain" or length != len(text):
                raise _Declined
            value, _ = _folded(text, content)
            used += len(content)
        if isinstance(value, str):
            found.append(value)
    return tuple(found), used


def _folded(first: str, content: Sequence[str]) -> tuple[str, int]:
    """A plain scalar that goes on in the lines of `content`: its text, and where its last line ends."""
    parts = [first]
    breaks = 0
    for line in content:
        text = line.strip(" ")
        if not text:
            breaks += 1
            continue
        if line[0] != " " or text[0] == "#" or " #" in text or ": " in text or text[-1] == ":":
            raise _Declined
        parts.append("\n" * breaks if breaks else " ")
        parts.append(text)
        breaks = 0
    return "".join(parts), len(content[-1].rstrip(" "))


def _block_scalar(header: str, tail: str, least: int) -> tuple[str, str, int]:
    """A literal or folded scalar whose header stands on the line of the key: its text, its style, how many
    lines it takes.
    """
    match = _HEADER.fullmatch(header)
    lines = tail[:-1].split("\n") if tail else []
    if match is None or not lines or not lines[0].strip(" "):
        raise _Declined
    depth = len(lines[0]) - len(lines[0].lstrip(" "))
    if depth < least:
        raise _Declined
    margin = " " * depth
    content: list[str] = []
    for line in lines:
        if line.startswith(margin):
            if not line.strip(" ") and len(line) > depth:
                raise _Declined
            content.append(line[depth:])
        elif not line.strip(" "):
            content.append("")
        else:
            break
    rest = lines[len(content) :]
    if any(line.strip(" ") and line[0] != "#" for line in rest):
        raise _Declined
    full = len(content)
    while not content[full - 1]:
        full -= 1
    if match[1] == "|":
        text = "\n".join(content[:full])
    else:
        parts = [content[0]]
        breaks = 0
        previous = content[0]
        for line in content[1:full]:
            if not line:
                breaks += 1
                continue
            if line[0] == " " or previous[0] == " ":
                parts.append("\n" * (breaks + 1))
            else:
                parts.append("\n" * breaks if breaks else " ")
            parts.append(line)
            previous = line
            breaks = 0
        text = "".join(parts)
    style = "literal" if match[1] == "|" else "folded"
    if match[2] == "-":
        return text, style, full
    if match[2] == "":
        return text + "\n", style, full
    return text + "\n" * (1 + len(content) - full), style, len(content)


# The full reader.


def read_full(text: str, inner: str = "", first_line: int = 2) -> dict[str, Entry]:
    """`read` by way of ruamel.yaml, whatever the block holds."""
    return _Full(text, inner, first_line).read()


class _Full:
    def __init__(self, text: str, inner: str, first_line: int) -> None:
        self.inner = inner
        self.first_line = first_line
        self.names: dict[int, str] = {}
        self.free = (chr(code) for code in range(0xE000, 0xF8FF) if chr(code) not in text)
        self.text = self._masked(text)
        self.lines = self.text.split("\n")
        self.weights: dict[int, int] = {}
        self.nodes = 0

    def _masked(self, text: str) -> str:
        """The text with characters that YAML alone takes for a line end hidden behind private ones: here only
        `\\n` ends a line.
        """
        for char in "\r\x85\u2028\u2029":
            if char in text:
                mask = next(self.free)
                text = text.replace(char, mask)
                self.names[ord(mask)] = char
        return text

    def _plain(self, text: str) -> str:
        return whole(text.translate(self.names) if self.names else text)

    def read(self) -> dict[str, Entry]:
        root = self._compose()
        if root is None:
            return {}
        kind = root.id
        if kind != "mapping":
            what = "a list" if kind == "sequence" else "text"
            raise _fault(
                f"{what}, not `key: value` lines, between the fences", root.start_mark.line + self.first_line
            )
        for _, node in root.value:
            self._weigh(node)
        for key, node in root.value:
            if self.weights[id(node)] > max(MAX_NODES, self.nodes):
                raise _fault(
                    f"aliases expand to {self.weights[id(node)]:,} items, and at most {MAX_NODES:,} are read",
                    key.start_mark.line + self.first_line,
                )
        return self._mapping(root, len(self.lines), True)

    def _compose(self) -> Any:
        from ruamel.yaml import YAML
        from ruamel.yaml.error import MarkedYAMLError
        from ruamel.yaml.reader import ReaderError

        def compose(text: str) -> Any:
            yaml = YAML(typ="safe", pure=True)
            yaml.max_depth = MAX_DEPTH
            yaml.composer.warn_double_anchors = False
            return yaml.compose(text)

        try:
            try:
                return compose(self.text)
            except MarkedYAMLError:
                if "\t" not in self.text:
                    raise
                mask = next(self.free)
                lines = _without_tabs(self.lines, mask)
                root = compose("\n".join(lines))
                self.names[ord(mask)] = "\t"
                self.lines, self.text = lines, "\n".join(lines)
                return root
        except MarkedYAMLError as error:
            raise self._explained(error) from None
        except RecursionError:
            raise _fault("nested too deeply", self.first_line) from None
        except ReaderError as error:
            line = self.text.count("\n", 0, error.position) + self.first_line
            raise _fault(f"the control character U+{error.character:04X}", line) from None
        except Exception as error:  # on some broken input ruamel fails in ways of its own
            raise _fault(
                f"not YAML: {_reason(str(error)) or type(error).__name__}", self.first_line
            ) from None

    def _explained(self, error: Any) -> UnreadableFile:
        mark = error.problem_mark or error.context_mark
        context = str(error.context or "")
        if error.context_mark is not None and ("quoted scalar" in context or "flow" in context):
            # What was opened and never closed is noticed only lines later.
            mark = error.context_mark
        index = mark.line if mark is not None else 0
        number = index + self.first_line
        if type(error).__name__ == "MaxDepthExceededError":
            return _fault(f"nested more than {MAX_DEPTH} levels deep", number)
        line = self._plain(self.lines[index]) if index < len(self.lines) else ""
        reason = _reason(str(error.problem or context))
        if "end of stream" in reason or "stream end" in reason:
            reason = f"opened here and never closed: {reason}"
        if "\t" in line[: len(line) - len(line.lstrip())]:
            return _fault(f"a tab as indentation ({reason})", number, "indent with blanks")
        advice = _advice(line)
        return _fault(reason if advice is None else f"{reason}; write it as {advice}", number, advice)

    def _weigh(self, node: Any) -> int:
        """How many nodes a node stands for once every alias is counted as what it names."""
        known = self.weights.get(id(node))
        if known is not None:
            if known < 0:
                raise _fault("an alias names what it stands in", node.start_mark.line + self.first_line)
            return known
        self.nodes += 1
        weight = 1
        if node.id != "scalar":
            self.weights[id(node)] = -1
            for child in node.value:
                weight += sum(map(self._weigh, child)) if isinstance(child, tuple) else self._weigh(child)
        self.weights[id(node)] = weight
        return weight

    def _mapping(self, root: Any, limit: int, top: bool) -> dict[str, Entry]:
        out: dict[str, Entry] = {}
        pairs = root.value
        for index, (key, node) in enumerate(pairs):
            following = pairs[index + 1][0].start_mark.line if index + 1 < len(pairs) else limit
            name = self._plain(key.value) if key.id == "scalar" else self._source(key)
            if name in out:
                raise _twice(name, out[name].start + self.first_line, key.start_mark.line + self.first_line)
            out[name] = self._entry(name, key, node, following, top)
        return out

    def _entry(self, name: str, key: Any, node: Any, following: int, top: bool) -> Entry:
        start = key.start_mark.line
        mark, until = node.start_mark, node.end_mark
        if mark.index < key.end_mark.index:
            return self._alias(name, key, node, start)
        value = self._value(node)
        inner = None
        if node.id == "scalar" and node.style in ("|", ">"):
            style, end = "literal" if node.style == "|" else "folded", self._block_scalar_end(node)
            col = stop = mark.column if mark.line == start else -1
        elif node.id == "scalar" or node.flow_style:
            if node.id == "scalar":
                style = "null" if value is None else {"'": "single", '"': "double"}.get(node.style, "plain")
            else:
                style = "flow" if node.id == "sequence" else "map"
            end, col, stop = until.line + 1, mark.column if mark.line == start else -1, until.column
            if mark.index == until.index:
                end, col = start + 1, self._colon(key)
                stop = col
        else:
            style, end = "block" if node.id == "sequence" else "map", self._trimmed(node, start, following)
            col = stop = self._colon(key)
            if style == "map":
                margin = node.value[0][0].start_mark.column
                value = self._plain(_set_out(self.lines[start + 1 : end], margin)) or value
        if name == self.inner and top and style == "map" and not node.flow_style:
            inner = self._mapping(node, end, False)
        return Entry(name, value, style, start, end, col, stop, inner)

    def _colon(self, key: Any) -> int:
        """The column after the colon of a key, -1 for a key of several lines."""
        mark = key.end_mark
        return self.lines[mark.line].find(":", mark.column) + 1 if mark.line == key.start_mark.line else -1

    def _alias(self, name: str, key: Any, node: Any, start: int) -> Entry:
        line = self.lines[start]
        match = re.compile(r"[^*]*(\*[^\s,\]}]+)").match(
            line, key.end_mark.column if key.end_mark.line == start else 0
        )
        col, stop = match.span(1) if match else (-1, -1)
        return Entry(name, self._value(node), "alias", start, start + 1, col, stop)

    def _trimmed(self, node: Any, start: int, end: int) -> int:
        """The line after the last one of a block collection: blank lines and comments after it are nobody's."""
        while end > start + 1:
            line = self.lines[end - 1].lstrip(" ")
            if line and line[0] != "#":
                break
            end -= 1
        while node.id != "scalar" and not node.flow_style and node.value:
            last = node.value[-1]
            child = last[1] if isinstance(last, tuple) else last
            if child.start_mark.index < node.start_mark.index:
                return end
            node = child
        return (
            max(end, self._block_scalar_end(node))
            if node.id == "scalar" and node.style in ("|", ">")
            else end
        )

    def _block_scalar_end(self, node: Any) -> int:
        """The line after the last one of a block scalar, with the blank lines after it where its header keeps
        them.
        """
        first = node.start_mark.line
        end: int = node.end_mark.line + (1 if node.end_mark.column else 0)
        header = self.lines[first][node.start_mark.column :].split("#")[0]
        if "+" in header:
            return end
        while end > first + 1 and not self.lines[end - 1].strip(" "):
            end -= 1
        return end

    def _value(self, node: Any) -> Value:
        if node.id == "scalar":
            return self._text(node)
        if node.id == "sequence":
            items = [self._text(item) if item.id == "scalar" else self._source(item) for item in node.value]
            return tuple(item for item in items if item is not None)
        return self._source(node)

    def _text(self, node: Any) -> str | None:
        if node.tag == "tag:yaml.org,2002:null" and node.style not in ("'", '"', "|", ">"):
            return None
        return self._plain(node.value)

    def _source(self, node: Any) -> str:
        """The source of a nested node, set out to the left margin."""
        begin, end = node.start_mark, node.end_mark
        if node.id == "scalar" or node.flow_style or not node.value:
            return self._plain(self.text[begin.index : end.index].strip())
        first = node.value[0][0] if node.id == "mapping" else node
        line, margin = first.start_mark.line, first.start_mark.column
        lines = self.lines[line : end.line if end.column <= margin and end.line > line else end.line + 1]
        lines[0] = " " * margin + lines[0][margin:]
        return self._plain(_set_out(lines, margin))


class Scalar(NamedTuple):
    """A scalar of a block as it is written: its place in characters, quotes included (of one that is `bare`, what
    is inside).

    `key` is the key at the top of the block that it is under, `style` the first character of its notation (empty
    for plain), `flow` says whether it is in brackets, `bare` whether it is alone in two pairs of them: `[[x]]`.
    """

    key: str
    start: int
    end: int
    style: str = ""
    flow: bool = False
    bare: bool = False

    def decode(self, raw: str) -> str:
        """What a part of the source means."""
        if self.style == "'":
            return raw.replace("''", "'")
        return _unescape(raw) if self.style == '"' else raw

    def encode(self, text: str) -> str:
        """A text as part of the source."""
        if self.style == "'":
            return text.replace("'", "''")
        return double(text)[1:-1] if self.style == '"' else text


def scalars(text: str) -> list[Scalar]:
    """The scalars that are values in a block, in the order of the text; none where it is not YAML."""
    reader = _Full(text.replace("\r\n", " \n"), "", 1)
    try:
        root = reader._compose()
    except UnreadableFile:
        return []
    out: list[Scalar] = []
    if root is not None and root.id == "mapping":
        seen: set[int] = set()
        for key, node in root.value:
            name = reader._plain(key.value) if key.id == "scalar" else ""
            _gather(node, name, reader.text, (), seen, out)
    return out


def _gather(
    node: Any, key: str, text: str, above: tuple[Any, ...], seen: set[int], out: list[Scalar]
) -> None:
    """Adds the scalars below a node; an alias leads to one that was seen."""
    if id(node) in seen:
        return
    seen.add(id(node))
    if node.id == "scalar":
        start, end = node.start_mark.index, node.end_mark.index
        if start < end:
            bare = [one.id == "sequence" and one.flow_style and len(one.value) == 1 for one in above[-2:]]
            inside = bare == [True, True] and text[start - 2 : start] == "[[" and text[end : end + 2] == "]]"
            flow = bool(above) and bool(above[-1].flow_style)
            out.append(Scalar(key, start, end, node.style or "", flow, inside and not node.style))
        return
    for child in node.value:
        _gather(child[1] if isinstance(child, tuple) else child, key, text, (*above, node), seen, out)


_KEY_GAP = r"(?<=:)[ \t]+"
_COMMENT_GAP = r"[ \t]+(?=#)"
_END_GAP = r"[ \t]+$"
_OPENS_BLOCK = r"[|>][-+0-9]*[ \t]*(?:#.*)?$"


def _without_tabs(lines: Sequence[str], mask: str) -> list[str]:
    """Lines without the tabs that ruamel.yaml stumbles over and YAML allows, each replaced by one character.

    After the colon of a key, before a comment and at the end of a line that is a blank; inside a text it is
    `mask`. Tabs that indent stay, and so do those in a literal or folded scalar.
    """

    def blanks(match: re.Match[str]) -> str:
        return " " * len(match[0])

    out: list[str] = []
    depth = -1
    for line in lines:
        here = len(line) - len(line.lstrip(" "))
        if depth >= 0 and (here > depth or not line.strip(" ")):
            out.append(line)
            continue
        depth = here if re.search(_OPENS_BLOCK, line) else -1
        text = re.sub(_END_GAP, blanks, line)
        if '"' not in text and "'" not in text:
            text = re.sub(_COMMENT_GAP, blanks, text)
        text = re.sub(_KEY_GAP, blanks, text, count=1)
        start = len(text) - len(text.lstrip())
        out.append(text[:start] + text[start:].replace("\t", mask))
    return out


def _set_out(lines: Sequence[str], margin: int) -> str:
    """Lines without the blanks of their margin and without empty lines at either end."""
    return "\n".join(
        line[margin:] if not line[:margin].strip(" ") else line.lstrip(" ") for line in lines
    ).strip("\n")


def _reason(problem: str) -> str:
    return " ".join(problem.split())


def _advice(line: str) -> str | None:
    """A line whose value only lacks quotes, with quotes; None where that would not mend it."""
    match = re.compile(r"([\w./+-]+(?: [\w./+-]+)*:) +(\S.*)").fullmatch(line.rstrip())
    if match is None or len(line) > MAX_ADVICE:
        return None
    value = match[2].rstrip()
    opened = _CLOSING.get(value[0])
    if (opened is not None and opened not in value[1:]) or not declines(line.rstrip() + "\n"):
        return None
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        value = value[1:-1]
    advice = f"{match[1]} {quoted(value)}"
    return None if declines(advice + "\n") else advice


_CLOSING = {"[": "]", "{": "}", "'": "'", '"': '"'}


def _twice(key: str, first: int, second: int) -> UnreadableFile:
    return _fault(f"the key {key!r} stands twice, on lines {first} and {second}", second, "keep one of them")


def _fault(message: str, line: int, hint: str | None = None) -> UnreadableFile:
    return UnreadableFile(message, line=line, hint=hint, code="MG002")


# Writing.

_AMBIGUOUS = (
    r"(?i:~|null|true|false|yes|no|on|off|y|n|=|<<|[-+]?\.(?:inf|nan)"
    r"|[-+]?(?:0b[01_]+|0o[0-7_]+|0x[0-9a-f_]+|(?:[0-9][0-9_]*\.?|\.)[0-9_]*(?:e[-+]?[0-9]+)?|[0-9][0-9_]*(?::[0-9]{1,2})+(?:\.[0-9_]*)?)"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[t \t][0-9:. \tz+-]*)?)"
)
"""Text that some reader of YAML 1.1 or 1.2 takes for null, a truth value, a number, a date or a merge."""
_AMBIGUOUS_FIRST = frozenset("~nNtTfFyYoO=<-+.0123456789")
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\", "\0": "\\0"}


def ambiguous(text: str) -> bool:
    """Whether a plain scalar of this text would be something else than text to a reader that gives types."""
    if text[:1].isascii() and text[:1] not in _AMBIGUOUS_FIRST:
        return False
    return re.fullmatch(_AMBIGUOUS, text) is not None


def printable(text: str) -> bool:
    """Whether a text needs no escapes: it holds nothing but line ends that YAML forbids or takes for
    something else.
    """
    if text.replace("\n", "").isprintable():
        return True
    return not any(_odd(char) for char in text if not char.isprintable() and char != "\n")


def _odd(char: str) -> bool:
    """Characters that YAML forbids or takes for a line end or a mark, and the tab, about which its rules are
    long.
    """
    return (
        char < " "
        or "\x7f" <= char <= "\x9f"
        or "\ud800" <= char <= "\udfff"
        or char in "\u2028\u2029\ufeff\ufffe\uffff"
    )


def plain_safe(text: str, flow: bool = False) -> bool:
    """Whether a text can stand without quotes; `flow` is for an item in brackets."""
    return (
        text != ""
        and text[0] not in _INDICATORS
        and text[0] != " "
        and text[-1] not in " :"
        and ": " not in text
        and " #" not in text
        and "\n" not in text
        and printable(text)
        and text not in ("---", "...")
        and not (flow and any(char in ",[]{}:\"'?" for char in text))
    )


def stays_plain(text: str, bare: bool = False, flow: bool = False) -> bool:
    """Whether a text is written without quotes; `bare` and `flow` as in `dump_scalar`."""
    return plain_safe(text, flow) and text not in _NULLS and (bare or not ambiguous(text))


def dump_scalar(text: str, *, bare: bool = False, flow: bool = False) -> str:
    """A text as a YAML scalar on one line, in quotes where it needs them.

    Args:
        bare: leave what looks like a date or number without quotes; for fields that hold one.
        flow: the scalar will stand in brackets.

    Raises:
        BadInput: the text holds lone surrogates, which no file can.
    """
    return text if stays_plain(text, bare, flow) else quoted(text)


def quoted(text: str) -> str:
    """A text in quotes: double ones, single ones where that spares escapes."""
    if ('"' in text or "\\" in text) and "\n" not in text and printable(text):
        return single(text)
    return double(text)


def single(text: str) -> str:
    """A text in single quotes, in double ones where it holds a line end or what only an escape can write."""
    if "\n" in text or not printable(text):
        return double(text)
    return "'" + text.replace("'", "''") + "'"


def double(text: str) -> str:
    """A text in double quotes, with escapes for quotes, backslashes, line ends and what does not print."""

    if '"' not in text and "\\" not in text and "\n" not in text and printable(text):
        return f'"{text}"'
    return '"' + "".join(_escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    short = _SHORT.get(char)
    if short is not None:
        return short
    if char.isprintable() or not _odd(char):
        return char
    code = ord(char)
    if 0xD800 <= code < 0xE000:
        raise BadInput("the text holds bytes that are not UTF-8")
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def dump_list(items: Iterable[str]) -> str:
    """A list in brackets on one line: `[a, "b, c"]`."""
    return "[" + ", ".join(dump_scalar(item, flow=True) for item in items) + "]"


def fold(text: str, width: int) -> list[str] | None:
    """The lines of a text for a folded scalar, or None where folding would change it.

    A line breaks at a blank between two words; a line end of the text becomes an empty line more.
    """
    if not text or not printable(text):
        return None
    out: list[str] = []
    for number, paragraph in enumerate(text.split("\n")):
        if not paragraph:
            if number == 0:
                return None
            out.append("")
            continue
        if paragraph[0] == " " or paragraph[-1] == " ":
            return None
        if number:
            out.append("")
        out += _wrap(paragraph, width)
    return None if not out[-1] else out


def _wrap(text: str, width: int) -> list[str]:
    lines: list[str] = []
    start = last = 0
    for match in re.finditer(r"(?<! ) (?! )", text):
        here = match.start()
        if here - start > width and last > start:
            lines.append(text[start:last])
            start = last + 1
        last = here
    if len(text) - start > width and last > start:
        lines.append(text[start:last])
        start = last + 1
    lines.append(text[start:])
    return lines

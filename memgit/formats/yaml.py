"""The YAML of frontmatter: every scalar is text as typed, every key knows the lines it stands on.

libyaml composes the nodes, by way of PyYAML; what it refuses, and what holds tabs, goes to ruamel.yaml, whose
errors are the ones that are reported. Both are imported only then.
Nothing is constructed: `yes`, `1.10` and `2026-03-02` stay text, aliases are not expanded, nested structures
stay their own source.
Bounds: `MAX_BLOCK` characters (`MAX_FULL` for ruamel.yaml), `MAX_DEPTH` levels, `MAX_NODES` nodes once
aliases are counted as often as they stand.

Line numbers in entries count from 0 within the block; in errors they count from 1 within the file.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from memgit import TYPE_CHECKING
from memgit.errors import UnreadableFile
from memgit.fastpath import c_module
from memgit.formats.text import whole
from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Value

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any
from memgit.formats.yaml_text import NULLS, double, printable, quoted

MAX_BLOCK = 1024 * 1024


MAX_FULL = 96 * 1024
"""The most that is handed to ruamel.yaml, which takes some seconds a megabyte."""


MAX_DEPTH = 64


MAX_NODES = 10_000


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


SINGLE = pattern(r"'([^']*+(?:''[^']*+)*+)'")


DOUBLE = pattern(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL)


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
    return _read(text, inner, first_line)


@lru_cache(maxsize=2)
def _read(text: str, inner: str, first_line: int) -> dict[str, Entry]:
    return _Block(text, inner, first_line).read()


class _Block:
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
        if printable(self.text):
            root = _composed(self.text)
            if root is not _REFUSED:
                return root
        return self._compose_slowly()

    def _compose_slowly(self) -> Any:
        """As `_compose` by ruamel.yaml, which reads YAML 1.2 with its tabs, and says what is wrong and where.

        Raises:
            UnreadableFile: MG002, in words.
        """
        size = len(self.text)
        if size > MAX_FULL:
            raise _fault(
                f"frontmatter of {size:,} characters that is not plain, and at most {MAX_FULL:,} are read",
                self.first_line,
            )
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
                raise _fault(
                    "an alias refers to a node that contains it", node.start_mark.line + self.first_line
                )
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
        if node.tag == _NULL_TAG and node.style not in ("'", '"', "|", ">"):
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
        node = _composed(f'"{raw}"') if self.style == '"' and "\\" in raw else None
        return raw if node is None or node is _REFUSED else str(node.value)

    def encode(self, text: str) -> str:
        """A text as part of the source."""
        if self.style == "'":
            return text.replace("'", "''")
        return double(text)[1:-1] if self.style == '"' else text


def scalars(text: str) -> list[Scalar]:
    """The scalars that are values in a block, in the order of the text; none where it is not YAML."""
    reader = _Block(text.replace("\r\n", " \n"), "", 1)
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


_REFUSED = object()


_NULL_TAG = "tag:yaml.org,2002:null"


_REAL = ("error", "tokens", "events", "nodes", "scanner", "parser", "composer")


_ERRORS = ("reader", "constructor", "emitter", "serializer", "representer")  # each defines one


@cache
def _libyaml() -> tuple[Any, type[Exception]] | None:
    """What composes nodes without giving them types, and its error; None where PyYAML has no libyaml."""

    def errors(package: Any) -> dict[str, dict[str, Any]]:
        names = {name: f"{name.capitalize()}Error" for name in _ERRORS}
        return {name: {error: type(error, (package.YAMLError,), {})} for name, error in names.items()}

    try:
        with c_module.alone("yaml", "_yaml", _REAL, errors) as parser:
            pass
    except ImportError:
        return None

    class Composer(parser.CParser):  # type: ignore[misc, name-defined]
        def resolve(self, kind: object, value: str | None, implicit: tuple[bool, bool]) -> str:
            return _NULL_TAG if value is not None and implicit[0] and (not value or value in NULLS) else ""

        def descend_resolver(self, parent: object, index: object) -> None:
            pass

        def ascend_resolver(self) -> None:
            pass

    return Composer, parser.YAMLError


def _composed(text: str) -> Any:
    """The nodes of a block, None for an empty one, as libyaml composes them; `_REFUSED` where it does not."""
    library = _libyaml()
    if library is None:
        return _REFUSED
    composer, refused = library
    try:
        root = composer(text).get_single_node()
    except (refused, UnicodeError, RecursionError):
        return _REFUSED
    return root if root is None or _is_shallow(root) else _REFUSED


def _is_shallow(root: Any) -> bool:
    """Whether nodes are nested no more than `MAX_DEPTH` levels deep, aliases left out."""
    level, seen = [root], {id(root)}
    for _ in range(MAX_DEPTH):
        below = [
            child
            for node in level
            if node.id != "scalar"
            for one in node.value
            for child in (one if isinstance(one, tuple) else (one,))
            if child.id != "scalar" and id(child) not in seen
        ]
        if not below:
            return True
        seen.update(map(id, below))
        level = below
    return False


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
    """A line whose value only lacks quotes, with quotes; None where that would not fix it."""
    match = re.compile(r"([\w./+-]+(?: [\w./+-]+)*:) +(\S.*)").fullmatch(line.rstrip())
    if match is None or len(line) > MAX_ADVICE:
        return None
    value = match[2].rstrip()
    opened = _CLOSING.get(value[0])
    if (opened is not None and opened not in value[1:]) or _composed(line.rstrip()) is not _REFUSED:
        return None
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        value = value[1:-1]
    advice = f"{match[1]} {quoted(value)}"
    return None if _composed(advice) is _REFUSED else advice


_CLOSING = {"[": "]", "{": "}", "'": "'", '"': '"'}


def _twice(key: str, first: int, second: int) -> UnreadableFile:
    return _fault(f"the key {key!r} occurs twice, on lines {first} and {second}", second, "keep one of them")


def _fault(message: str, line: int, hint: str | None = None) -> UnreadableFile:
    return UnreadableFile(message, line=line, hint=hint, code="MG002")

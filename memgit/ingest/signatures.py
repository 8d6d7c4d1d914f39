"""What a reader needs of code: what it is for, what it is called with, its types and values, when it fails.

Everything that is declared stays as it stands: comments, types with their fields and cases, constants, short
functions. Of a long function stay its signature, its documentation and the lines that tell a value, a formula, a
message, a reason or a failure, with the conditions around them. Imports, licences and long functions that nobody says
anything of are left out. It goes by lines and their margins, so that it holds for a part of a file too.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memgit.ingest.boilerplate import kind_of
from memgit.ingest.cuts.code import IMPORT, is_function, margin_of, name_of

LANGUAGES = frozenset(
    """
    python javascript jsx typescript tsx go rust java kotlin scala swift c cpp csharp php dart solidity zig groovy ruby elixir lua
    """.split()
)
"""Languages whose functions are shortened; of others the code itself is taken."""
MAX_LINES = 24
"""Lines of one signature or import."""
SHORT_BODY, UNTOLD_BODY = 12, 40
"""Lines of a function that stays whole: of one with documentation, and of one whose code is all that tells."""
_TEXT = re.compile(r"^[ \t]*[rRuUbB]?(\"{3}|'{3})")
_ATTRIBUTE = re.compile(r"^[ \t]*(?:@\w|#!?\[|\[\w+[\](])")
_CONTAINER = re.compile(
    r"^[ \t]*(?:(?:export|default|pub(?:\(\w+\))?|public|private|protected|internal|open|static|abstract|final|sealed|data|declare"
    r"|indirect|partial|const|unsafe)\s+)*(?:class|struct|enum|interface|protocol|trait|impl|type|object|extension|record|union|module)\b"
)
_CONSTANT = re.compile(
    r"^(?:(?:export|pub(?:\(\w+\))?|public|static|final)\s+)*(?:(?:const|let|val|static)\s+)?"
    r"(?:[A-Z][A-Z0-9_]{2,}|(?<=const )\w+)\s*(?::[^=]+)?="
)
_FAILS = re.compile(
    r"\b(?:raise|throw|panic!?|fatalError|precondition\w*|bail!|ensure!|assert\w*!?)(?:[\s(]|$)"
    r"|\breturn (?:\w+, )?(?:Err\(|(?:errors|fmt)\.\w+\()"
    r"|\breturn .*&?\w*Error\{"
)
_VALUE = re.compile(
    r"^(?:(?:let|var|const|val|final|static|double|int|float|readonly|self\.|this\.)\s*)*[\w.#]+(?::\s*\w+)?\s*:?="
    r"\s*-?(?:\d+\.\d|\d{2}|[2-9]|0x)[\w.]*\s*[,;]?\s*(?:(?://|#).*)?$"
    r"|^\w+\??:\s*(?:-?\d[\w.]*|true|false|Number\.\w+|'[^']*'|\"[^\"]*\"),\s*(?:(?://|#).*)?$"
)
_FORMULA = re.compile(
    r"^(?:return\b|[\w.]+\s*[-+*/]=|[^=]*[^=!<>]=(?!=)).*(?:[\w)\]]\s*(?:\*{1,2}|/(?!/)|\^)\s*[\w(].*[-+*/]\s*[\w(]"
    r"|\b(?:exp|log|sqrt|pow)\(.*[-+*/])"
)
_MESSAGE = re.compile(r"[\"'`](?=[^\"'`]*[A-Za-z]{2,}[^\"'`]*\s[a-z]+\s[^\"'`]*\w)")
_REASON = re.compile(
    r"\b(?:because|since|so that|otherwise|must|never|avoid|instead|assum\w+|only (?:if|when)|in order to)\b",
    re.I,
)
_PRIVATE = re.compile(r"^\s*(?:(?:static|async|final|get|set)\s+)*(?:private|fileprivate|#)|\bdef _(?!_)")
_TYPING = re.compile(r"if (?:typing\.)?TYPE_CHECKING:")
_DIRECTIVE = re.compile(r"(?m)^#\w+.*$|^package .*$")
_CONTINUES = re.compile(r"\}?\s*(?:else|elif|elsif|catch|except|finally|rescue|ensure)\b")
_COMMENT = re.compile(r"//|/\*|\*[\s/]|\*$")
_MARKS = dict.fromkeys(("python", "ruby", "elixir"), "#") | {"lua": "--"}
"""What a comment begins with in languages that do not write `//`."""


class Signatures(NamedTuple):
    """What is kept of some code as text, the names of what it defines with what each is for (one line, or
    nothing), whether anything is told besides code, what all of it is for, and what was left out.
    """

    text: str
    purposes: dict[str, str]
    documented: bool
    whole: str
    left: str


def signatures(text: str, language: str) -> Signatures | None:
    """What a reader needs of some code; None where the language is none of `LANGUAGES`."""
    return _Reading(text.split("\n"), language).all() if language in LANGUAGES else None


class _Reading:
    """Reads code line by line."""

    def __init__(self, lines: list[str], language: str) -> None:
        self._lines, self._language = lines, language
        mark = _MARKS.get(language)
        self._is_comment = (_COMMENT if mark is None else re.compile(re.escape(mark))).match
        self._gap = f"{mark or '//'} \u2026"
        self._out: list[str] = []
        self._purposes: dict[str, str] = {}
        self._owners: list[tuple[int, str]] = []
        self._left: dict[str, None] = {}
        self._whole = ""
        self._documented = False
        self._lead = 0  # the place in `_out` of the comment right above

    def all(self) -> Signatures:
        number = 0
        while number < len(self._lines):
            number = self._read(number)
        text = re.sub(r"\n{3,}", "\n\n", "\n".join(self._out)).strip("\n")
        if not re.search(r"\w", _DIRECTIVE.sub("", text)):
            text = ""
        return Signatures(text, self._purposes, self._documented, self._whole, _listed(list(self._left)))

    def _read(self, number: int) -> int:
        """Takes in what begins at a line; the number of the line after it."""
        line = self._lines[number]
        bare = line.strip()
        if not bare:
            self._out.append("")
            self._lead = len(self._out)
            return number + 1
        if bare.startswith("/*") or (_TEXT.match(line) and self._language == "python"):
            return self._comment(number, self._block_end(number))
        if self._is_comment(bare) and not _ATTRIBUTE.match(line):
            stop = next(
                (n for n in range(number, len(self._lines)) if not self._is_comment(self._lines[n].strip())),
                len(self._lines),
            )
            return self._comment(number, max(stop, number + 1))
        if line == bare and (IMPORT.match(re.sub(r"^(?:@\w+\s+)+", "", bare)) or _TYPING.match(bare)):
            self._left["imports"] = None
            del self._out[self._lead :]
            return self._body_end(number + 1, 0) if _TYPING.match(bare) else self._statement_end(number)
        if _ATTRIBUTE.match(line):
            stop = self._statement_end(number)
            self._out += self._lines[number:stop]
            return stop
        if is_function(bare):
            return self._function(number)
        return self._declaration(number)

    def _comment(self, first: int, stop: int) -> int:
        """Takes in a comment; one at the head says what all is for, a licence is left out."""
        lines = self._lines[first:stop]
        if kind_of("", "\n".join(lines)) or re.search(
            r"copyright|licensed under|SPDX-", "\n".join(lines), re.I
        ):
            self._left["a licence"] = None
            return stop
        said = _sentence(lines)
        following = next((line for line in self._lines[stop:] if line.strip()), "")
        alone = stop >= len(self._lines) or not self._lines[stop].strip() or IMPORT.match(following)
        if said and not any(self._out) and (alone or _TEXT.match(lines[0])):
            self._whole = said
        self._documented |= bool(said)
        self._out += lines
        return stop

    def _declaration(self, number: int) -> int:
        """Takes in a line that is no function: a type, a field, a constant, a statement."""
        line = self._lines[number]
        margin = margin_of(line)
        if _CONTAINER.match(line):
            after = next((n for n in range(number + 1, len(self._lines)) if self._lines[n].strip()), number)
            told = self._docstring(after) if self._language == "python" else (after, after)
            self._named(name_of(line.strip()), margin, self._lines[told[0] : told[1]])
        elif line.lstrip().startswith(("#", "readonly #")) and self._lead == len(self._out):
            return self._statement_end(number)  # a private field of JavaScript that nothing is said of
        elif _CONSTANT.match(line.strip()):
            self._documented = True
            if margin == 0:
                self._named(name_of(line) or line.partition("=")[0].partition(":")[0].strip(), margin, [])
        self._out.append(line)
        if not self._is_overload(number):
            self._lead = len(self._out)
        return number + 1

    def _is_overload(self, number: int) -> bool:
        """Whether a line declares the function that begins below it: the comment above speaks of both."""
        bare = self._lines[number].strip()
        below = self._lines[number + 1].strip() if number + 1 < len(self._lines) else ""
        return (
            bare.endswith(";")
            and is_function(below)
            and is_function(f"{bare[:-1]} {{")
            and name_of(below) == name_of(f"{bare[:-1]} {{")
        )

    def _named(self, name: str, margin: int, inside: list[str]) -> None:
        """Notes what is defined at a margin, and what is said of it."""
        if not name:
            return
        while self._owners and self._owners[-1][0] >= margin:
            self._owners.pop()
        whole = ".".join([*(one for _, one in self._owners[-1:]), name])
        self._owners.append((margin, name))
        above = [line for line in self._out[self._lead :] if not _ATTRIBUTE.match(line)]
        self._purposes[whole] = self._purposes.get(whole) or _sentence(inside) or _sentence(above)

    def _function(self, first: int) -> int:
        """Takes in a function: all of a short one, of a long one what tells something."""
        start = self._statement_end(first)
        if start < len(self._lines) and self._lines[start].strip() == "{":
            start += 1
        margin = margin_of(self._lines[first])
        stop = self._body_end(start, margin)
        end = stop + (stop < len(self._lines) and self._lines[stop].strip()[:1] in ("}", ")", "]"))
        end += end == stop and stop < len(self._lines) and self._lines[stop].strip() == "end"
        told = self._docstring(start) if self._language == "python" else (start, start)
        code = [number for number in range(told[1], stop) if self._lines[number].strip()]
        above = self._out[self._lead :]
        documented = told[1] > told[0] or bool(
            _sentence([line for line in above if not _ATTRIBUTE.match(line)])
        )
        hidden = _PRIVATE.search(self._lines[first]) is not None
        telling = self._telling(code)
        kept = set(code) if len(code) <= (SHORT_BODY if documented or hidden else UNTOLD_BODY) else telling
        empty = all(self._lines[number].strip() in ("pass", "...") for number in code)
        if not documented and (not kept or empty or (hidden and not any(map(self._tells, code)))):
            self._left["private functions" if hidden else "functions without a word of what they are for"] = (
                None
            )
            del self._out[self._lead :]
            return end
        self._documented |= documented or bool(telling)
        self._named(name_of(self._lines[first].strip()), margin, self._lines[told[0] : told[1]])
        self._out += self._lines[first : told[1]]
        self._body(kept, code, stop)
        self._out += self._lines[stop:end] if kept or end == stop else ()
        if not kept and end > stop and self._out[-1].rstrip().endswith("{"):
            self._out[-1] = self._out[-1].rstrip()[:-1].rstrip()
        self._lead = len(self._out)
        return end

    def _body_end(self, first: int, margin: int) -> int:
        """The line after what is set in deeper than a margin, from a line on."""
        stop = first
        while stop < len(self._lines) and (
            not self._lines[stop].strip() or margin_of(self._lines[stop]) > margin
        ):
            stop += 1
        while stop > first and not self._lines[stop - 1].strip():
            stop -= 1
        return stop

    def _body(self, kept: set[int], code: list[int], stop: int) -> None:
        """Writes the lines of a body that are kept, with a mark where others stood."""
        before = code[0] - 1 if code else stop
        for number in sorted(kept):
            if any(self._lines[one].strip() for one in range(before + 1, number)):
                line = self._lines[number]
                self._out.append(line[: margin_of(line)] + self._gap)
            elif number > before + 1:
                self._out.append("")
            self._out.append(self._lines[number])
            before = number
        if kept and before < code[-1]:
            line = self._lines[code[0]]
            self._out.append(line[: margin_of(line)] + self._gap)

    def _telling(self, code: list[int]) -> set[int]:
        """The lines of a long body that tell a value, a formula, a message, a reason or a failure, with the comments above and
        the conditions around them; all where these are most.
        """
        kept: set[int] = set()
        opener, closer = self._blocks(code)
        around: set[int] = set()
        for number in code:
            bare = self._lines[number].strip()
            is_comment = self._is_comment(bare) is not None
            if not (_REASON.search(bare) if is_comment else self._tells(number)):
                continue
            end = min(self._statement_end(number), code[-1] + 1)
            while is_comment and end <= code[-1] and self._is_comment(self._lines[end].strip()):
                end += 1
            kept.update(range(number, min(self._statement_end(end) if is_comment else end, code[-1] + 1)))
            kept.update([closer[end]] if is_comment and end in closer else [])
            above = number - 1
            while above >= code[0] and self._is_comment(self._lines[above].strip()):
                kept.add(above)
                above -= 1
            block = opener.get(number)
            while block is not None and block not in around:
                around.add(block)
                kept.update(range(block, min(self._statement_end(block), code[-1] + 1)))
                kept.update([closer[block]] if block in closer else [])
                block = opener.get(block)
        kept = {number for number in kept if self._lines[number].strip()}
        return set(code) if len(kept) > 0.7 * len(code) else kept

    def _tells(self, number: int) -> bool:
        """Whether a statement tells a value, a formula, a message or a failure."""
        bare = self._lines[number].strip()
        if self._is_comment(bare):
            return False
        if any(sign.search(bare) for sign in (_FAILS, _VALUE, _MESSAGE)):
            return True
        end = self._statement_end(number)
        return _FORMULA.match(" ".join(line.strip() for line in self._lines[number:end])) is not None

    def _blocks(self, code: list[int]) -> tuple[dict[int, int], dict[int, int]]:
        """For the lines of a body the line that opened the block around each, and where each such line closes."""
        opener: dict[int, int] = {}
        closer: dict[int, int] = {}
        opened: list[int] = []
        for number in code:
            bare, margin = self._lines[number].strip(), margin_of(self._lines[number])
            same = None
            while opened and margin_of(self._lines[opened[-1]]) >= margin:
                last = opened.pop()
                same = last if margin_of(self._lines[last]) == margin else None
            if same is not None and bare.strip(");,") == "}":
                closer[same] = number
            if same is not None and _CONTINUES.match(bare):
                opener[number] = same
            elif opened:
                opener[number] = opened[-1]
            opened.append(number)
        return opener, closer

    def _docstring(self, start: int) -> tuple[int, int]:
        """The lines of the documentation that a body begins with; none where it has none."""
        first = next(
            (number for number in range(start, len(self._lines)) if self._lines[number].strip()), None
        )
        if first is None or not _TEXT.match(self._lines[first]):
            return start, start
        return first, self._block_end(first)

    def _block_end(self, first: int) -> int:
        """The line after a block comment or a string in triple quotes."""
        match = _TEXT.match(self._lines[first])
        ends = match[1] if match is not None else "*/"
        rest = self._lines[first][match.end() if match is not None else 0 :]
        if ends in rest:
            return first + 1
        found = next(
            (n for n in range(first + 1, len(self._lines)) if ends in self._lines[n]), len(self._lines) - 1
        )
        return found + 1

    def _statement_end(self, first: int) -> int:
        """The line after a statement: where its brackets are closed, or a block begins."""
        depth = 0
        for number in range(first, min(len(self._lines), first + MAX_LINES)):
            line = (
                re.sub(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'", "", self._lines[number])
                .partition(" #")[0]
                .partition(" //")[0]
            )
            depth += sum(map(line.count, "([")) - sum(map(line.count, ")]"))
            opens = line.rstrip().endswith("{")
            depth += 0 if opens else line.count("{") - line.count("}")
            if depth <= 0:
                return number + 1
        return min(len(self._lines), first + 1)


def _listed(names: list[str]) -> str:
    return ", ".join(names[:-1]) + " and " * (len(names) > 1) + "".join(names[-1:])


def _sentence(lines: list[str]) -> str:
    """The first sentence of a comment, on one line."""
    said: list[str] = []
    for line in lines:
        bare = re.sub(r"^[ \t]*(?:/\*+!?|\*+/?|///?!?|#+!?|--+|;+|[rRuU]?\"{3}|'{3})[ \t]?", "", line)
        text = re.sub(r"\*/|\"{3}|'{3}", "", bare).strip("-=~* \t")
        text = re.sub(r"\{@\w+ ([^{}]*)\}", r"\1", text)
        if re.fullmatch(r"\w+(?:\.\w+)+|~+|MARK:.*", text):
            continue
        if said and (not text or text.startswith(("- ", "@", ":", "\\"))):
            break
        if any(char.isalnum() for char in text) and not text.startswith(
            ("@", ":", "TODO", "eslint", "/usr/bin", "-*-")
        ):
            said.append(text)
        if text.endswith("."):
            break
    return re.split(r"(?<=[.!?])\s", " ".join(said))[0]

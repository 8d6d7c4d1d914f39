"""Code of any language in pieces: by what begins at column 0.

The rule: a piece begins at a line at column 0 that looks like the start of a definition, or that follows a
blank line and closes nothing; the comment, attribute or decorator lines right above it belong to it, and
imports stay together. Inside a block comment nothing begins. That holds for languages whose definitions start
at column 0, whatever they are called; in others only the sizes of the pieces are sound.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from memgit.ingest.cuts.lines import Lines
from memgit.ingest.cuts.size_limits import Piece, merge, split

_WORDS = (
    r"(?:(?:export|default|pub(?:\([\w: "
    r"]+\))?|public|private|protected|internal|static|async|abstract|final|unsafe|extern(?: \"C\")?"
    r"|inline|const|constexpr|virtual|override|sealed|open|data|local|declare|partial|suspend|create|or|replace|temp|temporary|unique)\s+)*"
)
_DEFINITION = re.compile(
    rf"{_WORDS}(?:function\*?|func|fn|fun|def|defp|defmodule|defmacro|class|struct|enum|union|trait|impl|interface|type|typedef|module|mod"
    r"|namespace|package|object|record|sub|proc|procedure|macro_rules!|macro|protocol|extension|view|table|trigger|index|schema"
    r"|resource|data|variable|provider|service|message|rpc|let|var|const|val)\s+[\"'`]?(?P<name>[\w$.:!?-]+)",
    re.IGNORECASE,
)
_CALLED = re.compile(r"(?:[\w:<>,*&\[\]~.]+\s+)*\*?(?P<name>[A-Za-z_~][\w:~.-]*)\s*\([^;]*$")
_ASSIGNED = re.compile(r"(?P<name>[A-Za-z_$][\w$.]*)\s*(?:=|:=|<-)\s*(?:function|async|\(|\\|new |class\b)")
_RECEIVER = re.compile(r"func\s+\((?:\w+\s+)?\*?(?P<owner>\w+)[^()]*\)\s*(?P<name>\w+)")
_FUNCTION = re.compile(
    r"(?:(?:export|default|pub(?:\(\))?|public|private|fileprivate|protected|internal|open|static|async|abstract|final|override"
    r"|virtual|inline|const|unsafe|extern(?: \"C\")?|synchronized|mutating|nonmutating|required|convenience|suspend|local|get|set)\s+)*"
    r"(?:(?:func|fn|fun|def|defp|function\*?|sub|proc)\s|(?:init|deinit|constructor|subscript)[?!]?\s*[({]"
    r"|(?:(?:const|let|var)\s+)?[\w$.]+\s*=\s*(?:async\s+)?(?:function\b|(?:\(\)|\w+)(?::[^=]*)?\s*=>\s*\{)"
    r"|(?:[\w.:\[\]*&?]+\s+)*[#*&~]?[A-Za-z_$][\w$:]*\s*\((?:[^)]*|\)[^;=]*\{.*)$)"
)
_NO_FUNCTION = re.compile(
    r"(?:if|else|elif|for|foreach|while|switch|match|when|catch|except|return|await|super|throw|raise|do|try|guard|defer|with|print|assert"
    r"|yield|new|delete|import|use|using|include|require|from|package|case|class|struct|enum|interface|type|impl|trait|namespace"
    r"|macro_rules!)\b|(?:const|var|let|type)\s*\(|#(?:if|el|endif|error|warning|available|define|include|pragma)|[\w$.]*\.\w+\("
)
_NESTED = re.compile(r"\([^()]*\)|<[^<>()=]*>")
_IMPL = re.compile(r"(?:unsafe\s+)?impl(?:<[^{]*?>)?\s+(?:[^{]*?\sfor\s+)?&?(?P<name>\w+)")
_SECTION = re.compile(r"\[+(?P<name>[\w .\"'/:-]+)\]+\s*$|(?P<key>[\w./-]+):(?:\s|$)")
IMPORT = re.compile(
    r"(?:import\b|from\s+\S+\s+import\b|#\s*(?:include|import)\b|use\s|using\s|require(?:_relative)?\b|(?:const|let|var)\s.*=\s*require\("
    r"|library\(|source\s|\.\s+/|@import\b|extern\s+crate|open\s+[A-Z]|package\s|export\s.*\sfrom\s)"
)
_CLOSES = re.compile(
    r"[})\]]|(?:end|else|elif|elsif|elseif|fi|done|esac|then|do|catch|except|finally|rescue|ensure|when|case|default|begin)\b"
)
COMMENT = re.compile(
    r"(?://|#(?!\s*(?:include|define|undef|if\w*|el\w*|endif|error|warning|import|pragma|region|endregion)\b|\[|!\[)|--|;|%|\"\"\"|/\*|\*|\(\*|@|#\[|REM\b|<!--)",
    re.IGNORECASE,
)

_NO_NAMES = frozenset(["const", "var", "let", "type", "func", "import", "impl", "static", "export"])
MAX_LINE = 400
"""Characters of a line that may define something."""


def pieces(lines: Lines, functions: bool = False) -> list[Piece]:
    """The pieces of a text in some programming or configuration language.

    Args:
        functions: never cut within a function.
    """
    starts, names = _starts(lines)
    found: list[Piece] = []
    borders = [1, *(start for start in starts if start > 1), len(lines) + 1]
    for first, after in pairwise(borders):
        if first < after:
            name = names.get(first, "")
            found.append(
                Piece(first, after - 1, lines.weight(first, after - 1), ((name,),) if name else ((),))
            )
    out: list[Piece] = []
    for piece in found:
        out += split(lines, piece, _tiers(lines, piece, functions)) if piece.tokens > 0 else [piece]
    return merge(out)


def _starts(lines: Lines) -> tuple[list[int], dict[int, str]]:
    """The lines that pieces begin with, in order, and the names of what is defined there."""
    starts: list[int] = []
    names: dict[int, str] = {}
    lead = 0  # first line of the comment that stands right above
    importing = False
    comment = False
    for number in range(1, len(lines) + 1):
        line = lines[number]
        if comment:
            comment = "*/" not in line
            continue
        if not line.strip():
            if lead and (lead == 1 or lines.blank(lead - 1)):
                starts.append(lead)  # a comment that stands alone
            lead = 0
            continue
        if line[0] in " \t":
            lead = 0
            continue
        if line.startswith("/*"):
            lead = lead or number
            comment = "*/" not in line[2:]
            continue
        if COMMENT.match(line):
            lead = lead or number
            continue
        imports = IMPORT.match(line) is not None
        name = "" if imports else name_of(line)
        fresh = number > 1 and lines.blank((lead or number) - 1) if (lead or number) > 1 else True
        if not _CLOSES.match(line) and (name or fresh) and not (imports and importing):
            first = lead or number
            starts.append(first)
            if name:
                names[first] = name
        if not _CLOSES.match(line):
            importing = imports
        lead = 0
    return starts, names


def margin_of(line: str) -> int:
    """How far a line is set in, in characters."""
    return len(line) - len(line.lstrip())


def is_function(bare: str) -> bool:
    """Whether a line, without its margin, begins a function."""
    if len(bare) > MAX_LINE or _NO_FUNCTION.match(bare):
        return False
    return _FUNCTION.match(_flat(bare)) is not None


def _flat(line: str) -> str:
    """A line without what is in its brackets, the innermost first."""
    before = ""
    while line != before:
        line, before = _NESTED.sub(lambda match: "\0" if match[0][0] == "(" else "", line), line
    return line.replace("\0", "()")


def name_of(line: str) -> str:
    """What a line at column 0 defines, as far as it looks like the start of a definition; empty for any other
    line.
    """
    if len(line) > MAX_LINE:
        return ""
    method = _RECEIVER.match(line)
    if method is not None:
        return f"{method['owner']}.{method['name']}"
    for pattern in (_IMPL, _DEFINITION, _ASSIGNED, _CALLED):
        match = pattern.match(line.rstrip())
        if match is not None and match["name"] not in _NO_NAMES:
            return match["name"].rstrip(":!?")
    if is_function(line.strip()):
        return _flat(line).partition("(")[0].split()[-1].lstrip("*&")
    match = _SECTION.match(line)
    return "" if match is None else (match["name"] or match["key"] or "").strip("\"' ")


def _tiers(lines: Lines, piece: Piece, functions: bool) -> Sequence[list[int]]:
    """Where a piece that is too large is cut: after blank lines, the least set-in ones first, then anywhere
    at such a line.
    """
    after_blank: dict[int, list[int]] = {}
    shallow: list[int] = []
    comment = False
    inside = -1  # the margin of the function that is being passed
    for number in range(piece.first + 1, piece.last + 1):
        line = lines[number]
        if comment or not line.strip():
            comment = comment and "*/" not in line
            continue
        if inside >= 0 and (margin_of(line) > inside or _CLOSES.match(line.lstrip())):
            continue
        inside = margin_of(line) if functions and is_function(line.strip()) else -1
        comment = line.lstrip().startswith("/*") and "*/" not in line
        if _CLOSES.match(line.lstrip()):
            continue
        margin = margin_of(line) // (1 if line[0] == "\t" else 2)
        if lines.blank(number - 1):
            after_blank.setdefault(min(margin, 3), []).append(number)
        above = lines[number - 1].strip()
        if margin <= 2 and not (COMMENT.match(above) or above.endswith("*/")):
            shallow.append(number)
    return [*(after_blank.get(depth, []) for depth in range(4)), shallow]

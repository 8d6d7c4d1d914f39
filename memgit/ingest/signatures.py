"""What a reader needs of code: what it is for, what it is called with, and what its author says of it.

Comments and docstrings stay with the signature below or above them; what lies inside functions, imports and
private parts are left out. It goes by lines, so that it holds for a part of a file too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memgit.ingest.cuts.code import name_of

LANGUAGES = frozenset(
    """
    python javascript jsx typescript tsx go rust java kotlin scala swift c cpp csharp php dart solidity zig groovy ruby elixir lua
    """.split()
)
"""Languages whose definitions are told; of others the code itself is taken."""
MAX_LINES = 16
"""Lines of one signature."""
_PY_DEF = re.compile(r"^([ \t]*)(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)")
_PY_CONST = re.compile(r"^([A-Z][A-Z0-9_]{2,})\s*(?::[^=]+)?=")
_PY_TEXT = re.compile(r"^[ \t]*[rRuUbB]?(\"{3}|'{3})")
_COMMENT = re.compile(
    r"^[ \t]*(?:///?!?|#(?!\s*(?:include|define|if|ifdef|ifndef|endif|import|pragma)\b|\[)|--)"
)
_ATTRIBUTE = re.compile(r"^[ \t]*(?:@\w|#\[)")
_MEMBER = re.compile(
    r"^(?:(?:export|default|pub(?:\(\w+\))?|public|protected|internal|open|static|async|abstract|final|override|virtual|readonly|get|set"
    r"|mutating|required|convenience|suspend|inline|const|unsafe)\s+)*(?:(?:func|fn|fun|def|function|constructor|init|class|struct|enum"
    r"|interface|protocol|trait|impl|case)\b|(?:[\w<>\[\],.?*&:]+\s+)?[A-Za-z_$][\w$]*\s*(?:<[^()]*>)?\()"
)
_STATEMENT = re.compile(
    r"^(?:if|else|for|while|switch|catch|return|await|super|throw|do|try|guard|defer|print|assert|yield|new|delete|let|var|this"
    r"|self|import|use|using|include|require|from|package)\b|^[\w.$]+\s*(?:[-+*/|&]?=[^=>]|\.\w+\()"
)
_PRIVATE = re.compile(
    r"^(?:(?:static|async|final)\s+)*(?:private|fileprivate)\b|^(?:(?:static|async|get|set)\s+)*#"
)


class Signatures(NamedTuple):
    """The definitions of some code as text, their names, what the first of them is for (one line), whether
    anything is said of any of them, and what all of it is for.
    """

    text: str
    names: tuple[str, ...]
    purpose: str
    documented: bool
    whole: str


class _Told(NamedTuple):
    name: str
    lines: list[str]
    said: str


def signatures(text: str, language: str) -> Signatures | None:
    """The definitions in some code; None where the language is none of `LANGUAGES`."""
    if language not in LANGUAGES:
        return None
    lines = text.split("\n")
    told = list(_python(lines) if language == "python" else _braced(lines))
    body = "\n\n".join("\n".join(one.lines) for one in told)
    names = tuple(dict.fromkeys(one.name for one in told if one.name))
    first = next((one for one in told if one.name), None)
    purpose = first.said if first is not None else next((one.said for one in told), "")
    whole = told[0].said if told and not told[0].name else ""
    return Signatures(body, names, purpose, any(one.said for one in told), whole)


def _python(lines: list[str]) -> Iterator[_Told]:
    number = 0
    owner: list[tuple[int, str]] = []
    in_module = False
    hidden = -1  # the margin of a private definition that is being passed
    while number < len(lines):
        line = lines[number]
        margin = len(line) - len(line.lstrip())
        if hidden >= 0 and line.strip() and margin <= hidden:
            hidden = -1
        match = _PY_DEF.match(line)
        if match is None:
            first = next((place for place, one in enumerate(lines) if one.strip() and one[:1] != "#"), None)
            if number == first and _PY_TEXT.match(line):
                stop = _text_end(lines, number)
                yield _Told("", lines[number:stop], _sentence(lines[number:stop]))
                in_module = True
                number = stop
                continue
            constant = _PY_CONST.match(line)
            following = lines[number + 1] if number + 1 < len(lines) else ""
            if constant and len(line) < 120 and _PY_TEXT.match(following) and not following[:1].isspace():
                stop = _text_end(lines, number + 1)
                yield _Told(constant[1], lines[number:stop], _sentence(lines[number + 1 : stop]))
                number = stop
                continue
            number += 1
            continue
        stop = _signature_end(lines, number, ":")
        after = next((place for place in range(stop, len(lines)) if lines[place].strip()), len(lines))
        is_told = after < len(lines) and _PY_TEXT.match(lines[after]) is not None
        end = _text_end(lines, after) if is_told else stop
        name = match[2]
        if in_module and margin and not owner:  # in a branch of the module, not in a class
            number = end
            continue
        is_class = lines[number].lstrip().startswith("class")
        if hidden >= 0 or (name.startswith("_") and (name != "__init__" or not is_told)):
            hidden = margin if hidden < 0 else hidden
            number = end
            continue
        while owner and owner[-1][0] >= margin:
            owner.pop()
        whole = ".".join([*(one for _, one in owner[-1:]), name])
        owner.append((margin, name))
        decorators = _above(lines, number, _ATTRIBUTE, _COMMENT)
        said = _sentence(lines[after:end]) if is_told else _sentence(decorators)
        yield _Told(whole, [*decorators, *lines[number:stop], *(lines[after:end] if is_told else ())], said)
        hidden = hidden if is_class else margin  # what is defined inside a function is its own
        number = end


def _braced(lines: list[str]) -> Iterator[_Told]:
    number = 0
    block = False
    while number < len(lines):
        line = lines[number]
        bare = line.strip()
        if block or bare.startswith("/*"):
            block = "*/" not in bare
            number += 1
            continue
        margin = len(line) - len(line.lstrip())
        shallow = margin == 0 or (line.startswith("\t") and margin == 1) or (line[0] == " " and margin <= 4)
        name = _defined(bare, margin) if bare and shallow and not _COMMENT.match(line) else ""
        if not name:
            number += 1
            continue
        stop = _signature_end(lines, number, "{;")
        above = _block_above(lines, number)
        said = _sentence([one for one in above if not _ATTRIBUTE.match(one)])
        if said or margin == 0:
            head = lines[number:stop]
            head[-1] = re.sub(r"\s*(?:\{[^}]*|=>.*)$", "", head[-1])
            yield _Told(name, [*above, *(one for one in head if one.strip())], said)
        number = stop


def _defined(bare: str, margin: int) -> str:
    """The name that a line defines, as far as it looks like a definition; empty for any other line."""
    if _STATEMENT.match(bare) or _PRIVATE.match(bare):
        return ""
    if margin and (not _MEMBER.match(bare) or " = " in bare.partition("(")[0]):
        return ""
    return name_of(bare)


def _signature_end(lines: list[str], first: int, ends: str) -> int:
    """The line after a signature: it ends with one of some characters outside of brackets."""
    depth = 0
    for number in range(first, min(len(lines), first + MAX_LINES)):
        line = re.sub(r"(?:\"[^\"]*\"|'[^']*')", "", lines[number])
        depth += sum(line.count(char) for char in "([") - sum(line.count(char) for char in ")]")
        bare = line.partition(" #")[0].rstrip()
        if depth <= 0 and (any(char in bare for char in ends) or ends != ":"):
            return number + 1
    return min(len(lines), first + 1)


def _text_end(lines: list[str], first: int) -> int:
    """The line after a string in triple quotes."""
    match = _PY_TEXT.match(lines[first])
    quote = match[1] if match else '"""'
    if lines[first].count(quote) > 1:
        return first + 1
    return next((number + 1 for number in range(first + 1, len(lines)) if quote in lines[number]), len(lines))


def _above(lines: list[str], number: int, *kinds: re.Pattern[str]) -> list[str]:
    """The lines of some kinds right above a line."""
    start = number
    while start > 0 and any(kind.match(lines[start - 1]) for kind in kinds):
        start -= 1
    return lines[start:number]


def _block_above(lines: list[str], number: int) -> list[str]:
    """The comment and attributes right above a line."""
    start = number
    while start > 0:
        line = lines[start - 1]
        if line.rstrip().endswith("*/"):
            opening = next((place for place in range(start - 1, -1, -1) if "/*" in lines[place]), None)
            if opening is None:
                break
            start = opening
        elif _COMMENT.match(line) or _ATTRIBUTE.match(line):
            start -= 1
        else:
            break
    return lines[start:number]


def _sentence(lines: list[str]) -> str:
    """The first sentence of a comment, on one line."""
    bare = [
        re.sub(r"^[ \t]*(?:/\*+!?|\*+/?|///?!?|#+|--+|[rRuU]?\"{3}|'{3})[ \t]?", "", line) for line in lines
    ]
    said: list[str] = []
    for line in bare:
        text = line.replace("*/", "").replace('"""', "").replace("'''", "").strip()
        if re.fullmatch(r"\w+(?:\.\w+)+", text):
            continue
        if not text and said:
            break
        if text and any(char.isalnum() for char in text) and not text.startswith(("@", ":", "MARK:", "TODO")):
            said.append(text)
        if text.endswith("."):
            break
    return re.split(r"(?<=[.!?])\s", " ".join(said))[0]

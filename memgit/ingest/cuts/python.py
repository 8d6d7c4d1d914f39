"""Python in pieces, exactly: by its statements.

Comments and decorators stay with what they describe, imports stay together.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memgit.ingest.cuts.lines import Lines
from memgit.ingest.cuts.size_limits import Piece, merge, split

MAX_TIERS = 6
"""Levels of nesting at which something that is too large is cut."""
MAX_BYTES = 1_000_000
"""Characters of a module that is read by its syntax; the compiler needs a hundred times as much memory."""


class Statement(NamedTuple):
    """A statement with the comment above it: its lines, how deep it is nested, what it is called (a
    definition), whether it imports.
    """

    first: int
    last: int
    depth: int
    name: str
    imports: bool


def pieces(lines: Lines, text: str) -> list[Piece] | None:
    """The pieces of a module; None where it is not the Python that this interpreter knows."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in the strings of other people's code
            tree = ast.parse(text) if len(text) <= MAX_BYTES else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if tree is None:
        return None
    # The compiler ends lines at a lone CR and at a form feed too; where that shifts the count, its numbers
    # are not ours.
    if "\r" in text.replace("\r\n", "") or "\f" in text:
        return None
    statements = list(_statements(lines, tree.body, 0, "", 1))
    top = [statement for statement in statements if statement.depth == 0]
    if not top:
        return [Piece(1, len(lines), lines.weight(1, len(lines)), ((),))] if len(lines) else []
    found: list[Piece] = []
    first = 1
    for number, statement in enumerate(top):
        before = top[number - 1] if number else None
        if before is not None and not _apart(before, statement):
            continue
        start = _with_notes(lines, statement.first, before.last if before is not None else 0)
        if start > first:
            found.append(_piece(lines, first, start - 1, top))
        first = start
    found.append(_piece(lines, first, len(lines), top))
    tiers = [sorted({one.first for one in statements if one.depth == depth}) for depth in range(MAX_TIERS)]
    out: list[Piece] = []
    for piece in found:
        parts = split(lines, piece, tiers)
        out += (
            parts
            if len(parts) == 1
            else [part._replace(heads=_names(statements, part) or piece.heads) for part in parts]
        )
    return merge(out)


def _apart(one: Statement, other: Statement) -> bool:
    """Whether two statements in a row belong to different pieces: imports stay together, and so does what
    defines nothing.
    """
    return bool(one.name or other.name) or one.imports != other.imports


def _piece(lines: Lines, first: int, last: int, top: Sequence[Statement]) -> Piece:
    names = tuple((one.name,) for one in top if first <= one.first <= last and one.name)
    return Piece(first, last, lines.weight(first, last), names or ((),))


def _names(statements: Sequence[Statement], part: Piece) -> tuple[tuple[str, ...], ...]:
    """The definitions that begin in a part of something larger, the outermost alone."""
    inside = [one for one in statements if one.name and part.first <= one.first <= part.last]
    least = min((one.depth for one in inside), default=0)
    return tuple((one.name,) for one in inside if one.depth == least)


def _statements(
    lines: Lines, body: Sequence[ast.stmt], depth: int, owner: str, floor: int
) -> Iterator[Statement]:
    """The statements of a body with all that are nested in them.

    `floor` is the first line that may be above the first of them.
    """
    for node, following in zip(body, [*body[1:], None], strict=False):
        if _is_text(node) and floor > node.lineno:  # it went with the assignment above it
            continue
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
        first = _with_comment(lines, first, floor)
        last = node.end_lineno or node.lineno
        if isinstance(node, ast.Assign | ast.AnnAssign) and following is not None and _is_text(following):
            last = following.end_lineno or following.lineno
        floor = last + 1
        named = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        name = (
            f"{owner}{node.name}"
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            else ""
        )
        yield Statement(first, last, depth, name, isinstance(node, ast.Import | ast.ImportFrom))
        if depth + 1 >= MAX_TIERS or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue  # what a reader needs of a function is told of all of it
        for inner in _bodies(node):
            yield from _statements(lines, inner, depth + 1, f"{name}." if named else owner, inner[0].lineno)


def _is_text(node: ast.stmt) -> bool:
    """Whether a statement is a text by itself, as the documentation of an attribute."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _bodies(node: ast.stmt) -> Iterator[Sequence[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        inner = getattr(node, field, None)
        if isinstance(inner, list) and inner and isinstance(inner[0], ast.stmt):
            yield inner
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield part.body


def _with_notes(lines: Lines, first: int, end: int) -> int:
    """The first line of the comments that stand alone between the line `end` and a statement: they speak of
    what follows.
    """
    start = first
    while start > end + 1 and (lines.blank(start - 1) or lines[start - 1].startswith("#")):
        start -= 1
    # right under the statement before: that one's
    while end and start < first and lines[start].startswith("#"):
        start += 1
    return start


def _with_comment(lines: Lines, first: int, floor: int) -> int:
    """The first line of the comment that stands right above a line, set in as far; the line itself where
    there is none.
    """
    line = lines[first]
    margin = line[: len(line) - len(line.lstrip())]
    while first > floor and lines[first - 1].startswith(f"{margin}#"):
        first -= 1
    return first

"""One comment on a pull request: a table, what is wrong, then one foldable block a record.

The first line is a marker, by which whoever posts the comment finds the one to update. The whole stays under
the size that forges take; what does not fit is counted. Whatever comes from a repository stands as character
references, so that it is text wherever it stands: it can end no table, block or tag, call nobody, and name no
issue.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from memgit.lint.rule import SEVERITIES, Finding
from memgit.lint.words import cut, located, plural
from memgit.review.marker import QUIET, marker
from memgit.review.masked import masked
from memgit.review.reports import words
from memgit.review.values import FAIL, NOTHING, PASS, WARN, Place, Review, Reviewed
from memgit.review.words import GONE, NEW, Piece, shown

LIMIT = 65_000
"""UTF-16 units of a comment: GitHub takes 65,536 characters."""
ROWS, CONFLICTS, FINDINGS = 16_000, 8_000, 18_000
"""The most that the table, the conflicts and the findings take of them; blocks get what is left."""
BODY = 6_000
"""Characters of one text difference."""
TITLE, VALUE, MESSAGE = 80, 200, 600
WIDTH = 100
"""Columns after which a line of a text difference is broken."""
MARKS = {FAIL: "❌", WARN: "⚠️", PASS: "✅", NOTHING: "➖"}
SIGNS = {"error": "❌", "warning": "⚠️", "info": "ℹ️"}
TAGS = {GONE: ("<del>", "</del>"), NEW: ("<ins>", "</ins>")}

_SPECIAL = re.compile(r"[!#$&*/:<>@\[\\\]^_`{|}~]|(?<=[Ww][Ww][Ww])\.")
_CALL = re.compile(r"(?<=[@#!$%&~])(?=\w)|(?<=\b[Gg][Hh]-)(?=\d)")
_WORD = re.compile(r"\s+|\S+")


def render(review: Review) -> str:
    """The comment."""
    quiet = "" if review.concerned else f"{QUIET}\n"
    head = (
        f"{marker(review.prefix.rstrip('/'))}\n{quiet}### {MARKS[review.verdict]} memgit review: "
        f"{words.verdict(review)}\n\n{_summary(review)}\n"
    )
    by_address = review.by_address()
    order = _gravest_first(review, by_address)
    rows, left_rows = _fitting((_row(one, words.about(one, by_address)) for one in order), ROWS)
    table = ""
    if rows:
        table = "\n| | record | kind | what | by | findings |\n|---|---|---|---|---|---|\n" + "".join(rows)
        table += f"\n{_left_out(left_rows, len(order), 'record')}" if left_rows < len(order) else ""
    conflicts = _list(
        "Would conflict", [_conflict(place, review.prefix) for place in review.conflicts], CONFLICTS
    )
    graded = sorted(review.findings, key=lambda one: SEVERITIES.index(one.severity))
    findings = _list("New findings", [_finding(one, review.prefix) for one in graded], FINDINGS)
    notes = "".join(f"\n{text(note)}.\n" for note in words.asides(review))
    whole = head + table + conflicts + findings
    end = f"\n<sub>{_code(f'memgit review {review.base.name}..{review.head.name}')} shows it all.</sub>\n"
    room = LIMIT - _size(whole) - _size(notes) - _size(end) - 300
    blocks, told = _fitting((_block(one, words.about(one, by_address), review.prefix) for one in order), room)
    if blocks:
        whole += "\n" + "".join(blocks)
    if told < len(order):
        whole += f"\n**{_left_out(told, len(order), 'block')}**\n"
    return whole + notes + end


def _summary(review: Review) -> str:
    sides = f"{_code(review.base.name)} ← {_code(review.head.name)} ({_code(review.head.commit[:10])})"
    return f"{words.counts(review)} by {plural(review.commits, 'commit')}, {sides}"


def _gravest_first(review: Review, by_address: Mapping[str, list[Finding]]) -> list[Reviewed]:
    def rank(one: Reviewed) -> int:
        return min(
            (SEVERITIES.index(finding.severity) for finding in words.about(one, by_address)),
            default=len(SEVERITIES),
        )

    return sorted(review.changes, key=rank)


def _fitting(parts: Iterable[str], room: int) -> tuple[list[str], int]:
    """The first parts that fit into some room, and how many they are."""
    out: list[str] = []
    for part in parts:
        room -= _size(part)
        if room < 0:
            break
        out.append(part)
    return out, len(out)


def _left_out(told: int, whole: int, what: str) -> str:
    return f"{plural(whole - told, what)} of {whole:,} left out: too much for one comment."


def _size(part: str) -> int:
    """UTF-16 units: at least as many as the characters that a forge counts."""
    return len(part) + sum(char > "\uffff" for char in part)


def _list(title: str, lines: Sequence[str], room: int) -> str:
    if not lines:
        return ""
    fitting, told = _fitting(lines, room)
    more = f"- {_left_out(told, len(lines), 'line')}\n" if told < len(lines) else ""
    return f"\n**{title}** ({len(lines):,})\n\n{''.join(fitting)}{more}"


# One record


def _row(one: Reviewed, found: Sequence[Finding]) -> str:
    told = ", ".join(
        plural(count, severity if severity != "info" else "note")
        for severity in SEVERITIES
        if (count := sum(finding.severity == severity for finding in found))
    )
    cells = [
        one.change,
        _title(one),
        one.record.kind,
        text(cut(", ".join(one.names()), TITLE)),
        text(cut(words.by(one), TITLE)),
        told,
    ]
    return f"| {' | '.join(cells)} |\n"


def _title(one: Reviewed) -> str:
    return _code(cut(one.record.title, TITLE) or one.record.address)


def _block(one: Reviewed, findings: Sequence[Finding], prefix: str) -> str:
    record = one.record
    what = f": {text(cut(', '.join(one.names()), TITLE))}" if one.names() else ""
    out = [f"<details>\n<summary>{one.change} {_title(one)}{what}</summary>\n"]
    told = [
        f"{_code(cut(record.address, VALUE))} in {_code(cut(f'{prefix}{record.path}:{record.line}', VALUE))}"
    ]
    if one.was is not None:
        told.append(f"was {_code(cut(one.was, VALUE))}")
    if words.by(one):
        told.append(f"by {text(cut(words.by(one), VALUE))}")
    told += [f"source {_code(cut(source, VALUE))}" for source in words.sources(one)[:5]]
    out.append(f"{', '.join(told)}\n")
    if one.fields:
        rows = [
            f"| {text(cut(name, TITLE))} | {_value(before)} | {_value(after)} |\n"
            for name, before, after in _rows(one)
        ]
        out.append(f"| field | before | after |\n|---|---|---|\n{''.join(rows)}")
    if one.body:
        out.append(_difference(shown(one.body)))
    elif one.old is None and record.body:
        out.append(_difference([Piece(NEW, masked(record.body))]))
    for sign, links in (("+", one.linked), ("−", one.unlinked)):
        if links:
            out.append(f"links {sign} {' '.join(_code(cut(link, VALUE)) for link in links[:20])}\n")
    found = [_finding(finding, prefix) for finding in findings[:20]]
    if found:
        out.append("".join(found))
    return "\n".join(out) + "\n</details>\n"


def _rows(one: Reviewed) -> list[tuple[str, str, str]]:
    return [
        (field.name, cut(words.value(field.before), VALUE), cut(words.value(field.after), VALUE))
        for field in one.fields[:40]
    ]


def _value(found: str) -> str:
    return _code(found) if found else ""


def _difference(pieces: Sequence[Piece]) -> str:
    """A text difference in a block that Markdown does not look into."""
    out: list[str] = []
    column = 0
    left = BODY
    for side, whole in pieces:
        first, last = TAGS.get(side, ("", ""))
        part = whole[:left]
        broken, column = _broken(part, column)
        out += [first, *broken, last]
        left -= len(part)
        if left <= 0:
            break
    rest = sum(len(piece.text) for piece in pieces) - (BODY - left)
    # A line that starts with a slash would be a command to some forges, other things to a CI system that
    # prints the comment.
    inner = re.sub(
        r"(?m)^((?:</?(?:del|ins)>)*\s*)([/:])",
        lambda match: f"{match[1]}&#{ord(match[2])};",
        "".join(out).strip("\n"),
    )
    inner = re.sub(r"#(?=#\w*\[)", "&#35;", inner)
    more = f"\n… {plural(rest, 'character')} left out" if rest > 0 else ""
    return f"<pre>\n{inner}{more}\n</pre>\n"


def _broken(whole: str, column: int) -> tuple[list[str], int]:
    """A text with its long lines broken at blanks, escaped for HTML, and the column that it ends in."""
    out: list[str] = []
    for word in _WORD.findall(whole):
        if "\n" in word:
            column = len(word) - word.rfind("\n") - 1
        elif column + len(word) > WIDTH and not word.isspace() and column:
            out.append("\n")
            column = len(word)
        else:
            column += len(word)
        out.append(_html(_visible(word, keep="\n\t ")))
    return out, column


# Findings and conflicts


def _finding(one: Finding, prefix: str) -> str:
    where = _code(cut(f"{located(prefix, one.path)}:{one.line}", VALUE))
    return (
        f"- {SIGNS[one.severity]} {where} {text(cut(one.message, MESSAGE))} ({text(one.rule)} "
        f"{text(one.name)})\n"
    )


def _conflict(place: Place, prefix: str) -> str:
    path, line, address, message = place
    about = f" {_code(cut(address, VALUE))}" if address else ""
    return f"- {_code(cut(f'{prefix}{path}:{line}', VALUE))}{about} {text(cut(message, MESSAGE))}\n"


# Text from a repository


def text(found: str) -> str:
    """A text on one line as Markdown that shows it and does nothing else."""
    line = _visible(" ".join(found.split()), keep=" ")
    parts = _CALL.split(line)
    return "&#8203;".join(_SPECIAL.sub(lambda match: f"&#{ord(match[0])};", part) for part in parts)


def _code(found: str) -> str:
    """The same, shown as code: nobody is called from there."""
    line = _visible(" ".join(found.split()), keep=" ")
    return f"<code>{_SPECIAL.sub(lambda match: f'&#{ord(match[0])};', line)}</code>"


def _html(found: str) -> str:
    return found.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _visible(found: str, keep: str) -> str:
    """The text with control characters, hidden ones and lone surrogates shown by their numbers."""
    if found.isprintable():
        return found
    return "".join(
        char
        if char.isprintable() or char in keep or char in "\u200d\ufe0f\u3000\u00a0"
        else f"\\u{ord(char):04x}"
        for char in found
    )

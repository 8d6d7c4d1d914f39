"""One comment on a pull request: a table, what is wrong, then one foldable block a record.

The first line is a marker, by which whoever posts the comment finds the one to update. The whole stays under
the size that forges take; what does not fit is counted. Whatever comes from a repository stands as character
references, so that it is text wherever it stands: it can end no table, block or tag, call nobody, and name no
issue.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from textwrap import indent

from memgit.lint.rule import SEVERITIES, Finding
from memgit.lint.words import cut, plural
from memgit.review.marker import QUIET, marker
from memgit.review.reports import words
from memgit.review.settle import MERGE
from memgit.review.values import (
    FAIL,
    NOTHING,
    PASS,
    SHORT,
    WARN,
    Detail,
    Other,
    Place,
    Review,
    Reviewed,
    in_repository,
)
from memgit.review.words import GONE, NEW, SAME, Piece, shown

LIMIT = 65_000
"""UTF-16 units of a comment: GitHub takes 65,536 characters."""
ROWS, CONFLICTS, FINDINGS = 16_000, 8_000, 18_000
"""The most that the table, the conflicts and the findings take of them; blocks get what is left."""
BODY = 6_000
"""Characters of one text difference."""
TITLE, VALUE, MESSAGE = 80, 200, 600
COMMITS, FIELDS = 5, 40
"""Commits and fields that one record names; the rest is counted."""
SHOWN = 20
"""Records of the table, and findings, beyond which the rest is folded."""
FOLD = 30
"""Lines of a text beyond which it is folded."""
OPEN_BLOCKS, OPEN_SIZE, OPEN_LINES = 3, 6_000, 12
"""So few records, of so little text together, are shown unfolded; so few lines of another record."""
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
    key = review.prefix.rstrip("/")
    review = in_repository(review)
    quiet = "" if review.concerned else f"{QUIET}\n"
    head = (
        f"{marker(key)}\n{quiet}### {MARKS[review.verdict]} memgit review: "
        f"{words.verdict(review)}\n\n{_summary(review)}\n"
    )
    by_address = review.by_address()
    order = _gravest_first(review, by_address)
    table = _table([_cells(one, review, by_address) for one in order])
    conflicts = _list(
        f"Would conflict → {_code(MERGE)}",
        [_conflict(place, review) for place in review.conflicts],
        CONFLICTS,
    )
    graded = sorted(review.findings, key=lambda one: SEVERITIES.index(one.severity))
    findings = _list(words.findings(review), [_finding(one, review) for one in graded], FINDINGS)
    notes = "".join(f"\n{text(note)}.\n" for note in words.asides(review))
    whole = head + table + conflicts + findings
    command = f"memgit review {review.base.short}...{review.head.short}" if review.compared else "memgit lint"
    end = (
        f"\n<sub>{_code(command)} shows it all; {_code('memgit rule CODE')} says why a rule is there.</sub>\n"
        if review.verdict != NOTHING
        else ""
    )
    room = LIMIT - _size(whole) - _size(notes) - _size(end) - 800
    blocks, told = _fitting((_block(one, review) for one in order), room)
    if len(blocks) <= OPEN_BLOCKS and sum(map(_size, blocks)) <= OPEN_SIZE:
        blocks = [block.replace("<details>", "<details open>", 1) for block in blocks]
    if blocks:
        whole += "\n" + "".join(blocks)
    if told < len(order):
        whole += f"\n**{_left_out(told, len(order), 'block')}**\n"
    return whole + notes + end


def _summary(review: Review) -> str:
    sides = f"{_code(review.base.short)} ← " if review.compared else ""
    sides += _code(review.head.short)
    if review.head.name != review.head.commit:
        sides += f" ({_commit(review.head.commit[:SHORT], review)})"
    by = f" by {plural(review.commits, 'commit')}" if review.compared else ""
    return f"{words.counts(review)}{by}, {sides}"


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
    more = f"\n{_left_out(told, len(lines), 'line')}\n" if told < len(lines) else ""
    return f"\n**{title}** ({len(lines):,})\n\n{_folded(fitting)}{more}"


def _folded(lines: Sequence[str], head: str = "") -> str:
    """Lines, those beyond the first few folded; `head` stands above either part."""
    first, rest = "".join(lines[:SHOWN]), "".join(lines[SHOWN:])
    if not rest:
        return head + first
    return f"{head}{first}\n<details>\n<summary>{len(lines) - SHOWN:,} more</summary>\n\n{head}{rest}\n</details>\n"


def _table(rows: Sequence[Sequence[str]]) -> str:
    """A table of records, without the columns in which nothing stands."""
    if not rows:
        return ""
    names = ("", "record", "kind", "what", "by", "findings")
    kept = [number for number in range(len(names)) if number < 2 or any(row[number] for row in rows)]

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cells[number] for number in kept)} |\n"

    fitting, told = _fitting(map(line, rows), ROWS)
    more = f"\n{_left_out(told, len(rows), 'record')}\n" if told < len(rows) else ""
    head = line(names) + "|---" * len(kept) + "|\n"
    return f"\n{_folded(fitting, head)}{more}"


# One record


def _cells(one: Reviewed, review: Review, by_address: Mapping[str, list[Finding]]) -> tuple[str, ...]:
    """The row of a record: what happened, record, kind, what differs, by whom, findings."""
    found = words.about(one, by_address)
    told = ", ".join(
        plural(count, severity if severity != "info" else "note")
        for severity in SEVERITIES
        if (count := sum(finding.severity == severity for finding in found))
    )
    return (
        one.change,
        _linked(_title(one), review.file_url(one.record.path, one.record.line)),
        one.record.kind,
        text(cut(words.what(one), TITLE)),
        text(cut(words.by(one), TITLE)),
        told,
    )


def _title(one: Reviewed) -> str:
    return _code(cut(one.record.title, TITLE) or one.record.address)


def _block(one: Reviewed, review: Review) -> str:
    record = one.record
    what = text(cut(words.what(one), TITLE))
    out = [f"<details>\n<summary>{one.change} {_title(one)}{what and f': {what}'}</summary>\n"]
    place = _code(cut(f"{record.path}:{record.line}", VALUE))
    told = [
        f"{_code(cut(record.address, VALUE))} in {_linked(place, review.file_url(record.path, record.line))}"
    ]
    if one.was is not None:
        told.append(f"was {_code(cut(one.was, VALUE))}")
    if words.by(one):
        told.append(f"by {text(cut(words.by(one), VALUE))}")
    if words.runs(one):
        told.append(text(cut(words.runs(one), VALUE)))
    if one.who.commits:
        more = len(one.who.commits) - COMMITS
        named = " ".join(_commit(commit, review) for commit in one.who.commits[:COMMITS])
        told.append(f"in {named}{f' and {more} more' if more > 0 else ''}")
    told += [f"source {_code(cut(source, VALUE))}" for source in words.sources(one)[:5]]
    out.append(f"{', '.join(told)}\n")
    if words.reasons(one):
        out.append(f"> why: {text(cut(words.reasons(one), MESSAGE))}\n")
    if words.goes_back(one):
        out.append(f"**{text(cut(words.goes_back(one), VALUE))}**\n")
    if one.fields:
        out.append(_fields(one))
    if one.body:
        out.append(
            _difference(tuple(Piece(SAME, part) for _, part in one.body) if one.whole else shown(one.body))
        )
    for sign, links in (("+", one.linked), ("−", one.unlinked)):
        if links and not one.whole:
            out.append(f"links {sign} {' '.join(_code(cut(link, VALUE)) for link in links[:20])}\n")
    return "\n".join(out) + "\n</details>\n"


def _fields(one: Reviewed) -> str:
    """The fields on one line; of a changed record a table of before and after."""
    more = len(one.fields) - FIELDS
    rest = f"\n{plural(more, 'field')} left out\n" if more > 0 else ""
    named = [(text(cut(name, TITLE)), before, after) for name, before, after in one.fields[:FIELDS]]
    if one.whole:
        told = (f"{name} {_value(words.value(before or after))}" for name, before, after in named)
        return f"{', '.join(told)}\n{rest}"
    if len(named) == 1:
        name, before, after = named[0]
        return f"{name} {_value(words.value(before))} → {_value(words.value(after))}\n".replace("  ", " ")
    rows = (
        f"| {name} | {_value(words.value(before))} | {_value(words.value(after))} |\n"
        for name, before, after in named
    )
    return f"| field | before | after |\n|---|---|---|\n{''.join(rows)}{rest}"


def _value(found: str) -> str:
    return _code(cut(found, VALUE)) if found else ""


def _difference(pieces: Sequence[Piece]) -> str:
    """A text difference in a block that Markdown does not look into, folded where it is long."""
    found = _pre(pieces)
    lines = found.count("\n") - 1
    if lines <= FOLD:
        return found
    return f"<details>\n<summary>{lines:,} lines</summary>\n\n{found}\n</details>\n"


def _pre(pieces: Sequence[Piece]) -> str:
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


def _finding(one: Finding, review: Review) -> str:
    where = _linked(_code(cut(f"{one.path}:{one.line}", VALUE)), review.file_url(one.path, one.line))
    rule = _linked(f"{text(one.rule)} {text(one.name)}", review.rule_url(one.rule))
    detail = review.details.get(one, Detail())
    line = f"- {SIGNS[one.severity]} {where} {_message(one.message, detail.command)} ({rule})\n"
    beside = [
        _beside(f"{text(words.beside(other))}: {_other(other, review)}", other.text)
        for other in detail.others
    ]
    if detail.drift:
        beside.append(_beside("what rebuild would change in it", detail.drift))
    return line + "".join(f"\n{indent(each, '  ')}" for each in beside)


def _message(message: str, command: str) -> str:
    """A message with the command that settles it, as code: where the message names it, else after it."""
    before, named, after = cut(message, MESSAGE).partition(command) if command else (message, "", "")
    if not command or named:
        return " ".join(part for part in (text(before), _code(named) if named else "", text(after)) if part)
    return f"{text(before)} → {_code(command)}"


def _beside(title: str, pieces: Sequence[Piece]) -> str:
    found = _pre(pieces)
    fold = "<details>" if found.count("\n") > OPEN_LINES else "<details open>"
    return f"{fold}\n<summary>{title}</summary>\n\n{found}\n</details>\n"


def _other(other: Other, review: Review) -> str:
    place = _code(cut(f"{other.path}:{other.line}", VALUE))
    title = _code(cut(other.title, TITLE) or other.address)
    return f"{title} in {_linked(place, review.file_url(other.path, other.line))}"


def _conflict(place: Place, review: Review) -> str:
    path, line, address, message = place
    about = f" {_code(cut(address, VALUE))}" if address else ""
    where = _linked(_code(cut(f"{path}:{line}", VALUE)), review.file_url(path, line))
    return f"- {where}{about} {text(cut(message, MESSAGE))}\n"


def _commit(short: str, review: Review) -> str:
    return _linked(_code(short), review.commit_url(short))


def _linked(shown: str, url: str | None) -> str:
    """Something as a link; `url` holds nothing that HTML or Markdown reads."""
    return shown if url is None else f'<a href="{url}">{shown}</a>'


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

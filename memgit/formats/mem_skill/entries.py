"""The form "entries": Mem Skill's and auto-skill's files, many records to a file, one `## ` section each.

The module is their `codec.Form`. What separates records, how labels are spelled, line ends and the byte order
mark follow the file itself. The body of a new record is `bodies.of` its text: plain paragraphs become the
items of a list, anything else is kept.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque

from memgit import TYPE_CHECKING
from memgit.errors import BadInput, NotFound, Refused, UnreadableFile
from memgit.formats import frontmatter, yaml
from memgit.formats.codec import Draft
from memgit.formats.mem_skill import bodies, labelled, titles
from memgit.formats.mem_skill.compose import Habits, clean, compose
from memgit.formats.mem_skill.entry import Entry
from memgit.formats.mem_skill.labels import ORDER
from memgit.formats.mem_skill.sections import Section, fields, split
from memgit.formats.text import MAX_BYTES, decode, encode, has_bom, newline_of, normal, split_lines
from memgit.model.link import normal as normal_name
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import ParsedFile, Problem, Record, Value, problem_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
from memgit.formats.mem_skill.entry_file import (
    LOOK_BACK,
    EntryFile,
    Manner,
    conflict_of,
    habits_from,
    habits_of,
    manner_of,
    take_apart,
)

UNCLOSED = "MG001"
"""The code under which a code fence or comment is reported that hides the rest of its file."""


def parse(data: bytes, path: str, kind: str, key: str, note_address: str = "") -> ParsedFile:
    """The records of an entry file; never raises: a file that cannot be read gives no record and one fatal
    problem.

    `meta` is the frontmatter of a category file, `name` and `keywords` (a tuple) among it. `problems` holds
    everything that is wrong, the problems of records among them.
    """
    try:
        text = normal(decode(data))
    except UnreadableFile as error:
        return ParsedFile((), (problem_of(error),))
    file = take_apart(text)
    problems: list[Problem] = []
    meta: Mapping[str, Value] = {}
    if file.fault is not None:
        problems.append(Problem(file.fault.code, file.fault.line or 1, file.fault.message, True))
    elif file.body:
        meta, problem = _meta(text)
        problems += [problem] if problem else []
    problems += [Problem("MG104", line, "a conflict marker was left in", True) for line in file.markers]
    if file.outline.unclosed is not None:
        line, what = file.outline.unclosed
        problems.append(Problem(UNCLOSED, line, f"the {what} is never closed: what follows it is hidden"))
    records: list[Record] = []
    prefix = f"{kind}/{key}#"
    for section in file.sections:
        if not section.record:
            continue
        read = fields(text, file.mask, section.head, section.end)
        title = section.title
        problem = None
        if not title or not read.values.get("created") or read.twice or file.markers or file.outline.unclosed:
            found = _problems(file, section, read.values, read.twice)
            problem = max(found, key=lambda problem: problem.fatal, default=None)
            problems += [problem for problem in found if problem.code not in ("MG104", UNCLOSED)]
        records.append(
            Record(
                kind,
                prefix + title,
                path,
                title,
                section.line,
                section.last,
                len(records),
                read.values,
                read.body,
                problem,
            )
        )
    _same_titles(records, problems)
    if not records and not text.strip():
        problems.append(Problem("MG001", 1, "the file is empty"))
    problems.sort(key=lambda problem: problem.line)
    return ParsedFile(tuple(records), tuple(problems), meta)


def _problems(
    file: EntryFile, section: Section, values: Mapping[str, Value], twice: Iterable[tuple[str, int]]
) -> list[Problem]:
    """What is wrong with one record, but for its title standing twice."""
    out: list[Problem] = []
    first = conflict_of(file, section)
    if first is not None:
        marker = file.markers[bisect_left(file.markers, first)]
        out.append(Problem("MG104", marker, "a conflict marker was left in", True))
    if file.outline.unclosed is not None and section.line < file.outline.unclosed[0] <= section.last:
        line, what = file.outline.unclosed
        out.append(Problem(UNCLOSED, line, f"the {what} is never closed: what follows it is hidden"))
    if not section.title:
        out.append(Problem("MG003", section.line, "a record without a title"))
    elif not any(name in ORDER for name in values):
        out.append(Problem("MG003", section.line, "a heading without any field"))
    elif not values.get("created"):
        out.append(Problem("MG003", section.line, "a record without a date"))
    for label, place in dict(reversed(list(twice))).items():
        out.append(
            Problem(
                "MG004",
                file.text.count("\n", 0, place) + 1,
                f"{label} occurs twice in one record; the first one counts",
            )
        )
    return out


def _same_titles(records: list[Record], problems: list[Problem]) -> None:
    """Marks records of one file that have the same title; each names the line of another.

    The two sides of a conflict are one record.
    """
    places: dict[str, list[int]] = {}
    skipped = 0
    for number, record in enumerate(records):
        if not record.title or (record.problem is not None and record.problem.fatal):
            skipped += 1
        else:
            places.setdefault(
                record.title if record.title.isascii() else normal_name(record.title), []
            ).append(number)
    if len(places) + skipped == len(records):
        return
    for numbers in places.values():
        for number in numbers if len(numbers) > 1 else ():
            record = records[number]
            other = records[numbers[0] if number != numbers[0] else numbers[1]].line
            problem = Problem("MG005", record.line, f"the title {record.title!r} is on line {other} too")
            problems.append(problem)
            records[number] = record._replace(problem=problem)


def _meta(text: str) -> tuple[Mapping[str, Value], Problem | None]:
    """What the frontmatter of a category says; keywords as a tuple, however they are typed."""
    parts = frontmatter.split(text)
    try:
        entries = yaml.read(parts.block or "")
    except UnreadableFile as error:
        return {}, problem_of(error)
    meta: dict[str, Value] = {name: entry.value for name, entry in entries.items()}
    words = meta.get("keywords")
    if isinstance(words, str):
        meta["keywords"] = split(words)
    return meta, None


def set_meta(data: bytes, meta: Mapping[str, Value]) -> bytes:
    """The category file with keys of its frontmatter set; None and empty values take a key away, and the
    block with its last one.

    Raises:
        UnreadableFile: the file or its frontmatter cannot be understood.
        Refused: a key cannot be changed by itself.
    """
    from memgit.formats import frontmatter, frontmatter_block

    text = decode(data)
    parts = frontmatter.split(text)
    if parts.fault is not None:
        raise parts.fault
    newline = newline_of(text) if text else "\n"
    if parts.block is None and not any(meta.values()):
        return data
    block = frontmatter_block.Block(parts.block or "", newline)
    for name, value in meta.items():
        held = block.entries.get(name)
        if not value:
            block.drop(name)
        elif (
            held is None
            or (split(held.value) if isinstance(value, tuple) and isinstance(held.value, str) else held.value)
            != value
        ):
            block.put(name, value, order=("name", "keywords"))
    if parts.block is None:
        return encode(f"---{newline}{block.text}---{newline}{text}", has_bom(data))
    rest = text[parts.body :]
    head = text[: parts.start] + block.text + text[parts.start + len(parts.block) : parts.body]
    return encode(head + rest if block.text.strip() else rest, has_bom(data))


def create(draft: Draft, existing: bytes | None) -> bytes:
    """The file with one more record at its end, in the manner of those that are there; raises what
    `create_all` raises.
    """
    return create_all([draft], existing)


def create_all(drafts: Sequence[Draft], existing: bytes | None) -> bytes:
    """The file with more records at its end, in the manner of those that are there; raises what `Appender`
    raises.
    """
    file = Appender(existing)
    for draft in drafts:
        file.add(draft)
    return file.data


class Appender:
    """An entry file that gets one record after another at its end: `create` again and again, but what is
    there already is read once.

    Raises:
        BadInput: no title, an unclosed fence in the body, a field that entries do not have.
        Refused: something in the file would swallow the new record: an open fence, an open comment, a
            conflict.
    """

    def __init__(self, existing: bytes | None) -> None:
        self._pieces = [existing or b""]
        self._size = len(self._pieces[0])
        text = decode(self._pieces[0])
        self._newline = newline_of(text)
        self._lines = self._pieces[0].count(b"\n")
        self._manners: deque[Manner] = deque(maxlen=LOOK_BACK)
        self._ruled: deque[bool] = deque(maxlen=LOOK_BACK - 1)
        self._take(take_apart(normal(text)))

    @property
    def data(self) -> bytes:
        """The file as it is now; the same object as long as nothing is added."""
        if len(self._pieces) > 1:
            self._pieces = [b"".join(self._pieces)]
        return self._pieces[0]

    def _take(self, file: EntryFile) -> None:
        """Remembers of a file, or of a record that was added, what matters to the next record."""
        self._last = file
        self._manners += (manner_of(file, section) for section in file.records[-LOOK_BACK:])
        self._ruled += ("---" in file.text[one.end : one.stop] for one in file.sections[-LOOK_BACK:-1])

    def add(self, draft: Draft) -> None:
        """Adds a record in the manner of those that are there."""
        last, newline = self._last, self._newline
        self._check(last)
        record = _composed(draft, newline, habits_from(self._manners, draft.kind, lambda: decode(self.data)))
        if last.text and not last.text.endswith("\n"):
            record = record[: -len(newline)]
        lead = self._lead(last.text)
        try:
            added = encode(lead + record)
        except BadInput as error:
            error.line = error.line and error.line + self._lines
            raise
        _bounded(self._size + len(added))
        self._pieces.append(added)
        self._size += len(added)
        self._lines += added.count(b"\n")
        if last.sections:
            self._ruled.append("---" in last.text[last.sections[-1].end :] + lead)
        self._take(take_apart(normal(record)))

    def parsed(self, before: ParsedFile, path: str, kind: str, key: str) -> ParsedFile | None:
        """What `parse` gives of the file; None where only reading all of it tells.

        Args:
            before: what it gave before the last record was added, whose title, as it reads, no other may
                have.
        """
        file = self._last
        if before.problems or len(file.sections) != 1 or file.markers or file.outline.unclosed or file.fault:
            return None
        (section,) = file.sections
        read = fields(file.text, file.mask, section.head, section.end)
        if not section.record or not section.title or not read.values.get("created") or read.twice:
            return None
        above = self._above(file)
        record = Record(
            kind,
            f"{kind}/{key}#{section.title}",
            path,
            section.title,
            section.line + above,
            section.last + above,
            len(before.records),
            read.values,
            read.body,
        )
        return ParsedFile((*before.records, record), (), before.meta)

    def _check(self, last: EntryFile) -> None:
        """Raises where what was added last, or was there before, would swallow a record after it."""
        if last.fault is not None:
            raise last.fault
        if last.outline.unclosed is not None:
            line, what = last.outline.unclosed
            line += self._above(last)
            raise Refused(
                f"the {what} that opens in line {line} is never closed",
                line=line,
                hint="close it, then record again",
            )
        if last.conflicts and last.conflicts[-1][1] > last.markers[-1]:
            line = last.markers[-1] + self._above(last)
            raise Refused(
                "the file ends inside a merge conflict", line=line, hint="resolve it, then record again"
            )

    def _above(self, last: EntryFile) -> int:
        """How many lines the file has above what was added last."""
        return self._lines - last.text.count("\n")

    def _lead(self, text: str) -> str:
        """What stands between the end of a file, which is the end of this text, and a new record."""
        newline = self._newline
        content = text.rstrip(" \t\n")
        if not content:
            return "" if not text or text.endswith("\n") else newline
        lead = "" if text.endswith("\n") else newline
        blank = text.count("\n", len(content)) > 1
        # a rule stands between most records
        if sum(self._ruled) * 2 > len(self._ruled) and not content.endswith("\n---"):
            return lead + ("" if blank else newline) + f"---{newline}{newline}"
        return lead + ("" if blank else newline)


def _composed(draft: Draft, newline: str, habits: Habits) -> str:
    """One new record as it stands in the file.

    Raises:
        BadInput: it has no title, or would not read back the same.
    """
    title = titles.clean(draft.title)
    values = {name: clean(name, value) for name, value in draft.fields.items() if value}
    body = bodies.of(draft.body)
    entry = Entry([line + newline for line in compose(title, values, body, habits)], newline, habits)
    known = {name: value for name, value in entry.fields.values.items() if name in ORDER and value}
    if (
        not entry.whole
        or entry.title != title
        or entry.fields.body != body
        or known != {k: v for k, v in values.items() if v}
    ):
        raise BadInput("the record cannot be written so that it reads back the same", hint="change its text")
    return "".join(entry.lines)


def _bounded(size: int) -> None:
    """Raises BadInput for a size that no file may have."""
    if size > MAX_BYTES:
        raise BadInput(
            f"the file would have {size:,} bytes, and at most {MAX_BYTES:,} are read",
            hint="use another category",
        )


class _Place(NamedTuple):
    """One record of a file as lines, what stands before and after it as text, and its number among the titles
    of all sections.
    """

    before: str
    text: str
    entry: Entry
    after: str
    ended: bool
    number: int
    titles: list[str]


def _section(file: EntryFile, ordinal: int) -> Section:
    records = file.records
    if not 0 <= ordinal < len(records):
        raise NotFound(f"the file has {len(records)} records, and none at place {ordinal}")
    return records[ordinal]


def _take(data: bytes, ordinal: int) -> _Place:
    """Takes one record out of a file, to be changed."""
    text = decode(data)
    file = take_apart(normal(text))
    section = _section(file, ordinal)
    first = conflict_of(file, section)
    if first is not None:
        raise Refused(
            f"the record {section.title!r} is inside a merge conflict",
            line=first,
            hint="resolve the conflict first",
        )
    lines = split_lines(text)
    newline = newline_of(text)
    taken = lines[section.line - 1 : section.last]
    ended = taken[-1].endswith("\n")
    if not ended:
        taken[-1] += newline
    before, after = "".join(lines[: section.line - 1]), "".join(lines[section.last :])
    number, names = file.sections.index(section), [one.title for one in file.sections]
    return _Place(
        before, "".join(taken), Entry(taken, newline, habits_of(file, None)), after, ended, number, names
    )


def _put(data: bytes, place: _Place) -> bytes:
    """The file with a changed record in its place."""
    text = "".join(place.entry.lines)
    if text == place.text:
        return data
    newline = "\r\n" if text.endswith("\r\n") else "\n"
    if not place.ended:
        text = text[: -len(newline)]
    elif place.entry.hides_next and place.after and place.after.split("\n", 1)[0].strip(" \t\r"):
        text += newline  # HTML at the end of a body goes on to a blank line
    whole = place.before + text + place.after
    names = [*place.titles[: place.number], place.entry.title, *place.titles[place.number + 1 :]]
    _same_sections(whole, names)
    new = encode(whole, has_bom(data))
    _bounded(len(new))
    return new


def _same_sections(text: str, names: list[str]) -> None:
    """Refuses a text whose sections are not those: a set-in heading is part of a list that comes to stand
    above it.
    """
    if [section.title for section in take_apart(normal(text)).sections] != names:
        raise Refused(
            "this would change what follows the record", hint="put the next heading at the start of its line"
        )


def edit(data: bytes, ordinal: int, changes: Mapping[str, Value]) -> bytes:
    """The file with fields of one record changed, each on its own lines; no change gives the same bytes.

    A new body of plain paragraphs becomes a list, unless the old body was plain itself. Taking `related` away
    leaves its empty label.

    Raises:
        NotFound: no such record. Refused: it is inside a conflict, or something open would swallow the
            change.
        BadInput: a field that entries do not have, a link that no brackets can hold, an unclosed fence in the
            body.
    """
    place = _take(data, ordinal)
    place.entry.change(changes)
    if not all(changes.values()) and take_apart(normal("".join(place.entry.lines))).sections[0].last < len(
        place.entry.lines
    ):
        place.entry.escape_body()  # it ends in a rule, which was text as long as a field came after it
    return _put(data, place)


def extend(data: bytes, ordinal: int, text: str, date: str) -> bytes:
    """The file with text appended to the body of one record, and `Updated` set to `date` (`YYYY-MM-DD`).

    Plain text, or a list of the same kind, goes on with a list that ends the body; anything else comes under
    `### Extension (date)`.
    """
    place = _take(data, ordinal)
    place.entry.extend(text, date)
    return _put(data, place)


def replace(data: bytes, ordinal: int, body: str, date: str) -> bytes:
    """The file with another body for one record, and `Updated` set to `date`; the old body is in history. The
    same body changes nothing.

    Labels that no format knows are fields of the record's owner: those that the new body does not name stay
    where they are.
    """
    place = _take(data, ordinal)
    old = place.entry.fields.body
    place.entry.change({"body": labelled.kept(old, body)})
    if place.entry.fields.body == old:
        return data
    place.entry.change({"updated": date})
    return _put(data, place)


def remove(data: bytes, ordinal: int) -> bytes | None:
    """The file without one record and what separated it; None where neither records nor other text nor
    frontmatter are left.

    Raises:
        NotFound: no such record. Refused: what follows would be read otherwise.
    """
    text = decode(data)
    file = take_apart(normal(text))
    section = _section(file, ordinal)
    number = file.sections.index(section)
    lines = split_lines(text)
    start, stop = section.line - 1, len(lines)
    if number + 1 < len(file.sections):
        stop = file.sections[number + 1].line - 1
    elif number:
        start = file.sections[number - 1].last
    else:
        while start and not lines[start - 1].strip():
            start -= 1
    left = "".join(lines[:start] + lines[stop:])
    if not left.strip():
        return None
    _same_sections(left, [one.title for one in file.sections if one is not section])
    if stop == len(lines) and not text.endswith("\n"):
        left = left[:-2] if left.endswith("\r\n") else left.removesuffix("\n")
    return encode(left, has_bom(data))

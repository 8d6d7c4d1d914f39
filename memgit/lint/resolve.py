"""Where links lead, for the rules about links: one record, several, a heading that is not there, a file
beside the records, or nothing.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence

from memgit.lint.corpus import Corpus
from memgit.lint.facts import Link, RecordFacts
from memgit.lint.index import folded, place
from memgit.lint.linking import link_text
from memgit.lint.words import cut, is_titled_by_section, plural
from memgit.model.address import ends
from memgit.model.link import file_names, nearest, normal, own_names
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Record

MAX_MEANT = 3
"""So many records that a link may have meant are named."""
LONGEST = 2_000
"""Characters of a name beyond which it is none."""
FEW_MEANT = 12
"""A name that more records have says nothing about which of them is meant."""


class Target(NamedTuple):
    """What a link leads to.

    Attributes:
        records: one where it resolves, several where it is ambiguous.
        passed: records of the same name that are farther away than the one that it resolves to.
        fault: why it does not resolve, in words; None where it does, or where it is ambiguous.
        near: whether it at least leads to a file, and only the heading is not there, or the case of a letter
            is another: some tools and file systems mind that and others do not.
    """

    records: tuple[Record, ...]
    fault: str | None = None
    near: bool = False
    passed: tuple[Record, ...] = ()

    @property
    def record(self) -> Record | None:
        return self.records[0] if len(self.records) == 1 else None


class Led(NamedTuple):
    """A link of a file, the record that it stands in, and where it leads."""

    path: str
    origin: RecordFacts | None
    link: Link
    target: Target


def all_links(corpus: Corpus) -> list[Led]:
    """The links of the subjects with their targets, worked out once."""
    found: list[Led] | None = corpus.shared.get("links")
    if found is None:
        found = corpus.shared["links"] = [led for path in corpus.pages for led in links_of(corpus, path)]
    return found


def links_of(corpus: Corpus, path: str) -> Iterator[Led]:
    """The links of one file with their targets."""
    for facts, link in corpus.facts(path).links():
        yield Led(path, facts, link, target(corpus, path, facts.record if facts is not None else None, link))


def target(corpus: Corpus, path: str, origin: Record | None, link: Link) -> Target:
    """Where a link in a file leads; `origin` is the record that it stands in."""
    if not link.target:
        return _own(corpus, path, origin, link)
    found = _named(corpus, corpus.index.resolve(link.wikilink, path), link)
    close = nearest(found, path)
    if len(close) > 1:
        return Target(tuple(close))
    if not close:
        return _astray(corpus, path, link)
    record = close[0]
    if (
        link.heading is not None
        and "#" not in record.address
        and not corpus.anchors(record.path).has_heading(link.heading)
    ):
        return Target((), f'{record.path} has no heading "{cut(link.heading)}"', near=True)
    return Target((record,), passed=tuple(one for one in found if one is not record))


def _named(corpus: Corpus, found: Sequence[Record], link: Link) -> Sequence[Record]:
    """Of several records that a link could mean those that are called so, not only have a part that is."""
    if len(found) < 2:
        return found
    wanted = normal(link.target)
    by_title = [record for record in found if _has_title_alone(record, wanted)]
    whole = [
        record
        for record in by_title
        if not is_titled_by_section(record) and not _begins_with_text(corpus, record)
    ]
    # What is less than the names of many files is the heading of a part: "Method" in `Sum method.md`.
    if len(by_title) >= MAX_MEANT and all(folded(wanted) in folded(record.stem) for record in whole):
        whole = []
    return [record for record in found if record not in by_title or record in whole]


def _has_title_alone(record: Record, name: str) -> bool:
    """Whether a note answers to a name by its title, and neither by an alias nor by the name of its file."""
    others = (*own_names(record)[1:], *file_names(record.path))
    return record.kind == "note" and normal(record.title) == name and name not in map(normal, others)


def _begins_with_text(corpus: Corpus, record: Record) -> bool:
    """Whether a note has text above the heading that gives it its title."""
    lines = [stripped for line in corpus.page(record.path).body.splitlines() if (stripped := line.strip())]
    return (
        bool(lines)
        and not lines[0].startswith(("#", "<", "![", "[![", record.title))
        and any(line.startswith("# ") and line.strip("# ") == record.title for line in lines[1:])
    )


def _beside(path: str, target: str) -> str | None:
    """A target relative to the folder of the file that it stands in; None where it leaves the root."""
    whole = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return None if whole.startswith(("../", "/")) or whole == ".." else whole


def _own(corpus: Corpus, path: str, origin: Record | None, link: Link) -> Target:
    """A link to a heading of the same file."""
    heading = link.heading or ""
    if origin is not None and "#" in origin.address:
        found = corpus.index.resolve(link.wikilink, path)
        if found:
            return Target(tuple(found))
    if corpus.anchors(path).has_heading(heading):
        return Target((origin,) if origin is not None else ())
    return Target((), f'this file has no heading "{cut(heading)}"', near=True)


def _astray(corpus: Corpus, path: str, link: Link) -> Target:
    """Why no record answers to a link; no fault where it leads to a file of another sort (an image, a page
    beside the records).
    """
    target = _nowhere(corpus, path, link)
    return (
        target
        if target.fault is None or "did you mean" in target.fault
        else target._replace(fault=target.fault + _meant(corpus, link))
    )


def _meant(corpus: Corpus, link: Link) -> str:
    """What to write instead, where a title or the ending of an address is what the link says; links do not
    resolve by these alone.
    """
    known: dict[tuple[str, str | None], str] = corpus.shared.setdefault("meant", {})
    if (link.target, link.heading) not in known:
        known[link.target, link.heading] = _guess(corpus, link)
    return known[link.target, link.heading]


def _guess(corpus: Corpus, link: Link) -> str:
    whole = link.target if link.heading is None else f"{link.target}#{link.heading}"
    # Blanks around the hash of a title such as "C# tips" are not kept.
    found, heading = called(corpus, whole) or called(corpus, f"{link.target}# {link.heading or ''}"), ""
    if not found and link.heading:
        found = [record for record in called(corpus, link.heading) if "#" in record.address]
    if not found and link.heading is not None and link.target:
        found, heading = (
            [record for record in called(corpus, link.target) if "#" not in record.address],
            f"#{link.heading}",
        )
    texts = [
        text + heading for record in found[:MAX_MEANT] if (text := link_text(corpus, record)) is not None
    ]
    if not texts or len(found) > FEW_MEANT:
        return ""
    more = f", or {plural(len(found) - len(texts), 'other')}" if len(found) > len(texts) else ""
    return f"; did you mean {' or '.join(f'[[{text}]]' for text in texts)}{more}?"


def called(corpus: Corpus, text: str) -> list[Record]:
    """The records that a text names as `memgit show` takes it: by an ending of the address, else by the
    title, else by either case aside.

    In the order of paths and lines; those in use only, where there are any.
    """
    wanted, plain = normal(text), folded(text)
    if not wanted or len(text) > LONGEST:
        return []
    near = {place(record): record for record in corpus.index.called(text)}
    records = [near[at] for at in sorted(near)]
    tests: tuple[Callable[[Record], bool], ...] = (
        lambda record: ends(normal(record.address), wanted),
        lambda record: normal(record.title) == wanted,
        lambda record: ends(folded(record.address), plain) or folded(record.title) == plain,
    )
    for test in tests:
        found = [record for record in records if test(record)]
        if found:
            return [record for record in found if not record.archived] or found
    return []


def _nowhere(corpus: Corpus, path: str, link: Link) -> Target:
    """The target of a link that no record answers to, without what it may have meant."""
    files = list(corpus.index.files(link.target))
    beside = _beside(path, link.target)
    if beside is not None:
        there = (beside, f"{beside}.md", *(f"{folder}/index.md" for folder in (beside, link.target)))
        files += [name for name in there if corpus.files.mode(name) is not None]
    if not files:
        spelled = corpus.index.spelled(link.target)
        if spelled is None or spelled == link.target:
            return Target((), "no record answers to it")
        return Target((), f"no record answers to it; did you mean [[{spelled}]]?", near=True)
    if link.heading is None or any(not name.endswith(".md") for name in files):
        return Target(())
    name = files[0]
    entries = [facts.record.title for facts in corpus.facts(name).records if "#" in facts.record.address]
    if not entries:
        return Target(
            (),
            None
            if corpus.anchors(name).has_heading(link.heading)
            else f'{name} has no heading "{cut(link.heading)}"',
        )
    close = [
        title
        for title in entries
        if link.heading and (title.startswith(link.heading) or link.heading.startswith(title))
    ]
    hint = f'; did you mean "{close[0]}"?' if len(close) == 1 else ""
    return Target((), f'{name} has no entry "{cut(link.heading)}"{hint}')


def is_related(facts: RecordFacts, link: Link) -> bool:
    """Whether a link stands in the field that names what belongs together, and not just anywhere in the text."""
    if link.field:
        return link.field == "related"
    written = str(link)[2:-2]
    return any(item == written or item.partition("|")[0].strip() == written for item in facts.record.related)


def facts_of(corpus: Corpus, record: Record) -> RecordFacts | None:
    """The facts of a record that an index gave."""
    found = corpus.facts(record.path).records
    return found[record.ordinal] if record.ordinal < len(found) else None

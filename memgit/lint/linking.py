"""Writing links, for the rules that fix: what stands between the brackets, and the field with one more link."""

from __future__ import annotations

from memgit.formats.codecs import form_named
from memgit.lint.corpus import Corpus
from memgit.lint.index import place
from memgit.model import link
from memgit.model.record import Record


def link_text(corpus: Corpus, record: Record) -> str | None:
    """The text between the brackets of a link that leads to a record and to no other; None where there is
    none.

    `file#title` for an entry, the name of the file for a document; where that would mean several, the address
    or the id.
    """
    for text in link.spellings(record):
        found = corpus.index.resolve(link.parse(text), None)
        if len(found) == 1 and place(found[0]) == place(record):
            return text
    return None


def with_link(corpus: Corpus, origin: Record, other: Record) -> bytes | None:
    """The file of `origin` with a link to `other` in its Related field; None where none can be written."""
    found = corpus.layout.find(origin.path)
    data = corpus.data(origin.path)
    text = link_text(corpus, other)
    if (
        found is None
        or data is None
        or text is None
        or text in origin.related
        or not writable(corpus, origin)
    ):
        return None
    new = form_named(found[0].form).edit(data, origin.ordinal, {"related": (*origin.related, text)})
    return None if new == data else new


def writable(corpus: Corpus, record: Record) -> bool:
    """Whether a record's file was understood well enough to write to it."""
    parsed = corpus.parsed(record.path)
    return not parsed.fatal and not (record.problem is not None and record.problem.fatal)

"""Three-way merge of one file, record by record and field by field; only what truly conflicts gets markers.

Laws: `merge(b, x, b) == x`, `merge(b, b, x) == x`, `merge(b, x, x) == x`; sides swapped gives the same
records, markers swapped; no line that both sides have is lost. On any failure the result is an ordinary merge
of lines with markers.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.formats.merging import DELETED
from memgit.formats.text import has_bom, newline_of
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from memgit.formats.merging.textmerge import Markers

DOCUMENTS = {"memgit": "", "adr": "", "vault": "", "mnema": "", "mnema-block": "mnema"}
"""The forms of documents, and the key under which their fields stand."""
CHANGED = "both sides changed these lines"


class Conflict(NamedTuple):
    """One place that a person has to settle: the line of its first marker, and what it is about.

    `address` is `#title` for an entry, whose file the caller knows, else None.
    """

    line: int
    address: str | None
    message: str

    @property
    def is_deletion(self) -> bool:
        """Whether one side deleted what the other changed."""
        return self.message.startswith(DELETED)


class Merged(NamedTuple):
    """A merged file; `data` is None where it is gone on both sides."""

    data: bytes | None
    conflicts: tuple[Conflict, ...] = ()


def merge_file(
    form_name: str,
    kind: str,
    base: bytes | None,
    ours: bytes | None,
    theirs: bytes | None,
    labels: tuple[str, str] = ("ours", "theirs"),
) -> Merged:
    """Merges two versions of a file with their common ancestor.

    Args:
        form_name: one of `codecs.NAMES`; any other name is a file of plain lines.
        kind: the kind of its records.
        base, ours, theirs: None where the file is not there.
        labels: what the markers call the sides.
    """
    if theirs in (ours, base):
        return Merged(ours)
    if ours == base:
        return Merged(theirs)
    if ours is None or theirs is None:
        gone, kept = (labels[0], theirs) if ours is None else (labels[1], ours)
        other = labels[1] if ours is None else labels[0]
        return Merged(kept, (Conflict(1, None, f"{DELETED}{gone}, changed by {other}"),))
    labels = (_label(labels[0]), _label(labels[1]))
    if b"\0" in ours or b"\0" in theirs or b"\0" in (base or b""):
        return Merged(ours, (Conflict(1, None, f"not text; kept the version of {labels[0]}"),))
    try:
        merged = _records(form_name, kind, base or b"", ours, theirs, labels)
        if merged is not None:
            return merged
    except Exception:  # noqa: S110  whatever goes wrong, the file is merged
        pass
    return _lines(base or b"", ours, theirs, labels)


def _label(text: str) -> str:
    return " ".join(text.replace("\0", " ").split()) or "unnamed"


def _records(
    form_name: str, kind: str, base: bytes, ours: bytes, theirs: bytes, labels: tuple[str, str]
) -> Merged | None:
    """The merge by what the file says, or None where that cannot be told: not text, mixed line ends, markers
    left in, broken blocks.
    """
    if form_name != "entries" and form_name not in DOCUMENTS:
        return None
    sides = [Side(data) for data in (base, ours, theirs)]
    if any(side.mixed for side in sides):
        return None
    from memgit.formats.merging.textmerge import Markers

    markers = Markers(*labels)
    texts = (sides[0].text, sides[1].text, sides[2].text)
    if form_name == "entries":
        from memgit.formats.merging.entrymerge import merge_entries

        text = merge_entries(kind, *texts, markers)
    else:
        from memgit.formats.merging.frontmerge import merge_document

        text = merge_document(*texts, DOCUMENTS[form_name], markers)
    return None if text is None else _finish(text.split("\n"), sides, markers)


class Side:
    """One version as text, every line ended by `\\n`, and how it differs from that; `mixed` says that its
    lines end in both ways.
    """

    def __init__(self, data: bytes) -> None:
        text = data.decode("utf-8", "surrogateescape")
        self.bom = has_bom(data)
        text = text[1:] if self.bom else text
        self.newline = newline_of(text)
        self.final = not text or text.endswith("\n")
        crlf = text.count("\r\n")
        self.mixed = 0 < crlf < text.count("\n")
        self.raw = text if self.final else f"{text}\n"
        self.text = self.raw.replace("\r\n", "\n") if crlf else self.raw


def _finish(lines: list[str], sides: list[Side], markers: Markers, *, raw: bool = False) -> Merged:
    """The bytes of merged lines: mark, line ends and final newline are merged three ways too.

    `raw` lines have their CR still.
    """
    conflicts = tuple(Conflict(*found) for found in markers.settle(lines))
    base, ours, theirs = sides
    newline = theirs.newline if base.text and ours.newline == base.newline else ours.newline
    final = theirs.final if ours.final == base.final else ours.final
    bom = theirs.bom if ours.bom == base.bom else ours.bom
    text = "\n".join(lines)
    if not raw and newline != "\n":
        text = text.replace("\n", newline)
    if not final:
        text = text.removesuffix("\n").removesuffix("\r")
    data = text.encode("utf-8", "surrogateescape")
    return Merged(b"\xef\xbb\xbf" + data if bom else data, conflicts)


def _lines(base: bytes, ours: bytes, theirs: bytes, labels: tuple[str, str]) -> Merged:
    """An ordinary merge by lines.

    How a line ends belongs to it where a file mixes line ends, else it is merged apart.
    """
    from memgit.formats.merging.textmerge import Markers, merge_lines

    sides = [Side(data) for data in (base, ours, theirs)]
    raw = any(side.mixed for side in sides)
    texts = [(side.raw if raw else side.text).split("\n")[:-1] for side in sides]
    end = "\r" if raw and sides[1].newline == "\r\n" else ""
    markers = Markers(labels[0], labels[1], end)
    lines, _ = merge_lines(
        texts[0], texts[1], texts[2], lambda left, right: markers.around(left, right, None, CHANGED)
    )
    return _finish([*lines, ""], sides, markers, raw=raw)

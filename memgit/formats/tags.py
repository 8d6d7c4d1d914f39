"""Tags: those of the frontmatter, and `#tag` in the text, as Obsidian has them."""

from __future__ import annotations

from collections.abc import Iterable

from memgit.model.lazy_re import pattern
from memgit.model.record import Record

_INLINE = pattern(r"#(?<!\S#)([\w/-]*[^\W\d][\w/-]*)")  # a hash first: it is looked for as one byte
_MARKED = pattern(r"#(?<![^\s`]#)[\w/-]")
"""What may be a tag; most texts hold none, though their headings have hashes."""
_CODE = pattern(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)|`[^`\n]*`")


def tags_of(record: Record) -> list[str]:
    """The tags of a record in full, each once, without `#`; a tag has a letter and no blank."""
    named = [tag for value in record.items("tags") for tag in value.replace(",", " ").split()]
    found = (
        [match[1] for match in _INLINE.finditer(_CODE.sub(" ", record.body))]
        if _MARKED.search(record.body)
        else []
    )
    return list(dict.fromkeys(tag for tag in (one.lstrip("#").strip("/") for one in (*named, *found)) if tag))


def has_tag(tags: Iterable[str], tag: str) -> bool:
    """Whether one of some tags is a tag or lies under it, in any case."""
    wanted = tag.lstrip("#").strip("/").casefold()
    return any(f"{one.casefold()}/".startswith(f"{wanted}/") for one in tags)

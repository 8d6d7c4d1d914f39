"""Who a new document is, read from a glance at its frontmatter: the log of a commit that only adds files
needs no more.

The answer is the one that a full reading gives, or none, and then the file has to be read in full.
"""

from __future__ import annotations

import re

from memgit.model.ids import is_id
from memgit.model.lazy_re import pattern

_ID = pattern(rb"^id[ \t]*:(.*)$", re.MULTILINE)


def peek(data: bytes) -> str | None:
    """The id that memgit gave to a document in its own form, empty where it gave none; None where only a full
    reading tells.

    A document that grew out of another, that is a template or whose frontmatter is not plain lines, is never
    told here.
    """
    if not data.startswith(b"---"):
        return "" if data[:1] not in (b"", b"\xef", b" ", b"\n", b"\r", b"\t") else None
    end = data.find(b"\n---\n", 3)
    if not data.startswith(b"---\n") or end < 0:
        return None
    block = data[4 : end + 1]
    if (block and not block[:1].isalpha()) or b"\n---" in block or b"\n..." in block:
        return None
    # A template, an origin, another spelling of the key, and what makes YAML hard to read by line.
    if (
        b"{{" in block
        or b"derived_from" in block
        or b'"id"' in block
        or b"'id'" in block
        or b"&" in block
        or b"*" in block
        or b"\t" in block
        or b"? " in block
        or b"<<" in block
    ):
        return None
    plain = block.startswith(b"id: ") and b"\nid" not in block  # as memgit writes it
    found = [block[4 : block.find(b"\n")]] if plain else _ID.findall(block)
    if not found:
        return ""
    value = found[0].strip().decode("ascii", "replace")
    if len(found) > 1 or not value.isalnum():
        return None
    return value if is_id(value) else ""

"""The words of a line of Markdown or HTML, without its markup."""

from __future__ import annotations

import re

from memgit.model.lazy_re import pattern

_EMPHASIS = frozenset("*_~=`")
_TAGS = (
    "a|abbr|b|br|center|code|del|details|div|em|font|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|pre|s|small|span|strong"
    "|sub|summary|sup|table|t[dhr]|tbody|thead|u|ul|video|picture|source"
)
_IMAGE = pattern(r"!\[(?:[^\[\]]|\[[^\[\]]*\])*\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])?")
_LINK = pattern(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\](?:\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\])")
_WIKILINK = pattern(r"!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_TAG = pattern(rf"</?(?:{_TAGS})\b[^<>]*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
_MARKS = pattern(r"(\*{1,3}|(?<!\w)_{1,3}|~~|==|`+)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_OPENING = pattern(r"(?:#{1,6}[ \t]+|>[ \t]?|(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|\|[ \t]*)+")


def unmarked(text: str) -> str:
    """One line without images, links, tags, marks of emphasis and code, and entities. Its time grows with the
    square of its length.
    """
    text = _IMAGE.sub(" ", text) if "![" in text else text
    if "[" in text:
        text = _WIKILINK.sub(r"\1", _LINK.sub(r"\1", text))
    if "<" in text:
        text = _TAG.sub(" ", text)
    for _ in range(3 if _EMPHASIS.intersection(text) else 0):
        text = _MARKS.sub(lambda match: match[2], text)
    return unescaped(text)


def unescaped(text: str) -> str:
    """A text with its HTML entities as the characters that they stand for."""
    if "&" not in text:
        return text
    from html import unescape  # has a table of all entities

    return unescape(text)


def words_of_line(line: str) -> str:
    """The same of a line of a text, also without what opens a heading, quotation, item or row of a table."""
    line = line.strip()
    opening = _OPENING.match(line)
    return " ".join(unmarked(line[opening.end() :] if opening else line).strip(" |\t").split())

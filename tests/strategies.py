"""Strategies for property tests, by what they make.

Several test modules share them; each section says which.
"""

from __future__ import annotations

import posixpath

from hypothesis import strategies as st

from memgit.formats.codec import Draft
from memgit.formats.mem_skill.labels import LISTS

# Text that is hard to keep: tests of entries, merges, documents.

NASTY_LINES = (
    "",
    "",
    "word",
    "two words",
    "  set in",
    "    code",
    "\tafter a tab",
    "# one",
    "## two",
    "### three",
    "##",
    "  ## set in",
    "#hash",
    "- item",
    "* star",
    "+ plus",
    "1. one",
    "2) two",
    "-",
    "  - nested",
    "> quote",
    ">",
    "---",
    "----",
    " ---",
    "***",
    "===",
    "- - -",
    "**Date:** 2020-01-01",
    "**Keywords:** a, b",
    "**keywords：** x",
    "**日期：** 2020-01-01",
    "**Solution:**",
    "**Best practices:** now",
    "**Unknown:** kept",
    "**Note:**",
    "**Related:**",
    "**Id:** abc",
    "**Context:** c",
    " **Date:** no field",
    "**DATE:** x",
    "\\## two",
    "\\\\## two",
    "\\**Date:** x",
    "\\---",
    "\\<!-- x",
    "\\",
    "<!-- comment -->",
    "<!-- open",
    "-->",
    "<div>",
    "</div>",
    "<b>",
    "<br/>",
    "<?php",
    "?>",
    "<script>",
    "</script>",
    "<!DOCTYPE x>",
    "<![CDATA[ x",
    "]]>",
    "| a | b |",
    "|---|---|",
    "`code`",
    "[[link]]",
    "[[a, b]]",
    "<<<<<<< ours",
    "=======",
    ">>>>>>> theirs",
    "\\<<<<<<< x",
    "[a]: /b",
    "🔧 tool",
    "a\rb",
    "a\x0bb",
    "a\x0cb",
    "\u2028",
    "\u00a0",
    "trailing  ",
    "trailing\t",
    "e\u0301",
    "- [ ] task",
    "> - a",
    "- > a",
    "- # x",
    "10. ten",
)
"""Lines that Markdown or an entry file could read as more than text; none of them opens a fence."""

FENCES = (("```", "```"), ("~~~", "~~~"), ("````md", "````"), ("  ```", "```"), ("```sh", "  ```  "))

nasty_line = st.sampled_from(NASTY_LINES) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0\n`~"), max_size=12
)


@st.composite
def fenced(draw: st.DrawFn) -> list[str]:
    """A code fence that is closed, with anything but its own end inside."""
    start, end = draw(st.sampled_from(FENCES))
    inner = draw(st.lists(nasty_line, max_size=4))
    return [start, *inner, end]


@st.composite
def bodies(draw: st.DrawFn) -> str:
    """Text of several lines that holds whatever a person may paste; every fence in it is closed."""
    blocks = draw(st.lists(nasty_line.map(lambda line: [line]) | fenced(), max_size=8))
    return "\n".join(line for block in blocks for line in block)


words = st.text("abcdefghij klmnop", min_size=1, max_size=20)
plain_bodies = st.lists(words.filter(str.strip), min_size=1, max_size=4).map("\n\n".join)
titles = st.sampled_from(
    [
        "Plain",
        "# hash",
        "hash #",
        "C#",
        "#",
        "##",
        "a \\#",
        "\\# b",
        "[2026-01-01] write | x",
        "\\[2026-01-01] write | x",
        "🔧 tool",
        "🔧🔧",
        "🔧",
        "`code` and: (more) → —",
        "a | b",
        "[x]",
        "a]]b",
        "**Date:** x",
        "- item",
        "\ttab\there",
        "two\nlines",
        "<!-- x",
        "---",
        "1. x",
        "  spaced  out  ",
        "e\u0301",
        "\u2028a",
        "-->",
        "a ##",
        "a\\",
        "日期",
        "> q",
        "``` x",
        "\u00a0x",
    ]
) | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=24)

values = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(NASTY_LINES)
link_targets = st.lists(
    st.sampled_from(["a", "b#c", "d, e", "f/g", "h `i`", "arr[0]", "-", "k's", "#own"]),
    min_size=1,
    max_size=3,
).map(" ".join)
days = st.dates().map(lambda day: f"{day.year:04}-{day.month:02}-{day.day:02}")


@st.composite
def entry_fields(draw: st.DrawFn) -> dict[str, str | tuple[str, ...]]:
    """Fields of an entry, each there or not."""
    out: dict[str, str | tuple[str, ...]] = {}
    for name in (
        "created",
        "updated",
        "skill",
        "source",
        "context",
        "files",
        "related",
        "keywords",
        "archived",
        "merged_into",
        "id",
    ):
        if draw(st.booleans()):
            if name == "related":
                out[name] = tuple(draw(st.lists(link_targets, max_size=3)))
            elif name in LISTS:
                out[name] = tuple(draw(st.lists(values, max_size=3)))
            else:
                out[name] = draw(days if name in ("created", "updated", "archived") else values)
    return out


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    """A record to be written into an entry file."""
    kind = draw(st.sampled_from(["knowledge", "experience"]))
    return Draft(kind, draw(titles), draw(entry_fields()), draw(bodies() | plain_bodies))


# YAML blocks: tests of yaml, frontmatter, documents.

texts = st.sampled_from(
    (
        "Locks: before or after?",
        "it's",
        'say "yes"',
        "$1 and $15,000",
        "\\1 \\g<0> \\n",
        "{{title}}",
        "`make`",
        "- item",
        "@handle",
        "yes",
        "No",
        "null",
        "~",
        "2026-01-01",
        "2026-01-01 10:00:00",
        "1e5",
        "0x1f",
        "0o17",
        "012",
        "1_000",
        "12:30:45",
        ".inf",
        "-.NaN",
        "1.10",
        "=",
        "<<",
        "#tag",
        "a #b",
        "a: b",
        "a:",
        ":a",
        "? x",
        "[a]",
        "{a}",
        "&a",
        "*a",
        "!t",
        "|",
        ">",
        "%a",
        "",
        " ",
        " a",
        "a ",
        "a\nb",
        "\na",
        "a\n\nb",
        "a\n",
        "a\r\nb",
        "\r",
        "\t",
        "\u2028",
        "a\u2029b",
        "\x85",
        "\x07",
        "\x1b[31m",
        "\x7f",
        "\ufeff",
        "\0",
        "e\u0301",
        "🌊",
        "👩\u200d🚀",
        "日本",
        "\xa0a",
        "'",
        "''",
        '"',
        "\\",
        "---",
        "...",
        "--- a",
        "a, b",
        "a]",
        "[[x]]",
        "a'b\"c\\d",
    )
) | st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
"""Text that YAML could take for something else."""

_ATOMS = (
    "a",
    "b c",
    "x: y",
    "x:y",
    "#h",
    "a #c",
    "a#c",
    " ",
    "  ",
    "'",
    "''",
    '"',
    "\\",
    "\\n",
    "\\x41",
    "\\u263a",
    ":",
    ": ",
    "-",
    "- ",
    "[",
    "]",
    "{",
    "}",
    ",",
    ", ",
    "&a",
    "*a",
    "!t",
    "|",
    ">",
    "|-",
    ">+",
    "%",
    "@",
    "`",
    "~",
    "null",
    "yes",
    "1.0",
    "2026-01-01",
    "é",
    "☺",
    "\u2028",
    "\t",
    "?",
    "? ",
    "//",
    "http://x",
    "=",
    "<<",
    ".",
    "..",
    "---",
    "...",
    "_",
    "$1",
    "(",
    ")",
    "\xa0",
    "\u200d",
    "\x07",
    "\r",
)
_FLOW_ITEMS = (
    "a",
    "b c",
    '"q"',
    "'s'",
    "",
    "~",
    "null",
    "-x",
    "- x",
    "a:b",
    "a: b",
    "#h",
    "c#",
    "{}",
    "[x]",
    "x ",
    "?",
    "a?b",
    "http://a/b",
    "1",
    "*a",
    "&a b",
    "'it''s'",
    '"a\\"b"',
    "a  b",
)
_AFTER = ("", "", "", " ", "#", " # c", "x")
_pieces = st.lists(st.sampled_from(_ATOMS), max_size=4).map("".join)
_inline = st.one_of(
    _pieces,
    st.builds("'{}'{}".format, _pieces, st.sampled_from(_AFTER)),
    st.builds('"{}"{}'.format, _pieces, st.sampled_from(_AFTER)),
    st.builds(
        lambda items, gap, after: f"[{gap.join(items)}]{after}",
        st.lists(st.sampled_from(_FLOW_ITEMS), max_size=4),
        st.sampled_from([",", ", ", " , "]),
        st.sampled_from(_AFTER),
    ),
    st.sampled_from(["{}", "{ }", "{a: b}", "|", "|-", ">", "> ", ">-", ">+", "|+", "|2", "> # c", ">x"]),
)
_below = st.builds(
    lambda depth, mark, text: " " * depth + mark + text + "\n",
    st.sampled_from([0, 1, 2, 2, 2, 4, 4, 6]),
    st.sampled_from(["- ", "- ", "", "", "# ", "- - ", "-", "k: ", "k2: "]),
    _inline | st.sampled_from(["word", "two words", "", "a: b", ">-"]),
) | st.sampled_from(["\n", "  \n", "    \n", "# c\n", "  # c\n"])
_keys = st.sampled_from(
    [
        "title",
        "tags",
        "a b",
        "k-1",
        "mnema",
        "key.x",
        "1",
        "null",
        "ключ",
        '"q k"',
        "'s'",
        "a:b",
        "-k",
        "? k",
        "title ",
        "k2",
        "k3",
    ]
)


@st.composite
def tricky_blocks(draw: st.DrawFn) -> str:
    """Lines that look like a frontmatter block and are often not valid YAML."""
    out = [draw(st.sampled_from(["", "", "", "# c\n", "\n", "  # x\n", "%YAML 1.2\n"]))]
    for _ in range(draw(st.integers(1, 4))):
        gap = draw(st.sampled_from([" ", " ", " ", "", "  "]))
        out.append(f"{draw(_keys)}:{gap}{draw(_inline | st.just(''))}\n")
        out += draw(st.lists(_below, max_size=4))
    return "".join(out)


_word = st.sampled_from(
    ["tide", "berth", "lock", "two words", "a/b", "c#", "x:y", "harbour's", "été", "🌊", "42", "yes", "1.10"]
)
_comment = st.sampled_from(["", "", "", "  # why", " # a: b"])


@st.composite
def _pairs(draw: st.DrawFn, key: str) -> list[str]:
    """One key with its value, in one of the ways that people write; the lines without ends."""
    word, other = draw(_word), draw(_word)
    blanks = draw(st.sampled_from([" ", " ", "   "]))
    head, note = f"{key}:{blanks}", draw(_comment)
    depth = draw(st.sampled_from(["", "  ", "    "]))
    bare = word if key != "title" else f"A {word}"
    lines: list[list[str]] = [
        [f"{head}{bare}{note}"],
        [f"{head}'it''s {bare.replace(chr(39), '')}'{note}"],
        [f'{head}"say \\"{bare}\\": {other}"{note}'],
        [f"{head}{bare}", "  goes on", "  here"],
        [f"{head}>-{note}", f"  folded {word}", f"  {other}", "", "  new part"],
        [f"{head}|{note}", "  kept", "  # no comment", "  ---", f"    deeper {word}"],
        [f'{head}"first', f'  second {bare}"{note}'],
    ]
    lists: list[list[str]] = [
        [f"{head}[{word}, '{other.replace(chr(39), '')}, too', \"{word}\"]{note}"],
        [f"{head}[ {word} ,{other} ]{note}"],
        [f"{head}[]"],
        [
            f"{key}:{note}",
            f"{depth}- {word}",
            f"{depth}-   '{other.replace(chr(39), '')}'",
            f"{depth}# between",
            f'{depth}- "x, y"',
        ],
        [f"{head}[{word},", f"  {other}, # inside", "  last]"],
        [f"{key}:", f"{depth}- >-", f"{depth}    long {word}", f"{depth}- "],
    ]
    rest: list[list[str]] = [
        [f"{key}:{note}"],
        [f"{head}null{note}"],
        [
            f"{key}:",
            f'    owner: {{ name: {word}, phone: "12 34" }}',
            "    shifts:",
            "    - early",
            "    -   late",
            "",
            "    last: x",
        ],
        [f"{head}{{ a: 1, b: [x, y] }}"],
    ]
    return draw(
        st.sampled_from(
            lines
            if key == "title"
            else lines + lists
            if key == "source"
            else lists
            if key in LIST_KEYS
            else lines + rest
        )
    )


LIST_KEYS = ("keywords", "tags", "related")


@st.composite
def blocks(draw: st.DrawFn) -> list[str]:
    """A valid block as lines without ends: keys of every style with comments and blank lines among them."""
    out: list[str] = []
    keys = draw(
        st.lists(
            st.sampled_from(
                ["created", "source", "x-desk", "note", "summary", "keywords", "tags", "related"]
            ),
            unique=True,
        )
    )
    keys.insert(draw(st.integers(0, len(keys))), "title")
    for key in keys:
        out += draw(st.sampled_from([[], [], [], [""], ["# about " + key], ["# a: b", ""]]))
        out += draw(_pairs(key))
    return out + draw(st.sampled_from([[], [], ["# the end"], [""]]))


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """A file with frontmatter: byte order mark or none, any line ends, any text, a final newline or none."""
    ends = draw(st.sampled_from([["\n"], ["\n"], ["\r\n"], ["\n", "\n", "\r\n"]]))
    lines = ["---", *draw(blocks()), draw(st.sampled_from(["---", "---", "---  ", "..."]))]
    body = draw(st.sampled_from([[], [""], ["", "Text."], ["Text."]]))
    if body[-1:] == ["Text."]:
        body += [line for line in draw(bodies()).split("\n") if not line.startswith(("<<<<<<<", ">>>>>>>"))]
    text = "".join(line + ends[number % len(ends)] for number, line in enumerate(lines + body))
    if draw(st.booleans()) and body:
        text = text.rstrip("\n").removesuffix("\r")
    mark = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"]))
    return mark + text.encode()


# What a person may type into a search: tests of the cache.

queries = st.text(st.characters(exclude_categories=[])) | st.text(
    st.sampled_from("ab quote*\"'-:^(){}[]+~!&|\\\0 ANDORNOTNEAR,.\u2019検索缓存🔧é")
)


# Vaults of linked notes: tests of renames, moves and merges.

NOTE_NAMES = (
    "Alpha",
    "Beta",
    "Gamma ray",
    "Délta",
    "tide-tables",
    "A (b)",
    "O'Neil",
    "note & co",
    "日記",
    "Index",
)
NOTE_FOLDERS = ("", "sub/", "sub/deep/", "Other folder/", "other/sub/")
LINK_FORMS = (
    "[[{name}]]", "[[{name}#{part}]]", "![[{name}#^blk]]", "[[{name}|a label]]", "[[{name}#{part}|a label]]",
    "![[{name}]]", "[[{path}]]", "[[{path}#{part}|x]]", "[[{path}.md]]", "[[{title}]]", "[[{alias}]]", "[t]({md})", "![i]({md})",
    "[t]({md}#part)", "[t](<{raw}> \"tip\")", "- item [[{name}]]", "> quote [[{name}#{part}]]", "`[[{name}]]`",
    "<!-- [[{name}]] -->", "[[#{part}]]", "[s](#part)", "**[[{name}|b]]**", "| [[{name}\\|c]] | [t]({md}) |", "[[Not yet]]",
    '<a href="{tag}#part">t</a>', "<p>\n<A HREF='{tag}'><img src={tag}></a>\n</p>", '`<a href="{tag}">`',
)  # fmt: skip
LINK_KEYS = (
    'up: "[[{name}]]"', "up: '[[{quoted}#{part}|it''s]]'", "up: [[{name}]]", 'many:\n  - "[[{name}]]"\n  - "![[{name}#^blk]]"',
    "note: see [[{name}]] there", 'md: "[t]({md})"', "text: |\n  a [[{name}]]\n  b", "# a comment [[{name}]]", "plain: word",
)  # fmt: skip


@st.composite
def vaults(draw: st.DrawFn) -> dict[str, str]:
    """The files of a vault, path to text: notes with titles, aliases, headings, blocks, and links of every form
    among them. Each note has a line `Mark <number>.` that no other has.
    """
    paths = draw(
        st.lists(
            st.tuples(st.sampled_from(NOTE_FOLDERS), st.sampled_from(NOTE_NAMES)).map("".join),
            min_size=2,
            max_size=7,
            unique=True,
        )
    )
    titles = [
        draw(st.sampled_from([path.rpartition("/")[2], f"Title of {number}"]))
        for number, path in enumerate(paths)
    ]
    out = {}
    for number, path in enumerate(paths):
        some = st.lists(st.tuples(st.integers(0, len(paths) - 1), st.sampled_from(LINK_FORMS)), max_size=6)
        keys = st.lists(
            st.tuples(st.integers(0, len(paths) - 1), st.sampled_from(LINK_KEYS)),
            max_size=3,
            unique_by=lambda one: one[1][:2],
        )
        lines = [
            "---",
            f"aliases: [alias {number}]",
            *(_linked(form, path, paths[to], titles[to], to) for to, form in draw(keys)),
            "---",
        ]
        body = [_linked(form, path, paths[to], titles[to], to) for to, form in draw(some)]
        text = "\n".join(
            [
                *lines,
                f"# {titles[number]}",
                "",
                f"Mark {number}.",
                "",
                "## Part",
                "",
                "Text. ^blk",
                "",
                "\n\n".join(body),
                "",
            ]
        )
        out[f"{path}.md"] = text.replace("\n", draw(st.sampled_from(["\n", "\n", "\r\n"])))
    return out


def _linked(form: str, origin: str, path: str, title: str, number: int) -> str:
    md = posixpath.relpath(f"/{path}.md", f"/{origin}".rpartition("/")[0] or "/")
    md_encoded = md.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
    return form.format(
        name=path.rpartition("/")[2],
        path=path,
        quoted=path.replace("'", "''"),
        title=title,
        alias=f"alias {number}",
        md=md_encoded,
        tag=md_encoded.replace("&", "&amp;").replace("'", "%27"),
        raw=md,
        part="Part",
    )

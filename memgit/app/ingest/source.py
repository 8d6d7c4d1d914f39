"""Reading what is to be ingested: files, folders, URLs and standard input become texts."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from memgit.app.config import NAME
from memgit.app.workspace import Workspace
from memgit.derive import is_derived
from memgit.errors import BadInput, NotFound, Refused, UnreadableFile
from memgit.formats.text import MAX_BYTES, decode
from memgit.git.objects.files import tracked_or_new
from memgit.ingest.conversation import as_markdown
from memgit.ingest.document_kind import kind_of
from memgit.ingest.exports import note_of, texts
from memgit.ingest.filetypes import SAMPLE_BYTES, junk, known_text, language, looks_text
from memgit.ingest.pages import title_of, without_furniture

MAX_FILE = 100 * 1024
"""Bytes over which a file of a folder is skipped."""
WARNED = 50
REFUSED = 200
_SLIDE = re.compile(r"(?m)^<!-- Slide number: \d+ -->\n?")
CONVERT_SECONDS = 60.0
"""Seconds that the conversion of one document may take unless a limit is given."""
"""Files of a folder from which on the user is warned, and from which on it takes `--all`."""
RECORD = "it is a record already"
MAX_FILES = 100_000
"""Files of a folder outside any repository that are looked at."""


class Text(NamedTuple):
    """One text of a source.

    Attributes:
        path: how it is named to people: relative to the knowledge root, or the URL, or `-`.
        source: the value of the Source field of records that are made from it.
        digest: of its bytes, sixteen hexadecimal digits; empty for a page, which may differ each time.
        folders: the folders that tell its topic.
        title, date: what was found with it (URLs).
        language: how it is read where the name does not tell.
    """

    path: str
    source: str
    text: str
    digest: str
    folders: tuple[str, ...] = ()
    title: str | None = None
    date: str | None = None
    language: str | None = None


class Skipped(NamedTuple):
    """A file that was not read, and why.

    `record` says that it is a record of the knowledge root itself, `failed` that it should have been read and
    could not be.
    """

    path: str
    reason: str
    record: bool = False
    failed: bool = False


class Source(NamedTuple):
    """What one argument gave. `kind` is file, directory, url or text."""

    kind: str
    path: str
    source: str
    texts: tuple[Text, ...]
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()


class Reading(NamedTuple):
    """How sources are read.

    Attributes:
        folder: what relative paths count from.
        env: the environment, for git and for proxies.
        everything: take folders of more than `REFUSED` files.
        private: let URLs lead to private addresses.
        stdin: gives the bytes of standard input.
        web: other limits of `memgit.web.fetch`, by name.
    """

    folder: str
    env: Mapping[str, str]
    everything: bool = False
    private: bool = False
    stdin: Callable[[], bytes] = bytes
    web: Mapping[str, Any] = {}


def read(workspace: Workspace, name: str, reading: Reading) -> Source:
    """What an argument names.

    Raises:
        NotFound: there is no such file.
        BadInput: it is empty, no text, a record of the knowledge root, or a folder with too many files.
        Refused: a URL could not be fetched, or a file not be read.
    """
    if not name.strip():
        raise BadInput("a SOURCE is empty", hint="a file, a folder, a URL, or - for standard input")
    for fits, source in SOURCES:
        if fits(name, reading):
            return source(workspace, name, reading)
    raise NotFound(f"{name}: no such file or folder", hint="a file, a folder, a URL, or - for standard input")


def digest(data: bytes) -> str:
    """Sixteen hexadecimal digits that depend on the bytes alone."""
    return sha256(data).hexdigest()[:16]


def plain_bytes(full: str) -> bytes:
    """The bytes of a plain file, at most one more than `MAX_BYTES` of them.

    Raises:
        BadInput: it is something else, such as a pipe or a device, which may have no end.
        OSError: it cannot be read.
    """
    if not stat.S_ISREG(os.stat(full).st_mode):
        raise BadInput(
            f"{os.path.basename(full)} is not a plain file",
            hint="give what it holds on standard input: memgit ingest - --yes",
        )
    with open(full, "rb") as opened:
        return opened.read(MAX_BYTES + 1)


def shown(workspace: Workspace, full: str) -> str:
    """A path as it is stored: relative to the knowledge root, so that it means the same in another clone;
    absolute where that cannot be.
    """
    parent, name = os.path.split(full)
    real = os.path.join(os.path.realpath(parent), name)
    try:
        path = os.path.relpath(real, workspace.root) if workspace.root is not None else real
    except ValueError:  # another drive
        path = real
    return path.replace(os.sep, "/")


def is_outside(path: str) -> bool:
    """Whether a path as shown is outside the knowledge root, where another clone cannot follow it."""
    return path.startswith("../") or path == ".." or os.path.isabs(path)


def origin_of(path: str, name: str, digest_: str, part: str = "") -> str:
    """The Source of records from a file: its path in the repository, or name and hash of what lies outside.

    Args:
        name: what a file outside is called: its name, or its path in the folder that was named.
        part: the id of one text of an export.
    """
    end = f"#{part}" if part else ""
    return f"file:{name}{end}@{digest_}" if is_outside(path) else f"file:{path}{end}"


def _note(text: Text, name: str) -> Text:
    """A text with what the program that exported it put beside it: title, date, and where it is from."""
    if language(name) != "markdown":
        return text
    found = note_of(name, text.text)
    source = f"url:{found.link}" if found.link and is_outside(text.path) else text.source
    return text._replace(
        text=found.text, title=text.title or found.title, date=text.date or found.date, source=source
    )


def _stdin(workspace: Workspace, name: str, reading: Reading) -> Source:
    data = reading.stdin()
    try:
        if len(data) > MAX_BYTES:
            raise UnreadableFile(f"too large: at most {MAX_BYTES:,} bytes are read")
        text = decode(data)
    except UnreadableFile as error:
        raise BadInput(f"standard input: {error.message}", line=error.line, hint=error.hint) from None
    return Source("text", "-", "", (Text("-", "", text, digest(data), language="markdown"),))


def conversation(source: Source) -> Source:
    """A source that is a conversation with an agent: its records come from `conversation`."""
    texts = tuple(
        text._replace(
            text=as_markdown(text.text), source="conversation", digest="", language="markdown", title=None
        )
        for text in source.texts
    )
    return source._replace(source="conversation", texts=texts)


def _url(workspace: Workspace, name: str, reading: Reading) -> Source:
    from memgit.web import fetch

    page = fetch(name.strip(), env=reading.env, allow_private=reading.private, **reading.web)
    source = f"url:{page.url}"
    text = Text(page.url, source, page.text, "", title=page.title, date=page.date, language="markdown")
    return Source("url", page.url, source, (text,))


def _is_url(name: str) -> bool:
    if "://" not in name:
        return False
    from memgit.web import is_url

    return is_url(name)


def _folder(workspace: Workspace, name: str, reading: Reading) -> Source:
    full = _full(name, reading)
    base = shown(workspace, full)
    found: list[Text] = []
    named = os.path.basename(os.path.realpath(full))
    skipped: list[Skipped] = []
    count = 0
    for path in _listed(full, reading):
        verdict = _file_of_folder(workspace, full, base, path)
        if isinstance(verdict, Text):
            count += 1
            if count > REFUSED and not reading.everything:
                raise BadInput(
                    f"{name} has more than {REFUSED} files of text",
                    hint="name a folder below it, or take all with --all",
                )
            found += _unpacked(verdict, f"{named}/{path}")
        elif verdict is not None:
            skipped.append(verdict)
    if not found and not skipped:
        raise BadInput(
            f"{name} holds no file", hint="what git ignores is left out: name such files one by one"
        )
    notes = (f"{name} has {count} files of text",) if count > WARNED else ()
    own = named if is_outside(base) else base
    return Source("directory", base, f"file:{own}", tuple(found), tuple(skipped), notes)


def _listed(full: str, reading: Reading) -> Sequence[str]:
    """The paths of a folder, sorted: those that git would track, or, outside any repository, all."""
    found = tracked_or_new(full, reading.env)
    return sorted(_walked(full)) if found is None else found


def _walked(full: str) -> Iterator[str]:
    count = 0
    for folder, folders, names in os.walk(full):
        inside = os.path.relpath(folder, full).replace(os.sep, "/")
        prefix = "" if inside == "." else f"{inside}/"
        folders[:] = sorted(one for one in folders if junk(f"{prefix}{one}/x") is None)
        for name in names:
            count += 1
            if count > MAX_FILES:
                raise BadInput(f"{full} has more than {MAX_FILES:,} files", hint="name a folder below it")
            yield prefix + name


def _file_of_folder(workspace: Workspace, full: str, base: str, path: str) -> Text | Skipped | None:
    """One file of a folder; None where it is not there, or no file."""
    where = path if base == "." else f"{base}/{path}"
    if not where.isprintable():
        return Skipped(where, "its name holds characters that cannot be printed")
    reason = junk(path)
    if reason is not None:
        return Skipped(where, reason)
    file = os.path.join(full, path)
    try:
        found = os.lstat(file)
        if stat.S_ISLNK(found.st_mode):
            return Skipped(where, "it is a symbolic link")
        if stat.S_ISDIR(found.st_mode):  # as git lists it: what is in it is not of this repository
            return Skipped(where.rstrip("/"), "it is a repository of its own: name it to take what is in it")
        if not stat.S_ISREG(found.st_mode):
            return None
        own = _own(workspace, file)
        if own is not None:
            return Skipped(where, own, own == RECORD)
        text = known_text(path.rpartition("/")[2])
        if text is False:
            return Skipped(where, "it is not text")
        if found.st_size > MAX_FILE:
            return Skipped(
                where, f"it has {found.st_size:,} bytes; the limit for a file of a folder is {MAX_FILE:,}"
            )
        with open(file, "rb") as opened:
            data = opened.read(MAX_FILE + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Skipped(where, f"it cannot be read: {error.strerror}", failed=True)
    if text is None and not looks_text(data[:SAMPLE_BYTES]):
        return Skipped(where, "it is not text")
    try:
        content = decode(data)
    except UnreadableFile as error:
        return Skipped(where, error.message, failed=True)
    if not content.strip():
        return Skipped(where, "it is empty")
    folders = tuple(path.split("/")[:-1]) or (() if is_outside(base) else _parent(full))
    hashed = digest(data)
    name = f"{os.path.basename(os.path.realpath(full))}/{path}"
    return Text(where, origin_of(where, name, hashed), content, hashed, folders)


def _own(workspace: Workspace, file: str) -> str | None:
    """Why a file is the knowledge root's own, None where it is not."""
    if workspace.root is None:
        return None
    path = shown(workspace, file)
    if path.startswith("../") or os.path.isabs(path):
        return None

    if workspace.layout.find(path) is not None:
        return RECORD
    if path == NAME or is_derived(workspace.layout, path):
        return "it belongs to the knowledge root itself"
    return None


def _parent(full: str) -> tuple[str, ...]:
    """The name of a folder as what tells the topic of a file that lies in it."""
    name = os.path.basename(os.path.realpath(full))
    return (name,) if name else ()


def _file(workspace: Workspace, name: str, reading: Reading) -> Source:
    full = _full(name, reading)
    path = shown(workspace, full)
    if not path.isprintable():
        raise BadInput(
            f"{name}: its name holds characters that cannot be printed",
            hint="rename it, or give it on standard input",
        )
    own = _own(workspace, full)
    if own is not None:
        raise BadInput(
            own,
            path=path,
            hint="memgit update changes a record; memgit adopt takes over files in place",
        )
    try:
        data = plain_bytes(full)
        if len(data) > MAX_BYTES:
            raise UnreadableFile(f"too large: at most {MAX_BYTES:,} bytes are read", path=path)
        converted = _converted(data, path, reading)
        text = decode(data) if converted is None else converted.text
    except UnreadableFile as error:
        raise BadInput(error.message, path=path, line=error.line, hint=error.hint) from None
    except OSError as error:
        raise Refused(f"{name}: {error.strerror}") from error
    # A folder outside the root says where somebody keeps files, not what they are about.
    folders = () if is_outside(path) else tuple(part for part in path.split("/")[:-1] if part)
    base = os.path.basename(path)
    hashed = digest(data)
    source = origin_of(path, base, hashed)
    whole = Text(path, source, text, hashed, folders[-1:])
    if converted is None:
        return Source("file", path, source, _unpacked(whole, base))
    whole = whole._replace(title=converted.title, date=converted.date, language="markdown")
    return Source("file", path, source, (whole,))


def _unpacked(whole: Text, name: str) -> tuple[Text, ...]:
    """The texts in a file of plain text: those of an export, or the file as one note."""
    exported = texts(whole.text)
    if not exported:
        return (_note(whole, name),)
    return tuple(
        Text(
            f"{whole.path}#{one.id}",
            origin_of(
                whole.path, name, digest(one.text.encode("utf-8", "replace")), " ".join(one.id.split())
            ),
            one.text,
            whole.digest,
            whole.folders,
            one.title,
            one.date,
            "markdown",
        )
        for one in exported
    )


class _Converted(NamedTuple):
    """A document of another program as Markdown, with the title and day that it states."""

    text: str
    title: str | None
    date: str | None = None


def _converted(data: bytes, path: str, reading: Reading) -> _Converted | None:
    """A document of another program; None for plain text.

    Raises:
        Refused: it is of a kind that cannot be read, or what reads it is not installed.
    """
    kind = kind_of(data)
    if not kind:
        return None
    from memgit.web.document import CONVERTERS
    from memgit.web.sandbox import convert_within, extract_within

    seconds = float(reading.web.get("timeout", CONVERT_SECONDS))
    try:
        if kind == "HTML":
            title, day, text = extract_within(data.decode("utf-8", "replace"), "", seconds)
            if text.strip():
                return _Converted(text, title, day)
            raise Refused("the page holds no text", hint="save it as text and ingest the file")
        if kind in CONVERTERS:
            title, text = convert_within(data, kind, seconds)
            if kind == "PowerPoint":
                text = _SLIDE.sub("", text)
            if kind == "PDF":
                text = without_furniture(text)
                title = title or title_of(text)
            return _Converted(text, title)
        raise Refused(
            f"{kind} files cannot be read as text", hint=f"convert it, to {', '.join(CONVERTERS)} or text"
        )
    except Refused as error:
        raise Refused(error.message, path=path, hint=error.hint) from None


def _full(name: str, reading: Reading) -> str:
    return os.path.abspath(os.path.join(reading.folder, name))


SOURCES: tuple[tuple[Callable[[str, Reading], bool], Callable[[Workspace, str, Reading], Source]], ...] = (
    (lambda name, _: name == "-", _stdin),
    (lambda name, _: _is_url(name), _url),
    (lambda name, reading: os.path.isdir(_full(name, reading)), _folder),
    (lambda name, reading: os.path.lexists(_full(name, reading)), _file),
)
"""What a source may be: how it is known, and how it is read. The first row that fits is the one."""

"""The configuration file `.memgit.yaml` at the knowledge root, and what a folder without one looks like."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.errors import BadInput, UnreadableFile
from memgit.formats.text import decode
from memgit.formats.yaml import read
from memgit.model import layout as layouts
from memgit.model.kinds import KINDS
from memgit.model.layout import Layout, Place
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgit.formats.yaml import Entry

NAME = ".memgit.yaml"
VERSION = "1"
"""The form of the file."""
INDEXES = {
    "committed": (
        "derived files are part of each commit: every clone and every branch has them right.",
        "Two branches that touch one of them conflict where no merge driver runs, as on a forge.",
    ),
    "trunk": (
        "derived files are committed on the default branch alone: by hooks, by sync, or by a job after each merge.",
        "Branches leave them as they are, so pull requests never conflict in them.",
    ),
    "local": (
        "derived files are in no commit: each clone writes its own, and git ignores them.",
        "Nothing conflicts; who reads the repository on the forge sees no index.",
    ),
}
"""Where derived files may belong, and what to say of each choice."""
FORM_NAMES = ("entries", "memgit", "adr", "vault", "mnema", "mnema-block")
BASES: dict[str, str] = {"memgit": "", "mem-skill": "", "vault": ".memory/", "mnema": ".mnema/", "notes": ""}
"""The layouts that a configuration may name, with the folder that each lies in unless `base` says another."""


_BRANCH = "._/-+@#"
"""What the name of a default branch may hold besides letters and digits: it is named in commands to type."""
MAX_STARS, MAX_DEEP = 3, 2
"""Asterisks in one name of a pattern, and `**/` in all of it: comparing takes a power of the length of a
name.
"""


SUBFOLDER = "kb"
"""Where a code repository keeps its knowledge root, unless a configuration at its top names another folder."""
RECALL_TOKENS = 1500
AGENTS = ("write", "propose")
LOGS = ("", "local")
KEYS = frozenset(
    """version layout base indexes default_branch notes kinds lint review agents root recall_tokens search site log
    old_log""".split()
)
"""The keys that mean something; others are left alone."""


class Config(NamedTuple):
    """What a knowledge root is: its layout, and whether derived files are committed.

    `found` says where it comes from: `file` for a configuration, `detected` for a workspace opened in place.
    `lint`, `review`, `search` and `site` are the text under these keys, as typed (see `app.check.settings`,
    `app.review.settings`, `app.read.engines`, `site.collect`). `old_log` names the logs of the time before memgit, each as `path@blob`.
    `recall_tokens` bounds what recall shows for a message; `agents` says whether agents `write`, or only `propose`
    on branches of their own. `root` is the folder under this one that is the knowledge root instead of it.
    `log` is `local` where each clone keeps a `log.md` (see `app.derived.log_file`).
    `default_branch` is the one with derived files where `indexes` is `trunk`; empty where git is to tell.
    `unknown` are keys that mean nothing, each with its line.
    """

    layout: Layout
    indexes: str = "committed"
    found: str = "file"
    lint: str = ""
    review: str = ""
    site: str = ""
    old_log: tuple[str, ...] = ()
    recall_tokens: int = RECALL_TOKENS
    agents: str = "write"
    root: str = ""
    search: str = ""
    default_branch: str = ""
    log: str = ""
    unknown: tuple[tuple[str, int], ...] = ()


def make_layout(name: str, base: str | None = None, notes: tuple[str, ...] | None = None) -> Layout:
    """A built-in layout by name; `notes` are the patterns of plain notes, `base` its folder."""
    folder = BASES[name] if base is None else base
    if name == "vault":
        made = layouts.vault(folder)
    elif name == "mnema":
        made = layouts.mnema(folder)
    elif name == "mem-skill":
        made = layouts.mem_skill(folder)
    elif name == "notes":
        return layouts.notes(notes or ("**/*.md",))
    else:
        made = layouts.memgit(notes if notes is not None else ("notes/**/*.md",))
        return made._replace(
            places=tuple(place._replace(folder=folder + place.folder) for place in made.places), base=folder
        )
    if notes:
        made = made._replace(
            places=made.places
            + tuple(place for place in layouts.memgit(notes).places if place.kind == "note")
        )
    return made


def parse(data: bytes) -> Config:
    """The configuration from the bytes of `.memgit.yaml`.

    Raises:
        BadInput: a value that memgit does not know; it names the file, the key and what would do.
    """
    plain = _plain(data)
    if plain is not None:
        return plain
    try:
        entries = read(decode(data).replace("\r\n", "\n").rstrip("\n") + "\n", inner="kinds", first_line=1)
    except UnreadableFile as error:
        raise BadInput(error.message, path=NAME, line=error.line, hint=error.hint) from None
    values = {key: entry.value for key, entry in entries.items()}
    version = _text(values, "version", VERSION)
    if version != VERSION:
        raise BadInput(
            f"version: {version!r} is not {VERSION}, the one that this memgit knows",
            path=NAME,
            line=entries["version"].start + 1,
            hint="a newer memgit may know it: upgrade memgit",
        )
    name = _text(values, "layout", "memgit")
    if name not in BASES:
        raise _bad("layout", f"{name!r} is not one of {', '.join(BASES)}")
    base = _text(values, "base", BASES[name])
    if base and not base.endswith("/"):
        base += "/"
    if base.startswith("/") or ".." in base.split("/"):
        raise _bad("base", "it must be a folder under the knowledge root")
    indexes = _text(values, "indexes", "committed")
    if indexes not in INDEXES:
        raise _bad("indexes", f"{indexes!r} is not one of {', '.join(INDEXES)}")
    notes = values.get("notes")
    patterns = (notes,) if isinstance(notes, str) else notes
    for pattern in patterns or ():
        _check_pattern("notes", pattern)
    made = make_layout(name, base, patterns)
    rows = entries["kinds"].inner if "kinds" in entries and values["kinds"] is not None else {}
    if rows is None:
        raise _bad("kinds", "it must be a mapping from kind to folder and pattern")
    own = [_place(kind, _row(kind, entry)) for kind, entry in rows.items()]
    replaced = {place.kind for place in own}
    lint = values.get("lint") or ""
    if not isinstance(lint, str) or (lint and entries["lint"].style != "map"):
        raise _bad("lint", "put select, ignore, severity and options under it, on lines of their own")
    review = values.get("review") or ""
    if not isinstance(review, str) or (review and entries["review"].style != "map"):
        raise _bad("review", "put fail, warn and conflicts under it, on lines of their own")
    site = values.get("site") or ""
    if not isinstance(site, str) or (site and entries["site"].style != "map"):
        raise _bad("site", "put title, url, exclude and archived under it, on lines of their own")
    search = values.get("search") or ""
    if not isinstance(search, str) or (search and entries["search"].style != "map"):
        raise _bad("search", "put engine and its options under it, on lines of their own")
    layout = made._replace(
        places=tuple(own) + tuple(place for place in made.places if place.kind not in replaced)
    )
    log = _text(values, "log", "")
    if log not in LOGS:
        raise _bad("log", f"{log!r} is not local")
    old = values.get("old_log")
    agents = _text(values, "agents", "write")
    if agents not in AGENTS:
        raise _bad("agents", f"{agents!r} is not one of {', '.join(AGENTS)}")
    branch = _text(values, "default_branch", "").removeprefix("refs/heads/")
    if branch.startswith("-") or not set(branch) <= {*_BRANCH} | {char for char in branch if char.isalnum()}:
        raise _bad("default_branch", f"{branch!r} is not a name of a branch")
    root = _text(values, "root", "").strip("/")
    if root.startswith(".") or ".." in root.split("/") or _text(values, "root", "").startswith("/"):
        raise _bad("root", "it must be a folder under this one")
    tokens = _text(values, "recall_tokens", str(RECALL_TOKENS))
    if not (tokens.isascii() and tokens.isdigit() and int(tokens[:9]) > 0):
        raise _bad("recall_tokens", "it must be a whole number above 0")
    return Config(
        layout,
        indexes,
        lint=lint,
        review=review,
        site=site,
        old_log=(old,) if isinstance(old, str) else old or (),
        recall_tokens=int(tokens[:9]),
        agents=agents,
        root=root,
        search=search,
        log=log,
        default_branch=branch,
        unknown=tuple((key, entry.start + 1) for key, entry in entries.items() if key not in KEYS),
    )


def _plain(data: bytes) -> Config | None:
    """A configuration as `init` writes it, without loading what reads YAML; None where there is more to it."""
    values: dict[bytes, str] = {}
    for line in data.split(b"\n"):
        key, colon, value = line.partition(b": ")
        if line and not line.startswith(b"#"):
            if not colon or key in values or not value.isascii():
                return None
            values[key] = value.decode("ascii")
    name, indexes = values.pop(b"layout", "memgit"), values.pop(b"indexes", "committed")
    branch, log = values.pop(b"default_branch", ""), values.pop(b"log", "")
    if (
        values.pop(b"version", VERSION) != VERSION
        or values
        or name not in BASES
        or indexes not in INDEXES
        or log not in LOGS
        or (branch and not branch.replace("-", "x").isalnum())
        or not data.isascii()
    ):
        return None
    return Config(make_layout(name), indexes, default_branch=branch, log=log)


def _row(kind: str, entry: Entry) -> Mapping[str, Value]:
    """One row under `kinds`, written in block form."""
    text = entry.value if isinstance(entry.value, str) else ""
    try:
        inner = read("row:\n" + "".join(f"  {line}\n" for line in text.split("\n")), inner="row")["row"].inner
    except UnreadableFile:
        inner = None
    if inner is None:
        raise _bad(f"kinds.{kind}", "put folder, pattern and form under it, on lines of their own")
    return {key: found.value for key, found in inner.items()}


def _place(kind: str, row: Mapping[str, Value]) -> Place:
    if kind not in KINDS:
        raise _bad("kinds", f"{kind!r} is not one of {', '.join(KINDS)}")
    folder = str(row.get("folder") or "")
    pattern = str(row.get("pattern") or "{key}.md")
    form = str(row.get("form") or ("entries" if KINDS[kind].stored == "entry" else "memgit"))
    if folder.startswith("/") or ".." in folder.split("/"):
        raise _bad(f"kinds.{kind}.folder", "it must be a folder under the knowledge root")
    _check_pattern(f"kinds.{kind}.pattern", pattern)
    if (
        form not in FORM_NAMES
        or (form == "entries") != (KINDS[kind].stored == "entry")
        or (form == "adr" and kind != "decision")
    ):
        raise _bad(f"kinds.{kind}.form", f"{form!r} does not store {kind} records")
    return Place(kind, folder if not folder or folder.endswith("/") else folder + "/", pattern, form)


def _check_pattern(key: str, pattern: str) -> None:
    """Raises where a pattern leads out of its folder, or is one that takes long to compare with a long name."""
    parts = pattern.split("/")
    if not pattern.endswith(".md") or pattern.startswith("/") or ".." in parts:
        raise _bad(key, f"{pattern!r}: it must end in .md and stay under its folder")
    if pattern.count("{key}") + pattern.count("{path}") > 1:
        raise _bad(key, f"{pattern!r}: a record has one key")
    if parts.count("**") > MAX_DEEP or any(part.count("*") > MAX_STARS for part in parts):
        raise _bad(
            key,
            f"{pattern!r}: at most {MAX_STARS} asterisks in a name and {MAX_DEEP} times **/ can be compared",
        )


def _text(values: Mapping[str, Value], key: str, default: str) -> str:
    value = values.get(key)
    if value is None:
        return default
    if not isinstance(value, str):
        raise _bad(key, "it must be a text")
    return value


def _bad(key: str, message: str) -> BadInput:
    return BadInput(f"{key}: {message}", path=NAME, hint="see docs/configuration.md")


def detect(has_folder: Callable[[str], bool], has_file: Callable[[str], bool]) -> Layout | None:
    """The layout of a workspace of one of the three systems, judged by its folders; None where it is none of
    them.

    The two callables answer for paths relative to the folder in question.
    """
    if has_folder(".memory/10-Memories") or has_file(".memory/memory-index.json"):
        return make_layout("vault")
    if has_file(".mnema/mnema.config.json") or any(
        has_folder(f".mnema/{name}") for name in ("memory", "backlog", "roadmap", "skills")
    ):
        return make_layout("mnema")
    for base in ("", "data/", ".self-improving/"):
        if any(
            has_file(f"{base}{folder}/_index.json") for folder in ("knowledge-base", "experience")
        ) or has_folder(f"{base}knowledge-base"):
            return make_layout("mem-skill", base)
    return None

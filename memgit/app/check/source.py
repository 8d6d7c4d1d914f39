"""The states that lint looks at: a commit, what is staged, a working tree; and lookups in them that do not
grow with their size.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property

from memgit import TYPE_CHECKING
from memgit.formats.codecs import parse_file
from memgit.git.history.history import touching
from memgit.git.objects.tree import FOLDER, LINK, SUBMODULE
from memgit.lint import facts as lint_facts
from memgit.lint.facts import FileFacts, RecordFacts
from memgit.lint.index import FileNames
from memgit.lint.page import Page
from memgit.model.link import Wikilink
from memgit.model.record import ParsedFile, Record

if TYPE_CHECKING:
    from memgit.app.workspace import Workspace
    from memgit.cache.records import Snapshot
    from memgit.git.objects.tree import Entry, Tree
    from memgit.git.repository import Repository
    from memgit.lint.alike.claims import Claim
    from memgit.lint.index import Peers
    from memgit.model.layout import Layout

REGULAR = 0o100644
MAX_VERSIONS = 50
"""So many versions of a broken derived file are looked through for the last good one."""
KEPT_BEFORE = 64
"""What so many files were before is kept in memory, see `lint.concern.FEW`."""
BATCH = 5_000
"""The facts of so many files are written to the cache at once, and held no longer."""
MAX_CANDIDATES = 8
"""So many records that share words with one are compared with it where not everything is looked at."""
MAX_BY_KEYWORD = 400
"""So many records of one keyword are looked at."""


class Edited:
    """A file that is not as the tree has it: its blob, or None where the bytes lie on disk."""

    __slots__ = ("mode", "oid")

    def __init__(self, mode: int, oid: str | None) -> None:
        self.mode = mode
        self.oid = oid


class TreeSource:
    """The files of a tree with some of them edited.

    Args:
        edits: path to what is there instead; None where nothing is.
        root: the folder on disk in which edited files without a blob lie.
        disk: whether unedited files are read from disk too, with the line ends that they have there.
    """

    def __init__(
        self,
        repo: Repository,
        tree: Tree,
        edits: Mapping[str, Edited | None],
        root: str | None = None,
        *,
        disk: bool = False,
        commit: str | None = None,
    ) -> None:
        self.tree = tree
        self._repo, self._edits, self._root, self._disk, self._commit = repo, edits, root, disk, commit

    def is_head(self) -> bool:
        """Whether it is a tree as it is, the one of the newest commit."""
        return not self._edits and self._commit is not None and self._commit == self._repo.head().commit

    @cached_property
    def _entries(self) -> dict[str, tuple[int, str | None]]:
        """Mode and blob of every path, once all of them are asked for."""
        found: dict[str, tuple[int, str | None]] = {}
        self._gather("", self.tree.oid, found)
        for path, edit in self._edits.items():
            if edit is None:
                found.pop(path, None)
            else:
                found[path] = (edit.mode, edit.oid)
        return found

    def _gather(self, prefix: str, oid: str, found: dict[str, tuple[int, str | None]]) -> None:
        """Everything below a folder:

        `Tree.walk` hands each path up through all folders above it, which takes twice as long.
        """
        for name, (mode, child) in self._repo.entries(oid).items():
            if mode == FOLDER:
                self._gather(f"{prefix}{name}/", child, found)
            else:
                found[prefix + name] = (mode, child)

    def paths(self) -> Iterable[str]:
        return sorted(self._entries)

    def entry(self, path: str) -> tuple[int, str | None] | None:
        """Mode and blob of a path; the blob is None where only the disk has it."""
        if "_entries" in self.__dict__:
            return self._entries.get(path)
        if path in self._edits:
            edit = self._edits[path]
            return None if edit is None else (edit.mode, edit.oid)
        entry = self.tree.get(path)
        return None if entry is None or entry.mode == FOLDER else (entry.mode, entry.oid)

    def mode(self, path: str) -> int | None:
        found = self.entry(path)
        return None if found is None else found[0]

    def data(self, path: str) -> bytes | None:
        found = self.entry(path)
        if found is None or found[0] in (LINK, SUBMODULE):
            return None
        if self._root is not None and (self._disk or found[1] is None):
            data = read_plain(self._root, path)
            if data is not None or found[1] is None:
                return data
        return self._repo.blob(found[1]) if found[1] is not None else None

    def names(self, folder: str) -> Sequence[str]:
        found = {name for name, mode, _ in self.tree.list(folder) if mode != FOLDER}
        for path, edit in self._edits.items():
            parent, slash, name = path.rpartition("/")
            if parent + slash == folder:
                (found.discard if edit is None else found.add)(name)
        return sorted(found)

    def folders(self, folder: str) -> Sequence[str]:
        found = {name for name, mode, _ in self.tree.list(folder) if mode == FOLDER}
        size = len(folder)
        touched: dict[str, bool] = {}
        for path, edit in self._edits.items():
            if path.startswith(folder) and "/" in path[size:]:
                name = path[size:].split("/")[0]
                touched[name] = touched.get(name, False) or edit is not None
        for name, alive in touched.items():
            if alive:
                found.add(name)
            elif name in found and not self._alive(f"{folder}{name}/"):
                found.discard(name)
        return sorted(found)

    def _alive(self, folder: str) -> bool:
        """Whether a folder of which files are gone still holds one."""
        return any(self._edits.get(path, path) is not None for path, _, _ in self.tree.walk(folder))

    def last_good(self, path: str, is_good: Callable[[bytes], bool]) -> bytes | None:
        """The newest version of a file in history that is good."""
        if self._commit is None:
            return None
        for commit in touching(self._repo, self._commit, [path], MAX_VERSIONS):
            data = self._repo.tree(commit).data(path)
            if data is not None and is_good(data):
                return data
        return None


class FolderSource:
    """The files of a folder that lies in no repository; links are never followed."""

    def __init__(self, root: str) -> None:
        self._root = root

    @cached_property
    def _modes(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for folder, folders, names in os.walk(self._root):
            folders[:] = sorted(name for name in folders if name != ".git")
            prefix = os.path.relpath(folder, self._root).replace(os.sep, "/") + "/"
            for name in names:
                found[prefix.removeprefix("./") + name] = disk_mode(os.path.join(folder, name)) or REGULAR
        return dict(sorted(found.items()))

    def paths(self) -> Iterable[str]:
        return list(self._modes)

    def mode(self, path: str) -> int | None:
        return self._modes.get(path)

    def data(self, path: str) -> bytes | None:
        return read_plain(self._root, path)

    def names(self, folder: str) -> Sequence[str]:
        size = len(folder)
        return [path[size:] for path in self._modes if path.startswith(folder) and "/" not in path[size:]]

    def folders(self, folder: str) -> Sequence[str]:
        size = len(folder)
        return sorted(
            {
                path[size:].split("/")[0]
                for path in self._modes
                if path.startswith(folder) and "/" in path[size:]
            }
        )


def disk_mode(full: str) -> int | None:
    """Git's mode of what lies at an absolute path; None where nothing does, or something that git does not
    keep.
    """
    try:
        mode = os.lstat(full).st_mode
    except OSError:
        return None
    if stat.S_ISLNK(mode):
        return LINK
    if stat.S_ISDIR(mode):
        return SUBMODULE if os.path.lexists(os.path.join(full, ".git")) else None
    return REGULAR if stat.S_ISREG(mode) else None


def read_plain(root: str, path: str) -> bytes | None:
    """The bytes of a regular file that no link leads to; None where there is none or it cannot be read."""
    full = root
    for part in path.split("/"):
        full = os.path.join(full, part)
        if os.path.islink(full):
            return None
    try:
        with open(full, "rb") as file:
            return file.read()
    except OSError:
        return None


class TreeBefore:
    """What files were in a tree, for rules that compare."""

    def __init__(self, layout: Layout, tree: Tree, paths: Collection[str]) -> None:
        self._layout, self._tree, self._paths = layout, tree, paths
        self._parsed: dict[str, ParsedFile] = {}

    def paths(self) -> Collection[str]:
        return self._paths

    def parsed(self, path: str) -> ParsedFile:
        found = self._parsed.get(path)
        if found is None:
            data = self._tree.data(path) if self._layout.find(path) is not None else None
            found = parse_file(self._layout, path, data)
            # of a few files; a run over everything asks for each but once or twice
            if len(self._parsed) < KEPT_BEFORE:
                self._parsed[path] = found
        return found


class CachedIndex:
    """Lookups by the cache: what one record costs does not grow with the number of the others.

    What is alike is asked of full-text search: the few records that share most words with the one at hand are
    compared with it. A run over everything finds more.
    """

    def __init__(self, layout: Layout, snapshot: Snapshot, source: TreeSource) -> None:
        self._layout, self._snapshot, self._source = layout, snapshot, source
        self._near: dict[tuple[str, int], list[RecordFacts]] = {}
        self.peers: Peers | None = self

    def resolve(self, link: Wikilink, origin: str | None) -> Sequence[Record]:
        return self._snapshot.named(link, origin)

    # Only a link that no record answers to asks for files, so what this costs is paid for a finding, or for
    # the link to an image.

    @cached_property
    def _file_names(self) -> FileNames:
        return FileNames(self._source.paths)

    def files(self, name: str) -> Sequence[str]:
        return self._file_names.files(name)

    def spelled(self, name: str) -> str | None:
        return self._file_names.spelled(name)

    def called(self, text: str) -> Iterable[Record]:
        from memgit.cache.rows import FROM_WORDS
        from memgit.cache.tokens import phrase

        yield from self._snapshot.lookup(text)
        term = phrase(text)
        if term.words:
            sql = f"select {{head}} {FROM_WORDS} where words match ? and {{visible}} limit {MAX_BY_KEYWORD}"
            yield from self._snapshot.heads(sql, [f"{{title}} : {term.match}"])

    def holders(self, id_: str) -> Sequence[Record]:
        from memgit.cache.rows import FROM_RECORDS

        return self._snapshot.heads(
            f"select {{head}} {FROM_RECORDS} where record.id = ? and {{visible}}", [id_]
        )

    def mentioning(self, names: Sequence[str]) -> Iterable[str]:
        # Asked only where a change took something away. Pages beside the records (README.md, INDEX.md) are
        # not in the cache; they are few.
        yield from self._snapshot.holding(names)
        wanted = [name.encode("utf-8", "surrogateescape") for name in names]
        for path in self._source.paths():
            if (
                path.endswith(".md")
                and path.startswith(self._layout.base)
                and self._layout.find(path) is None
            ):
                data = self._source.data(path)
                if data is not None and any(name in data for name in wanted):
                    yield path

    def keyword_peers(self, facts: RecordFacts, share: float) -> Iterable[RecordFacts]:
        return self._by_keywords(facts, MAX_BY_KEYWORD)

    def linked_keywords(self, facts: RecordFacts, crowd: int) -> Iterable[RecordFacts]:
        return self._by_keywords(facts, crowd)

    def _by_keywords(self, facts: RecordFacts, most: int) -> Iterable[RecordFacts]:
        """Records with a keyword that at most so many have, without their text."""
        here = (facts.record.path, facts.record.ordinal)
        seen: dict[tuple[str, int], RecordFacts] = {}
        for keyword in sorted(facts.keywords):
            found = [light(record) for record in self._snapshot.records(topic=keyword)]
            having = [one for one in found if keyword in one.keywords]
            if len(having) <= most:
                seen.update(((one.record.path, one.record.ordinal), one) for one in having)
        seen.pop(here, None)
        return seen.values()

    def title_peers(self, facts: RecordFacts) -> Iterable[RecordFacts]:
        return self._like(facts)

    def text_peers(self, facts: RecordFacts) -> Iterable[RecordFacts]:
        return self._like(facts)

    def claim_peers(self, facts: RecordFacts, claim: Claim) -> Iterable[tuple[RecordFacts, Claim]]:
        return ((other, theirs) for other in self._like(facts) for theirs in other.claims)

    def _like(self, facts: RecordFacts) -> list[RecordFacts]:
        """The few records that share most words with one."""
        from memgit.cache.search import Query, search

        here = (facts.record.path, facts.record.ordinal)
        found = self._near.get(here)
        if found is None:
            words = " ".join([facts.record.title, *facts.record.keywords])
            hits = search(self._snapshot, Query(words, (), limit=MAX_CANDIDATES + 1))
            others = [hit.record for hit in hits if (hit.record.path, hit.record.ordinal) != here]
            found = self._near[here] = [
                full for record in others[:MAX_CANDIDATES] if (full := self._full(record)) is not None
            ]
        return found

    def _full(self, record: Record) -> RecordFacts | None:
        """The facts of one record, without working out those of the others in its file."""
        data = self._source.data(record.path)
        if data is None:
            return None
        page = Page(self._layout, record.path, data, REGULAR, parse_file(self._layout, record.path, data))
        held = page.parsed.records
        return lint_facts.unlinked(page, held[record.ordinal]) if record.ordinal < len(held) else None


def light(record: Record) -> RecordFacts:
    """The facts that the head of a record gives: title and keywords, nothing of its text."""
    from memgit.lint.alike import likeness

    return RecordFacts(
        record,
        0,
        (),
        tuple(likeness.content(likeness.words(record.title))),
        lint_facts.folded(record.keywords),
        (),
        0,
        (),
    )


class Kept:
    """Facts that the cache kept, by path and blob; new ones are gathered until `save`."""

    def __init__(self, workspace: Workspace, source: TreeSource, made: str) -> None:
        self._cache, self._source, self._made = workspace.cache, source, made
        self._new: dict[tuple[str, str], bytes] = {}
        self._present: set[tuple[str, str]] = set()

    @cached_property
    def _known(self) -> dict[tuple[str, str], bytes]:
        if self._cache is None:
            return {}
        from memgit.cache.facts import LINT, load

        return load(self._cache, LINT, self._made)

    def _key(self, path: str) -> tuple[str, str] | None:
        found = self._source.entry(path)
        return (
            None if found is None or found[1] is None or found[0] in (LINK, SUBMODULE) else (path, found[1])
        )

    def get(self, path: str) -> FileFacts | None:
        key = self._key(path)
        if key is None:
            return None
        self._present.add(key)
        data = self._known.pop(key, None)  # asked for once: whoever reads the facts of all files keeps them
        return None if data is None else lint_facts.load(data)

    def put(self, path: str, facts: FileFacts) -> FileFacts:
        key = self._key(path)
        if key is None:
            return facts
        data = self._new[key] = lint_facts.dump(facts)
        if len(self._new) >= BATCH:
            self._write(None)
        return lint_facts.load(data) or facts  # words that many files have are then one text

    def save(self) -> None:
        """Writes what is new to the cache."""
        if self._new:
            self._write(self._present)

    def _write(self, present: set[tuple[str, str]] | None) -> None:
        if self._cache is not None:
            from memgit.cache.facts import LINT, keep

            keep(self._cache, LINT, self._made, self._new, present)
        self._new.clear()


def staged_edits(found: Mapping[str, Entry | None]) -> dict[str, Edited | None]:
    """What is staged, as edits of the newest commit."""
    return {path: None if entry is None else Edited(entry.mode, entry.oid) for path, entry in found.items()}

"""One git repository: where it is, what HEAD is, its objects and its configuration.

Opening starts no process. Working trees, linked worktrees, submodules, separate git directories and bare
repositories are found as git finds them; the variables that git gives a hook count where they are about this
very repository and are ignored where they are not.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from itertools import chain

from memgit import TYPE_CHECKING
from memgit.errors import BadInput, Broken, NotFound, Refused
from memgit.git import process
from memgit.git.config import Config
from memgit.git.objects import libgit
from memgit.git.objects.cat_file import READ, answers
from memgit.git.objects.objects import Objects, hash_of
from memgit.git.objects.tree import EMPTY_TREE, Tree, TreeEntries, parse_tree
from memgit.git.permissions import shared
from memgit.model.namedtuple import NamedTuple
from memgit.model.printable import readable
from memgit.model.when import moment

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from pygit2._pygit2 import Repository as RawRepository

    from memgit.git.objects.tree import Delta
from memgit.git.discovery import (
    common_dir_of,
    discover,
    is_inside,
    open_found,
    same_place,
    set_worktree,
    top_of,
)
from memgit.git.objects.batches import batched, is_much

_KEPT_TREES = 4096  # parsed trees kept in memory


_MAX_TAG_DEPTH = 5  # that may stand for each other


_OPERATIONS = (
    ("rebase-merge", "rebase"),
    ("rebase-apply/applying", "am"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
)


class Head(NamedTuple):
    """Where HEAD is: the branch's full name (None: detached) and the commit (None: unborn)."""

    ref: str | None
    commit: str | None


class Repository:
    """An open repository.

    Attributes:
        raw: the repository as libgit2 sees it.
        git_dir: absolute path of the git directory; in a linked worktree its own, below `common_dir`.
        common_dir: absolute path of the git directory that all worktrees share.
        worktree: absolute path of the working tree's top folder, None in a bare repository.
        index_file: absolute path of the index in use.
        prefix: the knowledge root inside the working tree, empty or ending in a slash.
        env: the environment the repository was opened with.
        lock_handle: file handle of memgit's lock while this process holds it.
        variables: what tells a git process that it is about this repository.
    """

    def __init__(
        self,
        raw: RawRepository,
        *,
        git_dir: str,
        worktree: str | None,
        index_file: str | None,
        env: Mapping[str, str],
    ) -> None:
        self.raw = raw
        self.git_dir = git_dir
        self.common_dir = common_dir_of(git_dir)
        self.worktree = worktree
        self.index_file = index_file or f"{git_dir}/index"
        self.prefix = ""
        self.env = env
        self.variables = {"GIT_DIR": git_dir}
        if worktree is not None:
            self.variables["GIT_WORK_TREE"] = worktree
        if index_file is not None:
            self.variables["GIT_INDEX_FILE"] = index_file
        self.lock_handle: int | None = None
        self._config: Config | None = None
        self._trees: dict[str, TreeEntries] = {}
        self._compared: tuple[tuple[str | None, str | None, str], list[Delta]] | None = None  # asked for last
        self._objects = Objects(self.common_dir, raw.odb)

    @classmethod
    def open(cls, start: str, env: Mapping[str, str]) -> Repository:
        """The repository that holds a folder.

        Args:
            start: a folder; relative ones count from the current directory, as do relative paths in `env`.
            env: the environment, for GIT_DIR, GIT_INDEX_FILE, GIT_CEILING_DIRECTORIES and for the git
                processes to come.

        Raises:
            NotFound: no repository there or above, or no such folder.
            Refused: the repository is another user's, or has a format that memgit cannot read.
        """
        start = os.path.abspath(start)
        if not os.path.isdir(start):
            raise NotFound(f"{start} is not a folder")
        found = discover(start, env)
        named = env.get("GIT_DIR")
        theirs = os.path.abspath(named) if named else None
        if theirs is not None and not (found and same_place(found, theirs)):
            if found is None and is_inside(start, env.get("GIT_WORK_TREE") or set_worktree(theirs, env)):
                found = theirs
            else:
                theirs = None
        if found is None:
            raise NotFound(f"no git repository in {start} or above", hint=f"memgit init '{start}'")
        top = top_of(start, found)
        raw = open_found(top or found, start, env)
        git_dir = os.path.abspath(raw.path or found)
        worktree = None if raw.is_bare or raw.workdir is None else os.path.abspath(raw.workdir)
        index_file = None
        if theirs is not None or (
            not named and env.get("GIT_INDEX_FILE") and same_place(discover(os.getcwd(), env), found)
        ):
            if theirs is not None and env.get("GIT_WORK_TREE"):
                worktree = os.path.abspath(env["GIT_WORK_TREE"])
            index = env.get("GIT_INDEX_FILE")
            if index:
                index_file = os.path.join(worktree or git_dir, index)
                if same_place(index_file, f"{git_dir}/index"):
                    index_file = None
        repo = cls(raw, git_dir=git_dir, worktree=worktree, index_file=index_file, env=env)
        if theirs is not None:
            repo._take_object_folders()
        return repo

    def at(self, prefix: str) -> Repository:
        """This repository once more, with another folder as its knowledge root; what is known of its objects
        is shared, no lock is.
        """
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, lock_handle=None)
        return other.at_prefix(prefix)

    def with_index(self, path: str) -> Repository:
        """This repository with another file as its index."""
        other = self.at(self.prefix)
        other.index_file, other.variables = path, {**self.variables, "GIT_INDEX_FILE": path}
        return other

    def _take_object_folders(self) -> None:
        """Objects that a push has brought but git has not yet let in (`githooks(5)`, pre-receive) are
        readable to its hooks.
        """
        for name in ("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH"):
            value = self.env.get(name)
            if value:
                self.variables[name] = value
        folders = [
            self.env.get("GIT_OBJECT_DIRECTORY", ""),
            *self.env.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", "").split(os.pathsep),
        ]
        for folder in folders:
            if folder and not folder.startswith('"') and os.path.isdir(folder):
                self.raw.odb.add_disk_alternate(os.path.abspath(folder))

    @property
    def hardened(self) -> bool:
        """Whether what is written to the git directory is to be forced to the disk."""
        return bool(self.settings.get("core.fsync")) or self.settings.truth("core.fsyncobjectfiles")

    @property
    def bare(self) -> bool:
        """Whether the repository has no working tree."""
        return self.worktree is None

    @property
    def root(self) -> str:
        """Absolute path of the knowledge root. Not for bare repositories."""
        if self.worktree is None:
            raise Refused("this repository is bare: it has no working tree")
        return os.path.join(self.worktree, self.prefix).rstrip("/") or "/"

    def at_root(self, root: str) -> Repository:
        """Makes a folder of the working tree the knowledge root, and returns the repository.

        Raises:
            Refused: the folder is not inside the working tree.
        """
        if self.worktree is None:
            raise Refused("this repository is bare: it has no working tree")
        top = os.path.realpath(self.worktree)
        folder = os.path.realpath(root)
        if folder != top and not folder.startswith(top.rstrip("/") + "/"):
            raise Refused(f"{root} is not inside the working tree {self.worktree}")
        inside = os.fsencode(folder[len(top) :].strip("/")).decode("utf-8", "surrogateescape")
        return self.at_prefix(inside)

    def at_prefix(self, prefix: str) -> Repository:
        """As `at_root`, by the folder's path inside the repository; works in a bare repository too."""
        prefix = prefix.strip("/")
        self.prefix = f"{prefix}/" if prefix else ""
        return self

    def git(
        self, *args: str | bytes, data: bytes | None = None, write: bool = False, timeout: float | None = 120
    ) -> bytes:
        """Standard output of one git command in this repository; see `process.run`."""
        return process.run(args, repo=self, data=data, write=write, timeout=timeout)

    # References

    @property
    def headless(self) -> bool:
        """Whether HEAD itself is damaged: it names neither a branch nor a commit, and git finds no repository."""
        try:
            self.raw.lookup_reference("HEAD")
        except libgit.FAILURES:
            return True
        return False

    def head(self) -> Head:
        """Where HEAD is at this moment."""
        try:
            head = self.raw.lookup_reference("HEAD")
            target = head.raw_target
            if not isinstance(target, bytes):
                return Head(None, str(target))
            ref = target.decode("utf-8", "surrogateescape")
        except libgit.FAILURES as error:
            raise Refused(f"HEAD cannot be read: {error}", hint="git fsck") from None
        return Head(ref, self.ref(ref))

    def ref(self, name: str) -> str | None:
        """The commit that a full ref name stands for, or None where there is no such ref.

        Raises:
            Refused: the ref is broken.
        """
        try:
            found = self.raw.lookup_reference(name)
            for _ in range(5):
                if not isinstance(found.raw_target, bytes):
                    return str(found.raw_target)
                found = self.raw.lookup_reference(os.fsdecode(found.raw_target))
        except KeyError:
            return None
        except libgit.FAILURES as error:
            shown = readable(name)
            raise Refused(f"{shown} cannot be read: {error}", hint="git fsck") from None
        raise Refused(f"{name} is a chain of symbolic refs without end")

    def refs(self, prefix: str) -> dict[str, str]:
        """All refs whose full name starts with `prefix`, with the objects that they name, sorted."""
        found: dict[str, str] = {}
        for name in self.raw.raw_listall_references():
            text = name.decode("utf-8", "surrogateescape")
            if text.startswith(prefix):
                commit = self.ref(text)
                if commit is not None:
                    found[text] = commit
        return dict(sorted(found.items()))

    def resolve(self, rev: str) -> str:
        """The full hash of the commit that a revision names, in any spelling that git knows; else of the last
        commit up to a day or a time: `2026-02-01`, `2026-02-01 14:00`, `yesterday`, `2 weeks ago`.

        Raises:
            NotFound: there is none.
        """
        if rev == "HEAD":
            commit = self.head().commit
            if commit is not None:
                return commit
            raise NotFound("HEAD has no commit yet")
        oid = rev.lower()
        if len(rev) != 40 or self._peeled(oid) != oid:
            done = process.attempt(["rev-parse", "--verify", "--quiet", "--end-of-options", rev], repo=self)
            oid = done.out.decode("ascii", "replace").strip()
        commit = self._peeled(oid) or self._dated(rev.strip())
        if commit is None:
            raise NotFound(
                f"no commit is named {rev!r}", hint="a commit, branch, tag, day (2026-02-01) or '2 weeks ago'"
            )
        return commit

    def _dated(self, text: str) -> str | None:
        """The last commit of HEAD's history up to a time, by the committer's clock; a day counts to its end.

        Raises:
            NotFound: all commits are later.
        """
        if text.isdigit() or self.head().commit is None:  # what is all digits was meant for a hash
            return None
        try:
            until = moment(text, int(time.time()), first=False)
        except BadInput:
            return None
        option = f"--before={until} 23:59:59" if isinstance(until, str) else f"--min-age={until}"
        done = process.attempt(["rev-list", "-1", option, "HEAD", "--"], repo=self)
        oid = done.out.decode("ascii", "replace").strip()
        if not oid:
            raise NotFound(f"no commit is as old as {text!r}")
        return self._peeled(oid)

    def _peeled(self, oid: str) -> str | None:
        """The commit that an object is, or that a tag stands for. Raises Broken where that is damaged."""
        for _ in range(_MAX_TAG_DEPTH):
            loose = self.read_loose(oid)
            if loose is None:
                break
            if loose[0] != libgit.TAG:
                return oid if loose[0] == libgit.COMMIT else None
            oid = loose[1][7:47].decode("ascii", "replace")  # "object ...", the first line
        try:
            found = self.raw.git_object_lookup_prefix(oid)
            return None if found is None else str(found.peel(libgit.COMMIT).id)  # type: ignore[call-overload]
        except libgit.FAILURES:
            return None

    def is_ancestor(self, old: str, new: str) -> bool:
        """Whether commit `old` is `new` or can be reached from it."""
        if old == new:
            return True
        try:
            return bool(self.raw.descendant_of(new, old))
        except libgit.FAILURES:
            return False

    # Objects

    def read(self, oid: str) -> tuple[int, bytes]:
        """Type (as in `libgit`) and content of one object.

        Raises:
            Broken: it is damaged, or not in the repository, nor to be had from where a partial clone came
                from.
        """
        try:
            return self._objects.read(oid)
        except libgit.FAILURES as error:
            if self.partial():
                done = process.attempt(
                    ["cat-file", "--batch"], repo=self, data=oid.encode() + b"\n", timeout=None
                )
                for _, name, fetched in answers([done.out]):
                    if fetched is not None:
                        return libgit.KINDS[name], fetched
            raise Broken(f"object {oid} is missing or broken: {error}", hint="git fsck") from None

    def read_loose(self, oid: str) -> tuple[int, bytes] | None:
        """As `read`, of an object that has a file of its own; None where it has none.

        For who reads by libgit2 itself, which never comes to the end of a file that was cut off.
        """
        return self._objects.loose(oid)

    def blob(self, oid: str) -> bytes:
        """Content of a blob. Raises NotFound where it is missing or not a blob."""
        kind, data = self.read(oid)
        if kind != libgit.BLOB:
            raise NotFound(f"object {oid} is not a file")
        return data

    def blobs(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Many blobs in the order asked for, through one git process; missing ones are left out."""
        requests = (f"{oid}\n".encode() for oid in oids)
        for oid, kind, data in answers(
            process.stream([*READ, "--buffer"], repo=self, data=batched(requests))
        ):
            if data is not None and kind == b"blob":
                yield oid, data

    def write_blob(self, data: bytes) -> str:
        """Writes a blob and returns its hash; nothing is written where it is there already."""
        return self.write(libgit.BLOB, data)

    def write_blobs(self, contents: Collection[bytes]) -> None:
        """Writes many blobs; a large number, or much, goes into one pack: several times faster than one file
        each, and smaller.
        """
        if not is_much(contents):
            for data in contents:
                self.write_blob(data)
            return
        lines = (b"".join((b"blob\ndata %d\n" % len(data), data, b"\n")) for data in contents)
        with shared(self.settings):
            args = ["-c", "fastimport.unpackLimit=1", "fast-import", "--quiet", "--done"]
            for _ in process.stream(args, repo=self, data=chain(batched(lines), [b"done\n"])):
                pass

    def write(self, kind: int, data: bytes) -> str:
        """Writes an object of a type (as in `libgit`) and returns its hash.

        Raises:
            Broken: it is there, but damaged.
            Refused: the disk is full, or the object folder cannot be written.
        """
        with self._writing():
            if not self.hardened:
                return self._objects.write(kind, data)
            oid = hash_of(libgit.NAMES[kind], data)
            return oid if self._objects.has_file(oid) else str(self.raw.odb.write(kind, data))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """While this holds, objects are written; what goes wrong is said in words."""
        try:
            with shared(self.settings):
                yield
        except OSError as error:
            raise Refused(
                f"git's object folder {self.common_dir}/objects cannot be written: {error.strerror}"
            ) from None
        except libgit.FAILURES as error:
            raise Refused(
                f"git's object folder {self.common_dir}/objects cannot be written: {error}"
            ) from None

    def restore_written(self) -> bool:
        """Sees to it that what was written is there, before a ref leads to it; see `Objects.restore`.

        Raises Refused as `write` does.
        """
        with self._writing():
            return self._objects.restore()

    @property
    def written(self) -> Mapping[str, tuple[int, bytes]]:
        """Type and content of what was written and no ref leads to as yet, by hash."""
        return self._objects.written

    def forget_written(self) -> None:
        """To be called once a ref leads to what was written: from now on, git keeps it."""
        self._objects.forget_written()

    @staticmethod
    def hash_blob(data: bytes) -> str:
        """The hash that a blob of this content has, without writing it."""
        return hash_of(b"blob", data)

    def tree_of(self, commit: str) -> str:
        """The hash of a commit's tree."""
        kind, data = self.read(commit)
        if kind != libgit.COMMIT or not data.startswith(b"tree "):
            raise NotFound(f"object {commit} is not a commit")
        return data[5:45].decode("ascii")

    def parents_of(self, commit: str) -> list[str]:
        """The hashes of a commit's parents, as written in it."""
        kind, data = self.read(commit)
        if kind != libgit.COMMIT:
            raise NotFound(f"object {commit} is not a commit")
        lines = data.partition(b"\n\n")[0].split(b"\n")
        return [line[7:].decode("ascii") for line in lines if line.startswith(b"parent ")]

    def message_of(self, commit: str) -> str:
        """The message of a commit; other encodings than UTF-8 are decoded as the commit says."""
        kind, data = self.read(commit)
        if kind != libgit.COMMIT:
            raise NotFound(f"object {commit} is not a commit")
        head, _, message = data.partition(b"\n\n")
        encoding = next(
            (
                line[9:].decode("ascii", "replace")
                for line in head.split(b"\n")
                if line.startswith(b"encoding ")
            ),
            "utf-8",
        )
        try:
            return message.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            return message.decode("utf-8", "replace")

    def tree(self, commit: str | None) -> Tree:
        """The tree of a commit, rooted at the knowledge root; None gives the empty tree.

        Where the root does not exist in that commit, the tree is empty.
        """
        if commit is None:
            return Tree(self, None)
        return self.subtree(self.tree_of(commit))

    def compare(self, old: str | None, new: str | None) -> list[Delta]:
        """What differs between two commits (None: the empty tree) below the knowledge root, by path; not to
        be changed, for the last answer is kept.

        Raises:
            NotFound: one of the commits is not there.
        """
        asked = (old, new, self.prefix)
        if self._compared is None or self._compared[0] != asked:
            self._compared = asked, self.tree(old).changes(self.tree(new))
        return self._compared[1]

    def subtree(self, tree: str) -> Tree:
        """As `tree`, from the hash of a whole tree."""
        top = Tree(self, tree)
        if not self.prefix:
            return top
        entry = top.get(self.prefix.rstrip("/"))
        return Tree(self, entry.oid if entry is not None and entry.is_tree else None)

    def entries(self, tree: str) -> TreeEntries:
        """The entries of one tree object, by name; kept in memory, so not to be changed."""
        found = self._trees.get(tree)
        if found is None:
            if tree == EMPTY_TREE:
                return {}
            kind, data = self.read(tree)
            if kind != libgit.TREE:
                raise NotFound(f"object {tree} is not a folder")
            if len(self._trees) >= _KEPT_TREES:
                self._trees.clear()
            found = self._trees[tree] = parse_tree(data)
        return found

    # State and configuration

    @property
    def settings(self) -> Config:
        """The configuration, read once with one `git config -l -z`."""
        if self._config is None:
            self._config = Config(self.git("config", "--list", "-z"))
        return self._config

    @property
    def config(self) -> Mapping[str, str]:
        """The configuration: lower-cased keys (a subsection keeps its case), the last value wins."""
        return self.settings.last

    def in_progress(self) -> str | None:
        """The operation that git has under way: merge, rebase, cherry-pick, revert, am or bisect."""
        for name, operation in _OPERATIONS:
            if os.path.lexists(f"{self.git_dir}/{name}"):
                return operation
        if os.path.exists(f"{self.git_dir}/sequencer/todo"):
            try:
                with open(f"{self.git_dir}/sequencer/todo", "rb") as file:
                    return "revert" if file.read(6) == b"revert" else "cherry-pick"
            except OSError:
                return "cherry-pick"
        return None

    def shallow(self) -> bool:
        """Whether history ends early because of `clone --depth`."""
        try:
            return os.path.getsize(f"{self.common_dir}/shallow") > 0
        except OSError:
            return False

    def partial(self) -> bool:
        """Whether some objects were left out by `clone --filter`."""
        return self.settings.partial()

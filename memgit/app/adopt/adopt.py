"""Adopting what people already have: a workspace of another system, or any folder of Markdown, becomes a
knowledge root in place.

First it is only looked at (`look`): what it is, what a reader finds in it, where indexes and files disagree.
Then (`adopt`) the configuration and the merge attributes are written, in one commit; no byte of a record
changes, and derived files stay as they are. A folder without a commit gets one before, which holds the user's
files exactly.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from memgit.adopt import settings, words
from memgit.adopt import skipped as left
from memgit.adopt.detect import beside, candidates, choose, without_project_files
from memgit.adopt.report import Report
from memgit.adopt.survey import Survey
from memgit.adopt.systems import SYSTEMS
from memgit.adopt.systems.markdown import OBSIDIAN
from memgit.adopt.systems.system import Candidate, Read
from memgit.app import config as configuration
from memgit.app.adopt.init import ATTRIBUTES, attributes, install_hooks
from memgit.app.read.reader import REGULAR
from memgit.app.workspace import Context, Workspace, detect_on_disk
from memgit.app.write.session import Plan, Session
from memgit.app.write.write import execute
from memgit.derive import is_derived
from memgit.errors import BadInput, NotFound, Refused, UnreadableFile
from memgit.formats.messages import message as messages
from memgit.git.commit import recovery
from memgit.git.commit.root_commit import first_commit, listed_in, need_author
from memgit.git.history.default_branch import default_branch
from memgit.git.objects.files import listed_files
from memgit.git.objects.tree import Tree
from memgit.git.repository import Repository
from memgit.git.setup import create_repository, set_up_driver
from memgit.git.worktree.filetrees import DiskTree
from memgit.git.worktree.status import dirty
from memgit.lint.words import plural
from memgit.model.layout import Layout

LINK = 0o120000
_BULK = 100
"""Files from which on one git process is asked for all of them."""


class Proposal(NamedTuple):
    """What adopting a folder would do; nothing has been written.

    Attributes:
        root: absolute path of the folder.
        repo: the repository that it lies in, None where it lies in none.
        layout: of the knowledge root that it is or becomes.
        adopted: it is a knowledge root already, and everything below is empty.
        found: what is adopted; `others` is what else is there.
        drifted: derived files that are not what the records give.
        first: where there is no commit yet, the files that the first one takes.
        remaining: files that stay out of that commit.
        uncommitted: files of the workspace that differ from the newest commit; they stay so.
        indexes: where derived files are to belong, one of `config.INDEXES`.
        notes: what to tell beside that.
    """

    root: str
    repo: Repository | None
    layout: Layout
    adopted: bool = False
    found: Candidate | None = None
    others: tuple[Candidate, ...] = ()
    report: Report | None = None
    drifted: tuple[str, ...] = ()
    first: tuple[str, ...] | None = None
    remaining: int = 0
    uncommitted: int = 0
    indexes: str = "committed"
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        found = self.found
        return {
            "root": self.root,
            "layout": self.layout.name,
            "found": None if found is None else found.as_json(),
            "others": [other.as_json() for other in self.others],
            "report": None if self.report is None else self.report.as_json(),
            "derived": list(self.drifted),
            "first": None if self.first is None else len(self.first),
            "remaining": self.remaining,
            "uncommitted": self.uncommitted,
        }

    def lines(self) -> Iterator[str]:
        """The proposal for a person."""
        if self.found is None or self.report is None:
            yield f"a knowledge root already (layout {self.layout.name})"
            return
        yield from words.detection(self.found, self.others)
        yield from words.lines(self.report, self.drifted)
        if self.first is not None:
            where = (
                "the repository has no commit"
                if self.repo is not None
                else "there is no git repository: one is made"
            )
            yield f"{where}; a first commit takes {plural(len(self.first), 'file')} as they are"
            if self.remaining:
                yield f"left out of it: {plural(self.remaining, 'other file')}"
        if self.uncommitted:
            count = plural(self.uncommitted, "file")
            yield f"not committed, and left so: {count} (memgit commit takes them in); the report is of HEAD"
        yield f"indexes: {self.indexes}; --indexes chooses another:"
        for name, told in configuration.INDEXES.items():
            yield from (f"  {name + ':' if not number else '':11}{line}" for number, line in enumerate(told))


class Adopted(NamedTuple):
    """What came of it: the commit that made the folder a knowledge root, None where it was one, and that of
    the files, if one was made.
    """

    proposal: Proposal
    commit: str | None
    first_commit: str | None = None
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        action = "no_op" if self.commit is None else "adopted"
        return {
            "op": "adopt",
            "action": action,
            "commit": self.commit,
            "first_commit": self.first_commit,
            **self.proposal.as_json(),
            "notes": list(self.notes),
        }


def look(
    folder: str, env: Mapping[str, str], wanted: str | None = None, indexes: str | None = None
) -> Proposal:
    """What adopting a folder would do.

    Args:
        wanted: a key of `SYSTEMS`, where the choice is not left to what stands out.
        indexes: one of `config.INDEXES`; by default `local` where Obsidian would show them as notes, else
            `committed`.

    Raises:
        NotFound: no such folder, or nothing in it to adopt.
        BadInput: several workspaces come into question; or it is a knowledge root of another layout.
        Refused: it is a bare repository, or another tool's files lie there.
    """
    if wanted is not None and wanted not in SYSTEMS:
        raise BadInput(f"{wanted!r} is not a system that can be adopted", hint=f"one of {', '.join(SYSTEMS)}")
    if not os.path.isdir(folder):
        raise NotFound(f"{folder}: no such folder")
    root = os.path.realpath(folder)
    repo = _repository(root, env)
    mended = recovery.mend(repo, recovery.WAIT) if repo is not None else ()
    if os.path.lexists(os.path.join(root, configuration.NAME)):
        found_root = _adopted(root, repo, wanted)
        return found_root._replace(notes=(*mended, *found_root.notes))
    commit = repo.head().commit if repo is not None else None
    state = _OfCommit(repo, commit) if repo is not None and commit is not None else _OnDisk(root, repo, env)
    found = candidates(state.paths, state.read, os.path.basename(root))
    chosen = choose(without_project_files(found, state.paths) if wanted is None else found, wanted)
    indexes = indexes or ("local" if chosen.words == OBSIDIAN else "committed")
    layout = configuration.parse(settings.configuration(chosen, indexes)).layout
    survey = Survey(layout, chosen)
    state.tell(survey)
    uncommitted = sum(_concerns(layout, path) for path in state.uncommitted)
    first = None
    remaining = 0
    if commit is None:
        taken = [path for path in state.plain if _belongs(path, layout, chosen)]
        first, remaining = tuple(taken), len(state.paths) - len(taken)
    return Proposal(
        root,
        repo,
        layout,
        False,
        chosen,
        beside(found, chosen),
        survey.report(),
        survey.drifted(),
        first,
        remaining,
        uncommitted,
        indexes,
        (
            *mended,
            *_hidden_from_git(root, found),
            *_roots_around(root, repo.worktree if repo is not None else None, state.paths),
        ),
    )


def adopt(proposal: Proposal, context: Context, *, hooks: bool = True) -> Adopted:
    """Makes a folder a knowledge root as proposed; one that is a root already stays as it is.

    Raises:
        Refused: git cannot make the repository or a commit; no file of the user's was changed.
    """
    found, report = proposal.found, proposal.report
    if found is None or report is None:
        return Adopted(proposal, None, notes=proposal.notes)
    repo = proposal.repo
    if repo is None:
        need_author(proposal.root, context.env)
        repo = create_repository(proposal.root, context.env)
    repo.at_root(proposal.root)
    first = None
    subject = (
        f"{found.words}{f' {found.version}' if found.version else ''} ({plural(report.records, 'record')})"
    )
    if proposal.first and repo.head().commit is None:
        text = messages.build(
            "adopt: the files as they were", "adopt", (), actor=context.actor, run=context.run
        )
        first = first_commit(repo, proposal.first, text)
    branch = default_branch(repo) if proposal.indexes == "trunk" else ""
    config = configuration.parse(settings.configuration(found, proposal.indexes, branch))
    workspace = Workspace(proposal.root, repo, config)

    apart: list[str] = []

    def plan(session: Session) -> Plan | None:
        apart.clear()
        overlay = session.overlay
        if overlay.data(configuration.NAME) is not None:
            return None  # somebody else was first
        entries = [(log.path, overlay.tree.get(log.path)) for log in report.old_logs]
        text = settings.configuration(
            found,
            proposal.indexes,
            branch,
            [f"{path}@{entry.oid}" for path, entry in entries if entry is not None],
        )
        overlay.put(configuration.NAME, text)
        before = overlay.data(ATTRIBUTES)
        there = os.path.join(proposal.root, ATTRIBUTES)
        if before is None and os.path.islink(there):
            apart.append(
                f"{ATTRIBUTES} is a symlink, so it was left alone: make it a file, then memgit init "
                "adds the lines for merging"
            )
        elif before is None and os.path.lexists(there):
            apart.append(
                f"{ATTRIBUTES} is not committed, so it was left alone: commit it, then memgit init "
                "adds the lines for merging"
            )
        elif (after := attributes(before, proposal.layout)) != before:
            overlay.put(ATTRIBUTES, after)
        return Plan("adopt", (), f"adopt: {subject}", anyway=True, derived=frozenset())

    context = context._replace(reason=words.counted(report) if len(report.by_kind) > 1 else None)
    done = execute(workspace, context, plan)
    set_up_driver(repo)
    notes = (*proposal.notes, *apart, *done.notes, *(install_hooks(repo) if hooks else ()))
    return Adopted(proposal, done.commit, first, notes)


def _repository(root: str, env: Mapping[str, str]) -> Repository | None:
    try:
        repo = Repository.open(root, env)
    except NotFound:
        return None
    if repo.worktree is None:
        raise Refused(
            f"{root} is a bare repository: it has no working tree for a knowledge root",
            hint="clone it and adopt the clone",
        )
    return repo.at_root(root)


def _adopted(root: str, repo: Repository | None, wanted: str | None) -> Proposal:
    data = DiskTree(root, repo).data(configuration.NAME)
    if data is None:
        raise BadInput("it must be a plain file", path=configuration.NAME)
    layout = configuration.parse(data).layout
    if wanted is not None and SYSTEMS[wanted].layout != layout.name:
        raise BadInput(
            f"this is a knowledge root already, with the layout {layout.name}",
            path=configuration.NAME,
            hint="edit the file by hand",
        )
    notes: tuple[str, ...] = ()
    commit = repo.head().commit if repo is not None else None
    if repo is None or repo.tree(commit).get(configuration.NAME) is None:
        notes = (
            (
                f"{configuration.NAME} is not committed: "
                f"{'memgit init' if repo is None else 'memgit commit'} does that"
            ),
        )
    return Proposal(root, repo, layout, True, notes=notes)


def _belongs(path: str, layout: Layout, found: Candidate) -> bool:
    """Whether a file goes into the first commit of a folder: a record, or a part of the workspace."""
    if left.private(path, found.system, found.base):
        return False
    if path in (ATTRIBUTES, ".gitignore"):
        return True
    if layout.find(path) is not None and path.endswith(".md"):
        return True
    if layout.name == "notes":
        return False
    if layout.base:
        return path.startswith(layout.base) or path == ".mem-skill.config.json"
    if layout.name == "mem-skill":
        return path.startswith(("knowledge-base/", "experience/")) or path in (
            "log.md",
            ".mem-skill.config.json",
        )
    return True


def _concerns(layout: Layout, path: str) -> bool:
    return is_derived(layout, path) or layout.holds(path)


def _hidden_from_git(root: str, found: tuple[Candidate, ...]) -> tuple[str, ...]:
    """Says so where a workspace lies on the disk that git is told to ignore."""
    present = detect_on_disk(root)
    if present is None or any(SYSTEMS[one.system].layout == present.name and not one.folder for one in found):
        return ()
    folders = {place.folder.split("/")[0] for place in present.places if place.folder}
    linked = sorted(name for name in folders if os.path.islink(os.path.join(root, name)))
    why = f"{linked[0]} is a symlink, which is never followed" if linked else "git ignores it"
    return (
        (
            f"a workspace of layout {present.name} lies in {present.base or root}, but {why}: it is not "
            "part of this"
        ),
    )


def _roots_around(root: str, top: str | None, paths: Sequence[str]) -> tuple[str, ...]:
    """Says so where a knowledge root lies inside another: both then have the records that lie in both."""
    notes = [
        f"{path.removesuffix(configuration.NAME)} is a knowledge root of its own; its files are read here too"
        for path in paths
        if path.endswith(f"/{configuration.NAME}")
    ]
    above = root
    while top is not None and above not in (top, os.path.dirname(above)):
        above = os.path.dirname(above)
        if os.path.lexists(os.path.join(above, configuration.NAME)):
            notes.append(f"{above} is a knowledge root, and this folder is in it")
    return tuple(notes)


def _readable(path: str) -> bool:
    """Whether git could take a file into a commit."""
    return os.path.isfile(path) and os.access(path, os.R_OK)


class _State:
    """The files of a folder in the state that is adopted.

    `paths` are all of them, `plain` the regular ones that no link leads to, `uncommitted` those that differ
    from the newest commit.
    """

    paths: list[str]
    plain: list[str]
    uncommitted: list[str]
    read: Read

    def tell(self, survey: Survey) -> None:
        """Lets a survey see every file."""
        raise NotImplementedError


class _OfCommit(_State):
    """The files of the newest commit; of what is not committed yet, the names alone help to tell what the
    folder is.
    """

    def __init__(self, repo: Repository, commit: str) -> None:
        self._repo = repo
        self._tree: Tree = repo.tree(commit)
        self._entries = list(self._tree.walk())
        self._disk = DiskTree(repo.root, repo)
        self.plain = [path for path, mode, _ in self._entries if mode in REGULAR]
        rows = dirty(repo)
        self.uncommitted = [row.path for row in rows]
        self.paths = sorted({*self.plain, *(row.path for row in rows if row.kind in ("untracked", "added"))})

    def read(self, path: str) -> bytes | None:
        try:
            data = self._tree.data(path)
        except NotFound:
            return None
        if data is not None:
            return data
        try:
            return self._disk.data(path)
        except UnreadableFile:
            return None

    def tell(self, survey: Survey) -> None:
        wanted: list[tuple[str, str]] = []
        for path, mode, oid in self._entries:
            if mode not in REGULAR:
                survey.skip(path, link=mode == LINK)
            elif survey.wants(path):
                wanted.append((path, oid))
            else:
                survey.skip(path)
        pairs = self._few(wanted) if len(wanted) < _BULK else self._repo.blobs(oid for _, oid in wanted)
        waiting = iter(wanted)
        for oid, data in pairs:
            path, expected = next(waiting)
            while expected != oid:
                survey.fail(path, "this clone does not hold the file")
                path, expected = next(waiting)
            survey.take(path, data)
        for path, _ in waiting:
            survey.fail(path, "this clone does not hold the file")

    def _few(self, wanted: list[tuple[str, str]]) -> Iterator[tuple[str, bytes]]:
        """As `Repository.blobs`: what the clone does not hold is left out."""
        for _, oid in wanted:
            with suppress(NotFound):
                yield oid, self._repo.blob(oid)


class _OnDisk(_State):
    """The files of a folder that no commit holds yet."""

    def __init__(self, root: str, repo: Repository | None, env: Mapping[str, str]) -> None:
        self._root = root
        self.paths = listed_files(repo) if repo is not None else listed_in(root, env)
        self._links = {path for path in self.paths if os.path.islink(os.path.join(root, path))}
        self.plain = [
            path for path in self.paths if path not in self._links and _readable(os.path.join(root, path))
        ]
        self.uncommitted = []

    def read(self, path: str) -> bytes | None:
        try:
            with open(os.path.join(self._root, path), "rb") as file:
                return file.read()
        except OSError:
            return None

    def tell(self, survey: Survey) -> None:
        for path in self.paths:
            if path in self._links or not survey.wants(path):
                survey.skip(path, link=path in self._links)
                continue
            try:
                with open(os.path.join(self._root, path), "rb") as file:
                    survey.take(path, file.read())
            except OSError as error:
                survey.fail(path, error.strerror or "cannot be read")

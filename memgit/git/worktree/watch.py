"""What is uncommitted, for a process that stays: git is asked again only after something was touched.

The kernel notes what happens to files below watched folders (inotify(7), Linux alone), and a note is there before the
call that made the change returns. Elsewhere, on file systems that others change without this kernel (network shares),
and in very large trees, git is asked each time.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

from memgit import TYPE_CHECKING
from memgit.git.worktree.status import Dirty, edited

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from memgit.git.repository import Repository

MAX_FOLDERS = 20_000
"""Folders that are watched at most; the kernel lets a user have some ten thousand watches."""
LOCAL = frozenset(
    ("bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "jfs", "overlay", "tmpfs", "xfs", "zfs")
)
"""File systems that change through this kernel alone."""

_MODIFY, _ATTRIB, _CLOSE_WRITE, _MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 2, 4, 8, 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF, _OVERFLOW, _DIRECTORY = 0x400, 0x800, 0x4000, 0x4000_0000
_EVENTS = (
    _MODIFY | _ATTRIB | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF
)
_ONLY_FOLDERS = 0x0100_0000
_EVENT = struct.Struct("iIII")
_BUFFER = 1 << 16


class Unwatchable(OSError):
    """The kernel gives no notes of this folder, or of no more folders."""


class Watch:
    """Notes of what happens below a folder; `.git` folders are left out.

    Raises:
        Unwatchable: there are none to be had.
    """

    def __init__(self, folder: str) -> None:
        if not sys.platform.startswith("linux") or _file_system(folder) not in LOCAL:
            raise Unwatchable(folder)
        self._folder = os.fsencode(folder)
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._fd = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._fd < 0:
            raise Unwatchable(folder)
        try:
            self._watch()
        except Unwatchable:
            self.close()
            raise

    def close(self) -> None:
        """Gives the notes up."""
        os.close(self._fd)

    def touched(self) -> bool:
        """Whether anything was touched since the last call, or since the beginning.

        Raises:
            Unwatchable: not all folders can be watched any more.
        """
        touched = grown = False
        while events := self._read():
            touched = True
            at = 0
            while at < len(events):
                _, mask, _, length = _EVENT.unpack_from(events, at)
                grown = grown or bool(
                    mask & _OVERFLOW or (mask & _DIRECTORY and mask & (_CREATE | _MOVED_TO))
                )
                at += _EVENT.size + length
        if grown:
            self._watch()
        return touched

    def _read(self) -> bytes:
        try:
            return os.read(self._fd, _BUFFER)
        except BlockingIOError:
            return b""

    def _watch(self) -> None:
        """Watches every folder; those that are watched already stay so."""
        for number, folder in enumerate(_folders(self._folder)):
            found = self._libc.inotify_add_watch(self._fd, folder, _EVENTS | _ONLY_FOLDERS)
            gone = found < 0 and not os.path.isdir(folder)
            if number >= MAX_FOLDERS or (found < 0 and not gone):
                raise Unwatchable(os.fsdecode(folder))


def _folders(top: bytes) -> Iterator[bytes]:
    """A folder and all below it. Each is given before it is read, so that one made later is noted."""
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        yield folder
        try:
            with os.scandir(folder) as entries:
                waiting += [
                    entry.path
                    for entry in entries
                    if entry.name != b".git" and entry.is_dir(follow_symlinks=False)
                ]
        except OSError:  # it is gone, or may not be read: then git does not read it either
            continue


def _file_system(folder: str) -> str:
    """The kind of file system that a folder and all below it lie on; empty where there are several."""
    folder = os.path.realpath(folder)
    kind, nearest = "", ""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                before, _, after = line.partition(" - ")
                point = before.split(" ")[4].encode("utf-8", "surrogateescape").decode("unicode_escape")
                if point.startswith(f"{folder.rstrip('/')}/"):
                    return ""
                if len(point) >= len(nearest) and f"{folder}/".startswith(f"{point.rstrip('/')}/"):
                    kind, nearest = after.split(" ")[0], point
    except (OSError, ValueError, IndexError):
        return ""
    return kind


class WatchedStatus:
    """What is uncommitted in one working tree, known until something is touched. Used by one thread.

    Attributes:
        kept: what callers worked out from HEAD and the files; emptied by `edited` where something was touched, and
            never kept where nothing is watched.
    """

    def __init__(self, repo: Repository) -> None:
        self._repo = repo
        self._watch: Watch | None = None
        self._known: dict[tuple[str | None, Sequence[str]], list[Dirty]] = {}
        self._stamp: tuple[object, ...] = ()
        self.kept: dict[Any, Any] = {}
        try:
            self._watch = None if repo.worktree is None else Watch(repo.worktree)
        except OSError:
            self._watch = None

    def close(self) -> None:
        """Ends the watch."""
        if self._watch is not None:
            self._watch.close()
        self._watch = None

    def edited(self, commit: str | None, folders: Sequence[str]) -> list[Dirty]:
        """As `status.edited`."""
        try:
            touched = self._watch is None or self._watch.touched()
        except OSError:
            self.close()
            touched = True
        if self._watch is None:
            self.kept = {}
            return edited(self._repo, commit, folders)
        stamp = self._stamped()
        if touched or stamp != self._stamp:
            self._known, self._stamp, self.kept = {}, stamp, {}
        key = (commit, tuple(folders))
        if key not in self._known:
            self._known[key] = edited(self._repo, commit, folders)
        return self._known[key]

    def _stamped(self) -> tuple[object, ...]:
        """The state of what git's answer depends on beside the files: HEAD, index, configuration, what is ignored."""
        repo, env = self._repo, self._repo.env
        home = env.get("HOME", "")
        configured = env.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
        paths = [
            repo.index_file,
            os.path.join(repo.git_dir, "config.worktree"),
            *(os.path.join(repo.common_dir, name) for name in ("config", "info/exclude", "info/attributes")),
            *(os.path.join(configured, "git", name) for name in ("config", "ignore", "attributes")),
            os.path.join(home, ".gitconfig"),
        ]
        excludes = repo.settings.get("core.excludesfile")
        paths += [os.path.join(home, excludes.removeprefix("~/"))] if excludes else []
        return (repo.head(), *map(_signature, paths))


def _signature(path: str) -> tuple[int, int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns

"""Starting git, and nothing else:

`os.posix_spawn`, a clean environment (see `git.command`), git's own words as errors.
"""

from __future__ import annotations

import os
import select
from contextlib import nullcontext, suppress
from time import monotonic

from memgit import TYPE_CHECKING
from memgit.errors import MemgitError, Refused
from memgit.git import leftovers
from memgit.git.command import FRUGAL, LOCAL, OLDEST_GIT, QUIET, arguments, clean, executable
from memgit.model.namedtuple import NamedTuple

__all__ = [
    "FRUGAL",
    "LOCAL",
    "OLDEST_GIT",
    "Child",
    "Done",
    "attempt",
    "clean",
    "command",
    "executable",
    "failure",
    "git_version",
    "run",
    "spawn",
    "stream",
    "words",
]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import Protocol

    class Place(Protocol):
        """What a git process needs of the repository that it is about."""

        env: Mapping[str, str]
        variables: dict[str, str]
        git_dir: str
        worktree: str | None
        lock_handle: int | None


CHUNK_BYTES = 1 << 16
_POLL_SECONDS = 0.05  # seconds between looks at a child that gave its pipes to a child of its own
_GRACE_SECONDS = 2.0  # seconds from SIGTERM to SIGKILL
# the signal module costs more to import than a whole `git config`
_SIGINT, _SIGPIPE, _SIGTERM, _SIGKILL, _SIGXFSZ = 2, 13, 15, 9, 25


class Done(NamedTuple):
    """How a child ended: its exit code (negative: the signal that ended it), standard output and standard
    error.
    """

    code: int
    out: bytes
    err: bytes


def run(
    args: Sequence[str | bytes],
    *,
    repo: Place | None = None,
    env: Mapping[str, str] | None = None,
    extra: Mapping[str, str] | None = None,
    cwd: str | None = None,
    data: bytes | None = None,
    timeout: float | None = 120,
    write: bool = False,
) -> bytes:
    """Standard output of one git command.

    Args:
        args: what follows `git`; paths go after `--`, names are text with surrogateescape or bytes.
        repo: the repository to work in; without it, `env` gives the environment and `cwd` the folder.
        extra: variables to set on top.
        data: standard input; none is an empty one.
        timeout: seconds after which the command and its children are stopped; None waits for ever.
        write: the command changes the repository, so git's optional locks stay on.

    Raises:
        Refused: git failed (with its own words), took too long, is too old or is not there.
    """
    done = attempt(args, repo=repo, env=env, extra=extra, cwd=cwd, data=data, timeout=timeout, write=write)
    if done.code:
        raise failure(args, done, env if repo is None else repo.env)
    return done.out


def attempt(
    args: Sequence[str | bytes],
    *,
    repo: Place | None = None,
    env: Mapping[str, str] | None = None,
    extra: Mapping[str, str] | None = None,
    cwd: str | None = None,
    data: bytes | None = None,
    timeout: float | None = 120,
    write: bool = False,
) -> Done:
    """As `run`, for a command whose exit code is an answer."""
    argv, child_env = command(args, repo=repo, env=env, extra=extra, cwd=cwd, write=write)
    return spawn(argv, child_env, data=data, timeout=timeout)


_INTO_FILE = b'out=$1; shift; exec "$@" >"$out" 2>&1'


def outlive(args: Sequence[str | bytes], *, repo: Place, extra: Mapping[str, str], timeout: float) -> Done:
    """As `attempt`, for a command that changes the working tree and must come to its end even where this
    process is killed.

    It writes into a file, for a pipe that nobody reads any more would end it half-way, and it holds memgit's
    lock, if that is held here, so that the next memgit waits for it. All that it says comes as standard
    error.
    """
    argv, env = command(args, repo=repo, extra=extra, write=True)
    folder = f"{repo.git_dir}/memgit"
    said = leftovers.scratch(folder)
    try:
        os.makedirs(folder, exist_ok=True)
        done = spawn(
            [b"/bin/sh", b"-c", _INTO_FILE, b"sh", os.fsencode(said), *argv],
            env,
            timeout=timeout,
            keep=repo.lock_handle,
        )
        with open(said, "rb") as file:
            return done._replace(err=file.read())
    except OSError as error:
        raise Refused(f"{error.filename}: {error.strerror}") from error
    finally:
        with suppress(OSError):
            os.unlink(said)


def stream(
    args: Sequence[str | bytes],
    *,
    repo: Place,
    extra: Mapping[str, str] | None = None,
    data: Iterable[bytes] | None = None,
) -> Iterator[bytes]:
    """Standard output of one git command, piece by piece, while `data` is fed to it.

    A consumer that stops early stops git, and that is no error. `extra` are variables to set on top.

    Raises:
        Refused: git failed; raised after the last piece.
    """
    argv, child_env = command(args, repo=repo, extra=extra)
    child = Child(argv, child_env, stdin=data is not None, group=True)
    try:
        yield from child.talk(iter(data) if data is not None else None, None)
        done = Done(child.wait(), b"", bytes(child.err))
    except BaseException:
        child.kill()
        raise
    if done.code:
        raise failure(args, done, repo.env)


def command(
    args: Sequence[str | bytes],
    *,
    repo: Place | None = None,
    env: Mapping[str, str] | None = None,
    extra: Mapping[str, str] | None = None,
    cwd: str | None = None,
    prompt: bool = False,
    write: bool = False,
) -> tuple[list[bytes], dict[str, str]]:
    """Arguments (git's full path first) and environment of one git command."""
    child_env = clean(repo.env if repo is not None else env or {})
    if repo is not None:
        child_env.update(repo.variables)
        cwd = cwd or repo.worktree or repo.git_dir
    child_env.update(QUIET)
    if write:
        del child_env["GIT_OPTIONAL_LOCKS"]
    if prompt:
        del child_env["GIT_TERMINAL_PROMPT"]
    if extra:
        child_env.update(extra)
    return arguments(args, child_env, cwd), child_env


def git_version(env: Mapping[str, str]) -> tuple[int, ...]:
    """Version of the git on PATH, such as (2, 39, 5); empty where it does not say."""
    words = spawn(*command(["--version"], env=env), timeout=20).out.decode("ascii", "replace").split()
    digits = words[2].split(".") if len(words) > 2 else []
    out: list[int] = []
    for digit in digits:
        if not digit.isdigit():
            break
        out.append(int(digit))
    return tuple(out)


_DAMAGED_INDEX = ("index file", "cache entry has null sha1", "bad signature 0x", "unordered stage entries")
"""What git says of an index that it cannot use."""


def failure(args: Sequence[str | bytes], done: Done, env: Mapping[str, str] | None) -> MemgitError:
    """The error for a git command that failed, in git's own words."""
    given = [os.fsdecode(arg) for arg in args]
    after = zip(["", *given], given, strict=False)
    name = next(
        (arg for before, arg in after if before != "-C" and not arg.startswith("-") and "=" not in arg), "git"
    )
    if done.code < 0:
        return Refused(f"git {name} was stopped by signal {-done.code}")
    if env is not None and (done.code == 129 or b"is not a git command" in done.err):
        found = git_version(env)
        if found and found < OLDEST_GIT:
            return Refused(
                "git {} is too old for memgit".format(".".join(map(str, found))),
                hint="install git {}.{} or newer".format(*OLDEST_GIT),
            )
    message, hint = words(done.err)
    if any(said in message for said in _DAMAGED_INDEX):
        hint = "the index is damaged: memgit doctor names the repair"
    return Refused(f"git {name}: {message or f'failed with exit code {done.code}'}", hint=hint)


def words(err: bytes) -> tuple[str, str | None]:
    """What git said on standard error as one sentence, and its hint."""
    said: list[str] = []
    hints: list[str] = []
    for line in err.decode("utf-8", "replace").replace("\r", "\n").splitlines():
        text = line.strip()
        if text.startswith("hint:"):
            hints.append(text[5:].strip())
        elif text and not text.startswith("warning:"):
            said.append(text.removeprefix("fatal: ").removeprefix("error: "))
    return "; ".join(said)[:1000].rstrip("."), " ".join(hints).strip() or None


def spawn(
    argv: Sequence[bytes],
    env: Mapping[str, str],
    *,
    data: bytes | None = None,
    timeout: float | None = None,
    group: bool = True,
    merged: bool = False,
    keep: int | None = None,
    tell: Callable[[bytes], object] | None = None,
    during: Callable[[int], AbstractContextManager[object]] = nullcontext,
) -> Done:
    """Runs one program to its end.

    Args:
        argv: full path and arguments.
        group: whether it gets a process group of its own, so that a timeout reaches its children.
        merged: standard output goes where standard error goes, as git does with hooks.
        keep: a file handle that the program is to hold as well, for as long as it runs.
        tell: gets standard error piece by piece, as it comes.
        during: what holds while it runs, by its process id.

    Raises:
        Refused: it took too long, or could not be started.
    """
    child = Child(argv, env, stdin=data is not None, group=group, merged=merged, keep=keep, tell=tell)
    pieces = (data[i : i + (1 << 20)] for i in range(0, len(data), 1 << 20)) if data else None
    with during(child.pid):
        done = child.finish(pieces, timeout)
    if done.code == -_SIGINT:
        raise KeyboardInterrupt
    return done


class _TooSlow(Exception):
    pass


class Child:
    """One running program and the pipes to it."""

    def __init__(
        self,
        argv: Sequence[bytes],
        env: Mapping[str, str],
        *,
        stdin: bool,
        group: bool,
        merged: bool = False,
        keep: int | None = None,
        tell: Callable[[bytes], object] | None = None,
    ) -> None:
        self.name = os.fsdecode(os.path.basename(argv[0]))
        self.group = group
        self.tell = tell
        self.err = bytearray()
        self._code: int | None = None
        ends: list[int] = []
        actions: list[tuple[object, ...]] = []
        self._in = self._out = self._err = -1
        try:
            if stdin:
                theirs, self._in = os.pipe()
                ends.append(theirs)
                actions.append((os.POSIX_SPAWN_DUP2, theirs, 0))
                os.set_blocking(self._in, False)
            else:
                actions.append((os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0))
            if not merged:
                self._out, theirs = os.pipe()
                ends.append(theirs)
                actions.append((os.POSIX_SPAWN_DUP2, theirs, 1))
            self._err, theirs = os.pipe()
            ends.append(theirs)
            actions.append((os.POSIX_SPAWN_DUP2, theirs, 2))
            if merged:
                actions.append((os.POSIX_SPAWN_DUP2, 2, 1))
            if keep is not None:  # under a number that no other action of these touches
                actions.append(
                    (os.POSIX_SPAWN_DUP2, keep, max(keep, self._in, self._out, self._err, *ends, 2) + 1)
                )
            options: dict[str, int] = {"setpgroup": 0} if group else {}
            self.pid = os.posix_spawn(
                argv[0],
                list(argv),
                env,
                file_actions=actions,
                setsigdef=(_SIGPIPE, _SIGXFSZ),
                **options,  # type: ignore[arg-type]
            )
        except OSError as error:
            for fd in (self._in, self._out, self._err):
                _close(fd)
            raise Refused(f"cannot start {os.fsdecode(argv[0])}: {error.strerror}") from None
        finally:
            for fd in ends:
                os.close(fd)

    def talk(self, data: Iterator[bytes] | None, deadline: float | None) -> Iterator[bytes]:
        """Feeds `data`, yields standard output as it comes and keeps standard error in `err`, until both are
        at their end.

        A child that ended but left its pipes open in a process of its own is not waited for.
        """
        poll = select.poll()
        reading = {fd for fd in (self._out, self._err) if fd >= 0}
        for fd in reading:
            poll.register(fd, select.POLLIN)
        rest = memoryview(b"")
        if self._in >= 0:
            poll.register(self._in, select.POLLOUT)
        while reading or self._in >= 0:
            events = poll.poll(_POLL_SECONDS * 1000)
            if not events:
                if deadline is not None and monotonic() > deadline:
                    raise _TooSlow
                if self._ended() and not poll.poll(0):
                    break
            for fd, _ in events:
                if fd == self._in:
                    rest = self._feed(poll, rest, data)
                    continue
                piece = os.read(fd, CHUNK_BYTES)
                if not piece:
                    poll.unregister(fd)
                    reading.discard(fd)
                elif fd == self._err:
                    self.err += piece
                    if self.tell is not None:
                        self.tell(piece)
                else:
                    yield piece
            if deadline is not None and monotonic() > deadline and reading:
                raise _TooSlow
        if deadline is not None and not self._exits_by(deadline):
            raise _TooSlow

    def _exits_by(self, deadline: float) -> bool:
        """Waits for the child to end; False where it has not by then."""
        if not self._ended() and hasattr(os, "pidfd_open"):
            handle = os.pidfd_open(self.pid)
            try:
                select.select([handle], [], [], max(0.0, deadline - monotonic()))
            finally:
                os.close(handle)
        while not self._ended():
            if monotonic() > deadline:
                return False
            select.select([], [], [], 0.001)
        return True

    def _feed(self, poll: select.poll, rest: memoryview, data: Iterator[bytes] | None) -> memoryview:
        """Writes what fits of standard input; closes it at its end or where nobody reads it any more."""
        try:
            while not rest:
                rest = memoryview(next(data) if data is not None else b"")
                if data is None:
                    raise StopIteration
            return rest[os.write(self._in, rest) :]
        except BlockingIOError:
            return rest
        except (StopIteration, BrokenPipeError):
            poll.unregister(self._in)
            os.close(self._in)
            self._in = -1
            return memoryview(b"")

    def finish(self, data: Iterator[bytes] | None, timeout: float | None) -> Done:
        """Talks to the child until it ends. Raises Refused where that takes longer than `timeout` seconds."""
        out = bytearray()
        try:
            for piece in self.talk(data, None if timeout is None else monotonic() + timeout):
                out += piece
            return Done(self.wait(), bytes(out), bytes(self.err))
        except _TooSlow:
            self.kill()
            raise Refused(f"{self.name} took longer than {timeout:g} s and was stopped") from None
        except BaseException:
            self.kill()
            raise

    def _ended(self) -> bool:
        if self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code is not None

    def wait(self) -> int:
        """Closes the pipes and returns the exit code."""
        for fd in (self._in, self._out, self._err):
            _close(fd)
        self._in = self._out = self._err = -1
        if self._code is None:
            self._code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._code

    def kill(self) -> None:
        """Ends the child and its group: politely first, so that git removes its lock files."""
        self._signal(_SIGTERM)
        if not self._exits_by(monotonic() + _GRACE_SECONDS):
            self._signal(_SIGKILL)
        self.wait()

    def _signal(self, number: int) -> None:
        try:
            if self.group:
                os.killpg(self.pid, number)
            elif self._code is None:
                os.kill(self.pid, number)
        except (ProcessLookupError, PermissionError):
            pass


def _close(fd: int) -> None:
    if fd >= 0:
        os.close(fd)

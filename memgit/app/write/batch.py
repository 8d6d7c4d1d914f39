"""Many records in one process: in one commit or one each; all, or those that can be written."""

from __future__ import annotations

from collections.abc import Sequence

from memgit.app.workspace import Context, Workspace
from memgit.app.write.record import Request, plan, record
from memgit.app.write.series import execute_series
from memgit.app.write.session import OperationResult, Plan, Session
from memgit.app.write.write import Planner, execute
from memgit.errors import MemgitError
from memgit.formats.messages import message as messages
from memgit.model.namedtuple import NamedTuple
from memgit.model.operation import RecordChange

Numbered = tuple[int, Request]
"""A request with its number, counted from 1."""


class Batch(NamedTuple):
    """The answers in the order of the requests (one where all went into one commit), and what could not be
    recorded: the errors, each with the place that its request comes from.
    """

    written: tuple[OperationResult, ...]
    failed: tuple[MemgitError, ...] = ()


def record_each(
    workspace: Workspace,
    context: Context,
    requests: Sequence[Request],
    *,
    keep_going: bool = False,
) -> Batch:
    """Records many, one commit each; where no hook of another tool runs, all or none.

    Args:
        keep_going: leave out those that cannot be recorded instead.
    """
    if not keep_going:
        made = _Made()
        planners = [made.planner(number, request) for number, request in enumerate(requests, 1)]
        try:
            return Batch(tuple(execute_series(workspace, context, planners)))
        except MemgitError as error:
            raise next(iter(made.culprit(error).values()), error) from error
    written, failed = [], []
    for number, request in enumerate(requests, 1):
        try:
            written.append(record(workspace, context, request))
        except MemgitError as error:
            failed.append(_located(number, request, error))
    return Batch(tuple(written), tuple(failed))


def record_many(
    workspace: Workspace,
    context: Context,
    requests: Sequence[Request],
    what: str,
    *,
    keep_going: bool = False,
) -> Batch:
    """Records many in one commit, all or none.

    Args:
        keep_going: leave out those that cannot be recorded instead.
    """
    left = list(enumerate(requests, 1))
    failed: dict[int, MemgitError] = {}
    while left:
        attempt = _Attempt(left, what, keep_going)
        try:
            done = execute(workspace, context, attempt.plan)
            return Batch((done,), tuple(failed[number] for number in sorted(failed)))
        except MemgitError as error:
            found = attempt.failed or attempt.culprit(error)
            if not keep_going or not found:
                raise next(iter(found.values()), error) from error
            failed |= found
            left = [one for one in left if one[0] not in found]
    return Batch((), tuple(failed[number] for number in sorted(failed)))


class _Made:
    """Which record came of which request, for errors that name the record."""

    def __init__(self) -> None:
        self._session: Session | None = None
        self._places: dict[tuple[str, int], Numbered] = {}

    def planner(self, number: int, request: Request) -> Planner:
        """The plan of one request, with its origin in what it raises."""

        def one(session: Session) -> Plan:
            if session is not self._session:
                self._session, self._places = session, {}
            try:
                made = plan(session, request)
            except MemgitError as error:
                raise _located(number, request, error) from error
            if made.record is not None:
                self._places[made.record] = number, request
            return made

        return one

    def culprit(self, error: MemgitError) -> dict[int, MemgitError]:
        """The error with the origin of the request whose record it is about, by its number; empty where it is about
        none.
        """
        if self._session is None or error.path is None or error.line is None:
            return {}
        for one in self._session.overlay.parsed(error.path).records:
            found = self._places.get((error.path, one.ordinal))
            if found is not None and one.line <= error.line <= one.end_line:
                return {found[0]: _located(*found, error, written=False)}
        return {}


class _Attempt(_Made):
    """One plan of all requests.

    Attributes:
        failed: the errors of those that cannot be planned, by number.
    """

    def __init__(self, requests: Sequence[Numbered], what: str, keep_going: bool) -> None:
        super().__init__()
        self._requests, self._what, self._keep_going = requests, what, keep_going
        self.failed: dict[int, MemgitError] = {}

    def plan(self, session: Session) -> Plan:
        session.hasty = True
        self.failed = {}
        changes: list[RecordChange] = []
        linked: list[str] = []
        for number, request in self._requests:
            try:
                one = self.planner(number, request)(session)
            except MemgitError as error:
                self.failed[number] = error
                if self._keep_going:
                    continue
                raise
            if one is not None:
                changes += one.changes
                linked += one.linked
        if self.failed:  # what they left on the overlay must not stay there
            raise next(iter(self.failed.values()))
        session.verify()
        subject = messages.summary("record", self._what, changes)
        return Plan("record", tuple(changes), subject, linked=tuple(linked))


def _located(number: int, request: Request, error: MemgitError, *, written: bool = True) -> MemgitError:
    """An error with the origin of its request, or with its number where that is not known.

    Args:
        written: whether the file that the error names is there.
    """
    if request.origin is None:
        words = f"record {number} ({request.title[:60]!r}): {error.message}"
        return type(error)(words, path=error.path, line=error.line, hint=error.hint)
    path, line = request.origin
    words = f"{request.title[:60]!r}: {error if written else error.message}"
    return type(error)(words, path=path, line=line, hint=error.hint)

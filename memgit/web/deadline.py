"""One time limit over everything that a fetch waits for."""

from __future__ import annotations

from time import monotonic

from memgit.errors import Refused


class Deadline:
    """A point in time that no wait may pass.

    Args:
        seconds: from now.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = monotonic() + seconds

    def left(self) -> float:
        """Seconds that are left.

        Raises:
            Refused: none are.
        """
        left = self._end - monotonic()
        if left <= 0:
            raise self.over()
        return left

    def over(self) -> Refused:
        """The error for a wait that took too long."""
        return Refused(
            f"the page did not arrive within {self._seconds:g} s", hint="--timeout SECONDS gives it longer"
        )

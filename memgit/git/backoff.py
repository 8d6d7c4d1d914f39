"""Waiting a short time of uneven length, so that those who wait for one thing do not try again all at once."""

from __future__ import annotations

import os
from time import sleep


def pause(longest: float) -> None:
    """Sleeps for between a tenth of `longest` seconds and all of it."""
    sleep(longest * (0.1 + 0.9 * os.urandom(1)[0] / 255))

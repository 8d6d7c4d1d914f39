"""Writing all of something to an open file."""

from __future__ import annotations

import os
from errno import ENOSPC


def write_all(handle: int, data: bytes) -> None:
    """Writes all of it: the system may take a part at a time.

    Raises:
        OSError: it cannot be written, or the disk has no room for it; a part may be written then.
    """
    rest = memoryview(data)
    while rest:
        count = os.write(handle, rest)
        if not count:
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        rest = rest[count:]

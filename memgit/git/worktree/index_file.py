"""One path looked up in an index file without reading all of it: its entries are sorted by name.

Format: `gitformat-index(5)`, versions 2 and 3. Entries differ in length, so from any place in the file the
next one has to be recognized; what is found is then read from there on entry by entry. Where anything looks
otherwise the answer is that it is unclear, never a guess.
"""

from __future__ import annotations

import os
from mmap import ACCESS_READ, mmap

from memgit.git.objects.tree import FOLDER
from memgit.model.namedtuple import NamedTuple

_FIRST = 12  # where the first entry begins, after the header
_MODE, _OID, _FLAGS, _NAME = 24, 40, 60, 62  # places in an entry
_STEP = 8  # all entries begin a multiple of this after the first
_EXTENDED, _LENGTH = 0x4000, 0xFFF
# all that git writes
_MODES = frozenset(mode.to_bytes(4, "big") for mode in (0o100644, 0o100755, 0o120000, 0o160000, FOLDER))
_EXTENSION, _CHECKSUM = 8, 20  # bytes of the head of an extension, and at the end of the file
_IN_A_ROW = 4  # entries that have to follow each other for a place to be taken for the beginning of one
_REACH = 1 << 13  # bytes in which an entry begins, unless its name is endless
_SCANNED_BYTES = 1 << 10  # bytes that are gone through entry by entry


class Row(NamedTuple):
    """One entry: where it begins and ends, its mode, hash, flags (with the stage) and name."""

    start: int
    end: int
    mode: int
    oid: str
    flags: int
    name: bytes

    @property
    def plain(self) -> bool:
        """Whether it is no part of a conflict, nothing that git is told to overlook, and nothing yet to be
        added.
        """
        return not self.flags & ~_LENGTH


class IndexFile:
    """An index file as it is when it is opened; `known` says whether it is of a version that is read here.

    Raises:
        OSError: there is none.
    """

    def __init__(self, path: str) -> None:
        with open(path, "rb") as file:
            empty = not os.fstat(file.fileno()).st_size
            self._data: mmap | bytes = b"" if empty else mmap(file.fileno(), 0, access=ACCESS_READ)
        self.known = self._data[:8] in (b"DIRC\0\0\0\2", b"DIRC\0\0\0\3")

    def find(self, name: bytes) -> list[Row] | None:
        """The entries of a name: one, one for each stage of a conflict, or none; None where that is unclear."""
        low, high = _FIRST, len(self._data)
        while high - low > _SCANNED_BYTES:
            middle = low + (high - low) // 2
            row = self._from(middle - (middle - _FIRST) % _STEP, high)
            if row is None:
                high = middle  # what comes after the last entry
            elif row.name < name:
                low = row.start
            elif row.start < high:
                high = row.start
            else:
                break
        return self._gone_through(low, name)

    def _gone_through(self, start: int, name: bytes) -> list[Row] | None:
        """As `find`, from an entry that is not behind those of the name."""
        found: list[Row] = []
        row = self._row(start)
        if row is None or (row.name > name and start != _FIRST):
            return None
        while row is not None:
            if row.name == name:
                found.append(row)
            elif row.name > name:
                return found
            # a sparse index, in which the folder stands for all that is in it
            if row.mode == FOLDER and name.startswith(row.name):
                return None
            last, row = row, self._row(row.end)
            if row is None:
                return found if self._is_end(last.end) else None
            if row.name < last.name:
                return None
        return None

    def _from(self, start: int, stop: int) -> Row | None:
        """The first entry that begins at a place or after it."""
        for place in range(start, min(start + _REACH, stop), _STEP):
            row = first = self._row(place)
            for _ in range(_IN_A_ROW - 1):
                row = row and self._row(row.end)
            if first is not None and row is not None:
                return first
        return None

    def _is_end(self, place: int) -> bool:
        """Whether the entries end at a place: from there to the checksum, there are extensions alone."""
        end = len(self._data) - _CHECKSUM
        while 0 <= place < end:
            place += _EXTENSION + int.from_bytes(self._data[place + 4 : place + _EXTENSION], "big")
        return place == end

    def _row(self, start: int) -> Row | None:
        """What begins at a place, where that looks like an entry."""
        data = self._data
        head = data[start : start + _NAME]
        if len(head) < _NAME or head[_MODE : _MODE + 4] not in _MODES:
            return None
        flags = head[_FLAGS] << 8 | head[_FLAGS + 1]
        length, place = flags & _LENGTH, start + (_NAME + 2 if flags & _EXTENDED else _NAME)
        name, end = data[place : place + length], start + ((place + length - start + _STEP) & -_STEP)
        if (
            not length
            or length == _LENGTH
            or len(name) < length
            or b"\0" in name
            or data[place + length : end].strip(b"\0")
        ):
            return None
        return Row(
            start, end, int.from_bytes(head[_MODE : _MODE + 4], "big"), head[_OID:_FLAGS].hex(), flags, name
        )

"""What derived files look at, and what one derived file is."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.formats.codecs import parse_file
from memgit.model.layout import Layout
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import ParsedFile, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Protocol
else:
    Protocol = object


class View(Protocol):
    """One state of a knowledge root: a commit, a commit with edits on top, a working tree.

    A view may have one method more. `last_good(path, is_good)`: the newest version of a file in history for
    which `is_good(bytes)` is true, None where there is none. It is asked only where a derived file that holds
    what cannot be derived is broken.
    """

    @property
    def layout(self) -> Layout: ...

    def names(self, folder: str) -> Sequence[str]:
        """The names of the files directly in a folder, sorted; the folder is empty or ends in a slash."""

    def folders(self, folder: str) -> Sequence[str]:
        """The names of the folders directly in a folder that hold a file, however deep, sorted."""

    def parsed(self, path: str) -> ParsedFile:
        """What a file holds; empty for one that is not there.

        Asked for the same path more than once, so it should be kept.
        """

    def data(self, path: str) -> bytes | None:
        """The bytes of a file, None where there is none."""


class Rendered(NamedTuple):
    """A derived file as it should be (None: it should not be there) and what was wrong with the one that is
    there.

    A file that is not ours to write comes back with the bytes that it has, and a problem that says why.
    """

    data: bytes | None
    problems: tuple[Problem, ...] = ()


class DerivedFile(NamedTuple):
    """One kind of derived file.

    Attributes:
        name: what people call it.
        paths: the files of this kind that a state has or should have.
        affected: the files of this kind that a change of one path may change; cheap, it looks at the path alone.
        build: one such file derived from everything it depends on.
        quick: the same from the file as it was in `base` and what changed since, where that can tell; None
            where only `build` can. Given that the file was right in the base, it is the same as `build`.
    """

    name: str
    paths: Callable[[View], Iterable[str]]
    affected: Callable[[Layout, str], Iterable[str]]
    build: Callable[[View, str], Rendered]
    quick: Callable[[View, View, str, Collection[str]], Rendered | None] | None = None

    def render(self, view: View, path: str) -> bytes | None:
        """The bytes that the file should have; None where it should not be there."""
        return self.build(view, path).data


def last_good(view: View, path: str, is_good: Callable[[bytes], bool]) -> bytes | None:
    """The newest good version of a file in history, None where the view cannot tell."""
    ask: Callable[[str, Callable[[bytes], bool]], bytes | None] | None = getattr(view, "last_good", None)
    return None if ask is None else ask(path, is_good)


class MappingView:
    """A view of files in memory."""

    def __init__(self, layout: Layout, files: Mapping[str, bytes]) -> None:
        self.layout = layout
        self._files = dict(files)
        self._parsed: dict[str, ParsedFile] = {}
        names: dict[str, set[str]] = {}
        folders: dict[str, set[str]] = {}
        for path in self._files:
            folder, slash, name = path.rpartition("/")
            names.setdefault(folder + slash, set()).add(name)
            while folder:
                above, slash, name = folder.rpartition("/")
                folders.setdefault(above + slash, set()).add(name)
                folder = above
        self._names = {folder: sorted(found) for folder, found in names.items()}
        self._folders = {folder: sorted(found) for folder, found in folders.items()}

    def names(self, folder: str) -> Sequence[str]:
        return self._names.get(folder, ())

    def folders(self, folder: str) -> Sequence[str]:
        return self._folders.get(folder, ())

    def parsed(self, path: str) -> ParsedFile:
        if path not in self._parsed:
            data = self._files.get(path)
            self._parsed[path] = parse_file(self.layout, path, data)
        return self._parsed[path]

    def data(self, path: str) -> bytes | None:
        return self._files.get(path)

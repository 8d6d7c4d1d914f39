"""What derived files look at, and what one derived file is."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.formats.codecs import parse_file
from memgit.model.filetree import NO_FILES, EditedTree
from memgit.model.layout import Layout
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import ParsedFile, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from memgit.model.filetree import FileTree


class View:
    """The records and files of one state of a knowledge root: a commit, a commit with edits on top, a working
    tree. Each file is parsed once.
    """

    def __init__(self, layout: Layout, files: FileTree) -> None:
        self.layout, self.files = layout, files
        self._parsed: dict[str, ParsedFile] = {}

    def names(self, folder: str) -> Sequence[str]:
        """The names of the files directly in a folder, sorted; the folder is empty or ends in a slash."""
        return self.files.names(folder)

    def folders(self, folder: str) -> Sequence[str]:
        """The names of the folders directly in a folder that hold a file, however deep, sorted."""
        return self.files.folders(folder)

    def data(self, path: str) -> bytes | None:
        """The bytes of a file, None where there is none."""
        return self.files.data(path)

    def last_good(self, path: str, is_good: Callable[[bytes], bool]) -> bytes | None:
        """The newest version of a file in history for which `is_good` is true; None where there is none."""
        return self.files.last_good(path, is_good)

    def parsed(self, path: str) -> ParsedFile:
        """What a file holds; empty for one that is not there or holds no record."""
        found = self._parsed.get(path)
        if found is None:
            found = self._parsed[path] = self._parse(path)
        return found

    def _parse(self, path: str, data: bytes | None = None) -> ParsedFile:
        """What a file holds, understood anew; from its bytes where these are at hand."""
        if data is None and self.layout.find(path) is not None:
            data = self.data(path)
        return parse_file(self.layout, path, data)


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


def view_of(layout: Layout, files: Mapping[str, bytes]) -> View:
    """A view of files in memory."""
    return View(layout, EditedTree(NO_FILES, dict(files)))

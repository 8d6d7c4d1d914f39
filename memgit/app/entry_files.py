"""Entry files in a batch: each is read once, however many records are appended to it or look for the category that they belong to."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.record import words_of
from memgit.formats.entries import Appender
from memgit.formats.entry import clean

if TYPE_CHECKING:
    from memgit.app.write import Board
    from memgit.formats.form import Draft


class EntryFiles:
    """The entry files of a board. What is known of one holds as long as nobody else edits it."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._appenders: dict[str, Appender] = {}
        self._words: dict[str, tuple[bytes | None, set[str]]] = {}

    def append(self, path: str, draft: Draft, existing: bytes | None) -> None:
        """Puts a record at the end of a file, as `Form.create` does; raises what that raises.

        Args:
            existing: the file as it is, or begins.
        """
        board = self._board
        edit = board.edits.get(path)
        file = self._appenders.get(path)
        if file is None or file.data is not existing:
            file = self._appenders[path] = Appender(existing)
        file.add(draft)
        board.put(path, file.data)
        before, words = self._words.get(path, (None, None))
        if words is not None and before is edit:
            keywords = clean("keywords", draft.fields.get("keywords"))
            words.update(word.casefold() for word in keywords or ())
            self._words[path] = file.data, words

    def words(self, path: str) -> set[str]:
        """The keywords of a category and of its records, without case."""
        edit = self._board.edits.get(path)
        before, words = self._words.get(path, (None, None))
        if words is None or before is not edit:
            words = words_of(self._board.parsed(path))
            self._words[path] = edit, words
        return words

"""Entry files in a batch: each is read once, however many records are appended to it or look for the category
that they belong to.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.formats.codecs import parse_file
from memgit.formats.mem_skill.compose import clean
from memgit.formats.mem_skill.entries import Appender

if TYPE_CHECKING:
    from memgit.app.write.overlay import Overlay
    from memgit.formats.codec import Draft
    from memgit.model.record import ParsedFile


class EntryFiles:
    """The entry files of an overlay. What is known of one holds as long as nobody else edits it."""

    def __init__(self, overlay: Overlay) -> None:
        self._overlay = overlay
        self._appenders: dict[str, Appender] = {}
        self._words: dict[str, tuple[bytes | None, set[str]]] = {}
        self._unread: set[str] = set()

    def append(
        self, path: str, draft: Draft, existing: bytes | None, before: tuple[ParsedFile, str] | None = None
    ) -> None:
        """Puts a record at the end of a file, as `Form.create` does; raises what that raises.

        Args:
            existing: the file as it is, or begins.
            before: what the file holds and its key, where the new title is in it not yet: then the file is
                not read again for what it holds after that, as it would be for each of many records.
                `read_back` has to tell in the end whether that is right.
        """
        overlay = self._overlay
        edit = overlay.edits.get(path)
        file = self._appenders.get(path)
        if file is None or file.data is not existing:
            file = self._appenders[path] = Appender(existing)
        file.add(draft)
        overlay.put(path, file.data)
        now = None if before is None else file.parsed(before[0], path, draft.kind, before[1])
        if now is not None:
            overlay.take_parsed(path, now)
            self._unread.add(path)
        known, words = self._words.get(path, (None, None))
        if words is not None and known is edit:
            keywords = clean("keywords", draft.fields.get("keywords"))
            words.update(word.casefold() for word in keywords or ())
            self._words[path] = file.data, words

    def read_back(self) -> bool:
        """Whether the files that were not read again hold what they were taken to hold."""
        overlay = self._overlay
        return all(
            (data := overlay.edits.get(path)) is None
            or parse_file(overlay.layout, path, data) == overlay.parsed(path)
            for path in self._unread
        )

    def words(self, path: str) -> set[str]:
        """The keywords of a category and of its records, without case."""
        edit = self._overlay.edits.get(path)
        before, words = self._words.get(path, (None, None))
        if words is None or before is not edit:
            words = words_of(self._overlay.parsed(path))
            self._words[path] = edit, words
        return words


def words_of(category: ParsedFile) -> set[str]:
    """The keywords of a category and of its records, without case."""
    words = {str(word).casefold() for word in category.meta.get("keywords") or ()}
    words.update(word.casefold() for found in category.records for word in found.keywords)
    return words

"""The semantic engine: full text, mixed with how near a record is to the query in meaning.

The meaning of a text is the mean of its words' vectors, from the static embedding table that the package
wordllama ships: no model runs, and nothing is downloaded. The vectors of records are kept in the cache by the
content of their file. How the numbers were chosen is in `docs/search.md`.
"""

from __future__ import annotations

import time
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from memgit import TYPE_CHECKING
from memgit.cache import vectors
from memgit.cache.search import Hit, Query, fits, place, search
from memgit.cache.snippets import text_of
from memgit.cache.tokens import STOP_WORDS, fold, words_of
from memgit.engines import EngineFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from memgit.cache.records import Snapshot
    from memgit.engines import Settings
    from memgit.model.record import Record

PART = 0.3
"""How much nearness in meaning counts, beside what the words count."""
POOL = 200
"""Results by words that are mixed, and as many by meaning."""
KEPT = 1
"""Results at the front that stand where words and meaning alone put them; the rest has feedback as well."""
MAX_TEXT = 20_000
"""Characters of a record that its vector stands for."""
BUDGET = 0.4
"""Seconds that a search may take to make vectors which are missing; `prepare` makes all of them."""
BATCH = 256
"""Records whose vectors are made together."""
_TABLE = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"


class Table:
    """The vectors of word pieces.

    Raises:
        EngineFailed: the package is not installed, or is not one that memgit knows.
    """

    def __init__(self) -> None:
        spec = find_spec("wordllama")
        try:
            import numpy
            from safetensors import safe_open
            from tokenizers import Tokenizer

            if spec is None or not spec.submodule_search_locations:
                raise ImportError("wordllama")
            folder = Path(spec.submodule_search_locations[0])
            self._numpy = numpy
            self._tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
            self._tokenizer.no_padding()
            self._tokenizer.no_truncation()
            with safe_open(str(folder / _TABLE), "numpy") as opened:
                self._vectors = opened.get_tensor("embedding.weight")
        except Exception as error:  # of these libraries, each has its own errors for a file that is not right
            raise EngineFailed(
                f"the semantic engine cannot load its table: {error}",
                hint="install it with: pip install 'memgit-kb[semantic]'",
            ) from error

    def embed(self, texts: Sequence[str]) -> Any:
        """One row of length one for each text, or of zeros where it has no word."""
        numpy = self._numpy
        plain = [
            " ".join(word for word in words_of(fold(text[:MAX_TEXT].lower())) if word not in STOP_WORDS)
            for text in texts
        ]
        rows = numpy.zeros((len(texts), self._vectors.shape[1]), numpy.float32)
        for row, encoded in zip(
            rows, self._tokenizer.encode_batch(plain, add_special_tokens=False), strict=True
        ):
            if encoded.ids:
                row[:] = self._vectors[encoded.ids].astype(numpy.float32).mean(axis=0)
        lengths = numpy.linalg.norm(rows, axis=1, keepdims=True)
        return rows / numpy.where(lengths, lengths, 1)

    def packed(self, texts: Sequence[str]) -> list[bytes]:
        """The vectors of texts as they are kept: a byte for each number, 127 for one."""
        return [row.tobytes() for row in (self.embed(texts) * 127).round().astype("int8")]

    def products(self, packed: bytes, vector: Any) -> Any:
        """The products of kept vectors and another one."""
        numpy = self._numpy
        rows = numpy.frombuffer(packed, numpy.int8).reshape(-1, len(vector))
        return rows.astype(numpy.float32) @ (vector / 127)


@cache
def table() -> Table:
    """The table, read once."""
    return Table()


class Semantic:
    """Full text and vectors."""

    any_revision = True

    @property
    def _table(self) -> Table:
        return table()

    def search(
        self, source: Snapshot, query: Query, accept: Callable[[Record], bool] | None = None
    ) -> list[Hit]:
        near = self._near(source, query.text)
        wide = query._replace(limit=max(POOL, query.limit))
        found = search(source, wide, accept)
        named = [hit for hit in found if hit.score == float("inf")]
        others = sorted(near, key=lambda n: -near[n])[: wide.limit]
        meant = [
            Hit(record, 0.0)
            for record in vectors.heads(source, others).values()
            if fits(record, query) and (accept is None or accept(record))
        ]
        plain = search(source, wide._replace(feedback=False), accept)
        head = _mixed(source, [*plain[len(named) :], *meant], near)[:KEPT]
        tail = _mixed(source, [*found[len(named) :], *meant], near)
        out = {place(hit.record): hit for hit in (*named, *head)}
        for hit in tail:
            out.setdefault(place(hit.record), hit._replace(score=min(hit.score, head[-1].score)))
        return list(out.values())[: query.limit]

    def prepare(self, source: Snapshot) -> str:
        self._make(source, float("inf"))
        vectors.prune(source)
        numbers, _ = vectors.load(source)
        return f"{len(numbers):,} records with vectors"

    def ahead(self, source: Snapshot, seconds: float) -> bool:
        self._make(source, time.monotonic() + seconds)
        return bool(vectors.missing(source, 1))

    def _near(self, source: Snapshot, text: str) -> dict[int, float]:
        """How near each record is to a text, from 0 for the farthest to 1 for the nearest."""
        self._make(source, time.monotonic() + BUDGET)
        numbers, data = vectors.load(source)
        asked = self._table.embed([text])[0]
        if not numbers or not asked.any():
            return {}
        found = self._table.products(data, asked)
        low, high = float(found.min()), float(found.max())
        if high <= low:
            return {}
        return dict(zip(numbers, ((found - low) / (high - low)).tolist(), strict=True))

    def _make(self, source: Snapshot, until: float) -> None:
        """Makes vectors that are missing, until a time."""
        while time.monotonic() < until:
            batch = vectors.missing(source, BATCH)
            if not batch:
                return
            texts = [text_of(one.record, source.data(one.record.path)) for one in batch]
            vectors.keep(source, zip(batch, self._table.packed(texts), strict=True))


def _mixed(source: Snapshot, hits: Sequence[Hit], near: Mapping[int, float]) -> list[Hit]:
    """Results by words, the first of each record, in the order that meaning gives them as well."""
    once = list({place(hit.record): hit for hit in reversed(hits)}.values())
    top = max((hit.score for hit in once), default=0.0) or 1.0
    numbers = vectors.numbers(source, [hit.record for hit in once])
    mixed = [
        hit._replace(score=(1 - PART) * hit.score / top + PART * (near.get(n, 0.0) if n is not None else 0.0))
        for n, hit in zip(numbers, once, strict=True)
    ]
    return sorted(mixed, key=lambda hit: (-hit.score, *place(hit.record)))


def make(settings: Settings) -> Semantic:
    return Semantic()

"""The nearest neighbours of an item in its benchmark: by stored embeddings where there are any, by words else."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from backend.errors import UsageError
from backend.store.build.store import Store
from backend.store.catalog import catalog

#: By the words of captions; embeddings are named `image@<run id>` and `text@<run id>`.
WORDS = "words"
#: Benchmarks of more items than this are not compared by words: the table of all their words would not fit.
MOST = 300_000


@dataclass(frozen=True)
class Source:
    """One way to find neighbours. name: what `neighbours` takes; modality: image, text or words; model: its spec."""

    name: str
    modality: str
    model: str


def sources(store: Store, benchmark: str, item_id: str) -> list[Source]:
    """The ways that an item of a benchmark (hash) has: stored embeddings of each model's default run, images first,
    then words. UsageError for an unknown item."""
    cursor, number = store.cursor(), _number(store, benchmark, item_id)
    runs = catalog.models(store, benchmark)["run_id"].to_list()
    rows = cursor.execute(
        """SELECT DISTINCT e.part, r.model, e.run_id FROM embeddings e JOIN runs r USING (run_id)
        WHERE e.item_no = ? AND starts_with(e.part, 'embeddings:')
            AND e.run_id IN (SELECT unnest(?::VARCHAR[])) ORDER BY e.part, r.model""",
        [number, runs],
    ).fetchall()
    found = [Source(f"{part[11:]}@{run}", part[11:], model) for part, model, run in rows]
    count = cursor.execute("SELECT count(*) FROM items WHERE benchmark = ?", [benchmark]).fetchone()
    few = count is not None and count[0] <= MOST
    return found + ([Source(WORDS, "words", "")] if few else [])


def neighbours(store: Store, benchmark: str, item_id: str, source: str, k: int = 8) -> pd.DataFrame:
    """item_id, similarity of the k most similar other items, the most similar first, ties in the benchmark's order.

    source: of `sources`. `image@run`, `text@run`: cosine of stored embeddings, of the item's first image or caption
    with every image or caption, an item counting by its best one. `words`: cosine of TF-IDF vectors over the words and
    pairs of neighbouring words (lower case, smoothed idf ln((1 + n) / (1 + df)) + 1) of each item's first true caption;
    items that share no word are left out. UsageError for an unknown item or source.
    """
    number = _number(store, benchmark, item_id)
    if source == WORDS:
        found = _by_words(store, benchmark, number, k)
    elif (modality := source.partition("@")[0]) in ("image", "text"):
        found = _by_vectors(store, source.partition("@")[2], f"embeddings:{modality}", number, k)
    else:
        raise UsageError(f"'{source}' is no way to find neighbours: expected image@RUN, text@RUN or {WORDS}.")
    names = dict(
        store.cursor()
        .execute(
            "SELECT item_no, item_id FROM items WHERE benchmark = ? AND item_no IN (SELECT unnest(?::INTEGER[]))",
            [benchmark, [n for n, _ in found]],
        )
        .fetchall()
    )
    rows = [(str(names[n]), value) for n, value in found if n in names]
    return pd.DataFrame(rows, columns=["item_id", "similarity"])


def _number(store: Store, benchmark: str, item_id: str) -> int:
    row = (
        store.cursor()
        .execute("SELECT item_no FROM items WHERE benchmark = ? AND item_id = ?", [benchmark, item_id])
        .fetchone()
    )
    if row is None:
        raise UsageError(f"there is no item '{item_id}' in {catalog.benchmark_name(store, benchmark)}.")
    return int(row[0])


def _by_vectors(store: Store, run_id: str, part: str, number: int, k: int) -> list[tuple[int, float]]:
    cursor = store.cursor()
    own = cursor.execute(
        'SELECT vector FROM embeddings WHERE run_id = ? AND part = ? AND item_no = ? ORDER BY "index" LIMIT 1',
        [run_id, part, number],
    ).fetchone()
    if own is None:
        raise UsageError(f"run {run_id} has no {part} of this item. Choose another way.")
    rows = cursor.execute(
        """SELECT item_no, max(list_cosine_similarity(vector, ?::FLOAT[])) AS similarity FROM embeddings
        WHERE run_id = ? AND part = ? AND item_no <> ? GROUP BY item_no ORDER BY similarity DESC, item_no LIMIT ?""",
        [own[0], run_id, part, number, k],
    ).fetchall()
    return [(int(n), float(value)) for n, value in rows]


def _by_words(store: Store, benchmark: str, number: int, k: int) -> list[tuple[int, float]]:
    numbers, vectors = store.cached(("words", benchmark), lambda: _word_vectors(store, benchmark))
    if vectors is None:
        return []
    place = int(np.searchsorted(numbers, number))
    similar = np.asarray((vectors @ vectors[place].T).todense()).ravel()
    similar[place] = -1.0
    best = np.argsort(-similar, kind="stable")[:k]
    return [(int(numbers[i]), float(similar[i])) for i in best if similar[i] > 0]


def _word_vectors(store: Store, benchmark: str) -> tuple[np.ndarray, Any]:
    """(item numbers, unit TF-IDF rows) of a benchmark's first true captions; None where no caption has a word."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    rows = (
        store.cursor()
        .execute(
            """SELECT item_no, texts[1 + coalesce(TRY_CAST(json_extract(truth, '$[0][1]') AS INTEGER), 0)]
            FROM items WHERE benchmark = ? ORDER BY item_no""",
            [benchmark],
        )
        .fetchall()
    )
    numbers = np.array([row[0] for row in rows], dtype=np.int64)
    captions: Sequence[str] = [str(row[1] or "") for row in rows]
    pattern = r"\w+"
    vectors = TfidfVectorizer(ngram_range=(1, 2), token_pattern=pattern, dtype=np.float32)
    try:
        return numbers, vectors.fit_transform(captions)
    except ValueError:  # no word anywhere
        return numbers, None

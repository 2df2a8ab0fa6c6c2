"""Verdicts as columns of the table `outcomes`: from arrays to Arrow, without a frame of Python's words in between.

Words that repeat (metric, cell, reason) go in as numbers with their dictionary, which is how the database keeps them.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from backend.store.reasons.words import Words
from backend.store.scores.outcomes import Judged

#: The columns of `outcomes` behind run_id and kind.
NAMES = ("item_no", "query", "metric", "correct", "margin", "ties", "cell", "reason")


def by_metric(judged: Iterable[Judged]) -> dict[str, list[Judged]]:
    """Metric -> its verdicts, in the order in which the metrics first come."""
    found: dict[str, list[Judged]] = {}
    for each in judged:
        if len(each.verdicts):
            found.setdefault(each.metric, []).append(each)
    return found


def table(judged: dict[str, list[Judged]]) -> pa.Table:
    """Every verdict of a run and kind: metric by metric, each in item order, so that what asks for one metric reads a
    part of the rows. A verdict that is undefined has neither `correct` nor a margin."""
    words: dict[int, tuple[pa.Array, pa.Array]] = {}
    parts = [_rows(each, words) for of in judged.values() for each in of]
    return pa.concat_tables(parts).unify_dictionaries() if parts else pa.table({name: [] for name in NAMES})


def _rows(judged: Judged, words: dict[int, tuple[pa.Array, pa.Array]]) -> pa.Table:
    n, verdicts = len(judged.verdicts), judged.verdicts
    item_no = judged.items["item_no"].to_numpy()[judged.rows].astype(np.int32)
    cell, reason = (constant("", n), constant("", n))
    if judged.words is not None:
        if id(judged.words) not in words:
            words[id(judged.words)] = _coded(judged.words)
        at = pa.array(judged.rows)
        cell, reason = (of.take(at) for of in words[id(judged.words)])
    columns = (
        pa.array(item_no),
        pa.array(np.asarray(judged.query, dtype=np.int32)),
        constant(judged.metric, n),
        pa.array(verdicts.correct, mask=~verdicts.defined),
        pa.array(verdicts.margin, mask=np.isnan(verdicts.margin)),
        pa.array(verdicts.ties),
        cell,
        reason,
    )
    rows = pa.Table.from_arrays(list(columns), names=list(NAMES))
    order = np.lexsort((judged.query, item_no)) if _is_unordered(item_no, judged.query) else None
    return rows if order is None else rows.take(pa.array(order))


def _is_unordered(item_no: NDArray[np.int32], query: NDArray[np.intp]) -> bool:
    """Whether rows are not in the order of their items and queries yet."""
    step = np.diff(item_no)
    return bool((step < 0).any() or (np.diff(query)[step == 0] < 0).any())


def constant(word: str, n: int) -> pa.DictionaryArray:
    """A column of n times the same word."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, dtype=np.int8)), pa.array([word]))


def _coded(words: Words) -> tuple[pa.Array, pa.Array]:
    return encoded(words.cell), encoded(words.reason)


def encoded(values: Sequence[str] | NDArray[np.object_] | pd.Series) -> pa.DictionaryArray:
    """Words of which fewer than 128 are different, each kept once.

    >>> encoded(["a", "b", "a"]).dictionary.to_pylist()
    ['a', 'b']
    """
    codes, names = pd.factorize(np.asarray(values, dtype=object))
    # There are a dozen cells and reasons; columns of one table have to be numbered in one size.
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int8)), pa.array([str(name) for name in names]))

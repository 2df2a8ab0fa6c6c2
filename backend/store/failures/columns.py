"""A run's verdicts, and the items of its benchmark, as arrays that stay in memory: what every filter is asked of.

A filter of Failures changes what is looked for and hardly ever where, so the columns are read once for a run and
setting and kept with everything else that is derived of a generation (`Store.cached`). Words are numbers in here.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from backend.store.build.store import Store
from backend.store.scores import outcomes
from backend.store.scores.setting import Setting

Floats = NDArray[np.float64]
Codes = NDArray[np.int8] | NDArray[np.int32]
#: `Verdicts.correct` of a verdict that is undefined.
UNDEFINED = -1


@dataclass(frozen=True)
class Words:
    """A column of n words as numbers: codes int8 or int32 (n,) into `names`, -1 where there is none.

    >>> Words.of(pa.array(["a", None, "a"])).codes.tolist()
    [0, -1, 0]
    """

    codes: Codes
    names: tuple[str, ...]

    @classmethod
    def of(cls, values: pa.Array | pa.ChunkedArray) -> "Words":
        """A column of text."""
        whole = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
        coded = whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()
        words = [str(name) for name in coded.dictionary.to_pylist()]
        codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        if _as_they_come(codes):  # as a file has them, as a rule: nothing has to be numbered anew
            names = tuple(words[: 1 + int(codes.max(initial=-1))])
            return cls(codes.astype(np.int8 if len(names) < 100 else np.int32), names)
        codes, there = pd.factorize(codes)
        places = np.where(there >= 0, np.cumsum(there >= 0) - 1, -1)
        names = tuple(words[code] for code in there if code >= 0)  # those that are there, as they come
        small = len(names) < 100  # a million small numbers are a megabyte
        found: Codes = places.astype(np.int8)[codes] if small else places.astype(np.int32)[codes]
        return cls(found, names)

    def among(self, chosen: Sequence[str]) -> NDArray[np.bool_]:
        """Whether each word is one of these, bool (n,); none is none of them."""
        wanted = set(chosen)
        return np.array([*(name in wanted for name in self.names), False])[self.codes]

    def at(self, row: int) -> str:
        """One word, "" for none."""
        return self.names[self.codes[row]] if self.codes[row] >= 0 else ""


def _as_they_come(codes: NDArray[np.integer[Any]]) -> bool:
    """Whether words are numbered in the order in which they first appear.

    >>> _as_they_come(np.array([-1, 0, 1, 0])), _as_they_come(np.array([1, 0]))
    (True, False)
    """
    most = np.maximum.accumulate(codes.astype(np.int64))
    return not len(codes) or bool(most[0] <= 0 and np.diff(most).max(initial=0) <= 1)


@dataclass(frozen=True)
class Items:
    """The n items of a benchmark (hash), in the order of their numbers. subset: by its name; concepts, perturbations:
    each item's list by its JSON, of which `lists` has the words."""

    benchmark: str
    item_no: NDArray[np.int64]
    subset: Words
    concepts: Words
    perturbations: Words

    def place(self, item_no: NDArray[np.generic]) -> NDArray[np.intp]:
        """The positions of items by their numbers, -1 for those that are not here."""
        if not len(self.item_no):
            return np.full(len(item_no), -1, dtype=np.intp)
        if self.item_no[-1] - self.item_no[0] + 1 == len(self.item_no):  # without a gap: nothing has to be sought
            at = np.asarray(item_no, dtype=np.int64) - self.item_no[0]
            return np.where((at >= 0) & (at < len(self.item_no)), at, -1)
        at = np.minimum(np.searchsorted(self.item_no, item_no), len(self.item_no) - 1)
        return np.where(self.item_no[at] == item_no, at, -1)


def lists(column: Words) -> list[list[str]]:
    """The lists that stand behind a column's names, in their order."""
    return [[str(word) for word in json.loads(name)] for name in column.names]


@dataclass(frozen=True)
class Verdicts:
    """The m verdicts of a run under a setting. item: positions in `Items`; correct: int8, 1, 0, or UNDEFINED; margin
    NaN where undefined; cell and reason "" where not measured."""

    run_id: str
    item: NDArray[np.int32]
    metric: Words
    query: NDArray[np.int32]
    correct: NDArray[np.int8]
    margin: Floats
    ties: NDArray[np.bool_]
    cell: Words
    reason: Words


def items(store: Store, benchmark: str) -> Items:
    """The items of a benchmark (hash)."""

    def make() -> Items:
        asked = """SELECT item_no, subset, to_json(concepts)::VARCHAR AS concepts,
            to_json(perturbations)::VARCHAR AS perturbations FROM items WHERE benchmark = $benchmark ORDER BY item_no"""
        table = store.cursor().sql(asked, params={"benchmark": benchmark}).to_arrow_table()
        words = (Words.of(table[name]) for name in ("subset", "concepts", "perturbations"))
        return Items(benchmark, table["item_no"].to_numpy().astype(np.int64), *words)

    return store.cached(("failure items", benchmark), make)


def verdicts(store: Store, run_id: str, setting: Setting) -> tuple[Items, Verdicts]:
    """A run's verdicts on the items of its benchmark: the stored ones at a default setting, else computed ones."""
    of = items(store, store.run(run_id).benchmark)
    return of, store.cached(("failure verdicts", run_id, setting), lambda: _verdicts(store, run_id, setting, of))


def _verdicts(store: Store, run_id: str, setting: Setting, of: Items) -> Verdicts:
    names = ("item_no", "query", "metric", "correct", "margin", "ties", "cell", "reason")
    if setting.is_default:
        table = store.rows("outcomes", run_id, setting.kind, names)
    else:
        table = _table(outcomes.compute(store, run_id, setting), names)
    item = of.place(table["item_no"].to_numpy())
    known = item >= 0
    if not known.all():
        table, item = table.filter(pa.array(known)), item[known]
    return Verdicts(
        run_id,
        item.astype(np.int32),
        Words.of(table["metric"]),
        table["query"].to_numpy().astype(np.int32),
        table["correct"].cast(pa.int8()).combine_chunks().fill_null(UNDEFINED).to_numpy(zero_copy_only=False),
        table["margin"].cast(pa.float64()).to_numpy(),  # what is missing is NaN there
        table["ties"].combine_chunks().to_numpy(zero_copy_only=False).astype(np.bool_),
        Words.of(table["cell"]),
        Words.of(table["reason"]),
    )


def _table(frame: pd.DataFrame, names: Sequence[str]) -> pa.Table:
    """Of an empty frame, whose columns say nothing of what they hold, an empty table of the right kinds."""
    kinds = {
        "item_no": pa.int64(), "query": pa.int64(), "correct": pa.bool_(), "margin": pa.float64(), "ties": pa.bool_(),
    }  # fmt: skip
    columns = {name: pa.array(frame[name], type=kinds.get(name, pa.string()), from_pandas=True) for name in names}
    return pa.table(columns)


@dataclass(frozen=True)
class Others:
    """What another run says of the same items, metrics and queries: correct int8 (m,), UNDEFINED where it says nothing;
    margin (m,), NaN there."""

    correct: NDArray[np.int8]
    margin: Floats


def others(store: Store, run_id: str, setting: Setting, other: str | None, under: Setting) -> Others:
    """Another run's verdicts (under a setting of its own), in the order of a run's."""
    own, mine = verdicts(store, run_id, setting)
    if other is None:  # one number that stands for all of them
        n = len(mine.item)
        return Others(np.broadcast_to(np.int8(UNDEFINED), n), np.broadcast_to(np.nan, n))

    def make() -> Others:
        there, theirs = verdicts(store, other, under)
        numbers = (own.item_no[mine.item], there.item_no[theirs.item])
        place = found((numbers[0], mine.query, mine.metric), (numbers[1], theirs.query, theirs.metric))
        known = place >= 0
        return Others(
            np.where(known, theirs.correct[place], UNDEFINED).astype(np.int8) if len(theirs.item) else
            np.full(len(place), UNDEFINED, dtype=np.int8),
            np.where(known, theirs.margin[place], np.nan) if len(theirs.item) else np.full(len(place), np.nan),
        )  # fmt: skip

    return store.cached(("failure others", run_id, setting, other, under), make)


_Key = tuple[NDArray[np.int64], NDArray[np.int32], Words]


def found(wanted: _Key, there: _Key) -> NDArray[np.intp]:
    """Where each (item number, query, metric) stands among others, -1 where it does not."""
    names = {name: code for code, name in enumerate(there[2].names)}
    metric = np.array([*(names.get(name, -1) for name in wanted[2].names), -1], dtype=np.int64)[wanted[2].codes]
    same = np.array_equal(wanted[0], there[0]) and np.array_equal(wanted[1], there[1])
    if same and np.array_equal(metric, there[2].codes):
        return np.arange(len(metric))
    if not len(there[0]):
        return np.full(len(metric), -1, dtype=np.intp)
    queries = 2 + int(max(wanted[1].max(initial=-1), there[1].max(initial=-1)))
    keys = [
        (number * queries + query + 1) * (1 + len(names)) + code + 1
        for number, query, code in ((wanted[0], wanted[1], metric), (there[0], there[1], there[2].codes))
    ]
    order = np.argsort(keys[1], kind="stable")
    at = np.minimum(np.searchsorted(keys[1], keys[0], sorter=order), len(order) - 1)
    place = order[at]
    return np.where((keys[1][place] == keys[0]) & (metric >= 0), place, -1)

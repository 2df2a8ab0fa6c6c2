"""The verdicts of one side as columns, from what is stored of it where it is: numbers, and words as categories.

A million words that become Python's take longer than everything that is asked of them, so none does: what repeats
(metric, pool, subset, concept, change, cell, reason) is categorical, and ids stay where Arrow has them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from backend.items import Kind
from backend.store.build.store import Store
from backend.store.compare import judged_anew
from backend.store.failures import columns
from backend.store.failures.columns import Items, Verdicts, Words
from backend.store.scores.matrices import JOIN
from backend.store.scores.setting import Setting

#: Of an item, as a frame of verdicts has it.
OF_ITEMS = ("item_id", "subset", "concept", "perturbation", "cluster")
#: Columns of `verdicts` that are categorical.
CATEGORIES = ("metric", "pool", "subset", "concept", "perturbation")


@dataclass(frozen=True)
class Said:
    """What stands beside n verdicts in item order. item_no, query (n,); ties int (n,); metric, cell, reason:
    words, "" or none where not measured."""

    item_no: NDArray[np.int64]
    query: NDArray[np.int32]
    metric: Words
    ties: NDArray[np.intp]
    cell: Words
    reason: Words


def verdicts(store: Store, run_id: str, setting: Setting, metrics: Sequence[str]) -> pd.DataFrame:
    """The defined verdicts by these metrics in item order, those of `outcomes.compute`: item_no, query, OF_ITEMS,
    metric, pool, correct (bool), margin; CATEGORIES are categorical. Read where they are stored, else judged."""
    items, known, pool = _known(store, run_id, setting, metrics)
    rows = _in_order(known, metrics)
    rows = rows[known.correct[rows] != columns.UNDEFINED]
    frame = _items(store, items)
    if not np.array_equal(known.item[rows], np.arange(len(frame))):  # else it is theirs as it is, and takes no room
        frame = frame.take(known.item[rows]).reset_index(drop=True)
    return frame.assign(
        query=known.query[rows].astype(np.int64),
        metric=categories(known.metric, rows),
        pool=categories(pool, rows),
        correct=known.correct[rows] == 1,
        margin=known.margin[rows],
    )


def said(store: Store, run_id: str, setting: Setting, metrics: Sequence[str]) -> Said:
    """Cells, reasons and ties by these metrics, where an item has no verdict, too."""
    items, known, _ = _known(store, run_id, setting, metrics)
    rows = _in_order(known, metrics)
    cell, reason, metric = (Words(of.codes[rows], of.names) for of in (known.cell, known.reason, known.metric))
    return Said(
        items.item_no[known.item[rows]], known.query[rows], metric, known.ties[rows].astype(np.intp), cell, reason
    )


def _known(store: Store, run_id: str, setting: Setting, metrics: Sequence[str]) -> tuple[Items, Verdicts, Words]:
    """The items of the benchmark, the run's verdicts by these metrics and perhaps others, and the pool of each."""
    found = stored(store, run_id, setting, metrics)
    return judged_anew.verdicts(store, run_id, setting) if found is None else found


def stored(store: Store, run_id: str, setting: Setting, metrics: Sequence[str]) -> tuple[Items, Verdicts, Words] | None:
    """The same as stored of a default setting; None where nothing is, or a pool cannot be told."""
    if not setting.is_default or setting.kind == Kind.PRIOR:
        return None
    items, known = columns.verdicts(store, run_id, setting)
    names = [name for name in known.metric.names if name in metrics]
    of_pools = [name for name in names if "_recall_at_" in name]
    sizes = _sizes(store.cursor(), run_id, setting, of_pools) if of_pools else {}
    if not names or sizes is None:
        return None
    pools = tuple(dict.fromkeys(size for size in sizes.values() if size))
    if not pools:
        return items, known, Words(np.full(len(known.item), -1, dtype=np.int8), ())
    of = np.array(
        [*(pools.index(sizes[name]) if sizes.get(name) else -1 for name in items.subset.names), -1], dtype=np.int32
    )
    inside = known.metric.among(of_pools)
    return items, known, Words(np.where(inside, of[items.subset.codes[known.item]], np.int32(-1)), pools)


def coded(values: "pd.Series[str]") -> Words:
    """A column of words, categorical or not, as numbers; -1 where there is none.

    >>> coded(pd.Series(["a", "", "a"], dtype="category")).codes.tolist()
    [0, 1, 0]
    """
    codes, names = pd.factorize(values)
    return Words(codes.astype(np.int32), tuple(str(name) for name in names))


def categories(words: Words, rows: NDArray[np.intp] | None = None) -> "pd.Categorical[str]":
    """Words as a categorical column, "" where there is none. rows: only these, and "" where one is -1.

    >>> categories(Words(np.array([0, -1, 1], dtype=np.int8), ("a", "b")), np.array([2, -1, 1])).tolist()
    ['b', '', '']
    """
    codes: NDArray[np.int32] = words.codes.astype(np.int32)
    if rows is not None:
        codes = np.where(rows >= 0, codes[rows], -1) if len(codes) else np.full(len(rows), -1, dtype=np.int32)
    if "" in words.names:
        return pd.Categorical.from_codes(np.where(codes < 0, words.names.index(""), codes), _index(words.names))
    return pd.Categorical.from_codes(codes + 1, _index(["", *words.names]))


def _index(names: Sequence[str]) -> "pd.Index[str]":
    return pd.Index(list(names), dtype="str")


def _in_order(known: columns.Verdicts, metrics: Sequence[str]) -> NDArray[np.intp]:
    """Where the verdicts by these metrics are, by item and query, and as they are stored where these do not tell."""
    rows = np.flatnonzero(known.metric.among(metrics))
    item, query = known.item[rows], known.query[rows]
    step = np.diff(item)
    if (step < 0).any() or (np.diff(query)[step == 0] < 0).any():
        rows = rows[np.lexsort((rows, query, item))]
    return rows


def _items(store: Store, items: columns.Items) -> pd.DataFrame:
    """The items of a benchmark in their order: item_no, OF_ITEMS; cluster is a number."""

    def joined(words: Words) -> "pd.Categorical[str]":
        codes, names = pd.factorize(np.array([JOIN.join(of) for of in columns.lists(words)], dtype=object))
        return categories(Words(codes.astype(np.int32)[words.codes], tuple(map(str, names))))

    def make() -> pd.DataFrame:
        asked = "SELECT item_id, cluster FROM items WHERE benchmark = ? ORDER BY item_no"
        table: pa.Table = store.cursor().sql(asked, params=[items.benchmark]).to_arrow_table()
        clusters = table["cluster"].combine_chunks().dictionary_encode().indices
        return pd.DataFrame(
            {
                "item_no": items.item_no,
                "item_id": table["item_id"].to_pandas(),
                "subset": categories(items.subset),
                "concept": joined(items.concepts),
                "perturbation": joined(items.perturbations),
                "cluster": clusters.fill_null(-1).to_numpy().astype(np.int64),
            }
        )

    return store.cached(("items compared", items.benchmark), make)


def _sizes(
    cursor: duckdb.DuckDBPyConnection, run_id: str, setting: Setting, metrics: Sequence[str]
) -> dict[str, str] | None:
    """Subset -> "" or the size of its pool, which is only a labelled part of it, as the rates that are kept by subset
    name their groups; None where they name none, or two of one subset."""
    binds = {"run": run_id, "kind": setting.kind, "metrics": list(metrics)}
    said = cursor.execute(
        """SELECT DISTINCT "group" FROM rates
        WHERE run_id = $run AND kind = $kind AND "by" = 'subset' AND list_contains($metrics::VARCHAR[], metric)""",
        binds,
    ).fetchall()
    judged = cursor.execute(
        """SELECT DISTINCT i.subset FROM outcomes o JOIN items i ON i.item_no = o.item_no
            AND i.benchmark = (SELECT benchmark FROM runs WHERE run_id = $run)
        WHERE o.run_id = $run AND o.kind = $kind AND list_contains($metrics::VARCHAR[], o.metric)""",
        binds,
    ).fetchall()
    groups, found = {str(name) for (name,) in said}, dict[str, str]()
    for (subset,) in judged:
        own = [group for group in groups if group == subset or group.startswith(f"{subset} (")]
        if len(own) != 1:
            return None
        found[str(subset)] = own[0].removeprefix(str(subset)).removeprefix(" (").removesuffix(")")
    return found

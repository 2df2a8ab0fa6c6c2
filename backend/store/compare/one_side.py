"""The verdicts of one side, read as columns from what is stored of it: numbers, and words as categories.

A million words that become Python's take longer than everything that is asked of them, so none does: what repeats
(metric, pool, subset, concept, change, cell, reason) is categorical, and ids stay where Arrow has them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from backend.items import Kind
from backend.store.build.store import Store
from backend.store.failures import columns
from backend.store.failures.columns import Words
from backend.store.scores.matrices import JOIN
from backend.store.scores.setting import Setting

#: Of an item, as a frame of verdicts has it.
OF_ITEMS = ("item_id", "subset", "concept", "perturbation", "cluster")
#: Columns of `stored` that are categorical.
CATEGORIES = ("metric", "pool", "subset", "concept", "perturbation")


@dataclass(frozen=True)
class Said:
    """What stands beside n verdicts in item order. item_no, query int64 (n,); ties int (n,); metric, cell, reason:
    words, "" or none where not measured."""

    item_no: NDArray[np.int64]
    query: NDArray[np.int64]
    metric: Words
    ties: NDArray[np.intp]
    cell: Words
    reason: Words


def is_kept(setting: Setting) -> bool:
    """Whether verdicts under a setting are stored at all."""
    return setting.is_default and setting.kind != Kind.PRIOR


def stored(store: Store, run_id: str, setting: Setting, metrics: Sequence[str]) -> pd.DataFrame | None:
    """The defined verdicts by these metrics in item order, those of `outcomes.compute`: item_no, query, OF_ITEMS,
    metric, pool, correct, margin, CATEGORIES categorical. None where they are not stored."""
    if not is_kept(setting):
        return None
    items, known = columns.verdicts(store, run_id, setting)
    names = [name for name in known.metric.names if name in set(metrics)]
    of_pools = [name for name in names if "_recall_at_" in name]
    sizes = _sizes(store.cursor(), run_id, setting, of_pools) if of_pools else {}
    if not names or sizes is None:
        return None
    rows = _in_order(known, names)
    rows = rows[known.correct[rows] != columns.UNDEFINED]
    frame: pd.DataFrame = _items(store, items).take(known.item[rows]).reset_index(drop=True)
    metric = categories(known.metric, rows)
    return frame.assign(
        query=known.query[rows].astype(np.int64),
        metric=metric,
        pool=_pools(metric, frame["subset"], of_pools, sizes),
        correct=known.correct[rows] == 1,
        margin=known.margin[rows],
    )


def said(store: Store, run_id: str, setting: Setting, metrics: Sequence[str]) -> Said | None:
    """Cells, reasons and ties of the verdicts by these metrics, as stored; None where they are not."""
    if not is_kept(setting):
        return None
    items, known = columns.verdicts(store, run_id, setting)
    rows = _in_order(known, metrics)
    if not len(rows):
        return None
    cell, reason, metric = (Words(of.codes[rows], of.names) for of in (known.cell, known.reason, known.metric))
    ties = known.ties[rows].astype(np.intp)
    return Said(items.item_no[known.item[rows]], known.query[rows].astype(np.int64), metric, ties, cell, reason)


def said_in(frame: pd.DataFrame) -> Said:
    """The same out of a frame of `outcomes.compute`."""
    number, query = (frame[name].to_numpy(dtype=np.int64) for name in ("item_no", "query"))
    metric, cell, reason = (coded(frame[name]) for name in ("metric", "cell", "reason"))
    return Said(number, query, metric, frame["ties"].fillna(0).to_numpy(dtype=np.intp), cell, reason)


def coded(values: pd.Series) -> Words:
    """A column of words, categorical or not, as numbers; -1 where there is none.

    >>> coded(pd.Series(["a", "", "a"], dtype="category")).codes.tolist()
    [0, 1, 0]
    """
    codes, names = pd.factorize(values)
    return Words(codes.astype(np.int32), tuple(str(name) for name in names))


def categories(words: Words, rows: NDArray[np.intp] | None = None) -> pd.Categorical:
    """Words as a categorical column, "" where there is none. rows: only these, and "" where one is -1.

    >>> categories(Words(np.array([0, -1, 1], dtype=np.int8), ("a", "b")), np.array([2, -1, 1])).tolist()
    ['b', '', '']
    """
    codes: NDArray[Any] = words.codes.astype(np.int32)
    if rows is not None:
        codes = np.where(rows >= 0, codes[rows], -1) if len(codes) else np.full(len(rows), -1, dtype=np.int32)
    if "" in words.names:
        codes, names = np.where(codes < 0, words.names.index(""), codes), list(words.names)
    else:
        codes, names = codes + 1, ["", *words.names]
    return pd.Categorical.from_codes(codes, names, validate=False)


def _in_order(known: columns.Verdicts, metrics: Sequence[str]) -> NDArray[np.intp]:
    """Where the verdicts by these metrics are, by item and query, and as they are stored where these do not tell."""
    rows = np.flatnonzero(known.metric.among(metrics))
    item, query = known.item[rows], known.query[rows]
    step = np.diff(item)
    if (step < 0).any() or (np.diff(query)[step == 0] < 0).any():
        rows = rows[np.lexsort((rows, query, item))]
    return rows


def _pools(
    metric: pd.Categorical, subset: pd.Series, of_pools: Sequence[str], sizes: Mapping[str, str]
) -> pd.Categorical:
    """The pool of each verdict: "" but for recalls on a labelled part of a subset."""
    names = list(dict.fromkeys(["", *sizes.values()]))
    of = np.array([*(names.index(sizes.get(str(name), "")) for name in subset.cat.categories), 0], dtype=np.int8)
    inside = np.array([name in of_pools for name in metric.categories])[metric.codes] if len(metric) else False
    return pd.Categorical.from_codes(np.where(inside, of[subset.cat.codes], 0), names, validate=False)


def _items(store: Store, items: columns.Items) -> pd.DataFrame:
    """The items of a benchmark in their order: item_no, OF_ITEMS; cluster is a number."""

    def joined(words: Words) -> pd.Categorical:
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

"""Which cells the items of a bundle's run have in a part that says it is complete, and whether these are all."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from backend.engine.plan import LABELLED_IMAGES, LABELLED_TEXTS, T2T_PAIRS
from backend.items import SIMILARITIES, Kind, Protocol
from backend.store.exchange.coverage import PROTOCOLS, Mask, Shapes

#: Distinct cells of each item, by what the part is; `a` and `b` are its texts. A verdict's are counted in two ways.
_PAIRS = ", ".join(f"({a}, {b})" for a, b in T2T_PAIRS)
_COUNTED = {
    "vectors": 'count(DISTINCT "index")',
    "t2t": f"count(DISTINCT (text_index, text_index_b)) FILTER ((text_index, text_index_b) IN ({_PAIRS}))",
    "contests": "count(DISTINCT (image_index, text_index_b)) FILTER (text_index = 0 AND text_index_b > 0)",
    "paraphrases": "count(DISTINCT (image_index, text_index)) FILTER (text_index < 2 AND text_index_b = 2)",
    "samples": "count(DISTINCT (text_index, sample))",
    "texts": "count(DISTINCT text_index)",
    "pairs": "count(DISTINCT (image_index, text_index))",
}


def with_all(connection: duckdb.DuckDBPyConnection, part: str, paths: Sequence[str], shapes: Shapes) -> Mask:
    """Which items have every cell of a part that `engine.plan` gives an item by itself, bool (n,). Of a pool's items
    those that have any: what a pool is owed is told by `pool_lacks`."""
    by = {name: _counts(connection, _COUNTED[name], paths, len(shapes.images)) for name in _needed(part)}
    pooled = shapes.protocol == PROTOCOLS.index(Protocol.RETRIEVAL)
    if "vectors" in by:
        return by["vectors"] >= (shapes.images if part.endswith(":image") else shapes.texts)
    if "t2t" in by:
        return by["t2t"] >= len(T2T_PAIRS)
    if "contests" in by:
        triplet = shapes.protocol == PROTOCOLS.index(Protocol.TRIPLET)
        owed = shapes.images * np.where(triplet, 2, np.maximum(shapes.texts - 1, 1))
        return np.asarray(np.where(triplet, by["paraphrases"], by["contests"]) >= owed)
    if part.startswith("prior@"):
        found, owed = next(iter(by.values())), shapes.texts * (samples_of(part) or 1)
    else:
        found, owed = by["pairs"], shapes.images * shapes.texts
    return np.asarray(np.where(pooled, found > 0, found >= owed))


def pool_lacks(connection: duckdb.DuckDBPyConnection, part: str, paths: Sequence[str], shapes: Shapes) -> int:
    """How many items of a pool's labelled part lack cells, in pools of which the part has any: each of the first images
    with each of the first texts, as `engine.plan` has it. 0 where it is not known which items were picked."""
    if shapes.pools is None or shapes.n_picked is not None or not (part in SIMILARITIES or part.startswith("prior@")):
        return 0
    counted = _COUNTED[_needed(part)[0]]
    found, n = _counts(connection, counted, paths, len(shapes.images)), 0
    for pool in np.unique(shapes.pools[shapes.pools >= 0]):
        members = np.flatnonzero((shapes.pools == pool) & shapes.selected)
        if not found[members].any():
            continue
        before = np.cumsum(shapes.texts[members]) - shapes.texts[members]
        owned = np.clip(LABELLED_TEXTS - before, 0, shapes.texts[members])
        if part.startswith("prior@"):
            n += int((found[members] < owned * (samples_of(part) or 1)).sum())
        else:
            first = members[:LABELLED_IMAGES]
            n += int((found[first] < shapes.images[first] * owned.sum()).sum())
    return n


def samples_of(part: str) -> int | None:
    """How many null images a prior's part is sampled under; None for a blind model's and for every other part.

    >>> samples_of("prior@noise:3"), samples_of("prior@images:20@train-0a1b2c3d"), samples_of("prior@lm:bundled:lm")
    (3, 20, None)
    """
    how, _, rest = part.removeprefix("prior@").partition(":")
    number = rest.partition("@")[0]
    return int(number) if part.startswith("prior@") and how in ("noise", "images") and number.isdecimal() else None


def _needed(part: str) -> tuple[str, ...]:
    if part.startswith("embeddings:"):
        return ("vectors",)
    if part == Kind.T2T:
        return ("t2t",)
    if part == Kind.VERDICT:
        return ("contests", "paraphrases")
    if part.startswith("prior@"):
        return ("texts",) if samples_of(part) is None else ("samples",)
    return ("pairs",)


def _counts(connection: duckdb.DuckDBPyConnection, counted: str, paths: Sequence[str], n: int) -> NDArray[np.int64]:
    """Of each item, int64 (n,); 0 for one without rows."""
    counts = np.zeros(n, np.int64)
    if paths:
        query = f"SELECT item_no, {counted} AS n FROM read_parquet(?) GROUP BY item_no"
        found = connection.execute(query, [list(paths)]).fetchnumpy()
        counts[np.asarray(found["item_no"], np.int64)] = found["n"]
    return counts


def check_tokens(
    connection: duckdb.DuckDBPyConnection, folder: Path, part: str, parts: Mapping[str, Any], shapes: Shapes
) -> None:
    """The tokens of a part are those that its scores are sums of: each score outside a pool has its tokens where both
    say that they are complete, as many as it says, with its sum. ValueError with the first item of which that is not
    so. parts: of the manifest."""
    of = part.removeprefix("tokens:")
    if of not in parts:
        raise ValueError(f"it has part {part} without part {of}, of whose scores these are the tokens")
    here, sums = ([str(folder / str(shard["file"])) for shard in parts[name]["shards"]] for name in (part, of))
    if not here and not sums:
        return
    whole = parts[part]["complete"] and parts[of]["complete"]
    key = "item_no, image_index, text_index, sample"
    empty = "SELECT 0 AS item_no, 0 AS image_index, 0 AS text_index, 0 AS sample, {} WHERE false"
    tokens = (
        f"SELECT {key}, len(logprobs) AS n, list_sum(logprobs) AS total FROM read_parquet($here)"
        if here
        else empty.format("0 AS n, 0.0 AS total")
    )
    scores = (
        f"SELECT {key}, n_tokens, value FROM read_parquet($sums)"
        if sums
        else empty.format("0 AS n_tokens, 0.0 AS value")
    )
    pooled = np.flatnonzero(shapes.protocol == PROTOCOLS.index(Protocol.RETRIEVAL)).astype(np.int32)
    connection.execute("CREATE OR REPLACE TEMP TABLE pooled (item_no INTEGER)")
    if len(pooled):
        connection.execute("INSERT INTO pooled SELECT unnest($items)", {"items": pooled.tolist()})
    wrong = connection.execute(
        f"""WITH t AS ({tokens}), s AS ({scores})
        SELECT item_no, s.value, t.total, s.n_tokens, t.n FROM s FULL JOIN t USING ({key})
        WHERE s.n_tokens <> t.n OR abs(s.value - t.total) > {CLOSE} * greatest(1, abs(s.value))
            OR ($whole AND s.value IS NULL)
            OR ($whole AND t.n IS NULL AND item_no NOT IN (SELECT item_no FROM pooled))
        ORDER BY item_no LIMIT 1""",
        {"whole": whole} | ({"here": here} if here else {}) | ({"sums": sums} if sums else {}),
    ).fetchone()
    if wrong is None:
        return
    item, value, total, n_tokens, n = wrong
    if value is None:
        raise ValueError(f"item {item} has tokens in part {part} of a score that part {of} does not have")
    if n is None:
        raise ValueError(f"item {item} has a score in part {of} whose tokens part {part} lacks")
    if n != n_tokens:
        raise ValueError(f"item {item} has {n:,} tokens in part {part}, and part {of} says {n_tokens:,}")
    raise ValueError(f"item {item} has tokens in part {part} that sum to {total:.6g}, and part {of} says {value:.6g}")


#: How far a sum of tokens may lie from its score, relative to scores beyond one: what half precision loses.
CLOSE = 1e-3

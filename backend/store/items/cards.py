"""The items of a gallery, all at once: what a card shows of them, which is all but scores and tokens."""

import json
from collections.abc import Sequence

import numpy as np
import pandas as pd

from backend.benchmarks.winoground_stub import tags_that_say
from backend.store.build.store import Store
from backend.store.catalog import catalog
from backend.store.items.detail import ItemDetail, item
from backend.store.items.shortlist import MOST, shortlist
from backend.store.rates import asking_orders
from backend.store.reasons.evidence import NUMBERS

_NOTHING = pd.DataFrame(columns=["model", "run_id", "part", "image_index", "text_index", "text_index_b", "sample",
                                 "value", "n_tokens", "tokens", "logprobs"])  # fmt: skip


def card_items(store: Store, benchmark: str, item_ids: Sequence[str]) -> dict[str, ItemDetail]:
    """Item id -> the item of a benchmark (hash), as `detail.item` gives it but with empty `scores` and `tokens`, in
    three queries however many there are; unknown ids are left out.

    An item of very many texts comes as its shortlist, which rests on its scores.
    """
    cursor, ids = store.cursor(), list(dict.fromkeys(item_ids))
    rows = cursor.execute(
        """SELECT item_no, item_id, subset, protocol, texts, image_keys, image_uris, truth, tags, source FROM items
        WHERE benchmark = ? AND item_id IN (SELECT unnest(?::VARCHAR[]))""",
        [benchmark, ids],
    ).fetchall()
    numbers = [row[0] for row in rows]
    runs = catalog.models(store, benchmark)["run_id"].to_list()

    def about(table: str, columns: Sequence[str], order: str) -> pd.DataFrame:
        return cursor.execute(
            f"""SELECT x.item_no, r.model, x.run_id, {", ".join(columns)} FROM ({store.rows_of(table, runs)}) x
            JOIN (SELECT run_id, model FROM runs) r USING (run_id)
            WHERE x.item_no IN (SELECT unnest(?::INTEGER[])) ORDER BY x.item_no, r.model, {order}""",
            [numbers],
        ).df()

    outcomes = about("outcomes", ("kind", "metric", "query", "correct", "margin", "ties"), "kind, metric, query")
    evidence = about("evidence", ("kind", *NUMBERS), "kind")
    verdicts, reasons = _by_item(asking_orders.with_margins(store, outcomes), numbers), _by_item(evidence, numbers)
    found = {}
    for number, item_id, subset, protocol, texts, keys, uris, truth, tags, source in rows:
        if protocol == "classify" or (len(texts) > MOST and protocol != "retrieval"):
            found[str(item_id)] = shortlist(item(store, benchmark, str(item_id)))
            continue
        found[str(item_id)] = ItemDetail(
            benchmark, int(number), str(item_id), str(subset), str(protocol), list(texts), list(keys), list(uris),
            [(int(i), int(t)) for i, t in json.loads(truth or "[]")],
            tags_that_say(list(texts), json.loads(tags or "{}")), source or "", _NOTHING, _NOTHING,
            verdicts[number], reasons[number],
        )  # fmt: skip
    return found


def _by_item(frame: pd.DataFrame, numbers: Sequence[int]) -> dict[int, pd.DataFrame]:
    """The rows of each item, in their order and numbered anew, without `item_no`. frame: by ascending `item_no`, so
    that an item's rows are a slice, which copies nothing: of thirty columns each copy is a call of its own."""
    of, own, found = frame["item_no"].to_numpy(), frame.drop(columns="item_no"), {}
    for number in numbers:
        rows = own.iloc[slice(*np.searchsorted(of, [number, number + 1]))]
        rows.index = pd.RangeIndex(len(rows))
        found[number] = rows
    return found

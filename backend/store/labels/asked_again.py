"""Which choices on an edition compare with those on the original: those that were asked for in the same orders.

What the order of the captions does to an answer would else stand as what the edit does to it.
"""

from dataclasses import dataclass

import pandas as pd

from backend.items import Kind
from backend.store.build.stored_run import StoredRun
from backend.store.rates import same_orders

#: Edited items with a choice, whose original has one.
_BOTH = """
SELECT DISTINCT p.item_no, i.item_no AS edited_no, i.item_id AS edited_id
FROM outcomes n JOIN runs r ON r.run_id = n.run_id
JOIN items i ON i.benchmark = r.benchmark AND i.item_no = n.item_no
JOIN items p ON p.benchmark = $benchmark AND p.item_id = json_extract_string(i.tags, '$.origin[0]')
JOIN outcomes w ON w.run_id = $run AND w.kind = n.kind AND w.item_no = p.item_no
WHERE n.run_id = $edited AND n.kind = $kind ORDER BY ALL
"""


@dataclass(frozen=True)
class LeftOut:
    """Choices of one model on editions that are compared with none on the originals. n: how many, of `of` edited items
    with a choice on both sides; was, now: how most of these originals and edits were asked, for a sentence; several:
    whether some were asked yet otherwise."""

    model: str
    n: int
    of: int
    was: str
    now: str
    several: bool


def asked_again(run: StoredRun, edited: str) -> pd.DataFrame:
    """Edited items that a run on an edition (id) has a choice on, as the run itself has on their originals: item_no (of
    the original), edited_no, edited_id, was, now (how each was asked, in words), same (whether in the same orders)."""

    def make() -> pd.DataFrame:
        other = StoredRun(run.cursor, edited, cached=run.cached)
        binds = {"benchmark": run.benchmark, "run": run.run_id, "edited": edited, "kind": str(Kind.VERDICT)}
        found = run.cursor.execute(_BOTH, binds).df()
        was = same_orders.of_items(run, found["item_no"].to_numpy())
        now = same_orders.of_items(other, found["edited_no"].to_numpy())
        said = {
            side: list(map(same_orders.words, orders.names, orders.times.tolist()))
            for side, orders in (("was", was), ("now", now))
        }
        return found.assign(**said, same=same_orders.same(was, now))

    return make() if run.cached is None else run.cached(("asked again", run.run_id, edited), make)


def comparable(run: StoredRun, kind: str, edited: str) -> bool:
    """Whether anything that a run on an edition (id) says under a kind compares with what the run itself says: scores
    do not depend on an order."""
    return kind != Kind.VERDICT or bool(asked_again(run, edited)["same"].any())


def left_out(model: str, tables: list[pd.DataFrame]) -> LeftOut | None:
    """What is left out of a model's editions, together; None where nothing is. tables: as `asked_again` gives them."""
    every = pd.concat(tables, ignore_index=True)
    rows = every[~every["same"].to_numpy(dtype=bool)]
    if rows.empty:
        return None
    ways = rows.groupby(["was", "now"]).size().sort_values(ascending=False, kind="stable")
    was, now = ways.index[0]
    return LeftOut(model, len(rows), len(every), str(was), str(now), len(ways) > 1)

"""A choice between captions that was asked for in several orders: each order's own rate, and their mean."""

from typing import Any

import numpy as np
import pandas as pd

from backend.items import Kind
from backend.store.reader import Store

#: Parts that hold one order of asking: `verdict@positive-first`.
ORDER = f"{Kind.VERDICT}@"
MEAN = "mean"

#: An item is right where the true text won every contest of this order: of a quad's second image that is text 1.
_RIGHT = """
SELECT s.part[length($prefix) + 1:] AS name, i.subset,
    bool_and(CASE WHEN i.protocol = 'quad' AND s.image_index = 1 THEN s.value < 0.5 ELSE s.value > 0.5 END) AS correct,
    bool_or(s.value = 0.5) AS undecided
FROM scores s JOIN items i ON i.item_no = s.item_no AND i.benchmark = (SELECT benchmark FROM runs WHERE run_id = $run)
WHERE s.run_id = $run AND starts_with(s.part, $prefix)
    AND ($subset::VARCHAR IS NULL OR list_contains(string_split($subset, ','), i.subset))
GROUP BY s.part, i.subset, s.item_no
"""


def orders(store: Store, run_id: str, subset: str | None = None) -> dict[str, Any] | None:
    """{"all": {order: {"value", "n", "neither"}, "mean": {"value", "n"}}, "by_subset": {subset: the same}}.

    None for a run without orders of asking. value: the share of items whose true text was chosen; neither: items in
    which one contest had no winner. mean: the plain mean of the orders' rates, as SugarCrepe's authors print GPT-4V's.
    """
    binds = {"run": run_id, "prefix": ORDER, "subset": subset}
    frame = store.cursor().execute(_RIGHT, binds).df()
    if frame.empty:
        return None
    parts = {str(name): part for name, part in frame.groupby("subset", sort=True)}
    return {"all": _rates(frame), "by_subset": {name: _rates(part) for name, part in parts.items()}}


def _rates(frame: pd.DataFrame) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for name, part in frame.groupby("name", sort=True):
        value = float(part["correct"].mean())
        found[str(name) or "unnamed"] = {"value": value, "n": len(part), "neither": int(part["undecided"].sum())}
    n = min(entry["n"] for entry in found.values())
    mean = float(np.mean([entry["value"] for entry in found.values()]))
    return {**found, MEAN: {"value": mean, "n": n}}

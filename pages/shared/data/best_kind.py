"""By which score kind a model is shown where a reader has chosen none: one rule, whatever the columns or lines are."""

import pandas as pd

from backend.items import IMAGE_KINDS
from backend.metrics.core.registry import by_name

#: The choice of a score kind that leaves it to the rule.
BEST = "best"
#: The rule in words.
RULE = "its rates are highest by, on average over the subsets"


def kind_of(rates: pd.DataFrame, wanted: str) -> str | None:
    """The kind that a model's row shows: the wanted one, or the image kind with the highest mean rate on what all
    its kinds have judged (a pool is not compared with a part of it). rates: of one model, by subset.

    >>> frame = pd.DataFrame({"kind": ["itc", "itm"], "group": "a", "metric": "accuracy", "value": [0.2, 0.4]})
    >>> kind_of(frame, "best"), kind_of(frame, "itc"), kind_of(frame, "gen")
    ('itm', 'itc', None)
    """
    kinds = [kind for kind in dict.fromkeys(rates["kind"]) if kind in IMAGE_KINDS]
    if wanted != BEST:
        return wanted if wanted in set(rates["kind"]) else None
    if len(kinds) == 1:  # nothing to choose from, so no means are taken
        return str(kinds[0])
    if kinds:
        metrics = [by_name(str(name)) for name in rates["metric"]]
        shares = rates[[metric.share and metric.direction == "higher" for metric in metrics]]
        table = (shares if len(shares) else rates)[lambda frame: frame["kind"].isin(kinds)].pivot_table(
            "value", ["group", "metric"], "kind", sort=False
        )
        means = table.dropna().mean() if len(table.dropna()) else table.mean()
        return str(means.idxmax()) if means.notna().any() else kinds[0]
    rest = list(dict.fromkeys(rates["kind"]))
    return rest[0] if rest else None


def best_kinds(rates: pd.DataFrame) -> dict[str, str]:
    """Model -> the kind that it is shown by under every grouping. rates: of all models, by subset.

    >>> frame = pd.DataFrame({"kind": ["itc", "itm"], "group": "a", "metric": "accuracy", "value": [0.2, 0.4]})
    >>> best_kinds(frame.assign(model="m"))
    {'m': 'itm'}
    """
    found = {str(model): kind_of(own, BEST) for model, own in rates.groupby("model", sort=False)}
    return {model: kind for model, kind in found.items() if kind is not None}

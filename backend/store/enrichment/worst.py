"""Which part of a benchmark to look at first: the one on which even the best model does badly."""

from collections.abc import Mapping, Sequence

import pandas as pd

from backend.items import Kind, Protocol
from backend.store.build.store import Store
from backend.store.rates.rates import HEADLINES


def plain_rates(store: Store, benchmark: str) -> pd.DataFrame:
    """The share of right items by model, kind and group (the subset) of a benchmark (hash), in each protocol's own
    metric at default settings: without intervals, in a moment. Columns: model, kind, group, value."""
    cursor, binds = store.cursor(), {"benchmark": benchmark, "metrics": list(HEADLINES)}
    counted = cursor.execute(
        """SELECT r.run_id, j.kind FROM judged j JOIN runs r USING (run_id) WHERE r.benchmark = $benchmark
            AND j.kind <> '' AND NOT EXISTS (SELECT 1 FROM rates t WHERE t.run_id = j.run_id AND t.kind = j.kind)""",
        {"benchmark": benchmark},
    ).fetchall()  # those of which no rates are kept; of all others none of the outcomes has to be read
    return cursor.execute(
        """SELECT model, kind, "group", sum(k) / nullif(sum(n), 0) AS value FROM (
            SELECT r.model, t.kind, t."group", coalesce(round(t.value * t.n), 0) AS k, t.n
            FROM rates t JOIN runs r USING (run_id)
            WHERE r.benchmark = $benchmark AND t."by" = 'subset' AND list_contains($metrics::VARCHAR[], t.metric)
            UNION ALL
            SELECT r.model, o.kind, i.subset, coalesce(sum(o.correct::INTEGER), 0), count(o.correct)
            FROM outcomes o JOIN runs r USING (run_id)
            JOIN items i ON i.benchmark = r.benchmark AND i.item_no = o.item_no
            WHERE o.run_id IN (SELECT unnest($runs::VARCHAR[])) AND list_contains($metrics::VARCHAR[], o.metric)
                AND list_contains($pairs::VARCHAR[], concat(o.run_id, ' ', o.kind))
            GROUP BY ALL)
        GROUP BY ALL ORDER BY ALL""",
        binds | {"runs": [run for run, _ in counted], "pairs": [f"{run} {kind}" for run, kind in counted]},
    ).df()  # fmt: skip


def worst_part(rates: pd.DataFrame, models: Sequence[str], protocols: Mapping[str, str]) -> str | None:
    """The subset on which the best of some models is worst: failures there are no one model's.

    rates: model, kind, group (the subset), value of each protocol's own metric; similarities alone count. protocols:
    subset -> protocol. Among quads where there are some, since rates of different protocols have different chance
    levels; else among all subsets but classification. Of equal ones the first. None where nothing is known.

    >>> rates = pd.DataFrame({"model": ["a", "b"] * 2, "group": ["x", "x", "y", "y"], "value": [0.1, 0.9, 0.5, 0.6]})
    >>> rates["kind"] = "itc"
    >>> worst_part(rates, ["a", "b"], {"x": "quad", "y": "quad"})
    'y'
    """
    quads = [name for name, protocol in protocols.items() if protocol == Protocol.QUAD]
    listed = quads or [name for name, protocol in protocols.items() if protocol != Protocol.CLASSIFY]
    of_vectors = rates["kind"].isin([str(Kind.ITC), str(Kind.T2T)])
    here = of_vectors & rates["model"].isin(list(models)) & rates["group"].isin(listed)
    known = rates[here].dropna(subset=["value"])
    best = known.groupby("group")["value"].max()
    return min((name for name in listed if name in best.index), key=lambda name: best[name], default=None)

"""How many of a benchmark's items a run has judged: a rate of some of them is no rate of all, though it looks the same.

Counted by item, in the protocols whose items are judged by themselves; a part of a pool names its size in its group.
"""

from collections.abc import Hashable, Sequence
from typing import Final

from backend.metrics.core import registry
from backend.protocols import ALONE, Protocol
from backend.store.build.store import Store
from backend.store.rates import kept, shares
from backend.store.scores.matrices import JOIN
from backend.store.scores.setting import Setting

#: A run that has judged so much of a protocol's items is said to be of all of them, where it is compared with others.
WHOLE: Final = 0.95

#: Of kinds whose rates are not kept: how many items of a subset have a verdict by the metrics that decide.
_JUDGED = """
SELECT i.protocol, i.subset, count(o.correct)::BIGINT
FROM outcomes o JOIN items i ON i.item_no = o.item_no AND i.benchmark = (SELECT benchmark FROM runs WHERE run_id = $run)
WHERE o.run_id = $run AND o.kind = $kind AND o.query = -1 AND list_contains($metrics::VARCHAR[], o.metric)
GROUP BY ALL
"""
_ITEMS = f"""
SELECT item_no, subset, protocol, array_to_string(concepts, '{JOIN}') AS concept,
    array_to_string(perturbations, '{JOIN}') AS perturbation, tags, '' AS pool
FROM items WHERE benchmark = ? AND list_contains(?::VARCHAR[], protocol)
"""
#: The same where a group is a subset, or everything: counted where the items lie, of which there may be many.
_BY_SUBSET = """
SELECT protocol, CASE WHEN ? = 'subset' THEN subset ELSE ? END AS named, count(*)::BIGINT
FROM items WHERE benchmark = ? AND list_contains(?::VARCHAR[], protocol)
GROUP BY ALL ORDER BY min(item_no)
"""
_WHOLE_GROUPS: Final = {None: "", "all": "all", "subset": ""}


def totals(store: Store, benchmark: str, by: str | None) -> dict[tuple[str, str], int]:
    """(protocol, group) -> how many items of it a benchmark (hash) has, of protocols whose items are judged by
    themselves. by: as in `rates.rates`, but for cells and reasons, which no item has by itself."""

    def make() -> dict[tuple[str, str], int]:
        alone = [str(protocol) for protocol in ALONE]
        if by in _WHOLE_GROUPS:
            binds = [by or "", _WHOLE_GROUPS[by], benchmark, alone]
            rows = store.cursor().execute(_BY_SUBSET, binds).fetchall()
            return {(str(protocol), str(name)): int(n) for protocol, name, n in rows if name or by != "subset"}
        frame = store.cursor().execute(_ITEMS, [benchmark, alone]).df()
        found: dict[tuple[str, str], int] = {}
        for protocol, own in frame.groupby("protocol", sort=False):
            own = own.reset_index(drop=True)
            found |= {(str(protocol), group): len(at) for group, at in shares.groups(own, by)}
        return found

    return store.cached(("items of groups", benchmark, by), make)


def judged(store: Store, run_id: str, kind: str) -> dict[str, tuple[int, int]]:
    """Protocol -> (items with a verdict, items that the benchmark has), of protocols of which a run's kind has judged
    some items and not all."""

    def make() -> dict[str, tuple[int, int]]:
        benchmark = store.run(run_id).benchmark
        known = totals(store, benchmark, "subset")
        here: dict[tuple[str, str], int] = {}
        rows = kept.rows_of(store, run_id, Setting(kind), "subset")
        if rows is not None:
            for row in rows:
                metric = registry.known(str(row["metric"]))
                if metric is not None and metric.judge is not None and metric.protocol in ALONE:
                    at = str(metric.protocol), str(row["group"])
                    here[at] = max(here.get(at, 0), int(str(row["n"])))
        elif _all_at_once(store, run_id, kind) == sum(known.values()):
            return {}
        else:
            metrics = [name for protocol in ALONE if (name := registry.deciding(protocol, kind))]
            binds = {"run": run_id, "kind": kind, "metrics": metrics}
            for protocol, subset, n in store.cursor().execute(_JUDGED, binds).fetchall():
                here[str(protocol), str(subset)] = int(n)
        found = {}
        for protocol in dict.fromkeys(of for of, _ in here):
            n = sum(value for (of, _), value in here.items() if of == protocol)
            every = sum(value for (of, _), value in known.items() if of == protocol)
            if 0 < n < every:
                found[protocol] = (n, every)
        return found

    return store.cached(("judged in part", run_id, kind), make)


def _all_at_once(store: Store, run_id: str, kind: str) -> int:
    """How many items a run's kind has judged, whatever their protocol: read at once for all runs."""

    def make() -> dict[tuple[str, str], int]:
        rows = store.cursor().execute("SELECT run_id, kind, items::BIGINT FROM judged").fetchall()
        return {(str(run), str(of)): int(items or 0) for run, of, items in rows}

    return store.cached("items judged", make).get((run_id, kind), 0)


def said(store: Store, run_id: str, kind: str) -> str:
    """Which items a run's kind has judged, in words, where they are less than WHOLE of a protocol's; else "" ."""
    parts = {of: (n, every) for of, (n, every) in judged(store, run_id, kind).items() if n < WHOLE * every}
    return " and ".join(f"{n:,} of the {every:,} {Protocol(of).info.title}" for of, (n, every) in parts.items())


def marked(
    store: Store, run_id: str, kind: str, by: str | None, rows: Sequence[dict[Hashable, object]]
) -> list[dict[Hashable, object]]:  # fmt: skip
    """Rows of rates, each with `of`: how many items its group has, where the run has judged fewer; else None. What the
    whole benchmark asks nothing more of stays as it is: of most runs nothing is counted anew."""
    if by in ("cell", "reason") or not (parts := judged(store, run_id, kind)):
        return list(rows)
    known = totals(store, store.run(run_id).benchmark, by)
    found = []
    for row in rows:
        metric, of = registry.known(str(row["metric"])), None
        if metric is not None and metric.judge is not None and str(metric.protocol) in parts:
            every = known.get((str(metric.protocol), str(row["group"])))
            of = every if every is not None and int(str(row["n"])) < every else None
        found.append(row | {"of": of})
    return found

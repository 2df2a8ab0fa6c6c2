"""The widest gap of a heat map, tested: two models on the items of one column that both have judged."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from backend.store.build.store import Store
from backend.store.compare import compare
from backend.store.queries import Setting, Side
from pages.shared.data.best import setting_of
from pages.shared.data.findings import Widest
from pages.shared.data.frames import lines_of

#: How far a rate of the pair may be from the heat map's own and still be of the same verdicts.
_SAME = 1e-9


def paired(
    store: Store, runs: Mapping[str, str], found: Widest | None, by: str,
    judged: Mapping[str, Setting] = MappingProxyType({}),
) -> Any | None:  # fmt: skip
    """The best against the least: a row of `compare.against`, gains best − least. by: what the heat map's columns are,
    "subset", "concept" or "perturbation". judged: model -> setting where one is not judged as scored.

    None where there are not two rows, where columns are broader than the items' own labels, and where the two rates of
    the heat map are of other verdicts than those that both have.
    """
    if found is None or found.is_alone or by not in ("subset", "concept", "perturbation"):
        return None
    group, metric = found.column.key.split("\t")
    sides = [
        Side(runs[(model := row.key.partition("\t")[0])], setting_of(judged, model, kind))
        for row, kind in ((found.least, found.least_kind), (found.best, found.best_kind))
    ]
    both = compare.shared(store, sides, metric, (group,) if by == "subset" else ())
    for name, keep in compare.groups(both.frame, by):
        if name == group:
            row = next(r for r in lines_of(compare.against(both.only(keep), by)) if r.group == group)
            pairs = ((row.rate_a, found.least_cell), (row.rate_b, found.best_cell))
            same = all(c.value is not None and abs(rate - c.value) < _SAME and row.n == c.n for rate, c in pairs)
            return row if same else None
    return None

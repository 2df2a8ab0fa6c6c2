"""The matrix of edits and models: drops and flips with their intervals, over all seeds of an edit."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from backend.metrics import statistics
from backend.metrics.paired import flips
from backend.metrics.paired.multiplicity import holm
from backend.metrics.paired.signflip import sign_flip
from backend.metrics.statistics import Rate
from backend.store.build.store import Store
from backend.store.robustness.robustness import HEADLINE, RSUM, verdicts

#: How the tests of a matrix are corrected, as it is named where they are shown.
CORRECTION = "Holm's correction over all cells of the matrix"


@dataclass(frozen=True)
class Cell:
    """One model and kind under one column of the matrix. change: over all its editions; sums: the same of rsum, then
    change holds nothing. drops: the drop of each edition; wins: of `foils`, the share of captions that won. p: of "no
    drop", two-sided, exact over whole clusters (`signflip.sign_flip`; of rsum by their halves); holm: adjusted over
    all cells of the matrix that have one (CORRECTION). None without."""

    model: str
    kind: str
    column: str
    editions: tuple[str, ...]
    change: flips.Change
    sums: flips.SumChange | None
    drops: tuple[float, ...]
    wins: Rate | None = None
    p: float | None = None
    holm: float | None = None

    @property
    def spread(self) -> float | None:
        """Standard deviation of the drop between editions (n − 1); None for one edition."""
        known = [drop for drop in self.drops if drop == drop]
        return float(np.std(known, ddof=1)) if len(known) > 1 else None


def matrix(store: Store, parent: str, metric: str = HEADLINE, subset: str | None = None) -> list[Cell]:
    """All cells, of every model and kind that has been run on an edition; their tests are adjusted together."""

    def make() -> list[Cell]:
        frame = verdicts(store, parent, metric, subset)
        return adjusted(
            [
                cell(part, str(model), str(kind), str(column), metric)
                for (model, kind, column), part in frame.groupby(["model", "kind", "column"], sort=False)
            ]
        )

    return store.cached(("robustness matrix", parent, metric, subset), make)


def adjusted(cells: Sequence[Cell]) -> list[Cell]:
    """The cells with their p adjusted over all of them (CORRECTION): a matrix of forty tests finds two at .05 by its
    size alone."""
    each = holm([np.nan if one.p is None else one.p for one in cells])
    return [replace(one, holm=None if np.isnan(p) else float(p)) for one, p in zip(cells, each, strict=True)]


def cell(part: pd.DataFrame, model: str, kind: str, column: str, metric: str) -> Cell:
    """One cell, from its rows of `verdicts`."""
    each = [group for _, group in part.groupby(["seed", "hash"])]
    names = tuple(str(group["edition"].iloc[0]) for group in each)
    if column.endswith("+as_foils"):
        known = part[part["now"].notna()]
        rate = statistics.rate(known["now"].to_numpy(dtype=bool), clusters=known["cluster"].to_numpy())
        shares = tuple(float(group["now"].mean()) for group in each)
        return Cell(model, kind, column, names, flips.NOTHING, None, shares, rate)
    if metric == RSUM:
        sums = _summed(part)
        return Cell(model, kind, column, names, flips.NOTHING, sums, tuple(_drop(_summed(g)) for g in each), p=sums.p)
    found = flips.change(part["was"], part["now"], part["cluster"])
    drops = tuple(float((g["was"] - g["now"]).mean()) for g in each)
    known = part[part["was"].notna() & part["now"].notna()]
    # Two thousand halves know no p below .001, and times forty cells nothing would ever be found.
    p = sign_flip((known["now"] - known["was"]).to_numpy(), known["cluster"].to_numpy()) if len(known) else None
    return Cell(model, kind, column, names, found, None, drops, p=p)


def _summed(part: pd.DataFrame) -> flips.SumChange:
    return flips.sum_change(part["was"], part["now"], part["metric"], part["cluster"])


def _drop(found: flips.SumChange) -> float:
    return float("nan") if found.drop is None else found.drop

"""Where a run's quads lie: binding and biases in the model's own standard deviations, and what is lost where."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from backend.metrics.paired.resampling import where_shared
from backend.metrics.reasons import mirror, scales
from backend.metrics.reasons.mirror import Share
from backend.metrics.reasons.names import CELLS
from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.reasons import runs
from backend.store.scores.judged import judged_scores
from backend.store.scores.setting import Setting


def quads(store: Store, run_id: str, kind: str) -> pd.DataFrame:
    """One row a quad that has all four scores; empty without any.

    item_no, item_id, subset, concept, cluster; gamma, c, r (float64, in standard deviations of all scores that the run
    gave to the quads of the item's subset, on the scale of reasons), cell, mirrored, reason, nested, scale.
    """

    def make() -> pd.DataFrame:
        setting = Setting(kind)
        found = runs.of_run(store, run_id, setting, Protocol.QUAD)
        block, scores = judged_scores(store.run(run_id), setting, Protocol.QUAD)
        if not len(found) or block is None:
            return pd.DataFrame()
        scaled = scales.judged_on_scale(scores, kind, setting.norm).values
        found = found.set_index("item_no").reindex(block.items["item_no"]).reset_index()
        found = found.assign(**{name: block.items[name].array for name in ("item_id", "subset", "concept", "cluster")})
        known = found["gamma"].notna().to_numpy()
        unit = np.ones(len(found))
        for rows in found.groupby("subset", sort=False).indices.values():
            unit[rows] = (float(np.std(scaled[rows][known[rows]])) if known[rows].any() else 0.0) or 1.0
        found = found.assign(**{name: found[name].to_numpy(np.float64) / unit for name in ("gamma", "c", "r")})
        kept: pd.DataFrame = found[known].reset_index(drop=True).astype({"nested": bool})
        return kept

    return store.cached(("plane of reasons", run_id, kind), make)


@dataclass(frozen=True)
class Lost:
    """Where the points of n quads go. share: at least so many bind. cells: cell -> (quads in it, their decoys in it:
    what luck alone would put there). nested: quads whose scores' order alone does not decide."""

    n: int
    share: Share
    cells: dict[str, tuple[int, int]]
    nested: int


def lost(frame: pd.DataFrame) -> Lost:
    """Counts of some rows of `quads`."""
    of = {
        name: (int((frame["cell"] == name).sum()), int((frame["mirrored"] == name).sum()))
        for name in CELLS[Protocol.QUAD]
    }
    share = mirror.at_least(frame["gamma"], where_shared(frame["cluster"]))
    return Lost(len(frame), share, of, int(frame["nested"].sum()))

"""Where a run's quads lie: binding and biases in the model's own standard deviations, and what is lost where."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from backend.metrics.reasons import mirror, scales
from backend.metrics.reasons.mirror import Share
from backend.metrics.reasons.names import CELLS
from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.catalog.command_again import model_of
from backend.store.reasons import evidence, runs
from backend.store.scores import shared_clusters
from backend.store.scores.judged import judged_scores
from backend.store.scores.setting import Setting

#: Columns of the table `evidence`: what is brought into the unit, and words.
_AXES = ("gamma", "c", "r")
_WORDS = ("cell", "mirrored", "reason", "scale")


def quads(store: Store, run_id: str, kind: str) -> pd.DataFrame:
    """One row a quad that has all four scores; empty without any.

    item_no, item_id, subset, concept, cluster; gamma, c, r (float64, in standard deviations of all scores that the run
    gave to the quads of the item's subset, on the scale of reasons), cell, mirrored, reason, nested, scale.
    """

    def make() -> pd.DataFrame:
        setting, run = Setting(kind), store.run(run_id)
        if not runs.measured(run, Protocol.QUAD, kind):
            return pd.DataFrame()
        found = evidence.numbers(store, run_id, kind, Protocol.QUAD, (*_AXES, *_WORDS, "nested"))
        block, scores = judged_scores(run, setting, Protocol.QUAD)
        if not len(found) or block is None:
            return pd.DataFrame()
        found = found.filter(pc.is_valid(found["gamma"]))
        numbers = block.items["item_no"].to_numpy()
        at = np.minimum(np.searchsorted(numbers, found["item_no"].to_numpy()), len(numbers) - 1)
        scored = numbers[at] == found["item_no"].to_numpy()
        if not scored.all():
            found, at = found.filter(pa.array(scored)), at[scored]
        scaled = scales.judged_on_scale(scores, kind, setting.norm).values
        subset, _ = pd.factorize(block.items["subset"])
        unit = np.ones(len(at))
        for rows in (np.flatnonzero(subset[at] == code) for code in range(subset.max(initial=-1) + 1)):
            unit[rows] = (float(np.std(scaled[at[rows]])) if len(rows) else 0.0) or 1.0
        whole = len(at) == len(block)
        named = {name: block.items[name].array for name in ("item_id", "subset", "concept", "cluster")}
        columns: dict[str, object] = {"item_no": numbers[at].astype(np.int64)}
        columns |= {name: of if whole else of.take(at) for name, of in named.items()}
        columns |= {name: found[name].to_numpy() / unit for name in _AXES}
        columns |= {name: found[name].cast(pa.string()).to_pandas().array for name in _WORDS}
        nested = found["nested"].combine_chunks().to_numpy(zero_copy_only=False).astype(np.bool_)
        return runs.named(pd.DataFrame(columns | {"nested": nested}), kind, model_of(run))

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
    own, decoys = (frame[name].value_counts() for name in ("cell", "mirrored"))
    of = {name: (int(own.get(name, 0)), int(decoys.get(name, 0))) for name in CELLS[Protocol.QUAD]}
    share = mirror.at_least(frame["gamma"], shared_clusters.of_items(frame["cluster"]))
    return Lost(len(frame), share, of, int(frame["nested"].sum()))

"""How many items are brittle or near misses, with what that rests on: the edits that were scored of each item."""

from dataclasses import dataclass

import numpy as np

from backend.metrics import diagnosis, statistics
from backend.metrics.core.compare import from_margins
from backend.metrics.statistics import Rate
from backend.store.build.store import Store
from backend.store.catalog import catalog
from backend.store.labels import edited_captions


@dataclass(frozen=True)
class Counted:
    """One model and kind. items: verdicts of the run; editions: those scored; edits: median of them an item, of items
    with any. brittle, near_miss: shares of the items with evidence (one edit; `enough` edits), n = 0 without any.
    brittle_right: how many of the brittle ones were right before."""

    model: str
    kind: str
    run: str
    items: int
    editions: tuple[str, ...]
    edits: float
    brittle: Rate
    brittle_right: int
    near_miss: Rate
    enough: int = edited_captions.ENOUGH


def counts(store: Store, benchmark: str) -> list[Counted]:
    """For every model's default run on a benchmark (hash) and each kind with meaning-preserving editions."""

    def make() -> list[Counted]:
        found = []
        runs = catalog.models(store, benchmark)
        for model, run_id in zip(runs["model"], runs["run_id"], strict=True):
            run = store.run(str(run_id))
            for kind in dict.fromkeys(kind for kind, _, _ in edited_captions.editions_of(run)):
                seen = edited_captions.verdicts(run, kind)
                if seen is not None and len(seen.items):
                    found.append(_counted(str(model), kind, run.run_id, seen))
        return found

    return store.cached(("brittle", benchmark), make)


def _counted(model: str, kind: str, run: str, seen: edited_captions.Edited) -> Counted:
    own = from_margins(seen.items["margin"].to_numpy(dtype=float))
    brittle, evidence = diagnosis.brittle(own, seen.margins)
    near, enough = diagnosis.near_miss(own.margin, seen.margins, min_edits=edited_captions.ENOUGH)
    edits = (~np.isnan(seen.margins)).sum(axis=1)
    median = float(np.median(edits[edits > 0])) if (edits > 0).any() else 0.0
    return Counted(
        model, kind, run, len(own), tuple(seen.editions), median, statistics.rate(brittle, evidence),
        int((brittle & own.correct).sum()), statistics.rate(near, enough),
    )  # fmt: skip

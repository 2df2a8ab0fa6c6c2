"""How many samples an item's P(t) rests on: the effective sample size, named wherever something is debiased.

(sum w)^2 / sum w^2 with w_k = P(t | image k), the smaller of an item's texts, samples under its own images left out.
Where a few images decide P(t), what debiasing wins or loses is their doing: below ENOUGH_SAMPLES nothing debiased is
claimed of an item.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from backend.metrics.reasons.priors import ENOUGH_SAMPLES, fewest_samples
from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.build.stored_run import StoredRun
from backend.store.scores import drawn, matrices
from backend.store.scores.setting import Norm

#: Sources that sample images, or noise; a blind language model samples nothing.
SAMPLED = ("images", "noise")


def of_items(
    store: Store, run_id: str, prior: str | None = None, norm: Norm = "token", subset: str | None = None
) -> pd.DataFrame:
    """item_no, subset, samples, effective: one row an item that the source has scored; no row where it samples nothing.

    samples: how many are left without the item's own. effective: float64, of the text with the fewest; NaN where no
    sample is left. Under `paper-score` a sample's weight is that of its mean log-probability a token.
    """

    def make() -> pd.DataFrame:
        run = store.run(run_id)
        where = run.prior(prior)
        parts = list(_parts(run, where, norm, subset)) if where and is_sampled(where[1]) else []
        columns = ["item_no", "subset", "samples", "effective"]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)

    return store.cached(("effective samples", run_id, prior, norm, subset), make)


def prior_samples(
    store: Store, run_id: str, prior: str | None = None, norm: Norm = "token", subset: str | None = None
) -> dict[str, Any] | None:
    """{n, effective_median, below_5, n_items, by_subset, own}: what `report` names beside a source; None for one that
    samples nothing.

    n: samples drawn. effective_median: over items, below_5: how many of them have fewer than five. by_subset: subset ->
    the same three. own: whether an item's own images are left out (`drawn.LEFT_OUT`, `drawn.UNKNOWN`, "" for noise).
    """
    run = store.run(run_id)
    frame = of_items(store, run_id, prior, norm, subset)
    where = run.prior(prior)
    if where is None or frame.empty:
        return None
    drawn_n = run.cursor.execute(
        "SELECT count(DISTINCT sample) FROM scores WHERE run_id = ? AND part = ?", [where[0].run_id, where[1]]
    ).fetchall()
    parts = {str(name): _told(part) for name, part in frame.groupby("subset", sort=False)}
    return {"n": int(drawn_n[0][0]), **_told(frame), "by_subset": parts, "own": drawn.said(run, prior)}


def _told(frame: pd.DataFrame) -> dict[str, Any]:
    known = frame["effective"].dropna()
    return {
        "effective_median": float(known.median()) if len(known) else None,
        "below_5": int((~(frame["effective"] >= ENOUGH_SAMPLES)).sum()),
        "n_items": len(frame),
    }


def is_sampled(part: str) -> bool:
    """Whether a part of a run (`Store.run(...).prior`) holds P(t) under sampled images or noise.

    >>> is_sampled("prior@images:20"), is_sampled("prior")
    (True, False)
    """
    return part.removeprefix("prior@").partition(":")[0] in SAMPLED


def _parts(run: StoredRun, where: tuple[StoredRun, str], norm: Norm, subset: str | None) -> Iterator[pd.DataFrame]:
    for protocol in Protocol:
        items = matrices.items_of(run, protocol, subset)
        if not len(items):
            continue
        sums, counts = matrices.prior_sums(*where, items, int(items["n_texts"].max()))
        there = ~np.isnan(counts).all(axis=1)
        if not there.any():
            continue
        samples = (~np.isnan(sums[:, there])).any(axis=2).sum(axis=0)
        yield pd.DataFrame(
            {
                "item_no": items["item_no"].to_numpy()[there],
                "subset": items["subset"].to_numpy()[there],
                "samples": samples,
                "effective": fewest_samples(sums[:, there], counts[there], norm),
            }
        )

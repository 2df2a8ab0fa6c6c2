"""Summaries of EqSim's deviations for `flipside report`: on a benchmark's quads, and on pairs mined from its pools."""

from typing import Any

import numpy as np
import pandas as pd

from backend.items import Kind
from backend.kinds import in_own_unit, unit_of
from backend.metrics.close_pairs import K
from backend.store.build.store import Store
from backend.store.catalog.command_again import model_of
from backend.store.quads import close_pairs as mined
from backend.store.quads.deviations import deviation_alpha, deviations, logit_scale

MEASURES = ("v1", "v2_text", "v2_image")


def said(store: Store, run_id: str, kind: str, normalise: str, pool: str) -> dict[str, Any]:
    """What stands beside every deviation: the normalisation, its unit, and the logit scale of a softmax of cosines."""
    if kind == Kind.SCORE:
        unit = "standard deviations of all scores of the subset's quads"
        return {"normalisation": "scale-free", "unit": unit, "logit_scale": None}
    model, softmax = model_of(store.run(run_id)), normalise != "raw"
    cosines = kind == Kind.ITC and not in_own_unit(kind, model)
    over = {"softmax-cells": "the four cells of each quad", "softmax-pool": pool}.get(normalise)
    return {
        "normalisation": normalise,
        "unit": f"share, softmax over {over}" if softmax else unit_of(kind, model),
        "logit_scale": logit_scale(store, run_id) if softmax and cosines else None,
    }


def of_quads(
    store: Store, run_id: str, kind: str, subset: str | None = None, normalise: str = "raw", prior: str | None = None
) -> dict[str, Any] | None:
    """{normalisation, unit, logit_scale, n, v1, v2_text, v2_image, alpha, prior} over a run's quads; None without any.

    alpha, prior: how much of log P(t) is taken away on the text side and in v1 (`deviations`), prior null where
    nothing is. Each of the three: {n, mean, mean_absolute, median_absolute, mean_absolute_scale_free,
    median_over_margin}.
    """
    frame = deviations(store, run_id, kind, subset, normalise, prior=prior)
    if frame.empty:
        return None
    at, source = deviation_alpha(store, run_id, kind, prior=prior)
    named = said(store, run_id, kind, normalise, "all quads")
    return {**named, "n": len(frame), **_measures(frame), "alpha": at, "prior": source}


def of_close_pairs(
    store: Store, run_id: str, kind: str, subset: str | None = None, normalise: str = "raw", k: int = K
) -> dict[str, Any] | None:
    """The same over the pairs mined from the run's pools, with k, and their text, image and group scores."""
    frame = mined.close_pairs(store, run_id, kind, subset, k, normalise)
    if frame.empty:
        return None
    right = {f"{name}_score": float((frame[f"{name}_margin"] > 0).mean()) for name in ("text", "image", "group")}
    named = said(store, run_id, kind, normalise, "the pool's images x first captions")
    return {
        "k": k, "side": "both", "source": "EqSim, section 3", "caution": mined.CAUTION, **named, "n": len(frame),
        **right, **_measures(frame),
    }  # fmt: skip


def _measures(frame: pd.DataFrame) -> dict[str, Any]:
    found = {}
    for name in MEASURES:
        values, free, over = (frame[f"{name}{end}"].to_numpy(float) for end in ("", "_scale_free", "_over_margin"))
        known = values[~np.isnan(values)]
        found[name] = {
            "n": len(known),
            "mean": _of(np.mean, known),
            "mean_absolute": _of(np.mean, np.abs(known)),
            "median_absolute": _of(np.median, np.abs(known)),
            "mean_absolute_scale_free": _of(np.mean, np.abs(free[~np.isnan(free)])),
            "median_over_margin": _of(np.median, over[np.isfinite(over)]),
        }
    return found


def _of(statistic: Any, values: "np.ndarray[Any, Any]") -> float | None:
    return float(statistic(values)) if len(values) else None

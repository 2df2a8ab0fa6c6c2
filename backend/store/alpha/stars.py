"""α* of a run on all of its items, and by the VisualGPTScore paper's own protocol for the benchmark."""

import json
from collections.abc import Sequence
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend.benchmarks import typed
from backend.items import Kind, Protocol
from backend.metrics import alpha as alpha_
from backend.metrics import retrieval
from backend.metrics.alpha import protocols
from backend.metrics.alpha.protocols import AlphaProtocol
from backend.store.alpha.curves import AlphaCurve, alpha_curves
from backend.store.alpha.uncertainty import verdict
from backend.store.build.store import Store
from backend.store.build.stored_run import StoredRun
from backend.store.catalog import catalog
from backend.store.catalog.default_run import ChosenRun
from backend.store.scores import matrices, outcomes, pools
from backend.store.scores.setting import Norm, Setting

VALIDATION = ("val", "valid", "validation", "dev")
TEST = ("test",)
ONE_SHOT = ("one-shot", "one_shot", "train")


def alpha_stars(
    store: Store, chosen: ChosenRun, prior: str | None = None, norm: Norm = "token", subset: str | None = None
) -> dict[str, dict[str, Any]]:
    """By metric: {prior, norm, all, protocol, reason, dev_test, uncertainty}. Empty without gen scores or a prior.

    all: {alpha, interval, value, at_0, at_1, n}, α* chosen and reported on all items; interval is the plateau of these
    items, no confidence interval; alpha and interval None where α cancels. protocol: {name, source, note, …} as the
    paper chooses it (`alpha.protocols`), None with the reason. dev_test: `alpha.tune` on the items' own dev and test
    halves with `test_gain`, where they have such (ours). uncertainty: `uncertainty.Verdict` with the bootstrap and the
    effective sample size of P(t); None where α cancels.
    """

    def make() -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        for curve in alpha_curves(store, chosen.run_id, prior, norm, subset):
            name = curve.metric
            if name in found:  # a second pool
                name = f"{name} ({curve.items['subset'].iloc[0]})"
            said, reason = _protocol(store, chosen, curve, norm, subset)
            found[name] = {
                "prior": curve.prior, "norm": norm, "all": _on_all(curve), "protocol": said, "reason": reason,
                "dev_test": curve.tuned and curve.tuned | {"source": "ours: the items' own dev and test halves"},
                "uncertainty": (sure := verdict(store, chosen.run_id, curve, subset)) and sure.as_dict(),
            }  # fmt: skip
        for name, line in _cancelled(store, chosen.run_id, prior, norm, subset).items():
            found.setdefault(name, line)
        return found

    return store.cached(("alpha stars", chosen.run_id, prior, norm, subset), make)


def _on_all(curve: AlphaCurve) -> dict[str, Any]:
    """α* on all items; where α cancels there is only the value."""
    best, cancels = curve.best, curve.note == alpha_.CANCELS

    def at(alpha: float) -> float | None:
        return float(curve.curve.at(alpha)) if curve.curve.n else None

    return {
        "alpha": best.alpha if best and not cancels else None,
        "interval": [best.lo, best.hi] if best and not cancels else None,
        "value": best.value if best else None,
        "at_0": at(0.0),
        "at_1": at(1.0),
        "n": curve.curve.n,
    }


def _cancelled(
    store: Store, run_id: str, prior: str | None, norm: Norm, subset: str | None
) -> dict[str, dict[str, Any]]:
    """Text-to-image recall: α cancels, so there is a value and no α."""
    run = store.run(run_id)
    source = prior or run.default_prior
    found = {}
    for pool in pools.pools(run, Kind.GEN, subset) if source else ():
        gen, _ = outcomes.pool_terms(run, pool, Setting("gen", prior=source, norm=norm))
        verdicts, _ = retrieval.recall_outcomes(gen, pool.relevance, ks=(1,))
        rate = verdicts["t2i_recall_at_1"].rate()
        line = {
            "alpha": None,
            "interval": None,
            "value": rate.value,
            "at_0": rate.value,
            "at_1": rate.value,
            "n": rate.n,
        }
        name = "t2i_recall_at_1" if "t2i_recall_at_1" not in found else f"t2i_recall_at_1 ({pool.subset})"
        found[name] = {
            "prior": source, "norm": norm, "all": line, "protocol": None, "reason": alpha_.CANCELS, "dev_test": None,
            "uncertainty": None,
        }  # fmt: skip
    return found


def _protocol(
    store: Store, chosen: ChosenRun, curve: AlphaCurve, norm: Norm, subset: str | None
) -> tuple[dict[str, Any] | None, str]:
    """The paper's protocol on a curve's items, or None and why."""
    reason = protocols.why_none(chosen.benchmark, curve.metric)
    if reason:
        return None, reason
    protocol = protocols.PROTOCOLS[chosen.benchmark]
    if protocol.how == "validation":
        found, reason = _validated(store, chosen, protocol, curve.prior, norm, subset)
    elif protocol.how == "one-shot":
        found, reason = _one_shot(store, chosen, curve)
    elif protocol.how == "halves":
        found = protocols.halves(curve.sets)
        reason = "" if found else "fewer than two items can be judged"
    else:
        found, reason = _on_all(curve), ""
    if found is None:
        return None, reason
    return {"name": protocol.name, "source": protocol.source, "note": protocol.note, **found}, ""


def _splits(items: Any) -> list[set[str]]:
    return [set(json.loads(tags).get("split") or ()) for tags in items["tags"]]


def _inside(items: Any, names: Sequence[str]) -> NDArray[np.bool_]:
    return np.array([bool(split & set(names)) for split in _splits(items)], dtype=np.bool_)


def _one_shot(store: Store, chosen: ChosenRun, curve: AlphaCurve) -> tuple[dict[str, Any] | None, str]:
    """ImageNet: α on one image a class, the value on the others."""
    run = store.run(chosen.run_id)
    block = matrices.items_of(run, Protocol.CLASSIFY)
    items = block[block["item_no"].isin(curve.items["item_no"])].reset_index(drop=True)
    classes = matrices.classes_of(run, items)
    marked = _inside(items, ONE_SHOT)
    dev = protocols.one_shot(classes, marked)
    test = ~marked if marked.any() else ~dev
    if not test.any():
        return None, "no image is left to report on: every item is a one-shot sample"
    drawn = "images tagged one-shot or train" if marked.any() else "drawn from the run's own items, seed 0 (ours)"
    return {"samples": drawn, "n_classes": len(np.unique(classes)), **alpha_.tune(curve.sets, dev, test)}, ""


def _validated(
    store: Store, chosen: ChosenRun, protocol: AlphaProtocol, prior: str, norm: Norm, subset: str | None
) -> tuple[dict[str, Any] | None, str]:
    """COCO and Flickr30k: α by R@1 on the validation pool, R@1 and R@5 on the test pool at that α."""
    test = _pool_terms(store.run(chosen.run_id), TEST, prior, norm, subset)
    if test is None:
        return (
            None,
            f"the run has no test images with gen and {prior} scores: `flipside run --model {quote(chosen.model)} "
            f"--benchmark {typed.words(chosen.benchmark)} --split test --kinds gen,prior --prior {prior}` scores them",
        )
    runs = [chosen.run_id, *_siblings(store, chosen)]
    found = ((run, _pool_terms(store.run(run), VALIDATION, prior, norm, subset)) for run in runs)
    dev_run, dev = next(((run, terms) for run, terms in found if terms is not None), ("", None))
    if dev is None:
        return None, (
            f"no validation images with gen and {prior} scores: `flipside run --model {quote(chosen.model)} "
            f"--benchmark {typed.words(chosen.benchmark)} --split val --kinds gen,prior --prior {prior}` scores them"
        )
    best = alpha_.recall_curve(*dev[:3]).best()
    if best is None:
        return None, "no validation image can be judged"
    values: dict[str, Any] = {}
    for metric in (protocol.metric, *protocol.also):
        curve = alpha_.recall_curve(*test[:3], k=int(metric.rpartition("_")[2]))
        at = {"value": best.alpha, "at_0": 0.0, "at_1": 1.0}
        values[metric] = {name: float(curve.at(a)) if curve.n else None for name, a in at.items()} | {"n": curve.n}
    return {
        "alpha": best.alpha, "interval": [best.lo, best.hi], "dev_value": best.value, "dev_run": dev_run,
        "n_dev": len(dev[0]), "n_test": len(test[0]), "value": values[protocol.metric]["value"], "test": values,
        "pools": f"validation {dev[3]}, test {test[3]}",
    }, ""  # fmt: skip


def _siblings(store: Store, chosen: ChosenRun) -> list[str]:
    """Other runs of the same model on the same benchmark, the latest first: a validation split that is read by itself
    is a hash of its own, and its items carry their split."""
    table = catalog.runs(store)
    mine = table[table["model"] == chosen.model]
    mine = mine[(mine["benchmark_name"] == chosen.benchmark) & (mine["run_id"] != chosen.run_id)]
    return [str(run) for run in mine["run_id"].iloc[::-1]]


def _pool_terms(
    run: StoredRun, split: Sequence[str], prior: str, norm: Norm, subset: str | None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.bool_], str] | None:
    """(g, p, relevance, size) of the part of a run's pool that is in a split: its images against its own texts."""
    if run.prior(prior) is None:
        return None
    for pool in pools.pools(run, Kind.GEN, subset):
        inside = _inside(pool.items, split)
        images, texts = inside[pool.image_item], inside[pool.text_item]
        gen, p = outcomes.pool_terms(run, pool, Setting("gen", prior=prior, norm=norm))
        if p is None or not images.any() or not texts.any():
            continue
        size = f"{int(images.sum())} images x {int(texts.sum())} texts"
        whole = images.sum() == inside.sum() and texts.sum() == pool.items.loc[inside, "n_texts"].sum()
        label = size if whole else f"{size} (a part of the split)"
        of_these = p[texts] if p.ndim == 1 else p[np.ix_(images, texts)]
        return gen[np.ix_(images, texts)], of_these, pool.relevance[np.ix_(images, texts)], label
    return None

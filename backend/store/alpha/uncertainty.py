"""How far a run's α* and its gain can be trusted, and what α can reach: the verdict that Debias and `report` give."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend.items import Protocol
from backend.metrics import alpha as alpha_
from backend.metrics.alpha.bootstrap import Priors, Spread, spread
from backend.metrics.alpha.curves import Best, Domain
from backend.metrics.alpha.gains import Gain, Reach, gain, reach
from backend.metrics.reasons import alpha_ends
from backend.metrics.reasons.priors import ENOUGH_SAMPLES, fewest_samples
from backend.store.alpha.curves import AlphaCurve, kept_terms, sets_under, spoken_prior
from backend.store.alpha.effective import is_sampled, of_items
from backend.store.alpha.montecarlo import sampled
from backend.store.build.store import Store
from backend.store.scores.setting import Norm, Setting

#: Metrics whose sets follow from a block of items; a pool's take too long to be worked out for each draw.
OF_BLOCKS = {
    "accuracy": Protocol.CHOICE, "i2t_accuracy": Protocol.TRIPLET, "text_score": Protocol.QUAD,
    "group_score": Protocol.QUAD, "top1_accuracy": Protocol.CLASSIFY,
}  # fmt: skip
#: A block with more scores than this holds its P(t): each draw would take too long.
MOST_SCORES = 200_000


@dataclass(frozen=True)
class Samples:
    """How many images stand behind P(t), and how many equally weighted ones they count for: the smaller of an item's
    texts, over the items. median, least: None for a blind model, which samples nothing."""

    n: int
    median: float | None
    least: float | None

    @property
    def enough(self) -> bool:
        """Whether anything debiased may be claimed; a blind model samples nothing."""
        return self.median is None or self.median >= ENOUGH_SAMPLES

    def as_dict(self) -> dict[str, float | int | None]:
        """For JSON."""
        return {"n": self.n, "median": self.median, "min": self.least, "enough": self.enough}


@dataclass(frozen=True)
class Verdict:
    """What the debiasing of one metric is worth. star: α* on all items with its plateau; best: its gain over α = 0 on
    the same items.
    held_out: α* of the dev half on the test half, None without halves. spread: the bootstrap, None with fewer than two
    clusters. reach: what α can do. quads: for the group score {reason why out of reach: items}, else None."""

    prior: str
    norm: str
    star: Best
    best: Gain
    held_out: Gain | None
    spread: Spread | None
    reach: Reach
    quads: dict[str, int] | None
    samples: Samples

    def as_dict(self) -> dict[str, Any]:
        """What `report --json` says of it."""
        drawn = self.spread
        return {
            "gain": self.best.as_dict(),
            "bootstrap": drawn and {
                "draws": drawn.draws, "clusters": drawn.n_clusters, "prior_samples": drawn.n_samples,
                "alpha": list(drawn.star), "gain": drawn.gain, "gain_ci95": list(drawn.gain_ci95),
                "p_gain": drawn.likely,
            },
            "reach": {
                "n": self.reach.n, "always": self.reach.always, "somewhere": self.reach.somewhere,
                "beyond": self.reach.beyond, "never": self.reach.never,
            },
            "effective_samples": self.samples.as_dict(),
        }  # fmt: skip


def verdict(
    store: Store, run_id: str, curve: AlphaCurve, subset: str | None = None, perturbation: str | None = None,
    domain: Domain = (0.0, 1.0),
) -> Verdict | None:  # fmt: skip
    """Of one of `alpha_curves`, asked with the same subset and stratum; None where it has no α*. domain: where α* is
    looked for."""
    if curve.best is None or curve.note == alpha_.CANCELS:
        return None
    pools = ",".join(sorted(set(curve.items["subset"].astype(str)))) if curve.metric not in OF_BLOCKS else ""
    key = ("alpha verdict", run_id, curve.prior, curve.norm, curve.metric, subset, perturbation, pools, domain)
    return store.cached(key, lambda: _verdict(store, run_id, curve, subset, perturbation, domain))


def _verdict(
    store: Store, run_id: str, curve: AlphaCurve, subset: str | None, perturbation: str | None, domain: Domain
) -> Verdict:
    best = curve.curve.best(domain)
    assert best is not None  # noqa: S101 - `verdict` asked
    clusters = curve.items["cluster"].to_numpy()
    priors, samples, quads = _of_block(store, run_id, curve, subset, perturbation)
    return Verdict(
        curve.prior, curve.norm, best, gain(curve.sets, best.alpha, clusters=clusters),
        held_out(curve, domain), spread(curve.sets, clusters, priors, domain), reach(curve.sets, domain),
        quads, samples,
    )  # fmt: skip


def held_out(curve: AlphaCurve, domain: Domain = (0.0, 1.0)) -> Gain | None:
    """What α* of the dev half gains on the test half; None without halves."""
    clusters = curve.items["cluster"].to_numpy()
    dev, test = (np.array(curve.items["split"] == half) for half in curve.halves)
    chosen = alpha_.curve(curve.sets.take(dev), domain=domain).best() if dev.any() and test.any() else None
    if chosen is None:
        return None
    found = gain(curve.sets, chosen.alpha, keep=test, clusters=clusters)
    return found if found.n else None


def _of_block(
    store: Store, run_id: str, curve: AlphaCurve, subset: str | None, perturbation: str | None
) -> tuple[Priors | None, Samples, dict[str, int] | None]:
    """(how P(t) is drawn again, its samples, what keeps quads out of α's reach)."""
    protocol = OF_BLOCKS.get(curve.metric)
    run = store.run(run_id)
    if protocol is None:
        return None, samples_of(store, run_id, curve, subset), None
    setting = Setting("gen", prior=curve.prior, norm=_norm(curve))
    block, gen, p, keep = kept_terms(store, run_id, protocol, subset, perturbation, setting)
    read = spoken_prior(store, run_id, protocol, subset, curve.prior)
    found = sampled(run, protocol, curve.prior, subset, block, read)
    if found is None or p is None:
        return None, Samples(0, None, None), None
    sums, counts, gen, p, n_texts = found.sums[:, keep], found.counts[keep], gen[keep], p[keep], block.n_texts[keep]
    quads = None
    if curve.metric == "group_score":
        codes = alpha_ends.ends(gen, p).reach
        quads = {name: int(np.sum(codes == code)) for code, name in enumerate(alpha_ends.REACHES)}
    priors = None
    if len(sums) > 1 and sums[0].size <= MOST_SCORES:
        priors = Priors.of(sums, counts, curve.norm, sets_under(protocol, curve.metric, gen, n_texts))
    where = run.prior(curve.prior)
    if where is None or not is_sampled(where[1]):
        return priors, Samples(len(sums), None, None), quads
    return priors, _samples(len(sums), fewest_samples(sums, counts, curve.norm)), quads


def samples_of(store: Store, run_id: str, curve: AlphaCurve, subset: str | None) -> Samples:
    """What P(t) of a curve's items rests on: of each item's text that has fewest, its own sample left out, as `report`
    counts them."""
    found = of_items(store, run_id, curve.prior, _norm(curve), subset)
    mine = found[found["item_no"].isin(curve.items["item_no"])]
    return _samples(int(mine["samples"].max()) if len(mine) else 1, mine["effective"].to_numpy(dtype=np.float64))


def _samples(n: int, fewest: NDArray[np.float64]) -> Samples:
    """fewest: of each item (see `fewest_samples`)."""
    known = fewest[np.isfinite(fewest)]
    return Samples(n, float(np.median(known)), float(known.min())) if len(known) else Samples(n, None, None)


def _norm(curve: AlphaCurve) -> Norm:
    return curve.norm  # type: ignore[return-value]

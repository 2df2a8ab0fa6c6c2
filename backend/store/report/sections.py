"""The sections of `flipside report` beside its rates: α*, Monte-Carlo errors. One function a section."""

from collections.abc import Collection
from typing import Any

from backend.items import SIMILARITIES, Kind, Protocol
from backend.kinds import PROBABILITIES, SPOKEN
from backend.metrics import alpha as alpha_
from backend.metrics.core.registry import METRICS
from backend.store.alpha import montecarlo
from backend.store.alpha import stars as alpha_stars
from backend.store.build.store import Store
from backend.store.catalog.default_run import ChosenRun
from backend.store.quads import equivariance
from backend.store.rates import asking_orders, both_paraphrases, thresholds
from backend.store.reasons import summary
from backend.store.scores.setting import Setting

#: Metrics of choices that need a probability; scores of a quad that need a choice between images.
OF_PROBABILITIES = tuple(m.name for m in METRICS if m.protocol == Protocol.CHOICE and m.kinds == set(PROBABILITIES))
WITHOUT_CHOICE = tuple(
    m.name for m in METRICS if m.protocol == Protocol.QUAD and m.judge and Kind.VERDICT not in m.kinds
)
NO_CHOICE = "models are asked to choose between two texts, not between two images"


def sections(
    store: Store,
    chosen: ChosenRun,
    setting: Setting,
    subset: str | None,
    subsets: Collection[str],
    protocols: Collection[str],
    normalise: str,
) -> dict[str, Any]:
    """The keys that a kind adds to the document; a section that does not apply is not there.

    subset: as it was asked for; subsets, protocols: of the items that have been judged. normalise: of the deviations,
    one of `eqsim.SETTINGS`.
    """
    found: dict[str, Any] = {}
    if Protocol.CHOICE in protocols and (why := thresholds.why_undefined(setting.kind, chosen.model)):
        found["undefined"] = dict.fromkeys(OF_PROBABILITIES, why)
    if setting.kind == Kind.VERDICT:
        found |= _of_verdicts(store, chosen.run_id, subset, protocols, found.get("undefined", {}))
    if setting.kind == Kind.GEN:
        stars = alpha_stars.alpha_stars(store, chosen, setting.prior, setting.norm, subset)
        if stars:
            found["alpha_star"] = stars
    if Protocol.QUAD in protocols and setting.kind in SIMILARITIES:
        found["deviations"] = equivariance.of_quads(
            store, chosen.run_id, setting.kind, subset, normalise, setting.prior if setting.kind in SPOKEN else None
        )
    if setting.kind in SIMILARITIES and (lost := summary.of_run(store, chosen.run_id, setting, subsets)):
        found["reasons"] = lost
    if Protocol.RETRIEVAL in protocols and setting.kind in SIMILARITIES:
        found["close_pairs"] = equivariance.of_close_pairs(store, chosen.run_id, setting.kind, subset, normalise)
    if setting.kind in SPOKEN:
        errors = monte_carlo(store, chosen, setting, subset)
        if errors:
            found["monte_carlo"] = errors
    return found


def _of_verdicts(
    store: Store, run: str, subset: str | None, protocols: Collection[str], undefined: dict[str, str]
) -> dict[str, Any]:
    """What choices between two captions leave open, beside what is undefined already, and what each order of asking
    says."""
    found: dict[str, Any] = {}
    if Protocol.QUAD in protocols:
        found["undefined"] = undefined | dict.fromkeys(WITHOUT_CHOICE, NO_CHOICE)
    if asked := asking_orders.orders(store, run, subset):
        found["orders"] = asked
    if Protocol.TRIPLET in protocols and (lower := both_paraphrases.lower_bounds(store, run, subset)):
        found["lower_bounds"] = lower
    return found


def monte_carlo(store: Store, chosen: ChosenRun, setting: Setting, subset: str | None) -> dict[str, Any] | None:
    """The error of log P(t) and, for gen, of each rate at the setting's α, at 1 and at α* on all items."""
    found = montecarlo.prior_errors(store, chosen.run_id, setting.prior, setting.norm, subset)
    if found is None or setting.kind != Kind.GEN:
        return found
    stars = alpha_stars.alpha_stars(store, chosen, setting.prior, setting.norm, subset)
    best = {line["all"]["alpha"] for line in stars.values() if line["reason"] != alpha_.CANCELS} - {None}
    alphas = tuple(sorted({setting.alpha, 1.0, *best}))
    rates = montecarlo.errors_of_rates(store, chosen.run_id, setting, alphas, subset)
    kept = {
        metric: [
            line
            for line in lines
            if line["alpha"] in (setting.alpha, 1.0)
            or line["alpha"] == stars.get(metric, {}).get("all", {}).get("alpha")
        ]
        for metric, lines in rates.items()
    }
    return {**found, "rates": kept}

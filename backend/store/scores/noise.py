"""Which margins batching could turn over: how far one score may move when it is computed in another company.

A run that measured it (engine/batching.py) says so in its record; for others a bound is assumed by dtype and kind. A
margin is a difference of two scores, of a clip's boundaries of two sums of two, so it may move by twice or four times
as much. Verdicts stay strict; what lies within the bound is counted beside them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from backend.items import Kind
from backend.kinds import SPOKEN
from backend.store.build.stored_run import StoredRun
from backend.store.scores.setting import Setting

if TYPE_CHECKING:
    from backend.store.build.store import Store

#: What is assumed of one score where nothing was measured: dtype -> (cosine, log-odds, log P a token). Above what
#: docs/fidelity.md measures in company on random weights of every family.
ASSUMED: Final[Mapping[str, tuple[float, float, float]]] = {
    "float32": (1e-6, 1e-5, 1e-5),
    "float64": (1e-6, 1e-5, 1e-5),
    "float16": (2e-3, 2e-2, 2e-2),
    "bfloat16": (1e-2, 1e-1, 1e-1),
}
#: Four steps of single precision near 1: a handful does not show the largest of thousands, so none says less.
STEP: Final = 2.0**-21
#: Cosines of a pool come from vectors in half precision, in which a last digit may round the other way.
IN_POOLS: Final = 1e-4
#: Tokens of a caption that an assumed bound on a sum counts with.
TOKENS: Final = 20
#: How many scores' movements add up in a margin.
TERMS, TERMS_OF_BOUNDARIES = 2, 4


@dataclass(frozen=True)
class Noise:
    """How far a margin may move, in its own unit. bound: None where nobody knows. pools: the same for recalls of whole
    pools. source: "measured" or "assumed", with what and why, for people.

    >>> Noise(2e-6, 2e-4, "assumed").of("i2t_recall_at_1"), Noise(2e-6, 2e-4, "assumed").of("accuracy")
    (0.0002, 2e-06)
    >>> Noise(2e-6, 2e-4, "assumed").of("grounding_accuracy_at_1.0s")
    4e-06
    """

    bound: float | None
    pools: float | None
    source: str

    def of(self, metric: str) -> float | None:
        """The bound on the margins of one metric."""
        bound = self.pools if "_recall_at_" in metric else self.bound
        if bound is not None and metric.startswith("grounding_"):
            return bound * TERMS_OF_BOUNDARIES / TERMS
        return bound


def noise_of(store: "Store", run_id: str, setting: Setting) -> Noise:
    """The bound of a run's margins under a setting."""
    return store.cached(("noise", run_id, setting), lambda: of_run(store.run(run_id), setting))


def of_run(run: StoredRun, setting: Setting) -> Noise:
    """The same of a run at hand, kept nowhere."""
    kind, record = Kind(setting.kind), run.record
    if kind == Kind.VERDICT:
        return Noise(None, None, "a choice between two captions has no margin that rounding moves")
    one = _of(record, str(kind), setting, kind)
    if kind == Kind.PRIOR or (kind == Kind.GEN and setting.alpha):
        where = run.prior(setting.prior)
        if where is None:
            return Noise(None, None, "there is no prior")
        other, part = where
        of_prior = _of(other.record, part, setting, Kind.PRIOR)
        one = of_prior if kind == Kind.PRIOR else _both(one, of_prior, abs(setting.alpha))
    score, in_pools, source = one
    return Noise(None if score is None else TERMS * score, None if in_pools is None else TERMS * in_pools, source)


#: (of one score, of one cosine of a pool's vectors, where it is from)
_One = tuple[float | None, float | None, str]


def _of(record: Mapping[str, Any], part: str, setting: Setting, kind: Kind) -> _One:
    """How far one score of a part may move."""
    model = record.get("model")
    described: Mapping[str, Any] = model if isinstance(model, dict) else {}
    by_sum = kind in SPOKEN and setting.norm == "sum"
    measured = (record.get("batching") or {}).get(part) if isinstance(record.get("batching"), dict) else None
    if isinstance(measured, dict):
        of_tokens = kind in SPOKEN and not by_sum
        found = measured.get("per_token" if of_tokens else "difference")
        pools = measured.get("in_pools", found)
        if found is not None or pools is not None:
            said = f"measured: {int(measured.get('n', 0))} scores of this run, once more without company"
            return _at_least(found), _at_least(pools), said
    dtype = str(described.get("dtype") or "")
    if described.get("family") in ("predictions", "endpoint"):
        return None, None, "scores made elsewhere: what batching changes there is not known"
    said = f"assumed for {dtype or 'a dtype that is not said, as for float32'}: this run measured nothing"
    dtype = dtype if dtype in ASSUMED else "float32"
    cosine, log_odds, per_token = ASSUMED[dtype]
    score = {"log-odds": log_odds, "log-probability": per_token}.get(kind.info.scale, cosine)
    if by_sum:
        score *= TOKENS
    in_pools = max(score, IN_POOLS) if kind == Kind.ITC else score
    return score, in_pools, said


def _at_least(value: object) -> float | None:
    return max(float(value), STEP) if isinstance(value, (int, float)) else None


def _both(gen: _One, prior: _One, alpha: float) -> _One:
    """g − α p: both may move."""
    scores = [None if g is None or p is None else g + alpha * p for g, p in zip(gen[:2], prior[:2], strict=True)]
    source = gen[2] if gen[2] == prior[2] else f"log P(t|i) {gen[2]}; log P(t) {prior[2]}"
    return scores[0], scores[1], source

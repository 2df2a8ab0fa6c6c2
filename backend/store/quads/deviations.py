"""EqSim's deviations of a run's quads: by how much scores change with the images, beyond what the captions ask for."""

from typing import Any

import numpy as np
import pandas as pd

from backend.errors import UsageError
from backend.kinds import PAIR_KINDS, SIMILARITIES, SPOKEN, Kind, listed
from backend.metrics import alpha as alpha_
from backend.metrics import eqsim, protocols
from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.scores import matrices
from backend.store.scores.matrices import FloatArray
from backend.store.scores.setting import Setting


def deviations(
    store: Store, run_id: str, kind: str, subset: str | None = None, normalise: str = "raw",
    alpha: float | None = None, prior: str | None = None,
) -> pd.DataFrame:  # fmt: skip
    """One row a quad: item_no, item_id, subset, concept, s11, s12, s21, s22, v1, v2_text, v2_image, their scale-free
    forms (`*_scale_free`, per subset), deviation over |margin| (`*_over_margin`), text_margin, image_margin,
    group_margin, alpha, cluster (what items share). Scores are normalised as `eqsim.normalise` says: raw, softmax-cells
    or softmax-pool, of cosines with the model's own logit scale. UsageError for a kind that gives an image with a text
    no number of its own.

    alpha: for gen, how much of log P(t), from `prior`, is taken from the scores that are compared; None: 1, or 0 where
    the run has no prior. At 0, v1 and the text side, which compare different texts, measure the prior. From the image
    side as it is α cancels, but for a softmax; what it is divided by, the spread of the cells and the group margin, is
    at α for all three, so that they can be set beside each other. s11 … s22 and the margins are those of α = 0.

    Scores without a unit (`score`) are divided by the standard deviation of their subset's cells, whatever the
    normalisation: nothing else can be said of them.
    """
    if kind not in SIMILARITIES:
        raise UsageError(f"deviations need scores of an image with a text: kind {listed(PAIR_KINDS)}, not {kind}.")
    if kind not in SPOKEN and alpha:
        raise UsageError(f"α takes away the prior of captions, which scores of kind {kind} do not have: leave it out.")
    at, source = deviation_alpha(store, run_id, kind, alpha, prior)

    def make() -> pd.DataFrame:
        block = matrices.block(store.run(run_id), kind, Protocol.QUAD, subset)
        counts = block.n_tokens if kind in SPOKEN else None
        scale = logit_scale(store, run_id) if kind == Kind.ITC else 1.0
        s = text = block.scores
        if len(block):
            unitless = kind == Kind.SCORE
            s = text = (
                eqsim.in_spreads(block.scores, block.items["subset"].to_numpy())
                if unitless
                else eqsim.normalise(block.scores, kind, normalise, counts, logit_scale=scale)
            )
        if len(block) and at:
            gen, p = matrices.terms(store.run(run_id), block, Setting("gen", prior=source))
            taken = np.full_like(gen, np.nan) if p is None else alpha_.debias(gen, p, at)
            text = eqsim.normalise(taken, kind, normalise, np.ones_like(taken))
        return _frame(block.items, text, s).assign(alpha=at, cluster=block.items["cluster"].array)

    return store.cached(("deviations", run_id, kind, subset, normalise, at, source), make)


def concepts(store: Store, run_id: str, kind: str) -> list[str]:
    """What stands in the column `concept` of `deviations`, each once, in the order of the quads: known without
    measuring any."""

    def make() -> list[str]:
        items = matrices.items_of(store.run(run_id), Protocol.QUAD)
        rows = store.rows("scores", run_id, kind, ("item_no", "image_index", "text_index", "value"))
        item_no, image, text, value = (rows[name].to_numpy() for name in rows.column_names)
        scored = (image >= 0) & (image < 2) & (text >= 0) & (text < 2) & ~np.isnan(value)
        there = np.isin(items["item_no"].to_numpy(), item_no[scored])
        return [str(each) for each in items["concept"][there].unique()]

    return store.cached(("concepts of quads", run_id, kind), make)


def _frame(items: pd.DataFrame, text: FloatArray, s: FloatArray) -> pd.DataFrame:
    """The columns of `deviations` but its last two. text: (n, 2, 2), what the deviations compare and are divided by; s:
    the scores and margins as scored, the same where no prior is taken away."""
    # Columns as they are: words that become Python's and then a frame's again take longer than everything else here.
    columns: dict[str, Any] = {name: items[name].array for name in ("item_no", "item_id", "subset", "concept")}
    columns |= {f"s{i + 1}{j + 1}": s[:, i, j] for i in range(2) for j in range(2)}
    judged = protocols.quad(s)
    margin = judged["group_score"].margin if text is s else protocols.quad(text)["group_score"].margin
    dev = eqsim.deviations(text)
    over = eqsim.over_margin(dev, margin)
    free = {name: np.full(len(s), np.nan) for name in dev._fields}
    subset, names = pd.factorize(items["subset"])
    for rows in (np.flatnonzero(subset == code) for code in range(len(names))):
        own = eqsim.scale_free(dev.map(lambda values, rows=rows: values[rows]), text[rows])  # type: ignore[misc]
        for field, values in own._asdict().items():
            free[field][rows] = values
    columns |= dev._asdict()
    columns |= {f"{name}_scale_free": values for name, values in free.items()}
    columns |= {f"{name}_over_margin": values for name, values in over._asdict().items()}
    return pd.DataFrame(columns | {f"{name.removesuffix('_score')}_margin": v.margin for name, v in judged.items()})


def deviation_alpha(
    store: Store, run_id: str, kind: str, alpha: float | None = None, prior: str | None = None
) -> tuple[float, str | None]:
    """(α, prior source) of a kind's deviations (see `deviations`); (0, None) where none is taken away."""
    if kind not in SPOKEN or alpha == 0:
        return 0.0, None
    run = store.run(run_id)
    source = prior or run.default_prior
    if source is None or run.prior(source) is None:
        if alpha:
            raise UsageError(f"α = {alpha:g} needs log P(t): score the run with --kinds prior, or leave α out.")
        return 0.0, None
    return (1.0 if alpha is None else float(alpha)), source


def logit_scale(store: Store, run_id: str) -> float:
    """The model's own logit scale, with which a softmax of its cosines is taken; 1 where the record has none."""
    described = store.run(run_id).record.get("model")
    found = described.get("logit_scale") if isinstance(described, dict) else None
    return float(found) if isinstance(found, int | float) and found > 0 else 1.0

"""What an item failure is: labels from evidence that exists. No evidence, no label.

Each function returns (label, has_evidence), bool (n,) each; label is False wherever evidence is missing. The labels
describe items, right or wrong; a page that lists failures shows those of failed items.
"""

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.blind import BlindNull
from backend.metrics.core.arrays import BoolArray, as_scores
from backend.metrics.core.compare import Outcomes

Labelled = tuple[BoolArray, BoolArray]

#: Label -> one line for the interface.
DEFINITIONS: dict[str, str] = {
    "text_encoder": "the texts alone are already confused: text-to-text fails",
    "cross_modal": "text-to-text is right, image-to-text is wrong",
    "language_prior": "generation is wrong at α = 0 and right at α = 1",
    "brittle": "a meaning-preserving edit of the caption flips the verdict",
    "blind_solvable": "at least two blind scorers find the truth, with a margin above the item-shuffled null",
    "near_miss": "|margin| is below the 90th percentile of its own change under 8 or more meaning-preserving edits",
}


def text_encoder(t2t: Outcomes) -> Labelled:
    """T2T already fails. Outside triplets the caller brings verdicts on a generated paraphrase and marks them so.

    >>> from backend.metrics.core.compare import from_margins
    >>> [values.tolist() for values in text_encoder(from_margins([0.1, -0.1, float("nan")]))]
    [[False, True, False], [True, True, False]]
    """
    return t2t.defined & ~t2t.correct, t2t.defined


def cross_modal(t2t: Outcomes, i2t: Outcomes) -> Labelled:
    """T2T right, I2T wrong, verdicts of the same items.

    >>> from backend.metrics.core.compare import from_margins
    >>> [values.tolist() for values in cross_modal(from_margins([0.1, 0.1]), from_margins([-0.1, float("nan")]))]
    [[True, False], [True, False]]
    """
    evidence = t2t.defined & i2t.defined
    return evidence & t2t.correct & ~i2t.correct, evidence


def language_prior(at_0: Outcomes, at_1: Outcomes) -> Labelled:
    """`gen` wrong at alpha = 0, right at alpha = 1 (VisualGPTScore, Eq. 5 against Eq. 6).

    >>> from backend.metrics.core.compare import from_margins
    >>> [values.tolist() for values in language_prior(from_margins([-1.0, 1.0]), from_margins([1.0, 1.0]))]
    [[True, False], [True, True]]
    """
    evidence = at_0.defined & at_1.defined
    return evidence & ~at_0.correct & at_1.correct, evidence


def brittle(original: Outcomes, edited_margins: ArrayLike) -> Labelled:
    """A meaning-preserving edit flips the verdict.

    edited_margins: (n, e), the item's margin under each edit, NaN where an edit does not apply or was not scored.

    >>> from backend.metrics.core.compare import from_margins
    >>> [values.tolist() for values in brittle(from_margins([0.2, 0.2]), [[0.1, -0.1], [0.1, float("nan")]])]
    [[True, False], [True, True]]
    """
    edited = as_scores(edited_margins, (None,), "edited_margins")
    scored = ~np.isnan(edited)
    evidence = original.defined & scored.any(axis=1)
    flipped = scored & ((edited > 0) != original.correct[:, None])
    return evidence & flipped.any(axis=1), evidence


def blind_solvable(margins: ArrayLike, null: BlindNull) -> Labelled:
    """On choices and triplets: at least two blind scorers agree on the truth above their item-shuffled nulls.

    margins: (n, b), the margin that each of b blind scorers (blind language models, priors) gives the item. null: from
    `blind.blind_null` on the same scorers. Evidence: at least two scorers with a margin and a threshold. The share of
    a benchmark is compared with `null.share`.

    >>> null = BlindNull(np.array([0.5, 0.5]), 0.02)
    >>> [values.tolist() for values in blind_solvable([[0.6, 0.7], [0.6, 0.1], [0.6, float("nan")]], null)]
    [[True, False, False], [True, True, False]]
    """
    m = as_scores(margins, (len(null.thresholds),), "margins")
    scored = ~np.isnan(m) & ~np.isnan(null.thresholds)
    evidence = scored.sum(axis=1) >= 2
    return evidence & (null.passes(m).sum(axis=1) >= 2), evidence


def near_miss(
    margin: ArrayLike,
    edited_margins: ArrayLike,
    min_edits: int = 8,
    percentile: float = 90.0,
) -> Labelled:
    """|margin| below the 90th percentile of |its change| under eight or more seeded meaning-preserving edits.

    margin: (n,); edited_margins: (n, e), NaN where not scored. Evidence: a margin and at least `min_edits` edits.

    >>> near_miss([0.1, 0.1, 0.1], [[0.3] * 8, [0.15] * 8, [0.3] * 7 + [float("nan")]])[0].tolist()
    [True, False, False]
    """
    own = np.asarray(margin, dtype=np.float64).reshape(-1)
    change = np.abs(as_scores(edited_margins, (None,), "edited_margins") - own[:, None])
    evidence = ~np.isnan(own) & (np.sum(~np.isnan(change), axis=1) >= min_edits)
    label = np.zeros(len(own), dtype=np.bool_)
    if evidence.any():
        label[evidence] = np.abs(own[evidence]) < np.nanpercentile(change[evidence], percentile, axis=1)
    return label, evidence

"""Some items of one protocol with their scores: what every metric's function is given."""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from backend.metrics.thresholds import DEFAULT


@dataclass(frozen=True)
class Scored:
    """scores: triplet (n, 3), for t2t the three text pairs; choice (n, k+1), truth first; quad (n, 2, 2); classify (n,
    classes), own class first. Log-odds of itm and vqa, mean log-probabilities a token of gen and prior. n_texts: (n,)
    how many texts each item has. p1_first: bool (n,), VISLA's names of the paraphrases. threshold: of probabilities.
    """

    scores: ArrayLike
    n_texts: ArrayLike | None = None
    p1_first: ArrayLike | None = None
    threshold: float = DEFAULT

"""EqSim: a penalty on changes of the similarity that do not follow the change of meaning (EqSim paper, section 3).

Eq. 6 for two matched pairs: v1 asks s12 = s21, v2 asks s11 - s12 = s22 - s21 and s11 - s21 = s22 - s12. Each is a
squared difference under a hinge, [(difference)² - α]₊ (end of section 3), and L = L_Ret + β L_Eq.

In the terms of docs/reasons.md, on raw scores: v1's difference is 2(r - c), v2's are 4c and 4r. So v1 pushes r - c
alone to zero, v2 both biases, and neither has a term in γ: what the model binds is not asked for. (Softmax, sigmoid and
shared weights can still shrink it.)
"""

from dataclasses import dataclass
from typing import Final, Literal, get_args

import torch
from torch import Tensor

from backend.errors import UsageError

#: How scores are brought between 0 and 1 before they are compared (EqSim paper, appendix C: "a softmax function" for
#: FIBER's cosines, a sigmoid for METER's head). The paper does not name the softmax's axis; the authors' released code
#: (FIBER, `objectives.py`) takes it over the captions of each image, on the logits. `batch`: over all cells, which
#: treats images and captions alike. `none`: scores as they are.
Normalisation = Literal["softmax", "batch", "sigmoid", "none"]
#: Which pairs a condition is asked of.
Pairs = Literal["all", "close", "distant", "none"]
#: The values that the paper chose from (appendix C), and k of the close pairs.
ALPHAS: Final = (0.0, 0.04, 0.1)
BETAS: Final = (0.2, 0.5, 1.0)
CLOSE: Final = 8


@dataclass(frozen=True)
class EqSim:
    """How L_Eq is formed. alpha: below which a squared difference costs nothing, in the unit of the normalised scores
    squared. k: how many captions of an image, and images of a caption, are close. v1, v2: the pairs that each condition
    is asked of. The default is the paper's final one, "v1-all + v2-close" (section 5.4); section 3 has v1 on the
    distant pairs."""

    alpha: float = 0.0
    k: int = CLOSE
    v1: Pairs = "all"
    v2: Pairs = "close"
    normalisation: Normalisation = "softmax"

    def __post_init__(self) -> None:
        """UsageError for a setting that there is not."""
        if not 0 <= self.alpha < float("inf"):
            raise UsageError(f"EqSim's alpha {self.alpha}: a number from 0; the paper has {ALPHAS}.")
        if self.k < 1:
            raise UsageError(f"EqSim's k {self.k}: how many are close, at least 1; the paper has {CLOSE}.")
        for name, value, known in (
            ("v1", self.v1, Pairs), ("v2", self.v2, Pairs), ("normalisation", self.normalisation, Normalisation)
        ):  # fmt: skip
            if value not in get_args(known):
                raise UsageError(f"EqSim's {name} {value!r}: expected {', '.join(get_args(known))}.")


def normalised(logits: Tensor, how: Normalisation) -> Tensor:
    """The scores (n, n) as they are compared.

    ValueError for a softmax over two captions: each row would hold one number, so that v2's image side vanishes
    identically and its text side is 2 (s11 - s22).

    >>> normalised(torch.zeros(2, 2), "sigmoid").tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    if how == "softmax":
        if len(logits) < 3:
            raise ValueError(f"a softmax over {len(logits)} captions leaves no image side of v2: batches of 3 or more")
        return logits.softmax(1)
    if how == "batch":
        return logits.flatten().softmax(0).view_as(logits)
    return logits.sigmoid() if how == "sigmoid" else logits


def close(scores: Tensor, k: int) -> Tensor:
    """Which two pairs i, j are semantically close: bool (n, n), symmetric, False on the diagonal.

    They are where caption j is among the k wrong captions that image i is most similar to, or image j among the k
    such images of caption i, or the same the other way round ("the images and text with top-8 s", appendix C). Ties go
    to the lower index. scores: (n, n); no gradient goes through.

    >>> close(torch.tensor([[9.0, 5.0, 1.0], [0.0, 9.0, 2.0], [0.0, 1.0, 9.0]]), 1).tolist()
    [[False, True, False], [True, False, True], [False, True, False]]
    """
    n = len(scores)
    alone = torch.eye(n, dtype=torch.bool, device=scores.device)
    hidden = scores.detach().masked_fill(alone, -torch.inf)
    found = torch.zeros_like(alone)
    for each in (hidden, hidden.T):
        first = each.argsort(dim=1, descending=True, stable=True)[:, : min(k, n - 1)]
        found.scatter_(1, first, True)
    return found | found.T


def v1(scores: Tensor) -> Tensor:
    """s_ij - s_ji of every two pairs, (n, n), antisymmetric (EqSim paper, Eq. 6, v1); 2(r - c) on raw scores.

    >>> v1(torch.tensor([[4.0, 2.0], [1.0, 8.0]]))[0, 1].item()
    1.0
    """
    return scores - scores.T


def v2_text(scores: Tensor) -> Tensor:
    """(s_ii - s_ij) - (s_jj - s_ji) of every two pairs, (n, n) (Eq. 6, v2, first equation); 4c on raw scores.

    >>> v2_text(torch.tensor([[4.0, 2.0], [1.0, 8.0]]))[0, 1].item()
    -5.0
    """
    changes = scores.diagonal()[:, None] - scores
    return changes - changes.T


def v2_image(scores: Tensor) -> Tensor:
    """(s_ii - s_ji) - (s_jj - s_ij) of every two pairs, (n, n) (Eq. 6, v2, second equation); 4r on raw scores.

    >>> v2_image(torch.tensor([[4.0, 2.0], [1.0, 8.0]]))[0, 1].item()
    -3.0
    """
    return v2_text(scores.T)


def equivariance(logits: Tensor, settings: EqSim | None = None, same: Tensor | None = None) -> Tensor:
    """L_Eq of a batch, a scalar: the mean of [v1² - α]₊ over the pairs that v1 is asked of, plus the mean of
    [v2_text² - α]₊ + [v2_image² - α]₊ over those that v2 is asked of. 0 where there is no such pair.

    logits: (n, n). same: bool (n, n), two pairs of which one's caption is true of the other's image; Eq. 6 says nothing
    of them, for there is no change of meaning, so they are left out. The hinge lies on each pair, before the mean.

    >>> s = torch.tensor([[4.0, 2.0], [1.0, 8.0]])
    >>> equivariance(s, EqSim(normalisation="none")).item()  # 1² + 5² + 3²
    35.0
    >>> equivariance(s, EqSim(alpha=9.0, normalisation="none")).item()  # 0 + (25 - 9) + 0
    16.0
    """
    how = settings or EqSim()
    n = len(logits)
    scores = normalised(logits, how.normalisation)
    near = close(logits, how.k)
    upper = torch.ones(n, n, dtype=torch.bool, device=logits.device).triu(1)
    if same is not None:
        upper = upper & ~(same | same.T)
    chosen = {"all": upper, "close": upper & near, "distant": upper & ~near, "none": torch.zeros_like(upper)}
    first = _mean((v1(scores).square() - how.alpha).relu(), chosen[how.v1])
    sides = (v2_text(scores).square() - how.alpha).relu() + (v2_image(scores).square() - how.alpha).relu()
    return first + _mean(sides, chosen[how.v2])


def _mean(values: Tensor, chosen: Tensor) -> Tensor:
    """The mean of the chosen ones; 0, with a gradient of 0, of none."""
    return (values * chosen).sum() / chosen.sum().clamp(min=1)

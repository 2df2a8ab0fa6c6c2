"""Our own loss: what docs/reasons.md says a quad fails by, as a hinge. No paper has it.

s_ij = μ + r_i + c_j ± γ: the group score is γ > max(|c|, |r|). EqSim's conditions push the biases c and r to zero and
leave γ alone; this pushes max(|c|, |r|) - γ itself below -m, so a quad that is right by the margin m costs nothing.
"""

from typing import NamedTuple

from torch import Tensor

#: The margin m in units of the raw score: cosine, and log-odds.
MARGIN_COSINE, MARGIN_LOGODDS = 0.05, 1.0


class Terms(NamedTuple):
    """Binding γ, caption bias c and image bias r of n quads, (n,) each, in the unit of the scores."""

    gamma: Tensor
    c: Tensor
    r: Tensor


def terms(quads: Tensor) -> Terms:
    """γ, c and r of quads (n, 2, 2), q[i, j] image i with caption j: the numbers of `metrics.reasons.quads.decompose`.

    >>> import torch
    >>> [value.item() for value in terms(torch.tensor([[[4.0, 2.0], [1.0, 8.0]]]))]
    [2.25, -1.25, -0.75]
    """
    s11, s12, s21, s22 = quads[:, 0, 0], quads[:, 0, 1], quads[:, 1, 0], quads[:, 1, 1]
    return Terms((s11 - s12 - s21 + s22) / 4, (s11 - s12 + s21 - s22) / 4, (s11 + s12 - s21 - s22) / 4)


def binding(quads: Tensor, margin: float) -> Tensor:
    """Mean of [max(|c|, |r|) - γ + m]₊ over raw quads (n, 2, 2): 0 exactly where every quad has the group score by m.

    Differentiable but where |c| = |r|, c or r is 0 while it is the larger, or the hinge begins. On raw scores, for in a
    softmax one diagonal would have to lose for the other to win. 0, with a gradient of 0, of no quad.

    >>> import torch
    >>> binding(torch.tensor([[[4.0, 2.0], [1.0, 8.0]]]), 2.0).item()  # 1.25 - 2.25 + 2
    1.0
    """
    found = terms(quads)
    if not len(quads):
        return quads.sum()
    return (found.c.abs().maximum(found.r.abs()) - found.gamma + margin).relu().mean()


def of_batch(scores: Tensor, partners: Tensor) -> Tensor:
    """The quads (q, 2, 2) of a batch's scores (n, n). partners: int (q, 2), the rows of the two halves of each.

    >>> import torch
    >>> of_batch(torch.arange(9.0).view(3, 3), torch.tensor([[0, 2]])).tolist()
    [[[0.0, 2.0], [6.0, 8.0]]]
    """
    return scores[partners[:, :, None], partners[:, None, :]]

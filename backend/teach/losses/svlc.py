"""Structured vision and language concepts: losses on captions that were generated (SVLC paper, section 3.2).

S(T, I) = exp(τ cos(T, I)) (Eq. 1, which prints squared norms under the cosine; the authors' code normalises once). What
comes in here are the exponents, logit scale x cosine.
"""

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

#: Weights α and β of Eq. 6. The paper prints none; the authors' code (`neg_w`, `get_loss_pos_only`) has 1 for the
#: negatives and 1/2 for each of the two analogy losses.
ALPHA, BETA = 1.0, 0.5


def negatives(own: Tensor, wrong: Tensor, present: Tensor | None = None) -> Tensor:
    """How much likelier an image's own caption is than the negatives that were generated from it (SVLC paper, Eq. 3).

    own: (n,), logit of image i with its caption. wrong: (n, k), with its k negatives, all in one denominator (the paper
    has k = 1, where the term is log(1 + exp(wrong - own))). present: bool (n, k), which of them there are; an image
    without any does not count. Mean over the images that have one; 0 where none has.

    >>> round(negatives(torch.tensor([2.0]), torch.tensor([[2.0]])).item(), 4)  # log 2
    0.6931
    """
    there = torch.ones_like(wrong, dtype=torch.bool) if present is None else present
    lost = torch.cat([own[:, None], wrong.masked_fill(~there, -torch.inf)], 1).logsumexp(1) - own
    has = there.any(1)
    return torch.where(has, lost, 0.0).sum() / has.sum().clamp(min=1)


def analogy_text(logits: Tensor, rows: Tensor, same: Tensor | None = None) -> Tensor:
    """Each positive finds the caption that it was made from among the batch's captions (SVLC paper, Eq. 4).

    logits: (p, n), logit scale x cosine of positive and caption. rows: int (p,), the caption of each positive. same:
    bool (p, n), captions that say the same as the positive and are not its own; left out. Mean; 0 for no positive.

    >>> round(analogy_text(torch.zeros(1, 4), torch.tensor([2])).item(), 4)
    1.3863
    """
    if not len(rows):
        return logits.sum() * 0.0
    if same is not None:
        own = torch.zeros_like(same).scatter_(1, rows[:, None], True)
        logits = logits.masked_fill(same & ~own, -1e9)
    return cross_entropy(logits, rows)


def analogy_image(logits: Tensor, rows: Tensor, same: Tensor | None = None) -> Tensor:
    """Each positive finds the image of the caption that it was made from among the batch's images (SVLC paper, Eq. 5).

    Arguments as of `analogy_text`, with images in place of captions. The paper says that this is the second summand of
    Eq. 2 with the positive in the caption's place; the sum that it prints, over images, is the first.

    >>> round(analogy_image(torch.tensor([[0.0, 100.0]]), torch.tensor([1])).item(), 4)
    0.0
    """
    return analogy_text(logits, rows, same)

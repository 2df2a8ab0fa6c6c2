"""What a model is fine-tuned with anyway: the contrastive loss of dual encoders, the matching loss of matching heads.

SVLC paper, Eq. 2 (CLIP's loss); BLIP, section 3.2 (ITM with hard negatives).
"""

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, softplus

#: A cell that is no negative: its weight in a softmax vanishes, and it keeps no gradient.
_OUT = -1e9


def contrastive(logits: Tensor, same: Tensor | None = None) -> Tensor:
    """Symmetric InfoNCE: cross-entropy of each image over the captions and of each caption over the images, halved.

    logits: (n, n). same: bool (n, n), cells whose caption is true of the image though it is another pair's; they are
    left out as negatives (the diagonal always counts). SVLC paper, Eq. 2, which prints the sum of both logarithms
    without the minus sign; here it is a mean, with it. A batch of one pair has the loss 0.

    >>> round(float(contrastive(torch.zeros(4, 4))), 4)  # log 4
    1.3863
    """
    left = _without(logits, same)
    target = torch.arange(len(logits), device=logits.device)
    return (cross_entropy(left, target) + cross_entropy(left.T, target)) / 2


def matching(logodds: Tensor, same: Tensor | None = None) -> Tensor:
    """Binary cross-entropy of a matching head: n true pairs against n wrong ones, so that P(match) = 0.5 stays where
    the head is undecided.

    logodds: (n, n). Half of the wrong ones are an image with a wrong caption, half a caption with a wrong image; BLIP
    draws them by similarity (section 3.2), here each wrong pair counts by the probability of being drawn (a softmax
    over the row or column of the head's own scores, through which no gradient goes), which is the drawn loss's
    expectation and needs no dice. same: as in `contrastive`. Where a row has no wrong caption it counts none.

    >>> round(float(matching(torch.zeros(3, 3))), 4)  # log 2
    0.6931
    """
    own = softplus(-logodds.diagonal()).mean()
    alone = torch.eye(len(logodds), dtype=torch.bool, device=logodds.device)
    left_out = alone if same is None else alone | same
    hard = logodds.detach().masked_fill(left_out, _OUT)
    said_yes = softplus(logodds)
    wrong = []
    for dim in (1, 0):
        weights = hard.softmax(dim).masked_fill(left_out, 0.0)
        wrong.append((weights * said_yes).sum(dim).mean())
    return (own + (wrong[0] + wrong[1]) / 2) / 2


def _without(logits: Tensor, same: Tensor | None) -> Tensor:
    if same is None:
        return logits
    alone = torch.eye(len(logits), dtype=torch.bool, device=logits.device)
    return logits.masked_fill(same & ~alone, _OUT)

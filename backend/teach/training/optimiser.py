"""AdamW with decay on matrices alone, and its rate: warm-up, then half a cosine."""

import math
from collections.abc import Iterable
from typing import Any

BETAS = (0.9, 0.98)


def schedule(step: int, steps: int, warm_up: int) -> float:
    """What the learning rate is multiplied by in a step, from 0: up in a line over `warm_up` steps (a fifth of all at
    most), then along a cosine down to 0.02.

    >>> [round(schedule(step, 10, 2), 3) for step in (0, 1, 2, 6, 9)]
    [0.5, 1.0, 1.0, 0.51, 0.057]
    """
    warm = min(warm_up, steps // 5)
    if step < warm:
        return (step + 1) / warm
    return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm)))


def adamw(parameters: Iterable[Any], rate: float, decay: float) -> Any:
    """The optimiser of some parameters; biases, norms and single numbers are not pulled to zero."""
    import torch

    free = [p for p in parameters if p.requires_grad]
    groups = [
        {"params": [p for p in free if p.ndim > 1], "weight_decay": decay},
        {"params": [p for p in free if p.ndim <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=rate, betas=BETAS)

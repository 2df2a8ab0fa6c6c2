"""Log-odds of one answer token."""

import numpy as np
import torch
from numpy.typing import NDArray


def log_odds(logits: torch.Tensor, token: int) -> NDArray[np.float32]:
    """log p − log(1 − p) for p = softmax(logits)[:, token], (n, vocabulary) -> (n,).

    From the logits themselves: log(1 − p) is the log-sum-exp of all the others, so nothing saturates near 0 and 1.
    """
    wide = logits.double()
    others = wide.clone()
    others[:, token] = -torch.inf
    return np.asarray((wide[:, token] - others.logsumexp(-1)).cpu().numpy(), dtype=np.float32)

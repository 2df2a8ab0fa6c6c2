"""P("Yes") as a model's first answer token, in log-odds."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from backend.errors import UsageError


def yes_token(spec: str, tokenizer: Any, answer: list[int]) -> int:
    """The token with which the answer "Yes" begins; refused where that is a bare space, which "No" begins with too.

    answer: the ids of "Yes" as an answer.
    """
    piece = str(tokenizer.convert_ids_to_tokens(answer[:1])[0]) if answer else ""
    if not piece.strip("▁Ġ "):
        raise UsageError(f'{spec}: its tokenizer has no token that begins "Yes" as an answer, so it gives no vqa.')
    return answer[0]


def log_odds(logits: torch.Tensor, token: int) -> NDArray[np.float32]:
    """log p − log(1 − p) for p = softmax(logits)[:, token], (n, vocabulary) -> (n,).

    From the logits themselves: log(1 − p) is the log-sum-exp of all the others, so nothing saturates near 0 and 1.
    """
    wide = logits.double()
    others = wide.clone()
    others[:, token] = -torch.inf
    return np.asarray((wide[:, token] - others.logsumexp(-1)).cpu().numpy(), dtype=np.float32)

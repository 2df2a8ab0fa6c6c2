"""log P(t) token by token, where P(t) is a mean over samples."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backend.metrics.alpha.debiasing import log_mean_exp


def chain(samples: ArrayLike) -> NDArray[np.float64]:
    """The tokens' shares of log P(t) = log mean_k P(t | i_k) (VisualGPTScore, Eq. 13), (n_tokens,) natural log.

    samples: (n_samples, n_tokens), log P(token | tokens before it, sample k). The mean of the samples is itself a
    language model, and this is its chain rule: P(token | before) = mean_k P(before and token | i_k) / mean_k P(before |
    i_k). So the tokens sum to the log P(t) that captions are judged with, which means of each token's probabilities do
    not.

    >>> chain(np.log([[0.5, 0.5], [0.1, 0.9]])).round(4).tolist()
    [-1.204, -0.568]
    """
    table = np.atleast_2d(np.asarray(samples, dtype=np.float64))
    if not table.shape[1]:
        return np.zeros(0)
    upto = log_mean_exp(np.cumsum(table, axis=1))
    with np.errstate(invalid="ignore"):  # behind a token that no sample can give, nothing is defined
        return np.diff(upto, prepend=0.0)

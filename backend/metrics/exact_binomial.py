"""The exact two-sided binomial test, of scipy.special alone: scipy.stats takes half a second to load."""

import numpy as np
from scipy.special import bdtr, bdtrc, gammaln, xlog1py, xlogy

#: Outcomes whose probabilities differ by less count as equally likely, as they do in scipy.stats.binomtest.
EQUAL = 1 + 1e-7


def two_sided(k: int, n: int, p: float = 0.5) -> float:
    """The probability of an outcome as unlikely as k of n, or less likely, where each is right with probability p.

    It is the sum over all outcomes whose probability is at most that of k; 1 for n = 0. Raises ValueError for other
    than 0 <= k <= n and 0 <= p <= 1.

    >>> two_sided(2, 2), round(two_sided(8, 10), 4), two_sided(0, 0)
    (0.5, 0.1094, 1.0)
    """
    if not (0 <= k <= n and 0 <= p <= 1):
        raise ValueError(f"k={k}, n={n}, p={p}: expected 0 <= k <= n and 0 <= p <= 1")
    if n == 0:
        return 1.0
    if p in (0, 1):
        return float(k == n * p)
    outcomes = np.arange(n + 1)
    logs = gammaln(n + 1) - gammaln(outcomes + 1) - gammaln(n - outcomes + 1)
    logs += xlogy(outcomes, p) + xlog1py(n - outcomes, -p)
    # Probabilities rise to the mode and fall behind it: what is as unlikely as k is a piece at either end.
    likelier = np.flatnonzero(logs > logs[k] + np.log(EQUAL))
    if not len(likelier):
        return 1.0
    below, above = likelier[0] - 1, likelier[-1] + 1  # the last of the lower end, the first of the upper
    lower = float(bdtr(below, n, p)) if below >= 0 else 0.0
    upper = float(bdtrc(above - 1, n, p)) if above <= n else 0.0
    return min(1.0, lower + upper)

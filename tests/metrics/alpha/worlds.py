"""Worlds of choices whose best alpha is known: evidence + known * log P(t), and P(t) known from sampled images only."""

import numpy as np

from backend.metrics import alpha
from backend.metrics.alpha.bootstrap import Priors


def choices(rng, n, best, evidence=0.5, prior=1.0, samples=None, spread=0.5, per_cluster=1):
    """(sets, clusters, priors): n choices with one foil whose accuracy is highest at alpha = best.

    The difference of log P(t) is normal with sd `prior`, that of the scores is evidence + N(0, 1) + best times it.
    samples: so many images stand behind P(t), each log P(t | image) off by N(0, spread); None: P(t) is known.
    per_cluster: so many items share their evidence's noise and their prior.
    """
    groups = n // per_cluster
    clusters = np.repeat(np.arange(groups), per_cluster)
    difference = np.repeat(rng.normal(0, prior, groups), per_cluster)
    noise = np.repeat(rng.normal(0, 1, groups), per_cluster)
    gen = np.stack([evidence + noise + best * difference, np.zeros(n)], axis=1)
    truth = np.stack([difference, np.zeros(n)], axis=1)
    if samples is None:
        return alpha.intervals(gen, truth), clusters, None
    sums = truth - spread**2 / 2 + rng.normal(0, spread, (samples, n, 2))
    priors = Priors.of(sums, np.ones((n, 2)), "sum", lambda p: alpha.intervals(gen, p))
    return priors.to_sets(priors.of_counts(np.ones(samples))), clusters, priors

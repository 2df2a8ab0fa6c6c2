"""A protocol's items with their scores as a setting judges them: the prior taken away under α, normalised as asked."""

import numpy as np
import pandas as pd

from backend.items import Kind
from backend.metrics import alpha as alpha_
from backend.protocols import Protocol
from backend.store.build.stored_run import StoredRun
from backend.store.scores import matrices
from backend.store.scores.setting import Setting


def judged_scores(
    run: StoredRun,
    setting: Setting,
    protocol: Protocol,
    subset: str | None = None,
    only: pd.DataFrame | None = None,
) -> tuple[matrices.Block | None, matrices.FloatArray]:
    """A protocol's block and its scores under the setting; None where this kind judges no such item. only: these
    items, in item order."""
    nothing = np.zeros((0, 1))
    if setting.kind == Kind.T2T and protocol != Protocol.TRIPLET:
        return None, nothing
    if setting.kind == Kind.PRIOR:
        if protocol.info.images != 1 or protocol == Protocol.CLASSIFY:  # every image has the same number
            return None, nothing
        block = matrices.prior_scores(run, protocol, setting, subset)
        return block, block.scores
    block = matrices.block(run, setting.kind, protocol, subset, only)
    if setting.kind != Kind.GEN or not len(block):
        return block, block.scores
    gen, prior = matrices.terms(run, block, setting)
    if not setting.alpha or protocol == Protocol.GROUNDING:  # every boundary has the same two texts: alpha cancels
        return block, gen
    if prior is None:
        return block, np.full_like(gen, np.nan)
    return block, alpha_.debias(gen, prior, setting.alpha)

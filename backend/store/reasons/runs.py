"""The cells and reasons of a run's items under a setting, as one table a protocol."""

import pandas as pd

from backend.kinds import in_own_unit
from backend.metrics.reasons import scales
from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.build.stored_run import StoredRun
from backend.store.catalog.command_again import model_of
from backend.store.reasons import choices, evidence, quads
from backend.store.reasons.words import Words
from backend.store.scores import matrices
from backend.store.scores.judged import judged_scores
from backend.store.scores.matrices import FloatArray
from backend.store.scores.setting import Setting


def measured(run: StoredRun, protocol: Protocol, kind: str) -> bool:
    """Whether items of a protocol have cells under a kind of a run: quads by any kind that scores pairs, choices and
    triplets where their captions were scored under other images."""
    if protocol in (Protocol.CHOICE, Protocol.TRIPLET):
        return choices.measured(run, kind)
    return quads.measured(kind, protocol)


def table(
    run: StoredRun, setting: Setting, block: matrices.Block, scores: FloatArray, subset: str | None = None
) -> pd.DataFrame:
    """`quads.apart` or `choices.against` of a block (`judged_scores`); empty where its items have no cells."""
    if not len(block) or not measured(run, block.protocol, setting.kind):
        return pd.DataFrame()
    if block.protocol == Protocol.QUAD:
        found = quads.apart(block, scores, setting)
    else:
        found = choices.against(run, setting, block, scores, subset)
    return named(found, setting.kind, model_of(run))


def named(table: pd.DataFrame, kind: str, model: str) -> pd.DataFrame:
    """A table whose column `scale` is called as a model's scores of a kind are (`scales.of_model`)."""
    if not len(table) or not in_own_unit(kind, model):
        return table
    return table.assign(scale=pd.Series(scales.AS_THEY_COME, index=table.index, dtype=object))


def words(
    run: StoredRun, setting: Setting, block: matrices.Block, scores: FloatArray, subset: str | None = None
) -> Words | None:
    """The two words of each item of a block; None where none of them has a cell."""
    frame = table(run, setting, block, scores, subset)
    return Words.of(frame, block.items, block.protocol) if len(frame) else None


def of_run(store: Store, run_id: str, setting: Setting, protocol: Protocol, subset: str | None = None) -> pd.DataFrame:
    """The table of one protocol of a run, in item order; empty where its items have no cells under this kind. At a
    kind's default setting it was made at import."""
    key = _key(run_id, setting, protocol, subset)
    return store.cached(key, lambda: _of_run(store.run(run_id), setting, protocol, subset))


def remember(
    store: Store, run_id: str, setting: Setting, protocol: Protocol, subset: str | None, table: pd.DataFrame
) -> None:
    """Keep a table that was made on the way to verdicts as what `of_run` gives."""
    store.cached(_key(run_id, setting, protocol, subset), lambda: table)


def _key(run_id: str, setting: Setting, protocol: Protocol, subset: str | None) -> tuple[object, ...]:
    return ("reasons", run_id, setting, str(protocol), subset)


def _of_run(run: StoredRun, setting: Setting, protocol: Protocol, subset: str | None) -> pd.DataFrame:
    if not measured(run, protocol, setting.kind):
        return pd.DataFrame()
    if setting.is_default:
        kept = evidence.kept(run, setting.kind, protocol, subset)
        return named(kept, setting.kind, model_of(run))  # a database from before has "cosine" of all
    block, scores = judged_scores(run, setting, protocol, subset)
    return pd.DataFrame() if block is None else table(run, setting, block, scores, subset)

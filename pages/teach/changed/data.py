"""What this view asks the store, kept for one generation of the data."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from backend.protocols import Protocol
from backend.store.compare import compare, flow, ledger, lineage, spread
from backend.store.compare.ledger import Missing
from backend.store.compare.lineage import Lineage
from backend.store.queries import Checkpoint, Shared, Side, shared
from pages.shared.data.stored import kept, store

Sides = tuple[Side, ...]


def twin(benchmark: str, after: Checkpoint) -> tuple[str, str] | None:
    """(model, run) of the plain training beside a checkpoint (see `lineage.plain_twin`)."""
    return _twin(benchmark, after.model, after.run_id)


@kept()
def _twin(benchmark: str, model: str, run: str) -> tuple[str, str] | None:
    return lineage.plain_twin(store(), benchmark, model, run)


def lineage_of(run: str) -> Lineage | None:
    """How the model of a run was taught; None where its record does not say."""
    return lineage.of_record(store().run(run).record)


def families(sides: Sides) -> list[Protocol]:
    """The protocols of the verdicts that all sides have."""
    return flow.families(shared(store(), sides))


@kept()
def family(sides: Sides, protocol: Protocol) -> Shared:
    """The verdicts of one protocol that all sides have."""
    return flow.family(shared(store(), sides), protocol)


@kept()
def groups(sides: Sides, protocol: Protocol) -> dict[str, int]:
    """Concept -> how many verdicts of a protocol it has; without one that all are in."""
    found = compare.groups(family(sides, protocol).frame, "concept")
    return {name: int(rows.sum()) for name, rows in found if not rows.all()}


@kept()
def words(sides: Sides, protocol: Protocol) -> pd.DataFrame:
    """Cells and reasons of these verdicts (see `flow.words`)."""
    return flow.words(store(), family(sides, protocol), sides, protocol)


def inside(sides: Sides, protocol: Protocol, group: str) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Which of these verdicts are of a concept; all where it is none of theirs."""
    found = family(sides, protocol)
    rows = dict(compare.groups(found.frame, "concept")) if group in groups(sides, protocol) else {}
    return np.asarray(rows.get(group, np.ones(len(found), dtype=bool)), dtype=np.bool_)


@kept()
def against(
    sides: Sides, protocol: Protocol, group: str, by: str, baseline: int, others: tuple[int, ...]
) -> pd.DataFrame:
    """Sides (positions) against another, on the verdicts of a concept (see `compare.against`)."""
    found = family(sides, protocol).only(inside(sides, protocol, group))
    return compare.against(found, by, baseline, others)


@kept()
def rates(sides: Sides, protocol: Protocol, group: str) -> pd.DataFrame:
    """Each side's rate on the verdicts of a concept (see `compare.rates`)."""
    return compare.rates(family(sides, protocol).only(inside(sides, protocol, group)))


@kept("Comparing what both were scored on …")
def costs(models: tuple[str, ...], kind: str, benchmark: str) -> pd.DataFrame:
    """The ledger (see `ledger.rows`); benchmark: the hash that comes first."""
    return ledger.rows(store(), models, kind, benchmark)


@kept()
def missing(models: tuple[str, ...], kind: str) -> list[Missing]:
    """What the ledger lacks (see `ledger.missing`)."""
    return ledger.missing(store(), models, kind)


@kept()
def deviations(runs: tuple[str, ...], kind: str, group: str) -> list[pd.DataFrame]:
    """The quads of each run with deviations, binding and biases (see `spread.quads`), those that all have; group: a
    concept, else all."""
    return spread.together([spread.quads(store(), run, kind) for run in runs], group)


@kept()
def means(runs: tuple[str, ...], kind: str, group: str, left: int) -> pd.DataFrame:
    """The mean sizes, and how they differ from those of the run at a position (see `spread.means`)."""
    return spread.means(deviations(runs, kind, group), left)


def concepts(sides: Sequence[Side]) -> list[str]:
    """The concepts of the quads that all sides have."""
    return list(groups(tuple(sides), Protocol.QUAD))

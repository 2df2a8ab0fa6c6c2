"""Which part of a benchmark can be solved without the image: blind scorers, and truth and foil exchanged within items.

Nothing here is about a model that was scored on the images; it says what an accuracy on these items is worth.
"""

from dataclasses import dataclass

import duckdb
import numpy as np
import pandas as pd

from backend.metrics import statistics
from backend.metrics.core.arrays import FloatArray
from backend.metrics.reasons import blind_audit
from backend.metrics.statistics import Rate
from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.build.stored_run import StoredRun, rank
from backend.store.scores import matrices
from backend.store.scores.setting import Setting

#: What is audited: one image, texts that compete.
PROTOCOLS = (Protocol.CHOICE, Protocol.TRIPLET)


@dataclass(frozen=True)
class Scorer:
    """A blind scorer on a subset. name: the model; source: of its P(t), "self" for a blind language model. accuracy:
    items whose truth it finds; exchanged: the same with a foil called the truth, its chance level on these items."""

    name: str
    source: str
    accuracy: Rate
    exchanged: float | None


@dataclass(frozen=True)
class Audit:
    """One subset. n: items that two scorers have scored. share: solved by two scorers at once, less what the exchange
    solves, with its interval over images; None without two scorers. solvable: ids of the items that are solved by more
    than luck (at most 5 % of them are luck)."""

    subset: str
    protocol: Protocol
    scorers: tuple[Scorer, ...]
    n: int
    share: float | None
    ci95: tuple[float, float] | None
    solvable: tuple[str, ...]


def audits(store: Store, benchmark: str) -> list[Audit]:
    """Of every subset of a benchmark (hash) with choices or triplets; empty without any blind scorer."""

    def make() -> list[Audit]:
        cursor = store.cursor()
        scorers = blind_scorers(cursor, benchmark)
        found = []
        for protocol in PROTOCOLS:
            items, tables = _tables(cursor, scorers, protocol)
            for subset, rows in items.groupby("subset", sort=False).indices.items():
                parts = [(run, source, table[rows]) for run, source, table in tables]
                parts = [part for part in parts if np.isfinite(part[2]).any()]
                if parts:
                    found.append(_audit(str(subset), protocol, items.iloc[rows], parts))
        return found

    return store.cached(("blind audit", benchmark), make)


def blind_scorers(cursor: duckdb.DuckDBPyConnection, benchmark: str) -> list[tuple[str, str, str]]:
    """(model, run id, source of P(t)) of a benchmark's complete runs: blind models and priors, of each model the source
    that is used where none is named. Imported ones only where there are no others."""
    rows = cursor.execute(
        """SELECT r.model, r.run_id, p.part, r.origin FROM run_parts p JOIN runs r USING (run_id)
        WHERE p.part LIKE 'prior@%' AND p.complete AND r.whole AND r.benchmark = ?
            AND p.part NOT LIKE 'prior@lm:%' ORDER BY r.updated, r.run_id, p.part""",
        [benchmark],
    ).fetchall()
    ours = any(origin != "imported" for *_, origin in rows)
    best: dict[str, tuple[str, str]] = {}
    for model, run_id, part, origin in rows:
        source = str(part).removeprefix("prior@")
        if (not ours or origin != "imported") and (model not in best or rank(source) <= rank(best[model][1])):
            best[model] = (run_id, source)
    return [(model, *found) for model, found in best.items()]


_Tables = list[tuple[str, str, FloatArray]]


def _tables(
    cursor: duckdb.DuckDBPyConnection, scorers: list[tuple[str, str, str]], protocol: Protocol
) -> tuple[pd.DataFrame, _Tables]:
    """A protocol's items, and (model, source, mean log P a token (n, texts)) of each scorer that has some of them."""
    tables: _Tables = []
    items = pd.DataFrame(columns=["subset"])
    for model, run_id, source in scorers:
        run = StoredRun(cursor, run_id)
        if not tables:
            items = matrices.items_of(run, protocol)
        block = matrices.prior_scores(run, protocol, Setting("prior", prior=source))
        if len(block):
            table = np.full((len(items), block.scores.shape[1]), np.nan)
            table[np.searchsorted(items["item_no"].to_numpy(), block.items["item_no"].to_numpy())] = block.scores
            tables.append((model, source, table))
    return (items if tables else items.iloc[:0]), tables


def _audit(subset: str, protocol: Protocol, items: pd.DataFrame, tables: _Tables) -> Audit:
    triplet = protocol == Protocol.TRIPLET
    cluster = items["cluster"].to_numpy()
    found = blind_audit.audit([table for *_, table in tables], triplet)
    scorers = []
    for at, (model, source, table) in enumerate(tables):
        wins = put_first(table, triplet)
        accuracy = statistics.rate(wins[:, 0] > 0, ~np.isnan(wins[:, 0]), clusters=cluster)
        exchanged = float(found.exchanged[at])
        scorers.append(Scorer(model, source, accuracy, exchanged if np.isfinite(exchanged) else None))
    apart = beyond_exchange([table for *_, table in tables], triplet)
    return Audit(
        subset, protocol, tuple(scorers), int(found.known.sum()), found.share,
        statistics.mean_interval(apart, cluster), tuple(items["item_id"][found.solvable]),
    )  # fmt: skip


def put_first(table: FloatArray, triplet: bool) -> FloatArray:
    """Whether a scorer puts this text in the truth's place, (n, k+1): column 0 the item as it is, the others with a
    foil called the truth (triplets: another text called the negative). Ties are lost. NaN where a text is missing.

    >>> put_first(np.array([[-1.0, -2.0, np.nan]]), False).tolist()
    [[1.0, 0.0, nan]]
    """
    there = ~np.isnan(table)
    if triplet:
        least = np.where(there, table, np.inf).min(axis=1, keepdims=True)
        negative = (table == least) & ((table == least).sum(axis=1, keepdims=True) == 1)
        return np.where(there.all(axis=1, keepdims=True), negative[:, [2, 0, 1]], np.nan)
    most = np.where(there, table, -np.inf).max(axis=1, keepdims=True)
    won = (table == most) & ((table == most).sum(axis=1, keepdims=True) == 1)
    return np.where(there & there[:, :1] & (there.sum(axis=1, keepdims=True) > 1), won, np.nan)


def beyond_exchange(tables: list[FloatArray], triplet: bool) -> FloatArray:
    """Of each item, (n,): 1 where two scorers find the truth, less the mean over the exchanges of the same; NaN where
    fewer than two scorers have scored it. Its mean is the share of `blind_audit.audit`.

    >>> beyond_exchange([np.array([[-1.0, -2.0], [-2.0, -1.0]])] * 2, False).tolist()
    [1.0, -1.0]
    """
    wins = np.stack([put_first(table, triplet) for table in tables])
    solved = (np.nansum(wins, axis=0) > 1).astype(np.float64)
    known = (~np.isnan(wins[:, :, 0])).sum(axis=0) > 1
    exchanges = (~np.isnan(wins)).sum(axis=0) > 1
    weight = exchanges[:, 1:] / np.maximum(exchanges[:, 1:].sum(axis=1, keepdims=True), 1)
    return np.where(known, solved[:, 0] - (solved[:, 1:] * weight).sum(axis=1), np.nan)

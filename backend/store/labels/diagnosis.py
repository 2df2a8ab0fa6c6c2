"""Diagnosis labels of items, from the evidence that the stored runs hold. No evidence, no label.

`backend.metrics.diagnosis` defines the labels. `brittle` and `near_miss` rest on the same model's runs on perturbed
editions of the benchmark (edited_captions.py).
"""

import json
from collections.abc import Sequence
from typing import Any

import duckdb
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.items import IMAGE_KINDS, Kind, Protocol
from backend.metrics import blind
from backend.metrics import diagnosis as rules
from backend.metrics.core import evaluate
from backend.metrics.core.compare import Outcomes, from_margins
from backend.store.build.stored_run import StoredRun, rank
from backend.store.labels import edited_captions
from backend.store.scores import matrices, outcomes
from backend.store.scores.setting import Setting

#: Columns of the table `diagnoses` but for the benchmark. A label of the item itself has run_id "" and kind "".
COLUMNS = ("run_id", "kind", "item_no", "label", "evidence")

_NEEDS = {
    "text_encoder": "kind t2t of this model on triplets",
    "cross_modal": "kind t2t of this model on triplets, and an image kind",
    "language_prior": "kind gen and a prior source of this run",
    "brittle": "runs of this model on meaning-preserving editions of this benchmark (flipside perturb)",
    "blind_solvable": "at least two blind scorers on choices or triplets (blind language models, priors)",
    "near_miss": "runs of this model on eight or more meaning-preserving editions (flipside perturb --seeds 8)",
}


def label_benchmark(cursor: duckdb.DuckDBPyConnection, benchmark: str, runs: Sequence[str]) -> pd.DataFrame:
    """All labels of a benchmark's runs, and of its items."""
    rows: list[tuple[str, str, int, str, str]] = []
    for run_id in runs:
        run = StoredRun(cursor, run_id)
        if "t2t" in run.parts:
            _text_labels(run, [k for k in Kind if k in IMAGE_KINDS and k in run.parts], rows)
        if "gen" in run.parts:
            _prior_labels(run, rows)
        for kind in dict.fromkeys(kind for kind, _, _ in edited_captions.editions_of(run)):
            _edit_labels(run, kind, rows)
    for protocol in (Protocol.CHOICE, Protocol.TRIPLET):
        _blind_labels(cursor, benchmark, runs, protocol, rows)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def missing_evidence(run: StoredRun) -> dict[str, str]:
    """Label -> what would have to be computed before it can be given; labels with evidence are not in it."""
    parts, found = run.parts, set()
    triplets = run.cursor.execute(
        "SELECT count(*) FROM items WHERE benchmark = ? AND protocol = 'triplet'", [run.benchmark]
    ).fetchone()
    if "t2t" in parts and triplets and triplets[0]:
        found |= {"text_encoder"} | ({"cross_modal"} if IMAGE_KINDS & set(parts) else set())
    if "gen" in parts and run.priors:
        found.add("language_prior")
    same = run.cursor.execute("SELECT run_id FROM runs WHERE benchmark = ?", [run.benchmark]).fetchall()
    if len(_blind_scorers(run.cursor, [run_id for (run_id,) in same])) >= 2:
        found.add("blind_solvable")
    kinds = [kind for kind, _, _ in edited_captions.editions_of(run)]
    found |= {"brittle"} if kinds else set()
    found |= {"near_miss"} if any(kinds.count(kind) >= edited_captions.ENOUGH for kind in kinds) else set()
    return {label: need for label, need in _NEEDS.items() if label not in found}


def _add(
    rows: list[tuple[str, str, int, str, str]],
    run_id: str,
    kind: str,
    label: str,
    items: pd.DataFrame,
    flags: NDArray[np.bool_],
    evidence: dict[str, Any],
) -> None:
    """evidence: name -> one value for all, or an array with one value an item."""
    numbers = items["item_no"].to_numpy()
    for k in np.flatnonzero(flags):
        said = {name: _said(value[k] if isinstance(value, np.ndarray) else value) for name, value in evidence.items()}
        rows.append((run_id, kind, int(numbers[k]), label, json.dumps(said, ensure_ascii=False)))


def _said(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if np.isfinite(value) else None  # pages round it, once
    return value.tolist() if isinstance(value, np.ndarray) else value


def _verdicts(
    run: StoredRun, setting: Setting, protocol: Protocol, metric: str
) -> tuple[pd.DataFrame, Outcomes] | None:
    """One metric's verdicts on a protocol's items."""
    block, scores = outcomes.scored(run, setting, protocol)
    if block is None or not len(block):
        return None
    found = evaluate.outcomes(protocol, Kind(setting.kind), scores, block.n_texts)
    return block.items, found[metric]


def _text_labels(run: StoredRun, kinds: Sequence[str], rows: list[tuple[str, str, int, str, str]]) -> None:
    found = _verdicts(run, Setting("t2t"), Protocol.TRIPLET, "t2t_accuracy")
    if found is None:
        return
    items, t2t = found
    flags, _ = rules.text_encoder(t2t)
    _add(rows, run.run_id, "", "text_encoder", items, flags, {"t2t_margin": t2t.margin})
    for kind in kinds:
        seen = _verdicts(run, Setting(kind), Protocol.TRIPLET, "i2t_accuracy")
        if seen is None:
            continue
        both, i2t = seen
        margin = pd.Series(t2t.margin, index=items["item_no"]).reindex(both["item_no"]).to_numpy()
        flags, _ = rules.cross_modal(from_margins(margin), i2t)
        _add(rows, run.run_id, kind, "cross_modal", both, flags, {"t2t_margin": margin, "i2t_margin": i2t.margin})


def _prior_labels(run: StoredRun, rows: list[tuple[str, str, int, str, str]]) -> None:
    prior = run.default_prior
    if prior is None:
        return
    metrics = {Protocol.CHOICE: "accuracy", Protocol.TRIPLET: "i2t_accuracy", Protocol.QUAD: "group_score"}
    for protocol, metric in metrics.items():
        at_0 = _verdicts(run, Setting("gen"), protocol, metric)
        at_1 = _verdicts(run, Setting("gen", 1.0, prior), protocol, metric)
        if at_0 and at_1:
            flags, _ = rules.language_prior(at_0[1], at_1[1])
            evidence = {"margin_alpha_0": at_0[1].margin, "margin_alpha_1": at_1[1].margin, "prior": prior}
            _add(rows, run.run_id, "gen", "language_prior", at_0[0], flags, evidence)


def _edit_labels(run: StoredRun, kind: str, rows: list[tuple[str, str, int, str, str]]) -> None:
    found = edited_captions.verdicts(run, kind)
    if found is None or not len(found.items):
        return
    own = from_margins(found.items["margin"].to_numpy(dtype=float))
    scored = ~np.isnan(found.margins)
    flips = scored & ((found.margins > 0) != own.correct[:, None])
    flags, _ = rules.brittle(own, found.margins)
    names = np.array([[found.editions[k] for k in np.flatnonzero(row)[:3]] for row in flips] + [None], dtype=object)
    counts: dict[str, Any] = {"margin": own.margin, "edits": scored.sum(axis=1)}
    _add(
        rows,
        run.run_id,
        kind,
        "brittle",
        found.items,
        flags,
        counts | {"flips": flips.sum(axis=1), "flipped_by": names},
    )
    flags, evidence = rules.near_miss(own.margin, found.margins, min_edits=edited_captions.ENOUGH)
    change = np.full(len(own), np.nan)
    change[evidence] = np.nanpercentile(np.abs(found.margins - own.margin[:, None])[evidence], 90.0, axis=1)
    _add(rows, run.run_id, kind, "near_miss", found.items, flags, counts | {"change_90th_percentile": change})


def _blind_scorers(cursor: duckdb.DuckDBPyConnection, runs: Sequence[str]) -> list[tuple[str, str, str]]:
    """(name, run id, prior source): blind models and priors of the benchmark's whole runs, one of each model.
    Imported ones only where there are no others."""
    rows = cursor.execute(
        """SELECT r.model, r.run_id, p.part, r.origin FROM run_parts p JOIN runs r USING (run_id)
        WHERE p.part LIKE 'prior@%' AND p.complete AND r.whole AND r.run_id IN (SELECT unnest(?))
            AND p.part NOT LIKE 'prior@lm:%' ORDER BY r.updated, r.run_id, p.part""",
        [list(runs)],
    ).fetchall()
    best: dict[str, tuple[str, str, str]] = {}
    ours = any(origin != "imported" for *_, origin in rows)
    for model, run_id, part, origin in rows:
        if ours and origin == "imported":
            continue
        source = part.removeprefix("prior@")
        if model not in best or rank(source) <= rank(best[model][2]):
            best[model] = (f"{model} ({source})", run_id, source)
    return list(best.values())


def _blind_labels(
    cursor: duckdb.DuckDBPyConnection,
    benchmark: str,
    runs: Sequence[str],
    protocol: Protocol,
    rows: list[tuple[str, str, int, str, str]],
) -> None:
    items, scorers, tables = blind_tables(cursor, benchmark, runs, protocol)
    if len(tables) < 2:
        return
    triplet = protocol == Protocol.TRIPLET
    null = blind.blind_null(tables, triplet)
    margins = blind.blind_margins(tables, triplet)
    flags, _ = rules.blind_solvable(margins, null)
    evidence = {"scorers": scorers, "margins": margins, "thresholds": null.thresholds.tolist()}
    _add(rows, "", "", "blind_solvable", items, flags, evidence)


def blind_tables(
    cursor: duckdb.DuckDBPyConnection, benchmark: str, runs: Sequence[str], protocol: Protocol
) -> tuple[pd.DataFrame, list[str], list[NDArray[np.float64]]]:
    """The benchmark's items of a protocol, names of its blind scorers, and their scores (n, texts) of each."""
    items = cursor.execute(
        f"""SELECT {matrices.ITEM_COLUMNS}, concepts, perturbations FROM items
        WHERE benchmark = ? AND protocol = ? ORDER BY item_no""",
        [benchmark, str(protocol)],
    ).df()
    names, tables = [], []
    for name, run_id, source in _blind_scorers(cursor, runs):
        block = matrices.prior_scores(StoredRun(cursor, run_id), protocol, Setting("prior", prior=source))
        if len(block):
            table = np.full((len(items), block.scores.shape[1]), np.nan)
            table[np.searchsorted(items["item_no"].to_numpy(), block.items["item_no"].to_numpy())] = block.scores
            names.append(name)
            tables.append(table)
    return items, names, tables

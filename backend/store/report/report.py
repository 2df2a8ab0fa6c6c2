"""What `flipside report` prints: every metric of one run under one setting, with interval and published number."""

import math
from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from backend import published
from backend.errors import UsageError
from backend.items import Kind, Protocol
from backend.kinds import PROBABILITIES, SPOKEN, listed, no_threshold_of
from backend.metrics.contests import MEAN_OF_ORDERS, NO_CHANCE
from backend.metrics.core.registry import METRICS, known
from backend.metrics.eqsim import SETTINGS
from backend.metrics.thresholds import DEFAULT
from backend.published import Ours
from backend.store.alpha import effective
from backend.store.build.store import Store
from backend.store.catalog import catalog, not_scored, public
from backend.store.catalog.default_run import ChosenRun, choose_run, choose_setting
from backend.store.official import official as official_
from backend.store.official import printed_keys
from backend.store.rates import both_paraphrases, covered, thresholds
from backend.store.rates.rates import WORDS, rates
from backend.store.reasons import not_measured
from backend.store.report import relevance
from backend.store.report import unused_options as asked_
from backend.store.report.sections import sections
from backend.store.scores import drawn, noise, outcomes, pools
from backend.store.scores.setting import Norm, Setting

#: Metrics of whole pools, which have no value for a part of one.
OF_POOLS = tuple(metric.name for metric in METRICS if metric.protocol == Protocol.RETRIEVAL and metric.measure)
#: What an entry of a metric has that no paper prints and chance does not know.
_OURS: dict[str, Any] = {
    "chance": None, "published": None, "published_all": [], "within_noise": None, "noise": None
}  # fmt: skip


def report(
    store: Store,
    model: str,
    benchmark: str,
    *,
    kind: str | None = None,
    alpha: float | None = None,
    prior: str | None = None,
    norm: Norm | None = None,
    subset: str | None = None,
    run: str | None = None,
    by: str | None = None,
    published_as: str | None = None,
    threshold: float | None = None,
    normalise: str = "raw",
    relevance_encoder: str | None = None,
) -> dict[str, Any]:
    """The document of `report --json`. Values are fractions, undefined ones None; `notes` says what was filled in.

    by: a tag, "cell", "reason" (also called by its old name "diagnosis") or "subset"; without it the subsets, where the
    run covers several. published_as: the printed model that these weights are, where the alias tables do not know it.
    threshold: of pc, pf and their kin; 0.5 if None. normalise: how scores are normalised before deviations are
    measured, see `metrics.eqsim.normalise`. relevance_encoder: whose text embeddings grade what is retrieved; None
    takes a model of texts alone. `priors` names every source of log P(t) that could be taken, the default first;
    `setting.prior` the one that was, `setting.prior_samples` how many samples it rests on (`effective.prior_samples`;
    None where it samples nothing). `covered`: of which items the rates are, in words, where the run has judged clearly
    fewer than there are; "" otherwise.
    """
    by = "reason" if by == "diagnosis" else by
    chosen = choose_run(store, model, benchmark, kind, subset, run)
    setting, notes = choose_setting(store, chosen, kind, alpha, prior, norm)
    at = thresholds.checked(setting, threshold, chosen.model)
    if normalise not in SETTINGS:
        raise UsageError(f"--normalise {normalise}: expected {', '.join(SETTINGS)}.")
    frame = outcomes.compute(store, chosen.run_id, setting, subset)
    present = list(frame["subset"].unique())
    ours = printed_keys.of_run(store, chosen, setting, present, published_as)
    pooled = rates(store, chosen.run_id, setting, None, subset, at)
    within = noise.noise_of(store, chosen.run_id, setting)
    grouped = by or ("subset" if len(present) > 1 else None)
    by_group: dict[str, Any] = {}
    if grouped:
        table = rates(store, chosen.run_id, setting, grouped, subset, at)
        for group in map(str, table["group"].unique()):
            part = printed_keys.of_run(store, chosen, setting, [group], published_as) if grouped == "subset" else None
            rows = table[table["group"] == group]
            by_group[group] = _metrics(rows, part, at, within)
            for name in rows.loc[rows["lower_bound"], "metric"]:
                by_group[group][name]["lower_bound"] = both_paraphrases.WHY
            if part and part.subsets != ours.subsets:
                notes += published.refusals(part, rows["metric"])
    own = official_.official(store, chosen, setting, subset, published_as, at)
    if setting.kind == Kind.ITC:
        notes += pools.too_large(store.run(chosen.run_id), subset)
    graded = relevance.similarity(store, chosen.run_id, setting, subset, relevance_encoder)
    notes += [f"{name}: {entry['reason']}" for name, entry in graded.items() if entry["reason"]]
    compared = [*pooled["metric"], *(official_.column(row) for row in own if row["value"] is not None)]
    record = store.run(chosen.run_id).record
    spoken = setting.kind in SPOKEN
    available = catalog.settings(store, chosen.run_id).priors if spoken else []
    used = setting.prior or next(iter(available), None)
    sampled = effective.prior_samples(store, chosen.run_id, used, setting.norm, subset) if used else None
    if sampled is not None and sampled["own"] == drawn.UNKNOWN and (setting.alpha or setting.kind == Kind.PRIOR):
        notes.append(f"{used}: {drawn.UNKNOWN}, for the run's record does not say which images were drawn.")
    notes += _incomplete(record, setting.kind) + not_scored.said(store, chosen.run_id, setting.kind)
    if Protocol.ANSWERS in _protocols(store, chosen, present or list(_protocol_of(store, chosen))):
        notes += _no_threshold(setting.kind, chosen.model)
    if by in WORDS:
        notes += _not_measured(store, chosen, setting.kind, present)
    notes += _of_tag(by, by_group, frame, pooled)
    document: dict[str, Any] = {
        "model": chosen.model,
        "name": catalog.shown(store).get(chosen.model, ""),
        "benchmark": chosen.benchmark,
        "benchmark_hash": chosen.benchmark_hash,
        "run": chosen.run_id,
        "origin": public.origin(chosen.origin, chosen.model, public.names(store)),
        "imported": chosen.imported_from,
        "selection": record.get("selection"),
        "subset": subset,
        "setting": _said(setting, at, used) | {"prior_samples": sampled},
        "priors": available,
        "n_items": _n_items(frame, pooled),
        "covered": "" if subset else covered.said(store, chosen.run_id, setting.kind),
        "metrics": _metrics(pooled, ours, at, within)
        | {name: _OURS | entry | {"unit": _unit(name)} for name, entry in graded.items()},
        "grouped_by": grouped,
        "by": by_group,
        "official": own,
        **sections(store, chosen, setting, subset, present, _protocols(store, chosen, present), normalise),
        "published_as": published_as,
        "printed_models": {"matched_by": ours.how, "names": [f"{name.paper}: {name.model}" for name in ours.names]},
        "subsets": present,
        "of_subsets": len(_protocol_of(store, chosen)),
        "notes": list(dict.fromkeys(chosen.notes + notes + published.refusals(ours, compared))),
    }
    asked_.refuse_without_effect(document)
    return document


def _of_tag(by: str | None, by_group: Mapping[str, Any], frame: pd.DataFrame, pooled: pd.DataFrame) -> list[str]:
    """What grouping by a tag leaves out. UsageError for a tag that no item has. frame: outcomes; pooled: rates."""
    if by is None:
        return []
    if not by_group and len(frame) and by not in WORDS:
        raise UsageError(f"--by {by}: no item here has this tag. There is: {', '.join(asked_.tags(frame))}.")
    if not by_group:
        return [f"No item has the tag '{by}'."]
    if by not in ("subset", "all", *WORDS) and set(pooled["metric"]) & set(OF_POOLS):
        return [f"{', '.join(OF_POOLS)} belong to whole pools, so they are not given by {by}."]
    return []


def _no_threshold(kind: str, model: str) -> list[str]:
    """A sentence where answers are asked about under a model's kind of which no value means yes."""
    why = no_threshold_of(kind, model)
    return [f"Answers are judged by {listed(PROBABILITIES)}, not by {kind}: {why}."] if why else []


def _not_measured(store: Store, chosen: ChosenRun, kind: str, subsets: list[str]) -> list[str]:
    """A sentence for each protocol of some subsets whose items have no cell and no reason, and why."""
    asked, found = _protocols(store, chosen, subsets), []
    for protocol, why in not_measured.of_run(store, chosen.run_id, kind).items():
        if protocol in asked:
            said = f"Reason not measured for {Protocol(protocol).info.title}: {why.said}."
            found.append(f"{said} Type: {why.command}" if why.command else said)
    return found


def _incomplete(record: Mapping[str, Any], kind: str) -> list[str]:
    """A sentence where another system's predictions lack some scores of an item, which is therefore not judged."""
    found = []
    told = record.get("incomplete")
    for part, entry in told.items() if isinstance(told, Mapping) else ():
        if str(part).partition("@")[0] == kind and isinstance(entry, Mapping):
            items = [str(item) for item in entry.get("items") or ()]
            more = ", …" if len(items) > 3 else ""
            said = f"{entry.get('reason')} ({', '.join(items[:3])}{more})"
            found.append(f"{entry.get('n')} items of {part} are not complete and are not judged: {said}.")
    return found


def _n_items(frame: pd.DataFrame, pooled: pd.DataFrame) -> int:
    """How many items were asked about; a pool's image without a caption answers others' queries and has none."""
    if len(frame):
        return int(frame.loc[frame["relevant"] > 0, "item_no"].nunique())
    return int(pooled["n"].max()) if len(pooled) else 0


def _protocols(store: Store, chosen: ChosenRun, subsets: list[str]) -> set[str]:
    """The protocols of some subsets of the run's benchmark."""
    known = _protocol_of(store, chosen)
    return {str(known[name]) for name in subsets if name in known}


def _protocol_of(store: Store, chosen: ChosenRun) -> dict[str, Any]:
    """Subset -> protocol, of all of the run's benchmark."""
    table = catalog.benchmarks(store).set_index("hash")
    return dict(table["protocols"][chosen.benchmark_hash]) if chosen.benchmark_hash in table.index else {}


def _said(setting: Setting, threshold: float, prior: str | None) -> dict[str, Any]:
    """The setting without what does not apply to its kind; with the threshold where scores are probabilities.

    prior: the source that the document's P(t) is from: of the rates, and at α = 0 of α* and the Monte-Carlo errors.
    """
    said = setting.as_dict() | {"prior": prior}
    if setting.kind in PROBABILITIES:
        said["threshold"] = threshold
    if setting.kind not in SPOKEN:
        said["norm"] = None
    return said


def _metrics(table: pd.DataFrame, ours: Ours | None, threshold: float, within: noise.Noise) -> dict[str, Any]:
    """Metric -> its entry. ours: what the rows were measured on; None where no paper prints such a group. within: what
    batching can change."""
    found = {}
    for row in table.to_dict("records"):
        value = _number(row["value"])
        lo, hi = _number(row["lo"]), _number(row["hi"])
        moved = threshold != DEFAULT and row["metric"] in thresholds.METRICS  # papers print .5 only
        matches = published.matches(ours, str(row["metric"])) if ours and not moved else []
        printed = [match.beside(value) for match in matches]
        found[str(row["metric"])] = {
            "value": value,
            "n": int(row["n"]),
            "ties": int(row["ties"]),
            "ci95": None if lo is None or hi is None else [lo, hi],
            "chance": _number(row["chance"]),
            "published": printed[0] if printed else None,
            "published_all": printed,
            **_within(row, within),
            **_asked(row),
            "unit": _unit(str(row["metric"])),
        }
    return found


def _unit(name: str) -> str:
    """What a metric's value is given in; "" where its package is no longer installed."""
    metric = known(name)
    return metric.counted_in if metric else ""


def _within(row: Mapping[Hashable, Any], within: noise.Noise) -> dict[str, Any]:
    """How many verdicts batching could turn over, and the rate's bounds; None where nobody knows, or where the metric
    is no share of verdicts."""
    if pd.isna(row["within_noise"]):
        why = within.source if within.bound is None else "the metric is undefined, or no share of verdicts"
        return {"within_noise": None, "noise": {"bound": None, "lowest": None, "highest": None, "source": why}}
    bounds = {"lowest": float(row["lowest"]), "highest": float(row["highest"])}
    told = {"bound": within.of(str(row["metric"])), **bounds, "source": within.source}
    return {"within_noise": int(row["within_noise"]), "noise": told}


def _asked(row: Mapping[Hashable, Any]) -> dict[str, Any]:
    """What several orders of asking add to an entry."""
    found: dict[str, Any] = {}
    if not pd.isna(row["disagreements"]):
        found = {"disagreements": int(row["disagreements"]), "neither": int(row["neither"])}
    if _number(row["chance"]) is None and (found or row["metric"] == MEAN_OF_ORDERS):
        found["chance_reason"] = NO_CHANCE
    return found


def _number(value: Any) -> float | None:
    return None if value is None or math.isnan(value) else float(value)

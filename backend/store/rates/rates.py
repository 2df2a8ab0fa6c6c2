"""Rates with their uncertainty: of one run in all its metrics, and of all models side by side."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.kinds import IMAGE_KINDS, PROBABILITIES, SIMILARITIES, Kind
from backend.metrics import answers, grounding
from backend.metrics.contests import MEAN_OF_ORDERS
from backend.metrics.core import registry
from backend.metrics.core.scored import Scored
from backend.metrics.paired.resampling import where_shared
from backend.metrics.statistics import UNDEFINED, Rate
from backend.metrics.thresholds import DEFAULT
from backend.protocols import ALONE, Protocol
from backend.store.build.store import Store
from backend.store.catalog import catalog
from backend.store.rates import asking_orders, both_paraphrases, class_rates, covered, kept, shares
from backend.store.scores import boundaries, matrices, noise, outcomes, pools
from backend.store.scores.judged import judged_scores
from backend.store.scores.setting import Setting

#: The metrics that stand for a protocol where one number has to do, and have a verdict an item.
HEADLINES = registry.headlines(judged=True)
#: The scores of a quad, the headline first.
QUADS = registry.judging(Protocol.QUAD)


def headlines(kind: str) -> tuple[str, ...]:
    """The headline metrics that judge, and what stands for them where a kind does not allow one: for verdicts the one
    score of a quad that they have.

    >>> headlines("itc") == HEADLINES, [name for name in headlines("verdict") if name not in HEADLINES]
    (True, ['text_score'])
    """
    own = (registry.deciding(protocol, kind) for protocol in Protocol)
    return tuple(dict.fromkeys((*registry.headlines(judged=True), *filter(None, own))))


COLUMNS = (
    "metric", "group", "value", "n", "ties", "lo", "hi", "chance", "within_noise", "lowest", "highest", "disagreements",
    "neither", "lower_bound", "of",
)  # fmt: skip
#: What items are grouped by that their own outcomes say (docs/reasons.md).
WORDS = ("cell", "reason")
#: Columns that are missing where they do not apply.
_FLOATS = ("value", "lo", "hi", "chance", "within_noise", "lowest", "highest", "disagreements", "neither", "of")


def rates(
    store: Store,
    run_id: str,
    setting: Setting,
    by: str | None = None,
    subset: str | None = None,
    threshold: float = DEFAULT,
) -> pd.DataFrame:
    """One row a metric and group: COLUMNS. value, lo, hi (95 %) and chance are NaN where undefined (n = 0).

    within_noise: verdicts that batching could turn over (`noise`), lowest and highest: the rate if all of them were
    wrong, or right; NaN where no bound is known or the metric is no share of verdicts. disagreements, neither: of
    choices that were asked in several orders, items with different answers in two orders, and answers that named no
    caption; such items are no ties. lower_bound: whether the value is one (`both_paraphrases`), which then has no
    chance level. of: how many items the benchmark has in the group, where the run has judged fewer of them; else NaN.

    by: None (group ""), "subset", "concept", "perturbation", "cell", "reason" (items that have one), or any tag of the
    items ("split", "held_out", ...); "concept/*" and "perturbation/*": the broadest terms of the taxonomy above them;
    "all": everything, a part of a pool by itself. An item with several concepts counts in each. Intervals take
    items that share an image together.
    threshold: of pc, pf, threshold_accuracy and min_pc_pf.
    """

    def make() -> pd.DataFrame:
        rows = _rows(store, run_id, setting, subset, by)
        rows += _means(store, run_id, setting, subset, by)
        rows += _measured(store, run_id, setting, by, subset, threshold)
        if by in (None, "subset"):
            rows += _of_pools(store, run_id, setting, by, subset)
            found = class_rates.class_rates(store, run_id, setting, by, subset)
            rows += [_row(metric, group, rate, level) for metric, group, rate, level in found]
        return _table(rows if subset is not None else covered.marked(store, run_id, setting.kind, by, rows))

    return store.cached(("rates", run_id, setting, by, subset, threshold), make)


def _means(
    store: Store, run_id: str, setting: Setting, subset: str | None, by: str | None
) -> list[dict[Hashable, object]]:
    """The mean over the thresholds of grounding in each group that has any."""
    frame = outcomes.compute(store, run_id, setting, subset)
    names = [grounding.metric(threshold) for threshold in grounding.THRESHOLDS]
    frame = frame[frame["metric"].isin(names)]
    if frame.empty:
        return []
    frame = _with_words(frame, frame, by)
    found = ((group, boundaries.mean(frame.iloc[at])) for group, at in shares.groups(frame, by))
    return [_row(grounding.MEAN, group, *mean) for group, mean in found if mean is not None]


def _table(rows: list[dict[Hashable, object]], columns: Sequence[str] = COLUMNS) -> pd.DataFrame:
    found = pd.DataFrame(rows, columns=list(columns))
    found["lower_bound"] = [known is True for known in found["lower_bound"]]
    return found.astype(dict.fromkeys(_FLOATS, float) | {"n": int, "ties": int, "lower_bound": bool})


def heatmap(
    store: Store, benchmark: str, by: str = "subset", settings: tuple[Setting, ...] = (), quad: str = QUADS[0],
    known: pd.DataFrame | None = None,
) -> pd.DataFrame:  # fmt: skip
    """All models of a benchmark (hash) by their headline metrics. known: other runs than each model's default one, as
    rows with model, run_id, kinds.

    Columns: model, run_id, kind, headline (the model's default kind), metric, group, value, n, ties, lo, hi, chance.
    One row a model, kind and group; `settings` limits them to these instead of every kind at its default. A recall on
    a labelled part of a pool carries the part's size in its group, because it compares with no other. quad: which of
    the three scores stands for quads.
    """
    rows: list[dict[Hashable, object]] = []
    known = catalog.models(store, benchmark) if known is None else known
    for model, run_id, kinds in zip(known["model"], known["run_id"], known["kinds"], strict=True):
        for setting in settings or tuple(Setting(kind) for kind in kinds):
            if setting.kind in kinds:
                said = {"model": model, "run_id": run_id, "kind": setting.kind, "headline": setting.kind == kinds[0]}
                rows += [row | said for row in _headlines(store, run_id, setting, by, quad)]
    columns = ["model", "run_id", "kind", "headline", *COLUMNS]
    return _table(rows, columns) if rows else pd.DataFrame(columns=columns)


def _headlines(store: Store, run_id: str, setting: Setting, by: str, quad: str) -> list[dict[Hashable, object]]:
    """The rows of `rates` that a heat map shows, without the work of the others."""

    def of(metrics: tuple[str, ...]) -> list[dict[Hashable, object]]:
        found = _rows(store, run_id, setting, None, by, metrics)
        found += _measured(store, run_id, setting, by, None, DEFAULT, metrics)
        return covered.marked(store, run_id, setting.kind, by, found)

    measured = tuple(set(registry.headlines()) - set(registry.headlines(judged=True)))
    usual = store.cached(("headlines", run_id, setting, by), lambda: of((*headlines(setting.kind), *measured)))
    if any(row["metric"] == MEAN_OF_ORDERS for row in usual):  # it stands for choices in place of being right in each
        usual = [row for row in usual if row["metric"] != "accuracy"]
    if quad == QUADS[0]:
        return usual
    # Another score of quads: the rest stays as it is.
    quads = store.cached(("headlines", run_id, setting, by, quad), lambda: of((quad,)))
    return quads + [row for row in usual if row["metric"] not in QUADS]


def _rows(
    store: Store, run_id: str, setting: Setting, subset: str | None, by: str | None, only: tuple[str, ...] | None = None
) -> list[dict[Hashable, object]]:
    """A row for each metric (of some) and group; one that is a lower bound has no chance level."""
    rows = _with_chance(store, run_id, setting, subset, by, only)
    if setting.kind == Kind.VERDICT and any(row["metric"] in both_paraphrases.OF_ONE for row in rows):
        of = {group: group if by == "subset" else subset for group in {str(row["group"]) for row in rows}}
        bounds = {group: both_paraphrases.lower_bounds(store, run_id, some) for group, some in of.items()}
        rows = [
            row | {"chance": None, "lower_bound": True} if row["metric"] in bounds[str(row["group"])] else row
            for row in rows
        ]
    return rows


def _with_chance(
    store: Store, run_id: str, setting: Setting, subset: str | None, by: str | None, only: tuple[str, ...] | None
) -> list[dict[Hashable, object]]:
    """A row for each metric (of some) and group, each with its metric's level of chance."""
    known_rows = kept.rows_of(store, run_id, setting, by) if subset is None else None
    if known_rows is not None:
        return [dict.fromkeys(COLUMNS) | row for row in known_rows if only is None or str(row["metric"]) in only]
    frame = outcomes.compute(store, run_id, setting, subset)
    if frame.empty:
        return []
    frame = _with_words(frame, frame, by)
    known = store.cached(("numbers", run_id, setting, subset), lambda: shares.numbers(frame))
    keep = None if only is None else np.isin(known.metric, [known.metrics.index(m) for m in only if m in known.metrics])
    bound = noise.noise_of(store, run_id, setting)
    found = shares.shares(known, shares.groups(frame, by, keep), bound, None if only is None else frozenset(only))
    rows = [_row(*one) for one in found]
    if setting.kind == Kind.VERDICT:
        _of_coins(store, run_id, frame, by, rows)
    return (
        _with_orders(store, run_id, frame, by, rows) if asking_orders.in_several(store, run_id, setting.kind) else rows
    )


def _of_coins(
    store: Store, run_id: str, frame: pd.DataFrame, by: str | None, rows: list[dict[Hashable, object]]
) -> None:
    """The chance levels of verdicts that were asked for in several orders, put into their rows."""
    for name in dict.fromkeys(str(row["metric"]) for row in rows):
        own = frame[frame["metric"] == name]
        found = asking_orders.coin(store, run_id, own, name)
        if found is None:
            continue
        judged = own["correct"].notna().to_numpy()
        levels = {group: found[at[judged[at]]] for group, at in shares.groups(own, by)}
        for row in rows:
            level = levels.get(str(row["group"])) if row["metric"] == name else None
            if level is not None:
                row["chance"] = None if not len(level) or np.isnan(level).any() else float(level.mean())


def _with_orders(
    store: Store, run_id: str, frame: pd.DataFrame, by: str | None, rows: list[dict[Hashable, object]]
) -> list[dict[Hashable, object]]:
    """The rows of choices that were asked in several orders: the mean over the orders before `accuracy`, and beside
    each rate what the orders disagree about, which is then no tie."""
    means: dict[str, list[dict[Hashable, object]]] = {}
    for metric in ("accuracy", *asking_orders.CONTESTS):
        own = frame[frame["metric"] == metric]
        if own.empty:
            continue
        told = asking_orders.asked(store, run_id, own["item_no"].to_numpy(dtype=np.intp))
        apart, ties = told.disagree, own["ties"].to_numpy(dtype=bool)
        clusters = pd.factorize(own["cluster"], sort=True)[0]
        for group, at in shares.groups(own, by):
            more: dict[Hashable, object] = {
                "disagreements": int(apart[at].sum()), "neither": int(told.neither[at].sum())
            }  # fmt: skip
            for row in rows:
                if (row["metric"], row["group"]) == (metric, group):
                    row |= more | {"ties": int((ties & ~apart & (told.neither == 0))[at].sum())}
            if metric == "accuracy":
                # One answer drawn at random names the truth of two captions half the time, in whichever order.
                level = 0.5 if len(at) and (own["candidates"].to_numpy()[at] == 2).all() else None
                means[group] = [_row(MEAN_OF_ORDERS, group, told.rate(at, where_shared(clusters[at])), level) | more]
    found: list[dict[Hashable, object]] = []
    for row in rows:
        found += means.get(str(row["group"]), []) if row["metric"] == "accuracy" else []
        found.append(row)
    return found


def _with_words(items: pd.DataFrame, verdicts: pd.DataFrame, by: str | None) -> pd.DataFrame:
    """Items with the word that they are grouped by: the cell or reason of each, whichever of its metrics carries it.

    items: a frame with item_no; verdicts: of `outcomes.compute`.
    """
    if by not in WORDS:
        return items
    known = verdicts.loc[verdicts[by] != "", ["item_no", by]].drop_duplicates("item_no").set_index("item_no")[by]
    found = items["item_no"].map(known).astype(object)
    return items.assign(**{by: found.where(found.notna(), "")})


def _row(
    metric: str, group: str, rate: Rate, chance: float | None, within: shares.Within | None = None
) -> dict[Hashable, object]:
    lo, hi = rate.ci95 or (None, None)
    noisy = (None, None, None) if within is None else (within.n, within.lowest, within.highest)
    values = (metric, group, rate.value, rate.n, rate.ties, lo, hi, chance, *noisy, None, None, False, None)
    return dict(zip(COLUMNS, values, strict=True))


def _measured(
    store: Store,
    run_id: str,
    setting: Setting,
    by: str | None,
    subset: str | None,
    threshold: float,
    only: tuple[str, ...] | None = None,
) -> list[dict[Hashable, object]]:
    """Metrics that measure a group of items as a whole, of each group; those of probabilities are undefined, but there,
    for a kind that is none. only: these metrics."""
    rows = []
    for protocol in ALONE:
        metrics = [m for m in registry.METRICS if m.protocol == protocol and m.measure and _asked(m, setting.kind)]
        metrics = [m for m in metrics if only is None or m.name in only]
        if not metrics or protocol not in _protocols(store, run_id):
            continue
        block, scores = judged_scores(store.run(run_id), setting, protocol, subset)
        if block is None or not len(block):
            continue
        items = block.items.assign(pool="")
        if by in WORDS:
            items = _with_words(items, outcomes.compute(store, run_id, setting, subset), by)
        cluster = pd.factorize(items["cluster"], sort=True)[0]
        told = _told(store, run_id, block)
        if told and (told["asked"] < 0).all():  # no item is of a group
            metrics = [m for m in metrics if m.name not in answers.OF_GROUPS]
        for group, at in shares.groups(items, by):
            shared = where_shared(cluster[at])
            more: dict[str, Any] = {name: values[at] for name, values in told.items()}
            given = Scored(scores[at], block.n_texts[at], threshold=threshold, clusters=shared, **more)
            for metric in metrics:
                known = metric.measure is not None and setting.kind in metric.kinds
                rate = metric.measure(given) if metric.measure and known else UNDEFINED
                rows.append(_row(metric.name, group, rate, metric.level(block.n_texts[at])))
    return rows


def _protocols(store: Store, run_id: str) -> frozenset[str]:
    """The protocols of a run's benchmark."""
    benchmark = store.cached(("benchmark of", run_id), lambda: store.run(run_id).benchmark)

    def ask() -> frozenset[str]:
        rows = store.cursor().execute("SELECT DISTINCT protocol FROM items WHERE benchmark = ?", [benchmark]).fetchall()
        return frozenset(str(name) for (name,) in rows)

    return store.cached(("protocols", benchmark), ask)


def _told(store: Store, run_id: str, block: matrices.Block) -> dict[str, NDArray[Any]]:
    """What `Scored` has of answers besides: which is expected, and what each was asked of."""
    if block.protocol != Protocol.ANSWERS:
        return {}
    return {"expected": matrices.expected_of(store.run(run_id), block.items), "asked": matrices.asked_of(block.items)}


def _asked(metric: registry.Metric, kind: str) -> bool:
    """Whether a metric is listed for a kind: where it is defined, and, of probabilities, where people look for it."""
    return kind in metric.kinds or (metric.kinds == frozenset(PROBABILITIES) and kind in IMAGE_KINDS)


def _of_pools(
    store: Store, run_id: str, setting: Setting, by: str | None, subset: str | None
) -> list[dict[Hashable, object]]:
    """rsum and median ranks, which belong to whole pools and to no part of one."""
    rows = []
    if setting.kind in SIMILARITIES:
        run = store.run(run_id)
        for pool in pools.pools(run, setting.kind, subset):
            given = outcomes.pool_scored(run, pool, setting)
            group = "" if by is None else pool.subset
            of_pools = [m for m in registry.METRICS if m.protocol == Protocol.RETRIEVAL]
            rows += [_row(m.name, group, m.measure(given), m.level()) for m in of_pools if m.measure]
    return rows

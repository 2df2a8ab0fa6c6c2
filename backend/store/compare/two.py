"""Two models on one benchmark, as `flipside compare` says it: paired tests, and the reasons that changed."""

from dataclasses import replace
from shlex import join
from typing import Any

import pandas as pd

from backend import written
from backend.errors import FlipsideError, UsageError
from backend.metrics.contests import MEAN_OF_ORDERS
from backend.metrics.core.registry import by_name
from backend.store.build.store import Store
from backend.store.catalog import catalog, not_scored
from backend.store.catalog.default_run import ChosenRun, choose_run, choose_setting
from backend.store.compare import rules
from backend.store.compare.compare import Shared, Side, against, shared
from backend.store.rates import asking_orders
from backend.store.rates.both_paraphrases import bounded
from backend.store.rates.shares import within
from backend.store.scores import outcomes
from backend.store.scores.noise import noise_of
from backend.store.scores.setting import Setting

#: What verdicts may be grouped by.
GROUPS = ("subset", "concept", "perturbation")
#: The word of the column `reason` where the evidence does not tell an item from luck: no certified reason.
UNCERTAIN = "uncertain"


def two(
    store: Store,
    a: str,
    b: str,
    benchmark: str,
    *,
    kinds: tuple[str | None, str | None] = (None, None),
    runs: tuple[str | None, str | None] = (None, None),
    metric: str | None = None,
    subset: str | None = None,
    by: str = "subset",
) -> dict[str, Any]:
    """The document of `compare --json`. a is the baseline; gains are b − a, fractions.

    kinds, runs: of a and b; without kinds the default kind of a, where b has it, too. metric: None takes each
    protocol's headline. by: one of GROUPS. Tests are exact and two-sided over images; `holm` is adjusted over the
    groups of `by`. reasons: items whose reason is known on both sides and another one on b.
    UsageError where the two have no verdict in common, or where `metric` gives none of an item, or is only a lower
    bound on a side.
    """
    if by not in GROUPS:
        raise UsageError(f"--by {by}: expected {', '.join(GROUPS)}.")
    first = choose_run(store, a, benchmark, kinds[0], subset, runs[0], "--run-a")
    usual, _ = choose_setting(store, first, kinds[0])
    other = kinds[1] or (None if kinds[0] else _shared_kind(store, b, benchmark, usual.kind, subset, runs[1]))
    second = choose_run(store, b, benchmark, other, subset, runs[1], "--run-b")
    settings = usual, choose_setting(store, second, other)[0]
    if first.benchmark_hash != second.benchmark_hash:
        first, second, settings = _on_one_version(store, (first, second), settings, subset, runs)
    if first.benchmark_hash != second.benchmark_hash:
        raise UsageError(
            f"{first.model} was scored on {first.benchmark} {first.benchmark_hash}, {second.model} on "
            f"{second.benchmark_hash}: other items under the same name. Score both on one of them."
        )
    sides = Side(first.run_id, settings[0]), Side(second.run_id, settings[1])
    if sides[0] == sides[1]:
        raise UsageError(f"{a} and {b} are the same run, {first.run_id}, under the same setting. Name two.")
    names = sorted(catalog.names(subset))
    for chosen, setting in zip((first, second), settings, strict=True):
        if metric and (known := bounded(store, chosen.run_id, setting.kind, [metric], ",".join(names) or None)):
            raise UsageError(
                f"--metric {metric}: of {chosen.model} it is a lower bound, which no test can compare: "
                f"{known[metric]}. Compare by i2t_accuracy, which asks that both win."
            )
    both = shared(store, sides, metric, names)
    if both.unlike and not len(both):
        raise UsageError(
            f"{first.model} and {second.model} compare in nothing: all items that both judged were "
            f"{asking_orders.UNLIKE}. Add the answers to as many orders of each under names of their own; `flipside "
            "report` has each order's rate."
        )
    if not len(both):
        said = _no_verdicts(store, metric, (first, second), settings)
        raise UsageError(said or f"{first.model} and {second.model} have no verdict in common on {benchmark}.")
    ruled = rules.rules(store, sides)
    by_rule = _orders(store, (first, second), sides, both, ruled)
    other = rules.other_orders(store, sides, [first.model, second.model], both, 1)
    asked = [*filter(None, [other, asking_orders.not_compared(both.unlike)])]
    noisy = [_within_noise(store, side, both, at) for at, side in enumerate(sides)]
    return {
        "benchmark": first.benchmark,
        "benchmark_hash": first.benchmark_hash,
        "subset": subset,
        "metrics": list(dict.fromkeys(both.frame["metric"])),
        "a": _side(store, first, settings[0]) | noisy[0] | {"rule": ruled[0]},
        "b": _side(store, second, settings[1]) | noisy[1] | {"rule": ruled[1]},
        "n": len(both),
        "alone": [judged - len(both) - both.unlike for judged in both.judged],
        "overall": _plain(against(both))[0],
        "grouped_by": by,
        "by": {str(row.pop("group")): row for row in _plain(against(both, by))},
        "reasons": _reasons(store, sides, both.frame),
        "two_rules": by_rule,
        "asked": asked,
        "notes": list(
            dict.fromkeys(
                [
                    *first.notes,
                    *second.notes,
                    *by_rule,
                    *asked,
                    *_left_out(store, (first, second), settings),
                ]
            )
        ),
    }


def _no_verdicts(
    store: Store, metric: str | None, chosen: tuple[ChosenRun, ChosenRun], settings: tuple[Setting, Setting]
) -> str:
    """Why a metric that judges no single item compares in nothing, and what does; "" where it judges them."""
    if metric is None or by_name(metric).judge is not None:
        return ""
    why = f"--metric {metric}: it is no verdict on an item, so there are none to be paired."
    if metric != MEAN_OF_ORDERS:
        return f"{why} `flipside report` has each model's own, where it has one."
    without = [
        run.model
        for run, setting in zip(chosen, settings, strict=True)
        if not asking_orders.in_several(store, run.run_id, setting.kind)
    ]
    if without:
        return (
            f"{why} {' and '.join(dict.fromkeys(without))} was not asked in several orders that are kept apart. "
            "--metric accuracy compares what is right, and says the mean where one has to be right in every order."
        )
    names, of = ",".join(dict.fromkeys(run.model for run in chosen)), chosen[0].benchmark
    table = join(["flipside", "table", "--models", names, "--benchmarks", of, "--metrics", metric])
    return (
        f"{why} `{table}` tests it by each item's share of its orders; --metric accuracy compares what is right in "
        "every order."
    )


def _shared_kind(
    store: Store, model: str, benchmark: str, kind: str, subset: str | None, run: str | None
) -> str | None:
    """The kind of the other side, where this model has it; None for its own default."""
    return kind if kind in choose_run(store, model, benchmark, None, subset, run, "--run-b").kinds else None


def _on_one_version(
    store: Store,
    chosen: tuple[ChosenRun, ChosenRun],
    settings: tuple[Setting, Setting],
    subset: str | None,
    runs: tuple[str | None, str | None],
) -> tuple[ChosenRun, ChosenRun, tuple[Setting, Setting]]:
    """Both sides on one version of a benchmark that is here in several: on that of one side's latest run, where the
    other has a run on it, too, and was not asked for by its id. As they are, where there is none."""
    flags = ("--run-a", "--run-b")
    for keep, move in ((0, 1), (1, 0)):
        if runs[move] is not None:
            continue
        try:
            of = chosen[keep].benchmark_hash
            other = choose_run(store, chosen[move].model, of, settings[move].kind, subset, None, flags[move])
            setting = choose_setting(store, other, settings[move].kind)[0]
        except FlipsideError:
            continue
        note = f"Of {other.model}, the run on {of} is taken, as that is the version that both were scored on."
        other = replace(other, notes=[*other.notes, note])
        kept = chosen[keep], settings[keep]
        (first, a), (second, b) = (kept, (other, setting)) if keep == 0 else ((other, setting), kept)
        return first, second, (a, b)
    return *chosen, settings


def _orders(
    store: Store, chosen: tuple[ChosenRun, ChosenRun], sides: tuple[Side, Side], both: Shared, ruled: tuple[str, ...]
) -> list[str]:
    """What is to be known of a side that has to be right in every order of asking, where the other has not: what chance
    alone gives of each (`rules.chances`), and how they compare by one rule (`rules.even`); nothing where both follow
    one. ruled: the rule of each side."""
    if rules.uneven(sides, ruled, 1) is None:
        return []
    found = []
    level = rules.said([run.model for run in chosen], ruled, rules.chances(store, sides, both))
    for run, side, rule in zip(chosen, sides, ruled, strict=True):
        if not rule:
            continue
        rate = rules.means(store, side, both, "").get("")
        mean = f"; in the mean of the orders {written.percent(rate.value)} are right" if rate else ""
        rarer = "" if level else ", which chance makes rarer"
        said = f"{run.model} was asked in several orders and is compared by being right in every one"
        found.append(f"{said}{rarer}{mean}.")
    even = rules.even(store, sides, both, 1)
    fair = f"{chosen[1].model} minus {chosen[0].model} {rules.even_said(even)}." if even and even.n else ""
    return [*found, *([f"C{level[1:]}."] if level else []), *filter(None, [fair])]


def _left_out(store: Store, chosen: tuple[ChosenRun, ChosenRun], settings: tuple[Setting, Setting]) -> list[str]:
    """What is in no rate of either side, for it has no scores."""
    called: dict[str, str] = {}
    kinds: dict[str, list[str]] = {}
    for run, setting in zip(chosen, settings, strict=True):
        called[run.run_id] = run.model
        kinds.setdefault(run.run_id, []).append(setting.kind)
    return not_scored.of_runs(store, called, kinds)


def _side(store: Store, chosen: ChosenRun, setting: Setting) -> dict[str, Any]:
    name = catalog.shown(store).get(chosen.model, "")
    return {"model": chosen.model, "name": name, "run": chosen.run_id, "setting": setting.as_dict()}


def _within_noise(store: Store, side: Side, both: Shared, at: int) -> dict[str, Any]:
    """within_noise: how many of a side's margins batching could turn over (as `report` has it), None where nobody
    knows; noise: where that is from. at: the side's column."""
    noise = noise_of(store, side.run_id, side.setting)
    found: int | None = 0
    for metric in both.frame["metric"].unique():
        told = within(both.margin[(both.frame["metric"] == metric).to_numpy(), at], noise.of(str(metric)))
        found = None if found is None or told is None else found + told.n
    return {"within_noise": found, "noise": noise.source}


def _plain(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of `against` without the position of the side; what is undefined is None."""
    rows = frame.drop(columns="side").astype(object)
    return [{str(k): v for k, v in row.items()} for row in rows.where(rows.notna(), None).to_dict("records")]


def _reasons(store: Store, sides: tuple[Side, Side], frame: pd.DataFrame) -> dict[str, Any]:
    """known: items with a certified reason on both sides; changed: how many have another one; table: from, to, n, the
    most frequent first; items: ids of those that changed, of each such pair the first ten; uncertain: items whose
    reason was looked for on both sides and is uncertain on one or both, which are none of these."""
    words = []
    for side in sides:
        found = outcomes.compute(store, side.run_id, side.setting)
        found = found[found["reason"] != ""].drop_duplicates("item_no")
        words.append(found.set_index("item_no")["reason"])
    items = frame.drop_duplicates("item_no").set_index("item_no")["item_id"]
    asked = pd.DataFrame({"item": items, "a": words[0], "b": words[1]}, index=items.index).dropna()
    unsure = (asked[["a", "b"]] == UNCERTAIN).any(axis=1)
    known = asked[~unsure]
    moved = known[known["a"] != known["b"]]
    table = [
        {"from": str(a), "to": str(b), "n": len(part), "items": [str(item) for item in part["item"].head(10)]}
        for (a, b), part in moved.groupby(["a", "b"], sort=True)
    ]
    return {"known": len(known), "changed": len(moved), "table": sorted(table, key=lambda row: -int(str(row["n"]))),
            "uncertain": int(unsure.sum())}  # fmt: skip

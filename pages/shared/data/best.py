"""Who leads on a benchmark: its models by their rate on all items, and the first two against each other."""

from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from backend import written
from backend.items import IMAGE_KINDS, Kind
from backend.metrics.core.registry import by_name
from backend.store.build.store import Store
from backend.store.catalog import public, taught
from backend.store.compare import compare
from backend.store.queries import Setting, Side
from backend.store.rates import asking_orders
from pages.shared.data import asked_orders, findings
from pages.shared.data.frames import lines_of
from pages.shared.data.protocol_names import PROTOCOLS
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import listing
from pages.shared.frame.tips import in_sentence, metric_title

#: Up to which p the next is not as good.
LEVEL = 0.05
#: Why a model competes with nobody -> how a sentence calls such models.
LEFT_OUT = {
    "people": "people",
    "repeat": "repeats",
    "part": "runs of a part of the items",
    "trained": "models that were trained on these items",
}


@dataclass(frozen=True)
class Lead:
    """Is the best better than the next? said: the finding; fact: its headline and a sentence, for a page."""

    said: str
    fact: tuple[str, str]


@dataclass(frozen=True)
class Entry:
    """A model under the score kind with which it is right most often. metrics: what its rate is of."""

    model: str
    kind: str
    value: float
    metrics: frozenset[str]


def ranking(
    rates: pd.DataFrame, apart: Collection[str] = (), kinds: Mapping[str, str] = MappingProxyType({})
) -> list[Entry]:  # fmt: skip
    """Models, the one that is right most often first, each under the kind that it is shown by (`best_kind.best_kinds`),
    or its best one where that has not judged all; of equal ones the first by name.

    rates: of all items (model, kind, group, metric, value, n), of the metrics that stand for their protocols, pooled
    over protocols by their items. apart: models that are none of them. kinds: model -> the kind it is shown by. Kinds
    that see no image count only where no other was judged; who has not been judged on all that others were, or by
    another metric than most, is left out.

    >>> rows = [("a", "itc", 0.2), ("a", "itm", 0.4), ("b", "itc", 0.3), ("people", "score", 0.9)]
    >>> frame = pd.DataFrame(rows, columns=["model", "kind", "value"])
    >>> frame = frame.assign(group="all", metric="group_score", n=400)
    >>> [(entry.model, entry.kind) for entry in ranking(frame, {"people"})]
    [('a', 'itm'), ('b', 'itc')]
    >>> [(entry.model, entry.kind) for entry in ranking(frame, {"people"}, {"a": "itc"})]
    [('b', 'itc'), ('a', 'itc')]
    """
    entries = _entries(rates, apart)
    if not entries:
        return []
    usual = Counter(entry.metrics for entry in entries).most_common(1)[0][0]
    best: dict[str, Entry] = {}
    for entry in sorted(entries, key=lambda entry: (entry.kind != kinds.get(entry.model), -entry.value)):
        if entry.metrics == usual:
            best.setdefault(entry.model, entry)
    return sorted(best.values(), key=lambda entry: (-entry.value, entry.model))


def _entries(rates: pd.DataFrame, apart: Collection[str]) -> list[Entry]:
    """Every model and kind that was judged on all items that others were."""
    shares = {str(name) for name in rates["metric"].unique()}
    shares = {name for name in shares if by_name(name).share and by_name(name).direction == "higher"}
    kept = rates[rates["metric"].isin(shares) & rates["value"].notna() & (rates["n"] > 0)]
    kept = kept[~kept["model"].isin(list(apart))]
    seeing = kept[kept["kind"].isin(IMAGE_KINDS) & (kept["metric"] != "t2t_accuracy")]
    kept = seeing if len(seeing) else kept
    if kept.empty:
        return []
    most = kept.groupby(["model", "kind"])["n"].sum().max()
    entries = []
    for (model, kind), own in kept.groupby(["model", "kind"], sort=True):
        if own["n"].sum() == most:
            value = float((own["value"] * own["n"]).sum() / most)
            entries.append(Entry(str(model), str(kind), value, frozenset(map(str, own["metric"]))))
    return entries


def otherwise(rates: pd.DataFrame, apart: Collection[str], ranked: Sequence[Entry]) -> dict[str, str]:
    """Model, by name -> by what it is judged, of those that were judged on all items and are ranked with nobody because
    others are judged by something else: choices in several orders of the captions stand by their mean. rates, apart: as
    in `ranking`, whose answer is `ranked`."""
    there = {entry.model for entry in ranked}
    left = [entry for entry in _entries(rates, apart) if entry.model not in there]
    return {entry.model: judged_by(entry.metrics) for entry in sorted(left, key=lambda entry: entry.model)}


def judged_by(metrics: Collection[str]) -> str:
    """By what it is judged who is right, in words; of several protocols each with its own.

    >>> judged_by(["group_score"]), judged_by(["accuracy", "i2t_recall_at_1"])
    ('group score', 'accuracy on choices and R@1 (image to text) on retrieval')
    """
    words = {name: in_sentence(metric_title(name)) for name in sorted(metrics)}
    if len(words) == 1:
        return next(iter(words.values()))
    said = [f"{word} on {PROTOCOLS[by_name(name).protocol]}" for name, word in words.items()]
    return listing(said, len(said))


def apart(store: Store, runs: Mapping[str, str], partial: Container[str] = ()) -> dict[str, str]:
    """Model -> why it competes with nobody: "people", "repeat" of another one, "part" where its run (by model) has some
    of the items only, "trained" where it was trained on them."""
    learned = taught.by_run(store)
    found = {model: "part" for model in runs if model in partial}
    found |= {model: "trained" for model, run in runs.items() if run in learned}
    return found | public.set_apart({model: store.run(runs[model]).record for model in sorted(runs)})


def against(
    store: Store, runs: Mapping[str, str], best: Entry, other: Entry,
    judged: Mapping[str, Setting] = MappingProxyType({}),
) -> tuple[Any, compare.Shared] | None:  # fmt: skip
    """The best against the other one on all items that both have judged: a row of `compare.matrix`, gain best − other,
    and the verdicts that it is of; None where they have none in common, or by other metrics than those of their rates.
    judged: see `leading`."""
    metric = next(iter(best.metrics)) if len(best.metrics) == 1 else None
    sides = [Side(runs[entry.model], setting_of(judged, entry.model, entry.kind)) for entry in (other, best)]
    found = compare.shared(store, sides, metric)
    same = frozenset(map(str, found.frame["metric"].unique())) == best.metrics == other.metrics
    return (lines_of(compare.matrix(found))[0], found) if len(found) and same else None


def setting_of(judged: Mapping[str, Setting], model: str, kind: str) -> Setting:
    """How a model's scores of a kind are judged: as scored, or as `judged` (model -> setting) has it."""
    found = judged.get(model)
    return found if found is not None and found.kind == kind else Setting(kind)


def leading(
    store: Store, benchmark: str, runs: Mapping[str, str], rates: pd.DataFrame, apart: Mapping[str, str],
    judged: Mapping[str, Setting] = MappingProxyType({}), kinds: Mapping[str, str] = MappingProxyType({}),
) -> Lead | None:  # fmt: skip
    """The first two of `ranking`, tested against each other; None where there are none. rates, apart, kinds: as there.
    judged: model -> setting where one is not judged as scored; the rates are under it."""
    found = ranking(rates, apart, kinds)
    if len(found) < 2:
        return None
    first, second = found[:2]
    tested = against(store, runs, first, second, judged)
    if tested is None:
        return None
    row, shared = tested
    names = colours.labels(runs)
    a, b = names[first.model], names[second.model]
    by = judged_by(first.metrics)
    under = findings.kinds(*(findings.kind_under(e.kind, judged.get(e.model)) for e in (first, second)))
    left = [LEFT_OUT[why] for why in LEFT_OUT if why in set(apart.values())]
    left += [f"{names[model]}, judged by {by_what}" for model, by_what in otherwise(rates, apart, found).items()]
    orders = ""
    if first.kind == second.kind == Kind.VERDICT:
        pair = (store.run(runs[first.model]), store.run(runs[second.model]))
        orders = asked_orders.otherwise((a, b), pair, shared.frame["item_no"].to_numpy(dtype=np.intp))
    setting = (by, under, asked_orders.compared(shared.unlike), *filter(None, (orders,)), benchmark)
    said = findings.best((a, b), row, len(found), left, setting)
    gain = f"{written.number(100 * row.gain)} points {written.ends((row.low, row.high))}".rstrip()
    real = row.p <= LEVEL and row.gain > 0
    head = f"{a} is ahead of {b}" + ("" if real else ", within chance")
    if not row.gain:
        head = f"{a} and {b} are right as often"
    text = (
        f"The best of {len(found):,} models is right on {written.percent(row.rate_b)}, the next on "
        f"{written.percent(row.rate_a)}, by {by}: {gain}, {written.p_value(row.p)} on the same items."
    )
    if orders:
        text += f" {orders[0].upper()}{orders[1:]}: {asked_orders.MAY_BE_ORDER}."
    if shared.unlike:
        text += f" {asking_orders.not_compared(shared.unlike)}"
    if left:
        text += f" Not counted: {listing(left, len(left))}."
    return Lead(said, (head, text))

"""The answer of Compare over all shared verdicts, what it leaves out, and where it leads."""

import numpy as np
import pandas as pd
import streamlit as st

from backend import written
from backend.store.compare import rules
from backend.store.compare.compare import SUBSETS
from backend.store.queries import Shared
from backend.store.rates import asking_orders
from backend.store.rates.both_paraphrases import WHY, bounded
from pages.compare import data, gallery, summary
from pages.compare import to_copy as to_copy_
from pages.compare.sides import Comparison
from pages.compare.view import LEVEL
from pages.shared.data import asked_orders, findings, stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing import finding, signs
from pages.shared.drawing.numbers import count, shortened
from pages.shared.frame import address, to_failures
from pages.shared.frame.header import chart_caption
from pages.shared.frame.next_step import next_step, second_step
from pages.shared.frame.style import show
from pages.shared.frame.tips import in_sentence, metric_title

#: Where so many margins are not the same, all of them are not.
_FIRST = 100


def draw(chosen: Comparison, found: Shared) -> None:
    """The sentence, and below it what is not in it, where there is something."""
    overall, rates = of(chosen)
    show(
        summary.html(
            overall, rates, chosen.named, data.orders_of(chosen.sides, found, chosen.weights), twins(chosen, found),
            weights=weighed(chosen, found), rules=data.rules_of(chosen.sides),
            even=data.even(chosen.sides, chosen.metric, chosen.subsets, chosen.weights),
            note=f"by {judged_by(chosen, found)}; those that all sides have",
        )
    )  # fmt: skip
    if level := chance(chosen):
        chart_caption(f"{level[:1].upper()}{level[1:]}.")
    if chosen.weights == SUBSETS and data.uneven(chosen.sides):
        chart_caption(
            "The mean of the orders, which asks the same of both, is tested where every item weighs the same: choose "
            "that under More."
        )
    for said in other_orders(chosen).values():
        chart_caption(said)
    if left := left_out(chosen, found):
        chart_caption(left)


def of(chosen: Comparison) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(every other side against the baseline, each side's rate) over all shared verdicts."""
    overall = data.overall(chosen.sides, chosen.metric, chosen.subsets, chosen.weights)
    return overall, data.rates(chosen.sides, chosen.metric, chosen.subsets, "", chosen.weights)


def left_out(chosen: Comparison, found: Shared) -> str:
    """What is not compared, and why an interval may be too narrow; "" where nothing is to be said."""
    common = len(found) + found.unlike  # those are judged by all, and told below
    more = [
        f"{entry.label} has {n - common:,} more"
        for entry, n in zip(chosen.named, found.judged, strict=True)
        if n > common
    ]
    said = [f"Not shared: {'; '.join([*found.elsewhere, *more])}."] if more or found.elsewhere else []
    return " ".join(filter(None, [*said, asking_orders.not_compared(found.unlike)]))


def weighed(chosen: Comparison, found: Shared) -> str:
    """What weighs the same where that is not every item, in words; "" else."""
    return summary.weighed(chosen.weights, found.frame["subset"].nunique())


def judged_by(chosen: Comparison, found: Shared) -> str:
    """The metrics of the verdicts, by name: one as a rule, else the headline of each protocol."""
    names = [in_sentence(metric_title(str(name))) for name in found.frame["metric"].unique()]
    if chosen.metric or len(names) == 1:
        return in_sentence(metric_title(chosen.metric)) if chosen.metric else names[0]
    return f"the headline metric of each protocol ({', '.join(names)})"


def twins(chosen: Comparison, found: Shared) -> dict[int, str]:
    """What is to be said of sides (by position) that are the baseline's own head twice: every margin is the same, or
    their public files are known as a repeat."""
    a, here = chosen.named[0], found.margin
    how = data.repeats(chosen.sides)
    said = {}
    for k, entry in enumerate(chosen.named):
        if not k or not len(found) or entry.side.setting.kind != a.side.setting.kind:
            continue
        both = f"{entry.label} and {a.label} are one model under two names"
        same = all(np.array_equal(of[:, 0], of[:, k], equal_nan=True) for of in (here[:_FIRST], here))
        if same and not found.unlike:  # of items that were asked otherwise nobody has compared the answers
            said[k] = f"{both}: the same scores on all {count(len(found), 'verdict')}. Choose another to compare."
        elif how.get(k):
            said[k] = f"{both}: two files of its scores, {how[k]}. Choose another to compare."
    return said


def to_copy(benchmark: stored.StoredBenchmark, chosen: Comparison, found: Shared) -> None:
    """The answer to be copied: B against A, with the picture; by one rule, where they follow two."""
    pairs = len(data.matrix(chosen.sides, chosen.metric, chosen.subsets, chosen.weights))
    row = lines_of(data.overall(chosen.sides, chosen.metric, chosen.subsets, chosen.weights))[0]
    a, b = chosen.named[:2]
    kinds = findings.kinds(b.side.setting.said(), a.side.setting.said())
    even = data.even(chosen.sides, chosen.metric, chosen.subsets, chosen.weights).get(1)
    if even is None:
        said = findings.difference(
            a.label, b.label, row, (kinds, *setting(chosen, benchmark, found)), pairs,
            weighed=bool(weighed(chosen, found)),
        )  # fmt: skip
    else:
        strict = (f"of the same verdicts {b.label} has {written.percent(row.rate_b)} and {a.label} "
                  f"{written.percent(row.rate_a)} right, {by_two(chosen, 1)}")  # fmt: skip
        under = [line for line in setting(chosen, benchmark, found) if line != by_two(chosen)]
        said = to_copy_.evenly(a.label, b.label, even, (kinds, strict, *under), pairs)
    name = f"flipside-{benchmark.name}-compare"
    finding.draw(said, "compare", "fs-compare-answer", name, link=address.named(*keys(chosen, "by")))


def setting(
    chosen: Comparison, benchmark: stored.StoredBenchmark, found: Shared, kinds: bool = False
) -> tuple[str, ...]:
    """By which metric, on which items and benchmark, in words. kinds: say first under which score kinds, A's first."""
    who = "both" if len(chosen.named) == 2 else "all of them"
    where = asked_orders.compared(found.unlike, who, ", ".join(chosen.subsets))
    under = ", ".join(dict.fromkeys(entry.side.setting.said() for entry in chosen.named))
    orders = "; ".join(f"{line[:1].lower()}{line[1:]}".rstrip(".") for line in other_orders(chosen).values())
    said = (
        judged_by(chosen, found), by_two(chosen), strict(chosen), chance(chosen), orders, where,
        weighed(chosen, found), benchmark.name,
    )  # fmt: skip
    return ((under,) if kinds else ()) + tuple(filter(None, said))


def strict(chosen: Comparison) -> str:
    """That sides which were asked in several orders are compared by being right in every one, and which these are where
    not all of them; "" without such a side."""
    sides = [(entry.label, entry.side) for entry in chosen.named]
    return asked_orders.rule_of([(label, asked_orders.strict(of.run_id, of.setting.kind)) for label, of in sides])


def chance(chosen: Comparison) -> str:
    """What chance alone reaches by each side's rule, in words; "" where all follow one (see `rules.chances`)."""
    levels = data.chances(chosen.sides, chosen.metric, chosen.subsets, chosen.weights)
    return rules.said([entry.label for entry in chosen.named], data.rules_of(chosen.sides), levels)


def other_orders(chosen: Comparison) -> dict[int, str]:
    """Sides (by position) that were asked in orders of other names than A -> that, in a sentence."""
    names = [entry.label for entry in chosen.named]
    return data.other_orders(chosen.sides, names, chosen.metric, chosen.subsets)


def by_two(chosen: Comparison, at: int | None = None) -> str:
    """That A and the side at a position follow two rules, and what that means, in words; "" where they do not. None:
    any of the sides, of which nothing more is told."""
    uneven = data.uneven(chosen.sides)
    if at is None:
        return rules.by_two(harder_ahead=False) if uneven else ""
    if at not in uneven:
        return ""
    rows = lines_of(data.overall(chosen.sides, chosen.metric, chosen.subsets, chosen.weights))
    row = next(line for line in rows if line.side == at)
    strict = bool(data.rules_of(chosen.sides)[at])
    return rules.by_two(harder_ahead=bool(row.holm <= LEVEL) and (row.gain > 0) == strict)


def keys(chosen: Comparison, *more: str) -> tuple[str, ...]:
    """What a link has to name of what is compared."""
    asked = ("alpha", "prior", "norm") if any(entry.side.setting.prior for entry in chosen.named) else ()
    return ("benchmark", "a", "b", "more", *asked, "metric", "subset", "weights", *more)


def why_none(chosen: Comparison, found: Shared) -> str:
    """Why no verdict is shared by all: the sides that have none at all, else those without which some are shared."""
    none = [entry.label for entry, n in zip(chosen.named, found.judged, strict=True) if not n]
    some = ",".join(sorted(chosen.subsets)) or None
    lower = [
        entry.label
        for entry in chosen.named
        if chosen.metric and bounded(stored.store(), entry.side.run_id, entry.side.setting.kind, [chosen.metric], some)
    ]
    if found.unlike:
        return (
            f"All items that these have judged were {asking_orders.UNLIKE}. Choose another side, or add the answers to "
            "as many orders of each under names of their own."
        )
    if lower:
        return (
            f"{', '.join(lower)}: by this metric only a lower bound is known, which no test can compare: {WHY}. "
            "Choose another side or metric."
        )
    if none:
        return f"{', '.join(none)}: no verdict by this metric on these subsets. Choose another side, metric or subset."
    fewer = [(entry.label, len(data.verdicts(data.without(chosen.sides, k), chosen.metric, chosen.subsets)))
             for k, entry in enumerate(chosen.named)] if len(chosen.named) > 2 else []  # fmt: skip
    told = [f"Without {label} the others share {count(n, 'verdict')}." for label, n in fewer if n]
    return " ".join(
        [*told, "All sides must be judged by the same metric on the same pool: itc, itm, gen and vqa judge images with "
         "captions, t2t and prior judge captions alone. Choose another side, metric or subset."]
    )  # fmt: skip


def next_steps(benchmark: stored.StoredBenchmark, chosen: Comparison, found: Shared, by: str) -> None:
    """What B lost and what it gained over A, in Failures: links where its filters can say it, else picked sets."""
    b = chosen.named[1]
    for which, mark, word in (("lost", signs.DOWN, "lost"), ("won", signs.UP, "gained")):
        n = gallery.count_of(found, gallery.rows_of(found, which))
        if not n:
            continue
        label = f"Open {_the(n)} that {shortened(b.label)} {word}"
        filters = gallery.as_filter(benchmark, chosen, found.elsewhere, which, by, gallery.ANY)
        if filters is not None:
            step = next_step if which == "lost" else second_step
            step(f"{mark} {label}", "failures", icon=":material/arrow_forward:", **filters)
        elif st.button(f"{mark} {label}", icon=":material/arrow_forward:", key=f"compare-{which}"):
            ids, said = gallery.ids_of(found, gallery.rows_of(found, which)), gallery.titled(chosen, which, gallery.ANY)
            to_failures.go(benchmark, ids, said, **gallery.judged_at(benchmark, b))


def _the(n: int) -> str:
    return "the item" if n == 1 else f"the {n:,} items"

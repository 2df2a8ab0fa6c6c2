"""What Compare of a published site says of every pair of sides: a paired test, and by which rule each side is right."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from backend import written
from backend.finding import Finding
from backend.kinds import IMAGE_KINDS, Kind
from backend.metrics.statistics import Rate
from backend.store.build.store import Store
from backend.store.compare import compare, rules
from backend.store.compare.compare import Shared
from backend.store.queries import Side as Judge
from backend.store.rates import asking_orders
from backend.store.scores.setting import Setting
from pages.shared.data import asked_orders, findings
from pages.shared.data.findings import LEVEL
from pages.shared.data.frames import lines_of
from pages.shared.frame.tips import kind_name
from pages.static_site.tables import Side


def compared(store: Store, sides: Sequence[Side], name: str) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """Every pair of sides that see images, each model's first kind alone: rates, gain with its clustered interval, p,
    Holm's p over all pairs, what it leaves out and whether both were asked in orders of other names (leftOut), and a
    finding; gains are b − a. Of sides by two rules (`_by_two_rules`) twoRules says so, chance what chance alone gives
    of each, and even how they compare by the mean of the orders; else these are "". meansA, meansB: of a side that was
    asked in several orders, subset -> their mean, "" as subset: all. And the pairs of which all that both judged is
    left out: a, b, why."""
    first = list({side.model: side for side in reversed(sides) if side.kind in IMAGE_KINDS}.values())[::-1]
    found, apart = [], []
    for at, a in enumerate(first):
        for b in first[at + 1 :]:
            pair = compare.shared(store, (_judge(a), _judge(b)))
            if len(pair):
                found.append((a, b, pair, lines_of(compare.matrix(pair))[0]))
            elif pair.unlike:
                apart.append({"a": a.key, "b": b.key, "why": asking_orders.not_compared(pair.unlike)})
    holm = _holm([float(line.p) for *_, line in found])
    rows = []
    for (a, b, pair, alone), adjusted in zip(found, holm, strict=True):
        line = alone._replace(holm=adjusted)  # over all pairs of the site, not of the two alone
        of_a, of_b = (_means(store, side, pair) for side in (a, b))
        judges, called = (_judge(a), _judge(b)), [a.name, b.name]
        two = chance = fair = ""
        if _by_two_rules(a, b):
            ahead = line.gain > 0 if b.rule else line.gain < 0
            two = rules.by_two(harder_ahead=ahead and adjusted <= LEVEL)
            even = rules.even(store, judges, pair, 1)
            chance = rules.said(called, [side.rule for side in (a, b)], rules.chances(store, judges, pair))
            fair = f"{b.name} minus {a.name} {rules.even_said(even)}" if even is not None and even.n else ""
        orders = rules.other_orders(store, judges, called, pair, 1)
        mean = [f"{side.name} {of['']} in the mean of the orders" for side, of in ((a, of_a), (b, of_b)) if two and of]
        setting = (
            findings.kinds(kind_name(b.kind), kind_name(a.kind)),
            asked_orders.rule_of([(side.name, side.rule) for side in (a, b)]),
            *(mean or [""]),
            chance,
            fair,
            f"{orders[:1].lower()}{orders[1:]}".rstrip("."),
            asked_orders.compared(pair.unlike),
            "deciding metrics",
            name,
        )
        rows.append({
            "a": a.key, "b": b.key, "n": int(line.n), "clusters": int(line.clusters), "rateA": line.rate_a,
            "rateB": line.rate_b, "gain": line.gain, "low": line.low, "high": line.high, "p": line.p, "holm": adjusted,
            "pSaid": written.p_value(float(line.p)), "holmSaid": written.p_value(adjusted, "Holm's p"),
            "leftOut": " ".join(filter(None, [orders, asking_orders.not_compared(pair.unlike)])), "twoRules": two,
            "chance": chance, "even": fair, "meansA": of_a, "meansB": of_b,
            "finding": _unclaimed(a.name, b.name, line, setting, two) if two
            else findings.difference(a.name, b.name, line, setting, len(found)),
        })  # fmt: skip
    return rows, apart


def _by_two_rules(a: Side, b: Side) -> bool:
    """Whether one side has to be right in every order of asking and the other has not: it gave scores. Two that were
    asked to choose compare in what was asked in as many orders of both (`asking_orders.alike`), which is one rule."""
    return bool(a.rule) != bool(b.rule) and {a.kind, b.kind} != {Kind.VERDICT}


def _unclaimed(a: str, b: str, line: Any, setting: Sequence[str], two: str) -> str:
    """The finding of two sides by two rules: both rates, and no difference. two: `rules.by_two`."""
    rates = (written.percent(float(rate), int(line.n)) for rate in (line.rate_b, line.rate_a))
    claim = f"{b} is right on {next(rates)} and {a} on {next(rates)}"
    return Finding(f"{claim}, {two}", int(line.n), setting).said


def _means(store: Store, side: Side, pair: Shared) -> dict[str, str]:
    """Subset -> the mean of the orders of asking on what is compared, in words; "" as subset: all of it. {} of a side
    that was not asked to choose in several."""
    both = rules.means(store, _judge(side), pair, "") | rules.means(store, _judge(side), pair, "subset")
    return {subset: _said(rate) for subset, rate in both.items()}


def _said(rate: Rate) -> str:
    return written.rate(rate.value, rate.n, rate.ci95)


def _judge(side: Side) -> Judge:
    return Judge(side.run_id, Setting(side.kind))


def _holm(p: Sequence[float]) -> list[float]:
    from backend.metrics.paired.multiplicity import holm

    return [float(value) for value in holm(np.asarray(p, dtype=float))] if p else []

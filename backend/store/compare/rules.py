"""By which rule each of several sides is right, what chance alone reaches by it, and the mean of the orders."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from backend import written
from backend.kinds import Kind
from backend.metrics.contests import mean_of_orders
from backend.metrics.core.registry import by_name
from backend.metrics.paired.differences import Paired
from backend.metrics.paired.orders import of_orders
from backend.metrics.paired.resampling import where_shared
from backend.metrics.statistics import Rate
from backend.store.build.store import Store
from backend.store.compare.compare import ITEMS, SUBSETS, Shared, Side, groups
from backend.store.rates import asking_orders, same_orders
from backend.store.scores import outcomes


def rules(store: Store, sides: Sequence[Side]) -> tuple[str, ...]:
    """The rule behind each side's verdicts, in words; "" where a verdict is what was scored, or answered, once."""
    return tuple(asking_orders.strict(store, side.run_id, side.setting.kind) for side in sides)


def chances(store: Store, sides: Sequence[Side], found: Shared, weights: str = ITEMS) -> tuple[float, ...] | None:
    """On which share of the shared verdicts each side would be right at random: by answers drawn at random in every
    order where it has to be right in each (`asking_orders.coin`), else by random scores, or one answer (the metric's
    level). weights: as of `compare.against`.

    None where all sides follow one rule (see `uneven`), so that chance tells nothing about them; where the level of one
    is not known, and without verdicts.
    """
    strict = [bool(rule) for rule in rules(store, sides)]
    asked = all(side.setting.kind == Kind.VERDICT for side in sides)
    if asked or all(strict) or not any(strict) or not len(found):
        return None
    at = strict.index(True)
    usual = _levels(store, sides[at], found)
    each = [_coins(store, side, found) if of else usual for side, of in zip(sides, strict, strict=True)]
    if any(np.isnan(levels).any() for levels in each):
        return None
    sizes = found.frame.groupby("subset", observed=True)["subset"].transform("size").to_numpy(dtype=np.float64)
    weight = 1 / sizes if weights == SUBSETS else np.ones(len(found))
    return tuple(float(np.average(levels, weights=weight)) for levels in each)


def _levels(store: Store, side: Side, found: Shared) -> NDArray[np.float64]:
    """What random scores reach on each shared verdict by its metric, (n,): by how many captions the side's items have;
    NaN where the metric has no such level."""
    levels = np.full(len(found), np.nan)
    frame = outcomes.compute(store, side.run_id, side.setting)
    for name in found.frame["metric"].unique():
        own = frame[frame["metric"] == name].drop_duplicates("item_no").set_index("item_no")
        here = np.flatnonzero((found.frame["metric"] == name).to_numpy())
        of = own.reindex(found.frame["item_no"].to_numpy()[here])
        for shape, rows in of.reset_index().groupby(["candidates", "relevant"]).indices.items():
            count, right = (np.array([value], dtype=np.float64) for value in shape)
            level = by_name(str(name)).level(count, right)
            levels[here[rows]] = np.nan if level is None else level
    return levels


def _coins(store: Store, side: Side, found: Shared) -> NDArray[np.float64]:
    """The same of answers drawn at random in every order (see `asking_orders.coin`)."""
    levels = np.full(len(found), np.nan)
    frame = outcomes.compute(store, side.run_id, side.setting)
    for name in found.frame["metric"].unique():
        own = frame[frame["metric"] == name]
        coin = asking_orders.coin(store, side.run_id, own, str(name))
        if coin is None:
            continue
        of = dict(zip(own["item_no"].tolist(), coin.tolist(), strict=True))
        here = np.flatnonzero((found.frame["metric"] == name).to_numpy())
        levels[here] = [of.get(number, np.nan) for number in found.frame["item_no"].to_numpy()[here].tolist()]
    return levels


def uneven(sides: Sequence[Side], rules_: Sequence[str], at: int) -> int | None:
    """Of the baseline and the side at a position the one that alone has to be right in every order, by its position;
    None where both follow one rule, as any two do that were asked to choose: of these only items compare that were
    asked in as many orders on both (`asking_orders.alike`). rules_: as of `rules`.

    >>> from backend.store.scores.setting import Setting
    >>> once, twice, scored = (Side(kind, Setting(kind.strip("2"))) for kind in ("verdict", "verdict2", "itc"))
    >>> rule = "right only in every order of asking"
    >>> uneven([scored, twice], ["", rule], 1), uneven([once, twice], ["", rule], 1)
    (1, None)
    """
    each = bool(rules_[0]), bool(rules_[at])
    chosen = all(sides[k].setting.kind == Kind.VERDICT for k in (0, at))
    return None if chosen or each[0] == each[1] else 0 if each[0] else at


def by_two(*, harder_ahead: bool) -> str:
    """What is to be known of two sides that follow two rules, in words. harder_ahead: whether the one that has to be
    right in every order is ahead all the same, beyond chance.

    >>> by_two(harder_ahead=True)
    'right by two rules, of which chance passes one more often'
    """
    said_ = "right by two rules, of which chance passes one more often"
    return said_ if harder_ahead else f"{said_}: the difference does not tell who is better"


def even(store: Store, sides: Sequence[Side], found: Shared, at: int) -> Paired | None:
    """The side at a position minus the baseline where they follow two rules, by one that asks the same of both: by each
    item's share of the orders in which the truth was chosen, a verdict of scores being its only one (`of_orders`).

    None where both follow one rule; where the orders are not kept apart; and where not all verdicts are choices between
    two captions, of which chance alone names the truth in one half, whoever chooses. Items that the strict side was not
    asked about in any order of a name are left out: see its n.
    """
    pair = (sides[0], sides[at])
    which = uneven(pair, rules(store, pair), 1)
    if which is None or not len(found) or (found.frame["metric"] != "accuracy").any():
        return None
    side = pair[which]
    if (
        not asking_orders.in_several(store, side.run_id, side.setting.kind)
        or (_levels(store, side, found) != 0.5).any()
    ):
        return None
    told = asking_orders.asked(store, side.run_id, found.frame["item_no"].to_numpy(dtype=np.intp)).right
    once = found.correct[:, 0 if which else at].astype(np.float64)[:, np.newaxis]
    a, b = (once, told) if which else (told, once)
    return of_orders(a, b, found.frame["cluster"].to_numpy())


def named_otherwise(store: Store, sides: Sequence[Side], found: Shared, at: int) -> tuple[int, str, str] | None:
    """On how many shared items the baseline and the side at a position were asked to choose in orders of other names,
    and how each was, in words; None where on none, or not both were asked."""
    if any(sides[k].setting.kind != Kind.VERDICT for k in (0, at)) or not len(found):
        return None
    runs = store.run(sides[0].run_id), store.run(sides[at].run_id)
    return same_orders.otherwise(runs, found.frame["item_no"].unique())


def other_orders(store: Store, sides: Sequence[Side], names: Sequence[str], found: Shared, at: int) -> str:
    """The same in a sentence; "" where there is nothing to be said. An answer may change with the order in which the
    captions stand."""
    told = named_otherwise(store, sides, found, at)
    if told is None:
        return ""
    n, first, second = told
    of = "" if n == found.frame["item_no"].nunique() else f" on {n:,} items"
    return (
        f"The captions stood {first} for {names[0]} and {second} for {names[at]}{of}: part of a difference may be the "
        "order's."
    )


def even_p(paired: Paired, tests: int = 1) -> float:
    """p of `even` by Bonferroni over so many tests; 1 where it has none.

    >>> even_p(Paired(0.1, None, 0.02, 9), 3), even_p(Paired(0.1, None, 0.5, 9), 3), even_p(Paired(0.0, None, None, 9))
    (0.06, 1.0, 1.0)
    """
    return 1.0 if paired.p is None else min(1.0, tests * paired.p)


def even_said(paired: Paired, tests: int = 1) -> str:
    """`even` in words, without who is meant; p by Bonferroni over so many tests.

    >>> from types import SimpleNamespace
    >>> even_said(SimpleNamespace(difference=0.081, p=0.0031, n=7511))
    'by the mean of the orders of asking, which asks the same of both, +8.1 points, p = .003, n = 7,511'
    """
    times = f" (Bonferroni over {tests} pairs)" if tests > 1 else ""
    points = written.number(100 * (paired.difference or 0.0), 1, signed=True)
    p = written.p_value(even_p(paired, tests))
    return (
        f"by the mean of the orders of asking, which asks the same of both, {points} points, {p}{times}, "
        f"n = {paired.n:,}"
    )


def said(names: Sequence[str], rules_: Sequence[str], levels: Sequence[float] | None) -> str:
    """`chances` in words, of sides with these names and `rules`; "" where there are none.

    >>> said(["gpt4v", "open"], ["right only in every order of asking", ""], (0.25, 0.5)), said(["a"], [""], None)
    ('chance over all that is compared: gpt4v 25.0 % in every order, open 50.0 %', '')
    """
    if levels is None:
        return ""
    each = zip(names, rules_, levels, strict=True)
    told = [f"{name} {written.percent(level)}{' in every order' if rule else ''}" for name, rule, level in each]
    return f"chance over all that is compared: {', '.join(told)}"


def means(store: Store, side: Side, found: Shared, by: str, weights: str = ITEMS) -> dict[str, Rate]:
    """Group -> the mean of the orders of asking on the shared verdicts in it, of a side that was asked to choose in
    several; {} of any other, and where not all verdicts are of choices. by, weights: as of `compare.against`."""
    frame = found.frame
    several = asking_orders.in_several(store, side.run_id, side.setting.kind)
    if not several or not len(frame) or (frame["metric"] != "accuracy").any():
        return {}
    right = asking_orders.asked(store, side.run_id, frame["item_no"].to_numpy(dtype=np.intp)).right
    clusters, subsets = frame["cluster"].to_numpy(), frame["subset"].to_numpy()
    return {
        name: mean_of_orders(
            right[rows], where_shared(clusters[rows]), subsets[rows] if weights == SUBSETS else None
        )
        for name, rows in groups(frame, by)
    }  # fmt: skip

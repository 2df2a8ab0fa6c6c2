"""Choices that were asked in several orders, in words: the mean over the orders stands for such a run."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from backend.store.build.stored_run import StoredRun
from backend.store.labels.asked_again import LeftOut
from backend.store.rates import asking_orders, same_orders
from backend.store.rates.asking_orders import Told
from backend.store.scores.setting import Setting
from pages.shared.data import stored
from pages.shared.drawing.numbers import count, interval


def of_run(run_id: str, kind: str, subsets: Sequence[str] = ()) -> Told | None:
    """Of a run's choices, in these subsets (none: all); None for every other run."""
    return _of_run(run_id, kind, tuple(subsets))


def strict(run_id: str, kind: str) -> str:
    """The rule behind each single verdict of a run, in words; "" where it was not asked in several orders."""
    return asking_orders.strict(stored.store(), run_id, kind)


def rule_of(rules: Sequence[tuple[str, str]]) -> str:
    """The rule behind what several sides are compared by, as of (name, its rule) each; which of them follow it, where
    not all do; "" where none does.

    >>> rule_of([("a", "right only"), ("b", "right only")]), rule_of([("a", "right only"), ("b", "")])
    ('right only', 'a right only')
    >>> rule_of([("a", "")])
    ''
    """
    strict_ = {name: rule for name, rule in rules if rule}
    rule = next(iter(strict_.values()), "")
    return rule if len(strict_) in (0, len(rules)) else f"{', '.join(strict_)} {rule}"


def compared(unlike: int, who: str = "both", where: str = "") -> str:
    """Which items a comparison is of, in words. unlike: how many are left out of it, for they were asked in other
    numbers of orders on some sides (`compare.Shared`); where: the part of the benchmark, "" for all.

    >>> compared(0), compared(0, where="add, swap")
    ('all items that both have judged', 'add, swap')
    >>> compared(7135, where="add")
    'add, items that both have judged in as many orders of asking, which leaves 7,135 out'
    """
    every = "" if where else f"all items that {who} have judged"
    alike = f"items that {who} have judged in as many orders of asking, which leaves {unlike:,} out" if unlike else ""
    return ", ".join(filter(None, (where, alike or every)))


#: What follows where two sides were asked in different orders.
MAY_BE_ORDER = "an answer may change with the order of the captions, so part of a difference may be the order's"


def otherwise(names: tuple[str, str], runs: tuple[StoredRun, StoredRun], item_no: NDArray[np.intp]) -> str:
    """In which orders two sides were asked, in words, where these have other names on some of the items; else ""."""
    found = same_orders.otherwise(runs, item_no)
    if found is None:
        return ""
    n, first, second = found
    of = "" if n == len(item_no) else f" ({count(n, 'item')} of {len(item_no):,})"
    return f"the captions stood {first} for {names[0]} and {second} for {names[1]}{of}"


#: Why edits that were asked in other orders are not compared with their originals, and what to do.
WHY_UNLIKE = (
    "An answer may change with the order of the captions, whatever the edit does, and who must be right in more orders "
    "is right less often by chance alone. Add answers in the same orders."
)


def edits_left_out(name: str, left: LeftOut) -> str:
    """How many choices on edited captions are compared with none on the originals, and how both were asked. name: of
    the model.

    >>> print(edits_left_out("m", LeftOut("m", 245, 245, "in the order a", "in the order b", False)))
    Not compared: all 245 choices of m on edited captions, asked in the order b where the originals were asked in the \
order a.
    >>> edits_left_out("m", LeftOut("m", 1, 5, "in two orders", "in the order b", True))[:70]
    'Not compared: 1 of 5 choices of m on edited captions, most of them ask'
    """
    n = f"all {left.n:,}" if left.n == left.of else f"{left.n:,} of {left.of:,}"
    most = "most of them " if left.several else ""
    return (
        f"Not compared: {n} choices of {name} on edited captions, {most}asked {left.now} where the originals were "
        f"asked {left.was}."
    )


@stored.kept()
def _of_run(run_id: str, kind: str, subsets: tuple[str, ...]) -> Told | None:
    if not asking_orders.in_several(stored.store(), run_id, kind):
        return None
    frame = stored.outcomes(run_id, Setting(kind))
    if subsets:
        frame = frame[frame["subset"].isin(subsets)]
    return asking_orders.told(stored.store(), run_id, kind, frame["item_no"].to_numpy(dtype=np.intp))


def said(found: Told) -> str:
    """What stands beside a count of verdicts by the strict rule.

    >>> from backend.metrics.statistics import Rate
    >>> said(Told(Rate(0.92, 100, 0, (0.9, 0.94)), 6, 1))
    'the orders of asking disagree on 6 items, 1 answer chose neither caption'
    >>> said(Told(Rate(0.92, 100, 0, (0.9, 0.94)), 6, 0, 40)).rpartition(", ")[2]
    '40 items were not asked in every order'
    >>> said(Told(Rate(0.92, 100, 0, (0.9, 0.94)), 6, 0, without_order=4)).rpartition(", ")[2]
    'in no mean of them'
    """
    were = f"{'was' if found.without_order == 1 else 'were'} answered without an order, in no mean of them"
    without = f", {count(found.without_order, 'item')} {were}" if found.without_order else ""
    fewer = f", {count(found.in_fewer, 'item')} {'was' if found.in_fewer == 1 else 'were'} not asked in every order"
    return (
        f"the orders of asking disagree on {count(found.disagreements, 'item')}, "
        f"{count(found.neither, 'answer')} chose neither caption{fewer if found.in_fewer else ''}{without}"
    )


def heading(found: Told) -> tuple[str, str]:
    """The number that stands for the run, and what is said of it.

    >>> from backend.metrics.statistics import Rate
    >>> heading(Told(Rate(0.92, 100, 0, (0.9, 0.94)), 6, 1))
    ('92.0 %', '[90.0, 94.0] (n = 100) right, mean of the orders of asking')
    """
    said_ = interval(found.rate.value, found.rate.n, found.rate.ci95)
    at = min((place for sign in ("[", "(") if (place := said_.find(sign)) > 0), default=len(said_))
    return said_[:at].strip(), f"{said_[at:]} right, mean of the orders of asking".strip()

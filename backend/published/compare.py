"""Which printed numbers stand beside one of ours: the same model, items, metric and score setting, or none at all."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from backend.items import Kind
from backend.kinds import SPOKEN
from backend.published import aliases
from backend.published.aliases import Measured, Name
from backend.published.printed import PAPERS, Printed, everything

#: The metric of two orders of asking, by its stable name: importing it would load numpy for a table of text.
MEAN_OF_ORDERS = "accuracy_mean_of_orders"

#: The paper that introduced a benchmark; its numbers come first.
HOME = {"visla": "visla", "eqben": "eqsim"}


@dataclass(frozen=True)
class Ours:
    """What our numbers were measured on and with.

    names: the printed models that the model is. how: "spec", "weights" or "published-as". subsets: what the rate
    covers; whole: whether that is all of the benchmark. split: of the run, None for all, or for `default_split` of a
    benchmark that comes in splits. alpha, prior, norm: for gen and prior.
    obstacle: why nothing is comparable (a limited run, other items); empty where something may be.
    """

    names: tuple[Name, ...]
    how: str
    benchmark: str
    subsets: frozenset[str]
    whole: bool
    split: str | None
    kind: str
    alpha: float = 0.0
    prior: str | None = None
    norm: str | None = None
    obstacle: str = ""
    default_split: str = ""


@dataclass(frozen=True)
class Match:
    """A printed number that may stand beside ours, with the remarks a reader needs."""

    printed: Printed
    how: str
    remarks: tuple[str, ...] = field(default=())

    def beside(self, value: float | None) -> dict[str, Any]:
        """The entry of `report --json`. value: ours, a fraction; None where it is undefined."""
        printed = self.printed
        return {
            "value": printed.value,
            "paper": printed.paper,
            "table": printed.table,
            "difference": None if value is None else value - printed.value,
            "model": printed.model,
            "benchmark": printed.benchmark,
            "subset": printed.subset,
            "metric": printed.metric,
            "note": "; ".join(part for part in (printed.note, *self.remarks) if part),
            "caveats": [caveat.says for caveat in printed.caveats],
            "allow": printed.allow,
            "matched_by": self.how,
        }


def matches(ours: Ours, metric: str) -> list[Match]:
    """All printed numbers for one of our metrics, the one to show first.

    Order: the paper that introduced the benchmark, then the others in the order of `PAPERS`; within a paper by row.
    """
    if ours.obstacle or _another_way(ours, metric):
        return []
    found = [_match(ours, number) for number in _candidates(ours, metric) if not _differs(ours, number)]
    home = HOME.get(ours.benchmark)
    order = {paper: (paper != home, n) for n, paper in enumerate(PAPERS)}
    return sorted(found, key=lambda match: (order[match.printed.paper], match.printed.row))


def refusals(ours: Ours, metrics: Iterable[str]) -> list[str]:
    """Why printed numbers of this model on these items do not stand beside ours; one sentence a reason."""
    reasons: dict[str, None] = {}
    for metric in metrics:
        numbers = _candidates(ours, metric)
        if numbers and (obstacle := ours.obstacle or _another_way(ours, metric)):
            reasons[f"No published number beside ours: {obstacle}"] = None
            continue
        for number in numbers:
            reason = _differs(ours, number)
            if reason:
                reasons[f"{number.paper}, {number.table}, prints {number.model}, not compared: {reason}"] = None
    return list(reasons)


def _another_way(ours: Ours, metric: str) -> str:
    """Why a metric of forced choices is not what papers print; empty for all others."""
    mean = metric.partition("/")[0] == MEAN_OF_ORDERS
    if ours.kind != Kind.VERDICT or mean:
        return ""
    return f"kind verdict asks for the truth in every order; papers print the mean of the orders ({MEAN_OF_ORDERS})."


def _candidates(ours: Ours, metric: str) -> list[Printed]:
    """Printed numbers of this model in the same column, whatever they were measured with."""
    return [
        number for number in _in_column(ours.benchmark, metric) if _names(ours, number) and _same_items(ours, number)
    ]


@cache
def _in_column(benchmark: str, metric: str) -> tuple[Printed, ...]:
    return tuple(
        number
        for number in everything()
        if (column := aliases.column_of(number)).how in ("same", "official")
        and (column.benchmark, column.metric) == (benchmark, metric.replace(MEAN_OF_ORDERS, "accuracy", 1))
    )


def _names(ours: Ours, number: Printed) -> Name | None:
    for name in ours.names:
        if (name.paper, name.model) == (number.paper, number.model) and (
            not name.tables or number.table in name.tables
        ):
            return name
    return None


def _same_items(ours: Ours, number: Printed) -> bool:
    column = aliases.column_of(number)
    if column.how == "official":
        return True  # it is undefined where one of its parts is missing
    subsets = column.subsets
    return ours.whole if subsets == ("*",) else ours.subsets == frozenset(subsets)


def _differs(ours: Ours, number: Printed) -> str:
    """Why a number of the right column was measured in another way than ours; empty where it was not."""
    for caveat in number.caveats:
        if not caveat.comparable:
            return caveat.says
    column, with_ = aliases.column_of(number), aliases.measured(number)
    theirs, mine = (split or ours.default_split for split in (column.split, ours.split))
    if theirs != mine:
        return f"it is on split {theirs or 'all'}, this run on {mine or 'all'}."
    kind = column.kind or with_.kind
    if not kind:
        if ours.how == "published-as":
            return ""
        return "the paper does not say with which kind of score."
    if kind != ours.kind:
        return f"it was measured by {kind}, this is {ours.kind}."
    return _other_setting(ours, with_) if kind in SPOKEN else ""


def _other_setting(ours: Ours, with_: Measured) -> str:
    if ours.kind == "gen" and with_.alpha == "tuned":
        return "its alpha was tuned and is not printed."
    if with_.alpha and abs(float(with_.alpha) - ours.alpha) > 1e-9:
        return f"it was measured at alpha {with_.alpha}, this is at {ours.alpha:g}."
    if with_.norms and ours.norm not in with_.norms:
        return f"it was measured with norm {' or '.join(with_.norms)}, this is {ours.norm}."
    needs_prior = ours.kind == "prior" or ours.alpha != 0.0
    if needs_prior and with_.priors and ours.prior not in with_.priors:
        return f"its prior is {' or '.join(with_.priors)}, this is {ours.prior}."
    return ""


def _match(ours: Ours, number: Printed) -> Match:
    column, with_, name = aliases.column_of(number), aliases.measured(number), _names(ours, number)
    remarks = [column.note, name.note if name else ""]
    if not (column.kind or with_.kind):
        remarks.append("the paper does not say with which kind of score")
    elif not column.kind and with_.basis == "inferred":
        remarks.append(f"measured by {with_.kind} is inferred: {with_.note}")
    return Match(number, ours.how, tuple(remark for remark in remarks if remark))


def obstacle(selection: Mapping[str, Any], items: Mapping[str, int], expected: Mapping[str, int]) -> str:
    """Why a run's numbers compare with no printed one, a sentence; empty where they may.

    selection: of the run's record. items: subset -> number of items here, of the subsets that are reported. expected:
    subset -> number of items of the original release, where known.

    >>> obstacle({"limit": 100}, {"generic": 973}, {"generic": 973})
    'this run scored only a part (--limit 100), the paper all items.'
    >>> obstacle({}, {"generic": 100}, {"generic": 973})
    'generic has 100 items here, the original release 973.'
    """
    for name in ("limit", "sample"):
        if selection.get(name) is not None:
            return f"this run scored only a part (--{name} {selection[name]}), the paper all items."
    for subset, n in items.items():
        if expected.get(subset, n) != n:
            return f"{subset} has {n} items here, the original release {expected[subset]}."
    return ""

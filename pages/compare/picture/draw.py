"""The picture on the page: the component, its one line of legend, and its sentence to copy."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from backend import written
from backend.metrics.core.registry import by_name
from backend.metrics.statistics import Rate
from backend.store.queries import Shared, Side
from backend.taxonomy import title
from pages.compare import answer, data, to_copy
from pages.compare.picture import view
from pages.compare.sides import Comparison
from pages.compare.view import TWO_RULES
from pages.shared.data import stored
from pages.shared.data.protocol_names import PROTOCOLS
from pages.shared.drawing import component, finding, signs
from pages.shared.drawing.numbers import listing
from pages.shared.frame import address
from pages.shared.frame.header import chart_caption

#: Of so many groups the mean of the orders is said; a line of more is not read.
MOST_SAID = 12

_component = component.load(
    "flipside_compare_picture", Path(__file__).with_name("picture.js"), html='<div id="picture"></div>'
)


def draw(chosen: Comparison, by: str, of: str) -> None:
    """Rates from side to side and what is gained, by what is tested. of: what a group is, in words."""
    spec = spec_of(chosen, by, of)
    if spec is None:
        chart_caption("These items carry no such label.")
        return
    _drawn(spec, f"picture-{'-'.join(entry.key for entry in chosen.named)}-{by}")
    formats = mixed(data.verdicts(chosen.sides, chosen.metric, chosen.subsets).frame, by)
    together = formats and f"A {of} counts its {formats} together."
    chart_caption(" ".join(filter(None, [legend(of, len(chosen.named), data.uneven(chosen.sides)), together])))
    if told := in_the_mean(chosen, by):
        chart_caption(told)


def spec_of(chosen: Comparison, by: str, of: str) -> dict[str, Any] | None:
    """What the component draws (see `view.picture`); None where the items have no such label."""
    return _spec(chosen.sides, chosen.metric, tuple(chosen.subsets), chosen.weights, by, of, chosen)


@stored.kept()
def _spec(
    sides: tuple[Side, ...], metric: str | None, subsets: tuple[str, ...], weights: str, by: str, of: str,
    _chosen: Comparison,
) -> dict[str, Any] | None:  # fmt: skip
    """The same. The last argument holds the others, and how their sides are called."""
    rates = data.rates(sides, metric, subsets, by, weights)
    table = data.against(sides, metric, subsets, by, weights)
    if table.empty:
        return None
    uneven = data.uneven(sides)
    return view.picture(rates, table, _chosen.named, of, view.spoken(table, _chosen.named, of, uneven), uneven)


def to_be_copied(benchmark: stored.StoredBenchmark, chosen: Comparison, found: Shared, by: str, of: str) -> None:
    """On how many groups each is ahead, and the largest difference, each a sentence."""
    rates = data.rates(chosen.sides, chosen.metric, chosen.subsets, by, chosen.weights)
    table = data.against(chosen.sides, chosen.metric, chosen.subsets, by, chosen.weights)
    if table.empty:
        return
    setting, link = answer.setting(chosen, benchmark, found, kinds=True), address.named(*answer.keys(chosen, "by"))
    name = f"flipside-{benchmark.name}-compare-by-{by}"
    weighed = by != "subset" and bool(answer.weighed(chosen, found))  # of one subset there is nothing to weigh
    said = to_copy.slope(table, rates, chosen.named, of, setting, weighed=weighed)
    finding.draw(said, "slope", "fs-compare-answer", f"{name}-rates", link=link)
    said = to_copy.gains(table, chosen.named, of, setting, weighed=weighed)
    finding.draw(said, "gains", "fs-compare-answer", f"{name}-gains", link=link)


def mixed(frame: pd.DataFrame, by: str) -> str:
    """The formats of the verdicts where a group may hold several of them, in words; "" where each has its own. frame:
    of `Shared`.

    >>> frame = pd.DataFrame({"metric": ["group_score", "accuracy"]})
    >>> mixed(frame, "concept"), mixed(frame, "subset"), mixed(frame[:1], "concept")
    ('quads and choices', '', '')
    """
    formats = list(dict.fromkeys(PROTOCOLS[by_name(str(name)).protocol] for name in frame["metric"].unique()))
    return listing(formats, len(formats)) if by != "subset" and len(formats) > 1 else ""


def legend(of: str, sides: int, uneven: Collection[int] = ()) -> str:
    """How to read the picture, in one line. uneven: as of `view.picture`."""
    lines = f"Lines from side to side: rates, a line a {of}" + (
        ", led through the models from A on" if sides > 2 else ""
    )
    marks = (
        f"{lines}; marks beside zero: points gained over A with 95 % intervals. {signs.LEGEND} (Holm over all rows)."
    )
    if not uneven:
        return marks
    two = f"{TWO_RULES} grey: beyond chance, but by two rules, so nobody’s gain"
    if len(uneven) == sides - 1:
        return f"{lines}; marks beside zero: B − A in points with 95 % intervals. {two} · {signs.OPEN} within chance."
    return f"{marks} {two}."


def in_the_mean(chosen: Comparison, by: str) -> str:
    """The mean of the orders of asking by group, of sides that are compared by being right in every one with others
    that need not be, in words; "" without such a side, and of more groups than can be read in a line."""
    if not answer.chance(chosen):
        return ""
    found = data.means(chosen.sides, chosen.metric, chosen.subsets, by, chosen.weights)
    rates = data.rates(chosen.sides, chosen.metric, chosen.subsets, by, chosen.weights)
    tested = bool(data.even(chosen.sides, chosen.metric, chosen.subsets, chosen.weights))
    return mean_said(found, rates, [entry.label for entry in chosen.named], tested=tested)


def mean_said(
    found: Mapping[int, Mapping[str, Rate]], rates: pd.DataFrame, names: Sequence[str], *, tested: bool
) -> str:
    """The same of `data.means` and of the rates that are drawn (of `compare.rates`), with the other side's where there
    are two. tested: whether it is, over all items (`data.even`).

    >>> rates = pd.DataFrame({"side": [0, 1], "group": "swap", "value": [0.7, 0.902]})
    >>> mean_said({0: {"swap": Rate(0.831, 245, 0, None)}}, rates, ["gpt4v", "open"], tested=True)
    'In the mean of the orders of asking, tested over all items alone, gpt4v (in brackets: open) is right on: \
swap 83.1 % (90.2 %).'
    """
    lines = []
    test = "tested over all items alone" if tested else "of which there is no test"
    for side, of in found.items():
        known = {name: rate for name, rate in of.items() if rate.value is not None}
        if not known or len(known) > MOST_SAID:
            continue
        other = 1 - side if len(names) == 2 else None
        theirs = rates[rates["side"] == other].set_index("group")["value"].to_dict() if other is not None else {}
        each = [
            f"{title(name)} {written.percent(rate.value)}"
            + (f" ({written.percent(theirs[name])})" if other is not None else "")
            for name, rate in known.items()
        ]
        beside = f" (in brackets: {names[other]})" if other is not None else ""
        lines.append(
            f"In the mean of the orders of asking, {test}, {names[side]}{beside} is right on: {', '.join(each)}."
        )
    return " ".join(lines)


def _drawn(spec: dict[str, Any], key: str) -> None:
    _component(data=spec, key=key)

"""Cells of the matrix of edits in numbers and words: pure functions on `store.robustness.matrix.Cell`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from backend import written
from backend.finding import Finding, as_size
from backend.metrics.statistics import Rate
from backend.perturb import Effect
from backend.store.robustness.matrix import Cell
from backend.store.robustness.robustness import HEADLINE, RSUM, column_of
from pages.shared.drawing import heatmap
from pages.shared.drawing.numbers import DASH, count, fixed
from pages.shared.frame.tips import metric_tip, metric_title

#: Measure -> its label.
MEASURES: Final = {"drop": "change", "flipped": "flipped", "lost": "right → wrong", "won": "wrong → right"}
#: Groups of columns, because a flip means something else in each -> what stands above them.
GROUPS: Final = {
    "preserving": "keeps the meaning", "changing": "destroys order or meaning", "foils": "against its own edit",
}  # fmt: skip
LEVEL: Final = 0.05
PAPERS: Final = {"brittleness": "brittleness paper", "SVLC": "SVLC paper", "ARO": "ARO", "ours": "ours"}
#: The change in points at which the colour is full, unless a cell is larger.
FULL: Final = 0.1


@dataclass(frozen=True)
class Column:
    """One column: an edit with all its seeds. group: of GROUPS."""

    key: str
    title: str
    group: str
    family: str
    paper: str
    editions: int
    edited: float | None


@dataclass(frozen=True)
class Original:
    """How often a model is right on the original captions. chance: of these very questions, None where it has none."""

    rate: Rate
    chance: float | None

    @property
    def mark(self) -> str:
        """How it stands to chance, as on Overview (`heatmap.mark`)."""
        return heatmap.mark(heatmap.Cell(self.rate.value, self.rate.n, self.rate.ci95), self.chance)

    @property
    def against(self) -> str:
        """Its chance level in words; "" where it has none."""
        return "" if self.chance is None else f"chance {written.percent(self.chance)}"


def columns(table: pd.DataFrame) -> list[Column]:
    """The columns of a benchmark's editions (rows of `editions.pairs`), in the order of their names."""
    found = {}
    own = table.drop_duplicates("hash")
    own = own.assign(column=[column_of(line) for line in own.itertuples()])
    for key, part in own.groupby("column", sort=False):
        line: Any = part.iloc[0]
        group = "foils" if line.way == "foils" else "preserving" if line.effect == Effect.PRESERVING else "changing"
        only = {"truth": ", true captions only", "foils": ", false captions only"}.get(line.texts, "")
        asked = int(part["texts_asked"].sum())
        share = float(part["texts_edited"].sum()) / asked if asked else None
        found[str(key)] = Column(
            str(key), f"{line.title}{only}", group, str(line.family), str(line.paper), len(part), share
        )
    order = {name: k for k, name in enumerate(GROUPS)}
    return sorted(found.values(), key=lambda column: (order[column.group], column.family, column.key))


def value_of(cell: Cell, measure: str) -> tuple[float | None, tuple[float, float] | None]:
    """What a cell shows, as a fraction, with its interval. The change is after − before, as everywhere: a loss is
    negative. Captions set against their edits show the share of captions that win, whatever the measure."""
    if cell.wins is not None:
        return cell.wins.value, cell.wins.ci95
    if cell.sums is not None:
        return changed(cell.sums.drop, cell.sums.ci95) if measure == "drop" else (None, None)
    if measure == "drop":
        return changed(cell.change.drop, cell.change.ci95)
    rate: Rate = getattr(cell.change, measure)
    return rate.value, rate.ci95


def changed(drop: float | None, ci95: tuple[float, float] | None) -> tuple[float | None, tuple[float, float] | None]:
    """A drop (before − after) as a change (after − before), with its interval.

    >>> changed(0.25, (0.125, 0.5))
    (-0.25, (-0.5, -0.125))
    """
    return (None if drop is None else 0.0 - drop), (None if ci95 is None else (0.0 - ci95[1], 0.0 - ci95[0]))


def sure(cell: Cell, measure: str = "drop") -> bool:
    """Whether a cell is beyond chance: a change by Holm's p over the matrix, where it has a test; all else by its
    interval."""
    if cell.holm is not None and measure == "drop":
        return cell.holm <= LEVEL
    _, ci95 = value_of(cell, measure)
    neutral = 0.5 if cell.wins is not None else 0.0
    return ci95 is None or not ci95[0] <= neutral <= ci95[1]


def full_scale(cells: Sequence[Cell]) -> float:
    """The size of a drop at which its colour is full: the largest of some cells, at least FULL."""
    sizes = [abs(value) for c in cells if (value := value_of(c, "drop")[0]) is not None and c.wins is None]
    return max([FULL, *sizes])


def clusters(cell: Cell) -> int:
    """How many independent questions a cell is of."""
    if cell.sums is not None:
        return cell.sums.clusters
    return cell.change.clusters if cell.wins is None else cell.wins.n


def said(cell: Cell) -> str:
    """A cell in words."""
    if cell.wins is not None:
        return (
            f"the caption wins over its edit in {_percent(cell.wins.value)}{_range(cell.wins.ci95)} of "
            f"{count(cell.wins.n, 'question')}, by guessing in 50 %"
        )
    if cell.sums is not None:
        sums = cell.sums
        before, after = (DASH if v is None else written.number(100 * v) for v in (sums.before, sums.after))
        change, within = changed(sums.drop, sums.ci95)
        return f"rsum {before} → {after} of 600, change {_points(change)}{_range(within)}; n = {sums.n:,}"
    found = cell.change
    change, within = changed(found.drop, found.ci95)
    parts = [f"{_percent(found.before)} → {_percent(found.after)} right, change {_points(change)}{_range(within)}"]
    parts.append(
        f"{written.percent(found.lost.value or 0)} right → wrong, {written.percent(found.won.value or 0)} wrong → right"
    )
    if cell.spread is not None:
        of = f"between {len(cell.drops)} editions is {fixed(100 * cell.spread, 1)} points"
        parts.append(f"the change's standard deviation {of}")
    return "; ".join(parts) + f"; n = {found.n:,}"


def to_copy(cell: Cell, column: str, model: str, where: Sequence[str]) -> str:
    """A cell in one sentence with what it rests on; "" where it has no change, and for sums of recalls. column: its
    title; model: by name; where: metric, kind, subset and benchmark in words."""
    if cell.wins is not None:
        claim = f"Under {model} the caption wins over its own edit ({column}) in {{}}, by guessing in 50 %"
        return Finding(claim, cell.wins.n, where, cell.wins.value, cell.wins.ci95, counted="questions").said
    found = cell.change
    change, ends = changed(found.drop, found.ci95)
    if cell.sums is not None or change is None or found.before is None or found.after is None:
        return ""
    rates = f"{_percent(found.before)} before, {_percent(found.after)} after"
    claim, open_ = (
        f"{column} leaves {model} right as often, a difference of {{}}: {rates}",
        bool(change) and not sure(cell),
    )
    if open_:
        by = " by Holm’s p over all cells" if cell.p is not None and cell.p <= LEVEL else ""
        claim = (
            f"{column} makes {model} right neither surely more nor surely less often, a difference of {{}}, within "
            f"chance{by}: {rates}"
        )
    elif change:
        claim = f"{column} makes {model} right {'more' if change > 0 else 'less'} often by {{}}: {rates}"
        change, ends = as_size(change, ends)
    test = "exact sign-flip test, images as units"
    return Finding(
        claim, found.n, where, change, ends, cell.p, test, points=True, signed=open_, counted="verdicts"
    ).said


def key_of(model: str, kind: str, column: str) -> str:
    """A cell's name in addresses."""
    return f"{model}|{kind}|{column}"


def find(cells: Sequence[Cell], key: str) -> Cell | None:
    """The cell of a name in an address."""
    return next((c for c in cells if key_of(c.model, c.kind, c.column) == key), None)


def opened_key(opened: tuple[str, str]) -> str:
    """The name of the cell that was clicked in the heat map."""
    model, _, kind = opened[0].partition("\t")
    return key_of(model, kind, opened[1])


def worst(cells: Sequence[Cell], keys: Sequence[str]) -> Cell | None:
    """The cell that has certainly lost most among some columns (by the end of its interval nearest to a gain; captions
    that lose to their edits count as lost): what is shown until one is chosen."""

    def high(cell: Cell) -> float:
        value, ci95 = value_of(cell, "drop")
        return ci95[1] if ci95 is not None else (value or 0.0) + 1.0

    own = [c for c in cells if c.column in keys and value_of(c, "drop")[0] is not None]
    return min(own, key=high, default=None)


def metric_name(metric: str) -> str:
    """A metric for the sidebar."""
    return {HEADLINE: "each item’s own metric", RSUM: "rsum, the sum of all recalls"}.get(metric) or metric_title(
        metric
    )


def metric_help(metrics: Sequence[str]) -> str:
    """What each choice means."""
    return "\n\n".join(
        ["**Each item by its own metric**: quads by the group score, triplets and choices by accuracy, pools by R@1."]
        + [metric_tip(name) for name in metrics if name != HEADLINE]
    )


def identity(model: str, kind: str, column: str) -> str:
    """A cell's name in the heat map."""
    return f"{model}\t{kind}\n{column}"


def _percent(value: float | None) -> str:
    return "–" if value is None else written.percent(value)


def _points(value: float | None) -> str:
    return "–" if value is None else f"{fixed(100 * value, 1, signed=True)} points"


def _range(ci95: tuple[float, float] | None) -> str:
    return f" {written.ends(ci95)}" if ci95 else ""

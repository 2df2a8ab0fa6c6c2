"""What the Atlas' plane is asked to draw, who stands in it, and what is said of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend import written
from backend.finding import Finding
from backend.metrics import pareto
from backend.published.atlas.columns import columns
from backend.published.atlas.measures import Measure
from backend.published.atlas.reading import Atlas
from pages.atlas import chance
from pages.atlas.data import Correlations, Own, ends
from pages.shared.drawing.numbers import count

#: What is said of numbers over all models where only some families are drawn.
_MORE = "families that are not drawn are counted, too"


@dataclass(frozen=True)
class View:
    """What is drawn. families: () for all. front, arrows, stars: whether they are; people: whether they are among the
    stars; entry: the chosen model's row; star: the key of the chosen one of one's own, "" for none."""

    x: Measure
    y: Measure
    families: tuple[str, ...] = ()
    front: bool = True
    arrows: bool = True
    stars: bool = True
    entry: int | None = None
    people: bool = False
    star: str = ""

    def shown(self, atlas: Atlas) -> NDArray[np.bool_]:
        """(models,) which are drawn."""
        return np.array([not self.families or entry.family in self.families for entry in atlas.entries])


def points(view: View, atlas: Atlas) -> NDArray[np.float64]:
    """(models, 2): across and up, per cent."""
    return np.column_stack([view.x.of(atlas), view.y.of(atlas)])


def front(view: View, atlas: Atlas) -> list[int]:
    """The rows of what no other drawn model beats, from the highest up to the farthest across."""
    shown = np.flatnonzero(view.shown(atlas))
    of = points(view, atlas)[shown]
    best = shown[pareto.front(of)]
    return [int(row) for row in sorted(best, key=lambda row: tuple(points(view, atlas)[row]))]


def stars(view: View, own: Sequence[Own]) -> list[tuple[Own, float, float]]:
    """Own results that have both numbers."""
    found = _both(view, own)
    return [each for each in found if view.people or not each[0].is_people]


def _both(view: View, own: Sequence[Own]) -> list[tuple[Own, float, float]]:
    both = [(each, each.of(view.x), each.of(view.y)) for each in own]
    return [(each, x, y) for each, x, y in both if x is not None and y is not None]


def best_stars(found: Sequence[tuple[Own, float, float]], most: int) -> list[int]:
    """Places of the few to be named: those that no other star beats, then those with the highest sum of both."""
    if not found:
        return []
    at = np.array([[x, y] for _, x, y in found])
    order = sorted(range(len(found)), key=lambda k: -float(at[k].sum()))
    first = {int(k) for k in np.flatnonzero(pareto.front(at))}
    return sorted(order, key=lambda k: k not in first)[:most]


def said(view: View, atlas: Atlas) -> str:
    """What nothing beats, in words."""
    best, n = front(view, atlas), int(view.shown(atlas).sum())
    names = [atlas.entries[row].name for row in best]
    most = 6
    listed = ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
    verb = "stands" if len(best) == 1 else "stand"
    others = "drawn" if view.families else "published"
    return (
        f"On the Pareto front {verb} {len(best)} of {n}: {listed}. No other {others} model is at least as good on both "
        "and better on one; sampling error of the rates is not in that, and stars are not counted."
    )


def together(found: Correlations, view: View | None = None) -> str:
    """How alike both axes, the two measures of `found`, rank the models, in words. view: what is drawn, which may be
    fewer than these."""
    models = f"{found.n} models of {found.clusters} families"
    note = f"; {_MORE}" if view is not None and view.families else ""
    return f"Both axes {_ranked(found, models)} (Spearman; the interval counts families, not models{note})."


def _ranked(found: Correlations, models: str) -> str:
    """What its first two measures do with the models: agreement or its opposite is claimed only where the interval
    leaves out 0, as in the map of correlations."""
    low, high = float(found.low[0, 1]), float(found.high[0, 1])
    said = f"ρ = {written.number(float(found.rho[0, 1]), 2)} {written.ends((low, high), 1, 2)}".rstrip()
    if low > 0:
        return f"rank {models} alike to {said}"
    if high < 0:
        return f"rank {models} the other way round, {said}"
    return f"rank {models} in orders that are not told from unrelated, {said}"


def to_copy(view: View, atlas: Atlas, found: Correlations | None) -> str:
    """Both axes in one sentence with what it rests on. found: of both axes; None where they are one measure."""
    source, n = "published rates of Oh et al. 2024", int(view.shown(atlas).sum())
    if found is None:
        rates = np.where(view.shown(atlas), view.x.of(atlas), -np.inf)
        first = [atlas.entries[row].name for row in np.flatnonzero(rates == rates.max())]
        names = f"{first[0]} and {count(len(first) - 1, 'other')} have" if len(first) > 1 else f"{first[0]} has"
        value = float(rates.max())
        said = f"{written.number(value, 1)} % {written.ends(ends(view.x, value), 1)}".rstrip()
        claim = f"Of {n} published models {names} the highest rate in {view.x.title}: {said}"
        rest = ("not tested against the next ones", source)
        return Finding(claim, n, rest, counted="models").said
    claim = f"{view.x.title} and {view.y.title} {_ranked(found, 'published models')}"
    of = ["Spearman", interval(found), *([_MORE] if view.families else []), source]
    return Finding(claim[:1].upper() + claim[1:], found.n, of, counted="models").said


def interval(found: Correlations) -> str:
    """How the interval of a ρ is made, for a finding."""
    return f"95 % interval by leaving out whole families, {found.clusters}"


def precision(view: View, atlas: Atlas) -> str:
    """How finely each axis is measured: the half width of the interval of its median model."""
    said = []
    for word, measure in (("Across", view.x), ("Up", view.y)):
        middle = float(np.median(measure.of(atlas)))
        found = ends(measure, middle)
        if found is not None:
            said.append(
                f"{word}: n = {measure.items:,} items, so a model in the middle is known to "
                f"{written.number(middle, 1)} % {written.ends(found, 1)}."
            )
        else:
            said.append(
                f"{word}: {measure.how or 'a mean over parts'}; its sampling error cannot be told from the table."
            )
    return " ".join(said)


def chance_said(view: View) -> str:
    """The levels of both axes in words, "" where none is known."""
    levels = [
        f"{written.number(level, 1)} % {word}"
        for word, level in (("across", chance.of_measure(view.x)), ("up", chance.of_measure(view.y)))
        if level is not None
    ]
    return f"Thin broken lines: chance, {' and '.join(levels)}." if levels else ""


def stars_said(view: View, own: Sequence[Own]) -> str:
    """How many own results stand in the plane."""
    if not view.stars:
        return "What is stored here is left out."
    here = len(stars(view, own))
    people = "".join(
        f" People, at {written.number(x, 1)} % and {written.number(y, 1)} %, are left out of the picture unless "
        "the sidebar says otherwise."
        for each, x, y in _both(view, own)
        if each.is_people and not view.people
    )
    if here:
        results = "1 result" if here == 1 else f"{here} results"
        return (
            f"Stars: {results} stored here, under any score kind, in the colour that every page has for the model; "
            f"hold the pointer on one for its name. The Atlas' are cosines.{people}"
        )
    if can_stand(view):
        return "No run here has both numbers yet; one that does stands here as a star."
    return "No run can stand here as a star: Flipside has not both axes with the same items and metric."


def can_stand(view: View) -> bool:
    """Whether a run here could stand in this plane: Flipside has both axes with the same items and metric."""
    same = {each.key for each in columns() if each.same is not None}
    return all(key in same for measure in (view.x, view.y) for key in measure.weights)


def missing(view: View, chosen: Own, own: Sequence[Own], name: str) -> str:
    """Why a chosen star is not in the plane, in words; "" where it is."""
    if not view.stars:
        return f"{name} is not in the plane: what is stored here is left out."
    if chosen.key in {each.key for each, _, _ in stars(view, own)}:
        return ""
    if chosen.is_people and chosen.of(view.x) is not None and chosen.of(view.y) is not None:
        return f"{name} are not in the plane unless the sidebar says so."
    return f"{name} is not in the plane: it has no rate of both axes with the same items and metric."

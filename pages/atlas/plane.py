"""The Atlas' plane: a point a model, families in colour, the Pareto front, own runs as stars, taught ones as arrows."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from backend.published.atlas import models
from backend.published.atlas.measures import Measure
from backend.published.atlas.reading import Atlas
from pages.atlas import chance
from pages.atlas.data import Own
from pages.atlas.labels import Name, Place, along, places
from pages.atlas.view import View, best_stars, front, points, stars
from pages.shared.drawing import colours

#: Families go through six hues (green and vermilion stay for right and wrong), then through them in another shape.
_HUES: Final = 6
_SHAPES: Final = ("circle", "square", "diamond", "triangle-up")
HEIGHT: Final = 600
#: So many stars are named without being asked for.
_LABELLED: Final = 5
#: As how many points a star counts where a name is placed.
_STAR: Final = 5
#: From so many stars on, they and the published points are drawn smaller, and the points paler.
_MANY: Final = 12
#: Share of what is drawn that is left free at each end of an axis.
_MARGIN: Final = 0.08


@dataclass(frozen=True)
class _Inks:
    """text, grid and page as in the theme; arrow: violet, which no family and no model has. veil: behind
    names; paler: how opaque points are among many stars."""

    text: str
    grid: str
    page: str
    veil: str
    arrow: str
    paler: float


_LIGHT: Final = _Inks("#1e252b", "#e4e7e1", "#fdfdfb", "rgba(253,253,251,.78)", "#6b2fb3", 0.6)
_DARK: Final = _Inks("#e4e7e6", "#2b333b", "#14181c", "rgba(20,24,28,.78)", "#c9a8ff", 0.8)


def look(family: str) -> tuple[str, str]:
    """(colour, Plotly's symbol) of a family, the same in every view."""
    known = list(models.FAMILIES)
    place = known.index(family) if family in known else len(known)
    return colours.OKABE_ITO[place % _HUES], _SHAPES[(place // _HUES) % len(_SHAPES)]


def figure(view: View, atlas: Atlas, own: Sequence[Own], names: dict[str, str], dark: bool) -> dict[str, Any]:
    """What Plotly draws. names: of own models. The key of a model is in `customdata`."""
    inks = _DARK if dark else _LIGHT
    place, shown = points(view, atlas), view.shown(atlas)
    mine = stars(view, own) if view.stars else []
    best = front(view, atlas) if view.front else []
    pairs = [pair for pair in models.taught(atlas) if shown[pair.taught]] if view.arrows else []
    many = len(mine) > _MANY
    traces: list[dict[str, Any]] = []
    if best:
        traces.append(
            {
                "type": "scatter", "mode": "lines", "name": f"Pareto front  {len(best)}", "hoverinfo": "skip",
                "x": place[best, 0], "y": place[best, 1], "legendrank": 1001,
                "line": {"color": inks.text, "width": 1.4, "dash": "dot", "shape": "vh"},
            }
        )  # fmt: skip
    for family in [f for f in models.FAMILIES if any(e.family == f for e in atlas.entries)]:
        rows = [r for r, e in enumerate(atlas.entries) if e.family == family and shown[r]]
        if rows:
            hue, symbol = look(family)
            traces.append(
                {
                    "type": "scatter", "mode": "markers", "name": f"{family}  {len(rows)}",
                    "x": place[rows, 0], "y": place[rows, 1], "customdata": [[atlas.entries[r].key] for r in rows],
                    "text": [_plain(atlas.entries[r].name) for r in rows],
                    "marker": {"color": hue, "symbol": symbol, "size": 7 if many else 9,
                               "opacity": inks.paler if many else 0.9, "line": {"color": inks.page, "width": 0.8}},
                    "hovertemplate": "%{text}<br>%{x:.1f} across, %{y:.1f} up<extra></extra>",
                }
            )  # fmt: skip
    if pairs:  # the arrows themselves are annotations, which have no entry in a legend
        traces.append(
            {
                "type": "scatter", "mode": "lines", "name": f"base → taught  {len(pairs)}", "hoverinfo": "skip",
                "x": [None], "y": [None], "line": {"color": inks.arrow, "width": 2}, "legendrank": 1002,
            }
        )  # fmt: skip
    chosen = place[view.entry] if view.entry is not None else None
    chosen = next((np.array([x, y]) for each, x, y in mine if each.key == view.star), chosen)
    if mine:
        hues = colours.of_models(each.model for each, _, _ in mine)
        traces.append(
            {
                "type": "scatter", "mode": "markers", "name": f"stored here  {len(mine)}", "legendrank": 1003,
                "x": [x for _, x, _ in mine], "y": [y for _, _, y in mine],
                "text": [_plain(f"{names[each.model]} · {each.kind}") for each, _, _ in mine],
                "customdata": [[each.key] for each, _, _ in mine],
                "marker": {"color": [hues[each.model] for each, _, _ in mine], "symbol": "star",
                           "size": 11 if many else 15, "line": {"color": inks.text, "width": 0.9}},
                "hovertemplate": "stored here: %{text}<br>%{x:.1f} across, %{y:.1f} up<extra></extra>",
            }
        )  # fmt: skip
    if chosen is not None:
        traces.append(
            {
                "type": "scatter", "mode": "markers", "name": "chosen", "showlegend": False, "hoverinfo": "skip",
                "x": [chosen[0]], "y": [chosen[1]],
                "marker": {"color": inks.text, "symbol": "circle-open", "size": 21, "line": {"width": 2.4}},
            }
        )  # fmt: skip
    # Stars are large and few: a name on one is as bad as on several points.
    marks = np.vstack([place[shown], *([[x, y]] * _STAR for _, x, y in mine)])
    low, high = _ends(marks)
    arrows = [(place[pair.base], place[pair.taught]) for pair in pairs]
    lines = _lines(view, place[best], arrows, low, high)
    named = _named(view, atlas, place, mine, names, pairs)
    found = places([name for name, _ in named], marks, lines, low, high)
    notes = [note for base, taught in arrows for note in _arrow(base, taught, inks)]
    notes += [
        _label(name, at, inks, inks.arrow if is_pair else inks.text)
        for (name, is_pair), at in zip(named, found, strict=True)
    ]

    def axis(measure: Measure, of: int) -> dict[str, Any]:
        title = {"text": f"{_plain(measure.title)} (%)"}
        return {"title": title, "gridcolor": inks.grid, "zeroline": False, "range": [float(low[of]), float(high[of])]}

    layout = {
        "height": HEIGHT, "margin": {"l": 62, "r": 20, "t": 28, "b": 112}, "annotations": notes,
        "shapes": _chance(view, inks.text), "xaxis": axis(view.x, 0), "yaxis": axis(view.y, 1),
        "hovermode": "closest", "dragmode": "zoom",
        "legend": {"orientation": "h", "y": -0.13, "yanchor": "top", "x": 0},
    }  # fmt: skip
    return {"data": traces, "layout": layout}


def _ends(marks: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both axes' ends: all marks, with room for names."""
    if not len(marks):
        return np.zeros(2), np.full(2, 100.0)
    low, high = marks.min(axis=0), marks.max(axis=0)
    room = _MARGIN * np.maximum(high - low, 1.0)
    return low - room, high + room


def _named(
    view: View, atlas: Atlas, place: NDArray[np.float64], mine: Sequence[tuple[Own, float, float]],
    names: dict[str, str], pairs: Sequence[models.Taught],
) -> list[tuple[Name, bool]]:  # fmt: skip
    """What has a name in the plane, and whether it belongs to the arrows: the chosen one first, the taught ones, the
    best stars, and the models that were taught."""
    chosen: list[tuple[Name, bool]] = []
    others: list[tuple[Name, bool]] = []
    if view.entry is not None:
        chosen.append((Name(place[view.entry], atlas.entries[view.entry].name, 6), False))
    best = best_stars(mine, _LABELLED)
    best += [k for k, each in enumerate(mine) if each[0].key == view.star and k not in best]
    for k in best:
        own, x, y = mine[k]
        name = Name(np.array([x, y]), names[own.model], 6 if own.key == view.star else 2)
        (chosen if own.key == view.star else others).append((name, False))
    taught = [pair.taught for pair in pairs if pair.taught != view.entry]
    of_pairs = [(Name(place[row], atlas.entries[row].arch), True) for row in dict.fromkeys(taught)]
    bases = [pair.base for pair in pairs if pair.base != view.entry and pair.base not in taught]
    of_bases = [(Name(place[row], atlas.entries[row].name), True) for row in dict.fromkeys(bases)]
    return [*chosen, *of_pairs, *others, *of_bases]


def _lines(
    view: View, best: NDArray[np.float64], arrows: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]],
    low: NDArray[np.float64], high: NDArray[np.float64],
) -> NDArray[np.float64]:  # fmt: skip
    """(m, 2) points along all that is drawn as a line: arrows, the front and the levels of chance."""
    found = [along(base, taught) for base, taught in arrows]
    for a, b in pairwise(best):
        corner = np.array([a[0], b[1]])  # Plotly's "vh": first up or down, then across
        found += [along(a, corner), along(corner, b)]
    for of, measure in enumerate((view.x, view.y)):
        level = chance.of_measure(measure)
        if level is not None:
            start, end = low.copy(), high.copy()
            start[of] = end[of] = level
            found.append(along(start, end))
    return np.vstack([np.zeros((0, 2)), *found])


def _chance(view: View, ink: str) -> list[dict[str, Any]]:
    """A thin line on each axis whose chance level is known."""
    line = {"type": "line", "layer": "below", "opacity": 0.55, "line": {"color": ink, "width": 1, "dash": "dash"}}
    found = []
    if (level := chance.of_measure(view.x)) is not None:
        found.append({**line, "xref": "x", "yref": "paper", "x0": level, "x1": level, "y0": 0, "y1": 1})
    if (level := chance.of_measure(view.y)) is not None:
        found.append({**line, "xref": "paper", "yref": "y", "x0": 0, "x1": 1, "y0": level, "y1": level})
    return found


def _arrow(base: NDArray[np.float64], taught: NDArray[np.float64], inks: _Inks) -> list[dict[str, Any]]:
    """Twice: first a wider one in the page's colour, so that it stands off from the marks that it crosses."""
    drawn = {
        "x": taught[0], "y": taught[1], "ax": base[0], "ay": base[1], "xref": "x", "yref": "y", "axref": "x",
        "ayref": "y", "showarrow": True, "standoff": 6, "startstandoff": 5, "text": "",
    }  # fmt: skip
    return [
        {**drawn, "name": "halo", "arrowhead": 0, "arrowwidth": 4.5, "arrowcolor": inks.page, "opacity": 0.8},
        {**drawn, "name": "arrow", "arrowhead": 2, "arrowsize": 0.9, "arrowwidth": 1.8, "arrowcolor": inks.arrow},
    ]


def _label(name: Name, at: Place, inks: _Inks, ink: str) -> dict[str, Any]:
    """A name with the page shining through behind it, and a thin line to its point where it stands far from it."""
    drawn = {
        "name": "label", "x": name.at[0], "y": name.at[1], "xref": "x", "yref": "y", "text": _plain(name.text),
        "xanchor": "center", "yanchor": "middle", "bgcolor": inks.veil, "borderpad": 1,
        "font": {"size": 11.5, "color": ink},
    }  # fmt: skip
    if not at.leads:
        return {**drawn, "showarrow": False, "xshift": at.right, "yshift": at.up}
    return {
        **drawn, "showarrow": True, "ax": at.right, "ay": -at.up, "arrowhead": 0, "arrowwidth": 0.9,
        "arrowcolor": ink, "standoff": 5 + name.gap,
    }  # fmt: skip


def _plain(text: str) -> str:
    """For Plotly's texts, which read a little HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

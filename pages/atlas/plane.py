"""The Atlas' plane: a mark a model, families in colour, the Pareto front, own runs as stars, taught ones as arrows.

It is drawn in the browser (plane.js); here is what of, as plain values.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from backend.published.atlas import models
from backend.published.atlas.reading import Atlas
from pages.atlas import chance
from pages.atlas.data import Own
from pages.atlas.labels import HIGH, Name, along, places
from pages.atlas.view import View, best_stars, front, points, stars
from pages.shared.drawing import colours, component
from pages.shared.drawing.plane import canvas
from pages.shared.frame.tips import kind_name

#: Families go through six hues (green and vermilion stay for right and wrong), then through them in another shape.
_HUES: Final = 6
_SHAPES: Final = ("circle", "square", "diamond", "triangle-up")
#: So many stars are named without being asked for.
_LABELLED: Final = 5
#: As how many points a star counts where a name is placed.
_STAR: Final = 5
#: From so many stars on, they and the published points are drawn smaller, and the points paler.
_MANY: Final = 12
#: Share of what is drawn that is left free at each end of an axis.
_MARGIN: Final = 0.08

_component = component.load(
    "flipside_atlas_plane", Path(__file__).with_suffix(".js"), html='<div id="plane"></div>',
    style=canvas.HERE / "plane.css",
)  # fmt: skip


def draw(drawn: dict[str, Any], key: str, alt: str, clicked: Callable[[], None]) -> None:
    """The plane (see `drawing`). alt: it in words; clicked: called before the run that follows a click on a mark, whose
    key `opened` has then."""
    _component(data={**drawn, "alt": alt}, key=key, on_opened_change=clicked)


def opened(key: str) -> str:
    """The key of the model whose mark was just clicked; "" for none."""
    return str(getattr(component.state(key), "opened", None) or "")


def look(family: str) -> tuple[str, str]:
    """(colour, shape) of a family, the same in every view."""
    known = list(models.FAMILIES)
    place = known.index(family) if family in known else len(known)
    return colours.OKABE_ITO[place % _HUES], _SHAPES[(place // _HUES) % len(_SHAPES)]


def drawing(view: View, atlas: Atlas, own: Sequence[Own], names: dict[str, str]) -> dict[str, Any]:
    """What plane.js draws. names: of own models.

    groups: one a family, and the stars, each with its look, the two numbers of its models (per cent), their keys, and
    their names; front: its corners from the highest to the farthest across; arrows: from a base to the taught one;
    chance: the level on each axis, or None; chosen, key: where the chosen model stands and its key, None and "" without
    one; names: what stands where (`labels.Place`), and whose key it is.
    """
    place, shown = points(view, atlas), view.shown(atlas)
    mine = stars(view, own) if view.stars else []
    best = front(view, atlas) if view.front else []
    pairs = [pair for pair in models.taught(atlas) if shown[pair.taught]] if view.arrows else []
    many = len(mine) > _MANY
    chosen = place[view.entry] if view.entry is not None else None
    chosen = next((np.array([x, y]) for each, x, y in mine if each.key == view.star), chosen)
    groups: list[dict[str, Any]] = []
    for family in [f for f in models.FAMILIES if any(e.family == f for e in atlas.entries)]:
        rows = [r for r, e in enumerate(atlas.entries) if e.family == family and shown[r]]
        if rows:
            hue, shape = look(family)
            groups.append(
                {
                    "name": f"{family} {len(rows)}", "shape": shape, "colours": [hue], "star": False,
                    "size": 7 if many else 9, "opacity": 0.7 if many else 0.9,
                    "x": place[rows, 0].tolist(), "y": place[rows, 1].tolist(),
                    "keys": [atlas.entries[r].key for r in rows],
                    "words": [f"{atlas.entries[r].name} · {family}" for r in rows],
                }
            )  # fmt: skip
    if mine:
        hues = colours.of_models(each.model for each, _, _ in mine)
        groups.append(
            {
                "name": f"stored here {len(mine)}", "shape": "star", "star": True, "size": 11 if many else 15,
                "opacity": 1.0, "colours": [hues[each.model] for each, _, _ in mine],
                "x": [float(x) for _, x, _ in mine], "y": [float(y) for _, _, y in mine],
                "keys": [each.key for each, _, _ in mine],
                "words": [f"stored here: {names[each.model]} · {kind_name(each.kind)}" for each, _, _ in mine],
            }
        )  # fmt: skip
    # Stars are large and few: a name on one is as bad as on several points.
    marks = np.vstack([place[shown], *([[x, y]] * _STAR for _, x, y in mine)])
    # What an arrow begins at and what is chosen may be of a family that is not drawn.
    others = [place[pair.base] for pair in pairs] + ([] if chosen is None else [chosen])
    low, high = _ends(np.vstack([marks, *others]))
    arrows = [(place[pair.base], place[pair.taught]) for pair in pairs]
    named = _named(view, atlas, place, mine, names, pairs)
    found = places([name for name, _, _ in named], marks, _lines(view, place[best], arrows, low, high), low, high)
    of_points = json.dumps([low.tolist(), high.tolist(), groups]).encode()
    return {
        "version": hashlib.sha256(of_points).hexdigest()[:16], "low": low.tolist(), "high": high.tolist(),
        "height": int(HIGH), "across": f"{view.x.title} (%)", "up": f"{view.y.title} (%)", "groups": groups,
        "front": place[best].tolist(), "arrows": [
            {"from": place[pair.base].tolist(), "to": place[pair.taught].tolist(),
             "keys": [atlas.entries[pair.base].key, atlas.entries[pair.taught].key]}
            for pair in pairs
        ],
        "chance": [chance.of_measure(view.x), chance.of_measure(view.y)],
        "chosen": None if chosen is None else chosen.tolist(),
        "key": view.star or (atlas.entries[view.entry].key if view.entry is not None else ""),
        "names": [
            {"at": name.at.tolist(), "text": name.text, "gap": name.gap, "right": at.right, "up": at.up,
             "leads": at.leads, "taught": is_pair, "key": key}
            for (name, is_pair, key), at in zip(named, found, strict=True)
        ],
    }  # fmt: skip


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
) -> list[tuple[Name, bool, str]]:  # fmt: skip
    """What has a name in the plane, whether it belongs to the arrows, and its key: the chosen one first, the taught
    ones, the best stars, and the models that were taught."""
    chosen: list[tuple[Name, bool, str]] = []
    others: list[tuple[Name, bool, str]] = []

    def of(row: int, text: str) -> tuple[Name, bool, str]:
        return Name(place[row], text), True, atlas.entries[row].key

    if view.entry is not None:
        entry = atlas.entries[view.entry]
        chosen.append((Name(place[view.entry], entry.name, 6), False, entry.key))
    best = best_stars(mine, _LABELLED)
    best += [k for k, each in enumerate(mine) if each[0].key == view.star and k not in best]
    for k in best:
        own, x, y = mine[k]
        name = Name(np.array([x, y]), names[own.model], 6 if own.key == view.star else 2)
        (chosen if own.key == view.star else others).append((name, False, own.key))
    taught = [pair.taught for pair in pairs if pair.taught != view.entry]
    of_pairs = [of(row, atlas.entries[row].arch) for row in dict.fromkeys(taught)]
    bases = [pair.base for pair in pairs if pair.base != view.entry and pair.base not in taught]
    of_bases = [of(row, atlas.entries[row].name) for row in dict.fromkeys(bases)]
    return [*chosen, *of_pairs, *others, *of_bases]


def _lines(
    view: View, best: NDArray[np.float64], arrows: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]],
    low: NDArray[np.float64], high: NDArray[np.float64],
) -> NDArray[np.float64]:  # fmt: skip
    """(m, 2) points along all that is drawn as a line: arrows, the front and the levels of chance."""
    found = [along(base, taught) for base, taught in arrows]
    for a, b in pairwise(best):
        corner = np.array([a[0], b[1]])  # first up or down, then across
        found += [along(a, corner), along(corner, b)]
    if len(best):  # what the front leaves behind it reaches to both axes
        found += [along(np.array([low[0], best[0, 1]]), best[0]), along(best[-1], np.array([best[-1, 0], low[1]]))]
    for of, measure in enumerate((view.x, view.y)):
        level = chance.of_measure(measure)
        if level is not None:
            start, end = low.copy(), high.copy()
            start[of] = end[of] = level
            found.append(along(start, end))
    return np.vstack([np.zeros((0, 2)), *found])

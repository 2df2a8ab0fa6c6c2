"""The 2 × 2 picture of a quad: four scores with their differences as arrows, and γ, c, r on one axis."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup
from numpy.typing import NDArray

from backend.kinds import PROBABILITIES, SIMILARITIES, SPOKEN
from backend.metrics.reasons import scales
from backend.protocols import Protocol
from backend.store.queries import ItemDetail
from backend.store.reasons.facts import UNITS
from backend.store.reasons.of_item import Explanation
from backend.store.reasons.sentence_words import score
from pages.item.strip import Axis, density, strip
from pages.shared.data import stored
from pages.shared.data.frames import lines_of

#: Sign in the table -> what it is called.
PARTS = {"gamma": ("γ", "binding"), "c": ("c", "caption bias"), "r": ("r", "image bias")}


def html(detail: ItemDetail, each: Explanation) -> Markup:
    """Matrix, bars and deviations of one model under one kind."""
    matrix = scores_of(detail, each)
    return Markup('<div class="fs-why-picture">{}<div class="fs-why-bars">{}{}</div></div>').format(
        arrows(matrix, str(each.row["scale"])) if matrix is not None else Markup(),
        bars(each.row, each.table),
        deviations(detail, each),
    )


def scores_of(detail: ItemDetail, each: Explanation) -> NDArray[np.float64] | None:
    """The four scores on the scale of the reasons, (2, 2); None where one is missing."""
    rows = detail.scores[(detail.scores["run_id"] == each.run_id) & (detail.scores["part"] == each.kind)]
    values, counts = np.full((2, 2), np.nan), np.ones((2, 2))
    for line in lines_of(rows):
        values[int(line.image_index), int(line.text_index)] = float(line.value)
        counts[int(line.image_index), int(line.text_index)] = max(1, line.n_tokens) if each.kind in SPOKEN else 1
    found = scales.on_scale(values, each.kind, counts if each.kind in SPOKEN else None).values
    return None if np.isnan(found).any() else found


def arrows(s: NDArray[np.float64], scale: str) -> Markup:
    """The matrix: images are rows, captions columns; an arrow points at the larger of two scores.

    An arrow that points at what belongs together has ✓, one that points away has ✗; equal scores have =.
    """
    cells = [
        Markup('<span class="fs-two-cell{}"><b>{}</b></span>').format(" fs-truth" * (i == j), score(float(s[i, j])))
        for i in (0, 1)
        for j in (0, 1)
    ]
    # A difference is own − other: above zero it points at the pair that belongs together.
    across = [_arrow(float(s[0, 0] - s[0, 1]), "←", "→"), _arrow(float(s[1, 1] - s[1, 0]), "→", "←")]
    down = [_arrow(float(s[0, 0] - s[1, 0]), "↑", "↓"), _arrow(float(s[1, 1] - s[0, 1]), "↓", "↑")]
    head = Markup('<span class="fs-two-head">{}</span>')
    blank = Markup("<span></span>")
    grid = [
        blank, head.format("caption 1"), blank, head.format("caption 2"),
        head.format("image 1"), cells[0], across[0], cells[1],
        blank, down[0], blank, down[1],
        head.format("image 2"), cells[2], across[1], cells[3],
    ]  # fmt: skip
    says = (
        f"Scores ({UNITS.get(scale, scale)}): image 1 with caption 1 {score(float(s[0, 0]))}, with caption 2 "
        f"{score(float(s[0, 1]))}; image 2 with caption 1 {score(float(s[1, 0]))}, "
        f"with caption 2 {score(float(s[1, 1]))}"
    )
    return Markup(
        '<figure class="fs-two"><div class="fs-two-grid" role="img" aria-label="{}">{}</div>'
        "<figcaption>Scores ({}); framed: belongs together. An arrow points at the larger score, by how much: ✓ at the "
        "pair that belongs together.</figcaption></figure>"
    ).format(says, Markup().join(grid), UNITS.get(scale, scale))


def _arrow(lead: float, towards: str, away: str) -> Markup:
    """lead: the own score less the other."""
    sign, kind, mark = (
        (towards, "right", "✓") if lead > 0 else (away, "wrong", "✗") if lead < 0 else ("=", "wrong", "✗")
    )
    return Markup('<span class="fs-two-arrow fs-two-{}"><i>{}</i>{} {}</span>').format(
        kind, sign, score(abs(lead)), mark
    )


def shows_scores(protocol: str, kind: str) -> bool:
    """Whether the picture's four numbers are the very scores that a matrix would show: probabilities stand in it as
    log-odds, log-probabilities by the token.

    >>> shows_scores("quad", "itc"), shows_scores("quad", "itm"), shows_scores("choice", "itc")
    (True, False, False)
    """
    return protocol == Protocol.QUAD and kind in SIMILARITIES and kind not in PROBABILITIES and kind not in SPOKEN


def bars(row: Mapping[str, Any], table: pd.DataFrame) -> Markup:
    """γ, c and r from zero, the subset's distribution faint behind each."""
    unit = UNITS.get(str(row["scale"]), str(row["scale"]))
    axis = Axis.around([float(row[name]) for name in PARTS], [table[name].to_numpy(float) for name in PARTS])
    needed = max(abs(float(row["c"])), abs(float(row["r"])))
    lines = []
    for name, (sign, words) in PARTS.items():
        value = float(row[name])
        marks = [("fs-strip-needed", needed, f"right beyond {score(needed)}")] if name == "gamma" else []
        behind = density(table[name].to_numpy(float), axis)
        words = f"{sign} {words}"
        lines.append(strip(words, score(value, signed=True), axis, bar=value, behind=behind, marks=marks))
    says = ", ".join(f"{words} {score(float(row[name]), signed=True)}" for name, (_, words) in PARTS.items())
    return Markup(
        '<figure class="fs-strips-of" role="img" aria-label="{} ({}); binding has to be above {} to be right">{}{}'
        "</figure><p class='fs-caption'>Bars: this quad ({}). Faint behind them: all {:,} quads of its subset. The "
        "model is right here if binding γ is larger than caption bias c and than image bias r, whichever way these "
        "point: the bar of γ then ends beyond the mark, which stands at the larger of the two.</p>"
    ).format(says, unit, score(needed), Markup().join(lines), axis.html(), unit, len(table))


def deviations(detail: ItemDetail, each: Explanation) -> Markup:
    """EqSim's deviations, each with the share of the subset where it is smaller."""
    own, subset = _deviations(detail, each)
    said = []
    for name, words in (("v1", "v1"), ("v2_text", "v2 text side"), ("v2_image", "v2 image side")):
        if name in own:
            below = int(100 * float((subset[name].abs() < abs(own[name])).mean()))  # never all: it is one of them
            said.append(f"{words} {score(own[name], signed=True)} (further from 0 than {below} % of the subset)")
    scale = " of the probabilities" if each.kind in PROBABILITIES else " at α = 0" if each.kind in SPOKEN else ""
    return (
        Markup('<p class="fs-caption">EqSim\'s deviations{}: {}.</p>').format(scale, ", ".join(said))
        if said
        else Markup()
    )


def _deviations(detail: ItemDetail, each: Explanation) -> tuple[dict[str, float], pd.DataFrame]:
    """The item's, and the subset's. Those of probabilities are no sums of log-odds; all others are the biases alone."""
    if each.kind in PROBABILITIES:
        frame = stored.deviations(each.run_id, each.kind, "raw")
        frame = frame[frame["subset"] == detail.subset] if len(frame) else frame
    else:
        c, r = each.table["c"], each.table["r"]
        frame = each.table[["item_id"]].assign(v1=2 * (r - c), v2_text=4 * c, v2_image=4 * r)
    own = frame[frame["item_id"] == detail.item_id] if len(frame) else frame
    names = ("v1", "v2_text", "v2_image")
    return ({name: float(own[name].iloc[0]) for name in names} if len(own) else {}), frame

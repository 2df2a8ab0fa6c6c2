"""The picture of a choice or a triplet: its margin under its own image among those under other images."""

import numpy as np
from markupsafe import Markup

from backend.store.queries import ItemDetail
from backend.store.reasons.facts import UNITS
from backend.store.reasons.of_item import Explanation
from backend.store.reasons.sentence_words import score
from pages.item.strip import Axis, strip


def html(detail: ItemDetail, each: Explanation) -> Markup:
    """One line: faint dots are other images, the line their mean b, the diamond this image's margin m."""
    row = each.row
    m, b, n = float(row["m"]), float(row["b"]), int(row["n_other"])
    dots = [float(value) for value in row["others"]]
    axis = Axis.around([m, b], [np.array(dots)])
    unit = UNITS.get(str(row["scale"]), str(row["scale"]))
    line = strip(
        "margin", score(m, signed=True), axis, dots=dots,
        marks=[("fs-strip-mean", b, f"mean under other images {score(b, signed=True)}"),
               ("fs-strip-own", m, f"this image {score(m, signed=True)}")],
    )  # fmt: skip
    few = f"{len(dots)} of {n:,} other images, evenly spaced by rank" if len(dots) < n else f"the {n} other images"
    wins = ("the negative leads", "both paraphrases lead") if detail.protocol == "triplet" else (
        "a foil leads", "the true caption leads",
    )  # fmt: skip
    says = (
        f"Margin under this image {score(m, signed=True)}, mean under other images {score(b, signed=True)} ({unit}); "
        f"under {int(row['same']):,} of {n:,} of them the verdict is the same"
    )
    return Markup(
        '<div class="fs-why-picture"><div class="fs-why-bars">'
        '<figure class="fs-strips-of" role="img" aria-label="{}">{}'
        '<div class="fs-strip-row" aria-hidden="true"><span></span><div class="fs-strip-sides"><span>← {}</span>'
        "<span>{} →</span></div><span></span></div>{}</figure>"
        "<p class='fs-caption'>Diamond: this image ({}). Faint dots: {}; line: their mean b. "
        "Dots on the diamond's side of zero have the same verdict.</p></div></div>"
    ).format(says, line, *wins, axis.html(), unit, few)

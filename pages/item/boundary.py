"""A grounding item: when its frames were taken, which of them a card shows, and where each model puts the boundary."""

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from backend.items import SIMILARITIES, Protocol
from backend.kinds import SPOKEN
from backend.metrics import grounding
from backend.store.queries import ItemDetail
from backend.store.scores.boundaries import BOUNDARIES, RATE, SECONDS
from pages.shared.data.frames import lines_of
from pages.shared.drawing import colours
from pages.shared.frame.tips import kind_name

#: A card has room for so many frames: those around the boundary.
ON_CARD = 6
CAPTION = (
    "Each pair of adjacent frames scores s(earlier, caption 1) + s(later, caption 2); a model's boundary is the best "
    "of them. Two equally good ones are a tie, and a failure."
)


def seconds(detail: ItemDetail) -> list[float]:
    """When each frame was taken; empty for an item that is not about moments."""
    n = len(detail.image_uris)
    given = detail.tags.get(SECONDS, [])
    if given:
        return [float(value) for value in given[:n]]
    rate = detail.tags.get(RATE, [])
    return [k / float(rate[0]) for k in range(n)] if rate else []


def names(detail: ItemDetail) -> list[str]:
    """What an image is called: by its second, else by its number."""
    known = seconds(detail)
    count = len(detail.image_uris)
    return [f"{moment:g} s" for moment in known] if len(known) == count else [f"image {k + 1}" for k in range(count)]


def on_card(detail: ItemDetail) -> Sequence[int]:
    """The images that a card shows: all, or of many frames those around the first true boundary."""
    count = len(detail.image_uris)
    if detail.protocol != Protocol.GROUNDING or count <= ON_CARD:
        return range(count)
    last = min((image for image, _ in detail.truth), default=0)
    start = min(max(0, last + 1 - ON_CARD // 2), count - ON_CARD)
    return range(start, start + ON_CARD)


def said(detail: ItemDetail) -> list[tuple[str, str, tuple[int, int] | None]]:
    """(model, kind, the two frames that its boundary lies between), None where two boundaries are equally good."""
    found: list[tuple[str, str, tuple[int, int] | None]] = []
    rows = detail.scores[detail.scores["part"].isin([str(kind) for kind in SIMILARITIES])]
    for (model, kind), part in rows.groupby(["model", "part"], sort=False):
        values = np.full((1, max(2, len(detail.image_uris)), 2), np.nan)
        for line in lines_of(part):
            spoken = kind in SPOKEN
            value = float(line.value) / line.n_tokens if spoken and line.n_tokens > 0 else float(line.value)
            values[0, int(line.image_index), int(line.text_index)] = value
        scores = grounding.boundary_scores(values)[0]
        if np.isnan(scores).any():
            continue
        best = np.flatnonzero(scores == scores.max())
        found.append((str(model), str(kind), (int(best[0]), int(best[0]) + 1) if len(best) == 1 else None))
    order = colours.order(detail.scores["model"])
    return sorted(found, key=lambda entry: order.index(entry[0]))


def html(detail: ItemDetail) -> Markup:
    """Where each model puts the boundary, beside the true moments; "" for items of another protocol."""
    if detail.protocol != Protocol.GROUNDING:
        return Markup()
    frames, labels = names(detail), colours.labels(detail.scores["model"])
    true = " or ".join(f"{float(moment):g} s" for moment in detail.tags.get(BOUNDARIES, [])) or "not known"
    lines = [Markup("<p class='fs-evidence'><b>True</b> {}</p>").format(true)]
    for model, kind, between in said(detail):
        where = f"between {frames[between[0]]} and {frames[between[1]]}" if between else "nowhere: a tie at the top"
        lines.append(
            Markup("<p class='fs-evidence'><b>{}</b> {}</p>").format(labels[model], f"{kind_name(kind)}: {where}")
        )
    return Markup().join(lines)

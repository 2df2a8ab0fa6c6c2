"""What is pinned on a map, with its neighbours in the model's own space; and the items of a selection."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from markupsafe import Markup
from numpy.typing import NDArray

from backend.store.items.embeddings import IMAGE, Points
from backend.store.items.point_verdicts import both_ways
from backend.store.queries import HEADLINES
from pages.embeddings.choices import Choices
from pages.embeddings.data import Space, neighbours_of, verdicts
from pages.failures import data
from pages.item import card_line, full
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import count, score
from pages.shared.drawing.thumbnails import data_uri, picture
from pages.shared.frame.header import chart_caption
from pages.shared.frame.style import show

#: Items of a lasso that are listed on the page.
SHOWN = 8


def pinned_details(
    benchmark: stored.StoredBenchmark, spaces: Sequence[tuple[Space, NDArray[np.intp]]], of: Points, pin: int
) -> None:
    """The pinned content with its picture or caption, and what each model puts next to it."""
    line = of.contents.iloc[pin]
    items = list(dict.fromkeys(of.frame.loc[of.frame["content"] == pin, "item_id"]))
    head = "Pinned image" if line["modality"] == IMAGE else "Pinned caption"
    body = _one(str(line["modality"]), str(line["label"]), str(line["uri"]), 150)
    more = f" and {len(items) - 1:,} more" if len(items) > 1 else ""
    show(
        Markup('<section class="fs-pinned"><h3>{}</h3>{}<p class="fs-card-head">{}</p></section>').format(
            head, body, items[0] + more
        )
    )
    for space, rows in spaces:
        show(_neighbours_html(space, int(rows[pin]), named=len(spaces) > 1))
    if st.button("Open its item", key="open-pinned", icon=":material/crop_square:"):
        full.open_dialog(benchmark, items, items[0])


def _neighbours_html(space: Space, content: int, named: bool) -> Markup:
    if not space.known:
        said = Markup(
            '<section class="fs-pinned"><p>Neighbours by {}: not known before it has embedded these.</p></section>'
        )
        return said.format(colours.label(space.model))
    found, cosines = neighbours_of(space, np.array([content]))
    contents, frame = space.points.contents, space.points.frame
    at = frame["content"].to_numpy()
    pairs = at[space.points.together]
    own = {int(t) for i, t in pairs if i == content} | {int(i) for i, t in pairs if t == content}
    name = Markup("{}: ").format(colours.label(space.model)) if named else ""
    parts = []
    half = found.shape[1] // 2
    for side in (found[0, :half], found[0, half:]):
        known = [int(k) for k in side if k >= 0]
        if not known:
            continue
        kind = "images" if contents.iloc[known[0]]["modality"] == IMAGE else "captions"
        lines = []
        for k in known:
            one = contents.iloc[k]
            cosine = float(cosines[0][np.flatnonzero(found[0] == k)[0]])
            mark = Markup(' <b class="fs-own">· its own</b>') if k in own else ""
            inner = _one(str(one["modality"]), str(one["label"]), str(one["uri"]), 62)
            lines.append(Markup("<li>{}<span>{}{}</span></li>").format(inner, score(cosine), mark))
        shape = "fs-near-images" if kind == "images" else "fs-near-texts"
        parts.append(
            Markup('<h4>{}nearest {}</h4><ol class="{}">{}</ol>').format(name, kind, shape, Markup().join(lines))
        )
    return Markup('<section class="fs-pinned">{}</section>').format(Markup().join(parts))


def _one(modality: str, label: str, uri: str, width: int) -> Markup:
    if modality == IMAGE:
        return picture(data_uri(uri, 2 * width), f"picture of {label}" if label else "image", width)
    return Markup("<q>{}</q>").format(label)


def filters(
    benchmark: stored.StoredBenchmark, of: Points, chosen: Sequence[str], choice: Choices
) -> list[tuple[dict[str, str], list[str]]]:
    """How Failures has to judge these items to agree with the colours of the map: model, kind, where it needs one the
    metric, and `show=wrong` where the model has one of them wrong (all of them are a click away there); and those that
    are wrong by that.

    The map judges an image and a caption of a pool each by its own direction; Failures lists one direction at a time:
    one of these for each by which some are wrong, one in all where none is.
    """
    if not choice.metric:
        return [({}, [])]
    inside = of.frame["item_id"].isin(chosen).to_numpy()

    def wrong(metric: str) -> list[str]:
        told = verdicts(of, benchmark.runs[choice.judge], choice.setting, metric)["correct"].astype("boolean")
        bad = (~told.fillna(True)).to_numpy(dtype=bool)
        return list(dict.fromkeys(of.frame.loc[bad & inside, "item_id"]))

    said = {"model": choice.judge, "kind": choice.setting.kind}
    if choice.metric == "headline":  # the default of Failures, but for captions that look for their image
        tried: list[tuple[str, dict[str, str]]] = [
            (name, {} if name in HEADLINES else {"metric": name}) for name in both_ways(HEADLINES)
        ]
    elif choice.metric.startswith("recall_at_"):
        tried = [(name, {"metric": name}) for name in (f"i2t_{choice.metric}", f"t2i_{choice.metric}")]
    else:
        tried = [(choice.metric, {"metric": choice.metric})]
    found: dict[str, list[str]] = {}  # each protocol's own metric is one place: Failures takes them all by itself
    for name, metric in tried:
        if bad := wrong(name):
            found.setdefault(metric.get("metric", ""), []).extend(bad)
    ways = [
        (said | ({"metric": metric} if metric else {}) | {"show": "wrong"}, list(dict.fromkeys(bad)))
        for metric, bad in found.items()
    ]
    return ways or [(said | tried[0][1], [])]


def first_of(
    benchmark: stored.StoredBenchmark, of: Points, chosen: Sequence[str], choice: Choices, what: str
) -> None:  # fmt: skip
    """The first of some items, each with its images and captions. what: they are, failures or items."""
    frame = of.frame.drop_duplicates(["item_id", "modality"])
    first = frame[frame["item_id"].isin(chosen[:SHOWN])]
    details = data.card_items(benchmark.hash, tuple(chosen[:SHOWN])) if choice.metric else {}
    lines = []
    for item in chosen[:SHOWN]:
        own = first[first["item_id"] == item]
        parts = [of.contents.iloc[int(k)] for k in own["content"]]
        inner = Markup().join(_one(str(p["modality"]), str(p["label"]), str(p["uri"]), 46) for p in parts)
        why = card_line.of_first(details[item], choice.judge, choice.setting.kind) if item in details else ""
        lines.append(Markup('<li title="{}">{}{}</li>').format(item, why, inner))
    show(Markup('<section class="fs-pinned"><ol class="fs-picked">{}</ol></section>').format(Markup().join(lines)))
    if len(chosen) > SHOWN:
        chart_caption(f"… and {count(len(chosen) - SHOWN, f'more {what}')}.")

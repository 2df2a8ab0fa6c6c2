"""Close pairs mined from a retrieval pool, EqSim's way: what the model does on look-alikes nobody annotated."""

import shlex
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st
from markupsafe import Markup

from backend.store.quads.close_pairs import CAUTION
from pages.equivariance import parts
from pages.equivariance.options import Options
from pages.equivariance.view import MEASURES
from pages.item import opened
from pages.shared.data import commands, stored
from pages.shared.drawing import cards, colours, gallery
from pages.shared.drawing.gallery import Card
from pages.shared.drawing.numbers import score
from pages.shared.drawing.thumbnails import data_uri
from pages.shared.frame import address
from pages.shared.frame.header import chart_caption, empty, section
from pages.shared.frame.style import show
from pages.shared.frame.tips import column_head

SHOWN = 6


@st.fragment
def draw(benchmark: stored.StoredBenchmark, options: Options) -> None:
    """The section, where the benchmark has a pool; its controls rerun it alone."""
    clicked, ids = _draw(
        benchmark, options.able, options.model, options.kind, options.scale, options.unit, options.said
    )
    if clicked:  # one that a link names is opened above, by the planes
        opened.now(clicked)
    address.end()
    if clicked:
        opened.show(benchmark, ids, clicked, options.model, options.kind)


def _draw(
    benchmark: stored.StoredBenchmark, models: Sequence[str], model: str, kind: str, scale: str, unit: str, said: str
) -> tuple[str | None, list[str]]:
    """The opened item (the first of its pair) and the ids to walk along. said: the normalisation in words."""
    said = "softmax over the pool’s images × first captions" if scale == "softmax-pool" else said
    pools = benchmark.with_protocol("retrieval")
    if not pools:
        return None, []
    section("Close pairs mined from the pool", f"{', '.join(pools)} · {said}")
    k = st.slider("How many are close to each", 1, 20, key="k", value=address.value("k"),
                  help="EqSim applies v2 to the top-k of a batch, k = 8: for each image the k best captions of other "
                  "images, for each caption the k best other images (section 3).")  # fmt: skip
    frames = {m: stored.close_pairs(benchmark.runs[m], kind, int(k), scale) for m in models}
    frames = {m: frame for m, frame in frames.items() if len(frame)}
    if not frames:
        empty("No pool has been scored with this kind", "Choose another score kind in the sidebar.")
        return None, []
    show(table_html(frames, model, unit))
    chart_caption(
        f"Each image with its own first caption, against its look-alikes. {CAUTION} So the shares right are no "
        "benchmark's accuracies. Deviations: mean absolute value; small: scale-free (σ of the mined cells), over the "
        f"margin (median); scores {said}. Gen and itm cover the scored part of the pool only."
    )
    own = frames.get(model)
    if own is None:
        return None, []
    words = ["flipside", "export", "--model", model, "--benchmark", commands.name(benchmark), "--what", "close-pairs"]
    more = ["--kind", kind, "--k", str(int(k)), "--normalise", scale, "--out", "close-pairs.csv"]
    return _gallery(benchmark, own, shlex.join([*words, *more]))


def table_html(frames: dict[str, pd.DataFrame], focus: str, unit: str) -> Markup:
    """One row a model: pairs, shares right, deviations."""
    names = colours.labels(frames)
    heads = Markup().join(map(column_head, ("pairs", "text right", "image right", "group right")))
    heads += Markup().join(
        Markup('<th scope="col" title="mean of |{}| ({})">|{}|<br>σ · ÷ margin</th>').format(formula, unit, title)
        for title, formula in MEASURES.values()
    )
    body = Markup()
    for model, frame in frames.items():
        cells = Markup("<td>{:,}</td>").format(len(frame))
        for name in ("text", "image", "group"):
            cells += Markup("<td><b>{:.1f}</b></td>").format(100 * float((frame[f"{name}_margin"] > 0).mean()))
        for name in MEASURES:
            raw, free = (frame[f"{name}{end}"].abs().mean() for end in ("", "_scale_free"))
            over = frame[f"{name}_over_margin"].median()
            cells += Markup("<td><b>{}</b><small>{} σ · {}</small></td>").format(score(raw), score(free), score(over))
        row = Markup(' class="fs-focus"') if model == focus else ""
        body += Markup('<tr{}><th scope="row">{}{}</th>{}</tr>').format(row, colours.dot(model), names[model], cells)
    return Markup(
        '<div class="fs-scroll" tabindex="0" role="region" aria-label="deviations of close pairs">'
        '<table class="fs-table fs-pairs"><thead><tr><td></td>{}</tr></thead>'
        "<tbody>{}</tbody></table></div>"
    ).format(heads, body)


def _gallery(benchmark: stored.StoredBenchmark, own: pd.DataFrame, exported: str) -> tuple[str | None, list[str]]:
    """The worst pairs as cards; two pairs may begin with the same item, so a card carries both ids. exported: the
    command that writes all of them."""
    by = st.selectbox(
        "Worst pairs", list(parts.WORST), key="worst_pair",
        format_func=parts.WORST.__getitem__,
            help="By the margin of the group score, or by the size of a deviation. v2 (EqSim) is defined on close "
            "pairs only.",
    ) or "group_margin"  # fmt: skip
    named = own.assign(item_id=own["item_a"] + " ↔ " + own["item_b"])
    order = parts.worst(named, by)
    index = named.set_index("item_id")
    drawn = []
    for pair in order[:SHOWN]:
        line: Any = index.loc[pair]
        images = [data_uri(stored.item(benchmark.hash, item).image_uris[0]) for item in (line.item_a, line.item_b)]
        head = f"{pair} · rank {line['rank']} · v1 {_signed(line.v1)} · v2 text {_signed(line.v2_text)}"
        head += f" · group margin {_signed(line.group_margin)}"
        html = cards.item_card(images, [line.text_a, line.text_b], ["1", "2"], heading=head, width=66)
        drawn.append(Card(pair, html, f"pair {pair}"))
    pressed = gallery.draw(drawn, "close-pairs", compact=True)
    if len(order) > SHOWN:
        chart_caption(f"… and {len(order) - SHOWN:,} more: {exported} writes them all.")
    if not pressed:
        return None, []
    return str(index.loc[pressed].item_a), list(index.loc[pressed][["item_a", "item_b"]])


def _signed(value: float) -> str:
    return score(float(value), signed=True)

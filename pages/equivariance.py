"""Equivariance: does the score change with the meaning?"""

import streamlit as st

from backend.metrics.eqsim import SETTINGS
from pages.parts import address, colours, equivariance_pairs, equivariance_parts, equivariance_view, explore, item_full
from pages.parts.header import chart_caption, empty, page_header, section
from pages.parts.sidebar import choose_benchmark, choose_model, kinds_help
from pages.parts.tips import kind_name, kind_unit

KEYS = ("benchmark", "kind", "category", "scale", "signed", "model", "worst", "k", "worst_pair")
ALL = "all"
SCALES = {"raw": "as scored", "softmax-cells": "softmax over the four cells", "softmax-pool": "softmax over all quads"}

explore.apply()
page_header(
    "Equivariance",
    "Does the score change with the meaning?",
    "When captions and images are swapped alike, an equivariant model's scores swap too: its deviations are zero. "
    "Small deviations alone prove nothing, because a model that tells nothing apart has them too; look at both.",
)
address.begin(KEYS)
benchmark = choose_benchmark()
if benchmark is None:
    st.stop()
quads = benchmark.with_protocol("quad")
kinds = [k for k in ("itc", "itm", "gen", "vqa") if any(k in of for of in benchmark.kinds.values())]
if not quads:
    empty("This benchmark has no quads", "Equivariance needs two images and two captions an item; choose another one.")
    st.stop()
if not kinds:
    empty(
        "No score says how alike image and caption are", "Run a model with kind itc, itm, gen or vqa; choices do not."
    )
    st.stop()
with st.sidebar:
    kind = st.selectbox(
        "Score kind", kinds, key=address.one("kind", kinds, kinds[0]), help=kinds_help(kinds), persist_state="session",
        format_func=lambda k: f"{kind_name(k)} ({k})",
    ) or kinds[0]  # fmt: skip
    category = st.selectbox("Category", [ALL, *quads], key=address.one("category", [ALL, *quads], ALL)) or ALL
    scale = st.selectbox(
        "Scores", SETTINGS, key=address.one("scale", SETTINGS, SETTINGS[0]), format_func=SCALES.__getitem__,
        help="Softmax over one row or column would make one side of v2 vanish identically, so it is not offered.",
    ) or SETTINGS[0]  # fmt: skip
    signed = st.segmented_control(
        "Deviations", ["signed", "absolute"], key=address.one("signed", ["signed", "absolute"], "signed"), required=True
    )
    able = [m for m in benchmark.models if kind in benchmark.kinds[m]]
    model = choose_model(able, "Model in the plane")

unit = kind_unit(kind) if scale == "raw" else "share"
said = SCALES[scale] if scale != "raw" else f"as scored ({unit})"
frame = equivariance_parts.quads(benchmark, able, kind, scale, None if category == ALL else category)
if frame.empty or not frame["s11"].notna().any():
    empty("No quad has been scored with this kind", "Choose another score kind or category in the sidebar.")
    st.stop()
names, dots = colours.labels(able), colours.of_models(able)
section("Right, and equivariant?", f"{category if category != ALL else 'all quads'} · {kind_name(kind)} · {said}")
equivariance_parts.table(frame, able, model, unit)

section("How far from equivariant?", f"{signed} deviations, zero is equivariant · {said}")
equivariance_parts.violins(frame, able, unit, signed == "absolute")
chart_caption(
    "Left of each pair: the deviation in the score's own unit. Right: the scale-free one, divided by the standard "
    "deviation of the subset's quad cells, so that a model whose scores merely shrink gains nothing. Dot: median, bar: "
    "middle half."
)

section("Where the quads lie", f"{names[model]}: each point is a quad; draw a lasso or a box around some")
own = frame[frame["model"] == model]
side_by_side = st.grid(2, min_column_width=430, gap="medium")
with side_by_side.cell():
    dark = st.context.theme.type == "dark"
    picked = st.plotly_chart(
        equivariance_view.scatter(own, unit, dark), key=f"plane-{model}-{kind}-{category}-{scale}", on_select="rerun",
        selection_mode=("points", "box", "lasso"), config={"displaylogo": False, "displayModeBar": True},
        alt=f"Quads of {names[model]}: the text margin of image 2 across, of image 1 upwards",
    )  # fmt: skip
    chart_caption(
        "Upper right: both images prefer their own caption. On the dotted diagonal: equivariant on the text side. At "
        "the origin: collapsed, the captions are not told apart. Points beyond the frame stand on its border."
    )
ids = equivariance_view.selected_items(picked.selection if picked else None)
with side_by_side.cell():
    opened, shown = equivariance_parts.gallery_of(benchmark, own, ids, model, kind)
pair, both = equivariance_pairs.draw(benchmark, able, model, kind, scale, unit, said)
address.end()
if opened:
    item_full.open_dialog(benchmark, shown, opened)
elif pair:
    item_full.open_dialog(benchmark, both, pair)

"""Compare: are captions told apart by their texts alone, and with the image? T2T against I2T, and the text encoder."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from markupsafe import Markup
from numpy.typing import NDArray

from backend import written
from backend.store.compare.texts_alone import Dot, dots
from backend.store.reasons import encoder
from backend.store.reasons.encoder import CHANCE_T2T, Encoder
from backend.taxonomy import title
from pages.compare import edit_distance, to_copy
from pages.embeddings import data as embeddings
from pages.embeddings.data import Space
from pages.shared.data import commands, stored
from pages.shared.drawing import colours, finding
from pages.shared.drawing.numbers import DASH
from pages.shared.drawing.table import scrolled
from pages.shared.frame import address
from pages.shared.frame.fold import fold
from pages.shared.frame.header import chart_caption, empty
from pages.shared.frame.style import show
from pages.shared.frame.tips import kind_name

#: One panel, and each of several with its axis beside it, fit a window of 900 pixels.
HEIGHT, WIDTH, EACH = 360, 520, 440
GREY = "#8a949c"
#: Marks of the kinds of image scores.
MARKS = {"itc": "circle", "itm": "square", "gen": "diamond", "vqa": "triangle-up"}


def draw(benchmark: stored.StoredBenchmark) -> None:
    """The section, folded; nothing for a benchmark without triplets."""
    if not benchmark.with_protocol("triplet"):
        return
    with fold("Texts alone, and with the image: triplets, as VISLA asks", "texts-alone", ":material/notes:") as box:
        if box.open:
            _scatter(benchmark)
            edit_distance.draw(benchmark)
            _encoders(benchmark)


def _scatter(benchmark: stored.StoredBenchmark) -> None:
    found = known(benchmark.hash)
    if not found:
        empty(
            "No model has judged triplets both ways",
            f"Score one, for example: python -m backend run --model SPEC --benchmark {commands.words(benchmark)} "
            f"--kinds itc,t2t{commands.lacking(benchmark)}",
        )
        return
    st.vega_lite_chart(
        spec(found),
        width="content",
        key="texts-alone-chart",
        alt="I2T accuracy against T2T accuracy of each model: " + "; ".join(said(dot) for dot in found),
    )
    chart_caption(
        "After VISLA, section 4.4 (its table 4, drawn): a triplet is right where the false caption comes last, with a "
        "caption (T2T) or the image (I2T) as the query; the same items both ways, 95 % intervals over images. Above "
        "the diagonal the image helps; below it the text encoder tells the captions apart and the image does not "
        "follow. Dashed: guessing, a third."
    )
    finding.draw(
        to_copy.texts_alone(found, benchmark.name), "texts-alone", "texts-alone-chart",
        f"flipside-{benchmark.name}-texts-alone", link=address.named("benchmark"),
    )  # fmt: skip


@stored.kept("Comparing texts alone …")
def known(benchmark: str) -> list[Dot]:
    """The dots, see `texts_alone.dots`."""
    return dots(stored.store(), benchmark)


def encoders(benchmark: stored.StoredBenchmark, model: str) -> list[Encoder]:
    """Read-outs of a model: from the vectors that its run has stored, else from those computed on Embeddings."""
    run = benchmark.runs[model]
    if encoder.stored(stored.store().run(run)):
        return _of_run(run)
    spaces = {part: embeddings.space(benchmark, model, part) for part in benchmark.with_protocol("triplet")}
    stamp = tuple(part for part, space in spaces.items() if space is not None)
    return _of_spaces(run, stamp, [space for space in spaces.values() if space is not None]) if stamp else []


@stored.kept("Reading concepts out of vectors (some seconds a model) …")
def _of_run(run: str) -> list[Encoder]:
    return encoder.of_run(stored.store(), run)


@stored.kept("Reading concepts out of vectors (some seconds a model) …")
def _of_spaces(run: str, parts: tuple[str, ...], _spaces: list[Space]) -> list[Encoder]:
    del parts
    found: dict[str, dict[Any, NDArray[np.float32]]] = {"text": {}, "image": {}}
    for space in _spaces:
        frame = space.points.frame
        lines = zip(frame["modality"], frame["item_no"], frame["index"], frame["content"], strict=True)
        for modality, item_no, index, content in lines:
            found[modality][(item_no, index) if modality == "text" else item_no] = space.vectors[content]
    captions = pd.Series(list(found["text"].values()), index=pd.MultiIndex.from_tuples(list(found["text"])))
    pictures = pd.Series(list(found["image"].values()), index=list(found["image"]), dtype=object)
    return encoder.of_vectors(stored.store().run(run), captions, pictures)


def said(dot: Dot) -> str:
    """A dot in words."""
    rates = f"T2T {written.percent(dot.t2t.value)}, I2T {written.percent(dot.i2t.value)}"
    return f"{colours.label(dot.model)}, {kind_name(dot.kind)}, {title(dot.subset)}: {rates}"


def spec(found: Sequence[Dot]) -> dict[str, Any]:
    """A panel a subset: dots with the intervals of both rates, the diagonal and the level of chance."""
    names, shades = colours.labels(d.model for d in found), colours.of_models(d.model for d in found)
    listed = colours.order(names)
    rows = []
    for dot in found:
        row: dict[str, Any] = {"model": names[dot.model], "kind": kind_name(dot.kind), "subset": title(dot.subset)}
        for name, rate in (("t2t", dot.t2t), ("i2t", dot.i2t)):
            low, high = rate.ci95 or (rate.value, rate.value)
            row |= {name: rate.value, f"{name}_low": low, f"{name}_high": high,
                    f"{name}_said": written.percent(rate.value)}  # fmt: skip
        rows.append(row | {"gain": written.ends(dot.gain.ci95, signed=True), "n": dot.t2t.n})
    axis = {"format": "%", "tickCount": 5}
    x = {"type": "quantitative", "scale": {"domain": [0, 1]}, "title": "T2T: texts alone", "axis": axis}
    y = {"type": "quantitative", "scale": {"domain": [0, 1]}, "title": "I2T: with the image", "axis": axis}
    colour = {
        "field": "model",
        "type": "nominal",
        "scale": {"domain": [names[m] for m in listed], "range": [shades[m] for m in listed]},
        "legend": {"title": None, "orient": "top", "columns": 4},
    }
    kinds = list(dict.fromkeys(dot.kind for dot in found))
    key = {"title": None, "orient": "top", "symbolFillColor": GREY}
    shape = {
        "field": "kind", "type": "nominal", "legend": key if len(kinds) > 1 else None,
        "scale": {"domain": [kind_name(k) for k in kinds], "range": [MARKS.get(k, "cross") for k in kinds]},
    }  # fmt: skip
    tips = [
        {"field": "model"},
        {"field": "kind"},
        {"field": "t2t_said", "title": "T2T"},
        {"field": "i2t_said", "title": "I2T"},
        {"field": "gain", "title": "I2T − T2T, 95 %"},
        {"field": "n"},
    ]
    ends = {"values": [{"at": 0.0}, {"at": 1.0}]}
    chance = {"values": [{"at": CHANCE_T2T}]}

    layers = [
        {
            "data": ends,
            "mark": {"type": "line", "color": GREY, "strokeWidth": 1},
            "encoding": {"x": {**x, "field": "at"}, "y": {**y, "field": "at"}},
        },
        {
            "data": chance,
            "mark": {"type": "rule", "color": GREY, "strokeDash": [3, 3]},
            "encoding": {"x": {**x, "field": "at"}},
        },
        {
            "data": chance,
            "mark": {"type": "rule", "color": GREY, "strokeDash": [3, 3]},
            "encoding": {"y": {**y, "field": "at"}},
        },
        {
            "mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.6},
            "encoding": {
                "x": {**x, "field": "t2t_low"},
                "x2": {"field": "t2t_high"},
                "y": {**y, "field": "i2t"},
                "color": colour,
            },
        },
        {
            "mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.6},
            "encoding": {
                "y": {**y, "field": "i2t_low"},
                "y2": {"field": "i2t_high"},
                "x": {**x, "field": "t2t"},
                "color": colour,
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 80, "opacity": 1},
            "encoding": {
                "x": {**x, "field": "t2t"},
                "y": {**y, "field": "i2t"},
                "color": colour,
                "shape": shape,
                "tooltip": tips,
            },
        },
    ]
    subsets = list(dict.fromkeys(row["subset"] for row in rows))
    panels = [
        {
            "title": subset,
            "width": WIDTH if len(subsets) == 1 else EACH,
            "height": HEIGHT,
            "data": {"values": [r for r in rows if r["subset"] == subset]},
            "layer": layers,
        }
        for subset in subsets
    ]
    return panels[0] if len(panels) == 1 else {"vconcat": panels}


def _encoders(benchmark: stored.StoredBenchmark) -> None:
    able = [m for m in benchmark.models if "t2t" in benchmark.kinds[m]]
    read = {model: found for model in able if (found := encoders(benchmark, model))}
    show(
        Markup(
            '<p class="fs-caption"><b>Text encoder.</b> T2T fails where the two captions share more words than '
            "meaning, too. So a linear read-out is asked, on held-out images, which of an item's two words a caption's "
            "vector holds: where it knows and T2T fails, shared words outvote what is encoded.</p>"
        )
    )
    for model, found in read.items():
        show(table(model, found))
    if read:
        chart_caption(
            "Per cent, with 95 % intervals over images; guessing: read-outs 50 %, T2T and I2T a third. A read-out "
            "speaks of a subset, never of one item; “not seen” is no proof of absence: a relation need not be linear "
            "in the word that changes. Images: which of the two words is true of the image, read from its vector."
        )
    rest = [m for m in able if m not in read]
    if rest:
        names = colours.labels(able)
        part = benchmark.with_protocol("triplet")[0]
        empty(
            "There are no vectors of these captions yet for " + ", ".join(names[m] for m in rest),
            f"Open Embeddings with “{title(part)}” and compute them there, which takes seconds to minutes: what it "
            "keeps is read here, too. Runs of your own models store them with --counterfactual 16.",
        )
        st.page_link(
            "pages/embeddings/page.py", label=f"Embeddings of {title(part)}", icon=":material/arrow_forward:",
            query_params={"benchmark": benchmark.name, "model": rest[0], "part": part},
        )  # fmt: skip


def table(model: str, found: Sequence[Encoder]) -> Markup:
    """HTML: a row a subset, and one for each of its concepts."""
    body = Markup()
    for row in found:
        name = title(row.subset) if not row.concept else f"{title(row.subset)}, {title(row.concept)}"
        cells = Markup()
        for rate in (row.t2t, row.i2t, row.texts, row.images):
            number, ends = ("", "") if rate.value is None else written.cell(rate.value, rate.n, rate.ci95)
            shown = Markup("<b>{}</b><small>{}</small>").format(number, ends) if number else Markup("{}").format(DASH)
            cells += Markup('<td title="n = {:,}">{}</td>').format(rate.n, shown)
        body += Markup('<tr><th scope="row">{}</th>{}<td class="fs-says">{}</td></tr>').format(
            name, cells, row.says or DASH
        )
    heads = ("items", "T2T", "I2T", "read from texts", "read from images", "so, the texts")
    top = Markup().join(Markup('<th scope="col">{}</th>').format(head) for head in heads)
    named = Markup('<p class="fs-model">{}{}</p>').format(colours.dot(model), colours.label(model))
    return named + scrolled(f"texts alone, {colours.label(model)}", top, body)

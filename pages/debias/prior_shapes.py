"""Debias: how likely truths and foils are without the image, and what few null images are worth. Folded."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from backend import written
from backend.finding import Finding
from backend.prior_names import prior_name
from backend.store.alpha.prior_shapes import Few, Shape, few_images, shape
from backend.taxonomy import title
from pages.debias.options import Options
from pages.shared.data import commands, stored
from pages.shared.drawing import colours, finding
from pages.shared.drawing.numbers import count
from pages.shared.drawing.scales import scale
from pages.shared.frame import address
from pages.shared.frame.fold import fold
from pages.shared.frame.header import chart_caption, empty

#: What is drawn -> its colour: the true captions green, false ones vermilion.
TRUTHS, FOILS = "true captions", "false captions"
COLOURS = {TRUTHS: "#009e73", FOILS: "#d55e00"}
BLUE = "#0072b2"


def draw(options: Options, benchmark: stored.StoredBenchmark) -> None:
    """Both pictures, computed for those who open them."""
    with fold("What the prior looks like", "prior-shapes", ":material/bar_chart:") as box:
        if box.open:
            _shape(options, benchmark.name)
            _few(options, benchmark)


def _shape(options: Options, benchmark: str) -> None:
    found = shape(stored.store(), options.run, options.prior, options.subset)
    if found is None:
        empty("No P(t) of single captions here", "Choose a subset of choices or triplets in the sidebar.")
        return
    st.vega_lite_chart(
        shape_spec(found), key="prior-shape",
        alt=f"Frequency of log P(t) a token of {found.n_truths:,} true and {count(found.n_foils, 'false caption')}",
    )  # fmt: skip
    chart_caption(
        f"After VisualGPTScore, table 2 (its frequency charts): log P(t) a token from {prior_name(options.prior)}, "
        f"per cent of the {found.n_truths:,} true and of the {found.n_foils:,} false captions. A false caption is the "
        f"likelier one in {written.percent(found.likelier)} of the pairs; far from 50 % the benchmark can be solved, "
        "or misleads, without the image, and α matters."
    )
    said = shape_finding(
        found, title(options.subset), prior_name(options.prior), colours.label(options.model), benchmark
    )
    finding.draw(said, "prior-shape", "prior-shape", f"flipside-{benchmark}-prior", link=_link())


def _few(options: Options, benchmark: stored.StoredBenchmark) -> None:
    sampled = [source for source in options.sources if source.startswith(("images", "noise"))]
    found = {source: few_images(stored.store(), options.run, source, options.subset) for source in sampled}
    found = {prior_name(source): each for source, each in found.items() if each}
    if not found:
        empty("No sampled P(t) of choices here", few_needs(options.model, benchmark, options.subset))
        return
    ends = (f"{name}: {written.percent(each[-1].accuracy.value)} with all images" for name, each in found.items())
    st.vega_lite_chart(few_spec(found), key="prior-few", alt="; ".join(ends))
    chart_caption(
        "After VisualGPTScore, section 3, which finds 1 to 3 noise images enough (its text; no figure): accuracy of "
        "choices at α = 1 with P(t) from the first k images that an item may use, its own left out; k = 0 is α = 0. "
        "95 % intervals over images."
    )
    said = few_finding(found, title(options.subset), colours.label(options.model), benchmark.name)
    finding.draw(said, "prior-few", "prior-few", f"flipside-{benchmark.name}-null-images", link=_link())


def few_needs(model: str, benchmark: stored.StoredBenchmark, subset: str) -> str:
    """What brings the second picture, or why nothing does."""
    needs = "Accuracy over the number of null images needs choices and a prior of several images"
    if benchmark.protocols.get(subset) != "choice":
        choices = benchmark.with_protocol("choice")
        other = "choose a subset of choices in the sidebar" if choices else f"{benchmark.name} has no choices"
        return f"{needs}: {other}."
    if why := commands.cannot_run(model):
        return f"{needs}, and {colours.label(model)} can be given none here: {why}."
    run = commands.run(model, commands.words(benchmark), "gen,prior", "--prior noise:10")
    return f"{needs}: {run}{commands.lacking(benchmark)}"


def _link() -> dict[str, list[str]]:
    return address.named("benchmark", "model", "subset", "prior")


def shape_finding(found: Shape, subset: str, prior: str, model: str, benchmark: str) -> str:
    """The frequency chart in one sentence. subset, prior, model, benchmark: in words."""
    claim = (
        f"By P(t) from {prior} under {model} a false caption of {subset} is likelier than a true one in {{}} of "
        f"{count(found.n_pairs, 'pair')}; at 50 % it does not tell them apart"
    )
    setting = ("mean log-probability a token", "ties one half", benchmark)
    return Finding(claim, found.n_items, setting, found.likelier, found.ci95).said


def few_finding(found: Mapping[str, Sequence[Few]], subset: str, model: str, benchmark: str) -> str:
    """The source with most null images in one sentence; found: as in `few_spec`."""
    name, each = max(found.items(), key=lambda source: source[1][-1].images)
    none, one, whole = each[0], each[min(1, len(each) - 1)], each[-1]
    before = f"{written.percent(none.accuracy.value, none.accuracy.n)} {written.ends(none.accuracy.ci95)}".rstrip()
    by_one = written.percent(one.accuracy.value, one.accuracy.n)
    few = "" if one is whole else f", on {by_one} with P(t) from one null image"
    claim = (
        f"{model} is right on {before} of {subset} with no prior taken away{few}, and on {{}} with P(t) from "
        f"{count(whole.images, 'image')}"
    )
    setting = (name, "α = 1", "no test of the difference", benchmark)
    return Finding(claim, whole.accuracy.n, setting, whole.accuracy.value, whole.accuracy.ci95).said


def shape_spec(found: Shape) -> dict[str, Any]:
    """Two steps over the same bars, each in per cent of its captions."""
    rows = [
        {"low": float(low), "high": float(high), "share": share, "said": written.percent(share), "what": name}
        for name, counted in ((TRUTHS, found.truths), (FOILS, found.foils))
        for low, high, number in zip(found.edges[:-1], found.edges[1:], counted, strict=True)
        for share in [float(number) / max(1, int(counted.sum()))]
    ]
    colour = {"field": "what", "type": "nominal", "legend": {"title": None, "orient": "top"},
              "scale": {"domain": list(COLOURS), "range": list(COLOURS.values())}}  # fmt: skip
    encoding = {
        "x": {"field": "low", "type": "quantitative", "title": "log P(t), nats a token",
              "scale": scale(rows, "low", "high")},
        "x2": {"field": "high"}, "y2": {"datum": 0},
        "y": {"field": "share", "type": "quantitative", "title": "share of captions", "stack": None,
              "scale": scale(rows, "share", zero=True),
              "axis": {"format": "%", "tickCount": 5}},
        "color": colour, "tooltip": [{"field": "what"}, {"field": "said", "title": "share"}],
    }  # fmt: skip
    return {"height": 240, "data": {"values": rows}, "mark": {"type": "bar", "opacity": 0.5}, "encoding": encoding}


def few_spec(found: Mapping[str, Sequence[Few]]) -> dict[str, Any]:
    """A line a source with its intervals."""
    rows = [
        {"source": name, "k": few.images, "value": few.accuracy.value, "said": written.percent(few.accuracy.value),
         "low": (few.accuracy.ci95 or (few.accuracy.value,) * 2)[0],
         "high": (few.accuracy.ci95 or (few.accuracy.value,) * 2)[1]}
        for name, each in found.items() for few in each
    ]  # fmt: skip
    x = {
        "field": "k",
        "type": "quantitative",
        "title": "null images",
        "axis": {"tickMinStep": 1},
        "scale": scale(rows, "k", zero=True),
    }
    y = {
        "type": "quantitative",
        "title": "accuracy",
        "axis": {"format": "%", "tickCount": 5},
        "scale": scale(rows, "low", "high", "value"),
    }
    colour = {"field": "source", "type": "nominal", "legend": {"title": None, "orient": "top", "labelLimit": 300},
              "scale": {"range": [BLUE, "#e69f00", "#cc79a7", "#8a949c"]}}  # fmt: skip
    return {
        "height": 240, "data": {"values": rows},
        "layer": [
            {"mark": {"type": "errorband", "opacity": 0.18}, "encoding": {
                "x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour}},
            {"mark": {"type": "line", "point": True}, "encoding": {
                "x": x, "y": {**y, "field": "value"}, "color": colour,
                "tooltip": [{"field": "source"}, {"field": "k"}, {"field": "said", "title": "value"}]}},
        ],
    }  # fmt: skip

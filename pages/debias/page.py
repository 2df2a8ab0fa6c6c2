"""Debias: which items flip when the language prior is taken away."""

import streamlit as st

from backend import written
from backend.metrics.alpha import CANCELS
from backend.metrics.alpha.gains import gain
from backend.prior_names import prior_name
from backend.store.alpha import uncertainty
from backend.store.queries import Setting
from backend.store.scores.setting import as_norm
from backend.taxonomy import title
from pages.debias import curves, flips, protocol, ranges, tables, verdict, view
from pages.debias import errors as debias_errors
from pages.debias import options as debias_options
from pages.debias import printed as debias_printed
from pages.debias import prior_items as debias_prior_items
from pages.debias import prior_shapes as debias_prior_shapes
from pages.debias.options import ALL
from pages.debias.view import SliderState
from pages.item import full
from pages.shared.data import findings, stored
from pages.shared.drawing import colours, explore, finding
from pages.shared.frame import address
from pages.shared.frame.header import chart_caption, empty, page_header, section
from pages.shared.frame.sidebar import choose_benchmark

KEYS = ("benchmark", "model", "subset", "stratum", "metric", "prior", "norm", "wide", "alpha", "since")

explore.apply()
debias_options.style()
page_header(
    "Debias",
    "Which items flip when the language prior is taken away?",
    "The curve is the exact share of items that are right when captions are judged by log P(t | i) − α · log P(t). "
    "Move α: the marker, the numbers and the points follow.",
)
address.begin((*KEYS, *ranges.KEYS))
benchmark = choose_benchmark()
if benchmark is None:
    st.stop()
speakers = [m for m in benchmark.models if "gen" in benchmark.kinds[m] and benchmark.priors[m]]
if not speakers or not debias_options.subsets_of(benchmark):
    empty("No model has generation scores and a prior here", debias_options.next_step(benchmark))
    st.stop()
options = debias_options.choose(benchmark, speakers)
subset, norm, metric, domain = options.subset, options.norm, options.metric, options.domain
found = {
    source: curves.curve_of(options.run, source, norm, subset, options.stratum, metric) for source in options.sources
}
focus = found.get(options.prior)
if focus is None or not focus.curve.n:
    empty("No item here can be judged under this setting", "Choose another subset or another prior in the sidebar.")
    st.stop()
if focus.note == CANCELS:
    empty(
        "Here α cancels",
        "An image score compares two images for the same text: the same text stands on both sides, so log P(t) drops "
        f"out and no α changes a verdict. {written.percent(float(focus.curve.at(0.0)))} of "
        f"{focus.curve.n:,} items are right.",
        icon="=",
    )
    st.stop()

worth = uncertainty.verdict(stored.store(), options.run, focus, subset, options.stratum, domain)
unbound = curves.unbound(options.run, benchmark.protocols[subset], subset)
verdict.draw(worth, domain, verdict.Floor(focus.chance, unbound))
printed = debias_printed.points(benchmark, options)
spec = view.view(
    curves.lines(found, colours.of_models(benchmark.models)[options.model]), options.prior, domain, focus.chance,
    curves.plane(options, benchmark.protocols[subset], focus.items["item_no"]),
    f"log P(t|i) − α · log P(t), {options.said}", debias_printed.marks(printed),
    worth.spread if worth else None,
)  # fmt: skip
at_first = [float(st.session_state[address.number(key, *domain, 0.0)]) for key in ("alpha", "since")]
start = SliderState(at_first[0], at_first[1])
chosen, curve = benchmark, focus


@st.fragment
def flipping() -> None:
    """The curve with its slider, and below it the items that flip; only this part reruns when the slider is let go."""
    at = view.draw(spec, start, f"curve-{options.key}")
    address.note("alpha", at.alpha, 0.0)
    address.note("since", at.since, 0.0)
    chart_caption(
        f"The steps are exact, not taken on a grid: each item is right on open intervals of α. ★ α*, the "
        f"middle of the plateau, the widest interval with the best value on these items (shaded for "
        f"{prior_name(options.prior)})."
        + (
            f" The pale band, and ⊔ on the axis for α*: 95 % of {worth.spread.draws} draws of "
            + ("items and of the images behind P(t)." if worth.spread.n_samples else "items.")
            if worth and worth.spread
            else ""
        )
        + (" ◇ printed." if printed else "")
    )
    spoken = at.alpha or 1.0  # before α is moved, all of the prior is spoken of
    won = gain(curve.sets, spoken, 0.0, clusters=curve.items["cluster"])
    name = colours.labels(chosen.models)[options.model]
    prior = prior_name(options.prior)
    said = findings.alpha(name, metric, title(subset), curve.curve, won, prior, chosen.name)
    finding.draw(
        said,
        f"curve-{options.key}",
        f"curve-{options.key}",
        f"flipside-{chosen.name}-alpha",
        link=address.named("benchmark", "model", "subset", "stratum", "metric", "prior", "norm")
        | {"alpha": [f"{spoken:g}"]},
    )
    debias_printed.draw(printed)
    section("Which items flip between α₁ and α?", "let go of the slider and they are listed")
    setting = Setting("gen", at.alpha, options.prior, as_norm(norm) or "token")
    errors = stored.item_errors(options.run, setting, subset)
    opened = flips.draw(chosen, options, curve, at.since, at.alpha, errors)
    section("For which α is each item right?", options.said)
    opened = ranges.draw(chosen, options, curve, at.since, at.alpha) or opened
    address.end()
    if at.picked is not None and at.picked < len(curve.items):
        opened = flips.walked([str(i) for i in curve.items["item_id"]], str(curve.items["item_id"].iloc[at.picked]))
    if opened:
        full.open_dialog(chosen, opened[1], opened[0], options.model, "gen")


flipping()
section("Where α* lies", "chosen on one half of the items, reported on the other")
tables.tuned_table(
    options.run, options.sources, norm, subset, options.strata, metric, options.prior, options.stratum or ALL
)
protocol.draw(benchmark, options.model, options.prior, norm, subset, metric, options.said)
debias_prior_items.draw(benchmark, options)
debias_prior_shapes.draw(options, benchmark.name)
section("How sure is each P(t)?", f"its Monte-Carlo error, {debias_options.NORMS[norm][0]}, all items of {subset}")
debias_errors.table(
    options.run, options.sources, [prior_name(s) for s in options.sources], norm, subset, metric,
    focus.best.alpha if focus.best else 1.0, options.prior,
)  # fmt: skip
section("How good is each estimate of P(t)?", "agreement with the blind language model on which caption is likelier")
tables.agreement(stored.agreement(options.run, norm), benchmark)

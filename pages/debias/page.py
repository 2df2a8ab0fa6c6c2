"""Debias: which items flip when the language prior is taken away."""

from dataclasses import replace

import streamlit as st

from backend import written
from backend.metrics.alpha import CANCELS
from backend.prior_names import prior_name
from backend.store.alpha import uncertainty
from backend.store.queries import Setting
from backend.store.scores.setting import as_norm
from backend.taxonomy import title
from pages.debias import barcode, curves, flips, protocol, ranges, tables, to_copy, verdict, view
from pages.debias import errors as debias_errors
from pages.debias import options as debias_options
from pages.debias import printed as debias_printed
from pages.debias import prior_items as debias_prior_items
from pages.debias import prior_shapes as debias_prior_shapes
from pages.debias.options import ALL
from pages.debias.view import SliderState
from pages.item import full
from pages.shared.data import stored
from pages.shared.drawing import colours, explore, finding
from pages.shared.drawing.numbers import count
from pages.shared.frame import address, model_link
from pages.shared.frame import alpha as taken_along
from pages.shared.frame.fold import fold
from pages.shared.frame.header import chart_caption, empty, page_header, section, seen
from pages.shared.frame.next_step import next_step
from pages.shared.frame.sidebar import choose_benchmark, say_partial

KEYS = ("benchmark", "model", "subset", "stratum", "metric", "prior", "norm", "wide", "alpha", "since")

explore.apply()
debias_options.style()
page_header(
    "Debias",
    "Which items flip when the language prior is taken away?",
    "Captions are judged by log P(t | i) − α · log P(t): move α and see who wins. The curve is exact.",
)
address.begin((*KEYS, *ranges.KEYS))
benchmark = choose_benchmark(every_model=False)
if benchmark is None:
    st.stop()
speakers = [m for m in benchmark.models if "gen" in benchmark.kinds[m] and benchmark.priors[m]]
if not speakers or not debias_options.subsets_of(benchmark):
    empty("No model has generation scores and a prior here", debias_options.next_step(benchmark))
    if benchmark.is_stub:
        next_step("Import your own copy", "runs", tab="import")
    else:
        next_step("Score a captioner and its prior", "runs", tab="score")
    address.stop()
options = debias_options.choose(benchmark, speakers)
say_partial(benchmark, [options.model])
subset, norm, metric, domain = options.subset, options.norm, options.metric, options.domain
found = {
    source: curves.curve_of(options.run, source, norm, subset, options.stratum, metric) for source in options.sources
}
focus = found.get(options.prior)
if focus is None or not focus.curve.n:
    empty("No item here can be judged under this setting", "Choose another subset or another prior in the sidebar.")
    address.stop()
if focus.note == CANCELS:
    empty(
        "Here α cancels",
        "An image score compares two images for the same text: the same text stands on both sides, so log P(t) drops "
        f"out and no α changes a verdict. {written.percent(float(focus.curve.at(0.0)))} of "
        f"{count(focus.curve.n, 'item')} are right.",
        icon="=",
    )
    address.stop()

# One α* on the whole page: that of the α which the slider offers.
focus = replace(focus, curve=replace(focus.curve, domain=domain), best=focus.curve.best(domain))
name = colours.labels(benchmark.models)[options.model]
taken_along.chip(
    benchmark,
    [(options.model, "gen")],
    "The slider here tries others: none is taken along before its button is pressed.",
)
worth = uncertainty.verdict(stored.store(), options.run, focus, subset, options.stratum, domain)
floor = verdict.Floor(focus.chance, curves.unbound(options.run, benchmark.protocols[subset], subset))
if worth is not None:
    seen(verdict.line(worth, model_link.named(options.model, benchmark.name, name), floor))
printed = debias_printed.points(benchmark, options)
spec = view.view(
    curves.lines(found, colours.of_models(benchmark.models)[options.model]), options.prior, domain, focus.chance,
    curves.plane(options, benchmark.protocols[subset], focus.items["item_no"]),
    f"log P(t|i) − α · log P(t), {options.said}", debias_printed.marks(printed),
    worth.spread if worth else None, barcode.items(benchmark, focus, subset, domain),
)  # fmt: skip
at_first = [float(st.session_state[address.number(key, *domain, 0.0)]) for key in ("alpha", "since")]
start = view.starting(*at_first)
chosen, curve = benchmark, focus


@st.fragment
def flipping() -> None:
    """The curve with its slider, and below it the items that flip; only this part reruns when the slider is let go."""
    at = view.draw(spec, start, f"curve-{options.key}")
    address.note("alpha", at.alpha, 0.0)
    address.note("since", at.since, 0.0)
    with st.container(horizontal=True, vertical_alignment="center"):
        flips.next_steps(chosen, options, curve, at.since, at.alpha)
        _copy(at)
    flips.pinned()
    opened = None
    with fold("The items won and lost between α₁ and α", "debias-flips", ":material/swap_vert:") as box:
        if box.open:
            setting = Setting("gen", at.alpha, options.prior, as_norm(norm) or "token")
            errors = stored.item_errors(options.run, setting, subset)
            opened = flips.draw(chosen, options, curve, at.since, at.alpha, errors)
    asked = ranges.place()
    with fold("For which α each item is right", "debias-ranges", ":material/width:", first=asked) as box:
        if box.open:
            opened = ranges.draw(chosen, options, curve, at.since, at.alpha) or opened
    address.end()
    if at.picked is not None and at.picked < len(curve.items):
        opened = flips.walked([str(i) for i in curve.items["item_id"]], str(curve.items["item_id"].iloc[at.picked]))
    if opened:
        full.open_dialog(chosen, opened[1], opened[0], options.model, "gen")


def _copy(at: SliderState) -> None:
    """The finding under the α shown; before α is moved, α* is spoken of, as the sentence and the button do."""
    spoken = at.alpha or (curve.best.alpha if curve.best else 0.0)
    won = curves.won(options.run, curve, subset, options.stratum, spoken)
    of = title(subset) + (f" (foils: {title(options.stratum).lower()})" if options.stratum else "")
    source = f"{prior_name(options.prior)}, {debias_options.NORMS[norm][0]}"
    said = to_copy.said(
        to_copy.Of(name, metric, of, source, chosen.name), curve.curve, won, to_copy.Caution.of(worth, floor)
    )
    finding.draw(
        said,
        f"curve-{options.key}",
        f"curve-{options.key}",
        f"flipside-{chosen.name}-alpha",
        link=address.named("benchmark", "model", "subset", "stratum", "metric", "prior", "norm")
        | {"alpha": [repr(spoken)]},
    )


flipping()
with fold("What the verdict rests on", "debias-verdict", ":material/fact_check:") as box:
    if box.open:
        verdict.draw(worth, domain, floor)
        chart_caption(verdict.legend(worth, options.prior, printed=bool(printed)))
        debias_printed.draw(printed)
with fold(
    "Where α* lies: chosen on one half of the items, reported on the other", "debias-star", ":material/star:"
) as box:
    if box.open:
        tables.tuned_table(
            options.run, options.sources, norm, subset, options.strata, metric, options.prior, options.stratum or ALL
        )
        protocol.draw(benchmark, options.model, options.prior, norm, subset, metric, options.said)
with fold("Is it the language prior that decides?", "debias-prior", ":material/balance:") as box:
    if box.open:
        debias_prior_items.draw(benchmark, options)
debias_prior_shapes.draw(options, benchmark)
with fold("How sure is each P(t), and how good?", "debias-sure", ":material/straighten:") as box:
    if box.open:
        section("How sure is each P(t)?", f"Monte-Carlo error, {debias_options.NORMS[norm][0]}, all items of {subset}")
        debias_errors.table(
            options.run, options.sources, [prior_name(s) for s in options.sources], norm, subset, metric,
            focus.best, options.prior,
        )  # fmt: skip
        section("How good is each estimate of P(t)?", "agreement with the blind language model on which is likelier")
        tables.agreement(stored.agreement(options.run, norm), benchmark)

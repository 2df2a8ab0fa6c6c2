"""Debias: which items flip when the language prior is taken away."""

import streamlit as st

from backend.metrics.alpha import CANCELS
from backend.store.queries import Setting
from backend.store.setting import as_norm
from pages.parts import address, colours, debias_errors, debias_parts, debias_protocol, debias_view, explore, stored
from pages.parts.debias_parts import ALL, NORMS
from pages.parts.header import chart_caption, empty, page_header, section
from pages.parts.sidebar import choose_benchmark, choose_model
from pages.parts.tips import metric_tip, metric_title

KEYS = ("benchmark", "model", "subset", "stratum", "metric", "prior", "norm", "wide", "alpha")

explore.apply()
page_header(
    "Debias",
    "Which items flip when the language prior is taken away?",
    "The curve is the exact share of right items when a caption is judged by log P(t | i) − α · log P(t); move α and "
    "watch the marker, the points and the counts follow at once.",
)
address.begin(KEYS)
benchmark = choose_benchmark()
if benchmark is None:
    st.stop()
speakers = [m for m in benchmark.models if "gen" in benchmark.kinds[m] and benchmark.priors[m]]
if not speakers:
    empty(
        "No model has generation scores and a prior here",
        "Score one: python -m backend run --model bundled:captioner --benchmark world --kinds gen,prior "
        "--prior images:20",
    )
    st.stop()
with st.sidebar:
    model = choose_model(speakers, default="bundled:captioner")
    run, sources = benchmark.runs[model], benchmark.priors[model]
    subsets = debias_parts.subsets_of(benchmark)
    subset = (
        st.selectbox("Items", subsets, key=address.one("subset", subsets, debias_parts.first(subsets))) or subsets[0]
    )
    curves = {c.metric: c for c in stored.alpha_curves(run, sources[0], "token", subset, None)}
    strata = debias_parts.strata_of(curves)
    stratum = ALL
    if len(strata) > 1:
        stratum = st.segmented_control(
            "Foils", [ALL, *strata], key=address.one("stratum", [ALL, *strata], ALL), required=True,
            format_func=lambda name: name.replace("_", " "),
            help="Implausible foils are unlikely texts, so the prior alone finds the truth; foils against the prior "
            "are likelier texts than the truth, so the prior alone errs.",
        ) or ALL  # fmt: skip
    metrics = list(curves) or [""]
    metric = metrics[0]
    if len(metrics) > 1:
        metric = st.segmented_control(
            "Score", metrics, key=address.one("metric", metrics, metrics[0]), required=True,
            format_func=lambda name: metric_title(name).lower().removesuffix(" score"),
            help="\n\n".join(metric_tip(name) for name in metrics),
        ) or metrics[0]  # fmt: skip
    prior = st.selectbox(
        "Prior P(t) from", sources, key=address.one("prior", sources, sources[0]),
        format_func=debias_parts.source_name, help=debias_parts.SOURCES_HELP,
    ) or sources[0]  # fmt: skip
    norm = st.selectbox(
        "Normalisation", list(NORMS), key=address.one("norm", list(NORMS), "token"),
        format_func=lambda n: NORMS[n][0], help="\n\n".join(f"**{name}**: {tip}" for name, tip in NORMS.values()),
    ) or "token"  # fmt: skip
    wide = st.toggle("Show α up to 2", key=address.one("wide", [False, True], False))

tag = None if stratum == ALL else stratum
found = {source: debias_parts.curve_of(run, source, norm, subset, tag, metric) for source in sources}
focus = found.get(prior)
if focus is None or not focus.curve.n:
    empty("No item here can be judged under this setting", "Choose other items or another prior in the sidebar.")
    st.stop()
if focus.note == CANCELS:
    empty(
        "Here α cancels",
        "An image score compares two images for the same text: the same text stands on both sides, so log P(t) drops "
        f"out and no α changes a verdict. {100 * focus.curve.at(0.0):.1f} % of {focus.curve.n:,} items are right.",
        icon="=",
    )
    st.stop()

domain = (0.0, 2.0 if wide else 1.0)
colour = colours.of_models(benchmark.models)[model]
lines = debias_parts.lines(found, colour)
protocol = benchmark.protocols[subset]
terms = stored.terms(run, protocol, subset, Setting("gen", 0.0, prior, as_norm(norm) or "token"))
points = debias_parts.points(
    terms, focus.items["item_no"], "nats" if norm == "sum" else "nats a token", protocol == "triplet"
)
setting = Setting("gen", 0.0, prior, as_norm(norm) or "token")
said = f"{NORMS[norm][0]}, P(t) from {debias_parts.source_name(prior)}"
start = float(st.session_state[address.numbers("alpha", domain[0], domain[1], 0.0)])


chance, shown, judged = focus.chance, benchmark, focus


@st.fragment
def flipping() -> None:
    """The curve with its slider, and below it the items that flip; only this part reruns when the slider is let go."""
    spec = debias_view.view(lines, prior, start, domain, chance, points, f"log P(t|i) − α · log P(t), {said}")
    alpha = debias_view.draw(spec, f"curve-{model}-{subset}-{stratum}-{metric}-{prior}-{norm}-{wide}")
    address.note("alpha", alpha, 0.0)
    address.end()
    chart_caption(
        "Exact steps, not a grid: every item is right on an open interval of α. Diamonds: α*, the middle of the widest "
        f"interval with the best value (shaded for {debias_parts.source_name(prior)})."
    )
    debias_parts.flipped(shown, judged, alpha, stored.item_errors(run, setting.with_(alpha=alpha), subset))


flipping()
section("Where α* lies", "chosen on one half of the items, reported on the other")
debias_parts.tuned_table(
    run, sources, norm, subset, [ALL, *strata] if len(strata) > 1 else [ALL], metric, prior, stratum
)
debias_protocol.draw(benchmark, model, prior, norm, subset, metric, said)
section("How sure is each P(t)?", f"its Monte-Carlo error, {NORMS[norm][0]}, all items of {subset}")
debias_errors.table(
    run, sources, [debias_parts.source_name(s) for s in sources], norm, subset, metric,
    focus.best.alpha if focus.best else 1.0, prior,
)  # fmt: skip
section("How good is each estimate of P(t)?", "agreement with the blind language model on which caption is likelier")
debias_parts.agreement(stored.agreement(run, norm))
section("What can be solved without looking?", "against what the same captions solve when shuffled between items")
debias_parts.blind(stored.blind_shares(benchmark))

"""The sidebar of Failures: the address and the session give a filter, the filter gives counts, the counts are shown."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import streamlit as st

from backend.kinds import Kind
from backend.metrics.core.registry import everything as every_metric
from backend.metrics.reasons.names import CELLS, MEANINGS, NAMES
from backend.prior_names import prior_name
from backend.store.failures.failures import NARROWER
from backend.store.failures.selections import PickedSet
from backend.store.queries import FailureFilter, FailurePage, Setting
from backend.taxonomy import title
from pages.failures import data, old_links
from pages.failures import picked as failures_set
from pages.failures.words import COUNTED, SORTS, solved_said
from pages.item.view import HEADLINES
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.frame import address
from pages.shared.frame.plain import plain
from pages.shared.frame.sidebar import choose_kind, choose_model
from pages.shared.frame.tips import metric_tip, metric_title

KEYS = (
    "benchmark", "of", "model", "kind", "alpha", "metric", "show", "subset", "concept", "perturbation", old_links.KEY,
    "other", "other_is", "margin", "text", "sort", "view", "page", "set",
    "tag", "note", "cell", "reason",
)  # fmt: skip
FACETS = {
    "subset": "Subset", "concept": "Concept", "perturbation": "Change", "cell": "Cell", "reason": "Reason",
    "tag": "Your tags",
}  # fmt: skip
#: The facets whose values are words of docs/reasons.md -> what they say, one line.
SAID = {
    "cell": "What the numbers of the item say, by comparison alone; every item that is measured has one.",
    "reason": "What the evidence certifies beyond luck; else “uncertain”.",
}
#: Words that only items have which are right: a link that names them and no more shows these.
RIGHT = {"right", "grounded", "by_bias"}
NOTED = {"any": None, "with": True, "without": False}
SHOW = {"wrong": False, "right": True, "all": None}
NOBODY, AUTO = "", "auto"
LOOKS = ["gallery", "table"]
#: Rows on a page of the gallery, and in the table.
PER_PAGE, IN_TABLE = 12, 500


@dataclass(frozen=True)
class Filters:
    """What the sidebar says. everything: the same without any filter, for the options and their order. picked: the set
    of items that the address names, where it is known. old: labels of earlier versions that it names."""

    wanted: FailureFilter
    model: str
    other: str
    everything: FailurePage
    picked: PickedSet | None = None
    old: tuple[str, ...] = ()


def choose(benchmark: stored.StoredBenchmark) -> Filters:
    """Draw the filters and return what they say."""
    picked = failures_set.named()
    named = address.asked("cell") + address.asked("reason")
    if named and set(named) <= RIGHT:
        address.imply("show", "right")
    with st.sidebar:
        model = choose_model(benchmark.models)
        kinds = benchmark.kinds[model]
        kind = choose_kind(kinds)
        setting = Setting(kind)
        if kind == "gen" and benchmark.priors[model]:
            alpha = st.slider(
                "α, prior taken away", 0.0, 1.0, step=0.01, key=address.number("alpha", 0.0, 1.0, 0.0),
                value=address.value("alpha"),
                help="Judge by log P(t | i) − α · log P(t). 0 keeps the language prior, 1 is PMI "
                "(VisualGPTScore, Eq. 7).",
            )  # fmt: skip
            if alpha:
                prior = benchmark.priors[model][0]  # the default of `StoredRun.default_prior`; Debias offers the others
                setting = Setting(kind, float(alpha), prior)
                st.caption(plain(f"P(t) from {prior_name(prior)}; Debias offers other sources."))
        run = benchmark.runs[model]
        base = FailureFilter(run, setting, correct=None, limit=1, also=benchmark.also(model))
        base = failures_set.of_its_benchmark(base, picked, benchmark, model)
        known = data.failures(base)
        there = known.facets["metric"]
        declared = [m.name for m in every_metric() if m.name in there]
        metrics = [*declared, *sorted({*there} - {*declared})]  # of a package that is no longer installed
        metric = st.selectbox(
            "Metric", [AUTO, *metrics], key=address.option("metric", [AUTO, *metrics], AUTO),
            index=address.index("metric"),
            format_func=lambda name: "headline of each protocol" if name == AUTO else metric_title(name),
            help="\n\n".join(metric_tip(name) for name in metrics if name in HEADLINES),
        )  # fmt: skip
        base = replace(base, metrics=() if metric in (AUTO, None) else (metric,))
        everything = data.failures(base)
        wanted, other = _narrow(benchmark, model, base, everything, failures_set.ids(picked, benchmark))
    return Filters(wanted, model, other, everything, picked, tuple(old_links.read()))


def _narrow(
    benchmark: stored.StoredBenchmark,
    model: str,
    base: FailureFilter,
    everything: FailurePage,
    only: tuple[str, ...] | None,
) -> tuple[FailureFilter, str]:
    """The rest of the filters. The values are known before their widgets are drawn, so the counts are never old."""
    shown = st.segmented_control(
        "Show", list(SHOW), key=address.option("show", list(SHOW), "wrong"), default=address.value("show"),
        required=True, format_func=lambda name: {"wrong": "✗ wrong", "right": "✓ right", "all": "all"}[name],
    ) or "wrong"  # fmt: skip
    if said := solved_said(data.solved(base)):
        st.caption(said, help=COUNTED)
    options = {name: _ordered(name, everything.facets[name]) for name in FACETS}
    picked = {name: tuple(st.session_state[address.options(name, options[name])]) for name in FACETS}
    if benchmark.parts:
        names = {part.hash: part.name for part in benchmark.parts}
        listed = [part for part in names if part in everything.facets["benchmark"]]
        st.multiselect(
            "Benchmarks", listed, key=address.anew(address.options("of", listed)), default=address.value("of"),
            placeholder="any", format_func=lambda part: f"{names[part]} · {everything.facets['benchmark'][part]:,}",
        )  # fmt: skip
    others = [NOBODY, *(m for m in benchmark.models if m != model and not benchmark.parts)]
    address.option("other", others, NOBODY)
    address.option("other_is", list(SHOW), "all")
    other = st.session_state["other"]
    address.text("text")
    noted = str(st.session_state[address.option("note", list(NOTED), "any")])
    low, high = _bounds(everything.margins)
    unit = (base.setting.kind, model if base.setting.kind == Kind.SCORE else "")  # of `score` each model has its own
    address.number("margin", low, high, (low, high), of=unit)
    wanted = replace(
        base,
        correct=SHOW[shown],
        benchmarks=tuple(st.session_state["of"]) if benchmark.parts else (),
        subsets=picked["subset"],
        concepts=picked["concept"],
        perturbations=picked["perturbation"],
        cells=picked["cell"],
        reasons=picked["reason"],
        tags=picked["tag"],
        noted=NOTED[noted],
        margin=None if st.session_state["margin"] == (low, high) else st.session_state["margin"],
        text=str(st.session_state["text"] or ""),
        other_run=benchmark.runs.get(other),
        other_setting=_setting_of(benchmark.kinds.get(other, []), base.setting.kind),
        other_correct=SHOW[st.session_state["other_is"]] if other else None,
        only=only,
        sort=cast(Any, st.session_state[address.option("sort", orders(other), "margin")]),
        limit=IN_TABLE if st.session_state[address.option("view", LOOKS, "gallery")] == "table" else PER_PAGE,
    )
    counts = data.failures(wanted).facets
    _facets(options, counts)
    if noted != "any" or "with" in everything.facets["note"]:
        st.selectbox(
            "Your note",
            list(NOTED),
            key=address.anew("note"),
            index=address.index("note"),
            format_func=partial(_noted, dict(counts["note"])),
        )
    names = colours.labels(benchmark.models)
    if not benchmark.parts:
        st.selectbox(
            "Compare with", others, key="other",
            index=address.index("other"), format_func=lambda m: names[m] if m else "no other model",
            help="“A right and B wrong”: choose what the other model's verdict on the same item must be.",
        )  # fmt: skip
    if other:
        st.segmented_control(
            "… where that model is", list(SHOW), key="other_is", default=address.value("other_is"), required=True,
            format_func=lambda name: {"wrong": "✗ wrong", "right": "✓ right", "all": "either"}[name],
        )  # fmt: skip
    st.text_input(
        "Words in a caption, or an item",
        key="text",
        value=address.value("text"),
        placeholder="for example: left of; 213",
        icon=":material/search:",
        help="Items with these words in a caption, and the item of this id, or whose id ends in this after its last /.",
    )
    if high > low:
        st.slider(
            "Margin", low, high, key="margin", value=address.value("margin"), format="%.3g", step=(high - low) / 200,
            help="How far an item is from flipping: the true score minus the best competing one.",
        )  # fmt: skip
    return wanted, other


def _ordered(facet: str, counts: dict[str, int]) -> list[str]:
    """A facet's values, the most frequent first; words of docs/reasons.md in the order of the bars."""
    rank = {word: place for place, word in enumerate(NAMES)}
    return sorted(counts, key=lambda word: rank.get(word, len(rank))) if facet in SAID else list(counts)


def orders(other: str) -> list[str]:
    """The orders that there are: the gap only to another model."""
    return [name for name in SORTS if name != "gap" or other]


def _counted(facet: str, counts: dict[str, int], value: str) -> str:
    name = NAMES.get(value, value) if facet in SAID else title(value.removesuffix(NARROWER))
    if value.endswith(NARROWER):
        name = f"any {name}"
    return f"{name} · {counts.get(value, 0):,}"


def _noted(counts: dict[str, int], value: str) -> str:
    return "any" if value == "any" else f"{value} a note · {counts.get(value, 0):,}"


def _facets(options: dict[str, list[str]], facets: dict[str, dict[str, int]]) -> None:
    for name, label in FACETS.items():
        counts = facets[name]
        if options[name]:
            st.multiselect(
                label, options[name], key=address.anew(name), default=address.value(name), placeholder="any",
                help=_help(name), format_func=partial(_counted, name, dict(counts)),
            )  # fmt: skip


def _help(name: str) -> str | None:
    """What a facet's values mean, where that is more than a word."""
    if name in SAID:
        listed = (*dict.fromkeys(cell for cells in CELLS.values() for cell in cells), *(["reversed", "uncertain"] if
                  name == "reason" else []))  # fmt: skip
        return SAID[name] + "\n\n" + "\n\n".join(f"**{plain(NAMES[key])}**: {plain(MEANINGS[key])}" for key in listed)
    return {
        "concept": "What an item tests, in the terms of the taxonomy that all benchmarks share.",
        "perturbation": "How the foil was made from the true caption.",
    }.get(name)


def _bounds(margins: tuple[float, float] | None) -> tuple[float, float]:
    """The smallest and the largest margin, rounded outwards to three digits."""
    if margins is None:
        return 0.0, 0.0
    found = margins
    step = 10.0 ** -(2 - int(f"{max(abs(found[0]), abs(found[1]), 1e-9):e}".split("e")[1]))
    low, high = (found[0] // step) * step, -(-found[1] // step) * step
    return round(low, 9), round(high, 9)


def _setting_of(kinds: list[str], kind: str) -> Setting | None:
    """How the other model is judged: by the same kind where it has it, else by its own first kind."""
    if not kinds:
        return None
    return Setting(kind if kind in kinds else kinds[0])

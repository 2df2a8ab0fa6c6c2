"""The sidebar of Failures: the address and the session give a filter, the filter gives counts, the counts are shown.

In sight are the benchmark, the model and which verdicts are listed; all else is under More, and the margin in its
histogram above the gallery (`margins.py`).
"""

from dataclasses import dataclass, replace
from typing import Any, cast

import streamlit as st

from backend.kinds import Kind
from backend.metrics.core.registry import everything as every_metric
from backend.store.failures.selections import PickedSet
from backend.store.queries import FailureFilter, FailurePage, Setting
from pages.failures import data, facets, old_links, score, views
from pages.failures import picked as failures_set
from pages.failures.words import COUNTED, SORTS, solved_said
from pages.item.view import HEADLINES
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.frame import address, alpha
from pages.shared.frame.fold import more
from pages.shared.frame.sidebar import choose_kind, choose_model
from pages.shared.frame.tips import metric_tip, metric_title

KEYS = (
    "benchmark", "of", "model", "kind", "alpha", "prior", "norm", "metric", "show", "subset", "concept",
    "perturbation", old_links.KEY, "other", "other_is", "margin", "text", "sort", "view", "page", "set",
    "tag", "note", "human", "cell", "reason", "item",
)  # fmt: skip
#: What is folded: the keys that are counted as set under More.
FOLDED = (
    "kind", "metric", "of", "text", *facets.FACETS, "note", "other", "other_is", "sort", "view",
)  # fmt: skip
#: Words that only items have which are right: a link that names them and no more shows these.
RIGHT = {"right", "grounded", "by_bias"}
SHOW = {"wrong": False, "right": True, "all": None}
NOBODY, AUTO = "", "auto"
LOOKS = ["gallery", "table"]
#: Rows on a page of the gallery, and in the table.
PER_PAGE, IN_TABLE = 12, 500


@dataclass(frozen=True)
class Filters:
    """What the sidebar says. everything: the same without any filter, for the options and their order; left: counts
    under the filter; shown: which verdicts, a key of `SHOW`; bounds: of margins, what a filter that is none has.
    picked: the set of items that the address names, where it is known; old: labels of earlier versions that it names.
    """

    wanted: FailureFilter
    model: str
    other: str
    everything: FailurePage
    picked: PickedSet | None = None
    old: tuple[str, ...] = ()
    left: FailurePage | None = None
    shown: str = "wrong"
    bounds: tuple[float, float] = (0.0, 0.0)


def choose(benchmark: stored.StoredBenchmark) -> Filters:
    """Draw the filters and return what they say."""
    picked = failures_set.named()
    named = address.asked("cell") + address.asked("reason")
    if named and set(named) <= RIGHT:
        address.imply("show", "right")
    with st.sidebar:
        model = choose_model(benchmark.models)
        shown = st.segmented_control(
            "Show", list(SHOW), key=address.option("show", list(SHOW), "wrong"), default=address.value("show"),
            required=True, format_func=lambda name: {"wrong": "✗ wrong", "right": "✓ right", "all": "all"}[name],
        ) or "wrong"  # fmt: skip
        with more(*FOLDED):
            return _folded(benchmark, model, str(shown), picked)


def _folded(
    benchmark: stored.StoredBenchmark, model: str, shown: str, picked: PickedSet | None
) -> Filters:  # fmt: skip
    """The filters under More. Values are known before their widgets are drawn, so the counts are never old."""
    kinds = benchmark.kinds[model]
    address.text("text")
    st.text_input(
        "Part of a caption, or an item",
        key="text",
        value=address.value("text"),
        placeholder="for example: left of; 213",
        icon=":material/search:",
        help="Items with these letters in a caption, within a word, too (“cat” is in “cattle”), and the item of this "
        "id, or whose id ends in this after its last /.",
    )
    kind = choose_kind(kinds)
    base = FailureFilter(
        benchmark.runs[model], alpha.setting(benchmark, model, kind), correct=None, limit=1, also=benchmark.also(model)
    )
    base = failures_set.of_its_benchmark(base, picked, benchmark, model)
    there = data.failures(base).facets["metric"]
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
    wanted, other, bounds = _wanted(benchmark, model, base, everything, shown, failures_set.ids(picked, benchmark))
    left = data.failures(wanted)
    offered = facets.options(everything.facets)
    if benchmark.parts:
        _benchmarks(benchmark, everything)
    facets.draw(offered, left.facets, note=st.session_state["note"] != "any" or "with" in everything.facets["note"])
    if not benchmark.parts:
        _other(benchmark, model, other)
    st.selectbox(
        "Order", orders(other), key="sort", index=address.index("sort"), format_func=SORTS.__getitem__
    )  # fmt: skip
    st.segmented_control(
        "View", LOOKS, key="view", default=address.value("view"), required=True,
        format_func={"gallery": ":material/grid_view: gallery", "table": ":material/table_rows: table"}.__getitem__,
    )  # fmt: skip
    with st.container(horizontal=True):
        ids = data.ids(wanted) if st.session_state.get("score-with") else []
        score.draw(benchmark, ids, left.total)
        views.draw("failures")
    if said := solved_said(data.solved(base)):
        st.caption(said, help=COUNTED)
    return Filters(wanted, model, other, everything, picked, tuple(old_links.read()), left, shown, bounds)


def _wanted(
    benchmark: stored.StoredBenchmark, model: str, base: FailureFilter, everything: FailurePage, shown: str,
    only: tuple[str, ...] | None,
) -> tuple[FailureFilter, str, tuple[float, float]]:  # fmt: skip
    """The filter, the other model, and the bounds of margins, from the address and the session alone."""
    offered = facets.options(everything.facets)
    picked = {name: tuple(st.session_state[address.options(name, offered[name])]) for name in facets.FACETS}
    if benchmark.parts:
        address.options("of", [part.hash for part in benchmark.parts if part.hash in everything.facets["benchmark"]])
    others = [NOBODY, *(m for m in benchmark.models if m != model and not benchmark.parts)]
    other = st.session_state[address.option("other", others, NOBODY)]
    address.option("other_is", list(SHOW), "all")
    noted = str(st.session_state[address.option("note", list(facets.NOTED), "any")])
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
        human=picked["human"],
        noted=facets.NOTED[noted],
        margin=None if st.session_state["margin"] == (low, high) else st.session_state["margin"],
        text=str(st.session_state["text"] or ""),
        other_run=benchmark.runs.get(other),
        other_setting=_setting_of(benchmark, other, base.setting.kind),
        other_correct=SHOW[st.session_state["other_is"]] if other else None,
        only=only,
        sort=cast(Any, st.session_state[address.option("sort", orders(other), "margin")]),
        limit=IN_TABLE if st.session_state[address.option("view", LOOKS, "gallery")] == "table" else PER_PAGE,
    )
    return wanted, other, (low, high)


def _benchmarks(benchmark: stored.StoredBenchmark, everything: FailurePage) -> None:
    names = {part.hash: part.name for part in benchmark.parts}
    listed = [part for part in names if part in everything.facets["benchmark"]]
    st.multiselect(
        "Benchmarks", listed, key=address.anew("of"), default=address.value("of"),
        placeholder="any", format_func=lambda part: f"{names[part]} · {everything.facets['benchmark'][part]:,}",
    )  # fmt: skip


def _other(benchmark: stored.StoredBenchmark, model: str, other: str) -> None:
    """The second model and what its verdict must be."""
    names = colours.labels(benchmark.models)
    st.selectbox(
        "Compare with", [NOBODY, *(m for m in benchmark.models if m != model)], key="other",
        index=address.index("other"), format_func=lambda m: names[m] if m else "no other model",
        help="“A right and B wrong”: choose what the other model's verdict on the same item must be.",
    )  # fmt: skip
    if other:
        st.segmented_control(
            "… where that model is", list(SHOW), key="other_is", default=address.value("other_is"), required=True,
            format_func=lambda name: {"wrong": "✗ wrong", "right": "✓ right", "all": "either"}[name],
        )  # fmt: skip


def orders(other: str) -> list[str]:
    """The orders that there are: the gap only to another model."""
    return [name for name in SORTS if name != "gap" or other]


def _bounds(margins: tuple[float, float] | None) -> tuple[float, float]:
    """The smallest and the largest margin, rounded outwards to three digits."""
    if margins is None:
        return 0.0, 0.0
    found = margins
    step = 10.0 ** -(2 - int(f"{max(abs(found[0]), abs(found[1]), 1e-9):e}".split("e")[1]))
    low, high = (found[0] // step) * step, -(-found[1] // step) * step
    return round(low, 9), round(high, 9)


def _setting_of(benchmark: stored.StoredBenchmark, other: str, kind: str) -> Setting | None:
    """How the other model is judged: by the same kind where it has it, else by its own first kind."""
    kinds = benchmark.kinds.get(other, [])
    return alpha.setting(benchmark, other, kind if kind in kinds else kinds[0]) if kinds else None

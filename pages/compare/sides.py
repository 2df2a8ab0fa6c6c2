"""Who is compared: models under a score kind and a setting, chosen in the sidebar, each with its colour and name."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st
from markupsafe import Markup

from backend.kinds import Kind
from backend.metrics.core.registry import everything
from backend.prior_names import prior_name, prior_option
from backend.store.compare.compare import headline_metrics
from backend.store.queries import Setting, Side
from backend.taxonomy import title
from pages.compare.opening import opening
from pages.debias.options import SOURCES_HELP
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.frame import address
from pages.shared.frame.plain import plain
from pages.shared.frame.tips import kinds_help, metric_tip, metric_title

#: Stands for kind gen under the α of the slider.
DEBIASED = "gen-alpha"
AUTO = "auto"
MOST = 4


@dataclass(frozen=True)
class Named:
    """One side as the page shows it. key: as in the address. label: short, unlike all others on the page."""

    key: str
    model: str
    side: Side
    label: str
    colour: str

    @property
    def dot(self) -> Markup:
        """Its mark as HTML."""
        return colours.dot(self.model, self.colour)


@dataclass(frozen=True)
class Comparison:
    """What the sidebar says: the baseline first; metric None: each protocol's headline; subsets (): all."""

    named: tuple[Named, ...]
    metric: str | None
    subsets: tuple[str, ...]

    @property
    def sides(self) -> tuple[Side, ...]:
        """The runs and settings alone."""
        return tuple(entry.side for entry in self.named)


def options(benchmark: stored.StoredBenchmark) -> dict[str, tuple[str, str]]:
    """Key -> (model, kind) of everything that can be chosen; where a prior is stored, also gen without it."""
    found = {}
    for model in benchmark.models:
        for kind in benchmark.kinds[model]:
            found[f"{kind} {model}"] = (model, kind)
            if kind == "gen" and benchmark.priors[model]:
                found[f"{DEBIASED} {model}"] = (model, DEBIASED)
    return found


def choose(benchmark: stored.StoredBenchmark) -> Comparison | None:
    """Draw the sidebar; None where there are no two things to compare."""
    known = options(benchmark)
    if len(known) < 2:
        return None
    names = titles(known)
    keys = list(known)
    first, second = opening(benchmark, known)
    with st.sidebar:
        a = st.selectbox(
            "A, the baseline", keys, key=address.option("a", keys, first),
            index=address.index("a"), format_func=names.__getitem__,
            help=kinds_help(Kind),
        ) or first  # fmt: skip
        rest = [key for key in keys if key != a]
        b = st.selectbox(
            "B",
            rest,
            key=address.option("b", rest, second if second != a else first),
            index=address.index("b"),
            format_func=names.__getitem__,
            help="What is set against the baseline: gains are B − A, on the items that both have judged.",
        )
        b = b or rest[0]
        others = [key for key in rest if key != b]
        more = st.multiselect(
            "And also", others, key=address.options("more", others),
            default=address.value("more"), format_func=names.__getitem__, placeholder="no other",
            max_selections=MOST,
        )  # fmt: skip
        keys = [a, b, *more]
        alpha, prior = _alpha(benchmark, [known[key] for key in keys])
        named = name_sides(benchmark, [(key, *known[key]) for key in keys], alpha, prior)
        metric = _metric(benchmark, named)
        subsets = list(benchmark.subsets)
        picked = st.multiselect(
            "Subset", subsets, key=address.options("subset", subsets), default=address.value("subset"),
            placeholder="all", format_func=title,
        )  # fmt: skip
    return Comparison(named, None if metric == AUTO else metric, tuple(picked))


def _alpha(benchmark: stored.StoredBenchmark, picked: Sequence[tuple[str, str]]) -> tuple[float, str | None]:
    """The slider, and the prior's source where there is a choice; drawn only where a side needs them."""
    speakers = [model for model, kind in picked if kind == DEBIASED]
    key = address.number("alpha", 0.01, 2.0, 1.0)
    sources = list(benchmark.priors[speakers[0]]) if speakers else []
    address.option("prior", [AUTO, *sources], AUTO)
    if not speakers:
        return 1.0, None
    alpha = st.slider(
        "α of “gen, prior taken away”", 0.01, 2.0, step=0.01, key=key,
        help="log P(t | i) − α · log P(t) (VisualGPTScore, Eq. 7); 1 is pointwise mutual information.",
    )  # fmt: skip
    prior = st.selectbox(
        "Prior P(t) from", [AUTO, *sources], key="prior", index=address.index("prior"),
        format_func=lambda s: "each model's default" if s == AUTO else prior_option(s),
            help=SOURCES_HELP,
    )  # fmt: skip
    if prior in (AUTO, None):
        short = colours.labels(benchmark.models)
        used = (f"{prior_name(benchmark.priors[model][0])} ({short[model]})" for model in dict.fromkeys(speakers))
        st.caption(plain(f"P(t) from {', '.join(used)}"))
    return float(alpha), None if prior in (AUTO, None) else str(prior)


def _metric(benchmark: stored.StoredBenchmark, named: Sequence[Named]) -> str:
    """The metric's choice: those that judge items and that any run's kind allows on this benchmark."""
    kinds = {entry.side.setting.kind for entry in named}
    protocols = set(benchmark.protocols.values())
    listed = [
        m.name for m in everything()
        if str(m.protocol) in protocols and kinds <= {str(k) for k in m.kinds} and m.judge
    ]  # fmt: skip
    shown = [m for m in headline_metrics(sorted(kinds)) if m in listed]
    return st.selectbox(
        "Metric", [AUTO, *listed], key=address.option("metric", [AUTO, *listed], AUTO), index=address.index("metric"),
        format_func=lambda m: "headline of each protocol" if m == AUTO else metric_title(m),
        help="\n\n".join(metric_tip(m) for m in shown),
    ) or AUTO  # fmt: skip


def name_sides(
    benchmark: stored.StoredBenchmark, picked: Sequence[tuple[str, str, str]], alpha: float, prior: str | None
) -> tuple[Named, ...]:
    """(key, model, kind) as sides with unlike names; the second setting of a model takes a paler tint of its colour."""
    dots = colours.of_models(benchmark.models)
    names = titles({key: (model, kind) for key, model, kind in picked}, alpha)
    found: list[Named] = []
    for key, model, kind in picked:
        taken = prior or next(iter(benchmark.priors[model]), None)  # the default of `StoredRun.default_prior`
        setting = Setting("gen", alpha, taken) if kind == DEBIASED else Setting(kind)
        before = sum(entry.model == model for entry in found)
        colour = colours.along((dots[model], "#9aa3ab"), 0.55) if before else dots[model]
        found.append(Named(key, model, Side(benchmark.runs[model], setting), names[key], colour))
    return tuple(found)


def titles(known: dict[str, tuple[str, str]], alpha: float | None = None) -> dict[str, str]:
    """A name for each: the model's, and the kind where it tells two of them apart.

    >>> titles({"itc a": ("bundled:a", "itc"), "itm a": ("bundled:a", "itm"), "itc b": ("bundled:b", "itc")})
    {'itc a': 'a · itc', 'itm a': 'a · itm', 'itc b': 'b · itc'}
    >>> titles({"itc a": ("bundled:a", "itc"), "itc b": ("bundled:b", "itc")})
    {'itc a': 'a', 'itc b': 'b'}
    """
    short = colours.labels({model for model, _ in known.values()})
    plain = len({kind for _, kind in known.values()}) == 1
    taken = "α" if alpha is None else f"α = {alpha:g}"
    debiased = any(kind == DEBIASED for _, kind in known.values())

    def said(kind: str) -> str:
        if kind == DEBIASED:
            return f"gen, {taken}" if alpha is not None else "gen, prior taken away"
        return "gen, α = 0" if kind == "gen" and debiased else kind

    return {key: short[model] if plain else f"{short[model]} · {said(kind)}" for key, (model, kind) in known.items()}

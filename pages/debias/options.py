"""What Debias can be asked: its prior sources and normalisations in words, its subsets and strata, the sidebar."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from backend.kinds import Kind
from backend.prior_names import prior_name, prior_option
from backend.store.queries import AlphaCurve
from backend.taxonomy import title
from pages.shared.data import commands, stored
from pages.shared.frame import address, alpha
from pages.shared.frame.fold import more
from pages.shared.frame.plain import plain
from pages.shared.frame.sidebar import choose_model
from pages.shared.frame.style import sheet
from pages.shared.frame.tips import kind_name, metric_tip, metric_title

CSS = Path(__file__).with_name("options.css")
ALL = "all"
NORMS = {
    "token": ("per token", "P(t) is the mean over samples (Eq. 13); both terms are divided by the token count."),
    "sum": ("sums", "neither term is divided, so long captions weigh more."),
    "paper-score": ("paper score", "Eq. 13 on Eq. 12 scores: each sample's mean per token is averaged."),
}
SOURCES_HELP = (
    "log P(t), how likely the caption is without its image.\n\n**images**: the same model under a sample of real "
    "images, averaged (VisualGPTScore, Eq. 13).\n\n**noise**: under Gaussian noise images.\n\n"
    "**lm**: a blind language model.\n\nWhere none is chosen: a blind language model, else sampled images, noise last."
)
DASHES = {"images": "", "lm": "7 4", "noise": "2 3", "self": "9 3 2 3"}


def style() -> None:
    """Load what Debias adds to the stylesheets; called once by the page."""
    sheet(CSS)


def subsets_of(benchmark: stored.StoredBenchmark) -> list[str]:
    """Subsets whose verdicts α can change, choices first."""
    order = ["choice", "triplet", "quad", "classify", "retrieval"]
    fit = [name for name, protocol in benchmark.protocols.items() if protocol in order]
    return sorted(fit, key=lambda name: order.index(benchmark.protocols[name]))


def first(subsets: Sequence[str]) -> str:
    """The subset to start with."""
    return subsets[0] if subsets else ""


def strata_of(curves: Mapping[str, AlphaCurve]) -> list[str]:
    """The perturbation tags of choices, where there are a few: the strata to look at one by one."""
    found = curves.get("accuracy")
    tags = list(dict.fromkeys(found.items["perturbation"])) if found is not None else []
    return tags if 2 <= len(tags) <= 4 else []


@dataclass(frozen=True)
class Options:
    """What the sidebar says. stratum: a tag of the foils, None for all; strata: those there are, `ALL` first."""

    model: str
    run: str
    sources: tuple[str, ...]
    subset: str
    stratum: str | None
    strata: tuple[str, ...]
    metric: str
    prior: str
    norm: str
    domain: tuple[float, float]

    @property
    def said(self) -> str:
        """Normalisation and prior in words."""
        return f"{NORMS[self.norm][0]}, P(t) from {prior_name(self.prior)}"

    @property
    def key(self) -> str:
        """A name of the setting, for widgets that start afresh with another one."""
        parts = (self.model, self.subset, self.stratum or ALL, self.metric, self.prior, self.norm, self.domain[1])
        return "-".join(map(str, parts))


def choose(benchmark: stored.StoredBenchmark, speakers: Sequence[str]) -> Options:
    """The sidebar. speakers: models with generation scores and a prior."""
    with st.sidebar:
        model = choose_model(speakers, default="bundled:captioner")
        run, sources = benchmark.runs[model], benchmark.priors[model]
        if (now := alpha.taken()) and alpha.seed(0.0, alpha.MOST, sources) and now.alpha > 1:
            st.session_state["wide"] = True
        subsets = subsets_of(benchmark)
        subset = st.selectbox(
            "Subset",
            subsets,
            key=address.option("subset", subsets, first(subsets)),
            index=address.index("subset"),
            format_func=title,
        ) or first(subsets)
        prior = st.selectbox(
            "Prior P(t) from", sources, key=address.option("prior", sources, sources[0]),
            index=address.index("prior"), format_func=prior_option,
            help=SOURCES_HELP,
        ) or sources[0]  # fmt: skip
        with more("stratum", "metric", "norm", "wide"):
            stratum, strata, metric, norm, wide = _rest(run, sources[0], subset)
    tag = None if stratum == ALL else stratum
    offered = (ALL, *strata) if len(strata) > 1 else (ALL,)
    return Options(model, run, tuple(sources), subset, tag, offered, metric, prior, norm, (0.0, 2.0 if wide else 1.0))


def _rest(run: str, source: str, subset: str) -> tuple[str, list[str], str, str, bool]:
    """What few need: (stratum, all strata, metric, normalisation, whether α goes up to 2)."""
    curves = {c.metric: c for c in stored.alpha_curves(run, source, "token", subset, None)}
    strata = strata_of(curves)
    stratum = ALL
    if len(strata) > 1:
        stratum = st.segmented_control(
            "Foils", [ALL, *strata], key=address.option("stratum", [ALL, *strata], ALL),
            default=address.value("stratum"), required=True,
            format_func=lambda name: plain(title(name)),
            help="Implausible foils are unlikely texts, so the prior alone finds the truth; foils against the "
            "prior are likelier texts than the truth, so the prior alone errs.",
        ) or ALL  # fmt: skip
    metrics = list(curves) or [""]
    metric = metrics[0]
    if len(metrics) > 1:
        metric = st.segmented_control(
            "Metric", metrics, key=address.option("metric", metrics, metrics[0]),
            default=address.value("metric"), required=True,
            format_func=lambda name: metric_title(name).lower().removesuffix(" score"),
            help="\n\n".join(metric_tip(name) for name in metrics),
        ) or metrics[0]  # fmt: skip
    norm = st.selectbox(
        "Normalisation", list(NORMS), key=address.option("norm", list(NORMS), "token"), index=address.index("norm"),
        format_func=lambda n: NORMS[n][0], help="\n\n".join(f"**{name}**: {tip}" for name, tip in NORMS.values()),
    ) or "token"  # fmt: skip
    wide = st.toggle(
        "Show α up to 2",
        key=address.option("wide", [False, True], False),
        value=address.value("wide"),
        help="Beyond α = 1, which is pointwise mutual information (VisualGPTScore, Eq. 6 and 8), the prior is "
        "taken away more than once.",
    )
    return stratum, strata, metric, norm, bool(wide)


def next_step(benchmark: stored.StoredBenchmark) -> str:
    """What to run so that there is a curve: the prior of a model that speaks already, or the scores and the prior.
    Another system's scores cannot be added to here; nor can anything be scored on items whose captions are gated and
    not here."""
    if benchmark.is_stub:
        return _of_stub(benchmark)
    where, lacking = commands.words(benchmark), commands.lacking(benchmark)
    speakers = (m for m in benchmark.models if "gen" in benchmark.kinds[m] and not commands.cannot_run(m))
    if speaker := next(speakers, None):
        run = commands.run(speaker, where, "prior", "--prior images:20")
        others = "(or noise:3, or lm:bundled:lm)"
        return f"{speaker} has generation scores here but no P(t). Store one: {run} {others}{lacking}"
    return (
        f"Score one: python -m backend run --model bundled:captioner --benchmark {where} --kinds gen,prior "
        f"--prior images:20{lacking}"
    )


def _of_stub(benchmark: stored.StoredBenchmark) -> str:
    """Why no α is possible for scores on items without captions, and what can be done."""
    kinds = dict.fromkeys(kind for model in benchmark.models for kind in benchmark.kinds[model])
    said = ", ".join(map(kind_name, kinds))
    none = "" if Kind.GEN in kinds else "; none of them is a caption's log-probability"
    return (
        f"α takes log P(t) from log P(t | i), a model's own scores of kind gen. The {len(benchmark.models)} rows here "
        f"come from elsewhere ({said}){none}, and no P(t) can be added to them: the items are numbers without "
        f"captions. Once your own copy is here (python -m backend import {commands.name(benchmark)} --data DIR), a "
        "captioner can be scored on it with kinds gen and prior. Until then choose another benchmark in the sidebar."
    )

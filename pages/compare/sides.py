"""Who is compared: models under a score kind and a setting, chosen in the sidebar, each with its colour and name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st
from markupsafe import Markup

from backend.kinds import Kind
from backend.metrics.core.registry import everything
from backend.prior_names import prior_name, prior_option
from backend.store.compare.compare import ITEMS, SUBSETS, headline_metrics
from backend.store.queries import Setting, Side
from backend.store.scores.setting import Norm, as_norm
from backend.taxonomy import title
from pages.compare.opening import DEBIASED, LEAST, PLAIN, aside, back, begin, beside, follow, opening, usual
from pages.debias.options import NORMS, SOURCES_HELP
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import listing
from pages.shared.frame import address, model_link
from pages.shared.frame.alpha import MOST as FARTHEST
from pages.shared.frame.alpha import number
from pages.shared.frame.fold import more
from pages.shared.frame.plain import plain
from pages.shared.frame.tips import kinds_help, metric_tip, metric_title

AUTO = "auto"
MOST = 4
#: What may weigh the same.
WEIGHTS = {ITEMS: "every item", SUBSETS: "every subset"}
#: What the flow of reasons may be drawn by.
PARTS = {"cells": "scores alone", "reasons": "certified reasons"}
#: What a line of the picture and a row of the tests may be -> what it is called.
BY = {"subset": "subset", "concept": "concept", "perturbation": "change"}
#: Address keys of what is drawn under More.
UNDER_MORE = ("more", "alpha", "prior", "norm", "metric", "subset", "weights", "parts")


@dataclass(frozen=True)
class Named:
    """One side as the page shows it. key: as in the address. label: short, unlike all others on the page. benchmark:
    on which the model's page shows it; "" where its name is to be no link."""

    key: str
    model: str
    side: Side
    label: str
    colour: str
    benchmark: str = ""

    @property
    def dot(self) -> Markup:
        """Its mark as HTML."""
        return colours.dot(self.model, self.colour)

    @property
    def link(self) -> Markup:
        """Its label as a link to the model's page."""
        return model_link.named(self.model, self.benchmark, self.label)


@dataclass(frozen=True)
class Comparison:
    """What the sidebar says: the baseline first; metric None: each protocol's headline; subsets (): all; weights: of
    WEIGHTS."""

    named: tuple[Named, ...]
    metric: str | None
    subsets: tuple[str, ...]
    weights: str = ITEMS

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
    before = address.shown()
    swap(before)
    begin(benchmark, known, *opening(benchmark, known))
    first, second = usual(benchmark, known)
    _say_twice(names)
    _stand_in(benchmark, known, names, first, second)
    followed = follow(benchmark, known, _placed(keys, first, second))
    st.session_state["a"], st.session_state["b"], st.session_state["more"] = followed[0], followed[1], followed[2:]
    _say_moved(before, names, _placed(keys, first, second)[:2])
    with st.sidebar:
        a = st.selectbox(
            "A, the baseline", keys, key="a",
            index=address.index("a"), format_func=names.__getitem__,
            help=kinds_help(Kind),
        ) or first  # fmt: skip
        rest = [key for key in keys if key != a]
        b = st.selectbox(
            "B",
            rest,
            key="b",
            index=address.index("b"),
            format_func=names.__getitem__,
            help="What is set against the baseline: gains are B − A, on the items that both have judged.",
        )
        b = b or rest[0]
    others = [key for key in rest if key != b]
    with st.sidebar, more(*UNDER_MORE):
        also = st.multiselect(
            "And also", others, key="more",
            default=address.value("more"), format_func=names.__getitem__, placeholder="no other",
            max_selections=MOST, help="Up to four more models or kinds, each set against A.",
        )  # fmt: skip
        keys = [a, b, *also]
        alpha, prior, norm = _alpha(benchmark, [known[key] for key in keys])
        named = name_sides(benchmark, [(key, *known[key]) for key in keys], alpha, prior, norm)
        metric = _metric(benchmark, named)
        picked = _subsets(benchmark)
        weights = st.segmented_control(
            "Weighs the same", list(WEIGHTS), key=address.option("weights", list(WEIGHTS), ITEMS), required=True,
            default=address.value("weights"), format_func=WEIGHTS.__getitem__,
            help="Every item: rates as they are, so that large subsets decide. Every subset: the mean over subsets of "
            "their own rates, its interval and its p by exchanging A and B whole image by whole image.",
        ) or ITEMS  # fmt: skip
        st.segmented_control(
            "Flow drawn by", list(PARTS), key=address.option("parts", list(PARTS), "cells"), required=True,
            default=address.value("parts"), format_func=PARTS.__getitem__,
            help="What the scores say is arithmetic, and every item has it; a reason is certified only where the "
            "evidence tells the item from luck, and is “uncertain” elsewhere.",
        )  # fmt: skip
    return Comparison(named, None if metric == AUTO else metric, picked, str(weights))


def swap(before: Mapping[str, object]) -> None:
    """Where A was chosen to be what B is, B becomes what A was; without it B would be whatever stands first. before:
    what each key stood for on the last run; of a link that is being taken over it says nothing."""
    state = st.session_state
    if address.asked("a") or address.asked("b") or not before.get("a"):
        return
    if state.get("a") == state.get("b") == before.get("b") != before["a"]:
        state["b"] = before["a"]


def _say_moved(before: Mapping[str, object], called: Mapping[str, str], now: Sequence[str]) -> None:
    """Where a side is another one without being touched, for the benchmark has no scores of what it was: what it is.
    called: key -> name of all that can be chosen; now: the keys of A and B."""
    moved = [
        f"{called[new]} stands as {side.upper()}"
        for side, new in zip(("a", "b"), now, strict=True)
        if (old := before.get(side)) and old not in called and new in called
    ]
    if moved:
        st.toast(plain(f"This benchmark has no scores of what was compared: {listing(moved)}."), duration="long")


def _say_twice(names: Mapping[str, str]) -> None:
    """Where a link names one side twice: that it is compared once, whatever takes its other place."""
    a, b, also = address.asked("a")[:1], address.asked("b")[:1], address.asked("more")
    if a and a == b and a[0] in names:
        address.drop("b")
        address.unused(f"The link compares {names[a[0]]} with itself. It stands as A; B is another one, chosen here.")
    twice = [key for key in dict.fromkeys(also) if key in [*a, *b] and key in names]
    if twice:
        left = [key for key in also if key not in twice]
        address.drop("more")
        if left:
            address.imply("more", *left)
        named = listing([names[key] for key in twice])
        address.unused(f"The link names {named} as A or B and once more: it is compared once.")


def _stand_in(
    benchmark: stored.StoredBenchmark, known: Mapping[str, tuple[str, str]], names: Mapping[str, str],
    first: str, second: str,
) -> None:  # fmt: skip
    """Where a link leaves a side open, or names one that is not known: what stands there is none of those that it does
    name, which would be thrown out as twins of it, and compares with the other side, where anything does. names: key ->
    what it is called; first, second: the usual sides."""
    asked = {side: (address.asked(side) or [""])[0] for side in ("a", "b")}
    also = [key for key in address.asked("more") if key in names]
    held = {side: key for side, key in asked.items() if key in names}
    if not held and not also:
        return
    for side, usual_ in (("a", first), ("b", second)):
        if side in held:
            continue
        other = {key for each, key in held.items() if each != side}
        free = [key for key in (usual_, first, second, *names) if key not in other]
        fit = next((beside(benchmark, known, key, (usual_, first, second), also) for key in other), None)
        held[side] = fit or next((key for key in free if key not in also), free[0])
        if held[side] == usual_:
            continue
        address.drop(side)
        address.imply(side, held[side])
        if asked[side]:
            address.unused(
                f"The link asks for {side} “{asked[side][:60]}”, which is not known here: {names[held[side]]} stands "
                f"as {side.upper()}."
            )


def _placed(keys: Sequence[str], first: str, second: str) -> list[str]:
    """Put the choices of sides in place, before their widgets: A, B and the others."""
    state = st.session_state
    # Both stand wherever anything does: beside another A than the usual one a link without B means another B.
    a = str(state[address.option("a", keys, first, moves=True)])
    rest = [key for key in keys if key != a]
    b = str(state[address.option("b", rest, second if second != a else first, moves=True)])
    return [a, b, *state[address.options("more", [key for key in rest if key != b])]]


def _subsets(benchmark: stored.StoredBenchmark) -> tuple[str, ...]:
    names = list(benchmark.subsets)
    picked = st.multiselect(
        "Subset", names, key=address.options("subset", names), default=address.value("subset"), placeholder="all",
        format_func=title, help="Only the items of these subsets are compared.",
    )  # fmt: skip
    return tuple(picked)


def _alpha(benchmark: stored.StoredBenchmark, picked: Sequence[tuple[str, str]]) -> tuple[float, str | None, Norm]:
    """The slider, the prior's source and the normalisation; drawn only where a side needs them."""
    speakers = [model for model, kind in picked if kind == DEBIASED]
    linked = {name: said[0] for name in PLAIN if (said := address.asked(name))}
    back() if speakers else aside()
    if not speakers:
        address.drop("prior")  # which ones there are depends on the side
        address.number("alpha", LEAST, FARTHEST, 1.0)
        address.option("prior", [AUTO], AUTO)
        address.option("norm", list(NORMS), "token")
        aside()  # what a link says, too
        if asked := [f"{name} = {said}" for name, said in linked.items()]:
            address.unused(
                f"The link asks for {listing(asked)}, which no side here uses: only “gen, prior taken away” is judged "
                "under an α."
            )
        return 1.0, None, "token"
    key = address.number("alpha", LEAST, FARTHEST, 1.0)
    address.option("prior", [AUTO, *benchmark.priors[speakers[0]]], AUTO)
    address.option("norm", list(NORMS), "token")
    alpha = st.slider(
        "α of “gen, prior taken away”", LEAST, FARTHEST, step=0.001, format="%.3f", key=key,
        help="log P(t | i) − α · log P(t) (VisualGPTScore, Eq. 7); 1 is pointwise mutual information.",
    )  # fmt: skip
    prior = st.selectbox(
        "Prior P(t) from", [AUTO, *benchmark.priors[speakers[0]]], key="prior", index=address.index("prior"),
        format_func=lambda s: "each model's default" if s == AUTO else prior_option(s),
            help=SOURCES_HELP,
    )  # fmt: skip
    if prior in (AUTO, None):
        short = colours.labels(benchmark.models)
        used = (f"{prior_name(benchmark.priors[model][0])} ({short[model]})" for model in dict.fromkeys(speakers))
        st.caption(plain(f"P(t) from {', '.join(used)}"))
    norm = st.selectbox(
        "Normalisation", list(NORMS), key="norm", index=address.index("norm"), format_func=lambda n: NORMS[n][0],
        help="\n\n".join(f"**{name}**: {tip}" for name, tip in NORMS.values()),
    )  # fmt: skip
    return float(alpha), None if prior in (AUTO, None) else str(prior), as_norm(norm) or "token"


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
    benchmark: stored.StoredBenchmark,
    picked: Sequence[tuple[str, str, str]],
    alpha: float,
    prior: str | None,
    norm: Norm = "token",
) -> tuple[Named, ...]:
    """(key, model, kind) as sides with unlike names; the second setting of a model takes a paler tint of its colour."""
    dots = colours.of_models(benchmark.models)
    names = titles({key: (model, kind) for key, model, kind in picked}, alpha, norm)
    found: list[Named] = []
    for key, model, kind in picked:
        taken = prior or next(iter(benchmark.priors[model]), None)  # the default of `StoredRun.default_prior`
        setting = Setting("gen", alpha, taken, norm) if kind == DEBIASED else Setting(kind)
        before = sum(entry.model == model for entry in found)
        colour = colours.along((dots[model], "#9aa3ab"), 0.55) if before else dots[model]
        found.append(Named(key, model, Side(benchmark.runs[model], setting), names[key], colour, benchmark.name))
    return tuple(found)


def titles(known: dict[str, tuple[str, str]], alpha: float | None = None, norm: Norm = "token") -> dict[str, str]:
    """A name for each: the model's, and the kind where it tells two of them apart.

    >>> titles({"itc a": ("bundled:a", "itc"), "itm a": ("bundled:a", "itm"), "itc b": ("bundled:b", "itc")})
    {'itc a': 'a · itc', 'itm a': 'a · itm', 'itc b': 'b · itc'}
    >>> titles({"itc a": ("bundled:a", "itc"), "itc b": ("bundled:b", "itc")})
    {'itc a': 'a', 'itc b': 'b'}
    """
    short = colours.labels({model for model, _ in known.values()})
    plain = len({kind for _, kind in known.values()}) == 1
    taken = "α" if alpha is None else f"α = {number(alpha)}" + (f", {NORMS[norm][0]}" if norm != "token" else "")
    debiased = any(kind == DEBIASED for _, kind in known.values())

    def said(kind: str) -> str:
        if kind == DEBIASED:
            return f"gen, {taken}" if alpha is not None else "gen, prior taken away"
        return "gen, α = 0" if kind == "gen" and debiased else kind

    return {key: short[model] if plain else f"{short[model]} · {said(kind)}" for key, (model, kind) in known.items()}

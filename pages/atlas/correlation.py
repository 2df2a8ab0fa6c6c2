"""Which benchmarks measure the same thing: Spearman's ρ over models as a clustered heat map, and in a sentence."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from backend import written
from backend.finding import Finding
from backend.published.atlas import columns as atlas_columns
from backend.published.atlas.measures import TASKS, Measure, benchmarks, measures
from backend.published.atlas.reading import Atlas
from pages.atlas import data
from pages.atlas.data import Correlations
from pages.shared.drawing import finding, signs
from pages.shared.frame import address
from pages.shared.frame.header import chart_caption
from pages.shared.frame.style import show

BENCHMARKS = "benchmarks"
#: Keys in the address.
KEYS = ("of", "given")


def choices() -> dict[str, str]:
    """What can be correlated: all benchmarks, or the columns of one that has several."""
    of = {name: len(atlas_columns.of(name)) for name in atlas_columns.NAMES}
    parts = {name: f"columns of {atlas_columns.NAMES[name]} ({n})" for name, n in of.items() if n > 2}
    return {BENCHMARKS: "benchmarks (15)", **parts}


def chosen(of: str) -> tuple[Measure, ...]:
    """The measures behind a choice; columns of a benchmark stand beside the mean of the zero-shot tasks."""
    if of == BENCHMARKS:
        return benchmarks()
    own = tuple(measures()[each.key] for each in atlas_columns.of(of))
    return own if of == atlas_columns.ZERO_SHOT else (*own, measures()[TASKS])


def short(measure: Measure) -> str:
    """A measure's name where its neighbours are of the same kind.

    >>> short(measures()["mean:aro"]), short(measures()["aro::COCO_Order"])
    ('ARO', 'COCO Order')
    """
    title = measure.name.removeprefix("mean of ")
    return title.partition(": ")[2] or title


_WAYS = ["nothing", "zero-shot"]


def place() -> bool:
    """Put the two choices in place, whether they are drawn or not; whether any was made."""
    words = list(choices())
    address.option("of", words, BENCHMARKS)
    address.option("given", _WAYS, _WAYS[0])
    return address.chosen_among(KEYS) > 0


def draw(atlas: Atlas) -> None:
    """Its two choices, the sentence and the map."""
    words = choices()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        of = st.selectbox(
            "Correlate", list(words), key=address.option("of", list(words), BENCHMARKS), index=address.index("of"),
            format_func=words.__getitem__, width=330,
        ) or BENCHMARKS  # fmt: skip
        given = st.selectbox(
            "Once this is taken away", _WAYS, key=address.option("given", _WAYS, _WAYS[0]),
            index=address.index("given"),
            format_func={"nothing": "nothing", "zero-shot": "mean of 21 zero-shot tasks"}.__getitem__, width=330,
            help="Large models are better at most things. Partial rank correlation (Kendall 1942): how alike two "
            "measures rank models that are equally good at the zero-shot tasks.",
        )  # fmt: skip
    found = data.correlations(atlas, chosen(of), measures()[TASKS] if given == "zero-shot" else None)
    show(Markup('<p class="atl-said">{}</p>').format(sentence(found)))
    with st.container(key="atlas-correlations"):
        show(html(found))
    after = " after the ranks by the mean of 21 zero-shot tasks are taken away" if given == "zero-shot" else ""
    chart_caption(
        f"Spearman's ρ over n = {found.n} models{after}; 1: the same order, 0: unrelated; brown, below 0: the "
        f"other way round. {signs.OPEN}: the 95 % "
        f"interval contains 0; it comes of leaving out one of {found.clusters} families at a time, for models of one "
        "share data and code. Neighbours rank alike (average linkage of 1 − ρ). Hold the pointer on a cell for its "
        "interval. A benchmark whose rates hardly differ between models, or that has few items, correlates less for "
        "that alone."
    )
    said = to_copy(found, after.strip())
    name = "flipside-atlas-correlations"
    finding.draw(said, "atlas-correlations", "atlas-correlations", name, link=address.named("of", "given"))


def sentence(found: Correlations) -> str:
    """The most and the least alike pair, and how many are not to be told from unrelated."""
    k = len(found.measures)
    pairs = [(a, b) for a in range(k) for b in range(a + 1, k) if np.isfinite(found.rho[a, b])]
    if not pairs:
        return f"No two of these can be ranked over {found.n} models."
    most, least = (pick(pairs, key=lambda at: float(found.rho[at])) for pick in (max, min))
    open_ = sum(_is_open(found, a, b) for a, b in pairs)

    def said(at: tuple[int, int]) -> str:
        a, b = (short(found.measures[k]) for k in at)
        ends = written.ends((float(found.low[at]), float(found.high[at])), 1, 2)
        return f"{a} and {b} (ρ = {written.number(float(found.rho[at]), 2)} {ends})"

    return (
        f"Highest over {found.n} models: {said(most)}; lowest: {said(least)}. Of {len(pairs)} pairs, {open_} "
        f"{'is' if open_ == 1 else 'are'} not to be told from unrelated."
    )


def to_copy(found: Correlations, after: str = "") -> str:
    """The same as one sentence to be copied; after: what was taken away first, in words."""
    claim = sentence(found).removesuffix(".").replace(". Of ", "; of ")
    setting = (
        "Spearman’s ρ of published rates", after, f"95 % intervals by leaving out whole families, {found.clusters}",
        "a pair is not told from unrelated where its interval contains 0", "Oh et al. 2024",
    )  # fmt: skip
    return Finding(claim, found.n, setting, counted="models").said


def html(found: Correlations) -> Markup:
    """The map as a table, in clustered order."""
    names = [short(each) for each in found.measures]
    heads = Markup().join(
        Markup('<th scope="col" title="{}"><span>{}</span></th>').format(found.measures[k].title, names[k])
        for k in found.order
    )
    rows = Markup().join(
        Markup('<tr><th scope="row">{}</th>{}</tr>').format(
            names[a], Markup().join(_cell(found, a, b, names) for b in found.order)
        )
        for a in found.order
    )
    return Markup(
        '<div class="fs-scroll" tabindex="0" role="region" aria-label="Rank correlations of benchmarks">'
        '<table class="atl-map"><thead><tr><td></td>{}</tr></thead><tbody>{}</tbody></table></div>'
    ).format(heads, rows)


def _cell(found: Correlations, a: int, b: int, names: list[str]) -> Markup:
    rho = float(found.rho[a, b])
    if a == b or not np.isfinite(rho):
        return Markup('<td class="atl-none">{}</td>').format("" if a == b else written.DASH)
    back, ink = signs.either_way(rho)
    ends = written.ends((float(found.low[a, b]), float(found.high[a, b])), 1, 2)
    mark = f" {signs.OPEN}" if _is_open(found, a, b) else ""
    return Markup('<td style="background:{};color:{}" title="{} and {}: ρ = {} {}">{}{}</td>').format(
        back, ink, names[a], names[b], written.number(rho, 2), ends, written.number(rho, 2).replace("0.", "."), mark
    )


def _is_open(found: Correlations, a: int, b: int) -> bool:
    """Whether the interval contains zero, or there is none."""
    return not (found.low[a, b] > 0 or found.high[a, b] < 0)

"""Before and after: which items a training fixed and which it broke, from the scores that are stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st
from markupsafe import Markup

from backend.store.queries import Checkpoint, Setting, Side
from backend.taxonomy import title
from backend.written import p_cell
from pages.compare import sides, view
from pages.compare.sides import Comparison, Named
from pages.compare.view import LEVEL
from pages.shared.data import stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing import colours, signs
from pages.shared.drawing.numbers import fixed
from pages.shared.frame import address
from pages.shared.frame.style import show
from pages.shared.frame.tips import kind_name, kinds_help

#: The worked example, where it is there.
EXAMPLE = "clip-relational"
ABOUT_EXAMPLE = (
    "The worked example: bundled:clip-relational is bundled:clip after a curriculum of places first, then relations. "
    "Pictures and captions stand side by side in the batch with others that differ in a place or a relation only, and "
    "besides InfoNCE the two of such a pair are pushed apart. No loss of structured negatives was used "
    "(docs/models.md)."
)
#: What the gallery calls its three directions here.
WORDS = {"won": "✓ fixed", "lost": "✗ broken", "both": "wrong all along"}


@dataclass(frozen=True)
class Change:
    """A checkpoint before and a later one after, by one score kind."""

    series: str
    before: Checkpoint
    after: Checkpoint
    chosen: Comparison


def choose(benchmark: stored.StoredBenchmark, known: Mapping[str, Sequence[Checkpoint]]) -> Change | None:
    """Series, before, after and kind, in the sidebar; None where the two have no kind in common."""
    names = colours.labels(benchmark.models)
    with st.sidebar:
        listed = list(known)
        default = EXAMPLE if EXAMPLE in known else listed[0]
        series = (
            st.selectbox("Series", listed, key=address.option("series", listed, default), index=address.index("series"))
            or default
        )
        points = known[series]
        by_model = {point.model: point for point in points}

        def said(model: str) -> str:
            return f"{names[model]} · step {by_model[model].step:,.0f}"

        earlier = [point.model for point in points[:-1]]
        first = st.selectbox(
            "Before",
            earlier,
            key=address.option("before", earlier, earlier[0]),
            index=address.index("before"),
            format_func=said,
        )
        later = [point.model for point in points if point.model != first and point.step >= by_model[first or ""].step]
        last = st.selectbox(
            "After",
            later,
            key=address.option("after", later, later[-1]),
            index=address.index("after"),
            format_func=said,
        )
        before, after = by_model[first or earlier[0]], by_model[last or later[-1]]
        kinds = [k for k in benchmark.kinds[before.model] if k in benchmark.kinds[after.model]]
        if not kinds:
            return None
        kind = st.selectbox(
            "Score kind", kinds, key=address.option("kind", kinds, kinds[0]),
            index=address.index("kind"), format_func=lambda k: f"{kind_name(k)} ({k})",
            help=kinds_help(kinds)
        ) or kinds[0]  # fmt: skip
    dots = colours.of_models(benchmark.models)
    named = tuple(
        Named(f"{kind} {p.model}", p.model, Side(p.run_id, Setting(kind)), names[p.model], dots[p.model])
        for p in (before, after)
    )
    return Change(series, before, after, sides.Comparison(named, None, ()))


def sentence_html(overall: "pd.Series[float]", change: Change) -> Markup:
    """What happened, in words, as HTML.

    fixed: wrong before and right after; broken: the other way.
    """
    a, b = (entry.label for entry in change.chosen.named)
    steps = change.after.step - change.before.step
    wrong, right = int(overall.only_b + overall.neither), int(overall.both + overall.only_a)
    return Markup(
        "{steps:,.0f} steps from {a} to {b} <b>fixed {fixed:,}</b> of {wrong:,} wrong "
        "verdicts and <b>broke {broken:,}</b> of {right:,} right ones."
    ).format(steps=steps, a=a, b=b, fixed=int(overall.only_b), wrong=wrong, broken=int(overall.only_a), right=right)


def ups_and_downs(tests: pd.DataFrame) -> str:
    """Which concepts rose and which fell beyond chance (Holm's p at most .05), in words.

    >>> ups_and_downs(pd.DataFrame({"group": ["size", "count"], "gain": [-0.1, 0.2], "holm": [0.01, 0.2]}))
    'Beyond chance (Holm, p ≤ .05): better at nothing; worse at size.'
    """
    real = tests[tests["holm"] <= LEVEL].sort_values("gain")
    better = [title(str(name)) for name in real.loc[real["gain"] > 0, "group"][::-1]]
    worse = [title(str(name)) for name in real.loc[real["gain"] < 0, "group"]]
    said = (", ".join(names) or "nothing" for names in (better, worse))
    return "Beyond chance (Holm, p ≤ .05): better at {}; worse at {}.".format(*said)


def table(tests: pd.DataFrame, change: Change) -> None:
    """A row a concept: before, after, fixed, broken, the change with its interval, Holm's p."""
    a, b = change.chosen.named
    heads = Markup().join(
        Markup('<th scope="col" title="{}">{}</th>').format(tip, name)
        for name, tip in (
            ("n", "verdicts of both checkpoints"), (f"before, {a.label}", "right, per cent"),
            (f"after, {b.label}", "right, per cent"), ("✓ fixed", "wrong before, right after"),
            ("✗ broken", "right before, wrong after"),
            ("change", "points, with the 95 % interval (paired bootstrap over images)"),
            ("p, Holm", "McNemar's exact test, adjusted over these rows"),
        )
    )  # fmt: skip
    order = view.by_gain(tests)
    tests = tests.sort_values("group", key=lambda names: names.map(order.index), kind="stable")
    body = Markup().join(
        Markup(
            '<tr><th scope="row">{title}</th><td>{n:,}</td>'
            "<td>{rate_a:.1f}</td><td>{rate_b:.1f}</td>"
            '<td class="cmp-fixed">{only_b:,}</td><td class="cmp-broken">{only_a:,}</td>'
            '<td><b class="{look}">{gain}</b>'
            "<small>{low} … {high}</small></td>"
            "<td>{holm}</td></tr>"
        ).format(
            title=title(str(row.group)),
            n=row.n,
            rate_a=100 * row.rate_a,
            rate_b=100 * row.rate_b,
            only_b=row.only_b,
            only_a=row.only_a,
            look=signs.css_class(row.gain),
            gain=_points(row.gain),
            low=_points(row.low),
            high=_points(row.high),
            holm=p_cell(row.holm),
        )
        for row in lines_of(tests)
    )
    show(
        Markup(
            '<div class="fs-scroll" tabindex="0" role="region" aria-label="What changed, by concept">'
            '<table class="fs-table cmp-tests"><thead><tr><th scope="col">concept</th>{}</tr></thead>'
            "<tbody>{}</tbody></table></div>"
        ).format(heads, body)
    )


def to_compare(benchmark: stored.StoredBenchmark, change: Change) -> None:
    """The link to Compare with the same two, and the curves of their series."""
    a, b = change.chosen.named
    st.page_link(
        "pages/compare/page.py", label="Compare these two in full: tests, margins, curves", icon=":material/balance:",
        query_params={"benchmark": benchmark.name, "a": a.key, "b": b.key, "series": change.series},
    )  # fmt: skip


def _points(value: float) -> str:
    return fixed(100 * value, 1, signed=True)

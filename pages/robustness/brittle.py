"""Robustness: brittle items and near misses, counted, with what the counts rest on."""

import streamlit as st
from markupsafe import Markup

from backend.metrics.diagnosis import DEFINITIONS
from backend.metrics.statistics import Rate
from backend.store.labels.brittle import Counted
from pages.robustness import data
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import DASH, interval
from pages.shared.frame.header import chart_caption, empty, section
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show
from pages.shared.frame.tips import column_head, kind_name

LABELS = {"brittle": "brittle", "near_miss": "near misses"}


def draw(benchmark: stored.StoredBenchmark) -> None:
    """A row a model and kind; a button opens its items in Failures."""
    section("Items whose verdict hangs on the wording", "from meaning-preserving edits only")
    show(
        Markup(
            '<p class="fs-caption"><b>Brittle</b>: {}. <b>Near miss ≈</b>: {}. Both need the same model\'s scores on '
            "perturbed editions.</p>"
        ).format(DEFINITIONS["brittle"], DEFINITIONS["near_miss"])
    )
    found = data.counts(benchmark.hash)
    if not found:
        empty(
            "No model has been scored on a meaning-preserving edition of this benchmark",
            "Make some under “Drops and flips”, or type: python -m backend perturb --benchmark "
            f"{benchmark.name} --kinds typo --seeds 3, then python -m backend run --model SPEC --benchmark "
            f"'{benchmark.name}~*' --kinds itc. Near misses need eight edits of an item.",
        )
        return
    show(table(found))
    chart_caption(
        "Shares of the items that have been tested, with their 95 % interval. One scored edit is enough to test for "
        "brittleness, and more edits find more brittle items, so compare models on the same editions. A near miss "
        "needs eight."
    )
    _open(benchmark, found)


def table(found: list[Counted]) -> Markup:
    """HTML of the counts."""
    names = colours.labels(c.model for c in found)
    heads = ("editions", "edits an item", "brittle", "of them right before", "near misses")
    top = Markup().join(map(column_head, heads))
    body = Markup().join(
        Markup(
            '<tr><th scope="row">{dot}{model}'
            " <small>{kind}</small></th>"
            '<td title="{editions}">{n}</td><td>{edits:g}</td>'
            "<td>{brittle}</td><td>{right:,}</td><td>{near_miss}</td></tr>"
        ).format(
            dot=colours.dot(c.model),
            model=names[c.model],
            kind=kind_name(c.kind),
            editions=", ".join(c.editions),
            n=len(c.editions),
            edits=c.edits,
            brittle=_share(c.brittle),
            right=c.brittle_right,
            near_miss=_share(c.near_miss),
        )
        for c in found
    )
    return Markup(
        '<div class="fs-scroll"><table class="fs-table"><thead><tr><th scope="col">model</th>{}</tr></thead>'
        "<tbody>{}</tbody></table></div>"
    ).format(top, body)


def _share(rate: Rate) -> Markup:
    if rate.value is None:
        return Markup("{}<small>no item with enough edits</small>").format(DASH)
    return Markup("<b>{:,}</b><small>{}</small>").format(
        round(rate.value * rate.n), interval(rate.value, rate.n, rate.ci95)
    )


def _open(benchmark: stored.StoredBenchmark, found: list[Counted]) -> None:
    names = colours.labels(c.model for c in found)
    with st.container(horizontal=True, gap="small"):
        for c in found:
            for label, rate in (("brittle", c.brittle), ("near_miss", c.near_miss)):
                n = round((rate.value or 0) * rate.n)
                if not n:
                    continue
                st.page_link(
                    "pages/failures/page.py", icon=":material/arrow_forward:",
                    label=f"{n:,} {LABELS[label]}: {plain(names[c.model])}, {plain(kind_name(c.kind))}",
                    query_params={"benchmark": benchmark.name, "model": c.model, "kind": c.kind, "diagnosis": label,
                                  "show": "all"},
                )  # fmt: skip

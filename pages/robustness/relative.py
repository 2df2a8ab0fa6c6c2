"""Robustness: the relative drop under each edit, on a benchmark and on its fine-grained release. Folded."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from backend import written
from backend.store.robustness.relative import Drop, drops, siblings
from pages.robustness import data, to_copy
from pages.robustness.view import columns
from pages.shared.data import commands, stored
from pages.shared.drawing import colours, finding
from pages.shared.drawing.scales import scale
from pages.shared.frame import address
from pages.shared.frame.header import chart_caption, empty, section
from pages.shared.frame.tips import kind_name


def draw(benchmark: stored.StoredBenchmark) -> None:
    """Dots with intervals; computed for those who open it."""
    section("Which part of its right verdicts does each edit cost?", "after the brittleness paper, experiment 3")
    with st.expander(
        "Relative drop under edits, original and fine-grained", icon=":material/trending_down:", key="relative-drop",
        on_change="rerun",
    ) as box:  # fmt: skip
        if not box.open:
            return
        both = siblings(stored.store(), benchmark.name) or [(benchmark.name, benchmark.hash)]
        found = [drop for name, hash_ in both for drop in known(name, hash_) if drop.relative is not None]
        if not found:
            empty(
                "No model has been scored on an edition of this benchmark",
                f"Make some: {commands.edited(benchmark, ['typo'])}, then {commands.scored_edits(benchmark)}"
                f"{commands.lacking(benchmark)}",
            )
            return
        titles = {c.key: c.title for _, hash_ in both for c in columns(data.pairs(hash_))}
        st.vega_lite_chart(spec(found, titles), width="stretch", key="relative-drops", alt=alt(found, titles))
        chart_caption(
            "After the brittleness paper, experiment 3 (its results come as text in our copy): (right before − right "
            "after) / right before, all seeds of an edit together, 95 % intervals over images; judged by each "
            "protocol's headline metric. Where an edit destroys the meaning a large drop is what reading does."
            + (" Original and fine-grained stand side by side." if len(both) > 1 else "")
        )
        rules = {side: rule for _, hash_ in both for side, rule in data.rules(hash_).items()}
        name = f"flipside-{benchmark.name}-relative-drops"
        link = address.named("tab", "benchmark")
        finding.draw(to_copy.drops(found, titles, rules), "relative-drops", "relative-drops", name, link=link)


@stored.kept("Counting what edits cost …")
def known(name: str, benchmark: str) -> list[Drop]:
    """Drops of a benchmark, see `relative.drops`."""
    return drops(stored.store(), name, benchmark)


def alt(found: Sequence[Drop], titles: dict[str, str]) -> str:
    """The chart in words."""
    told = (f"{colours.label(d.model)}, {titles.get(d.column, d.column)} {written.percent(d.relative)}" for d in found)
    return "Relative drop under edits: " + "; ".join(told)


def spec(found: Sequence[Drop], titles: dict[str, str]) -> dict[str, Any]:
    """Edits downwards, a row a model and kind in each; dots with intervals."""
    names, shades = colours.labels(d.model for d in found), colours.of_models(d.model for d in found)
    several = len({d.benchmark for d in found}) > 1
    rows = [
        {"edit": titles.get(d.column, d.column), "model": names[d.model], "value": d.relative, "n": d.n,
         "said": written.percent(d.relative),
         "who": f"{names[d.model]}, {kind_name(d.kind)}" + (f", {d.benchmark}" if several else ""),
         "low": (d.ci95 or (d.relative,) * 2)[0], "high": (d.ci95 or (d.relative,) * 2)[1], "of": d.benchmark}
        for d in found
    ]  # fmt: skip
    listed = colours.order(names)
    x = {
        "type": "quantitative",
        "title": "relative drop",
        "axis": {"format": "%"},
        "scale": scale(rows, "low", "high", "value", zero=True),
    }
    y = {"field": "edit", "type": "nominal", "title": None, "axis": {"labelLimit": 220}}
    offset = {"field": "who", "type": "nominal"}
    colour = {"field": "model", "type": "nominal", "legend": {"title": None, "orient": "top"},
              "scale": {"domain": [names[m] for m in listed], "range": [shades[m] for m in listed]}}  # fmt: skip
    dots: dict[str, Any] = {"x": {**x, "field": "value"}, "y": y, "yOffset": offset, "color": colour}
    dots["tooltip"] = [{"field": "who"}, {"field": "edit"}, {"field": "said", "title": "value"}, {"field": "n"}]
    if several:
        dots["shape"] = {"field": "of", "type": "nominal", "legend": {"title": None, "orient": "top"}}
    return {
        "height": {"step": 14}, "data": {"values": rows},
        "layer": [
            {"mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.7}, "encoding": {
                "x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": y, "yOffset": offset, "color": colour}},
            {"mark": {"type": "point", "filled": True, "size": 55, "opacity": 1}, "encoding": dots},
        ],
    }  # fmt: skip

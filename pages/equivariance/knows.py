"""Base rates beside losses: what a model knows of the quads, with chance, beside what it loses to each bias, with luck.

A small loss is no merit of a model that has nothing to lose: so the scores stand first, and each against its chance.
"""

from collections.abc import Mapping, Sequence

import pandas as pd
from markupsafe import Markup, escape

from backend import written
from backend.metrics.core.registry import by_name
from backend.metrics.reasons.names import MEANINGS, NAMES
from backend.metrics.statistics import Rate, wilson
from backend.store.reasons import plane
from backend.store.reasons.plane import Lost
from pages.equivariance import parts
from pages.equivariance.reasons_view import LOOKS
from pages.shared.data import stored
from pages.shared.drawing import colours, heatmap, signs
from pages.shared.drawing.facts import facts
from pages.shared.drawing.numbers import count
from pages.shared.frame import model_link
from pages.shared.frame.tips import column_head, metric_tip

#: What a model knows of a quad, the strictest last; "group_match" is γ > 0, counted by `Lost.share`.
KNOWN = ("text_score", "image_score", "group_match", "group_score")
#: Heads of the upper table with their tips.
_KNOWS = {
    "what it knows": "The scores of a quad; the group score is the strictest.",
    "right": "Share of the quads that are right by the score; ties fail. ○: its 95 % interval holds chance, ▼: it lies "
    "below.",
    "chance": "How often a model whose four scores are random would be right.",
}
_SHAPES = {"circle": "", "triangle-up": "up", "diamond": "diamond", "square": "square", "x": "cross"}


def rates(frame: pd.DataFrame, found: Lost) -> dict[str, Rate]:
    """Each of KNOWN of one model. frame: its quads (`parts.own`); found: its losses on the same quads."""
    known, share = parts.rates_of(frame), found.share
    match = Rate(share.plus / share.n, share.n, share.n - share.plus - share.minus, wilson(share.plus, share.n))
    return {name: known.get(name, match) for name in KNOWN}


@stored.kept()
def counted(run: str, kind: str, category: str) -> tuple[Lost, dict[str, Rate]]:
    """What a run's quads of a category lose, and what the model knows of them (see `rates`)."""
    found = plane.lost(parts.reasons_of(run, kind, category))
    return found, rates(parts.of_run(run, kind, "raw", category), found)


def table(found: Lost, known: Mapping[str, Rate]) -> Markup:
    """What the model in focus knows and loses, as HTML: its scores with chance, then the cells with luck."""
    body = Markup()
    for name, rate in known.items():
        chance = by_name(name).level()
        body += Markup('<tr title="{}"><th scope="row">{}</th><td>{}</td><td>{}</td></tr>').format(
            metric_tip(name), name.replace("_", " "), _rate(rate, chance),
            written.DASH if chance is None else written.percent(chance),
        )  # fmt: skip
    losses = Markup()
    for name, (items, decoys) in found.cells.items():
        colour, symbol = LOOKS[name]
        losses += Markup(
            '<tr title="{}"><th scope="row"><i class="fs-dot{}" style="background:{}"></i>{}</th><td><b>{}</b></td>'
            "<td>{}</td></tr>"
        ).format(
            MEANINGS[name], f" fs-{_SHAPES[symbol]}" if _SHAPES[symbol] else "", colour, NAMES[name],
            facts(written.percent(items / found.n, found.n), n=items),
            written.DASH if name == "no_binding" else written.percent(decoys / found.n, found.n),
        )  # fmt: skip
    heads = Markup().join(
        Markup('<th scope="col" title="{}">{}</th>').format(tip, name) for name, tip in _KNOWS.items()
    )
    return Markup(
        '<table class="fs-table fs-knows"><thead><tr>{}</tr></thead><tbody>{}</tbody></table>'
        '<table class="fs-table fs-cells"><thead><tr>{}</tr></thead><tbody>{}</tbody></table>'
    ).format(heads, body, Markup().join(map(column_head, ("cell", "quads", "luck alone"))), losses)


def everyone(
    lines: Sequence[tuple[str, Mapping[str, Rate], Lost]], focus: str, benchmark: str = ""
) -> Markup:  # fmt: skip
    """All models, a row each: what they know, with chance, beside what they lose. lines: (model, rates, losses);
    benchmark: on which the models' pages show them, "" without links."""
    names = colours.labels(model for model, _, _ in lines)
    heads = Markup().join(
        Markup('<th scope="col" title="{}">{}<br>chance {}</th>').format(
            metric_tip(name), name.replace("_", " "), written.percent(by_name(name).level() or 0.0)
        )
        for name in KNOWN
    ) + Markup().join(
        Markup('<th scope="col" title="{}">{}</th>').format(MEANINGS[cell], NAMES[cell]) for cell in LOOKS if
        cell != "right"
    )  # fmt: skip
    body = Markup()
    for model, known, found in lines:
        cells = Markup().join(
            Markup("<td>{}</td>").format(_rate(rate, by_name(name).level())) for name, rate in known.items()
        )
        cells += Markup().join(
            Markup("<td>{}<small>{}</small></td>").format(
                written.percent(found.cells[cell][0] / found.n, found.n),
                "" if cell == "no_binding" else f"luck {written.percent(found.cells[cell][1] / found.n, found.n)}",
            )
            for cell in LOOKS
            if cell != "right"
        )
        body += Markup('<tr{}><th scope="row">{}{}</th>{}</tr>').format(
            Markup(' class="fs-focus"') if model == focus else "",
            colours.dot(model),
            model_link.named(model, benchmark, names[model]),
            cells,
        )
    return Markup(
        '<div class="fs-scroll" tabindex="0" role="region" aria-label="what each model knows and loses">'
        '<table class="fs-table"><thead><tr><th scope="col">model</th>{}</tr></thead><tbody>{}</tbody></table></div>'
    ).format(heads, body)


def _rate(rate: Rate, chance: float | None) -> Markup:
    """A rate with its mark against chance (`heatmap.mark`); its interval on hover."""
    if rate.value is None:
        return escape(written.DASH)
    mark = heatmap.mark(heatmap.Cell(rate.value, rate.n, rate.ci95), chance)
    low, high = rate.ci95 or (float("nan"),) * 2
    says = {signs.DOWN: "below chance", signs.OPEN: "not to be told from chance"}
    told = facts(
        written.percent(rate.value, rate.n), n=rate.n, low=100 * low, high=100 * high, ties=rate.ties,
        note=says.get(mark, ""),
    )  # fmt: skip
    return Markup("<b>{}</b>{}").format(told, f" {mark}" if mark else "")


def seen(name: str, found: Lost, known: Mapping[str, Rate], bound: str, where: str = "", every: int | None = None
) -> Markup:  # fmt: skip
    """The one line: how often it is right, against chance, how much binds, and where most of the rest is.

    bound: how much binds, in words (`reasons.bound`); where: which quads, unless all; every: how many of them there
    are, where the model has judged fewer."""
    chance = by_name("group_score").level() or 0.0
    gone = {cell: count for cell, (count, _) in found.cells.items() if cell != "right" and count}
    most = max(gone, key=lambda cell: gone[cell], default="")
    lost = (
        Markup(" The largest loss: <b>{}</b>, {}.").format(
            NAMES[most], facts(written.percent(gone[most] / found.n, found.n), n=gone[most])
        )
        if most
        else ""
    )
    right = known["group_score"]
    of = "quads" if written.counted(right.value, right.n) else f"of {count(found.n, 'quad')}"
    return Markup("{} is right on {} {}{}, by chance on {}; {}.{}").format(
        name,
        _rate(right, chance),
        of,
        (f" of {where}" if where else "") + (f" that it has judged, of {every:,} that there are" if every else ""),
        written.percent(chance),
        bound,
        lost,
    )

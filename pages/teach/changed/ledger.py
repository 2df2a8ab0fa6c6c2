"""The ledger: what the training brought and what it cost, on everything that was scored before and after it."""

from typing import Any

import pandas as pd
from markupsafe import Markup

from backend import written
from backend.metrics.core.registry import by_name
from backend.protocols import Protocol
from backend.taxonomy import title
from backend.written import p_cell
from pages.compare.view import LEVEL
from pages.shared.data.frames import lines_of
from pages.shared.drawing.numbers import count, fixed
from pages.shared.frame.style import show
from pages.shared.frame.tips import metric_title
from pages.teach.changed import said
from pages.teach.changed.choice import FIRST, LAST, TWIN, Change

#: What a training may have cost comes first: what the model could do before it.
SECTIONS = (
    ("Retrieval", (Protocol.RETRIEVAL,)),
    ("Zero-shot classification", (Protocol.CLASSIFY,)),
    ("Composition", tuple(of for of in Protocol if of not in (Protocol.RETRIEVAL, Protocol.CLASSIFY))),
)


def summary(rows: pd.DataFrame, name: str) -> str:
    """Gains and losses apart, in words. rows: of `ledger.rows`, with Holm's p; name: of the model after.

    >>> rows = pd.DataFrame({"gain": [0.13, -0.02, 0.0], "holm": [0.001, 0.01, 1.0], "subset": ["count", "size", "a"],
    ...                      "metric": ["group_score"] * 3, "benchmark": ["world"] * 3})
    >>> summary(rows, "m")
    'Of 3 rows m gained on 1 beyond chance, +13.0 points (count), and lost on 1, −2.0 points (size); on 1 no change is \
shown.'
    """
    if rows.empty:
        return ""
    real = rows[rows["holm"] <= LEVEL]
    up, down = real[real["gain"] > 0], real[real["gain"] < 0]
    rest = len(rows) - len(up) - len(down)
    last = f"; on {rest} no change is shown" if rest else ""
    told = f"Of {count(len(rows), 'row')} {name} "
    if not len(up) + len(down):
        return f"{told}changed on none beyond chance (Holm, p ≤ .05)."
    return f"{told}gained on {_sum(up, 'beyond chance')} and lost on {_sum(down)}{last}."


def _sum(rows: pd.DataFrame, beyond: str = "") -> str:
    """So many rows, their changes added up, and the largest of them."""
    words = f"{len(rows)} {beyond}".rstrip() if len(rows) else f"none {beyond}".rstrip()
    comma = "," if beyond and len(rows) else ""
    if not len(rows):
        return words
    most = rows.iloc[int(rows["gain"].abs().to_numpy().argmax())]
    what = title(str(most["subset"]))
    total = f"{fixed(100 * float(rows['gain'].sum()), signed=True)} points"
    if len(rows) == 1:
        return f"{words}, {total} ({what})" + comma
    return f"{words}, {total} added up (most: {what}, {fixed(100 * float(most['gain']), signed=True)})" + comma


def table(rows: pd.DataFrame, change: Change, here: str) -> None:
    """A row a subset and metric, in SECTIONS. here: the name of the benchmark that the page is on."""
    twin = change.named[TWIN].label if change.has_twin else ""
    plain = bool(twin) and change.from_base
    before, after = change.named[FIRST].label, change.named[LAST].label
    heads = [
        ("n", "verdicts that all have"),
        (f"before, {before}", "right, per cent"),
        (f"after, {after}", "right, per cent"),
        ("change", "points, with the 95 % interval (random halves of the images)"),
        ("p, Holm", "of the change: exact paired test over images, adjusted over all rows"),
    ]
    if plain:
        heads.append((f"plain training, {twin}", "its change from before on the same verdicts, points"))
    if twin:
        tip = "after − plain training on the same verdicts, points, with its 95 % interval; p in the tip"
        heads.append(("the method’s own", tip))
    body = Markup()
    for name, protocols in SECTIONS:
        own = rows[rows["protocol"].isin([str(of) for of in protocols])]
        if own.empty:
            continue
        body += Markup('<tr class="tc-section"><th scope="rowgroup" colspan="{}">{}</th></tr>').format(
            len(heads) + 1, name
        )
        body += Markup().join(_line(row, here, plain, bool(twin)) for row in lines_of(own))
    columns = Markup().join(Markup('<th scope="col" title="{}">{}</th>').format(tip, name) for name, tip in heads)
    show(
        Markup(
            '<div class="fs-scroll" tabindex="0" role="region" aria-label="What the training cost">'
            '<table class="fs-table cmp-tests tc-ledger"><thead><tr><th scope="col" title="benchmark, subset and '
            'metric">scored on</th>{}</tr></thead><tbody>{}</tbody></table></div>'
        ).format(columns, body)
    )


def _line(row: Any, here: str, plain: bool, twin: bool) -> Markup:
    where = title(str(row.subset)) if row.benchmark == here else f"{row.benchmark} · {title(str(row.subset))}"
    first = Markup('<tr><th scope="row" title="{}">{}<small>{}</small></th>').format(
        by_name(str(row.metric)).formula, where, metric_title(str(row.metric))
    )
    cells = Markup("<td>{:,}</td><td>{}</td><td>{}</td>").format(row.n, fixed(100 * row.before), fixed(100 * row.after))
    cells += _change(row.gain, row.low, row.high, row.p, row.holm, row.n) + Markup("<td>{}</td>").format(
        p_cell(row.holm)
    )
    if plain:
        cells += _change(row.plain, row.plain_low, row.plain_high, None, 1.0, row.n)
    if twin:
        cells += _change(row.extra, row.extra_low, row.extra_high, row.extra_p, row.extra_holm, row.n)
    return first + cells + Markup("</tr>")


def _change(value: float, low: float, high: float, p: float | None, adjusted: float, n: int) -> Markup:
    if value != value:
        return Markup('<td class="tc-none" title="the plain training has no score here">–</td>')
    test = f"; {written.p_value(p)}, exact paired test, {written.p_value(adjusted, 'Holm’s p')} over the rows"
    return Markup('<td title="{}"><b class="{}">{}</b><small>{}</small></td>').format(
        f"n = {n:,}" + (test if p is not None else ""), said.look(value, adjusted),
        fixed(100 * value, 1, signed=True), written.ends((low, high), signed=True),
    )  # fmt: skip

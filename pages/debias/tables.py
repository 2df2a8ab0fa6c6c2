"""The tables of Debias: where α* lies, how far prior sources agree."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from markupsafe import Markup

from backend import written
from backend.metrics.alpha import star_number
from backend.prior_names import prior_name
from backend.taxonomy import title
from backend.written import percent
from pages.debias.curves import curve_of
from pages.debias.options import ALL
from pages.shared.data import commands, stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing.numbers import DASH, count, interval, pieces
from pages.shared.frame.header import chart_caption, empty
from pages.shared.frame.style import show
from pages.shared.frame.tips import column_head

#: The columns of α*: whose, on all items, and chosen on the dev half.
WHOSE = ("foils", "P(t) from")
WHOLE = ("best α* on all, plateau", "value", "at α = 0", "at α = 1 (PMI)")
HELD = ("α* of the dev half", "test at it", "test at 0", "test at 1", "test gain over α = 0")


def tuned_table(
    run: str, sources: Sequence[str], norm: str, subset: str, strata: Sequence[str], metric: str, prior: str, at: str
) -> None:
    """α* on all items; chosen on the dev half and reported on the test half; and what 0 and 1 give there."""
    found = _tuned(run, tuple(sources), norm, subset, tuple(strata), metric, prior, at)
    if found is None:
        empty("No α* here", "None of the items can be judged under this setting.")
        return
    html, caption = found
    show(html)
    chart_caption(caption)


@stored.kept()
def _tuned(
    run: str, sources: tuple[str, ...], norm: str, subset: str, strata: tuple[str, ...], metric: str,
    prior: str, at: str,
) -> tuple[Markup, str] | None:  # fmt: skip
    """(HTML, caption); None without any α*."""
    rows = []
    for stratum in strata:
        for source in sources:
            found = curve_of(run, source, norm, subset, None if stratum == ALL else stratum, metric)
            if found is not None and found.best is not None:
                rows.append((stratum, source, found))
    if not rows:
        return None
    every, halves = Markup(), Markup()
    for stratum, source, found in rows:
        best, t = found.best, found.tuned
        focus = Markup(' class="fs-focus"') if (stratum, source) == (at, prior) else ""
        whole = [f"{found.curve.n:,}", best.text() if best else DASH, _pct(best.value if best else None)]
        whole += [_pct(float(found.curve.at(0.0))), _pct(float(found.curve.at(1.0)))]
        every += _row(focus, stratum, source, whole)
        if t:
            held = [star_number(t["alpha"], t["interval"]) if t.get("alpha") is not None else DASH]
            held += [_pct(t.get(name)) for name in ("test_value", "test_at_0", "test_at_1")]
            halves += _row(focus, stratum, source, [*held, _gain(t.get("test_gain"))])
    level, tuned = rows[0][2].chance, rows[0][2].tuned
    says = (
        "α* is looked for between 0 and 1. The plateau is where it holds on these items; on others it may lie far away "
        "(see the head of the page). An α chosen on the items it is reported on flatters itself"
        + (
            ": the second table chooses on the dev half and reports on the test half, the gain in points with its 95 % "
            f"interval and p ({title(rows[0][0])}: {tuned['n_dev']:,} and {count(tuned['n_test'], 'item')})."
            if tuned
            else "."
        )
        + (f" Chance is {written.percent(level)}." if level is not None else "")
    )
    first = _table([*WHOSE, "n", *WHOLE], every, "where α* lies")
    return first + (_table([*WHOSE, *HELD], halves, "α* of the dev half, on the test half") if halves else ""), says


def _row(focus: Markup | str, stratum: str, source: str, cells: Sequence[str]) -> Markup:
    inner = Markup().join(Markup("<td>{}</td>").format(pieces(cell)) for cell in cells)
    return Markup("<tr{}><th scope='row'>{}</th><td class='fs-says'>{}</td>{}</tr>").format(
        focus, title(stratum), prior_name(source), inner
    )


def agreement(frame: pd.DataFrame, benchmark: stored.StoredBenchmark) -> None:
    """How often each source and the blind model call the same caption the likelier one."""
    if frame.empty:
        empty(
            "No blind model to compare with",
            "Score one on this benchmark: python -m backend run --model bundled:lm --benchmark "
            f"{commands.words(benchmark)} --kinds prior{commands.lacking(benchmark)}",
        )
        return
    groups = list(dict.fromkeys(frame["subset"]))
    body = Markup()
    for source, rows in frame.groupby("prior", sort=False):
        cells = Markup()
        for group in groups:
            line = next(iter(lines_of(rows[rows["subset"] == group])), None)
            ci95 = (float(line.lo), float(line.hi)) if line is not None and pd.notna(line.lo) else None
            value = float(line.value) if line is not None and pd.notna(line.value) else None
            cells += Markup("<td>{}</td>").format(pieces(interval(value, int(line.n) if line is not None else 0, ci95)))
        body += Markup("<tr><th scope='row'>{}</th>{}</tr>").format(prior_name(str(source)), cells)
    reference = prior_name(str(frame["reference"].iloc[0]))
    show(_table(["P(t) from", *(group or "all" for group in groups)], body, "agreement with the blind model"))
    chart_caption(
        f"How often it agrees with {reference} on which of two captions, the truth or a foil, is more likely. A coin "
        "reaches 50 %: a P(t) no better than that takes away something other than the language prior."
    )


def _table(heads: Sequence[str], body: Markup, name: str) -> Markup:
    """name: of the region that scrolls; no two on the page are alike."""
    head = Markup().join(map(column_head, heads))
    table = Markup('<table class="fs-table"><thead><tr>{}</tr></thead><tbody>{}</tbody></table>').format(head, body)
    return Markup('<div class="fs-scroll" tabindex="0" role="region" aria-label="{}">{}</div>').format(name, table)


def _gain(found: dict[str, Any] | None) -> str:
    """A gain on the test half in points."""
    if not found or found["value"] is None:
        return DASH
    ends = written.ends(found["ci95"], signed=True)
    return f"{written.number(100 * found['value'], signed=True)} {ends}, {written.p_value(found['p'])}"


def _pct(value: float | None) -> str:
    return percent(value)

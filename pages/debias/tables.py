"""The tables of Debias: where α* lies, how far prior sources agree, what can be solved blind."""

from collections.abc import Sequence

import pandas as pd
from markupsafe import Markup

from backend.taxonomy import title
from backend.written import percent
from pages.debias.curves import curve_of
from pages.debias.options import ALL, source_name
from pages.shared.data import stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing.numbers import DASH, interval
from pages.shared.frame.header import chart_caption, empty
from pages.shared.frame.style import show
from pages.shared.frame.tips import column_head


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
    halves = any(found.tuned for _, _, found in rows)
    heads = ["foils", "P(t) from", "n", "best α* on all", "value", "at α = 0", "at α = 1 (PMI)"]
    heads += ["α* of the dev half", "test at it", "test at 0", "test at 1"] if halves else []
    body = Markup()
    for stratum, source, found in rows:
        best, tuned = found.best, found.tuned
        cells = [source_name(source), f"{found.curve.n:,}"]
        cells += [best.text() if best else DASH, _pct(best.value if best else None)]
        cells += [_pct(float(found.curve.at(0.0))), _pct(float(found.curve.at(1.0)))]
        if halves:
            t = tuned or {}
            cells += [f"{t['alpha']:.3f}" if t.get("alpha") is not None else DASH]
            cells += [_pct(t.get(name)) for name in ("test_value", "test_at_0", "test_at_1")]
        focus = Markup(' class="fs-focus"') if (stratum, source) == (at, prior) else ""
        inner = Markup().join(Markup("<td>{}</td>").format(cell) for cell in cells)
        body += Markup("<tr{}><th scope='row'>{}</th>{}</tr>").format(focus, title(stratum), inner)
    level, tuned = rows[0][2].chance, rows[0][2].tuned
    says = (
        "An α chosen on the items it is reported on flatters itself: the last columns choose on the dev half and "
        "report on the test half"
        + (f" ({title(rows[0][0])}: {tuned['n_dev']:,} and {tuned['n_test']:,} items)" if tuned else "")
        + (f". Chance is {100 * level:.1f} %." if level is not None else ".")
    )
    return _table(heads, body, "where α* lies"), says


def agreement(frame: pd.DataFrame) -> None:
    """How often each source and the blind model call the same caption the likelier one."""
    if frame.empty:
        empty(
            "No blind model to compare with",
            "Score one on this benchmark: python -m backend run --model bundled:lm --benchmark world --kinds prior",
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
            cells += Markup("<td>{}</td>").format(interval(value, int(line.n) if line is not None else 0, ci95))
        body += Markup("<tr><th scope='row'>{}</th>{}</tr>").format(source_name(str(source)), cells)
    reference = source_name(str(frame["reference"].iloc[0]))
    show(_table(["P(t) from", *(group or "all" for group in groups)], body, "agreement with the blind model"))
    chart_caption(
        f"How often it agrees with {reference} on which of two captions, the truth or a foil, is more likely. A coin "
        "reaches 50 %: a P(t) no better than that takes away something other than the language prior."
    )


def blind(shares: Sequence[stored.BlindShare]) -> None:
    """Blind-solvable shares with their intervals beside the shuffled null."""
    if not shares:
        empty("Not enough blind scorers", "At least two priors or blind models are needed on choices or triplets.")
        return
    body = Markup()
    for share in shares:
        above = share.rate.ci95 is not None and share.null is not None and share.rate.ci95[0] > share.null
        verdict = "more than chance" if above else "not more than chance"
        cells = (interval(share.rate.value, share.rate.n, share.rate.ci95), _pct(share.null), verdict)
        inner = Markup().join(Markup("<td>{}</td>").format(cell) for cell in cells)
        body += Markup("<tr><th scope='row'>{}</th>{}</tr>").format(share.subset, inner)
    show(_table(["items", "blind-solvable", "shuffled null", "so"], body, "blind-solvable shares"))
    chart_caption(
        f"Blind-solvable: at least two blind scorers ({', '.join(shares[0].scorers)}) find the truth from the texts "
        "alone, more often than where truths are shuffled between items."
    )


def _table(heads: Sequence[str], body: Markup, name: str) -> Markup:
    """name: of the region that scrolls; no two on the page are alike."""
    head = Markup().join(map(column_head, heads))
    table = Markup('<table class="fs-table"><thead><tr>{}</tr></thead><tbody>{}</tbody></table>').format(head, body)
    return Markup('<div class="fs-scroll" tabindex="0" role="region" aria-label="{}">{}</div>').format(name, table)


def _pct(value: float | None) -> str:
    return percent(value)

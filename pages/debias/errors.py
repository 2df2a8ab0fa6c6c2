"""What sampling does to P(t): a table of the sources' Monte-Carlo errors, and what they mean for rates and items."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from markupsafe import Markup

from backend import written
from backend.metrics.alpha import Best
from backend.store.alpha import montecarlo
from backend.store.queries import Setting
from backend.store.scores.setting import as_norm
from pages.shared.data import stored
from pages.shared.drawing.numbers import DASH, score
from pages.shared.frame.header import chart_caption
from pages.shared.frame.style import show
from pages.shared.frame.tips import column_head


def table(
    run: str,
    sources: Sequence[str],
    names: Sequence[str],
    norm: str,
    subset: str,
    metric: str,
    best: Best | None,
    focus: str,
) -> None:
    """One row a source: samples, how many a text's weigh like, the error of log P(t), and that of the rate at α* and
    at 1. best: α* of the source in focus."""
    alpha, star = (best.alpha, best.number()) if best else (1.0, "")
    found = _table(run, tuple(sources), tuple(names), norm, subset, metric, alpha, star, focus)
    if found is None:
        return
    html, unit = found
    show(html)
    chart_caption(
        f"P(t) is a mean over sampled images, so another sample gives another P(t). se, in {unit}: the Monte-Carlo "
        "error of log P(t) (delta method on log-mean-exp). “A text weighs like”: the effective samples of a caption, "
        "median over all captions, true and false. ±: how far that error moves the rate (images resampled). Where "
        "one or two images carry most of the weight, they decide P(t), and se is too small. A blind model samples "
        "nothing."
    )


@stored.kept()
def _table(
    run: str, sources: tuple[str, ...], names: tuple[str, ...], norm: str, subset: str, metric: str,
    alpha: float, star: str, focus: str,
) -> tuple[Markup, str] | None:  # fmt: skip
    """(HTML, unit), None without an error to show; drawing images again takes a while, so it is done once."""
    rows = []
    for source, name in zip(sources, names, strict=True):
        errors = stored.prior_errors(run, source, norm, subset)
        if errors is None:
            continue
        setting = Setting("gen", alpha, source, as_norm(norm) or "token")
        lines = montecarlo.errors_of_rates(
            stored.store(), run, setting, tuple(sorted({alpha, 1.0})), subset, near=False
        ).get(metric, [])
        rows.append((source == focus, name, errors, {line["alpha"]: line for line in lines}))
    if not rows:
        return None
    unit = rows[0][2]["unit"]
    heads = ["P(t) from", "images", "a text weighs like", "se, median", "se, largest"]
    heads += [f"rate at α* = {star}" if star and at == alpha else f"rate at α = {at:g}" for at in sorted({alpha, 1.0})]
    body = Markup().join(_row(*row, sorted({alpha, 1.0})) for row in rows)
    head = Markup().join(map(column_head, heads))
    html = Markup(
        '<div class="fs-scroll" tabindex="0" role="region" aria-label="Monte-Carlo errors of the prior">'
        '<table class="fs-table fs-errors"><thead><tr>{}</tr></thead><tbody>{}</tbody>'
        "</table></div>"
    ).format(head, body)
    return html, unit


def _row(focus: bool, name: str, errors: dict[str, Any], rates: dict[float, Any], alphas: Sequence[float]) -> Markup:
    se, size = errors["se"], errors["effective_samples"]
    sampled = not errors["reason"].startswith("a blind")
    cells = [str(errors["n_samples"]) if sampled else DASH, f"{size['median']:.1f}" if size else DASH]
    cells += [score(se["median"]), score(se["max"])] if se else [DASH, DASH]
    for alpha in alphas:
        line = rates.get(alpha)
        if line is None or line["value"] is None:
            cells.append(DASH)
            continue
        spread = "" if line["se"] is None else f" ± {written.number(100 * line['se'])}"
        cells.append(f"{written.number(100 * line['value'])}{spread} %")
    inner = Markup().join(Markup("<td>{}</td>").format(cell) for cell in cells)
    return Markup("<tr{}><th scope='row'>{}</th>{}</tr>").format(" class=fs-focus" if focus else "", name, inner)


def heading(item_id: str, line: Any) -> str:
    """An item of the flip list: where it flips, and how sure that is.

    >>> from types import SimpleNamespace as Line
    >>> heading("a/1", Line(lo=float("-inf"), lo_error=float("nan"), hi=0.5, hi_error=0.02))
    'a/1 · flips at α = 0.500 ± 0.020'
    """
    ends = [(line.lo, line.lo_error), (line.hi, line.hi_error)]
    said = [f"{end:.3f}{_error(error)}" for end, error in ends if 0 <= end <= 2]
    return f"{item_id} · flips at α = {' and '.join(said)}" if said else item_id


def _error(value: float) -> str:
    if pd.isna(value):
        return ""
    return " ± <0.001" if value < 0.0005 else f" ± {value:.3f}"


def doubt(frame: pd.DataFrame, ids: Sequence[str]) -> str:
    """How many of some items have a verdict that other images may turn: margin within two standard errors of 0.

    >>> table = pd.DataFrame({"item_id": ["a", "b"], "margin": [0.1, -1.0], "margin_error": [0.2, 0.1]})
    >>> doubt(table, ["a", "b"]), doubt(table, ["b"]), doubt(table.assign(margin_error=float("nan")), ["a"])
    ('1 of them within two standard errors of a tie', '', '')
    """
    own = frame[frame["item_id"].isin(ids)]
    n = int((own["margin"].abs() <= 2 * own["margin_error"]).sum())
    return f"{n:,} of them within two standard errors of a tie" if n else ""

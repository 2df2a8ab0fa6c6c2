"""What Debias is made of: its options, its lines and points, its tables, and the items that flip."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from backend.metrics.alpha import Intervals, flips
from backend.store.queries import AlphaCurve
from pages.parts import debias_errors, gallery, item_full, item_view, stored
from pages.parts.debias_view import Line, plane_of
from pages.parts.frames import lines_of
from pages.parts.gallery import Card
from pages.parts.header import chart_caption, empty
from pages.parts.numbers import DASH, interval, rate
from pages.parts.style import show

ALL = "all"
SHOWN = 6
NORMS = {
    "token": ("per token", "P(t) is the mean over samples (Eq. 13); both terms are divided by the token count."),
    "sum": ("sums", "neither term is divided, so long captions weigh more."),
    "paper-score": ("paper score", "Eq. 13 on Eq. 12 scores: each sample's mean per token is averaged."),
}
SOURCES_HELP = (
    "log P(t), how likely the caption is without its image.\n\n**images**: the same model under a sample of real "
    "images, averaged (VisualGPTScore, Eq. 13).\n\n**noise**: under Gaussian noise images.\n\n"
    "**lm**: a blind language model."
)
DASHES = {"images": "", "lm": "7 4", "noise": "2 3", "self": "9 3 2 3"}


def source_name(source: str) -> str:
    """A prior source in words.

    >>> source_name("images:20"), source_name("noise:3"), source_name("lm:bundled:lm")
    ('20 sampled images', '3 noise images', 'blind model lm')
    """
    head, _, rest = source.partition(":")
    if head in ("images", "noise"):
        return f"{rest} {'sampled' if head == 'images' else 'noise'} images"
    return f"blind model {rest.rsplit(':', 1)[-1].rsplit('/', 1)[-1]}" if head == "lm" else "the model itself, blind"


def subsets_of(benchmark: stored.Chosen) -> list[str]:
    """Subsets whose verdicts α can change, choices first."""
    order = ["choice", "triplet", "quad"]
    fit = [name for name, protocol in benchmark.protocols.items() if protocol in order]
    return sorted(fit, key=lambda name: order.index(benchmark.protocols[name]))


def first(subsets: Sequence[str]) -> str:
    """The subset to start with."""
    return subsets[0] if subsets else ""


def strata_of(curves: Mapping[str, AlphaCurve]) -> list[str]:
    """The perturbation tags of choices, where there are a few: the strata to look at one by one."""
    found = curves.get("accuracy")
    tags = list(dict.fromkeys(found.items["perturbation"])) if found is not None else []
    return tags if 2 <= len(tags) <= 4 else []


def curve_of(run: str, source: str, norm: str, subset: str, tag: str | None, metric: str) -> AlphaCurve | None:
    """One curve; None where the source has no scores for it."""
    return next((c for c in stored.alpha_curves(run, source, norm, subset, tag) if c.metric == metric), None)


def lines(found: Mapping[str, AlphaCurve | None], colour: str) -> list[Line]:
    """A line for each prior source: the model's colour, told apart by their dashes."""
    return [
        Line(source, source_name(source), colour, curve.sets, DASHES.get(source.partition(":")[0], "5 5"))
        for source, curve in found.items()
        if curve is not None and isinstance(curve.sets, Intervals)
    ]


def points(
    terms: tuple[pd.DataFrame, Any, Any] | None, shown: pd.Series, unit: str, triplet: bool
) -> dict[str, Any] | None:
    """The plane of all comparisons of the items whose numbers are shown."""
    if terms is None:
        return None
    items, gen, prior = terms
    keep = items["item_no"].isin(shown).to_numpy()
    gen, prior = gen[keep], prior[keep]
    if triplet:  # each paraphrase against the negative
        gen, prior = (np.concatenate([table[:, [0, 2]], table[:, [1, 2]]]) for table in (gen, prior))
    return plane_of(comparisons(np.asarray(gen), np.asarray(prior)), unit)


def comparisons(gen: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """All comparisons of items as points (prior difference, difference with the image).

    Quads (n, 2, 2): each image's own caption against the other. Choices (n, k+1): the truth, column 0, against each
    foil. Triplets are brought into that form by `points`.

    >>> comparisons(np.array([[-1.0, -2.0]]), np.array([[-3.0, -2.0]])).tolist()
    [[-1.0, 1.0]]
    """
    if gen.ndim == 3:
        own = np.stack([gen[:, 0, 0] - gen[:, 0, 1], gen[:, 1, 1] - gen[:, 1, 0]], axis=1)
        without = np.stack([prior[:, 0] - prior[:, 1], prior[:, 1] - prior[:, 0]], axis=1)
        return np.stack([without.ravel(), own.ravel()], axis=1)
    return np.stack([(prior[:, :1] - prior[:, 1:]).ravel(), (gen[:, :1] - gen[:, 1:]).ravel()], axis=1)


def flipped(benchmark: stored.Chosen, curve: AlphaCurve, alpha: float, errors: pd.DataFrame) -> None:
    """The items won and lost since α = 0, the first of each as cards. errors: of their margins and break-points."""
    if alpha == 0.0:
        empty("Nothing has flipped yet", "Move α away from 0: the items won and lost appear here.", icon="⇄")
        return
    changed = flips(curve.sets, 0.0, alpha)
    ids = curve.items["item_id"].to_numpy()
    sides = (("Won", "▲", "wrong at α = 0, right", changed.won), ("Lost", "▼", "right at α = 0, wrong", changed.lost))
    grid = st.grid(2, min_column_width=400)
    columns = (grid.cell(), grid.cell())
    for column, (word, sign, says, positions) in zip(columns, sides, strict=True):
        with column:
            kind = "fs-right" if word == "Won" else "fs-wrong"
            show(
                f'<p class="fs-flips"><span class="fs-chip {kind}">{sign} {word} <b>{len(positions):,}</b></span> '
                f"{says} at α = {alpha:.3f}</p>"
            )
            near = debias_errors.doubt(errors, list(ids[positions]))
            if near:
                chart_caption(f"Monte-Carlo: {near}.")
    opened = None
    for column, (word, _, _, positions) in zip(columns, sides, strict=True):
        with column:
            cards = [_card(benchmark, str(ids[k]), curve, errors) for k in positions[:SHOWN]]
            picked = gallery.draw(cards, f"flips-{word}", compact=True) if cards else None
            opened = opened or ((picked, positions) if picked else None)
            if len(positions) > SHOWN:
                chart_caption(f"… and {len(positions) - SHOWN:,} more; open one and walk on with →.")
    if opened:
        item_full.open_dialog(benchmark, [str(ids[k]) for k in opened[1]], opened[0])


def _card(benchmark: stored.Chosen, item_id: str, curve: AlphaCurve, errors: pd.DataFrame) -> Card:
    detail = stored.item(benchmark.hash, item_id)
    own = errors[errors["item_id"] == item_id] if curve.metric != "group_score" else errors.iloc[:0]
    line = curve.items[curve.items["item_id"] == item_id].assign(lo_error=np.nan, hi_error=np.nan).iloc[0]
    head = debias_errors.heading(item_id, own.iloc[0] if len(own) else line)
    html = item_view.card(detail, curve.metric, "gen", [], heading=head, width=64)
    return Card(item_id, html, f"item {item_id}")


def tuned_table(
    run: str, sources: Sequence[str], norm: str, subset: str, strata: Sequence[str], metric: str, prior: str, at: str
) -> None:
    """α* on all items; chosen on the dev half and reported on the test half; and what 0 and 1 give there."""
    rows = []
    for stratum in strata:
        for source in sources:
            found = curve_of(run, source, norm, subset, None if stratum == ALL else stratum, metric)
            if found is not None and found.best is not None:
                rows.append((stratum, source, found))
    if not rows:
        empty("No α* here", "None of the items can be judged under this setting.")
        return
    halves = any(found.tuned for _, _, found in rows)
    heads = ["foils", "P(t) from", "n", "best α* on all", "value", "at α = 0", "at α = 1 (PMI)"]
    heads += ["α* of the dev half", "test at it", "test at 0", "test at 1"] if halves else []
    body = ""
    for stratum, source, found in rows:
        best, tuned = found.best, found.tuned
        cells = [source_name(source), f"{found.curve.n:,}"]
        cells += [best.text() if best else DASH, _pct(best.value if best else None)]
        cells += [_pct(float(found.curve.at(0.0))), _pct(float(found.curve.at(1.0)))]
        if halves:
            t = tuned or {}
            cells += [f"{t['alpha']:.3f}" if t.get("alpha") is not None else DASH]
            cells += [_pct(t.get(name)) for name in ("test_value", "test_at_0", "test_at_1")]
        focus = ' class="fs-focus"' if (stratum, source) == (at, prior) else ""
        inner = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        body += f"<tr{focus}><th scope='row'>{escape(stratum.replace('_', ' '))}</th>{inner}</tr>"
    level = rows[0][2].chance
    show(_table(heads, body))
    chart_caption(
        "An α chosen on the items it is reported on flatters itself: the last columns choose on the dev half and "
        "report on the test half"
        + (f" ({rows[0][2].tuned['n_dev']:,} and {rows[0][2].tuned['n_test']:,} items)" if rows[0][2].tuned else "")
        + (f". Chance is {100 * level:.1f} %." if level is not None else ".")
    )


def agreement(frame: pd.DataFrame) -> None:
    """How often each source and the blind model call the same caption the likelier one."""
    if frame.empty:
        empty(
            "No blind model to compare with",
            "Score one on this benchmark: python -m backend run --model bundled:lm --benchmark world --kinds prior",
        )
        return
    groups = list(dict.fromkeys(frame["subset"]))
    body = ""
    for source, rows in frame.groupby("prior", sort=False):
        cells = ""
        for group in groups:
            line = next(iter(lines_of(rows[rows["subset"] == group])), None)
            ci95 = (float(line.lo), float(line.hi)) if line is not None and pd.notna(line.lo) else None
            value = float(line.value) if line is not None and pd.notna(line.value) else None
            cells += f"<td>{interval(value, int(line.n) if line is not None else 0, ci95)}</td>"
        body += f"<tr><th scope='row'>{escape(source_name(str(source)))}</th>{cells}</tr>"
    reference = source_name(str(frame["reference"].iloc[0]))
    show(_table(["P(t) from", *(group or "all" for group in groups)], body))
    chart_caption(
        f"Agreement with {reference} on which of two captions, the truth or a foil, is the likelier text. 50 % is no "
        "better than a coin: such a P(t) takes away something else than the language prior."
    )


def blind(shares: Sequence[stored.BlindShare]) -> None:
    """Blind-solvable shares with their intervals beside the shuffled null."""
    if not shares:
        empty("Not enough blind scorers", "At least two priors or blind models are needed on choices or triplets.")
        return
    body = ""
    for share in shares:
        above = share.rate.ci95 is not None and share.null is not None and share.rate.ci95[0] > share.null
        verdict = "more than chance" if above else "not more than chance"
        cells = (interval(share.rate.value, share.rate.n, share.rate.ci95), _pct(share.null), verdict)
        inner = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        body += f"<tr><th scope='row'>{escape(share.subset)}</th>{inner}</tr>"
    show(_table(["items", "blind-solvable", "shuffled null", "so"], body))
    chart_caption(
        f"Blind-solvable: at least two blind scorers ({', '.join(shares[0].scorers)}) find the truth from the texts "
        "alone, by more than they would when truths are shuffled between items."
    )


def _table(heads: Sequence[str], body: str) -> str:
    head = "".join(f"<th scope='col'>{escape(name)}</th>" for name in heads)
    table = f'<table class="fs-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return f'<div class="fs-scroll" tabindex="0" role="region" aria-label="table, scrolls sideways">{table}</div>'


def _pct(value: float | None) -> str:
    return rate(value, 1).rpartition(" (")[0] if value is not None else DASH

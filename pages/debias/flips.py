"""The items that flip between two α: won and lost, as cards, and the way to Failures with all of them."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st
from markupsafe import Markup

from backend.metrics.alpha import flips
from backend.store.queries import AlphaCurve
from pages.debias import errors as debias_errors
from pages.debias.options import Options
from pages.item import card_line, view
from pages.shared.data import stored
from pages.shared.drawing import gallery
from pages.shared.drawing.gallery import Card
from pages.shared.frame import to_failures
from pages.shared.frame.header import chart_caption, empty
from pages.shared.frame.style import show

SHOWN = 6
Opened = tuple[str, list[str]]


def draw(
    benchmark: stored.StoredBenchmark,
    options: Options,
    curve: AlphaCurve,
    since: float,
    alpha: float,
    errors: pd.DataFrame,
) -> Opened | None:
    """Both lists; the item that was opened with the ids that ← and → walk along. errors: of margins and break-points
    (see `stored.item_errors`)."""
    if alpha == since:
        empty(
            "Nothing has flipped: both α are the same",
            "Move α away from α₁ (or α₁ from α): the items won and lost between the two appear here.", icon="⇄",
        )  # fmt: skip
        return None
    changed = flips(curve.sets, since, alpha)
    ids = curve.items["item_id"].to_numpy()
    a, b = f"α₁ = {since:.3f}", f"α = {alpha:.3f}"
    sides = (
        ("Won", "▲", "fs-right", f"wrong at {a}, right at {b}", changed.won),
        ("Lost", "▼", "fs-wrong", f"right at {a}, wrong at {b}", changed.lost),
    )
    grid = st.grid(2, min_column_width=400)
    opened = None
    for word, sign, look, says, positions in sides:
        with grid.cell():
            named = [str(ids[k]) for k in positions]
            chip = Markup('<span class="fs-chip {}">{} {} <b>{:,}</b></span>').format(look, sign, word, len(named))
            show(Markup('<p class="fs-flips">{} {}</p>').format(chip, says))
            if near := debias_errors.doubt(errors, named):
                chart_caption(f"Monte-Carlo: {near}.")
            cards = [_card(benchmark, k, curve, errors, options.model) for k in named[:SHOWN]]
            found = gallery.draw(cards, f"flips-{word}", True)
            opened = opened or ((found, named) if found else None)
            if len(named) > SHOWN:
                chart_caption(f"… and {len(named) - SHOWN:,} more; open one and walk on with →.")
            title = f"Debias: {word.lower()} between {a} and {b}, {options.said}"
            to_failures.button(
                benchmark, named, title, f"to-failures-{word}", model=options.model, kind="gen", metric=curve.metric,
                alpha=f"{min(alpha, 1.0):g}",
            )  # fmt: skip
    if lacking := card_line.none_exists([(benchmark.protocols[options.subset], "gen")]):
        chart_caption(lacking)
    return opened


def _card(benchmark: stored.StoredBenchmark, item_id: str, curve: AlphaCurve, errors: pd.DataFrame, model: str) -> Card:
    """An item that flips; its first line says why its verdict is what it is before any prior is taken away."""
    detail = stored.item(benchmark.hash, item_id)
    own = errors[errors["item_id"] == item_id] if curve.metric != "group_score" else errors.iloc[:0]
    line = curve.items[curve.items["item_id"] == item_id].assign(lo_error=np.nan, hi_error=np.nan).iloc[0]
    head = debias_errors.heading(item_id, own.iloc[0] if len(own) else line)
    why = card_line.of_model(detail, model, curve.metric, "gen", note=", α = 0")
    html = view.card(detail, curve.metric, "gen", [], heading=head, width=64, why=why)
    return Card(item_id, html, f"item {item_id}")


def walked(ids: Sequence[str], item_id: str) -> Opened:
    """An item of a longer list, with up to a thousand of its neighbours to walk along."""
    at = ids.index(item_id)
    return item_id, list(ids[max(0, at - 500) : at + 500])

"""The items that flip between two α: won and lost, as cards, and the way to Failures with all of them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st
from markupsafe import Markup

from backend.metrics.alpha import flips
from backend.store.queries import AlphaCurve
from backend.store.scores.setting import as_norm
from pages.debias import errors as debias_errors
from pages.debias.options import Options
from pages.item import card_line, view
from pages.shared.data import stored
from pages.shared.drawing import gallery
from pages.shared.drawing.gallery import Card
from pages.shared.drawing.numbers import count
from pages.shared.frame import address, to_failures
from pages.shared.frame import alpha as taken_along
from pages.shared.frame.alpha import Taken, number
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
    a, b = f"α₁ = {_number(curve, since, 3)}", f"α = {_number(curve, alpha, 3)}"
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
                benchmark, named, title, f"to-failures-{word}", metric=curve.metric, **judged_at(options, alpha)
            )
    if lacking := card_line.none_exists([(benchmark.protocols[options.subset], "gen")]):
        chart_caption(lacking)
    return opened


def judged_at(options: Options, alpha: float) -> dict[str, str]:
    """The address of a page that judges the model's generation scores as they are judged here at α."""
    return {"model": options.model, "kind": "gen", "alpha": repr(alpha), "prior": options.prior, "norm": options.norm}


def next_steps(benchmark: stored.StoredBenchmark, options: Options, curve: AlphaCurve, since: float, at: float) -> None:
    """The way on: to the items that flip, and every page judged so. Where nothing flips, or α is 0, about α*."""
    alpha, changed = at, flips(curve.sets, since, at)
    if not (len(changed.won) or len(changed.lost)) and curve.best:
        alpha = curve.best.alpha
        changed = flips(curve.sets, since, alpha)
    ids = [str(each) for each in curve.items["item_id"].to_numpy()[np.sort(np.concatenate(changed))]]
    best = curve.best.alpha if curve.best else None

    def named(value: float) -> str:
        return f"{'α*' if value == best else 'α'} = {_number(curve, value)}"

    where = f"between α₁ = {_number(curve, since)} and {named(alpha)}" if since else f"at {named(alpha)}"
    if not ids:
        same = not since and curve.best is not None and curve.best.value == float(curve.curve.at(0.0))
        why = "no α is better than α = 0" if same else "every item keeps its verdict"
        chart_caption(f"Nothing flips {where}: {why} here.")
    elif st.button(
        f"Open the {count(len(ids), 'item')} that flip{'s' if len(ids) == 1 else ''} {where}",
        icon=":material/arrow_forward:", key="to-failures", type="primary",
    ):  # fmt: skip
        ends = f"α₁ = {_number(curve, since, 3)} and α = {_number(curve, alpha, 3)}"
        title = f"Debias: flipped between {ends}, {options.said}"
        to_failures.go(benchmark, ids, title, metric=curve.metric, **judged_at(options, alpha))
    now = taken_along.taken()
    taken_at = at or (0.0 if now else best or 0.0)
    here = Taken(taken_at, options.prior, as_norm(options.norm) or "token") if taken_at else None
    # Where each page takes its own P(t), that is the first of the model's here.
    taken = here == (now and replace(now, prior=now.prior or options.sources[0]))
    label = "Every page judges so" if taken and now else f"Judge every page at {named(taken_at)}"
    if st.button(
        label, icon=":material/check:" if taken and now else ":material/push_pin:", key="take-along", disabled=taken,
        help="Failures, Overview, Compare and the others then judge generation scores under this α, prior and "
        "normalisation; a chip at their head says so and gives it back.",
    ):  # fmt: skip
        taken_along.take(here)
        address.end()  # or the address that the click came with, which may be an older one, would be taken for a link
        st.rerun()  # the head of the page is drawn anew, too, and the slider stands at what was taken


def _number(curve: AlphaCurve, value: float, digits: int | None = None) -> str:
    """An α: α* as everywhere on this page, others with so many decimals, None for three at most."""
    if curve.best and value == curve.best.alpha:
        return curve.best.number()
    return number(value) if digits is None else f"{value:.{digits}f}"


def pinned() -> None:
    """Where an α is taken along: what the slider, which may stand elsewhere, has to do with it."""
    if now := taken_along.taken():
        chart_caption(
            f"Every page judges at {now.said()}. Moving the slider only tries others; the button takes its α along."
        )


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

"""Compare's planes of margins, what is picked there, and what Failures is asked for."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from backend.store.compare.compare import Side, against
from backend.store.queries import Setting, Shared
from pages.compare import answer, gallery, scatter
from pages.compare.opening import DEBIASED
from pages.compare.picture import draw
from pages.compare.picture import view as picture
from pages.compare.sides import Comparison, Named, name_sides, options
from pages.shared.frame import alpha
from pages.shared.frame.alpha import Taken
from tests.pages.compare.samples import ODD, benchmark, made, sides


def test_the_metric_is_named_and_of_several_each() -> None:
    found = made()
    chosen = Comparison(sides(), None, ())
    assert answer.judged_by(chosen, found) == "accuracy"
    found.frame.loc[0, "metric"] = "group_score"
    assert answer.judged_by(chosen, found) == "the headline metric of each protocol (group score, accuracy)"


def test_margins_of_a_matching_head_are_log_odds_and_gains_are_points(monkeypatch: pytest.MonkeyPatch) -> None:
    found = made()
    a, b = (Named(f"itm {n}", n, Side(n, Setting("itm")), n, "#0072b2") for n in ("x", "y"))
    plane = scatter.plane(found, (a, b), False, scatter.ends_of(found))
    assert plane.across.title == "margin of A, x (log-odds)"
    monkeypatch.setattr(gallery.stored, "store", lambda: None)
    assert "in log-odds" in gallery._chip(a, True, 7.5)
    shares = [corner.share for corner in plane.corners if re.fullmatch(r"\d+\.\d %", corner.share)]
    assert len(shares) == 4, "with one decimal: whole per cents added up to 99 or 101"
    assert "points" in picture.spoken(against(found, "concept"), sides(), "concept")
    assert "points" in draw.legend("concept", 2)


def test_the_plane_counts_every_verdict_and_draws_items_whole() -> None:
    """Three verdicts an item, one of each of three metrics in turn: every second one would be a biased half."""
    n = scatter.MOST // 2
    once = made(n)
    frame = once.frame.loc[np.repeat(np.arange(n), 3)].reset_index(drop=True)
    rng = np.random.default_rng(1)
    margin = rng.normal(size=(3 * n, 2)) + np.tile([[2.0, 2.0], [-2.0, 0.0], [0.0, 3.0]], (n, 1))
    found = Shared(frame, margin > 0, margin, (3 * n, 3 * n), ())
    plane = scatter.plane(found, sides(), False, scatter.ends_of(found))
    drawn = pd.Series(plane.points.ids).value_counts()
    assert 0.9 * scatter.MOST < drawn.sum() <= scatter.MOST
    assert set(drawn) == {3}  # all of an item's verdicts or none
    a, b = found.correct.T
    counts = [int(x.sum()) for x in (a & b, ~a & ~b, a & ~b, ~a & b)]
    assert [int(mark.name.split()[-1].replace(",", "")) for mark in plane.marks] == counts
    said = {corner.words: int(corner.more.replace(" · ", "").replace(",", "")) for corner in plane.corners}
    assert [said[name] for name in ("both right", "both wrong", "only A right", "only B right")] == counts
    assert counts[2:] == [gallery.rows_of(found, which).sum() for which in ("lost", "won")]
    a_right, b_right = plane.points.x > 0, plane.points.y > 0
    marked = np.select([a_right & b_right, ~a_right & ~b_right, a_right], [0, 1, 2], 3)
    assert (plane.points.mark == marked).all()
    # The same items in any order.
    backwards = scatter.drawn(frame["item_id"].to_numpy()[::-1])[::-1]
    assert backwards.tolist() == scatter.drawn(frame["item_id"].to_numpy()).tolist()
    # A lasso takes what lies inside it, drawn or not.
    box = {"box": [{"x": [-1e9, 1e9], "y": [-1e9, 1e9]}]}
    assert len(scatter.selected(found, box, scatter.ends_of(found))) == n
    assert scatter.selected(found, {}, (1.0, 1.0)) == []


def test_wins_come_by_distance_in_each_sides_own_unit() -> None:
    found = made()
    stretched = Shared(found.frame, found.correct, found.margin * [1, 1000], found.judged, ())
    won = gallery.rows_of(found, "won")
    order = gallery.by_distance(found, won)
    assert (found.correct[order] == [False, True]).all()
    assert len(order) == won.sum()
    assert order.tolist() == gallery.by_distance(stretched, won).tolist()


def test_verdicts_alone_are_no_margins(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of ±1 sorted its wins by the other side's margin upwards, as if the two were further apart there."""
    found = made()
    scored = sides()
    verdict = [Named(n.key, n.model, Side(n.side.run_id, Setting("verdict")), n.label, n.dot) for n in scored]
    monkeypatch.setattr(gallery.stored, "store", lambda: None)
    monkeypatch.setattr(gallery.asking_orders, "in_every_order", lambda store, run, kind: False)
    assert gallery.no_margins(Comparison(scored, None, ())) == ""
    assert gallery.sorted_by(Comparison(scored, None, ())).startswith("Sorted by how far apart the two margins are")
    plain = np.where(found.correct, 1.0, -1.0)
    half = Shared(found.frame, found.correct, np.column_stack([found.margin[:, 0], plain[:, 1]]), found.judged, ())
    one_of_each = (scored[0], verdict[1])
    assert gallery.sorted_by(Comparison(one_of_each, None, ())) == (
        f"Sorted by how far one's margin is from 0: {ODD} has verdicts without margins."
    )
    won = gallery.rows_of(half, "won")
    sizes = np.abs(half.margin[gallery.by_distance(half, won, one_of_each), 0])
    assert len(sizes) == won.sum() > 10
    assert (np.diff(sizes) <= 0).all()
    both = Shared(found.frame, found.correct, plain, found.judged, ())
    assert gallery.by_distance(both, won, verdict).tolist() == np.flatnonzero(won).tolist()
    assert gallery.sorted_by(Comparison(tuple(verdict), None, ())) == (
        f"In the benchmark's order: one and {ODD} have verdicts without margins."
    )
    assert "1.00" not in gallery._chip(verdict[1], True, 1.0)
    # A score of 1 is one, and so is a verdict that was asked for in several orders: of how many it was won.
    assert "1.00" in gallery._chip(scored[1], True, 1.0)
    monkeypatch.setattr(gallery.asking_orders, "in_every_order", lambda store, run, kind: True)
    assert all(map(gallery.has_margins, verdict))
    assert "1.00" in gallery._chip(verdict[1], True, 1.0)


def test_settings_of_one_model_are_two_sides() -> None:
    known = options(benchmark())
    assert list(known) == ["itc m", "gen m", f"{DEBIASED} m", "itc n"]
    named = name_sides(benchmark(), [("gen m", "m", "gen"), (f"{DEBIASED} m", "m", DEBIASED)], 0.5, "noise:2")
    assert [entry.label for entry in named] == ["m · gen, α = 0", "m · gen, α = 0.5"]
    assert named[1].side.setting == Setting("gen", 0.5, "noise:2")
    assert named[0].colour != named[1].colour


def test_failures_is_asked_by_its_filters_only_where_they_say_the_same() -> None:
    def ask(a: str, b: str, which: str = "won", elsewhere: tuple[str, ...] = (), group: str = "any") -> Any:
        known = options(benchmark())
        chosen = Comparison(name_sides(benchmark(), [(k, *known[k]) for k in (a, b)], 1.0, None), None, ())
        return gallery.as_filter(benchmark(), chosen, elsewhere, which, "concept", group)

    assert ask("itc m", "itc n") == {
        "benchmark": "small", "model": "n", "kind": "itc", "show": "right", "other": "m", "other_is": "wrong",
    }  # fmt: skip
    assert ask("itc n", "itc m", "lost", group="size")["concept"] == ["size"]
    assert ask("gen m", "itc n") is None  # Failures would judge m by itc
    assert ask("itc n", "gen m") is not None  # n has no gen, so Failures takes its itc
    assert ask("gen m", f"{DEBIASED} m") is None
    assert ask("itc m", "itc n", elsewhere=("retrieval",)) is None
    assert ask("itc m", "itc n", "both") is None


def test_failures_is_asked_under_the_alpha_that_it_judges_by(monkeypatch: pytest.MonkeyPatch) -> None:
    known = options(benchmark())
    keys = [(k, *known[k]) for k in ("itc n", f"{DEBIASED} m", "gen m")]
    chosen = Comparison(name_sides(benchmark(), keys, 0.5, "noise:2", "sum"), None, ())
    under, plain = chosen.named[1:]
    told = {"model": "m", "kind": "gen", "alpha": "0.5", "prior": "noise:2", "norm": "sum"}
    assert gallery.judged_at(benchmark(), under) == told
    assert gallery.judged_at(benchmark(), plain) == {"model": "m", "kind": "gen"}
    assert gallery.as_filter(benchmark(), chosen, (), "won", "concept", "any") is None
    monkeypatch.setattr(alpha, "taken", lambda: Taken(0.5, "noise:2", "sum"))
    assert gallery.judged_at(benchmark(), under) == {"model": "m", "kind": "gen"}
    assert gallery.judged_at(benchmark(), plain) == {"model": "m", "kind": "gen", "alpha": "0.0"}
    assert gallery.as_filter(benchmark(), chosen, (), "won", "concept", "any") is not None

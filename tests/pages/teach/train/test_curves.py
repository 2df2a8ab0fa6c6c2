"""A log as panels: which there are, their scales and words, and what a damaged line does not do."""

from math import inf, nan

import pytest

from pages.teach.train import curves
from pages.teach.train.curves import Panel, ceiling, grid, judged, panels, points, smoothed, spoken, terms_of, thinned

HELD = {"n_quads": 200, "group_score": 0.595, "gamma": 0.05, "abs_c": 0.01, "abs_r": 0.02, "n_images": 400,
        "text_r1": 0.5}  # fmt: skip


def line(step: int, **more: object) -> dict[str, object]:
    return {"step": step, "loss": 1.0 / step, "retrieval": 0.5, "gamma": 0.03, "abs_c": 0.01, "abs_r": 0.02, **more}


LOG = [{"step": 0, "held_out": HELD}, *(line(n, eqsim=0.1) for n in range(1, 11)),
       line(11, eqsim=0.1, held_out=HELD | {"group_score": 0.7})]  # fmt: skip


def test_there_is_a_panel_for_everything_that_the_log_has() -> None:
    found = panels(LOG)
    assert {group: [p.title for p in each] for group, each in found.items()} == {
        "loss": ["Loss, in all", "L_ret, retrieval", "L_Eq, EqSim"],
        "quads": ["γ, binding", "|c|, caption bias", "|r|, image bias"],
        "held out": ["Group score", "Image → caption, R@1"],
    }
    assert panels([]) == {}
    assert list(panels([line(1, gamma=None, abs_c=None, abs_r=None)])) == ["loss"]


def test_the_three_parts_of_quads_share_one_scale_and_a_loss_begins_at_zero() -> None:
    found = panels([*LOG, line(12, gamma=-0.004)])
    assert len({(p.low, p.high) for p in found["quads"]}) == 1
    assert found["quads"][0].low < -0.004
    assert found["quads"][0].high == 0.05
    assert all(p.low == 0.0 for p in found["loss"])


def test_a_mean_is_spoken_of_where_it_is_another_line_than_the_steps() -> None:
    """A caption said “Thin: each step; bold: the mean” over one line."""
    long = [line(n) for n in range(1, 201)]
    loss = [panels(long[:n])["loss"][0] for n in (5, 200)]
    assert [curves.has_mean(panel) for panel in loss] == [False, True]
    assert [str(grid([panel], 200)).count("tr-raw") for panel in loss] == [0, 1]
    assert not curves.has_mean(panels(LOG)["held out"][0])


def test_a_rate_has_its_interval_and_room_of_twenty_points_at_least() -> None:
    group = panels(LOG)["held out"][0]
    assert group.own == ((0.0, 0.595), (11.0, 0.7))
    (_, low, high), _ = group.band
    assert (round(low, 3), round(high, 3)) == (0.526, 0.661)
    assert (group.low, group.high, group.note) == (0.5, 0.8, "n = 200")
    perfect = panels([{"step": 0, "held_out": {"n_choices": 9, "accuracy": 1.0}}])["held out"][0]
    assert perfect.high == 1.0
    assert perfect.high - perfect.low >= 0.2


def test_before_the_first_step_the_panels_stand_there_empty() -> None:
    waiting = panels([], terms=terms_of("svlc"))
    begun = panels([line(1, negatives=0.1, analogy_text=0.1, analogy_image=0.1)], terms=terms_of("svlc"))
    assert [p.title for p in waiting["loss"]] == [p.title for p in begun["loss"]]
    assert [p.title for p in waiting["quads"]] == [p.title for p in begun["quads"]]
    assert waiting["loss"][0].own == ()
    assert spoken(waiting["loss"][0]) == "Loss, in all: no step yet"
    empty = str(grid(waiting["loss"][:1], 12))
    assert ">no step yet</text>" in empty
    assert "cmp-grid" not in empty  # an axis from 0 to 1 stood there before anything was measured
    assert "cmp-grid" in str(grid(begun["loss"][:1], 12))
    judged_first = panels([LOG[0]], terms=terms_of("eqsim"))
    assert [p.title for p in judged_first["quads"]] == [p.title for p in begun["quads"]]
    assert judged_first["quads"][0].judged == ((0.0, 0.05),)


@pytest.mark.parametrize("recipe", ["baseline", "eqsim", "neg", "svlc", "binding"])
def test_the_terms_of_every_recipe_have_names(recipe: str) -> None:
    assert {"loss", "retrieval"} <= set(terms_of(recipe)) <= set(curves.LOSSES)
    assert terms_of("no such") == ()


def test_values_that_are_no_numbers_are_left_out() -> None:
    odd = [line(1, loss=nan), line(2, loss=inf), line(3, loss=None), line(4, held_out=None), line(5, held_out={})]
    assert points(odd, "loss") == ((4.0, 0.25), (5.0, 0.2))
    assert judged(odd, "group_score") == ()
    huge = [{"step": 0, "held_out": {"n_quads": -3, "group_score": 1e300}}, line(1, held_out=HELD | {"n_quads": -3})]
    assert grid(panels(huge)["held out"], 3)
    assert grid(panels([line(1, loss=nan, retrieval=nan, gamma=nan, abs_c=nan, abs_r=nan)]).get("loss", []), 0)


def test_what_is_drawn_is_bounded_and_stays_in_its_frame() -> None:
    long = tuple((float(n), float(n % 7)) for n in range(1, 50_001))
    assert len(thinned(long)) <= curves.MOST
    html = str(grid([Panel("x", long, high=1.0, smooth=True)], 10))
    assert len(html) < 30_000
    drawn = [
        float(x) for part in html.split('points="')[1:] for pair in part.split('"')[0].split() for x in pair.split(",")
    ]
    assert min(drawn) >= 0
    assert max(drawn) <= curves.WIDTH


def test_a_mean_of_neighbours_keeps_the_ends() -> None:
    flat = tuple((float(n), 2.0) for n in range(100))
    assert smoothed(flat) == flat
    step = tuple((float(n), float(n >= 50)) for n in range(100))
    assert smoothed(step)[0][1] == 0.0
    assert smoothed(step)[-1][1] == 1.0
    assert 0.0 < smoothed(step)[50][1] < 1.0


def test_a_title_is_text() -> None:
    assert "<b>x" not in str(grid([Panel("<b>x", ((1.0, 1.0),))], 2))


@pytest.mark.parametrize(("value", "top"), [(0.99, 1.0), (1.01, 1.5), (0.0005, 0.0005), (74.0, 75.0), (-3.0, 1.0)])
def test_a_scale_ends_at_a_round_number(value: float, top: float) -> None:
    assert ceiling(value) == top

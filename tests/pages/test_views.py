"""What the pages draw, as pure functions on small frames."""

import math

import numpy as np
import pandas as pd
import pytest

from backend.metrics.alpha import Intervals, curve, flips
from pages.parts import debias_view, equivariance_view, heatmap, overview_view
from pages.parts.heatmap import Cell, Column, Row


def rates(*lines: tuple[str, str, str, str, float]) -> pd.DataFrame:
    frame = pd.DataFrame(lines, columns=["model", "kind", "group", "metric", "value"])
    return frame.assign(n=100, ties=0, low=frame["value"] - 0.05, high=frame["value"] + 0.05, chance=1 / 6)


def test_a_cell_without_a_rate_is_a_dash_and_chance_is_marked() -> None:
    rows, columns = (
        [Row("m", "m", "itc", "#000000")],
        [Column("a", "a", "s", "t", 0.5), Column("b", "b", "s", "t", None)],
    )
    drawn = heatmap.view(rows, columns, {("m", "a"): Cell(0.4, 100, (0.3, 0.45), ties=2)})
    first, second = drawn["rows"][0]["cells"]
    assert second is None
    assert first["mark"] == "▾"
    assert "40.0 ± 10.0 % (n = 100), below chance, 2 ties counted as failures" in first["tip"]
    assert [c["chance"] for c in drawn["columns"]] == ["50.0 %", "–"]


def test_the_best_kind_is_chosen_on_what_all_kinds_judged() -> None:
    frame = rates(
        ("m", "itc", "relation", "group_score", 0.2),
        ("m", "itm", "relation", "group_score", 0.3),
        ("m", "itc", "retrieval", "i2t_recall_at_1", 0.9),
    )
    assert overview_view.kind_of(frame, "best") == "itm"


def test_the_grid_keeps_the_order_of_groups_and_shows_texts_beside_images() -> None:
    frame = rates(
        ("m", "t2t", "triplet", "t2t_accuracy", 0.6),
        ("m", "itc", "triplet", "i2t_accuracy", 0.5),
        ("m", "itc", "count", "group_score", 0.4),
        ("m", "itc", "relation", "group_score", 0.1),
    )
    shown = overview_view.grid(frame, ["relation", "count", "triplet"])
    assert [c.label for c in shown.columns] == ["relation", "count", "triplet", "triplet"]
    assert shown.kinds[("m\titc", "triplet\tt2t_accuracy")] == "t2t"


def test_facts_come_from_the_numbers() -> None:
    frame = rates(
        ("good", "itc", "relation", "group_score", 0.95),
        ("bad", "itc", "relation", "group_score", 0.02),
        ("good", "itc", "count", "group_score", 0.5),
        ("bad", "itc", "count", "group_score", 0.45),
    )
    facts = overview_view.notice(overview_view.grid(frame, ["relation", "count"]))
    assert facts[0] == (
        "relation separates the models most",
        "good is right on 95.0 % of relation (group score), bad on 2.0 %.",
    )
    assert facts[1][0] == "1 of 2 models fall below chance on relation"
    assert overview_view.notice(overview_view.grid(frame.iloc[:0], [])) == []


@pytest.mark.parametrize("alpha", [0.0, 0.13, 0.2, 0.5, 0.99, 1.0])
def test_the_drawn_curve_and_its_counts_are_exact(alpha: float) -> None:
    """A slow copy of what the browser computes, against the metrics."""
    rng = np.random.default_rng(3)
    ends = np.sort(rng.normal(0.4, 0.6, (200, 2)), axis=1)
    ends[:20, 0], ends[20:40, 1], ends[40] = -np.inf, np.inf, [0.2, 0.8]
    sets = Intervals(ends[:, 0], ends[:, 1])
    drawn = debias_view.one_curve(debias_view.Line("a", "a", "#000000", sets), (0.0, 1.0))
    place = sum(x < alpha for x in drawn["x"])
    on = place < len(drawn["x"]) and drawn["x"][place] == alpha
    assert (drawn["at"] if on else drawn["between"])[place] == float(curve(sets).at(alpha))
    before = [low < 0.0 < high for low, high in drawn["changing"]]
    after = [low < alpha < high for low, high in drawn["changing"]]
    won = sum(b and not a for a, b in zip(before, after, strict=True))
    lost = sum(a and not b for a, b in zip(before, after, strict=True))
    exact = flips(sets, 0.0, alpha)
    assert (won, lost) == (len(exact.won), len(exact.lost))


def test_a_plane_without_known_points_is_not_drawn() -> None:
    assert debias_view.plane([[math.nan, 1.0]], [[0.0, 1.0]], "nats") is None


def quads() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    cells = {name: rng.normal(size=30) for name in ("s11", "s12", "s21", "s22")}
    frame = pd.DataFrame(cells).assign(model="m", item_id=[f"q/{k}" for k in range(30)], subset="q")
    frame["text_score"] = (frame["s11"] > frame["s12"]) & (frame["s22"] > frame["s21"])
    frame["image_score"] = (frame["s11"] > frame["s21"]) & (frame["s22"] > frame["s12"])
    return frame.assign(v1=frame["s12"] - frame["s21"])


def test_every_quad_lies_in_the_plane_once_with_its_id() -> None:
    drawn = equivariance_view.scatter(quads(), "cosine", dark=False)
    ids = [point[0] for trace in drawn["data"] for point in trace["customdata"]]
    assert sorted(ids) == sorted(quads()["item_id"])
    point = {"points": [{"customdata": ["q/3", "q"]}, {"customdata": ["q/3", "q"]}, {}]}
    assert equivariance_view.selected_items(point) == ["q/3"]
    assert equivariance_view.selected_items(None) == []


@pytest.mark.parametrize("absolute", [False, True])
def test_violins_are_centred_at_zero_and_survive_a_model_without_values(absolute: bool) -> None:
    frame = pd.concat([quads(), quads().assign(model="nan", v1=np.nan), quads().assign(model="flat", v1=0.0)])
    names, dots = {m: m for m in ("m", "nan", "flat")}, dict.fromkeys(("m", "nan", "flat"), "#000000")
    drawn = equivariance_view.violins(
        frame, "v1", ["m", "nan", "flat"], names, dots, title="v1", unit="cosine", absolute=absolute, labels=True
    )
    low, high = drawn["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert low == (0.0 if absolute else -high)
    assert {line["model"] for line in drawn["layer"][2]["data"]["values"]} == {"m", "flat"}

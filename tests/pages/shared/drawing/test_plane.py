"""Planes on a canvas: what is packed is what was given, and the browser's arithmetic is Python's."""

from base64 import b64decode
from typing import Any

import numpy as np
import pytest

from pages.equivariance.pick import caught
from pages.shared.drawing.plane import canvas, spec
from pages.shared.drawing.plane.spec import Axis, Corner, Line, Mark, Plane, Points
from tests.pages.scripts import Script

GEOMETRY, STAMPS = "shared/drawing/plane/geometry.js", "shared/drawing/plane/stamps.js"


def plane(n: int = 50, **more: Any) -> Plane:
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, n))
    words = np.array([("one", "two", "three")[k % 3] for k in range(n)], dtype=object)
    ids = np.array([f"a/{k}" for k in range(n)], dtype=object)
    points = Points(x, y, np.arange(n) % 2, ids, words, (Line("g = ", 2 * x, " σ"),))
    corner = Corner("here", "12 %")
    marks = (Mark("right 25", "#009e73", "circle"), Mark("wrong 25", "#d55e00", "x"))
    return Plane(Axis("x", 2.0), Axis("y", 3.0), (1.9, 2.9), marks, points, (corner,) * 4, **more)


def read(text: str, kind: str) -> list[float]:
    return np.frombuffer(b64decode(text), dtype=kind).tolist()


def test_columns_are_what_was_given() -> None:
    given = plane(ringed=["a/3", "a/49", "no such"], behind=(np.array([[1.0, 2.0]]), Mark("b", "#000000", "circle")))
    found = spec.data(given, dark=True, height=300)
    points = found["points"]
    assert read(points["x"], "<f4") == given.points.x.astype(np.float32).tolist()
    assert read(points["y"], "<f4") == given.points.y.astype(np.float32).tolist()
    assert read(points["mark"], "u1") == given.points.mark.tolist()
    assert points["ids"] == list(given.points.ids)
    assert given.points.words is not None
    words = [points["words"]["names"][int(k)] for k in read(points["words"]["of"], "<u4")]
    assert words == list(given.points.words)
    assert read(points["lines"][0]["values"], "<f4") == (2 * given.points.x).astype(np.float32).tolist()
    assert read(found["ringed"], "<u4") == [3, 49]
    assert read(found["behind"]["y"], "<f4") == [2.0]
    assert (found["across"]["half"], found["up"]["half"], found["clip"]) == (2.0, 3.0, [1.9, 2.9])


def test_what_was_picked_elsewhere_is_marked_in_a_plane_that_is_drawn_already() -> None:
    """Compare's picked items were not marked after a reload, though the address named them."""
    drawn = spec.data(plane(), dark=True, height=300)
    found = spec.ringed(drawn, ["a/49", "a/3", "no such"])
    assert read(found["ringed"], "<u4") == [3, 49]
    assert found["points"] is drawn["points"], "nothing else is made anew"
    assert read(drawn["ringed"], "<u4") == read(spec.ringed(found, [])["ringed"], "<u4") == []


def test_rings_stand_round_few_points_and_many_keep_their_colours() -> None:
    """1,296 rings buried the colours of what they stood round: of many only the others fade."""
    script = Script(GEOMETRY)
    assert script("[...ringsOf(a)]", list(range(40))) == list(range(40))
    assert script("[...ringsOf(a)]", list(range(1296))) == []
    assert script("[...litOf(a, b)]", [1, 3], 5) == [0, 1, 0, 1, 0]


def test_a_version_is_of_the_points_alone() -> None:
    """The browser keeps its columns where the version is the same: rings and colours of the page come and go."""
    versions = {
        spec.data(plane(ringed=ringed), dark, 300)["points"]["version"]
        for ringed in ((), ["a/1"])
        for dark in (True, False)
    }
    assert len(versions) == 1
    assert spec.data(plane(49), True, 300)["points"]["version"] not in versions


def test_points_without_a_place_are_left_out_and_the_order_is_that_of_drawing() -> None:
    points = plane(4).points
    points.x[2] = np.nan
    some = points.some(np.array([3, 2, 0]))
    assert list(some.ids) == ["a/3", "a/0"]
    assert some.lines[0].values.tolist() == [2 * points.x[3], 2 * points.x[0]]


def test_a_mark_is_one_byte() -> None:
    many = plane()
    with pytest.raises(ValueError, match="at most 255 marks, not 256"):
        spec.data(Plane(**{**vars(many), "marks": many.marks * 128}), False, 300)


@pytest.mark.parametrize(
    "said",
    [
        None,
        "all",
        {"areas": "all"},
        {"areas": [{"kind": "lasso", "x": [0, 1], "y": [0, 1]}]},
        {"areas": [{"kind": "lasso", "x": [0.0] * 500, "y": [0.0] * 500}]},
        {"areas": [{"kind": "box", "x": [0, float("inf")], "y": [0, 1]}]},
        {"areas": [{"kind": "box", "x": [0, 1], "y": [0]}]},
        {"areas": [{"kind": "box", "x": ["a", 1], "y": [0, 1]}]},
    ],
)
def test_what_a_browser_sends_in_another_form_is_no_selection(said: Any) -> None:
    assert canvas.areas_of(said) == {}


def test_the_browser_catches_the_points_that_the_server_does() -> None:
    rng = np.random.default_rng(5)
    places = rng.normal(size=(400, 2))
    star = {"kind": "lasso", "x": [0, 2, 4, 3, 1], "y": [0, 4, 0, 3, 3]}
    loop = {"kind": "lasso", "x": rng.normal(size=20).tolist(), "y": rng.normal(size=20).tolist()}
    box = {"kind": "box", "x": [0.5, -0.5], "y": [-1.0, 0.25]}
    script = Script(GEOMETRY)
    for areas in ([star], [loop], [box], [loop, box]):
        wanted = caught(places, canvas.areas_of({"areas": areas}))
        assert wanted is not None
        found = script("a.map(([x, y]) => isCaught(x, y, b))", places.tolist(), areas)
        assert found == wanted.tolist()
        assert any(found) or areas == [star]


def test_the_nearest_point_is_found_by_the_grid() -> None:
    rng = np.random.default_rng(6)
    places = np.clip(rng.normal(size=(3000, 2)), -2, 2)
    asked = rng.uniform(-2, 2, size=(200, 2))
    reach = np.array([0.03, 0.05])
    found = Script(GEOMETRY)(
        "(() => { const g = gridOf(a, b, [2, 2], 16); return c.map(([x, y]) => nearestOf(g, a, b, x, y, d)); })()",
        places[:, 0].tolist(), places[:, 1].tolist(), asked.tolist(), reach.tolist(),
    )  # fmt: skip
    far = (((places[None] - asked[:, None]) / reach) ** 2).sum(axis=2)
    wanted = [int(row.argmin()) if row.min() <= 1 else None for row in far]
    assert found == wanted
    assert None in wanted
    assert len(set(wanted)) > 50


def test_numbers_are_said_as_before() -> None:
    """`%.3g`, with a true minus."""
    script = Script(GEOMETRY)
    values = [0.0, 1.0, 0.12345, -0.0123449, 123.456, 99.95, 0.00012345, -2.0]
    assert script("a.map(threeDigits)", values) == [f"{value:.3g}".replace("-", "−") for value in values]
    assert script("threeDigits(a)", float("nan")) == "–"


@pytest.mark.parametrize(("low", "high", "most", "values", "texts"), [
    (-1.0, 1.0, 5, [-1.0, -0.5, 0.0, 0.5, 1.0], ["−1.0", "−0.5", "0.0", "0.5", "1.0"]),
    (-0.034, 0.05, 5, [-0.02, 0.0, 0.02, 0.04], ["−0.02", "0.00", "0.02", "0.04"]),
    (-300.0, 300.0, 4, [-200.0, 0.0, 200.0], ["−200", "0", "200"]),
    (-0.48, 0.48, 3, [-0.4, -0.2, 0.0, 0.2, 0.4], ["−0.4", "−0.2", "0.0", "0.2", "0.4"]),
])  # fmt: skip
def test_ticks_are_round(low: float, high: float, most: int, values: list[float], texts: list[str]) -> None:
    found = Script(GEOMETRY)("ticksOf(a, b, c)", low, high, most)
    assert found["values"] == pytest.approx(values)
    assert Script(GEOMETRY)("a.values.map((value) => tickText(value, a.step, false))", found) == texts
    assert Script(GEOMETRY)("tickText(a, b, true)", -0.5, 0.5) == "0.5"


def test_a_stamp_covers_its_mark_and_is_cut_off_at_the_edge() -> None:
    script = Script(STAMPS)
    (_, _, whole), *_ = [row for row in script('sharesOf("square", 6, 1, 0.5, 0.5)') if row[:2] == [0, 0]]
    assert whole == 1
    covered = sum(row[2] for row in script('sharesOf("circle", 20, 1, 0.5, 0.5)'))
    assert covered == pytest.approx(np.pi * 100, rel=0.02)
    painted = script(
        """(() => {
            const bytes = new Uint8ClampedArray(4 * 12 * 12).fill(255);
            const mark = { symbol: "square", size: 6, colour: "#ff0000", opacity: 1 };
            lay(bytes, 12, 12, stampOf(mark, 1, 12, false), 0, 6);
            return Array.from(bytes);
        })()"""
    )
    pixels = np.array(painted).reshape(12, 12, 4)
    assert (pixels[6, 0] == [255, 0, 0, 255]).all()
    assert (pixels[:, 6:] == 255).all(), "what lies beyond the left edge does not come in at the right"
    assert (pixels[0] == 255).all()

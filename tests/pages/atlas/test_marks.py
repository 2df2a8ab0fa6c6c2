"""Forms and arrows of the Atlas' plane, as its script computes them, and the view of a box (plane.js)."""

import re

import numpy as np
import pytest

from backend.metrics import pareto
from pages.atlas import plane
from tests.pages.scripts import Script

#: What `svg` makes, without a document: its tag, its attributes and what is put into it.
_NODES = """(() => { globalThis.document = { createElementNS: (_, tag) => ({ tag, at: {}, in: [],
  setAttribute(name, value) { this.at[name] = value; }, append(...all) { this.in.push(...all); } }) };
  return CALL; })()"""


@pytest.fixture(scope="module")
def script() -> Script:
    return Script("atlas/marks.js")


@pytest.mark.parametrize("shape", [*plane._SHAPES, "star"])
def test_every_shape_that_python_names_has_a_form_around_its_middle(script: Script, shape: str) -> None:
    path = script("pathOf(a, b)", shape, 10)
    assert path.endswith("Z")
    if shape == "circle":
        return
    corners = [tuple(map(float, pair)) for pair in re.findall(r"(-?[\d.]+) (-?[\d.]+)", path)]
    assert len(corners) == {"square": 4, "diamond": 4, "triangle-up": 3, "star": 10}[shape]
    assert max(abs(value) for corner in corners for value in corner) <= 7.1
    assert sum(x for x, _ in corners) == pytest.approx(0, abs=0.05)
    assert sum(y for _, y in corners) == pytest.approx(0, abs=0.05)


def test_an_arrow_goes_from_beside_its_base_to_beside_the_taught_one(script: Script) -> None:
    (arrow,) = script(_NODES.replace("CALL", "arrowOf(a, b)"), [0, 0], [100, 0])
    (halo,) = script(_NODES.replace("CALL", "haloOf(a, b)"), [0, 0], [100, 0])
    line, head = arrow["in"]
    for each in (halo, line):
        assert [each["at"][name] for name in ("x1", "x2", "y1", "y2")] == [5, 85, 0, 0]
    corners = [tuple(map(float, pair)) for pair in re.findall(r"(-?[\d.]+) (-?[\d.]+)", head["at"]["d"])]
    assert corners[0] == (94, 0)  # its point stands off from the mark
    assert {x for x, _ in corners[1:]} == {85}
    assert sorted(y for _, y in corners[1:]) == [-3.8, 3.8]


@pytest.mark.parametrize("taught", [[0, 0], [8, 8], [0, -11.9]])
def test_marks_that_touch_have_no_arrow(script: Script, taught: list[float]) -> None:
    assert script(_NODES.replace("CALL", "[...arrowOf(a, b), ...haloOf(a, b)]"), [0, 0], taught) == []


def test_a_front_goes_up_or_down_before_it_goes_across() -> None:
    script = Script("atlas/layers.js")
    corners = [[10, 50], [20, 40], [30, 30]]
    at = "{ x: (v) => v, y: (v) => -v, left: 0, top: 0, width: 100, height: 100 }"
    sent = {"groups": [], "front": corners, "low": [5, 2], "high": [60, 70], "chance": [None, None]}
    (front,) = script(_NODES.replace("CALL", f"linesOf(a, {at}, new Set())"), sent)
    steps = [f"V{-y}H{x}" for x, y in corners]  # from the one axis to the other, so that one model is a corner, too
    assert front["at"]["d"] == "M5 -50" + "".join(steps) + "V-2"
    hidden = script(_NODES.replace("CALL", f"linesOf(a, {at}, new Set([FRONT]))"), {**sent, "chance": [None, 25]})
    assert [each["at"]["class"] for each in hidden] == ["chance"]


@pytest.mark.parametrize("seed", range(20))
def test_the_front_of_what_is_shown_is_the_servers(seed: int) -> None:
    """Of tables with many ties: stairs over a hidden family stood where no mark was."""
    at = np.random.default_rng(seed).integers(0, 6, (15, 2)).astype(float)
    script = Script("atlas/layers.js")
    found = script("frontOf(a)", at.tolist())
    assert found == sorted(at[pareto.front(at)].tolist())
    group = [{"x": part[:, 0].tolist(), "y": part[:, 1].tolist()} for part in (at[:5], at[5:10])]
    star = {"x": [99], "y": [99], "star": True}
    sent = {"groups": [*group, star], "front": [[1, 2]]}
    assert script("frontShown(a, new Set())", sent) == [[1, 2]]  # as it was sent
    shown = at[5:10]
    assert script("frontShown(a, new Set([0]))", sent) == sorted(shown[pareto.front(shown)].tolist())
    assert script("frontShown(a, new Set([0]))", sent | {"front": []}) == []  # none is wanted

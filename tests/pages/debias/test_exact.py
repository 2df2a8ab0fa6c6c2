"""What the α-curve works out in the browser, against `backend.metrics.alpha`: the shipped scripts, run in V8."""

from base64 import b64decode
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from backend.metrics.alpha import Intervals, Unions, curve, flips, intervals, recall_unions
from pages.debias import view
from tests.pages.scripts import Script

DOMAIN = (0.0, 1.0)
MADE = "(() => { const e = exactCurve(a, b); return %s; })()"


@pytest.fixture(scope="module")
def script() -> Script:
    return Script("debias/curve.js")


def drawn(sets: Intervals | Unions, domain: tuple[float, float] = DOMAIN) -> dict[str, Any]:
    return view.one_curve(view.Line("a", "a", "#000000", sets), domain)


def check(script: Script, sets: Intervals | Unions, domain: tuple[float, float], alphas: list[float]) -> None:
    """Values, ties, break-points and flips at and between all these α."""
    line, wanted = drawn(sets, domain), curve(sets)
    edges = wanted.breakpoints[(wanted.breakpoints > domain[0]) & (wanted.breakpoints < domain[1])]
    at = sorted({*alphas, *domain, *edges[:20].tolist()})
    found = script(
        MADE % "{ values: c.map(e.value), edges: [...e.breakpoints], ties: c.map(e.tiesAt), "
        "flips: c.flatMap((x) => [c[0], c[c.length - 1]].map((y) => e.flips(y, x))) }", line, list(domain), at,
    )  # fmt: skip
    assert found["edges"] == edges.tolist()
    if line["n"]:
        assert found["values"] == pytest.approx(np.atleast_1d(wanted.at(at)).tolist(), abs=1e-9)
    else:
        assert found["values"] == [None] * len(at)
    _, lo, hi = sets.pieces()
    inside = (hi > domain[0]) & (lo < domain[1])
    ends = np.concatenate([lo[inside], hi[inside]])
    assert found["ties"] == [int((ends == alpha).sum()) for alpha in at]
    each = [flips(sets, since, alpha) for alpha in at for since in (at[0], at[-1])]
    assert found["flips"] == [[len(one.won), len(one.lost)] for one in each]


def test_random_intervals_and_unions(script: Script) -> None:
    rng = np.random.default_rng(11)
    for n in (1, 2, 40, 300):
        gen, prior = rng.normal(-3, 1, (n, 5)), rng.normal(-3, 2, (n, 5))
        check(script, intervals(gen, prior), DOMAIN, rng.random(20).tolist())
        check(script, intervals(gen, prior), (0.0, 2.0), (2 * rng.random(20)).tolist())
        texts, right = rng.normal(-3, 2, 9), rng.random((n, 9)) < 0.4
        check(
            script,
            recall_unions(rng.normal(-3, 1, (n, 9)), texts, right, valid=DOMAIN),
            DOMAIN,
            rng.random(20).tolist(),
        )


ENDS = {
    "empty": [],
    "one item": [(0.2, 0.8)],
    "right everywhere": [(-np.inf, np.inf)],
    "right nowhere": [(np.inf, -np.inf), (3.0, 4.0), (-2.0, 0.0)],
    "undefined": [(np.nan, np.nan), (0.1, 0.4)],
    "ties": [(0.5, 0.7), (0.2, 0.5), (0.5, np.inf), (-np.inf, 0.5), (0.5, 0.7)],
    "ends of the domain": [(0.0, 1.0), (-1.0, 0.0), (1.0, 2.0), (0.0, 0.5), (0.5, 1.0)],
    "a hair apart": [(0.5, 0.5 + 1e-12), (0.5 + 1e-12, 0.6), (0.5 - 1e-16, 0.5)],
    "far and near": [(-1e300, 1e-300), (1e-300, 1e300), (5e-324, 1.0)],
}


@pytest.mark.parametrize("ends", ENDS.values(), ids=ENDS.keys())
@pytest.mark.parametrize("domain", [(0.0, 1.0), (0.0, 2.0)])
def test_degenerate_sets(script: Script, ends: list[tuple[float, float]], domain: tuple[float, float]) -> None:
    pairs = np.array(ends, dtype=np.float64).reshape(-1, 2)
    check(script, Intervals(pairs[:, 0], pairs[:, 1]), domain, [0.0, 1e-300, 0.25, 0.5, 0.5 + 1e-12, 0.999999, 1.0])


@settings(max_examples=60, deadline=None)
@given(
    some.lists(some.tuples(some.sampled_from([-np.inf, -1.0, 0.0, 0.25, 0.5, 0.75, 1.0, 2.0]),
                           some.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, 3.0, np.inf])), max_size=12)
)  # fmt: skip
def test_ends_that_meet(pairs: list[tuple[float, float]]) -> None:
    ends = np.array([(a, b) if a < b else (np.inf, -np.inf) for a, b in pairs], dtype=np.float64).reshape(-1, 2)
    check(_shared(), Intervals(ends[:, 0], ends[:, 1]), DOMAIN, [0.0, 0.1, 0.25, 0.3, 0.5, 0.6, 0.75, 1.0])


_SCRIPT: list[Script] = []


def _shared() -> Script:
    if not _SCRIPT:
        _SCRIPT.append(Script("debias/curve.js"))
    return _SCRIPT[0]


def test_n_and_p_go_to_the_middle_of_the_next_stretch(script: Script) -> None:
    sets = Intervals(np.array([0.2, 0.6]), np.array([0.4, 3.0]))  # break-points 0.2, 0.4, 0.6
    go = lambda alpha, up: script(MADE % "e.stretch(c, d)", drawn(sets), list(DOMAIN), alpha, up)  # noqa: E731
    assert [go(0.0, True), go(0.2, True), go(0.5, True), go(0.9, True)] == pytest.approx([0.3, 0.5, 0.8, 1.0])
    assert [go(1.0, False), go(0.6, False), go(0.3, False), go(0.1, False)] == pytest.approx([0.5, 0.3, 0.1, 0.0])


def test_the_drawn_stretches_are_the_steps_of_the_curve(script: Script) -> None:
    rng = np.random.default_rng(13)
    sets = intervals(rng.normal(-3, 1, (50, 4)), rng.normal(-3, 2, (50, 4)))
    found = script("stretches(exactCurve(a, b), b)", drawn(sets), list(DOMAIN))
    for start, stop, value in found:
        assert value == pytest.approx(float(curve(sets).at((start + stop) / 2)), abs=1e-9)
    assert [found[0][0], found[-1][1]] == list(DOMAIN)
    assert [each[1] for each in found[:-1]] == [each[0] for each in found[1:]]


def test_rows_of_ranges_come_sorted_and_each_item_once(script: Script) -> None:
    rng = np.random.default_rng(17)
    sets = recall_unions(rng.normal(-3, 1, (80, 9)), rng.normal(-3, 2, 9), rng.random((80, 9)) < 0.4, valid=DOMAIN)
    line = drawn(sets)
    rows = script("sortedRows(exactCurve(a, b), b)", line, list(DOMAIN))
    owner = np.frombuffer(b64decode(line["owner"]), "<i4").tolist()
    assert sorted(row["item"] for row in rows) == sorted(set(owner))
    assert sum(len(row["pieces"]) for row in rows) == len(owner)
    assert [(row["group"], row["at"]) for row in rows] == sorted((row["group"], row["at"]) for row in rows)


@pytest.mark.parametrize("span", [(0.0, 1.0), (0.4, 0.45), (0.0, 0.02), (0.613, 0.887), (0.5, 0.5)])
def test_ticks_are_round_inside_and_few(script: Script, span: tuple[float, float]) -> None:
    found = script("ticks(a, b)", *span)
    assert len(found) <= 8
    assert all(span[0] - 1e-6 <= at <= span[1] + 1e-6 and round(100 * at, 6) == round(100 * at) for at in found)
    if span[1] - span[0] >= 0.02:
        assert len(found) >= 2


def test_the_axis_holds_every_value_and_chance_where_it_is_near(script: Script) -> None:
    def reach(values: list[float | None], chance: float | None, published: list[float] | None = None) -> list[float]:
        data = {"chance": chance, "published": [{"value": value} for value in published or []]}
        return list(script("reach(a, [b.map((v) => [0, 1, v])])", data, values))

    for values in ([0.5], [0.3, 0.9], [0.0, 1.0], [0.42, 0.43, None]):
        low, high = reach(values, None)
        known = [value for value in values if value is not None]
        assert 0 <= low <= min(known) <= max(known) <= high <= 1
    assert reach([0.3, 0.35], 0.25)[0] < 0.25, "near enough to be drawn"
    assert reach([0.8, 0.9], 0.25)[0] > 0.25, "too far: it would flatten the curve"
    assert reach([0.8], None, [0.2])[0] < 0.2
    assert reach([None], None) == [0.93, 0.07] or reach([None], None)[0] >= 0, "nothing known draws nothing"


def test_a_path_of_many_steps_in_one_pixel_spans_their_extremes(script: Script) -> None:
    steps = [[k / 1000, (k + 1) / 1000, 0.2 if k % 2 else 0.8] for k in range(1000)]
    path = script("pathOf(a, (x) => 10 * x, (y) => 100 * y)", steps)
    assert path.startswith("M")
    assert "V20V80" in path
    assert path.count("L") < 25


def test_three_decimals_as_everywhere_and_what_they_leave_out(script: Script) -> None:
    """Debias said 0.870408 where everything else said 0.870."""
    assert script("a.map(shown)", [0.0, 0.5, 0.123, 0.870408, 1.0]) == ["0.000", "0.500", "0.123", "0.870", "1.000"]
    assert script("a.map(exactly)", [0.0, 0.123, 0.870408, 1.0]) == ["", "", "exactly 0.870408", ""]

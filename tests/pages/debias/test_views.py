"""What Debias draws: a slow copy of what the browser computes against the metrics, ranges in words and as bars."""

import math
from base64 import b64decode
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from streamlit.testing.v1 import AppTest

from backend.metrics import alpha as metrics
from backend.metrics.alpha import Intervals, Unions, curve, flips
from backend.metrics.alpha.gains import gain
from pages.debias import flips as flipping
from pages.debias import ranges, to_copy, view
from tests.pages import results
from tests.pages.opening import unfolded

Visit = Callable[..., AppTest]


def some_intervals(n: int = 200) -> Intervals:
    rng = np.random.default_rng(3)
    ends = np.sort(rng.normal(0.4, 0.6, (n, 2)), axis=1)
    ends[:20, 0], ends[20:40, 1], ends[40], ends[41] = -np.inf, np.inf, [0.2, 0.8], [-np.inf, np.inf]
    ends[42] = [np.inf, -np.inf]
    ends[43] = np.nan
    return Intervals(ends[:, 0], ends[:, 1])


def some_unions() -> Unions:
    rng = np.random.default_rng(5)
    gen, prior = rng.normal(-3, 1, (150, 9)), rng.normal(-3, 2, 9)
    relevance = rng.random((150, 9)) < 0.4
    return metrics.recall_unions(gen, prior, relevance, valid=(0.0, 2.0))


def decoded(text: str, form: str) -> NDArray[Any]:
    """What exact.js does with `view.encoded`."""
    return np.frombuffer(b64decode(text), dtype=form)


def right_at(drawn: dict[str, object], alpha: float) -> set[int]:
    """What exact.js does, one piece at a time."""
    owner, lo, hi = (decoded(str(drawn[k]), f) for k, f in (("owner", "<i4"), ("lo", "<f8"), ("hi", "<f8")))
    return {int(o) for o, a, b in zip(owner, lo, hi, strict=True) if a < alpha < b}


@pytest.mark.parametrize("sets", [some_intervals(), some_unions()], ids=["intervals", "unions"])
@pytest.mark.parametrize("alpha", [0.0, 0.13, 0.2, 0.5, 0.8, 0.99, 1.0, "a break-point"])
def test_the_drawn_curve_and_its_flips_are_exact(sets: Intervals | Unions, alpha: float | str) -> None:
    exact = curve(sets)
    inside = exact.breakpoints[(exact.breakpoints > 0) & (exact.breakpoints < 1)]
    at = float(inside[len(inside) // 2]) if isinstance(alpha, str) else alpha
    drawn = view.one_curve(view.Line("a", "a", "#000000", sets), (0.0, 1.0))
    right = right_at(drawn, at)
    assert (drawn["constant"] + len(right)) / drawn["n"] == float(exact.at(at))
    for since in (0.0, 0.35, 1.0):
        before, wanted = right_at(drawn, since), flips(sets, since, at)
        assert right - before == set(wanted.won.tolist())
        assert before - right == set(wanted.lost.tolist())


def test_the_best_alpha_is_written_in_one_way() -> None:
    """Small and on a narrow plateau: three significant figures and three decimals would say something else."""
    sets = Intervals(np.array([0.00298]), np.array([0.00378]))
    for bounds, best in ((sets, "0.0034"), (Intervals(np.array([0.94]), np.array([0.96])), "0.950")):
        found = curve(bounds).best()
        assert found is not None
        drawn = view.one_curve(view.Line("a", "a", "#000000", bounds), (0.0, 1.0))
        assert (drawn["best"]["number"], found.number(), found.text().split(" ")[0]) == (best, best, best)
        line = SimpleNamespace(best=found)
        assert flipping._number(line, found.alpha) == flipping._number(line, found.alpha, 3) == best  # type: ignore[arg-type]
        assert f"α = {best} (its best) of its" in to_copy.said(
            to_copy.Of("m", "accuracy", "choice", "x", "w"), curve(bounds), gain(bounds, found.alpha)
        )
    assert flipping._number(line, 0.8) == "0.8"  # type: ignore[arg-type]
    assert flipping._number(line, 0.8, 3) == "0.800"  # type: ignore[arg-type]


def test_pieces_reach_the_browser_in_the_order_of_their_items() -> None:
    drawn = view.one_curve(view.Line("a", "a", "#000000", some_unions()), (0.0, 1.0))
    owner = decoded(drawn["owner"], "<i4")
    assert (np.diff(owner) >= 0).all()
    assert (np.diff(owner) == 0).any(), "no item has two pieces, so this test shows nothing"


def test_a_view_is_known_by_what_it_draws() -> None:
    line = view.Line("a", "a", "#000000", some_intervals())
    same = view.view([line], "a", (0.0, 1.0), 0.25)
    wider = view.view([line], "a", (0.0, 2.0), 0.25)
    printed = view.view([line], "a", (0.0, 1.0), 0.25, published=[{"alpha": 1.5, "value": 0.3, "label": "x"}])
    assert same["signature"] == view.view([line], "a", (0.0, 1.0), 0.25)["signature"] == printed["signature"]
    assert wider["signature"] != same["signature"]
    assert printed["published"] == [], "a point outside the shown domain is not drawn"


def test_a_plane_without_known_points_is_not_drawn() -> None:
    assert view.plane_of(np.array([[math.nan, 1.0]]), "nats") is None


def test_a_range_is_escaped_and_says_its_verdict() -> None:
    html = ranges.row("<b>", "a & b", [(-math.inf, 0.25), (0.5, 0.75)], (0.0, 1.0), 0.6, 0.0)
    assert "&lt;b&gt;" in html
    assert "a &amp; b" in html
    assert "right (−∞, 0.250) ∪ (0.500, 0.750)" in html
    assert "✓ right" in html
    assert "left:50.0%;width:25.000%" in html
    tied = ranges.row("x", "", [(0.5, 0.75)], (0.0, 1.0), 0.5, 0.0)
    assert "✗ wrong" in tied, "an end is a tie"


def html(page: AppTest) -> str:
    return "".join(element.proto.body for element in page.get("html"))


def test_where_nothing_flips_a_line_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """A button to 0 items stood there, which nobody could press."""
    said: list[str] = []
    monkeypatch.setattr("pages.debias.flips.chart_caption", said.append)
    flat = Intervals(np.array([-np.inf] * 4), np.array([np.inf] * 3 + [-1.0]))
    of = curve(flat)
    items = pd.DataFrame({"item_id": list("abcd")})
    asked = SimpleNamespace(sources=("images:20",), prior="images:20", norm="token", said="")
    line = SimpleNamespace(sets=flat, curve=of, best=of.best(), items=items, metric="accuracy")
    flipping.next_steps(None, asked, line, 0.0, 0.0)  # type: ignore[arg-type]
    flipping.next_steps(None, asked, line, 0.9, 0.2)  # type: ignore[arg-type]
    assert said == [
        "Nothing flips at α* = 0.500: no α is better than α = 0 here.",
        "Nothing flips between α₁ = 0.9 and α* = 0.500: every item keeps its verdict here.",
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_debias_counts_flips_between_two_alphas(visit: Visit) -> None:
    page = unfolded(visit("debias", alpha="0.2", since="0.9"), "debias-flips")
    assert page.button(key="to-failures").label.endswith("between α₁ = 0.9 and α = 0.2")
    assert not page.exception
    assert "wrong at α₁ = 0.900, right at α = 0.200" in html(page)
    same = unfolded(visit("debias", alpha="0.5", since="0.5"), "debias-flips")
    assert "Nothing has flipped" in html(same)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_debias_lists_ranges_by_page_and_kind(visit: Visit) -> None:
    page = visit("debias", ranges="all", range_order="item")
    assert not page.exception
    assert page.segmented_control(key="ranges").value == "all"
    assert page.number_input(key="range_page").max > 1
    few = visit("debias", ranges="never", range_page="99999")
    assert not few.exception


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_shipped")
def test_debias_says_which_prior_to_store(visit: Visit, flipside_cache: object) -> None:
    from pathlib import Path

    from tests.store.writer import write_run

    write_run(Path(str(flipside_cache)), results.world(40), "5" * 16, ["gen"], model="fake:mute", name="small")
    said = html(visit("debias", benchmark="small"))
    assert "fake:mute has generation scores here but no P(t)" in said
    assert "--benchmark small --kinds prior" in said


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_shipped")
def test_debias_names_the_folder_that_its_command_needs(visit: Visit, flipside_cache: object) -> None:
    """Fetched results stand on item numbers: the advised run needs the files, and cannot go on with another system."""
    from pathlib import Path

    from tests.store.writer import write_run

    write_run(
        Path(str(flipside_cache)), results.world(40), "5" * 16, ["gen"], model="predictions:other", name="winoground"
    )
    said = html(visit("debias", benchmark="winoground"))
    assert "run --model bundled:captioner --benchmark winoground --data DIR --kinds gen,prior --prior images:20" in said
    assert "(DIR is the folder that holds examples.jsonl" in said
    assert "handed out by its owners only" in said

"""Monte-Carlo errors on Debias, thresholds on Overview, close pairs on Equivariance: what the store says, shown."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from backend.metrics.thresholds import threshold, threshold_curve
from pages.debias import protocol as debias_protocol
from pages.equivariance import pairs
from pages.item import priors
from pages.overview import thresholds
from tests.pages import results
from tests.pages.opening import unfolded

Visit = Callable[..., AppTest]


def html(page: AppTest) -> str:
    return "".join(element.proto.body for element in page.get("html"))


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_debias_says_how_sure_the_prior_is(visit: Visit) -> None:
    page = unfolded(visit("debias", model=results.SPEAKER, alpha="0.9"), "debias-sure", "debias-star")
    assert not page.exception
    said = html(page)
    assert "How sure is each P(t)?" in said
    assert "a text weighs like" in said
    assert "By the paper’s protocol:" in said
    assert "does not use this benchmark" in said


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_the_item_page_shows_priors_with_their_error(visit: Visit) -> None:
    page = visit("item", item="choice/1")
    assert not page.exception
    assert "How likely without the image" in html(page)
    assert "speaker · 3 sampled images" in html(page)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_overview_has_the_threshold_of_the_address(visit: Visit) -> None:
    page = visit("overview", threshold="0.25")
    assert not page.exception
    assert page.slider(key="threshold").value == 0.25
    assert "At <b>0.25</b>" in html(page)
    page.slider(key="threshold").set_value(0.75).run()
    assert "At <b>0.75</b>" in html(page)


@pytest.mark.long
def test_without_probabilities_the_overview_says_why(
    flipside_cache: Path, visit: Visit, request: pytest.FixtureRequest
) -> None:
    from tests.store.writer import write_run

    request.getfixturevalue("nothing_shipped")
    write_run(flipside_cache, results.world(60), "1" * 16, ["itc"], model=results.STRONG, name="small")
    page = visit("overview")
    page.session_state["overview-thresholds"] = True
    page.run()
    assert not page.exception
    assert "No model here gives probabilities" in html(page)
    assert "a cosine is no probability" in html(page)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_equivariance_mines_close_pairs(visit: Visit) -> None:
    page = unfolded(visit("equivariance", model=results.STRONG, k="2"), "pairs-open")
    assert not page.exception
    said = html(page)
    assert "Close pairs mined from the pool" in said
    assert "as scored (cosine)" in said
    assert "Mined, not annotated" in said
    assert page.slider(key="k").value == 2
    softmax = visit("equivariance", model=results.STRONG, scale="softmax-pool", k="2")
    softmax = unfolded(softmax, "pairs-open", "equivariance-table")
    assert any("softmax over all quads" in box.label for box in softmax.expander)
    assert "softmax over the pool’s images × first captions" in html(softmax)


@pytest.mark.parametrize("at", [0.0, 0.3, 0.5, 0.99, 1.0])
def test_the_numbers_beside_the_slider_are_exact(at: float) -> None:
    p = np.random.default_rng(0).integers(0, 100, (50, 3)) / 99
    curve = threshold_curve(p)
    assert curve is not None
    rates = threshold(p, at=at)
    found = thresholds.at(curve, at)
    for name, metric in (("pc", "pc"), ("pf", "pf"), ("accuracy", "threshold_accuracy"), ("least", "min_pc_pf")):
        assert found[name] == pytest.approx(rates[metric].value)
    where, value = thresholds.best(curve)
    assert value == pytest.approx(max(threshold(p, at=float(a))["threshold_accuracy"].value or 0 for a in curve.at))
    drawn = thresholds.spec(curve, at)["layer"][0]["data"]["values"]
    assert {(row["threshold"], row["what"]) for row in drawn} >= {(0.0, "their mean"), (1.0, "their mean")}
    assert 0 <= where <= 1


def test_item_priors_by_hand() -> None:
    lines: list[dict[str, Any]] = [
        {"model": "m", "part": "prior@noise:2", "text_index": 0, "sample": k, "value": v, "n_tokens": 2}
        for k, v in enumerate((np.log(0.1), np.log(0.3)))
    ]
    lines.append({"model": "m", "part": "prior@lm:x", "text_index": 0, "sample": 0, "value": -4.0, "n_tokens": 2})
    lines.append({"model": "m", "part": "gen", "text_index": 0, "sample": np.nan, "value": -4.0, "n_tokens": 2})
    (_, first, cells), (_, second, blind) = priors.rows(pd.DataFrame(lines), 1)
    assert (first, second) == ("noise:2", "lm:x")
    assert cells[0][0] == pytest.approx(np.log(0.2) / 2)
    assert cells[0][1] == pytest.approx(0.5 / 2)  # w = .1, .3: sd .1414, mean .2
    assert cells[0][2] == 2
    assert blind[0][0] == -2
    assert np.isnan(blind[0][1])


def test_the_protocol_in_words() -> None:
    stats = {f"{name}_{end}": 0.5 for name in ("alpha", "value", "at_0", "at_1") for end in ("mean", "std")}
    protocol = {
        "name": "10 random halves",
        "source": "S",
        "note": "N",
        "grid": {"step": 0.001, **stats},
        "exact": stats,
    }
    said = debias_protocol.html({"protocol": protocol, "reason": ""}, "per token, P(t) from 3 noise images")
    assert "10 random halves, α* 0.500 ± 0.500 and 50.0 ± 50.0 % on the other half (grid of 0.001)" in said
    assert "(per token, P(t) from 3 noise images)" in said
    table = {"name": "T", "source": "S", "note": "", "alpha": 0.25, "value": 0.5}
    assert "α* 0.250 gives 50.0 %" in debias_protocol.html({"protocol": table, "reason": ""}, "x")


def test_the_pairs_table_escapes_and_counts() -> None:
    frame = pd.DataFrame({name: [0.5, -0.1] for name in (
        "text_margin", "image_margin", "group_margin", *(f"{m}{e}" for m in ("v1", "v2_text", "v2_image")
                                                         for e in ("", "_scale_free", "_over_margin")))})  # fmt: skip
    said = pairs.table_html({"fake:<b>": frame}, "fake:<b>", "cosine")
    assert "<td>2</td><td><b>50.0</b></td>" in said
    assert "<b></th>" not in said


def test_the_area_beside_the_threshold_is_the_reports_auroc() -> None:
    from backend.metrics.auroc import auroc
    from backend.metrics.thresholds import threshold_curve

    rng = np.random.default_rng(2)
    p = rng.integers(0, 6, (40, 3)) / 5  # many equal scores, 0 and 1 among them
    curve = threshold_curve(p)
    assert curve is not None
    assert thresholds.area(curve) == pytest.approx(auroc(p).value, abs=1e-12)

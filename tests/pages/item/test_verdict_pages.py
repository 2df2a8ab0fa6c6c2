"""Pages over a run of forced choices alone: what they say is shown, and what they do not say is not."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from backend.engine.runner import run
from backend.live.scoring import pool
from backend.live.scoring.scoring import RUNS_ONLY, score
from pages.item.view import shares_chosen
from tests.engine.samples import mixed

MODEL = "fake:ok/verdict"
Visit = Callable[..., AppTest]


def html(page: AppTest) -> str:
    return "".join(element.proto.body for element in page.get("html"))


@pytest.fixture
def chosen(flipside_cache: Path, tmp_path: Path, nothing_shipped: None) -> Path:
    """A cache with one run of verdicts on every protocol that has them."""
    run(MODEL, mixed(tmp_path / "p", 12), ["verdict"], root=flipside_cache)
    return flipside_cache


@pytest.mark.slow
@pytest.mark.usefixtures("chosen")
def test_overview_shows_quads_by_their_text_score_only(visit: Visit) -> None:
    page = visit("overview", benchmark="mixed", by="subset")
    assert not page.exception
    page.session_state["all-rates"] = True
    table = page.run().dataframe[0].value
    assert "verdict" in set(table["kind"].astype(str)) | set(map(str, table.to_numpy().ravel()))
    said = " ".join(map(str, table.to_numpy().ravel()))
    assert "Text score" in said or "text_score" in said
    assert "Group score" not in said
    assert not visit("overview", benchmark="mixed", quads="text_score", score="verdict").exception


@pytest.mark.long
@pytest.mark.usefixtures("chosen")
def test_failures_are_listed_by_the_text_score(visit: Visit) -> None:
    page = visit("failures", benchmark="mixed", model=MODEL, kind="verdict", subset="quad", show="all")
    assert not page.exception
    page.session_state["export"] = True
    assert page.run().caption[0].value == "12 rows · margins in strict share of orders · verdict"


@pytest.mark.slow
@pytest.mark.usefixtures("chosen")
def test_an_item_shows_who_won(visit: Visit) -> None:
    for name in ("tri/1", "quad/1", "choice/1", "pool/1"):
        page = visit("item", benchmark="mixed", item=name)
        assert not page.exception
        if name != "pool/1":
            assert "forced choice (verdict)" in html(page)
    assert "Text score" in html(visit("item", benchmark="mixed", item="quad/1"))


@pytest.mark.long
@pytest.mark.usefixtures("chosen")
def test_there_is_no_equivariance_of_choices(visit: Visit) -> None:
    page = visit("equivariance", benchmark="mixed", kind="verdict")
    assert not page.exception
    assert "No score says how alike image and caption are" in html(page)
    assert not visit("debias", benchmark="mixed").exception


def test_shares_of_contests() -> None:
    contests = pd.DataFrame(
        {"image_index": [0, 0, 1], "text_index": [0, 1, 0], "text_index_b": [2, 2, 1], "value": [1.0, 0.5, 0.0]}
    )
    np.testing.assert_array_equal(shares_chosen(contests, (2, 3), each=False), [[1.0, 0.5, 0.25], [0.0, 1.0, np.nan]])


def test_choices_are_not_scored_live() -> None:
    found = score(pool.Pool(), MODEL, [Image.new("RGB", (8, 8))], ["a", "b"], "noise:3")
    assert (found.nothing, found.matrices, found.problem) == (RUNS_ONLY, {}, "")
    both = score(pool.Pool(), "fake:ok/verdict,itm", [Image.new("RGB", (8, 8))], ["a", "b"], "noise:3")
    assert both.nothing == ""
    assert set(both.matrices) == {"itm"}

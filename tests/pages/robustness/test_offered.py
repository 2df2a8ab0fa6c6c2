"""What Robustness offers to edit and to score: no model that cannot be run, no more items than there are."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from backend.items import Item
from backend.live.jobs import jobs
from pages.robustness import offered
from pages.shared.data.stored import StoredBenchmark
from tests.pages import results
from tests.store import writer


def benchmark(*models: str) -> StoredBenchmark:
    kinds = {model: ["itc"] for model in models}
    return StoredBenchmark("world", "h", {"a": 8}, {"a": "choice"}, dict.fromkeys(models, "r"), kinds, {})


def test_predictions_and_servers_of_others_are_not_offered(
    monkeypatch: pytest.MonkeyPatch, flipside_cache: Path
) -> None:
    """They were, wherever no other model had scores: “Models: gpt4v, Edit and score”, and both jobs failed."""
    del flipside_cache
    monkeypatch.setenv("FLIPSIDE_LIVE_MODELS", "fake:ok")
    assert offered.able(benchmark("predictions:gpt4v", "fake:ok")) == ["fake:ok"]
    assert offered.able(benchmark("predictions:gpt4v")) == []
    assert offered.able(benchmark("endpoint:http://127.0.0.1:9/v1#m", "hf:/not/there")) == []


@pytest.fixture
def few(flipside_cache: Path, nothing_shipped: None, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Eight items of the world, scored by one model."""
    del nothing_shipped
    monkeypatch.setenv("FLIPSIDE_LIVE_MODELS", "fake:ok")
    items: list[Item] = [item for item in results.world() if item.subset == "choice"][:8]
    return lambda model: writer.write_run(flipside_cache, items, "1" * 16, ["itc"], model=model, name="world") and None


def said(page: AppTest) -> str:
    return " ".join(element.proto.body for element in page.get("html"))


@pytest.mark.slow
def test_eight_items_are_all_eight(few: Callable[[str], None], visit: Callable[..., AppTest]) -> None:
    """“4 edits of 120 random items” was said of a benchmark of 8."""
    few("fake:ok")
    page = visit("robustness", benchmark="world")
    assert not page.exception
    assert "4 edits of all 8 items, 1 model" in said(page)
    next(button for button in page.button if button.key == "robust-start").click().run()
    (job,) = jobs.listing()
    assert "--sample" not in job.arguments
    assert "edit 8 items" in job.title


@pytest.mark.slow
def test_predictions_alone_say_what_their_owner_can_do(
    few: Callable[[str], None], visit: Callable[..., AppTest]
) -> None:
    few("predictions:gpt4v")
    page = visit("robustness", benchmark="world")
    assert not page.exception
    assert not [button for button in page.button if button.key == "robust-start"]
    assert "can be run from this page" in said(page)
    (typed,) = [code.value for code in page.code if "add-predictions" in code.value]
    assert "--as gpt4v --benchmark 'world~character_swap'" in typed
    assert "by one button" not in said(page)


@pytest.mark.slow
@pytest.mark.parametrize("edition", ["world~gone@3", "world"])
def test_a_link_to_an_edition_that_is_gone_says_so(
    few: Callable[[str], None], visit: Callable[..., AppTest], edition: str
) -> None:
    """Its origin stood there without a word."""
    few("fake:ok")
    page = visit("robustness", benchmark=edition)
    assert not page.exception
    assert any("asks for the edition" in toast.value for toast in page.toast) is ("gone" in edition)

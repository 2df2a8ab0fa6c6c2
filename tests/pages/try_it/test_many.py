"""Try it with many items, and many images for one prompt, without a browser."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from backend.benchmarks.items_folder.folder import own_names
from backend.engine.storage.files import read_json
from backend.live.jobs import record
from backend.live.jobs.record import Job
from backend.live.scoring.ranking import Ranked
from backend.paths import cache_dir
from pages.try_it.many import rank_view
from tests.pages.opening import unfolded


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, visit: Callable[..., AppTest]) -> Callable[..., AppTest]:
    def go(**address: Any) -> AppTest:
        monkeypatch.setenv("FLIPSIDE_LIVE_MODELS", "fake:ok/itc,gen,prior fake:raise")
        return visit("try_it", **address)

    return go


def html(page: AppTest) -> str:
    return "".join(element.proto.body for element in page.get("html"))


def press(page: AppTest, key: str) -> AppTest:
    return page.button(key=key).click().run()


@pytest.mark.slow
def test_an_example_file_is_read_and_nothing_is_saved(opened: Callable[..., AppTest]) -> None:
    page = opened(mode="many")
    assert not page.exception
    assert "Bring many items at once" in html(page)
    press(page, "try-batch-quads")
    assert not page.exception
    assert "60 items in quads" in html(page)
    assert "Not saved: custom:quads-unsaved-" in html(page)
    assert own_names() == []
    press(page, "try-discard")
    assert not page.exception
    assert "Bring many items at once" in html(page)


@pytest.mark.slow
def test_scoring_starts_one_job_a_model_with_what_it_gives(
    opened: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[list[str]] = []

    class Begun:
        job_id = "20260101T000000000000-000000"

    def start(verb: str, words: list[str], title: str) -> Begun:
        begun.append([verb, *words])
        return Begun()

    monkeypatch.setattr("backend.live.jobs.jobs.start", start)
    page = press(opened(mode="many"), "try-batch-triplets")
    press(page, "try-batch-score")
    assert not page.exception
    assert [words[0] for words in begun] == ["run", "run"]
    (first,) = [words for words in begun if "fake:ok/itc,gen,prior" in words]
    assert first[first.index("--kinds") + 1] == "itc,gen,prior"
    assert first[first.index("--prior") + 1] == "images:8"
    assert "-unsaved-" in first[first.index("--benchmark") + 1]


@pytest.mark.slow
def test_a_page_that_is_opened_again_shows_what_still_works(
    opened: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Failed before: the jobs of another session of the same items were not seen, and scoring was offered again."""
    page = press(opened(mode="many"), "try-batch-quads")
    assert not page.button(key="try-batch-score").disabled
    (head,) = (read_json(path) for path in (cache_dir() / "uploads" / "unsaved").glob("*/set/benchmark.json"))
    words = ("--model", "fake:ok", "--benchmark", head["name"], "--json")
    at = record.now()
    works = Job("20260101T000000000000-000000", "run", words, "ok on quads", created=at, queued=at)
    other = replace(
        works, job_id="20260101T000000000000-000001", arguments=("--benchmark", "winoground"), title="another set"
    )
    monkeypatch.setattr("backend.live.jobs.jobs.listing", lambda: [works, other])
    page.run()
    assert not page.exception
    assert page.button(key="try-batch-score").disabled
    assert "ok on quads" in html(page)
    assert "waiting" in html(page)
    assert "another set" not in html(page)


@pytest.mark.slow
def test_images_are_ranked_for_a_prompt_by_every_model(opened: Callable[..., AppTest]) -> None:
    page = opened(mode="rank", q="a red star", n="12")
    assert not page.exception
    assert page.text_input(key="try-prompt-1-0").value == "a red star"
    assert "Ready to rank" in html(page)
    press(page, "try-rank")
    assert not page.exception
    drawn = html(page)
    assert drawn.count('class="fs-strip"') == 2
    assert drawn.count("rank 1:") >= 2
    assert "fails on purpose" in drawn
    assert "stands first in 2 of 2 orders" in drawn or "stands first in 1 of 2 orders" in drawn
    assert "two orders correlate at" in drawn
    assert "rank correlation" not in drawn
    assert "rank correlation" in html(unfolded(page, "try-rank-agree"))
    assert any(each.label == "Download as CSV" for each in unfolded(page, "try-rank-table").get("download_button"))


def test_the_sentence_over_the_orders() -> None:
    one = Ranked("fake:a", {"itc": np.array([0.1, 0.5, 0.2])})
    other = Ranked("fake:b", {"itc": np.array([0.2, 0.9, 0.1])})
    nothing = Ranked("fake:c", {"itc": np.array([np.nan, np.nan, np.nan])})
    said = rank_view.sentence([one, other, nothing])
    assert (
        said == "Image № 2 stands first in 2 of 2 orders; on average, two orders correlate at 0.50 (1: the same order)."
    )
    assert rank_view.sentence([one]) == "Image № 2 stands first in 1 of 1 order."
    assert rank_view.sentence([one], ["a.png", "b.png", "c.png"]) == "b.png (№ 2) stands first in 1 of 1 order."
    assert rank_view.sentence([nothing]) == "No model could rank these images."


@pytest.mark.slow
def test_a_prompt_that_says_nothing_gets_one_sentence(opened: Callable[..., AppTest]) -> None:
    page = opened(mode="rank", n="12")
    page.text_input(key="try-prompt-1-0").set_value(" ").run()
    assert not page.exception
    assert "Caption 1 is empty" in page.error[0].value


@pytest.mark.slow
def test_only_score_kinds_that_look_at_images_rank(
    monkeypatch: pytest.MonkeyPatch, visit: Callable[..., AppTest]
) -> None:
    monkeypatch.setenv("FLIPSIDE_LIVE_MODELS", "fake:ok/t2t")
    page = visit("try_it", mode="rank", n="12")
    assert "Nothing to rank by" in html(page)

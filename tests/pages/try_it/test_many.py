"""Try it with many items, and many images for one prompt, without a browser."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from backend.benchmarks.items_folder.folder import own_names


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
    assert "rank correlation" in drawn


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

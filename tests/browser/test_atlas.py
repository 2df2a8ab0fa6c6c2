"""Atlas in a real Chromium: from nothing to the rates by one click, a point clicked, a model found, a link reopened."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as NotInTime

from tests.browser.stored import open_page, reads, settled, start, still
from tests.browser.test_every_page import expect_accessible
from tests.browser.test_narrow import CUT, unfold

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def dashboard(serve: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> Any:
    """A dashboard whose owner has the file at hand, on a cache to which it has not come yet."""
    if not (shared_data / "vl_compo").is_dir():
        pytest.skip("the Atlas' file is not in ../shared/data")
    folder = tmp_path_factory.mktemp("atlas")

    def with_file(**environment: str) -> Any:
        return serve(**environment, FLIPSIDE_RESULTS=str(shared_data / "vl_compo"))

    return replace(start(with_file, folder), cache=folder)


def address(page: Page) -> str:
    return str(page.evaluate("decodeURIComponent(location.search)"))


def click_point(page: Page, key: str) -> None:
    """Where Plotly drew the model of this key."""
    place = page.evaluate(
        """(key) => {
            const plot = document.querySelector(".js-plotly-plot");
            const box = plot.querySelector(".nsewdrag").getBoundingClientRect();
            const { xaxis, yaxis } = plot._fullLayout;
            for (const trace of plot._fullData) {
                const at = (trace.customdata || []).findIndex((entry) => entry[0] === key);
                if (at >= 0) return [box.x + xaxis.d2p(trace.x[at]), box.y + yaxis.d2p(trace.y[at])];
            }
        }""",
        key,
    )
    page.mouse.move(*place, steps=4)
    page.mouse.click(*place)


@pytest.mark.journey
def test_from_nothing_to_a_model_and_what_it_gained(page: Page, dashboard: Any, visitor: Callable[..., Page]) -> None:
    open_page(page, dashboard, "atlas")
    expect(page.get_by_text(re.compile("The published rates are not here yet"))).to_be_visible(timeout=60_000)
    expect(page.get_by_text(re.compile("Licence: none stated"))).to_be_visible()
    page.get_by_role("button", name="Agree and fetch").click()
    expect(page.locator(".js-plotly-plot .scatterlayer")).to_be_visible(timeout=120_000)
    expect(page.locator(".atl-said").first).to_contain_text("202 models of 15 families", timeout=90_000)
    page.locator("summary", has_text="Which benchmarks measure the same thing?").click()
    expect(page.locator(".atl-map")).to_be_visible(timeout=90_000)
    assert (dashboard.cache / "fetched" / "vl-compo" / "individual_results.csv").is_file()
    settled(page)

    heading = page.get_by_role("heading", name="This model")

    def answers() -> bool:
        """A click on a point; the plane may still have been moving under it, and then it is another model's."""
        click_point(page, "OpenCLIP/ViT-bigG-14/laion2b_s39b_b160k")
        with suppress(NotInTime):
            page.wait_for_function("location.search.includes('ViT-bigG-14')", timeout=8_000)
            heading.wait_for(timeout=8_000)
        return heading.is_visible() and "ViT-bigG-14" in page.url

    reads(page, answers, True, timeout=60_000)
    expect(page.get_by_test_id("stCode")).to_contain_text("--model openclip:ViT-bigG-14/laion2b_s39b_b160k")
    reads(page, lambda: address(page), lambda said: "entry=OpenCLIP/ViT-bigG-14/laion2b_s39b_b160k" in said)

    search = page.get_by_test_id("stSelectbox").filter(has_text="Find a model").locator("input")
    search.click()
    search.fill("negclip")
    page.get_by_role("option", name=re.compile("NegCLIP coco-ft")).click()
    expect(page.get_by_text(re.compile("Taught from ViT-B-32 openai"))).to_be_visible(timeout=60_000)
    expect(page.get_by_text("No spec runs these weights here by name")).to_be_visible()
    page.locator("summary", has_text="Where sources disagree").click()
    winoground = page.get_by_test_id("stExpander").filter(has_text="Winoground")
    for number in ("31.25", "30.75", "11.00", "10.50", "8.75", "8.00"):
        expect(winoground.get_by_text(number, exact=True).first).to_be_visible()

    expect_accessible(page)

    link = page.url.removeprefix(f"{dashboard.address}/")
    again = visitor(scheme="dark")
    again.set_viewport_size({"width": 900, "height": 1000})
    open_page(again, dashboard, link)
    expect(again.get_by_text(re.compile("Taught from ViT-B-32 openai"))).to_be_visible(timeout=90_000)
    settled(again)  # folds below the model are drawn last
    unfold(again)
    expect(again.locator(".atl-map")).to_be_visible(timeout=90_000)
    still(again)
    expect_accessible(again)
    assert again.evaluate(CUT) == []


def test_what_is_taken_away_and_left_out_is_in_the_address(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "atlas?x=winoground::text&y=winoground::image&given=zero-shot&hide=arrows")
    if page.get_by_role("button", name="Agree and fetch").count():  # this test came first
        page.get_by_role("button", name="Agree and fetch").click()
    expect(page.get_by_text(re.compile("Of 91 pairs"))).to_be_visible(timeout=120_000)
    page.locator("summary", has_text="How the plane is read").click()
    plot = page.locator(".js-plotly-plot")
    expect(plot).to_be_visible()
    settled(page)
    titles = page.evaluate("[...document.querySelectorAll('.js-plotly-plot .xtitle, .js-plotly-plot .ytitle')].length")
    assert titles == 2
    arrows = page.evaluate("(document.querySelector('.js-plotly-plot').layout.annotations || []).length")
    assert arrows == 0
    expect(page.get_by_text(re.compile("Across: n = 400 items"))).to_be_visible()

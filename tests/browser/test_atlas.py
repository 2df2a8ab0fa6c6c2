"""Atlas in a real Chromium: from nothing to the rates by one click, a point clicked, a model found, a link reopened."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as NotInTime

from backend.published.atlas import measures, reading
from tests.browser.stored import open_page, reads, settled, start, still
from tests.browser.test_every_page import expect_accessible
from tests.browser.test_narrow import CUT, unfold

pytestmark = pytest.mark.browser

#: One of its models.
MODEL = "OpenCLIP/ViT-bigG-14/laion2b_s39b_b160k"


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


def rates_of_file(shared_data: Path) -> tuple[float, float]:
    """What the file has for this model on the two axes that are shown first."""
    found = reading.read(shared_data / "vl_compo" / "individual_results.csv")
    row = found.place[MODEL]
    return tuple(float(measures.measures()[key].of(found)[row]) for key in (measures.TASKS, measures.COMPOSITION))  # type: ignore[return-value]


def plane(page: Page) -> Locator:
    return page.locator(".st-key-atlas-plane #plane")


def open_fetched(page: Page, dashboard: Any, link: str) -> Locator:
    """A link to the page with its rates, which are fetched where the first test has not done it; its plane."""
    open_page(page, dashboard, link)
    agree = page.get_by_role("button", name="Agree and fetch")
    marks = plane(page).locator(".marks").first
    expect(agree.or_(marks)).to_be_visible(timeout=60_000)
    if agree.is_visible():
        agree.click()
    expect(marks).to_be_visible(timeout=120_000)
    return plane(page)


def place_of(page: Page, key: str) -> tuple[float, float]:
    """Where the plane drew the model of this key, once it stands."""
    expect(plane(page)).to_have_attribute("data-ready", re.compile("."), timeout=60_000)
    x, y = plane(page).evaluate(
        """({ plane }, key) => {
            const box = plane.top.getBoundingClientRect();
            const [x, y] = plane.screen(plane.columns.keys.indexOf(key));
            return [box.x + x, box.y + y];
        }""",
        key,
    )
    return float(x), float(y)


def click_point(page: Page, key: str) -> None:
    """A click on the mark of this model."""
    place = place_of(page, key)
    page.mouse.move(*place, steps=4)
    page.mouse.click(*place)


@pytest.mark.journey
def test_from_nothing_to_a_model_and_what_it_gained(page: Page, dashboard: Any, visitor: Callable[..., Page]) -> None:
    open_page(page, dashboard, "atlas")
    expect(page.get_by_text(re.compile("The published rates are not here yet"))).to_be_visible(timeout=60_000)
    expect(page.get_by_text(re.compile("Licence: none stated"))).to_be_visible()
    page.get_by_role("button", name="Agree and fetch").click()
    expect(plane(page).locator(".marks").first).to_be_visible(timeout=120_000)
    expect(page.locator(".atl-said").first).to_contain_text("202 models of 15 families", timeout=90_000)
    page.locator("summary", has_text="Which benchmarks measure the same thing?").click()
    expect(page.locator(".atl-map")).to_be_visible(timeout=90_000)
    assert (dashboard.cache / "fetched" / "vl-compo" / "individual_results.csv").is_file()
    settled(page)

    heading = page.get_by_role("heading", name="This model")

    def answers() -> bool:
        """A click on a point; the plane may still have been moving under it, and then it is another model's."""
        click_point(page, MODEL)
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
    open_fetched(page, dashboard, "atlas?x=winoground::text&y=winoground::image&given=zero-shot&hide=arrows")
    expect(page.get_by_text(re.compile("Of 91 pairs"))).to_be_visible(timeout=120_000)
    page.locator("summary", has_text="How the plane is read").click()
    settled(page)
    titles = plane(page).locator(".across-title, .up-title").all_inner_texts()
    assert titles == ["Winoground: image (%)", "Winoground: text (%)"]
    expect(plane(page).locator(".arrow")).to_have_count(0)
    expect(plane(page).get_by_role("button", name=re.compile("taught"))).to_have_count(0)
    expect(page.get_by_text(re.compile("Across: n = 400 items"))).to_be_visible()


def test_the_plane_is_read_by_pointer_legend_and_keys_without_the_server(
    page: Page, dashboard: Any, shared_data: Path
) -> None:
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda _: sent.append("sent")))
    at = open_fetched(page, dashboard, "atlas")
    settled(page)
    assert sent  # the page's own, so that what is sent is heard
    sent.clear()
    marks, arrows, tip = at.locator(".marks path"), at.locator(".arrow"), at.locator(".tip")
    expect(marks).to_have_count(202)
    expect(arrows).to_have_count(6)

    x, y = place_of(page, MODEL)
    page.mouse.move(x, y, steps=4)
    expect(tip).to_contain_text("ViT-bigG-14")
    across, up = rates_of_file(shared_data)
    expect(tip).to_contain_text(f"{across:.2f} across, {up:.2f} up")

    family = at.get_by_role("button", name=re.compile("OpenCLIP 85"))
    family.click()
    expect(marks).to_have_count(202 - 85)
    page.mouse.move(x + 1, y, steps=3)
    hovered = "({ plane }) => plane.hovered === null ? '' : plane.columns.keys[plane.hovered]"
    reads(page, lambda: at.evaluate(hovered), lambda key: key != MODEL)  # hidden ones are not found
    family.click()
    taught = at.get_by_role("button", name=re.compile("base → taught 6"))
    taught.click()
    expect(arrows).to_have_count(0)
    expect(at.locator(".name")).to_have_count(0)
    taught.click()
    expect(arrows).to_have_count(6)
    expect(at.locator(".name")).to_have_count(7)  # six taught ones and what they were taught from
    structured = at.get_by_role("button", name=re.compile("StructuredCLIP 9"))
    front = at.get_by_role("button", name=re.compile("Pareto front"))
    stairs, all_told = at.locator("path.front").get_attribute("d"), front.inner_text()
    structured.click()
    expect(arrows).to_have_count(0)
    expect(at.locator(".name")).to_have_count(1)
    expect(at.get_by_role("button", name="base → taught 0")).to_be_visible()
    expect(front).to_contain_text("of what is shown")  # two of its models were on the front
    expect(at.locator("path.front")).not_to_have_attribute("d", stairs or "")
    structured.click()
    expect(front).to_have_text(all_told)
    expect(arrows).to_have_count(6)

    whole = at.get_by_role("button", name="Show the whole plane")
    expect(whole).to_be_disabled()
    page.mouse.move(x - 60, y - 40)
    page.mouse.down()
    page.mouse.move(x + 60, y - 40, steps=5)
    page.mouse.up()  # flat, which is no box
    expect(whole).to_be_disabled()
    page.mouse.move(x - 60, y - 40)
    page.keyboard.down("Shift")
    page.mouse.down()
    page.mouse.move(x + 60, y + 40, steps=5)
    page.mouse.up()
    page.keyboard.up("Shift")
    expect(whole).to_be_enabled()
    again = place_of(page, MODEL)
    box = at.locator(".top").bounding_box()
    assert box is not None
    middle = (box["x"] + (46 + box["width"] - 10) / 2, box["y"] + (8 + box["height"] - 22) / 2)
    assert again == pytest.approx(middle, abs=2)  # what was boxed fills the plane
    page.keyboard.press("Escape")
    expect(whole).to_be_disabled()
    assert place_of(page, MODEL) == pytest.approx((x, y), abs=0.5)

    at.locator(".top").focus()
    page.keyboard.press("ArrowRight")
    expect(tip).to_be_visible()
    first = tip.inner_text()
    page.keyboard.press("ArrowRight")
    expect(tip).not_to_have_text(first)
    walked_to = at.evaluate(hovered)
    page.keyboard.press("+")
    expect(whole).to_be_enabled()
    expect(tip).to_be_visible()
    assert at.evaluate(hovered) == walked_to
    assert sent == []
    key = at.evaluate(hovered)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="This model")).to_be_visible(timeout=30_000)
    reads(page, lambda: address(page), lambda said: f"entry={key}" in said)


def test_models_on_one_spot_are_all_named_and_each_can_be_opened(page: Page, dashboard: Any) -> None:
    """RN101 with OpenAI's weights and its -quickgelu twin have the same rates in all columns."""
    open_fetched(page, dashboard, "atlas?x=winoground::text&y=winoground::image&hide=arrows")
    settled(page)
    twins = ["OpenCLIP/RN101/openai", "OpenCLIP/RN101-quickgelu/openai"]
    page.mouse.move(*place_of(page, twins[0]), steps=4)
    tip = plane(page).locator(".tip")
    for name in ("RN101 openai · OpenCLIP", "RN101-quickgelu openai · OpenCLIP", "each click opens the next"):
        expect(tip).to_contain_text(name)
    opened = set()
    for _ in range(2):
        before = address(page)
        page.mouse.click(*place_of(page, twins[0]))
        opened.add(reads(page, lambda: address(page), lambda said, before=before: said != before and "entry=" in said))
        settled(page)
    assert {said.partition("entry=")[2].partition("&")[0] for said in opened} == set(twins)

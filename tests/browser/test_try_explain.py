"""Try it, Why, in a real Chromium: tokens that recolour, words left out, occlusion maps that can be stopped."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as TooLate

from tests.browser.stored import reads, settled

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def dashboard(serve: Callable[..., Any]) -> Any:
    return serve(FLIPSIDE_LIVE_MODELS="fake:ok fake:slow/itm")


def scored(page: Page, dashboard: Any, query: str) -> None:
    page.goto(f"{dashboard.address}/try-it?{query}")
    page.get_by_role("button", name="Score").first.click(timeout=60_000)
    expect(page.locator("h2.fs-section", has_text="Why")).to_be_visible(timeout=60_000)
    settled(page)


def panel(page: Page, title: str) -> Locator:
    """A panel, opened: once more where the page was drawn anew under the click."""
    box = page.get_by_test_id("stExpander").filter(has_text=title)
    for _ in range(3):
        box.locator("summary").click()
        settled(page)
        if box.locator("details").evaluate("details => details.open"):
            break
    return box


def choose_last(page: Page, box: Locator, name: str) -> None:
    """The last option of a list. A list that is opened while the page still scrolls to it closes again at once."""
    field, last = box.get_by_role("combobox", name=name, exact=True), page.get_by_role("option").last
    for _ in range(10):
        field.press("ArrowDown")
        try:
            last.click(timeout=2_000)
        except TooLate:
            continue
        return
    raise AssertionError(f"the list {name} does not stay open")


def number(text: str) -> float:
    return float(re.sub("[^0-9.+-]", "", text.replace("−", "-")))


@pytest.mark.journey
def test_tokens_recolour_without_asking_the_server(page: Page, dashboard: Any) -> None:
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    scored(page, dashboard, "example=prior-trap")
    box = panel(page, "Token by token")
    chips = box.locator(".chips").first.locator(".chip")
    expect(chips).to_have_count(6)
    settled(page)
    given = [number(text) for text in box.locator("tr.small").first.locator("td").all_inner_texts() if text.strip()]
    small = box.locator(".chips").first.locator(".chip small")
    reads(page, lambda: [number(text) for text in small.all_inner_texts()], given[:6])
    assert given[6] == pytest.approx(sum(given[:6]), abs=0.03)
    page.get_by_test_id("stExpander").filter(has_text="Every score, side by side").locator("summary").click()
    mean = page.locator(".fs-matrix", has_text="generation").first.locator("td b").first.inner_text()
    assert given[7] == pytest.approx(number(mean), abs=0.006)
    prior = [number(text) for text in box.locator("tr.small").nth(1).locator("td").all_inner_texts() if text.strip()]
    before, colour = len(sent), chips.nth(3).evaluate("e => e.style.background")
    box.get_by_label("α, the share").fill("0.5")
    expect(box.locator("output")).to_have_text("0.500")
    now = pytest.approx([g - 0.5 * p for g, p in zip(given[:6], prior[:6], strict=True)], abs=0.011)
    reads(page, lambda: [number(text) for text in small.all_inner_texts()], lambda found: found == now)
    reads(page, lambda: chips.nth(3).evaluate("e => e.style.background"), lambda found: found != colour)
    expect(box.locator(".said")).to_contain_text("At α = 0.500")
    expect(box.locator(".said")).to_contain_text("The prior weighs most at")
    page.mouse.move(2, 2)  # a pointer that rests on a chip would name its own
    chips.nth(3).focus()
    expect(box.locator(".detail")).to_contain_text("“three”: with the image log P")
    expect(box.locator(".detail")).to_contain_text("difference at α = 0.500")
    assert len(sent) == before


def test_why_is_asked_about_the_captions_as_they_are_edited(page: Page, dashboard: Any) -> None:
    """It kept the words of before the edit, first on the server and then in the browser's list alone."""
    scored(page, dashboard, "example=prior-trap")
    field = page.get_by_role("combobox", name="Caption", exact=True)
    reads(page, lambda: field.input_value(), "true · the scene has three hearts")
    page.locator(".fs-captions li").first.get_by_role("button", name="hearts", exact=True).click()
    page.get_by_role("dialog", name="Change “hearts”").get_by_role("button", name="haerts", exact=True).click()
    expect(page.get_by_text("Below: the captions and pictures as edited above.")).to_be_visible()
    reads(page, lambda: field.input_value(), "true · the scene has three haerts")
    expect(panel(page, "Word by word").locator(".fs-wordsout tbody")).to_contain_text("haerts", timeout=60_000)
    page.get_by_role("button", name="Back to the start").click()
    reads(page, lambda: field.input_value(), "true · the scene has three hearts")


def test_margin_columns_sum_to_the_margin_and_words_line_up(page: Page, dashboard: Any) -> None:
    scored(page, dashboard, "example=prior-trap")
    box = panel(page, "Token by token")
    expect(box.locator("tr.margin .score")).to_be_visible()
    settled(page)
    parts = [number(text) for text in box.locator("tr.margin td.part").all_inner_texts()]
    total = number(box.locator("tr.margin .score").inner_text())
    assert total == pytest.approx(sum(parts), abs=0.005)
    places = [
        {chip.inner_text(): chip.bounding_box()["x"] for chip in side.locator(".chip b").all()}  # type: ignore[index]
        for side in box.locator("tr.chips").all()
    ]
    for word in ("the", "scene", "has", "hearts"):
        assert places[0][word] == pytest.approx(places[1][word], abs=1)


def test_words_left_out_and_the_margin(page: Page, dashboard: Any) -> None:
    scored(page, dashboard, "example=binding")
    box = panel(page, "Word by word")
    table = box.locator(".fs-wordsout")
    expect(table.locator("tbody tr")).to_have_count(7, timeout=60_000)
    settled(page)
    whole = number(table.locator(".fs-whole td").first.inner_text())
    for row in table.locator("tbody tr").all():
        cell = row.locator("td").first
        worth, left = number(cell.locator("b").inner_text()), number(cell.locator("small").inner_text())
        assert whole - worth == pytest.approx(left, abs=0.006)
    box.get_by_role("radio", name="the margin, word out of both").click()
    settled(page)
    expect(table.locator("tbody tr").nth(1).locator("td").first).to_have_text("–")  # "red" is in one caption only here
    with page.expect_download() as download:
        box.get_by_role("button", name="All numbers as CSV").click()
    assert "margin_word_out_of_both" in download.value.path().read_text().splitlines()[0]


@pytest.mark.journey
def test_a_map_of_a_caption_and_of_the_difference(page: Page, dashboard: Any) -> None:
    scored(page, dashboard, "example=binding")
    box = panel(page, "Region by region")
    maps = box.locator("figure")
    expect(maps).to_have_count(3, timeout=60_000)
    expect(maps.first.locator(".heat rect")).to_have_count(64)
    expect(maps.nth(2).locator(".legend")).to_contain_text(re.compile("−.* … .*cosine"))
    page.mouse.move(2, 2)  # a pointer that rests on the map would name its own cell
    maps.first.locator("svg").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    told = box.locator(".told")
    expect(told).to_contain_text("Row 2, column 2 covered")
    a, b, difference = (number(part) for part in re.findall(r"[+−]?\d[\d.]*(?=(?: ·| \())", told.inner_text()))
    assert difference == pytest.approx(a - b, abs=0.002)
    box.get_by_text("numbers in the cells").click()
    expect(maps.first.locator(".numbers text").first).to_be_visible()
    page.get_by_label("Set against").first.click()
    page.get_by_role("option", name="no other caption").click()
    settled(page)
    expect(maps).to_have_count(1)


def test_a_long_map_shows_how_far_it_is_and_can_be_stopped_and_resumed(page: Page, dashboard: Any) -> None:
    scored(page, dashboard, "example=relation")
    box = panel(page, "Region by region")
    expect(box.locator("figure")).to_have_count(3, timeout=60_000)
    choose_last(page, box, "Score")  # the slow model's
    stop = box.get_by_role("button", name="Stop")
    expect(box.get_by_text(re.compile("of 64 patches scored"))).to_be_visible()
    stop.click()
    expect(box.get_by_text(re.compile(r"Stopped after \d+ of 64 patches"))).to_be_visible()
    expect(box.locator("figure")).to_have_count(3)
    box.get_by_role("button", name="Go on").click()
    expect(box.get_by_text("Stopped after")).to_have_count(0)
    expect(box.get_by_text(re.compile("64 patches of 64 × 64 pixels"))).to_be_visible(timeout=60_000)
    expect(stop).to_have_count(0)


def test_captions_are_data_and_the_accessibility_check_passes(page: Page, dashboard: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe

    scored(
        page,
        dashboard,
        "i=world:3.crbpGW&t=a+%3Cimg+src%3Dx+onerror%3Dalert(1)%3E+star&t=a+*blue*+%24star%24&as=choice",
    )
    for title in ("Token by token", "Word by word", "Region by region"):
        panel(page, title)
    expect(page.locator(".maps figure")).to_have_count(3, timeout=60_000)
    expect(page.locator(".fs-wordsout tbody th").nth(1)).to_have_text("img")
    expect(page.locator("figcaption.title").first).to_contain_text("<img src=x")
    expect(page.locator("img[src=x]")).to_have_count(0)
    found = Axe().run(page, context="[data-testid=stExpander]").response["violations"]
    serious = [v for v in found if v["impact"] in ("serious", "critical")]
    assert not serious, [(v["id"], [node["html"][:120] for node in v["nodes"]]) for v in serious]

"""Debias in a real Chromium: the slider moves without the server, the counts follow, the flipped items appear."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from backend.metrics.alpha import flips
from backend.store import queries
from backend.store.build.reader import open_store
from tests.browser.stored import open_page, reads, settled
from tests.pages import results

pytestmark = pytest.mark.browser


#: The fold with the items that flip.
FLIPS = "The items won and lost"


def unfold(page: Page, label: str) -> None:
    """Open a fold by the beginning of its label."""
    page.locator("summary", has_text=re.compile(f"^.*{re.escape(label)}")).first.click()


@pytest.fixture(scope="module")
def dashboard(small: Any) -> Any:
    return small


def test_the_marker_moves_without_a_round_trip(page: Page, dashboard: Any) -> None:
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda _: sent.append("frame")))
    open_page(page, dashboard, "debias?benchmark=small")
    value = page.locator("tr.focus .value")
    expect(value).to_have_text(re.compile(r"\d+\.\d %"), timeout=90_000)
    settled(page, 1500)
    before, marker = len(sent), page.locator(".chart .marker")
    place = marker.get_attribute("x1")
    slider = page.get_by_label(re.compile("^α, the share"))
    slider.evaluate("node => { node.value = '0.8'; node.dispatchEvent(new Event('input', { bubbles: true })); }")
    expect(page.locator(".slider output")).to_have_text("0.800")
    expect(marker).not_to_have_attribute("x1", str(place))
    settled(page)
    assert len(sent) == before, "moving the slider asked the server"
    slider.dispatch_event("change")
    unfold(page, FLIPS)
    expect(page.locator(".fs-flips").first).to_contain_text("at α = 0.800", timeout=60_000)
    for k, name in enumerate((".won", ".lost")):  # the server's count is the one that the browser has drawn
        counted = page.locator(".fs-flips").nth(k).locator("b").inner_text()
        expect(page.locator(f"tr.focus {name}")).to_have_text(re.compile(rf"^. {counted}$"))
    expect(page).to_have_url(re.compile(r"alpha=0\.8"))


def test_the_value_under_the_marker_is_the_table_s(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "debias?benchmark=small")
    value = page.locator("tr.focus .value")
    expect(value).to_have_text(re.compile(r"\d+\.\d %"), timeout=90_000)
    unfold(page, "Where α* lies")
    line = page.locator("tr.fs-focus td")
    expect(line.first).to_be_visible(timeout=60_000)
    cells = line.all_inner_texts()
    page.locator(".slider button", has_text="α*").click()
    expect(value).to_have_text(cells[3])
    page.locator(".slider button").last.click()
    expect(value).to_have_text(cells[5])


def test_a_flipped_item_opens(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "debias?benchmark=small&alpha=1.0")
    unfold(page, FLIPS)
    card = page.locator(".fs-compact .fs-open").first
    expect(card).to_be_visible(timeout=90_000)
    settled(page)
    item = str(card.get_attribute("data-item"))
    card.click()
    expect(page.get_by_role("dialog")).to_contain_text(item)


def test_where_alpha_cancels_it_says_so(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "debias?benchmark=small&subset=relation")
    unfold(page, "More")
    page.get_by_role("radio", name="image", exact=True).click()
    expect(page.locator(".fs-empty")).to_contain_text("Here α cancels", timeout=60_000)


def test_flips_carry_their_monte_carlo_error(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "debias?benchmark=small&alpha=1.0&prior=images:3")
    unfold(page, FLIPS)
    head = page.locator(".fs-compact .fs-open .fs-card-head").first
    expect(head).to_contain_text(re.compile(r"flips at α = \d\.\d+ ± <?\d\.\d+"), timeout=90_000)
    unfold(page, "How sure is each P(t)")
    table = page.locator(".fs-errors tbody tr.fs-focus")
    expect(table).to_contain_text("3 sampled images", timeout=60_000)
    expect(table.locator("td").last).to_contain_text(re.compile(r"\d ± \d+\.\d %"))
    expect(page.locator(".chart text", has_text="P(t) from 3 sampled images").first).to_be_visible()
    unfold(page, "Where α* lies")
    expect(page.locator(".fs-protocol")).to_contain_text("does not use this benchmark")


def set_alpha(page: Page, label: str, value: float) -> None:
    """What dragging does, without letting go."""
    page.get_by_label(re.compile(label)).evaluate(
        "(node, value) => { node.value = value; node.dispatchEvent(new Event('input', { bubbles: true })); }",
        str(value),
    )


def shown(page: Page) -> tuple[int, int, int]:
    """(right, won, lost) of the curve in focus, as the table says it."""
    row = page.locator("tr.focus")
    right = str(row.locator(".value").get_attribute("title")).partition(" of ")[0]
    won, lost = (row.locator(name).inner_text()[2:] for name in (".won", ".lost"))
    return tuple(int(text.replace(",", "")) for text in (right, won, lost))  # type: ignore[return-value]


@pytest.mark.journey
def test_the_browser_s_numbers_are_the_metrics_at_any_alpha(
    page: Page, dashboard: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    results.write(tmp_path)  # the same scores as the dashboard's, which are made from seeds
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path))
    (curve,) = queries.alpha_curves(open_store(), "3" * 16, "images:3", "token", "choice")

    def expected(since: float, alpha: float) -> tuple[int, int, int]:
        changed = flips(curve.sets, since, alpha)
        return int(curve.sets.contains(alpha).sum()), len(changed.won), len(changed.lost)

    inside = curve.curve.breakpoints[(curve.curve.breakpoints > 0) & (curve.curve.breakpoints < 1)]
    ties = [float(inside[0]), float(inside[len(inside) // 2])]
    assert float(curve.curve.at(ties[1])) != float(curve.curve.at(np.nextafter(ties[1], 2))), "no step to get wrong"
    for alpha, since in ((ties[0], ties[1]), (ties[1], 0.0)):
        open_page(page, dashboard, f"debias?benchmark=small&prior=images:3&alpha={alpha!r}&since={since!r}")
        expect(page.locator(".foot .note")).to_contain_text("On a break-point", timeout=60_000)
        reads(page, lambda: shown(page), expected(since, alpha))
    for since, alpha in ((0.0, 0.0), (0.0, 0.137), (0.25, 0.999), (0.9, 0.1), (0.5, 0.5), (1.0, 0.0), (0.0, 1.0)):
        set_alpha(page, "^α₁, from where", since)
        set_alpha(page, "^α, the share", alpha)
        reads(page, lambda: shown(page), expected(since, alpha))


def test_keys_move_alpha_and_the_lists_follow(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "debias?benchmark=small")
    slider = page.get_by_label(re.compile("^α, the share"))
    expect(slider).to_be_visible(timeout=90_000)
    settled(page)
    slider.focus()
    for key in ("PageUp", "PageUp", "ArrowRight", "Shift+ArrowRight"):
        slider.press(key)
    expect(page.locator(".slider output")).to_have_text("0.211")
    expect(page.locator(".hero .alpha b")).to_have_text("α 0.211")
    expect(page).to_have_url(re.compile(r"alpha=0\.211"), timeout=60_000)
    before = shown(page)[0]
    slider.press("n")
    expect(page.locator(".slider output")).not_to_have_text("0.211")
    reads(page, lambda: shown(page)[0], lambda right: right != before)  # N goes to the next flip
    page.locator("details.rest summary").click()
    page.get_by_role("button", name="here", exact=True).click()
    unfold(page, FLIPS)
    expect(page).to_have_url(re.compile(r"since=0\.2"), timeout=60_000)
    expect(page.locator(".fs-empty")).to_contain_text("Nothing has flipped", timeout=60_000)


def test_an_address_reopens_two_alphas_and_leads_to_failures(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "debias?benchmark=small&alpha=0.9&since=0.3&ranges=all&range_order=narrow&range_page=2")
    expect(page.locator(".slider output")).to_have_text("0.900", timeout=90_000)
    unfold(page, FLIPS)
    expect(page.locator(".fs-flips").first).to_contain_text("wrong at α₁ = 0.300, right at α = 0.900", timeout=60_000)
    expect(page.locator("div.since output")).to_have_text("0.300")
    rows = page.locator(".fs-range")
    expect(rows.first).to_contain_text(re.compile(r"right (\(|at )"))
    expect(page.get_by_label("Page", exact=True)).to_have_value("2")
    settled(page)
    count = page.locator(".fs-flips b").first.inner_text()
    page.get_by_role("button", name=re.compile("Open th.* in Failures")).first.click()
    expect(page.locator(".fs-set")).to_contain_text(re.compile(rf"Only {count} items?"), timeout=60_000)
    expect(page.locator(".fs-set")).to_contain_text("won between α₁ = 0.300 and α = 0.900")
    expect(page).to_have_url(re.compile(r"alpha=0\.9"))


@pytest.mark.journey
def test_a_row_of_the_ranges_opens_its_item(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "debias?benchmark=small")
    picture = page.locator("canvas.ranges")
    expect(picture).to_be_visible(timeout=90_000)
    settled(page)
    box = picture.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.get_by_role("dialog")).to_contain_text("choice/", timeout=60_000)


def test_the_barcode_shows_the_item_under_the_pointer_and_under_the_keys(page: Page, dashboard: Any) -> None:
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda _: sent.append("frame")))
    open_page(page, dashboard, "debias?benchmark=small")
    picture, card = page.locator("canvas.ranges"), page.locator(".card")
    expect(card).to_contain_text("Closest to flipping: at α =", timeout=90_000)
    settled(page, 1500)
    before = len(sent)
    box = picture.bounding_box()
    assert box
    page.mouse.move(box["x"] + 40, box["y"] + 3)
    expect(card).to_contain_text("Row ")
    expect(card.locator("img").first).to_be_visible()
    expect(card.locator("li.true .role")).to_have_text("true")
    expect(card.locator("ul")).not_to_have_text(re.compile("[✓✗]"))  # these are the model's verdict, and no caption's
    expect(card.locator(".range")).to_contain_text("right for")
    first = card.locator(".head b").inner_text()
    page.mouse.move(box["x"] + 40, box["y"] + box["height"] - 3)
    expect(card.locator(".head b")).not_to_have_text(first)
    page.mouse.move(box["x"] + 40, box["y"] - 60)
    expect(card).to_contain_text("Closest to flipping")
    picture.focus()
    picture.press("Home")
    expect(card).to_contain_text("Row 1 of")
    picture.press("ArrowDown")
    expect(card).to_contain_text("Row 2 of")
    expect(picture).to_have_attribute("aria-valuetext", re.compile(r"choice/\d+: right for"))
    item = card.locator(".head b").inner_text()
    assert len(sent) == before, "looking at items asked the server"
    picture.press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text(item, timeout=60_000)


@pytest.mark.journey
def test_alpha_is_taken_along_and_given_back(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "debias?benchmark=small&alpha=0.5&prior=images:3")
    page.get_by_role("button", name="Judge every page at α = 0.5").click(timeout=90_000)
    chip = page.locator(".st-key-fs-alpha")
    expect(chip).to_contain_text("α = 0.5", timeout=60_000)
    settled(page)
    page.get_by_role("link", name="Failures", exact=True).click()
    expect(page).to_have_url(re.compile(r"failures\?.*alpha=0\.5&prior=images"), timeout=60_000)
    expect(page.locator(".st-key-fs-alpha, .st-key-fs-alpha-unused")).to_contain_text("α = 0.5")
    settled(page)
    page.get_by_role("button", name="×").click()
    expect(page.locator(".st-key-fs-alpha, .st-key-fs-alpha-unused")).to_have_count(0, timeout=60_000)
    expect(page).not_to_have_url(re.compile("alpha="))


def test_the_slider_stands_where_every_page_judges(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "debias?benchmark=small&prior=images:3")
    readout, line = page.locator(".slider output"), page.get_by_text("Moving the slider only tries others")
    expect(readout).to_have_text("0.000", timeout=90_000)
    expect(line).to_have_count(0)
    button = page.get_by_role("button", name=re.compile("Judge every page at"))
    said = str(re.search(r"= (\S+)", button.inner_text())[1])  # type: ignore[index]
    button.click()
    reads(page, lambda: f"{round(float(readout.inner_text()), 3):g}", said)
    expect(page.get_by_role("button", name="Every page judges so")).to_be_disabled()
    expect(line).to_contain_text(f"Every page judges at α = {said}")
    settled(page)
    slider = page.get_by_label(re.compile("^α, the share"))
    slider.focus()
    for key in ("Home", "PageUp"):
        slider.press(key)
    expect(page.get_by_role("button", name="Judge every page at α = 0.1")).to_be_enabled(timeout=60_000)
    expect(readout).to_have_text("0.100")
    expect(line).to_contain_text(f"Every page judges at α = {said}")  # moving it alone pins nothing
    settled(page)
    page.get_by_role("button", name="Judge every page at α = 0.1").click()
    expect(line).to_contain_text("Every page judges at α = 0.1", timeout=60_000)
    expect(readout).to_have_text("0.100")
    settled(page)
    page.get_by_role("link", name="Overview", exact=True).click()
    expect(page).to_have_url(re.compile(r"alpha=0\.1"), timeout=60_000)
    settled(page)
    page.locator(".st-key-fs-alpha a").first.click()  # the chip leads back
    expect(readout).to_have_text("0.100", timeout=60_000)
    settled(page)
    slider.focus()
    slider.press("Home")
    page.get_by_role("button", name="Judge every page at α = 0", exact=False).click(timeout=60_000)
    expect(line).to_have_count(0, timeout=60_000)
    expect(readout).to_have_text("0.000")

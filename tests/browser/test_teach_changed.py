"""What changed, of the Teach page, in a real Chromium: from three taught models to the items of one band."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.browser.stored import open_page, settled, still
from tests.pages import results
from tests.pages.compare.samples import series_of
from tests.store import taught_runs

pytestmark = pytest.mark.browser

#: A series whose verdicts change a lot: of what ships, without anything taken over.
RELATIONAL = "teach?benchmark=world&series=clip-relational"


@pytest.fixture(scope="module")
def dashboard(serve: Callable[..., Any]) -> Any:
    """What ships, on a cache of its own: the taught models are taken over in it."""
    return serve()


@pytest.fixture(scope="module")
def small(serve: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("changed")
    results.write(folder)
    series_of(folder)
    taught_runs.write(folder, results.world(120), name="taught")
    return serve(FLIPSIDE_CACHE=str(folder))


def bands(page: Page, which: str) -> Locator:
    return page.locator(f"#flow .way.{which}")


def unfold(page: Page, label: str) -> None:
    """Open a fold by the beginning of its label."""
    page.locator("summary", has_text=re.compile(f"{re.escape(label)}")).first.click()


def said(band: Locator) -> tuple[str, int]:
    """(from → to, how many items) of a band, as its label has it."""
    found = re.match(r"(.+?): ([\d,]+) of", band.get_attribute("aria-label") or "")
    assert found
    return found[1], int(found[2].replace(",", ""))


@pytest.mark.journey
def test_from_three_taught_models_to_the_items_of_a_band(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "teach?benchmark=world")
    expect(page.locator("#flow .way").first).to_be_attached(timeout=90_000)
    page.get_by_role("button", name="Look at three taught models").click()
    expect(page.locator(".tc-lead")).to_contain_text("than clip-plain, the same 300 steps", timeout=120_000)
    settled(page)
    expect(page.get_by_role("button", name="Look at three taught models")).to_have_count(0)
    expect(page.locator(".tc-rates tbody tr")).to_have_count(4)  # before, plain, after, the method's own
    unfold(page, "What it cost")
    expect(page.locator(".tc-ledger")).to_contain_text("plain training, clip-plain")
    expect(page.get_by_role("button", name=re.compile("Score it"))).to_be_visible()
    unfold(page, "How far from equivariant")
    expect(page.locator(".tc-panel svg")).to_have_count(8)

    page.get_by_role("radio", name="before", exact=True).click()
    expect(page.locator(".tc-lead")).to_contain_text("After 300 steps clip-eqsim")
    expect(page).to_have_url(re.compile("against=before"))
    settled(page)
    broke = bands(page, "broke").first
    way, n = said(broke)
    high = page.locator("#flow svg").bounding_box()
    broke.locator(".hit").dispatch_event("click")
    expect(page).to_have_url(re.compile("link="))
    expect(page).to_have_url(re.compile("which=lost"))
    settled(page)
    assert page.locator("#flow svg").bounding_box() == high  # nothing jumps
    expect(page.locator("#flow .way.marked")).to_have_count(1)
    chosen = page.get_by_test_id("stSelectbox").filter(has_text="Of the flow").locator("input")
    expect(chosen).to_have_value(f"{way} · {n:,}")
    cards = page.locator(".fs-compact .fs-open")
    expect(cards).to_have_count(min(8, n))
    cards.first.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible(timeout=60_000)
    page.keyboard.press("Escape")
    settled(page)
    items = "1 item" if n == 1 else f"{n:,} items"
    page.get_by_role("button", name=f"Open the {items} of this band").first.click()
    expect(page.locator(".fs-count b")).to_have_text(str(n), timeout=60_000)


def test_an_address_reopens_the_band_and_the_keyboard_walks(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, f"{RELATIONAL}&group=size&link=right>outvoted_by_image:broke&which=lost")
    expect(page.locator("#flow .way.marked")).to_have_count(1, timeout=90_000)
    settled(page)
    marked = page.locator("#flow .way.marked")
    expect(marked).to_have_attribute("data-way", "right>outvoted_by_image:broke")
    expect(page.locator(".tc-lead")).to_contain_text("450 quads of size")
    unfold(page, "Concept by concept")
    expect(page.locator(".tc-here")).to_have_count(1)
    marked.focus()
    page.keyboard.press("Home")
    first = page.locator("#flow .way").first.get_attribute("data-way")
    held = page.evaluate("document.activeElement.shadowRoot?.activeElement?.dataset.way ?? "
                         "document.activeElement.dataset.way")  # fmt: skip
    assert held == first
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#flow .way.marked")).not_to_have_attribute("data-way", "right>outvoted_by_image:broke")
    settled(page)
    marked = page.locator("#flow .way.marked")
    marked.locator(".hit").dispatch_event("click")  # a second click lets go
    expect(page.locator("#flow .way.marked")).to_have_count(0)


def test_reasons_and_choices_are_other_pictures(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, RELATIONAL)
    expect(page.locator("#flow .way").first).to_be_attached(timeout=90_000)
    settled(page)
    expect(page.locator("#flow")).not_to_contain_text("uncertain")
    unfold(page, "More")
    page.get_by_role("radio", name="certified reasons").click()
    expect(page.locator("#flow")).to_contain_text("uncertain")
    expect(page).to_have_url(re.compile("parts=reasons"))
    page.get_by_role("radio", name="choices").click()
    expect(page.locator("#flow")).to_contain_text("grounded")
    expect(page).to_have_url(re.compile("protocol=choice"))
    page.get_by_role("radio", name="retrieval").click()
    expect(page.locator("#flow .part")).to_have_count(4)  # right and wrong, twice
    expect(page.get_by_role("radio", name="certified reasons")).to_be_disabled()


def test_the_sentence_is_copied_with_the_link_and_a_picture(visitor: Callable[..., Page], dashboard: Any) -> None:
    page = visitor(scheme="dark")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_page(page, dashboard, f"{RELATIONAL}&protocol=choice")
    expect(page.locator(".tc-lead")).to_be_visible(timeout=90_000)
    settled(page)
    page.get_by_role("button", name="Copy as finding").click()
    text = page.locator(".finding-said").inner_text()
    assert text.startswith("clip-relational is right more often than clip by ")
    assert "which holds what any training does" in text
    copied = page.evaluate("navigator.clipboard.readText()")
    for word in ("series=clip-relational", "protocol=choice", "before=bundled%3Aclip", "against=before"):
        assert word in copied
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save picture").click()
    with Image.open(saved.value.path()) as picture:
        assert max(picture.convert("RGB").getpixel((3, 3))) < 60  # as dark as the page, or its pale words were not read
        assert picture.size > (800, 600)


def test_teach_leads_to_compare(page: Page, small: Any) -> None:
    open_page(page, small, "teach?benchmark=small&kind=itc")
    expect(page.locator(".tc-lead")).to_contain_text("After 300 steps", timeout=90_000)
    unfold(page, "How it was taught")
    page.get_by_role("link", name=re.compile("Compare these two")).click()
    expect(page.locator(".fs-header h1")).to_contain_text("Which model is better", timeout=60_000)
    expect(page.get_by_test_id("stMain")).to_contain_text(re.compile(r"fake:\S+ beats fake:weak by"), timeout=60_000)


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (900, "dark")])
def test_no_serious_accessibility_violation_and_no_sideways_scroll(
    visitor: Callable[..., Page], small: Any, width: int, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = visitor(width=width, scheme=scheme)
    open_page(page, small, "teach?benchmark=taught&series=mine")
    unfold(page, "The items")
    expect(page.locator(".fs-compact .fs-open").first).to_be_visible(timeout=90_000)
    still(page)
    wide = page.evaluate(
        "[document.querySelector('[data-testid=stMain]')].map((e) => e.scrollWidth - e.clientWidth)[0]"
    )
    assert wide <= 0
    found = Axe().run(page, "[data-testid=stMain]", {"resultTypes": ["violations"]}).response["violations"]
    serious = [v for v in found if v["impact"] in ("serious", "critical")]
    told = [(v["id"], [node["html"][:160] for node in v["nodes"][:3]]) for v in serious]
    assert not told, json.dumps(told, indent=1)

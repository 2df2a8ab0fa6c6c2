"""Compare in a real Chromium: from two models to the items on which they differ, and on to Failures."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pointer import draw
from tests.browser.stored import open_page, settled
from tests.pages import results
from tests.pages.compare.samples import series_of

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def dashboard(serve: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("compare")
    results.write(folder)
    series_of(folder)
    return serve(FLIPSIDE_CACHE=str(folder))


WEAK_STRONG = f"compare?benchmark=small&a=itc+{results.WEAK}&b=itc+{results.STRONG}"


def test_where_counts_anew_when_a_third_model_comes(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, f"{WEAK_STRONG}&which=won")  # a link that names it opens the fold
    where = page.get_by_test_id("stSelectbox").filter(has_text="Where").locator("input")
    won = page.get_by_role("radio", name=re.compile("B ✓ · A ✗"))
    expect(won).to_be_visible(timeout=90_000)
    settled(page)
    before = won.inner_text().rpartition(" ")[2]
    expect(where).to_have_value(f"anywhere · {before}")
    page.get_by_test_id("stSidebar").get_by_text("More", exact=True).click()
    page.get_by_test_id("stMultiSelect").filter(has_text="And also").locator("input").click()
    page.get_by_role("option", name=re.compile("strong · itm")).click()
    page.keyboard.press("Escape")
    expect(won).not_to_have_text(re.compile(rf" {before}$"), timeout=60_000)
    settled(page)
    expect(where).to_have_value("anywhere · " + won.inner_text().rpartition(" ")[2])


@pytest.mark.journey
def test_from_two_models_to_the_failures_of_one(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, WEAK_STRONG)
    expect(page.locator(".cmp-said").first).to_contain_text(" beats ", timeout=90_000)
    rows = page.locator(".forest .row")
    expect(rows.first).to_be_visible(timeout=60_000)
    rows.first.hover()
    expect(page.locator(".slope .way.lit")).to_have_count(1)  # pointing at a row lights its line
    page.get_by_text("Every test", exact=True).click()
    tests = page.locator(".cmp-tests tbody tr")
    expect(tests.first).to_be_visible(timeout=60_000)
    settled(page)
    before = tests.count()
    page.get_by_role("radio", name="concept").click()
    expect(page.locator(".cmp-tests thead")).to_contain_text("concept")
    expect(tests).not_to_have_count(before)
    settled(page)
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV").click()
    lines = saved.value.path().read_text().splitlines()
    assert lines[0].startswith("a,b,concept,n,")
    expect(tests).to_have_count(len(lines) - 1)

    page.get_by_text("Wins and losses, item by item", exact=True).click()
    page.get_by_role("radio", name=re.compile("A ✓ · B ✗")).click()
    expect(page).to_have_url(re.compile("which=lost"))
    expect(page).to_have_url(re.compile("by=concept"))
    card = page.locator(".fs-compact .fs-open").first
    expect(card.locator(".fs-chip").first).to_contain_text("weak✓")
    expect(card.locator(".fs-chip").nth(1)).to_contain_text("strong✗")
    settled(page)
    lost = re.search(r"[\d,]+$", page.get_by_role("radio", name=re.compile("A ✓ · B ✗")).inner_text())
    assert lost
    page.get_by_role("button", name="Open in Failures").click()
    expect(page.locator(".fs-count b")).to_have_text(lost[0], timeout=60_000)


def test_a_band_of_the_flow_lists_its_items_and_an_address_reopens_it(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, WEAK_STRONG)
    band = page.locator(".way.fixed").first
    expect(band).to_be_attached(timeout=90_000)
    settled(page)
    band.focus()
    page.keyboard.press("Enter")
    listed = page.get_by_role("button", name=re.compile(r"Open th.* in Failures"))
    expect(listed).to_be_visible(timeout=60_000)
    expect(page).to_have_url(re.compile("link=.*fixed"))
    card = page.locator(".fs-compact .fs-open").first
    expect(card.locator(".fs-chip").first).to_contain_text("weak✗")
    expect(card.locator(".fs-chip").nth(1)).to_contain_text("strong✓")
    n = re.search(r"[\d,]+", listed.inner_text())
    assert n
    page.goto(page.url)
    expect(listed).to_contain_text(f"these {n[0]} items", timeout=60_000)
    settled(page)
    listed.click()
    expect(page).to_have_url(re.compile(r"failures\?.*set="), timeout=60_000)


def test_what_b_lost_is_one_click_away(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, WEAK_STRONG + "&weights=subsets")
    step = page.get_by_role("link", name=re.compile("that .*strong gained"))
    expect(step).to_be_visible(timeout=90_000)
    expect(page.locator(".cmp-rates")).to_contain_text("subsets weighing the same")
    settled(page)
    n = re.search(r"the ([\d,]+) items", step.inner_text())
    assert n
    step.click()
    expect(page.locator(".fs-count b")).to_have_text(n[1], timeout=60_000)


def test_a_lasso_picks_items_and_an_address_reopens_them(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, f"{WEAK_STRONG}&by=subset&which=lost&group=attribute&series_kind=t2t")
    expect(page.get_by_role("radio", name=re.compile("A ✓ · B ✗"))).to_be_checked(timeout=90_000)
    heads = page.locator(".fs-compact .fs-card-head")
    expect(heads.first).to_contain_text("attribute/")
    expect(page.locator(".cmp-panel svg").first).to_be_visible(timeout=60_000)
    expect(page.locator(".cmp-legend")).to_contain_text("step 400")
    settled(page)
    page.get_by_text("How far apart? The margins of both", exact=True).click()
    plane = page.locator("#plane canvas.top").first
    draw(page, plane, [(0.02, 0.03), (0.97, 0.03), (0.97, 0.97), (0.02, 0.97), (0.02, 0.03)])
    selected = page.get_by_text(re.compile(r"\d+ selected"))
    expect(selected).to_be_visible(timeout=60_000)
    expect(page).to_have_url(re.compile("picked="), timeout=60_000)
    n, linked = selected.inner_text(), page.url
    page.get_by_role("button", name="Let go").click()
    expect(selected).to_have_count(0, timeout=60_000)
    expect(page).not_to_have_url(re.compile("picked="), timeout=60_000)
    page.goto(linked)
    expect(page.get_by_text(n, exact=True)).to_be_visible(timeout=90_000)
    settled(page)
    # The lasso itself is not in the address: what it picked is marked point by point.
    expect(page.locator("#plane").first).not_to_have_attribute("data-picked", "0")
    expect(page.locator("#plane .legend").first).to_contain_text("picked")
    clear = page.locator("#plane").first.get_by_role("button", name="Clear what is picked")
    expect(clear).to_be_enabled()  # it was not, after a reload
    clear.click()
    expect(selected).to_have_count(0, timeout=60_000)
    expect(page).not_to_have_url(re.compile("picked="), timeout=60_000)
    expect(clear).to_be_disabled()
    page.goto(linked)
    expect(page.get_by_text(n, exact=True)).to_be_visible(timeout=90_000)
    settled(page)
    said = page.get_by_role("button", name=re.compile(r"Open these [\d,]+ items in Failures"))
    expect(said).to_be_visible(timeout=60_000)
    said.click()
    expect(page).to_have_url(re.compile(r"failures\?.*set="), timeout=60_000)
    expect(page.locator(".fs-count b")).to_be_visible(timeout=60_000)


@pytest.mark.parametrize("address", [WEAK_STRONG + f"&more=itm+{results.STRONG}"])
def test_no_serious_accessibility_violation(page: Page, dashboard: Any, address: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    open_page(page, dashboard, address)
    expect(page.locator(".forest .row").first).to_be_visible(timeout=90_000)
    expect(page.locator(".way").first).to_be_attached(timeout=90_000)
    settled(page)
    found = Axe().run(page, "[data-testid=stMain]", {"resultTypes": ["violations"]}).response["violations"]
    serious = [v for v in found if v["impact"] in ("serious", "critical")]
    said = [(v["id"], [node["html"][:160] for node in v["nodes"][:3]]) for v in serious]
    assert not said, json.dumps(said, indent=1)

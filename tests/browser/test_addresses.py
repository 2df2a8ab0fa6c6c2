"""Any spelling of an address leads to its page, and one that no page has says so."""

import pytest
from playwright.sync_api import expect

from scripts.screenshots import pages
from tests.browser.stored import open_page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def dashboard(shipped):
    return shipped


@pytest.mark.parametrize(
    ("typed", "leads", "title"),
    [
        ("overview", "", "Overview"),
        ("overview/", "", "Overview"),
        ("Overview?by=concept", "?by=concept", "Overview"),
        ("try_it", "try-it", "Try it"),
        ("Try-It/", "try-it", "Try it"),
        ("FAILURES?model=bundled:captioner", "failures", "Failures"),
        ("runs/", "runs", "Runs"),
        ("nonsense", "not-found", "Not found"),
        ("failures/world", "not-found", "Not found"),
    ],
)
def test_any_spelling_of_an_address_leads_to_its_page(dashboard, page, typed, leads, title):
    open_page(page, dashboard, typed)
    expect(page.locator(".fs-eyebrow").first).to_have_text(title, timeout=60_000)
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert page.url.startswith(f"{dashboard.address}/{leads}")


def test_an_address_that_no_page_has_says_so_with_links(dashboard, page):
    open_page(page, dashboard, "fialures<b>")
    expect(page.locator(".fs-header h1")).to_have_text("There is no page at “/fialures<b>”", timeout=60_000)
    links = page.get_by_test_id("stMain").get_by_test_id("stPageLink")
    expect(links).to_have_count(len(pages()))
    expect(links.first).to_contain_text("Failures")
    links.first.get_by_role("link").click()
    expect(page.locator(".fs-eyebrow").first).to_have_text("Failures", timeout=60_000)

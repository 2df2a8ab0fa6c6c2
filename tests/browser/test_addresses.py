"""An address opened in a fresh browser reproduces the view, on every page."""

import re

import pytest
from playwright.sync_api import Page, expect

from scripts.screenshots import pages
from tests.browser.stored import open_page, still

pytestmark = pytest.mark.browser

#: Page -> an address with filters of its own, on what ships.
ADDRESSES = {
    "overview": "?by=concept&score=itc",
    "try_it": "try-it?example=count",
    "failures": "failures?model=bundled:captioner&kind=gen&show=right&subset=attribute&sort=-margin",
    "equivariance": "equivariance?model=bundled:matcher",
    "debias": "debias?alpha=0.5",
    "robustness": "robustness?tab=edits",
    "embeddings": "embeddings?model=bundled:clip-bag",
    "compare": "compare?a=itc+bundled:clip-bag&by=subset",
    "teach": "teach",
    "runs": "runs?tab=perturb",
    "item": "item?benchmark=world&item=attribute%2F7",
}


@pytest.fixture(scope="module")
def dashboard(serve):
    return serve()


def seen(page: Page) -> str:
    """All that a person reads in the page and its sidebar, and what its fields hold."""
    still(page, 900)
    words = page.get_by_test_id("stMain").inner_text() + page.get_by_test_id("stSidebar").inner_text()
    fields = page.evaluate("[...document.querySelectorAll('input, textarea')].map((field) => field.value).join('|')")
    return re.sub(r"\s+", " ", f"{words} {fields}")


def test_every_page_is_here():
    assert {name for name, _ in pages()} | {"item"} <= set(ADDRESSES)


@pytest.mark.parametrize("name", [*(name for name, _ in pages()), "item"])
def test_an_address_reopens_the_view(dashboard, visitor, name):
    address = ADDRESSES[name]
    first, second = visitor(), visitor()
    open_page(first, dashboard, address)
    view = seen(first)
    written = first.url.partition("/")[2]
    open_page(second, dashboard, first.url.removeprefix(f"{dashboard.address}/"))
    assert seen(second) == view
    assert second.url.partition("/")[2] == written
    path, _, said = address.partition("?")
    if said and name != "item":  # and it is another view than the one without filters
        other = visitor()
        open_page(other, dashboard, path)
        assert seen(other) != view


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

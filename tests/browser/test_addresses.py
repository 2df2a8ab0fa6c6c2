"""An address opened in a fresh browser reproduces the view, on every page."""

import re

import pytest
from playwright.sync_api import Page

from scripts.screenshots import pages
from tests.browser.stored import open_page, settled

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
    settled(page)
    page.wait_for_timeout(900)
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

"""Any spelling of an address leads to its page, and one that no page has says so."""

import pytest
from playwright.sync_api import expect

from scripts.dashboard import settled
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


def ends(page, dashboard, said):
    """Wait until the browser's address is this one, and the page has taken it in."""
    expect(page).to_have_url(f"{dashboard.address}/{said}", timeout=30_000)
    settled(page)


def test_back_from_the_first_choice_of_a_page_and_forward_to_it(dashboard, page):
    open_page(page, dashboard, "failures")
    right = page.get_by_text("right").filter(has_text="✓").locator("visible=true").first
    expect(right).to_be_visible(timeout=60_000)
    settled(page)
    before = page.locator(".fs-header").inner_text()
    right.click()
    chosen = (
        "failures?benchmark=world&model=bundled%3Aclip&show=right"  # whose it is, for another day's data has others
    )
    ends(page, dashboard, chosen)
    page.go_back()
    ends(page, dashboard, "failures")
    expect(page.locator(".fs-header")).to_have_text(before, use_inner_text=True)
    page.go_forward()
    ends(page, dashboard, chosen)


def test_a_page_of_the_sidebar_is_one_step(dashboard, page):
    """What a page writes into its address as it opens was a step of its own: Back led to the same page first."""
    open_page(page, dashboard, "failures?benchmark=world&model=bundled:matcher&show=right")
    settled(page)
    start = page.evaluate("history.length")
    wrote, names = [], ("Equivariance", "Debias", "Compare", "Failures")
    for at, name in enumerate(names, start=1):
        page.get_by_test_id("stSidebarNavLink").filter(has_text=name).last.click()
        expect(page.locator(".fs-eyebrow").first).to_have_text(name, timeout=60_000)
        settled(page, 1000)
        assert page.evaluate("history.length") == start + at, name
        wrote.append(page.url)
    assert any("?" in url for url in wrote), "some of them write what they show"
    for name, url in reversed(list(zip(names[:-1], wrote[:-1], strict=True))):
        page.go_back()
        expect(page.locator(".fs-eyebrow").first).to_have_text(name, timeout=60_000)
        ends(page, dashboard, url.removeprefix(f"{dashboard.address}/"))
        settled(page, 1000)  # a step before the answer to this one would be Streamlit's affair
    expect(page.get_by_test_id("stToast")).to_have_count(0)


def test_back_after_a_reload_shows_what_was_left(dashboard, page):
    """The page before was asked for under the address of the page that was left: it was another comparison."""
    compared = "compare?benchmark=world&a=itc+bundled%3Aclip-bag&b=itm+bundled%3Amatcher"
    open_page(page, dashboard, compared)
    settled(page)
    changed = page.get_by_role("heading", name="What changed")
    expect(changed).to_contain_text("A clip-bag · itc → B matcher · itm")
    page.get_by_test_id("stMain").get_by_text("Open the ").first.click()
    expect(page.locator(".fs-eyebrow").first).to_have_text("Failures", timeout=60_000)
    settled(page, 1000)
    left = page.url.removeprefix(f"{dashboard.address}/")
    page.reload()
    expect(page.locator(".fs-eyebrow").first).to_have_text("Failures", timeout=60_000)
    settled(page, 1000)
    page.go_back()
    expect(page.locator(".fs-eyebrow").first).to_have_text("Compare", timeout=60_000)
    settled(page, 1000)
    ends(page, dashboard, compared)
    expect(changed).to_contain_text("A clip-bag · itc → B matcher · itm")
    page.go_forward()
    expect(page.locator(".fs-eyebrow").first).to_have_text("Failures", timeout=60_000)
    settled(page, 1000)
    ends(page, dashboard, left)
    expect(page.get_by_test_id("stToast")).to_have_count(0)


def test_back_leaves_try_it_and_leads_from_example_to_example(dashboard, page):
    """What it opens with is not said in its address: a step of its own, which Back would take for nothing."""
    open_page(page, dashboard, "")
    settled(page)
    page.get_by_role("link", name="Try it").first.click()
    ends(page, dashboard, "try-it")
    captions = page.get_by_label("Captions", exact=False).first
    opens_with = captions.input_value()
    page.get_by_test_id("stMain").get_by_text("Relation", exact=True).first.click()
    ends(page, dashboard, "try-it?example=relation")
    expect(captions).not_to_have_value(opens_with)
    page.go_back()
    ends(page, dashboard, "try-it")
    expect(captions).to_have_value(opens_with)
    page.go_forward()
    ends(page, dashboard, "try-it?example=relation")
    expect(captions).not_to_have_value(opens_with)  # a step before the answer to this one would be Streamlit's affair
    page.go_back()
    ends(page, dashboard, "try-it")
    expect(captions).to_have_value(opens_with)
    settled(page, 1500)
    page.go_back()
    ends(page, dashboard, "")
    expect(page.get_by_test_id("stToast")).to_have_count(0)

"""Two people at once: what one does neither moves nor slows down what the other sees."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.stored import open_page, settled

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def dashboard(small):
    return small


def test_two_browsers_do_not_disturb_each_other(dashboard, visitor):
    ann, ben = visitor(), visitor(scheme="dark")
    open_page(ann, dashboard, "failures?benchmark=small&model=fake:weak&kind=itc")
    open_page(ben, dashboard, "failures?benchmark=small&model=fake:strong&kind=itm&show=right")
    settled(ann)
    settled(ben)
    bens, bens_address = ben.locator(".fs-count").inner_text(), ben.url
    anns = ann.locator(".fs-count").inner_text()
    assert anns != bens
    ann.get_by_role("radio", name="✓ right").click()
    expect(ann.locator(".fs-count")).to_contain_text("are right")
    settled(ann)
    ann.get_by_role("radio", name="✗ wrong").click()
    expect(ann.locator(".fs-count")).to_have_text(re.compile(re.escape(anns.split(" fail")[0])))
    settled(ben)
    assert (ben.locator(".fs-count").inner_text(), ben.url) == (bens, bens_address)  # still as it was

    for person in (ann, ben):
        person.locator(".fs-gallery [data-id], .fs-gallery button, .fs-gallery article").first.click()
        expect(person.get_by_role("dialog")).to_be_visible()
        settled(person)
    heads = [person.get_by_role("dialog").locator(".fs-card-head").first.inner_text() for person in (ann, ben)]
    ann.get_by_role("dialog").get_by_role("button", name="Next").first.click()
    expect(ann.get_by_role("dialog").locator(".fs-card-head").first).not_to_have_text(heads[0])
    settled(ben)
    expect(ben.get_by_role("dialog").locator(".fs-card-head").first).to_have_text(heads[1])


def test_a_tag_of_one_is_seen_by_the_other(dashboard, visitor):
    ann, ben = visitor(), visitor()
    for person in (ann, ben):
        open_page(person, dashboard, "item?benchmark=small&item=attribute%2F1")
        settled(person)
    tags = ann.get_by_role("combobox", name="Tags")
    tags.click()
    tags.press_sequentially("odd shadow")
    expect(ann.get_by_role("option", name="Add: odd shadow")).to_be_visible()  # before it is there, Enter adds nothing
    tags.press("Enter")
    expect(ann.get_by_text("odd shadow").first).to_be_visible()
    settled(ann)
    ben.reload()
    expect(ben.get_by_text("odd shadow").first).to_be_visible()

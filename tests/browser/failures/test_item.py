"""One item of Failures: opened from the list or a link, walked from, by keyboard alone, and read in full."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.failures.steps import focus, opened, tag_typed, total
from tests.browser.stored import open_page, reads, settled

pytestmark = pytest.mark.browser


def test_an_item_opens_and_the_arrow_keys_walk(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "failures?benchmark=small&model=fake:weak&subset=relation")
    first = page.locator(".fs-open").first
    expect(first).to_be_visible(timeout=90_000)
    settled(page)
    item = str(first.get_attribute("data-item")).partition(" ")[2]  # behind the benchmark's hash
    first.click()
    dialog = page.get_by_role("dialog")
    assert item.startswith("relation/")
    expect(dialog).to_contain_text(item)
    expect(dialog.locator(".fs-matrix").first).to_be_visible()
    expect(dialog).to_contain_text("1 of ")
    expect(dialog.get_by_role("button", name="Next")).to_be_visible()
    settled(page)
    page.keyboard.press("ArrowRight")
    expect(dialog).to_contain_text("2 of ", timeout=30_000)
    settled(page)
    page.keyboard.press("ArrowLeft")
    expect(dialog).to_contain_text("1 of ", timeout=30_000)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.locator(".fs-open").first).to_be_visible()


@pytest.mark.journey
def test_by_keyboard_alone(page: Page, dashboard: Any) -> None:
    opened(page, dashboard, "failures?benchmark=small&model=fake:weak&subset=count")
    page.keyboard.press("g")
    first = reads(page, lambda: focus(page), bool)
    page.keyboard.press("ArrowRight")
    second = reads(page, lambda: focus(page), lambda now: now and now != first)
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("2 of ")
    settled(page)
    page.keyboard.press("n")
    expect(dialog.get_by_label("Note")).to_be_focused()
    page.keyboard.type("e t ? n /")  # letters are letters while somebody types
    page.keyboard.press("ArrowLeft")
    expect(dialog).to_contain_text("2 of ")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Note kept")).to_be_visible()
    expect(dialog.get_by_label("Note")).to_have_value("e t ? n /")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    settled(page)
    reads(page, lambda: focus(page), second)  # where it was opened from
    tag_typed(page, "by hand")
    expect(page.locator(".fs-gallery > *", has_text="#by hand")).to_have_count(1, timeout=30_000)
    settled(page)
    page.keyboard.press("?")
    expect(page.locator(".fs-keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".fs-keys")).to_be_hidden()
    page.keyboard.press("e")
    expect(page.get_by_role("button", name="HTML report")).to_be_visible()


def test_keys_before_their_field_or_card_are_held_or_answered(page: Page, dashboard: Any) -> None:
    """Failed before: letters typed while the dialog opened were lost, arrows took no card, T without one said nothing,
    and a card that got its first tag lost the focus and moved its last line."""
    opened(page, dashboard, "failures?benchmark=small&model=fake:weak&subset=location")
    for key in ("1", "t", "n"):
        page.keyboard.press(key)
        expect(page.locator(".fs-key-said")).to_have_text("Take a card first: J")
    page.keyboard.press("ArrowDown")
    first = reads(page, lambda: focus(page), bool)
    page.keyboard.press("t")
    page.keyboard.type("odd-stars")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_test_id("stMultiSelect")).to_contain_text("odd-stars")
    settled(page)
    page.keyboard.press("Escape")
    settled(page)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    tagged = page.locator(".fs-tagged", has_text="#odd-stars")
    expect(tagged).to_have_count(1)
    settled(page)
    assert focus(page) == first
    lines = page.locator(".fs-gallery .fs-card-head:visible").evaluate_all(
        "all => all.slice(0, 2).map(line => line.getBoundingClientRect().bottom"
        " - parseFloat(getComputedStyle(line).paddingBottom))"
    )
    assert abs(lines[0] - lines[1]) < 2
    page.keyboard.press("Enter")  # other tests share the server: the tag goes again
    field = dialog.get_by_test_id("stMultiSelect")
    expect(field).to_contain_text("odd-stars")
    settled(page)
    field.locator("[data-tag]").get_by_role("button", include_hidden=True).click()
    expect(field).not_to_contain_text("odd-stars")
    settled(page)


@pytest.mark.journey
def test_two_images_slide_over_each_other(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "item?benchmark=small&item=relation/1")
    slider = page.get_by_role("slider", name=re.compile("image 1 on the left"))
    expect(slider).to_have_value("50", timeout=90_000)
    shown = page.locator(".fs-swipe-stage img").first
    page.wait_for_function("[...document.querySelectorAll('.fs-swipe-stage img')].every(i => i.naturalWidth > 0)")
    assert shown.evaluate("image => getComputedStyle(image).objectFit") == "contain"
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_value("51")
    box = page.locator(".fs-swipe-stage").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 0.8 * box["width"], box["y"] + 20)
    reads(page, lambda: int(slider.input_value()), lambda at: 75 < at < 85)
    reads(page, lambda: shown.evaluate("image => getComputedStyle(image).clipPath"), lambda path: "- 8" not in path)


def test_neighbours_open_and_another_model_is_asked(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "item?benchmark=small&item=relation/1")
    page.get_by_text("Nearest neighbours").click()
    near = page.locator(".fs-gallery .fs-open").first
    expect(near).to_be_visible(timeout=60_000)
    settled(page)
    item = str(near.get_attribute("data-item"))
    near.click()
    expect(page).to_have_url(re.compile(re.escape(item.replace("/", "%2F"))), timeout=30_000)
    settled(page)
    page.get_by_text("Ask another model").click()
    page.get_by_role("button", name="Score this item").click()
    expect(page.get_by_text("Asked in this session")).to_be_visible(timeout=60_000)
    expect(page.locator("article.fs-panel", has_text="fake:constant")).to_be_visible()


def test_a_link_opens_an_item_over_the_same_list_and_back_closes_it(page: Page, dashboard: Any) -> None:
    opened(page, dashboard, "failures?benchmark=small&model=fake:weak&subset=relation")
    listed = total(page)
    page.locator(".fs-open").nth(1).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(f"2 of {listed}")
    settled(page)
    page.keyboard.press("ArrowRight")
    expect(dialog).to_contain_text(f"3 of {listed}")
    settled(page)
    link = page.url
    assert "item=" in link
    page.go_back()  # one step, however far one has walked
    expect(dialog).to_have_count(0)
    expect(page).not_to_have_url(re.compile("item="))
    settled(page)
    assert total(page) == listed
    page.goto(link)
    expect(dialog).to_contain_text(f"3 of {listed}", timeout=90_000)
    settled(page)
    step = dialog.get_by_role("link", name="Why? The item in full")
    expect(step).to_have_attribute("href", re.compile("item=relation"))
    open_page(page, dashboard, "failures?benchmark=small&model=fake:weak&subset=relation&item=count/1")
    expect(dialog).to_contain_text("not this item", timeout=90_000)
    open_page(page, dashboard, "failures?benchmark=small&model=fake:weak&item=%3Cb%3Enowhere")
    expect(page.get_by_test_id("stAlert")).to_contain_text("“<b>nowhere”, which is not in small")
    expect(page.locator(".fs-open").first).to_be_visible()
    expect(dialog).to_have_count(0)

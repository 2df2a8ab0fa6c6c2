"""Saving what is on the Try-it page, in a real browser: a name is typed, a concept chosen, the item is there."""

import json

import pytest
from playwright.sync_api import Page, Route, expect

from backend.live.scoring.examples import BY_NAME
from tests.browser.stored import settled

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def dashboard(serve):
    return serve(FLIPSIDE_LIVE_MODELS="fake:ok")


def test_an_example_is_saved_under_a_new_name(dashboard, page: Page, tmp_path):
    page.goto(f"{dashboard.address}/try-it")
    page.get_by_test_id("stMain").get_by_role("button", name="Judge, save, share", exact=False).first.click()
    name = page.get_by_role("combobox", name="Benchmark")
    name.fill("from the page")
    name.press("Enter")
    tested = page.get_by_role("combobox", name="What it tests")
    tested.fill("colour")
    tested.press("Enter")
    tested.press("Tab")  # its list stays open for another choice, over the button
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("custom:from-the-page has 1 item")).to_be_visible()
    page.screenshot(path=str(tmp_path / "saved.png"))
    folder = dashboard.cache / "own" / "custom:from-the-page"
    (line,) = (folder / "items.jsonl").read_text().splitlines()
    item = json.loads(line)
    assert item["protocol"] in ("quad", "triplet", "choice")
    assert item["tags"] == {"concept": ["colour"]}
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("has this item already")).to_be_visible()


def test_in_a_low_window_the_box_for_saving_is_all_in_sight(dashboard, visitor):
    """Failed before: it was placed by its height before it was filled, and its button lay below the window."""
    page = visitor(width=900)
    page.set_viewport_size({"width": 900, "height": 900})
    page.goto(f"{dashboard.address}/try-it")
    expect(page.locator(".fs-shown")).to_have_count(2)
    settled(page)
    page.get_by_test_id("stMain").get_by_role("button", name="Judge, save, share", exact=False).first.click()
    save = page.get_by_role("button", name="Save", exact=True)
    expect(save).to_be_in_viewport(ratio=1)
    box = page.get_by_test_id("stPopoverBody").bounding_box()
    assert box
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= 900


def test_captions_stay_though_the_browser_loads_their_field_late(dashboard, page: Page):
    """The code of a widget comes over the network: a run may pass before it is there, and must not cost its value."""
    held: list[Route] = []
    page.route("**/static/js/TextArea*.js", lambda route: held.append(route))
    page.goto(f"{dashboard.address}/try-it?example=relation")
    page.get_by_test_id("stMain").get_by_role("button", name="Judge, save, share", exact=False).first.click()
    name = page.get_by_role("combobox", name="Benchmark")
    name.fill("late")
    name.press("Enter")
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    assert held
    for route in held:
        route.continue_()
    captions = page.get_by_label("Captions, one a line")
    expect(captions).to_have_value("\n".join(BY_NAME["relation"].texts))
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("custom:late has 1 item")).to_be_visible()
    expect(captions).to_have_value("\n".join(BY_NAME["relation"].texts))

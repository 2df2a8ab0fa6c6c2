"""What a loss asks for, in a real Chromium: scores move by keys and pointer, and the picture follows at once."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.stored import open_page, settled

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def dashboard(small: Any) -> Any:
    return small


def opened(page: Page, dashboard: Any, address: str = "") -> Page:
    open_page(page, dashboard, f"teach?view=what-if{address}")
    expect(page.locator("#what-if tbody tr")).to_have_count(6, timeout=90_000)
    settled(page)
    return page


def row(page: Page, loss: str) -> Locator:
    """value, pulls at γ, c, r and all four, what it asks, where it leads."""
    return page.locator(f"#what-if tr[data-loss={loss}] td")


@pytest.mark.journey
def test_a_score_is_edited_by_keys_and_the_verdict_and_the_gradient_follow(page: Page, dashboard: Any) -> None:
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda _: sent.append("frame")))
    opened(page, dashboard)
    verdict = page.locator("#what-if .verdict")
    expect(verdict).to_have_text(re.compile("text ✓.*image ✗.*group ✗.*outvoted by the image"))
    pulls = ["7.94", "0", "−8.16", "−351", "0"]  # EqSim on raw scores has no pull at γ
    expect(row(page, "both")).to_have_text([*pulls, "r towards zero, c towards zero", "✓ right from step 11"])
    expect(row(page, "v1").nth(5)).to_have_text("c away from zero, r towards zero")
    expect(row(page, "v1").nth(6)).to_have_text("✗ outvoted by both")
    before = len(sent)
    slider = page.get_by_label("slide s₂₂, image 2 with caption 2")
    slider.evaluate("node => { node.value = '0.305'; node.dispatchEvent(new Event('input', { bubbles: true })); }")
    expect(page.locator("#what-if dd[data-part=gamma]")).to_have_text("+0.0300")
    settled(page, 800)
    assert len(sent) == before, "dragging a score asked the server"
    slider.focus()
    for _ in range(4):  # s22 from 0.305 to 0.325, above s12 = 0.315
        slider.press("ArrowRight")
    expect(verdict).to_have_text(re.compile("text ✓.*image ✓.*group ✓.*right"))
    expect(page.locator("#what-if dd[data-part=gamma]")).to_have_text("+0.0350")
    pulls = ["0.0450", "+1.00", "0", "−1.00", "0"]  # the value: max(|−0.005|, |0.03|) − 0.035 + 0.05
    expect(row(page, "binding")).to_have_text([*pulls, "γ up, r towards zero", "✓ stays right"])
    expect(page).to_have_url(re.compile(r"quad=0\.375%2C0\.315%2C0\.245%2C0\.325"), timeout=60_000)
    settled(page)
    page.reload()
    expect(verdict).to_have_text(re.compile("group ✓"), timeout=90_000)
    expect(page.get_by_label("s₂₂, the score of image 2 with caption 2 (cosine)")).to_have_value("0.3250")
    page.get_by_role("button", name="start again").click()
    expect(verdict).to_have_text(re.compile("outvoted by the image"))
    expect(page).not_to_have_url(re.compile(r"quad=0"), timeout=60_000)


def test_a_loss_is_chosen_and_its_steps_are_taken(page: Page, dashboard: Any) -> None:
    opened(page, dashboard)
    page.get_by_label("the loss whose steps are taken").select_option("binding (ours)")
    pushed = page.locator("#what-if .pushed")
    expect(pushed).to_have_text(["not pushed", "← −0.500", "not pushed", "→ +0.500"])
    page.get_by_role("button", name="take 40").click()
    expect(page.locator("#what-if .verdict")).to_have_text(re.compile("group ✓"))
    expect(page.locator("#what-if tr[data-loss=binding] td").nth(5)).to_have_text("nothing: it is met")
    expect(pushed).to_have_text(["not pushed"] * 4)
    expect(page.get_by_role("button", name="take 1 step")).to_be_disabled()
    expect(page).to_have_url(re.compile("quad_loss=binding"), timeout=60_000)


def test_one_screen_with_five_controls_and_the_rest_is_one_click_away(visitor: Visit, dashboard: Any) -> None:
    page = opened(visitor(width=1440), dashboard)
    page.set_viewport_size({"width": 1440, "height": 700})
    settled(page)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight") <= 900
    seen = page.locator("#what-if :is(.buttons, .controls, .scroll) :is(button, input, select)").filter(visible=True)
    expect(seen).to_have_count(3)  # beside what the quad begins with, and the four scores themselves
    page.locator("#what-if summary", has_text="Every loss in numbers").click()
    expect(page.locator("#what-if tbody tr").first).to_be_visible()
    page.get_by_role("radio", name="SVLC negatives").check()
    expect(page.get_by_label("the loss whose steps are taken")).to_have_value("negatives")
    page.get_by_role("radio", name="no binding seen").click()
    expect(page.locator("#what-if .verdict")).to_have_text(re.compile("no binding seen"), timeout=60_000)
    expect(page.locator("#what-if tbody tr").first).to_be_visible()  # it stays as it was left
    page.locator("#what-if summary", has_text="More").click()
    expect(page.get_by_label("EqSim's α")).to_be_visible()


def test_the_quad_is_dragged_in_the_plane(page: Page, dashboard: Any) -> None:
    opened(page, dashboard)
    point = page.locator("#what-if .point")
    box = point.locator(".disc").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 150, steps=4)
    expect(page.locator("#what-if .verdict")).to_have_text(re.compile("group ✓"))
    page.mouse.up()
    r = page.locator("#what-if dd[data-part=r]").inner_text()
    assert float(r) == pytest.approx(0.045, abs=0.001), "the biases stayed"
    point.press("ArrowLeft")
    expect(page.locator("#what-if dd[data-part=r]")).not_to_have_text(r)
    expect(page).to_have_url(re.compile(r"quad=0\.\d+"), timeout=60_000)


def test_another_beginning_replaces_what_was_edited_and_back_restores_it(page: Page, dashboard: Any) -> None:
    opened(page, dashboard, "&quad=0.4,0.1,0.2,0.3&quad_norm=batch&quad_scale=30")
    field = page.get_by_label("s₁₁, the score of image 1 with caption 1 (cosine)")
    expect(field).to_have_value("0.4000")
    expect(page.locator("#what-if .controls select")).to_have_value("batch")
    page.get_by_role("radio", name="no binding seen").click()
    expect(page.locator("#what-if .verdict")).to_have_text(re.compile("no binding seen"), timeout=60_000)
    expect(field).to_have_value("0.3300")
    expect(page).to_have_url(re.compile("quad_from=no_binding"), timeout=60_000)
    expect(page).not_to_have_url(re.compile("quad=0.4"))
    settled(page, 1500)  # an address that was replaced just now may come with a click
    page.go_back()
    expect(field).to_have_value("0.4000", timeout=60_000)


def test_a_stored_item_leads_to_its_own_page(page: Page, dashboard: Any) -> None:
    opened(page, dashboard, "&benchmark=small&quad_from=item")
    expect(page.locator("#what-if .head.caption span")).to_have_count(2)
    expect(page.locator("#what-if .head img")).to_have_count(2)
    page.get_by_role("link", name="This item in full").click()
    expect(page.locator(".fs-header h1")).to_contain_text("What does every model make", timeout=60_000)


def test_nothing_sticks_out_of_a_narrow_page(visitor: Visit, dashboard: Any) -> None:
    page = opened(visitor(width=900, scheme="dark"), dashboard)
    over = page.evaluate(
        "() => document.querySelector('[data-testid=stMain]').scrollWidth - document.querySelector("
        "'[data-testid=stMain]').clientWidth"
    )
    assert over <= 0
    small = page.locator("#what-if :is(button, input, select, summary)").evaluate_all(
        "nodes => nodes.map((n) => n.closest('label') || n).filter((n) => n.offsetParent)"
        ".filter((n) => n.getBoundingClientRect().height < 24).map((n) => n.outerHTML)"
    )
    assert not small

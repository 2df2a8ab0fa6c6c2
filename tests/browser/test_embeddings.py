"""Embeddings in a real Chromium: neighbours on hover, a pin, a lasso to Failures, vectors computed when asked for."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.stored import open_page, settled, start
from tests.pages import results
from tests.store.writer import write_run

pytestmark = pytest.mark.browser

POOL = "embeddings?benchmark=small&model=fake:strong&map=pca"


@pytest.fixture(scope="module")
def dashboard(serve: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("embeddings")
    write_run(folder, results.world(), "6" * 16, ["itc", "t2t"], model="fake:ok", name="small")
    return replace(start(serve, folder), cache=folder)


def ready(page: Page) -> Locator:
    """The (first) map, drawn."""
    expect(page.locator("#embedding-map[data-ready]")).to_be_visible(timeout=90_000)
    settled(page)
    canvas = page.locator("canvas.top").first
    canvas.scroll_into_view_if_needed()
    return canvas


def lasso(page: Page, canvas: Locator, low: float, high: float) -> None:
    """A square around the part of the map from low to high, both ways."""
    box = canvas.bounding_box()
    assert box
    for k, (x, y) in enumerate([(low, low), (high, low), (high, high), (low, high), (low, low)]):
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"], steps=6)
        if k == 0:
            page.mouse.down()
    page.mouse.up()


@pytest.mark.journey
@pytest.mark.timeout(240)
def test_hover_pin_and_lasso_to_failures(page: Page, dashboard: Any, browser: Browser) -> None:
    open_page(page, dashboard, POOL)
    canvas = ready(page)
    canvas.focus()
    page.keyboard.press("ArrowRight")  # the keyboard walks from point to point as the pointer does
    tip = page.locator(".tip")
    expect(tip).to_be_visible()
    expect(tip).to_contain_text(re.compile(r"nearest (captions|images) by cosine.*nearest (captions|images) by cosine"))
    first = page.locator(".live").inner_text()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".live")).not_to_have_text(first)
    page.keyboard.press("Enter")
    pinned = page.locator(".fs-pinned").first
    expect(pinned).to_contain_text("Pinned", timeout=60_000)
    expect(page.locator(".fs-near-images img").first).to_be_visible()
    expect(page).to_have_url(re.compile(r"pin=(image|text)"))
    said = pinned.inner_text()

    lasso(page, canvas, 0.02, 0.98)
    chosen = page.locator(".fs-pinned", has_text=re.compile(r"\d+ items? selected"))
    expect(chosen.first).to_be_visible(timeout=60_000)
    expect(page).to_have_url(re.compile(r"set="))
    address = page.url
    fresh = browser.new_context(viewport={"width": 1440, "height": 1000}).new_page()
    fresh.goto(address)
    expect(fresh.locator(".fs-pinned").first).to_have_text(re.compile(re.escape(said.splitlines()[0])), timeout=90_000)
    expect(fresh.locator(".fs-pinned", has_text="selected").first).to_have_text(chosen.first.inner_text())
    fresh.context.close()

    n = re.search(r"\d+", chosen.first.inner_text())
    assert n
    page.get_by_role("button", name=re.compile("Open .* in Failures")).click()
    expect(page.locator(".fs-header h1")).to_contain_text("get wrong", timeout=60_000)
    expect(page.locator(".fs-set")).to_contain_text(f"Only {n[0]} item", timeout=60_000)
    expect(page.locator(".fs-count")).to_contain_text("fail", timeout=60_000)
    expect(page).not_to_have_url(re.compile("show=all"))


def test_two_maps_share_what_is_pinned(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, f"{POOL}&other=fake:weak")
    canvas = ready(page)
    expect(page.locator("canvas.top")).to_have_count(2)
    canvas.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".fs-pinned h4", has_text="fake:strong").first).to_be_visible(timeout=60_000)
    expect(page.locator(".fs-pinned h4", has_text="fake:weak").first).to_be_visible()


def test_a_part_is_embedded_when_asked_for(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "embeddings?benchmark=small&model=fake:ok&map=pca&part=relation")
    page.get_by_role("button", name="Embed them with fake:ok").click()
    ready(page)
    expect(page.locator(".key", has_text="wrong")).to_be_visible()
    gaps = page.locator(".fs-gaps tbody tr")
    expect(gaps).to_have_count(1)
    expect(gaps.first).to_contain_text("fake:ok")
    assert list(dashboard.cache.glob("embeddings/6666666666666666/*.npz"))

    lasso(page, ready(page), 0.02, 0.98)  # Back from its items: the part, the map and the lasso as they were
    chosen = page.locator(".fs-pinned", has_text=re.compile(r"\d+ items? selected")).first
    expect(chosen).to_be_visible(timeout=60_000)
    expect(page).to_have_url(re.compile(r"set="))
    address, said = page.url, chosen.inner_text()
    assert "part=relation" in address
    page.get_by_role("button", name=re.compile("Open .* in Failures")).click()
    expect(page.locator(".fs-count b").first).to_be_visible(timeout=60_000)
    page.go_back()
    expect(chosen).to_have_text(said, timeout=60_000)
    expect(page).to_have_url(address)
    expect(page.get_by_test_id("stSelectbox").filter(has_text="Subset").locator("input")).to_have_value(
        re.compile("relation")
    )

    page.goto(f"{dashboard.address}/embeddings?benchmark=small&model=fake:strong&map=pca&part=relation")
    page.get_by_role("button", name="Embed them with fake:strong").click()
    expect(page.get_by_test_id("stAlert")).to_contain_text("no fake mode 'strong'", timeout=60_000)

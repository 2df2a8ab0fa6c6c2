"""Embeddings in a real Chromium: neighbours on hover, a pin, a lasso to Failures, vectors computed when asked for."""

import io
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.pointer import draw
from tests.browser.stored import open_page, settled, start
from tests.pages import results
from tests.store.writer import write_run

pytestmark = pytest.mark.browser

POOL = "embeddings?benchmark=small&model=fake:strong&part=retrieval&map=pca"


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
    draw(page, canvas, [(low, low), (high, low), (high, high), (low, high), (low, low)])


def faint_and_coloured(canvas: Locator) -> int:
    """Pixels of the map (which has a light page) that are pale, and no grey."""
    picture = np.asarray(Image.open(io.BytesIO(canvas.screenshot())).convert("RGB")).astype(int)
    return int(((picture.min(axis=2) > 120) & (picture.max(axis=2) - picture.min(axis=2) > 20)).sum())


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

    lasso(page, canvas, 0.02, 0.6)
    panel = page.locator(".fs-over")
    expect(panel).to_contain_text(re.compile(r"\d+ images? and \d+ captions? of \d+ items?"), timeout=60_000)
    expect(panel).to_contain_text("Items are counted, not dots")
    assert faint_and_coloured(canvas) > 500  # what is not picked keeps its hue (184 where it was grey, 996 since)
    expect(page).to_have_url(re.compile(r"set=.*lasso=a0[0-9a-f]{24,}"))
    both = panel.locator("h3").inner_text()
    page.get_by_role("button", name="The lasso takes captions alone").click()  # one that is drawn takes it at once
    expect(page).to_have_url(re.compile(r"lasso=t0"), timeout=60_000)
    expect(panel.locator("h3")).not_to_contain_text("image")
    page.get_by_role("button", name="The lasso takes images and captions").click()
    expect(panel.locator("h3")).to_have_text(both, timeout=60_000)
    expect(page).to_have_url(re.compile(r"lasso=a0"))
    told, address = panel.locator(".fs-over-wrong").inner_text(), page.url
    fresh = browser.new_context(viewport={"width": 1440, "height": 1000}).new_page()
    fresh.goto(address)
    expect(fresh.locator(".fs-pinned").first).to_have_text(re.compile(re.escape(said.splitlines()[0])), timeout=90_000)
    expect(fresh.locator(".fs-over h3")).to_have_text(both, timeout=60_000)
    expect(fresh.locator(".fs-over-wrong")).to_have_text(told)
    # without the kept items, as on another computer: the corners alone pick the same
    fresh.goto(re.sub(r"set=\w+&?", "", address))
    expect(fresh.locator(".fs-over h3")).to_have_text(both, timeout=90_000)
    fresh.context.close()

    ways = page.get_by_role("button", name=re.compile("Open the [0-9,]+ items? with failures by R@1"))
    expect(ways).to_have_text([re.compile("image to text"), re.compile("text to image")])  # one at a time
    ways.first.click()
    expect(page.locator(".fs-set")).to_be_visible(timeout=60_000)
    expect(page.locator(".fs-set")).to_contain_text(f"{both.rpartition(' of ')[2]}")
    expect(page.locator(".fs-count")).to_be_visible()
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
    page.get_by_text("How far apart images and captions are").click()
    gaps = page.locator(".fs-gaps tbody tr")
    expect(gaps).to_have_count(1)
    expect(gaps.first).to_contain_text("fake:ok")
    assert list(dashboard.cache.glob("embeddings/6666666666666666/*.npz"))

    lasso(page, ready(page), 0.02, 0.98)  # Back from its items: the part, the map and the lasso as they were
    chosen = page.locator(".fs-over h3")
    expect(chosen).to_contain_text(re.compile(r"of \d+ items"), timeout=60_000)
    expect(page).to_have_url(re.compile(r"lasso="))
    address, said = page.url, chosen.inner_text()
    assert "part=relation" in address
    page.get_by_role("button", name=re.compile("Open the")).click()
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


@pytest.mark.timeout(240)
def test_the_first_map_ships_its_clumps_have_names_and_its_vectors_come_by_themselves(
    page: Page, serve: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A fresh installation opens with vectors that ship, and its sentence. Another subset has its picture at once, the
    neighbours when the bundled model has embedded it."""
    folder = tmp_path_factory.mktemp("fresh")
    fresh = start(serve, folder)
    open_page(page, fresh, "embeddings")
    ready(page)
    expect(page.locator(".fs-seen")).to_contain_text("Wrong items")
    runs = "[0-9a-f]" * 16  # vectors lie in a folder of their run; what is found of maps is kept beside these
    assert not list(folder.glob(f"embeddings/{runs}/*.npz"))  # nothing begins by itself
    open_page(page, fresh, "embeddings?part=attribute")
    ready(page)
    expect(page.get_by_test_id("stSelectbox").filter(has_text="Subset").locator("input")).to_have_value(
        re.compile("attribute")
    )
    expect(page.locator(".fs-seen")).to_contain_text("Wrong items", timeout=120_000)
    assert list(folder.glob(f"embeddings/{runs}/*.npz"))
    label = page.locator(".clump:visible", has_text="wrong").first
    label.focus()
    expect(page.locator(".tip")).to_contain_text(re.compile(r"\d+ of \d+ items here, \d+ of \d+ elsewhere"))
    label.click()
    expect(page.locator(".fs-over h3")).to_contain_text("items", timeout=60_000)
    expect(page.locator(".fs-over")).to_contain_text("found by place alone")
    expect(page).to_have_url(re.compile(r"lasso=c\d+"))
    clear = page.get_by_role("button", name="Clear")
    expect(clear).to_be_enabled()
    page.get_by_text("The first of these").click()  # Escape is heard wherever the keyboard is
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("lasso="), timeout=60_000)
    expect(clear).to_be_disabled()
    expect(page.locator(".fs-over h3")).to_have_text("What each clump shares", timeout=60_000)
    page.get_by_role("button", name="Embed them with clip").click()  # neighbours come when asked for
    expect(page.get_by_text("How far apart images and captions are")).to_be_visible(timeout=120_000)


def test_a_subset_is_kept_by_way_of_another_page(page: Page, dashboard: Any) -> None:
    """Model and benchmark were; the subset fell back to the first one."""
    open_page(page, dashboard, "embeddings?benchmark=small&model=fake:strong&map=pca&part=retrieval")
    ready(page)
    subset = page.get_by_test_id("stSelectbox").filter(has_text="Subset").locator("input")
    subset.click()
    page.get_by_role("option", name=re.compile("^count")).click()
    expect(page).to_have_url(re.compile("part=count"))
    settled(page)
    said = subset.input_value()
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Runs").click()
    expect(page).to_have_url(re.compile("/runs"))
    settled(page)
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Embeddings").click()
    expect(subset).to_have_value(said, timeout=60_000)
    expect(page).to_have_url(re.compile("embeddings.*part=count"))

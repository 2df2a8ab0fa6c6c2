"""Pictures of any shape are seen whole, in a real Chromium: both ends of a wide one, top and bottom of a tall one."""

import re
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from typing import Any

import pytest
from PIL import Image, ImageDraw
from playwright.sync_api import Locator, Page, expect

from backend.items import ImageRef
from tests.browser.stored import open_page, settled
from tests.pages import results

pytestmark = pytest.mark.browser

SHAPES = {"wide": (900, 180), "tall": (180, 900), "square": (300, 300)}


def drawn(size: tuple[int, int]) -> Image.Image:
    """Grey, red at one end and blue at the other."""
    width, height = size
    image = Image.new("RGB", size, (128, 128, 128))
    pen, wide = ImageDraw.Draw(image), width >= height
    end = 0.12 * max(size)
    pen.rectangle((0, 0, end, height) if wide else (0, 0, width, end), fill=(230, 0, 0))
    pen.rectangle((width - end, 0, width, height) if wide else (0, height - end, width, height), fill=(0, 0, 230))
    return image


@pytest.fixture(scope="module")
def dashboard(serve: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("pictures")
    uris = []
    for name, size in SHAPES.items():
        drawn(size).save(folder / f"{name}.png")
        uris.append(str(folder / f"{name}.png"))
    items = []
    for k, item in enumerate(results.world()):
        images = tuple(ImageRef(f"{k}-{i}.png", uris[(k + i) % 3]) for i, _ in enumerate(item.images))
        items.append(replace(item, images=images))
    results.write(folder / "cache", items)
    return serve(FLIPSIDE_CACHE=str(folder / "cache"), FLIPSIDE_LIVE_MODELS="fake:ok")


def expect_whole(page: Page, pictures: Locator) -> None:
    """Every one of these pictures, as it is painted, shows its red and its blue end."""
    expect(pictures.first).to_be_visible(timeout=90_000)
    settled(page)
    for k in range(min(6, pictures.count())):
        each = pictures.nth(k)
        each.scroll_into_view_if_needed()
        each.evaluate("image => image.complete || new Promise((done) => { image.onload = done; })")
        painted = Image.open(BytesIO(each.screenshot())).convert("RGB")
        pixels = [colour for _, colour in painted.getcolors(painted.width * painted.height) or []]
        assert any(r > 170 and b < 90 for r, _, b in pixels), f"picture {k} has lost its red end"
        assert any(b > 170 and r < 90 for r, _, b in pixels), f"picture {k} has lost its blue end"


def test_pictures_on_cards_and_in_an_item_are_whole(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "failures?benchmark=small&model=fake:weak")
    expect_whole(page, page.locator(".fs-open img"))
    page.locator(".fs-open").first.click()
    expect_whole(page, page.get_by_role("dialog").locator(".fs-frames img"))


def test_uploaded_pictures_are_whole(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "try-it")
    expect(page).to_have_url(re.compile("/try-it$"))
    files = []
    for name in ("wide", "tall"):
        buffer = BytesIO()
        drawn(SHAPES[name]).save(buffer, "PNG")
        files.append({"name": f"{name}.png", "mimeType": "image/png", "buffer": buffer.getvalue()})
    page.locator("input[type=file]").set_input_files(files)
    expect(page).to_have_url(re.compile("i=own"))
    expect(page.locator(".fs-frames img")).to_have_count(2)
    expect(page.get_by_label("Captions, one a line")).to_have_count(1)  # the one before is there until the run's end
    expect(page.get_by_label("Captions, one a line")).to_have_value("")
    expect_whole(page, page.locator(".fs-frames img"))
    box = page.get_by_label("Captions, one a line")
    box.fill("red on the left\nblue on the left")
    box.press("Control+Enter")
    expect(page.locator(".fs-captions li").first).to_contain_text("red on the left")
    page.get_by_role("button", name="Score").first.click()
    expect(page.locator(".fs-versus")).to_be_visible(timeout=60_000)
    page.get_by_test_id("stExpander").filter(has_text="Every score, side by side").locator("summary").click()
    expect(page.locator(".fs-matrix").first).to_be_visible(timeout=60_000)
    expect_whole(page, page.locator(".fs-matrix th img"))

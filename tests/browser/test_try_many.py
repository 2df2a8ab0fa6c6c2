"""Try it beyond one experiment, in a real Chromium: a big grid, a pasted picture, many items, images in order."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from backend.live.scoring.batch_examples import triplets

pytestmark = pytest.mark.browser

PASTE = """async () => {
  const canvas = document.createElement("canvas"); canvas.width = canvas.height = 40;
  const pen = canvas.getContext("2d"); pen.fillStyle = "teal"; pen.fillRect(5, 5, 30, 30);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  const held = new DataTransfer(); held.items.add(new File([blob], "image.png", { type: "image/png" }));
  document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: held, bubbles: true, cancelable: true }));
}"""


@pytest.fixture(scope="module")
def dashboard(serve: Any) -> Any:
    return serve(FLIPSIDE_LIVE_MODELS="fake:ok/itc,gen fake:ok/itm")


@pytest.mark.journey
def test_a_pasted_picture_takes_the_examples_place_and_can_be_removed(page: Page, dashboard: Any) -> None:
    page.goto(f"{dashboard.address}/try-it")
    expect(page.locator(".fs-frames img")).to_have_count(2)
    expect(page.locator(".fs-paste")).to_contain_text("paste a picture")
    page.evaluate(PASTE)
    expect(page.locator(".fs-frames img")).to_have_count(1)
    expect(page.locator(".fs-frames img").first).to_have_attribute("alt", "pasted 1.png")
    page.get_by_role("button", name="Remove 1").click()
    expect(page.get_by_text("No image yet")).to_be_visible()


def test_a_grid_of_eight_by_sixteen_is_scored_and_its_address_reopens_it(page: Page, dashboard: Any) -> None:
    images = "&".join(f"i=world:{k}.crbpKO.sbbpig" for k in range(8))
    texts = "&".join(f"t=caption+{k}" for k in range(16))
    page.goto(f"{dashboard.address}/try-it?{images}&{texts}&as=grid")
    page.get_by_role("button", name="Score").first.click()
    expect(page.locator(".fs-versus")).to_be_visible(timeout=60_000)
    page.get_by_test_id("stExpander").filter(has_text="Every score, side by side").locator("summary").click()
    matrix = page.locator(".fs-panel .fs-matrix").first
    expect(matrix.locator("td b")).to_have_count(128, timeout=60_000)
    expect(matrix.locator("td .fs-marks", has_text="→")).to_have_count(8)
    page.get_by_role("button", name="Remove 8").click()
    expect(matrix.locator("td b")).to_have_count(112)
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator(".fs-frames img")).to_have_count(7)
    expect(page.get_by_label("Captions, one a line")).to_have_value("\n".join(f"caption {k}" for k in range(16)))


def test_a_dropped_table_is_scored_unsaved_and_opened_in_failures(page: Page, dashboard: Any) -> None:
    page.goto(f"{dashboard.address}/try-it?mode=many")
    table = {"name": "mine.csv", "mimeType": "text/csv", "buffer": triplets()}
    page.locator("input[type=file]").set_input_files([table])  # type: ignore[list-item]
    expect(page.get_by_text("60 items in mine")).to_be_visible()
    page.get_by_role("button", name="Score with 2 models").click()
    expect(page.get_by_text("What came of it")).to_be_visible(timeout=120_000)
    assert not list((dashboard.cache / "own").glob("*/benchmark.json"))
    page.get_by_role("button", name="Failures of").first.click()
    page.wait_for_url("**/failures?**")
    expect(page.locator(".fs-gallery .fs-card").first).to_be_visible(timeout=60_000)
    (head,) = [json.loads(path.read_text()) for path in (dashboard.cache / "benchmarks").glob("*/benchmark.json")]
    assert head["name"].startswith("custom:mine-unsaved-")


def test_images_are_ranked_and_the_address_reopens_the_prompt(page: Page, dashboard: Any) -> None:
    page.goto(f"{dashboard.address}/try-it?mode=rank&n=12")
    page.get_by_label("Prompt").fill("a green heart")
    page.get_by_label("Prompt").press("Enter")
    page.wait_for_url("**q=a+green+heart**")
    page.get_by_role("button", name="Rank 12 images").click()
    expect(page.locator(".fs-strip")).to_have_count(3, timeout=60_000)
    expect(page.locator(".fs-strip").first.locator("li")).to_have_count(12)
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(page.get_by_label("Prompt")).to_have_value("a green heart")

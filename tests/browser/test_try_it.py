"""Try it, used as a person uses it, in a real Chromium."""

import re
import struct
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw
from playwright.sync_api import Locator, Page, expect

from tests.browser.stored import reads, settled

pytestmark = pytest.mark.browser

PHOTOS = Path(__file__).resolve().parents[3] / "shared" / "data" / "photos"
MODELS = "fake:ok fake:ok/itc,t2t fake:raise"


@pytest.fixture(scope="module")
def dashboard(serve: Callable[..., Any]) -> Any:
    return serve(FLIPSIDE_LIVE_MODELS=MODELS)


def open_page(page: Page, dashboard: Any, query: str = "") -> None:
    page.goto(f"{dashboard.address}/try-it{query}")
    expect(page.locator(".fs-header h1")).to_be_visible()
    expect(page.get_by_label("Captions, one a line")).to_be_visible()


def press_score(page: Page) -> None:
    page.get_by_role("button", name="Score", exact=False).first.click()
    expect(page.locator(".fs-versus").first).to_be_visible(timeout=60_000)
    settled(page)


def more(page: Page) -> None:
    """The popover beside Score: how it is judged, sharing, saving."""
    page.get_by_test_id("stMain").get_by_role("button", name="Judge, save, share", exact=False).first.click()
    settled(page)


def unfold(page: Page, label: str) -> Locator:
    """A fold below the bench, opened: once more where the page was drawn anew under the click."""
    fold = page.get_by_test_id("stExpander").filter(has=page.get_by_text(label, exact=True))
    for _ in range(3):
        fold.locator("summary").click()
        settled(page)
        if fold.locator("details").first.evaluate("details => details.open"):
            break
    return fold


def type_captions(page: Page, text: str) -> None:
    box = page.get_by_label("Captions, one a line")
    box.fill(text)
    box.press("Control+Enter")


def error(page: Page) -> Locator:
    return page.get_by_test_id("stAlertContentError")


def numbers(matrix: Locator) -> list[float]:
    return [float(text.replace("−", "-")) for text in matrix.locator("td b").all_inner_texts()]


def two_photographs() -> list[dict[str, Any]]:
    """JPEG files that are named .png: the project's own example of real input, or two drawn on the spot."""
    if PHOTOS.is_dir():
        return [
            {"name": f"{k}.png", "mimeType": "image/png", "buffer": (PHOTOS / f"{k}.png").read_bytes()} for k in (0, 1)
        ]
    made = []
    for k, colour in enumerate(("teal", "maroon")):
        image = Image.new("RGB", (640, 420), "white")
        ImageDraw.Draw(image).ellipse((80 + 60 * k, 60, 400, 380), fill=colour)
        buffer = BytesIO()
        image.save(buffer, "JPEG")
        made.append({"name": f"{k}.png", "mimeType": "image/png", "buffer": buffer.getvalue()})
    return made


def bomb() -> bytes:
    """A true 30,000 × 30,000 PNG of a few hundred kilobytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    squeeze = zlib.compressobj(1)
    rows = b"".join(squeeze.compress(bytes(3751 * 1000)) for _ in range(30)) + squeeze.flush()
    header = struct.pack(">IIBBBBB", 30_000, 30_000, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def upload(page: Page, *files: dict[str, Any]) -> None:
    page.locator("input[type=file]").set_input_files(list(files))


@pytest.mark.journey
def test_an_example_is_scored_by_every_model_side_by_side(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard)
    expect(page.locator(".fs-frames img")).to_have_count(2)
    press_score(page)
    expect(page.locator(".fs-versus tbody tr:not(.fs-under)")).to_have_count(5)  # four kinds of one, one of the other
    expect(page.locator(".fs-problem", has_text="fails on purpose")).to_be_visible()
    expect(page.locator(".fs-panel")).to_have_count(0)
    unfold(page, "Every score, side by side")
    expect(page.locator(".fs-panel")).to_have_count(3)
    matrix = page.locator(".fs-panel").first.locator(".fs-matrix").first
    expect(matrix.locator("td b")).to_have_count(4)
    expect(matrix.locator("td.fs-truth")).to_have_count(2)
    for word in ("text", "image", "group"):
        expect(page.locator(".fs-panel .fs-chip", has_text=re.compile(f"^{word}")).first).to_be_visible()
    expect(page.locator(".fs-fact", has_text="v2 text").first).to_be_visible()
    expect(page.locator(".fs-panel .fs-problem", has_text="fails on purpose")).to_be_visible()
    expect(page).to_have_url(re.compile("/try-it$"))  # what it opens with is not said


def test_two_photographs_with_a_wrong_extension_are_scored_and_shared(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard)
    expect(page).to_have_url(re.compile("/try-it$"))
    upload(page, *two_photographs())
    expect(page).to_have_url(re.compile("i=own"))  # the example's pictures are gone, and its captions
    expect(page.get_by_label("Captions, one a line")).to_have_count(1)  # the one before is there until the run's end
    expect(page.get_by_label("Captions, one a line")).to_have_value("")
    type_captions(page, "a woman waits in a car\nan empty street at night")
    expect(page.locator(".fs-captions li").nth(1)).to_contain_text("street")
    press_score(page)
    unfold(page, "Every score, side by side")
    matrix = page.locator(".fs-panel").first.locator(".fs-matrix").first
    expect(matrix.locator("td b")).to_have_count(4)
    settled(page)
    before = numbers(matrix)
    assert len(set(before)) > 1
    assert re.findall("[?&]i=([^&]*)", page.url) == ["own", "own"]  # what nobody has shared is not named
    more(page)
    page.get_by_role("button", name="Share these images").click()
    page.wait_for_url(re.compile("i=upload"))
    assert len(list((dashboard.cache / "uploads").glob("*.png"))) == 2
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator(".fs-frames img")).to_have_count(2)
    expect(page.get_by_label("Captions, one a line")).to_have_value(re.compile("woman waits"))
    press_score(page)
    unfold(page, "Every score, side by side")
    expect(page.locator(".fs-panel").first.locator(".fs-matrix").first.locator("td b")).to_have_count(4)
    assert numbers(page.locator(".fs-panel").first.locator(".fs-matrix").first) == pytest.approx(before)
    more(page)
    page.get_by_role("button", name="Delete the shared copies").click()
    expect(error(page).first).to_contain_text("deleted or never saved")
    reads(page, lambda: list((dashboard.cache / "uploads").glob("*.png")), [])


def test_the_alpha_slider_moves_without_asking_the_server(page: Page, dashboard: Any) -> None:
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    open_page(page, dashboard, "?example=prior-trap")
    press_score(page)
    unfold(page, "What the language prior decides")
    slider = page.locator(".vega-bind input[type=range]").first
    expect(slider).to_be_visible()
    settled(page, 1500)
    before = len(sent)
    title = page.locator("[data-testid=stVegaLiteChart] .role-title-text").first
    expect(title).to_contain_text("α = 0.000")
    slider.evaluate(
        "e => {e.value = '0.62'; e.dispatchEvent(new Event('input', {bubbles: true}));"
        "e.dispatchEvent(new Event('change', {bubbles: true}))}"
    )
    expect(title).to_contain_text("α = 0.620")
    expect(title).to_contain_text(re.compile("✓ right|✗ wrong"))
    assert len(sent) == before
    expect(page.locator(".fs-caption", has_text=re.compile("at α = |for every α")).first).to_be_visible()
    expect(page.locator(".fs-token").first).to_be_visible()


def test_captions_that_look_like_markup_stay_text(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard)
    type_captions(page, "<script>window.broken = 1</script> a red star\n<img src=x onerror=alert(1)> a blue star")
    expect(page.locator(".fs-captions li").first).to_contain_text("<script>")
    press_score(page)
    expect(page.locator(".fs-versus thead th").nth(3)).to_have_attribute("title", re.compile("onerror"))
    unfold(page, "What the language prior decides")
    expect(page.locator(".fs-token", has_text="<script>").first).to_be_visible()
    expect(page.locator("img[src=x]")).to_have_count(0)
    assert page.evaluate("window.broken === undefined")


BAD_FILES = {
    "text": ("notes.png", b"This is no picture.\n" * 20, "is not a picture"),
    "truncated": ("cut.png", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x10", "damaged or cut short"),
    "bomb": ("bomb.png", b"", "million pixels"),
    "empty": ("nothing.png", b"", "is empty"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_gets_one_sentence_and_the_page_stays_usable(page: Page, dashboard: Any, case: str) -> None:
    name, data, says = BAD_FILES[case]
    open_page(page, dashboard)
    upload(page, {"name": name, "mimeType": "image/png", "buffer": bomb() if case == "bomb" else data})
    expect(error(page)).to_have_count(1)
    expect(error(page)).to_contain_text(name)
    expect(error(page)).to_contain_text(says)
    page.get_by_role("button", name="Count", exact=True).click()
    expect(error(page)).to_have_count(0)
    expect(page.locator(".fs-frames img")).to_have_count(2)
    press_score(page)


@pytest.mark.parametrize(
    ("captions", "says"),
    [
        ("", "Type what the picture shows"),
        ("only one", "Which caption would each model give to which picture"),
        ("a\n" + "x" * 50_000, "50,000 char"),
    ],
)
def test_bad_captions_get_one_sentence_and_the_page_stays_usable(
    page: Page, dashboard: Any, captions: str, says: str
) -> None:
    open_page(page, dashboard)
    type_captions(page, captions)
    expect(page.get_by_text(says)).to_be_visible()
    page.get_by_role("button", name="Relation", exact=True).click()
    expect(page.get_by_text(says)).to_have_count(0)
    press_score(page)


def test_no_image_is_an_empty_state_that_says_what_to_do(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard)
    page.get_by_role("button", name="Your own").click()
    expect(page.locator(".fs-empty")).to_contain_text("Choose an example")


def test_a_model_of_ones_own_is_added_or_refused_in_one_sentence(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard)
    page.get_by_role("button", name=re.compile("Models · 3 of 3")).click()
    field = page.get_by_label("Model spec")
    field.fill("hf:/nowhere/at/all")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(error(page)).to_have_count(1)
    field.fill("fake:ok/gen,prior")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("button", name=re.compile("Models · 4 of 4"))).to_be_visible()
    page.keyboard.press("Escape")
    press_score(page)
    expect(page.locator(".fs-versus tbody tr:not(.fs-under)")).to_have_count(6)

"""Drawing with the pointer, as a person does: on what is there and stands still."""

from collections.abc import Sequence

from playwright.sync_api import Locator, Page, expect

from tests.browser.stored import settled, steady


def draw(page: Page, canvas: Locator, corners: Sequence[tuple[float, float]], steps: int = 6) -> None:
    """Press at the first corner (shares of the canvas' width and height), drag over the others and let go. One that is
    not drawn yet hears nothing; a fold that still opens, or a picture above, moves it away under the pointer."""
    expect(canvas.locator("xpath=ancestor::*[@data-ready]")).to_be_visible(timeout=90_000)
    settled(page)
    canvas.scroll_into_view_if_needed()
    steady(page, lambda: str(canvas.bounding_box()))
    box = canvas.bounding_box()
    assert box
    for k, (x, y) in enumerate(corners):
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"], steps=steps)
        if k == 0:
            page.mouse.down()
    page.mouse.up()

"""Narrow windows: at 900 pixels no table is cut and no page scrolls sideways, with everything unfolded."""

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.stored import open_page, still

pytestmark = pytest.mark.browser

ADDRESSES = {
    "debias": "debias?alpha=0.5",
    "compare": "compare?a=itc+bundled:clip-bag&b=itc+bundled:clip&more=itc+bundled:matcher&by=subset",
    "equivariance": "equivariance?model=bundled:clip",
    "robustness": "robustness?tab=brittle",
    "embeddings": "embeddings?model=bundled:clip-bag",
    "runs": "runs?tab=computed",
    "item": "item?benchmark=world&item=choice%2F7",
}
#: Tables beyond the edge of what they stand in; those that scroll in a frame of their own without a word that says so.
CUT = """() => {
    const main = document.querySelector("[data-testid=stMain]"), found = [];
    if (main.scrollWidth > main.clientWidth + 1) found.push(`the page: ${main.scrollWidth} in ${main.clientWidth}`);
    const look = (root) => root.querySelectorAll("*").forEach((node) => {
        if (node.shadowRoot) look(node.shadowRoot);
        if (node.tagName !== "TABLE") return;
        const frame = node.closest(".fs-scroll, #heat") ?? node.parentElement;
        const name = frame.getAttribute("aria-label") ?? node.innerText.slice(0, 40);
        if (node.offsetWidth <= frame.clientWidth + 1) return;
        const word = getComputedStyle(frame, "::before");
        const said = word.content.includes("more columns") && parseFloat(word.height) > 10;
        if (!said || getComputedStyle(frame).overflowX !== "auto") found.push(`${name}: ${node.offsetWidth}`);
    });
    look(main);
    main.querySelectorAll("th, td").forEach((cell) => {
        const clips = getComputedStyle(cell).overflow === "hidden";
        if (clips && cell.scrollWidth > cell.clientWidth + 1) found.push(`cut: ${cell.innerText}`);
    });
    return found;
}"""


def unfold(page: Page) -> None:
    """Open every expander, those that appear meanwhile, too."""
    folded = page.locator("[data-testid=stMain] [data-testid=stExpander] details:not([open]) > summary")
    for _ in range(12):
        if not folded.count():
            return
        folded.first.click()
        still(page)


@pytest.mark.parametrize("name", ADDRESSES)
def test_no_table_is_cut(visitor: Any, shipped: Any, name: str) -> None:
    page = visitor(900)
    open_page(page, shipped, ADDRESSES[name])
    still(page)
    unfold(page)
    assert not page.evaluate(CUT)


def test_a_wide_table_says_that_it_goes_on_until_its_end(visitor: Any, shipped: Any) -> None:
    page = visitor(900)
    open_page(page, shipped, ADDRESSES["compare"])
    page.locator("[data-testid=stMain] summary", has_text="Every test").click()
    frame = page.locator(".fs-scroll").first
    frame.scroll_into_view_if_needed()
    still(page)
    word = "(node) => { const s = getComputedStyle(node, '::before'); return [s.content, s.color, s.height]; }"
    content, colour, height = frame.evaluate(word)
    assert "more columns" in content
    assert float(height.removesuffix("px")) > 10
    frame.evaluate("(node) => { node.scrollLeft = node.scrollWidth; }")
    still(page)
    assert frame.evaluate(word)[1] != colour
    first = frame.locator("tbody th").first.bounding_box()
    assert first is not None
    assert first["x"] >= frame.bounding_box()["x"] - 1, "the first column stays in sight"


def test_which_items_a_run_has_is_read_in_three_lines(visitor: Any, shipped: Any) -> None:
    """The column was a few words wide, and a row eight lines high."""
    page = visitor(900)
    open_page(page, shipped, "runs?tab=computed")
    still(page)
    lines = page.evaluate(
        """() => [...document.querySelectorAll("[data-testid=stMain] *")].flatMap((node) =>
            [...(node.shadowRoot ?? node).querySelectorAll(".runs-list tbody td:nth-child(4)")]).map((cell) => {
                const range = document.createRange();
                range.selectNodeContents(cell);
                const tops = [...range.getClientRects()].map((each) => Math.round(each.top));
                return { text: cell.textContent, lines: new Set(tops).size };
            })"""
    )
    assert any(len(each["text"]) > 60 for each in lines), "there is a long one to be read"
    assert max(each["lines"] for each in lines) <= 3

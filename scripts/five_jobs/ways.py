"""Steps that are the same before and now."""

import re
from pathlib import Path

from scripts.five_jobs.hand import Hand, UnseenError
from scripts.five_jobs.jobs import check_tagged


def go(hand: Hand, name: str) -> None:
    """Go to a page by the sidebar."""
    hand.click(hand.page.get_by_test_id("stSidebarNavLink").filter(has_text=re.compile(f"{name}$")))
    hand.page.wait_for_url(re.compile(name.lower().replace(" ", "-")), timeout=60_000)


def tag_first(hand: Hand) -> None:
    """Open the first card of Failures, type the tag and close."""
    go(hand, "Failures")
    hand.click(hand.page.locator(".fs-open").first)
    dialog = hand.page.get_by_role("dialog")
    hand.write(hand.tag, dialog.get_by_label("Tags").first)
    hand.press("Enter")
    hand.idle()
    hand.press("Escape")
    hand.press("Escape")
    dialog.wait_for(state="hidden")
    hand.idle()


def take_tagged(hand: Hand, folder: Path) -> None:
    """Export what is listed as JSON Lines: job D's answer, `UnseenError` where it is not."""
    hand.click(hand.page.get_by_text("Export", exact=True))
    file = folder / "tagged.jsonl"
    hand.take(lambda: hand.click(hand.page.get_by_role("button", name="JSONL")), str(file))
    check_tagged(file, hand.tag)


def reopens(hand: Hand, said: str) -> None:
    """Open what was copied in another browser: the same sentence. `UnseenError` where it is another one."""
    copied = str(hand.page.evaluate("navigator.clipboard.readText()"))
    text, _, link = copied.strip().rpartition("\n")
    if " ".join(text.split()) != said:
        raise UnseenError(f"copied was {text!r}, shown {said!r}")
    browser = hand.page.context.browser
    if browser is None:
        raise UnseenError("no browser for a colleague")
    other = browser.new_context(viewport={"width": 1440, "height": 900})
    try:
        page = other.new_page()
        page.goto(link)
        page.get_by_role("button", name="Copy as finding").first.click(timeout=90_000)
        again = " ".join(page.locator(".finding-said").first.inner_text().split())
        if again != said:
            raise UnseenError(f"the link says {again!r}, the sender {said!r}")
    finally:
        other.close()

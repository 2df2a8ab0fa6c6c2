"""Steps that are the same before and now."""

import re

from scripts.five_jobs.hand import Hand, UnseenError


def go(hand: Hand, name: str) -> None:
    """Go to a page by the sidebar."""
    hand.click(hand.page.get_by_test_id("stSidebarNavLink").filter(has_text=re.compile(f"{name}$")))
    hand.page.wait_for_url(re.compile(name.lower().replace(" ", "-")), timeout=60_000)


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

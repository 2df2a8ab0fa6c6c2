"""The shortest honest way of each job on the product as it is."""

import re
from pathlib import Path

from scripts.five_jobs.hand import Hand
from scripts.five_jobs.jobs import CAPTION, Steps, photograph
from scripts.five_jobs.ways import go, reopens, tag_first, take_tagged


def a(hand: Hand, folder: Path) -> None:
    """Overview's heat map: clip's cell of attribute; the first card behind it whose reason is certified."""
    del folder
    hand.start()
    hand.click(hand.page.locator('a[data-cell^="bundled:clip\titc"][data-cell*="attribute\t"]').first)
    hand.page.wait_for_url(re.compile("failures"), timeout=60_000)
    hand.sees(
        hand.page.locator(".fs-open", has_text=re.compile("outvoted by the (image|caption)")).first, "clip outvoted"
    )
    hand.over()


def b(hand: Hand, folder: Path) -> None:
    """Try it: one's own picture takes the example's place, one typed caption its captions; a foil is clicked."""
    picture = photograph(folder)
    hand.start()
    go(hand, "Try it")
    hand.give(hand.page.get_by_role("button", name="Upload", exact=True), str(picture))
    hand.page.locator(".fs-frame").nth(1).wait_for(state="detached")  # the example is gone, and its captions
    hand.idle()
    hand.write(CAPTION, hand.page.get_by_placeholder("what the picture shows").last)
    hand.press("Control+Enter")
    hand.idle()
    hand.click(hand.page.get_by_role("button", name="red ↔ blue", exact=True))
    hand.sees(hand.page.locator(".fs-frame img").first)
    hand.sees(hand.page.locator(".fs-versus tbody tr", has_text="clip-bag").first, "[✓✗]")
    hand.over()


def c(hand: Hand, folder: Path) -> None:
    """Compare: B is captioner; the items that it gained, in Failures; the first card."""
    del folder
    hand.start()
    go(hand, "Compare")
    hand.choose(hand.page.get_by_role("combobox", name="B", exact=True), re.compile("^captioner · "))
    hand.sees(hand.page.get_by_text(re.compile("captioner.* beats clip|clip.* beats captioner")).first)
    hand.click(
        hand.page.get_by_test_id("stMain").get_by_text(re.compile("Open the [0-9,]+ items that captioner.* gained"))
    )
    hand.page.wait_for_url(re.compile("failures"), timeout=60_000)
    hand.sees(hand.page.locator(".fs-open").first)
    hand.over()


def d(hand: Hand, folder: Path) -> None:
    """Failures: open the first card, type the tag, close; list one's own tags alone; Export, JSONL."""
    hand.start()
    tag_first(hand)
    hand.click(hand.page.get_by_test_id("stSidebar").get_by_text("More", exact=True))
    field = hand.page.get_by_test_id("stMultiSelect").filter(has_text="Your tags").locator("input")
    hand.choose(field, re.compile(f"^{hand.tag}"))
    hand.press("Escape")
    take_tagged(hand, folder)
    hand.over()


def e(hand: Hand, folder: Path) -> None:
    """Overview: the model's name leads to its page; copy there; a colleague opens the link."""
    del folder
    hand.start()
    hand.click(hand.page.get_by_role("link", name=re.compile("^clip-relational")).first)
    hand.page.wait_for_url(re.compile("/model"), timeout=60_000)
    hand.click(hand.page.get_by_role("button", name="Copy as finding").first)
    said = hand.sees(hand.page.locator(".finding-said").first, "clip-relational")
    hand.over()
    reopens(hand, said)


STEPS: Steps = {"A": a, "B": b, "C": c, "D": d, "E": e}

"""The shortest honest way of each job on the product as it was on 2026-11-24, commit ee3c3a4."""

import re
from pathlib import Path

from scripts.five_jobs.hand import Hand
from scripts.five_jobs.jobs import CAPTION, FOIL, Steps, photograph
from scripts.five_jobs.ways import go, reopens, tag_first, take_tagged


def a(hand: Hand, folder: Path) -> None:
    """Overview's bars: the part of clip's attribute bar that the image outvotes; the first card behind it."""
    del folder
    hand.start()
    hand.click(
        hand.page.get_by_role(
            "button", name=re.compile("clip · attribute: .*outvoted by the image|outvoted by the image.*attribute")
        ).first
    )
    hand.page.wait_for_url(re.compile("failures"), timeout=60_000)
    card = hand.page.locator(".fs-open").first
    hand.sees(card, "clip outvoted by the image")
    hand.over()


def b(hand: Hand, folder: Path) -> None:
    """Try it: one's own picture takes the example's place, typed captions those of the example; the verdicts."""
    picture = photograph(folder)
    hand.start()
    go(hand, "Try it")
    hand.give(hand.page.get_by_role("button", name="Upload", exact=True), str(picture))
    field = hand.page.get_by_label("Captions, one a line")
    hand.click(field)
    hand.press("Control+a")
    hand.write(f"{CAPTION}\n{FOIL}")
    hand.press("Control+Enter")
    hand.idle()
    hand.click(hand.page.get_by_role("button", name=re.compile("^.*Score.*Ctrl")))
    hand.sees(hand.page.get_by_role("heading", name=re.compile("scores? gets? it right")))
    hand.sees(hand.page.get_by_test_id("stMain").locator(".fs-chips").first, "clip-bag ?[✓✗]")
    hand.over()


def c(hand: Hand, folder: Path) -> None:
    """Compare: B is captioner; the first card of what B gained."""
    del folder
    hand.start()
    go(hand, "Compare")
    hand.choose(hand.page.get_by_role("combobox", name="B", exact=True), re.compile("^captioner · "))
    hand.sees(hand.page.locator(".cmp-said").first, "captioner")
    hand.sees(hand.page.locator(".fs-compact .fs-open").first, "clip[^✓]*✗.*captioner.*✓")
    hand.over()


def d(hand: Hand, folder: Path) -> None:
    """Failures: open the first card, type the tag, close; list one's own tags alone; Export, JSONL."""
    hand.start()
    tag_first(hand)
    hand.choose(
        hand.page.get_by_test_id("stMultiSelect").filter(has_text="Your tags").locator("input"),
        re.compile(f"^{hand.tag}"),
    )
    hand.press("Escape")
    take_tagged(hand, folder)
    hand.over()


def e(hand: Hand, folder: Path) -> None:
    """Failures of clip-relational: copy; a colleague opens the link."""
    del folder
    hand.start()
    go(hand, "Failures")
    hand.choose(hand.page.get_by_role("combobox", name="Model", exact=True), re.compile("^clip-relational"))
    hand.idle()
    hand.click(hand.page.get_by_role("button", name="Copy as finding").first)
    said = hand.sees(hand.page.locator(".finding-said").first)
    hand.over()
    reopens(hand, said)


STEPS: Steps = {"A": a, "B": b, "C": c, "D": d, "E": e}

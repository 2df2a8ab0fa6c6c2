"""`python -m scripts.demo`: plays the acts of docs/demo.md in Chromium, on what ships, and says how long each took."""

import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from scripts.dashboard import browsing, choose, serving, settle

#: So long may the drawing of an act's result take (milliseconds).
PATIENCE = 90_000
#: The numbers that are said aloud.
WRITTEN = (Path(__file__).resolve().parent.parent / "docs" / "demo.md").read_text(encoding="utf-8")


def hold(truth: bool, said: str) -> None:
    """AssertionError where docs/demo.md promises something else."""
    if not truth:
        raise AssertionError(said)


def go(page: Page, name: str) -> None:
    """To a page by its name in the sidebar."""
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=name, exact=True).click()
    expect(page.locator(".fs-header .fs-eyebrow")).to_have_text(re.compile(f"^{name}$", re.I), timeout=PATIENCE)
    settle(page)


def _cell(page: Page, model: str) -> Locator:
    """A model's cell of relation in the heat map, below the bars."""
    return page.locator("a[data-cell]").and_(page.get_by_role("link", name=re.compile(rf"^{model}\b.*relation", re.S)))


def floor(page: Page) -> None:
    """Overview: clip at the floor of relation, clip-relational far above."""
    clip, taught = (_cell(page, name) for name in ("clip", "clip-relational"))
    expect(clip.first).to_be_visible(timeout=PATIENCE)
    low, high = (float(re.findall(r"[\d.]+", cell.first.inner_text())[0]) for cell in (clip, taught))
    told = f"clip {low:g}, clip-relational {high:g}"
    hold(low < 5 < 80 < high and told in WRITTEN, f"relation: {told}, which is not what docs/demo.md says")


def look(page: Page) -> None:
    """From the cell to its failures, one item, and on with the arrow key."""
    _cell(page, "clip").first.click()
    expect(page.locator(".fs-count")).to_contain_text("fail", timeout=PATIENCE)
    settle(page)
    page.locator(".fs-open").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible(timeout=PATIENCE)
    first = dialog.locator(".fs-card-head").first.inner_text()
    settle(page)
    page.keyboard.press("ArrowRight")
    expect(dialog.locator(".fs-card-head").first).not_to_have_text(first, timeout=PATIENCE)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0, timeout=PATIENCE)


def collapsed(page: Page) -> None:
    """Equivariance of relations."""
    go(page, "Equivariance")
    said = page.get_by_test_id("stMain").get_by_text(re.compile(r"right on .* quads")).first
    expect(said).to_be_visible(timeout=PATIENCE)
    field, relation = page.get_by_role("combobox", name="Subset or concept"), re.compile("relation")
    choose(page, field, page.get_by_role("option", name=relation).first)
    expect(said).to_contain_text("quads of relation", timeout=PATIENCE)
    settle(page)


def prior(page: Page) -> None:
    """Debias: the slider's keys win items back, without a word from the server."""
    go(page, "Debias")
    page.get_by_test_id("stSidebar").locator("summary", has_text="More").click()
    page.get_by_role("radio", name="against prior").click()
    slider = page.get_by_label(re.compile("^α, the share"))
    expect(slider.first).to_have_attribute("aria-valuetext", re.compile("53"), timeout=PATIENCE)
    expect(slider).to_have_count(1, timeout=PATIENCE)  # the curve of all foils is gone
    settle(page)
    before = _right(slider.get_attribute("aria-valuetext"))
    slider.press("End")
    after = _right(slider.get_attribute("aria-valuetext"))
    told = f"from {before:.0f} to {after:.0f} %"
    hold(after > before and told in WRITTEN, f"accuracy goes {told}, which is not what docs/demo.md says")


def _right(said: str | None) -> float:
    found = re.findall(r"([\d.]+) %", said or "")
    hold(bool(found), f"no rate in {said!r}")
    return float(found[-1])


def word(page: Page) -> None:
    """Try it: the prior trap, scored, token by token."""
    go(page, "Try it")
    page.get_by_role("button", name="Prior trap").click()
    settle(page)
    page.keyboard.press("Control+Enter")
    expect(page.locator("h2.fs-section", has_text="Why")).to_be_visible(timeout=PATIENCE)
    settle(page)
    box = page.get_by_test_id("stExpander").filter(has_text="Token by token")
    box.locator("summary").click()
    expect(box.locator(".chip").first).to_be_visible(timeout=PATIENCE)


def real(page: Page) -> None:
    """Compare: a gain with its test."""
    go(page, "Compare")
    field = page.get_by_role("combobox", name="A, the baseline")
    choose(page, field, page.get_by_role("option", name="clip · itc", exact=True))
    settle(page)
    expect(page.locator(".cmp-said").first).to_contain_text("beats", timeout=PATIENCE)


def wording(page: Page) -> None:
    """Robustness: what an edit costs that keeps the meaning."""
    go(page, "Robustness")
    expect(page.get_by_text("Keeps the meaning").first).to_be_visible(timeout=PATIENCE)
    settle(page)


ACTS: tuple[tuple[str, Callable[[Page], None]], ...] = (
    ("The floor", floor), ("Look at one", look), ("Collapsed", collapsed), ("Take the prior away", prior),
    ("Which word?", word), ("Is it real?", real), ("Wording", wording),
)  # fmt: skip


def play(page: Page, address: str) -> list[tuple[str, float]]:
    """All acts in one session; (act, seconds). AssertionError where something is not as docs/demo.md says."""
    page.goto(address)
    settle(page)
    took = []
    for name, act in ACTS:
        begun = time.perf_counter()
        act(page)
        took.append((name, time.perf_counter() - begun))
    return took


def main() -> None:
    """Play it and print the table."""
    with tempfile.TemporaryDirectory() as cache, serving(Path(cache)) as address, browsing() as browser:
        page = browser.new_page(viewport={"width": 1440, "height": 960})
        try:
            took = play(page, address)
        except AssertionError as error:
            page.screenshot(path="demo-stopped.png")
            sys.exit(f"{error}\nWhat was seen then is in demo-stopped.png.")
    for name, seconds in took:
        print(f"{name:24} {seconds:6.1f} s")
    print(f"{'clicks and waits alone':24} {sum(seconds for _, seconds in took):6.1f} s")


if __name__ == "__main__":
    main()

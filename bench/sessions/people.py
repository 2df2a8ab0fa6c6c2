"""People in browsers of their own: each types captions and waits for the scores; what they then see."""

import asyncio
import os
import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from playwright.async_api import Browser, Page, async_playwright

from scripts.dashboard import QUIET

COLOURS = ("red", "blue", "green", "yellow", "purple", "orange", "pink")
SHAPES = ("circle", "star", "square", "triangle", "heart")
SCENE = "world:2.crbpKO.sbbpig"
#: Milliseconds that anybody waits for anything.
LONGEST = 300_000
#: Notes the moment at which the captions are sent, and the one at which the matrix of these captions stands.
_WATCH = """
(wanted) => {
  const own = (window.__own = { sent: 0, seen: 0 });
  const key = (event) => { if (!own.sent && event.ctrlKey && event.key === "Enter") own.sent = performance.now(); };
  addEventListener("keydown", key, true);
  const look = () => {
    const said = [...document.querySelectorAll(".fs-captions .fs-said")].map((line) => line.textContent);
    const rows = document.querySelectorAll(".fs-versus tbody tr:not(.fs-under)").length;
    if (!own.seen && own.sent && rows && JSON.stringify(said) === JSON.stringify(wanted)) own.seen = performance.now();
  };
  window.__look?.disconnect();
  window.__look = new MutationObserver(look);
  window.__look.observe(document.body, { childList: true, subtree: true, characterData: true });
}
"""
_SEEN = """
() => [...document.querySelectorAll(".fs-versus tbody tr:not(.fs-under)")].map((row) => [
  row.querySelector("th").title, [...row.querySelectorAll("td .fs-number .fs-told")].map((cell) => cell.textContent)])
"""


@dataclass
class Answer:
    """One wait: captions typed, seconds until their scores stood on the page, and what stood there: row -> scores."""

    captions: tuple[str, str]
    seconds: float
    rows: dict[str, list[float]] = field(default_factory=dict)


def captions(dice: random.Random, used: set[tuple[str, str]]) -> tuple[str, str]:
    """Two captions that nobody has typed yet."""
    while True:
        things = [f"a {dice.choice(COLOURS)} {dice.choice(SHAPES)}" for _ in range(4)]
        pair = f"{things[0]} and {things[1]}", f"{things[2]} and {things[3]}"
        if pair[0] != pair[1] and pair not in used:
            used.add(pair)
            return pair


async def visit(
    address: str, sessions: int, rounds: int, dice: random.Random, used: set[tuple[str, str]]
) -> list[Answer]:
    """So many people, each in a browser context of their own, ask at the same moment, again and again. The first round,
    in which models are loaded, is not among the answers."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=_chromium(), args=[*QUIET, "--no-sandbox"])
        pages = [await _arrive(browser, address) for _ in range(sessions)]
        answers: list[Answer] = []
        for number in range(rounds + 1):
            asked = [captions(dice, used) for _ in pages]
            found = await asyncio.gather(*(_ask(page, pair) for page, pair in zip(pages, asked, strict=True)))
            answers += found if number else []
        await browser.close()
    return answers


async def _arrive(browser: Browser, address: str) -> Page:
    context = await browser.new_context(viewport={"width": 1440, "height": 900})
    page = await context.new_page()
    page.set_default_timeout(LONGEST)
    first = {"i": SCENE, "t": ["a red circle", "a blue star"], "as": "choice"}
    await page.goto(f"{address}/try-it?{urlencode(first, doseq=True)}")
    await page.wait_for_selector(".fs-captions li")
    await page.get_by_role("button", name="Score").first.click()
    await page.wait_for_selector(".fs-versus tbody tr")
    await _idle(page)
    return page


async def _idle(page: Page) -> None:
    await page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")


async def _ask(page: Page, pair: tuple[str, str]) -> Answer:
    await page.evaluate(_WATCH, list(pair))
    box = page.get_by_label("Captions, one a line")
    await box.fill("\n".join(pair))
    await box.press("Control+Enter")
    await page.wait_for_function("() => window.__own.seen > 0", polling=100)
    await _idle(page)
    waited = await page.evaluate("window.__own.seen - window.__own.sent")
    rows: Sequence[Any] = await page.evaluate(_SEEN)
    return Answer(pair, waited / 1000, {title: [_number(text) for text in cells] for title, cells in rows})


def _number(text: str) -> float:
    return float(text.replace("\N{MINUS SIGN}", "-"))


def _chromium() -> str | None:
    names = (os.environ.get("FLIPSIDE_CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    return next((found for name in names if name and (found := shutil.which(name))), None)

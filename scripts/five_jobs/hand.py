"""A hand with a mouse, a keyboard and eyes, which counts what it does. What it cannot see it scrolls to first."""

import re
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

from playwright.sync_api import Error, Locator, Page

SECONDS = 90.0
#: Pixels of air that a target keeps from the window's edge.
AIR = 8

#: The box of an element, of what scrolls it, and what lies over the element's middle, through shadow roots.
_LOOK = """
(node) => {
  const up = (n) => n.assignedSlot ?? n.parentElement ?? n.getRootNode().host ?? null;
  let scroller = null;
  for (let n = up(node); n && !scroller; n = up(n)) {
    const flow = getComputedStyle(n).overflowY;
    if (/auto|scroll/.test(flow) && n.scrollHeight > n.clientHeight + 1) scroller = n;
  }
  const box = node.getBoundingClientRect();
  const whole = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const frame = scroller ? scroller.getBoundingClientRect() : whole;
  const top = Math.max(0, frame.top), bottom = Math.min(innerHeight, frame.bottom);
  const left = Math.max(0, frame.left), right = Math.min(innerWidth, frame.right);
  const x = box.left + box.width / 2, y = (Math.max(top, box.top) + Math.min(bottom, box.bottom)) / 2;
  const inside = (n) => { for (; n; n = up(n)) if (n === node) return true; return false; };
  let over = document.elementFromPoint(x, y);
  while (over?.shadowRoot) {
    const inner = over.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === over) break;
    over = inner;
  }
  const small = (n) => n.getBoundingClientRect().height < 2 * box.height + 40;
  const holds = (n) => { for (let m = node; m; m = up(m)) if (m === n) return small(n); return false; };
  return { x, y, top: box.top, bottom: box.bottom, height: box.height, width: box.width, from: top, to: bottom,
           middle: (left + right) / 2, centre: (top + bottom) / 2,
           free: !!over && (inside(over) || holds(over)), over: over ? over.outerHTML.slice(0, 120) : "" };
}
"""
_IDLE = """
() => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning"
  && !document.querySelector("[data-testid=stSkeleton]")
"""


@dataclass
class Count:
    """What a job took. clicks: with the mouse, choosing a file in the system's dialog is one; keys: pressed, letters
    of typed words among them; fields: fields typed into; scrolled: pixels; seconds: from the first address to the
    answer, without any reading or thinking."""

    clicks: int = 0
    keys: int = 0
    fields: int = 0
    scrolled: int = 0
    seconds: float = 0.0

    def plain(self) -> dict[str, float]:
        """As JSON has it."""
        return asdict(self)


class UnseenError(AssertionError):
    """Something that a step needs is not on the screen, or something lies over it."""


class Hand:
    """Uses a page and counts. address: of the dashboard, without a slash at its end; tag: the word that job D tags
    with, another one each time, for tags stay."""

    def __init__(self, page: Page, address: str, tag: str = "") -> None:
        self.page, self.address, self.tag, self.count = page, address, tag, Count()
        self._began = 0.0

    def start(self, path: str = "") -> None:
        """Open the dashboard as a new user: the clock runs from here."""
        self._began = time.monotonic()
        self.page.goto(f"{self.address}/{path}")

    def over(self) -> None:
        """The answer has been seen: the clock stops."""
        self.count.seconds = time.monotonic() - self._began

    def idle(self) -> None:
        """Wait until the page's script has run to its end: what it draws last moves what it has drawn first."""
        self.page.wait_for_function(_IDLE, timeout=SECONDS * 1000, polling=50)

    def scroll_to(self, target: Locator, whole: bool = True) -> dict[str, float]:
        """Turn the wheel until a target is in sight and free; whole: all of it, where it fits. Returns its place."""
        target.wait_for(state="visible", timeout=SECONDS * 1000)
        deadline, nudged = time.monotonic() + SECONDS, 0
        while True:
            found = self._still(target)
            high = found["to"] - found["from"] - 2 * AIR
            below = found["bottom"] - found["to"] + AIR
            above = found["from"] + AIR - found["top"]
            by = 0.0
            if whole and found["height"] > high:
                by = -above  # a tall one: its top to the top
            elif below > AIR:
                by = below
            elif above > AIR:
                by = -above
            elif found["free"]:
                return found
            else:  # something lies over it
                by, nudged = (160.0 if found["y"] > found["centre"] else -160.0), nudged + 1
            if abs(by) <= 1 or nudged > 4 or time.monotonic() > deadline:
                if found["free"]:
                    return found
                raise UnseenError(f"{target} cannot be seen: {found}")
            self.page.mouse.move(found["middle"], found["centre"])
            self.page.mouse.wheel(0, by)
            after = self._still(target)
            moved = abs(after["top"] - found["top"])
            self.count.scrolled += round(moved)
            if moved < 1 and abs(by) > 1 and not after["free"]:
                raise UnseenError(f"{target} cannot be scrolled to: {after}")
            if moved < 1:
                return after

    def _still(self, target: Locator) -> dict[str, float]:
        """Where a target is, once it no longer moves."""
        before: dict[str, float] | None = None
        deadline = time.monotonic() + 2 * SECONDS
        while time.monotonic() < deadline:
            try:
                self.idle()
                now: dict[str, float] = target.evaluate(_LOOK)
            except Error:  # drawn anew meanwhile
                before = None
                self.page.wait_for_timeout(50)
                continue
            if before and abs(before["top"] - now["top"]) < 1 and abs(before["x"] - now["x"]) < 1 and now["width"]:
                return now
            before = now
            self.page.wait_for_timeout(60)
        raise UnseenError(f"{target} does not come to rest")

    def click(self, target: Locator) -> None:
        """Press the left button over the middle of a target."""
        found = self.scroll_to(target, whole=False)
        self.page.mouse.click(found["x"], found["y"])
        self.count.clicks += 1

    def choose(self, field: Locator, option: str | re.Pattern[str]) -> None:
        """Open a list and press one of its lines: two clicks."""
        self.click(field)
        line = self.page.get_by_role("option", name=option)
        line.first.wait_for(timeout=SECONDS * 1000)
        self.page.wait_for_timeout(150)  # the list unfolds
        found = line.first.bounding_box()
        if found is None:
            raise UnseenError(f"no option {option}")
        line.first.click()
        self.count.clicks += 1

    def write(self, text: str, field: Locator | None = None) -> None:
        """Type, letter by letter; field: clicked first, None where the focus is there already."""
        if field is not None:
            self.click(field)
        self.page.keyboard.type(text)
        self.count.keys += len(text)
        self.count.fields += 1

    def press(self, key: str) -> None:
        """One key, or one chord as `Control+Enter`."""
        self.page.keyboard.press(key)
        self.count.keys += 1

    def give(self, button: Locator, file: str) -> None:
        """Choose a file: the button, and the file in the system's dialog."""
        with self.page.expect_file_chooser(timeout=SECONDS * 1000) as waiting:
            self.click(button)
        waiting.value.set_files(file)
        self.count.clicks += 1

    def take(self, press: Callable[[], None], to: str) -> None:
        """What is downloaded by a step, saved to a path."""
        with self.page.expect_download(timeout=SECONDS * 1000) as waiting:
            press()
        waiting.value.save_as(to)

    def sees(self, target: Locator, words: str | re.Pattern[str] = "") -> str:
        """Scroll until a target is on the screen and read it. `UnseenError` where its words are others."""
        deadline = time.monotonic() + SECONDS
        while True:
            said = " ".join(target.inner_text(timeout=SECONDS * 1000).split())
            if not words or re.search(words, said):
                break
            if time.monotonic() > deadline:
                raise UnseenError(f"{target} says {said[:200]!r}, not {words!r}")
            self.page.wait_for_timeout(60)
        self.scroll_to(target)
        return said

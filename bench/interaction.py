"""How long a person waits in the browser: `python -m bench.interaction`, or `… --stored 1000000 --benchmark many` on
that many stored outcomes instead of the bundled results.

For every page: the switch to it through the sidebar, and the filters that are in sight there (lists, groups of buttons,
sliders and text fields are set to other values by real input events; what lies in a closed fold is not tried). A wait
lasts from the event to the last change of the page, as the page itself sees it, within our components, too; it is over
when Streamlit is idle and nothing has changed for a while. One that is not over after half a minute counts as that; an
input that changed nothing is none.

Where FLIPSIDE_RESULTS names a folder with the Atlas' file (docs/real-results.md), Atlas is measured with its rates;
else it is the offer to fetch them, and is called so.

Promised, on the bundled results and on a million outcomes: a switch, first visits too, in 500 ms (by the median of a
page's visits, first ones of three servers); a filter in 300 ms in the median and in 1 s at worst. Beside them
stands what a Streamlit page of one line takes, measured in the same way before; where it takes longer than on the
machine of which that is read to be said (USUAL), the same multiples of it are promised.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from playwright.sync_api import Error, Locator, Page
from playwright.sync_api import TimeoutError as NotInTime

from backend.intake.real.packages import ATLAS, folder_of, packages
from backend.verbs.fetch_results import AT_HAND
from bench import plain
from bench.promises import Promise, say
from bench.stored import fill
from scripts.dashboard import ROOT, browsing, serving, settle
from scripts.screenshots import pages

#: Milliseconds without any change after which a wait is over.
QUIET = 350
#: What is promised, in milliseconds: a switch, a filter in the median and at worst.
SWITCH, FILTER, WORST = 500.0, 300.0, 1000.0
LIMIT = 30_000
#: The promises were said of a quiet machine, not of which. Here that is read as the one of 2026-11-29 (an AMD), on
#: which a Streamlit page of one line takes some 80 ms: where it takes longer, all else has longer, in the same ratio.
USUAL = plain.Waits(80.0, 80.0)
#: Of so many servers, one after the other, the first visits are; the first one has a cache in which nothing was asked.
STARTS = 3
#: So often a page is visited again.
VISITS = 3
#: So long a page is read before the next one is opened (milliseconds); after its first visit longer, for what comes
#: in the background then, as torch does behind Try it, would be counted for the page that happens to come next.
READ, AFTER_FIRST = 500, 8000
#: Widgets of one kind that are tried on a page, and how often each.
MOST, ROUNDS = 12, 2
#: Waits at filters that a median is made of, at least: a page with few filters is gone through again. Of two waits,
#: one of which happens once in a cache's life (Robustness takes its example over), the median would be their mean.
LEAST = 6
#: Components draw behind roots of their own, into which nobody looks from outside: each is told of as it is made.
_ROOTS = """
(() => {
  const attach = Element.prototype.attachShadow;
  window.__roots = [];
  Element.prototype.attachShadow = function (how) {
    const made = attach.call(this, how);
    window.__roots.push(made);
    window.__look?.(made);
    return made;
  };
})();
"""
_WATCH = """
() => {
  const seen = (window.__seen = { from: 0, to: 0 });
  const start = () => { seen.from = seen.to = performance.now(); };
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, start, true);
  const look = new MutationObserver(() => { seen.to = performance.now(); });
  const options = { childList: true, subtree: true, characterData: true, attributes: true,
                    attributeFilter: ["d", "src", "points", "transform", "data-ready"] };
  for (const part of ["stMain", "stSidebarUserContent"])
    for (const node of document.querySelectorAll(`[data-testid=${part}]`)) look.observe(node, options);
  window.__look = (root) => look.observe(root, options);
  for (const root of window.__roots ?? []) if (root.host.isConnected) window.__look(root);
}
"""
_OVER = """
(quiet) => document.querySelector("[data-testid=stApp]").dataset.testScriptState === "notRunning"
  && performance.now() - window.__seen.to > quiet
"""


def wait(page: Page, action: Callable[[], None]) -> float:
    """Milliseconds from the last input event of an action to the last change that it made, 0 where it made none;
    LIMIT where it is not over by then."""
    page.evaluate("() => { window.__seen.from = window.__seen.to = performance.now(); }")
    action()
    page.wait_for_timeout(60)
    try:
        page.wait_for_function(_OVER, arg=QUIET, timeout=LIMIT, polling=50)
    except NotInTime:
        settle(page, LIMIT / 1000)  # or it would be counted for what comes next
        return float(LIMIT)
    return float(page.evaluate("window.__seen.to - window.__seen.from"))


def filters(page: Page) -> Iterator[tuple[str, Callable[[], None]]]:
    """Every filter of a page: its name, and what sets it to another value."""
    for kind, change in (
        ("stButtonGroup", _press), ("stSelectbox", _choose), ("stMultiSelect", _add), ("stSlider", _slide),
        ("stTextInput", _type),
    ):  # fmt: skip
        found = page.locator(f"[data-testid={kind}]:visible")
        for at in range(min(MOST, found.count())):
            widget = found.nth(at)
            name = widget.locator("[data-testid=stWidgetLabel]").first
            label = name.inner_text(timeout=2000).strip() if name.count() else kind
            for _ in range(ROUNDS):
                yield label, lambda widget=widget, change=change: change(page, widget)  # type: ignore[misc]


def _press(page: Page, widget: Locator) -> None:
    del page
    options = widget.get_by_role("radio")
    other = options.locator("xpath=self::*[@aria-checked='false']") if options.count() else widget.get_by_role("button")
    other.first.click(timeout=3000)


def _choose(page: Page, widget: Locator) -> None:
    box = widget.get_by_role("combobox")
    was = box.input_value(timeout=3000)
    box.click(timeout=3000)
    options = page.get_by_role("option")
    options.first.wait_for(timeout=3000)
    page.wait_for_timeout(150)
    texts = options.all_inner_texts()
    other = next((at for at, text in enumerate(texts) if text.strip() != was.strip()), None)
    if other is None:
        page.keyboard.press("Escape")
        raise LookupError("has one option only")
    options.nth(other).click(timeout=3000)


def _add(page: Page, widget: Locator) -> None:
    chosen = widget.locator("[data-tag]")
    if chosen.count():
        chosen.first.get_by_role("button", include_hidden=True).click(timeout=3000)
        return
    widget.get_by_role("combobox").click(timeout=3000)
    option = page.get_by_role("option").first
    option.wait_for(timeout=3000)
    option.click(timeout=3000)
    page.evaluate("document.activeElement?.blur()")


def _slide(page: Page, widget: Locator) -> None:
    handle = widget.get_by_role("slider").first
    handle.focus(timeout=3000)
    is_last = handle.evaluate("at => at.getAttribute('aria-valuenow') === at.getAttribute('aria-valuemax')")
    page.keyboard.press("ArrowLeft" if is_last else "ArrowRight")


def _type(page: Page, widget: Locator) -> None:
    field = widget.locator("input").first
    field.fill("" if field.input_value() else "red", timeout=3000)
    page.keyboard.press("Enter")


#: (page, what, waits in ms, slowest filter).
Rows = list[tuple[str, str, list[float], str]]


def visits(page: Page, query: str, address: str, again: int) -> Rows:
    """The first visits to all pages but the first one, which is open then, and so many again to all."""
    page.add_init_script(_ROOTS)
    page.goto(f"{address}/{query}")
    settle(page, 120)
    page.wait_for_timeout(3000)
    page.evaluate(_WATCH)
    links = page.get_by_test_id("stSidebarNavLink")
    first: dict[str, list[float]] = {}
    later: dict[str, list[float]] = {}
    for visit in range(1 + again):
        for place, (name, _) in enumerate(pages()):
            took = wait(page, links.nth(place).click)
            page.wait_for_timeout(READ if visit else AFTER_FIRST)
            if visit or place:
                (later if visit else first).setdefault(name, []).append(took)
    return [
        (name, what, took, "") for what, of in (("first visit", first), ("again", later)) for name, took in of.items()
    ]


def firsts(address: str, query: str = "") -> Rows:
    """The first visits alone, of a server that has just been started."""
    with browsing() as browser:
        return visits(browser.new_page(viewport={"width": 1440, "height": 1000}), query, address, 0)


def with_more(rows: Rows, more: Rows) -> Rows:
    """The same rows with the waits of others of the same page and kind added."""
    of = {(name, what): took for name, what, took, _ in more}
    return [(name, what, [*took, *of.get((name, what), [])], slowest) for name, what, took, slowest in rows]


def measure(address: str, query: str = "") -> Rows:
    """All waits of the dashboard at an address; query: what pages are opened with."""
    with browsing() as browser:
        page = browser.new_page(viewport={"width": 1440, "height": 1000})
        rows = visits(page, query, address, VISITS)
        for name, path in pages():
            page.goto(f"{address}/{path}{query}")
            settle(page, 120)
            page.wait_for_timeout(1500)
            page.evaluate(_WATCH)
            waits = _at_filters(page, name)
            every = [took for each in waits.values() for took in each]
            if every:
                slowest = max(waits, key=lambda label: max(waits[label], default=0))
                rows.append((name, "filters", every, slowest))
    return rows


def _at_filters(page: Page, name: str) -> dict[str, list[float]]:
    """Every filter of an open page -> its waits (ms): ROUNDS each, and more where a page has so few filters that these
    are not LEAST. Those that cannot be set are said once."""
    waits: dict[str, list[float]] = {}
    refused: set[str] = set()
    for _ in range(LEAST):
        before = sum(map(len, waits.values()))
        for label, change in filters(page):
            try:
                took = wait(page, change)
            except (Error, LookupError) as error:
                if label not in refused:
                    print(f"{name}, {label}: not measured ({str(error).splitlines()[0][:90]})", file=sys.stderr)  # noqa: T201
                refused.add(label)
                page.keyboard.press("Escape")
            else:
                if took:
                    waits.setdefault(label, []).append(took)
                elif label not in refused:  # no wait: it would make the median look better
                    print(f"{name}, {label}: not measured (it changed nothing)", file=sys.stderr)  # noqa: T201
                    refused.add(label)
        if not before < sum(map(len, waits.values())) < LEAST:
            return waits
    return waits


def rates(cache: Path, bring: bool) -> bool:
    """Whether the Atlas' rates are in a cache; bring: into which they are brought where the owner has them at hand."""
    if bring and os.environ.get(AT_HAND):
        command = [sys.executable, "-m", "backend", "fetch", "results", "--only", "atlas", "--yes"]
        subprocess.run(
            command, env={**os.environ, "FLIPSIDE_CACHE": str(cache)}, cwd=ROOT, stdout=sys.stderr, check=False
        )
    source = next(each for each in packages() if each.name == ATLAS).sources[0]
    return (folder_of(source, cache) / source.files[0].path).is_file()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Waits in the browser, page by page.")
    parser.add_argument("--stored", type=int, default=0, metavar="N", help="made-up outcomes to store first")
    parser.add_argument("--cache", type=Path, help="a cache folder that is there already")
    parser.add_argument("--benchmark", default="", help="the one to look at; made-up outcomes are of `many`")
    asked = parser.parse_args()
    if asked.cache and asked.stored:
        parser.error("--stored fills a cache of its own: leave --cache out")
    if asked.stored and not asked.benchmark:
        parser.error("--stored needs --benchmark many, or the bundled results would be looked at")
    with tempfile.TemporaryDirectory() as scratch:
        cache = asked.cache or Path(scratch)
        bound = plain.waits(_WATCH, wait, lambda page: _choose(page, page.get_by_test_id("stSelectbox")))
        of_cache = "results of a given cache" if asked.cache else "bundled results"
        said = f"{fill(cache, asked.stored):,} stored outcomes" if asked.stored else of_cache
        atlas = "atlas" if rates(cache, bring=not asked.cache) else "atlas, the offer to fetch it"
        query = f"?benchmark={asked.benchmark}" if asked.benchmark else ""
        with serving(cache, 300) as address:
            rows = measure(address, query)
        for _ in range(STARTS - 1):
            with serving(cache, 300) as address:
                rows = with_more(rows, firsts(address, query))
        rows = [(atlas if name == "atlas" else name, *rest) for name, *rest in rows]  # type: ignore[misc]
    print(f"{said}\n\n| page | what | n | median ms | largest ms | slowest filter |\n|---|---|---:|---:|---:|---|")  # noqa: T201
    for name, what, took, slowest in rows:
        print(  # noqa: T201
            f"| {name} | {what} | {len(took)} | {statistics.median(took):.0f} | {max(took):.0f} | {slowest} |"
        )
    say(*promised(rows, said, bound))


def promised(rows: Rows, said: str, bound: plain.Waits) -> list[Promise]:
    """The slowest page of each kind of wait, against what is promised of all of them, and what bounds it."""
    found = []
    for what, limit, of, least in (
        ("first visit", SWITCH, "first visit, median", bound.switch), ("again", SWITCH, "again, median", bound.switch),
        ("filters", FILTER, "filters, median", bound.choice),
    ):  # fmt: skip
        each = {name: statistics.median(took) for name, kind, took, _ in rows if kind == what}
        if each:
            name = max(each, key=lambda page: each[page])
            over = sorted((page for page in each if each[page] > limit), key=lambda page: -each[page])
            missed = f"; over the limit: {', '.join(over)} of {len(each)} pages" if len(over) > 1 else ""
            named = f"Waits, {said}: {of}, the slowest page ({name}){missed}"
            usual = USUAL.choice if of == "filters" else USUAL.switch
            found.append(Promise(named, each[name], limit, "ms", False, least, plain.NAME, usual))
    worst = {(name, filter_): max(took) for name, kind, took, filter_ in rows if kind == "filters"}
    if worst:
        name, filter_ = max(worst, key=lambda page: worst[page])
        named = f"Waits, {said}: the slowest filter of all ({name}, {filter_})"
        found.append(Promise(named, worst[name, filter_], WORST, "ms", False, bound.choice, plain.NAME, USUAL.choice))
    return found


if __name__ == "__main__":
    main()

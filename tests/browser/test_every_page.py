"""Every page: in light and dark, wide and narrow axe-core finds no serious violation and nothing sticks out, and its
address brings the same view back to a fresh browser."""

import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from scripts.screenshots import pages
from tests.browser.exemptions import EXEMPTIONS
from tests.browser.stored import open_page, still

pytestmark = pytest.mark.browser

#: Page -> an address with filters of its own, on what ships.
ADDRESSES = {
    "overview": "?by=concept&score=itc",
    "try_it": "try-it?example=count",
    "failures": "failures?model=bundled:captioner&kind=gen&show=right&subset=attribute&sort=-margin",
    "equivariance": "equivariance?model=bundled:matcher",
    "debias": "debias?alpha=0.5",
    "robustness": "robustness?tab=edits",
    "embeddings": "embeddings?model=bundled:clip-bag",
    "compare": "compare?a=itc+bundled:clip-bag&by=subset",
    "atlas": "atlas",
    "teach": "teach",
    "runs": "runs?tab=perturb",
    "item": "item?benchmark=world&item=attribute%2F7",
    "model": "model?benchmark=world&model=bundled%3Acaptioner&by=concept",
}


@pytest.fixture(scope="module")
def dashboard(shipped):
    return shipped


def serious(page: Page) -> list[str]:
    """What axe finds that is serious or critical and not exempt, a line for each node."""
    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    lines = []
    for violation in found:
        if violation["impact"] not in ("serious", "critical"):
            continue
        for node in violation["nodes"]:
            target = " ".join(str(part) for part in node["target"])
            if not any(_covers(page, entry.within, target) for entry in EXEMPTIONS if entry.rule == violation["id"]):
                lines.append(f"{violation['id']}: {target}: {node['html'][:160]}")
    return lines


def _covers(page: Page, within: str, target: str) -> bool:
    return bool(
        page.evaluate(
            "([target, within]) => { const node = document.querySelector(target); return !!node?.closest(within); }",
            [target, within],
        )
    )


def expect_accessible(page: Page) -> None:
    faults = serious(page)
    assert not faults, "\n".join(faults)
    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert over <= 0, f"the page is {over} pixels wider than its window"


def seen(page: Page) -> str:
    """All that a person reads in the page and its sidebar, and what its fields hold, without estimates of time, which
    depend on how busy the machine is, and how many runs there are: a visit to Robustness takes over its example."""
    # Embeddings answers at once and adds in the background whether the failures lie together.
    still(page)
    expect(page.get_by_test_id("stMain")).not_to_contain_text("is told in some seconds", timeout=90_000)
    still(page, 900)
    words = page.get_by_test_id("stMain").inner_text() + page.get_by_test_id("stSidebar").inner_text()
    fields = page.evaluate("[...document.querySelectorAll('input, textarea')].map((field) => field.value).join('|')")
    words = re.sub(r"about \d+ (s|min|h)( \d+ (s|min))?(, as this machine is busy now)?", "about …", words)
    words = re.sub(r"\d+ runs: [^;]*; all complete", "… runs", words)
    return re.sub(r"\s+", " ", f"{words} {fields}")


def test_every_page_is_here():
    assert {name for name, _ in pages()} | {"item", "model"} <= set(ADDRESSES)


@pytest.fixture(scope="module")
def first_looks() -> dict[str, tuple[str, str]]:
    """Page -> (what is read on it, the address that it has given itself), once it has been opened."""
    return {}


def first_look(page: Page, dashboard: Any, name: str) -> tuple[str, str]:
    open_page(page, dashboard, ADDRESSES[name])
    return seen(page), page.url.removeprefix(f"{dashboard.address}/")


PAGES = pytest.mark.parametrize("name", [*(name for name, _ in pages()), "item", "model"])


@pytest.mark.journey
@PAGES
def test_a_page_is_accessible(dashboard, visitor, first_looks, name):
    page = visitor()
    first_looks[name] = first_look(page, dashboard, name)
    expect_accessible(page)


@PAGES
def test_its_address_reopens_its_view_in_the_dark(dashboard, visitor, first_looks, name):
    view, written = first_looks.get(name) or first_look(visitor(), dashboard, name)
    second = visitor(scheme="dark")
    open_page(second, dashboard, written)
    assert seen(second) == view
    assert second.url.removeprefix(f"{dashboard.address}/") == written
    second.set_viewport_size({"width": 900, "height": 1000})
    still(second)  # what is drawn to the window's width is drawn again
    expect_accessible(second)

    path, _, said = ADDRESSES[name].partition("?")
    if said and name != "item":  # and it is another view than the one without filters
        second.set_viewport_size({"width": 1440, "height": 1000})
        open_page(second, dashboard, path)
        assert seen(second) != view

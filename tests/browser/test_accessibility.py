"""Every page, in light and dark, wide and narrow: axe-core finds no serious violation, and nothing sticks out."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from scripts.screenshots import pages
from tests.browser.exemptions import EXEMPTIONS
from tests.browser.stored import open_page, still

pytestmark = pytest.mark.browser

ITEM = "item?benchmark=world&item=attribute%2F1"
ADDRESSES = dict([*pages(), ("item", ITEM)])
LOOKS = (("light", 1440), ("dark", 900))


@pytest.fixture(scope="module")
def dashboard(serve):
    """The dashboard as it is on a fresh machine, with what ships."""
    return serve()


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


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
@pytest.mark.parametrize("name", ADDRESSES)
def test_no_serious_violation(dashboard, visitor, name, scheme, width):
    page = visitor(width, scheme)
    open_page(page, dashboard, ADDRESSES[name])
    still(page)  # charts draw after the script's end
    faults = serious(page)
    assert not faults, "\n".join(faults)
    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert over <= 0, f"the page is {over} pixels wider than a window of {width}"

"""A published site of choices asked in one order or in two, in a real Chromium: only what was asked alike compares."""

import logging
import re
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
import streamlit as st
from playwright.sync_api import Page, expect

from backend import written
from backend.metrics.contests import mean_of_orders
from backend.store import queries
from backend.store.build.reader import open_store
from backend.store.compare import compare
from backend.store.queries import Setting, Side
from pages.shared.data import stored
from pages.static_site.build import Options, build
from pages.static_site.selection import Wanted
from tests.store import asked
from tests.store.asked import ALIKE, HALF, OF_TWICE, ONCE, TWICE, N

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, compare.Shared]]:
    """Its address, and the verdicts of TWICE and HALF that compare."""
    folder = tmp_path_factory.mktemp("orders")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(folder / "cache"))
        patch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: folder / "none")
        logging.getLogger("streamlit").setLevel(logging.ERROR)
        st.cache_resource.clear()
        asked.write(folder / "cache")
        build(stored.store(), Wanted(("toy",)), Options(folder / "site"))
        store = open_store(follow=False)
        runs = queries.runs(store).set_index("model")["run_id"]
        both = compare.shared(store, [Side(str(runs[model]), Setting("verdict")) for model in (TWICE, HALF)])
        yield f"file://{folder}/site/index.html", both
        st.cache_resource.clear()


def visit(page: Page, address: str, where: str, **params: str) -> None:
    page.goto("about:blank")
    page.goto(f"{address}#/{where}?{urlencode({'benchmark': 'toy', **params})}")
    expect(page.locator("body[data-drawn] main .fs-header h1")).to_be_visible()


def compared(page: Page, address: str, a: str, b: str) -> None:
    visit(page, address, "compare", a=f"{a}|verdict", b=f"{b}|verdict")


def test_rates_cells_subsets_and_lists_are_of_what_compares(page: Page, site: tuple[str, compare.Shared]) -> None:
    """They were of all that both had judged, beside a gain of those that were asked alike."""
    address, both = site
    row = compare.matrix(both).iloc[0]
    compared(page, address, TWICE, HALF)
    cells = " ".join(str(int(row[name])) for name in ("both", "only_a", "only_b", "neither"))
    expect(page.locator("[data-cells]")).to_have_attribute("data-cells", cells)
    for side, rate in enumerate((row["rate_a"], row["rate_b"])):
        box = page.locator(".duel-side[data-n]").nth(side)
        expect(box).to_have_attribute("data-n", str(ALIKE))
        expect(box).to_have_attribute("data-right", f"{rate * ALIKE:.0f}")
    page.get_by_text(f"Not compared: {N - ALIKE} verdicts, asked in different numbers of orders").wait_for()
    expect(page.get_by_role("region", name="By subset").locator("td").last).to_have_text(str(ALIKE))
    flips = [re.compile(rf" {int(row[name])}$") for name in ("only_b", "only_a")]
    expect(page.locator(".flips .fs-flips")).to_have_text(flips)


def test_all_of_a_list_opens_the_items_that_compare(page: Page, site: tuple[str, compare.Shared]) -> None:
    address, both = site
    compared(page, address, TWICE, HALF)
    n = int(compare.matrix(both).iloc[0]["only_b"])
    assert n <= 12, "so few stand in the list itself"
    visit(page, address, "failures", model=TWICE, kind="verdict", other=HALF, show="wrong")
    counted, tick = page.locator(".counted"), page.get_by_label("Only items asked in as many orders of both")
    expect(counted).not_to_have_attribute("data-total", str(n))
    tick.check()
    expect(counted).to_have_attribute("data-total", str(n))
    visit(page, address, "failures", model=TWICE, kind="verdict", show="wrong")
    expect(tick).to_have_count(0)


def test_sides_that_were_never_asked_alike_are_told_so(page: Page, site: tuple[str, compare.Shared]) -> None:
    compared(page, site[0], TWICE, ONCE)
    empty = page.locator(".fs-empty")
    expect(empty).to_contain_text("These do not compare")
    expect(empty).to_contain_text(f"Not compared: {N} verdicts, asked in different numbers of orders")


def test_wrong_in_every_order_by_other_answers_is_counted(page: Page, site: tuple[str, compare.Shared]) -> None:
    visit(page, site[0], "failures", model=TWICE, kind="verdict", show="wrong")
    page.get_by_text(f"Of {N // 2} of them no foil was chosen in every order.").wait_for()
    visit(page, site[0], "failures", model=ONCE, kind="verdict", show="wrong")
    expect(page.get_by_text(re.compile("no foil was chosen|by a tie"))).to_have_count(0)


def test_failures_is_headed_by_the_mean_of_the_orders(page: Page, site: tuple[str, compare.Shared]) -> None:
    """It said 25.0 % alone, where Overview has 37.5."""
    ends = mean_of_orders([[a > 0.5, b > 0.5] for a, b in OF_TWICE] * (N // 4)).ci95
    assert ends is not None
    for show in ("wrong", "all"):
        visit(page, site[0], "failures", model=TWICE, kind="verdict", show=show)
        expect(page.locator(".in-mean b")).to_have_text(f"37.5 % {written.ends(ends)} (n = {N})")
        expect(page.locator(".in-mean")).to_contain_text("the orders of asking disagree on 20 items")
        expect(page.locator(".counted .rate")).to_have_text(re.compile(rf"^right 25\.0 % .* \(n = {N}\)$"))
    visit(page, site[0], "failures", model=ONCE, kind="verdict")
    expect(page.locator(".in-mean")).to_have_count(0)


@pytest.mark.parametrize("picked", [{"from": "-0.2"}, {"to": "0"}, {"other": HALF}])
def test_items_that_are_picked_by_their_outcome_have_no_rate(
    page: Page, site: tuple[str, compare.Shared], picked: dict[str, str]
) -> None:
    """“right 0.0 % [0.0, 0.5] (n = 764)” stood over items that were picked for being wrong."""
    visit(page, site[0], "failures", model=TWICE, kind="verdict", show="all", **picked)
    expect(page.locator(".counted .rate")).to_have_text(re.compile(r"^\d+ right, \d+ wrong$"))
    expect(page.locator(".in-mean")).to_have_count(0)
    expect(page.locator("main")).to_contain_text("so no rate of these is given")
    right, n = (page.locator(".counted").get_attribute(name) for name in ("data-right", "data-total"))
    page.get_by_role("button", name="Copy as finding").click()
    said = page.locator(".finding-said").inner_text()
    assert f"is right on {right} of {n} items with " in said
    assert "%" not in said

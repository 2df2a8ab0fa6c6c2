"""Compare of a published site: one has to be right in every order of asking, the other gave scores; in Chromium."""

import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import streamlit as st
from playwright.sync_api import Page, expect

from pages.shared.data import stored
from pages.static_site.build import Options, build
from pages.static_site.selection import Wanted
from tests.pages.compare import asked

pytestmark = pytest.mark.browser
STRICT, OTHER, SCORED = "predictions:strict", "predictions:other", "predictions:scored"
#: Of nine choices STRICT is right on three in every order, on six in the mean of both; OTHER on six; SCORED on all.
ORDERS = {STRICT: ("111111111", "111000000"), OTHER: ("111111000", "111111111")}


@pytest.fixture
def address(
    flipside: Callable[..., Any], tmp_path: Path, flipside_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """Of the site of these three."""
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: tmp_path / "none")
    logging.getLogger("streamlit").setLevel(logging.ERROR)
    st.cache_resource.clear()
    own, items = asked.benchmark(tmp_path), asked.items()
    for system, orders in ORDERS.items():
        rows = [
            f"{item},{right},{name}\n"
            for name, of in zip(("ab", "ba"), orders, strict=True)
            for item, right in zip(items, of, strict=True)
        ]
        _add(flipside, own, system, "item_id,correct,order\n" + "".join(rows))
    rows = [f"{item},{text},{score}\n" for item in items for text, score in ((0, 1), (1, 0.5))]
    _add(flipside, own, SCORED, "item_id,text_index,score\n" + "".join(rows), "--kind", "itc")
    build(stored.store(), Wanted((asked.BENCHMARK,)), Options(tmp_path / "site"))
    yield f"file://{tmp_path}/site/index.html"
    st.cache_resource.clear()


def _add(flipside: Callable[..., Any], own: Path, system: str, text: str, *more: str) -> None:
    name = system.partition(":")[2]
    said = own.parent / f"{name}.csv"
    said.write_text(text)
    assert flipside("add-predictions", said, "--as", name, "--benchmark", "custom", "--data", own, *more).code == 0


def compared(page: Page, address: str, a: str, b: str) -> None:
    of = {"benchmark": asked.BENCHMARK, "a": a, "b": b}
    page.goto("about:blank")
    page.goto(f"{address}#/compare?{urlencode(of)}")
    expect(page.locator("body[data-drawn] main .fs-header h1")).to_be_visible()


def test_two_rules_have_no_win_and_no_loss(page: Page, address: str) -> None:
    """“−66.7 points” stood in vermilion, and +66.7 in green among all pairs, where chance gives 25 and 50 %."""
    compared(page, address, f"{SCORED}|itc", f"{STRICT}|verdict")
    main, gap = page.locator("main"), page.locator(".duel-side").last
    expect(gap).to_contain_text("B − A, by two rules")
    expect(gap.locator("b")).to_have_text("−66.7 points †")
    expect(main.locator(".duel .fs-loss, .duel .fs-gain")).to_have_count(0)
    expect(main).to_contain_text("strict: right only in every order of asking.")
    expect(main).to_contain_text("Chance over all that is compared: scored 50.0 %, strict 25.0 % in every order.")
    expect(page.locator(".in-orders")).to_have_text(re.compile(r"^mean of the orders of asking 6 of 9$"))
    expect(page.get_by_role("region", name="By subset")).to_contain_text("mean of the orders")
    page.get_by_role("button", name="Copy as finding").click()
    said = page.locator(".finding-said").inner_text()
    assert "right by two rules, of which chance passes one more often: the difference does not tell who" in said
    assert "strict 25.0 % in every order" in said
    assert not re.search("more often than|less often than", said)
    even = "trict minus scored by the mean of the orders of asking, which asks the same of both, -33.3 points"
    assert even.replace("-", "−") in said
    expect(main).to_contain_text(even.replace("-", "−"))
    every = page.get_by_role("region", name="Every model against every other")
    for text, n in {"+33.3 ○": 1, "−33.3 ○": 1, "·": 3, "†": 4}.items():
        expect(every.locator("td").filter(has_text=re.compile(rf"^{re.escape(text)}$"))).to_have_count(n)
    expect(main).to_contain_text("† No difference: right by two rules")


def test_one_rule_says_nothing_of_two(page: Page, address: str) -> None:
    compared(page, address, f"{STRICT}|verdict", f"{OTHER}|verdict")
    expect(page.locator(".duel-side").last.locator("b")).to_have_text("+33.3 points ○")
    expect(page.locator(".in-orders")).to_have_count(2)
    expect(page.locator("main")).not_to_contain_text("Chance over all")


def test_back_leads_through_the_pairs_that_were_chosen(page: Page, address: str) -> None:
    """It led to the page before Compare, past every choice of A and B."""
    compared(page, address, f"{STRICT}|verdict", f"{OTHER}|verdict")
    page.locator("[data-focus=B]").focus()
    page.locator("[data-focus=B]").select_option(label="scored")
    expect(page.locator(".duel-side").last).to_contain_text("by two rules")
    expect(page.locator("[data-focus=B]")).to_be_focused()
    page.locator("[data-focus=A]").select_option(label="other")
    expect(page).to_have_url(re.compile("a=predictions%3Aother"))
    page.go_back()
    expect(page.locator("[data-focus=A]")).to_have_value(f"{STRICT}\tverdict")
    expect(page.locator("[data-focus=B]")).to_have_value(f"{SCORED}\titc")
    page.go_back()
    expect(page.locator("[data-focus=B]")).to_have_value(f"{OTHER}\tverdict")

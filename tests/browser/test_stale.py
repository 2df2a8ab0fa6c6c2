"""What stands from before a choice fades only where the new page is awaited for long; till then no element moves."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.stored import open_page, settled

pytestmark = pytest.mark.browser

#: How many elements have an opacity in motion, at most, from now on, while no run is long.
_WATCH = """
() => {
  window.__most = 0;
  window.__runs = false;
  const look = () => {
    const moving = document.getAnimations().filter((each) => each.transitionProperty === "opacity"
      && each.effect?.target?.matches("[data-testid=stElementContainer], summary"));
    if (!("fsLong" in document.documentElement.dataset)) window.__most = Math.max(window.__most, moving.length);
    window.__runs ||= document.querySelector("[data-testid=stApp]").dataset.testScriptState === "running";
    requestAnimationFrame(look);
  };
  look();
}
"""
_STATE = """
(said) => { document.querySelector("[data-testid=stApp]").dataset.testScriptState = said; }
"""
_OPACITY = """
() => ["stMain", "stSidebar"].map((part) =>
  +getComputedStyle(document.querySelector(`[data-testid=${part}] .stElementContainer`)).opacity)
"""


def test_nothing_fades_at_a_choice_that_is_answered_at_once(page: Page, small: Any) -> None:
    open_page(page, small, "failures")
    expect(page.locator(".fs-open").first).to_be_visible()
    page.evaluate(_WATCH)
    page.get_by_role("radio", name="right").first.click()
    settled(page)
    assert page.evaluate("[window.__runs, window.__most]") == [True, 0]


def test_what_is_left_may_fade_where_it_takes_long_and_is_whole_again_at_the_end(page: Page, small: Any) -> None:
    """Streamlit's own look of what is stale, here a rule of the same weight, holds only while a run is long, and never
    in the sidebar, where the choice was just made. Whether it runs the page hears from the app."""
    open_page(page, small, "failures")
    expect(page.locator(".fs-open").first).to_be_visible()
    page.add_style_tag(content=".stElementContainer { opacity: .4 }")
    assert page.evaluate(_OPACITY) == [1, 1]
    page.evaluate(_STATE, "running")
    page.wait_for_function("'fsLong' in document.documentElement.dataset", timeout=5000)
    assert page.evaluate(_OPACITY) == [0.4, 1]
    page.evaluate(_STATE, "notRunning")
    page.wait_for_function("!('fsLong' in document.documentElement.dataset)", timeout=5000)
    assert page.evaluate(_OPACITY) == [1, 1]


def test_a_section_has_the_border_of_the_theme_stale_or_not(page: Page, small: Any) -> None:
    """As Streamlit draws it where no rule of ours holds."""
    open_page(page, small, "failures")
    expect(page.locator(".fs-open").first).to_be_visible()
    borders = """() => [...document.querySelectorAll("[data-testid=stExpander] > details")]
      .map((each) => getComputedStyle(each).borderTopColor)"""
    ours = page.evaluate(borders)
    page.evaluate("""() => {
      for (const sheet of document.styleSheets)
        for (let at = sheet.cssRules.length - 1; at >= 0; at--)
          if (sheet.cssRules[at].selectorText?.includes("stExpander")) sheet.deleteRule(at);
    }""")
    assert len(ours) > 1
    assert page.evaluate(borders) == ours

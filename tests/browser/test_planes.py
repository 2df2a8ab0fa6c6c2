"""Planes of points are drawn once as a page opens, and again where they get another size."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.stored import open_page, reads, settled

pytestmark = pytest.mark.browser

#: Counts how often a plane says that it has been drawn (`data-ready`); planes stand behind roots of their own.
_COUNT = """
(() => {
  window.__drawn = 0;
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (how) {
    const root = attach.call(this, how);
    new MutationObserver((all) => { window.__drawn += all.length; })
      .observe(root, { subtree: true, attributeFilter: ["data-ready"] });
    return root;
  };
})();
"""


def test_a_plane_is_drawn_once_and_again_at_another_size(page: Page, shipped: Any) -> None:
    """A browser tells the size right after the first drawing, too: everything was drawn a second time."""
    page.add_init_script(_COUNT)
    page.set_viewport_size({"width": 1440, "height": 1000})
    open_page(page, shipped, "equivariance")
    expect(page.locator("#plane[data-ready]").first).to_be_visible(timeout=60_000)
    settled(page)
    planes = page.locator("#plane[data-ready]")
    drawn = reads(page, lambda: page.evaluate("window.__drawn"), lambda n: n > 0)
    expect(planes).to_have_count(drawn)
    page.set_viewport_size({"width": 900, "height": 1000})
    reads(page, lambda: page.evaluate("window.__drawn"), lambda n: n > drawn)

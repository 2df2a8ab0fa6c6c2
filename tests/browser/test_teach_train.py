"""A short teaching in a real Chromium: started on the page, followed by its curves, scored, and its change read."""

import os
import re
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from backend.live.jobs import record
from backend.live.supervisor import is_alive
from tests.browser.stored import open_page, reads, settled

pytestmark = pytest.mark.browser
#: A job's process has to start, import its libraries, load a model and judge it.
LONG = 180_000
SHORT = "teach?view=train&teach_pairs=20&teach_steps={steps}"


@pytest.fixture(scope="module")
def dashboard(serve: Callable[..., Any]) -> Iterator[Any]:
    given = serve()
    yield given
    with pytest.MonkeyPatch.context() as patch:  # jobs outlive their dashboard
        patch.setenv("FLIPSIDE_CACHE", str(given.cache))
        for job in record.every():
            for pid, started in ((job.pid, job.pid_started), (job.child, job.child_started)):
                if is_alive(pid, started):
                    os.kill(pid, signal.SIGKILL)


def shown(page: Page) -> Locator:
    """The training that is shown."""
    return page.locator(".st-key-teach-shown")


def begin(page: Page, dashboard: Any, steps: int, recipe: str = "binding") -> str:
    """Fill in the form and start; the training's name."""
    open_page(page, dashboard, f"{SHORT.format(steps=steps)}&teach_by={recipe}")
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_visible(timeout=LONG)  # the form's last part
    settled(page)
    page.get_by_text("More: batch").click()
    batch = page.get_by_role("spinbutton", name="Batch")
    batch.fill("8")
    batch.press("Enter")
    settled(page)
    page.get_by_text("And the baseline beside it").click()
    settled(page)
    expect(page.locator(".tr-facts")).to_contain_text("numbers are trained", timeout=LONG)
    name = page.get_by_role("textbox", name="Name").input_value()
    page.get_by_role("button", name="Start", exact=True).click()
    expect(shown(page)).to_contain_text(name, timeout=LONG)
    return name


def step(page: Page) -> int:
    found = re.search(r"After (\d+) of", shown(page).inner_text())
    return int(found[1]) if found else 0


@pytest.mark.journey
def test_a_short_teaching_is_followed_scored_and_its_change_is_read(page: Page, dashboard: Any) -> None:
    name = begin(page, dashboard, 12)
    assert name == "clip-binding-12"
    panels = shown(page).locator(".tr-panel")
    expect(panels.filter(has_text="L_bind, binding")).to_have_count(1, timeout=LONG)  # before the first step, too
    expect(panels.filter(has_text="Group score").locator("circle").nth(2)).to_be_attached(timeout=LONG)
    expect(shown(page).locator(".tr-seen")).to_contain_text("group score")
    expect(shown(page)).to_contain_text("done", timeout=LONG)
    expect(shown(page).locator(".tr-seen")).to_contain_text("After 12 of 12 steps, on held-out items: γ")
    expect(panels).to_have_count(9)
    expect(panels.first.get_by_role("img")).to_have_attribute("aria-label", re.compile("Group score: .* at step 12"))
    page.get_by_role("combobox", name="Items").click()
    page.get_by_role("option", name="300 at random").click()
    settled(page)
    page.get_by_role("button", name="Score", exact=True).click()
    changed = page.get_by_role("button", name="See what changed on world")
    expect(changed).to_be_visible(timeout=LONG)
    changed.click()
    expect(page).to_have_url(re.compile(f"series={name}"))
    expect(page.locator("[data-testid=stMain]")).to_contain_text(re.compile("fixed.*broke", re.DOTALL), timeout=LONG)
    expect(page.locator("[data-testid=stMain]")).to_contain_text(name)


def test_a_teaching_is_stopped_resumed_and_deleted(page: Page, dashboard: Any) -> None:
    begin(page, dashboard, 3000, "eqsim")
    reads(page, lambda: step(page), lambda n: n > 2, LONG)
    page.get_by_role("button", name="Stop").first.click()
    expect(shown(page)).to_contain_text("Stopped on request", timeout=LONG)
    before = step(page)
    page.get_by_role("button", name="Resume").click()
    expect(shown(page)).to_contain_text("running", timeout=LONG)
    reads(page, lambda: step(page), lambda n: n > before, LONG)
    page.get_by_role("button", name="Stop").first.click()
    expect(shown(page)).to_contain_text("Stopped on request", timeout=LONG)
    shown(page).get_by_role("button", name="Delete").click()
    expect(page.locator(".st-key-fs-deleted")).to_contain_text("Deleted the training clip-eqsim-3000")
    page.get_by_role("button", name="Undo").first.click()
    expect(page.get_by_test_id("stMain")).to_contain_text("clip-eqsim-3000", timeout=LONG)


def test_generated_captions_are_looked_through_before_anything_trains(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, f"{SHORT.format(steps=12)}&teach_by=svlc")
    expect(page.get_by_role("alert")).to_contain_text("needs positives", timeout=LONG)
    page.get_by_role("button", name="Generate captions").click()
    expect(page.get_by_test_id("stDataFrame")).to_be_visible(timeout=LONG)
    told = page.locator(".fs-caption", has_text="are trained with")
    every = told.inner_text()
    page.get_by_role("button", name=re.compile("synonym_adjective")).click()
    expect(told).not_to_have_text(every)
    page.get_by_role("button", name=re.compile("synonym_adjective")).click()
    expect(told).to_have_text(every)
    expect(page.get_by_role("button", name="Download as JSON Lines")).to_be_visible()
    expect(page.locator(".tr-facts")).to_contain_text("numbers are trained", timeout=LONG)
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_enabled()

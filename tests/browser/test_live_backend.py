"""A live backend on Try it: whether it answers stands in the sidebar, failures are sentences, and it comes back."""

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import free_port
from tests.browser.stored import settled
from tests.live.serving.standing import TOKEN, standing

pytestmark = pytest.mark.browser


def test_it_answers_goes_and_comes_back_by_itself(page: Page, serve: Callable[..., Any]) -> None:
    port = free_port()
    dashboard = serve(
        FLIPSIDE_LIVE_MODELS="fake:ok bundled:clip", FLIPSIDE_BACKEND=f"http://127.0.0.1:{port}",
        FLIPSIDE_BACKEND_TOKEN=TOKEN,
    )  # fmt: skip
    line = page.get_by_test_id("stSidebar").locator(".st-key-try-backend")
    problems, rows = (
        page.get_by_test_id("stMain").locator(".fs-problem"),
        page.locator(".fs-versus tbody tr:not(.fs-under)"),
    )
    with contextlib.ExitStack() as there:
        there.enter_context(standing(port=port))
        page.goto(f"{dashboard.address}/try-it?i=world:3.crbpGW&t=a+red+circle&t=a+blue+star&as=choice")
        expect(line).to_contain_text(f"Scored at http://127.0.0.1:{port}: answering, 0 models loaded of 5")
        page.get_by_role("button", name="Score").first.click()
        expect(rows.first).to_be_visible()
        expect(problems).to_contain_text("bundled:clip is not offered by http://127.0.0.1")
        expect(line).to_contain_text("1 model loaded of 5")
    expect(line).to_contain_text("has not answered since")
    box = page.get_by_label("Captions, one a line")
    box.fill("a red circle\na green heart")
    box.press("Control+Enter")
    expect(problems.first).to_contain_text("does not answer (connection refused)")
    expect(rows).to_have_count(0)
    other = page.context.new_page()
    other.goto(f"{dashboard.address}/overview")  # other pages know nothing of it
    expect(other.locator(".fs-header h1")).to_be_visible()
    expect(other.locator(".fs-problem")).to_have_count(0)
    other.close()
    with standing(port=port):
        expect(line).to_contain_text("answering")
        expect(rows.first).to_be_visible()  # nobody has clicked
        settled(page)
        assert TOKEN not in page.content()

"""Failures in a real Chromium: filter, count, open an item, walk with the arrow keys, take the rest away."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.stored import open_page, settled, start

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def dashboard(serve: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    return start(serve, tmp_path_factory.mktemp("failures"))


def total(page: Page) -> int:
    return int(page.locator(".fs-count b").inner_text().replace(",", ""))


def test_filters_narrow_the_gallery_and_stay_in_the_address(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "failures?benchmark=small&model=fake:weak")
    expect(page.locator(".fs-open").first).to_be_visible(timeout=90_000)
    everything = total(page)
    page.get_by_test_id("stMultiSelect").filter(has_text="Subset").locator("input").click()
    page.get_by_role("option", name=re.compile("count · ")).first.click()
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile("subset=count"))
    settled(page)
    assert 0 < total(page) < everything
    heads = page.locator(".fs-open .fs-card-head").all_inner_texts()
    assert heads
    assert all(head.startswith("count/") for head in heads)
    expect(page.locator(".fs-open mark.fs-diff").first).to_be_visible()
    page.reload()
    expect(page.locator(".fs-open").first).to_be_visible(timeout=60_000)
    assert total(page) < everything


def test_an_item_opens_and_the_arrow_keys_walk(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "failures?benchmark=small&model=fake:weak&subset=relation")
    first = page.locator(".fs-open").first
    expect(first).to_be_visible(timeout=90_000)
    item = str(first.get_attribute("data-item")).partition(" ")[2]  # behind the benchmark's hash
    first.click()
    dialog = page.get_by_role("dialog")
    assert item.startswith("relation/")
    expect(dialog).to_contain_text(item)
    expect(dialog.locator(".fs-matrix").first).to_be_visible()
    expect(dialog).to_contain_text("1 of ")
    expect(dialog.get_by_role("button", name="Next")).to_be_visible()
    settled(page)
    page.keyboard.press("ArrowRight")
    expect(dialog).to_contain_text("2 of ", timeout=30_000)
    settled(page)
    page.keyboard.press("ArrowLeft")
    expect(dialog).to_contain_text("1 of ", timeout=30_000)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.locator(".fs-open").first).to_be_visible()


def test_the_table_and_the_export_hold_what_is_filtered(page: Page, dashboard: Any, tmp_path: Path) -> None:
    open_page(page, dashboard, "failures?benchmark=small&model=fake:weak&subset=relation&view=table")
    expect(page.get_by_test_id("stDataFrame")).to_be_visible(timeout=90_000)
    wanted = total(page)
    page.get_by_text("Export", exact=True).click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="JSONL").click()
    file = tmp_path / "failures.jsonl"
    waiting.value.save_as(file)
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == wanted
    assert {line["subset"] for line in lines} == {"relation"}
    assert all(line["correct"] is False for line in lines)


def test_one_right_and_the_other_wrong(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "failures?benchmark=small&model=fake:strong&show=right&other=fake:weak&other_is=wrong")
    card = page.locator(".fs-open").first
    expect(card).to_be_visible(timeout=90_000)
    expect(card.locator(".fs-chip", has_text="strong")).to_have_class(re.compile("fs-right"))
    expect(card.locator(".fs-chip", has_text="weak")).to_have_class(re.compile("fs-wrong"))


def test_tags_notes_and_views_are_kept(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "item?benchmark=small&item=relation/1")
    note = page.get_by_label("Note")
    expect(note).to_be_visible(timeout=90_000)
    note.fill("left and right swapped")
    note.blur()
    expect(page.get_by_text("Note kept")).to_be_visible()
    page.get_by_test_id("stMultiSelect").locator("input").fill("mirrored")
    page.keyboard.press("Enter")
    settled(page)
    page.reload()
    expect(page.get_by_label("Note")).to_have_value("left and right swapped", timeout=60_000)
    expect(page.get_by_test_id("stMultiSelect")).to_contain_text("mirrored")

    open_page(page, dashboard, "failures?benchmark=small&model=fake:weak&subset=relation")
    expect(page.locator(".fs-open").first).to_be_visible(timeout=60_000)
    page.get_by_text("Views", exact=True).click()
    page.get_by_label("Keep this view as").fill("weak on relations")
    page.get_by_label("Keep this view as").press("Enter")
    page.get_by_role("button", name="Keep", exact=False).last.click()
    expect(page.get_by_role("button", name="weak on relations")).to_be_visible(timeout=30_000)
    open_page(page, dashboard, "failures?benchmark=small&model=fake:strong&subset=count")
    expect(page.locator(".fs-count")).to_contain_text("strong", timeout=60_000)
    page.get_by_text("Views", exact=True).click()
    page.get_by_role("button", name="weak on relations").click()
    expect(page.locator(".fs-count")).to_contain_text("weak", timeout=60_000)
    expect(page).to_have_url(re.compile("subset=relation"))

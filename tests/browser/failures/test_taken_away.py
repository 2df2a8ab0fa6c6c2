"""What is taken away from Failures: the filtered items as files, and the report."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.failures.steps import opened, total
from tests.browser.stored import open_page

pytestmark = pytest.mark.browser


def test_the_table_and_the_export_hold_what_is_filtered(page: Page, dashboard: Any, tmp_path: Path) -> None:
    open_page(page, dashboard, "failures?benchmark=small&model=fake:weak&subset=relation&view=table")
    expect(page.get_by_test_id("stDataFrame")).to_be_visible(timeout=90_000)
    wanted = total(page)
    page.get_by_text("Export", exact=True).click()
    with page.expect_download() as waiting:
        # Where another test has judged an item, verdicts of one's own are offered, too.
        page.get_by_role("button", name="JSONL").filter(has_not_text="Verdicts").click()
    file = tmp_path / "failures.jsonl"
    waiting.value.save_as(file)
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == wanted
    assert {line["subset"] for line in lines} == {"relation"}
    assert all(line["correct"] is False for line in lines)


def test_the_report_is_one_file_without_script(page: Page, dashboard: Any, browser: Browser, tmp_path: Path) -> None:
    opened(page, dashboard, "failures?benchmark=small&model=fake:weak&subset=relation")
    wanted = total(page)
    page.get_by_text("Export", exact=True).click()
    found = {}
    for name in ("LaTeX", "Parquet", "HTML report"):
        with page.expect_download(timeout=60_000) as waiting:
            page.get_by_role("button", name=name).click()
        waiting.value.save_as(tmp_path / waiting.value.suggested_filename)
        found[name] = tmp_path / waiting.value.suggested_filename
    import pandas as pd

    table = pd.read_parquet(found["Parquet"])
    assert len(table) == wanted
    assert set(table["model"]) == {"fake:weak"}
    assert table["setting"].nunique() == 1
    assert f"& {wanted} &" in found["LaTeX"].read_text(encoding="utf-8")
    offline = browser.new_context(java_script_enabled=False, offline=True)
    report = offline.new_page()
    report.goto(found["HTML report"].as_uri())
    expect(report.locator("h1")).to_have_text("Failures of fake:weak on small")
    expect(report.locator(".fs-card")).to_have_count(wanted)
    expect(report.locator(".fs-report-facts")).to_contain_text("subset=relation")
    text = found["HTML report"].read_text(encoding="utf-8")
    assert "<script" not in text
    assert not re.findall(r"""(?:src|href)="(?!data:image/webp|http://127)""", text)
    offline.close()

"""What one writes on items of Failures: tags, notes, verdicts and kept views, each there again and a filter."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.failures.steps import add_tag, focus, in_cache, more, opened, tag_typed, total
from tests.browser.stored import open_page, reads, settled

pytestmark = pytest.mark.browser


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
    more(page)
    page.get_by_text("Views", exact=True).click()
    page.get_by_label("Keep this view as").fill("weak on relations")
    page.get_by_label("Keep this view as").press("Enter")
    page.get_by_role("button", name="Keep", exact=False).last.click()
    expect(page.get_by_role("button", name="weak on relations")).to_be_visible(timeout=30_000)
    open_page(page, dashboard, "failures?benchmark=small&model=fake:strong&subset=count")
    expect(page.locator(".fs-count")).to_contain_text("strong", timeout=60_000)
    if page.locator(".st-key-more-failures details:not([open])").count():
        more(page)
    page.get_by_text("Views", exact=True).click()
    page.get_by_role("button", name="weak on relations").click()
    expect(page.locator(".fs-count")).to_contain_text("weak", timeout=60_000)
    expect(page).to_have_url(re.compile("subset=relation"))


def test_the_list_can_be_narrowed_to_own_tags_and_notes(page: Page, dashboard: Any) -> None:
    add_tag(dashboard, "relation/2", "=mine *bold*")
    opened(page, dashboard, "failures?benchmark=small&model=fake:weak&show=all&tag=%3Dmine+*bold*")
    assert total(page) == 1
    expect(page.locator(".fs-gallery > *")).to_contain_text("#=mine *bold*")
    page.get_by_role("button", name="Any tag").click()
    expect(page).not_to_have_url(re.compile("tag="))
    settled(page)
    assert total(page) > 1


def test_stored_tags_and_the_note_stand_in_their_fields_in_the_dialog_and_on_the_page(
    page: Page, dashboard: Any
) -> None:
    """Failed before: the fields that the dialog had drawn stood empty on the item's own page."""
    write = (
        "notes.set_note(sys.argv[1], 'relation/3', 'kept *here*'); notes.add_tag(sys.argv[1], 'relation/3', 'shown')"
    )
    in_cache(dashboard, f"from backend.store.failures import notes; import sys; {write}")

    def filled(within: Any) -> None:
        expect(within.get_by_label("Note")).to_have_value("kept *here*", timeout=60_000)
        expect(within.locator("[class*='st-key-tags-']")).to_contain_text("shown")

    open_page(page, dashboard, "failures?benchmark=small&model=fake:weak&show=all&text=relation/3&item=relation/3")
    dialog = page.get_by_role("dialog")
    filled(dialog)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    settled(page)
    page.locator(".fs-open[data-item$=' relation/3']").click()
    filled(dialog)
    dialog.get_by_text("Why? The item in full").click()
    expect(dialog).to_have_count(0)
    expect(page).to_have_url(re.compile("/item\\?"))
    settled(page)
    filled(page)
    page.get_by_label("Note").focus()
    page.keyboard.press("Tab")  # leaving the field keeps what stands in it
    settled(page)
    page.go_back()
    expect(page).to_have_url(re.compile("/failures\\?"))
    settled(page)
    open_page(page, dashboard, "item?benchmark=small&item=relation/3")
    filled(page)
    read = "print(notes.note(sys.argv[1], 'relation/3'), notes.tags(sys.argv[1], 'relation/3'))"
    said = in_cache(dashboard, f"from backend.store.failures import notes; import sys; {read}")
    assert said == "kept *here* {'relation/3': ['shown']}"


def test_a_tag_on_a_card_lists_its_items_by_keyboard_and_again_all(page: Page, dashboard: Any) -> None:
    long = "<b>&" + "w" * 60
    opened(page, dashboard, "failures?benchmark=small&model=fake:weak&show=all")
    first, second = (page.locator(".fs-open").nth(k).get_attribute("data-item") or "" for k in (0, 1))
    for item in (first, second):
        add_tag(dashboard, item.partition(" ")[2], long)
    opened(page, dashboard, "failures?benchmark=small&model=fake:weak&show=all")
    every = total(page)
    tag = page.get_by_role("button", name=f"#{long}")
    page.locator(".fs-open").first.focus()
    page.keyboard.press("Tab")
    expect(tag.first).to_be_focused()
    expect(tag.first).to_have_attribute("aria-pressed", "false")
    box, frame = tag.first.bounding_box(), page.locator(".fs-tagged").first.bounding_box()
    assert box is not None
    assert frame is not None
    assert frame["x"] <= box["x"] < box["x"] + box["width"] <= frame["x"] + frame["width"]
    page.keyboard.press("Enter")
    expect(page.locator(".fs-set")).to_have_text(f"Only items with your tag #{long}")
    expect(page).to_have_url(re.compile("tag="))
    settled(page)
    assert total(page) == 2
    expect(page.get_by_role("dialog")).to_have_count(0)  # the tag is no part of what opens the item
    expect(tag.first).to_be_focused()
    expect(tag.first).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Enter")
    expect(page.locator(".fs-set")).to_have_count(0)
    settled(page)
    assert total(page) == every
    page.locator(".fs-open").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_a_deleted_note_comes_back(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "item?benchmark=small&item=count/1")
    note = page.get_by_label("Note")
    expect(note).to_be_visible(timeout=90_000)
    settled(page)
    note.fill("to be kept")
    note.blur()
    expect(page.get_by_text("Note kept")).to_be_visible()
    settled(page)
    note.fill("")
    note.blur()
    expect(page.get_by_text("The note on count/1 was deleted.")).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Undo").click()
    expect(note).to_have_value("to be kept", timeout=30_000)
    page.reload()
    expect(page.get_by_label("Note")).to_have_value("to be kept", timeout=60_000)


@pytest.mark.journey
def test_items_are_found_tagged_judged_by_keyboard_and_taken_away(page: Page, dashboard: Any, tmp_path: Path) -> None:
    """Find, walk, judge on the card and in the item, tag, and take the verdicts along: no mouse but for the files."""
    opened(page, dashboard, "failures?benchmark=small&model=fake:weak&subset=location")
    page.keyboard.press("j")
    first = str(reads(page, lambda: focus(page), bool)).partition(" ")[2]
    page.keyboard.press("3")
    card = page.locator(".fs-open").first
    expect(card.locator(".fs-own")).to_have_text("you: ambiguous")
    settled(page)
    page.keyboard.press("1")
    expect(card.locator(".fs-own")).to_have_text("you: model wrong")
    settled(page)
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("1 of ")
    expect(page).to_have_url(re.compile(f"item={first.replace('/', '%2F')}"))
    settled(page)
    verdict = dialog.get_by_role("radiogroup", name="Your verdict on the item")
    expect(verdict.get_by_role("radio", checked=True)).to_have_text("1 · model wrong")
    page.keyboard.press("j")
    expect(dialog).to_contain_text("2 of ")
    settled(page)
    page.keyboard.press("2")
    expect(verdict.get_by_role("radio", checked=True)).to_have_text("2 · label wrong")
    settled(page)
    tag_typed(page, "judged")
    expect(page).not_to_have_url(re.compile("item="))
    expect(page.locator(".fs-gallery > *", has_text="you: label wrong")).to_contain_text("#judged")
    expect(page.locator(".fs-own-share")).to_contain_text("1 of 2 judged items label wrong")
    both = "human=label_wrong&human=model_wrong"
    open_page(page, dashboard, f"failures?benchmark=small&model=fake:weak&{both}&view=table")
    expect(page.get_by_test_id("stDataFrame")).to_be_visible(timeout=90_000)
    assert total(page) == 2
    page.keyboard.press("e")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Verdicts, JSONL").click()
    waiting.value.save_as(tmp_path / "own.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "own.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {(line["human_verdict"], line["tags"]) for line in lines} == {("model wrong", ""), ("label wrong", "judged")}
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV", exact=True).click()
    waiting.value.save_as(tmp_path / "failures.csv")
    head = (tmp_path / "failures.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    assert {"correct", "human_verdict", "human_date"} <= set(head)

"""What a browser's tab calls a page: said once, and again only when it changes."""

import pytest
import streamlit as st

from pages.shared.frame import title


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st, "set_page_config", lambda page_title: found.append(page_title))
    return found


def test_a_title_is_said_once_and_changes_with_the_page_and_its_model(said: list[str]) -> None:
    assert title.now() == "Flipside"
    for page, names in (("Model", ["clip", "clip", "lm", ""]), ("Overview", []), ("Overview", [])):
        title.begin(page)
        for name in names:
            title.name(name)
    assert said == [
        "Model · Flipside", "clip · Model · Flipside", "lm · Model · Flipside", "Model · Flipside",
        "Overview · Flipside",
    ]  # fmt: skip
    assert title.now() == said[-1]


def test_another_run_of_a_page_keeps_the_name_until_the_page_says_another(said: list[str]) -> None:
    title.begin("Item")
    title.name("relation/3")
    title.begin("Item")
    assert title.now() == said[-1] == "relation/3 · Item · Flipside"


def test_names_are_text_on_one_line_and_no_longer_than_a_tab_can_tell() -> None:
    assert title.written("<script>\n</script>", "Item") == "<script> </script> · Item · Flipside"
    long = title.written("hf:" + "a" * 500 + "/end", "Model")
    assert long.startswith("hf:aaa")
    assert long.endswith("/end · Model · Flipside")
    assert len(long) < 62

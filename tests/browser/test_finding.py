"""The link that "Copy as finding" copies: made in a real browser, which alone has its URL."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.pages.scripts import PAGES, runnable

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("address", "named", "page_name", "link"),
    [
        (
            "http://h:8501/compare?benchmark=world&b=x&more=y",
            [["a", ["itc bundled:clip"]], ["b", ["itc m"]], ["subset", ["s", "t"]]], "",
            "http://h:8501/compare?benchmark=world&more=y&a=itc+bundled%3Aclip&b=itc+m&subset=s&subset=t",
        ),
        (
            "http://h:8501/failures?benchmark=world&show=right", [["benchmark", ["world"]], ["item", ["a/1"]]], "item",
            "http://h:8501/item?benchmark=world&item=a%2F1",
        ),
        ("https://h/tools/flipside/", [["item", ["a/1"]]], "item", "https://h/tools/flipside/item?item=a%2F1"),
        ("https://h/atlas", [], "", "https://h/atlas"),
    ],
)  # fmt: skip
def test_a_link_names_what_the_sentence_is_about(
    page: Page, address: str, named: list[Any], page_name: str, link: str
) -> None:
    script = runnable(PAGES / "shared/drawing/finding.js")
    asked = json.dumps([address, named, page_name])
    assert page.evaluate(f"(() => {{ {script}; return linkOf(...{asked}); }})()") == link

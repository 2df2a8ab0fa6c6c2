"""Captions, tags, ids, notes and model names are data: no page runs them or takes them for markup."""

import json
from dataclasses import replace
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import Page, expect

from backend.store.failures import notes
from scripts.screenshots import pages
from tests.browser.stored import open_page, settled, still
from tests.pages import results
from tests.store.writer import write_run

pytestmark = pytest.mark.browser

#: HTML, emphasis, formulas, colours, icons, links and code, each around a word of its own.
MARKUP = (
    "<img src=x onerror='window.pwned=1'><b>zhtml</b> **zbold** $z_{math}$ :red[zhot] :material/home: "
    "[zlink](javascript:window.pwned=1) `zcode` =1+1 ![zpic](https://evil.example/p.png) https://evil.example/pay "
    "www.evil.example pay@evil.example"
)
MODEL = f"fake:{MARKUP}"
#: Later than what ships, so that these runs stand first in the table of Runs.
LATEST = "2100-01-01T00:00:00+00:00"
WORDS = ("zhtml", "zbold", "zhot", "zlink", "zcode")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return tmp_path_factory.mktemp("hostile")


@pytest.fixture(scope="module")
def dashboard(serve, root):
    items = []
    for at, item in enumerate(results.world(80)):
        texts = (f"{item.texts[0]} {MARKUP}", *item.texts[1:])
        tags = {name: (*values, f"<i>zhtml</i> **zbold** $z$ {at % 2}") for name, values in item.tags.items()}
        name = f"{item.subset} **zbold** $z$"
        items.append(replace(item, item_id=f"{name}/{at} <b>zhtml</b>", subset=name, texts=texts, tags=tags))
    title = "small **zbold** $z$ <b>zhtml</b>"
    write_run(root, items, "1" * 16, ["itc", "itm", "t2t"], model=MODEL, skill=1.5, seed=1, name=title, updated=LATEST)
    write_run(
        root, items, "2" * 16, ["itc", "t2t"], model=f"{MODEL} two", skill=0.2, seed=2, name=title, updated=LATEST
    )
    write_run(
        root,
        items,
        "3" * 16,
        ["gen", "prior@noise:2"],
        model=f"{MODEL} three",
        skill=1.0,
        seed=3,
        name=title,
        updated=LATEST,
    )
    (root / "item.json").write_text(json.dumps([title, items[0].item_id]), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(root))
        (folder,) = (root / "benchmarks").iterdir()
        notes.add_tag(folder.name, items[0].item_id, "**zbold** $z$")
        notes.set_note(folder.name, items[0].item_id, MARKUP)
        notes.save_view("failures", "**zbold** $z$", {"show": ["right"]})
    return serve(FLIPSIDE_CACHE=str(root), FLIPSIDE_LIVE_MODELS="fake:ok")


def unharmed(page: Page) -> None:
    """Nothing was run, and no word of ours became an element of its own (`mark` sets off words that differ, and on Try
    it each word of a caption is a button)."""
    assert page.evaluate("window.pwned") is None
    expect(page.locator(".katex")).to_have_count(0)
    eaten = page.evaluate(
        """(words) => [...document.querySelectorAll("strong, b, em, i, code, a, span, button")]
            .filter((node) => words.includes(node.textContent.trim()) && !node.closest("mark, .fs-word"))
            .map((node) => node.outerHTML.slice(0, 200))""",
        list(WORDS),
    )
    assert eaten == []
    expect(page.locator("a[href^='javascript']")).to_have_count(0)
    led = page.evaluate(
        """() => [...document.links, ...document.images].map((each) => new URL(each.href || each.src, document.baseURI))
            .filter((to) => to.hostname.endsWith("evil.example") || to.protocol === "mailto:").map(String)"""
    )
    assert led == []  # a link of ours may name it in its query
    expect(page.locator("[data-testid=stIconMaterial]:text-is('home')")).to_have_count(0)


@pytest.mark.parametrize("name", [name for name, _ in pages()])
def test_a_page_shows_markup_as_text(dashboard, page, name):
    address = dict(pages())[name]
    wanted = "benchmark=small+**zbold**+%24z%24+%3Cb%3Ezhtml%3C%2Fb%3E" if name not in ("try_it", "runs") else ""
    open_page(page, dashboard, f"{address}?{wanted}")
    still(page)
    unharmed(page)


@pytest.mark.journey
def test_one_item_its_tag_and_its_note(dashboard, root, page):
    title, item_id = json.loads((root / "item.json").read_text(encoding="utf-8"))
    open_page(page, dashboard, f"item?{urlencode({'benchmark': title, 'item': item_id})}")
    settled(page)
    expect(page.get_by_test_id("stMain")).to_contain_text("zhtml")
    unharmed(page)


@pytest.mark.parametrize(
    "word", [MARKUP, "[pay here](https://evil.example/)", "https://evil.example/pay", ":material/home:"]
)
def test_what_an_address_names_is_quoted_not_drawn(dashboard, page, word):
    """A link into the dashboard that somebody was sent."""
    for address in ("item?item=", "item?benchmark=", "failures?set=", "failures?item=", "compare?a=", "?by="):
        open_page(page, dashboard, address + quote(word))
        settled(page)
        unharmed(page)
    open_page(page, dashboard, f"item?item={quote(word)}")
    expect(page.get_by_test_id("stAlert").first).to_be_visible()
    unharmed(page)


def test_the_selected_run_says_its_names_as_they_are(dashboard, page):
    open_page(page, dashboard, "runs")  # the newest run is shown
    settled(page)
    expect(page.get_by_role("button", name="Delete run")).to_be_visible()
    expect(page.get_by_text("small **zbold** $z$").filter(visible=True).first).to_be_visible()
    unharmed(page)


def test_a_table_has_no_button_that_writes_formulas(dashboard, page):
    open_page(page, dashboard, "runs?tab=import")
    settled(page)
    page.get_by_text("Which files each benchmark is known by").click()
    page.get_by_test_id("stDataFrame").first.hover()
    toolbar = page.get_by_test_id("stElementToolbar").first
    expect(toolbar.get_by_role("button", name="Fullscreen")).to_be_visible()
    expect(toolbar.get_by_role("button", name="Download as CSV")).to_have_count(0)


def test_captions_typed_on_try_it(dashboard, page):
    open_page(page, dashboard, "try-it?example=count")
    captions = page.get_by_role("textbox", name="Captions, one a line")
    captions.fill(f"{MARKUP}\n{MARKUP} two")
    captions.press("Control+Enter")
    settled(page)
    page.get_by_role("button", name="Score").first.click()
    still(page, 1500)
    unharmed(page)

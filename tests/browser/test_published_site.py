"""A published site in a real Chromium, opened from disk: its numbers are Python's, and it reads like the dashboard."""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import streamlit as st
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from backend import written
from backend.items import Item
from backend.metrics.statistics import wilson
from backend.store import queries
from backend.store.build.reader import open_store
from backend.store.build.store import Store
from backend.store.compare import compare
from backend.store.queries import Setting, Side
from backend.store.reasons.of_item import ItemOf, of_item
from backend.taxonomy import title
from pages.shared.data import stored
from pages.static_site.build import Options, build
from pages.static_site.selection import Wanted
from tests.pages import results

pytestmark = pytest.mark.browser

#: An edition that may be handed on as the world may.
NAME = "world~small"
HOSTILE = ' </script><img src=x onerror="document.title=1">'


@dataclass(frozen=True)
class Site:
    """A site, the store that it was made from, and its runs by model."""

    address: str
    store: Store
    hash: str
    runs: dict[str, str]


def hostile(item: Item) -> Item:
    """The item with a caption that would be markup if it were not data."""
    return replace(item, texts=(item.texts[0] + HOSTILE, *item.texts[1:]))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("published")
    items = [hostile(item) if item.subset == "choice" else item for item in results.world()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(folder / "cache"))
        patch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: folder / "none")
        logging.getLogger("streamlit").setLevel(logging.ERROR)
        st.cache_resource.clear()
        results.write(folder / "cache", items, NAME)
        build(stored.store(), Wanted((NAME,)), Options(folder / "site", pictures=True, title="Small things"))
        store = open_store(follow=False)  # every test has a cache of its own: this one stays on the site's
        table = queries.runs(store)
        runs = dict(zip(table["model"], table["run_id"], strict=True))
        yield Site(f"file://{folder}/site/index.html", store, str(table["benchmark"].iloc[0]), runs)
        st.cache_resource.clear()


def visit(page: Page, site: Site, where: str, **params: Any) -> None:
    """Open a page of the site, and wait until it is drawn."""
    said = urlencode({"benchmark": NAME, **params}, doseq=True)
    page.goto("about:blank")
    page.goto(f"{site.address}#/{where}?{said}")
    expect(page.locator("body[data-drawn] main .fs-header h1")).to_be_visible()


def said_rate(right: int, n: int) -> str:
    """A rate as the site writes it: Python's rounding, Wilson's interval."""
    return written.rate(right / n if n else None, n, wilson(right, n))


@pytest.mark.journey
@pytest.mark.parametrize(("model", "kind"), [(results.STRONG, "itc"), (results.SPEAKER, "gen")])
def test_rates_are_recounted_and_python_s(page: Page, site: Site, model: str, kind: str) -> None:
    frame = queries.rates(site.store, site.runs[model], Setting(kind), "subset")
    compared = 0
    for line in frame.to_dict("records"):
        if line["metric"] not in ("group_score", "text_score", "accuracy", "i2t_accuracy") or not line["n"]:
            continue
        visit(page, site, "failures", model=model, kind=kind, metric=line["metric"], subset=line["group"], show="all")
        right = round(line["value"] * line["n"])
        counted = page.locator(".counted")
        expect(counted).to_have_attribute("data-right", str(right))
        expect(counted).to_have_attribute("data-total", str(line["n"]))
        expect(page.locator(".counted .rate")).to_have_text(f"right {said_rate(right, line['n'])}")
        compared += 1
    assert compared >= 6


def test_the_curve_over_alpha_is_python_s(page: Page, site: Site) -> None:
    curves = {c.metric: c for c in queries.alpha_curves(site.store, site.runs[results.SPEAKER], subset="choice")}
    curve = curves["accuracy"].curve
    breaks = curve.breakpoints[(curve.breakpoints > 0) & (curve.breakpoints < 1)]
    assert len(breaks) > 2
    wanted = [0.0, 0.137, 0.5, float(breaks[1]), (float(breaks[0]) + float(breaks[1])) / 2, 1.0]
    for alpha in wanted:
        visit(page, site, "debias", model=results.SPEAKER, subset="choice", metric="accuracy", alpha=repr(alpha))
        right = round(float(curve.at(alpha)) * curve.n)
        expect(page.locator(".counted")).to_have_attribute("data-right", str(right))
        expect(page.locator(".hero .value b")).to_have_text(written.percent(float(curve.at(alpha))))
    # Under the hand: the arrow keys move α, and the numbers follow.
    visit(page, site, "debias", model=results.SPEAKER, subset="choice", metric="accuracy", alpha="0.5")
    page.get_by_label(re.compile("^α, the share")).press("ArrowRight")
    expect(page.locator(".counted")).to_have_attribute("data-right", str(round(float(curve.at(0.51)) * curve.n)))
    expect(page).to_have_url(re.compile(r"alpha=0\.51"))


def test_reasons_and_cells_are_counted_as_python_does(page: Page, site: Site) -> None:
    frame = queries.outcomes(site.store, site.runs[results.STRONG], Setting("itc"))
    items = frame[(frame["cell"] != "") & (frame["query"] == -1)].drop_duplicates("item_no")
    quads = items[items["metric"].isin(["group_score", "text_score", "image_score", "group_match"])]
    for column in ("reason", "cell"):
        visit(page, site, "reasons", by=column)
        shown = page.locator("[data-count]").evaluate_all("nodes => nodes.map((node) => node.dataset.count)")
        mine = {line.split(" quad ")[1] for line in shown if line.startswith(f"{results.STRONG}\titc quad ")}
        assert mine == {f"{word} {n}" for word, n in quads[column].value_counts().items()}
    word, n = next(iter(quads["cell"].value_counts().items()))
    page.locator(f"[data-count='{results.STRONG}\titc quad {word} {n}']").click()
    expect(page.locator(".counted")).to_have_attribute("data-total", str(n))


def test_compare_has_python_s_cells_gain_and_p(page: Page, site: Site) -> None:
    sides = [Side(site.runs[results.STRONG], Setting("itc")), Side(site.runs[results.WEAK], Setting("itc"))]
    row = compare.matrix(compare.shared(site.store, sides)).iloc[0]
    visit(page, site, "compare", a=f"{results.STRONG}|itc", b=f"{results.WEAK}|itc")
    cells = " ".join(str(int(row[name])) for name in ("both", "only_a", "only_b", "neither"))
    expect(page.locator("[data-cells]")).to_have_attribute("data-cells", cells)
    expect(page.locator(".duel-side b").last).to_have_text(f"{written.number(100 * row['gain'], signed=True)} points")
    ends = written.ends((row["low"], row["high"]), signed=True)
    expect(page.locator(".duel-side small").last).to_contain_text(f"{ends} clustered; {written.p_value(row['p'])}")


def test_an_item_says_what_the_dashboard_says(page: Page, site: Site) -> None:
    name = next(item.item_id for item in results.world() if item.protocol == "quad")
    visit(page, site, "item", item=name, model=results.STRONG, kind="itc")
    detail = queries.item(site.store, site.hash, name)
    whole = ItemOf(detail.benchmark, detail.item_no, name, detail.subset, detail.protocol, tuple(detail.texts))
    asked = [(results.STRONG, site.runs[results.STRONG], "itc")]
    (wanted,) = of_item(site.store, whole, asked, {results.STRONG: "strong"}, {detail.subset: title(detail.subset)})
    shown = page.locator(".fs-why-claim").inner_text()
    assert shown.split(" ", 3)[-1][-40:] == wanted.said.claim[-40:]
    expect(page.locator(".fs-texts li span:last-child")).to_have_text(detail.texts)
    assert page.locator(".item-card img").evaluate_all("all => all.every((image) => image.naturalWidth === 192)")
    first = page.url
    page.keyboard.press("ArrowRight")
    expect(page).not_to_have_url(first)


def test_captions_are_text_whatever_they_hold(page: Page, site: Site) -> None:
    visit(page, site, "failures", model=results.STRONG, kind="itc", subset="choice", show="all", text="onerror")
    expect(page.locator(".cards .fs-card").first).to_contain_text("</script><img src=x onerror=")
    expect(page.locator(".cards .fs-texts img")).to_have_count(0)
    assert page.title().startswith("Failures")


@pytest.mark.parametrize("where", ["__proto__", "constructor", "toString", "nowhere"])
def test_an_address_that_is_no_page_is_overview(page: Page, site: Site, where: str) -> None:
    visit(page, site, where)
    expect(page.locator("main .page-overview .fs-header h1")).to_be_visible()
    assert page.title().startswith("Overview")


def test_filters_count_what_they_would_leave(page: Page, site: Site) -> None:
    visit(page, site, "failures", model=results.WEAK, kind="itc")
    line = page.locator(".facet-line", has_text="relation").first
    wanted = line.locator("b").inner_text()
    line.locator("input").check()
    expect(page.locator(".counted b")).to_have_text(re.compile(rf"^{wanted} of "))
    expect(page).to_have_url(re.compile("subset=relation"))
    page.go_back()
    page.go_forward()
    expect(page.locator(".counted b")).to_have_text(re.compile(rf"^{wanted} of "))


def test_nothing_is_asked_of_the_network_and_a_bar_leads_to_its_items(page: Page, site: Site) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    visit(page, site, "overview")
    part = page.locator(".bar button").first
    model, kind, subset, cell = str(part.get_attribute("data-part")).split("\t")
    part.click()
    frame = queries.outcomes(site.store, site.runs[model], Setting(kind))
    n = frame[(frame["subset"] == subset) & (frame["cell"] == cell)]["item_no"].nunique()
    expect(page.locator(".counted")).to_have_attribute("data-total", str(n))
    assert all(url.startswith(("file:", "about:", "data:", "blob:")) for url in asked)


def test_a_finding_is_copied_with_its_picture(visitor: Any, site: Site) -> None:
    page = visitor(accept_downloads=True)
    visit(page, site, "compare", a=f"{results.STRONG}|itc", b=f"{results.WEAK}|itc")
    page.get_by_role("button", name="Copy as finding").click()
    said = page.locator(".finding-said").inner_text()
    assert re.search(r"points \[.+\]: .+ \(n = [\d,]+ items; p [<=] \.\d+, exact", said)
    expect(page.locator(".finding-status")).to_have_text(re.compile("^(Copied|Not copied)"))
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save picture").click()
    assert Path(saved.value.path()).read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def copied(page: Page) -> tuple[str, str]:
    """The sentence and the line below it that the first button copies."""
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    page.get_by_role("button", name="Copy as finding").first.click()
    said, _, where = str(page.evaluate("window.copied")).partition("\n")
    return said, where


def test_the_sentence_is_of_the_alpha_that_is_shown(page: Page, site: Site) -> None:
    curves = {c.metric: c for c in queries.alpha_curves(site.store, site.runs[results.SPEAKER], subset="choice")}
    curve = curves["accuracy"].curve
    asked = {"model": results.SPEAKER, "subset": "choice", "metric": "accuracy"}
    visit(page, site, "debias", **asked, alpha="0.5")
    said, where = copied(page)
    assert said.startswith("Taking α = 0.5 of its language prior away wins "), "without a test, no direction"
    assert f"{100 * float(curve.at(0.5)):.1f} % against {100 * float(curve.at(0.0)):.1f} % (n = " in said
    assert "no interval and no test" in said
    assert "alpha 0.5" in where
    visit(page, site, "debias", **asked)
    said, where = copied(page)
    best = curve.best()
    assert best is not None
    assert said.startswith(f"Taking α = {best.number()} (its best) of its language prior away ")
    assert where.endswith(f"alpha {best.alpha:.6g}")
    visit(page, site, "debias", **asked, alpha="1")
    assert copied(page)[0].startswith("Taking all of its language prior away ")
    for alpha in ("0", "0.5", "1"):
        visit(page, site, "debias", **asked, prior="noise:2", alpha=alpha)
        assert copied(page)[0].startswith(f"Nothing debiased can be claimed of {results.SPEAKER}: P(t) rests on ")


def test_failures_and_reasons_are_copied_and_opened_from_disk_named_in_words(page: Page, site: Site) -> None:
    visit(page, site, "failures", model=results.STRONG, kind="itc", subset="relation", metric="text_score")
    said, where = copied(page)
    rate = page.locator(".counted .rate").inner_text().removeprefix("right ").partition(" (n")[0]
    assert said.startswith(f"{results.STRONG} · similarity is right on {rate} of the items with subset relation (n = ")
    assert where.startswith("Failures · Small things, a site published by Flipside: ")
    assert f"model {results.STRONG}, kind itc" in where
    assert "index.html" not in where
    visit(page, site, "reasons", by="cell")
    said, where = copied(page)
    k = re.search(r"Under (.+?) ([\d.]+) % .* of (\w+) are “(.+?)”", said)
    assert k, said
    expect(page.locator("td", has_text=f"{k[2]} %").first).to_be_visible()
    assert "by cell" in where


def serious(page: Page) -> list[str]:
    """What axe finds that is serious or critical, a line for each node."""
    # Preloading, axe would ask for the stylesheet again, which the page forbids.
    found = Axe().run(page, options={"preload": False}).response["violations"]
    return [f"{fault['id']}: {node['html'][:160]}" for fault in found if fault["impact"] in ("serious", "critical")
            for node in fault["nodes"]]  # fmt: skip


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (900, "dark"), (390, "light"), (390, "dark")])
def test_every_page_is_accessible_and_fits(visitor: Any, site: Site, width: int, scheme: str) -> None:
    page, faults = visitor(width, scheme), []
    item = next(item.item_id for item in results.world() if item.protocol == "quad")
    for where in ("overview", "failures", "reasons", "debias", "compare", "item"):
        visit(page, site, where, **({"item": item} if where == "item" else {}))
        faults += [f"{where}: {fault}" for fault in serious(page)]
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        faults += [f"{where}: {over} pixels wider than its window"] if over > 0 else []
    assert not faults, "\n".join(faults)


def test_light_and_dark_follow_the_system_until_the_reader_says(visitor: Any, site: Site) -> None:
    page = visitor(scheme="dark")
    visit(page, site, "overview")
    colour = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(colour) == "rgb(20, 24, 28)"
    page.get_by_role("button", name="light").click()
    assert page.evaluate(colour) == "rgb(253, 253, 251)"
    visit(page, site, "reasons")
    assert page.evaluate(colour) == "rgb(253, 253, 251)"

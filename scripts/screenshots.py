"""`make screenshots`: every page as a first-time user sees it: in light for the docs (docs/screenshots/), in dark to
look at (.out/screenshots/), for a second picture of each page would add one MB to every clone."""

import ast
import io
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page

from scripts.dashboard import ROOT, browsing, serving, settle

#: Where the pictures of each colour scheme go.
OUT = {"light": ROOT / "docs" / "screenshots", "dark": ROOT / ".out" / "screenshots"}
SIZE = {"width": 1440, "height": 960}


def pages() -> list[tuple[str, str]]:
    """(file name, address) of each page in app.py's table that exists, the first one at the root."""
    tree = ast.parse((ROOT / "app.py").read_text(encoding="utf-8"))
    table = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PAGES"
    )
    there = [(entry[0], entry[3]) for entry in table if (ROOT / "pages" / entry[0] / "page.py").is_file()]
    return [(name, address if number else "") for number, (name, address) in enumerate(there)]


def score(page: Page) -> None:
    """Try it is worth a picture once it has scored its example; the first time loads the models."""
    page.get_by_test_id("stBaseButton-primary").click()
    page.get_by_text("Every score, side by side").first.wait_for(timeout=180_000)
    page.set_viewport_size({"width": SIZE["width"], "height": 1750})


def perturb(page: Page) -> None:
    """Runs, where it shows what a perturbation does to captions."""
    page.get_by_role("tab", name="Perturb").click()
    for name in ("Character swap", "Negative: colour"):
        page.get_by_role("button", name=name, exact=True).click()
        page.locator(".fs-panel", has_text=name).wait_for(timeout=60_000)
    page.set_viewport_size({"width": SIZE["width"], "height": 1400})


def move_alpha(page: Page) -> None:
    """Debias, with α where items have flipped."""
    page.get_by_label(re.compile("^α, the share")).press("End")
    page.get_by_role("button", name=re.compile("Open th.* in Failures")).first.wait_for(timeout=60_000)
    page.set_viewport_size({"width": SIZE["width"], "height": 1400})


def show_example(page: Page) -> None:
    """Robustness, with the results that ship."""
    button = page.get_by_role("button", name="Show the example")
    if button.count():
        button.click()
    page.get_by_role("heading", name="The edit keeps the meaning").wait_for(timeout=180_000)
    page.set_viewport_size({"width": SIZE["width"], "height": 1400})


def taller(page: Page) -> None:
    """A page whose answer is longer than a window."""
    page.set_viewport_size({"width": SIZE["width"], "height": 1400})


#: What is done on a page before its picture is taken.
BEFORE: dict[str, Callable[[Page], None]] = {
    "try_it": score, "runs": perturb, "debias": move_alpha, "robustness": show_example, "compare": taller,
    "embeddings": taller, "equivariance": taller, "teach": taller,
}  # fmt: skip


def shoot(browser: Browser, url: str, scheme: str, target: Path, before: Callable[[Page], None] | None = None) -> None:
    """One page under one colour scheme, as WebP, which says the same in a third of PNG's bytes."""
    context = browser.new_context(viewport=SIZE, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(url)
    settle(page)
    if before:
        before(page)
        settle(page)
    page.wait_for_timeout(2500)  # charts and fonts come after the script's end
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.save(target, "WEBP", quality=65, method=6)
    context.close()


def main() -> None:
    """Take all of them, or those whose names are given."""
    for folder in OUT.values():
        folder.mkdir(parents=True, exist_ok=True)
    wanted = set(sys.argv[1:])
    with tempfile.TemporaryDirectory() as cache, serving(Path(cache)) as address, browsing() as browser:
        for name, path in pages():
            if wanted and name not in wanted:
                continue
            for scheme, folder in OUT.items():
                target = folder / f"{name.replace('_', '-')}-{scheme}.webp"
                shoot(browser, f"{address}/{path}", scheme, target, BEFORE.get(name))
                print(f"{target.relative_to(ROOT)}  {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()

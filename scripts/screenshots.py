"""`make screenshots`: every page as a first-time user sees it: in light for the docs (docs/screenshots/), in dark to
look at (.out/screenshots/), for a second picture of each page would add one MB to every clone."""

import ast
import io
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page

from scripts.dashboard import ROOT, browsing, serving, settle

#: Where the pictures of each colour scheme go.
OUT = {"light": ROOT / "docs" / "screenshots", "dark": ROOT / ".out" / "screenshots"}
SIZE = {"width": 1440, "height": 900}
#: A picture in the docs is this wide (pixels) and of this quality (WebP): words stay legible at a third of the bytes.
WIDE, QUALITY = 920, 36


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


def show_example(page: Page) -> None:
    """Robustness, with the results that ship."""
    button = page.get_by_role("button", name="Show the example")
    if button.count():
        button.click()
        page.get_by_text("Keeps the meaning").first.wait_for(timeout=180_000)


#: What is done on a page before its picture is taken.
BEFORE: dict[str, Callable[[Page], None]] = {"robustness": show_example}


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
    page.add_style_tag(content=".st-key-fs-tour { visibility: hidden; }")  # the guided visit's offer
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture = picture.resize((WIDE, round(WIDE * picture.height / picture.width)), Image.Resampling.LANCZOS)
    picture.save(target, "WEBP", quality=QUALITY, method=6)
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

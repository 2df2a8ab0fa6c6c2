"""`make screenshots`: every page in light and dark, as a first-time user sees it, under docs/screenshots/."""

import ast
import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser

from scripts.dashboard import ROOT, browsing, serving, settle

OUT = ROOT / "docs" / "screenshots"
SIZE = {"width": 1440, "height": 960}


def pages() -> list[tuple[str, str]]:
    """(file name, address) of each page in app.py's table that exists, the first one at the root."""
    tree = ast.parse((ROOT / "app.py").read_text(encoding="utf-8"))
    table = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PAGES"
    )
    there = [(entry[0], entry[3]) for entry in table if (ROOT / "pages" / f"{entry[0]}.py").is_file()]
    return [(name, address if number else "") for number, (name, address) in enumerate(there)]


def shoot(browser: Browser, url: str, scheme: str, target: Path) -> None:
    """One page under one colour scheme, as a PNG of at most 256 colours (a third of the size, the same to the eye)."""
    context = browser.new_context(viewport=SIZE, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(url)
    settle(page)
    page.wait_for_timeout(2500)  # charts and fonts come after the script's end
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(256, dither=Image.Dither.NONE).save(target, optimize=True)
    context.close()


def main() -> None:
    """Take all of them, or those whose names are given."""
    OUT.mkdir(parents=True, exist_ok=True)
    wanted = set(sys.argv[1:])
    with tempfile.TemporaryDirectory() as cache, serving(Path(cache)) as address, browsing() as browser:
        for name, path in pages():
            if wanted and name not in wanted:
                continue
            for scheme in ("light", "dark"):
                target = OUT / f"{name.replace('_', '-')}-{scheme}.png"
                shoot(browser, f"{address}/{path}", scheme, target)
                print(f"{target.relative_to(ROOT)}  {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()

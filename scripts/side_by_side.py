"""Two versions of every page beside each other, for looking at: `python -m scripts.side_by_side BEFORE AFTER OUT`.

BEFORE and AFTER are folders of PNG files with the same names (1440 × 900); OUT gets one WebP a page, 720 pixels a side.
`--take-before ROOT` and `--take-after ROOT` first fill such a folder from a checkout, with `measures.json` beside the
pictures: each page's height, how many controls are in the window (by Chromium's accessibility tree; the page list, tips
and parts of pictures apart), and how many parts of pictures can be clicked. OUT gets these as a table, `measures.md`.
"""

import argparse
import io
import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw
from playwright.sync_api import Page

from scripts.dashboard import browsing, serving, settle
from scripts.screenshots import pages

SIZE = {"width": 1440, "height": 900}
#: Width of each of the two pictures, the gap between them, and the most bytes of a file.
WIDTH, GAP, MOST = 720, 12, 35_000
#: Roles of the accessibility tree that somebody can use.
ROLES = {
    "button", "link", "combobox", "textbox", "searchbox", "spinbutton", "checkbox", "radio", "slider", "switch", "tab",
    "menuitem", "DisclosureTriangle",
}  # fmt: skip
#: What an element belongs to: "" for nothing that counts, else one name for all of one widget. `part:` of a picture.
_BELONGS = """
function () {
  const up = (n) => n.assignedSlot ?? n.parentElement ?? n.getRootNode().host ?? null;
  const box = this.getBoundingClientRect();
  const outside = box.bottom <= 0 || box.top >= innerHeight || box.right <= 0 || box.left >= innerWidth;
  if (!box.width || !box.height || outside) return "";
  const name = (n, kind) => (n.dataset.counted ??= `${kind}${(window.__counted = (window.__counted ?? 0) + 1)}`);
  const away = ["stSidebarNav", "stHeader", "stToolbar", "stTooltipIcon", "stSidebarHeader", "stLogoLink",
                "stSidebarCollapseButton", "stHeaderActionElements", "stElementToolbar"];
  const widgets = ["stSelectbox", "stMultiSelect", "stButtonGroup", "stRadio", "stSlider", "stFileUploader",
                   "stNumberInput", "stTextInput", "stTextArea", "stCheckbox", "stToggle", "stPagination"];
  const field = /^(INPUT|SELECT|TEXTAREA)$/.test(this.tagName);
  let component = false, widget = null;
  for (let n = this; n; n = up(n)) {
    const id = n.dataset?.testid ?? "";
    if (away.includes(id) || n.classList?.contains("vega-actions") || n.classList?.contains("modebar")) return "";
    if (n.classList?.contains("st-key-fs-tour")) return "";
    if (widgets.includes(id)) widget = n;
    if (n !== this && n.shadowRoot || /^stBidi|^stCustomComponent/.test(id)) component = true;
  }
  if (widget) return name(widget, "w");
  return name(this, component && !field ? "part:" : "c");
}
"""


def measure(page: Page) -> dict[str, int]:
    """What a page's window holds: height (pixels), controls, parts (of pictures, that can be clicked)."""
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("DOM.getDocument", {"depth": 0})
    found: set[str] = set()
    for node in session.send("Accessibility.getFullAXTree")["nodes"]:
        if node.get("ignored") or node.get("role", {}).get("value") not in ROLES or "backendDOMNodeId" not in node:
            continue
        held = session.send("DOM.resolveNode", {"backendNodeId": node["backendDOMNodeId"]})["object"]
        if held.get("subtype") != "node":
            continue
        asked = {"objectId": held["objectId"], "functionDeclaration": _BELONGS, "returnByValue": True}
        found.add(str(session.send("Runtime.callFunctionOn", asked)["result"].get("value") or ""))
    session.detach()
    found.discard("")
    parts = sum(name.startswith("part:") for name in found)
    height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    return {"height": int(height), "controls": len(found) - parts, "parts": parts}


def take(root: Path, folder: Path, only: set[str], cache: Path | None, scheme: str) -> None:
    """Picture every page of a checkout, as a new user who has declined the guided visit sees it, and measure it."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "measures.json"
    found = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    with (
        tempfile.TemporaryDirectory() as scratch,
        serving(cache or Path(scratch), 180, root) as address,
        browsing() as b,
    ):
        context = b.new_context(viewport=SIZE, color_scheme=scheme)  # type: ignore[arg-type]
        context.add_init_script("localStorage.setItem('flipside-tour', JSON.stringify({ state: 'left', step: 0 }))")
        page = context.new_page()
        for name, path in pages():
            name = name.replace("_", "-")
            if only and name not in only:
                continue
            page.goto(f"{address}/{path}")
            settle(page, 120)
            page.wait_for_timeout(2500)  # charts come after the script's end
            settle(page, 120)
            page.screenshot(path=folder / f"{name}.png")
            found[name] = measure(page)
            print(name, found[name], flush=True)
    kept.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def beside(before: Image.Image, after: Image.Image) -> Image.Image:
    """Both at 720 pixels of width with a gap and a line over each: before on the left."""
    found = [
        each.convert("RGB").resize((WIDTH, round(each.height * WIDTH / each.width)), Image.Resampling.LANCZOS)
        for each in (before, after)
    ]
    joined = Image.new("RGB", (2 * WIDTH + GAP, 6 + max(each.height for each in found)), "white")
    draw = ImageDraw.Draw(joined)
    for k, (each, colour) in enumerate(zip(found, ("#8a8f98", "#009e73"), strict=True)):
        left = k * (WIDTH + GAP)
        draw.rectangle((left, 0, left + WIDTH - 1, 3), fill=colour)
        joined.paste(each, (left, 6))
    return joined


def packed(picture: Image.Image, most: int = MOST) -> bytes:
    """As WebP of the best quality that stays within a number of bytes; of the lowest tried where none does."""
    data = b""
    for quality in (72, 64, 56, 48, 40, 32, 24, 16, 8):
        buffer = io.BytesIO()
        picture.save(buffer, "WEBP", quality=quality, method=6)
        data = buffer.getvalue()
        if len(data) <= most:
            break
    return data


def table(before: Mapping[str, Mapping[str, int]], after: Mapping[str, Mapping[str, int]]) -> str:
    """The measures as Markdown, a page a line.

    >>> was, now = {"height": 3900, "controls": 11, "parts": 0}, {"height": 900, "controls": 5, "parts": 4}
    >>> print(table({"runs": was}, {"runs": now}))
    | page | height, px | controls in the window | parts of pictures to click |
    |---|---:|---:|---:|
    | runs | 3,900 → **900** | 11 → **5** | 0 → **4** |
    """
    lines = [
        "| page | height, px | controls in the window | parts of pictures to click |",
        "|---|---:|---:|---:|",
    ]
    for name in dict.fromkeys((*before, *after)):
        was, now = before.get(name, {}), after.get(name, {})
        cells = [f"{_number(was.get(key))} → **{_number(now.get(key))}**" for key in ("height", "controls", "parts")]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _number(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"


def _measures(folder: Path) -> dict[str, Any]:
    path = folder / "measures.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def join(before: Path, after: Path, out: Path) -> int:
    """Write the pictures and `measures.md`; 1 where the two folders have no page in common."""
    out.mkdir(parents=True, exist_ok=True)
    names = sorted({path.stem for path in before.glob("*.png")} & {path.stem for path in after.glob("*.png")})
    for name in names:
        with Image.open(before / f"{name}.png") as first, Image.open(after / f"{name}.png") as second:
            data = packed(beside(first, second))
        (out / f"{name}.webp").write_bytes(data)
        print(f"{name}.webp  {len(data) / 1000:.0f} kB")
    was, now = _measures(before), _measures(after)
    if was or now:
        (out / "measures.md").write_text(table(was, now) + "\n", encoding="utf-8")
    if not names:
        print(f"no page is in {before} and in {after}: expected PNG files of the same names", file=sys.stderr)
    return 0 if names else 1


def main() -> int:
    """Take what is asked for, then join."""
    parser = argparse.ArgumentParser(prog="python -m scripts.side_by_side", description=(__doc__ or "").splitlines()[0])
    for name in ("before", "after", "out"):
        parser.add_argument(name, type=Path)
        if name != "out":
            parser.add_argument(f"--take-{name}", type=Path, metavar="ROOT", help=f"a checkout that fills {name}")
    parser.add_argument("--only", nargs="*", default=[], help="names of pages")
    parser.add_argument("--cache", type=Path, help="a cache that is there already, for what is taken")
    parser.add_argument("--scheme", choices=("light", "dark"), default="light")
    asked = parser.parse_args()
    for root, folder in ((asked.take_before, asked.before), (asked.take_after, asked.after)):
        if root:
            take(root.resolve(), folder, set(asked.only), asked.cache, asked.scheme)
    return join(asked.before, asked.after, asked.out)


if __name__ == "__main__":
    sys.exit(main())

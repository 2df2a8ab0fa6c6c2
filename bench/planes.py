"""Frames while a plane of points is moved: `python -m bench.planes`.

The planes of Equivariance and Compare and the map of Embeddings, on the bundled results and on a million made-up
outcomes, in a real Chromium without a GPU. With the tool "Move", a `pointermove` in every animation frame for four
seconds. A frame counts where the plane was painted in it: WebGL's and the canvas' own drawing calls are counted, so
that a plane which only skips its work does not look fast.

Promised: 30 painted frames a second or more.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Locator, Page

from bench.promises import Promise, say
from bench.stored import fill
from scripts.dashboard import browsing, serving, settle, settled

SECONDS, LEAST = 4, 30.0
#: The first plane of each page, and what its page is opened with.
PLANES = {
    "equivariance": "#plane canvas.top",
    "compare": "#plane canvas.top",
    "embeddings": "canvas.top",
}
#: What Compare's stands in, to be opened.
FOLD = "How far apart? The margins of both"
#: In every page, before its own code: in which frame something was last painted, and how many of them there were.
COUNT = """
() => {
  window.__painted = 0;
  let frame = 0;
  let last = -1;
  const tick = () => { frame += 1; requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
  const count = (of, name) => {
    const was = of[name];
    of[name] = function (...given) {
      if (frame !== last) { last = frame; window.__painted += 1; }
      return was.apply(this, given);
    };
  };
  count(WebGLRenderingContext.prototype, "drawArrays");
  for (const name of ["drawImage", "putImageData", "fill", "stroke", "fillRect"]) {
    count(CanvasRenderingContext2D.prototype, name);
  }
}
"""
DRIVE = """
async (canvas, seconds) => {
  const box = canvas.getBoundingClientRect();
  canvas.setPointerCapture = () => {};
  const point = (name, x, y) => canvas.dispatchEvent(new PointerEvent(name, {
    clientX: x, clientY: y, pointerId: 1, pointerType: "mouse", isPrimary: true, bubbles: true, composed: true,
    button: name === "pointermove" ? -1 : 0, buttons: name === "pointerup" ? 0 : 1,
  }));
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  point("pointerdown", x, y);
  const frames = [];
  const begun = performance.now();
  const painted = window.__painted;
  let last = begun;
  await new Promise((done) => {
    const step = (now) => {
      frames.push(now - last);
      last = now;
      const turn = (now - begun) / 300;
      point("pointermove", x + 80 * Math.sin(turn), y + 40 * Math.cos(turn));
      if (now - begun < 1000 * seconds) requestAnimationFrame(step); else done();
    };
    requestAnimationFrame(step);
  });
  point("pointerup", x, y);
  return { frames: frames.slice(1), painted: window.__painted - painted, took: performance.now() - begun };
}
"""


def measure(page: Page, canvas: Locator) -> dict[str, Any]:
    """Frames of one plane that is moved; milliseconds."""
    if (fold := page.get_by_text(FOLD, exact=True)).count():
        fold.click()
    canvas.wait_for(timeout=120_000)
    canvas.scroll_into_view_if_needed()
    settled(page)
    page.wait_for_timeout(1500)
    page.get_by_role("button", name="Move", exact=True).first.click()
    page.wait_for_timeout(500)
    found = canvas.evaluate(DRIVE, SECONDS)
    frames = np.array(found["frames"])
    return {
        "painted frames a second": round(1000 * found["painted"] / found["took"], 1),
        "frames a second": round(1000 * len(frames) / frames.sum(), 1),
        "between frames, median ms": round(float(np.median(frames)), 1),
        "95 %": round(float(np.quantile(frames, 0.95)), 1),
        "slowest": round(float(frames.max()), 1),
    }


def main() -> None:
    """Open, move, print a table."""
    parser = argparse.ArgumentParser(description="Frames while planes of points are moved.")
    parser.add_argument("--stored", type=int, default=1_000_000, metavar="N", help="made-up outcomes to store")
    parser.add_argument("--cache", type=Path, help="a cache folder that holds them already")
    asked = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        if asked.cache is None:
            fill(Path(scratch), asked.stored)
        with serving(asked.cache or Path(scratch), 300) as address, browsing() as browser:
            for of, benchmark in (("bundled results", "world"), ("a million outcomes", "many")):
                for name, canvas in PLANES.items():
                    page = browser.new_page(viewport={"width": 1440, "height": 1000})
                    page.add_init_script(f"({COUNT})()")
                    page.goto(f"{address}/{name}?benchmark={benchmark}")
                    settle(page, 120)
                    settled(page)
                    rows.append({"plane": name, "of": of, **measure(page, page.locator(canvas).first)})
                    page.close()
    print("| " + " | ".join(rows[0]) + " |\n|" + "---|" * len(rows[0]))  # noqa: T201
    for row in rows:
        print("| " + " | ".join(map(str, row.values())) + " |")  # noqa: T201
    sys.stdout.flush()
    slowest = min(rows, key=lambda row: row["painted frames a second"])
    say(
        Promise(
            f"Moving a plane of points, the slowest ({slowest['plane']}, {slowest['of']})",
            slowest["painted frames a second"], LEAST, "frames/s", True, 60, "the screen",
        )
    )  # fmt: skip


if __name__ == "__main__":
    main()

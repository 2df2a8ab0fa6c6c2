"""Frames of the debiasing slider on a curve of many break-points: `python -m bench.debias_slider [ITEMS]`.

A made-up benchmark of ITEMS choices (12,000), each with one flip inside 0 < α < 1 and two prior sources, is opened in
a real Chromium. Then, for five seconds each: an `input` event on the slider in every animation frame; a `pointermove`
on the chart in every frame; the mouse itself, moved by the browser's driver. Reported: frames a second, the time
between frames, the time of the work in a frame, and whether the server was asked.

Promised: 30 frames a second or more, and no message to the server.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from playwright.sync_api import Page

from bench.promises import Promise, say

ITEMS = 12_000
RUN, BENCHMARK = "5" * 16, "6" * 16
SECONDS = 5
#: In the page: an event of its own in every frame, with the time between frames and the time that the event took.
DRIVE = """
async ([seconds, how]) => {
  const deep = (node, find) => node.querySelector(find) || [...node.querySelectorAll('*')]
    .filter((n) => n.shadowRoot).map((n) => deep(n.shadowRoot, find)).find(Boolean);
  const slider = deep(document, '.slider input');
  const over = deep(document, 'svg.moving');
  const box = over.getBoundingClientRect();
  const point = (name, share) => over.dispatchEvent(new PointerEvent(name, {
    clientX: box.left + 46 + share * (box.width - 60), clientY: box.top + 60, pointerId: 1,
  }));
  const frames = [];
  const work = [];
  const begun = performance.now();
  let last = begun;
  if (how === 'pointer') {
    over.setPointerCapture = () => {};
    point('pointerdown', 0);
  }
  await new Promise((done) => {
    const step = (now) => {
      frames.push(now - last);
      last = now;
      const share = 0.5 - 0.5 * Math.cos((now - begun) / 700);
      const from = performance.now();
      if (how === 'input') {
        slider.value = String(share);
        slider.dispatchEvent(new Event('input', { bubbles: true }));
      } else if (how === 'pointer') {
        point('pointermove', share);
      }
      work.push(performance.now() - from);
      if (now - begun < 1000 * seconds) requestAnimationFrame(step); else done();
    };
    requestAnimationFrame(step);
  });
  return { frames: frames.slice(1), work: how === 'mouse' ? [] : work };
}
"""


def write(root: Path, items: int) -> None:
    """The benchmark and its run, in the engine's layout: choice k flips at an α of its own."""
    from backend.engine.storage import shards

    folder = root / "benchmarks" / BENCHMARK
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    table = {
        "item_no": pa.array(np.arange(items), pa.int32()),
        "item_id": [f"choice/{k + 1}" for k in range(items)],
        "subset": ["choice"] * items,
        "protocol": ["choice"] * items,
        "texts": [[f"a red ball {k}", f"a blue ball {k}"] for k in range(items)],
        "image_keys": [[f"{k}"] for k in range(items)],
        "image_uris": [[""]] * items,
        "truth": ["[[0, 0]]"] * items,
        "tags": [json.dumps({"concept": ["colour"], "split": ["dev" if k % 2 else "test"]}) for k in range(items)],
        "source": [""] * items,
    }
    pq.write_table(pa.table(table), folder / "items.parquet")
    (folder / "benchmark.json").write_text(json.dumps({"name": "slider", "hash": BENCHMARK}))
    run_dir = root / "runs" / RUN
    run_dir.mkdir(parents=True)
    record = {"model": {"spec": "fake:speaker"}, "benchmark": {"name": "slider", "hash": BENCHMARK}}
    (run_dir / "run.json").write_text(json.dumps(record | {"selection": {}, "updated": "2026"}))
    # log P(truth | i) - log P(foil | i) = at * (log P(truth) - log P(foil)): even at the flip, for either sign.
    gap = rng.normal(size=items) * 3
    parts: Any = {}
    for name, noise in (("gen", 0.0), ("prior@noise:1", 0.0), ("prior@images:1", 0.02)):
        own = gap * rng.uniform(0.001, 0.999, items) if name == "gen" else gap * (1 + noise * rng.normal(size=items))
        columns = {
            "item_no": np.repeat(np.arange(items), 2).astype(np.int32),
            "image_index": np.full(2 * items, 0 if name == "gen" else -1),
            "text_index": np.tile([0, 1], items),
            "text_index_b": np.full(2 * items, -1),
            "sample": np.full(2 * items, -1 if name == "gen" else 0),
            "value": (np.stack([own, np.zeros(items)], 1).ravel() - 20).astype(np.float32),
            "n_tokens": np.full(2 * items, 4),
        }
        parts[name] = {"complete": True, "shards": [shards.write_shard(run_dir, name, 0, columns)]}
    shards.write_manifest(run_dir, {"format": 1, "run": RUN, "parts": parts})


def measure(page: Page, how: str, sent: list[str]) -> dict[str, Any]:
    """One way of moving α for `SECONDS`; milliseconds."""
    before = len(sent)
    if how == "mouse":
        box = page.locator("svg.moving").bounding_box() or {"x": 0, "y": 0, "width": 600, "height": 400}
        page.mouse.move(box["x"] + 60, box["y"] + 80)
        page.mouse.down()
        found = page.evaluate_handle(f"window.measured = ({DRIVE})([{SECONDS}, 'mouse'])")
        for k in range(60 * SECONDS):
            page.mouse.move(box["x"] + 60 + (box["width"] - 90) * (0.5 - 0.5 * np.cos(k / 30)), box["y"] + 80)
        result = page.evaluate("window.measured")
        found.dispose()
    else:
        result = page.evaluate(DRIVE, [SECONDS, how])
    asked = len(sent) - before
    if how == "mouse":
        page.mouse.up()  # letting go is the one message that is meant to be sent
    frames, work = np.array(result["frames"]), np.array(result["work"])
    return {
        "moved by": how,
        "frames a second": round(1000 * len(frames) / frames.sum(), 1),
        "between frames, median ms": round(float(np.median(frames)), 1),
        "95 %": round(float(np.quantile(frames, 0.95)), 1),
        "slowest": round(float(frames.max()), 1),
        "work in a frame, median ms": round(float(np.median(work)), 2) if len(work) else None,
        "work, slowest": round(float(work.max()), 2) if len(work) else None,
        "messages to the server": asked,
    }


def main() -> None:
    """Write, open, move, print a table."""
    from scripts.dashboard import browsing, serving, settle

    items = int(sys.argv[1]) if len(sys.argv) > 1 else ITEMS
    with tempfile.TemporaryDirectory() as scratch:
        write(Path(scratch), items)
        with serving(Path(scratch), 120) as address, browsing() as browser:
            page = browser.new_page(viewport={"width": 1440, "height": 1000})
            sent: list[str] = []
            page.on("websocket", lambda socket: socket.on("framesent", lambda _: sent.append("frame")))
            page.goto(f"{address}/debias?benchmark=slider&model=fake:speaker")
            settle(page)
            page.locator("svg.moving").wait_for(timeout=120_000)
            page.wait_for_timeout(3000)
            said = page.locator(".rangetitle").inner_text()
            rows = []
            for how in ("input", "pointer", "mouse"):
                rows.append(measure(page, how, sent))
                page.wait_for_timeout(1500)
            print(f"{items:,} choices, Chromium {browser.version} without a GPU; the chart says: {said}\n")  # noqa: T201
            print("| " + " | ".join(rows[0]) + " |\n|" + "---|" * len(rows[0]))  # noqa: T201
            for row in rows:
                print("| " + " | ".join("" if value is None else str(value) for value in row.values()) + " |")  # noqa: T201
            slowest = min(row["frames a second"] for row in rows)
            say(
                Promise("Debias' slider, the slowest way of moving it", slowest, 30, "frames/s", True, 60, "the screen")
            )


if __name__ == "__main__":
    main()

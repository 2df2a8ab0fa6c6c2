"""The engine against the loop everyone writes first, side by side in one run.

    python bench/engine_dedupe.py [--model bundled:clip] [--subset choice] [--limit 200]

The loop takes an item at a time, opens its images and encodes image and text for every pair. Both give the same scores
(checked). What is compared: seconds, images opened, texts and images encoded.
"""

import tempfile
import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from backend.benchmarks import load_benchmark
from backend.engine.inputs.selection import Selection
from backend.engine.runner import run
from backend.engine.storage import shards
from backend.images import open_image
from backend.models import Model, load
from backend.verbs.shared.output import print_table


def naive(model: Model, subset: str, limit: int) -> tuple[dict[tuple[int, int, int], float], float, int]:
    """Scores by (item, image, text), seconds, and pairs, each of which was opened and encoded for itself."""
    scores = {}
    begun = time.monotonic()
    chosen = [(n, item) for n, item in enumerate(load_benchmark("world")) if item.subset == subset][:limit]
    for n, item in chosen:
        for i, image in enumerate(item.images):
            for t, text in enumerate(item.texts):
                picture = model.encode_images([open_image(image.uri)])[0]
                scores[n, i, t] = float(picture @ model.encode_texts([text])[0])
    return scores, time.monotonic() - begun, len(scores)


def main(
    model: Annotated[str, typer.Option()] = "bundled:clip",
    subset: Annotated[str, typer.Option()] = "choice",
    limit: Annotated[int, typer.Option()] = 200,
) -> None:
    """Compare the engine with the naive loop on a part of the world."""
    loaded = load(model)
    list(load_benchmark("world"))  # both find the world already made
    loaded.encode_texts(["warm"])
    expected, slow, pairs = naive(loaded, subset, limit)
    with tempfile.TemporaryDirectory() as folder:
        summary = run(
            loaded, "world", ["itc"], selection=Selection(subset=subset, limit=limit), root=Path(folder), reuse=False
        )
        table = shards.read_part(summary.run_dir, "itc").to_pylist()
    found = {(row["item_no"], row["image_index"], row["text_index"]): row["value"] for row in table}
    worst = max(abs(found[cell] - value) for cell, value in expected.items())
    if found.keys() != expected.keys() or not np.isfinite(worst) or worst > 1e-4:
        raise SystemExit(f"the scores differ by {worst}")
    asked = summary.asked
    print_table(
        ("", "seconds", "images opened", "images encoded", "texts encoded"),
        [
            ("pair by pair", f"{slow:.2f}", pairs, pairs, pairs),
            (
                "engine",
                f"{summary.seconds:.2f}",
                asked["images_decoded"],
                asked["images_encoded"],
                asked["texts_encoded"],
            ),
        ],
    )
    typer.echo(f"{slow / summary.seconds:.1f} times faster, largest difference {worst:.1e}")


if __name__ == "__main__":
    typer.run(main)

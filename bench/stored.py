"""A cache with very many made-up outcomes: quads of the world under several models, of which one has vectors of all
pictures and captions, and one a prior."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

BENCHMARK = "0" * 16
#: Models, their kinds and how good they are. Three outcomes a quad and kind.
MODELS: tuple[tuple[str, tuple[str, ...], float], ...] = (
    ("fake:strong", ("itc", "itm"), 1.5),
    ("fake:weak", ("itc",), 0.1),
    ("fake:speaker", ("gen",), 0.8),
)
#: Items of the world that are drawn; their quads, a good half of them, come again and again.
DRAWN = 4_000
#: Numbers of a vector.
WIDE = 64


def fill(root: Path, outcomes: int) -> int:
    """Write shards under a cache folder and import them; how many outcomes are stored then."""
    from backend.engine.storage import shards
    from backend.world.benchmark import make

    kinds = sum(len(kinds) for _, kinds, _ in MODELS)
    n = -(-outcomes // (3 * kinds))
    drawn = [item for item in make(DRAWN, 3) if item.protocol == "quad"]
    folder = root / "benchmarks" / BENCHMARK
    folder.mkdir(parents=True)
    of = [drawn[k % len(drawn)] for k in range(n)]
    table = pa.table(
        {
            "item_no": pa.array(np.arange(n), pa.int32()),
            "item_id": [f"{item.subset}/{k}" for k, item in enumerate(of)],
            "subset": [item.subset for item in of],
            "protocol": ["quad"] * n,
            "texts": [list(item.texts) for item in of],
            "image_keys": [[image.key for image in item.images] for item in of],
            "image_uris": [[image.uri for image in item.images] for item in of],
            "truth": ["[[0, 0], [1, 1]]"] * n,
            "tags": [json.dumps({name: list(words) for name, words in item.tags.items()}) for item in of],
            "source": [""] * n,
        }
    )
    pq.write_table(table, folder / "items.parquet")
    (folder / "benchmark.json").write_text(json.dumps({"name": "many", "hash": BENCHMARK}))
    for number, (model, parts, skill) in enumerate(MODELS):
        run_id = f"{number + 1:016x}"
        run_dir = root / "runs" / run_id
        run_dir.mkdir(parents=True)
        record = {"model": {"spec": model}, "benchmark": {"name": "many", "hash": BENCHMARK}}
        (run_dir / "run.json").write_text(json.dumps(record | {"selection": {}, "updated": "2026"}))
        written: dict[str, Any] = {}
        for part in (*parts, *(("prior@noise:2",) if "gen" in parts else ())):
            chunks = np.array_split(np.arange(n), max(1, n // 25_000))
            entries = [_shard(shards, run_dir, part, chunk, k, skill) for k, chunk in enumerate(chunks)]
            written[part] = {"complete": True, "shards": entries}
        if number == 0:
            once = np.arange(min(n, len(drawn)))  # as the engine writes them: what comes again stands only once
            for side, modality in enumerate(("image", "text")):
                part = f"vectors:{modality}"
                columns = _vectors(once, np.array([len(item.subset) for item in of[: len(once)]]), side)
                written[part] = {"complete": True, "shards": [shards.write_shard(run_dir, part, 0, columns)]}
        shards.write_manifest(run_dir, {"format": 1, "run": run_id, "parts": written})
    os.environ["FLIPSIDE_CACHE"] = str(root)
    from backend.store.build.reader import open_store

    store = open_store(follow=False)
    (count,) = store.cursor().execute("SELECT count(*) FROM outcomes").fetchone()  # type: ignore[misc]
    store.close()
    return int(count)


def _shard(shards: Any, run_dir: Path, part: str, numbers: Any, n: int, skill: float) -> Any:
    """Cells of quads, or two samples of each caption's prior."""
    rng = np.random.default_rng([n, int(run_dir.name, 16), len(part)])
    prior = part.startswith("prior")
    size = 4 * len(numbers)
    value = rng.normal(size=size)
    if not prior:
        value += np.tile([skill, 0, 0, skill], len(numbers))
    if prior or part == "gen":
        value = 4 * value - 30
    first, second = np.tile([0, 0, 1, 1], len(numbers)), np.tile([0, 1, 0, 1], len(numbers))
    absent = np.full(size, -1)
    columns = {
        "item_no": np.repeat(numbers, 4).astype(np.int32),
        "image_index": absent if prior else first,
        "text_index": second,
        "text_index_b": absent,
        "sample": first if prior else absent,
        "value": value.astype(np.float32),
        "n_tokens": np.full(size, 8) if prior or part == "gen" else absent,
    }
    return shards.write_shard(run_dir, part, n, columns)


def _vectors(numbers: Any, subset: Any, side: int) -> Any:
    """Two vectors of each quad, of its pictures or of its captions: near to those of the same subset, and apart from
    those of the other side, as models put them."""
    rng = np.random.default_rng([side, len(numbers)])
    middle = np.random.default_rng(7).normal(size=(2 + int(subset.max()) + 1, WIDE))
    values = rng.normal(size=(len(numbers), 2, WIDE)) + middle[2 + subset][:, None] + middle[side]
    return {
        "item_no": np.repeat(numbers, 2).astype(np.int32),
        "index": np.tile([0, 1], len(numbers)).astype(np.int32),
        "vector": list(values.reshape(-1, WIDE).astype(np.float16)),
    }

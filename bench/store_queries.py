"""Times of the store on ten million scores: `python -m bench.store_queries`. Needs about 1 GB of disk for a minute.

Promised: the import takes seconds, not minutes; a filtered failure query answers within a second.
"""

import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

#: Quads, models: 4 scores each.
ITEMS, MODELS = 250_000, 10
RUNS = [f"{k:016x}" for k in range(MODELS)]


def write(root: Path) -> None:
    """A benchmark of quads and its runs, in the engine's layout."""
    from backend.engine.storage import shards

    benchmark = "0" * 16
    folder = root / "benchmarks" / benchmark
    folder.mkdir(parents=True)
    numbers = np.arange(ITEMS)
    names = [f"s{k % 5}/{k}" for k in numbers]
    table = pa.table(
        {
            "item_no": pa.array(numbers, pa.int32()),
            "item_id": names,
            "subset": [f"s{k % 5}" for k in numbers],
            "protocol": ["quad"] * ITEMS,
            "texts": [[f"a red ball {k}", f"a blue ball {k}"] for k in numbers],
            "image_keys": [[f"{k}a", f"{k}b"] for k in numbers],
            "image_uris": [["", ""]] * ITEMS,
            "truth": ["[[0, 0], [1, 1]]"] * ITEMS,
            "tags": [json.dumps({"concept": [f"c{k % 7}"]}) for k in numbers],
            "source": [""] * ITEMS,
        }
    )
    pq.write_table(table, folder / "items.parquet")
    (folder / "benchmark.json").write_text(json.dumps({"name": "bench", "hash": benchmark}))
    for run_id in RUNS:
        run_dir = root / "runs" / run_id
        run_dir.mkdir(parents=True)
        record = {"model": {"spec": f"fake:{run_id}"}, "benchmark": {"name": "bench", "hash": benchmark}}
        (run_dir / "run.json").write_text(json.dumps(record | {"selection": {}, "updated": "2026"}))
        entries = [_shard(shards, run_dir, part, n) for n, part in enumerate(np.array_split(numbers, 10))]
        parts: Any = {"itc": {"complete": True, "shards": entries}}
        shards.write_manifest(run_dir, {"format": 1, "run": run_id, "parts": parts})


def _shard(shards: Any, run_dir: Path, numbers: Any, n: int) -> Any:
    rng = np.random.default_rng([n, int(run_dir.name, 16)])
    size = 4 * len(numbers)
    absent = np.full(size, -1)
    columns = {
        "item_no": np.repeat(numbers, 4).astype(np.int32),
        "image_index": np.tile([0, 0, 1, 1], len(numbers)),
        "text_index": np.tile([0, 1, 0, 1], len(numbers)),
        "text_index_b": absent,
        "sample": absent,
        "value": rng.normal(size=size).astype(np.float32),
        "n_tokens": absent,
    }
    return shards.write_shard(run_dir, "itc", n, columns)


def timed(name: str, work: Callable[[], Any]) -> Any:
    """Run it and print how long it took."""
    begun = time.perf_counter()
    result = work()
    print(f"{name:44} {time.perf_counter() - begun:8.3f} s", flush=True)  # noqa: T201
    return result


def main() -> None:
    """Write, import, ask."""
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["FLIPSIDE_CACHE"] = scratch
        from backend.store import queries as q
        from backend.store.build.reader import open_store

        timed("write shards", lambda: write(Path(scratch)))
        store = timed(f"import {4 * ITEMS * MODELS:,} scores", open_store)
        timed("open again", open_store)
        setting = q.Setting("itc")
        wanted = q.FailureFilter(RUNS[0], setting, metrics=("group_score",), concepts=("c3",), text="ball 12")
        timed("failures, filtered and sorted, with facets", lambda: q.failures(store, wanted))
        other = q.FailureFilter(RUNS[0], setting, correct=True, other_run=RUNS[1], other_correct=False)
        timed("failures, A right and B wrong", lambda: q.failures(store, other))
        timed("one item in full", lambda: q.item(store, "0" * 16, "s3/123458"))
        timed("rates of one model by concept", lambda: q.rates(store, RUNS[0], setting, "concept"))
        size = next((Path(scratch) / "db").glob("*.duckdb")).stat().st_size
        print(f"database: {size / 1e6:.0f} MB")  # noqa: T201


if __name__ == "__main__":
    main()

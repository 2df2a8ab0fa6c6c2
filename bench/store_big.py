"""A store of many millions of scores: `python -m bench.store_big --scores 1000000` (10000000, 100000000).

Quads of a made-up benchmark under many models and two score kinds, written as the engine writes shards, imported, and
asked what Failures and Overview ask, each question in a fresh generation's empty cache. Promised: import of 1 million
rows a second, any filter of Failures within 300 ms at the 95th percentile, Overview's questions within 1 s, 1.5 GB.

`--folder` keeps what was written, so that it need not be made again; for disk see docs/performance.md. Beside seconds
stand the CPU seconds of the process, which other work on the machine hardly changes.
"""

import argparse
import hashlib
import json
import os
import resource
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.promises import Promise, say

#: Scores -> (quads, models); four scores a quad, model and kind.
SIZES = {100_000: (2_500, 5), 1_000_000: (25_000, 5), 10_000_000: (125_000, 10), 100_000_000: (250_000, 50)}
KINDS = ("itc", "itm")
BENCHMARK = "b16" + "0" * 13
CONCEPTS = ("colour", "size", "spatial", "action", "count", "material", "state")
EDITS = ("swap", "replace", "add")


def run_ids(models: int) -> list[str]:
    """Ids as runs have them, by their first characters different."""
    return [hashlib.sha256(f"model {k}".encode()).hexdigest()[:16] for k in range(models)]


def write(root: Path, quads: int, models: int) -> None:
    """A benchmark of quads, of which every two share a picture, and its runs, in the engine's layout."""
    from backend.engine.storage import shards

    folder = root / "benchmarks" / BENCHMARK
    folder.mkdir(parents=True)
    numbers = np.arange(quads)
    table = pa.table(
        {
            "item_no": pa.array(numbers, pa.int32()),
            "item_id": [f"s{k % 5}/{k}" for k in numbers],
            "subset": [f"s{k % 5}" for k in numbers],
            "protocol": ["quad"] * quads,
            "texts": [[f"a red ball {k} left of a cup", f"a cup left of a red ball {k}"] for k in numbers],
            "image_keys": [[f"{k // 2}a", f"{k}b"] for k in numbers],
            "image_uris": [[f"world:{k // 2}a", f"world:{k}b"] for k in numbers],
            "truth": ["[[0, 0], [1, 1]]"] * quads,
            "tags": [json.dumps({"concept": [CONCEPTS[k % 7]], "perturbation": [EDITS[k % 3]]}) for k in numbers],
            "source": [""] * quads,
        }
    )
    pq.write_table(table, folder / "items.parquet")
    (folder / "benchmark.json").write_text(json.dumps({"name": "many", "hash": BENCHMARK}))
    rng = np.random.default_rng(0)
    ease = rng.normal(size=quads).astype(np.float32)  # items are hard for all models, or for none
    for number, run_id in enumerate(run_ids(models)):
        add_run(shards, root, run_id, number, ease)


def add_run(shards: Any, root: Path, run_id: str, number: int, ease: Any) -> None:
    """One model's scores of both kinds, in shards of 50,000 items."""
    run_dir = root / "runs" / run_id
    run_dir.mkdir(parents=True)
    record = {"model": {"spec": f"fake:model-{number}"}, "benchmark": {"name": "many", "hash": BENCHMARK}}
    (run_dir / "run.json").write_text(json.dumps(record | {"selection": {}, "updated": f"2026-01-{number:04}"}))
    parts: dict[str, Any] = {}
    for part in KINDS:
        rng = np.random.default_rng([number, len(parts)])
        entries = []
        for n, some in enumerate(np.array_split(np.arange(len(ease)), max(1, len(ease) // 50_000))):
            size = 4 * len(some)
            value = rng.normal(size=(len(some), 4)).astype(np.float32)
            value[:, [0, 3]] += (0.3 + 0.02 * (number % 40) + 0.5 * ease[some])[:, None]
            absent = np.full(size, -1)
            columns = {
                "item_no": np.repeat(some, 4).astype(np.int32),
                "image_index": np.tile([0, 0, 1, 1], len(some)),
                "text_index": np.tile([0, 1, 0, 1], len(some)),
                "text_index_b": absent,
                "sample": absent,
                "value": value.ravel(),
                "n_tokens": absent,
            }
            entries.append(shards.write_shard(run_dir, part, n, columns))
        parts[part] = {"complete": True, "shards": entries}
    shards.write_manifest(run_dir, {"format": 1, "run": run_id, "parts": parts})


def resident() -> float:
    """Memory that this process holds now, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


@contextmanager
def watched() -> Iterator[list[float]]:
    """The largest `resident` of a block, looked at twenty times a second."""
    most, done = [resident()], threading.Event()

    def look() -> None:
        while not done.wait(0.05):
            most[0] = max(most[0], resident())

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield most
    finally:
        done.set()
        thread.join()


def timed(name: str, work: Callable[[], Any]) -> tuple[float, Any]:
    """Run it and print how long it took; (seconds, result)."""
    begun, busy = time.perf_counter(), time.process_time()
    result = work()
    seconds, cpu = time.perf_counter() - begun, time.process_time() - busy
    print(f"{name:58} {seconds:8.3f} s  (CPU {cpu:8.3f} s)", flush=True)  # noqa: T201
    return seconds, result


def filters(q: Any, run: str, other: str) -> Iterator[tuple[str, Any]]:
    """What people ask of Failures, one name each."""
    plain = q.FailureFilter(run, q.Setting("itc"))
    yield "nothing but the model", plain
    for sort in ("-margin", "near", "fewest", "most", "item"):
        yield f"sorted by {sort}", replace(plain, sort=sort)
    yield "a subset", replace(plain, subsets=("s3",))
    yield "two subsets", replace(plain, subsets=("s1", "s2"))
    yield "a concept", replace(plain, concepts=("colour",))
    yield "all attributes", replace(plain, concepts=("attribute/*",))
    yield "a concept and a subset", replace(plain, concepts=("count",), subsets=("s0",))
    yield "an edit", replace(plain, perturbations=("swap",))
    yield "a cell", replace(plain, cells=("outvoted_by_image",))
    yield "a reason", replace(plain, reasons=("uncertain",))
    yield "right ones", replace(plain, correct=True)
    yield "right and wrong ones", replace(plain, correct=None)
    yield "another metric", replace(plain, metrics=("text_score",))
    yield "a range of margins", replace(plain, margin=(-0.5, 0.0))
    yield "words in a caption", replace(plain, text="ball 12")
    yield "an item by its number", replace(plain, text="1234")
    yield "page 200", replace(plain, offset=10_000)
    versus = replace(plain, correct=True, other_run=other, other_correct=False)
    yield "A right and B wrong", versus
    yield "A right and B wrong, by how far", replace(versus, sort="gap")
    yield "A wrong and B right, one concept", replace(versus, correct=False, other_correct=True, concepts=("size",))
    yield "with a note", replace(plain, noted=True)
    yield "the other kind", replace(plain, setting=q.Setting("itm"))
    yield "another model", replace(plain, run_id=other)


def ask_failures(store: Any, models: int) -> tuple[float, float]:
    """Every filter once, after the page has been opened: seconds, median and 95th percentile."""
    from backend.store import queries as q

    first, second = run_ids(models)[:2]
    timed("Failures: first visit of the benchmark", lambda: q.failures(store, q.FailureFilter(first, q.Setting("itc"))))
    took = []
    for name, wanted in filters(q, first, second):
        took.append(timed(f"Failures: {name}", lambda wanted=wanted: q.failures(store, wanted))[0])
    ordered = sorted(took)
    at_95 = ordered[min(len(ordered) - 1, int(np.ceil(0.95 * len(ordered))) - 1)]
    return float(np.median(took)), float(at_95)


def ask_overview(store: Any) -> float:
    """What the page asks, in its order; seconds."""
    from backend.store import queries as q
    from backend.store.catalog import public
    from backend.store.reasons import bars, showcase, uncertified
    from pages.shared.data import best

    whole = 0.0
    for name, work in (
        ("benchmarks", lambda: q.benchmarks(store)),
        ("models", lambda: q.models(store, BENCHMARK)),
        ("rates by subset", lambda: q.heatmap(store, BENCHMARK, "subset")),
        ("rates of everything", lambda: q.heatmap(store, BENCHMARK, "all")),
        ("cells and reasons", lambda: bars.of_runs(store, list(q.models(store, BENCHMARK)["run_id"]))),
        ("certified", lambda: uncertified.of_runs(store, list(q.models(store, BENCHMARK)["run_id"]))),
        ("a telling failure", lambda: showcase.real_failures(store, BENCHMARK, _asked(q, store))),
        ("who leads", lambda: _lead(q, store, best, public)),
    ):
        whole += timed(f"Overview: {name}", work)[0]
    timed("Overview: rates by concept", lambda: q.heatmap(store, BENCHMARK, "concept"))
    return whole


def pass_over(store: Any, query: str, *given: Any) -> float:
    """Seconds of a query that reads something once, the least of three: what no question of it could do without."""
    cursor = store.cursor()
    return min(
        timed("once over what is asked", lambda: cursor.execute(query, list(given)).fetchall())[0] for _ in "abc"
    )


def copied(root: Path) -> None:
    """What no import can do without: every shard read, hashed, and written once more."""
    with tempfile.TemporaryDirectory(dir=root) as aside:
        for n, path in enumerate(sorted((root / "runs").rglob("*.parquet"))):
            data = path.read_bytes()
            hashlib.sha256(data).digest()
            (Path(aside) / f"{n}").write_bytes(data)


def _asked(q: Any, store: Any) -> list[tuple[str, str, str]]:
    known = q.models(store, BENCHMARK)
    return [(str(model), str(run), "itc") for model, run in zip(known["model"], known["run_id"], strict=True)]


def _lead(q: Any, store: Any, best: Any, public: Any) -> Any:
    known = q.models(store, BENCHMARK)
    runs = dict(zip(known["model"], known["run_id"], strict=True))
    apart = public.set_apart({model: store.run(run).record for model, run in runs.items()})
    return best.leading(store, "many", runs, q.heatmap(store, BENCHMARK, "all"), apart)


def main() -> None:
    """Write, import, ask."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scores", type=int, default=1_000_000, choices=sorted(SIZES))
    parser.add_argument("--folder", type=Path, help="where shards and database lie, and stay")
    parser.add_argument("--keep-database", action="store_true", help="ask the database that is there")
    given = parser.parse_args()
    quads, models = SIZES[given.scores]
    with tempfile.TemporaryDirectory() as scratch:
        root = given.folder or Path(scratch)
        os.environ["FLIPSIDE_CACHE"] = str(root)
        from backend.store.build import importer, reader, sources

        (root / "none").mkdir(parents=True, exist_ok=True)
        sources.bundled_runs_dir = lambda: root / "none"  # what ships is not timed
        sources.bundled_examples = list
        if not (root / "runs").exists():
            timed("write shards", lambda: write(root, quads, models))
        if not given.keep_database:
            shutil.rmtree(root / "db", ignore_errors=True)
        with watched() as most:
            if not given.keep_database:
                seconds, _ = timed(f"import of {quads:,} items and {given.scores:,} scores", importer.refresh)
                bound, _ = timed("reading, hashing and copying the shards alone", lambda: copied(root))
                of = f"{given.scores:,} scores"
                say(
                    Promise(
                        f"{of}: import", given.scores / seconds, 1e6, "scores/s", True, given.scores / bound,
                        "reading, hashing and copying the shards",
                    ),
                    Promise(f"{of}: most memory of the import", most[0], 1500, "MB"),
                )  # fmt: skip
            store = reader.open_store()
            files = {path.stat().st_ino: path.stat().st_size for path in (root / "db").rglob("*") if path.is_file()}
            size = sum(files.values())  # what two generations share counts once
            overview, middle, high = ask_overview(store), *ask_failures(store, models)
            verdicts = (
                "SELECT count(*), sum(correct::INTEGER), sum(margin) FROM outcomes WHERE run_id = ? AND kind = 'itc'"
            )
            by = "the model's verdicts and margins, read once"
            once = pass_over(store, verdicts, run_ids(models)[0])
            tables = pass_over(store, "SELECT * FROM rates") + pass_over(store, "SELECT * FROM cells")
            of = f"{given.scores:,} scores"
            shards = sum(path.stat().st_size for path in (root / "runs").rglob("*") if path.is_file())
            say(
                Promise(f"{of}: disk", size / 1e9, 10, "GB", False, shards / 1e9, "the shards themselves"),
                Promise(
                    f"{of}: Overview's questions", overview, 1, "s", False, tables, "its rates and reasons, read once"
                ),
                Promise(f"{of}: 27 filters of Failures, median", middle, None, "s", False, once, by),
                Promise(f"{of}: 27 filters of Failures, 95th percentile", high, 0.3, "s", False, once, by),
                Promise(f"{of}: memory of the process that asked", resident(), 1500, "MB"),
            )
            store.close()
            add_one(root, quads, models)


def add_one(root: Path, quads: int, models: int) -> None:
    """What one more run costs, which should be what the run costs; and a look that finds nothing new."""
    from backend.engine.storage import shards
    from backend.store.build import importer

    late = hashlib.sha256(b"one more").hexdigest()[:16]
    try:
        add_run(shards, root, late, models, np.random.default_rng(0).normal(size=quads).astype(np.float32))
        timed(f"import of one more run of {8 * quads:,} scores", importer.refresh)
        timed("import where nothing is new", importer.refresh)
    finally:
        shutil.rmtree(root / "runs" / late, ignore_errors=True)


if __name__ == "__main__":
    main()

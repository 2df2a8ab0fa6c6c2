"""Editions of a benchmark and runs on them, with real edits and made-up scores."""

import json
from collections.abc import Sequence
from pathlib import Path

from backend.benchmarks.items_folder.perturbed import Edition, Wanted
from backend.items import Benchmark, Item
from backend.perturb import get
from tests.store import writer


def make(items: Sequence[Item], parent_hash: str, name: str, kind: str, seed: int = 0) -> tuple[str, list[Item], dict]:
    """(name, items, about) of an edition."""
    edition = Edition(Benchmark(name, lambda: iter(items)), parent_hash, Wanted(get(kind), seed))
    found = list(edition.benchmark)
    return edition.benchmark.name, found, edition.about()


def write(
    root: Path, items: Sequence[Item], kinds: Sequence[tuple[str, int]], runs: Sequence[dict], name: str = "small"
) -> dict[tuple[str, int], list[Item]]:
    """Editions of a benchmark that is written already, each with a run of every model; (kind, seed) -> its items.

    runs: keyword arguments of `writer.write_run`: model, parts, skill and seed of the scores.
    """
    parent = writer.write_benchmark(root, items, name) + "0" * 48
    made = {}
    for number, (kind, seed) in enumerate(kinds):
        title, found, about = make(items, parent, name, kind, seed)
        made[kind, seed] = found
        for k, run in enumerate(runs):
            wanted = {**run, "seed": run.get("seed", 0) + 100 * (number + 1)}
            folder = writer.write_run(
                root, found, f"{number:08x}{k:08x}", wanted.pop("parts"), name=title, **wanted
            )  # fmt: skip
        path = root / "benchmarks" / json.loads((folder / "run.json").read_text())["benchmark"]["hash"]
        head = path / "benchmark.json"
        head.write_text(json.dumps(json.loads(head.read_text()) | {"about": about}))
    return made

"""The example that ships: perturbed editions of the bundled world and models' runs on them, taken over on request.

They are no part of what every start imports (36 runs of 200 items would double the time of a first launch).
"""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from backend.engine import shards
from backend.errors import FlipsideError
from backend.paths import bundled_editions_dir, cache_dir
from backend.store import bundle
from backend.store.sources import read_json


@dataclass(frozen=True)
class Example:
    """What ships. models: specs; editions: names; items: of the largest edition; here: whether all of it is in the
    cache already."""

    models: list[str]
    editions: list[str]
    items: int
    here: bool


def known() -> Example | None:
    """What there is to take over; None where nothing ships."""
    records = [read_json(folder / shards.RECORD) for folder in shards.run_dirs(bundled_editions_dir())]
    if not records:
        return None
    named = {str(record["benchmark"]["name"]): int(record["benchmark"]["n_items"]) for record in records}
    models = dict.fromkeys(str(record["model"]["spec"]) for record in records)
    here = all((cache_dir() / "runs" / str(record["run"]) / shards.MANIFEST).is_file() for record in records)
    return Example(sorted(models), sorted(named), max(named.values()), here)


def take_over() -> int:
    """Copy the example into the cache, each run verified as one from elsewhere is; how many runs. Idempotent.

    FlipsideError where it is damaged or the cache cannot be written; a run is taken over whole or not at all.
    """
    taken = 0
    try:
        cache_dir().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".import-", dir=cache_dir()) as scratch:
            root = Path(scratch) / "root"
            shutil.copytree(bundled_editions_dir(), root, ignore=shutil.ignore_patterns("own", "db", "lock"))
            for folder in shards.run_dirs(root):
                benchmark = str(read_json(folder / shards.RECORD)["benchmark"]["hash"])[:16]
                if (root / "benchmarks" / benchmark).is_dir():
                    bundle.verify(root, folder.name, benchmark)
                    bundle.take_benchmark(root, benchmark)
                bundle.take_run(folder)
                taken += 1
    except (OSError, ValueError, KeyError) as error:
        raise FlipsideError(f"{bundled_editions_dir()}: the example cannot be taken over ({error}).") from error
    return taken


__all__ = ["Example", "known", "take_over"]

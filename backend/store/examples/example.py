"""An example that ships, taken over on request: editions of the bundled world with runs on them, or runs of models that
were taught.

They are no part of what every start imports (36 runs of 200 items would double the time of a first launch). An example
is known by its folder: `paths.bundled_editions_dir()` or `paths.bundled_taught_dir()`.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

from backend.durable import copied_tree, scratch_folder, sync_dir, unwritable
from backend.engine.storage import shards, shipped
from backend.errors import FlipsideError
from backend.paths import cache_dir
from backend.store.build.sources import read_json
from backend.store.exchange.check import verify
from backend.store.exchange.imported import has_items


@dataclass(frozen=True)
class Example:
    """What ships. models: specs; benchmarks: names; items: of the largest one; here: whether all of it is in the cache
    already."""

    models: list[str]
    benchmarks: list[str]
    items: int
    here: bool


def known(place: Path) -> Example | None:
    """What there is to take over; None where nothing ships."""
    records = [read_json(folder / shards.RECORD) for folder in shards.run_dirs(place)]
    if not records:
        return None
    named = {str(record["benchmark"]["name"]): int(record["benchmark"]["n_items"]) for record in records}
    models = dict.fromkeys(str(record["model"]["spec"]) for record in records)
    here = all((cache_dir() / "runs" / str(record["run"]) / shards.MANIFEST).is_file() for record in records)
    return Example(sorted(models), sorted(named), max(named.values()), here)


def take_over(place: Path) -> int:
    """Copy the example into the cache, each run held to its id and checksums; how many runs. Idempotent.

    A run of the same id that was computed here, with other bytes, stays as it is and counts as not taken.
    FlipsideError where it is damaged, and then nothing is taken over, or where the cache cannot be written; a run is
    taken over whole or not at all.
    """
    taken = 0
    try:
        with scratch_folder(cache_dir()) as scratch:
            root = scratch / "root"
            copied_tree(place, root, ignore=shutil.ignore_patterns("own", "db", "lock"))
            found = {
                folder: str(read_json(folder / shards.RECORD)["benchmark"]["hash"])[:16]
                for folder in shards.run_dirs(root)
            }
            mine = {folder for folder, benchmark in found.items() if (root / "benchmarks" / benchmark).is_dir()}
            for folder in sorted(mine):  # all of them, before any is taken over
                _sound(place, root, folder.name, found[folder])
            for folder, benchmark in found.items():
                if folder in mine:
                    _take_benchmark(root, benchmark)
                taken += _take_run(folder)
    except (OSError, ValueError, KeyError) as error:
        kept = unwritable(error, cache_dir())  # it is this cache that is written, not what ships
        raise FlipsideError(kept or f"{place}: the example cannot be taken over ({error}).") from error
    return taken


def _sound(place: Path, root: Path, run: str, benchmark: str) -> None:
    """FlipsideError where a run of the copy of an example is not as it ships."""
    try:
        verify(root, run, benchmark, rows=False)
    except (FlipsideError, OSError, ValueError, KeyError) as error:
        what = str(error).partition(": its content")[0].rstrip(".")
        raise FlipsideError(
            f"{place}: the example that ships is damaged, and nothing of it was taken over ({what}). Restore that "
            "folder with git, or install Flipside again."
        ) from error


def _take_benchmark(root: Path, benchmark: str) -> None:
    """Ours stays where we have it whole. What ships is no bundle: it goes where runs that are computed here go."""
    target = cache_dir() / "benchmarks" / benchmark
    if has_items(target):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_dir():  # a process was killed, or the disk was full, before it was whole
        shutil.rmtree(target)
    ours = root / "benchmarks" / benchmark
    for path in sorted(ours.iterdir()):
        sync_dir(path)
    ours.replace(target)
    sync_dir(target.parent)


def _take_run(source: Path) -> bool:
    """The parts that we lack, or have only in part; the manifest is replaced last. Whether the run is the example's
    now: scores that were computed here are never joined with what ships."""
    target = cache_dir() / "runs" / source.name
    theirs = shards.read_manifest(source)
    with shards.run_lock(target):
        ours = shards.read_manifest(target)
        whole = {part for part, entry in ours["parts"].items() if entry["complete"]}
        if whole & set(theirs["parts"]) and not shipped.is_copy(target.name, ours, read_json(target / shards.RECORD)):
            return False
        for part, entry in theirs["parts"].items():
            known = ours["parts"].get(part)
            if known is not None and (known["complete"] or not entry["complete"]):
                continue
            for shard in entry["shards"]:
                aside = target / f"{shards.ASIDE}{shard['file']}"
                shutil.copyfile(source / shard["file"], aside)
                aside.replace(target / shard["file"])
            ours["parts"][part] = entry
        if not (target / shards.RECORD).is_file():
            shards.replace_json(target / shards.RECORD, read_json(source / shards.RECORD))
        shards.write_manifest(target, ours)
    return True


__all__ = ["Example", "known", "take_over"]

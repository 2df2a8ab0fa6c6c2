"""Runs that came in a bundle: kept apart under `<cache>/imported/`, so that nothing of theirs is ever taken for ours.

The folder has the layout of every root (docs/architecture.md). Beside a run's manifest stands `imported.json`, which
this machine writes and no bundle can bring: from which file, with which checksum, and when. The engine never reads the
folder. Where a run of the same id was computed here, or ships, that one has the id, and the imported one is shown
beside it as `<id>-imported`.
"""

import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from backend import paths
from backend.engine.storage import shards, shipped
from backend.errors import FlipsideError
from backend.store.build.sources import ORIGIN, SUFFIX, read_json, sha256_of
from backend.store.exchange import same_scores

Origin = Literal["computed", "shipped", "imported"]


@dataclass(frozen=True)
class Side:
    """A run folder of some id, and how it is called in a sentence."""

    folder: Path
    said: str
    origin: Origin


def locate(run_id: str) -> tuple[Origin, Path] | None:
    """Where a run of the database lies, and where it is from; None where its files are gone."""
    plain = run_id.removesuffix(SUFFIX)
    there = paths.imported_dir() / "runs" / plain
    if plain == run_id:
        if (paths.bundled_runs_dir() / "runs" / run_id).is_dir():
            own = paths.runs_dir() / run_id
            return "shipped", own if own.is_dir() else paths.bundled_runs_dir() / "runs" / run_id
        if (paths.runs_dir() / run_id).is_dir():
            return _origin(paths.runs_dir() / run_id), paths.runs_dir() / run_id
    return ("imported", there) if there.is_dir() else None


def _origin(folder: Path) -> Origin:
    """Of a run of the cache: the example's, which was copied there, or one that was computed here."""
    try:
        ships = shipped.is_copy(folder.name, shards.read_manifest(folder), read_json(folder / shards.RECORD))
    except (FlipsideError, OSError, ValueError, KeyError, TypeError):
        return "computed"
    return "shipped" if ships else "computed"


def deletable(path: Path) -> Path | None:
    """The folder of a run of this cache, or of an imported benchmark, that a damaged file lies in; None for any other:
    one's own benchmarks are read anew from their data."""
    for parent in (path, *path.parents):
        if parent.parent in (paths.runs_dir(), *(paths.imported_dir() / kind for kind in ("runs", "benchmarks"))):
            return parent if parent.is_dir() else None
    return None


def others(run_id: str) -> Iterator[Side]:
    """Every run of this id that is here already, those that ship first."""
    places: list[tuple[Path, str, Origin]] = [
        (paths.bundled_runs_dir(), "the run that ships with Flipside", "shipped"),
        *((root, "the run that ships with Flipside's example", "shipped") for root in paths.bundled_examples()),
        (paths.cache_dir(), "the run computed here", "computed"),
        (paths.imported_dir(), "the run imported before", "imported"),
    ]
    for root, said, origin in places:
        folder = root / "runs" / run_id
        if (folder / shards.MANIFEST).is_file() and (folder / shards.RECORD).is_file():
            more = ""
            if origin == "imported":
                mark = marker(folder)
                more = f" from {mark.get('file', 'a bundle')} on {str(mark.get('imported', ''))[:10]}"
            if origin == "computed" and _origin(folder) == "shipped":
                said, origin = "the copy of the run that ships with Flipside's example", "shipped"
            yield Side(folder, f"{said}{more}", origin)


def marker(folder: Path) -> dict[str, Any]:
    """What this machine noted of an imported run: file, sha256, imported (UTC); empty where that is damaged."""
    try:
        found = read_json(folder / ORIGIN)
    except (OSError, ValueError):
        return {}
    return {name: value for name, value in found.items() if isinstance(value, str)}


def take(root: Path, run_id: str, benchmark: str, bundle: Path) -> tuple[list[str], list[str], bool]:
    """Keep a verified bundle, unpacked under `root`: its items first, for a run without them shows nothing. (Parts that
    are new here, parts that were here, whether its items were not here.) FlipsideError as of `_lacking`."""
    source = root / "runs" / run_id
    new, known = _lacking(source, bundle)
    items = _take_benchmark(root, benchmark)
    if new:
        _keep(source, shards.read_manifest(source), read_json(source / shards.RECORD), bundle)
    return new, known, items


def _lacking(source: Path, bundle: Path) -> tuple[list[str], list[str]]:
    """Of a verified run of a bundle, (parts that are new here, parts that are here). FlipsideError, with both sides
    named, where a run of its id is here that says something else.

    It is kept whole and by itself. A run that ships, or was computed here, with all of its parts leaves nothing to do;
    one that was imported before grows where the bundle holds all of its parts and more.
    """
    theirs = shards.read_manifest(source)
    record = read_json(source / shards.RECORD)
    known: list[str] = []
    ours_here: set[str] = set()
    for side in others(source.name):
        ours = shards.read_manifest(side.folder)
        dtype = record["model"].get("dtype")
        differs = same_scores.first_difference(side.folder, dict(ours), source, dict(theirs), dtype)
        if differs:
            raise FlipsideError(
                f"{bundle.name}: refused, nothing was imported: run {source.name} of {record['model']['spec']} on "
                f"{record['benchmark']['name']} in this bundle has other scores than {side.said} ({differs}). "
                f"{_advice(side)}"
            )
        have = {part for part, entry in ours["parts"].items() if entry["complete"] or part not in theirs["parts"]}
        ours_here |= have if side.origin != "imported" else set()
        if set(theirs["parts"]) <= have or set(theirs["parts"]) <= ours_here:
            return [], list(theirs["parts"])
        if side.origin == "imported":
            if not set(ours["parts"]) <= set(theirs["parts"]):
                raise FlipsideError(
                    f"{bundle.name}: refused, nothing was imported: run {source.name} in this bundle lacks parts of "
                    f"{side.said}, and two bundles are never joined. {_advice(side)}"
                )
            known = [part for part in theirs["parts"] if part in have]
    return [part for part in theirs["parts"] if part not in known], known


def _advice(side: Side) -> str:
    if side.origin == "shipped":
        return "What ships with Flipside stays as it is."
    return "If the bundle is the right one, delete the other on the Runs page first."


def _keep(source: Path, theirs: shards.Manifest, record: dict[str, Any], bundle: Path) -> None:
    """Shards first, under their content-hashed names and never over a file; the manifest last."""
    target = paths.imported_dir() / "runs" / source.name
    with shards.run_lock(target):
        for part in theirs["parts"].values():
            for shard in part["shards"]:
                _copy(source / shard["file"], target / shard["file"], shard["sha256"])
        record["benchmark"]["data_dir"] = ""  # a folder of another machine
        mark = {
            "file": bundle.name[:200],
            "sha256": sha256_of(bundle),
            "imported": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        shards.replace_json(target / ORIGIN, mark)
        shards.replace_json(target / shards.RECORD, record)
        shards.write_manifest(target, theirs)


def _copy(source: Path, target: Path, digest: str) -> None:
    if target.exists():
        if sha256_of(target) == digest:
            return
        raise FlipsideError(f"{target}: is there already with another content; delete the run on the Runs page first.")
    aside = target.with_name(f"{shards.ASIDE}{target.name}")
    try:
        shutil.copyfile(source, aside)
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)


def _take_benchmark(root: Path, benchmark: str) -> bool:
    """Keep the items of a bundle, which `check` has found to hash to this benchmark; ours stay where we have
    them whole: they know where this machine's pictures are. Whether they were taken."""
    if items_here(benchmark):
        return False
    target = paths.imported_dir() / "benchmarks" / benchmark
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_dir():  # a process was killed between its two files, or one of them was lost or damaged since
        with contextlib.suppress(OSError):
            shutil.rmtree(target)
    (root / "benchmarks" / benchmark).replace(target)
    return True


def items_here(benchmark: str) -> bool:
    """Whether a benchmark (the name of its folder) lies in a root with its items as they were written."""
    return any(has_items(root / "benchmarks" / benchmark) for root in (*shards.roots(), paths.imported_dir()))


def has_items(folder: Path) -> bool:
    """Whether a benchmark's folder has its two files, and its items are those that were written."""
    try:
        head = read_json(folder / shards.BENCHMARK)
        digest = sha256_of(folder / shards.ITEMS)
    except (OSError, ValueError):
        return False
    return head.get("items_sha256") in (None, digest)

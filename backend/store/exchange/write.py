"""Writing a results bundle (see `bundle`): one run with its benchmark's items, without this machine's folders."""

import hashlib
import io
import json
import os
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from backend.durable import not_written
from backend.engine.storage import shards
from backend.errors import FlipsideError, UsageError
from backend.images import WORLD_SCHEME
from backend.paths import cache_dir, imported_dir, runs_dir
from backend.store.build.sources import read_json
from backend.store.exchange.bundle import FORMAT, LISTING
from backend.store.exchange.imported import locate


def write_bundle(run_id: str, benchmark: str, out: Path) -> int:
    """Write a run (by its id) with its benchmark (by its hash) into `out`; how many files. Whole or not at all."""
    places = _run_folders(run_id)
    run_id = places[0].name  # an imported run beside one of ours goes by its own id elsewhere
    items_dir = _items_folder(benchmark)
    for folder in places:
        if problems := shards.verify(folder):
            raise FlipsideError(problems[0])
    manifest, at = _joined(places)
    record = read_json(places[0] / shards.RECORD)
    if isinstance(record.get("benchmark"), dict):
        record["benchmark"]["data_dir"] = ""
    items = _without_paths(items_dir / shards.ITEMS)
    described = read_json(items_dir / shards.BENCHMARK)
    described["items_sha256"] = hashlib.sha256(items).hexdigest()
    if isinstance(described.get("about"), dict) and isinstance(described["about"].get("from"), str):
        described["about"]["from"] = Path(described["about"]["from"]).name
    small = {
        f"runs/{run_id}/{shards.RECORD}": _json(record),
        f"runs/{run_id}/{shards.MANIFEST}": _json(manifest),
        f"benchmarks/{benchmark}/{shards.ITEMS}": items,
        f"benchmarks/{benchmark}/{shards.BENCHMARK}": _json(described),
    }
    files = {name: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)} for name, data in small.items()}
    for path, digest in at:
        files[f"runs/{run_id}/{path.name}"] = {"sha256": digest, "size": path.stat().st_size}
    listing = {"format": FORMAT, "run": run_id, "benchmark": benchmark, "files": files}
    if not out.parent.is_dir():
        raise UsageError(f"{out.parent}: no such folder. Make it first, or choose another --out.")
    aside = out.with_name(f".aside-{os.getpid()}-{out.name}")
    try:
        with zipfile.ZipFile(aside, "w", zipfile.ZIP_STORED) as archive:
            for name, data in {LISTING: _json(listing), **small}.items():
                archive.writestr(zipfile.ZipInfo(name), data)
            for path, _ in at:
                archive.write(path, f"runs/{run_id}/{path.name}")
        aside.replace(out)
    except OSError as error:
        raise FlipsideError(not_written(error, out)) from error
    finally:
        aside.unlink(missing_ok=True)
    return len(files)


def _run_folders(run_id: str) -> list[Path]:
    """Where the run lies: an imported one alone, one of ours in the cache, in what ships, or in both."""
    found = locate(run_id)
    if found is None:
        raise FlipsideError(f"{runs_dir() / run_id}: these files are gone; only what was imported of them is left.")
    if found[0] == "imported":
        return [found[1]]
    return [root / "runs" / run_id for root in shards.roots() if (root / "runs" / run_id / shards.MANIFEST).is_file()]


def _items_folder(benchmark: str) -> Path:
    for root in (*shards.roots(), imported_dir()):
        if (root / "benchmarks" / benchmark).is_dir():
            return root / "benchmarks" / benchmark
    raise FlipsideError(f"{cache_dir() / 'benchmarks' / benchmark}: these files are gone; import the benchmark again.")


def _joined(places: list[Path]) -> tuple[shards.Manifest, list[tuple[Path, str]]]:
    """One manifest of all parts, and (file, sha256) of its shards; of a part in two places what ships counts, if it is
    complete, as everywhere."""
    manifest = shards.read_manifest(places[0])
    where = dict.fromkeys(manifest["parts"], places[0])
    for folder in places[1:]:
        for part, entry in shards.read_manifest(folder)["parts"].items():
            if part not in where or entry["complete"]:
                manifest["parts"][part], where[part] = entry, folder
    files = [
        (where[part] / shard["file"], shard["sha256"])
        for part, entry in manifest["parts"].items()
        for shard in entry["shards"]
    ]
    return manifest, list(dict.fromkeys(files))  # two orders of asking may share a file (`check.check_names`)


def _without_paths(items: Path) -> bytes:
    """items.parquet without this machine's folders: only world scenes can be opened elsewhere."""
    table = pq.read_table(items)
    uris = [[uri if uri.startswith(WORLD_SCHEME) else "" for uri in row] for row in table["image_uris"].to_pylist()]
    place = table.schema.get_field_index("image_uris")
    table = table.set_column(place, "image_uris", pa.array(uris, pa.list_(pa.string())))
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def _json(document: object) -> bytes:
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()

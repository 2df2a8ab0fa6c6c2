"""Writing a results bundle (see `bundle`): one run with its benchmark's items, without this machine's folders."""

import hashlib
import io
import json
import os
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from backend.engine import shards
from backend.errors import FlipsideError, UsageError
from backend.images import WORLD_SCHEME
from backend.paths import cache_dir
from backend.store.bundle import FORMAT, LISTING
from backend.store.sources import read_json


def write_bundle(run_id: str, benchmark: str, out: Path) -> int:
    """Write a run (by its id) with its benchmark (by its hash) into `out`; how many files. Whole or not at all."""
    run_dir = _find("runs", run_id)
    items_dir = _find("benchmarks", benchmark)
    problems = shards.verify(run_dir)
    if problems:
        raise FlipsideError(problems[0])
    manifest = shards.read_manifest(run_dir)
    record = read_json(run_dir / shards.RECORD)
    if isinstance(record.get("benchmark"), dict):
        record["benchmark"]["data_dir"] = ""
    items = _without_paths(items_dir / shards.ITEMS)
    described = read_json(items_dir / shards.BENCHMARK)
    described["items_sha256"] = hashlib.sha256(items).hexdigest()
    small = {
        f"runs/{run_id}/{shards.RECORD}": _json(record),
        f"runs/{run_id}/{shards.MANIFEST}": _json(manifest),
        f"benchmarks/{benchmark}/{shards.ITEMS}": items,
        f"benchmarks/{benchmark}/{shards.BENCHMARK}": _json(described),
    }
    entries = [shard for part in manifest["parts"].values() for shard in part["shards"]]
    files = {name: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)} for name, data in small.items()}
    for shard in entries:
        size = (run_dir / shard["file"]).stat().st_size
        files[f"runs/{run_id}/{shard['file']}"] = {"sha256": shard["sha256"], "size": size}
    listing = {"format": FORMAT, "run": run_id, "benchmark": benchmark, "files": files}
    if not out.parent.is_dir():
        raise UsageError(f"{out.parent}: no such folder. Make it first, or choose another --out.")
    aside = out.with_name(f".aside-{os.getpid()}-{out.name}")
    try:
        with zipfile.ZipFile(aside, "w", zipfile.ZIP_STORED) as archive:
            for name, data in {LISTING: _json(listing), **small}.items():
                archive.writestr(zipfile.ZipInfo(name), data)
            for shard in entries:
                archive.write(run_dir / shard["file"], f"runs/{run_id}/{shard['file']}")
        aside.replace(out)
    except OSError as error:
        raise FlipsideError(f"{out}: cannot be written ({error.strerror}).") from error
    finally:
        aside.unlink(missing_ok=True)
    return len(files)


def _find(kind: str, name: str) -> Path:
    for root in shards.roots():
        if (root / kind / name).is_dir():
            return root / kind / name
    raise FlipsideError(f"{cache_dir() / kind / name}: these files are gone; only what was imported of them is left.")


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

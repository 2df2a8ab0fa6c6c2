"""Runs on disk: committing shards, reading them back, and proving that nothing was damaged.

A run folder holds `run.json`, `manifest.json` and shards. A shard counts once the manifest names it; the manifest is
replaced atomically, with all shards of one step at once. So a process may die at any moment and lose only the step it
was working on, and a reader never sees a step by halves.
"""

import hashlib
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Any, TypedDict, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from backend import paths
from backend.engine import FORMAT
from backend.engine.storage import files, schema, shipped
from backend.errors import FlipsideError

MANIFEST = "manifest.json"
RECORD = "run.json"
BENCHMARK = "benchmark.json"
ITEMS = "items.parquet"
#: Held by whoever writes a run folder: the engine, and the import of bundles.
run_lock = files.run_lock
replace_json = files.replace_json
ASIDE = files.ASIDE
#: What ends the name of a damaged shard that was set aside.
DAMAGED = ".damaged"
#: What to do about a shard that is damaged or missing (`set_aside_damaged`).
MEND = (
    "Restore it, or give the command that made the run again: it is set aside and its items are scored anew "
    "(`add-predictions` with --replace)"
)

Columns = Mapping[str, Any]


class ShardEntry(TypedDict):
    """One shard, as the manifest names it. `first_item` and `last_item` are the least and greatest `item_no` in it."""

    file: str
    sha256: str
    rows: int
    first_item: int
    last_item: int


class Part(TypedDict, total=False):
    """What is known of one part. `left_out`: planned items without rows, by reason; `failed`: why the last try ended.

    `complete` is true once every planned item that can be scored has its rows; always present, as is `shards`.
    `scoring` is the version of its scores (engine.SCORING); parts from before there was one say none.
    """

    complete: bool
    shards: list[ShardEntry]
    left_out: dict[str, int]
    failed: str
    scoring: int


class Manifest(TypedDict):
    """`manifest.json`: which shards count."""

    format: int
    run: str
    parts: dict[str, Part]


def roots() -> list[Path]:
    """Every folder that may hold `benchmarks/` and `runs/`: the cache, then what ships with the project."""
    return [paths.cache_dir(), paths.bundled_runs_dir()]


def run_dirs(root: Path) -> list[Path]:
    """The runs under a root that have a record and a manifest, by id."""
    return sorted(d.parent for d in (root / "runs").glob(f"*/{MANIFEST}") if (d.parent / RECORD).is_file())


def benchmark_dir(root: Path, content_hash: str) -> Path:
    """Where a benchmark's items lie under a root."""
    return root / "benchmarks" / content_hash[:16]


def read_manifest(run_dir: Path) -> Manifest:
    """The run's manifest; an empty one where nothing is committed yet."""
    path = run_dir / MANIFEST
    if not path.is_file():
        return {"format": FORMAT, "run": run_dir.name, "parts": {}}
    document = files.read_json(path)
    found = document.get("format") if isinstance(document, dict) else None
    if found != FORMAT:
        raise FlipsideError(f"{path}: has format {found}; this version reads {FORMAT}. {_mend(run_dir)}")
    return cast("Manifest", document)


def write_manifest(run_dir: Path, manifest: Manifest) -> None:
    """Replace the manifest: the moment at which new shards begin to count."""
    files.replace_json(run_dir / MANIFEST, manifest)


def write_shard(run_dir: Path, part: str, number: int, columns: Columns) -> ShardEntry:
    """Write one shard under its content-hashed name and return its entry; it counts once a manifest names it."""
    data = schema.parquet_bytes(part, columns)
    digest = hashlib.sha256(data).hexdigest()
    name = f"{file_stem(part)}-{number}-{digest[:12]}.parquet"
    files.replace_bytes(run_dir / name, data)
    items = np.asarray(columns["item_no"])
    return {
        "file": name,
        "sha256": digest,
        "rows": len(items),
        "first_item": int(items.min()),
        "last_item": int(items.max()),
    }


def file_stem(part: str) -> str:
    """A part's name as every file system takes it.

    >>> file_stem("tokens:prior@lm:facebook/opt-1.3b")
    'tokens_prior@lm_facebook_opt-1.3b'
    """
    return re.sub(r"[^A-Za-z0-9@._-]", "_", part)


def read_shard(run_dir: Path, entry: ShardEntry) -> pa.Table:
    """One shard's rows, after its checksum has been verified."""
    path = run_dir / entry["file"]
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise FlipsideError(f"{path}: {_MISSING} {mend(path)}.") from None
    if hashlib.sha256(data).hexdigest() != entry["sha256"]:
        raise FlipsideError(f"{path}: {_DAMAGED} {mend(path)}.")
    return pq.read_table(io.BytesIO(data))


def mend(path: Path) -> str:
    """What to do about a shard that is damaged or missing, as a sentence without its full stop. No command makes anew,
    byte for byte, what came with the program and was copied."""
    ships = shipped.original(path)
    if ships is None:
        return MEND
    return f"It is a copy of what ships; put it back: `cp {quote(str(ships))} {quote(str(path))}`"


def read_part(run_dir: Path, part: str, manifest: Manifest | None = None) -> pa.Table:
    """All rows of a part, shard after shard; no rows where the run has no such part."""
    known = (manifest or read_manifest(run_dir))["parts"].get(part, {})
    tables = [read_shard(run_dir, entry) for entry in known.get("shards", [])]
    return pa.concat_tables(tables) if tables else schema.schema_of(part).empty_table()


def items_with_rows(run_dir: Path, manifest: Manifest, parts: Sequence[str]) -> npt.NDArray[np.int32]:
    """The `item_no` of every item with committed rows in any of the parts, ascending."""
    entries = [entry for part in parts for entry in manifest["parts"].get(part, {}).get("shards", [])]
    columns = [read_shard(run_dir, entry).column("item_no").to_numpy() for entry in entries]
    return np.unique(np.concatenate(columns)).astype(np.int32) if columns else np.zeros(0, np.int32)


def images_with_rows(
    run_dir: Path, manifest: Manifest, part: str
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Each (item, other image) of a part of scores under other images that has committed rows, once."""
    entries = manifest["parts"].get(part, {}).get("shards", [])
    tables = [read_shard(run_dir, entry) for entry in entries]
    both = [np.stack([t.column("item_no").to_numpy(), t.column("image_item").to_numpy()]) for t in tables]
    found = np.unique(np.concatenate(both, axis=1), axis=1) if both else np.zeros((2, 0), np.int32)
    return found[0].astype(np.int32), found[1].astype(np.int32)


def verify(run_dir: Path) -> list[str]:
    """What is wrong with a run's files, one sentence each; an empty list where all is well."""
    try:
        manifest = read_manifest(run_dir)
        record = files.read_json(run_dir / RECORD)
    except (FlipsideError, OSError) as error:
        return [str(error)]
    problems = [] if record.get("run") == run_dir.name else [f"{run_dir / RECORD}: is of another run."]
    for entry in _entries(manifest):
        path = run_dir / entry["file"]
        if wrong := _damage(path, entry):
            problems.append(f"{path}: {wrong} {mend(path)}.")
    return problems


def remove_strays(run_dir: Path) -> list[str]:
    """Delete what a killed process left: files aside and shards that no manifest names. Only under the run's lock."""
    named = {entry["file"] for entry in _entries(read_manifest(run_dir))}
    strays = [
        path
        for path in run_dir.iterdir()
        if path.name.startswith(files.ASIDE) or (path.suffix == ".parquet" and path.name not in named)
    ]
    for path in strays:
        path.unlink()
    return sorted(path.name for path in strays)


def damaged(run_dir: Path, manifest: Manifest) -> list[ShardEntry]:
    """The shards that are not there, or not as the manifest has them."""
    return [entry for entry in _entries(manifest) if _damage(run_dir / entry["file"], entry)]


def set_aside_damaged(run_dir: Path) -> list[str]:
    """Let shards that are damaged or missing count no more, so that their items are scored again; what each was, in a
    sentence. A damaged file keeps its bytes under a name that says so. Only under the run's lock."""
    manifest = read_manifest(run_dir)
    gone = {entry["file"]: entry for entry in damaged(run_dir, manifest)}
    if not gone:
        return []
    for part in manifest["parts"].values():
        kept = [entry for entry in part["shards"] if entry["file"] not in gone]
        if len(kept) < len(part["shards"]):
            part["shards"], part["complete"] = kept, False
    said = []
    for name, entry in gone.items():
        path, aside = run_dir / name, run_dir / f"{name}{DAMAGED}"
        if path.is_file():
            path.replace(aside)
            said.append(f"{path} was damaged: it was set aside as {aside.name}, and its items are scored again.")
        else:
            said.append(f"{path} was missing: its {entry['rows']:,} rows are scored again.")
    write_manifest(run_dir, manifest)
    return said


def _damage(path: Path, entry: ShardEntry) -> str:
    """What is wrong with a shard, "" where nothing is."""
    if not path.is_file():
        return _MISSING
    return "" if files.sha256_of(path) == entry["sha256"] else _DAMAGED


def _entries(manifest: Manifest) -> Iterator[ShardEntry]:
    for part in manifest["parts"].values():
        yield from part["shards"]


_MISSING = "the manifest names this shard, but it is missing."
_DAMAGED = "this shard is damaged: its content does not match the manifest's sha256."


def _mend(run_dir: Path) -> str:
    return f"Delete the folder {run_dir} and run again."

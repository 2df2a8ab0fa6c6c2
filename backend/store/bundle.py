"""A results bundle: one run with its benchmark's items in a zip file that another machine verifies and takes over."""

import hashlib
import json
import os
import shutil
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from backend.engine import shards
from backend.errors import FlipsideError, UsageError
from backend.paths import cache_dir
from backend.store.loading import ITEM_COLUMNS, columns_of
from backend.store.sources import read_json, sha256_of

FORMAT = 1
LISTING = "bundle.json"


@dataclass(frozen=True)
class Imported:
    """What an import did: parts that are new here, parts that were here already."""

    run_id: str
    model: str
    benchmark: str
    new: list[str]
    known: list[str]


def read_bundle(path: Path) -> Imported:
    """Verify a bundle and take it over into the cache; idempotent. A damaged one is refused whole, in one sentence."""
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file.") from None
    except (OSError, zipfile.BadZipFile) as error:
        raise FlipsideError(
            f"{path}: is no results bundle ({error}). `flipside export --what bundle` makes one."
        ) from None
    cache_dir().mkdir(parents=True, exist_ok=True)
    with archive, tempfile.TemporaryDirectory(prefix=".import-", dir=cache_dir()) as scratch:
        root = Path(scratch)
        try:
            run_id, benchmark = _unpack(archive, root)
            verify(root, run_id, benchmark)
        except (
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            OSError,
            EOFError,
            zipfile.BadZipFile,
            pa.ArrowException,
        ) as error:
            reason = str(error).strip().splitlines() or [type(error).__name__]
            raise FlipsideError(
                f"{path}: refused, nothing was imported: {reason[0].rstrip('.')}. Get a fresh copy."
            ) from error
        record = read_json(root / "runs" / run_id / shards.RECORD)
        take_benchmark(root, benchmark)
        new, known = take_run(root / "runs" / run_id)
    model, of = record.get("model"), record.get("benchmark")
    return Imported(
        run_id,
        str(model.get("spec")) if isinstance(model, dict) else str(model),
        str(of.get("name")) if isinstance(of, dict) else str(of),
        new,
        known,
    )


def _unpack(archive: zipfile.ZipFile, root: Path) -> tuple[str, str]:
    """Every listed file under `root`, checked for name, size and checksum; the run's id and the benchmark's hash."""
    listing = json.loads(_take(archive, LISTING, 64_000_000))
    if listing["format"] != FORMAT:
        raise ValueError(f"bundle format {listing['format']}, this version reads {FORMAT}")
    run_id, benchmark = str(listing["run"]), str(listing["benchmark"])
    for name in (run_id, benchmark):
        if not (name and name.isalnum() and name.isascii()):
            raise ValueError(f"'{name[:40]}' is no id")
    folders = {f"runs/{run_id}", f"benchmarks/{benchmark}"}
    extra = set(archive.namelist()) - {LISTING} - set(listing["files"])
    if extra:
        raise ValueError(f"it holds '{min(extra)[:80]}', which its listing does not name")
    for name, entry in listing["files"].items():
        folder, _, file = str(name).rpartition("/")
        if folder not in folders or file in ("", ".", "..") or "\\" in file or "\0" in file:
            raise ValueError(f"it holds a file at '{str(name)[:80]}', outside its run and benchmark")
        data = _take(archive, name, int(entry["size"]))
        if len(data) != entry["size"] or hashlib.sha256(data).hexdigest() != entry["sha256"]:
            raise ValueError(f"{name} is damaged: it does not match its checksum")
        target = root / folder / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return run_id, benchmark


def _take(archive: zipfile.ZipFile, name: str, limit: int) -> bytes:
    """A member of at most `limit` bytes, whatever its header says."""
    with archive.open(name) as member:
        return member.read(limit + 1)


def verify(root: Path, run_id: str, benchmark: str) -> None:
    """The run and the benchmark are what they say, so that the importer will find nothing to leave out."""
    run_dir, items_dir = root / "runs" / run_id, root / "benchmarks" / benchmark
    for path in (
        run_dir / shards.RECORD,
        run_dir / shards.MANIFEST,
        items_dir / shards.BENCHMARK,
        items_dir / shards.ITEMS,
    ):
        if not path.is_file():
            raise ValueError(f"{path.relative_to(root)} is missing")
    try:
        problems = shards.verify(run_dir)
    except FlipsideError as error:
        raise ValueError(str(error)) from error
    if problems:
        raise ValueError(problems[0].replace(f"{root}/", ""))
    described = read_json(items_dir / shards.BENCHMARK)
    if described.get("items_sha256") not in (None, sha256_of(items_dir / shards.ITEMS)):
        raise ValueError(f"benchmarks/{benchmark}/{shards.ITEMS} does not match benchmark.json")
    missing = set(ITEM_COLUMNS) - set(pq.read_schema(items_dir / shards.ITEMS).names)
    if missing:
        raise ValueError(f"benchmarks/{benchmark}/{shards.ITEMS} has no column {min(missing)}")
    for part, entry in shards.read_manifest(run_dir)["parts"].items():
        for shard in entry["shards"]:
            wanted = columns_of(part)
            if not wanted <= set(pq.read_schema(run_dir / shard["file"]).names):
                raise ValueError(f"{shard['file']} is no shard of part {part}")


def take_benchmark(root: Path, benchmark: str) -> None:
    """Ours stays where we have it: it knows where this machine's pictures are."""
    target = cache_dir() / "benchmarks" / benchmark
    if any((known / "benchmarks" / benchmark / shards.BENCHMARK).is_file() for known in shards.roots()):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(target, ignore_errors=True)
    (root / "benchmarks" / benchmark).replace(target)


def take_run(source: Path) -> tuple[list[str], list[str]]:
    """Parts that we lack, or have only in part, are taken over whole; the manifest is replaced last."""
    target = cache_dir() / "runs" / source.name
    theirs = shards.read_manifest(source)
    with shards.run_lock(target):
        ours = shards.read_manifest(target)
        new = [part for part, entry in theirs["parts"].items() if _is_news(entry, ours["parts"].get(part))]
        for part in new:
            for shard in theirs["parts"][part]["shards"]:
                aside = target / f".aside-{os.getpid()}-{shard['file']}"
                shutil.copyfile(source / shard["file"], aside)
                aside.replace(target / shard["file"])
            ours["parts"][part] = theirs["parts"][part]
        if not (target / shards.RECORD).is_file():
            shutil.copyfile(source / shards.RECORD, target / f".aside-{shards.RECORD}")
            (target / f".aside-{shards.RECORD}").replace(target / shards.RECORD)
        if new or not (target / shards.MANIFEST).is_file():
            shards.write_manifest(target, ours)
    return new, [part for part in theirs["parts"] if part not in new]


def _is_news(theirs: Any, ours: Any) -> bool:
    """Whether a part is worth taking: we have none of it, or only some and they have all."""
    if ours is None:
        return True
    return bool(theirs["complete"] and not ours["complete"])

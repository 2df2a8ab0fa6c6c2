"""What lies in the roots: benchmarks, runs and their shards, as the manifests name them (docs/architecture.md)."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from backend.paths import bundled_runs_dir, cache_dir


@dataclass(frozen=True, slots=True)
class Shard:
    """One Parquet file that a manifest names."""

    path: Path
    sha256: str
    rows: int


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a run in the root that counts for it."""

    run_id: str
    part: str
    complete: bool
    root: Path
    shards: tuple[Shard, ...]


@dataclass
class Sources:
    """Everything there is to import. problems: (path, reason); unreadable: runs whose files are damaged."""

    benchmarks: dict[str, Path] = field(default_factory=dict)
    runs: dict[str, dict[str, Any]] = field(default_factory=dict)
    parts: dict[tuple[str, str], Part] = field(default_factory=dict)
    problems: list[tuple[Path, str]] = field(default_factory=list)
    unreadable: set[str] = field(default_factory=set)


def roots() -> list[Path]:
    """The folders that are imported; where both hold a part of a run, the earlier one's counts if it is complete."""
    return [cache_dir(), bundled_runs_dir()]


def stamp(more: Iterable[str] = ()) -> str:
    """A cheap fingerprint of all roots: names, sizes and times of manifests, records, and of `more` paths."""
    digest = hashlib.sha256()
    found: list[Path] = []
    for root in roots():
        found += sorted(root.glob("runs/*/*.json")) + sorted(root.glob("benchmarks/*/benchmark.json"))
    for path in [*found, *map(Path, sorted(more))]:
        try:
            stat = path.stat()
            digest.update(f"{path}|{stat.st_mtime_ns}|{stat.st_size}|{stat.st_ino}\n".encode())
        except OSError:
            digest.update(f"{path}|gone\n".encode())
    return digest.hexdigest()


def scan() -> Sources:
    """Read all manifests and records; damaged ones are named among the problems and left out."""
    found = Sources()
    for root in roots():
        for path in sorted(root.glob("benchmarks/*/benchmark.json")):
            found.benchmarks.setdefault(path.parent.name, path.parent)
        for path in sorted(root.glob("runs/*/manifest.json")):
            _scan_run(found, root, path.parent)
    return found


def _scan_run(found: Sources, root: Path, folder: Path) -> None:
    try:
        manifest = read_json(folder / "manifest.json")
        record = read_json(folder / "run.json")
        parts = [_part(root, folder, name, entry) for name, entry in manifest["parts"].items()]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        found.problems.append((folder, f"its run.json or manifest.json is damaged ({type(error).__name__}: {error})"))
        found.unreadable.add(folder.name)
        return
    found.runs.setdefault(folder.name, record)
    for part in parts:
        key = (part.run_id, part.part)
        if key not in found.parts or (part.complete and not found.parts[key].complete):
            found.parts[key] = part


def _part(root: Path, folder: Path, name: str, entry: dict[str, Any]) -> Part:
    shards = []
    for shard in entry["shards"]:
        path = folder / str(shard["file"])
        if path.parent != folder:
            raise ValueError(f"shard '{shard['file']}' lies outside its run")
        shards.append(Shard(path, str(shard["sha256"]), int(shard["rows"])))
    return Part(folder.name, name, bool(entry["complete"]), root, tuple(shards))


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object; ValueError for anything else."""
    document = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(document, dict):
        raise ValueError(f"{path.name} holds no JSON object")  # noqa: TRY004 - damaged files are one kind of error
    return document


def sha256_of(path: Path) -> str:
    """The file's sha256, read in blocks."""
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()

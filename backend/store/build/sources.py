"""What lies in the roots: benchmarks, runs and their shards, as the manifests name them (docs/architecture.md)."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from backend import plain_json, recorded
from backend.engine.storage import shipped as example
from backend.engine.storage.shipped import same_run
from backend.paths import bundled_examples, bundled_runs_dir, cache_dir, imported_dir
from backend.store.build import completions


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


@dataclass(frozen=True, slots=True)
class Source:
    """Where a run is from: "computed" (here), "shipped" (the example's copies in the cache, too) or "imported"; of an
    imported one its bundle's file, and when it was imported (UTC), as this machine noted it."""

    origin: str
    file: str | None = None
    when: str | None = None


@dataclass
class Sources:
    """Everything there is to import. problems: (path, reason); unreadable: runs whose files are damaged; folders:
    where each run's record was read; completes: which editions complete a stub (completions.py)."""

    benchmarks: dict[str, Path] = field(default_factory=dict)
    runs: dict[str, dict[str, Any]] = field(default_factory=dict)
    origins: dict[str, Source] = field(default_factory=dict)
    parts: dict[tuple[str, str], Part] = field(default_factory=dict)
    problems: list[tuple[Path, str]] = field(default_factory=list)
    unreadable: set[str] = field(default_factory=set)
    folders: dict[str, Path] = field(default_factory=dict)
    completes: list[dict[str, Any]] = field(default_factory=list)


#: Beside an imported run's manifest: what this machine noted of it. No bundle can bring it.
ORIGIN = "imported.json"
#: So long before a generation stands a run may get scores that it does not hold (nanoseconds): it is being built.
SHORTLY = 600 * 10**9
#: Ends the id of an imported run where a run of the same id was computed here, or ships.
SUFFIX = "-imported"


def roots() -> list[Path]:
    """The folders that are imported, those that ship first: where two hold a part of a run, the earlier one's counts if
    it is complete. What came in bundles comes last and is never joined with the others."""
    return [bundled_runs_dir(), cache_dir(), imported_dir()]


def stamp(more: Iterable[str] = (), coming: Path | None = None) -> str:
    """A cheap fingerprint of all roots: names, sizes and times of manifests, records, and of `more` paths. coming: a
    folder of runs and benchmarks that are counted as if they had been moved into the cache already."""
    digest = hashlib.sha256()
    found: list[Path] = []
    lies = dict[Path, Path]()
    for root in roots():
        for pattern in ("runs/*/*.json", "benchmarks/*/benchmark.json"):
            here = {path: path for path in root.glob(pattern)}
            if coming is not None and root == cache_dir():
                here |= {root / path.relative_to(coming): path for path in coming.glob(pattern)}
            lies |= here
            found += sorted(here)
        found += recorded.files(root) + completions.declared(root)
    for root in bundled_examples():
        found += sorted(root.glob("runs/*/manifest.json"))  # they decide where a run is from
    for path in [*found, *map(Path, sorted(more))]:
        try:
            stat = lies.get(path, path).stat()
            digest.update(f"{path}|{stat.st_mtime_ns}|{stat.st_size}|{stat.st_ino}\n".encode())
        except OSError:
            digest.update(f"{path}|gone\n".encode())
    return digest.hexdigest()


def adds_only_items(runs: set[str], benchmarks: set[str], generation: Path) -> bool:
    """Whether the roots hold benchmarks that a generation lacks, and certainly nothing else: of its runs and benchmarks
    none is gone, and no run is new or can have got scores since it was built. By names and times; nothing is read."""
    since = generation.stat().st_mtime_ns - SHORTLY
    here = {path.parent.name for root in roots() for path in root.glob("benchmarks/*/benchmark.json")}
    if not here > benchmarks:
        return False
    manifests = [path for root in roots() for path in root.glob("runs/*/manifest.json")]
    plain = {run.removesuffix(SUFFIX) for run in runs}
    return plain == {path.parent.name for path in manifests} and all(
        path.stat().st_mtime_ns <= since for path in manifests
    )


def scan(coming: Path | None = None) -> Sources:
    """Read all manifests and records; those that are damaged, or could not be shown, are named among the problems and
    left out. coming: as for `stamp`."""
    found = Sources()
    shipped, own, imported = roots()
    mine = [own] if coming is None else [own, coming]
    for root in (*mine, shipped, imported):  # one's own items know where this machine's pictures are
        for path in sorted(root.glob("benchmarks/*/benchmark.json")):
            found.benchmarks.setdefault(path.parent.name, path.parent)
    for root in (shipped, *mine):
        for path in sorted(root.glob("runs/*/manifest.json")):
            source = Source("shipped" if root == shipped else "computed")
            _scan_run(found, own if root == coming else root, path.parent, path.parent.name, source)
    for path in completions.declared(own):
        try:
            found.completes.append(read_json(path))
        except (OSError, ValueError) as error:
            found.problems.append((path, f"cannot be read ({error}); import the benchmark again"))
    ours = found.runs.keys() | found.unreadable
    for path in sorted(imported.glob("runs/*/manifest.json")):
        run_id = path.parent.name
        _scan_run(found, imported, path.parent, run_id + SUFFIX if run_id in ours else run_id, _imported(path.parent))
    return found


def scan_run(root: Path, run_id: str, benchmark: str) -> Sources:
    """One run that was computed here, and its benchmark (the name of its folder), by themselves."""
    found = Sources(benchmarks={benchmark: root / "benchmarks" / benchmark})
    _scan_run(found, root, root / "runs" / run_id, run_id, Source("computed"))
    return found


def _imported(folder: Path) -> Source:
    try:
        said = read_json(folder / ORIGIN)
    except (OSError, ValueError):
        said = {}
    return Source("imported", str(said.get("file") or "a bundle")[:200], str(said.get("imported") or "")[:40])


def _scan_run(found: Sources, root: Path, folder: Path, run_id: str, source: Source) -> None:
    from backend.store.build import forms  # pydantic, which a start without anything new need not wait for

    try:
        manifest, record = read_json(folder / "manifest.json"), read_json(folder / "run.json")
        forms.check("manifest.json", manifest)
        forms.check("run.json", record)
        if record.get("run", folder.name) != folder.name:
            raise ValueError(f"it is the record of run {record['run']!r}")  # noqa: TRY301
        parts = [_part(root, folder, run_id, name, entry) for name, entry in manifest["parts"].items()]
    except (OSError, ValueError) as error:
        found.problems.append((folder, f"its run.json or manifest.json is damaged ({error})"))
        found.unreadable.add(run_id)
        return
    known = found.runs.get(run_id)
    # A record here may extend one that ships, with more priors and sessions; it may not pass for another model's.
    if known is None or same_run(known, record):
        found.runs[run_id], found.folders[run_id] = record, folder
    else:
        found.problems.append((folder, "its record is of another model or selection than that of the run that ships"))
        return
    if source.origin == "computed" and example.is_copy(run_id, manifest, record):
        source = Source("shipped")
    found.origins.setdefault(run_id, source)
    for part in parts:
        key = (part.run_id, part.part)
        known_part = found.parts.get(key)
        if known_part is None or (part.complete and not known_part.complete) or _extends(part, known_part):
            found.parts[key] = part


def _extends(part: Part, known: Part) -> bool:
    """Whether a part has all scores of another one and more: those under other images, where more were asked for."""
    if not part.part.startswith("counterfactual:") or not part.complete:
        return False
    return sum(shard.rows for shard in part.shards) > sum(shard.rows for shard in known.shards)


def _part(root: Path, folder: Path, run_id: str, name: str, entry: dict[str, Any]) -> Part:
    shards = []
    for shard in entry["shards"]:
        path = folder / str(shard["file"])
        if path.parent != folder:
            raise ValueError(f"shard '{shard['file']}' lies outside its run")
        shards.append(Shard(path, str(shard["sha256"]), int(shard["rows"])))
    return Part(run_id, name, bool(entry["complete"]), root, tuple(shards))


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object; ValueError for anything else."""
    document = plain_json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(document, dict):
        raise ValueError(f"{path.name} holds no JSON object")  # noqa: TRY004 - damaged files are one kind of error
    return document


def sha256_of(path: Path) -> str:
    """The file's sha256, read in blocks."""
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()

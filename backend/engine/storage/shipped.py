"""Which runs of a cache are copies of what ships: told by comparing them with it, never by what they say themselves.

Runs on the perturbed editions that ship, and of the taught models, are copied into the cache when such an example is
taken over (store/example.py). A copy is known by its id, its model and items, and the sums of its shards, which every
reader of a shard checks.
"""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from backend import paths, plain_json
from backend.engine.storage import files


def is_copy(run_id: str, manifest: Mapping[str, Any], record: Mapping[str, Any]) -> bool:
    """Whether a run of this id is one of the example's, to the byte: the same model and items, and of the parts that
    both have complete at least one, each with the same shards. Parts that somebody added here do not change what it
    is. Scores that were made anew and are not the same bytes do: those were computed here."""
    theirs = _example(run_id)
    if theirs is None or not same_run(theirs[1], record):
        return False
    ours = {part: _sums(entry) for part, entry in manifest["parts"].items() if part in theirs[0] and entry["complete"]}
    return bool(ours) and all(sums == theirs[0][part] for part, sums in ours.items())


def original(shard: Path) -> Path | None:
    """The file of an example that ships, of which a run's shard is a copy by its run and its name, which holds the
    first 12 digits of its sha256; None where it is none."""
    for place in paths.bundled_examples():
        path = place / "runs" / shard.parent.name / shard.name
        if path.is_file() and shard.stem.endswith(f"-{files.sha256_of(path)[:12]}"):
            return path
    return None


def same_run(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two records are of one run: the same model under the same name, the same items."""

    def said(record: Mapping[str, Any]) -> list[Any]:
        model, benchmark = record.get("model"), record.get("benchmark")
        of_model = [model.get(name) for name in _OF_MODEL] if isinstance(model, Mapping) else [model]
        of_items = benchmark.get("hash") if isinstance(benchmark, Mapping) else benchmark
        return [of_model, of_items, record.get("selection")]

    return said(one) == said(other)


_OF_MODEL = ("spec", "family", "weights_sha256", "preprocessing", "dtype")


def _example(run_id: str) -> tuple[Mapping[str, tuple[str, ...]], Mapping[str, Any]] | None:
    """Of an example's run that ships under this id the sums of each part's shards, and its record."""
    for place in paths.bundled_examples():
        folder = place / "runs" / run_id
        try:
            return _read(folder, (folder / "manifest.json").stat().st_mtime_ns)
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return None


@lru_cache(maxsize=256)
def _read(folder: Path, _changed: int) -> tuple[Mapping[str, tuple[str, ...]], Mapping[str, Any]]:
    manifest, record = (
        plain_json.loads((folder / name).read_text(encoding="utf-8")) for name in ("manifest.json", "run.json")
    )
    return {str(part): _sums(entry) for part, entry in manifest["parts"].items() if entry["complete"]}, record


def _sums(entry: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(shard["sha256"]) for shard in entry["shards"])

"""Whether a run that came from elsewhere is what it says: ids recomputed, names checked, every row in its place."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from backend import parquet_in
from backend.engine import FORMAT
from backend.engine.storage import identity, shards
from backend.errors import FlipsideError
from backend.store.build import forms
from backend.store.build.sources import read_json, sha256_of
from backend.store.exchange import claimed, coverage, plausible
from backend.store.exchange import rows as bundle_rows

#: A small JSON file of a run or a benchmark has no more bytes than this.
LARGEST = 64_000_000


def verify(root: Path, run_id: str, benchmark: str, rows: bool = True) -> None:
    """The run and the benchmark under `root` are what they say. ValueError, in one sentence, with what is not.
    rows: whether items and scores are looked at, too; False for what ships with Flipside, which tests look at.

    The run's id is made anew from its record, the benchmark's hash from its items; parts and shards have the names that
    the engine gives them; every shard has its checksum, and its rows are finite numbers about the benchmark's items.
    """
    run_dir, items_dir = root / "runs" / run_id, root / "benchmarks" / benchmark
    found = {}
    for folder, name in ((run_dir, shards.RECORD), (run_dir, shards.MANIFEST), (items_dir, shards.BENCHMARK)):
        path = folder / name
        if not path.is_file() or path.is_symlink():
            raise ValueError(f"{path.relative_to(root)} is missing")
        if path.stat().st_size > LARGEST:
            raise ValueError(f"{path.relative_to(root)} has more than {LARGEST // 10**6} MB")
        found[name] = _document(path, str(path.relative_to(root)))
    items = items_dir / shards.ITEMS
    if not items.is_file() or items.is_symlink():
        raise ValueError(f"{items.relative_to(root)} is missing")
    record, manifest, head = (found[name] for name in (shards.RECORD, shards.MANIFEST, shards.BENCHMARK))
    check_identity(record, manifest, head, run_id, benchmark)
    claimed.check_claim(record, manifest["parts"])
    if manifest["format"] != FORMAT:
        raise ValueError(f"manifest.json has format {manifest['format']}, and this version reads {FORMAT}")
    if not any(shard["rows"] for entry in manifest["parts"].values() for shard in entry["shards"]):
        raise ValueError("it holds no scores: manifest.json names no shard that has rows")
    check_names(manifest, run_dir, items_dir)
    if head.get("items_sha256") not in (None, sha256_of(items)):
        raise ValueError(f"benchmarks/{benchmark}/{shards.ITEMS} does not match benchmark.json")
    try:
        problems = shards.verify(run_dir)
    except FlipsideError as error:
        raise ValueError(str(error)) from error
    if problems:
        raise ValueError(problems[0].replace(f"{root}/", ""))
    if not rows:
        return
    plausible.check(record)
    _check_rows(run_dir, items, record, manifest, head)


def _check_rows(
    run_dir: Path, items: Path, record: Mapping[str, Any], manifest: Mapping[str, Any], head: Mapping[str, Any]
) -> None:
    """Every item is one, and every score is of one, of this run's selection, and a number that its kind can be."""
    paths = [run_dir / str(shard["file"]) for entry in manifest["parts"].values() for shard in entry["shards"]]
    seen, *rest = parquet_in.look([(items, parquet_in.ITEMS), *((path, parquet_in.SHARD) for path in paths)])
    shapes = bundle_rows.check_items(items, head, seen, record)
    coverage.check_counts(record, shapes)
    looks = dict(zip(paths, rest, strict=True))
    spec = str(record["model"]["spec"])
    for part, entry in manifest["parts"].items():
        bundle_rows.check_part(run_dir, part, entry["shards"], shapes, looks, spec)
        bundle_rows.check_complete(run_dir, part, entry, shapes, spec)
    claimed.check_rows(run_dir, record, manifest)
    for part in manifest["parts"]:
        if part.startswith("tokens:"):
            bundle_rows.check_tokens(run_dir, part, manifest["parts"], shapes)


def _document(path: Path, where: str) -> dict[str, Any]:
    """A JSON file of a bundle, held to its form. ValueError that names it, and says what was expected."""
    try:
        document = read_json(path)
    except UnicodeDecodeError as error:
        raise ValueError(f"{where} is no text: expected JSON in UTF-8, not so from byte {error.start} on") from None
    except ValueError as error:
        raise ValueError(f"{where} is not what a bundle has, a JSON object of bounded numbers: {error}") from None
    forms.check(path.name, document, forms.BUNDLED)
    return document


def check_identity(
    record: Mapping[str, Any], manifest: Mapping[str, Any], head: Mapping[str, Any], run_id: str, benchmark: str
) -> None:
    """Record, manifest, benchmark and the bundle's own listing name the same run of the same items; ValueError."""
    own = id_of(record)
    if own != run_id:
        raise ValueError(f"it says it is run {run_id}, but its record is that of run {own or 'no id'}")
    for name, said in ((shards.RECORD, record["run"]), (shards.MANIFEST, manifest["run"])):
        if said != own:
            raise ValueError(f"it is run {own}, but {name} calls it run {str(said)[:40]}")
    of = str(record["benchmark"]["hash"])
    if of[:16] != benchmark:
        raise ValueError(f"it says its items are of {benchmark}, but its run is on the benchmark {of[:16]}")
    if of != (items := str(head["hash"])):
        n = 16 if of[:16] != items[:16] else len(of)  # where they differ only further on, both whole
        raise ValueError(f"its run is on the benchmark {of[:n]}, its items are of {items[:n]}")
    called, name = str(record["benchmark"].get("name", "")), str(head.get("name", ""))
    if called != name:
        raise ValueError(f"its run is on a benchmark called '{called[:60]}', its items are those of '{name[:60]}'")
    unknown = [name for name in record.get("priors") or {} if not identity.is_part(name)]
    if unknown:
        raise ValueError(f"its record has a prior '{unknown[0][:60]}', which no run can have")


def id_of(record: Mapping[str, Any]) -> str:
    """The id that a run with this record has; "" where the record does not say what an id is made of."""
    try:
        scoring, pictures = record.get("scoring") or 1, (record.get("pictures") or {}).get("sha256") or ""
        of_items = str(record["benchmark"]["hash"])
        return identity.run_id(record["model"], of_items, record["selection"], scoring, pictures)
    except (KeyError, TypeError, AttributeError):
        return ""


def check_names(manifest: Mapping[str, Any], run_dir: Path, items_dir: Path) -> None:
    """Parts and shards are named as the engine names them, and there is no other file; ValueError."""
    expected = {shards.RECORD, shards.MANIFEST}
    of_parts: dict[str, str] = {}  # two parts whose names are one as files, with the same rows, share one
    for part, entry in manifest["parts"].items():
        if not identity.is_part(part):
            raise ValueError(f"it has a part '{part[:60]}', which no run can have")
        for shard in entry["shards"]:
            name, digest = str(shard["file"]), str(shard["sha256"])
            pattern = rf"{re.escape(shards.file_stem(part))}-[0-9]{{1,7}}-{digest[:12]}\.parquet"
            if not re.fullmatch(pattern, name):
                raise ValueError(f"'{name[:80]}' is no name of a shard of part {part}")
            if of_parts.setdefault(name, part) != part:
                continue
            if name in expected:
                raise ValueError(f"'{name[:80]}' is listed twice in part {part} of manifest.json")
            expected.add(name)
    for folder, names in ((run_dir, expected), (items_dir, {shards.BENCHMARK, shards.ITEMS})):
        extra = sorted({path.name for path in folder.iterdir()} - names)
        if extra:
            raise ValueError(f"it holds '{extra[0][:80]}', which its manifest does not name")

"""A tiny benchmark and its runs, written as the engine writes them; scores come from a seed or are given."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from backend import recorded
from backend.engine.storage import identity, schema, shards
from backend.intake.survey import item_row
from backend.items import ImageRef, Item, Protocol

VOCABULARY = ["red", "blue", "green", "star", "ring", "disc", "left", "right", "above", "below", "big", "small"]


def items(n: int = 12) -> list[Item]:
    """n quads in two subsets, n triplets, n choices in two strata, n pool items with two captions each."""
    found: list[Item] = []

    def add(
        subset: str, k: int, protocol: Protocol, images: int, texts: Sequence[str], truth: Any, **tags: str
    ) -> None:
        refs = tuple(ImageRef(f"{subset}-{k}-{i}.png", f"/pictures/{subset}-{k}-{i}.png") for i in range(images))
        tags = {"split": "dev" if k % 2 else "test", **tags}
        tuples = {name: (value,) for name, value in tags.items()}
        found.append(
            Item(f"{subset}/{k}", subset, protocol, refs, tuple(texts), tuple(truth), tuples, f"writer:{len(found)}")
        )

    for subset in ("attribute", "relation"):
        for k in range(1, n + 1):
            texts = (f"a red {subset} {k}", f"a blue {subset} {k}")
            add(subset, k, Protocol.QUAD, 2, texts, [(0, 0), (1, 1)], concept=subset, perturbation="swap")
    for k in range(1, n + 1):
        texts = (f"a ring left of star {k}", f"the star {k} has a ring to its left", f"a ring right of star {k}")
        add("triplet", k, Protocol.TRIPLET, 1, texts, [(0, 0), (0, 1)], concept="relation", perturbation="swap")
    for k in range(1, n + 1):
        texts = [f"two stars {k}", f"three stars {k}", f"stars two {k}"][: 3 if k % 2 else 2]
        stratum = "implausible" if k % 3 else "against_prior"
        add("choice", k, Protocol.CHOICE, 1, texts, [(0, 0)], concept="count", perturbation=stratum)
    for k in range(1, n + 1):
        add("retrieval", k, Protocol.RETRIEVAL, 1, [f"scene {k}", f"picture {k}"], [(0, 0), (0, 1)], concept="mixed")
    return found


def write_benchmark(root: Path, all_items: Sequence[Item], name: str = "toy") -> str:
    """Write items.parquet and benchmark.json; the 16 hex digits of the hash."""
    digest = hashlib.sha256(b"".join(item.canonical().encode() + b"\n" for item in all_items)).hexdigest()
    folder = root / "benchmarks" / digest[:16]
    folder.mkdir(parents=True, exist_ok=True)
    rows = [item_row(number, item) for number, item in enumerate(all_items)]
    pq.write_table(pa.Table.from_pylist(rows, schema=schema.ITEMS), folder / "items.parquet")
    written = hashlib.sha256((folder / "items.parquet").read_bytes()).hexdigest()
    recorded.record(root, digest[:16], name, written, "", ())
    document = {"format": 1, "name": name, "hash": digest, "n_items": len(rows)}
    (folder / "benchmark.json").write_text(json.dumps(document))
    return digest[:16]


def score_rows(kind: str, number: int, item: Item, rng: np.random.Generator, skill: float) -> list[tuple[Any, ...]]:
    """(item_no, image, text, text_b, sample, value, n_tokens); the truth is `skill` better than the rest."""
    if kind == "t2t":
        pairs = [(0, 1), (0, 2), (1, 2)]
        return [(number, -1, a, b, -1, rng.normal() + skill * (b == 1), -1) for a, b in pairs]
    if kind.startswith("prior@"):
        samples = int(kind.rpartition(":")[2]) if kind.rpartition(":")[2].isdecimal() else 1
        cells = [(s, t) for s in range(samples) for t in range(len(item.texts))]
        return [(number, -1, t, -1, s, -9.0 + rng.normal(), 3 + t) for s, t in cells]
    rows = []
    for i in range(len(item.images)):
        for t in range(len(item.texts)):
            value = rng.normal() + skill * ((i, t) in item.truth)
            rows.append((number, i, t, -1, -1, value - 9 if kind == "gen" else value, 3 + t if kind == "gen" else -1))
    return rows


def write_run(
    root: Path,
    all_items: Sequence[Item],
    run_id: str,
    parts: Sequence[str],
    *,
    model: str = "fake:ok",
    skill: float = 1.0,
    seed: int = 0,
    step: int = 20,
    complete: bool = True,
    updated: str = "2026-01-01T00:00:00+00:00",
    selection: dict[str, Any] | None = None,
    name: str = "toy",
) -> Path:
    """A run with these parts (`embeddings` for a pool under itc), in shards of `step` items; its folder.

    run_id: "" for the id that the engine gives such a run, which alone may travel in a bundle; its cosines are some.
    """
    travels = not run_id
    short = write_benchmark(root, all_items, name)
    record: dict[str, Any] = {
        "run": run_id,
        "model": {"spec": model, "weights_hash": hashlib.sha256(model.encode()).hexdigest()},
        "benchmark": {"name": name, "hash": short},
        "selection": selection or {"split": None, "subset": None, "limit": None, "sample": None, "seed": 0},
        "created": updated,
        "updated": updated,
    }
    if not run_id:
        head = json.loads((root / "benchmarks" / short / "benchmark.json").read_text())
        record["benchmark"]["hash"] = head["hash"]
        of_model = {"weights_sha256": record["model"]["weights_hash"], "preprocessing": None, "dtype": "float32"}
        record["model"] |= of_model
        run_id = record["run"] = identity.run_id(record["model"], head["hash"], record["selection"])
    folder = root / "runs" / run_id
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run.json").write_text(json.dumps(record))
    manifest = shards.read_manifest(folder)
    chosen = (selection or {}).get("subset")
    for part in parts:
        rng = np.random.default_rng([seed, len(part), *part.encode()])
        rows: list[tuple[Any, ...]] = []
        for number, item in enumerate(all_items):
            pooled = item.protocol == Protocol.RETRIEVAL
            if chosen in (None, item.subset) and not pooled and (part != "t2t" or item.protocol == Protocol.TRIPLET):
                rows += score_rows(part, number, item, rng, skill)
        if travels and part in ("itc", "t2t"):
            rows = [(*row[:5], float(np.tanh(row[5] / 3)), row[6]) for row in rows]
        manifest["parts"][part] = {"complete": complete, "shards": _shards(folder, part, schema.SCORES, rows, step)}
    if "itc" in parts:
        _embeddings(folder, manifest, all_items, np.random.default_rng(seed))
    shards.write_manifest(folder, manifest)
    return folder


def add_part(folder: Path, part: str, rows: list[tuple[Any, ...]], step: int = 20) -> None:
    """A part of given rows (item_no, image, text, text_b, sample, value, n_tokens) to a run that is there."""
    manifest = shards.read_manifest(folder)
    manifest["parts"][part] = {"complete": True, "shards": _shards(folder, part, schema.SCORES, rows, step)}
    shards.write_manifest(folder, manifest)


def _shards(folder: Path, part: str, columns: pa.Schema, rows: list[tuple[Any, ...]], step: int) -> list[Any]:
    found = []
    numbers = sorted({row[0] for row in rows})
    for n, start in enumerate(range(0, len(numbers), step)):
        wanted = set(numbers[start : start + step])
        some = [row for row in rows if row[0] in wanted]
        values = dict(zip(columns.names, zip(*some, strict=True), strict=True))
        found.append(shards.write_shard(folder, part, n, {**values, "item_no": np.array(values["item_no"], np.int32)}))
    return found


def _embeddings(folder: Path, manifest: Any, all_items: Sequence[Item], rng: np.random.Generator) -> None:
    pool = [(number, item) for number, item in enumerate(all_items) if item.protocol == Protocol.RETRIEVAL]
    if not pool:
        return
    places = {"image": [(n, 0) for n, _ in pool], "text": [(n, t) for n, item in pool for t in range(len(item.texts))]}
    centres = {n: rng.normal(size=4) for n, _ in pool}
    for modality, cells in places.items():
        vectors = [np.asarray(centres[n] + 0.5 * rng.normal(size=4), np.float16) for n, _ in cells]
        columns = {
            "item_no": np.array([n for n, _ in cells], np.int32),
            "index": np.array([i for _, i in cells], np.int32),
            "vector": pa.array(vectors, pa.list_(pa.float16())),
        }
        part = f"embeddings:{modality}"
        manifest["parts"][part] = {"complete": True, "shards": [shards.write_shard(folder, part, 0, columns)]}

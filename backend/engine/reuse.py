"""Scores that are known already: taken from stored runs of the same benchmark instead of being computed again.

A score is taken where everything that decides it is the same: weights, preprocessing (tokenizer, prompts and templates
are part of it), dtype, class of device, SCORING, the bytes of the images and the texts. The benchmark's hash covers
item ids, image keys, texts, truth and class templates. Rows are copied whole, item by item, with their tokens and
vectors, so that they are equal to the bit; whatever is not known is computed.

Only runs of this benchmark by these weights are opened, and of their shards those that hold a wanted item; memory is
bounded by a few shards.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from backend import paths
from backend.engine import SCORING, SHIPPED
from backend.engine.inputs import image_bytes
from backend.engine.plan import T2T_PAIRS, Plan, Stage
from backend.engine.storage import files, shards, shipped
from backend.engine.storage.rows import Row, Rows
from backend.engine.storage.schema import is_vectors
from backend.errors import FlipsideError
from backend.intake.survey import WorkItem
from backend.items import ImageRef, Kind, Protocol
from backend.models.base import Model

#: Of what a model says of itself: what names it, or follows from other things, and so decides no score.
INCIDENTAL = {"spec", "kinds", "device", "versions", "seed", "logit_scale", "logit_bias", "verified", "hub"}
#: Families whose weights nobody here has seen.
UNSEEN = {"endpoint", "predictions"}
#: Tables of a source that are held at once.
TABLES = 8

Key = tuple[int, ...]


@dataclass(frozen=True)
class Source:
    """A run whose scores may be taken."""

    run_dir: Path
    record: Mapping[str, Any]
    manifest: shards.Manifest
    shipped: bool

    def has(self, part: str) -> bool:
        """Whether a part was scored as this version scores."""
        entry = self.manifest["parts"].get(part)
        return entry is not None and entry.get("scoring", SHIPPED if self.shipped else None) == SCORING


def identity(described: Mapping[str, Any]) -> str:
    """What of a model decides its scores, as one string; "" where that is not known."""
    if not described.get("weights_sha256") or described.get("family") in UNSEEN:
        return ""
    kept = {name: value for name, value in described.items() if name not in INCIDENTAL}
    kept.setdefault("compiled", False)  # runs from before there was --compile
    kept["device"] = str(described.get("device") or "").partition(":")[0].partition(" ")[0]
    return json.dumps(kept, sort_keys=True, ensure_ascii=False)


def may_reuse(record: Mapping[str, Any]) -> bool:
    """Whether a run's scores were computed here, or ship with this version: nothing is taken from what somebody else
    made (an imported bundle, predictions), for nobody here can vouch for it."""
    model = record.get("model")
    return isinstance(model, Mapping) and not record.get("origin") and bool(identity(model))


def sources(root: Path, model: Model, content_hash: str, own: Path) -> list[Source]:
    """The runs whose scores may be taken for a model on a benchmark: those of this cache, the latest first, then what
    ships. own: the run that is being written."""
    if getattr(model, "trusted", False):
        return []  # the model's own code may have changed while its weights have not
    mine = identity(model.describe())
    found: list[tuple[bool, str, Source]] = []
    shipping = [place.resolve() for place in (paths.bundled_runs_dir(), *paths.bundled_examples())]
    for folder in dict.fromkeys((root.resolve(), *shipping)) if mine else ():
        for run_dir in shards.run_dirs(folder):
            record = _record(run_dir, content_hash) if run_dir.name != own.name else None
            if record is None or not may_reuse(record) or identity(record["model"]) != mine:
                continue
            try:
                manifest = shards.read_manifest(run_dir)
                ships = folder in shipping or shipped.is_copy(run_dir.name, manifest, record)
                source = Source(run_dir, record, manifest, ships)
            except (FlipsideError, KeyError, TypeError):
                continue
            found.append((not source.shipped, str(record.get("updated")), source))
    return [source for *_, source in sorted(found, key=lambda each: each[:2], reverse=True)]


def _record(run_dir: Path, content_hash: str) -> dict[str, Any] | None:
    """A run's record where it is of this benchmark."""
    try:
        record = files.read_json(run_dir / shards.RECORD)
    except (FlipsideError, OSError):
        return None
    benchmark = record.get("benchmark") if isinstance(record, dict) else None
    return record if isinstance(benchmark, dict) and benchmark.get("hash") == content_hash else None


@dataclass(frozen=True)
class Taken:
    """Some items' rows of one stage, whole, and the images that they are about with their digests."""

    run_id: str
    items: list[int]
    rows: Rows
    images: list[tuple[ImageRef, str]]


class Reuse:
    """What can be taken for one run. details: prior part -> what it is computed from, as the record says it."""

    def __init__(
        self,
        plan: Plan,
        found: Sequence[Source],
        details: Mapping[str, Mapping[str, Any]],
        sampled: Mapping[str, str],
        digest: Callable[[str], str],
    ) -> None:
        """sampled: key -> digest of the images of `images:N` priors. digest: URI -> digest of its bytes."""
        self.plan, self.sources, self.details, self.sampled = plan, found, details, sampled
        self._digest = digest

    def take(self, stage: Stage, pending: npt.NDArray[np.int32]) -> Iterator[Taken]:
        """The pending items of a stage that some source has, each once."""
        wanted = np.sort(pending)
        for source in self.sources:
            if not len(wanted):
                return
            if not all(source.has(part) for part in stage.parts):
                continue
            images = image_bytes.read(source.run_dir)
            if not self._same_prior(stage, source, images):
                continue
            taken: list[int] = []
            try:
                for each in self._of(source, stage, wanted, images):
                    taken += each.items
                    yield each
            except (FlipsideError, OSError, pa.ArrowException):
                pass  # a damaged or deleted source has nothing more to give; what it lacks is computed
            wanted = np.setdiff1d(wanted, np.array(taken, np.int32))

    def batching(self, taken: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
        """Part -> what batching changes in it (batching.py), of parts that were taken, as their runs have measured."""
        found: dict[str, Any] = {}
        for source in self.sources:
            measured = source.record.get("batching") or {}
            found |= {part: measured[part] for part in taken.get(source.run_dir.name, ()) if part in measured}
        return found

    def _same_prior(self, stage: Stage, source: Source, images: Mapping[str, str]) -> bool:
        """Whether both priors come from the same null images, sampled pictures or blind model."""
        if stage.source is None:
            return True
        mine, theirs = self.details.get(stage.name), (source.record.get("priors") or {}).get(stage.name)
        if mine is None or theirs is None or _without_spec(mine) != _without_spec(theirs):
            return False
        keys = () if "sha256" in mine else mine.get("images", ())  # of a folder's, the digest says what their bytes are
        return all(self.sampled.get(key) and self.sampled[key] == image_bytes.of_key(images, key) for key in keys)

    def _of(
        self, source: Source, stage: Stage, wanted: npt.NDArray[np.int32], images: Mapping[str, str]
    ) -> Iterator[Taken]:
        """Shard by shard, with what other parts of the stage hold of the same items."""

        @lru_cache(maxsize=TABLES)
        def table(part: str, at: int) -> pa.Table:
            return shards.read_shard(source.run_dir, source.manifest["parts"][part]["shards"][at])

        held: dict[str, list[tuple[int, npt.NDArray[np.int32]]]] = {part: [] for part in stage.parts}
        for part in stage.parts:
            for at, entry in enumerate(source.manifest["parts"][part]["shards"]):
                if entry["last_item"] >= wanted[0] and entry["first_item"] <= wanted[-1]:
                    here = np.intersect1d(table(part, at).column("item_no").to_numpy(), wanted)
                    held[part] += [(at, here)] if len(here) else []
        done = np.zeros(0, np.int32)
        for part in stage.parts:
            for _, items in held[part]:
                mine = np.setdiff1d(items, done)
                done = np.union1d(done, mine)
                found = {
                    name: [
                        _by_item(table(name, at), np.intersect1d(mine, here))
                        for at, here in held[name]
                        if np.isin(mine, here).any()
                    ]
                    for name in stage.parts
                }
                yield self._whole(source, stage, mine, found, images)

    def _whole(
        self,
        source: Source,
        stage: Stage,
        numbers: npt.NDArray[np.int32],
        found: Mapping[str, list[dict[int, list[Row]]]],
        images: Mapping[str, str],
    ) -> Taken:
        """Of some items those of which every row is there and every image the same."""
        taken = Taken(source.run_dir.name, [], {part: [] for part in stage.parts}, [])
        for number in numbers.tolist():
            item = self.plan.survey.items[number]
            looked = [(image, self._digest(image.uri)) for image in self.plan.images(stage, item)]
            if any(not now or now != image_bytes.of_key(images, image.key) for image, now in looked):
                continue
            rows: Rows = {}
            for part, keys in expected(self.plan, stage, item).items():
                known = {_key(part, row): row for each in found[part] for row in each.get(number, ())}
                rows[part] = [known[key] for key in keys if key in known]
                if len(rows[part]) < len(keys):
                    break
            else:
                taken.items.append(number)
                taken.images.extend(looked)
                for part, more in rows.items():
                    taken.rows[part] += more
        return taken


def expected(plan: Plan, stage: Stage, item: WorkItem) -> dict[str, list[Key]]:
    """Part -> the keys of the rows that an item has in it, in their order."""
    pooled = item.protocol == Protocol.RETRIEVAL
    cells: list[Key]
    if stage.share is not None and stage.paired:
        return {stage.name: [(pair.other, pair.text_index) for pair in plan.cells(stage, item)]}
    if stage.kept is not None:
        image_part, text_part = stage.parts
        images, texts = stage.kept.images(item), stage.kept.texts(item)
        return {image_part: [(index,) for index, _ in images], text_part: [(index,) for index, _ in texts]}
    if stage.share is not None:
        text_part, image_part = stage.parts
        kept = stage.share.others.holds(item.item_no, item.images[0].key)
        return {text_part: [(k,) for k in range(len(item.texts))], image_part: [(0,)] if kept else []}
    if stage.paired:
        pairs = plan.cells(stage, item)
        cells = [(pair.image_index, pair.text_index, pair.rival_index, -1) for pair in pairs]
        tokens: list[Key] = [] if pooled else [(image, text, -1) for image, text, *_ in cells]
        return dict(zip(stage.parts, (cells, tokens), strict=False))
    if stage.kind == Kind.PRIOR:
        samples = range(stage.source.n if stage.source else 1)
        cells = [(-1, text, -1, k) for text in range(len(plan.prior_texts(item))) for k in samples]
        tokens = [] if pooled else [(image, text, k) for image, text, _, k in cells]
        return dict(zip(stage.parts, (cells, tokens), strict=False))
    if pooled:
        vectors: dict[str, list[Key]] = {"embeddings:text": [(k,) for k in range(len(item.texts))]}
        vectors |= {"embeddings:image": [(k,) for k in range(len(item.images))]} if stage.kind == Kind.ITC else {}
        return {part: vectors.get(part, []) for part in stage.parts}
    if stage.kind == Kind.T2T:
        cells = [(-1, a, b, -1) for a, b in T2T_PAIRS]
    else:
        cells = [(i, t, -1, -1) for i in range(len(item.images)) for t in range(len(item.texts))]
    return {part: cells if part == stage.name else [] for part in stage.parts}


def _key(part: str, row: Row) -> Key:
    """What tells a row from the others of its item."""
    if is_vectors(part):
        return (row[1],)
    if part.startswith("counterfactual:"):
        return (row[1], row[2])
    return (row[1], row[2], row[3]) if part.startswith("tokens:") else (row[1], row[2], row[3], row[4])


def _by_item(table: pa.Table, items: npt.NDArray[np.int32]) -> dict[int, list[Row]]:
    """The rows of some items, as the engine makes them."""
    kept = table.filter(pa.array(np.isin(table.column("item_no").to_numpy(), items)))
    columns: list[Sequence[Any]] = [
        _vectors(kept.column(name)) if name == "vector" else kept.column(name).to_pylist() for name in kept.column_names
    ]
    found: dict[int, list[Row]] = {}
    for row in zip(*columns, strict=True):
        found.setdefault(row[0], []).append(row)
    return found


def _vectors(column: pa.ChunkedArray) -> Sequence[npt.NDArray[np.float16]]:
    """The vectors of a column, (n, d); half precision is kept to the bit."""
    flat = pa.concat_arrays([chunk.flatten() for chunk in column.chunks]) if column.num_chunks else pa.array([])
    return list(np.asarray(flat).reshape(len(column), -1)) if len(column) else []


def _without_spec(details: Mapping[str, Any]) -> dict[str, Any]:
    """What a prior is computed from, whatever its blind model was called."""
    blind = details.get("model")
    kept = {name: value for name, value in blind.items() if name != "spec"} if isinstance(blind, Mapping) else None
    return {**details, "model": kept} if kept is not None else dict(details)

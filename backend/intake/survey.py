"""One pass over a benchmark: its hash, its `items.parquet`, and what planning needs to know of each item.

Items are streamed. What stays in memory is about 40 bytes an item; the items themselves lie in an unnamed scratch file
from which the run reads them in its own order.
"""

import hashlib
import heapq
import json
import mmap
import os
import tempfile
import time
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from backend import recorded
from backend.benchmarks.items_folder.kept import keeps_name
from backend.durable import IN_CACHE, not_written, sync_dir
from backend.engine import FORMAT
from backend.engine.inputs.selection import Selection
from backend.engine.storage import files, schema, shards
from backend.errors import FlipsideError, UsageError
from backend.intake.found_at import FoundAt
from backend.intake.more_pictures import finds_more
from backend.items import Benchmark, ImageRef, Item, Protocol, Skipped, all_skipped

_ROWS = 1024
#: Records of the original files that are no items, and why: one JSON object a line, beside the items.
SKIPPED = "skipped.jsonl"
A_DAY = 86_400.0
#: How many different lists of class names are kept once for all their items; further ones are written with each.
LISTS = 256
PROTOCOLS = tuple(Protocol)

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class WorkItem:
    """What scoring needs of an item."""

    item_no: int
    item_id: str
    subset: str
    protocol: Protocol
    images: tuple[ImageRef, ...]
    texts: tuple[str, ...]


class Scratch:
    """Items in a file that has no name: read one by one in any order, gone with the process, however it ends.

    shared: item number -> class names that many items have, kept once instead of in the file.
    """

    def __init__(self, source: IO[bytes] | npt.NDArray[np.uint8], shared: Mapping[int, tuple[str, ...]]) -> None:
        """source: an Arrow file, or its bytes (as `data` gives them), which are read where they lie."""
        self.shared = shared
        self.data: npt.NDArray[np.uint8] | mmap.mmap = (
            source if isinstance(source, np.ndarray) else mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ)
        )
        reader = pa.ipc.open_file(pa.py_buffer(self.data))
        self._batch = lru_cache(maxsize=8)(reader.get_batch)
        self._batches = int(reader.num_record_batches)

    def __getitem__(self, item_no: int) -> WorkItem:
        batch, row = self._batch(item_no // _ROWS), item_no % _ROWS
        item_id, subset, protocol, texts, keys, uris = (batch.column(i)[row].as_py() for i in range(1, 7))
        images = tuple(ImageRef(key, uri) for key, uri in zip(keys, uris, strict=True))
        names = self.shared.get(item_no)
        return WorkItem(item_no, item_id, subset, Protocol(protocol), images, tuple(texts) if names is None else names)

    def rows(self, *columns: str) -> Iterator[tuple[Any, ...]]:
        """(item_no, …) of every item in order, these columns of items.parquet; texts of classes are not among them."""
        for number in range(self._batches):
            table = self._batch(number).select(["item_no", *columns])
            yield from zip(*(column.to_pylist() for column in table.columns), strict=True)


@dataclass
class Survey:
    """What one pass found. The arrays have one entry an item, in the benchmark's order."""

    benchmark: str
    content_hash: str
    items: Scratch
    selected: npt.NDArray[np.int32]
    #: What was selected, without what leaves nothing out; part of a run's identity.
    selection: Selection
    protocol: Ints
    n_images: Ints
    n_texts: Ints
    n_missing: Ints
    first_image: Ints
    subset: Ints
    subset_names: list[str]
    prior_images: list[ImageRef] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    templates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.protocol)

    def work_order(self) -> npt.NDArray[np.int32]:
        """The selected items with those that share their first image brought together, else in file order.

        So an image is decoded, and its features are computed, once for all items that ask about it.
        """
        _, first, group = np.unique(self.first_image[self.selected], return_index=True, return_inverse=True)
        return self.selected[np.argsort(first[group], kind="stable")]


def survey(
    benchmark: Benchmark,
    selection: Selection,
    root: Path,
    n_prior_images: int = 0,
    see: Callable[[Item | Skipped], object] | None = None,
    *,
    is_import: bool = False,
) -> Survey:
    """Read the benchmark once, write its items under `root/benchmarks/`, and choose the items to score.

    see: called with every item and skipped record that passes. is_import: whether the pictures were found just now, by
    what their owner says of links, and not where an earlier import has found them.
    """
    folder = root / "benchmarks"
    files.make_dir(folder)
    _remove_old_asides(folder)
    aside = folder / f"{files.ASIDE}{os.getpid()}-{shards.ITEMS}"
    notes = _Notes(benchmark, selection, n_prior_images, see, is_import=is_import)
    try:
        with tempfile.TemporaryFile(dir=folder) as scratch:
            with (
                pq.ParquetWriter(aside, schema.ITEMS, **schema.parquet_options(schema.ITEMS)) as parquet,
                pa.ipc.new_file(pa.PythonFile(scratch, "w"), schema.ITEMS) as arrow,
            ):
                for rows in notes.batches():
                    batch = pa.RecordBatch.from_pylist(rows, schema=schema.ITEMS)
                    parquet.write_batch(batch)
                    lean = notes.without_shared(rows)
                    arrow.write_batch(batch if lean is rows else pa.RecordBatch.from_pylist(lean, schema=schema.ITEMS))
            scratch.flush()
            found = notes.survey(Scratch(scratch, notes.shared))
        _publish(aside, root, found, benchmark, notes.found_at)
    finally:
        aside.unlink(missing_ok=True)
    return found


def _publish(aside: Path, root: Path, found: Survey, benchmark: Benchmark, found_at: FoundAt) -> None:
    """Put the items where readers look; unchanged files are left alone, so that importers need not look again."""
    folder = shards.benchmark_dir(root, found.content_hash)
    files.make_dir(folder)
    head = folder / shards.BENCHMARK
    known = files.read_json(head) if head.is_file() else {}
    kept = keeps_name(str(known.get("name", "")), found.benchmark)
    target = folder / shards.ITEMS
    better = kept and target.is_file() and finds_more(target, aside)
    digest = "" if kept and not better else files.sha256_of(aside)
    try:  # before the items, which nobody believes without
        recorded.record(
            root, folder.name, found.benchmark, digest, benchmark.data_dir, found_at.pictures, found_at.links()
        )
    except OSError as error:
        raise FlipsideError(not_written(error, root, IN_CACHE)) from error
    if not digest:
        return
    if not target.is_file() or files.sha256_of(target) != digest:
        with aside.open("rb+") as written:
            os.fsync(written.fileno())
        aside.replace(target)
        sync_dir(folder)
    if better:  # the same items by the name that they have, with pictures that are found now
        files.replace_json(head, known | {"items_sha256": digest})
        return
    document = {
        "format": FORMAT,
        "name": found.benchmark,
        "hash": found.content_hash,
        "n_items": len(found),
        "items_sha256": digest,
    }
    document |= {"split": benchmark.split} if benchmark.split else {}
    document |= {"templates": {k: list(v) for k, v in benchmark.templates.items()}} if benchmark.templates else {}
    document |= {"about": dict(benchmark.about)} if benchmark.about else {}
    document |= {"skipped": len(found.skipped)} if found.skipped else {}
    if found.skipped:
        listed = "".join(json.dumps(asdict(each), ensure_ascii=False) + "\n" for each in found.skipped)
        files.replace_bytes(folder / SKIPPED, listed.encode())
    path = folder / shards.BENCHMARK
    if not path.is_file() or files.read_json(path) != document:
        files.replace_json(path, document)


def _remove_old_asides(folder: Path) -> None:
    """What killed processes left; younger files may be another process's that is at work."""
    for path in folder.glob(f"**/{files.ASIDE}*"):
        if path.stat().st_mtime < time.time() - A_DAY:
            path.unlink(missing_ok=True)


class _Notes:
    """What is written down while the items stream past."""

    def __init__(
        self,
        benchmark: Benchmark,
        selection: Selection,
        n_prior_images: int,
        see: Callable[[Item | Skipped], object] | None,
        *,
        is_import: bool,
    ) -> None:
        self.benchmark, self.selection, self.see = benchmark, selection, see
        self.digest = benchmark.hash_begun()
        self.skipped: list[Skipped] = []
        self.columns = {
            name: array("q") for name in ("protocol", "n_images", "n_texts", "n_missing", "first", "subset")
        }
        self.matching = array("i")
        self.subsets: dict[str, int] = {}
        self.splits: set[str] = set()
        self.draw = _ImageDraw(n_prior_images, selection.seed)
        self.shared: dict[int, tuple[str, ...]] = {}
        self._lists: dict[tuple[str, ...], tuple[str, ...]] = {}
        self.found_at = FoundAt(benchmark.data_dir, is_import=is_import)

    def batches(self) -> Iterator[list[dict[str, object]]]:
        rows: list[dict[str, object]] = []
        number = 0
        for item in self.benchmark.open_items():
            if self.see is not None:
                self.see(item)
            if isinstance(item, Skipped):
                self.skipped.append(item)
                continue
            self._note(number, item)
            rows.append(item_row(number, item))
            number += 1
            if len(rows) == _ROWS:
                yield rows
                rows = []
        if rows:
            yield rows

    def without_shared(self, rows: list[dict[str, object]]) -> list[dict[str, object]]:
        """The rows without the texts of items that share theirs; the same list where there is none."""
        if not any(row["item_no"] in self.shared for row in rows):
            return rows
        return [row | {"texts": []} if row["item_no"] in self.shared else row for row in rows]

    def _note(self, number: int, item: Item) -> None:
        if item.protocol == Protocol.CLASSIFY and (item.texts in self._lists or len(self._lists) < LISTS):
            self.shared[number] = self._lists.setdefault(item.texts, item.texts)
        self.digest.update(item.canonical().encode() + b"\n")
        self.splits.update(item.tags.get("split", ()))
        cluster = item.images[0].key if item.images else item.item_id
        values = {
            "protocol": PROTOCOLS.index(item.protocol),
            "n_images": len(item.images),
            "n_texts": len(item.texts),
            "n_missing": sum(image.missing for image in item.images),
            "first": _hash64(cluster),
            "subset": self.subsets.setdefault(item.subset, len(self.subsets)),
        }
        for name, value in values.items():
            self.columns[name].append(value)
        for image in item.images:
            self.draw.offer(image)
            self.found_at.note(image.uri)
        if self.selection.matches(item):
            self.matching.append(number)

    def survey(self, items: Scratch) -> Survey:
        name = self.benchmark.name
        self.selection.check_names(name, self.subsets, self.splits)
        if not self.matching:
            if not self.columns["subset"] and self.skipped:
                raise UsageError(f"{name}: there is no item in it. {all_skipped(len(self.skipped), self.skipped[0])}")
            raise UsageError(f"{name}: no item matches the selection. Try another --split, --subset or --set.")
        picked = self.selection.items
        if picked is not None and self.selection.split is None and len(self.matching) < len(picked):
            lacking = len(picked) - len(self.matching)
            raise UsageError(
                f"{name}: {lacking} of the {len(picked)} picked items are not in it. Pick them from it anew."
            )
        matching = np.array(self.matching, np.int32)
        columns = {key: np.array(values, np.int64) for key, values in self.columns.items()}
        selected = self.selection.choose(matching, columns["subset"][matching])
        return Survey(
            benchmark=name,
            content_hash=self.digest.hexdigest(),
            items=items,
            selected=selected,
            selection=self.selection.reduced(len(selected), len(matching), len(columns["protocol"])),
            protocol=columns["protocol"],
            n_images=columns["n_images"],
            n_texts=columns["n_texts"],
            n_missing=columns["n_missing"],
            first_image=columns["first"],
            subset=columns["subset"],
            subset_names=list(self.subsets),
            prior_images=self.draw.drawn(),
            skipped=self.skipped,
            templates=self.benchmark.templates,
        )


class _ImageDraw:
    """N of the images at hand, each as likely as another and independent of order: the N least of a seeded hash."""

    def __init__(self, size: int, seed: int) -> None:
        self.size, self.seed = size, seed
        self._heap: list[tuple[int, str, str]] = []
        self._keys: set[str] = set()

    def offer(self, image: ImageRef) -> None:
        if not self.size or image.missing or image.key in self._keys:
            return
        entry = (-_hash64(f"{self.seed}:{image.key}"), image.key, image.uri)
        self._keys.add(image.key)
        if len(self._heap) < self.size:
            heapq.heappush(self._heap, entry)
        else:
            self._keys.discard(heapq.heappushpop(self._heap, entry)[1])

    def drawn(self) -> list[ImageRef]:
        return [ImageRef(key, uri) for _, key, uri in sorted(self._heap, reverse=True)]


def _hash64(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def item_row(number: int, item: Item) -> dict[str, object]:
    """An item's row of items.parquet, by column of `schema.ITEMS`."""
    return {
        "item_no": number,
        "item_id": item.item_id,
        "subset": item.subset,
        "protocol": str(item.protocol),
        "texts": list(item.texts),
        "image_keys": [image.key for image in item.images],
        "image_uris": [image.uri for image in item.images],
        "truth": json.dumps(item.truth),
        "tags": json.dumps({name: list(values) for name, values in item.tags.items()}, ensure_ascii=False),
        "source": item.source,
    }

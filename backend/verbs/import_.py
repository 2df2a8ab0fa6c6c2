"""`flipside import`: check and count a benchmark's items, without scoring anything."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from backend.benchmarks import declaration, load_benchmark
from backend.benchmarks.base import Declaration
from backend.engine.selection import Selection
from backend.items import Benchmark, Item, Skipped
from backend.verbs.output import note, print_json, print_table


@dataclass
class Count:
    """What one pass over the files finds. all_subsets and all_splits are the benchmark's, the rest the selection's."""

    subsets: Counter[str] = field(default_factory=Counter)
    protocols: dict[str, str] = field(default_factory=dict)
    images: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    skipped: list[Skipped] = field(default_factory=list)
    all_subsets: set[str] = field(default_factory=set)
    all_splits: set[str] = field(default_factory=set)

    def add(self, item: Item) -> None:
        """Distinct images are counted by key, distinct texts as they stand."""
        self.subsets[item.subset] += 1
        self.protocols[item.subset] = item.protocol.value
        self.images.update(image.key for image in item.images)
        self.missing.update(image.key for image in item.images if image.missing)
        self.texts.update(item.texts)


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The benchmark; `flipside benchmarks` lists them.")],
    data: Annotated[Path | None, typer.Option("--data", metavar="DIR", help="The folder with its files.")] = None,
    split: Annotated[str | None, typer.Option("--split", help="Only this split.")] = None,
    subset: Annotated[str | None, typer.Option("--subset", help="Only this subset, or several: a,b.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", help="Only the first N items.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Check a benchmark's files and count its items, images and texts."""
    selection = Selection(split=split, subset=subset, limit=limit)
    benchmark = load_benchmark(name, data)
    known = declaration(name)
    count = count_items(benchmark, selection, known)
    document = _document(benchmark, known, count, selection)
    if as_json:
        print_json(document)
    else:
        _print(document)
    for file in document["files_missing"]:
        note(f"{file} is not in {benchmark.data_dir}: its items are left out.")
    for part, (found, expected) in document["unexpected_counts"].items():
        note(f"{part}: {found} items, where the original release has {expected}.")


def count_items(benchmark: Benchmark, selection: Selection, known: Declaration) -> Count:
    """One pass over the files; no image is opened. UsageError for a subset or split that the benchmark has not."""
    count = Count()
    wanted_files = {known.files.get(part, "") for part in selection.subsets}
    for entry in benchmark.open_items():
        if isinstance(entry, Skipped):
            if not (wanted_files and known.files) or entry.file in wanted_files:
                count.skipped.append(entry)
            continue
        count.all_subsets.add(entry.subset)
        count.all_splits.update(entry.tags.get("split", ()))
        if selection.matches(entry) and (selection.limit is None or count.subsets.total() < selection.limit):
            count.add(entry)
    selection.check_names(benchmark.name, count.all_subsets, count.all_splits)
    return count


def _document(benchmark: Benchmark, known: Declaration, count: Count, selection: Selection) -> dict[str, Any]:
    protocols = set(count.protocols.values())
    is_whole = selection.limit is None and selection.split is None
    return {
        "benchmark": benchmark.name,
        "protocol": protocols.pop() if len(protocols) == 1 else "mixed" if protocols else None,
        "protocols": count.protocols,
        "n_items": count.subsets.total(),
        "subsets": dict(count.subsets),
        "n_images": len(count.images),
        "n_images_missing": len(count.missing),
        "n_texts": len(count.texts),
        "skipped": [_skipped(entry) for entry in count.skipped],
        "files_missing": known.missing_files(Path(benchmark.data_dir) if benchmark.data_dir else None),
        "unexpected_counts": {
            part: (found, known.expected[part])
            for part, found in count.subsets.items()
            if is_whole and found != known.expected.get(part, found)
        },
    }


def _skipped(entry: Skipped) -> dict[str, Any]:
    where = {"line": entry.line} if entry.line is not None else {"item": entry.item}
    return {"file": entry.file, **where, "reason": entry.reason}


def _print(document: dict[str, Any]) -> None:
    print_table(
        ("subset", "protocol", "items"),
        [(part, document["protocols"][part], n) for part, n in document["subsets"].items()],
    )
    print(
        f"{document['n_items']} items, {document['n_images']} images ({document['n_images_missing']} missing), "
        f"{document['n_texts']} texts, {len(document['skipped'])} records skipped"
    )
    for entry in document["skipped"]:
        where = f"line {entry['line']}" if "line" in entry else entry["item"]
        print(f"  skipped {entry['file']}, {where}: {entry['reason']}")

"""`flipside import`: check and count a benchmark's items and keep them, without scoring anything.

The items are written as a run would write them (backend/intake/survey.py): all or none. They can be browsed, perturbed
and matched with other people's results from then on; a later run finds them there.
"""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from backend import paths
from backend.benchmarks import declaration
from backend.benchmarks.base import Declaration
from backend.engine.inputs.selection import Selection, open_selected
from backend.intake import completion
from backend.intake.survey import Survey, WorkItem, survey
from backend.items import Benchmark, Item, Protocol, Skipped
from backend.verbs.shared.output import counted, note, print_json, print_table, say
from backend.verbs.shared.own_tables import OwnTables
from backend.verbs.shared.scanning import scanning

#: How many skipped records are printed one by one; --json has all of them, and so has skipped.jsonl beside the items.
NAMED = 50
#: Missing images that are named in one line; --json names the first NAMED.
EXAMPLES = 3


@dataclass
class Count:
    """What one pass over the files finds of a selection. images, missing, texts hold hashes, not the things; named: the
    first NAMED missing images, each with the first item that has it."""

    selection: Selection
    subsets: Counter[str] = field(default_factory=Counter)
    protocols: dict[str, set[str]] = field(default_factory=dict)
    images: set[int] = field(default_factory=set)
    missing: set[int] = field(default_factory=set)
    texts: set[int] = field(default_factory=set)
    named: dict[str, str] = field(default_factory=dict)

    def see(self, entry: Item | Skipped) -> None:
        """Count an item that the selection admits; a sample is counted afterwards, by `add`."""
        if isinstance(entry, Skipped) or self.selection.sample is not None or not self.selection.matches(entry):
            return
        if self.selection.limit is None or self.subsets.total() < self.selection.limit:
            self.add(entry)

    def add(self, item: Item | WorkItem) -> None:
        """Distinct images are counted by key, distinct texts as they stand. An image of a pool that has no caption is
        no query, so it counts as an image, not as an item."""
        self.subsets[item.subset] += bool(item.texts) or item.protocol != Protocol.RETRIEVAL
        self.protocols.setdefault(item.subset, set()).add(item.protocol.value)
        self.images.update(hash(image.key) for image in item.images)
        for image in item.images:
            if image.missing:
                self.missing.add(hash(image.key))
                if len(self.named) < NAMED:
                    self.named.setdefault(image.key, item.item_id)
        self.texts.update(map(hash, item.texts))


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The benchmark; `flipside benchmarks` lists them.")],
    data: Annotated[Path | None, typer.Option("--data", metavar="DIR", help="The folder with its files.")] = None,
    split: Annotated[str | None, typer.Option("--split", help="Only this split.")] = None,
    subset: Annotated[str | None, typer.Option("--subset", help="Only this subset, or several: a,b.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", help="Only the first N items.")] = None,
    sample: Annotated[
        int | None, typer.Option("--sample", metavar="N", help="N items by seed, each subset with its share.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="For --sample.")] = 0,
    maps: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="ROLE=COLUMN", help="custom: what a column is, or protocol=… May be repeated."),
    ] = None,
    label: Annotated[str | None, typer.Option("--as", metavar="LABEL", help="custom: keep it as custom:LABEL.")] = None,
    images: Annotated[Path | None, typer.Option("--images", metavar="DIR", help="custom: where pictures are.")] = None,
    full_paths: Annotated[
        bool, typer.Option("--full-paths", help="custom: pictures may be named by their full path.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="custom: replace what was kept under this name from something else.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Check a benchmark's files, count its items, images and texts, and keep the items for the pages."""
    asked = Selection(split=split, subset=subset, limit=limit, sample=sample, seed=seed)
    known = declaration(name)
    own = OwnTables(name, data, maps or [], label, images, full_paths, replace)
    with own.source() as path, scanning(f"reading {name}", quiet=as_json) as seen:
        benchmark, selection = (own.opened(path), asked) if path else open_selected(name, data, asked)
        count = Count(selection)

        def see(entry: Item | Skipped) -> None:
            count.see(entry)
            seen()

        found = (
            own.keep(benchmark, selection, see) if path else survey(benchmark, selection, paths.cache_dir(), see=see)
        )
    completed = completion.declare(found, paths.cache_dir())
    if selection.sample is not None:
        for number in found.selected.tolist():
            count.add(found.items[number])
    document = _document(name, benchmark, known, count, found, asked) | {"identical": own.identical}
    document |= {"completes": completed} if completed else {}
    document |= {"doubted": own.doubted} if own.doubted else {}
    if as_json:
        print_json(document)
    else:
        _print(document)
    for file in document["files_missing"]:
        note(f"{file} is not in {benchmark.data_dir}: its items are left out.")
    for part, (there, expected) in document["unexpected_counts"].items():
        note(f"{part}: {counted(there, 'item')}, where the original release has {expected}.")
    if completed:
        note(f"This edition completes the {completed} item numbers on which public results are kept: it shows them.")
    for line in own.notes:
        note(line)


def _document(
    name: str, benchmark: Benchmark, known: Declaration, count: Count, found: Survey, asked: Selection
) -> dict[str, Any]:
    each = {
        part: one if len(names) == 1 else "mixed" for part, names in count.protocols.items() for one in [*names][:1]
    }
    protocols = set(each.values())
    is_whole = asked.limit is None and asked.sample is None and (asked.split is None or bool(known.splits))
    expected = known.counts(benchmark.split)
    wanted = {known.files.get(part, "") for part in asked.subsets} if asked.subsets and known.files else None
    skipped = [entry for entry in found.skipped if wanted is None or entry.file in wanted]
    return {
        "benchmark": name,
        "name": benchmark.name,
        "hash": found.content_hash,
        "split": benchmark.split or known.default_split or asked.split,
        "protocol": protocols.pop() if len(protocols) == 1 else "mixed" if protocols else None,
        "protocols": each,
        "n_items": count.subsets.total(),
        "subsets": dict(count.subsets),
        "n_images": len(count.images),
        "n_images_missing": len(count.missing),
        "images_missing": [{"image": image, "item": item} for image, item in count.named.items()],
        "n_texts": len(count.texts),
        "skipped": [_skipped(entry) for entry in skipped],
        "files_missing": list(benchmark.files_missing),
        "unexpected_counts": {
            part: (there, expected[part])
            for part, there in count.subsets.items()
            if is_whole and there != expected.get(part, there)
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
    say(
        f"{counted(document['n_items'], 'item')}, {counted(document['n_images'], 'image')} "
        f"({document['n_images_missing']} missing), "
        f"{counted(document['n_texts'], 'text')}, {counted(len(document['skipped']), 'record')} skipped"
    )
    if missing := document["images_missing"]:
        named = ", ".join(f"{entry['image']} ({entry['item']})" for entry in missing[:EXAMPLES])
        more = document["n_images_missing"] - len(missing[:EXAMPLES])
        say(f"  missing: {named}{f' and {more:,} more' if more else ''}")
    for entry in document["skipped"][:NAMED]:
        where = f"line {entry['line']}" if "line" in entry else entry["item"]
        say(f"  skipped {entry['file']}, {where}: {entry['reason']}")
    if len(document["skipped"]) > NAMED:
        say(f"  … and {len(document['skipped']) - NAMED} more; --json lists all")

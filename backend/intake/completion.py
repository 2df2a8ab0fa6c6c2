"""Winoground's full edition as the completion of the stub of item numbers: runs on the one are shown on the other."""

from pathlib import Path

from backend.benchmarks import winoground_stub
from backend.engine.storage import files, shards
from backend.intake.survey import Survey
from backend.items import Protocol

#: Beside the full edition's items: which stub they complete (read by backend/store/build/completions.py).
COMPLETES = "completes.json"


def declare(found: Survey, root: Path) -> int:
    """Note that these items complete the stub, where they do: each of its items is there as a quad. How many of the
    stub's items they complete, 0 where they are another benchmark's or some are missing; nothing is noted then."""
    if found.benchmark != winoground_stub.NAME or found.content_hash == winoground_stub.HASH:
        return 0
    there = {
        item.item_id
        for item in (found.items[number] for number in range(len(found)))
        if item.protocol == Protocol.QUAD and len(item.images) == len(item.texts) == 2
    }
    if not winoground_stub.ids() <= there:
        return 0
    document = {"stub": winoground_stub.HASH, "benchmark": found.content_hash, "by": "item_id"}
    folder = shards.benchmark_dir(root, found.content_hash)
    if not (folder / COMPLETES).is_file() or files.read_json(folder / COMPLETES) != document:
        files.replace_json(folder / COMPLETES, document)
    return winoground_stub.N_ITEMS

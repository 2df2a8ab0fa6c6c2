"""Benchmarks by name: one file a benchmark's original format, one line in the registry."""

import difflib
import importlib
from os import PathLike, fspath
from pathlib import Path

from backend.benchmarks.base import Declaration
from backend.benchmarks.items_folder.kept import is_kept, kept_declaration
from backend.benchmarks.reading.folder import Folder
from backend.benchmarks.reading.guard import guarded
from backend.errors import UsageError
from backend.items import Benchmark

#: One line a benchmark: its name on the command line and where its declaration is.
REGISTRY: dict[str, str] = {
    "world": "backend.benchmarks.world:WORLD",
    "visla": "backend.benchmarks.visla:VISLA",
    "sugarcrepe": "backend.benchmarks.sugarcrepe:SUGARCREPE",
    "sugarcrepe_pp": "backend.benchmarks.sugarcrepe:SUGARCREPE_PP",
    "aro": "backend.benchmarks.aro:ARO",
    "crepe": "backend.benchmarks.crepe:CREPE",
    "valse": "backend.benchmarks.valse:VALSE",
    "vl_checklist": "backend.benchmarks.vl_checklist:VL_CHECKLIST",
    "winoground": "backend.benchmarks.winoground:WINOGROUND",
    "eqben": "backend.benchmarks.eqben:EQBEN",
    "video_grounding": "backend.benchmarks.video_grounding:VIDEO_GROUNDING",
    "coco": "backend.benchmarks.pools.karpathy:COCO",
    "flickr30k": "backend.benchmarks.pools.karpathy:FLICKR30K",
    "coco_fg": "backend.benchmarks.pools.finegrained:COCO_FG",
    "flickr30k_fg": "backend.benchmarks.pools.finegrained:FLICKR30K_FG",
    "imagenet": "backend.benchmarks.classification.imagenet:IMAGENET",
    "elevater": "backend.benchmarks.classification.elevater:ELEVATER",
    "folder": "backend.benchmarks.classification.image_folder:FOLDER",
    "custom": "backend.benchmarks.custom:CUSTOM",
}
#: One's own tables, which no folder of a known benchmark is taken for.
OWN = "custom"


def names() -> list[str]:
    """All benchmark names, in the registry's order."""
    return list(REGISTRY)


def declaration(name: str) -> Declaration:
    """What is known about a benchmark before any file of it is read; UsageError with near matches for a wrong name."""
    if is_kept(name):
        return kept_declaration(name)
    if name not in REGISTRY:
        near = difflib.get_close_matches(name, REGISTRY, n=3)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"unknown benchmark '{name}'.{hint} Available: {', '.join(REGISTRY)}.")
    module, attribute = REGISTRY[name].split(":")
    found = getattr(importlib.import_module(module), attribute)
    if not isinstance(found, Declaration) or found.name != name:
        raise TypeError(f"{REGISTRY[name]} must be the Declaration named '{name}'")
    return found


def load_benchmark(name: str, data_dir: str | PathLike[str] | None = None, split: str | None = None) -> Benchmark:
    """The benchmark, read lazily from `data_dir`; UsageError where the folder does not hold its files.

    `data_dir` may be None only for a benchmark that ships with Flipside. split: for benchmarks that come in splits, of
    which one is read (`Declaration.splits`); others ignore it.

    >>> next(iter(load_benchmark("world"))).protocol.value
    'quad'
    """
    known = declaration(name)
    folder = None if data_dir is None else Path(fspath(data_dir)).expanduser().resolve()
    if known.open_file is not None and folder is not None and folder.is_file():
        return known.open_file(folder)
    source = known.opened(folder, split)
    return Benchmark(
        name=known.name_of(source) if known.name_of else name,
        open_items=lambda: guarded(known.read(source), source),
        data_dir="" if folder is None else str(folder),
        split="" if source.split == known.default_split else source.split,
        templates=known.templates(source) if known.templates else {},
        about=known.about(source) if known.about else {},
        files_missing=tuple(known.missing_files(source)),
    )


def recognise(folder: Path) -> list[str]:
    """The names of the benchmarks whose files lie in a folder or below it."""
    found = Folder(folder)
    known = [name for name in REGISTRY if declaration(name).recognises(found)]
    return [name for name in known if name != OWN] or known  # a known benchmark's tables are nobody's own

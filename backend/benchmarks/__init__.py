"""Benchmarks by name: one file a benchmark's original format, one line in the registry."""

import difflib
import importlib
from collections.abc import Iterator
from os import PathLike, fspath
from pathlib import Path
from typing import cast

from backend import plugins
from backend.benchmarks.base import Declaration, Source
from backend.benchmarks.items_folder.kept import is_kept, kept_declaration
from backend.benchmarks.reading.folder import Folder
from backend.benchmarks.reading.guard import guarded
from backend.errors import FlipsideError, UsageError
from backend.items import Benchmark, Item, Skipped
from backend.paths import cache_dir, typed_path
from backend.recorded import data_of
from backend.stores import mirror, opening

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
    "vsr": "backend.benchmarks.answers.vsr:VSR",
    "naturalbench": "backend.benchmarks.answers.naturalbench:NATURALBENCH",
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
#: Those of other installed packages.
BROUGHT = plugins.Group(
    "benchmarks", "benchmark", "a backend.benchmarks.base.Declaration with the name of its entry point",
    lambda name, found: plugins.named_wrong(Declaration, name, found), lambda: REGISTRY,
)  # fmt: skip


def names() -> list[str]:
    """All benchmark names, in the registry's order; then those of other installed packages, none of them imported."""
    return [*REGISTRY, *BROUGHT.names()]


def declarations() -> Iterator[Declaration]:
    """All that can be used; a broken one of another package is skipped, and named by `plugins.troubles`."""
    yield from (declaration(name) for name in REGISTRY)
    yield from (found for _, found in BROUGHT.usable())


def known(name: str) -> Declaration | None:
    """What is known about a benchmark of the registry or of an installed package; None for all others, and where that
    package is no longer installed or broken: what was stored of it can still be read."""
    if name in REGISTRY:
        return declaration(name)
    try:
        return declaration(name) if BROUGHT.has(name) else None
    except plugins.PluginError as error:
        plugins.note(str(error))
        return None


def declaration(name: str) -> Declaration:
    """What is known about a benchmark before any file of it is read; UsageError with near matches for a wrong name,
    PluginError for one of another package that cannot be used."""
    if is_kept(name):
        return kept_declaration(name)
    if name not in REGISTRY and BROUGHT.has(name):
        return cast(Declaration, BROUGHT.load(name))
    if name not in REGISTRY:
        near = difflib.get_close_matches(name, names(), n=3)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"unknown benchmark '{name}'.{hint} Available: {', '.join(names())}.")
    module, attribute = REGISTRY[name].split(":")
    found = getattr(importlib.import_module(module), attribute)
    if not isinstance(found, Declaration) or found.name != name:
        raise TypeError(f"{REGISTRY[name]} must be the Declaration named '{name}'")
    return found


def remembered(name: str) -> Path | None:
    """The data folder of a benchmark that needs one, as the latest import or run here named it; None where none did,
    and for benchmarks whose folder decides what they are (own data, image folders)."""
    if is_kept(name) or name == OWN:
        return None
    declared = declaration(name)
    return data_of(cache_dir(), name) if declared.needs_data and declared.name_of is None else None


def load_benchmark(name: str, data_dir: str | PathLike[str] | None = None, split: str | None = None) -> Benchmark:
    """The benchmark, read lazily from `data_dir`; UsageError where the folder does not hold its files.

    `data_dir` may be an address in an object store (stores/mirror.py). It may be None for a benchmark that ships with
    Flipside, and for one that was read here before: its folder is remembered (`remembered`). split: for benchmarks that
    come in splits, of which one is read (`Declaration.splits`); others ignore it.

    >>> next(iter(load_benchmark("world"))).protocol.value
    'quad'
    """
    declared = declaration(name)
    url = "" if data_dir is None else opening.as_url(fspath(data_dir))
    if data_dir is not None and not url:
        opening.refuse_other_scheme(fspath(data_dir))
    if url:
        folder: Path | None = mirror.mirrored(url).resolve()
    else:
        folder = remembered(name) if data_dir is None else typed_path(fspath(data_dir)).resolve()
        url = "" if folder is None else mirror.url_of(folder)
    if declared.open_file is not None and folder is not None and folder.is_file():
        return declared.open_file(folder)
    source = declared.opened(folder, split)
    return Benchmark(
        name=declared.name_of(source) if declared.name_of else name,
        open_items=lambda: _where(guarded(_read(declared, source), source), folder, url),
        data_dir="" if folder is None else str(folder),
        split="" if source.split == declared.default_split else source.split,
        templates=declared.templates(source) if declared.templates else {},
        about=declared.about(source) if declared.about else {},
        files_missing=tuple(declared.missing_files(source)),
    )


def _where(items: Iterator[Item | Skipped], folder: Path | None, url: str) -> Iterator[Item | Skipped]:
    """The items, the pictures of a mirrored folder named by their addresses in the store."""
    return mirror.of_store(items, folder, url) if url and folder is not None else items


def _read(declared: Declaration, source: Source) -> Iterator[Item | Skipped]:
    """The items; whatever another package's reader raises is told as its fault, in one sentence."""
    if not BROUGHT.has(declared.name):
        yield from declared.read(source)
        return
    try:
        yield from declared.read(source)
    except FlipsideError:
        raise
    except (Exception, SystemExit) as error:
        raise BROUGHT.blamed(declared.name, error) from error


def recognise(folder: Path) -> list[str]:
    """The names of the benchmarks whose files lie in a folder or below it."""
    found = Folder(folder)
    fits = [each.name for each in declarations() if _recognises(each, found)]
    return [name for name in fits if name != OWN] or fits  # a known benchmark's tables are nobody's own


def _recognises(declared: Declaration, folder: Folder) -> bool:
    """Whether a folder is the benchmark's; the check of another package's benchmark may raise anything."""
    try:
        return declared.recognises(folder)
    except Exception as error:
        if declared.name in REGISTRY:
            raise
        plugins.note(f"the benchmark '{declared.name}' is not looked for: its check raised {plugins.said(error)}.")
        return False

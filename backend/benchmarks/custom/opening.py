"""A table, or a folder of tables and pictures, as a benchmark."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from shlex import quote

from backend.benchmarks.base import Source
from backend.benchmarks.custom import tables
from backend.benchmarks.custom.columns import Mapping
from backend.benchmarks.custom.mapping import of_table
from backend.benchmarks.custom.pictures import Pictures
from backend.benchmarks.custom.pieces import refuse_incomplete
from backend.benchmarks.custom.reading import read_table
from backend.benchmarks.items_folder.folder import is_own_folder, read_own
from backend.benchmarks.reading.folder import Folder
from backend.benchmarks.reading.guard import guarded
from backend.errors import FlipsideError, UsageError
from backend.items import Benchmark, Item, Skipped
from backend.names import LONGEST, NAME, NAME_HAS, composed
from backend.paths import typed_path
from backend.regular import not_a_folder, refuse_other

PREFIX = "custom:"
WANTED = "a CSV, TSV, JSON, JSON Lines or Parquet table of captions, with the pictures beside it or below"
_LABEL = re.compile(r"[^\w.()-]+")

#: How a table's mapping is found: `of_table`, or what the command line says.
Mapped = Callable[[Path], Mapping]


def label_of(text: str) -> str:
    """What stands after `custom:` for a file or folder of that name.

    >>> label_of("my captions, v2.csv")
    'my-captions-v2'
    """
    stem = composed(text)
    for suffix in (*tables.SUFFIXES, ".zip"):
        stem = stem[: -len(suffix)] if stem.lower().endswith(suffix) else stem
    return _LABEL.sub("-", stem).strip("-.") or "mine"


def check_label(label: str, said: str = "--as") -> str:
    """The label itself, its letters composed. UsageError for one that could only be kept as something else: in the
    words of add-predictions. What `label_of` makes of a file's name passes. said: what the error calls it.

    >>> check_label("my captions (v2)")
    'my captions (v2)'
    """
    label = composed(label)
    if not NAME.fullmatch(label) and (label != label_of(label) or len(label) > LONGEST):
        raise UsageError(f"{said} {label}: a benchmark's name has {NAME_HAS}.")
    return label


def opened(
    path: Path,
    label: str | None = None,
    mapped: Mapped = of_table,
    images: Path | None = None,
    *,
    full_paths: bool = False,
) -> Benchmark:
    """The benchmark in a table, in a folder of tables, or in a folder as Flipside writes it.

    label: what stands after `custom:`; the file's or folder's name without it. images: where pictures are looked for
    besides the table's own folder. full_paths: whether a table may name pictures by their full path.
    UsageError where nothing there is a table, where pieces of a split are missing, or where it is not clear which
    column is what.
    """
    path = typed_path(path).resolve()
    if images is not None and not images.is_dir():
        raise UsageError(f"{images}: {not_a_folder(images)}. --images is the folder that holds the pictures.")
    name = f"{PREFIX}{label_of(label or path.name)}"
    if path.is_dir() and is_own_folder(path):
        kept = read_own(path, absolute=full_paths)
        return Benchmark(name, kept.open_items, str(path), templates=kept.templates, about={**kept.about})
    found = _tables(path)
    refuse_incomplete(found)
    known, trouble = _mappings(found, mapped)

    def entries() -> Iterator[Item | Skipped]:
        for table, mapping in known.items():
            pictures = Pictures(table.parent, images, whole=path if path.is_dir() else None, full_paths=full_paths)
            yield from read_table(table, mapping, pictures)
        yield from (Skipped(table.name, reason, item=table.name) for table, reason in trouble.items())

    about = {"from": path.name, "mapping": {table.name: mapping.document() for table, mapping in known.items()}}
    return Benchmark(name, lambda: guarded(entries(), Source(None)), str(path), about=about)


def doubted(path: Path, benchmark: Benchmark) -> list[str]:
    """What is to be said of the tables that a benchmark was opened from (`tables.doubted`), a sentence each."""
    known = benchmark.about.get("mapping", {})
    return [
        said
        for table in (_tables(path) if known else ())
        if table.name in known and (said := tables.doubted(table))
    ]  # fmt: skip


def _tables(path: Path) -> list[Path]:
    if path.is_file():
        if path.suffix.lower() == ".zip":
            raise UsageError(f"{path}: import an archive first, with flipside import custom --data {quote(path.name)}.")
        if not tables.is_table(path):
            raise UsageError(f"{path}: expected a table, that is a file ending in {', '.join(tables.SUFFIXES)}.")
        return [path]
    if not path.is_dir():
        if path.exists():
            refuse_other(path, f"--data for custom is {WANTED}")
        raise UsageError(f"{path}: no such file or folder. --data for custom is {WANTED}.")
    folder = Folder(path)
    found = sorted(table for suffix in tables.SUFFIXES for table in folder.find_all(f"*{suffix}"))
    found = [table for table in found if tables.is_table(table)]
    if not found:
        raise UsageError(f"{path}: expected {WANTED}; found {folder.listing()}.")
    kept = sorted({table.parent for table in found if is_own_folder(table.parent)})
    if len(kept) > 1:
        named = ", ".join(str(each.relative_to(path)) for each in kept[:8]) + (" …" if len(kept) > 8 else "")
        raise UsageError(f"{path}: holds {len(kept)} kept benchmarks ({named}). Give one of these folders as --data.")
    stems = [table.stem for table in found]
    twice = sorted({stem for stem in stems if stems.count(stem) > 1})
    if twice:
        both = ", ".join(str(table.relative_to(path)) for table in found if table.stem == twice[0])
        raise UsageError(
            f"{path}: two tables are called {twice[0]} ({both}), so their items would be, too. Rename one."
        )
    return found


def _mappings(found: Sequence[Path], mapped: Mapped) -> tuple[dict[Path, Mapping], dict[Path, str]]:
    """The mapping of each table, and why others are left out; the error of the first where none has any."""
    known: dict[Path, Mapping] = {}
    trouble: dict[Path, str] = {}
    first: FlipsideError | None = None
    for table in found:
        try:
            known[table] = mapped(table)
        except FlipsideError as error:
            first = first or error
            trouble[table] = str(error).removeprefix(f"{table}: ")
    if first is not None and not known:
        raise first
    return known, trouble

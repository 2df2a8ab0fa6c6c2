"""Own data that is kept: a table, a folder or an archive becomes `custom:<label>`, found by that name from then on.

What is kept under `<cache>/own/custom:<label>/` (benchmarks/items_folder) are the items; pictures stay where they
are, but those of an archive are unpacked there, under the hash of its bytes.
"""

import dataclasses
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backend import locks, paths, unpacking
from backend.benchmarks.custom.columns import Mapping
from backend.benchmarks.custom.identical import Identical
from backend.benchmarks.custom.mapping import of_table
from backend.benchmarks.custom.opening import PREFIX, check_label, label_of, opened
from backend.benchmarks.fetching.trouble import FileError
from backend.benchmarks.fetching.unpack import unpack
from backend.benchmarks.items_folder.folder import HEAD, Written, own_folder, read_head, read_own, write_own
from backend.engine.inputs.selection import Selection
from backend.engine.storage import files
from backend.errors import FlipsideError, UsageError
from backend.intake.survey import Survey, survey
from backend.items import Benchmark, Item, Skipped
from backend.unpacking import ArchiveError

#: What an archive of one's own may unpack to; `backend.unpacking` has the limits of all archives.
MOST_BYTES = 64 << 30

See = Callable[[Item | Skipped], object]


@dataclass(frozen=True)
class Kept:
    """A benchmark that was kept. found: one pass over it, with what was skipped. replaced: the hash of what stood
    there before under the same name and from the same source, "" where that was nothing or the same. identical: rows
    that say the same (`Identical.documents`)."""

    benchmark: Benchmark
    written: Written
    found: Survey
    replaced: str = ""
    identical: Sequence[dict[str, Any]] = ()


def save(path: Path, mapping: Mapping | None, label: str, *, images: Path | None = None, replace: bool = False) -> Kept:
    """Keep a table, a folder or a zip as `custom:<label>`, for people in a browser: full paths are not followed.

    mapping: of a single table; without it each table's own `mapping.json`, or what its columns' names tell.
    """
    check_label(label, "the name")
    mapped = of_table if mapping is None else (lambda _: mapping)
    with keeping(path, label) as source:
        return keep(opened(source, label, mapped, images), Selection(), path.name, replace=replace)


@contextmanager
def keeping(path: Path, label: str) -> Iterator[Path]:
    """What to read: the path itself, or the folder that an archive is unpacked to, which is removed where nothing comes
    of it. Sessions that keep data under one name wait for each other."""
    name = f"{PREFIX}{label_of(label)}"
    with own_lock(name):
        is_archive = path.suffix.lower() == ".zip" and path.is_file()
        try:
            yield unpacked(path, name) if is_archive else path
        finally:
            if is_archive:
                _remove_unused(own_folder(name))


def keep(
    benchmark: Benchmark, selection: Selection, source: str, *, replace: bool = False, see: See | None = None
) -> Kept:
    """Survey a benchmark of one's own into the cache and keep its items under its name; only inside `keeping`.

    source: what it is made from. UsageError where a benchmark of that name was made from something else, unless it may
    be replaced. see: called with every item and skipped record.
    """
    folder = own_folder(benchmark.name)
    before = read_head(folder) if (folder / HEAD).is_file() else {}
    made_from = str(before.get("about", {}).get("from", ""))
    if before and made_from != source and not replace:
        raise UsageError(
            f"{benchmark.name} is there already, made from {made_from or 'saved items'} "
            f"({before.get('n_items')} items). Choose another name with --as, or replace it with --replace."
        )
    kept = dataclasses.replace(benchmark, about={**benchmark.about, "from": source})
    same = Identical()

    def both(entry: Item | Skipped) -> None:
        same.see(entry)
        if see is not None:
            see(entry)

    found = survey(kept, selection, paths.cache_dir(), see=both, is_import=True)
    written = write_own(folder, kept)
    was = str(before.get("hash", ""))
    return Kept(read_own(folder), written, found, was if was not in ("", written.hash) else "", same.documents())


def unpacked(archive: Path, name: str) -> Path:
    """The folder of an archive's content under the benchmark's own, named by the hash of its bytes.

    UsageError for an archive that is too large, FlipsideError for one that is damaged, holds links or names that lead
    out of it; nothing is left of it then.
    """
    _check_size(archive)
    folder = own_folder(name) / f"from-{files.sha256_of(archive)[:12]}"
    if folder.is_dir():
        return folder
    copy = folder.with_name(f"{folder.name}.zip")
    files.make_dir(folder.parent)
    try:
        with suppress(FileExistsError):
            try:
                os.link(archive, copy)
            except FileExistsError:
                raise
            except OSError:  # another disk
                shutil.copyfile(archive, copy)
        return unpack(copy)
    except FileError as error:
        said = str(error).replace(str(copy), str(archive)).replace("; delete it and fetch it again", "; zip it anew")
        raise FlipsideError(said.replace(copy.name, archive.name).replace(str(folder.parent), "the cache")) from None
    except OSError as error:
        raise FlipsideError(f"{archive}: cannot be unpacked ({error.strerror}). Make room in the cache.") from None
    finally:
        copy.unlink(missing_ok=True)
        with suppress(OSError):
            folder.parent.rmdir()  # only where it is empty


def _check_size(archive: Path) -> None:
    try:
        with unpacking.opened(archive) as opened_:
            entries = opened_.infolist()
    except ArchiveError as error:
        raise UsageError(f"{archive}: {error}. Give the folder instead.") from None
    except (OSError, *unpacking.DAMAGED) as error:
        raise FlipsideError(f"{archive}: cannot be read as a zip ({error}). Zip the folder anew.") from None
    if (size := sum(entry.file_size for entry in entries)) > MOST_BYTES:
        raise UsageError(
            f"{archive}: {size >> 30} GiB unpacked, more than {MOST_BYTES >> 30}. Give the folder instead."
        )


def _remove_unused(folder: Path) -> None:
    """Away with unpacked archives of which no kept item shows a picture, and with a folder in which nothing is left."""
    head = folder / HEAD
    kept = (folder / read_head(folder)["items"]).read_text(encoding="utf-8") if head.is_file() else ""
    for path in folder.glob("from-*"):
        if path.is_dir() and f"/{path.name}/" not in kept:
            shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        folder.rmdir()


@contextmanager
def own_lock(name: str) -> Iterator[None]:
    """Held while a benchmark of one's own is written: sessions that save at once wait for each other."""
    folder = own_folder(name).parent
    files.make_dir(folder)
    with locks.held(folder / f".{name}.lock"):
        yield

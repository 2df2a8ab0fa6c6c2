"""A results bundle: one run with its benchmark's items in a zip file that another machine verifies and takes over."""

import zipfile
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from backend import plain_json, recorded, unpacking
from backend.durable import scratch_folder, unwritable
from backend.engine.storage import shards
from backend.errors import FlipsideError
from backend.paths import cache_dir
from backend.regular import refuse_other
from backend.store.build import forms
from backend.store.build.sources import read_json
from backend.store.exchange import imported
from backend.store.exchange.check import verify
from backend.store.exchange.verdicts import DOCUMENT
from backend.unpacking import ArchiveError, Budget

FORMAT = 1
LISTING = "bundle.json"
MADE_BY = "the zip file that `flipside export` makes with --what bundle"
#: Values in the listing at most: four for each file.
MOST_LISTED = 5 * unpacking.MOST_ENTRIES


@dataclass(frozen=True)
class Imported:
    """What an import did: parts that are new here, parts that were here already, whether its items were not here."""

    run_id: str
    model: str
    benchmark: str
    new: list[str]
    known: list[str]
    items: bool = False


class _OtherError(FlipsideError):
    """An archive that is sound, but not what this version can import; a fresh copy would not help."""


def read_bundle(path: Path) -> Imported:
    """Verify a bundle and take it over into the cache; idempotent. A damaged one is refused whole, in one sentence."""
    refuse_other(path, f"expected a results bundle, {MADE_BY}")
    cache_dir().mkdir(parents=True, exist_ok=True)
    recorded.begin(cache_dir())  # what is here already, before anything comes from elsewhere
    with ExitStack() as held:
        try:
            archive = held.enter_context(unpacking.opened(path))
        except (OSError, ArchiveError, *unpacking.DAMAGED) as error:
            raise FlipsideError(
                f"{path}: is no results bundle ({_said(error)}). `flipside export` makes one, with --what bundle."
            ) from None
        root = held.enter_context(scratch_folder(cache_dir()))
        try:
            run_id, benchmark = _unpack(archive, root, Budget(path.stat().st_size))
            verify(root, run_id, benchmark)
        except _OtherError as error:
            raise FlipsideError(f"{path}: {error}") from None
        except (
            KeyError,
            TypeError,
            AttributeError,
            OverflowError,
            OSError,
            ArchiveError,
            *unpacking.DAMAGED,
            pa.ArrowException,
        ) as error:
            if said := unwritable(error, cache_dir()):
                raise FlipsideError(f"{path}: nothing was imported. {said}") from None
            raise FlipsideError(
                f"{path}: refused, nothing was imported: {_said(error).rstrip('.')}. Get a fresh copy."
            ) from error
        record = read_json(root / "runs" / run_id / shards.RECORD)
        new, known, items = imported.take(root, run_id, benchmark, path)
        if not new:  # by the name that it has here: a record says of itself what it will
            record = next((read_json(side.folder / shards.RECORD) for side in imported.others(run_id)), record)
    return Imported(run_id, str(record["model"]["spec"]), str(record["benchmark"]["name"]), new, known, items)


def _said(error: Exception) -> str:
    """What was raised, in one line. A KeyError's words would stand in quotes, and a name in the zip's own directory
    that is no text has no file to be named by."""
    if isinstance(error, UnicodeDecodeError):
        return "the zip names a file in bytes that are no UTF-8"
    if isinstance(error, KeyError) and error.args:
        return str(error.args[0])
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _listing(archive: zipfile.ZipFile) -> Mapping[str, Any]:
    """What a bundle says that it holds, held to its form. _OtherError for what is no bundle of this format."""
    if DOCUMENT in archive.namelist():
        raise _OtherError(
            f"holds {DOCUMENT}: verdicts without scores, for reading; nothing is imported. `flipside fetch results` "
            "brings the scores from their own place."
        )
    if LISTING not in archive.namelist():
        raise _OtherError(
            f"holds no {LISTING}, so it is no results bundle. `flipside export` makes one, with --what bundle."
        )
    said = unpacking.document(archive, LISTING)
    if said.count(b"[") + said.count(b"{") > MOST_LISTED:  # before millions of objects are made of it
        raise ValueError(f"{LISTING} lists more than {unpacking.MOST_ENTRIES:,} files")
    try:
        listing = plain_json.loads(said.decode(), MOST_LISTED)
    except UnicodeDecodeError as error:
        raise ValueError(f"{LISTING} is no text: expected JSON in UTF-8, not so from byte {error.start} on") from None
    except ValueError as error:
        raise ValueError(f"{LISTING} is not what a bundle has, a JSON object of bounded numbers: {error}") from None
    of = listing.get("format") if isinstance(listing, dict) else None
    if isinstance(of, int) and of != FORMAT:  # a later version's listing may have another form
        advice = "Update Flipside here" if of > FORMAT else "Export it anew with a version of today"
        raise _OtherError(
            f"is a bundle of format {of}, and this version reads {FORMAT}. {advice}; nothing was imported."
        )
    forms.check(LISTING, listing, {LISTING: forms.ListingForm})
    return dict(listing)


def _unpack(archive: zipfile.ZipFile, root: Path, budget: Budget) -> tuple[str, str]:
    """Every listed file under `root`, checked for name, size and checksum; the run's id and the benchmark's hash."""
    listing = _listing(archive)
    twice = [name for name, n in Counter(archive.namelist()).items() if n > 1]
    if twice:
        raise ValueError(f"it holds '{twice[0][:80]}' twice")
    run_id, benchmark = str(listing["run"]), str(listing["benchmark"])
    for name in (run_id, benchmark):
        if not (name and name.isalnum() and name.isascii()):
            raise ValueError(f"'{name[:40]}' is no id")
    folders = {f"runs/{run_id}", f"benchmarks/{benchmark}"}
    extra = set(archive.namelist()) - {LISTING} - set(listing["files"])
    if extra:
        raise ValueError(f"it holds '{min(extra)[:80]}', which its listing does not name")
    for name, entry in listing["files"].items():
        folder, _, file = str(name).rpartition("/")
        if folder not in folders or file in ("", ".", "..") or "\\" in file or "\0" in file:
            raise ValueError(f"it holds a file at '{str(name)[:80]}', outside its run and benchmark")
        size = int(entry["size"])
        if file.endswith(".json") and size > unpacking.MOST_JSON:
            raise ValueError(f"{str(name)[:80]} is longer than {unpacking.MOST_JSON >> 20} MB, as no honest one is")
        target = root / folder / file
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(name) as member, target.open("xb") as out:
            digest = unpacking.copy(member, out, budget, size)
        if target.stat().st_size != size or digest != entry["sha256"]:
            raise ValueError(f"{str(name)[:80]} is damaged: it does not match its checksum")
    return run_id, benchmark

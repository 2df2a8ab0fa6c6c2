"""The generation of what ships with an example on top, imported once at set-up (make_first_example.py).

It lies beside that generation (store/build/first.py), under its name, and holds for the same code and results. What is
made ahead of a first look at the example (ahead.py) begins with a copy of it, where the cache holds nothing else than
what ships: its import takes seconds otherwise.
"""

import contextlib
from hashlib import sha256
from pathlib import Path
from typing import Final

import duckdb

from backend.errors import FlipsideError
from backend.paths import cache_dir
from backend.store.build import attached, first, generations, importer, schema, sources

SUFFIX: Final = f".example{generations.SUFFIX}"


def found(place: Path) -> Path | None:
    """The file, where there is one that fits. place: the folder of the example."""
    if not any(first.folder().glob(f"{first.PREFIX}*{SUFFIX}")):
        return None
    path = target(place)
    return path if path.is_file() else None


def target(place: Path) -> Path:
    """Where it is to lie."""
    which = sha256(str(place.resolve()).encode()).hexdigest()[:8]
    return first.folder() / f"{first.PREFIX}{first.key()}-{which}{SUFFIX}"


def instead_of(base: Path, place: Path) -> Path | None:
    """The file, where it holds all that a generation does, scores and items alike, and can be read; else None."""
    path = found(place)
    if path is None:
        return None
    try:
        with contextlib.closing(importer.connect(path, read_only=True)) as mine:
            if schema.version_of(mine) != schema.VERSION or attached.wrong(mine, attached.folder_of(path)):
                return None
            known = _content(mine)
    except (OSError, duckdb.Error, FlipsideError):  # another set-up may be at work, too
        return None
    with contextlib.closing(importer.connect(base, read_only=True)) as there:
        return path if _content(there) <= known else None


def _content(connection: duckdb.DuckDBPyConnection) -> set[tuple[object, ...]]:
    """What tells one generation's content from another's: benchmarks by their fingerprints, runs by their records,
    scores by the checksums of their shards."""
    found: set[tuple[object, ...]] = set()
    for asked in (
        "SELECT hash, fingerprint FROM benchmarks",
        "SELECT run_id, record, origin FROM runs",
        "SELECT run_id, part, complete, array_to_string(shards, ' ') FROM run_parts",
    ):
        found |= set(connection.execute(asked).fetchall())
    return found


def settle_in(connection: duckdb.DuckDBPyConnection) -> None:
    """Let a copy of the file say that the example's runs lie in this cache: it was made in another one."""
    here, shipped = str(cache_dir()), str(sources.roots()[0])
    connection.execute("UPDATE run_parts SET root = ? WHERE root <> ?", [here, shipped])

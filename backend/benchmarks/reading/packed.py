"""Parquet shards with pictures inside: rows one after the other, each picture unpacked once into the cache.

An image's uri is a path, so a picture has to be a file. It lies under `<cache>/images/`, named by the sha256 of its
bytes: whoever reads the shard again finds it there, and the folder may be deleted at any time.
"""

import hashlib
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backend import images, paths
from backend.benchmarks.reading.malformed import Malformed
from backend.durable import IN_CACHE, not_written, write_synced
from backend.errors import FlipsideError

#: Rows that are in memory at once; a picture may have several megabytes.
BATCH = 8


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a row. path: where it was unpacked, "" where the row holds none. digest: sha256 of its bytes."""

    path: str
    digest: str = ""


def has_columns(path: Path, columns: Collection[str]) -> bool:
    """Whether a file is Parquet with these columns. A broken one may be; `rows` says what is wrong with it, where
    leaving it out would leave its items out silently."""
    from pyarrow import ArrowException, parquet

    try:
        return set(columns) <= set(parquet.read_schema(path).names)
    except (ArrowException, OSError):
        return True


def picture_columns(path: Path) -> tuple[str, ...]:
    """The columns of a Parquet file that hold pictures, by their type: a structure of `bytes` and `path`, as hubs serve
    them, or bytes alone. None of a file that cannot be read; whoever reads its rows says why."""
    from pyarrow import ArrowException, parquet, types

    def holds(kind: Any) -> bool:
        if types.is_struct(kind):
            return any(kind.field(k).name == "bytes" and _is_bytes(kind.field(k).type) for k in range(kind.num_fields))
        return _is_bytes(kind)

    def _is_bytes(kind: Any) -> bool:
        return bool(types.is_binary(kind) or types.is_large_binary(kind))

    try:
        return tuple(field.name for field in parquet.read_schema(path) if holds(field.type))
    except (ArrowException, OSError):
        return ()


def rows(path: Path, pictures: Collection[str], look: bool = False) -> Iterator[tuple[int, Any]]:
    """(row from 1, {column: value}); a column of `pictures` holds a Picture. FlipsideError for a broken file.

    A picture is what the `datasets` library writes: a structure of `bytes` and `path`, or the bytes alone. look:
    whether a row with bytes that are no whole picture is a Malformed; in the cache, where they go, nobody could mend
    it.
    """
    from pyarrow import ArrowException

    from backend import parquet_in

    place = 0
    try:
        seen = parquet_in.look([(path, parquet_in.PICTURES)])[0]
        for batch in parquet_in.batches(path, seen, BATCH):
            for row in batch.to_pylist():
                place += 1
                yield place, _unpacked(row, pictures, look)
    except parquet_in.ParquetError as error:
        if error.mend:
            raise FlipsideError(f"{path}: {error.reason}. {error.mend}") from None
        raise FlipsideError(
            f"{path}: is broken or no Parquet ({error.reason}). Copy the original file again."
        ) from None
    except (ArrowException, OSError) as error:
        raise FlipsideError(
            f"{path}, row {place + 1}: is broken or no Parquet ({str(error).splitlines()[0][:120]}). Copy the original "
            "file again."
        ) from None


def _unpacked(row: dict[str, Any], pictures: Collection[str], look: bool) -> dict[str, Any] | Malformed:
    for column in pictures:
        value = row.get(column)
        data = value.get("bytes") if isinstance(value, Mapping) else value
        if data is not None and not isinstance(data, bytes):
            return Malformed(f"'{column}' holds no picture")
        if look and data and (why := images.wrong(data)):
            return Malformed(f"'{column}' holds no picture that can be read ({why})")
        path = keep(data) if data else None
        row[column] = Picture("" if path is None else str(path), "" if path is None else path.name)
    return row


def keep(data: bytes) -> Path:
    """The file in the cache that holds these bytes, written aside, fsynced and renamed where it is not there yet."""
    path = paths.cache_dir() / "images" / hashlib.sha256(data).hexdigest()
    try:
        if path.is_file() and path.stat().st_size == len(data):
            return path
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_name(f".aside-{os.getpid()}-{path.name}")
        write_synced(aside, data)
        aside.replace(path)
    except OSError as error:
        raise FlipsideError(not_written(error, path, IN_CACHE)) from error
    return path

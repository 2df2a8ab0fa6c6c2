"""The first look at somebody's Parquet files, in a process of its own: what they unpack to is counted before anybody
unpacks it.

`backend.parquet_in` starts this file as a script: it imports nothing of ours, bounds its own memory first, and
writes one JSON line a file. Texts are read as dictionaries: each different one is in memory once, however often it
occurs, and its length is counted for every row that names it.
"""

import json
import resource
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

#: Memory that the look may take, beyond what this process has before it: several pages, and a batch.
MEMORY: Final = 1 << 30
#: A batch of the look: rows, values of one column, bytes as the file's own metadata has them.
_ROWS, _VALUES, _BYTES = 65_536, 1 << 20, 64 << 20
#: Rows that DuckDB has in memory at once.
STRIDE: Final = 2048

Sizes = NDArray[np.int64]


class TooMuchError(ValueError):
    """The file holds more than its reader takes."""


class TwiceError(ValueError):
    """Two columns, or two fields of one structure, have the same name: which is meant, nobody can tell."""


class Counter:
    """Counts what rows take, unpacked, and stops at the first that is too much. Bytes, for all numbers."""

    def __init__(self, limits: dict[str, int]) -> None:
        self.limits = limits
        self.rows = self.total = self.widest = self.longest = self.stride = 0
        self._filled = self._sum = 0
        self._known: dict[tuple[int, int], tuple[pa.Array, Sizes]] = {}
        self._before = self._known

    def add(self, batch: pa.RecordBatch) -> None:
        """Count a batch. TooMuchError."""
        self._before, self._known = self._known, {}
        rows = np.zeros(batch.num_rows, np.int64)
        for column in batch.columns:
            rows += self._sizes(column)
        self.rows += len(rows)
        self.total += int(rows.sum())
        self.widest = max(self.widest, int(rows.max(initial=0)))
        at = 0
        while at < len(rows):
            part = rows[at : at + STRIDE - self._filled]
            at += len(part)
            self._filled += len(part)
            self._sum += int(part.sum())
            self.stride = max(self.stride, self._sum)
            if self._filled == STRIDE:
                self._filled = self._sum = 0
        self._check()

    def _check(self) -> None:
        most = self.limits
        if self.rows > most["rows"]:
            raise TooMuchError(f"holds more than {most['rows']:,} rows")
        if self.longest > most["text"]:
            raise TooMuchError(f"holds a value of more than {most['text']:,} bytes")
        if self.widest > most["row"]:
            raise TooMuchError(f"holds a row of more than {most['row']:,} bytes")
        if self.stride > most["stride"]:
            raise TooMuchError(f"unpacks to more than {most['stride']:,} bytes in {STRIDE:,} rows")
        if self.total > most["total"]:
            raise TooMuchError(f"unpacks to more than {most['total']:,} bytes")

    def _sizes(self, column: pa.Array) -> Sizes:
        """What each value takes."""
        kind = column.type
        if pa.types.is_dictionary(kind):
            lengths = self._lengths(column.dictionary)
            if not len(lengths):
                return np.full(len(column), 4, np.int64)
            used = column.indices.fill_null(0).to_numpy(zero_copy_only=False)
            found = lengths[used]
            self.longest = max(self.longest, int(found.max(initial=0)))
            return np.asarray(found + 4)
        if pa.types.is_map(kind):
            return self._lists(column.offsets, self._sizes(column.keys) + self._sizes(column.items))
        if pa.types.is_list(kind) or pa.types.is_large_list(kind):
            return self._lists(column.offsets, self._sizes(column.values))
        if pa.types.is_fixed_size_list(kind):
            return np.asarray(self._sizes(column.flatten()).sum() + np.zeros(len(column), np.int64))
        if pa.types.is_struct(kind):
            parts = [self._sizes(part) for part in column.flatten()]
            return np.asarray(sum(parts, np.zeros(len(column), np.int64)))
        if pa.types.is_null(kind):
            return np.ones(len(column), np.int64)
        try:
            width = max(1, kind.bit_width // 8)
        except ValueError:
            lengths = self._lengths(column)
            self.longest = max(self.longest, int(lengths.max(initial=0)))
            return np.asarray(lengths + 4)
        self.longest = max(self.longest, width if pa.types.is_fixed_size_binary(kind) else 0)
        return np.full(len(column), width, np.int64)

    def _lists(self, offsets: pa.Array, values: Sizes) -> Sizes:
        ends = np.concatenate([[0], np.cumsum(values)])
        each: Sizes = np.diff(ends[offsets.to_numpy()]) + 4
        return each

    def _lengths(self, values: pa.Array) -> Sizes:
        """Bytes of each text. One dictionary may come with many batches; those of the last one are kept."""
        key = (values.buffers()[-1].address if values.buffers()[-1] else 0, len(values))
        if key in self._before:
            self._known[key] = self._before[key]
        if key in self._known:
            return self._known[key][1]
        is_text = (pa.types.is_string, pa.types.is_binary, pa.types.is_large_string, pa.types.is_large_binary)
        if any(is_one(values.type) for is_one in is_text):
            found = pc.binary_length(values).fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        else:
            found = self._sizes(values)
        self._known[key] = (values, found)
        return np.asarray(found, np.int64)


def opened(source: Path) -> pq.ParquetFile:
    """The file with every text column as a dictionary, read page by page."""
    with pq.ParquetFile(source) as file:
        columns = [file.schema.column(number) for number in range(len(file.schema))]
    texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    return pq.ParquetFile(source, read_dictionary=texts, buffer_size=1 << 20, pre_buffer=False)


def check_metadata(found: Any, limits: dict[str, int]) -> None:
    """What the file says of itself is not too much; it may lie. TooMuchError."""
    if found.num_columns > limits["columns"]:
        raise TooMuchError(f"has {found.num_columns:,} columns, more than {limits['columns']:,}")
    if found.num_rows > limits["rows"]:
        raise TooMuchError(f"holds {found.num_rows:,} rows, more than {limits['rows']:,}")
    size = sum(found.row_group(number).total_byte_size for number in range(found.num_row_groups))
    if size > limits["total"]:
        raise TooMuchError(f"unpacks to {size:,} bytes, more than {limits['total']:,}")
    for number in range(found.num_row_groups):
        group = found.row_group(number)
        values = max((group.column(n).num_values for n in range(group.num_columns)), default=0)
        if values > limits["total"]:
            raise TooMuchError(f"holds {values:,} values in one column")


def check_names(fields: Iterable[Any], within: str = "") -> None:
    """Every name is there once, in the table and in each structure in it. TwiceError that names the first other."""
    seen = set()
    for field in fields:
        if field.name in seen:
            raise TwiceError(f"{within or 'the column'} {field.name!r} occurs twice")
        seen.add(field.name)
        if pa.types.is_nested(field.type):
            inner = [field.type.field(number) for number in range(field.type.num_fields)]
            check_names(inner, within or f"in the column {field.name!r}, the field")


def _step(found: Any) -> int:
    """Rows of a batch."""
    step = _ROWS
    for number in range(found.num_row_groups):
        group = found.row_group(number)
        if group.num_rows > 0:
            values = max((group.column(n).num_values for n in range(group.num_columns)), default=1) / group.num_rows
            step = min(
                step, int(_VALUES / max(1, values)), int(_BYTES / max(1, group.total_byte_size / group.num_rows))
            )
    return max(1, step)


_TOO_LARGE = "takes more memory to read than any honest file of its size"


def look(source: Path, limits: dict[str, int]) -> dict[str, Any]:
    """rows, total, widest (row), longest (text) of a file; or `refused`, in a few words, with `mend`, what to do, where
    it is not to write or copy the file again."""
    counter = Counter(limits)
    try:
        with opened(source) as file:
            check_metadata(file.metadata, limits)
            check_names(file.schema_arrow)
            step = _step(file.metadata)
            for group in range(file.num_row_groups):  # each has dictionaries of its own
                for batch in file.iter_batches(batch_size=step, row_groups=[group], use_threads=False):
                    counter.add(batch)
    except TooMuchError as error:
        return {"refused": str(error)}
    except TwiceError as error:
        return {"refused": str(error), "mend": "Rename one of them."}
    except MemoryError:
        return {"refused": _TOO_LARGE}
    except (pa.ArrowException, OSError, ValueError, IndexError) as error:
        if "bad_alloc" in str(error):  # memory ran out where the library takes it for a damaged file
            return {"refused": _TOO_LARGE}
        return {"refused": f"cannot be read as Parquet ({' '.join(str(error).split())[:120]})"}
    return {name: getattr(counter, name) for name in ("rows", "total", "widest", "longest")}


def bound(memory: int) -> None:
    """No more memory than this, beyond what the process has; macOS takes the limit without keeping to it."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (OSError, ValueError):
        pass


def _main(asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    bound(int(asked["memory"]))
    for name, limits in asked["files"]:
        yield look(Path(name), limits)


if __name__ == "__main__":
    for line in _main(json.load(sys.stdin)):
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()

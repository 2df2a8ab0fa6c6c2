"""Whether an import of items that are known already finds pictures that the one before did not."""

from itertools import zip_longest
from pathlib import Path

import pyarrow.parquet as pq

ROWS = 4096


def finds_more(known: Path, new: Path) -> bool:
    """Both are items.parquet of equal content hash. True where the new one names every picture that the known one does,
    by the same place, and some where that one names none (its folder is there now, or links are followed)."""
    more = False
    pairs = zip_longest(*(pq.ParquetFile(path).iter_batches(ROWS, columns=["image_uris"]) for path in (known, new)))
    for before, after in pairs:
        if before is None or after is None or len(before) != len(after):
            return False
        for old, found in zip(before["image_uris"].to_pylist(), after["image_uris"].to_pylist(), strict=True):
            if old == found:
                continue
            if len(old or ()) != len(found or ()) or any(a and a != b for a, b in zip(old, found, strict=True)):
                return False
            more = True
    return more

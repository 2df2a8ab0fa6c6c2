"""A table of one's own, in each of the forms that are read."""

import csv
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.benchmarks.samples.pictures import picture

ROWS = [
    {"image": f"{n}.jpg", "caption": f'A cat, "number {n}".', "negative": f"A dog é, number {n}."} for n in range(1, 6)
]


def write(folder: Path) -> None:
    """CSV."""
    with (folder / "mine.csv").open("w", newline="", encoding="utf-8") as out:
        table = csv.DictWriter(out, ROWS[0])
        table.writeheader()
        table.writerows(ROWS)
    _pictures(folder)


def write_lines(folder: Path) -> None:
    """JSON Lines."""
    (folder / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    _pictures(folder)


def write_list(folder: Path) -> None:
    """One JSON list."""
    (folder / "mine.json").write_text(json.dumps(ROWS))
    _pictures(folder)


def write_parquet(folder: Path) -> None:
    """Parquet."""
    pq.write_table(pa.Table.from_pylist(ROWS), folder / "mine.parquet")
    _pictures(folder)


def _pictures(folder: Path) -> None:
    for number in (1, 2, 3):
        picture(folder / "images" / f"{number}.jpg", number)

"""Winoground in its three layouts, with made-up content: JSON Lines with pictures, Parquet with pictures, a table."""

import csv
import io
import json
from pathlib import Path
from typing import Any

from PIL import Image

ROWS: list[dict[str, Any]] = [
    {
        "id": 0,
        "image_0": "ex_0_img_0",
        "image_1": "ex_0_img_1",
        "caption_0": "a dog on a cat",
        "caption_1": "a cat on a dog",
        "tag": "Noun",
        "secondary_tag": "",
        "num_main_preds": 1,
        "collapsed_tag": "Object",
    },
    {
        "id": 1,
        "image_0": "ex_1_img_0",
        "image_1": "ex_1_img_1",
        "caption_0": "it ran away, then hid",
        "caption_1": "it hid, then ran away",
        "tag": "Verb-Intransitive",
        "secondary_tag": "Series",
        "num_main_preds": 2,
        "collapsed_tag": "Relation",
    },
    {
        "id": 2,
        "image_0": "ex_2_img_0",
        "image_1": "ex_2_img_1",
        "caption_0": "a tall man fears a wall",
        "caption_1": "a man fears a tall wall",
        "tag": "Adjective, Noun",
        "secondary_tag": "",
        "num_main_preds": 1,
        "collapsed_tag": "Both",
    },
]


def picture(row: int, which: int, kind: str = "PNG") -> bytes:
    """A small plain picture, each of its own colour."""
    out = io.BytesIO()
    Image.new("RGB", (32, 24), (30 + 60 * row, 60 + 90 * which, 120)).save(out, kind)
    return out.getvalue()


def write(folder: Path) -> None:
    """The original: `data/examples.jsonl` and `data/images`; one picture is a JPEG under its `.png` name."""
    images = folder / "data" / "images"
    images.mkdir(parents=True)
    (folder / "data" / "examples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    for row in ROWS:
        for which in (0, 1):
            kind = "JPEG" if (row["id"], which) == (1, 1) else "PNG"
            (images / f"ex_{row['id']}_img_{which}.png").write_bytes(picture(row["id"], which, kind))


def write_parquet(folder: Path) -> None:
    """The newer one: two shards, the pictures as structures of bytes and path."""
    import pyarrow as pa
    from pyarrow import parquet

    (folder / "data").mkdir(parents=True, exist_ok=True)
    for shard, rows in enumerate((ROWS[:2], ROWS[2:])):
        packed = [
            row
            | {f"image_{k}": {"bytes": picture(row["id"], k), "path": f"ex_{row['id']}_img_{k}.png"} for k in (0, 1)}
            for row in rows
        ]
        parquet.write_table(pa.Table.from_pylist(packed), folder / "data" / f"test-{shard:05d}-of-00002-0a1b.parquet")


def write_table(folder: Path) -> None:
    """That of t2v_metrics, without the original beside it: relative paths, and why an item is hard."""
    home = folder / "winoground"
    (home / "images").mkdir(parents=True)
    with (home / "metadata.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(("id", "image_0", "image_1", "caption_0", "caption_1"))
        for row in ROWS:
            paths = [f"images/ex_{row['id']}_img_{k}.png" for k in (0, 1)]
            table.writerow((row["id"], *paths, row["caption_0"], row["caption_1"]))
            for k, path in enumerate(paths):
                (home / path).write_bytes(picture(row["id"], k))
    (home / "why_winoground_hard.json").write_text(json.dumps({"0": ["AmbiguouslyCorrect"], "1": []}))

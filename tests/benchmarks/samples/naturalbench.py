"""NaturalBench's Parquet file by the columns that its authors' loader reads, with made-up content."""

import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image


def png(seed: int) -> bytes:
    """A small picture."""
    pixels = np.random.default_rng(seed).integers(0, 255, (8, 8, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def write(folder: Path, n: int = 3) -> None:
    """n groups; the last one's questions have options."""
    picture = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    columns = {
        "Question_0": [f"Is it day in {k}?" for k in range(n)],
        "Question_1": [f"Is it night in {k}?" for k in range(n)],
        "Image_0": pa.array([{"bytes": png(2 * k), "path": None} for k in range(n)], picture),
        "Image_1": pa.array([{"bytes": png(2 * k + 1), "path": None} for k in range(n)], picture),
        "Image_0_Question_0": ["Yes"] * n,
        "Image_1_Question_0": ["No"] * n,
        "Image_0_Question_1": ["No"] * n,
        "Image_1_Question_1": ["Yes"] * n,
        "Question_Type": ["yes_no"] * (n - 1) + ["multiple_choice"],
    }
    pq.write_table(pa.table(columns), folder / "train-00000-of-00001.parquet")
